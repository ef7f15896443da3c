// When the database file of a contract is attached, and for what. A file that is attached keeps other processes from
// writing to it, or from opening it at all; so it is for as long as a call lasts, and a moment more for the next one.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include "base/cancel.h"
#include "base/result.h"
#include "engine/duckdb/handles.h"
#include "engine/engine.h"

namespace candor::engine::duckdb {

class Attachment {
 public:
  // Keeps the database attached while it lives.
  class Use {
   public:
    Use() = default;
    Use(Use&& other) noexcept : owner_(std::exchange(other.owner_, nullptr)), writer_(other.writer_) {}
    Use& operator=(Use&& other) noexcept;
    ~Use() { give_back(); }
    void give_back();

   private:
    friend class Attachment;
    Use(Attachment* owner, bool writer) : owner_(owner), writer_(writer) {}
    Attachment* owner_ = nullptr;
    bool writer_ = false;
  };

  // Attaches nothing yet. Requires a database that outlives this.
  Status open(duckdb_database database, SourceSpec source);
  Attachment() = default;
  ~Attachment();
  Attachment(const Attachment&) = delete;
  Attachment& operator=(const Attachment&) = delete;

  // Any number of readers; they see what is committed, a writer of this engine or none. Waits for a process that writes,
  // for a few seconds at most. Fails with `file-locked`, `file-error`, `source-error`, `statement-timeout`, `cancelled`.
  [[nodiscard]] Result<Use> read(Clock::time_point deadline, const CancelToken& cancel);
  // One writer at a time: waits for those before it, for readers of this engine that began before it, and for other
  // processes that have the file open. Fails with `busy`, `file-locked` (naming the file) and the others above.
  [[nodiscard]] Result<Use> write(Clock::time_point give_up, const CancelToken& cancel);

 private:
  enum class Mode { kDetached, kReading, kWriting };
  using Lock = std::unique_lock<std::mutex>;

  Status attach(Mode mode);
  Status detach();
  Status pause(Lock& lock, const CancelToken& cancel);
  [[nodiscard]] bool readable() const;
  Status make_readable(Lock& lock);
  void keep();
  [[nodiscard]] Clock::time_point detach_at() const;

  SourceSpec source_;
  Connection connection_;  // for attaching and detaching

  std::mutex mutex_;
  std::condition_variable changed_;
  Mode mode_ = Mode::kDetached;
  std::size_t users_ = 0;
  std::size_t writers_waiting_ = 0;
  bool writer_ = false;  // one of the users
  bool ending_ = false;
  Clock::time_point attached_at_;
  Clock::time_point used_at_;
  std::thread keeper_;
};

}  // namespace candor::engine::duckdb
