// The connections of one engine: the agent's main one, which alone holds temporary objects, spare ones with the same
// search path, and the review's, on whose path no user object lies.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/cancel.h"
#include "base/result.h"
#include "engine/duckdb/handles.h"

namespace candor::engine::duckdb {

class Connections {
  struct Slot {
    Connection connection;
    bool main = false;
    bool review = false;
    bool busy = false;
  };

 public:
  // One connection for one statement at a time, given back when destroyed.
  class Lease {
   public:
    Lease() = default;
    Lease(Lease&& other) noexcept : owner_(std::exchange(other.owner_, nullptr)), slot_(other.slot_) {}
    Lease& operator=(Lease&& other) noexcept;
    ~Lease() { give_back(); }
    [[nodiscard]] duckdb_connection get() const { return slot_->connection.get(); }
    [[nodiscard]] bool is_main() const { return slot_->main; }
    void give_back();

   private:
    friend class Connections;
    Lease(Connections* owner, Slot* slot) : owner_(owner), slot_(slot) {}
    Connections* owner_ = nullptr;
    Slot* slot_ = nullptr;
  };

  // Requires a database that outlives this and whose configuration is not locked yet. `search_path` is the value of the
  // setting of that name.
  Status open(duckdb_database database, std::string search_path);

  // The main connection when it is free; a spare one when it is not and `main_only` is false and the session has no
  // temporary objects; else waits. Fails with `statement-timeout` or `cancelled`.
  [[nodiscard]] Result<Lease> agent(bool main_only, Clock::time_point deadline, const CancelToken& cancel);
  [[nodiscard]] Result<Lease> review(Clock::time_point deadline, const CancelToken& cancel);

  // Tables and views. `macro`: a temporary macro was created; whether one is left later is not looked for, since that
  // costs a scan of all functions.
  void set_temporaries(std::vector<std::string> names, bool macro);
  [[nodiscard]] std::vector<std::string> temporaries() const;
  [[nodiscard]] bool any_temporaries() const;  // macros too

 private:
  enum class Want { kMain, kAgent, kReview };
  Result<Lease> take(Want want, Clock::time_point deadline, const CancelToken& cancel);
  [[nodiscard]] bool bound_to_main() const { return any_macros_ || !temporaries_.empty(); }
  Slot* find_free(Want want);
  Result<Slot*> add(bool main, bool review);

  duckdb_database database_ = nullptr;
  std::string search_path_;
  mutable std::mutex mutex_;
  std::condition_variable freed_;
  std::vector<std::unique_ptr<Slot>> slots_;
  std::vector<std::string> temporaries_;
  bool any_macros_ = false;
};

// Reads the temporary objects of the main connection anew, for set_temporaries.
Status refresh_temporaries(Connections& connections, duckdb_connection main, bool macro);

}  // namespace candor::engine::duckdb
