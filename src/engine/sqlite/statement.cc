// First words of statements.
#include "engine/sqlite/statement.h"

#include <algorithm>
#include <array>
#include <string>

#include "base/ascii.h"
#include "engine/sqlite/functions.h"

namespace candor::engine::sqlite {
namespace {

constexpr auto kWriting = std::to_array<std::string_view>(
    {"insert", "update", "delete", "replace", "create", "drop", "alter", "reindex", "analyze", "vacuum"});

bool is_space(char byte) { return byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r' || byte == '\f'; }

struct Word {
  std::string_view text;
  Span span;
};

Word next_word(std::string_view sql, std::size_t& at) {
  at += skip_blank(sql.substr(at), true);
  const std::size_t start = at;
  while (at < sql.size() &&
         ((sql[at] >= 'a' && sql[at] <= 'z') || (sql[at] >= 'A' && sql[at] <= 'Z') || sql[at] == '_'))
    ++at;
  return {sql.substr(start, at - start), Span{start, at}};
}

bool is(const Word& word, std::string_view name) { return same_name(word.text, name); }

Diagnostic refused(const Word& word, std::string_view code, std::string message, std::string hint) {
  Diagnostic made = make_error(code, std::move(message), std::move(hint));
  made.span = word.span;
  return made;
}

}  // namespace

std::size_t skip_blank(std::string_view sql, bool semicolons) {
  std::size_t at = sql.starts_with("\xEF\xBB\xBF") ? 3 : 0;
  while (at < sql.size()) {
    const std::string_view rest = sql.substr(at);
    if (is_space(rest[0]) || (semicolons && rest[0] == ';')) {
      ++at;
    } else if (rest.starts_with("--")) {
      const std::size_t end = rest.find('\n');
      at = end == std::string_view::npos ? sql.size() : at + end;
    } else if (rest.starts_with("/*")) {
      const std::size_t end = rest.find("*/", 2);
      at = end == std::string_view::npos ? sql.size() : at + end + 2;
    } else {
      break;
    }
  }
  return at;
}

Result<StatementKind> classify(std::string_view sql, std::string_view source) {
  std::size_t at = 0;
  const Word first = next_word(sql, at);
  if (first.text.empty() && first.span.start == sql.size()) return make_error("syntax", "there is no statement");
  if (is(first, "select") || is(first, "with") || is(first, "values")) return StatementKind::kSelect;
  if (is(first, "pragma")) return StatementKind::kDescribe;
  if (is(first, "explain")) {
    if (is(next_word(sql, at), "query") && is(next_word(sql, at), "plan")) return StatementKind::kExplain;
    return refused(first, "statement-not-allowed", "a bare EXPLAIN is not allowed", "EXPLAIN QUERY PLAN SELECT …");
  }
  if (std::ranges::any_of(kWriting, [&](std::string_view name) { return is(first, name); })) {
    return refused(first, "read-only", "source " + std::string(source) + " is published for reading",
                   "copy the rows with materialize and change them in the scratch database");
  }
  if (first.text.empty()) {
    const std::size_t start = first.span.start;
    Diagnostic made = make_error("syntax", "a statement begins with a word such as SELECT");
    made.span = Span{start, start + 1};
    return made;
  }
  return refused(first, "statement-not-allowed", "this kind of statement is not allowed on a SQLite source",
                 "write a SELECT");
}

}  // namespace candor::engine::sqlite
