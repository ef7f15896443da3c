// The facade over real engines in real worker processes: what surfaces rely on.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "candor/candor.h"
#include "wire/wire.h"

namespace candor {
namespace {

namespace fs = std::filesystem;
using json::Node;

class FacadeTest : public testing::Test {
 protected:
  void SetUp() override {
    if (std::getenv("CANDOR_WORKER") == nullptr) FAIL() << "CANDOR_WORKER names no worker: run this by ctest";
    std::string name = (fs::temp_directory_path() / "candor-facade-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
    home_ = folder_ / "home";
  }
  void TearDown() override {
    candor_.reset();
    fs::remove_all(folder_);
  }

  void write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name, std::ios::binary) << text;
  }

  std::unique_ptr<Candor> make(const std::vector<std::string>& sources = {}, const std::string& yaml = {}) {
    config::Overrides overrides;
    overrides.home = home_.string();
    overrides.sources = sources;
    if (!yaml.empty()) {
      write("candor.yaml", yaml);
      overrides.config_file = (folder_ / "candor.yaml").string();
    }
    Result<config::Configuration> configuration = config::load(overrides);
    EXPECT_TRUE(configuration.ok()) << (configuration.ok() ? "" : configuration.error().message);
    Result<std::unique_ptr<Candor>> made = Candor::open(*configuration, std::getenv("CANDOR_WORKER"));
    EXPECT_TRUE(made.ok()) << (made.ok() ? "" : made.error().message);
    return std::move(*made);
  }

  void open(const std::vector<std::string>& sources = {}, const std::string& yaml = {}) {
    candor_ = make(sources, yaml);
  }

  // The document of a run, as a surface would show it.
  Node ask(const std::string& sql, const RunOptions& options = {}, const Caller& caller = {}) {
    std::string text;
    wire::DocumentSink sink([&](std::string_view part) { return text += part, true; });
    exit_ = sink.finish(candor_->run(caller, sql, options, sink, CancelToken()));
    Result<Node> document = json::parse(text);
    EXPECT_TRUE(document.ok()) << text;
    return document.ok() ? *document : Node();
  }

  Result<CommitOutcome> commit(const std::string& input, const Caller& caller = {}) {
    Result<Node> parsed = json::parse(input);
    EXPECT_TRUE(parsed.ok()) << input;
    return candor_->commit(caller, *parsed, CancelToken());
  }

