// A tree for reading: nodes with a word or two, what they hold, and where they stand in the text. Made of syntax trees and
// plans, shown by the surfaces.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/diagnostic.h"

namespace candor {

struct Outline {
  std::string node;    // "Compare"
  std::string detail;  // "="; may be empty
  std::optional<Span> span;
  std::vector<Outline> children;

  Outline& add(Outline child) { return children.emplace_back(std::move(child)); }
};

}  // namespace candor
