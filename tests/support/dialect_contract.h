// The contract of tests/dialect, and where its tables are in each engine, for plans that no engine runs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bind/binder.h"
#include "contract/contract.h"
#include "lower/lower.h"

namespace candor::test {

// The caller's scope in the plans below; nothing else has this text.
inline constexpr std::string_view kScopeValue = "workspace-of-the-caller";

[[nodiscard]] const contract::Contract& dialect_contract();

// As exec::find_storage would find them: all tables but `languages` have the scope's column.
[[nodiscard]] lower::Storage dialect_storage(lower::Target target);

[[nodiscard]] bind::Bound bind_text(std::string_view sql);

// Every statement that running the text would ask of the engine. A text with errors gives none, and fails the test.
[[nodiscard]] std::vector<lower::Lowered> lowered(std::string_view sql, lower::Target target);

}  // namespace candor::test
