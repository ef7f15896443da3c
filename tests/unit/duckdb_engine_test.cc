// Opening, names, writes, errors with spans, the catalog and copies, over published DuckDB databases.
#include "engine/duckdb/duckdb_engine.h"

#include <algorithm>
#include <filesystem>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include "support/duckdb_session.h"
#include "support/duckdb_shop.h"
#include "support/engine_rows.h"

namespace candor::engine {
namespace {

class DuckdbEngineTest : public testing::Test {
 protected:
  void SetUp() override { shop_.open(); }
  Engine& engine() { return shop_.engine(); }
  test::Ran run(const std::string& sql) { return test::run(engine(), sql); }
  test::DuckdbShop shop_;
};

TEST_F(DuckdbEngineTest, ReadsSourcesByQualifiedAndUnqualifiedNames) {
  EXPECT_EQ(run("SELECT count(*) FROM shop.main.orders").all(), "[3]");
  EXPECT_EQ(run("SELECT count(*) FROM shop.orders").all(), "[3]");
  EXPECT_EQ(run("SELECT count(*) FROM orders").all(), "[3]");
  EXPECT_EQ(run("SELECT count(*) FROM stock").all(), "[5]");
  EXPECT_EQ(run("SELECT sum(amount) FROM big_orders").all(), "[\"30.50\"]");
  EXPECT_EQ(run("SELECT name FROM shop.customers ORDER BY code DESC LIMIT 1").all(), "[\"Émile\"]");
}

TEST_F(DuckdbEngineTest, AnAmbiguousNameIsAnErrorAndNoGuess) {
  const std::string sql = "SELECT o.id FROM orders o, customers";
  const test::Ran ran = run(sql);
  EXPECT_EQ(ran.code(), "ambiguous-table");
  EXPECT_EQ(ran.error->detail, "customers");
  EXPECT_EQ(ran.error->hint, "write one of shop.customers, store.customers");
  EXPECT_EQ(test::under(sql, ran.error->span), "customers");
  for (const std::string other :
       {"FROM customers", "SELECT (SELECT count(*) FROM \"CUSTOMERS\")", "FROM main.customers", "DESCRIBE customers",
        "SUMMARIZE customers", "PIVOT customers ON code", "CREATE TABLE t AS FROM customers", "EXPLAIN FROM customers",
        "CREATE VIEW v AS FROM customers", "SELECT * FROM orders JOIN customers ON customer = code"}) {
    EXPECT_EQ(run(other).code(), "ambiguous-table") << other;
  }
  // Not the table: an alias, a column, a common table expression, a qualified name, a text.
  for (const std::string other :
       {"SELECT 1 AS customers", "WITH customers AS (SELECT 1) FROM customers", "FROM shop.customers",
        "SELECT 'customers'", "SELECT customers.name FROM shop.customers"}) {
    EXPECT_EQ(run(other).code(), "") << other;
  }
  // A nearer one decides.
  EXPECT_EQ(run("CREATE TABLE customers AS SELECT 'mine' AS code").code(), "");
  EXPECT_EQ(run("FROM customers").all(), "[\"mine\"]");
  EXPECT_EQ(run("DROP TABLE customers").code(), "");
  EXPECT_EQ(run("FROM customers").code(), "ambiguous-table");
}

TEST_F(DuckdbEngineTest, WritesTellTheirTargetAndCount) {
  const test::Ran created = run("CREATE TABLE \"My Notes\" AS SELECT i, 'x' AS t FROM range(5) r(i)");
  EXPECT_EQ(created.header.kind, StatementKind::kCreate);
  EXPECT_EQ(created.header.target, "My Notes");
  EXPECT_EQ(created.end.affected, 5U);
  EXPECT_TRUE(created.header.columns.empty());
  const test::Ran inserted = run("INSERT INTO scratch.main.\"my notes\" VALUES (9, 'y'), (10, 'z')");
  EXPECT_EQ(inserted.header.target, "My Notes");
  EXPECT_EQ(inserted.end.affected, 2U);
  EXPECT_EQ(run("UPDATE \"MY NOTES\" SET t = 'u' WHERE i < 3").end.affected, 3U);
  const test::Ran returned = run("DELETE FROM \"My Notes\" WHERE i > 8 RETURNING i");
  EXPECT_EQ(returned.header.kind, StatementKind::kDelete);
  EXPECT_EQ(returned.end.affected, 2U);
  EXPECT_EQ(returned.all(), "[9] [10]");
  EXPECT_EQ(run("WITH a AS (SELECT 77) INSERT INTO \"My Notes\" SELECT *, 'w' FROM a").header.target, "My Notes");
  EXPECT_EQ(run("CREATE TABLE plain (a INTEGER)").end.affected, std::nullopt);
  EXPECT_EQ(run("CREATE OR REPLACE MACRO twice(x) AS x * 2").header.target, "twice");
  EXPECT_EQ(run("SELECT twice(21)").all(), "[42]");
  const test::Ran dropped = run("DROP TABLE IF EXISTS \"my notes\"");
  EXPECT_EQ(dropped.header.kind, StatementKind::kDrop);
  EXPECT_EQ(dropped.header.target, "My Notes");
  EXPECT_EQ(dropped.end.affected, std::nullopt);
}

TEST_F(DuckdbEngineTest, UpdateFromTellsNoCount) {
  // The engine says 3 for the one row that three others match: a wrong number is worse than none.
  ASSERT_EQ(run("CREATE TABLE t AS SELECT 1 AS id, 0 AS v").code(), "");
  EXPECT_EQ(run("UPDATE t SET v = s.v FROM (VALUES (1, 5), (1, 6), (1, 7)) s(id, v) WHERE t.id = s.id").end.affected,
            std::nullopt);
  EXPECT_EQ(run("UPDATE t SET v = (SELECT max(b) FROM (VALUES (1, 9)) s(a, b) WHERE a = id)").end.affected, 1U);
  EXPECT_EQ(run("DELETE FROM t USING (VALUES (1), (1), (1)) s(id) WHERE t.id = s.id").end.affected, 1U);
}

TEST_F(DuckdbEngineTest, PivotIsOneStatement) {
  EXPECT_EQ(run("PIVOT shop.orders ON customer USING sum(amount) GROUP BY id ORDER BY id").rows.size(), 3U);
  EXPECT_EQ(run("CREATE TABLE p AS PIVOT shop.orders ON customer USING count(*)").end.affected, 3U);
  EXPECT_EQ(run("SELECT count(*) FROM p").all(), "[3]");
  EXPECT_EQ(run("CREATE TABLE p AS PIVOT shop.orders ON customer USING count(*)").code(), "duplicate-table");
  // The failed one ended its transaction.
  EXPECT_EQ(run("CREATE TABLE q AS SELECT 1").code(), "");
  EXPECT_EQ(run("EXPLAIN PIVOT shop.orders ON customer USING count(*)").code(), "statement-not-allowed");
}

struct ErrorCase {
  std::string sql;
  std::string code;
  std::string under;
  std::string detail;
};

TEST_F(DuckdbEngineTest, ErrorsHaveCodesNamesAndSpans) {
  const ErrorCase cases[] = {
      {"SELECT * FROM nosuch", "unknown-table", "nosuch", "nosuch"},
      {"SELECT 'äöü', * FROM shop.nosuch", "unknown-table", "nosuch", "nosuch"},
      {"SELECT * FROM zz.nosuch", "unknown-table", "nosuch", "nosuch"},
      {"SELECT * FROM zz.main.nosuch", "unknown-source", "no span", "zz"},
      {"SELECT q.id FROM orders", "unknown-table", "q", "q"},
      {"SELECT 'äöü', nosuch FROM orders", "unknown-column", "nosuch", "nosuch"},
      {"SELECT orders.nosuch FROM orders", "unknown-column", "nosuch", "nosuch"},
      {"SELECT o.\"no such\" FROM orders o", "unknown-column", "\"no such\"", "no such"},
      {"SELECT nosuch(1)", "unknown-function", "nosuch", "nosuch"},
      {"FROM nosuch(1)", "unknown-function", "nosuch", "nosuch"},
      {"SELEC 1", "statement-not-allowed", "SELEC", ""},
      {"SELECT 1 FRM orders x", "syntax", "orders", ""},
      {"SELECT 'äöü' FRM orders x", "syntax", "orders", ""},
      {"SELECT 'äöü', 'é", "syntax", "'é", ""},
      {"SELECT count(", "syntax", "", ""},
      {"SELECT 'abc", "syntax", "'abc", ""},
      {"SELECT sum(customer) FROM orders", "type-mismatch", "sum", ""},
      {"SELECT customer::INTEGER FROM orders", "type-mismatch", "::", ""},
      {"SELECT DATE '2020-01-01' = 5", "type-mismatch", "5", ""},
      {"CREATE TABLE scratch.nosuch.t (a INTEGER)", "engine-error", "no span", ""},
  };
  for (const ErrorCase& one : cases) {
    const test::Ran ran = run(one.sql);
    ASSERT_TRUE(ran.error.has_value()) << one.sql;
    EXPECT_EQ(ran.error->code, one.code) << one.sql << ": " << ran.error->message;
    if (one.under != "::") {
      EXPECT_EQ(test::under(one.sql, ran.error->span), one.under) << one.sql;
    }
    if (!one.detail.empty()) {
      EXPECT_EQ(ran.error->detail, one.detail) << one.sql;
    }
    EXPECT_EQ(ran.error->message.find('\n'), std::string::npos) << one.sql;
    EXPECT_EQ(ran.error->message.find('{'), std::string::npos) << one.sql;
    EXPECT_FALSE(ran.error->message.empty() || ran.error->message.back() == '.') << ran.error->message;
  }
}

TEST_F(DuckdbEngineTest, RefusesTextThatIsNone) {
  EXPECT_EQ(run(std::string("SELECT 1\0; DROP TABLE x", 23)).code(), "invalid-text");
  EXPECT_EQ(run("SELECT '\xFF'").code(), "invalid-text");
  EXPECT_EQ(run("SELECT '\xED\xA0\x80'").code(), "invalid-text");
  EXPECT_EQ(run("").code(), "syntax");
  EXPECT_EQ(run("SELECT 1; SELECT 2").code(), "several-statements");
}

TEST_F(DuckdbEngineTest, SurvivesHugeStatements) {
  std::string ors = "SELECT 1 WHERE 1 = 2";
  for (int i = 0; i < 5'000; ++i) ors += " OR 1 = " + std::to_string(i + 3);
  EXPECT_EQ(run(ors).code(), "");
  EXPECT_EQ(run("SELECT " + std::string(10'000, '(') + "1" + std::string(10'000, ')')).code(), "over-limit");
  std::string sum = "SELECT 1";
  for (int i = 0; i < 5'000; ++i) sum += "+1";
  const test::Ran deep = run(sum);
  EXPECT_EQ(deep.code(), "over-limit");
  EXPECT_EQ(deep.error->message.find("SET"), std::string::npos) << "no statement may set anything";
  EXPECT_EQ(run("SELECT length('" + std::string(10'000'000, 'x') + "')").all(), "[10000000]");
  EXPECT_EQ(run("SELECT 1").all(), "[1]");
}

TEST_F(DuckdbEngineTest, KeepsTheScratchAndLosesTemporaries) {
  ASSERT_EQ(run("CREATE TABLE kept AS SELECT 1 AS a").code(), "");
  ASSERT_EQ(run("CREATE TEMP VIEW lost AS SELECT 1 AS a").code(), "");
  EXPECT_EQ(run("SELECT 1").header.temporary_objects, std::vector<std::string>{"lost"});
  shop_.open();
  EXPECT_EQ(run("FROM kept").all(), "[1]");
  EXPECT_EQ(run("FROM lost").code(), "unknown-table");
  EXPECT_TRUE(run("SELECT 1").header.temporary_objects.empty());
}

TEST_F(DuckdbEngineTest, ABadSourceTakesNoOtherDown) {
  Policy policy = shop_.policy();
  policy.sources.push_back({"gone", SourceKind::kDuckdb, shop_.folder().path() + "/gone.duckdb", ""});
  policy.sources.push_back(
      {"text", SourceKind::kDuckdb, shop_.folder().write("text.duckdb", std::string(20'000, 'x')), ""});
  policy.sources.push_back({"SHOP", SourceKind::kDuckdb, shop_.folder().path() + "/store.duckdb", ""});
  policy.sources.push_back({"scratch", SourceKind::kDuckdb, shop_.folder().path() + "/store.duckdb", ""});
  shop_.open(policy);
  EXPECT_EQ(run("SELECT count(*) FROM orders").all(), "[3]");
  const test::Ran gone = run("SELECT * FROM gone.t");
  EXPECT_EQ(gone.code(), "file-error");
  EXPECT_NE(gone.error->message.find("gone.duckdb"), std::string::npos);
  EXPECT_EQ(test::under("SELECT * FROM gone.t", gone.error->span), "gone");
  EXPECT_EQ(run("SELECT * FROM text.main.t").code(), "file-error");
  const Result<Catalog> catalog = engine().catalog();
  ASSERT_TRUE(catalog.ok());
  EXPECT_EQ(catalog.value().warnings.size(), 4U);
  EXPECT_FALSE(std::filesystem::exists(shop_.folder().path() + "/gone.duckdb"));
}

TEST_F(DuckdbEngineTest, ReadsFilesAsTables) {
  std::filesystem::create_directories(shop_.folder().path() + "/data");
  (void)shop_.folder().write("data/counties.csv", "code,name\n01001,Autauga\n01003,Baldwin\n");
  (void)shop_.folder().write("data/empty.parquet", "no parquet");
  Policy policy = shop_.policy();
  policy.sources.push_back({"data", SourceKind::kFiles, shop_.folder().path() + "/data", ""});
  shop_.open(policy);
  EXPECT_EQ(run("FROM data.counties").all(), "[\"01001\",\"Autauga\"] [\"01003\",\"Baldwin\"]");
  EXPECT_EQ(run("SELECT count(*) FROM counties").all(), "[2]");
  EXPECT_EQ(run("INSERT INTO data.counties VALUES ('1', 'x')").code(), "read-only");
  EXPECT_EQ(run("FROM '" + shop_.folder().path() + "/data/counties.csv'").code(), "not-published");
  const Result<Catalog> catalog = engine().catalog();
  ASSERT_TRUE(catalog.ok());
  bool seen = false;
  bool failed = false;
  for (const CatalogTable& table : catalog.value().tables) {
    if (table.source != "data" || !table.file) continue;
    seen = seen || (table.name == "counties" && table.rows_exact && table.rows_estimated == 2U && table.file->header);
    failed = failed || (!table.file->failure.empty() && table.columns.empty());
  }
  EXPECT_TRUE(seen);
  EXPECT_TRUE(failed);
}

// Holds a database file open in another process until the pipe is closed.
class Holder {
 public:
  explicit Holder(const std::string& path) {
    int ready[2];
    int done[2];
    if (pipe(ready) != 0 || pipe(done) != 0) return;
    child_ = fork();
    if (child_ == 0) {
      close(done[1]);
      {
        test::DuckdbSession session(path);
        char byte = session.execute("CREATE TABLE IF NOT EXISTS held (a INTEGER)").empty() ? 'y' : 'n';
        (void)!write(ready[1], &byte, 1);
        (void)!read(done[0], &byte, 1);
      }
      _exit(0);
    }
    close(done[0]);
    char byte = 'n';
    (void)!read(ready[0], &byte, 1);
    close(ready[0]);
    close(ready[1]);
    held_ = byte == 'y';
    release_ = done[1];
  }
  Holder(const Holder&) = delete;
  Holder& operator=(const Holder&) = delete;
  ~Holder() {
    close(release_);
    waitpid(child_, nullptr, 0);
  }
  [[nodiscard]] bool held() const { return held_; }

 private:
  pid_t child_ = -1;
  int release_ = -1;
  bool held_ = false;
};

TEST(DuckdbLocks, AFileThatIsWrittenElsewhereIsNamed) {
  test::DuckdbShop shop;
  const std::string path = shop.folder().path() + "/store.duckdb";
  const Holder holder(path);
  ASSERT_TRUE(holder.held());
  shop.open();
  const test::Ran ran = test::run(shop.engine(), "SELECT * FROM store.stock");
  EXPECT_EQ(ran.code(), "file-locked");
  EXPECT_NE(ran.error->message.find(path), std::string::npos);
  EXPECT_EQ(test::run(shop.engine(), "SELECT count(*) FROM orders").all(), "[3]");
}

TEST(DuckdbLocks, AScratchThatIsInUseFailsTheOpening) {
  test::DuckdbShop shop;
  const Holder holder(shop.folder().path() + "/scratch.duckdb");
  ASSERT_TRUE(holder.held());
  const auto opened = duckdb::DuckdbEngine::open(shop.policy());
  ASSERT_FALSE(opened.ok());
  EXPECT_EQ(opened.error().code, "locked");
}

TEST(DuckdbLocks, ADamagedScratchIsNotOverwritten) {
  test::DuckdbShop shop;
  const std::string path = shop.folder().write("scratch.duckdb", std::string(20'000, 'x'));
  const auto opened = duckdb::DuckdbEngine::open(shop.policy());
  ASSERT_FALSE(opened.ok());
  EXPECT_EQ(opened.error().code, "integrity");
  EXPECT_EQ(std::filesystem::file_size(path), 20'000U);
}

TEST_F(DuckdbEngineTest, WorksWithoutAScratchFile) {
  Policy policy = shop_.policy();
  policy.scratch_path = "";
  shop_.open(policy);
  EXPECT_EQ(run("CREATE TABLE t AS SELECT 1 AS a").code(), "");
  EXPECT_EQ(run("FROM scratch.main.t").all(), "[1]");
}

TEST_F(DuckdbEngineTest, TheReviewLaneSeesFullNamesAlone) {
  ASSERT_EQ(run("CREATE TABLE mine AS SELECT 1 AS a").code(), "");
  RunRequest request;
  request.lane = Lane::kReview;
  request.sql = "SELECT system.main.count_star() FROM shop.main.orders";
  EXPECT_EQ(test::run(engine(), request).all(), "[3]");
  request.sql = "SELECT a FROM scratch.main.mine";
  EXPECT_EQ(test::run(engine(), request).all(), "[1]");
  request.sql = "SELECT a FROM mine";
  EXPECT_EQ(test::run(engine(), request).code(), "unknown-table");
  request.sql = "CREATE TABLE x (a INTEGER)";
  request.allow_writes = true;
  EXPECT_EQ(test::run(engine(), request).code(), "statement-not-allowed");
}

TEST_F(DuckdbEngineTest, CatalogTellsWhatIsPublished) {
  ASSERT_EQ(run("CREATE TABLE mine AS SELECT 1 AS a, [1] AS l").code(), "");
  ASSERT_EQ(run("CREATE TEMP TABLE fleeting AS SELECT 'x' AS t").code(), "");
  const Result<Catalog> catalog = engine().catalog();
  ASSERT_TRUE(catalog.ok()) << catalog.error().message;
  std::vector<std::string> names;
  for (const CatalogTable& table : catalog.value().tables)
    names.push_back(table.source + "." + table.schema + "." + table.name);
  EXPECT_EQ(names, (std::vector<std::string>{"scratch.main.mine", "shop.main.big_orders", "shop.main.customers",
                                             "shop.main.orders", "store.main.customers", "store.main.stock",
                                             "temp.main.fleeting"}));
  const CatalogTable& orders = catalog.value().tables[3];
  EXPECT_EQ(orders.rows_estimated, 3U);
  EXPECT_EQ(orders.comment, "one row an order");
  ASSERT_EQ(orders.columns.size(), 3U);
  EXPECT_TRUE(orders.columns[0].primary_key);
  EXPECT_FALSE(orders.columns[0].nullable);
  EXPECT_FALSE(orders.columns[1].primary_key);
  EXPECT_FALSE(orders.columns[1].nullable);
  EXPECT_EQ(orders.columns[1].comment, "customers.code");
  EXPECT_TRUE(orders.columns[2].nullable);
  EXPECT_EQ(orders.columns[2].type, "DECIMAL(10,2)");
  EXPECT_TRUE(catalog.value().tables[1].view);
  EXPECT_EQ(catalog.value().tables[1].columns.size(), 3U);
  EXPECT_TRUE(catalog.value().tables[6].temporary);
}

TEST_F(DuckdbEngineTest, TheCatalogIsNotSpoofedByMacros) {
  ASSERT_EQ(run("CREATE MACRO duckdb_tables() AS TABLE SELECT 'fake' AS table_name").code(), "");
  ASSERT_EQ(run("CREATE TEMP TABLE real AS SELECT 1 AS a").code(), "");
  EXPECT_EQ(run("SELECT 1").header.temporary_objects, std::vector<std::string>{"real"});
  const Result<Catalog> catalog = engine().catalog();
  ASSERT_TRUE(catalog.ok());
  EXPECT_EQ(catalog.value().tables.size(), 6U);
}

TEST_F(DuckdbEngineTest, ParsesAndPrintsTrees) {
  const Result<std::string> tree = engine().syntax_tree("SELECT a FROM t WHERE b = 'x'");
  ASSERT_TRUE(tree.ok());
  const Result<std::string> text = engine().print_tree(tree.value());
  ASSERT_TRUE(text.ok()) << text.error().message;
  EXPECT_EQ(text.value(), "SELECT a FROM t WHERE (b = 'x')");
  const std::string bad = "SELECT 'ä' FROM WHERE";
  const Result<std::string> failed = engine().syntax_tree(bad);
  ASSERT_FALSE(failed.ok());
  EXPECT_EQ(failed.error().code, "syntax");
  EXPECT_EQ(test::under(bad, failed.error().span), "WHERE");
  EXPECT_EQ(engine().syntax_tree("DELETE FROM t").error().code, "statement-kind");
  EXPECT_EQ(engine().syntax_tree("it's").error().code, "syntax");
  EXPECT_EQ(engine().syntax_tree(std::string("a\0b", 3)).error().code, "invalid-text");
}

TEST_F(DuckdbEngineTest, RefusesTreesThatWouldCrashTheEngine) {
  const std::string tree = engine().syntax_tree("SELECT 1 FROM (SELECT 2)").value();
  for (const std::string part : {"\"from_table\"", "\"node\"", "\"statements\""}) {
    for (std::size_t at = tree.find(part); at != std::string::npos; at = tree.find(part, at + 1)) {
      std::string broken = tree;
      broken.replace(at + 1, 2, "zz");
      const Result<std::string> text = engine().print_tree(broken);
      ASSERT_FALSE(text.ok()) << broken;
      EXPECT_EQ(text.error().code, "bad-request");
    }
  }
  EXPECT_FALSE(engine().print_tree("{}").ok());
  EXPECT_FALSE(engine().print_tree("nonsense").ok());
  EXPECT_TRUE(engine().print_tree(tree).ok());
}

// Gives batches that a test made.
class Rows final : public RowStream {
 public:
  explicit Rows(std::vector<Item> items) : items_(std::move(items)) {}
  [[nodiscard]] const Header& header() const override { return header_; }
  [[nodiscard]] Item next() override { return items_[std::min(at_++, items_.size() - 1)]; }

 private:
  Header header_;
  std::vector<Item> items_;
  std::size_t at_ = 0;
};

RowBatch batch(const std::vector<std::vector<Value>>& rows) {
  RowBatch made;
  CellWriter writer(made.cells);
  for (const auto& row : rows) {
    for (const Value& value : row) write_value(writer, value);
    ++made.rows;
  }
  return made;
}

End whole(std::uint64_t rows) {
  End end;
  end.rows = rows;
  end.rows_total = rows;
  return end;
}

Value of(CellKind kind, std::string text) {
  Value value;
  value.kind = kind;
  value.text = std::move(text);
  return value;
}

TEST_F(DuckdbEngineTest, AppendsRowsOfAnotherEngineExactly) {
  Rows rows({batch({{integer_value(1), text_value("é"), of(CellKind::kDecimal, "12.50"),
                     of(CellKind::kBlob, std::string("\0\1", 2)), of(CellKind::kTemporal, "2024-02-29")}}),
             batch({{Value{}, Value{}, Value{}, Value{}, Value{}}}), whole(2)});
  const std::vector<Column> columns = {
      {"a b", "BIGINT"}, {"t", "VARCHAR"}, {"d", "DECIMAL(18,2)"}, {"x", "BLOB"}, {"day", "DATE"}};
  const auto copied = engine().append("my table", columns, false, rows, CancelToken());
  ASSERT_TRUE(copied.ok()) << copied.error().message << copied.error().detail;
  EXPECT_EQ(copied.value(), 2U);
  EXPECT_EQ(run("FROM \"my table\"").all(),
            "[1,\"é\",\"12.50\",{\"base64\":\"AAE=\",\"bytes\":2},\"2024-02-29\"] [null,null,null,null,null]");
  Rows again({whole(0)});
  EXPECT_EQ(engine().append("my table", columns, false, again, CancelToken()).error().code, "duplicate-table");
  EXPECT_EQ(run("SELECT count(*) FROM \"my table\"").all(), "[2]");
  Rows replaced({whole(0)});
  ASSERT_TRUE(engine().append("MY TABLE", columns, true, replaced, CancelToken()).ok());
  EXPECT_EQ(run("SELECT count(*) FROM \"my table\"").all(), "[0]");
}

TEST_F(DuckdbEngineTest, AppendsListsOfOneLevel) {
  const auto list = [](std::vector<Value> parts) {
    Value made;
    made.kind = CellKind::kList;
    made.parts = std::move(parts);
    return made;
  };
  Rows rows({batch({{list({text_value("a,'b\""), Value{}}), list({integer_value(1), integer_value(-2)}),
                     list({of(CellKind::kDecimal, "1.50")}), list({of(CellKind::kBlob, std::string("\0\xff", 2))})},
                    {list({}), list({Value{}}), Value{}, list({})}}),
             whole(2)});
  const std::vector<Column> columns = {
      {"t", "VARCHAR[]"}, {"i", "INTEGER[]"}, {"d", "DECIMAL(9,2)[]"}, {"b", "BLOB[]"}};
  const auto copied = engine().append("lists", columns, false, rows, CancelToken());
  ASSERT_TRUE(copied.ok()) << copied.error().message << copied.error().detail;
  EXPECT_EQ(run("FROM lists").all(),
            "[[\"a,'b\\\"\",null],[1,-2],[\"1.50\"],[{\"base64\":\"AP8=\",\"bytes\":2}]] [[],[null],null,[]]");
  Rows nested({batch({{list({list({integer_value(1)})})}}), whole(1)});
  EXPECT_EQ(engine().append("n", {{"a", "INTEGER[]"}}, false, nested, CancelToken()).error().code, "type-mismatch");
}

TEST_F(DuckdbEngineTest, AFailedAppendLeavesNothing) {
  const std::vector<Column> columns = {{"a", "BIGINT"}};
  ASSERT_EQ(run("CREATE TABLE old AS SELECT 5 AS a").code(), "");
  const auto attempt = [&](RowStream::Item last, CancelToken cancel = {}) {
    Rows rows({batch({{integer_value(1)}}), std::move(last)});
    const auto copied = engine().append("old", columns, true, rows, std::move(cancel));
    EXPECT_EQ(run("FROM old").all(), "[5]");
    return copied.ok() ? "" : copied.error().code;
  };
  EXPECT_EQ(attempt(make_error("invalid-value", "broken")), "invalid-value");
  EXPECT_EQ(attempt(batch({{text_value("no number")}})), "type-mismatch");
  EXPECT_EQ(attempt(batch({{Value{CellKind::kCut, 9, 0, "part", {}}}})), "over-limit");
  End cut = whole(1);
  cut.rows_total = 2;
  EXPECT_EQ(attempt(cut), "over-limit");
  End uncounted = whole(1);
  uncounted.rows_total.reset();
  EXPECT_EQ(attempt(uncounted), "over-limit");
  CancelToken cancelled;
  cancelled.cancel();
  EXPECT_EQ(attempt(whole(1), cancelled), "cancelled");
  Rows rows({whole(0)});
  EXPECT_EQ(engine().append("t", {{"a", "BIGINT); DROP TABLE old; --"}}, true, rows, CancelToken()).error().code,
            "bad-request");
  EXPECT_EQ(run("FROM old").all(), "[5]");
}

}  // namespace
}  // namespace candor::engine