  fs::path folder_, home_;
  std::unique_ptr<Candor> candor_;
  ExitCode exit_ = ExitCode::kDone;
};

constexpr std::string_view kSparse =
    "CREATE TABLE p AS SELECT i AS id, 'site ' || (i % 3) AS site FROM range(1, 101) t(i);"
    "CREATE TABLE l AS SELECT i * 5 AS id, 100 + i AS v FROM range(1, 101) t(i)";
constexpr std::string_view kSparseQuery =
    "SELECT p.site, sum(l.v) AS s FROM p JOIN l ON p.id = l.id GROUP BY p.site ORDER BY p.site";

TEST_F(FacadeTest, ShowsRowsWithTheirScope) {
  open();
  const Node document = ask("SELECT i AS n, i * 1.5 AS x FROM range(3) t(i)");
  EXPECT_EQ(json::dump(document["rows"]), R"([[0,"0.0"],[1,"1.5"],[2,"3.0"]])");
  EXPECT_EQ(document["agent_surface"]["universe_total"].integer(), 3);
  EXPECT_EQ(document["agent_surface"].string_or("filter_scope", ""), "universe");
}

TEST_F(FacadeTest, CapsTheStreamAndCountsTheRest) {
  open({}, "limits: {rows_per_result: 10}\n");
  const Node document = ask("SELECT i FROM range(1234) t(i)");
  EXPECT_EQ(document["row_count"].integer(), 10);
  EXPECT_EQ(document["agent_surface"]["universe_total"].integer(), 1234);
  EXPECT_EQ(document["agent_surface"].string_or("query_limit_source", ""), "default");
  EXPECT_TRUE(document["agent_surface"]["output_truncated"].truth());
}

TEST_F(FacadeTest, LooksBehindALimitOfTheStatement) {
  open();
  const Node page = ask("SELECT i FROM range(50) t(i) LIMIT 7");
  EXPECT_EQ(page["agent_surface"].string_or("query_limit_kind", ""), "pagination");
  EXPECT_EQ(page["agent_surface"]["universe_total"].integer(), 50);
  EXPECT_EQ(page["agent_surface"].string_or("order", ""), "none");
  const Node top = ask("SELECT i // 10 AS g FROM range(50) t(i) ORDER BY g LIMIT 7 -- the first seven");
  EXPECT_EQ(top["agent_surface"].string_or("query_limit_kind", ""), "top-k");
  EXPECT_EQ(top["agent_surface"].string_or("order", ""), "partial");
  EXPECT_EQ(top["agent_surface"]["ties_at_border"].integer(), 3);
  const Node clear = ask("SELECT i FROM range(50) t(i) ORDER BY i DESC LIMIT 7 OFFSET 3");
  EXPECT_EQ(clear["agent_surface"].string_or("order", ""), "total");
  EXPECT_EQ(clear["agent_surface"]["query_offset"].integer(), 3);
}

TEST_F(FacadeTest, NamesTheNearestTableOverAllSources) {
  write("customers.csv", "customer_id,name\n1,Ann\n2,Bob\n");
  open({"shop=" + (folder_ / "customers.csv").string()});
  const Node table = ask("SELECT * FROM customer");
  EXPECT_EQ(table.string_or("code", ""), "unknown-table");
  EXPECT_NE(table.string_or("hint", "").find("shop.customers"), std::string::npos) << json::dump(table);
  const Node column = ask("SELECT customerid FROM customers");
  EXPECT_EQ(column.string_or("code", ""), "unknown-column");
  EXPECT_NE(column.string_or("hint", "").find("customer_id"), std::string::npos) << json::dump(column);
  EXPECT_EQ(exit_, ExitCode::kRejected);
}

TEST_F(FacadeTest, TellsOfRowsThatDidNotParse) {
  write("a.csv", "id,name\n1,Ann\n2,Bob,extra,fields\n3,Cid\n");
  open({"a=" + (folder_ / "a.csv").string()});
  const Node document = ask("SELECT count(*) FROM a.a");
  ASSERT_EQ(document["warnings"].items().size(), 1U) << json::dump(document);
  EXPECT_EQ(document["warnings"].items()[0].string_or("code", ""), "rows-not-parsed");
}

TEST_F(FacadeTest, AFileOverTheImportLimitIsAnErrorThatNamesTheLimit) {
  write("a.csv", "id\n" + std::string(3'000'000, '1') + "\n");
  open({"a=" + (folder_ / "a.csv").string()}, "limits: {import_mb: 1}\n");
  const Node document = ask("SELECT count(*) FROM a.a");
  EXPECT_TRUE(document["error"].truth()) << json::dump(document);
  EXPECT_NE(json::dump(document).find("import_mb"), std::string::npos) << json::dump(document);
}

TEST_F(FacadeTest, SeesAFileThatChanged) {
  write("a.csv", "id\n1\n2\n");
  open({"a=" + (folder_ / "a.csv").string()});
  EXPECT_EQ(json::dump(ask("SELECT count(*) FROM a.a")["rows"]), "[[2]]");
  write("a.csv", "id\n1\n2\n3\n");
  std::this_thread::sleep_for(std::chrono::milliseconds(400));
  EXPECT_EQ(json::dump(ask("SELECT count(*) FROM a.a")["rows"]), "[[3]]");
}

TEST_F(FacadeTest, WritesToTheScratchAlone) {
  write("a.csv", "id\n1\n2\n");
  open({"a=" + (folder_ / "a.csv").string()});
  EXPECT_EQ(ask("CREATE TABLE t AS SELECT * FROM a.a").string_or("statement_type", ""), "create");
  EXPECT_EQ(ask("INSERT INTO t VALUES (3)")["affected_count"].integer(), 1);
  EXPECT_EQ(ask("UPDATE t SET id = 9")["affected_count"].integer(), 3);
  EXPECT_TRUE(ask("INSERT INTO a.a VALUES (3)")["error"].truth());
  RunOptions reading;
  reading.allow_writes = false;
  EXPECT_TRUE(ask("DROP TABLE t", reading)["error"].truth());
  EXPECT_EQ(json::dump(ask("SELECT count(*) FROM t")["rows"]), "[[3]]");
}

TEST_F(FacadeTest, ABatchStopsAtItsFirstFailure) {
  open();
  const Node document = ask("CREATE TABLE t(i INTEGER); SELECT * FROM nothing; DROP TABLE t");
  EXPECT_EQ(document["statements"].items().size(), 2U);
  EXPECT_TRUE(document["error"].truth());
  EXPECT_EQ(json::dump(ask("SELECT count(*) FROM t")["rows"]), "[[0]]");
}

TEST_F(FacadeTest, HoldsOnceAndAcceptsTheSameCommitWithItsEvidence) {
  open();
  ask(std::string(kSparse));
  const Node shown = ask(std::string(kSparseQuery));
  const std::string answer = R"({"rows":{"columns":["site","s"],"values":)" + json::dump(shown["rows"]) + "}}";
  const auto held = commit(answer);
  ASSERT_TRUE(held.ok()) << held.error().message;
  ASSERT_TRUE(held->held) << json::dump(held->document);
  EXPECT_EQ(held->hold.final_query_id, shown.string_or("query_id", ""));
  const auto accepted = commit(answer);
  ASSERT_TRUE(accepted.ok());
  EXPECT_FALSE(accepted->held);
  EXPECT_NE(json::dump(accepted->document).find(R"("acknowledged":true)"), std::string::npos);
  EXPECT_NE(json::dump(accepted->document).find(R"("matched":20)"), std::string::npos)
      << json::dump(accepted->document);
  const auto verified = candor_->verify(accepted->answer_id, CancelToken());
  ASSERT_TRUE(verified.ok()) << verified.error().message;
  ASSERT_EQ(verified->entries.size(), 1U);
  EXPECT_TRUE(verified->entries[0].same());
  ask("DELETE FROM l WHERE id > 50");
  EXPECT_FALSE(candor_->verify(accepted->answer_id, CancelToken())->entries[0].same());
}

TEST_F(FacadeTest, ALimitOfTheStatementIsNoCutOutput) {
  open();
  ask(std::string(kSparse));
  const Node shown =
      ask("SELECT p.site, sum(l.v) AS s FROM p JOIN l ON p.id = l.id GROUP BY p.site ORDER BY s DESC LIMIT 2");
  EXPECT_EQ(shown["agent_surface"].find("output_truncated"), nullptr) << json::dump(shown);
  EXPECT_TRUE(commit(R"({"rows":{"columns":["site","s"],"values":)" + json::dump(shown["rows"]) + "}}")->held);
}

TEST_F(FacadeTest, AnOutputThatCandorCutLocatesNothing) {
  open({}, "limits: {rows_per_result: 2}\n");
  ask(std::string(kSparse));
  const Node shown = ask("SELECT p.site, sum(l.v) AS s FROM p JOIN l ON p.id = l.id GROUP BY p.site ORDER BY s DESC");
  const auto outcome = commit(R"({"rows":{"columns":["site","s"],"values":)" + json::dump(shown["rows"]) + "}}");
  ASSERT_TRUE(outcome.ok());
  EXPECT_FALSE(outcome->held);
  EXPECT_NE(json::dump(outcome->document).find("output-cut"), std::string::npos);
}

TEST_F(FacadeTest, AHoldOutlivesTheProcess) {
  open();
  ask(std::string(kSparse));
  const Node shown = ask(std::string(kSparseQuery));
  const std::string answer = R"({"rows":{"columns":["site","s"],"values":)" + json::dump(shown["rows"]) + "}}";
  ASSERT_TRUE(commit(answer)->held);
  candor_.reset();
  open();
  EXPECT_FALSE(commit(answer)->held);
}

TEST_F(FacadeTest, ATableChangedSinceTheQueryIsUndetermined) {
  open();
  ask(std::string(kSparse));
  const Node shown = ask(std::string(kSparseQuery));
  ask("DELETE FROM l WHERE id = 5");
  const auto outcome = commit(R"({"rows":{"columns":["site","s"],"values":)" + json::dump(shown["rows"]) + "}}");
  ASSERT_TRUE(outcome.ok());
  EXPECT_FALSE(outcome->held);
  EXPECT_NE(json::dump(outcome->document).find("data-changed"), std::string::npos) << json::dump(outcome->document);
}

TEST_F(FacadeTest, WhatAJoinMadeIsNotCleanWhereTheQueryItselfJoinsNothing) {
  open();
  ask(std::string(kSparse));
  ask("CREATE TABLE j AS SELECT p.site, l.v FROM p JOIN l ON p.id = l.id; CREATE TABLE k AS SELECT site, v FROM j;"
      "CREATE TABLE empty_one (site VARCHAR, v BIGINT);"
      "INSERT INTO empty_one SELECT p.site, l.v FROM p JOIN l ON p.id = l.id;"
      "CREATE MACRO joined() AS (SELECT count(*) FROM p JOIN l ON p.id = l.id);"
      "CREATE TABLE both_kept AS SELECT * FROM p UNION ALL SELECT * FROM p");
  for (const std::string from : {"j", "k", "main.k", "empty_one"}) {
    const Node shown = ask("SELECT count(*) AS n, avg(v) AS a FROM " + from);
    const auto outcome = commit(R"({"fields":{"a":)" + json::dump(shown["rows"].items()[0].items()[1]) + "}}");
    ASSERT_TRUE(outcome.ok());
    EXPECT_NE(json::dump(outcome->document).find("made-by-join"), std::string::npos) << json::dump(outcome->document);
  }
  const auto checked = candor_->check({}, "SELECT joined()", {}, CancelToken());
  ASSERT_TRUE(checked.ok());
  EXPECT_NE(checked->front().checks.front().verdict, review::Verdict::kClean);
  for (const std::string sql : {"SELECT site, count(*) FROM p GROUP BY site", "SELECT count(*) FROM both_kept"}) {
    const auto plain = candor_->check({}, sql, {}, CancelToken());
    ASSERT_TRUE(plain.ok());
    EXPECT_EQ(plain->front().checks.front().verdict, review::Verdict::kClean) << plain->front().checks.front().reason;
  }
}

TEST_F(FacadeTest, CommitsAtOnceGiveOneReview) {
  open();
  ask(std::string(kSparse));
  const Node shown = ask(std::string(kSparseQuery));
  const std::string answer = R"({"rows":{"columns":["site","s"],"values":)" + json::dump(shown["rows"]) + "}}";
  std::vector<int> held(4);
  {
    std::vector<std::jthread> threads;
    for (int& mine : held) {
      threads.emplace_back([&, answer] {
        Caller caller;
        caller.turn = "1";
        mine = commit(answer, caller)->held ? 1 : 0;
      });
    }
  }
  EXPECT_EQ(held[0] + held[1] + held[2] + held[3], 1);
}

TEST_F(FacadeTest, RefusesAnswersThatAreNone) {
  open();
  for (const char* bad : {"{}", R"({"fields":{}})", R"({"unresolved":" "})", R"({"unresolved":{"reason":""}})",
                          R"({"fields":{"a":1},"unresolved":"x"})", R"({"rows":{"columns":["a"],"values":[[1,2]]}})",
                          R"({"fields":{"a":1},"bases":"x"})", R"({"fields":{"a":1},"basis":7})", "[]"}) {
    const auto outcome = commit(bad);
    ASSERT_FALSE(outcome.ok()) << bad;
    EXPECT_EQ(outcome.error().code, "bad-request") << bad;
  }
  EXPECT_EQ(commit(R"({"fields":{"n":1234},"query_id":"q99"})").error().code, "unknown-query");
}

TEST_F(FacadeTest, TellsOfEachCallWithoutItsTextOrValues) {
  open({}, "log_json: true\n");
  testing::internal::CaptureStderr();
  ask("SELECT 'secret-' || 42 AS hidden");
  (void)commit(R"({"fields":{"total":987654}})");
  const std::string said = testing::internal::GetCapturedStderr();
  const std::size_t first_end = said.find('\n');
  const Result<Node> first = json::parse(said.substr(0, first_end));
  ASSERT_TRUE(first.ok()) << said;
  EXPECT_EQ(first->string_or("statement_type", ""), "select");
  EXPECT_EQ((*first)["row_or_affected_count"].integer(), 1);
  EXPECT_EQ(first->string_or("sql_fingerprint", "").size(), 64U);
  EXPECT_NE(said.find("answer_commit"), std::string::npos) << said;
  EXPECT_EQ(said.find("secret"), std::string::npos) << said;
  EXPECT_EQ(said.find("987654"), std::string::npos) << said;
}

TEST_F(FacadeTest, ASqliteSourceIsAskedInSqliteAndMaterialized) {
  const std::string database = (folder_ / "app.sqlite").string();
  const std::string make_it =
      "python3 -c \"import sqlite3; d = sqlite3.connect('" + database +
      "'); d.execute('CREATE TABLE users(id INTEGER PRIMARY KEY, name TEXT)'); "
      "d.executemany('INSERT INTO users VALUES (?,?)', [(i, 'u%d' % i) for i in range(7)]); d.commit()\"";
  ASSERT_EQ(std::system(make_it.c_str()), 0);
  write("b.csv", "id,x\n1,10\n2,20\n");
  open({"app=" + database, "b=" + (folder_ / "b.csv").string()});
  EXPECT_EQ(json::dump(ask("SELECT 7/2 AS half, count(*) FROM users")["rows"]), "[[3,7]]") << "SQLite divides integers";
  const Node both = ask("SELECT * FROM users JOIN b.b USING (id)");
  EXPECT_EQ(both.string_or("code", ""), "sources-in-two-engines") << json::dump(both);
  for (const char* write : {"DELETE FROM users", "UPDATE app.users SET name = 'x'",
                            "INSERT INTO users SELECT * FROM b.b", "DROP TABLE users"}) {
    EXPECT_EQ(ask(write).string_or("code", ""), "read-only") << write;
  }
  EXPECT_EQ(ask("CREATE TABLE c AS SELECT * FROM users").string_or("code", ""), "sources-in-two-engines");
  const auto copied = candor_->materialize({}, "SELECT * FROM users", "people", false, {}, CancelToken());
  ASSERT_TRUE(copied.ok()) << copied.error().message;
  EXPECT_EQ(copied->rows, 7U);
  EXPECT_EQ(json::dump(ask("SELECT sum(x) FROM people JOIN b.b USING (id)")["rows"]), "[[30]]");
  EXPECT_FALSE(candor_->materialize({}, "SELECT 1 AS a", "people", false, {}, CancelToken()).ok());
}

}  // namespace
}  // namespace candor
