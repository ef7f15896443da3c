// The tools over a facade of the test's own: what is listed, what a call asks of the facade, what it answers.
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

#include "mcp/protocol/server.h"
#include "mcp/tools/arguments.h"
#include "mcp/tools/tools.h"

namespace candor::mcp {
namespace {

// Remembers the last call and answers with little.
class FakeFacade final : public Candor {
 public:
  [[nodiscard]] const config::Configuration& configuration() const override { return configuration_; }

  Status run(const Caller& caller, std::string_view sql, const RunOptions& options, ResultSink& sink,
             CancelToken) override {
    caller_ = caller;
    sql_ = sql;
    options_ = options;
    if (failure_) return *failure_;
    StatementStart start;
    start.header.columns.push_back({"n", "INTEGER"});
    sink.start(start);
    StatementEnd end;
    end.query_id = "q1";
    sink.end(end);
    return Ok{};
  }

  Result<Explanation> explain(const Caller&, std::string_view, const RunOptions&) override {
    return make_error("internal", "no tool explains");
  }

  Result<Materialized> materialize(const Caller& caller, std::string_view sql, const std::string& table, bool replace,
                                   const RunOptions&, CancelToken) override {
    caller_ = caller;
    sql_ = sql;
    table_ = table;
    replace_ = replace;
    if (failure_) return *failure_;
    return Materialized{.table = table, .rows = 3, .columns = {}, .query_id = "q2", .warnings = {}};
  }

  Result<Schema> schema(const Caller& caller, const std::string& resource) override {
    caller_ = caller;
    table_ = resource;
    if (failure_) return *failure_;
    return Schema{};
  }

  Result<CommitOutcome> commit(const Caller& caller, const json::Node& input, CancelToken) override {
    caller_ = caller;
    sql_ = json::dump(input);
    if (failure_) return *failure_;
    CommitOutcome outcome;
    outcome.held = held_;
    outcome.document = json::Node::object();
    outcome.document.set("status", json::Node::string(held_ ? "error" : "committed"));
    return outcome;
  }

  Result<std::vector<Checked>> check(const Caller&, std::string_view, const RunOptions&, CancelToken) override {
    return std::vector<Checked>{};
  }
  Result<Verification> verify(const std::string&, CancelToken) override { return Verification{}; }

  Result<Undone> undo(const Caller&, const std::string&, bool, CancelToken) override { std::abort(); }
  Result<ContractCheck> check_contract(const Caller&, const std::string&, const std::string&, CancelToken) override {
    return ContractCheck{};
  }
  Result<std::string> initial_contract(const Caller&, const std::string&, CancelToken) override {
    return std::string();
  }
  ledger::Ledger& ledger() override { std::abort(); }
  void close_session(const std::string&, bool) override {}

  config::Configuration configuration_;
  Caller caller_;
  std::string sql_, table_;
  bool replace_ = false, held_ = false;
  RunOptions options_;
  std::optional<Diagnostic> failure_;
};

config::Configuration standard_configuration() {
  config::Configuration configuration;
  for (const config::Limit& limit : config::limits())
    configuration.limit_values[std::string(limit.name)] = limit.standard;
  return configuration;
}

class McpTools : public testing::Test {
 protected:
  McpTools() : tools_(make_tools(standard_configuration(), {[this] { return facade(); }, "mcp-own"})) {}

  Result<Candor*> facade() {
    if (unopened_) return *unopened_;
    return &facade_;
  }

  const Tool& tool(std::string_view name) const {
    for (const Tool& tool : tools_) {
      if (tool.name == name) return tool;
    }
    ADD_FAILURE() << "no tool " << name;
    return tools_.front();
  }

  ToolOutcome call(std::string_view name, std::string_view arguments, std::string_view meta = "null") {
    const auto given = json::parse(arguments);
    const auto about = json::parse(meta);
    EXPECT_TRUE(given.ok() && about.ok()) << arguments;
    return tool(name).handler({*given, *about, "", CancelToken(),
                               [](double, std::optional<double>, const std::string&) {},
                               [&](LogLevel, const json::Node& data) { logged_.push_back(json::dump(data)); }});
  }

  // The code of the error document, or "done".
  std::string code(std::string_view name, std::string_view arguments) {
    const ToolOutcome outcome = call(name, arguments);
    const auto document = json::parse(outcome.document);
    EXPECT_TRUE(document.ok()) << outcome.document;
    return outcome.is_error ? (*document)["code"].text() : "done";
  }

