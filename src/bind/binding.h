// The binder's class: private to this folder. In files by subject: binder.cc (statements, errors and their repairs),
// binding_names.cc, binding_from.cc, binding_select.cc, binding_expr.cc, binding_cast.cc, binding_compare.cc, binding_array.cc,
// binding_function.cc, binding_aggregate.cc, binding_write.cc.
//
// A function that meets an error tells it and gives a null pointer; its callers go on with what stands beside, so that all
// errors of a statement are told.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bind/binder.h"
#include "bind/functions.h"

namespace candor::bind {

// What an expression is read for: decides which columns the contract lets it name.
enum class Use : std::uint8_t { kRead, kFilter, kGroup, kAggregate, kDistinct, kOrder };

class ExprIndex;

class Binding {
 public:
  Binding(std::string_view sql, const BindContext& context) : sql_(sql), context_(context) {}
  Bound run(const dialect::Parsed& parsed) &&;

 private:
  using Ast = dialect::Expr;

  // One SELECT (or write) being bound, inside of those around it.
  struct Level {
    Level* outer = nullptr;
    BoundSelect* select = nullptr;
    std::vector<Relation*> relations;
    const std::vector<BoundItem>* aliases = nullptr;  // output names that may be referred to
    std::vector<const Ast*> alias_exprs;              // what each stands for, for binding it anew
    bool aggregates_allowed = false;
    bool inside_aggregate = false;
    bool has_aggregate = false;
    bool correlated = false;
  };
  struct CommonTable {
    std::string name;
    std::shared_ptr<BoundSelect> select;
    std::vector<std::string> columns;
  };
  struct Edit {
    Span span;
    std::string text;
  };

  // ---- statements, errors (binder.cc) ----
  void statement(const dialect::Statement& parsed);
  void check_batch(const dialect::Parsed& parsed);
  BoundPtr error(std::string_view code, std::string message, Span span, std::string hint = {}, std::string detail = {},
                 std::optional<Edit> edit = std::nullopt);
  void warn(std::string_view code, std::string message, std::string hint = {});
  void finish_errors();
  [[nodiscard]] bool told_enough() const;  // a further error would not be told
  // Counts what is bound: a star or an alias stands for more than is written. False, told once, over the limit.
  bool spend(std::size_t terms, Span span);
  [[nodiscard]] std::string text_of(Span span) const {
    return std::string(sql_.substr(span.start, span.end - span.start));
  }
  [[nodiscard]] std::string short_text_of(Span span) const;  // for messages about what may be long, and often
  std::unique_ptr<BoundDiscovery> discovery(const dialect::Discovery& parsed);

  void warn_vacuous(const BoundExpr& condition);  // vacuous.cc

  // ---- names (binding_names.cc) ----
  const contract::Resource* resource(const std::vector<dialect::Name>& names, Span span);
  BoundPtr column(const Ast& ast);
  BoundPtr found_column(Level& level, Relation& relation, std::size_t position, const Ast& ast);
  bool may_use(const Relation& relation, const RelationColumn& column, Span span);
  BoundPtr unknown_column(const Ast& ast);
  BoundPtr tell_unknown_column(const Ast& ast);
  void note_missing(const Ast& ast, Diagnostic& error) const;
  std::string describe_columns(const Level& level) const;
  std::string elsewhere(const std::string& name) const;
  BoundPtr alias_reference(const Ast& ast);
  BoundPtr element_without_unnest(const Ast& ast, const std::string& name);

  // ---- FROM (binding_from.cc) ----
  void remember(Relation& relation);
  bool from(const dialect::Select& parsed, Level& level);
  bool relation(const dialect::TableRef& ref, Level& level);
  bool scan(const dialect::TableRef& ref, Relation& made);
  bool unnest(const dialect::TableRef& ref, Relation& made);
  bool derived(const dialect::TableRef& ref, Relation& made);
  bool known_rows(const dialect::TableRef& ref, Relation& made);
  bool rename_columns(const dialect::TableRef& ref, Relation& made);
  bool join(const dialect::TableRef& ref, Level& level, Relation& made);
  bool join_using(const dialect::TableRef& ref, Level& level, Relation& made);
  bool check_equalities(const dialect::Select& parsed, const Level& level, const BoundSelect& select);
  void derived_permissions(Relation& made);
  static std::unique_ptr<Relation> scan_of(const contract::Resource& resource, std::size_t id);

