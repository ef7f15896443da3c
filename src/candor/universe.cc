// Counting a universe beyond a LIMIT, and the ties at its border.
#include "candor/universe.h"

#include <cctype>
#include <utility>

#include "candor/border.h"
#include "candor/repeatable.h"
#include "sql/lexer.h"

namespace candor {
namespace {

constexpr std::string_view kNotRepeatable = "not-repeatable";

// The statement without its LIMIT clause.
std::string without_limit(std::string_view sql, const sql::LimitClause& clause) {
  std::string text(sql.substr(0, clause.span.start));
  text += ' ';
  text += sql.substr(clause.span.end);
  while (!text.empty() && (std::isspace(static_cast<unsigned char>(text.back())) != 0 || text.back() == ';'))
    text.pop_back();
  return text;
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
  const auto order = order_of_result(shown.sql, clause.order, shown.columns);
  if (!order) {
    surface.order_reason = "order-not-in-result";
    return;
  }
  if (border == 0 || surface.universe_reason == kNotRepeatable) {
    surface.order_reason = border == 0 ? "not-looked-at" : surface.universe_reason;
    return;
  }
  const auto ties = ties_behind(engine, whole, *order, border, shown.budget_ms, cancel);
  if (!ties) {
    surface.order_reason = "not-looked-at-within-budget";
    return;
  }
  surface.order = *ties == 0 ? scope::Order::kTotal : scope::Order::kPartial;
  if (*ties > 0) surface.ties_at_border = ties;
}

}  // namespace

std::string without_limit(std::string_view sql) {
  const std::optional<sql::LimitClause> clause = sql::limit_clause(sql);
  return clause ? without_limit(sql, *clause) : std::string(sql);
}

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
    } else if (total.reset(); !is_repeatable(whole, engine)) {
      reason = kNotRepeatable;
    } else {
      // The line break ends a comment that the text may end with.
      total = count_by(engine, "SELECT count(*) FROM (" + whole + "\n) AS universe", shown.budget_ms, cancel);
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
  } else if (clause ? !clause->order.empty() : sql::is_ordered(shown.sql)) {
    const bool whole_shown = !clause && !cut_here;
    surface.order = whole_shown ? scope::Order::kTotal : scope::Order::kUnknown;
    if (!whole_shown) surface.order_reason = "not-looked-at";
  }
  return surface;
}

}  // namespace candor
