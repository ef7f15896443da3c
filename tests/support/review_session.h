// A DuckDB engine with a scratch database, as the review meets it: for tests of the review.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/engine.h"
#include "review/review.h"
#include "support/temp_folder.h"

namespace candor::test {

class ReviewSession {
 public:
  ReviewSession();

  // Runs statements as the agent's, one after the other; empty, or the first error.
  std::string execute(const std::string& sql);

  // All cells of a query as texts, row after row; on failure one cell with the error.
  std::vector<std::string> query(const std::string& sql, engine::Lane lane = engine::Lane::kAgent);

  // The verdict of `join-coverage` on one query.
  review::CheckResult coverage(const std::string& sql);

  // The same in few words: "clean", "finding", "undetermined (cte)", "clean (selected-by-filter)".
  std::string verdict(const std::string& sql);

  [[nodiscard]] engine::Engine& engine() { return *engine_; }
  review::Context context;  // its engine is set; tests change the rest

 private:
  TempFolder folder_;
  std::unique_ptr<engine::Engine> engine_;
};

// "clean", "finding", "undetermined (cte)".
[[nodiscard]] std::string in_words(const review::CheckResult& result);

}  // namespace candor::test
