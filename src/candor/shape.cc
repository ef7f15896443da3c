// Shaping the result of a statement: its rows are taken as a list, judged below or above its ceiling, and handed over whole.
#include "candor/shape.h"

#include <algorithm>
#include <limits>
#include <string_view>
#include <utility>

#include "candor/execution.h"
#include "candor/service.h"
#include "candor/statement_rows.h"
#include "candor/universe.h"
#include "sql/lexer.h"

namespace candor {
namespace {

// Every row of the statement without its ceiling, from its engine.
Status scan(engine::Engine& engine, engine::RunRequest request, RowReader& reader, const CancelToken& cancel,
            const std::function<bool(json::Node)>& visitor) {
  constexpr std::uint64_t kAll = std::numeric_limits<std::int64_t>::max();
  request.sql = without_limit(request.sql);
  request.allow_writes = false;
  request.rows_max = kAll;
  request.chars_max = kAll;
  request.count_budget_ms = 0;
  CANDOR_ASSIGN(const std::unique_ptr<engine::RowStream> stream, engine.run(request, cancel));
  for (;;) {
    engine::RowStream::Item item = stream->next();
    if (auto* failure = std::get_if<Diagnostic>(&item)) {
      failure->span.reset();  // a place in another text
      return std::move(*failure);
    }
    if (std::holds_alternative<engine::End>(item)) return Ok{};
    if (!reader.read(std::get<RowBatch>(item), visitor)) return Ok{};
  }
}

// The flags with the byte budget that result_chars sets in any case: for the rows, beside which the document tells the
// statement, its columns and the filters.
scope::Shaping within(const scope::Shaping& shaping, std::int64_t result_chars, std::string_view sql,
                      const std::vector<Column>& columns) {
  constexpr std::uint64_t kRecord = 16'384;  // what else stands around the rows
  constexpr std::uint64_t kEscaped = 6;      // bytes that a character may take
  std::uint64_t around = sql.size();
  for (const Column& column : columns) around += column.name.size() + column.type.size() + 32;
  for (const scope::Filter& filter : shaping.predicate.filters()) around += filter.text.size();
  scope::Shaping bounded = shaping;
  const std::uint64_t most = static_cast<std::uint64_t>(result_chars) + kRecord + kEscaped * around;
  bounded.max_output_bytes = std::min(bounded.max_output_bytes.value_or(most), most);
  return bounded;
}

}  // namespace

Status check_shaped(const RunOptions& options, std::size_t statements) {
  if (!options.shaping.given() || statements < 2) return Ok{};
  return make_error("usage",
                    "--filter and the other flags that shape a list are for a single statement, and the text has " +
                        std::to_string(statements),
                    "send the statement to be shaped by itself");
}

Status Service::run_shaped(const Route& route, StatementStart& start, const RunOptions& options,
                           const engine::RunRequest& request, engine::RowStream& stream, const CancelToken& cancel,
                           Execution& execution) {
  RowReader reader(start.header.columns);
  std::vector<json::Node> page;
  engine::End last;
  for (bool more = true; more;) {
    engine::RowStream::Item item = stream.next();
    if (auto* failure = std::get_if<Diagnostic>(&item)) return std::move(*failure);
    if (const auto* done = std::get_if<engine::End>(&item)) {
      last = *done;
      more = false;
    } else {
      (void)reader.read(std::get<RowBatch>(item), [&](json::Node row) {
        page.push_back(std::move(row));
        return true;
      });
    }
  }
  const scope::AgentSurface surface =
      surface_of({start.sql, last.rows, last.rows_total, last.cut_by_chars, request.rows_max,
                  options.rows_max.has_value(), request.count_budget_ms, start.header.columns},
                 *route.engine, cancel);
  RowReader below = reader;
  StatementRows list(surface, reader, std::move(page), [&](const std::function<bool(json::Node)>& visitor) {
    return scan(*route.engine, request, below, cancel, visitor);
  });
  CANDOR_ASSIGN(scope::ShapedList shaped,
                scope::ShapedList::make(
                    list, within(options.shaping, configuration_.limit("result_chars"), start.sql, reader.columns())));
  StatementEnd& end = execution.end;
  end.statement_type = execution.query.kind;
  end.resource = route.source;
  end.normalized_sql = sql::normalize(start.sql);
  if (last.rows_total == std::uint64_t{0}) end.rows_scanned = last.rows_scanned;
  end.surface = shaped.surface();
  end.row_count = shaped.count() ? 1 : shaped.rows().size();
  end.shaped = shaped_rows(std::move(shaped), below);
  execution.keep_shaped(*end.shaped);
  start.header.columns = end.shaped->columns;
  return Ok{};
}

void tell_shaping_ignored(StatementEnd& end) {
  end.surface.shaping_ignored = "the statement writes";
  if (end.surface.universe_reason.empty()) end.surface.universe_reason = "the statement writes";
  end.warnings.push_back({"shaping-ignored", "the statement writes, so the flags that shape a list did nothing",
                          "leave them out; SELECT what was written to shape it"});
}

Result<std::optional<ShapedRows>> Service::shape_outcome(const bind::BoundStatement& statement,
                                                         const exec::Environment& environment,
                                                         const RunOptions& options, const exec::Outcome& outcome,
                                                         const CancelToken& cancel) {
  if (!options.shaping.given()) return std::optional<ShapedRows>();
  RowReader reader(outcome.columns);
  const auto node_of = [&](const std::vector<Value>& row) {
    std::string cells;
    CellWriter writer(cells);
    for (const Value& value : row) write_value(writer, value);
    CellReader from(cells);
    return reader.read_row(from);
  };
  std::vector<json::Node> page;
  for (const std::vector<Value>& row : outcome.rows) page.push_back(node_of(row));
  StatementRows list(outcome.surface, reader, std::move(page),
                     [&](const std::function<bool(json::Node)>& visitor) -> Status {
                       if (statement.select == nullptr) return Ok{};
                       return exec::scan(*statement.select, environment, cancel,
                                         [&](const std::vector<Value>& row) { return visitor(node_of(row)); });
                     });
  CANDOR_ASSIGN(scope::ShapedList shaped,
                scope::ShapedList::make(list, within(options.shaping, environment.contract->result_chars,
                                                     statement.text, reader.columns())));
  return std::optional<ShapedRows>(shaped_rows(std::move(shaped), reader));
}

}  // namespace candor
