// The recursive descent behind parse(): private to this folder. One class, in files by subject: grammar.cc (tokens, errors,
// statements), grammar_select.cc, grammar_table.cc, grammar_write.cc, grammar_discovery.cc, grammar_predicate.cc,
// grammar_operand.cc, grammar_function.cc.
//
// A function that meets an error tells it, and gives nothing; its callers give nothing in turn, up to a clause or statement
// that can be left out. While an error is being left, no second one is told.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dialect/parser.h"
#include "sql/lexer.h"

namespace candor::dialect {

// A keyword, in any case, that can be no bare name.
[[nodiscard]] bool is_reserved(std::string_view word);

// Whether a call has arguments alone: no DISTINCT, ORDER BY or FILTER.
[[nodiscard]] bool is_plain_call(const Expr& call);

class Grammar {
 public:
  Grammar(std::string_view sql, const ParseLimits& limits);
  Parsed run() &&;

 private:
  // ---- tokens (grammar.cc) ----
  [[nodiscard]] const sql::Token& peek(std::size_t ahead = 0) const;
  [[nodiscard]] bool at_end() const { return position_ >= end_; }
  [[nodiscard]] bool at_word(std::string_view word, std::size_t ahead = 0) const;
  [[nodiscard]] bool at_symbol(std::string_view symbol, std::size_t ahead = 0) const;
  [[nodiscard]] bool at_reserved() const;  // a keyword that can be no bare name
  [[nodiscard]] bool at_name() const;      // a name, quoted or not
  [[nodiscard]] bool at_alias() const;     // a bare word or quoted name that can be an alias without AS
  bool accept_word(std::string_view word);
  bool accept_symbol(std::string_view symbol);
  bool expect_word(std::string_view word, std::string_view where);
  bool expect_symbol(std::string_view symbol, std::string_view where);
  std::optional<Name> take_name(std::string_view what);
  bool take_names(std::vector<Name>& names, std::string_view what);      // a.b.c
  bool take_name_list(std::vector<Name>& names, std::string_view what);  // (a, b), the parenthesis taken already
  std::optional<std::string> take_text(std::string_view what);           // '…'
  const sql::Token& take();
  [[nodiscard]] Span span_from(std::size_t first) const;  // from a token's index to the last one taken
  [[nodiscard]] std::string_view text_of(Span span) const { return sql_.substr(span.start, span.end - span.start); }
  void note_read_as(Span span, std::string read, std::string_view kind);

  // ---- errors (grammar.cc) ----
  // Each gives false, and tells the error unless one is being left already.
  bool fail(Diagnostic error);
  bool expected(std::string_view what);
  bool unsupported(Span span, std::string_view part, std::string_view instead);
  bool unsupported_here(std::string_view part, std::string_view instead);
  void recover_to_clause(int depth);  // to the next keyword that begins a clause, or the statement's end

  // A level of nesting; false over the limit.
  class Level;
  class Chain;
  bool enter();
  void leave() { --depth_; }
  bool count_node();

  // ---- statements ----
  void statement(Span span);
  std::optional<Statement> statement_body();
  bool other_statement();
  std::unique_ptr<Discovery> discovery();
  std::unique_ptr<Discovery> show();
  std::unique_ptr<Discovery> describe();
  std::unique_ptr<Discovery> pragma();
  std::unique_ptr<Discovery> client_command();
  bool pattern(Discovery& discovery);

  // ---- SELECT ----
  std::unique_ptr<Select> select_statement();
  std::unique_ptr<Select> query();        // WITH … SELECT …
  std::unique_ptr<Select> select_core();  // SELECT …
  std::unique_ptr<Select> subquery();     // after its parenthesis, which stays open
  bool with_clause(Select& select);
  bool select_list(Select& select);
  bool select_item(std::vector<SelectItem>& items);
  bool item_list(std::vector<SelectItem>& items);
  bool clauses(Select& select);
  bool group_by(Select& select);
  bool order_by(std::vector<OrderItem>& items);
  bool limit_clause(Select& select);
  bool fetch_clause(Select& select);
  bool top_clause(Select& select);
  bool no_set_operation();
  void unnest_items(Select& select);