  // ---- SELECT (binding_select.cc) ----
  std::unique_ptr<BoundSelect> select(const dialect::Select& parsed, bool top);
  bool with(const dialect::Select& parsed);
  bool items(const dialect::Select& parsed, Level& level, BoundSelect& made);
  bool star(const dialect::SelectItem& item, Level& level, BoundSelect& made);
  bool returning(const std::vector<dialect::SelectItem>& parsed, Level& level, std::vector<BoundItem>& made);
  std::string item_name(const dialect::SelectItem& item) const;
  bool group_by(const dialect::Select& parsed, Level& level, BoundSelect& made);
  bool order_by(const dialect::Select& parsed, Level& level, BoundSelect& made);
  BoundPtr order_item(const Ast& ast, const dialect::Select& parsed, Level& level, BoundSelect& made);
  BoundPtr position(const Ast& ast, const dialect::Select& parsed, Level& level);
  bool limit(const dialect::Select& parsed, BoundSelect& made, bool top);
  bool limit_value(const Ast& ast, std::string_view word, std::int64_t least, std::int64_t& value);
  bool check_grouping(const BoundSelect& made);
  bool grouped(const BoundExpr& expr, const BoundSelect& made, const ExprIndex& groups, bool& told);

  // ---- expressions (binding_expr.cc) ----
  BoundPtr expr(const Ast& ast);
  BoundPtr condition(const Ast& ast);  // of type boolean
  BoundPtr literal(const Ast& ast);
  BoundPtr binary(const Ast& ast);
  BoundPtr logic(const Ast& ast);
  BoundPtr unary(const Ast& ast);
  BoundPtr arithmetic(const Ast& ast);
  BoundPtr arithmetic_bound(Op op, BoundPtr left, BoundPtr right, const Ast& ast);
  BoundPtr modulo(const Ast& ast);
  BoundPtr time_arithmetic(const Ast& ast, BoundPtr left, BoundPtr right);
  BoundPtr concatenation(const Ast& ast);
  BoundPtr is(const Ast& ast);
  BoundPtr case_of(const Ast& ast);
  BoundPtr cast(const Ast& ast);  // binding_cast.cc
  BoundPtr cast_whole(const Ast& ast);
  BoundPtr subquery(const Ast& ast);
  BoundPtr exists(const Ast& ast);
  std::unique_ptr<BoundSelect> one_column(const Ast& ast, std::string_view what);
  bool number(const BoundExpr& expr, std::string_view what);
  bool text(BoundExpr& expr, const Ast& construct);
  bool unify(const std::vector<BoundPtr*>& exprs, Span span, std::optional<Type>& type);

  // ---- comparisons (binding_compare.cc) ----
  BoundPtr compare(const Ast& ast);
  BoundPtr compare_bound(Op op, BoundPtr left, BoundPtr right, const Ast& ast);
  BoundPtr between(const Ast& ast);
  BoundPtr in(const Ast& ast);
  BoundPtr in_list(const Ast& ast, BoundPtr left);
  BoundPtr in_select(const Ast& ast, BoundPtr left);
  BoundPtr like(const Ast& ast);
  BoundPtr match(const Ast& ast);
  static void as_real(BoundExpr& literal);  // beside a number, which is a double
  static void align_times(BoundPtr& left, BoundPtr& right);
  static void align_times(std::vector<BoundPtr>& values);
  bool comparable(BoundPtr& left, BoundPtr& right, Span span);
  // Makes the literal one of the type, or tells bad-literal-type. `beside`: the expression that it is compared with.
  bool coerce(BoundExpr& literal, Type type, const BoundExpr* beside, bool exact = false);
  bool coerce_number(BoundExpr& literal, Type type, const BoundExpr* beside, bool exact);
  bool coerce_date(BoundExpr& literal, const BoundExpr* beside, bool exact);
  bool bad_literal(const BoundExpr& literal, Type type, const BoundExpr* beside, std::string_view more = {});
  bool bad_text(const BoundExpr& literal, const BoundExpr* beside);
  bool check_allowed(const BoundExpr& literal, const BoundExpr& beside);
  BoundPtr null_comparison(const Ast& ast, const Ast& other, bool negated);
  bool may_compare(const BoundExpr& item, Span span);
  void note_outside_scope(Op op, const BoundExpr& left, const BoundExpr& right);
  [[nodiscard]] const RelationColumn* column_of(const BoundExpr& expr) const;

