// SELECT and its clauses.
#include <utility>

#include "base/ascii.h"
#include "dialect/grammar.h"

namespace candor::dialect {

using sql::TokenKind;

std::unique_ptr<Select> Grammar::select_statement() {
  std::size_t open = 0;
  while (accept_symbol("(")) ++open;
  std::unique_ptr<Select> select = query();
  if (select == nullptr) return nullptr;
  for (; open > 0; --open) {
    if (!expect_symbol(")", "after the statement")) return nullptr;
  }
  if (!no_set_operation()) return nullptr;
  return select;
}

std::unique_ptr<Select> Grammar::query() {
  const Level level(*this);
  if (!level) return nullptr;
  const std::size_t first = position_;
  std::vector<CommonTable> with;
  if (at_word("with")) {
    Select holder;
    if (!with_clause(holder)) return nullptr;
    with = std::move(holder.with);
  }
  std::unique_ptr<Select> select = select_core();
  if (select == nullptr) return nullptr;
  select->with = std::move(with);
  select->span = span_from(first);
  return select;
}

// The parenthesis before it has been taken; the one after it is taken here.
std::unique_ptr<Select> Grammar::subquery() {
  std::unique_ptr<Select> select = query();
  if (select == nullptr || !no_set_operation()) return nullptr;
  if (!expect_symbol(")", "after the subquery")) return nullptr;
  return select;
}

bool Grammar::with_clause(Select& select) {
  (void)accept_word("with");
  if (at_word("recursive")) {
    return unsupported_here("WITH RECURSIVE", "write the steps that are needed as joins");
  }
  do {
    CommonTable table;
    std::optional<Name> name = take_name("the name of a common table expression");
    if (!name) return false;
    table.name = *std::move(name);
    if (accept_symbol("(") && !take_name_list(table.columns, "a column")) return false;
    if (!expect_word("as", "and a query in parentheses")) return false;
    if (accept_word("not") || at_word("materialized")) {
      if (!expect_word("materialized", "")) return false;
    }
    if (!expect_symbol("(", "before the query")) return false;
    if (at_word("insert") || at_word("update") || at_word("delete")) {
      return unsupported_here("a write inside of WITH", "send the write as a statement of its own");
    }
    table.select = subquery();
    if (table.select == nullptr) return false;
    select.with.push_back(std::move(table));
  } while (accept_symbol(","));
  return true;
}

std::unique_ptr<Select> Grammar::select_core() {
  auto select = std::make_unique<Select>();
  const int depth = peek().depth;
  if (!expect_word("select", "here")) return nullptr;
  if (accept_word("distinct")) {
    select->distinct = true;
    if (at_word("on")) {
      (void)unsupported_here("DISTINCT ON", "group by the columns, and take MIN or MAX of the others");
      return nullptr;
    }
  } else {
    (void)accept_word("all");
  }
  bool fine = true;
  if (at_word("top") && (peek(1).kind == TokenKind::kNumber || at_symbol("(", 1))) fine = top_clause(*select);
  fine = fine && select_list(*select);
  // A list with an error does not keep the other clauses from being looked at.
  if (!fine) recover_to_clause(depth);
  fine = clauses(*select) && fine;
  if (!fine) return nullptr;
  unnest_items(*select);
  return select;
}

// SELECT TOP n is LIMIT n.
bool Grammar::top_clause(Select& select) {
  const std::size_t first = position_;
  (void)take();
  const bool parenthesis = accept_symbol("(");
  select.limit = number();
  if (select.limit == nullptr || (parenthesis && !expect_symbol(")", "after TOP"))) return false;
  if (at_word("percent") || (at_word("with") && at_word("ties", 1))) {
    return unsupported_here("TOP with PERCENT or TIES", "write LIMIT n");
  }
  note_read_as(span_from(first), "LIMIT " + select.limit->text, "top");
  return true;
}

bool Grammar::select_list(Select& select) { return item_list(select.items); }

bool Grammar::item_list(std::vector<SelectItem>& items) {
  do {
    if (!select_item(items)) return false;
  } while (accept_symbol(","));
  return true;
}

bool Grammar::select_item(std::vector<SelectItem>& items) {
  const std::size_t first = position_;
  SelectItem item;
  const bool star = at_symbol("*");
  const bool relation_star = at_name() && at_symbol(".", 1) && at_symbol("*", 2);
  if (star || relation_star) {
    item.expr = make(ExprKind::kStar, first);
    if (item.expr == nullptr) return false;
    if (relation_star) {
      std::optional<Name> name = take_name("a resource");
      if (!name) return false;
      item.expr->names.push_back(*std::move(name));
      (void)take();
    }
    (void)take();
    if (at_word("exclude") || at_word("except") || at_word("replace")) {
      return unsupported_here("* with EXCLUDE or REPLACE", "list the columns");
    }
    item.expr->span = span_from(first);
  } else {
    item.expr = expression();
    if (item.expr == nullptr) return false;
    if (accept_word("as")) {
      if (peek().kind == TokenKind::kString) {  // AS 'alias', a habit from MySQL and SQLite
        const sql::Token& token = take();
        item.alias = Name{sql::identifier(token), token.span, false};
        note_read_as(token.span, "\"" + item.alias->text + "\"", "text-alias");
      } else {
        item.alias = take_name("an alias");
        if (!item.alias) return false;
      }
    } else if (at_alias()) {
      item.alias = take_name("an alias");
      if (!item.alias) return false;
    }
  }
  items.push_back(std::move(item));
  return true;
}

// UNNEST in the list makes one row an element, as it does in FROM.
void Grammar::unnest_items(Select& select) {
  for (SelectItem& item : select.items) {
    Expr& call = *item.expr;
    const bool unnest = call.kind == ExprKind::kFunction && call.children.size() == 1 &&
                        call.names.front().text == "unnest" && is_plain_call(call);
    if (!unnest) continue;
    TableRef ref;
    ref.kind = TableKind::kUnnest;
    ref.span = call.span;
    ref.join = JoinKind::kCross;
    ref.array = std::move(call.children.front());
    const Name element = item.alias ? *item.alias : Name{"unnest", call.span, false};
    ref.alias = element;
    select.from.push_back(std::move(ref));
    auto column = std::make_unique<Expr>();
    column->kind = ExprKind::kColumn;
    column->span = call.span;
    column->names.push_back(element);
    item.expr = std::move(column);
    item.alias.reset();
  }
}

bool Grammar::clauses(Select& select) {
  if (at_word("into")) return unsupported_here("SELECT … INTO", "read the rows with SELECT");
  if (accept_word("from") && !from_clause(select)) return false;
  if (at_word("where") && !where_clause(select.where)) return false;
  if (at_word("group") && !group_by(select)) return false;
  if (accept_word("having")) {
    select.having = expression();
    if (select.having == nullptr) return false;
  }
  if (at_word("qualify") || at_word("window")) {
    return unsupported_here("a window", "write a subquery with an aggregate");
  }
  if (at_word("order") && !order_by(select.order_by)) return false;
  if (!limit_clause(select)) return false;
  if (at_word("for")) return unsupported_here("SELECT … FOR UPDATE", "leave it out: a write counts its rows anew");
  return true;
}

bool Grammar::group_by(Select& select) {
  (void)take();
  if (!expect_word("by", "after GROUP")) return false;
  if (at_word("all") || at_word("rollup") || at_word("cube") || at_word("grouping")) {
    return unsupported_here("GROUP BY " + std::string(peek().text), "list the columns");
  }
  return expression_list(select.group_by, "");
}

bool Grammar::order_by(std::vector<OrderItem>& items) {
  (void)take();
  if (!expect_word("by", "after ORDER")) return false;
  do {
    OrderItem item;
    item.expr = expression();
    if (item.expr == nullptr) return false;
    if (accept_word("desc")) {
      item.descending = true;
    } else {
      (void)accept_word("asc");
    }
    if (accept_word("nulls")) {
      if (accept_word("first")) {
        item.nulls = Nulls::kFirst;
      } else if (!expect_word("last", "or FIRST after NULLS")) {
        return false;
      }
    }
    items.push_back(std::move(item));
  } while (accept_symbol(","));
  return true;
}

bool Grammar::limit_clause(Select& select) {
  for (;;) {
    if (accept_word("limit")) {
      if (select.limit != nullptr) return expected("one LIMIT or TOP");
      if (accept_word("all")) continue;
      ExprPtr first = sum();
      if (first == nullptr) return false;
      if (accept_symbol(",")) {  // MySQL's LIMIT offset, count
        if (select.offset != nullptr) return expected("one OFFSET");
        select.offset = std::move(first);
        first = sum();
        if (first == nullptr) return false;
      }
      select.limit = std::move(first);
    } else if (accept_word("offset")) {
      if (select.offset != nullptr) return expected("one OFFSET");
      select.offset = sum();
      if (select.offset == nullptr) return false;
      (void)(accept_word("rows") || accept_word("row"));
    } else if (at_word("fetch")) {
      if (!fetch_clause(select)) return false;
    } else {
      return true;
    }
  }
}

bool Grammar::fetch_clause(Select& select) {
  const std::size_t first = position_;
  if (select.limit != nullptr) return expected("one LIMIT, TOP or FETCH");
  (void)take();
  if (!accept_word("first") && !expect_word("next", "or FIRST after FETCH")) return false;
  if (at_word("row") || at_word("rows")) {
    select.limit = make(ExprKind::kLiteral, first);
    if (select.limit == nullptr) return false;
    select.limit->literal = LiteralKind::kInteger;
    select.limit->text = "1";
  } else {
    select.limit = sum();
    if (select.limit == nullptr) return false;
  }
  if (!accept_word("rows") && !expect_word("row", "after the number")) return false;
  if (at_word("with")) return unsupported_here("FETCH … WITH TIES", "write LIMIT n");
  return expect_word("only", "at the end of FETCH");
}

bool Grammar::no_set_operation() {
  for (const std::string_view word : {"union", "intersect", "except", "minus"}) {
    if (!at_word(word)) continue;
    std::string upper(peek().text);
    for (char& c : upper) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    return unsupported_here(upper, "send each SELECT as a statement of its own in one call, separated by ';'");
  }
  return true;
}

}  // namespace candor::dialect
