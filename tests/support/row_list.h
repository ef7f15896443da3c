// A list of rows in memory, declared as a test wants it. Counts how many rows it handed out and held.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "scope/list.h"

namespace candor::scope {

class RowList final : public List {
 public:
  explicit RowList(std::vector<json::Node> rows) : rows_(std::move(rows)) {}
  // {"name":…} texts.
  [[nodiscard]] static RowList of(const std::vector<std::string>& texts) {
    std::vector<json::Node> rows;
    for (const std::string& text : texts) rows.push_back(json::parse(text).value());
    return RowList(std::move(rows));
  }

  Declaration declaration;
  std::vector<std::string> hidden_keys;
  bool counted = true;  // the universe is
  std::uint64_t handed_out = 0;

 protected:
  [[nodiscard]] Declaration declare() const override { return declaration; }
  [[nodiscard]] Result<Universe> universe() override {
    if (!counted) return Universe{std::nullopt, "not-counted-within-budget"};
    return Universe{rows_.size(), ""};
  }
  [[nodiscard]] Status visit(const Slice& slice, const Visitor& visitor) override {
    std::uint64_t passed = 0;
    for (const json::Node& row : rows_) {
      if (slice.below != nullptr && !slice.below->matches(row)) continue;
      if (passed++ < slice.offset) continue;
      if (slice.limit && passed - slice.offset > *slice.limit) break;
      ++handed_out;
      if (!visitor(row)) break;
    }
    return Ok{};
  }
  [[nodiscard]] std::vector<std::string> hidden() const override { return hidden_keys; }

 private:
  std::vector<json::Node> rows_;
};

}  // namespace candor::scope
