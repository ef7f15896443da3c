// A source opened for being published, and small questions to it: what `contract check` and `contract init` have in common.
#pragma once

#include <string>
#include <vector>

#include "base/cancel.h"
#include "base/result.h"
#include "base/value.h"
#include "candor/session.h"
#include "contract/contract.h"
#include "engine/engine.h"

namespace candor {

class ContractSource {
 public:
  // Fails with `configuration` for a folder of files, and where the source can't be opened.
  [[nodiscard]] static Result<ContractSource> open(const Session& session, const config::Source& source,
                                                   CancelToken cancel);

  [[nodiscard]] const std::string& name() const { return looked_.spec.name; }
  [[nodiscard]] bool sqlite() const { return looked_.spec.kind == engine::SourceKind::kSqlite; }
  [[nodiscard]] bool postgres() const { return looked_.spec.kind == engine::SourceKind::kPostgres; }
  [[nodiscard]] const engine::Catalog& catalog() const { return catalog_; }

  // A table or view in a statement of this source.
  [[nodiscard]] std::string in_sql(const engine::CatalogTable& table) const;
  // The parameter of that number, from 1 on.
  [[nodiscard]] std::string placeholder(std::size_t number) const {
    return postgres() ? "$" + std::to_string(number) : "?";
  }

  using Row = std::vector<Value>;
  // All rows of a statement that gives few of them.
  [[nodiscard]] Result<std::vector<Row>> ask(const std::string& sql, std::vector<Value> parameters = {});
  // The first row, of a statement that gives one.
  [[nodiscard]] Result<Row> ask_one(const std::string& sql, std::vector<Value> parameters = {});

 private:
  Session::Looked looked_;
  engine::Catalog catalog_;
  CancelToken cancel_;
};

// The configured source of that name, else (an empty one) the only one there is. Fails with `unknown-source`.
[[nodiscard]] Result<config::Source> source_for_contract(const config::Configuration& configuration,
                                                         const std::string& wanted);

// A name in double quotes, as all engines take it.
[[nodiscard]] std::string in_double_quotes(std::string_view name);

// Failures that no further question to the source would be spared.
[[nodiscard]] bool ends_all(const Diagnostic& failure);

// The conditions under which a value of the column (in SQL) can be read as the type; `sql` is asked with values that are not
// NULL. `stored` is the type of the table's column, in lower case. "true": every value can.
[[nodiscard]] std::string fits_in_sqlite(contract::Type type, const std::string& sql);
[[nodiscard]] std::string fits_in_duckdb(contract::Type type, const std::string& sql, std::string_view stored);
[[nodiscard]] std::string fits_in_postgres(contract::Type type, const std::string& sql, std::string_view stored);

}  // namespace candor
