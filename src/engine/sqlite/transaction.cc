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
constexpr std::size_t kStatementsMax = 32;  // kept prepared
// How long a commit waits for those who still read, when the caller's patience is shorter: the work is done by then.
constexpr std::int64_t kCommitPatienceMs = 1'000;
constexpr std::int64_t kPatienceMax = std::int64_t{1000} * 60 * 60 * 24;

StatementKind kind_of(const std::optional<sql::Action>& written) {
  if (!written) return StatementKind::kSelect;
  if (*written == sql::Action::kInsert) return StatementKind::kInsert;
  return *written == sql::Action::kUpdate ? StatementKind::kUpdate : StatementKind::kDelete;
}

// No stream has it any more, nothing was refused on it, and nothing is open.
bool can_be_kept(const std::shared_ptr<Writer>& writer) {
  return writer.use_count() == 1 && !writer->connection->refused() && !writer->connection->database().in_transaction();
}

class SqliteTransaction final : public CheckedTransaction {
 public:
  SqliteTransaction(std::shared_ptr<Writer> writer, std::shared_ptr<IdleWriter> idle, SourceSpec source)
      : writer_(std::move(writer)),
        idle_(std::move(idle)),
        connection_(writer_->connection.get()),
        source_(std::move(source)) {}
  ~SqliteTransaction() override {
    roll_back();
    connection_->unwatch();
    if (can_be_kept(writer_)) idle_->give(std::move(writer_));
  }
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
    CANDOR_ASSIGN(Writer::Known known, prepared(request.sql));
    CANDOR_TRY(bind_all(known.statement, request.parameters));
    const auto keep = [writer = writer_, text = request.sql, kind = known.kind](sql::Statement statement) {
      if (writer->statements.size() >= kStatementsMax) writer->statements.clear();
      writer->statements.insert_or_assign(text, Writer::Known{std::move(statement), kind});
    };
    auto stream = std::make_unique<SqliteStream>(Pool::Lease(writer_->connection), std::move(known.statement), request,
                                                 known.kind, source_, deadline, keep);
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
  // The statements of a batch are mostly one text with other parameters.
  Result<Writer::Known> prepared(const std::string& text) {
    if (auto node = writer_->statements.extract(text); !node.empty()) return std::move(node.mapped());
    CANDOR_ASSIGN(auto statement, prepare_one(*connection_, text, source_));
    const StatementKind kind = kind_of(connection_->written());
    if (statement.empty() || (statement.column_count() == 0 && !writes(kind))) {
      return make_error("statement-not-allowed", "only reading, inserting, updating and deleting is done here");
    }
    return Writer::Known{std::move(statement), kind};
  }

  void roll_back() {
    if (!connection_->database().in_transaction()) return;
    connection_->unwatch();
    const Connection::Trusted trusted(*connection_);
    // What can't be rolled back now is, by whoever opens the file next.
    (void)connection_->database().run("ROLLBACK").ok();
  }

  std::shared_ptr<Writer> writer_;
  std::shared_ptr<IdleWriter> idle_;
  Connection* const connection_;  // the writer's
  const SourceSpec source_;
};

Status begin_on(Connection& connection, const SourceSpec& source) {
  const Connection::Trusted trusted(connection);
  auto begun = connection.database().run("BEGIN IMMEDIATE");
  if (begun.ok()) return Ok{};
  return statement_error(std::move(begun).error(), connection, connection.database().fault(), source, {});
}

Result<std::int64_t> schema_version(Connection& connection) {
  const Connection::Trusted trusted(connection);
  CANDOR_ASSIGN(auto asked, connection.database().prepare("PRAGMA schema_version"));
  CANDOR_ASSIGN(const bool row, asked.step());
  return row ? asked.integer(0) : -1;
}

// The idle writer inside a transaction; null where it can't be taken. A schema that others changed is seen by a new
// connection alone: virtual tables declare themselves anew, which the allow-list refuses.
Result<std::shared_ptr<Writer>> begin_idle(IdleWriter& idle, const SourceSpec& source) {
  std::shared_ptr<Writer> writer = idle.take();
  const auto file = file_state(source.path);
  if (writer == nullptr || !file || !file->same_file(writer->connection->file())) return std::shared_ptr<Writer>();
  Connection& connection = *writer->connection;
  connection.database().set_busy_timeout(0);
  if (Status begun = begin_on(connection, source); !begun.ok()) {
    if (begun.error().code != "busy") return std::shared_ptr<Writer>();
    idle.give(std::move(writer));
    return std::move(begun).error();
  }
  const Result<std::int64_t> version = schema_version(connection);
  if (version.ok() && *version == writer->schema) return writer;
  // Closing it rolls back.
  return std::shared_ptr<Writer>();
}

// A writer inside a transaction, or `busy` for a lock that others hold.
Result<std::shared_ptr<Writer>> try_begin(const SourceSpec& source, IdleWriter& idle) {
  CANDOR_ASSIGN(std::shared_ptr<Writer> known, begin_idle(idle, source));
  if (known != nullptr) return known;
  auto opened = Connection::open(source, Use::kContractWrite);
  if (!opened.ok()) {
    if (opened.error().code == "file-locked") opened.error().code = "busy";
    return std::move(opened).error();
  }
  auto writer = std::make_shared<Writer>();
  writer->connection = std::move(*opened);
  CANDOR_TRY(begin_on(*writer->connection, source));
  // One that can't be told fits no later one.
  const Result<std::int64_t> version = schema_version(*writer->connection);
  writer->schema = version.ok() ? *version : -2;
  return writer;
}

}  // namespace

std::shared_ptr<Writer> IdleWriter::take() {
  const std::lock_guard lock(mutex_);
  return std::exchange(writer_, nullptr);
}

void IdleWriter::give(std::shared_ptr<Writer> writer) {
  // What it takes the place of is closed without the lock.
  std::shared_ptr<Writer> old = std::move(writer);
  const std::lock_guard lock(mutex_);
  std::swap(old, writer_);
}

Result<std::unique_ptr<Transaction>> begin_transaction(const SourceSpec& source,
                                                       const std::shared_ptr<IdleWriter>& idle, std::int64_t wait_ms,
                                                       const CancelToken& cancel) {
  const std::int64_t patience = std::clamp<std::int64_t>(wait_ms, 0, kPatienceMax);
  const auto give_up = Clock::now() + Milliseconds(patience);
  while (true) {
    auto begun = try_begin(source, *idle);
    if (begun.ok()) {
      (*begun)->connection->database().set_busy_timeout(static_cast<int>(std::max(patience, kCommitPatienceMs)));
      return std::unique_ptr<Transaction>(std::make_unique<SqliteTransaction>(std::move(*begun), idle, source));
    }
    if (begun.error().code != "busy") return std::move(begun).error();
    if (cancel.cancelled()) return make_error("cancelled", "the transaction was cancelled");
    if (Clock::now() >= give_up) return std::move(begun).error();
    std::this_thread::sleep_for(kTick);
  }
}

}  // namespace candor::engine::sqlite
