// The counts of a review equal those of the join that it never runs, in PostgreSQL: keys of comparable types, NULLs, padded
// texts, wrappers and filters. A seed is printed; CANDOR_SEED repeats it.
#include <cstdlib>
#include <gtest/gtest.h>
#include <iostream>
#include <memory>
#include <random>
#include <string>
#include <variant>
#include <vector>

#include "base/render_json.h"
#include "review/review.h"
#include "support/postgres_app.h"
#include "support/review_session.h"

namespace candor::review {
namespace {

constexpr int kCases = 60;

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

  std::string number() { return pick({"NULL", "0", "1", "2", "3", "-1", "7"}); }
  std::string fraction() { return pick({"NULL", "1", "1.0", "1.50", "2", "2.5", "3", "-1", "0"}); }
  std::string text() {
    return pick({"NULL", "''", "'a'", "'A'", "'a '", "' a'", "'b'", "'ab'", "'\u00e9'", "'01'", "'1'"});
  }

  std::string type(bool texts) {
    return texts ? pick({"text", "varchar(9)", "char(3)"})
                 : pick({"integer", "bigint", "smallint", "numeric", "numeric(6,2)", "real", "double precision"});
  }

  // `texts` says of each key whether it is one.
  std::string create(const std::string& table, const std::vector<bool>& texts) {
    std::vector<std::string> types;
    std::string sql = "CREATE TABLE " + table + "(id serial PRIMARY KEY, n integer, t text";
    for (std::size_t i = 0; i < texts.size(); ++i) {
      types.push_back(type(texts[i]));
      sql += ", k" + std::to_string(i) + " " + types[i];
    }
    sql += "); INSERT INTO " + table + " VALUES ";
    for (std::size_t row = 0, rows = 1 + below(40); row < rows; ++row) {
      sql += (row > 0 ? ", (" : "(") + std::to_string(row) + ", " + number() + ", " + text();
      for (std::size_t i = 0; i < texts.size(); ++i) {
        const bool whole = types[i] == "integer" || types[i] == "bigint" || types[i] == "smallint";
        sql += ", " + (texts[i] ? text() : whole ? number() : fraction());
      }
      sql += ")";
    }
    return sql + ";";
  }

  std::string filled(const std::vector<std::string>& forms, const std::string& alias, const std::string& column) {
    std::string text = pick(forms);
    for (std::size_t at = text.find('#'); at != std::string::npos; at = text.find('#', at + column.size())) {
      text.replace(at, 1, alias + "." + column);
    }
    return text;
  }

  std::string key(bool text, const std::string& alias, const std::string& column) {
    if (text) {
      return filled({"#", "#", "#", "#", "upper(#)", "Lower(trim(#))", "substr(#, 1, 1)", "substring(# FROM 1 FOR 1)",
                     "CAST(# AS TEXT)", "#::text", "coalesce(#, 'a')", "left(#, 1)", "btrim(#)"},
                    alias, column);
    }
    return filled({"#", "#", "#", "#", "CAST(# AS BIGINT)", "#::int", "CAST(# AS double precision)", "#::float8",
                   "coalesce(#, 1)"},
                  alias, column);
  }

  std::string filter(const std::string& alias) {
    if (once_in(2)) return {};
    if (once_in(2)) {
      return filled({"# > 1", "# IS NOT NULL", "# IN (1, 2)", "# BETWEEN 0 AND 3", "(# < 3 OR # = 7)", "NOT # > 1",
                     "# + 1 > 2", "# = 1.0", "# * 2 - 1 >= 1", "#::int8 <> 2", "abs(#) = 1", "# NOT BETWEEN 1 AND 2"},
                    alias, "n");
    }
    return filled({"# LIKE 'a_'", "# LIKE '%a%' /* note */", "# ILIKE 'A%'", "# NOT LIKE '%b'", "upper(#) <> 'A'",
                   "# IN ('a', 'b')", "length(#) > 1", "# IS NULL", "# BETWEEN 'a' AND 'b'", "# >= 'a' AND # < 'b'",
                   "nullif(#, 'a') IS NULL", "replace(#, 'a', 'b') = 'b'"},
                  alias, "t");
  }

