// The thread that interrupts.
#include "engine/duckdb/interrupter.h"

#include <chrono>
#include <utility>

namespace candor::engine::duckdb {
namespace {

constexpr std::chrono::milliseconds kTick{20};
constexpr int kTicksBeforeIdle = 10;  // a short statement after another must not pay for waking the thread

}  // namespace

Interrupter::Interrupter() : thread_([this] { loop(); }) {}

Interrupter::~Interrupter() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

StopReason Interrupter::look(Entry& entry, Clock::time_point now) {
  if (entry.reason == StopReason::kNone || entry.reason == StopReason::kBudget) {
    if (entry.cancel.cancelled()) {
      entry.reason = StopReason::kCancelled;
    } else if (now >= entry.deadline) {
      entry.reason = StopReason::kDeadline;
    } else if (entry.budget && now >= *entry.budget) {
      entry.reason = StopReason::kBudget;
    }
  }
  return entry.reason;
}

void Interrupter::loop() {
  std::unique_lock lock(mutex_);
  int empty_ticks = 0;
  while (!ending_) {
    empty_ticks = entries_.empty() ? empty_ticks + 1 : 0;
    if (empty_ticks > kTicksBeforeIdle) {
      idle_ = true;
      changed_.wait(lock, [this] { return ending_ || !entries_.empty(); });
      idle_ = false;
      empty_ticks = 0;
    }
    changed_.wait_for(lock, kTick, [this] { return ending_; });
    const Clock::time_point now = Clock::now();
    for (Entry& entry : entries_) {
      if (look(entry, now) != StopReason::kNone) duckdb_interrupt(entry.connection);
    }
  }
}

Interrupter::Watch Interrupter::watch(duckdb_connection connection, Clock::time_point deadline, CancelToken cancel) {
  bool wake = false;
  std::list<Entry>::iterator entry;
  {
    const std::lock_guard lock(mutex_);
    entries_.push_front(Entry{connection, deadline, std::nullopt, std::move(cancel), StopReason::kNone});
    entry = entries_.begin();
    wake = idle_;
  }
  if (wake) changed_.notify_all();
  return {this, entry};
}

Interrupter::Watch& Interrupter::Watch::operator=(Watch&& other) noexcept {
  if (this != &other) {
    end();
    owner_ = std::exchange(other.owner_, nullptr);
    entry_ = other.entry_;
  }
  return *this;
}

StopReason Interrupter::Watch::reason() const {
  if (owner_ == nullptr) return StopReason::kNone;
  const std::lock_guard lock(owner_->mutex_);
  return look(*entry_, Clock::now());
}

void Interrupter::Watch::set_budget(Clock::time_point budget) {
  if (owner_ == nullptr) return;
  const std::lock_guard lock(owner_->mutex_);
  entry_->budget = budget;
}

void Interrupter::Watch::end() {
  if (owner_ == nullptr) return;
  const std::lock_guard lock(owner_->mutex_);
  owner_->entries_.erase(entry_);
  owner_ = nullptr;
}

}  // namespace candor::engine::duckdb