  // ---- FROM ----
  bool from_clause(Select& select);
  bool joins(Select& select);
  bool join_condition(TableRef& ref);
  bool table_ref(std::vector<TableRef>& from, JoinKind join);
  bool table_source(TableRef& ref);
  bool array_source(TableRef& ref);
  bool table_alias(TableRef& ref);

  // ---- writes ----
  std::unique_ptr<Write> insert();
  std::unique_ptr<Write> update();
  std::unique_ptr<Write> remove();
  bool values(Write& write);
  bool values_row(Write& write);
  bool conflict(Write& write);
  bool assignments(std::vector<Assignment>& set);
  bool write_target(Write& write, std::string_view after);
  bool where_clause(ExprPtr& where);
  bool returning(Write& write);

  // ---- expressions, loosest first ----
  ExprPtr expression();
  ExprPtr and_expression();
  ExprPtr not_expression();
  ExprPtr predicate();
  ExprPtr comparison(ExprPtr left);
  ExprPtr quantified(ExprPtr left, Op op);
  ExprPtr is_predicate(ExprPtr left);
  ExprPtr in_predicate(ExprPtr left, bool negated);
  ExprPtr like_predicate(ExprPtr left, bool negated);
  ExprPtr between_predicate(ExprPtr left, bool negated);
  ExprPtr concatenation();
  ExprPtr sum();
  ExprPtr product();
  ExprPtr unary();
  ExprPtr postfix();
  ExprPtr primary();
  ExprPtr parenthesis();
  ExprPtr bracket();
  ExprPtr array_elements(std::size_t first);
  ExprPtr number();
  ExprPtr word_primary();
  ExprPtr case_expression();
  ExprPtr interval();
  ExprPtr column();
  ExprPtr function();
  bool function_arguments(Expr& call);
  bool special_arguments(Expr& call, bool& taken);
  bool trim_arguments(Expr& call);
  bool after_function(Expr& call);
  bool array_call(ExprPtr& call);
  bool type_name(std::string& type);
  bool expression_list(std::vector<ExprPtr>& list, std::string_view close);
  ExprPtr make(ExprKind kind, std::size_t first);
  ExprPtr binary(Op op, ExprPtr left, ExprPtr right);
  std::optional<Op> comparison_operator() const;

  std::string_view sql_;
  ParseLimits limits_;
  Parsed parsed_;
  std::vector<sql::Token> tokens_;
  std::size_t position_ = 0;
  std::size_t end_ = 0;  // of the statement's tokens
  std::size_t depth_ = 0;
  std::size_t chained_ = 0;  // operators one on the other in the tallest expression of the level
  std::size_t nodes_ = 0;    // of the statement
  bool failing_ = false;
  bool exhausted_ = false;  // the statement is over a limit
};

class Grammar::Level {
 public:
  explicit Level(Grammar& grammar) : grammar_(grammar), entered_(grammar.enter()) {}
  ~Level() { grammar_.leave(); }
  Level(const Level&) = delete;
  Level& operator=(const Level&) = delete;
  explicit operator bool() const { return entered_; }

 private:
  Grammar& grammar_;
  bool entered_;
};

// Operators of one precedence in a row, each a level of the tree without a Level of its own. What is bound to recurse over
// the tree relies on its height, so the chains on the way from the root to a leaf are counted together.
class Grammar::Chain {
 public:
  explicit Chain(Grammar& grammar) : grammar_(grammar), outer_(std::exchange(grammar.chained_, 0)) {}
  ~Chain() { grammar_.chained_ = std::max(outer_, grammar_.chained_); }
  Chain(const Chain&) = delete;
  Chain& operator=(const Chain&) = delete;
  bool grow();  // by an operator; false over the limit

 private:
  Grammar& grammar_;
  std::size_t outer_;
};

}  // namespace candor::dialect