  // ---- arrays (binding_array.cc) ----
  BoundPtr array_compare(const Ast& ast, BoundPtr left, const Ast& right_ast);
  BoundPtr array_operator(const Ast& ast);
  BoundPtr in_array(const Ast& ast);
  BoundPtr array_value(const Ast& ast, Type type, const BoundExpr& beside);
  BoundPtr text_function_on_array(const Ast& call, const BoundExpr& array);
  BoundPtr overlap_on_scalar(const Ast& ast, const BoundExpr& left);

  // ---- functions (binding_function.cc, binding_aggregate.cc) ----
  BoundPtr function(const Ast& ast);
  BoundPtr scalar_function(const Ast& ast, const FunctionSpelling& spelling);
  BoundPtr unknown_function(const Ast& ast);
  bool named_part(BoundExpr& made, const Ast& ast, const FunctionSpelling& spelling);
  bool substring_start(BoundExpr& made, const Ast& ast);
  bool argument(BoundPtr& bound, const Ast& ast, Argument wanted, const Ast& call);
  BoundPtr conditional(const Ast& ast);
  BoundPtr part_of_time(const Ast& ast);
  BoundPtr count_if(const Ast& ast);
  void set_function_type(BoundExpr& made);
  BoundPtr aggregate(const Ast& ast, Aggregate which);
  bool aggregate_argument(BoundExpr& made, const Ast& ast);
  bool join_argument(BoundExpr& made, BoundPtr& child, const Ast& ast);

  // ---- writes (binding_write.cc) ----
  std::unique_ptr<BoundWrite> write(const dialect::Write& parsed);
  bool insert(const dialect::Write& parsed, BoundWrite& made);
  bool insert_columns(const dialect::Write& parsed, BoundWrite& made);
  bool insert_rows(const dialect::Write& parsed, BoundWrite& made);
  bool conflict(const dialect::Write& parsed, BoundWrite& made, Level& level);
  bool change(const dialect::Write& parsed, BoundWrite& made, Level& level);
  bool writable(const contract::Resource& resource, const dialect::Name& name, std::size_t& position);
  BoundPtr stored_value(const Ast& ast, const contract::Column& column);
  bool set(const std::vector<dialect::Assignment>& parsed, const contract::Resource& resource,
           std::vector<BoundAssignment>& made);
  bool write_condition(const dialect::Write& parsed, BoundWrite& made);

  std::string_view sql_;
  const BindContext& context_;
  Bound bound_;
  BoundStatement* statement_ = nullptr;
  Span statement_span_;
  std::size_t first_error_ = 0;             // of the statement, in bound_.errors
  std::vector<std::optional<Edit>> edits_;  // of the statement's errors
  std::size_t terms_ = 0;                   // bound so far, of the statement
  std::size_t all_terms_ = 0;               // of the batch
  bool spent_ = false;                      // a limit of these was told
  std::size_t faults_ = 0;                  // errors met, told or not: what was met stands for nothing
  Level* level_ = nullptr;
  std::vector<CommonTable> common_;
  std::size_t next_relation_ = 0;
  std::vector<Relation*> relations_;  // of the statement, by id
  Use use_ = Use::kRead;
  Span construct_;  // the predicate that is being bound, for errors in the agent's own words

  template <typename Work>
  auto with_use(Use use, Work work) {
    const Use before = std::exchange(use_, use);
    auto result = work();
    use_ = before;
    return result;
  }
};

}  // namespace candor::bind
