// Tokens, errors, and which statement a text is.
#include "dialect/grammar.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/ascii.h"
#include "base/shorten.h"
#include "sql/scanner.h"

namespace candor::dialect {
namespace {

using sql::Token;
using sql::TokenKind;

constexpr std::size_t kNodesMax = 20'000;    // of one statement: what keeps parsing and binding within 50 ms
constexpr std::size_t kTokensMax = 200'000;  // of a text: about 10 MB

// Words that can't be a bare name, in order.
constexpr std::array<std::string_view, 66> kReserved = {
    "all",       "and",     "any",    "array",  "as",       "asc",    "between",   "by",     "case",    "cast",
    "cross",     "default", "delete", "desc",   "distinct", "else",   "end",       "except", "exists",  "false",
    "fetch",     "for",     "from",   "full",   "group",    "having", "ilike",     "in",     "inner",   "insert",
    "intersect", "into",    "is",     "join",   "lateral",  "left",   "like",      "limit",  "natural", "not",
    "null",      "offset",  "on",     "or",     "order",    "outer",  "returning", "right",  "select",  "set",
    "some",      "table",   "then",   "true",   "union",    "unnest", "update",    "using",  "values",  "when",
    "where",     "window",  "with",   "within", "minus",    "qualify"};

// Words that a bare alias can't be, for they go on with the clause: with an alias "anti", an anti-join were its opposite.
constexpr std::array<std::string_view, 16> kNoAlias = {
    "anti", "asof",    "collate", "contains",   "div",  "escape",        "filter",      "isnull",
    "over", "overlap", "pivot",   "positional", "semi", "straight_join", "tablesample", "unpivot"};

constexpr std::array<std::string_view, 12> kClauses = {"from",   "where", "group", "having", "order",     "limit",
                                                       "offset", "fetch", "set",   "values", "returning", "on"};

const Token kNoToken;

}  // namespace

bool is_reserved(std::string_view word) {
  return std::ranges::any_of(kReserved, [&](std::string_view keyword) { return same_name(word, keyword); });
}

Grammar::Grammar(std::string_view sql, const ParseLimits& limits) : sql_(sql), limits_(limits) {
  if (sql.size() > limits.bytes) {
    (void)fail(make_error(
        "over-limit",
        "the text has " + std::to_string(sql.size()) + " bytes, at most " + std::to_string(limits.bytes) + " are read",
        "send it in several calls"));
    return;
  }
  sql::Scanner scanner(sql);
  for (Token token; scanner.next(token) && tokens_.size() <= kTokensMax;) tokens_.push_back(token);
  if (tokens_.size() <= kTokensMax) return;
  (void)fail(make_error("over-limit",
                        "the text has more than " + std::to_string(kTokensMax) + " words, values and signs",
                        "send it in several calls"));
}

Parsed Grammar::run() && {
  if (failing_) return std::move(parsed_);
  std::vector<std::pair<std::size_t, std::size_t>> statements;  // of tokens
  std::size_t first = 0;
  for (std::size_t i = 0; i <= tokens_.size(); ++i) {
    const bool ends = i == tokens_.size() || (tokens_[i].kind == TokenKind::kSymbol && tokens_[i].text == ";");
    if (!ends) continue;
    if (i > first) statements.emplace_back(first, i);
    first = i + 1;
  }
  parsed_.count = statements.size();
  if (statements.empty()) {
    (void)fail(make_error("syntax-error", "there is no statement in the text", "write a statement: SHOW TABLES"));
  }
  if (statements.size() > limits_.statements) {
    (void)fail(make_error("batch-too-long",
                          "the batch has " + std::to_string(statements.size()) +
                              " statements, statements_per_batch allows " + std::to_string(limits_.statements),
                          "send them in several calls"));
    return std::move(parsed_);
  }
  for (const auto& [begin, end] : statements) {
    position_ = begin;
    end_ = end;
    statement({tokens_[begin].span.start, tokens_[end - 1].span.end});
  }
  return std::move(parsed_);
}

void Grammar::statement(Span span) {
  const std::size_t errors = parsed_.errors.size();
  failing_ = false;
  depth_ = 0;
  chained_ = 0;
  exhausted_ = false;
  nodes_ = 0;
  for (std::size_t i = position_; i < end_; ++i) {
    const Token& token = tokens_[i];
    if (token.closed) continue;
    const bool comment = token.text.starts_with("/*");
    Diagnostic error =
        make_error("syntax-error",
                   std::string("unclosed ") + (comment                        ? "comment"
                                               : token.text.starts_with('\'') ? "text"
                                                                              : "name"),
                   comment ? "close it with */" : "close it with " + std::string(token.text.substr(0, 1)));
    error.span = token.span;
    (void)fail(std::move(error));
    return;
  }
  std::optional<Statement> made = statement_body();
  if (made && !failing_ && !at_end()) (void)expected("the end of the statement");
  if (!made || parsed_.errors.size() > errors) return;
  made->span = span;
  parsed_.statements.push_back(*std::move(made));
}

std::optional<Statement> Grammar::statement_body() {
  Statement made;
  if (at_word("select") || at_word("with") || at_symbol("(")) {
    made.select = select_statement();
    if (made.select == nullptr) return std::nullopt;
    return made;
  }
  const bool writes = at_word("insert") || at_word("update") || at_word("delete");
  if (writes) {
    made.write = at_word("insert") ? insert() : at_word("update") ? update() : remove();
    if (made.write == nullptr) return std::nullopt;
    return made;
  }
  made.discovery = discovery();
  if (made.discovery == nullptr) return std::nullopt;
  return made;
}

// ---- tokens ----

const Token& Grammar::peek(std::size_t ahead) const {
  return position_ + ahead < end_ ? tokens_[position_ + ahead] : kNoToken;
}

bool Grammar::at_word(std::string_view word, std::size_t ahead) const { return sql::is_word(peek(ahead), word); }

bool Grammar::at_symbol(std::string_view symbol, std::size_t ahead) const {
  const Token& token = peek(ahead);
  return token.kind == TokenKind::kSymbol && token.text == symbol;
}

bool Grammar::at_reserved() const { return peek().kind == TokenKind::kWord && is_reserved(peek().text); }

bool Grammar::at_name() const {
  if (at_end()) return false;
  return peek().kind == TokenKind::kQuoted || (peek().kind == TokenKind::kWord && !at_reserved());
}

bool Grammar::at_alias() const {
  if (!at_name()) return false;
  return peek().kind == TokenKind::kQuoted || std::ranges::find(kNoAlias, lower_ascii(peek().text)) == kNoAlias.end();
}

const Token& Grammar::take() {
  const Token& token = peek();
  if (!at_end()) ++position_;
  return token;
}

bool Grammar::accept_word(std::string_view word) {
  if (!at_word(word)) return false;
  ++position_;
  return true;
}

bool Grammar::accept_symbol(std::string_view symbol) {
  if (!at_symbol(symbol)) return false;
  ++position_;
  return true;
}

namespace {

std::string upper_ascii(std::string_view word) {
  std::string upper(word);
  for (char& c : upper) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return upper;
}

}  // namespace

bool Grammar::expect_word(std::string_view word, std::string_view where) {
  return accept_word(word) || expected(upper_ascii(word) + " " + std::string(where));
}

bool Grammar::expect_symbol(std::string_view symbol, std::string_view where) {
  return accept_symbol(symbol) || expected("'" + std::string(symbol) + "' " + std::string(where));
}

std::optional<Name> Grammar::take_name(std::string_view what) {
  if (!at_name()) {
    if (at_reserved()) {
      const std::string word(peek().text);
      Diagnostic error = make_error("syntax-error", "'" + word + "' is a keyword and no bare name",
                                    "write \"" + word + "\" for a name");
      error.span = peek().span;
      (void)fail(std::move(error));
    } else {
      (void)expected(what);
    }
    return std::nullopt;
  }
  const Token& token = take();
  Name name{sql::identifier(token), token.span, token.text.starts_with('"')};
  if (token.kind == TokenKind::kQuoted && !name.double_quoted)
    note_read_as(token.span, "\"" + name.text + "\"", "quoted-name");
  return name;
}

bool Grammar::take_names(std::vector<Name>& names, std::string_view what) {
  constexpr std::size_t kPartsMax = 4;
  do {
    std::optional<Name> name = take_name(what);
    if (!name) return false;
    names.push_back(*std::move(name));
  } while (names.size() < kPartsMax && accept_symbol("."));
  return true;
}

bool Grammar::take_name_list(std::vector<Name>& names, std::string_view what) {
  do {
    std::optional<Name> name = take_name(what);
    if (!name) return false;
    names.push_back(*std::move(name));
  } while (accept_symbol(","));
  return expect_symbol(")", "after the list of names");
}

std::optional<std::string> Grammar::take_text(std::string_view what) {
  if (peek().kind != TokenKind::kString || !peek().text.starts_with('\'')) {
    (void)expected(what);
    return std::nullopt;
  }
  return sql::identifier(take());
}

Span Grammar::span_from(std::size_t first) const {
  if (first >= tokens_.size()) return {sql_.size(), sql_.size()};
  const std::size_t last = position_ > first ? position_ - 1 : first;
  return {tokens_[first].span.start, tokens_[last].span.end};
}

void Grammar::note_read_as(Span span, std::string read, std::string_view kind) {
  parsed_.read_as.push_back({span, std::string(text_of(span)), std::move(read), kind});
}

// ---- errors ----

bool Grammar::fail(Diagnostic error) {
  constexpr std::size_t kErrorsMax = 20;
  exhausted_ = exhausted_ || error.code == "over-limit" || error.code == "predicate-too-deep";
  shorten(error);
  if (!failing_ && parsed_.errors.size() < kErrorsMax) parsed_.errors.push_back(std::move(error));
  failing_ = true;
  return false;
}

bool Grammar::expected(std::string_view what) {
  const bool end = at_end();
  const std::string found = end ? "the statement ends" : "there is '" + std::string(peek().text.substr(0, 40)) + "'";
  Diagnostic error = make_error("syntax-error", "expected " + std::string(what) + ", but here " + found);
  const std::size_t last = end_ > 0 && end_ <= tokens_.size() ? tokens_[end_ - 1].span.end : sql_.size();
  error.span = end ? Span{last, last} : peek().span;
  return fail(std::move(error));
}

bool Grammar::unsupported(Span span, std::string_view part, std::string_view instead) {
  Diagnostic error =
      make_error("unsupported-construct", std::string(part) + " is not part of the dialect", std::string(instead));
  error.span = span;
  return fail(std::move(error));
}

bool Grammar::unsupported_here(std::string_view part, std::string_view instead) {
  return unsupported(peek().span, part, instead);
}

void Grammar::recover_to_clause(int depth) {
  if (exhausted_) {  // the rest would be refused for the same
    position_ = end_;
    return;
  }
  while (!at_end()) {
    const Token& token = peek();
    const bool clause = token.kind == TokenKind::kWord && token.depth <= depth &&
                        std::ranges::find(kClauses, lower_ascii(token.text)) != kClauses.end();
    if (clause) break;
    ++position_;
  }
  failing_ = false;
}

bool Grammar::enter() {
  ++depth_;
  if (depth_ <= limits_.depth) return true;
  Diagnostic error =
      make_error("predicate-too-deep",
                 "the statement is nested deeper than " + std::to_string(limits_.depth) + " levels (predicate_depth)",
                 "leave out parentheses around single terms, or write IN in place of many ORs");
  error.span = peek().span;
  return fail(std::move(error));
}

bool Grammar::Chain::grow() {
  constexpr std::size_t kChainMax = 500;
  if (++grammar_.chained_ <= kChainMax) return true;
  return grammar_.fail(make_error("over-limit", "more than " + std::to_string(kChainMax) + " operators in a row",
                                  "write it in several steps"));
}

bool Grammar::count_node() {
  if (++nodes_ <= kNodesMax) return true;
  return fail(make_error("over-limit", "the statement has more than " + std::to_string(kNodesMax) + " terms",
                         "write it in several statements, or a shorter list of values"));
}

Parsed parse(std::string_view sql, const ParseLimits& limits) { return Grammar(sql, limits).run(); }

}  // namespace candor::dialect