  FakeFacade facade_;
  std::optional<Diagnostic> unopened_;
  std::vector<Tool> tools_;
  std::vector<std::string> logged_;
};

TEST_F(McpTools, TheWholeListIsSmallAndInOrder) {
  std::string list;
  std::string names;
  for (const Tool& tool : tools_) {
    list += render_tool(tool, true);
    names += tool.name + " ";
    EXPECT_FALSE(tool.title.empty());
    EXPECT_TRUE(json::parse(tool.input_schema).ok()) << tool.input_schema;
    EXPECT_TRUE(json::parse(tool.output_schema).ok()) << tool.output_schema;
    EXPECT_FALSE(tool.annotations.open_world);
  }
  EXPECT_EQ(names,
            "schema sql_query sql_execute materialize answer_commit memory_search memory_list memory_related "
            "memory_write ");
  EXPECT_LT(list.size(), 6'000U);
  EXPECT_TRUE(tool("sql_query").annotations.read_only);
  EXPECT_FALSE(tool("sql_execute").annotations.read_only);
  EXPECT_TRUE(tool("sql_execute").annotations.destructive);
}

TEST_F(McpTools, LimitsInDescriptionsAreThoseInForce) {
  config::Configuration changed = standard_configuration();
  for (const std::string_view name :
       {"rows_per_result", "result_chars", "cell_chars", "statement_seconds", "statements_per_batch", "memory_rows"}) {
    changed = standard_configuration();
    changed.limit_values[std::string(name)] = 777'123;
    std::string list;
    for (const Tool& tool : make_tools(changed, {{}, "s"})) list += render_tool(tool, true);
    EXPECT_NE(list.find("777123"), std::string::npos) << name;
  }
}

TEST_F(McpTools, AQueryReadsAndAnExecutionMayWrite) {
  EXPECT_EQ(code("sql_query", R"({"sql":"SELECT 1","source":"shop","max_rows":5,"turn_id":"t9"})"), "done");
  EXPECT_EQ(facade_.sql_, "SELECT 1");
  EXPECT_EQ(facade_.options_.source, "shop");
  EXPECT_EQ(facade_.options_.rows_max, 5U);
  EXPECT_FALSE(facade_.options_.allow_writes);
  EXPECT_EQ(facade_.caller_.surface, "mcp");
  EXPECT_EQ(facade_.caller_.session, "mcp-own");
  EXPECT_EQ(facade_.caller_.turn, "t9");
  EXPECT_EQ(code("sql_execute", R"({"sql":"DROP TABLE t","session":"other"})"), "done");
  EXPECT_TRUE(facade_.options_.allow_writes);
  EXPECT_EQ(facade_.caller_.session, "other");
}

TEST_F(McpTools, TheRequestsMetaMayNameSessionAndTurn) {
  (void)call("sql_query", R"({"sql":"SELECT 1"})", R"({"candor/session":"a","candor/turn":"b"})");
  EXPECT_EQ(facade_.caller_.session, "a");
  EXPECT_EQ(facade_.caller_.turn, "b");
  (void)call("sql_query", R"({"sql":"SELECT 1","session":"c"})", R"({"candor/session":"a"})");
  EXPECT_EQ(facade_.caller_.session, "c");
}

TEST_F(McpTools, MaterializeAndSchemaPassTheirArguments) {
  const ToolOutcome made = call("materialize", R"({"sql":"SELECT 2","table":"t","replace":true,"source":null})");
  EXPECT_FALSE(made.is_error);
  EXPECT_EQ(facade_.table_, "t");
  EXPECT_TRUE(facade_.replace_);
  EXPECT_NE(made.document.find(R"("affected_count":3)"), std::string::npos);
  EXPECT_EQ(code("schema", R"({"resource":"shop.orders"})"), "done");
  EXPECT_EQ(facade_.table_, "shop.orders");
}

TEST_F(McpTools, AHeldAnswerIsAnErrorWithTheWholeDocument) {
  const std::string_view answer = R"({"fields":{"n":12.50},"basis":"counted","question":null})";
  EXPECT_FALSE(call("answer_commit", answer).is_error);
  EXPECT_EQ(facade_.sql_, R"({"fields":{"n":12.50},"basis":"counted"})");
  facade_.held_ = true;
  const ToolOutcome held = call("answer_commit", answer);
  EXPECT_TRUE(held.is_error);
  EXPECT_EQ(held.document, R"({"status":"error"})");
}

TEST_F(McpTools, FailuresOfTheFacadeAreErrorDocuments) {
  facade_.failure_ = make_error("unknown-table", "no table x");
  EXPECT_EQ(code("sql_query", R"({"sql":"SELECT * FROM x"})"), "unknown-table");
  EXPECT_EQ(code("materialize", R"({"sql":"SELECT 1","table":"t"})"), "unknown-table");
  EXPECT_EQ(code("schema", "{}"), "unknown-table");
  EXPECT_EQ(code("answer_commit", "{}"), "unknown-table");
  unopened_ = make_error("storage", "the ledger can't be opened");
  EXPECT_EQ(code("schema", "{}"), "storage");
}

TEST_F(McpTools, EveryWrongArgumentIsToldAtOnceWithTheNearestName) {
  const ToolOutcome outcome = call("sql_query", R"({"sqll":"SELECT 1","max_rows":-1,"zzz":0,"source":["x"]})");
  EXPECT_TRUE(outcome.is_error);
  EXPECT_EQ(facade_.sql_, "");  // nothing was run
  for (const std::string_view part :
       {R"(there is no argument \"sqll\")", R"("hint":"write sql")", "argument max_rows must be",
        R"(there is no argument \"zzz\")", "the arguments are sql, source, max_rows, turn_id, session",
        "argument source must be a string", "argument sql is missing"}) {
    EXPECT_NE(outcome.document.find(part), std::string::npos) << part << " in " << outcome.document;
  }
  EXPECT_EQ(code("sql_query", R"({"sql":null})"), "bad-request");
  EXPECT_EQ(code("sql_query", R"({"sql":"SELECT 1","max_rows":1.5})"), "bad-request");
  EXPECT_EQ(code("materialize", R"({"sql":"SELECT 1","table":"t","replace":"yes"})"), "bad-request");
  EXPECT_EQ(code("answer_commit", R"({"fields":[1]})"), "bad-request");
}

TEST_F(McpTools, EachCallIsLoggedWithoutItsText) {
  (void)call("sql_query", R"({"sql":"SELECT 'secret'"})");
  ASSERT_EQ(logged_.size(), 1U);
  EXPECT_EQ(logged_[0].find("secret"), std::string::npos);
  EXPECT_NE(logged_[0].find(R"("tool":"sql_query","succeeded":true)"), std::string::npos);
}

}  // namespace
}  // namespace candor::mcp
