// See border.h.
#include "candor/border.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <utility>

#include "base/ascii.h"
#include "sql/lexer.h"

namespace candor {
namespace {

using sql::Token;
using sql::TokenKind;

bool is_symbol(const Token& token, std::string_view text) {
  return token.kind == TokenKind::kSymbol && token.text == text;
}

bool same_token(const Token& a, const Token& b) {
  const auto named = [](const Token& t) { return t.kind == TokenKind::kWord || t.kind == TokenKind::kQuoted; };
  if (named(a) && named(b)) return lower_ascii(sql::identifier(a)) == lower_ascii(sql::identifier(b));
  return a.kind == b.kind && a.text == b.text;
}

// The tokens of a statement with those of its select list that stand at one depth.
class SelectList {
 public:
  SelectList(std::string_view sql, std::size_t order_at) : tokens_(sql::tokenize(sql)) {
    const auto order = std::ranges::find_if(tokens_, [&](const Token& t) { return t.span.start >= order_at; });
    depth_ = order == tokens_.end() ? 0 : order->depth;
  }

  // Is `t.g` in the result the column itself? `g % 5 AS g` is another one, though it bears the name.
  [[nodiscard]] bool has(const std::vector<Token>& name) const {
    const bool selects =
        std::ranges::any_of(tokens_, [&](const Token& t) { return at_depth(t) && sql::is_word(t, "select"); });
    if (!selects) return true;  // FROM t ORDER BY t.g
    const Token star{TokenKind::kSymbol, {}, "*", true, depth_};
    std::vector<Token> all_of_table(name.begin(), name.end() - 1);
    all_of_table.push_back(star);
    return has_item(name) || has_item({star}) || has_item(all_of_table);
  }

 private:
  [[nodiscard]] bool at_depth(const Token& token) const { return token.depth == depth_; }

  [[nodiscard]] bool begins_item(std::size_t i) const {
    if (i == 0 || !at_depth(tokens_[i - 1])) return false;
    const Token& before = tokens_[i - 1];
    return is_symbol(before, ",") || sql::is_word(before, "select") || sql::is_word(before, "distinct");
  }

  [[nodiscard]] bool ends_item(std::size_t i) const {
    return i == tokens_.size() || is_symbol(tokens_[i], ",") || sql::is_word(tokens_[i], "from");
  }

  [[nodiscard]] bool has_item(const std::vector<Token>& item) const {
    for (std::size_t i = 0; i + item.size() <= tokens_.size(); ++i) {
      if (begins_item(i) && ends_item(i + item.size()) &&
          std::equal(item.begin(), item.end(), tokens_.begin() + static_cast<std::ptrdiff_t>(i), same_token)) {
        return true;
      }
    }
    return false;
  }

  std::vector<Token> tokens_;
  int depth_ = 0;
};

// The place of the only column of a name.
std::optional<std::size_t> place_of(std::string_view name, const std::vector<Column>& columns) {
  const std::string wanted = lower_ascii(name);
  const auto same = [&](const Column& column) { return lower_ascii(column.name) == wanted; };
  const auto found = std::ranges::find_if(columns, same);
  if (found == columns.end() || std::ranges::count_if(columns, same) > 1) return std::nullopt;
  return static_cast<std::size_t>(found - columns.begin());
}

std::optional<std::size_t> ordinal(const Token& token, const std::vector<Column>& columns) {
  std::size_t number = 0;
  const std::string_view digits = token.text;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (read.ptr != digits.data() + digits.size() || number == 0 || number > columns.size()) return std::nullopt;
  return place_of(columns[number - 1].name, columns);
}

std::string quoted(std::string_view name) {
  std::string text = "\"";
  for (const char c : name) {
    text += c;
    if (c == '"') text += c;
  }
  return text + "\"";
}

// One item: `name`, `t.name` or `2`, with its direction.
std::optional<std::string> item_of_result(std::string_view sql, std::string_view item,
                                          const std::vector<Column>& columns) {
  std::vector<Token> tokens = sql::tokenize(item);
  constexpr std::string_view kDirections[] = {"asc", "desc", "nulls", "first", "last"};
  std::string direction;
  while (tokens.size() > 1 &&
         std::ranges::any_of(kDirections, [&](auto word) { return sql::is_word(tokens.back(), word); })) {
    direction.insert(0, " " + std::string(tokens.back().text));
    tokens.pop_back();
  }
  std::optional<std::size_t> place;
  if (tokens.size() == 1 && tokens[0].kind == TokenKind::kNumber) {
    place = ordinal(tokens[0], columns);
  } else {
    // A name, or names with dots between; anything else is an expression.
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      const bool name = tokens[i].kind == TokenKind::kWord || tokens[i].kind == TokenKind::kQuoted;
      if (i % 2 == 0 ? !name : !is_symbol(tokens[i], ".")) return std::nullopt;
    }
    if (tokens.size() % 2 == 0) return std::nullopt;
    const SelectList list(sql, static_cast<std::size_t>(item.data() - sql.data()));
    if (tokens.size() > 1 && !list.has(tokens)) return std::nullopt;
    place = place_of(sql::identifier(tokens.back()), columns);
  }
  if (!place) return std::nullopt;
  return quoted(columns[*place].name) + direction;
}

}  // namespace

std::optional<std::string> order_of_result(std::string_view sql, const std::vector<std::string_view>& items,
                                           const std::vector<Column>& columns) {
  std::string order;
  for (const std::string_view item : items) {
    const std::optional<std::string> text = item_of_result(sql, item, columns);
    if (!text) return std::nullopt;
    order += (order.empty() ? "" : ", ") + *text;
  }
  return order;
}

std::optional<std::uint64_t> count_by(engine::Engine& engine, std::string sql, std::int64_t budget_ms,
                                      const CancelToken& cancel) {
  engine::RunRequest request;
  request.sql = std::move(sql);
  request.rows_max = 1;
  request.chars_max = std::uint64_t{1} << 40U;
  request.deadline_ms = budget_ms;
  request.count_budget_ms = 0;
  auto stream = engine.run(request, cancel);
  if (!stream.ok()) return std::nullopt;
  std::optional<std::uint64_t> count;
  for (;;) {
    engine::RowStream::Item item = (*stream)->next();
    if (auto* batch = std::get_if<RowBatch>(&item)) {
      CellReader reader(batch->cells);
      const Cell cell = reader.next();
      if (cell.kind == CellKind::kInteger && cell.integer >= 0) count = static_cast<std::uint64_t>(cell.integer);
      continue;
    }
    return std::holds_alternative<engine::End>(item) ? count : std::nullopt;
  }
}

std::optional<std::uint64_t> ties_behind(engine::Engine& engine, const std::string& whole, const std::string& order,
                                         std::uint64_t border, std::int64_t budget_ms, const CancelToken& cancel) {
  // Rows of a rank up to the border are those before it and those that tie with the last of them.
  const auto ranked = count_by(engine,
                               "SELECT count(*) FROM (SELECT rank() OVER (ORDER BY " + order + ") AS place FROM (" +
                                   whole + "\n) AS universe) AS ranked WHERE place <= " + std::to_string(border),
                               budget_ms, cancel);
  if (!ranked || *ranked < border) return std::nullopt;
  return *ranked - border;
}

}  // namespace candor
