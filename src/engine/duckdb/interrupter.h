// Stops running statements at their deadline or when they are cancelled. An interrupt that comes before the engine
// begins to execute is lost, so it is repeated until the statement ends.
#pragma once

#include <condition_variable>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "base/cancel.h"
#include "engine/duckdb/errors.h"
#include "engine/duckdb/handles.h"

namespace candor::engine::duckdb {

class Interrupter {
  struct Entry {
    duckdb_connection connection = nullptr;
    Clock::time_point deadline;
    std::optional<Clock::time_point> budget;
    CancelToken cancel;
    StopReason reason = StopReason::kNone;
  };

 public:
  Interrupter();
  ~Interrupter();
  Interrupter(const Interrupter&) = delete;
  Interrupter& operator=(const Interrupter&) = delete;

  // Watches one connection until it is destroyed; after that no interrupt reaches the connection any more.
  class Watch {
   public:
    Watch() = default;
    Watch(Watch&& other) noexcept : owner_(std::exchange(other.owner_, nullptr)), entry_(other.entry_) {}
    Watch& operator=(Watch&& other) noexcept;
    ~Watch() { end(); }
    // Why it interrupted, or would: looks at the clock and the token itself.
    [[nodiscard]] StopReason reason() const;
    // A second, earlier end with a reason of its own (kBudget).
    void set_budget(Clock::time_point budget);
    void end();

   private:
    friend class Interrupter;
    Watch(Interrupter* owner, std::list<Entry>::iterator entry) : owner_(owner), entry_(entry) {}
    Interrupter* owner_ = nullptr;
    std::list<Entry>::iterator entry_;
  };

  [[nodiscard]] Watch watch(duckdb_connection connection, Clock::time_point deadline, CancelToken cancel);

 private:
  void loop();
  static StopReason look(Entry& entry, Clock::time_point now);

  std::mutex mutex_;
  std::condition_variable changed_;
  std::list<Entry> entries_;
  bool idle_ = false;
  bool ending_ = false;
  std::thread thread_;
};

}  // namespace candor::engine::duckdb
