// One statement from its text to a stream: policy, connection, preparation, execution.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <utility>

#include "base/ascii.h"
#include "base/render_json.h"
#include "engine/duckdb/affected.h"
#include "engine/duckdb/bind.h"
#include "engine/duckdb/contract_run.h"
#include "engine/duckdb/core.h"
#include "engine/duckdb/duckdb_engine.h"
#include "engine/duckdb/errors.h"
#include "engine/duckdb/result_stream.h"
#include "engine/duckdb/rows.h"
#include "engine/duckdb/tokens.h"

namespace candor::engine::duckdb {
namespace {

class Runner {
 public:
  Runner(Core& core, const RunRequest& request, CancelToken cancel)
      : core_(core),
        request_(request),
        cancel_(std::move(cancel)),
        deadline_(Clock::now() + std::chrono::milliseconds(std::max<std::int64_t>(request.deadline_ms, 0))) {}

  Result<std::unique_ptr<RowStream>> run() {
    if (!is_utf8(request_.sql) || request_.sql.find('\0') != std::string::npos) {
      return make_error("invalid-text", "the statement is not valid UTF-8 or holds a NUL");
    }
    const bool agent = request_.lane == Lane::kAgent;
    CANDOR_ASSIGN(
        plan_,
        (agent ? core_.agent_policy : core_.review_policy).examine(request_.sql, agent && request_.allow_writes));
    CANDOR_TRY(check_failed_sources());
    CANDOR_ASSIGN(execution_.lease, agent ? core_.connections.agent(plan_.temporary, deadline_, cancel_)
                                          : core_.connections.review(deadline_, cancel_));
    execution_.watch = core_.interrupter.watch(connection(), deadline_, cancel_);
    if (agent)
      CANDOR_TRY(check_ambiguity(core_.names, core_.connections, connection(), request_.sql, writes(plan_.kind)));
    CANDOR_TRY(check_explained());
    CANDOR_TRY(execute_all());
    return stream();
  }

 private:
  [[nodiscard]] duckdb_connection connection() const { return execution_.lease.get(); }

  [[nodiscard]] ErrorContext context() const {
    ErrorContext context;
    context.sql = request_.sql;
    context.stopped = execution_.watch.reason();
    context.deadline_ms = request_.deadline_ms;
    context.memory_bytes = core_.policy.memory_bytes;
    return context;
  }

  [[nodiscard]] Diagnostic engine_error(const char* text) const {
    return translate_error(text == nullptr ? "" : text, context());
  }

  [[nodiscard]] Diagnostic not_allowed(std::string message) const {
    Diagnostic made = make_error("statement-not-allowed", std::move(message));
    made.span = plan_.tokens.front().span;
    return made;
  }

  // A source that could not be opened answers with its own error rather than with an unknown name.
  Status check_failed_sources() const {
    for (const FailedSource& source : core_.failed) {
      const std::string name = lower_ascii(source.name);
      for (std::size_t i = 0; i + 1 < plan_.tokens.size(); ++i) {
        if (!is_name(plan_.tokens[i]) || !is_symbol(plan_.tokens[i + 1], '.')) continue;
        if (lower_ascii(name_of(plan_.tokens[i])) != name) continue;
        Diagnostic made = source.why;
        made.span = plan_.tokens[i].span;
        return made;
      }
    }
    return Ok{};
  }

  Status extract(const char* sql, Extracted& extracted, idx_t& count) const {
    count = duckdb_extract_statements(connection(), sql, extracted.out());
    if (count > 0) return Ok{};
    const char* error = duckdb_extract_statements_error(extracted.get());
    if (error == nullptr) return make_error("syntax", "the statement is empty");
    return engine_error(error);
  }

  Status prepare(Extracted& extracted, idx_t index, Prepared& prepared) const {
    if (const StopReason reason = execution_.watch.reason(); reason != StopReason::kNone) {
      return stopped_error(reason, request_.deadline_ms);
    }
    if (duckdb_prepare_extracted_statement(connection(), extracted.get(), index, prepared.out()) != DuckDBSuccess) {
      return engine_error(duckdb_prepare_error(prepared.get()));
    }
    return Ok{};
  }

  // The engine calls EXPLAIN ANALYZE INSERT an EXPLAIN, so what is explained is asked for its own type.
  Status check_explained() const {
    if (!plan_.explained) return Ok{};
    const std::string inner =
        request_.sql.substr(plan_.explained->start, plan_.explained->end - plan_.explained->start);
    Extracted extracted;
    idx_t count = 0;
    if (!extract(inner.c_str(), extracted, count).ok())
      return Ok{};  // the whole statement gives the error, with its span
    if (count != 1) return not_allowed("only a single SELECT can be explained, a PIVOT only with its values: IN (…)");
    Prepared prepared;
    if (!prepare(extracted, 0, prepared).ok()) return Ok{};
    if (duckdb_prepared_statement_type(prepared.get()) == DUCKDB_STATEMENT_TYPE_SELECT) return Ok{};
    return not_allowed("only a SELECT can be explained");
  }

  Status execute_all() {
    Extracted extracted;
    idx_t count = 0;
    CANDOR_TRY(extract(request_.sql.c_str(), extracted, count));
    if (count > 1 && !plan_.pivots) return make_error("several-statements", "one statement is expected here");
    if (count > 1) return execute_pivot(extracted, count);
    Prepared prepared;
    CANDOR_TRY(prepare(extracted, 0, prepared));
    return execute_main(prepared);
  }

