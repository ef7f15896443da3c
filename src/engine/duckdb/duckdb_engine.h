// DuckDB behind the Engine interface: the session's scratch database, and every published DuckDB database and file
// source attached for reading; or, with a contract, one database that each call attaches for itself. Runs inside a worker
// process, which is killed where an interrupt does not help.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/engine.h"

namespace candor::engine::duckdb {

class Core;

class DuckdbEngine final : public Engine {
 public:
  // Opens the scratch database (a file called scratch.duckdb; in memory when the policy names none) and attaches the
  // sources; then nothing outside of them can be reached any more. A source that can't be opened does not fail the others:
  // the catalog warns of it and a statement that names it gets its error. Fails with `locked` when another process has
  // the scratch database, with `integrity` when that file is damaged, with `internal` when the sandbox does not hold.
  [[nodiscard]] static Result<std::unique_ptr<Engine>> open(const Policy& policy);

  // Requires that all streams are gone. Writes the scratch database to its file and empties the temporary folder.
  ~DuckdbEngine() override;

  [[nodiscard]] Result<std::unique_ptr<RowStream>> run(const RunRequest& request, CancelToken cancel) override;
  [[nodiscard]] Result<Catalog> catalog() override;
  [[nodiscard]] Result<std::string> syntax_tree(std::string_view sql) override;
  [[nodiscard]] Result<std::string> print_tree(std::string_view tree) override;
  [[nodiscard]] Result<TableFacts> table_facts(const TableName& name, const std::vector<std::string>& columns) override;
  [[nodiscard]] Result<std::vector<FunctionFacts>> function_facts(const std::vector<std::string>& names) override;
  [[nodiscard]] Result<std::uint64_t> append(const std::string& table, const std::vector<Column>& columns, bool replace,
                                             RowStream& rows, CancelToken cancel) override;
  [[nodiscard]] Result<std::unique_ptr<Transaction>> begin(std::int64_t wait_ms, CancelToken cancel) override;

 private:
  explicit DuckdbEngine(std::shared_ptr<Core> core);
  std::shared_ptr<Core> core_;
};

}  // namespace candor::engine::duckdb
