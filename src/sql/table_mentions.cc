// Names at table positions, found by keywords and commas alone. One pass with a stack of parenthesis levels; where the
// grammar would need more than that to decide, the name is taken: an engine is asked about it, nothing else.
#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <utility>

#include "sql/cte_ranges.h"
#include "sql/lexer.h"

namespace candor::sql {
namespace {

// A text inside of query('…') is SQL of its own; its mentions are looked for this deep.
constexpr int kNestedTextMax = 4;

// What a text that stands alone inside of parentheses can be: the argument of query_table, of query.
enum class Texts : std::uint8_t { kValues, kNames, kStatements };

struct Level {
  bool expecting = false;     // a table may come next
  bool from_list = false;     // a comma leads to the next table
  bool special_call = false;  // EXTRACT(… FROM …) and its like: FROM is an argument's separator
  bool deletes = false;       // DELETE or MERGE was seen: USING names tables
  bool names_target = false;  // of INSERT INTO x (…), CREATE TABLE x (…): parentheses after the name are columns
  Texts texts = Texts::kValues;
};

struct NestedText {
  std::string sql;
  Span span;  // of the text in the outermost statement
  int depth = 0;
};

bool is_symbol(const Token& token, char symbol) {
  return token.kind == TokenKind::kSymbol && token.text.size() == 1 && token.text.front() == symbol;
}

bool is_any(const Token& token, std::initializer_list<std::string_view> words) {
  return token.kind == TokenKind::kWord &&
         std::ranges::any_of(words, [&](std::string_view word) { return is_word(token, word); });
}

bool has_prefix(const Token& token, std::string_view prefix) {
  Token head = token;
  head.text = head.text.substr(0, prefix.size());
  return is_word(head, prefix);
}

class MentionFinder {
 public:
  MentionFinder(std::string_view sql, std::vector<TableMention>& found, std::vector<NestedText>& nested,
                const NestedText* outer)
      : tokens_(tokenize(sql)), ctes_(tokens_), sql_(sql), found_(found), nested_(nested), outer_(outer) {}

  void run() {
    while (i_ < tokens_.size()) step();
  }

 private:
  [[nodiscard]] const Token& token(std::size_t index) const {
    return index < tokens_.size() ? tokens_[index] : kNothing;
  }
  // The token `back` places before the current one.
  [[nodiscard]] const Token& before(std::size_t back) const { return i_ >= back ? tokens_[i_ - back] : kNothing; }
  Level& level() { return levels_.back(); }

  void step();
  bool symbol();
  bool keyword();
  bool starting_keyword();
  void expect(bool from_list);
  void expect_target(std::size_t skip);
  void take_table();
  bool read_name(TableMention& mention);
  void mention(TableMention mention);
  [[nodiscard]] bool at_start() const;
  [[nodiscard]] Level level_inside() const;

