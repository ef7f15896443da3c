// The Engine interface over the sandboxed connections of one SQLite file.
#include "engine/sqlite/sqlite_engine.h"

#include <algorithm>
#include <utility>

#include "engine/sqlite/catalog.h"
#include "engine/sqlite/errors.h"
#include "engine/sqlite/functions.h"
#include "engine/sqlite/prepare.h"
#include "engine/sqlite/rows.h"
#include "engine/sqlite/sandbox.h"
#include "engine/sqlite/statement.h"
#include "engine/sqlite/transaction.h"

namespace candor::engine::sqlite {
namespace {

constexpr auto kCatalogPatience = std::chrono::seconds(30);

class SqliteEngine final : public Engine {
 public:
  SqliteEngine(SourceSpec source, Parser parser, Use use)
      : use_(use), pool_(std::make_shared<Pool>(std::move(source), use)), parser_(std::move(parser)) {}

  Status look() {
    CANDOR_ASSIGN(const auto lease, pool_->lease());
    return Ok{};
  }

  Result<std::unique_ptr<RowStream>> run(const RunRequest& request, CancelToken cancel) override {
    const auto deadline =
        Clock::now() + std::chrono::milliseconds(std::clamp<std::int64_t>(request.deadline_ms, 0, kDeadlineMax));
    CANDOR_TRY(check_lane(request.lane));
    CANDOR_TRY(check_text(request.sql));
    CANDOR_ASSIGN(const StatementKind kind, classify(request.sql, source().name));
    CANDOR_ASSIGN(auto lease, pool_->lease());
    auto started = start(std::move(lease), request, kind, cancel, deadline);
    if (started.ok() || !helped_by_a_new_connection(started.error())) return started;
    CANDOR_ASSIGN(auto fresh, pool_->fresh_lease());
    return start(std::move(fresh), request, kind, cancel, deadline);
  }

  Result<std::unique_ptr<Transaction>> begin(std::int64_t wait_ms, CancelToken cancel) override {
    if (use_ != Use::kContract) return Engine::begin(wait_ms, std::move(cancel));
    return begin_transaction(source(), writer_, wait_ms, cancel);
  }

  Result<Catalog> catalog() override {
    return ask([&](Connection& connection) { return read_catalog(connection, source()); });
  }

  Result<TableFacts> table_facts(const TableName& name, const std::vector<std::string>& columns) override {
    return ask([&](Connection& connection) { return read_table_facts(connection, source(), name, columns); });
  }

  Result<std::vector<FunctionFacts>> function_facts(const std::vector<std::string>& names) override {
    std::vector<FunctionFacts> facts;
    for (const std::string& name : names) {
      const Function* function = find_function(name);
      const bool known = function != nullptr || is_operator(name);
      facts.push_back({name, known, is_operator(name) || (function != nullptr && function->repeatable)});
    }
    return facts;
  }

  Result<std::string> syntax_tree(std::string_view text) override {
    if (!parser_.syntax_tree) return no_parser();
    return parser_.syntax_tree(text);
  }

  Result<std::string> print_tree(std::string_view tree) override {
    if (!parser_.print_tree) return no_parser();
    return parser_.print_tree(tree);
  }

  Result<std::uint64_t> append(const std::string&, const std::vector<Column>&, bool, RowStream&, CancelToken) override {
    return make_error("read-only", "source " + source().name + " is published for reading",
                      "materialize into the scratch database");
  }

 private:
  static constexpr std::int64_t kDeadlineMax = std::int64_t{1000} * 60 * 60 * 24 * 365;

  // After another process changed the schema, virtual tables declare themselves anew, which the allow-list refuses; and one
  // that was killed may have left a change half-way. A new connection sees to both before the list is in force.
  [[nodiscard]] bool helped_by_a_new_connection(const Diagnostic& failure) const {
    return failure.code == "read-only" || (failure.code == "file-error" && use_ == Use::kContract);
  }

  // The same second try as in run.
  template <typename Question>
  auto ask(Question question) -> decltype(question(std::declval<Connection&>())) {
    CANDOR_ASSIGN(const auto lease, pool_->lease());
    lease->watch({}, Clock::now() + kCatalogPatience);
    auto answer = question(*lease);
    if (answer.ok() || !helped_by_a_new_connection(answer.error())) return answer;
    CANDOR_ASSIGN(const auto fresh, pool_->fresh_lease());
    fresh->watch({}, Clock::now() + kCatalogPatience);
    return question(*fresh);
  }

  // A source is published either to agents or by a contract.
  Status check_lane(Lane lane) const {
    const bool contract = use_ == Use::kContract;
    if (lane == Lane::kReview || (lane == Lane::kContract) == contract) return Ok{};
    return make_error("statement-not-allowed", contract
                                                   ? "source " + source().name + " is published by a contract alone"
                                                   : "source " + source().name + " has no contract");
  }

  static Diagnostic no_parser() { return make_error("engine-error", "this engine was started without a parser"); }

  const SourceSpec& source() const { return pool_->source(); }

  Result<std::unique_ptr<RowStream>> start(Pool::Lease lease, const RunRequest& request, StatementKind kind,
                                           const CancelToken& cancel, Clock::time_point deadline) {
    lease->watch(cancel, deadline);
    CANDOR_ASSIGN(auto statement, prepare_one(*lease, request.sql, source()));
    // The allow-list has decided already; should it ever miss a writing statement, this does not.
    if (!statement.readonly() || (kind == StatementKind::kSelect && statement.column_count() == 0)) {
      return make_error("read-only", "source " + source().name + " is published for reading");
    }
    CANDOR_TRY(bind_all(statement, request.parameters));
    auto stream =
        std::make_unique<SqliteStream>(std::move(lease), std::move(statement), request, kind, source(), deadline);
    CANDOR_TRY(stream->start());
    return std::unique_ptr<RowStream>(std::move(stream));
  }

  const Use use_;
  std::shared_ptr<Pool> pool_;
  std::shared_ptr<IdleWriter> writer_ = std::make_shared<IdleWriter>();
  Parser parser_;
};

}  // namespace

bool is_sqlite(const Policy& policy) {
  return policy.scratch_path.empty() && policy.sources.size() == 1 && policy.sources[0].kind == SourceKind::kSqlite;
}

Result<std::unique_ptr<Engine>> open(const Policy& policy, Parser parser) {
  auto engine = std::make_unique<SqliteEngine>(policy.sources.front(), std::move(parser),
                                               policy.contract ? Use::kContract : Use::kAgent);
  CANDOR_TRY(engine->look());
  return std::unique_ptr<Engine>(std::move(engine));
}

}  // namespace candor::engine::sqlite