  // PIVOT comes as [BEGIN] CREATE TYPE … the statement [COMMIT]: the type lists the values that become columns. Each can
  // be prepared once, and only after the one before it was executed.
  Status execute_pivot(Extracted& extracted, idx_t count) {
    bool transaction = false;
    for (idx_t i = 0; i < count; ++i) {
      Prepared prepared;
      CANDOR_TRY(rolling_back(transaction, prepare(extracted, i, prepared)));
      const bool main = i + (transaction ? 2 : 1) == count;
      if (main) {
        CANDOR_TRY(rolling_back(transaction, execute_main(prepared)));
        continue;
      }
      const bool edge = duckdb_prepared_statement_type(prepared.get()) == DUCKDB_STATEMENT_TYPE_TRANSACTION &&
                        (i == 0 || (transaction && i + 1 == count));
      CANDOR_TRY(rolling_back(transaction, execute_helper(prepared, edge ? DUCKDB_STATEMENT_TYPE_TRANSACTION
                                                                         : DUCKDB_STATEMENT_TYPE_CREATE)));
      if (edge) transaction = i == 0;
    }
    return Ok{};
  }

  Status rolling_back(bool transaction, Status status) {
    if (!status.ok() && transaction) {
      execution_.result.reset();
      (void)execute(connection(), "ROLLBACK").ok();
    }
    return status;
  }

  Status execute_helper(Prepared& prepared, duckdb_statement_type expected) const {
    if (duckdb_prepared_statement_type(prepared.get()) != expected)
      return not_allowed("this form of PIVOT is not allowed");
    QueryResult result;
    if (duckdb_execute_prepared(prepared.get(), result.out()) != DuckDBSuccess) {
      return engine_error(duckdb_result_error(result.get()));
    }
    return Ok{};
  }

  Status execute_main(Prepared& prepared) {
    if (!type_fits(plan_.kind, duckdb_prepared_statement_type(prepared.get()))) {
      return not_allowed("the engine takes this for a statement of another kind than it begins like");
    }
    CANDOR_TRY(bind_parameters(prepared.get(), request_.parameters));
    if (writes(plan_.kind)) CANDOR_TRY(find_target());
    // Only what reads is streamed: a write is done as a whole before anything is told about it.
    const bool whole = writes(plan_.kind) || plan_.kind == StatementKind::kExplain;
    Pending pending;
    const duckdb_state begun = whole ? duckdb_pending_prepared(prepared.get(), pending.out())
                                     : duckdb_pending_prepared_streaming(prepared.get(), pending.out());
    if (begun != DuckDBSuccess) return engine_error(duckdb_pending_error(pending.get()));
    if (duckdb_execute_pending(pending.get(), execution_.result.out()) != DuckDBSuccess) {
      const std::string error = execution_.result.error();
      const char* slot = duckdb_pending_error(pending.get());
      return engine_error(error.empty() ? slot : error.c_str());
    }
    return Ok{};
  }

  // The name as the catalog has it, looked up before the statement may drop it.
  Status find_target() {
    if (plan_.target.empty()) return Ok{};
    header_.target = plan_.target.back();
    if (plan_.temporary) return Ok{};
    for (const std::string& name : core_.connections.temporaries()) {
      if (plan_.kind != StatementKind::kCreate && lower_ascii(name) == lower_ascii(header_.target)) {
        header_.target = name;
        return Ok{};
      }
    }
    if (plan_.kind == StatementKind::kCreate) return Ok{};
    CANDOR_ASSIGN(const std::optional<std::string> known, core_.names.scratch_name(core_.connections, header_.target));
    if (known) header_.target = *known;
    return Ok{};
  }

  Result<std::unique_ptr<RowStream>> stream() {
    header_.kind = plan_.kind;
    std::optional<std::uint64_t> affected;
    const bool rows = duckdb_result_return_type(*execution_.result.get()) == DUCKDB_RESULT_TYPE_QUERY_RESULT;
    if (writes(plan_.kind)) {
      execution_.watch.end();  // it is committed; nothing may call it stopped any more
      affected = affected_rows(plan_.kind, plan_.tokens, execution_.result);
      CANDOR_TRY(note_changes());
    }
    header_.temporary_objects = core_.connections.temporaries();
    std::optional<ChunkEncoder> encoder;
    if (rows) {
      CANDOR_ASSIGN(encoder, ChunkEncoder::make(execution_.result.get(), request_.cell_chars_max));
      header_.columns = encoder->columns();
    } else {
      execution_.release();
    }
    return std::unique_ptr<RowStream>(std::make_unique<ResultStream>(
        request_, context(), std::move(header_), std::move(execution_), std::move(encoder), affected));
  }

  Status note_changes() {
    if (plan_.kind != StatementKind::kCreate && plan_.kind != StatementKind::kDrop) return Ok{};
    core_.objects_changed();
    if (!execution_.lease.is_main()) return Ok{};
    if (!plan_.temporary && !core_.connections.any_temporaries()) return Ok{};
    return refresh_temporaries(core_.connections, connection(), plan_.temporary && plan_.macro);
  }

  Core& core_;
  const RunRequest& request_;
  CancelToken cancel_;
  Clock::time_point deadline_;
  StatementPlan plan_;
  Header header_;
  Execution execution_;
};

}  // namespace

Result<std::unique_ptr<RowStream>> DuckdbEngine::run(const RunRequest& request, CancelToken cancel) {
  if (core_->policy.contract) return run_contract_read(*core_, request, std::move(cancel));
  if (request.lane == Lane::kContract) return make_error("statement-not-allowed", "these sources have no contract");
  return Runner(*core_, request, std::move(cancel)).run();
}

}  // namespace candor::engine::duckdb
