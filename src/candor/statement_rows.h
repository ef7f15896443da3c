// The result of one statement as a list: its rows as objects by column name, and below its ceiling all rows of the same
// statement without its LIMIT.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/value.h"
#include "candor/candor.h"
#include "scope/list.h"

namespace candor {

// Cells to row objects, exactly as the document of the result shows them.
class RowReader {
 public:
  explicit RowReader(std::vector<Column> columns);
  // False: the visitor had enough.
  bool read(const RowBatch& batch, const std::function<bool(json::Node row)>& visitor);
  [[nodiscard]] json::Node read_row(CellReader& reader);
  [[nodiscard]] const std::vector<Column>& columns() const { return columns_; }
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }  // unique
  // Columns with an integer that had to be a string.
  [[nodiscard]] const std::vector<bool>& mixed() const { return mixed_; }

 private:
  std::vector<Column> columns_;
  std::vector<std::string> names_;
  std::vector<bool> mixed_;
};

class StatementRows final : public scope::List {
 public:
  // Hands out every row of the statement without its ceiling. False of the visitor ends it.
  using Scan = std::function<Status(const std::function<bool(json::Node row)>&)>;
  // `surface` as the run told it; `page` holds its rows.
  StatementRows(scope::AgentSurface surface, const RowReader& reader, std::vector<json::Node> page, Scan scan);

 protected:
  [[nodiscard]] scope::Declaration declare() const override;
  [[nodiscard]] Result<scope::Universe> universe() override;
  [[nodiscard]] Status visit(const scope::Slice& slice, const scope::Visitor& visitor) override;
  [[nodiscard]] Result<std::uint64_t> count(const scope::Predicate& below) override;
  void complete(scope::AgentSurface& surface) const override;

 private:
  [[nodiscard]] bool cut() const;  // the page is not all of the universe

  scope::AgentSurface surface_;
  std::vector<std::string> names_, open_;
  std::vector<json::Node> page_;
  Scan scan_;
  std::optional<std::uint64_t> matched_;  // of the last look below the ceiling
};

// The rows of a shaped result with the columns that are left.
[[nodiscard]] ShapedRows shaped_rows(scope::ShapedList list, const RowReader& reader);

}  // namespace candor
