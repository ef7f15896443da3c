// What a query in words looks for. Any bytes make a query, and none makes it fail.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace candor::memory {

inline constexpr std::size_t kQueryWordsMax = 1'000;  // that are looked at
inline constexpr std::size_t kQueryGroupsMax = 128;   // that are looked for: the rarest

// Terms that count as one: a memory that holds any of them holds the group.
struct TermGroup {
  std::vector<std::string> terms;
  std::string shown;  // the word of the query, for `dropped_terms`
  double weight = 1;
  std::int64_t documents = 0;  // that hold the commonest of the terms
};

struct TextQuery {
  std::vector<TermGroup> groups;
  std::vector<std::string> dropped;  // words that were not looked for, since they say too little
  std::size_t words_not_read = 0;    // beyond kQueryWordsMax
  double weight_absent = 0;          // of groups that no document holds
  bool only_common = false;          // no word, or function words alone
  std::string reason;                // why there is nothing to look for; empty where there is
};

struct TermStatistics {
  std::int64_t documents = 0;  // of the index
  std::function<Result<std::int64_t>(const std::string& term)> documents_with;
};

[[nodiscard]] Result<TextQuery> build_text_query(std::string_view text, const TermStatistics& statistics);

}  // namespace candor::memory
