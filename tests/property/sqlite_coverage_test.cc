// The counts of a review equal those of the join that it never runs, in SQLite: columns of every affinity that hold
// values of every type, NULLs, wrappers and filters. A seed is printed; CANDOR_SEED repeats it.
#include <cstdlib>
#include <gtest/gtest.h>
#include <iostream>
#include <memory>
#include <random>
#include <string>
#include <variant>
#include <vector>

#include "base/render_json.h"
#include "engine/sqlite/sqlite_engine.h"
#include "review/review.h"
#include "sqlite/sqlite.h"
#include "support/review_session.h"
#include "support/temp_folder.h"

namespace candor::review {
namespace {

constexpr int kCases = 120;

std::uint64_t seed() {
  const char* given = std::getenv("CANDOR_SEED");
  const std::uint64_t value = given == nullptr ? std::random_device()() : std::strtoull(given, nullptr, 10);
  std::cout << "CANDOR_SEED=" << value << '\n';
  return value;
}

class Generator {
 public:
  explicit Generator(std::uint64_t start) : random_(start) {}

  std::size_t below(std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random_); }
  bool once_in(std::size_t n) { return below(n) == 0; }
  std::string pick(const std::vector<std::string>& items) { return items[below(items.size())]; }

  std::string value() {
    return pick({"NULL", "1",   "2",    "3",    "'1'", "'2'",   "'3'", "1.0",      "2.5",  "'1.0'", "'2.50'",
                 "'a'",  "'A'", "' a'", "'a '", "'b'", "x'61'", "''",  "'\u00e9'", "'01'", "-1",    "'-1'"});
  }

  std::string create(const std::string& table, std::size_t keys) {
    std::string sql =
        "DROP TABLE IF EXISTS " + table + "; CREATE TABLE " + table + "(id INTEGER PRIMARY KEY, n, t TEXT";
    for (std::size_t i = 0; i < keys; ++i) {
      sql += ", k" + std::to_string(i) + " " + pick({"", "TEXT", "INTEGER", "REAL", "NUMERIC", "BLOB", "VARCHAR(9)"});
    }
    sql += "); INSERT INTO " + table + " VALUES ";
    for (std::size_t row = 0, rows = 1 + below(40); row < rows; ++row) {
      sql += (row > 0 ? ", (" : "(") + std::to_string(row) + ", " + value() + ", " + value();
      for (std::size_t i = 0; i < keys; ++i) sql += ", " + value();
      sql += ")";
    }
    return sql + ";";
  }

  std::string filled(const std::vector<std::string>& forms, const std::string& alias, const std::string& column) {
    std::string text = pick(forms);
    for (std::size_t at = text.find('%'); at != std::string::npos; at = text.find('%', at + column.size())) {
      text.replace(at, 1, alias + "." + column);
    }
    return text;
  }

  std::string key(const std::string& alias, const std::string& column) {
    return filled({"%", "%", "%", "%", "upper(%)", "lower(trim(%))", "substr(%, 1, 1)", "CAST(% AS TEXT)",
                   "CAST(% AS INTEGER)", "CAST(% AS REAL)", "coalesce(%, 'a')", "coalesce(%, 1)"},
                  alias, column);
  }

  std::string filter(const std::string& alias) {
    if (once_in(2)) return {};
    return filled(
        {"% > 1", "% IS NOT NULL", "% LIKE 'a_%'", "upper(%) <> 'A'", "% IN (1, '2', 'a')", "% BETWEEN 0 AND '3'",
         "(% < 3 OR % = 'a')", "NOT % > 1", "% + 1 > 2", "% = 1.0", "% * 2 - 1 >= 1", "instr(%, 'a') > 0"},
        alias, once_in(2) ? "n" : "t");
  }

