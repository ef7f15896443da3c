// A ranking as a list: hybrid-search, and the direct part of recall.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "memory/search/legs.h"
#include "scope/list.h"

namespace candor::memory {

class RankedList : public scope::List {
 public:
  struct Plan {
    scope::Declaration declaration;
    std::vector<std::string> computed;  // keys of rows that only the ranking knows
    std::vector<std::string> hidden;
    // Sets what the ranking says on a stored row.
    std::function<void(json::Node& row, const Fused& fused)> present;
    std::function<bool(const Fused&)> keep;  // may be empty; else what it refuses is as if it were not there
    // Rows that follow the ranked ones and that no ceiling counts; `shown`: the memories before them. May be empty.
    std::function<Result<std::vector<json::Node>>(const std::vector<std::int64_t>& shown)> append;
  };

  RankedList(Searcher searcher, Plan plan) : searcher_(std::move(searcher)), plan_(std::move(plan)) {}

  // Runs the search once, so that what it says of the query can be told. As far as the ceiling shows.
  [[nodiscard]] Result<const Legs*> first_look();
  [[nodiscard]] Searcher& searcher() { return searcher_; }
  // The memories that the latest visit gave, in their order.
  [[nodiscard]] const std::vector<std::int64_t>& shown() const { return shown_; }

 protected:
  [[nodiscard]] scope::Declaration declare() const override { return plan_.declaration; }
  [[nodiscard]] Result<scope::Universe> universe() override;
  [[nodiscard]] Status visit(const scope::Slice& slice, const scope::Visitor& visitor) override;
  [[nodiscard]] std::vector<std::string> hidden() const override { return plan_.hidden; }

 private:
  Searcher searcher_;
  Plan plan_;
  [[nodiscard]] std::size_t shown_at_most() const {
    return plan_.declaration.ceiling.offset + plan_.declaration.ceiling.limit;
  }

  std::optional<Legs> looked_;
  std::vector<std::int64_t> shown_;
};

}  // namespace candor::memory
