// The functions of SQLite that a statement may call. No other is: some write files, load code, or run on without a limit.
#pragma once

#include <string_view>

namespace candor::engine::sqlite {

struct Function {
  std::string_view name;
  bool repeatable;  // the same arguments give the same value, today and tomorrow
};

// Null for a function that may not be called. Names are folded for case.
[[nodiscard]] const Function* find_function(std::string_view name);

// Operators that DuckDB's parser shows as functions; in SQLite nobody can redefine them.
[[nodiscard]] bool is_operator(std::string_view name);

}  // namespace candor::engine::sqlite
