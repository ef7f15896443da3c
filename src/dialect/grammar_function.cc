// Calls of functions and the spellings that are no plain list of arguments; names of types.
#include <algorithm>
#include <array>
#include <utility>

#include "base/ascii.h"
#include "dialect/grammar.h"

namespace candor::dialect {

using sql::TokenKind;

bool is_plain_call(const Expr& call) {
  return !call.distinct && !call.star && call.order.empty() && call.filter == nullptr;
}

ExprPtr Grammar::function() {
  const Level level(*this);
  if (!level) return nullptr;
  const std::size_t first = position_;
  const sql::Token& name = take();
  ExprPtr call = make(ExprKind::kFunction, first);
  if (call == nullptr) return nullptr;
  call->names.push_back({lower_ascii(name.text), name.span, false});
  if (!accept_symbol("(")) return call;  // CURRENT_DATE
  bool taken = false;
  if (!special_arguments(*call, taken)) return nullptr;
  if (!taken && !function_arguments(*call)) return nullptr;
  if (call->kind == ExprKind::kCast) {
    call->names.clear();
    call->span = span_from(first);
    return call;
  }
  if (!after_function(*call)) return nullptr;
  call->span = span_from(first);
  if (!array_call(call)) return nullptr;
  return call;
}

// list_has_any(a, b), array_contains(a, x) and their like are operators here.
bool Grammar::array_call(ExprPtr& call) {
  struct Spelling {
    std::string_view name;
    Op op;
    bool element;  // the second argument is one element
  };
  constexpr std::array<Spelling, 13> kSpellings = {{
      {"array_contains", Op::kContains, true},
      {"array_has", Op::kContains, true},
      {"array_has_all", Op::kContains, false},
      {"array_has_any", Op::kOverlap, false},
      {"array_overlap", Op::kOverlap, false},
      {"arrays_overlap", Op::kOverlap, false},
      {"contains", Op::kContains, true},
      {"has", Op::kContains, true},
      {"list_contains", Op::kContains, true},
      {"list_has", Op::kContains, true},
      {"list_has_all", Op::kContains, false},
      {"list_has_any", Op::kOverlap, false},
      {"list_overlap", Op::kOverlap, false},
  }};
  const auto* found = std::ranges::find(kSpellings, call->names.front().text, &Spelling::name);
  if (found == kSpellings.end()) return true;
  if (call->children.size() != 2 || !is_plain_call(*call)) {
    return unsupported(call->span, call->names.front().text + " with anything but two arguments",
                       "write array OVERLAP ('a', 'b') or 'a' = ANY(array)");
  }
  auto made = std::make_unique<Expr>();
  made->span = call->span;
  made->kind = found->element ? ExprKind::kInArray : ExprKind::kBinary;
  if (!found->element) made->op = found->op;
  if (found->element) std::swap(call->children[0], call->children[1]);
  made->children = std::move(call->children);
  call = std::move(made);
  return true;
}

bool Grammar::function_arguments(Expr& call) {
  if (accept_symbol("*")) {
    call.star = true;
    return expect_symbol(")", "after *");
  }
  if (accept_symbol(")")) return true;
  if (accept_word("distinct")) {
    call.distinct = true;
  } else {
    (void)accept_word("all");
  }
  if (!expression_list(call.children, "")) return false;
  if (at_word("order") && !order_by(call.order)) return false;
  if (accept_word("separator")) {  // GROUP_CONCAT(x SEPARATOR ', ')
    ExprPtr separator = primary();
    if (separator == nullptr) return false;
    call.children.push_back(std::move(separator));
  }
  return expect_symbol(")", "after the arguments of " + call.names.front().text);
}

// CAST(x AS t), EXTRACT(f FROM x), SUBSTRING(x FROM a FOR b), POSITION(a IN b), TRIM(BOTH ' ' FROM x).
bool Grammar::special_arguments(Expr& call, bool& taken) {
  const std::string& name = call.names.front().text;
  taken = true;
  if (name == "cast" || name == "try_cast") {
    ExprPtr child = expression();
    if (child == nullptr || !expect_word("as", "and a type in CAST")) return false;
    if (!type_name(call.text)) return false;
    if (name == "cast") call.kind = ExprKind::kCast;
    call.children.push_back(std::move(child));
    return expect_symbol(")", "after the type");
  }
  if (name == "extract" && (peek().kind == TokenKind::kWord || peek().kind == TokenKind::kString) &&
      at_word("from", 1)) {
    ExprPtr field = make(ExprKind::kLiteral, position_);
    if (field == nullptr) return false;
    field->literal = LiteralKind::kText;
    field->text = lower_ascii(peek().kind == TokenKind::kString ? sql::identifier(peek()) : std::string(peek().text));
    (void)take();
    (void)take();
    ExprPtr value = expression();
    if (value == nullptr) return false;
    call.children.push_back(std::move(field));
    call.children.push_back(std::move(value));
    return expect_symbol(")", "after EXTRACT");
  }
  if (name == "trim") return trim_arguments(call);
  if (name == "position") {
    ExprPtr part = concatenation();
    if (part == nullptr || !expect_word("in", "in POSITION")) return false;
    ExprPtr text = expression();
    if (text == nullptr) return false;
    call.children.push_back(std::move(part));
    call.children.push_back(std::move(text));
    return expect_symbol(")", "after POSITION");
  }
  if (name == "substring" || name == "substr") {
    ExprPtr text = expression();
    if (text == nullptr) return false;
    call.children.push_back(std::move(text));
    if (at_word("from") || at_word("for")) {
      ExprPtr from;
      if (accept_word("from")) {
        from = expression();
      } else {
        from = make(ExprKind::kLiteral, position_);
        if (from != nullptr) {
          from->literal = LiteralKind::kInteger;
          from->text = "1";
        }
      }
      if (from == nullptr) return false;
      call.children.push_back(std::move(from));
      if (accept_word("for")) {
        ExprPtr count = expression();
        if (count == nullptr) return false;
        call.children.push_back(std::move(count));
      }
    } else if (accept_symbol(",") && !expression_list(call.children, "")) {
      return false;
    }
    return expect_symbol(")", "after SUBSTRING");
  }
  taken = false;
  return true;
}

bool Grammar::trim_arguments(Expr& call) {
  if (accept_word("leading")) {
    call.names.front().text = "ltrim";
  } else if (accept_word("trailing")) {
    call.names.front().text = "rtrim";
  } else {
    (void)accept_word("both");
  }
  ExprPtr characters;
  if (!at_word("from")) {
    characters = expression();
    if (characters == nullptr) return false;
  }
  if (accept_word("from")) {
    ExprPtr text = expression();
    if (text == nullptr) return false;
    call.children.push_back(std::move(text));
    if (characters != nullptr) call.children.push_back(std::move(characters));
  } else {
    call.children.push_back(std::move(characters));
    if (accept_symbol(",") && !expression_list(call.children, "")) return false;
  }
  return expect_symbol(")", "after TRIM");
}

bool Grammar::after_function(Expr& call) {
  if (at_word("within") && at_word("group", 1)) {
    (void)take();
    (void)take();
    if (!expect_symbol("(", "after WITHIN GROUP") || !at_word("order")) return expected("ORDER BY");
    if (!order_by(call.order) || !expect_symbol(")", "after ORDER BY")) return false;
  }
  if (at_word("filter") && at_symbol("(", 1)) {
    (void)take();
    (void)take();
    if (!expect_word("where", "after FILTER (")) return false;
    call.filter = expression();
    if (call.filter == nullptr || !expect_symbol(")", "after the filter")) return false;
  }
  if (at_word("over"))
    return unsupported_here("a window function (OVER)", "write a subquery with an aggregate and GROUP BY");
  if (at_word("ignore") || at_word("respect"))
    return unsupported_here("IGNORE NULLS", "write FILTER (WHERE … IS NOT NULL)");
  return true;
}

// "integer", "double precision", "numeric(10,2)", "timestamp without time zone", "text[]": in lower case, one blank.
bool Grammar::type_name(std::string& type) {
  while (peek().kind == TokenKind::kWord && !at_end()) {
    const bool goes_on = type.empty() || at_word("precision") || at_word("varying") || at_word("with") ||
                         at_word("without") || at_word("time") || at_word("zone") || at_word("unsigned");
    if (!goes_on) break;
    type += (type.empty() ? "" : " ") + lower_ascii(take().text);
  }
  if (type.empty()) return expected("a type");
  if (accept_symbol("(")) {
    type += '(';
    do {
      if (peek().kind != TokenKind::kNumber) return expected("a number in the type");
      type += (type.ends_with('(') ? "" : ",") + std::string(take().text);
    } while (accept_symbol(","));
    if (!expect_symbol(")", "after the type")) return false;
    type += ')';
  }
  while (accept_symbol("[")) {
    if (!expect_symbol("]", "after '['")) return false;
    type += "[]";
  }
  return true;
}

}  // namespace candor::dialect
