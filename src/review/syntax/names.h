// Binds the column names of one SELECT to its tables, by the columns that the catalog gives.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/engine.h"
#include "json/json.h"
#include "review/syntax/select.h"

namespace candor::review::syntax {

struct BoundColumn {
  std::size_t table = 0;            // position in Select::tables
  std::string column;               // as the catalog spells it
  std::vector<std::string> fields;  // of a struct
};

// Columns that USING or NATURAL made one: a name, and the tables whose column it is, the first one leading.
struct MergedColumn {
  std::string name;
  std::vector<std::size_t> tables;
};

class Names {
 public:
  // `facts` in the order of Select::tables. Both must outlive this.
  Names(const Select& select, const std::vector<engine::TableFacts>& facts) : select_(select), facts_(facts) {}

  // `column_names` of a COLUMN_REF. Fails with `column-not-resolved`.
  [[nodiscard]] Result<BoundColumn> bind(const std::vector<std::string>& parts) const;

  // The tables that expressions below `node` read, in order, without repeats. Fails with `column-not-resolved`.
  [[nodiscard]] Result<std::vector<std::size_t>> tables_read(const json::Node& node) const;

  // The same, where a merged column counts for every table that it is of.
  [[nodiscard]] Result<std::vector<std::size_t>> tables_referenced(const json::Node& node) const;

  // A copy in which each column is written as alias.column, with the catalog's spelling. Requires that all bind.
  [[nodiscard]] json::Node qualified(const json::Node& node) const;

  // Is there an input column of this name in any table?
  [[nodiscard]] bool has_column(std::string_view name) const;
  // The catalog's spelling in one table; absent when it has no such column.
  [[nodiscard]] std::optional<std::string> column_of(std::size_t table, std::string_view name) const;
  [[nodiscard]] const std::vector<engine::ColumnFacts>& columns(std::size_t table) const {
    return facts_[table].columns;
  }

  // Tells that a name stands for one column of several tables from here on.
  void merge(const std::string& name, const std::vector<std::size_t>& tables);
  [[nodiscard]] const MergedColumn* merged(std::string_view name) const;

 private:
  [[nodiscard]] Result<BoundColumn> bind_unqualified(const std::vector<std::string>& parts) const;
  [[nodiscard]] std::optional<BoundColumn> bind_qualified(const std::vector<std::string>& parts) const;

  const Select& select_;
  const std::vector<engine::TableFacts>& facts_;
  std::vector<MergedColumn> merged_;
};

}  // namespace candor::review::syntax