  static const Token kNothing;
  const std::vector<Token> tokens_;
  CteRanges ctes_;
  std::string_view sql_;
  std::vector<TableMention>& found_;
  std::vector<NestedText>& nested_;
  const NestedText* outer_;
  std::vector<Level> levels_{Level{}};
  std::size_t i_ = 0;
  bool brackets_left_ = true;  // false once a search for "]" came to the end: keeps the pass linear
};

const Token MentionFinder::kNothing{};

void MentionFinder::step() {
  const Token& now = tokens_[i_];
  if (now.kind == TokenKind::kSymbol && symbol()) return;
  if (now.kind == TokenKind::kWord && !is_symbol(before(1), '.') && keyword()) return;
  if (level().expecting) return take_table();
  if (now.kind == TokenKind::kString && level().texts == Texts::kNames) mention({{identifier(now)}, now.span});
  if (now.kind == TokenKind::kString && level().texts == Texts::kStatements) {
    nested_.push_back(
        {identifier(now), outer_ == nullptr ? now.span : outer_->span, outer_ == nullptr ? 1 : outer_->depth + 1});
  }
  ++i_;
}

// The level that the parenthesis or bracket at hand opens.
Level MentionFinder::level_inside() const {
  Level inside;
  const Level& outer = levels_.back();
  const Token& call = before(1);
  inside.expecting = inside.from_list = outer.expecting;
  inside.special_call = is_any(call, {"extract", "trim", "substring", "overlay"});
  inside.texts = outer.texts;
  if (is_any(call, {"query_table"}) || has_prefix(call, "pragma_")) inside.texts = Texts::kNames;
  if (is_any(call, {"query"})) inside.texts = Texts::kStatements;
  return inside;
}

// Whether the token was dealt with.
bool MentionFinder::symbol() {
  const Token& now = tokens_[i_];
  if (is_symbol(now, ';')) {
    levels_.assign(1, Level{});
  } else if (is_symbol(now, '(') || (is_symbol(now, '[') && !level().expecting) || is_symbol(now, '{')) {
    const Level inside = level_inside();
    level().expecting = false;
    levels_.push_back(inside);
  } else if (is_symbol(now, ')') || is_symbol(now, ']') || is_symbol(now, '}')) {
    if (levels_.size() > 1) levels_.pop_back();
  } else if (is_symbol(now, ',')) {
    level().expecting = level().from_list;
  } else {
    return false;
  }
  ++i_;
  return true;
}

// Whether a statement can begin at this token.
bool MentionFinder::at_start() const {
  const Token& last = before(1);
  return i_ == 0 || is_symbol(last, '(') || is_symbol(last, ')') || is_symbol(last, ';') ||
         is_any(last, {"as", "explain", "analyze", "plan"});
}

void MentionFinder::expect(bool from_list) {
  level().expecting = true;
  level().from_list = from_list || level().from_list;
  level().names_target = false;
  ++i_;
}

// After the keyword and `skip` further words comes the table that the statement writes.
void MentionFinder::expect_target(std::size_t skip) {
  level().expecting = level().names_target = true;
  i_ += 1 + skip;
}

// DESCRIBE x, SUMMARIZE x, PIVOT x, PRAGMA table_info(x) and the like, which are plain names elsewhere.
bool MentionFinder::starting_keyword() {
  const Token& now = tokens_[i_];
  const Token& next = token(i_ + 1);
  if (!at_start()) return false;
  if (is_word(now, "pragma")) {
    // PRAGMA [schema.]name(x) and PRAGMA name = x.
    const auto leads = [](const Token& one) {
      return is_symbol(one, '(') || is_symbol(one, '=') || is_symbol(one, ';');
    };
    ++i_;
    while (i_ < tokens_.size() && !leads(tokens_[i_])) ++i_;
    level().expecting = i_ < tokens_.size() && !is_symbol(tokens_[i_], ';');
    if (level().expecting && is_symbol(tokens_[i_], '=')) ++i_;
    return true;
  }
  const bool after_parenthesis = is_symbol(before(1), ')');
  const bool pivots = is_any(now, {"pivot", "unpivot", "pivot_wider", "pivot_longer"});
  const bool clause = pivots && after_parenthesis && level().from_list;  // FROM (…) PIVOT (…)
  const bool names = !after_parenthesis && is_any(now, {"describe", "desc", "summarize", "show", "truncate"});
  const bool lists = is_word(now, "show") && is_any(next, {"all", "databases", "schemas", "tables", "variables"});
  if (clause || lists || (!pivots && !names)) return false;
  expect(false);
  return true;
}

// Whether the word is a keyword that leads to a table, or ends a list of them.
bool MentionFinder::keyword() {
  const Token& now = tokens_[i_];
  const Token& next = token(i_ + 1);
  if (is_word(now, "from")) {
    const bool comparison = is_word(before(1), "distinct") && is_any(before(2), {"is", "not"});
    if (comparison || level().special_call) return ++i_, true;
    return expect(true), true;
  }
  if (is_word(now, "join")) return expect(true), true;
  if (is_word(now, "into")) return expect_target(0), true;
  if (is_word(now, "update")) {
    if (is_any(before(1), {"do", "for", "on", "key", "then"})) return false;
    if (is_word(next, "set") && !is_word(token(i_ + 2), "set")) return false;
    return expect_target(is_word(next, "or") ? 2 : 0), true;
  }
  const bool view =
      is_word(now, "view") && is_any(before(1), {"create", "drop", "alter", "replace", "temp", "temporary"});
  if (view || is_word(now, "table")) {
    const std::size_t negated = is_word(token(i_ + 2), "not") ? 1 : 0;
    const bool condition = is_word(next, "if") && is_word(token(i_ + 2 + negated), "exists");
    return expect_target(condition ? 2 + negated : 0), true;
  }
  if (is_any(now, {"delete", "merge"})) level().deletes = true;
  if (is_word(now, "using") && level().deletes) return expect(true), true;
  if (is_word(now, "select")) {
    level().expecting = level().from_list = level().special_call = false;
    level().texts = Texts::kValues;
    return ++i_, true;
  }
  const bool values = is_word(now, "values") && is_symbol(next, '(');
  if (values || (!is_symbol(next, ',') && is_any(now, {"where", "group", "order", "having", "limit", "union", "except",
                                                       "intersect", "window", "qualify", "returning"}))) {
    level().expecting = level().from_list = false;
    return ++i_, true;
  }
  if (level().expecting && is_any(now, {"with", "on", "using", "null"}) && next.kind != TokenKind::kSymbol) {
    level().expecting = level().from_list = false;
    return ++i_, true;
  }
  const bool before_table = next.kind != TokenKind::kSymbol || is_symbol(next, '(');
  if (level().expecting && is_any(now, {"lateral", "only"}) && before_table) return ++i_, true;
  return starting_keyword();
}

// The dotted name at hand; false when there is none. Moves past it.
bool MentionFinder::read_name(TableMention& mention) {
  const auto part = [&]() -> bool {
    if (i_ >= tokens_.size()) return false;
    const Token& now = tokens_[i_];
    std::size_t last = i_;
    if (is_symbol(now, '[')) {  // [a name] that the lexer could not tell from a list
      while (brackets_left_ && last < tokens_.size() && !is_symbol(tokens_[last], ']')) ++last;
      brackets_left_ = brackets_left_ && last < tokens_.size();
      if (!brackets_left_) return false;
      mention.parts.emplace_back(sql_.substr(now.span.end, tokens_[last].span.start - now.span.end));
    } else if (now.kind == TokenKind::kSymbol || now.kind == TokenKind::kNumber || now.kind == TokenKind::kParameter) {
      return false;
    } else {
      mention.parts.push_back(identifier(now));
    }
    if (mention.parts.size() == 1) mention.span.start = now.span.start;
    mention.span.end = tokens_[last].span.end;
    i_ = last + 1;
    return true;
  };
  if (!part()) return false;
  while (is_symbol(token(i_), '.')) {
    ++i_;
    if (!part()) break;
  }
  return true;
}

void MentionFinder::take_table() {
  const std::size_t begin = i_;
  TableMention mention_here;
  level().expecting = false;
  if (!read_name(mention_here)) {
    i_ = std::max(i_, begin + 1);
    return;
  }
  const Token& next = token(i_);
  if (is_symbol(next, ':')) {  // alias: table
    level().expecting = true;
    ++i_;
    return;
  }
  if (next.kind == TokenKind::kParameter && next.text.front() == ':') {  // alias :table
    mention({{std::string(next.text.substr(1))}, next.span});
    ++i_;
    return;
  }
  const bool call = is_symbol(next, '(') && !level().names_target && tokens_[begin].kind != TokenKind::kString;
  if (!call && !(mention_here.parts.size() == 1 && ctes_.covers(begin, mention_here.parts[0])))
    mention(std::move(mention_here));
}

void MentionFinder::mention(TableMention mention) {
  if (outer_ != nullptr) mention.span = outer_->span;
  found_.push_back(std::move(mention));
}

}  // namespace

std::vector<TableMention> table_mentions(std::string_view sql) {
  std::vector<TableMention> found;
  std::vector<NestedText> nested;
  MentionFinder(sql, found, nested, nullptr).run();
  for (std::size_t i = 0; i < nested.size(); ++i) {
    const NestedText text = nested[i];
    if (text.depth <= kNestedTextMax) MentionFinder(text.sql, found, nested, &text).run();
  }
  return found;
}

}  // namespace candor::sql
