// Rows on their way through --dedupe-by, --sort and --max-items, keeping no more of them than can be shown.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "json/json.h"
#include "scope/comparable.h"

namespace candor::scope {

// Where a value stands in a sort: numbers, then moments, then other texts; null, arrays, objects and missing values last.
struct SortKey {
  std::uint8_t rank = 3;
  Comparable order;  // of numbers and moments
  std::string text;  // of other texts
  [[nodiscard]] static SortKey of(const json::Node* value);
  [[nodiscard]] static int compare(const SortKey& a, const SortKey& b);
};

class Collector {
 public:
  struct Rules {
    std::optional<std::string> sort, dedupe_by;
    std::optional<std::uint64_t> max_items;
    bool count_only = false, falling = false;
  };
  explicit Collector(Rules rules);

  void add(json::Node row);
  // What the rows so far come to once those that repeat a key are left out; max_items leaves none out of it.
  [[nodiscard]] std::uint64_t count() const { return count_; }
  // Whether no further row can change what is shown.
  [[nodiscard]] bool full() const;
  // The rows to show, in their order. Leaves none behind.
  [[nodiscard]] std::vector<json::Node> take();

 private:
  struct Entry {
    json::Node row;
    SortKey key;
    std::uint64_t index = 0;
  };
  [[nodiscard]] bool before(const Entry& a, const Entry& b) const;
  // False: a row of the same key stands before it.
  bool is_first_of_its_key(const json::Node& row, Entry& entry);
  void shrink();

  Rules rules_;
  std::vector<Entry> entries_;
  std::unordered_map<std::string, std::size_t> places_;  // of a key, in entries_
  std::uint64_t count_ = 0, index_ = 0;
};

}  // namespace candor::scope
