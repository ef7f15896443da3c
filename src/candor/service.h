// The implementation of the facade: its parts by subject are run.cc, materialize.cc, schema.cc, commit.cc, learn.cc and check.cc.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "candor/candor.h"
#include "candor/session.h"
#include "exec/exec.h"

namespace candor {

class Service final : public Candor {
 public:
  Service(config::Configuration configuration, std::string worker, std::unique_ptr<ledger::Ledger> ledger);
  ~Service() override;

  [[nodiscard]] const config::Configuration& configuration() const override { return configuration_; }
  [[nodiscard]] Status run(const Caller& caller, std::string_view sql, const RunOptions& options, ResultSink& sink,
                           CancelToken cancel) override;
  [[nodiscard]] Result<Explanation> explain(const Caller& caller, std::string_view sql,
                                            const RunOptions& options) override;
  [[nodiscard]] Result<Materialized> materialize(const Caller& caller, std::string_view sql, const std::string& table,
                                                 bool replace, const RunOptions& options, CancelToken cancel) override;
  [[nodiscard]] Result<Schema> schema(const Caller& caller, const std::string& resource) override;
  [[nodiscard]] Result<CommitOutcome> commit(const Caller& caller, const json::Node& input,
                                             CancelToken cancel) override;
  [[nodiscard]] Result<std::vector<Checked>> check(const Caller& caller, std::string_view sql,
                                                   const RunOptions& options, CancelToken cancel) override;
  [[nodiscard]] Result<Verification> verify(const std::string& answer_id, CancelToken cancel) override;
  [[nodiscard]] Result<Undone> undo(const Caller& caller, const std::string& batch_id, bool dry_run,
                                    CancelToken cancel) override;
  [[nodiscard]] Result<ContractCheck> check_contract(const Caller& caller, const std::string& file,
                                                     const std::string& source, CancelToken cancel) override;
  [[nodiscard]] Result<std::string> initial_contract(const Caller& caller, const std::string& source,
                                                     CancelToken cancel) override;
  [[nodiscard]] ledger::Ledger& ledger() override { return *ledger_; }
  void close_session(const std::string& session, bool keep) override;

 private:
  // A call for the telemetry, and when what it does now began.
  struct Asked {
    ledger::Call call;
    std::chrono::steady_clock::time_point began;
    std::int64_t started_ms = 0;
    Asked() { restart(); }
    void restart();
  };
  struct Prepared {  // what every call of a session begins with
    std::shared_ptr<Session> session;
    ledger::TurnKey turn;
    std::shared_ptr<Asked> asked = std::make_shared<Asked>();
  };
  [[nodiscard]] Result<Prepared> prepare(const Caller& caller);
  [[nodiscard]] Status check_text(std::string_view sql) const;  // of statements, before anything is done with it
  [[nodiscard]] std::string folder_of(const std::string& session) const;
  [[nodiscard]] engine::RunRequest request_of(std::string_view sql, const RunOptions& options) const;

