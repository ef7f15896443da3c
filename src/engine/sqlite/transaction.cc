// BEGIN IMMEDIATE, statements, COMMIT.
#include "engine/sqlite/transaction.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <thread>
#include <utility>

#include "engine/checked_transaction.h"
#include "engine/sqlite/errors.h"
#include "engine/sqlite/prepare.h"
#include "engine/sqlite/rows.h"
#include "engine/sqlite/sandbox.h"

namespace candor::engine::sqlite {
namespace {

namespace sql = candor::sqlite;
using Milliseconds = std::chrono::milliseconds;

constexpr Milliseconds kTick{5};
// How long a commit waits for those who still read, when the caller's patience is shorter: the work is done by then.
constexpr std::int64_t kCommitPatienceMs = 1'000;
constexpr std::int64_t kPatienceMax = std::int64_t{1000} * 60 * 60 * 24;

StatementKind kind_of(const std::optional<sql::Action>& written) {
  if (!written) return StatementKind::kSelect;
  if (*written == sql::Action::kInsert) return StatementKind::kInsert;
  return *written == sql::Action::kUpdate ? StatementKind::kUpdate : StatementKind::kDelete;
}

class SqliteTransaction final : public CheckedTransaction {
 public:
  SqliteTransaction(std::shared_ptr<Connection> connection, SourceSpec source)
      : connection_(std::move(connection)), source_(std::move(source)) {}
  ~SqliteTransaction() override { roll_back(); }
  SqliteTransaction(const SqliteTransaction&) = delete;
  SqliteTransaction& operator=(const SqliteTransaction&) = delete;

 protected:
  Result<std::unique_ptr<RowStream>> start(const RunRequest& request, CancelToken cancel) override {
    const auto deadline =
        Clock::now() + Milliseconds(std::clamp<std::int64_t>(request.deadline_ms, 0, kPatienceMax * 365));
    if (request.lane != Lane::kContract) {
      return make_error("statement-not-allowed", "only statements of a contract run in its transactions");
    }
    // SQLite ends a transaction by itself after some failures; then nothing may be written outside of one.
    if (!connection_->database().in_transaction()) {
      return make_error("engine-error", "the transaction has been rolled back");
    }
    CANDOR_TRY(check_text(request.sql));
    connection_->watch(std::move(cancel), deadline);
    CANDOR_ASSIGN(auto statement, prepare_one(*connection_, request.sql, source_));
    const StatementKind kind = kind_of(connection_->written());
    if (statement.empty() || (statement.column_count() == 0 && !writes(kind))) {
      return make_error("statement-not-allowed", "only reading, inserting, updating and deleting is done here");
    }
    CANDOR_TRY(bind_all(statement, request.parameters));
    auto stream = std::make_unique<SqliteStream>(Pool::Lease(connection_), std::move(statement), request, kind, source_,
                                                 deadline);
    CANDOR_TRY(stream->start());
    return std::unique_ptr<RowStream>(std::move(stream));
  }

  Status finish() override {
    connection_->unwatch();
    connection_->forget_refusals();
    if (!connection_->database().in_transaction()) {
      return make_error("engine-error", "the transaction has been rolled back");
    }
    Status committed = Ok{};
    {
      const Connection::Trusted trusted(*connection_);
      committed = connection_->database().run("COMMIT");
    }
    if (committed.ok()) return committed;
    Diagnostic failure =
        statement_error(std::move(committed).error(), *connection_, connection_->database().fault(), source_, {});
    roll_back();
    return failure;
  }

 private:
  void roll_back() {
    if (!connection_->database().in_transaction()) return;
    connection_->unwatch();
    const Connection::Trusted trusted(*connection_);
    // What can't be rolled back now is, by whoever opens the file next.
    (void)connection_->database().run("ROLLBACK").ok();
  }

  std::shared_ptr<Connection> connection_;
  const SourceSpec source_;
};

// A connection inside a transaction, or `busy` for a lock that others hold.
Result<std::shared_ptr<Connection>> try_begin(const SourceSpec& source) {
  auto opened = Connection::open(source, Use::kContractWrite);
  if (!opened.ok()) {
    if (opened.error().code == "file-locked") opened.error().code = "busy";
    return std::move(opened).error();
  }
  std::shared_ptr<Connection> connection = std::move(*opened);
  const Connection::Trusted trusted(*connection);
  auto begun = connection->database().run("BEGIN IMMEDIATE");
  if (begun.ok()) return connection;
  return statement_error(std::move(begun).error(), *connection, connection->database().fault(), source, {});
}

}  // namespace

Result<std::unique_ptr<Transaction>> begin_transaction(const SourceSpec& source, std::int64_t wait_ms,
                                                       const CancelToken& cancel) {
  const std::int64_t patience = std::clamp<std::int64_t>(wait_ms, 0, kPatienceMax);
  const auto give_up = Clock::now() + Milliseconds(patience);
  while (true) {
    auto begun = try_begin(source);
    if (begun.ok()) {
      (*begun)->database().set_busy_timeout(static_cast<int>(std::max(patience, kCommitPatienceMs)));
      return std::unique_ptr<Transaction>(std::make_unique<SqliteTransaction>(std::move(*begun), source));
    }
    if (begun.error().code != "busy") return std::move(begun).error();
    if (cancel.cancelled()) return make_error("cancelled", "the transaction was cancelled");
    if (Clock::now() >= give_up) return std::move(begun).error();
    std::this_thread::sleep_for(kTick);
  }
}

}  // namespace candor::engine::sqlite
