// A transaction that writes to the SQLite file of a contract.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "engine/engine.h"
#include "engine/sqlite/sandbox.h"
#include "sqlite/sqlite.h"

namespace candor::engine::sqlite {

// A connection that writes, with the statements that were prepared on it.
struct Writer {
  struct Known {
    candor::sqlite::Statement statement;  // empty while it runs
    StatementKind kind = StatementKind::kSelect;
  };
  std::shared_ptr<Connection> connection;
  std::map<std::string, Known, std::less<>> statements;  // by text; after the connection: they end first
  std::int64_t schema = 0;                               // the version that the connection has seen
};

// The writer of the last transaction, for the next one: opening a connection costs more than a small write. Between
// transactions it holds no lock.
class IdleWriter {
 public:
  [[nodiscard]] std::shared_ptr<Writer> take();
  void give(std::shared_ptr<Writer> writer);

 private:
  std::mutex mutex_;
  std::shared_ptr<Writer> writer_;
};

// On a connection that is its own, from BEGIN IMMEDIATE to COMMIT or ROLLBACK: SQLite lets one writer in at a time, and others
// wait here. Foreign keys are enforced, and the application's triggers run. Fails with `busy` after `wait_ms`, and when
// the file can't be written to, with `file-error`.
[[nodiscard]] Result<std::unique_ptr<Transaction>> begin_transaction(const SourceSpec& source,
                                                                     const std::shared_ptr<IdleWriter>& idle,
                                                                     std::int64_t wait_ms, const CancelToken& cancel);

}  // namespace candor::engine::sqlite
