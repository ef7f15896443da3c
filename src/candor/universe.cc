// Counting a universe beyond a LIMIT, and the ties at its border.
#include "candor/universe.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <utility>
#include <vector>

#include "sql/lexer.h"

namespace candor {
namespace {

constexpr std::uint64_t kBorderMax = 10'000;  // rows before the border that a look at the ties may read
constexpr std::uint64_t kTiesMax = 1'000;     // rows behind it

std::string lowered(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

// The statement without its LIMIT clause.
std::string without_limit(std::string_view sql, const sql::LimitClause& clause) {
  std::string text(sql.substr(0, clause.span.start));
  text += ' ';
  text += sql.substr(clause.span.end);
  while (!text.empty() && (std::isspace(static_cast<unsigned char>(text.back())) != 0 || text.back() == ';'))
    text.pop_back();
  return text;
}

engine::RunRequest request(std::string sql, std::uint64_t rows_max, std::int64_t budget_ms) {
  engine::RunRequest made;
  made.sql = std::move(sql);
  made.rows_max = rows_max;
  made.chars_max = std::uint64_t{1} << 40U;
  made.deadline_ms = budget_ms;
  made.count_budget_ms = 0;
  return made;
}

std::optional<std::uint64_t> count_rows(engine::Engine& engine, const std::string& sql, std::int64_t budget_ms,
                                        const CancelToken& cancel) {
  // The line break ends a comment that the text may end with.
  auto stream = engine.run(request("SELECT count(*) FROM (" + sql + "\n) AS universe", 1, budget_ms), cancel);
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

// Places in the result of the columns that an ORDER BY names; nothing when one of its items is no plain output column.
std::optional<std::vector<std::size_t>> order_columns(const std::vector<std::string_view>& items,
                                                      const std::vector<Column>& columns) {
  std::vector<std::size_t> places;
  for (const std::string_view item : items) {
    std::vector<sql::Token> tokens = sql::tokenize(item);
    constexpr std::string_view kDirections[] = {"asc", "desc", "nulls", "first", "last"};
    while (tokens.size() > 1 &&
           std::ranges::any_of(kDirections, [&](auto w) { return sql::is_word(tokens.back(), w); })) {
      tokens.pop_back();
    }
    if (tokens.size() == 1 && tokens[0].kind == sql::TokenKind::kNumber) {
      std::size_t ordinal = 0;
      const std::string_view digits = tokens[0].text;
      const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), ordinal);
      if (read.ptr != digits.data() + digits.size() || ordinal == 0 || ordinal > columns.size()) return std::nullopt;
      places.push_back(ordinal - 1);
      continue;
    }
    // A name, or a name behind dots; anything else is an expression.
    const bool name = !tokens.empty() && tokens.size() % 2 == 1 && std::ranges::all_of(tokens, [](const sql::Token& t) {
      return t.kind == sql::TokenKind::kWord || t.kind == sql::TokenKind::kQuoted || t.text == ".";
    });
    if (!name) return std::nullopt;
    const std::string wanted = lowered(sql::identifier(tokens.back()));
    const auto same = [&](const Column& column) { return lowered(column.name) == wanted; };
    const auto found = std::ranges::find_if(columns, same);
    if (found == columns.end() || std::ranges::count_if(columns, same) > 1) return std::nullopt;
    places.push_back(static_cast<std::size_t>(found - columns.begin()));
  }
  return places;
}

// The encoded cells of one row at the given places.
std::string key_of(CellReader& reader, std::size_t columns, const std::vector<std::size_t>& places) {
  std::vector<std::string_view> cells;
  for (std::size_t i = 0; i < columns; ++i) cells.push_back(reader.skip());
  std::string key;
  for (const std::size_t place : places) key += cells[place];
  return key;
}

// Rows behind the border that equal the row before it in the given columns.
std::optional<std::uint64_t> ties_behind(engine::Engine& engine, const std::string& sql, std::uint64_t border,
                                         const std::vector<std::size_t>& places, std::size_t columns,
                                         std::int64_t budget_ms, const CancelToken& cancel) {
  auto stream = engine.run(request(sql, border + kTiesMax, budget_ms), cancel);
  if (!stream.ok()) return std::nullopt;
  std::uint64_t row = 0;
  std::uint64_t ties = 0;
  std::string last;
  for (;;) {
    engine::RowStream::Item item = (*stream)->next();
    const auto* batch = std::get_if<RowBatch>(&item);
    if (batch == nullptr) return std::holds_alternative<engine::End>(item) ? std::optional(ties) : std::nullopt;
    CellReader reader(batch->cells);
    for (std::uint32_t i = 0; i < batch->rows && reader.ok(); ++i, ++row) {
      std::string key = key_of(reader, columns, places);
      if (row < border) {
        last = std::move(key);
        continue;
      }
      if (key != last) return ties;
      ++ties;
    }
  }
}

void describe_order(scope::AgentSurface& surface, const Shown& shown, const sql::LimitClause& clause,
                    engine::Engine& engine, const std::string& whole, const CancelToken& cancel) {
  const std::uint64_t border = clause.offset.value_or(0) + clause.limit.value_or(0);
  const bool cut = surface.universe_total ? *surface.universe_total > border : true;
  if (!cut) {
    surface.order = scope::Order::kTotal;
    return;
  }
  surface.order = scope::Order::kUnknown;
  const auto places = order_columns(clause.order, shown.columns);
  if (!places) {
    surface.order_reason = "order-not-in-result";
    return;
  }
  if (border > kBorderMax || border == 0) {
    surface.order_reason = "not-looked-at";
    return;
  }
  const auto ties = ties_behind(engine, whole, border, *places, shown.columns.size(), shown.budget_ms, cancel);
  if (!ties) {
    surface.order_reason = "not-looked-at-within-budget";
    return;
  }
  surface.order = *ties == 0 ? scope::Order::kTotal : scope::Order::kPartial;
  if (*ties > 0) surface.ties_at_border = *ties;
}

}  // namespace

scope::AgentSurface surface_of(const Shown& shown, engine::Engine& engine, const CancelToken& cancel) {
  const std::optional<sql::LimitClause> clause = sql::limit_clause(shown.sql);
  const bool cut_here = shown.cut_by_chars || !shown.rows_total || *shown.rows_total > shown.rows;
  scope::Ceiling ceiling{shown.rows_max_from_flag ? scope::LimitSource::kFlag : scope::LimitSource::kDefault,
                         scope::LimitKind::kPagination, shown.rows_max, 0};
  const bool counted_limit = clause && clause->limit && clause->offset;
  if (clause && !cut_here) {
    ceiling.source = scope::LimitSource::kStatement;
    ceiling.kind = clause->order.empty() ? scope::LimitKind::kPagination : scope::LimitKind::kTopK;
    ceiling.limit = clause->limit.value_or(shown.rows);
    ceiling.offset = clause->offset.value_or(0);
  }
  std::optional<std::uint64_t> total = shown.rows_total;
  std::string reason = shown.rows_total ? "" : "not-counted-within-budget";
  std::string whole;
  if (clause && !counted_limit) {
    total.reset();
    reason = "limit-is-no-plain-number";
  } else if (counted_limit) {
    whole = without_limit(shown.sql, *clause);
    const bool ended_before =
        shown.rows_total && *shown.rows_total < *clause->limit && (*shown.rows_total > 0 || *clause->offset == 0);
    if (ended_before) {
      total = *clause->offset + *shown.rows_total;
    } else {
      total = count_rows(engine, whole, shown.budget_ms, cancel);
      if (!total) reason = "not-counted-within-budget";
    }
  }
  scope::AgentSurface surface = scope::describe(ceiling, shown.rows, total, std::move(reason));
  // A LIMIT of the statement is its author's; what is called truncated is what Candor itself kept back.
  surface.output_truncated = cut_here;
  surface.output_truncated_by.clear();
  if (cut_here) {
    surface.output_truncated_by =
        shown.cut_by_chars ? "result_chars" : (shown.rows_max_from_flag ? "flag" : "rows_per_result");
  }
  if (counted_limit && !clause->order.empty() && !cut_here) {
    describe_order(surface, shown, *clause, engine, whole, cancel);
  } else if (!clause && sql::is_ordered(shown.sql)) {
    surface.order = cut_here ? scope::Order::kUnknown : scope::Order::kTotal;
    if (cut_here) surface.order_reason = "not-looked-at";
  }
  return surface;
}

}  // namespace candor
