// Attaching, waiting for locks, and the thread that detaches what nobody uses.
#include "engine/duckdb/attachment.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <system_error>

#include "engine/duckdb/errors.h"
#include "engine/duckdb/rows.h"
#include "engine/duckdb/tokens.h"

namespace candor::engine::duckdb {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

constexpr milliseconds kTick{5};
constexpr milliseconds kIdle{250};        // attached for reading, for the next statement
constexpr milliseconds kAge{1'000};       // after which a writer elsewhere gets its chance between two statements
constexpr milliseconds kGap{3 * kTick};   // which lasts so long
constexpr milliseconds kPatience{5'000};  // of a reader, with a process that writes
constexpr std::uintmax_t kHeadersBytes = std::uintmax_t{3} * 4096;

Diagnostic busy(const SourceSpec& source) {
  return make_error("busy", "source " + source.name + ": another statement of this session has the database",
                    "run the statement again", source.path);
}

}  // namespace

// ---- Use ----

Attachment::Use& Attachment::Use::operator=(Use&& other) noexcept {
  if (this != &other) {
    give_back();
    owner_ = std::exchange(other.owner_, nullptr);
    writer_ = other.writer_;
  }
  return *this;
}

void Attachment::Use::give_back() {
  if (owner_ == nullptr) return;
  {
    const std::lock_guard lock(owner_->mutex_);
    --owner_->users_;
    if (writer_) owner_->writer_ = false;
    owner_->used_at_ = Clock::now();
  }
  owner_->changed_.notify_all();
  owner_ = nullptr;
}

// ---- Attachment ----

Status Attachment::open(duckdb_database database, SourceSpec source) {
  source_ = std::move(source);
  if (duckdb_connect(database, connection_.out()) != DuckDBSuccess) return make_error("internal", "no connection");
  keeper_ = std::thread([this] { keep(); });
  return Ok{};
}

Attachment::~Attachment() {
  if (!keeper_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_all();
  keeper_.join();
}

// Requires the lock, as do all below.
Status Attachment::attach(Mode mode) {
  std::error_code failure;
  // The engine would make a database of what is not there, or is empty.
  const std::uintmax_t bytes = fs::file_size(source_.path, failure);
  if (failure) return translate_open_error("", source_.name, source_.path);
  if (bytes < kHeadersBytes) {
    return make_error("file-error", "source " + source_.name + ": " + source_.path + " is not a DuckDB database",
                      "check the path in the configuration");
  }
  const std::string statement = "ATTACH " + quote_text(source_.path) + " AS " + quote_name(source_.name) +
                                (mode == Mode::kReading ? " (READ_ONLY, TYPE duckdb)" : " (TYPE duckdb)");
  QueryResult result;
  if (duckdb_query(connection_.get(), statement.c_str(), result.out()) != DuckDBSuccess) {
    return translate_open_error(result.error(), source_.name, source_.path);
  }
  mode_ = mode;
  attached_at_ = used_at_ = Clock::now();
  return Ok{};
}

// After a write this also brings the write-ahead log into the file.
Status Attachment::detach() {
  CANDOR_TRY(execute(connection_.get(), "DETACH " + quote_name(source_.name)));
  mode_ = Mode::kDetached;
  return Ok{};
}

Status Attachment::pause(Lock& lock, const CancelToken& cancel) {
  if (cancel.cancelled()) return stopped_error(StopReason::kCancelled, 0);
  changed_.wait_for(lock, kTick);
  return Ok{};
}

// A writer that waits goes first, so that readers do not keep it out for ever.
bool Attachment::readable() const {
  if (mode_ == Mode::kWriting) return users_ > 0;
  const bool old = users_ == 0 && Clock::now() - attached_at_ > kAge;
  return mode_ == Mode::kReading && writers_waiting_ == 0 && !old;
}

// One step on the way to it; what can't be done yet is no failure.
Status Attachment::make_readable(Lock& lock) {
  if (writers_waiting_ > 0 || users_ > 0) return Ok{};
  if (mode_ == Mode::kDetached) return attach(Mode::kReading);
  const bool old = mode_ == Mode::kReading;
  CANDOR_TRY(detach());
  if (!old) return attach(Mode::kReading);
  changed_.notify_all();
  changed_.wait_for(lock, kGap, [] { return false; });
  return Ok{};
}

Result<Attachment::Use> Attachment::read(Clock::time_point deadline, const CancelToken& cancel) {
  const Clock::time_point begun = Clock::now();
  Lock lock(mutex_);
  while (!readable()) {
    Status made = make_readable(lock);
    if (readable()) break;
    const Clock::time_point now = Clock::now();
    if (!made.ok() && (made.error().code != "file-locked" || now >= std::min(deadline, begun + kPatience))) {
      return std::move(made).error();
    }
    if (now >= deadline) {
      return stopped_error(StopReason::kDeadline, std::chrono::duration_cast<milliseconds>(now - begun).count());
    }
    CANDOR_TRY(pause(lock, cancel));
  }
  ++users_;
  return Use(this, false);
}

Result<Attachment::Use> Attachment::write(Clock::time_point give_up, const CancelToken& cancel) {
  Lock lock(mutex_);
  ++writers_waiting_;
  struct Waiting {
    std::size_t& count;
    ~Waiting() { --count; }
  } const waiting{writers_waiting_};
  while (true) {
    Status made = Ok{};
    if (!writer_ && users_ == 0 && mode_ == Mode::kReading) made = detach();
    if (made.ok() && !writer_ && mode_ == Mode::kDetached) made = attach(Mode::kWriting);
    if (!writer_ && mode_ == Mode::kWriting) break;
    if (!made.ok() && made.error().code != "file-locked") return std::move(made).error();
    if (Clock::now() >= give_up) return made.ok() ? busy(source_) : std::move(made).error();
    CANDOR_TRY(pause(lock, cancel));
  }
  writer_ = true;
  ++users_;
  return Use(this, true);
}

// ---- the keeper ----

Clock::time_point Attachment::detach_at() const {
  if (users_ > 0 || mode_ == Mode::kDetached) return Clock::time_point::max();
  return mode_ == Mode::kWriting ? used_at_ : used_at_ + kIdle;
}

void Attachment::keep() {
  Lock lock(mutex_);
  while (!ending_) {
    const Clock::time_point due = detach_at();
    if (due == Clock::time_point::max()) {
      changed_.wait(lock);
    } else if (Clock::now() < due) {
      changed_.wait_until(lock, due);
    } else if (!detach().ok()) {
      used_at_ = Clock::now() + kAge;  // tried again later
    }
  }
}

}  // namespace candor::engine::duckdb
