// A name as it stands in a statement.
#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "base/ascii.h"
#include "dialect/grammar.h"
#include "dialect/printer.h"
#include "sql/scanner.h"

namespace candor::dialect {

std::string name_in_sql(std::string_view name) {
  // Words that begin something of their own where a name can stand, but are no keywords for an alias.
  constexpr std::array<std::string_view, 13> kTaken = {
      "both",    "cube",           "current_date", "current_time", "current_timestamp", "grouping", "interval",
      "leading", "localtimestamp", "recursive",    "rollup",       "symmetric",         "trailing"};
  sql::Scanner scanner(name);
  sql::Token token;
  const bool plain = scanner.next(token) && token.kind == sql::TokenKind::kWord && token.text.size() == name.size() &&
                     !is_reserved(name) && std::ranges::find(kTaken, lower_ascii(name)) == kTaken.end();
  if (plain) return std::string(name);
  std::string quoted = "\"";
  for (const char c : name) quoted.append(c == '"' ? 2 : 1, c);
  return quoted += '"';
}

}  // namespace candor::dialect