  [[nodiscard]] Status run_prepared(const Caller& caller, const Prepared& prepared, std::string_view sql,
                                    const RunOptions& options, ResultSink& sink, const CancelToken& cancel);
  [[nodiscard]] Result<Materialized> copy_rows(const Caller& caller, const Prepared& prepared, std::string_view sql,
                                               const std::string& table, bool replace, const RunOptions& options,
                                               const CancelToken& cancel);
  // One statement of a batch; whether it succeeded.
  struct Execution;
  bool run_one(const Caller& caller, const Prepared& prepared, StatementStart start, const RunOptions& options,
               ResultSink& sink, const CancelToken& cancel);
  Diagnostic explain_failure(Session& session, std::string_view sql, Diagnostic failure);
  void add_table_warnings(Session& session, std::string_view sql, std::vector<Warning>& warnings);
  // Statements for a source with a contract (contract_run.cc).
  [[nodiscard]] Status run_contract(const Caller& caller, const Prepared& prepared, const Published& published,
                                    std::string_view sql, const RunOptions& options, ResultSink& sink,
                                    const CancelToken& cancel);
  [[nodiscard]] Result<exec::Environment> environment_of(const Published& published, const RunOptions& options) const;
  [[nodiscard]] static Result<std::vector<bind::BoundStatement>> bind_batch(std::string_view sql,
                                                                            const exec::Environment& environment,
                                                                            const CancelToken& cancel);
  struct Delivery {  // what all statements of a batch have in common
    bool dry_run = false;
    std::string batch_id;
    std::string not_kept;              // why the batch can't be undone; empty: it can, or there is nothing to undo
    std::optional<ShapedRows> shaped;  // of a read
    bool shaping_ignored = false;      // of a write
  };
  struct Ran;  // a statement that has run: what the ledger keeps of it and what the caller is told
  [[nodiscard]] static Ran ran(const Prepared& prepared, const Published& published, StatementStart start,
                               std::string normalized, const exec::Outcome& outcome, const Delivery& delivery);
  // All of them go to the ledger together, before the first is told.
  void deliver(const Caller& caller, const Prepared& prepared, std::vector<Ran> statements, ResultSink& sink);
  [[nodiscard]] Status write_contract(const Caller& caller, const Prepared& prepared, const Published& published,
                                      const std::vector<bind::BoundStatement>& batch,
                                      const exec::Environment& environment, const CancelToken& cancel,
                                      std::size_t& failed, exec::Written& written, Delivery& delivery);
  // Undoing (undo.cc).
  class HeldBatch;
  [[nodiscard]] Result<Undone> undo_held(const Prepared& prepared, HeldBatch& held, bool dry_run,
                                         const CancelToken& cancel);
  void reject(const Caller& caller, const Prepared& prepared, const std::string& source, std::string_view sql,
              const Diagnostic& failure);
  [[nodiscard]] Status execute(const Prepared& prepared, StatementStart& start, const RunOptions& options,
                               ResultSink& sink, const CancelToken& cancel, Execution& execution);
  // Takes the rows of a SELECT, and of its whole where the flags ask for that (shape.cc).
  [[nodiscard]] Status run_shaped(const Route& route, StatementStart& start, const RunOptions& options,
                                  const engine::RunRequest& request, engine::RowStream& stream,
                                  const CancelToken& cancel, Execution& execution);
  // None where no flags were given.
  [[nodiscard]] static Result<std::optional<ShapedRows>> shape_outcome(const bind::BoundStatement& statement,
                                                                       const exec::Environment& environment,
                                                                       const RunOptions& options,
                                                                       const exec::Outcome& outcome,
                                                                       const CancelToken& cancel);
  [[nodiscard]] static Result<engine::End> hand_over(engine::RowStream& stream, std::size_t columns, ResultSink& sink,
                                                     Execution& execution);
  [[nodiscard]] std::map<std::string, std::string> versions_read(Session& session);
  [[nodiscard]] Status record(const Caller& caller, const Prepared& prepared, Execution& execution);
  // In one transaction of the ledger.
  [[nodiscard]] Status record_all(const Caller& caller, const Prepared& prepared,
                                  const std::vector<Execution*>& executions);
  struct Recording;
  static void fill(Recording& recording, const Caller& caller, const Prepared& prepared, Execution& execution);

  // A call that failed before its first statement was begun.
  void tell_unrun(const Caller& caller, const Prepared& prepared, std::string_view sql, const Diagnostic& failure);
  void tell(const ledger::Telemetry& record);       // to the ledger and the log
  void log(const ledger::Telemetry& record) const;  // to the log alone
  void tell_commit(const Caller& caller, const ledger::TurnKey& turn, const Result<CommitOutcome>& outcome,
                   double duration_ms);

  // The review of a commit (commit.cc).
  // Sets `turn` as soon as it is known.
  [[nodiscard]] Result<CommitOutcome> submit(const Caller& caller, const json::Node& input, ledger::TurnKey& turn);
  struct Submission;
  [[nodiscard]] review::Settings review_settings() const;
  [[nodiscard]] Result<Submission> read_submission(const Caller& caller, const Prepared& prepared,
                                                   const json::Node& input);
  void review_submission(Submission& submission, Session& session);
  [[nodiscard]] review::Context review_context(Session& session, const Route& route, std::string_view sql);
  [[nodiscard]] std::string changed_since(const ledger::QueryRecord& query, Session& session, engine::Engine& engine);
  [[nodiscard]] Result<CommitOutcome> accept(Submission& submission, bool acknowledged,
                                             const json::Node* stored_receipt);
  [[nodiscard]] Result<CommitOutcome> hold(Submission& submission);
  [[nodiscard]] Result<CommitOutcome> review_in_slot(Submission& submission, Session& session);
  // Remembers what was measured; what went wrong with it is a warning. Where a commit says what became of it.
  struct Learned {
    std::string source, query_id, answer_id, outcome;  // source: where the query ran
  };
  [[nodiscard]] std::vector<Warning> learn(const std::vector<review::CheckResult>& checks, const Learned& from,
                                           Session& session) const;
  void learn_from(const Submission& submission, Session& session, CommitOutcome& outcome) const;
  void add_known_joins(Session& session, const Schema& all, Schema& shown) const;
  void leave_slot(const ledger::TurnKey& turn);
  void release_left_slots();

  config::Configuration configuration_;
  std::string worker_;
  std::unique_ptr<ledger::Ledger> ledger_;
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<Session>> sessions_;
  std::vector<ledger::TurnKey> left_slots_;  // reserved by this process and not held; released before the next commit
};

}  // namespace candor
