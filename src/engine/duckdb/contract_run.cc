// Contract statements, alone and in a transaction.
#include "engine/duckdb/contract_run.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/render_json.h"
#include "engine/checked_transaction.h"
#include "engine/duckdb/affected.h"
#include "engine/duckdb/bind.h"
#include "engine/duckdb/errors.h"
#include "engine/duckdb/result_stream.h"
#include "engine/duckdb/rows.h"

namespace candor::engine::duckdb {
namespace {

using std::chrono::milliseconds;

constexpr std::int64_t kPatienceMax = std::int64_t{1000} * 60 * 60 * 24 * 365;

Clock::time_point after(std::int64_t ms) {
  return Clock::now() + milliseconds(std::clamp<std::int64_t>(ms, 0, kPatienceMax));
}

// The four kinds by the engine's own word. It calls PRAGMA, SHOW and EXPLAIN otherwise or SELECT; none is lowered to.
std::optional<StatementKind> kind_of(Prepared& prepared) {
  const int type = duckdb_prepared_statement_type(prepared.get());
  constexpr std::array kKinds = {StatementKind::kSelect, StatementKind::kInsert, StatementKind::kUpdate,
                                 StatementKind::kDelete};
  const auto* found = std::ranges::find_if(kKinds, [&](StatementKind kind) { return type_fits(kind, type); });
  return found == kKinds.end() ? std::nullopt : std::optional(*found);
}

class ContractRunner {
 public:
  ContractRunner(Core& core, const RunRequest& request, CancelToken cancel)
      : core_(core), request_(request), cancel_(std::move(cancel)), deadline_(after(request.deadline_ms)) {}

  // Attaches the source for the statement alone, on a connection of its own: one that is gone holds nothing open.
  Result<std::unique_ptr<RowStream>> read() {
    CANDOR_TRY(check());
    auto use = std::make_shared<Attachment::Use>();
    CANDOR_ASSIGN(*use, core_.attachment.read(deadline_, cancel_));
    execution_.held = std::move(use);
    if (duckdb_connect(core_.database.get(), execution_.own.out()) != DuckDBSuccess) {
      return make_error("engine-error", "the engine gives no further connection");
    }
    return run(execution_.own.get(), false);
  }

  // `session` owns the connection and outlives the rows.
  Result<std::unique_ptr<RowStream>> run_in(duckdb_connection connection, std::shared_ptr<const void> session) {
    CANDOR_TRY(check());
    execution_.held = std::move(session);
    return run(connection, true);
  }

 private:
  Status check() const {
    if (request_.lane == Lane::kAgent) {
      return make_error("statement-not-allowed", "the source is published by a contract alone");
    }
    if (is_utf8(request_.sql) && request_.sql.find('\0') == std::string::npos) return Ok{};
    return make_error("invalid-text", "the statement is not valid UTF-8 or holds a NUL");
  }

  [[nodiscard]] ErrorContext context() const {
    ErrorContext context;
    context.sql = request_.sql;
    context.stopped = execution_.watch.reason();
    context.deadline_ms = request_.deadline_ms;
    context.memory_bytes = core_.policy.memory_bytes;
    context.contract = true;
    return context;
  }

  [[nodiscard]] Diagnostic engine_error(const char* text) const {
    return translate_error(text == nullptr ? "" : text, context());
  }

  Result<std::unique_ptr<RowStream>> run(duckdb_connection connection, bool may_write) {
    execution_.watch = core_.interrupter.watch(connection, deadline_, cancel_);
    Extracted extracted;
    const idx_t count = duckdb_extract_statements(connection, request_.sql.c_str(), extracted.out());
    if (count == 0) {
      const char* error = duckdb_extract_statements_error(extracted.get());
      if (error == nullptr) return make_error("syntax", "the statement is empty");
      return engine_error(error);
    }
    if (count > 1) return make_error("several-statements", "one statement is expected here");
    Prepared prepared;
    if (duckdb_prepare_extracted_statement(connection, extracted.get(), 0, prepared.out()) != DuckDBSuccess) {
      return engine_error(duckdb_prepare_error(prepared.get()));
    }
    const std::optional<StatementKind> kind = kind_of(prepared);
    if (!kind) {
      return make_error("statement-not-allowed", "only reading, inserting, updating and deleting is done here");
    }
    if (writes(*kind) && !may_write) {
      return make_error("read-only", "a statement that writes needs a transaction");
    }
    CANDOR_TRY(bind_parameters(prepared.get(), request_.parameters));
    CANDOR_TRY(execute(prepared, writes(*kind)));
    return stream(*kind);
  }

