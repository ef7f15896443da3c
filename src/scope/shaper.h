// The one pass from a List to a ShapedList: what is refused, which rows are looked at, what is recorded of it.
#pragma once

#include "scope/list.h"

namespace candor::scope {

class Shaper {
 public:
  Shaper(List& list, const Shaping& shaping) : list_(list), shaping_(shaping) {}
  [[nodiscard]] Result<ShapedList> run();

 private:
  [[nodiscard]] Status prepare();
  [[nodiscard]] Status refuse_over_ceiling() const;
  [[nodiscard]] Status count_below();
  [[nodiscard]] Status visit_below();
  [[nodiscard]] Status judge_page();
  [[nodiscard]] Status check_open_keys();
  void note_keys(const json::Node& row);
  void record();
  void record_shaping();
  [[nodiscard]] FilterScope filter_scope() const;
  [[nodiscard]] CountScope count_scope() const;
  [[nodiscard]] bool limits_matches() const;  // the ceiling bounds what matched
  [[nodiscard]] std::uint64_t input_count() const;
  void show(std::vector<json::Node> rows);

  List& list_;
  const Shaping& shaping_;
  Declaration declaration_;
  Universe universe_;
  std::vector<KeyUse> uses_;
  Predicate predicate_;                   // with the aliases of its keys resolved
  bool truncates_ = false;                // the ceiling cuts the universe
  bool below_ = false;                    // the predicate is judged below the ceiling
  bool cut_ = false;                      // the ceiling kept back rows that belong to the list
  std::uint64_t visited_ = 0, kept_ = 0;  // rows that came; of these, what filters and --dedupe-by left
  std::optional<std::uint64_t> matched_;  // rows of the universe, or of what was judged, that pass
  ShapedList made_;
};

}  // namespace candor::scope
