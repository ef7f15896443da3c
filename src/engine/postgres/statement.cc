// First words, options of EXPLAIN, names before a bracket.
#include "engine/postgres/statement.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <utility>

#include "base/ascii.h"
#include "base/render_json.h"
#include "engine/postgres/tokens.h"

namespace candor::engine::postgres {
namespace {

constexpr auto kQueries = std::to_array<std::string_view>({"select", "with", "values", "table"});
constexpr auto kWriting =
    std::to_array<std::string_view>({"insert",   "update",  "delete",  "merge",  "create",  "drop",     "alter",
                                     "truncate", "comment", "grant",   "revoke", "reindex", "cluster",  "vacuum",
                                     "analyze",  "analyse", "refresh", "copy",   "import",  "security", "reassign"});
constexpr auto kChanging = std::to_array<std::string_view>({"insert", "update", "delete", "merge"});
// Options of EXPLAIN that run nothing.
constexpr auto kExplainOptions =
    std::to_array<std::string_view>({"verbose", "costs", "settings", "generic_plan", "summary", "format"});
constexpr auto kExplainValues =
    std::to_array<std::string_view>({"on", "off", "true", "false", "text", "json", "yaml", "xml"});

template <std::size_t N>
bool is_one_of(const Token& token, const std::array<std::string_view, N>& words) {
  return std::ranges::any_of(words, [&](std::string_view word) { return is_word(token, word); });
}

Diagnostic refused(Span span, std::string_view code, std::string message, std::string hint = {}) {
  Diagnostic made = make_error(code, std::move(message), std::move(hint));
  made.span = span;
  return made;
}

// Of $7 the 7; a number that is none is larger than any.
std::size_t number_of(const Token& parameter) {
  std::size_t number = SIZE_MAX;
  const char* end = parameter.text.data() + parameter.text.size();
  const auto read = std::from_chars(parameter.text.data() + 1, end, number);
  return read.ec == std::errc() ? number : SIZE_MAX;
}

Status check_text(std::string_view text) {
  if (const std::size_t nul = text.find('\0'); nul != std::string_view::npos) {
    return refused({nul, nul + 1}, "invalid-text", "the statement holds a NUL");
  }
  if (!is_utf8(text)) return make_error("invalid-text", "the statement is not valid UTF-8");
  return Ok{};
}

class Reader {
 public:
  Reader(std::string_view sql, std::string_view source, std::vector<Token> tokens)
      : sql_(sql), source_(source), tokens_(std::move(tokens)) {}

  Result<Statement> read() {
    CANDOR_TRY(one_statement());
    if (tokens_.empty()) return make_error("syntax", "there is no statement");
    if (is_word(tokens_[0], "explain")) CANDOR_TRY(explain());
    CANDOR_TRY(query());
    const std::size_t begin = tokens_[at_].span.start;
    made_.body_at = begin;
    made_.body = std::string(sql_.substr(begin, tokens_.back().span.end - begin));
    names();
    source_prefixes();
    return std::move(made_);
  }

 private:
  // Leaves out semicolons at both ends.
  Status one_statement() {
    while (!tokens_.empty() && is_mark(tokens_.back(), ";")) tokens_.pop_back();
    const auto first = std::ranges::find_if(tokens_, [](const Token& token) { return !is_mark(token, ";"); });
    tokens_.erase(tokens_.begin(), first);
    for (const Token& token : tokens_) {
      if (is_mark(token, ";")) {
        return refused({token.span.start, sql_.size()}, "several-statements", "one statement is expected here",
                       "send the others on their own");
      }
    }
    return Ok{};
  }

  [[nodiscard]] const Token* token(std::size_t index) const {
    return index < tokens_.size() ? &tokens_[index] : nullptr;
  }
  [[nodiscard]] bool mark_at(std::size_t index, std::string_view mark) const {
    return token(index) != nullptr && is_mark(tokens_[index], mark);
  }

  Diagnostic bad_explain(const Token& token) const {
    return refused(token.span, "statement-not-allowed", "this form of EXPLAIN is not allowed", "EXPLAIN SELECT …");
  }