  Status execute(Prepared& prepared, bool whole) {
    if (const StopReason reason = execution_.watch.reason(); reason != StopReason::kNone) {
      return stopped_error(reason, request_.deadline_ms);
    }
    Pending pending;
    const duckdb_state begun = whole ? duckdb_pending_prepared(prepared.get(), pending.out())
                                     : duckdb_pending_prepared_streaming(prepared.get(), pending.out());
    if (begun != DuckDBSuccess) return engine_error(duckdb_pending_error(pending.get()));
    if (duckdb_execute_pending(pending.get(), execution_.result.out()) == DuckDBSuccess) return Ok{};
    const std::string error = execution_.result.error();
    return engine_error(error.empty() ? duckdb_pending_error(pending.get()) : error.c_str());
  }

  Result<std::unique_ptr<RowStream>> stream(StatementKind kind) {
    Header header;
    header.kind = kind;
    std::optional<std::uint64_t> affected;
    if (writes(kind)) affected = affected_rows(kind, tokenize(request_.sql), execution_.result);
    std::optional<ChunkEncoder> encoder;
    const ErrorContext told = context();
    if (duckdb_result_return_type(*execution_.result.get()) == DUCKDB_RESULT_TYPE_QUERY_RESULT) {
      CANDOR_ASSIGN(encoder, ChunkEncoder::make(execution_.result.get(), request_.cell_chars_max));
      header.columns = encoder->columns();
    } else {
      execution_.release();
    }
    return std::unique_ptr<RowStream>(std::make_unique<ResultStream>(
        request_, told, std::move(header), std::move(execution_), std::move(encoder), affected));
  }

  Core& core_;
  const RunRequest& request_;
  CancelToken cancel_;
  const Clock::time_point deadline_;
  Execution execution_;
};

class ContractTransaction final : public CheckedTransaction {
 public:
  // What the rows of its statements need, too.
  struct Session {
    std::shared_ptr<Core> core;
    Attachment::Use use;
    Connection connection;  // gone before the file is let go
    bool open = false;      // there is something to roll back

    Session() = default;
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;
    ~Session() {
      if (open) (void)duckdb::execute(connection.get(), "ROLLBACK").ok();
    }
  };

  explicit ContractTransaction(std::shared_ptr<Session> session) : session_(std::move(session)) {}

 protected:
  Result<std::unique_ptr<RowStream>> start(const RunRequest& request, CancelToken cancel) override {
    return ContractRunner(*session_->core, request, std::move(cancel)).run_in(session_->connection.get(), session_);
  }

  Status finish() override {
    QueryResult result;
    const bool done = duckdb_query(session_->connection.get(), "COMMIT", result.out()) == DuckDBSuccess;
    session_->open = false;
    Status committed = Ok{};
    if (!done) {
      ErrorContext context;
      context.contract = true;
      Diagnostic failure = translate_error(result.error(), context);
      // The engine has given itself up in the middle of it.
      if (failure.code == "engine-died") failure.code = "write-unknown";
      committed = std::move(failure);
    }
    result.reset();
    session_->connection.reset();
    session_->use.give_back();
    return committed;
  }

 private:
  std::shared_ptr<Session> session_;
};

}  // namespace

Result<std::unique_ptr<RowStream>> run_contract_read(Core& core, const RunRequest& request, CancelToken cancel) {
  return ContractRunner(core, request, std::move(cancel)).read();
}

Result<std::unique_ptr<Transaction>> begin_contract(std::shared_ptr<Core> core, std::int64_t wait_ms,
                                                    const CancelToken& cancel) {
  auto session = std::make_shared<ContractTransaction::Session>();
  CANDOR_ASSIGN(session->use, core->attachment.write(after(wait_ms), cancel));
  if (duckdb_connect(core->database.get(), session->connection.out()) != DuckDBSuccess) {
    return make_error("engine-error", "the engine gives no further connection");
  }
  session->core = std::move(core);
  CANDOR_TRY(execute(session->connection.get(), "BEGIN TRANSACTION"));
  session->open = true;
  return std::unique_ptr<Transaction>(std::make_unique<ContractTransaction>(std::move(session)));
}

}  // namespace candor::engine::duckdb
