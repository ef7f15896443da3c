// Leasing connections.
#include "engine/duckdb/connections.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <utility>

#include "engine/duckdb/errors.h"
#include "engine/duckdb/rows.h"
#include "engine/duckdb/tokens.h"

namespace candor::engine::duckdb {
namespace {

constexpr std::ptrdiff_t kLaneMax = 8;  // connections of each lane
constexpr int kAgentSpares = 3;         // opened with the engine: only those can have settings of their own
constexpr int kReviewers = 2;
// A full buffer of the default size, a megabyte, keeps the first rows back (17 ms against 0.7 on five million rows).
constexpr const char* kBuffer = "SET SESSION streaming_buffer_size = '100KB'";
// The agent's statements count the rows that their scans read (.02 ms each); EXPLAIN ANALYZE prints no more than the
// metrics that are named here.
constexpr const char* kProfile = "SET SESSION enable_profiling = 'no_output'";
constexpr const char* kMetrics =
    "SET SESSION custom_profiling_settings = '{\"CUMULATIVE_ROWS_SCANNED\": \"true\", \"OPERATOR_CARDINALITY\": "
    "\"true\", "
    "\"OPERATOR_TIMING\": \"true\", \"EXTRA_INFO\": \"true\"}'";
constexpr std::chrono::milliseconds kTick{20};
// Nothing of the user's lies on it; three-part names reach everything.
constexpr std::string_view kReviewPath = "system.main";

}  // namespace

Connections::Lease& Connections::Lease::operator=(Lease&& other) noexcept {
  if (this != &other) {
    give_back();
    owner_ = std::exchange(other.owner_, nullptr);
    slot_ = other.slot_;
  }
  return *this;
}

void Connections::Lease::give_back() {
  if (owner_ == nullptr) return;
  {
    const std::lock_guard lock(owner_->mutex_);
    slot_->busy = false;
  }
  owner_->freed_.notify_all();
  owner_ = nullptr;
}

Status Connections::open(duckdb_database database, std::string search_path) {
  database_ = database;
  search_path_ = std::move(search_path);
  const std::lock_guard lock(mutex_);
  CANDOR_TRY(add(true, false));
  for (int i = 0; i < kAgentSpares; ++i) CANDOR_TRY(add(false, false));
  for (int i = 0; i < kReviewers; ++i) CANDOR_TRY(add(false, true));
  for (const auto& slot : slots_) {
    CANDOR_TRY(execute(slot->connection.get(), kBuffer));
    if (slot->review) continue;
    CANDOR_TRY(execute(slot->connection.get(), kProfile));
    CANDOR_TRY(execute(slot->connection.get(), kMetrics));
  }
  return Ok{};
}

// Requires the lock.
Result<Connections::Slot*> Connections::add(bool main, bool review) {
  auto slot = std::make_unique<Slot>();
  slot->main = main;
  slot->review = review;
  if (duckdb_connect(database_, slot->connection.out()) != DuckDBSuccess) {
    return make_error("engine-error", "the engine gives no further connection");
  }
  const std::string path = review ? std::string(kReviewPath) : search_path_;
  CANDOR_TRY(execute(slot->connection.get(), "SET search_path = " + quote_text(path)));
  slots_.push_back(std::move(slot));
  return slots_.back().get();
}

// Requires the lock.
Connections::Slot* Connections::find_free(Want want) {
  const auto fits = [&](const std::unique_ptr<Slot>& slot) {
    if (slot->busy || slot->review != (want == Want::kReview)) return false;
    return slot->main || want == Want::kReview || (want == Want::kAgent && !bound_to_main());
  };
  // The main connection stands first, so it is preferred.
  const auto found = std::find_if(slots_.begin(), slots_.end(), fits);
  return found == slots_.end() ? nullptr : found->get();
}

Result<Connections::Lease> Connections::take(Want want, Clock::time_point deadline, const CancelToken& cancel) {
  const Clock::time_point begun = Clock::now();
  std::unique_lock lock(mutex_);
  while (true) {
    Slot* slot = find_free(want);
    if (slot == nullptr && (want == Want::kReview || (want == Want::kAgent && !bound_to_main()))) {
      const bool review = want == Want::kReview;
      const auto same =
          std::count_if(slots_.begin(), slots_.end(), [&](const auto& other) { return other->review == review; });
      if (same < kLaneMax) {
        CANDOR_ASSIGN(slot, add(false, review));
      }
    }
    if (slot != nullptr) {
      slot->busy = true;
      return Lease(this, slot);
    }
    if (cancel.cancelled()) return stopped_error(StopReason::kCancelled, 0);
    if (Clock::now() >= deadline) {
      const auto waited = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - begun).count();
      return stopped_error(StopReason::kDeadline, waited);
    }
    freed_.wait_until(lock, std::min(deadline, Clock::now() + kTick));
  }
}

Result<Connections::Lease> Connections::agent(bool main_only, Clock::time_point deadline, const CancelToken& cancel) {
  return take(main_only ? Want::kMain : Want::kAgent, deadline, cancel);
}

Result<Connections::Lease> Connections::review(Clock::time_point deadline, const CancelToken& cancel) {
  return take(Want::kReview, deadline, cancel);
}

void Connections::set_temporaries(std::vector<std::string> names, bool macro) {
  const std::lock_guard lock(mutex_);
  temporaries_ = std::move(names);
  any_macros_ = any_macros_ || macro;
}

std::vector<std::string> Connections::temporaries() const {
  const std::lock_guard lock(mutex_);
  return temporaries_;
}

bool Connections::any_temporaries() const {
  const std::lock_guard lock(mutex_);
  return bound_to_main();
}

Status refresh_temporaries(Connections& connections, duckdb_connection main, bool macro) {
  CANDOR_ASSIGN(const std::vector<TextRow> rows,
                query_text(main,
                           "SELECT table_name FROM system.main.duckdb_tables() WHERE temporary UNION ALL "
                           "SELECT view_name FROM system.main.duckdb_views() WHERE temporary AND NOT internal"));
  std::vector<std::string> names;
  for (const TextRow& row : rows) names.push_back(row[0].value_or(""));
  std::sort(names.begin(), names.end());
  connections.set_temporaries(std::move(names), macro);
  return Ok{};
}

}  // namespace candor::engine::duckdb