 private:
  std::mt19937_64 random_;
};

class PostgresCoverage : public test::PostgresTest {
 protected:
  void SetUp() override {
    // Before the first connection, which keeps its search path.
    server().run(
        "DROP SCHEMA IF EXISTS cover CASCADE; CREATE SCHEMA cover; GRANT USAGE ON SCHEMA cover TO reader;"
        "ALTER DEFAULT PRIVILEGES IN SCHEMA cover GRANT SELECT ON TABLES TO reader;"
        "ALTER ROLE reader SET search_path = cover, public");
    engine::postgres::Parser parser;
    parser.syntax_tree = [this](std::string_view text) { return parser_.engine().syntax_tree(text); };
    auto opened = engine::postgres::open(policy("reader"), parser);
    ASSERT_TRUE(opened.ok()) << opened.error().message;
    server_engine_ = std::move(*opened);
    context_.engine = server_engine_.get();
    context_.dialect = "postgres";
    context_.source = "app";
    context_.settings.probe = ProbeScope::kAll;
  }
  void TearDown() override { server().run("ALTER ROLE reader RESET search_path; DROP SCHEMA cover CASCADE"); }

  void make(const std::string& sql) { server().run("SET search_path = cover; DROP TABLE IF EXISTS a, b; " + sql); }

