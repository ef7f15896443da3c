// The flags that shape a list, the same for every command that returns one; their order is fixed: filter, sort, dedupe,
// count, max-items, select, truncate, byte budget.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "scope/filter.h"
#include "scope/scope.h"

namespace candor::scope {

// As they were written; nothing is checked yet.
struct ShapingFlags {
  std::vector<std::string> filters = {};
  std::optional<std::string> sort = {}, dedupe_by = {}, select = {}, filter_scope = {};
  std::optional<std::string> max_items = {}, truncate_content = {}, max_output_bytes = {};
  bool count_only = false, allow_unknown_keys = false, fail_on_degraded = false;

  [[nodiscard]] bool empty() const;  // none was given
};

struct Shaping {
  Predicate predicate = {};
  std::optional<std::string> sort = {}, dedupe_by = {};
  bool falling = false;  // the sort: written as -KEY
  std::vector<std::string> select;
  std::optional<FilterScope> filter_scope;  // as declared: kUniverse or kPage
  std::optional<std::uint64_t> max_items, truncate_content, max_output_bytes;
  bool count_only = false, allow_unknown_keys = false, fail_on_degraded = false;

  [[nodiscard]] bool empty() const;  // no flag that changes what is shown
  [[nodiscard]] bool given() const { return !empty() || filter_scope; }
};

// Before any work. Fails with `malformed-filter`, or `usage` for a value that can't be; further ones are in `others`.
[[nodiscard]] Result<Shaping> parse_shaping(const ShapingFlags& flags);

}  // namespace candor::scope
