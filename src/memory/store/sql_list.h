// A list whose rows one SELECT gives: its slices, and filters on columns, become SQL.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "memory/store/store.h"
#include "scope/list.h"

namespace candor::memory {

class SqlList : public scope::List {
 public:
  // Conditions that are joined by AND, with the texts that are their parameters.
  struct Where {
    std::vector<std::string> conditions;
    std::vector<std::string> texts;
    void add(std::string condition) { conditions.push_back(std::move(condition)); }
    void add(const std::string& before, std::string text) {
      texts.push_back(std::move(text));
      conditions.push_back(before + "?" + std::to_string(texts.size()));
    }
  };
  using Counter = std::function<Result<std::int64_t>(Store&)>;
  struct Plan {
    scope::Declaration declaration;
    std::vector<std::string> hidden;
    std::string select;  // up to FROM
    std::string order;
    Where where;
    std::vector<std::pair<std::string, std::string>> pushed;  // key of a text, its column
    std::function<Result<json::Node>(const sqlite::Statement&)> row;
    Counter counter;
  };

  SqlList(Store& store, Plan plan) : store_(&store), plan_(std::move(plan)) {}
  [[nodiscard]] scope::Declaration declare() const override { return plan_.declaration; }
  [[nodiscard]] Result<scope::Universe> universe() override;
  [[nodiscard]] Status visit(const scope::Slice& slice, const scope::Visitor& visitor) override;
  [[nodiscard]] std::vector<std::string> hidden() const override { return plan_.hidden; }

 private:
  [[nodiscard]] Result<sqlite::Statement> prepare(const scope::Slice& slice, bool in_sql);

  Store* store_;
  Plan plan_;
};

// Entities and relations that a memory is bound to.
[[nodiscard]] Result<json::Node> graph_of_memory(Store& store, std::int64_t memory);

}  // namespace candor::memory