 private:
  std::mt19937_64 random_;
};

class SqliteCoverage : public testing::Test {
 protected:
  // Writes the tables and opens an engine on the file.
  void open(const std::string& sql) {
    engine_.reset();
    const std::string path = folder_.path() + "/app.sqlite";
    {
      auto database = sqlite::Database::open(path, {.mode = sqlite::OpenMode::kCreate});
      ASSERT_TRUE(database.ok());
      const Status done = database->run("PRAGMA synchronous=OFF; PRAGMA journal_mode=OFF;" + sql);
      ASSERT_TRUE(done.ok()) << done.error().message << sql;
    }
    engine::Policy policy;
    policy.sources.push_back({"app", engine::SourceKind::kSqlite, path, ""});
    engine::sqlite::Parser parser;
    parser.syntax_tree = [this](std::string_view text) { return parser_.engine().syntax_tree(text); };
    parser.print_tree = [this](std::string_view tree) { return parser_.engine().print_tree(tree); };
    auto engine = engine::sqlite::open(policy, parser);
    ASSERT_TRUE(engine.ok()) << engine.error().message;
    engine_ = std::move(*engine);
    context_.engine = engine_.get();
    context_.dialect = "sqlite";
    context_.source = "app";
  }

  std::vector<std::string> query(const std::string& sql) {
    engine::RunRequest request;
    request.sql = sql;
    auto stream = engine_->run(request, {});
    if (!stream.ok()) return {stream.error().message};
    std::vector<std::string> cells;
    while (true) {
      engine::RowStream::Item item = (*stream)->next();
      if (auto* failure = std::get_if<Diagnostic>(&item)) return {failure->message};
      if (std::holds_alternative<engine::End>(item)) return cells;
      CellReader reader(std::get<RowBatch>(item).cells);
      while (!reader.at_end()) cells.push_back(plain_text(reader));
    }
  }

  CheckResult coverage(const std::string& sql) { return review_query(sql, context_).front(); }

