// The one table of limits. Documentation, tool descriptions and messages print from here.
#include "config/config.h"

namespace candor::config {
namespace {

constexpr Limit kLimits[] = {
    {"rows_per_statement", 100, 1, 1'000'000, "rows", "rows that one statement may read or write through a contract"},
    {"rows_per_result", 1'000, 1, 10'000'000, "rows",
     "rows of a result that are shown, of a source without a contract"},
    {"statements_per_batch", 50, 1, 10'000, "statements", "statements of one request"},
    {"result_chars", 48'000, 1'000, 1'000'000'000, "characters",
     "of a result's rows as JSON; no row is begun beyond it"},
    {"cell_chars", 8'000, 16, 100'000'000, "characters", "of one cell; a longer one is cut and says so"},
    {"statement_chars", 1'000'000, 1'000, 100'000'000, "characters", "of the SQL text of one request"},
    {"statement_seconds", 30, 1, 86'400, "seconds", "that a statement may run before it is stopped in the engine"},
    {"predicate_depth", 64, 1, 1'000, "levels", "of nesting in a predicate"},
    {"count_budget_ms", 1'000, 0, 3'600'000, "milliseconds",
     "spent on counting the rows of a result beyond those shown"},
    {"undo_days", 30, 0, 36'500, "days",
     "that a batch of writes through a contract can be undone, until the ledger forgets its rows; 0 keeps none"},
    {"known_joins", 10, 0, 1'000, "joins", "measured before, that the schema tells of the tables it is asked for"},
    {"memory_rows", 20, 1, 4'096, "memories", "that a tool of the memory shows where the call does not say how many"},
    {"memory_cache_mb", 512, 0, 1'048'576, "megabytes",
     "of vectors that a server keeps at hand between searches of the memory; more are read by each search"},
    {"memory_mb", 2'048, 128, 16'777'216, "megabytes", "that a session's engine may take"},
    {"import_mb", 8'192, 1, 16'777'216, "megabytes",
     "of the largest file that is taken into the cache of file sources"},
};

}  // namespace

std::span<const Limit> limits() { return kLimits; }

std::int64_t Configuration::limit(std::string_view name) const {
  if (const auto found = limit_values.find(name); found != limit_values.end()) return found->second;
  for (const Limit& limit : kLimits) {
    if (limit.name == name) return limit.standard;
  }
  return 0;
}

}  // namespace candor::config
