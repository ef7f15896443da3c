// Visiting: a slice without a predicate is LIMIT and OFFSET; with one, rows are judged here and counted here.
#include "memory/store/sql_list.h"

#include <algorithm>

namespace candor::memory {
namespace {

// The part of a slice that rows which pass are still held against.
class Window {
 public:
  explicit Window(const scope::Slice& slice) : skip_(slice.offset), left_(slice.limit) {}
  [[nodiscard]] bool full() const { return left_ && *left_ == 0; }
  // True: the row is in it.
  [[nodiscard]] bool take() {
    if (skip_ > 0) {
      --skip_;
      return false;
    }
    if (left_) --*left_;
    return true;
  }

 private:
  std::uint64_t skip_;
  std::optional<std::uint64_t> left_;
};

}  // namespace

Result<scope::Universe> SqlList::universe() {
  CANDOR_ASSIGN(const std::int64_t total, plan_.counter(*store_));
  return scope::Universe{static_cast<std::uint64_t>(total), {}};
}

Result<sqlite::Statement> SqlList::prepare(const scope::Slice& slice, bool in_sql) {
  Where where = plan_.where;
  if (slice.below != nullptr) {
    for (const scope::Filter& filter : slice.below->filters()) {
      const auto column = std::ranges::find_if(plan_.pushed, [&](const auto& one) { return one.first == filter.key; });
      if (column == plan_.pushed.end() || filter.op != scope::Operator::kEqual) continue;
      where.add(column->second + " = ", filter.value);
    }
  }
  std::string sql = plan_.select;
  for (std::size_t i = 0; i < where.conditions.size(); ++i) {
    sql += (i == 0 ? " WHERE " : " AND ") + where.conditions[i];
  }
  sql += " " + plan_.order;
  if (in_sql) {
    sql += " LIMIT " + (slice.limit ? std::to_string(sqlite::clamp(*slice.limit)) : "-1") + " OFFSET " +
           std::to_string(sqlite::clamp(slice.offset));
  }
  CANDOR_ASSIGN(sqlite::Statement statement, store_->database().prepare(sql));
  for (std::size_t i = 0; i < where.texts.size(); ++i) {
    CANDOR_TRY(statement.bind_text(static_cast<int>(i) + 1, where.texts[i]));
  }
  return statement;
}

Status SqlList::visit(const scope::Slice& slice, const scope::Visitor& visitor) {
  const bool judged = slice.below != nullptr && !slice.below->empty();
  CANDOR_ASSIGN(sqlite::Statement statement, prepare(slice, !judged));
  Window window(judged ? slice : scope::Slice());
  while (!window.full()) {
    CANDOR_ASSIGN(const bool more, statement.step());
    if (!more) break;
    CANDOR_ASSIGN(json::Node row, plan_.row(statement));
    if (judged && !slice.below->matches(row)) continue;
    if (window.take() && !visitor(std::move(row))) break;
  }
  return Ok{};
}

}  // namespace candor::memory
