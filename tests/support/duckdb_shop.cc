// Writing the two databases.
#include "support/duckdb_shop.h"

#include <gtest/gtest.h>
#include <stdexcept>
#include <utility>

#include "engine/duckdb/duckdb_engine.h"
#include "support/duckdb_session.h"

namespace candor::test {

void write_database(const std::string& path, const std::vector<std::string>& statements) {
  DuckdbSession session(path);
  for (const std::string& statement : statements) {
    const std::string error = session.execute(statement);
    if (!error.empty()) ADD_FAILURE() << statement << ": " << error;
  }
}

DuckdbShop::DuckdbShop() {
  write_database(
      folder_.path() + "/shop.duckdb",
      {"CREATE TABLE orders (id INTEGER PRIMARY KEY, customer VARCHAR NOT NULL, amount DECIMAL(10, 2))",
       "INSERT INTO orders VALUES (1, 'C1', 10.50), (2, 'C2', 20.00), (3, 'C9', 5.25)",
       "CREATE TABLE customers (code VARCHAR, name VARCHAR)",
       "INSERT INTO customers VALUES ('C1', 'Ada'), ('C2', 'Émile')",
       "CREATE VIEW big_orders AS SELECT * FROM orders WHERE amount > 10",
       "COMMENT ON TABLE orders IS 'one row an order'", "COMMENT ON COLUMN orders.customer IS 'customers.code'"});
  write_database(folder_.path() + "/store.duckdb",
                 {"CREATE TABLE customers (code VARCHAR)", "CREATE TABLE stock (item VARCHAR)",
                  "INSERT INTO stock SELECT 'item ' || i FROM range(5) t(i)"});
}

engine::Policy DuckdbShop::policy() const {
  engine::Policy policy;
  policy.sources = {{"shop", engine::SourceKind::kDuckdb, folder_.path() + "/shop.duckdb", ""},
                    {"store", engine::SourceKind::kDuckdb, folder_.path() + "/store.duckdb", ""}};
  policy.scratch_path = folder_.path() + "/scratch.duckdb";
  policy.temp_directory = folder_.path() + "/spill";
  policy.cache_directory = folder_.path() + "/cache";
  return policy;
}

void DuckdbShop::open() { open(policy()); }

void DuckdbShop::open(const engine::Policy& policy) {
  engine_.reset();
  Result<std::unique_ptr<engine::Engine>> opened = engine::duckdb::DuckdbEngine::open(policy);
  if (!opened.ok()) throw std::runtime_error(opened.error().code + ": " + opened.error().message);
  engine_ = std::move(*opened);
}

}  // namespace candor::test
