// Running statements on an engine in tests: whole results as JSON rows, or the code of the error.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/engine.h"

namespace candor::test {

struct Ran {
  std::optional<Diagnostic> error;
  engine::Header header;
  engine::End end;
  std::vector<std::string> rows;  // each a JSON array
  std::size_t batches = 0;

  [[nodiscard]] std::string code() const { return error ? error->code : ""; }
  [[nodiscard]] std::string all() const;  // the rows joined by blanks, or "code: message"
};

[[nodiscard]] Ran run(engine::Engine& engine, const engine::RunRequest& request, CancelToken cancel = {});
// On the agent's lane, with writes allowed.
[[nodiscard]] Ran run(engine::Engine& engine, const std::string& sql);
[[nodiscard]] Ran pull(engine::RowStream& stream);

// The text under a span.
[[nodiscard]] std::string under(const std::string& sql, const std::optional<Span>& span);

}  // namespace candor::test
