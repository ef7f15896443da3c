// A list whose rows are all known.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "scope/list.h"

namespace candor::scope {

class RowsList final : public List {
 public:
  RowsList(Declaration declaration, std::vector<json::Node> rows)
      : declaration_(std::move(declaration)), rows_(std::move(rows)) {}

 protected:
  [[nodiscard]] Declaration declare() const override { return declaration_; }
  [[nodiscard]] Result<Universe> universe() override { return Universe{rows_.size(), ""}; }
  [[nodiscard]] Status visit(const Slice& slice, const Visitor& visitor) override;

 private:
  Declaration declaration_;
  std::vector<json::Node> rows_;
};

}  // namespace candor::scope
