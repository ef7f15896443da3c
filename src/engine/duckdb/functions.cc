// Reading duckdb_functions().
#include "engine/duckdb/functions.h"

#include <chrono>
#include <utility>

#include "base/ascii.h"
#include "engine/duckdb/rows.h"
#include "engine/duckdb/tokens.h"

namespace candor::engine::duckdb {
namespace {

constexpr std::chrono::seconds kCatalogDeadline{30};
constexpr std::chrono::seconds kMainDeadline{
    3};  // a long statement may hold the main connection; the review can't wait for it

}  // namespace

Status FunctionCatalog::load(Connections& connections) {
  CANDOR_ASSIGN(const Connections::Lease lease, connections.review(Clock::now() + kCatalogDeadline, CancelToken()));
  CANDOR_ASSIGN(
      const std::vector<TextRow> rows,
      query_text(lease.get(),
                 "SELECT DISTINCT function_name, function_type, stability FROM system.main.duckdb_functions() "
                 "WHERE internal"));
  for (const TextRow& row : rows) {
    const std::string name = lower_ascii(row[0].value_or(""));
    const std::string type = row[1].value_or("");
    if (type == "table" || type == "pragma" || type == "table_macro") {
      table_functions_.insert(name);
      continue;
    }
    // Macros of the engine's own say nothing about themselves, and are not taken for repeatable.
    const std::string stability = row[2].value_or("");
    const bool repeatable = stability == "CONSISTENT" || stability == "CONSISTENT_WITHIN_QUERY";
    const auto [entry, added] = built_in_.emplace(name, repeatable);
    if (!added) entry->second = entry->second && repeatable;
  }
  if (built_in_.empty()) return make_error("internal", "the engine lists no functions of its own");
  return Ok{};
}

void FunctionCatalog::invalidate() {
  const std::lock_guard lock(mutex_);
  stale_ = true;
}

// Requires the lock. Temporary macros are seen by the connection alone that has them.
Status FunctionCatalog::read_macros(Connections& connections) {
  if (!stale_) return Ok{};
  const std::string query = "SELECT DISTINCT function_name FROM system.main.duckdb_functions() WHERE NOT internal";
  std::set<std::string> user;
  CANDOR_ASSIGN(Connections::Lease lease, connections.any_temporaries()
                                              ? connections.agent(true, Clock::now() + kMainDeadline, CancelToken())
                                              : connections.review(Clock::now() + kCatalogDeadline, CancelToken()));
  CANDOR_ASSIGN(const std::vector<TextRow> rows, query_text(lease.get(), query));
  for (const TextRow& row : rows) user.insert(lower_ascii(row[0].value_or("")));
  user_ = std::move(user);
  stale_ = false;
  return Ok{};
}

Result<std::vector<FunctionFacts>> FunctionCatalog::facts(Connections& connections,
                                                          const std::vector<std::string>& names) {
  const std::lock_guard lock(mutex_);
  CANDOR_TRY(read_macros(connections));
  std::vector<FunctionFacts> facts;
  for (const std::string& name : names) {
    const std::string folded = lower_ascii(name);
    const auto known = built_in_.find(folded);
    FunctionFacts& fact = facts.emplace_back();
    fact.name = name;
    fact.built_in = known != built_in_.end() && !user_.contains(folded);
    fact.repeatable = fact.built_in && known->second;
  }
  return facts;
}

}  // namespace candor::engine::duckdb
