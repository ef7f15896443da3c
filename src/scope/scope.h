// What a result is a part of: the record `agent_surface` that every list carries. Rules: docs/scope.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace candor::scope {

enum class LimitSource : std::uint8_t { kNone, kFlag, kDefault, kStatement };
enum class LimitKind : std::uint8_t { kNone, kPagination, kTopK };
enum class FilterScope : std::uint8_t { kUniverse, kPage, kTopK };
enum class CountScope : std::uint8_t { kMatched, kEmitted, kPage, kTopK };
enum class Order : std::uint8_t { kNone, kPartial, kTotal, kUnknown };

// The ceiling that a list was made under, as its maker declares it.
struct Ceiling {
  LimitSource source = LimitSource::kNone;
  LimitKind kind = LimitKind::kNone;
  std::uint64_t limit = 0;
  std::uint64_t offset = 0;
};

// What the shaping flags did, and which of their keys rows have.
struct ShapingRecord {
  std::vector<std::string> filters;            // as they were written
  std::optional<std::uint64_t> matched_count;  // rows that the filters let pass, where all of them were looked at
  std::optional<std::string> sort, dedupe_by;
  std::optional<std::uint64_t> max_items, truncate_content, dropped;  // dropped: rows that the byte budget left out
  std::vector<std::string> select, secondary_capped, resolved_keys, unresolved_keys;
  std::vector<std::pair<std::string, std::vector<std::string>>> key_suggestions;  // of an unresolved key its near names
  std::uint64_t content_truncated = 0;                                            // texts that were cut
  std::string result_array_source;  // "declared"; empty: nothing was shaped
};

// The record. Absent optionals are left out of the JSON.
struct AgentSurface {
  Ceiling ceiling;
  std::optional<std::uint64_t> universe_total;
  std::string universe_reason;  // why it was not counted; required without a total
  FilterScope filter_scope = FilterScope::kUniverse;
  bool filter_incomplete = false;
  CountScope count_scope = CountScope::kMatched;
  std::uint64_t input_count = 0, output_count = 0;
  bool output_truncated = false;
  std::string output_truncated_by;  // rows_per_result, result_chars, flag, statement
  Order order = Order::kNone;
  std::optional<std::uint64_t> ties_at_border;
  std::string order_reason;  // why the order could not be told
  ShapingRecord shaping;
  std::string
      shaping_ignored;  // why flags that shape a list did nothing; empty: they did what they say, or none was given

  // A ceiling truncates its universe when offset > 0 or limit < universe_total; unknown totals count as truncated.
  [[nodiscard]] bool truncates() const;
};

// The scope of one result: filter and count scope follow from ceiling and counts.
[[nodiscard]] AgentSurface describe(const Ceiling& ceiling, std::uint64_t rows_emitted,
                                    std::optional<std::uint64_t> universe_total, std::string universe_reason);

}  // namespace candor::scope
