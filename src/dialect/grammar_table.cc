// FROM: resources, joins, and arrays made rows in every spelling.
#include <utility>

#include "base/ascii.h"
#include "dialect/grammar.h"

namespace candor::dialect {

bool Grammar::from_clause(Select& select) {
  if (!table_ref(select.from, JoinKind::kCross)) return false;
  return joins(select);
}

bool Grammar::joins(Select& select) {
  for (;;) {
    if (accept_symbol(",")) {
      if (!table_ref(select.from, JoinKind::kCross)) return false;
      continue;
    }
    if (at_word("unnest")) {  // cards UNNEST tags AS tag
      if (!table_ref(select.from, JoinKind::kCross)) return false;
      continue;
    }
    if (at_word("lateral")) return unsupported_here("LATERAL VIEW", "write CROSS JOIN UNNEST(array) AS t(x)");
    const bool natural = accept_word("natural");
    if (at_word("right") || at_word("full")) {
      return unsupported_here(at_word("right") ? "RIGHT JOIN" : "FULL JOIN",
                              "write LEFT JOIN with the resource whose rows are all kept on the left");
    }
    if (at_word("semi") || at_word("anti") || at_word("asof") || at_word("positional")) {
      return unsupported_here("this join", "write WHERE EXISTS (SELECT …) or NOT EXISTS");
    }
    JoinKind kind = JoinKind::kInner;
    bool joined = false;
    if (accept_word("cross")) {
      if (at_word("apply")) return unsupported_here("CROSS APPLY", "write CROSS JOIN UNNEST(array) AS t(x)");
      kind = JoinKind::kCross;
    } else if (accept_word("left")) {
      (void)accept_word("outer");
      kind = JoinKind::kLeft;
      if (at_word("semi") || at_word("anti")) continue;
    } else if (accept_word("inner")) {
    } else if (!at_word("join") && !at_word("straight_join") && !natural) {
      return true;
    }
    joined = accept_word("join") || accept_word("straight_join");
    if (!joined) return expected("JOIN");
    if (!table_ref(select.from, kind)) return false;
    TableRef& ref = select.from.back();
    ref.natural = natural;
    if (!join_condition(ref)) return false;
  }
}

bool Grammar::join_condition(TableRef& ref) {
  if (accept_word("on")) {
    ref.on = expression();
    return ref.on != nullptr;
  }
  if (accept_word("using")) {
    return expect_symbol("(", "after USING") && take_name_list(ref.using_columns, "a column");
  }
  const bool without = ref.join == JoinKind::kCross || ref.natural || ref.kind == TableKind::kUnnest;
  if (without) return true;
  if (ref.join == JoinKind::kLeft) return expected("ON and the condition of the join");
  ref.join = JoinKind::kCross;  // an inner join without a condition is a cross join; the binder asks for an equality
  return true;
}

bool Grammar::table_ref(std::vector<TableRef>& from, JoinKind join) {
  const std::size_t first = position_;
  TableRef ref;
  ref.join = join;
  const bool lateral = accept_word("lateral");
  if (at_word("view") && lateral) return unsupported_here("LATERAL VIEW", "write CROSS JOIN UNNEST(array) AS t(x)");
  if (!table_source(ref)) return false;
  if (!table_alias(ref)) return false;
  ref.span = span_from(first);
  if (at_word("tablesample")) return unsupported_here("TABLESAMPLE", "write ORDER BY RANDOM() LIMIT n");
  if (at_word("pivot") || at_word("unpivot")) {
    return unsupported_here("PIVOT", "write COUNT(*) FILTER (WHERE …) AS … for each column");
  }
  from.push_back(std::move(ref));
  return true;
}

bool Grammar::table_source(TableRef& ref) {
  if (at_symbol("(")) {
    if (!at_word("select", 1) && !at_word("with", 1)) {
      return unsupported_here("a join in parentheses", "write the joins one after the other");
    }
    (void)take();
    ref.kind = TableKind::kSubquery;
    ref.select = subquery();
    return ref.select != nullptr;
  }
  const bool call = peek().kind == sql::TokenKind::kWord && at_symbol("(", 1);
  const bool each = call && (at_word("json_each") || at_word("jsonb_array_elements_text") ||
                             at_word("json_array_elements_text") || at_word("jsonb_array_elements"));
  if (at_word("unnest") || each) {
    ref.json_each = at_word("json_each");
    return array_source(ref);
  }
  if (call) {
    return unsupported_here("the table function " + std::string(peek().text.substr(0, 40)),
                            "name a resource; SHOW TABLES lists them");
  }
  if (peek().kind == sql::TokenKind::kString) {
    return unsupported_here("a file or text as a table", "name a resource; SHOW TABLES lists them");
  }
  return take_names(ref.names, "a resource");
}

// UNNEST(array), UNNEST array, json_each(array).
bool Grammar::array_source(TableRef& ref) {
  (void)take();
  ref.kind = TableKind::kUnnest;
  ref.join = ref.join == JoinKind::kLeft ? JoinKind::kLeft : JoinKind::kCross;
  if (accept_symbol("(")) {
    ref.array = expression();
    if (ref.array == nullptr) return false;
    if (at_symbol(",")) return unsupported_here("UNNEST of several arrays", "write one UNNEST for each array");
    if (!expect_symbol(")", "after the array")) return false;
  } else {
    ref.array = column();
    if (ref.array == nullptr) return false;
  }
  if (at_word("with") && at_word("ordinality", 1)) {
    return unsupported_here("WITH ORDINALITY", "elements come without their places");
  }
  return true;
}

bool Grammar::table_alias(TableRef& ref) {
  const bool as = accept_word("as");
  if (!as && !at_alias()) return true;
  ref.alias = take_name("an alias");
  if (!ref.alias) return false;
  if (!at_symbol("(")) return true;
  (void)take();
  return take_name_list(ref.columns, "a column");
}

}  // namespace candor::dialect
