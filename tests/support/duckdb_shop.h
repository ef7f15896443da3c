// A DuckDB engine over two small published databases, for tests.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "support/temp_folder.h"

namespace candor::test {

// Sources: `shop` with orders(id, customer, amount) of 3 rows, customers(code, name) and the view big_orders; `store`
// with customers too and with stock(item).
class DuckdbShop {
 public:
  DuckdbShop();
  [[nodiscard]] engine::Policy policy() const;
  // Opens with the policy, or with one that was changed.
  void open();
  void open(const engine::Policy& policy);
  void close() { engine_.reset(); }
  [[nodiscard]] engine::Engine& engine() { return *engine_; }
  [[nodiscard]] const TempFolder& folder() const { return folder_; }

 private:
  TempFolder folder_;
  std::unique_ptr<engine::Engine> engine_;
};

// Makes a database file by running statements.
void write_database(const std::string& path, const std::vector<std::string>& statements);

}  // namespace candor::test
