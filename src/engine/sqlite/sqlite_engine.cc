// The Engine interface over the sandboxed connections of one SQLite file.
#include "engine/sqlite/sqlite_engine.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/render_json.h"
#include "engine/sqlite/catalog.h"
#include "engine/sqlite/errors.h"
#include "engine/sqlite/functions.h"
#include "engine/sqlite/rows.h"
#include "engine/sqlite/sandbox.h"
#include "engine/sqlite/statement.h"

namespace candor::engine::sqlite {
namespace {

namespace sql = candor::sqlite;

constexpr auto kCatalogPatience = std::chrono::seconds(30);

Status check_text(std::string_view text) {
  if (const std::size_t nul = text.find('\0'); nul != std::string_view::npos) {
    Diagnostic made = make_error("invalid-text", "the statement holds a NUL");
    made.span = Span{nul, nul + 1};
    return made;
  }
  if (!is_utf8(text)) return make_error("invalid-text", "the statement is not valid UTF-8");
  return Ok{};
}

// The number of a parameter ?, ?7, $7 or :7; 0 for a name. For SQLite the second form is a number and the later two are
// names, counted as they come: out of order, $1 and ?1 would be two different parameters.
int parameter_number(std::string_view name, int index) {
  if (name.empty()) return index;
  int number = 0;
  const char* end = name.data() + name.size();
  const auto read = std::from_chars(name.data() + 1, end, number);
  return read.ec == std::errc() && read.ptr == end && number == index ? number : 0;
}

// SQLite takes a parameter without a value for NULL, which would answer another question.
Status bind_all(sql::Statement& statement, const std::vector<Value>& values) {
  for (int i = 1; i <= statement.parameter_count(); ++i) {
    const int number = parameter_number(statement.parameter_name(i), i);
    if (number < 1 || static_cast<std::size_t>(number) > values.size()) {
      return make_error("syntax", "the statement has a parameter without a value", "write the value into the statement",
                        std::string(statement.parameter_name(i)));
    }
    CANDOR_TRY(statement.bind(i, values[static_cast<std::size_t>(number) - 1]));
  }
  return Ok{};
}

class SqliteEngine final : public Engine {
 public:
  SqliteEngine(SourceSpec source, Parser parser)
      : pool_(std::make_shared<Pool>(std::move(source))), parser_(std::move(parser)) {}

  Status look() {
    CANDOR_ASSIGN(const auto lease, pool_->lease());
    return Ok{};
  }

  Result<std::unique_ptr<RowStream>> run(const RunRequest& request, CancelToken cancel) override {
    const auto deadline =
        Clock::now() + std::chrono::milliseconds(std::clamp<std::int64_t>(request.deadline_ms, 0, kDeadlineMax));
    CANDOR_TRY(check_text(request.sql));
    CANDOR_ASSIGN(const StatementKind kind, classify(request.sql, source().name));
    CANDOR_ASSIGN(auto lease, pool_->lease());
    auto started = start(std::move(lease), request, kind, cancel, deadline);
    if (started.ok() || started.error().code != "read-only") return started;
    // After another process changed the schema, virtual tables declare themselves anew, which the allow-list refuses.
    // A new connection lets them do so before the list is in force.
    CANDOR_ASSIGN(auto fresh, pool_->fresh_lease());
    return start(std::move(fresh), request, kind, cancel, deadline);
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

  // The same second try as in run.
  template <typename Question>
  auto ask(Question question) -> decltype(question(std::declval<Connection&>())) {
    CANDOR_ASSIGN(const auto lease, pool_->lease());
    lease->watch({}, Clock::now() + kCatalogPatience);
    auto answer = question(*lease);
    if (answer.ok() || answer.error().code != "read-only") return answer;
    CANDOR_ASSIGN(const auto fresh, pool_->fresh_lease());
    fresh->watch({}, Clock::now() + kCatalogPatience);
    return question(*fresh);
  }

  static Diagnostic no_parser() { return make_error("engine-error", "this engine was started without a parser"); }

  const SourceSpec& source() const { return pool_->source(); }

  Result<std::unique_ptr<RowStream>> start(Pool::Lease lease, const RunRequest& request, StatementKind kind,
                                           const CancelToken& cancel, Clock::time_point deadline) {
    lease->watch(cancel, deadline);
    CANDOR_ASSIGN(auto statement, prepare(*lease, request.sql, kind));
    CANDOR_TRY(bind_all(statement, request.parameters));
    auto stream =
        std::make_unique<SqliteStream>(std::move(lease), std::move(statement), request, kind, source(), deadline);
    CANDOR_TRY(stream->start());
    return std::unique_ptr<RowStream>(std::move(stream));
  }

  Result<sql::Statement> prepare(Connection& connection, std::string_view text, StatementKind kind) {
    std::size_t tail = 0;
    // An empty statement before the first is passed over, so that the first is what runs.
    const std::size_t start = skip_blank(text, true);
    auto statement = connection.database().prepare(text.substr(start), &tail);
    if (!statement.ok()) {
      Diagnostic failure = std::move(statement).error();
      if (failure.span) failure.span = Span{failure.span->start + start, failure.span->end + start};
      return statement_error(std::move(failure), connection, connection.database().fault(), source(), text);
    }
    const std::size_t rest = start + tail + skip_blank(text.substr(start + tail), true);
    if (rest < text.size()) {
      Diagnostic failure =
          make_error("several-statements", "one statement is expected here", "send the others on their own");
      failure.span = Span{rest, text.size()};
      return failure;
    }
    // The allow-list has decided already; should it ever miss a writing statement, this does not.
    if (!statement->readonly() || (kind == StatementKind::kSelect && statement->column_count() == 0)) {
      return make_error("read-only", "source " + source().name + " is published for reading");
    }
    return statement;
  }

  std::shared_ptr<Pool> pool_;
  Parser parser_;
};

}  // namespace

bool is_sqlite(const Policy& policy) {
  return policy.scratch_path.empty() && policy.sources.size() == 1 && policy.sources[0].kind == SourceKind::kSqlite;
}

Result<std::unique_ptr<Engine>> open(const Policy& policy, Parser parser) {
  auto engine = std::make_unique<SqliteEngine>(policy.sources.front(), std::move(parser));
  CANDOR_TRY(engine->look());
  return std::unique_ptr<Engine>(std::move(engine));
}

}  // namespace candor::engine::sqlite
