// See repeatable.h.
#include "candor/repeatable.h"

#include <algorithm>
#include <cctype>
#include <span>
#include <string>
#include <vector>

#include "base/ascii.h"
#include "json/json.h"
#include "sql/lexer.h"

namespace candor {
namespace {

constexpr std::string_view kVolatile[] = {"random",  "randomblob",      "uuid",     "uuidv4",
                                          "uuidv7",  "gen_random_uuid", "nextval",  "currval",
                                          "setseed", "clock_timestamp", "timeofday"};
// What the parser calls a function and the catalog does not list.
constexpr std::string_view kUnlisted[] = {"!", "unnest", "overlay"};

bool is_one_of(std::string_view name, std::span<const std::string_view> names) {
  return std::ranges::find(names, name) != names.end();
}

bool reads_repeatably(std::string_view sql) {
  const std::vector<sql::Token> tokens = sql::tokenize(sql);
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (sql::is_word(tokens[i], "tablesample")) return false;
    if (i + 1 == tokens.size()) continue;
    if (sql::is_word(tokens[i], "using") && sql::is_word(tokens[i + 1], "sample")) return false;
    const bool name = tokens[i].kind == sql::TokenKind::kWord || tokens[i].kind == sql::TokenKind::kQuoted;
    if (name && tokens[i + 1].text == "(" && is_one_of(lower_ascii(sql::identifier(tokens[i])), kVolatile))
      return false;
  }
  return true;
}

// Functions called anywhere but as a table.
void collect_functions(const json::Node& node, std::vector<std::string>& names) {
  if (node.is_array()) {
    for (const json::Node& item : node.items()) collect_functions(item, names);
  } else if (node.is_object()) {
    const bool table = node.string_or("type", "") == "TABLE_FUNCTION";
    if (node.string_or("class", "") == "FUNCTION") {
      std::string name = lower_ascii(node.string_or("function_name", ""));
      if (!is_one_of(name, kUnlisted) && std::ranges::find(names, name) == names.end())
        names.push_back(std::move(name));
    }
    for (const auto& [member, value] : node.members()) {
      if (table && member == "function") {
        collect_functions(value["children"], names);
      } else {
        collect_functions(value, names);
      }
    }
  }
}

}  // namespace

bool is_repeatable(std::string_view sql, engine::Engine& engine) {
  if (!reads_repeatably(sql)) return false;
  // What the parser does not read has no macros: the other engine.
  const Result<std::string> tree = engine.syntax_tree(sql);
  if (!tree.ok()) return true;
  const Result<json::Node> document = json::parse(*tree);
  if (!document.ok()) return true;
  std::vector<std::string> names;
  collect_functions(*document, names);
  if (names.empty()) return true;
  const Result<std::vector<engine::FunctionFacts>> facts = engine.function_facts(names);
  return !facts.ok() || std::ranges::all_of(*facts, [](const engine::FunctionFacts& fact) { return fact.built_in; });
}

}  // namespace candor
