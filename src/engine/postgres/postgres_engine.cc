// The Engine interface over the connections of one database.
#include "engine/postgres/postgres_engine.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "engine/postgres/catalog.h"
#include "engine/postgres/direct_stream.h"
#include "engine/postgres/functions.h"
#include "engine/postgres/pool.h"
#include "engine/postgres/review_text.h"
#include "engine/postgres/rows.h"
#include "engine/postgres/statement.h"
#include "engine/postgres/transaction.h"

namespace candor::engine::postgres {
namespace {

constexpr auto kCatalogPatience = std::chrono::seconds(30);
constexpr std::int64_t kDeadlineMaxMs = std::int64_t{1000} * 60 * 60 * 24;
// A reader waits only behind who changes a table's structure.
constexpr std::int64_t kReadLockMs = 5'000;

Status check_parameters(const Statement& statement, std::size_t values) {
  for (const auto& [number, span] : statement.parameters) {
    if (number >= 1 && number <= values) continue;
    Diagnostic made =
        make_error("syntax", "the statement has a parameter without a value", "write the value into the statement");
    made.span = span;
    return made;
  }
  return Ok{};
}

class PostgresEngine final : public Engine {
 public:
  PostgresEngine(const Policy& policy, Parser parser)
      : pool_(std::make_shared<Pool>(policy.sources.front(), policy.contract)), parser_(std::move(parser)) {}

  Status look() {
    const Watch watch({}, Clock::now() + kCatalogPatience);
    CANDOR_ASSIGN(const auto lease, pool_->begin(Access::kRead, kReadLockMs, watch));
    roll_back(*lease);
    return Ok{};
  }

  Result<std::unique_ptr<RowStream>> run(const RunRequest& request, CancelToken cancel) override {
    const auto deadline =
        Clock::now() + std::chrono::milliseconds(std::clamp<std::int64_t>(request.deadline_ms, 0, kDeadlineMaxMs));
    auto watch = std::make_unique<Watch>(std::move(cancel), deadline);
    CANDOR_ASSIGN(Statement statement, read_statement(request.sql, source().name));
    CANDOR_TRY(check_parameters(statement, request.parameters.size()));
    CANDOR_ASSIGN(auto lease, pool_->begin(Access::kRead, kReadLockMs, *watch));
    if (request.lane == Lane::kContract && statement.explain.empty() && !request.exact_types) {
      auto stream = std::make_unique<DirectStream>(std::move(lease), pool_, std::move(watch), request);
      CANDOR_TRY(stream->start(statement));
      return std::unique_ptr<RowStream>(std::move(stream));
    }
    Checked calls;
    if (request.lane != Lane::kContract) {
      auto checked = check_called(statement, *lease, source(), *watch);
      if (!checked.ok()) {
        roll_back(*lease);
        return std::move(checked).error();
      }
      calls = *std::move(checked);
    }
    auto stream = std::make_unique<CursorStream>(std::move(lease), pool_, std::move(watch), request,
                                                 std::move(statement), std::move(calls));
    CANDOR_TRY(stream->start());
    return std::unique_ptr<RowStream>(std::move(stream));
  }

  Result<Catalog> catalog() override {
    return ask([&](Connection& connection, const Watch& watch) {
      return read_catalog(connection, source(), pool_->for_contract(), watch);
    });
  }

  Result<TableFacts> table_facts(const TableName& name, const std::vector<std::string>& columns) override {
    return ask([&](Connection& connection, const Watch& watch) {
      return read_table_facts(connection, source(), name, columns, watch);
    });
  }

  Result<std::vector<FunctionFacts>> function_facts(const std::vector<std::string>& names) override {
    return ask([&](Connection& connection, const Watch& watch) {
      return read_function_facts(names, connection, source(), watch);
    });
  }

  // DuckDB's parser reads PostgreSQL's texts otherwise in places: those are not given to it.
  Result<std::string> syntax_tree(std::string_view sql) override {
    if (!parser_.syntax_tree) return not_read();
    CANDOR_ASSIGN(Statement statement, read_statement(sql, source().name));
    if (statement.kind != StatementKind::kSelect) return make_error("statement-kind", "the statement is no SELECT");
    if (!statement.source_prefixes.empty()) {
      CANDOR_TRY(ask([&](Connection& connection, const Watch& watch) {
        return check_called(statement, connection, source(), watch);
      }));
    }
    // The body with what stood before it as blanks: places in it are places in the text.
    CANDOR_ASSIGN(const std::string text, text_for_parser(std::string(statement.body_at, ' ') + statement.body));
    return parser_.syntax_tree(text);
  }
  Result<std::string> print_tree(std::string_view) override { return not_read(); }

  Result<std::uint64_t> append(const std::string&, const std::vector<Column>&, bool, RowStream&, CancelToken) override {
    return make_error("read-only", "source " + source().name + " is published for reading",
                      "materialize into the scratch database");
  }

  Result<std::unique_ptr<Transaction>> begin(std::int64_t wait_ms, CancelToken cancel) override {
    if (!pool_->for_contract()) return Engine::begin(wait_ms, std::move(cancel));
    return begin_transaction(pool_, wait_ms, cancel);
  }

 private:
  static Diagnostic not_read() {
    return make_error("unsupported-syntax", "statements of PostgreSQL are not read by the review");
  }

  template <typename Question>
  auto ask(Question question) -> decltype(question(std::declval<Connection&>(), std::declval<const Watch&>())) {
    const Watch watch({}, Clock::now() + kCatalogPatience);
    CANDOR_ASSIGN(const auto lease, pool_->begin(Access::kRead, kReadLockMs, watch));
    auto answer = question(*lease, watch);
    roll_back(*lease);
    return answer;
  }

  [[nodiscard]] const SourceSpec& source() const { return pool_->source(); }

  std::shared_ptr<Pool> pool_;
  const Parser parser_;
};

}  // namespace

bool is_postgres(const Policy& policy) {
  return policy.scratch_path.empty() && policy.sources.size() == 1 && policy.sources[0].kind == SourceKind::kPostgres;
}

Result<std::unique_ptr<Engine>> open(const Policy& policy, Parser parser) {
  auto engine = std::make_unique<PostgresEngine>(policy, std::move(parser));
  CANDOR_TRY(engine->look());
  return std::unique_ptr<Engine>(std::move(engine));
}

}  // namespace candor::engine::postgres
