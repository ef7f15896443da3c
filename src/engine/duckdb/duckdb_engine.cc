// The engine's small doors; the parts that do the work lie beside.
#include "engine/duckdb/duckdb_engine.h"

#include <utility>

#include "engine/duckdb/contract_run.h"
#include "engine/duckdb/core.h"

namespace candor::engine::duckdb {

DuckdbEngine::DuckdbEngine(std::shared_ptr<Core> core) : core_(std::move(core)) {}

DuckdbEngine::~DuckdbEngine() = default;

Result<std::unique_ptr<Engine>> DuckdbEngine::open(const Policy& policy) {
  CANDOR_ASSIGN(std::shared_ptr<Core> core, Core::open(policy));
  return std::unique_ptr<Engine>(new DuckdbEngine(std::move(core)));
}

Result<std::unique_ptr<Transaction>> DuckdbEngine::begin(std::int64_t wait_ms, CancelToken cancel) {
  if (!core_->policy.contract) return Engine::begin(wait_ms, std::move(cancel));
  return begin_contract(core_, wait_ms, cancel);
}

Result<std::string> DuckdbEngine::syntax_tree(std::string_view sql) { return core_->parser.tree(sql); }

Result<std::string> DuckdbEngine::print_tree(std::string_view tree) { return core_->parser.text(tree); }

Result<std::vector<FunctionFacts>> DuckdbEngine::function_facts(const std::vector<std::string>& names) {
  return core_->functions.facts(core_->connections, names);
}

}  // namespace candor::engine::duckdb