  test::TempFolder folder_;
  test::ReviewSession parser_;
  std::unique_ptr<engine::Engine> engine_;
  Context context_;
};

std::string where(const std::string& filter) { return filter.empty() ? "" : " WHERE " + filter; }

std::string both(const std::string& a, const std::string& b) {
  return a.empty() || b.empty() ? where(a + b) : where(a + " AND " + b);
}

TEST_F(SqliteCoverage, EqualsTheJoinThatIsNotRun) {
  Generator random(seed());
  int caught = 0;
  for (int i = 0; i < kCases; ++i) {
    const std::size_t keys = 1 + random.below(2);
    const std::string create = random.create("a", keys) + random.create("b", keys);
    open(create);
    std::string on;
    std::string projected;
    for (std::size_t k = 0; k < keys; ++k) {
      const std::string column = "k" + std::to_string(k);
      const std::string left = random.key("a", column);
      const std::string right = random.key("b", column);
      on += (k > 0 ? " AND " : "") + left + " = " + right;
      projected += (k > 0 ? " AND " : "") + std::string("l.") + column + " = r." + column;
    }
    const std::string left_filter = random.filter("a");
    const std::string right_filter = random.filter("b");
    const std::string rest = " FROM a JOIN b ON " + on + both(left_filter, right_filter);
    const std::vector<std::string> real = query("SELECT (SELECT count(*) FROM a" + where(left_filter) +
                                                "), count(DISTINCT a.id), (SELECT count(*) FROM b" +
                                                where(right_filter) + "), count(DISTINCT b.id)" + rest);
    ASSERT_EQ(real.size(), 4U) << real.front() << rest;
    const CheckResult result = coverage("SELECT count(*)" + rest);
    ASSERT_EQ(result.pairs.size(), 1U) << test::in_words(result) << " " << result.message << rest;
    const Pair& pair = result.pairs[0];
    const std::vector<std::string> counted = {std::to_string(pair.left.rows), std::to_string(pair.left.matched),
                                              std::to_string(pair.right.rows), std::to_string(pair.right.matched)};
    ASSERT_EQ(counted, real) << create << "\n" << rest << "\n" << pair.counting_sql;
    // Planted: the columns without their affinity, as a careless projection gives them.
    std::string bare;
    for (std::size_t k = 0; k < keys; ++k) {
      bare += (k > 0 ? " AND +a.k" : "+a.k") + std::to_string(k) + " = +b.k" + std::to_string(k);
    }
    const auto planted =
        query("SELECT count(DISTINCT a.id) FROM a JOIN b ON " + bare + both(left_filter, right_filter));
    if (planted.size() == 1 && planted[0] != real[1]) ++caught;
  }
  EXPECT_GT(caught, 0) << "where a comparison without affinity sees no difference, this test sees nothing";
}

TEST_F(SqliteCoverage, AbstainsWhereItCannotKnow) {
  open(
      "CREATE TABLE a(id INTEGER PRIMARY KEY, k TEXT COLLATE NOCASE, t TEXT); CREATE TABLE b(k TEXT, t TEXT);"
      "INSERT INTO a VALUES (1, 'x', 'y'); INSERT INTO b VALUES ('X', 'y'); CREATE VIEW v AS SELECT * FROM b");
  EXPECT_EQ(test::in_words(coverage("SELECT count(*) FROM a JOIN b ON a.k = b.k")), "undetermined (collation)");
  EXPECT_EQ(test::in_words(coverage("SELECT count(*) FROM a JOIN v ON a.t = v.t")), "undetermined (not-base-table)");
  EXPECT_EQ(test::in_words(coverage("SELECT count(*) FROM a JOIN b ON a.t = b.t WHERE a.t GLOB 'y*'")),
            "undetermined (unsupported-syntax)");
  EXPECT_EQ(test::in_words(coverage("SELECT count(*) FROM a JOIN b ON a.t = b.t WHERE a.t || 'z' = 'yz'")),
            "undetermined (unsupported-syntax)");
  EXPECT_EQ(test::in_words(coverage("SELECT count(*) FROM a JOIN b ON a.t = b.t WHERE a.t = date('now')")),
            "undetermined (unsupported-syntax)");
  EXPECT_EQ(test::in_words(coverage("SELECT count(*) FROM a JOIN b ON a.t = b.t")), "clean");
  EXPECT_EQ(test::in_words(coverage("SELECT count(*) FROM app.a JOIN b USING (t)")), "clean");
  context_.settings.probe = ProbeScope::kScratch;
  EXPECT_EQ(test::in_words(coverage("SELECT count(*) FROM a JOIN b ON a.t = b.t")), "undetermined (probe-not-allowed)");
  context_.settings = {};
  context_.settings.key_chars_max = 100;
  EXPECT_EQ(test::in_words(coverage("SELECT count(*) FROM a JOIN b ON a.t = b.t")), "undetermined (key-width-unknown)");
}

TEST_F(SqliteCoverage, FiresAndAgreesWithItself) {
  open(
      "CREATE TABLE a(id INTEGER PRIMARY KEY, g TEXT); CREATE TABLE b(a_id INTEGER, v);"
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100) INSERT INTO a SELECT i, i % 3 "
      "FROM n;"
      "INSERT INTO b SELECT id, id FROM a WHERE id % 5 = 0");
  const CheckResult result = coverage("SELECT a.g, sum(b.v) FROM a JOIN b ON b.a_id = a.id GROUP BY a.g");
  EXPECT_EQ(test::in_words(result), "finding") << result.message;
  ASSERT_EQ(result.pairs.size(), 1U);
  EXPECT_EQ(result.pairs[0].left.full_name, "app.main.a");
  const auto again = count_again(*engine_, result.pairs[0].counting_sql, {});
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_EQ(*again, (Counts{100, 20, 20, 20}));
  context_.settings.rows_max = 50;
  const CheckResult sampled = coverage("SELECT a.g, sum(b.v) FROM a JOIN b ON b.a_id = a.id GROUP BY a.g");
  ASSERT_EQ(sampled.pairs.size(), 1U) << sampled.message;
  EXPECT_TRUE(sampled.pairs[0].sample);
  EXPECT_GT(sampled.pairs[0].left.rows, 20U);
  EXPECT_LT(sampled.pairs[0].left.rows, 80U);
}

}  // namespace
}  // namespace candor::review
