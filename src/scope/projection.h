// What is shown of a row: --select and --truncate-content.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "json/json.h"
#include "scope/list.h"

namespace candor::scope {

class Projection {
 public:
  Projection(const Shaping& shaping, const Declaration& declaration, std::vector<std::string> hidden)
      : shaping_(shaping), declaration_(declaration), hidden_(std::move(hidden)) {}

  // The keys of --select, as they stand in the row: an inner one inside of its object. Else all that is not hidden.
  [[nodiscard]] json::Node of(json::Node row) const;
  [[nodiscard]] std::uint64_t texts_cut() const { return texts_cut_; }

 private:
  [[nodiscard]] json::Node selected(const json::Node& row) const;
  void cut(json::Node& value) const;

  const Shaping& shaping_;
  const Declaration& declaration_;
  std::vector<std::string> hidden_;
  mutable std::uint64_t texts_cut_ = 0;
};

}  // namespace candor::scope