  // EXPLAIN, EXPLAIN VERBOSE, EXPLAIN (option [value], …).
  Status explain() {
    made_.kind = StatementKind::kExplain;
    made_.explain = "EXPLAIN ";
    at_ = 1;
    if (token(at_) != nullptr && is_word(tokens_[at_], "verbose")) {
      made_.explain += "VERBOSE ";
      ++at_;
      return Ok{};
    }
    // A bracket may also begin the query: EXPLAIN (SELECT 1).
    if (!mark_at(1, "(") || token(2) == nullptr || is_one_of(tokens_[2], kQueries) || mark_at(2, "(")) return Ok{};
    std::string options;
    for (at_ = 2; !mark_at(at_, ")"); ++at_) {
      if (token(at_) == nullptr) return bad_explain(tokens_[0]);
      const Token& part = tokens_[at_];
      const bool begins = is_mark(tokens_[at_ - 1], "(") || is_mark(tokens_[at_ - 1], ",");
      const bool fine =
          begins ? is_one_of(part, kExplainOptions) : is_mark(part, ",") || is_one_of(part, kExplainValues);
      if (!fine) return bad_explain(part);
      options += std::string(part.text) + " ";
    }
    ++at_;
    made_.explain += "(" + options + ") ";
    return Ok{};
  }

  Status query() const {
    if (token(at_) == nullptr) return refused(tokens_.back().span, "syntax", "there is no statement to explain");
    std::size_t begin = at_;
    while (mark_at(begin, "(")) ++begin;
    if (token(begin) != nullptr && is_one_of(tokens_[begin], kQueries)) return Ok{};
    const Token& first = tokens_[at_];
    const bool analyzes = is_word(first, "analyze") || is_word(first, "analyse");
    if (made_.kind == StatementKind::kExplain && analyzes) return bad_explain(first);
    if (is_one_of(first, kWriting)) {
      return refused(first.span, "read-only", "source " + std::string(source_) + " is published for reading",
                     "copy the rows with materialize and change them in the scratch database");
    }
    if (made_.kind == StatementKind::kExplain) return bad_explain(first);
    if (first.kind != TokenKind::kWord) {
      return refused(first.span, "syntax", "a statement begins with a word such as SELECT");
    }
    return refused(first.span, "statement-not-allowed", "this kind of statement is not allowed on a PostgreSQL source",
                   is_word(first, "show") ? "SELECT current_setting('server_version')" : "write a SELECT");
  }

  void names() {
    for (std::size_t i = at_; i < tokens_.size(); ++i) {
      const Token& here = tokens_[i];
      if (here.kind == TokenKind::kOperator) add(made_.operators, std::string(here.text));
      if (is_one_of(here, kChanging)) made_.changes_rows = true;
      if (here.kind == TokenKind::kParameter) made_.parameters.emplace_back(number_of(here), here.span);
      if (!is_name(here)) continue;
      const bool dotted = i > at_ && is_mark(tokens_[i - 1], ".");
      Called called;
      called.name = name_of(here);
      called.span = here.span;
      if (!mark_at(i + 1, "(")) {
        if (!dotted || mark_at(i + 1, ".")) continue;
        called.attribute = true;
      } else if (dotted && i > at_ + 1 && is_name(tokens_[i - 2])) {
        called.schema = name_of(tokens_[i - 2]);
        // Once the source's name is blanked, the rest stands alone.
        if (same_name(called.schema, source_)) {
          Called alone = called;
          alone.schema.clear();
          add(made_.called, std::move(alone));
        }
      }
      add(made_.called, std::move(called));
    }
  }

  template <typename T>
  static void add(std::vector<T>& list, T item) {
    if (std::ranges::find(list, item) == list.end()) list.push_back(std::move(item));
  }

  // `app.orders` names the source app where `app` is nothing else here: no alias, no table, no query's name.
  void source_prefixes() {
    for (std::size_t i = at_; i < tokens_.size(); ++i) {
      if (!is_name(tokens_[i]) || !same_name(name_of(tokens_[i]), source_)) continue;
      const bool first = i == at_ || !is_mark(tokens_[i - 1], ".");
      if (!first || !mark_at(i + 1, ".")) {
        made_.source_prefixes.clear();
        return;
      }
      made_.source_prefixes.push_back({tokens_[i].span.start, tokens_[i + 1].span.end});
    }
  }

  std::string_view sql_;
  std::string_view source_;
  std::vector<Token> tokens_;
  std::size_t at_ = 0;  // where the query begins
  Statement made_;
};

}  // namespace

void Statement::blank_source_prefixes() {
  for (const Span& span : source_prefixes) {
    for (std::size_t i = span.start; i < span.end; ++i) body[i - body_at] = ' ';
  }
}

Result<Statement> read_statement(std::string_view sql, std::string_view source) {
  CANDOR_TRY(check_text(sql));
  CANDOR_ASSIGN(std::vector<Token> tokens, tokenize(sql));
  return Reader(sql, source, std::move(tokens)).read();
}

}  // namespace candor::engine::postgres
