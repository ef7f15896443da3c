// The functions of the engine and the macros of the user: which names are built in and nothing else, and which give the
// same value each time.
#pragma once

#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/duckdb/connections.h"
#include "engine/engine.h"

namespace candor::engine::duckdb {

class FunctionCatalog {
 public:
  // Reads the engine's own functions, once.
  Status load(Connections& connections);

  // The user's macros have to be read anew.
  void invalidate();

  // Built-in table functions and pragmas, lower case.
  [[nodiscard]] const std::set<std::string>& table_functions() const { return table_functions_; }

  [[nodiscard]] Result<std::vector<FunctionFacts>> facts(Connections& connections,
                                                         const std::vector<std::string>& names);

 private:
  Status read_macros(Connections& connections);

  std::map<std::string, bool> built_in_;  // lower case name -> repeatable; not changed after loading
  std::set<std::string> table_functions_;
  std::mutex mutex_;
  bool stale_ = true;
  std::set<std::string> user_;  // lower case
};

}  // namespace candor::engine::duckdb