  std::vector<std::string> query(const std::string& sql) {
    engine::RunRequest request;
    request.sql = sql;
    auto stream = server_engine_->run(request, {});
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

  test::ReviewSession parser_;
  std::unique_ptr<engine::Engine> server_engine_;
  Context context_;
};

std::string where(const std::string& filter) { return filter.empty() ? "" : " WHERE " + filter; }

std::string both(const std::string& a, const std::string& b) {
  return a.empty() || b.empty() ? where(a + b) : where(a + " AND " + b);
}

TEST_F(PostgresCoverage, EqualsTheJoinThatIsNotRun) {
  Generator random(seed());
  int caught = 0;
  for (int i = 0; i < kCases; ++i) {
    std::vector<bool> texts{random.once_in(2)};
    if (random.once_in(3)) texts.push_back(random.once_in(2));
    const std::string create = random.create("a", texts) + random.create("b", texts);
    make(create);
    std::string on;
    std::string bare;
    for (std::size_t k = 0; k < texts.size(); ++k) {
      const std::string column = "k" + std::to_string(k);
      on += (k > 0 ? " AND " : "") + random.key(texts[k], "a", column) + " = " + random.key(texts[k], "b", column);
      bare += (k > 0 ? " AND a." : "a.") + column + "::text = b." + column + "::text";
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
    // Planted: keys compared as their texts.
    const auto planted =
        query("SELECT count(DISTINCT a.id) FROM a JOIN b ON " + bare + both(left_filter, right_filter));
    if (planted.size() == 1 && planted[0] != real[1]) ++caught;
  }
  EXPECT_GT(caught, 0) << "where a careless comparison sees no difference, this test sees nothing";
}

TEST_F(PostgresCoverage, AbstainsWhereItCannotKnow) {
  make(
      "CREATE TABLE a(id int PRIMARY KEY, k text, t text, \"Up\" int, up int); CREATE TABLE b(k text, t text, n int);"
      "INSERT INTO a VALUES (1, 'x', 'y', 1, 1); INSERT INTO b VALUES ('x', 'y', 1); CREATE VIEW v AS SELECT * FROM b;"
      "CREATE TABLE c (k text, t text); INSERT INTO c VALUES ('x', 'y');"
      "CREATE FUNCTION cover.own(text) RETURNS text LANGUAGE sql IMMUTABLE AS 'SELECT $1'");
  const auto verdict = [&](const std::string& sql) { return test::in_words(coverage(sql)); };
  EXPECT_EQ(verdict("SELECT count(*) FROM c JOIN b ON c.k = b.k"), "clean");
  EXPECT_EQ(verdict("SELECT COUNT(*) FROM app.cover.C, cover.b WHERE c.k = b.k AND b.n = 1;"), "clean");
  EXPECT_EQ(verdict("SELECT count(*) FROM c JOIN b USING (t)"), "clean");
  EXPECT_EQ(verdict("SELECT round(avg(b.n)::numeric, 2), 'a' || 'b' FROM c JOIN b ON c.k = b.k"), "clean");
  EXPECT_EQ(verdict("SELECT count(*) FROM b"), "clean");
  EXPECT_EQ(verdict("SELECT count(*) FROM c JOIN v ON c.t = v.t"), "undetermined (not-base-table)");
  EXPECT_EQ(verdict("SELECT count(*) FROM a JOIN b ON a.t = b.t"), "undetermined (column-not-resolved)");
  for (const char* sql :
       {"SELECT count(*) FROM c JOIN b ON c.t = b.t WHERE c.t || 'z' = 'yz'",
        "SELECT count(*) FROM c JOIN b ON c.t = b.t WHERE c.t ~ 'y'",
        "SELECT count(*) FROM c JOIN b ON c.t = b.t WHERE c.t COLLATE \"C\" = 'y'",
        "SELECT count(*) FROM c JOIN b ON c.t = b.t WHERE c.t = b.t IS NULL",
        "SELECT count(*) FROM c JOIN b ON c.t = E'y'", "SELECT count(*) FROM c JOIN b ON c.t = b.t::char",
        "SELECT count(*) FROM c JOIN b ON c.t = ANY (ARRAY[b.t])", "SELECT count(*) FROM c JOIN b ON c.t = own(b.t)"}) {
    const std::string said = verdict(sql);
    EXPECT_TRUE(said == "undetermined (unsupported-syntax)" || said == "undetermined (key-function)" ||
                said == "undetermined (user-function)" || said == "undetermined (no-equality)")
        << sql << ": " << said;
  }
  context_.settings.probe = ProbeScope::kLocal;
  EXPECT_EQ(verdict("SELECT count(*) FROM c JOIN b ON c.k = b.k"), "undetermined (probe-not-allowed)");
  EXPECT_EQ(verdict("SELECT count(*) FROM b"), "clean");
  context_.settings.probe = ProbeScope::kAll;
  server().run("ANALYZE cover.a; ANALYZE cover.b; ANALYZE cover.c");
  context_.settings.key_chars_max = 100;
  EXPECT_EQ(verdict("SELECT count(*) FROM c JOIN b ON c.k = b.k"), "undetermined (key-width-unknown)");
  EXPECT_EQ(verdict("SELECT count(*) FROM a JOIN b ON a.id = b.n"), "undetermined (column-not-resolved)");
}

TEST_F(PostgresCoverage, FiresAndAgreesWithItself) {
  make(
      "CREATE TABLE a(id integer PRIMARY KEY, g text); CREATE TABLE b(a_id integer, v integer);"
      "INSERT INTO a SELECT i, i % 3 FROM generate_series(1, 100) AS i;"
      "INSERT INTO b SELECT id, id FROM a WHERE id % 5 = 0; ANALYZE a; ANALYZE b");
  const std::string asked = "SELECT a.g, sum(b.v) FROM a JOIN b ON b.a_id = a.id GROUP BY a.g";
  const CheckResult result = coverage(asked);
  EXPECT_EQ(test::in_words(result), "finding") << result.message;
  ASSERT_EQ(result.pairs.size(), 1U);
  EXPECT_EQ(result.pairs[0].left.full_name, "app.cover.a");
  const auto again = count_again(*server_engine_, result.pairs[0].counting_sql, {});
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_EQ(*again, (Counts{100, 20, 20, 20}));
  context_.settings.rows_max = 50;
  const CheckResult sampled = coverage(asked);
  ASSERT_EQ(sampled.pairs.size(), 1U) << sampled.message;
  EXPECT_TRUE(sampled.pairs[0].sample);
  EXPECT_GT(sampled.pairs[0].left.rows, 20U);
  EXPECT_LT(sampled.pairs[0].left.rows, 80U);
}

}  // namespace
}  // namespace candor::review
