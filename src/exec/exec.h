// Running what the binder made of a batch on the source of a contract: reads, writes in one transaction, and discovery.
// Rows come back in the contract's types, whole: a statement of a contract shows few of them.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/cancel.h"
#include "base/result.h"
#include "base/value.h"
#include "bind/binder.h"
#include "engine/engine.h"
#include "exec/changes.h"
#include "lower/lower.h"
#include "scope/scope.h"

namespace candor::exec {

// What a batch runs on and under which limits.
struct Environment {
  engine::Engine* engine = nullptr;
  const contract::Contract* contract = nullptr;
  lower::Storage storage;
  std::int64_t statement_ms = 30'000;
  std::int64_t count_budget_ms = 1'000;
  std::int64_t wait_ms = 5'000;             // for other writers
  std::uint64_t memory_bytes = 64U << 20U;  // of the rows of one statement, before they are found to be too long
  bool dry_run = false;                     // writes are undone at the end
  // Set once triggers or foreign keys of the source changed rows along: what batches then do without. Null: not known.
  std::shared_ptr<std::atomic<bool>> changes_others = nullptr;
};

// The table or view that a contract calls `name`, with its schema or without; null: it isn't there.
[[nodiscard]] const engine::CatalogTable* find_table(const engine::Catalog& catalog, const std::string& name);

// Where the tables of the contract are, found in the catalog of its source. Fails with `configuration` naming the file when a
// table or column that the contract promises is not there.
[[nodiscard]] Result<lower::Storage> find_storage(const contract::Contract& contract, const engine::Catalog& catalog,
                                                  lower::Target target);

struct Outcome {
  engine::StatementKind kind = engine::StatementKind::kSelect;
  std::string resource;
  std::vector<Column> columns;  // types as the contract names them
  std::vector<std::vector<Value>> rows;
  std::optional<std::uint64_t> affected;
  std::vector<bind::BoundWarning> warnings;
  scope::AgentSurface surface;
};

[[nodiscard]] Result<Outcome> read(const bind::BoundSelect& plan, const Environment& environment,
                                   const CancelToken& cancel);

// Hands out every row of the plan without its LIMIT and without the contract's cap, in its order. False of the visitor ends it.
using RowVisitor = std::function<bool(std::vector<Value> row)>;
[[nodiscard]] Status scan(const bind::BoundSelect& plan, const Environment& environment, const CancelToken& cancel,
                          const RowVisitor& visitor);

[[nodiscard]] Outcome discover(const bind::BoundDiscovery& plan, const contract::Contract& contract);

struct Written {
  std::vector<Outcome> outcomes;
  Changes changes;  // none of a dry run
};

// Called before the source commits; its failure takes all of the batch back.
using BeforeCommit = std::function<Status(const Changes&)>;

// All writes of a batch in one transaction: everything or nothing. `failed` says which statement failed.
[[nodiscard]] Result<Written> write(const std::vector<bind::BoundStatement>& batch, const Environment& environment,
                                    const CancelToken& cancel, std::size_t& failed,
                                    const BeforeCommit& before_commit = {});

// A statement of the source's own that running the plan asks, as far as it is fixed before.
struct Step {
  std::string name;  // "read", "resolve", "change" …
  std::string when;  // when it runs, and how often
  lower::Lowered lowered;
};

// All of them in their order. A value that only running gives is a cell of kind kCut whose text says what it will be.
[[nodiscard]] std::vector<Step> steps_of(const bind::BoundStatement& statement, const contract::Contract& contract,
                                         const lower::Storage& storage);

// How many rows of the resource the caller sees.
[[nodiscard]] Result<std::uint64_t> count_rows(const contract::Resource& resource, const Environment& environment,
                                               const CancelToken& cancel);

}  // namespace candor::exec
