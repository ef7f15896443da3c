// What of a database a first contract publishes, and under which names; how it is written is initial.cc's.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "contract/initial.h"

namespace candor::contract {

struct PublishedColumn {
  const FoundColumn* found = nullptr;
  std::string name;
  Type type = Type::kString;
  bool key = false;
  std::vector<std::string> allowed;
  bool allowed_by_type = false;  // the type's name lists the values; else they were found in the data
};

struct PublishedTable {
  const FoundTable* found = nullptr;
  std::string name;
  std::vector<PublishedColumn> columns;
  std::vector<std::string> left_out;  // a line for each, with the reason
  std::string key;
  std::string no_key;  // why there is none
};

// Gives out identifiers, each once, without regard to case.
class IdentifierNames {
 public:
  // `found` where it can be, else one made from it, or from `otherwise` where it has no letters.
  [[nodiscard]] std::string take(std::string_view found, std::string_view otherwise);

 private:
  std::set<std::string> taken_;
  std::map<std::string, int> numbers_;  // the last one behind a name
};

// Requires that `found` outlives the result.
[[nodiscard]] PublishedTable publish(const FoundTable& found, std::string name);

// Whether the loader takes the text as the name of something in a database.
[[nodiscard]] bool can_be_named(std::string_view name);

// A text of the database inside a comment: one line.
[[nodiscard]] std::string one_line(std::string_view text);

}  // namespace candor::contract
