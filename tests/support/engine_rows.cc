// Pulling streams to their end.
#include "support/engine_rows.h"

#include <utility>
#include <variant>

#include "base/render_json.h"

namespace candor::test {

std::string Ran::all() const {
  if (error) return error->code + ": " + error->message;
  std::string text;
  for (const std::string& row : rows) text += (text.empty() ? "" : " ") + row;
  return text;
}

Ran pull(engine::RowStream& stream) {
  Ran ran;
  ran.header = stream.header();
  while (true) {
    engine::RowStream::Item item = stream.next();
    if (auto* failure = std::get_if<Diagnostic>(&item)) {
      ran.error = std::move(*failure);
      return ran;
    }
    if (const auto* end = std::get_if<engine::End>(&item)) {
      ran.end = *end;
      return ran;
    }
    const auto& batch = std::get<RowBatch>(item);
    ++ran.batches;
    CellReader reader(batch.cells);
    for (std::uint32_t row = 0; row < batch.rows; ++row) {
      std::string text = "[";
      for (std::size_t column = 0; column < ran.header.columns.size(); ++column) {
        if (column > 0) text += ",";
        append_json(text, reader);
      }
      ran.rows.push_back(text + "]");
    }
  }
}

Ran run(engine::Engine& engine, const engine::RunRequest& request, CancelToken cancel) {
  Result<std::unique_ptr<engine::RowStream>> stream = engine.run(request, std::move(cancel));
  if (stream.ok()) return pull(**stream);
  Ran ran;
  ran.error = std::move(stream).error();
  return ran;
}

Ran run(engine::Engine& engine, const std::string& sql) {
  engine::RunRequest request;
  request.sql = sql;
  request.allow_writes = true;
  return run(engine, request);
}

std::string under(const std::string& sql, const std::optional<Span>& span) {
  return span ? sql.substr(span->start, span->end - span->start) : "no span";
}

}  // namespace candor::test
