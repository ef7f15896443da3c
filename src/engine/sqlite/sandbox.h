// Connections to one SQLite file on which foreign SQL may run: read-only by every means that SQLite has, an allow-list
// of what a statement may touch, and a watch on its time. The lists are in force before any foreign text is seen.
// Connections for a contract run Candor's own statements, with Candor's functions; those of a transaction may write.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/cancel.h"
#include "base/result.h"
#include "engine/engine.h"
#include "sqlite/sqlite.h"

namespace candor::engine::sqlite {

// Why the running statement was stopped.
enum class Stop : std::uint8_t { kNone, kDeadline, kCancelled };

// Who runs statements on a connection.
enum class Use : std::uint8_t {
  kAgent,          // foreign text, reading
  kContract,       // Candor's statements, reading
  kContractWrite,  // the same inside a transaction that writes
};

// What tells one state of a file from another. The parts that a writer changes are compared only where SQLite itself
// does not look for changes.
struct FileState {
  std::uint64_t device = 0, inode = 0;
  std::int64_t size = 0, modified_ns = 0;
  bool log = false;  // there is a write-ahead log with something in it
  [[nodiscard]] bool same_file(const FileState& other) const { return device == other.device && inode == other.inode; }
  friend bool operator==(const FileState&, const FileState&) = default;
};
// Nothing when it is not there, or is no regular file.
[[nodiscard]] std::optional<FileState> file_state(const std::string& path);

class Connection {
 public:
  // Never creates the file. Fails with `file-error`, `file-locked` or `source-error`, naming the source and the file.
  [[nodiscard]] static Result<std::unique_ptr<Connection>> open(const SourceSpec& source, Use use);
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  [[nodiscard]] candor::sqlite::Database& database() { return database_; }
  [[nodiscard]] const FileState& file() const { return file_; }
  // Opened as a file that nobody changes, because its write-ahead log can't be read here. `file` has to be compared
  // after each statement.
  [[nodiscard]] bool immutable() const { return immutable_; }
  [[nodiscard]] Use use() const { return use_; }

  // From now on statements stop at `stop_at` or when cancelled.
  void watch(CancelToken cancel, Clock::time_point stop_at);
  void stop_at(Clock::time_point when) { stop_at_ = when; }
  void unwatch();
  [[nodiscard]] Stop stopped() const { return stopped_; }

  // What the allow-list refused while the latest statement was prepared.
  [[nodiscard]] const std::optional<std::string>& refused_function() const { return refused_function_; }
  [[nodiscard]] bool refused() const { return refused_; }
  void forget_refusals();
  // The first thing that the latest statement was found to write with, at its top: an insert, update or delete.
  [[nodiscard]] std::optional<candor::sqlite::Action> written() const { return written_; }

  // While it lives, statements are Candor's own: transactions, and pragmas that read.
  class Trusted {
   public:
    explicit Trusted(Connection& connection) : connection_(connection) { connection_.trusted_ = true; }
    ~Trusted() { connection_.trusted_ = false; }
    Trusted(const Trusted&) = delete;
    Trusted& operator=(const Trusted&) = delete;

   private:
    Connection& connection_;
  };

 private:
  Connection(candor::sqlite::Database database, FileState file, bool immutable, Use use)
      : database_(std::move(database)), file_(file), immutable_(immutable), use_(use) {}
  static Result<std::unique_ptr<Connection>> open_as(const SourceSpec& source, const FileState& file, bool immutable,
                                                     Use use);
  static Status recover(const SourceSpec& source, const FileState& file);
  Status lock_down(const SourceSpec& source);
  Status warm_virtual_tables();
  candor::sqlite::Access authorize(const candor::sqlite::AccessRequest& request);
  [[nodiscard]] bool may_call(const candor::sqlite::AccessRequest& request) const;
  [[nodiscard]] bool may_write(const candor::sqlite::AccessRequest& request);
  bool should_stop();

  candor::sqlite::Database database_;
  const FileState file_;
  const bool immutable_;
  const Use use_;
  std::optional<CancelToken> cancel_;
  Clock::time_point stop_at_ = Clock::time_point::max();
  Stop stopped_ = Stop::kNone;
  bool trusted_ = false;
  bool refused_ = false;
  std::optional<std::string> refused_function_;
  std::optional<candor::sqlite::Action> written_;
};

// The connections of one source: one a running statement, so that reads never wait for each other.
class Pool : public std::enable_shared_from_this<Pool> {
 public:
  Pool(SourceSpec source, Use use) : source_(std::move(source)), use_(use) {}

  // Gives the connection back when it goes.
  class Lease {
   public:
    Lease(std::shared_ptr<Pool> pool, std::shared_ptr<Connection> connection)
        : pool_(std::move(pool)), connection_(std::move(connection)) {}
    // A connection that belongs to a transaction and goes back to nobody.
    explicit Lease(std::shared_ptr<Connection> connection) : connection_(std::move(connection)) {}
    Lease(Lease&&) noexcept = default;
    Lease& operator=(Lease&&) = delete;
    ~Lease() {
      if (pool_ != nullptr && connection_ != nullptr) pool_->give_back(std::move(connection_));
    }
    Connection* operator->() const { return connection_.get(); }
    Connection& operator*() const { return *connection_; }

   private:
    std::shared_ptr<Pool> pool_;
    std::shared_ptr<Connection> connection_;
  };

  // A connection to the file that has the source's path now.
  [[nodiscard]] Result<Lease> lease();
  // One that no statement has used.
  [[nodiscard]] Result<Lease> fresh_lease();
  [[nodiscard]] const SourceSpec& source() const { return source_; }

 private:
  void give_back(std::shared_ptr<Connection> connection);

  const SourceSpec source_;
  const Use use_;
  std::mutex mutex_;
  std::vector<std::shared_ptr<Connection>> idle_;
};

}  // namespace candor::engine::sqlite
