// The counts of a review equal those of the join that it never runs: random tables with NULLs, duplicates, collations,
// several keys and filters, in DuckDB. A seed is printed; CANDOR_SEED repeats it.
#include <cstdlib>
#include <gtest/gtest.h>
#include <iostream>
#include <random>
#include <string>
#include <vector>

#include "review/review.h"
#include "support/review_session.h"

namespace candor::review {
namespace {

constexpr int kCases = 200;

std::uint64_t seed() {
  const char* given = std::getenv("CANDOR_SEED");
  const std::uint64_t value = given == nullptr ? std::random_device()() : std::strtoull(given, nullptr, 10);
  std::cout << "CANDOR_SEED=" << value << '\n';
  return value;
}

// Types of one family can be compared with each other.
struct Family {
  std::vector<std::string> types;
  std::vector<std::string> wrappers;  // % is the column
  bool text = false;
};

const std::vector<Family> kFamilies = {
    {{"VARCHAR", "VARCHAR COLLATE NOCASE"},
     {"%", "%", "upper(%)", "lower(trim(%))", "ltrim(rtrim(%))", "left(%, 2)", "substr(%, 1, 2)", "coalesce(%, 'aa')",
      "CAST(% AS VARCHAR)"},
     true},
    {{"INTEGER", "BIGINT", "DOUBLE", "DECIMAL(9,2)", "SMALLINT"},
     {"%", "%", "%", "coalesce(%, 3)", "CAST(% AS DOUBLE)", "CAST(% AS BIGINT)"},
     false},
};

class Generator {
 public:
  explicit Generator(std::uint64_t start) : random_(start) {}

  std::size_t below(std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random_); }
  bool once_in(std::size_t n) { return below(n) == 0; }
  template <typename T>
  const T& pick(const std::vector<T>& items) {
    return items[below(items.size())];
  }

  // A few letters in changing case, with blanks around and an accent now and then; numbers from a small range.
  std::string value(bool text) {
    if (once_in(5)) return "NULL";
    if (!text) return std::to_string(static_cast<int>(below(12)) - 2);
    std::string word;
    for (std::size_t i = 0; i < 1 + below(3); ++i) word += once_in(9) ? "\u00e9" : std::string(1, "abAB"[below(4)]);
    return "'" + std::string(once_in(5) ? " " : "") + word + (once_in(5) ? " " : "") + "'";
  }

  std::string table(const std::string& name, const std::vector<const Family*>& keys) {
    std::string sql = "CREATE OR REPLACE TABLE " + name + "(id INTEGER, n INTEGER, t VARCHAR";
    for (std::size_t i = 0; i < keys.size(); ++i) sql += ", k" + std::to_string(i) + " " + pick(keys[i]->types);
    sql += "); INSERT INTO " + name + " VALUES ";
    const std::size_t rows = 1 + below(40);
    for (std::size_t row = 0; row < rows; ++row) {
      sql += (row > 0 ? ", (" : "(") + std::to_string(row) + ", " + value(false) + ", " + value(true);
      for (const Family* family : keys) sql += ", " + value(family->text);
      sql += ")";
    }
    return sql;
  }

  std::string wrapped(const Family& family, const std::string& column) {
    std::string text = pick(family.wrappers);
    text.replace(text.find('%'), 1, column);
    return text;
  }

  std::string filter(const std::string& alias) {
    const std::vector<std::string> forms = {"%n > 2",
                                            "%n IS NOT NULL",
                                            "%t LIKE 'a%'",
                                            "upper(%t) <> 'A'",
                                            "%n IN (1, 2, 3)",
                                            "%n BETWEEN 0 AND 5",
                                            "(%n < 3 OR %t = 'a')",
                                            "NOT (%n > 4)",
                                            "coalesce(%n, 0) + 1 > 2",
                                            "CASE WHEN %n > 3 THEN false ELSE true END"};
    std::string text = pick(forms);
    for (std::size_t at = text.find('%'); at != std::string::npos; at = text.find('%', at + 1)) {
      if (at + 1 < text.size() && (text[at + 1] == 'n' || text[at + 1] == 't')) text.replace(at, 1, alias + ".");
    }
    return text;
  }

  std::string filters(const std::string& alias) {
    std::string text;
    for (std::size_t i = 0; i < below(3); ++i) text += (text.empty() ? "" : " AND ") + filter(alias);
    return text;
  }

 private:
  std::mt19937_64 random_;
};

struct Case {
  std::string create, on, left_filter, right_filter;
  std::string in_tuple;  // the keys compared as tuples: what must not be used

  [[nodiscard]] std::string where() const {
    std::string text;
    for (const std::string& filter : {left_filter, right_filter}) {
      if (!filter.empty()) text += (text.empty() ? " WHERE " : " AND ") + filter;
    }
    return text;
  }
  [[nodiscard]] std::string query() const { return "SELECT count(*) FROM a JOIN b ON " + on + where(); }
  [[nodiscard]] std::string real() const {
    const auto rows = [](const std::string& name, const std::string& filter) {
      return "(SELECT count(*) FROM " + name + (filter.empty() ? "" : " WHERE " + filter) + ")";
    };
    return "SELECT " + rows("a", left_filter) + ", count(DISTINCT a.id), " + rows("b", right_filter) +
           ", count(DISTINCT b.id) FROM a JOIN b ON " + on + where();
  }
};

Case random_case(Generator& random) {
  const std::size_t keys = 1 + random.below(2);
  std::vector<const Family*> families;
  for (std::size_t i = 0; i < keys; ++i) families.push_back(&random.pick(kFamilies));
  Case one;
  one.create = random.table("a", families) + ";" + random.table("b", families);
  std::string left;
  std::string right;
  for (std::size_t i = 0; i < keys; ++i) {
    const std::string k = "k" + std::to_string(i);
    const std::string a = random.wrapped(*families[i], "a." + k);
    const std::string b = random.wrapped(*families[i], "b." + k);
    one.on += (i > 0 ? " AND " : "") + (random.once_in(2) ? a + " = " + b : b + " = " + a);
    left += (i > 0 ? ", " : "") + a;
    right += (i > 0 ? ", " : "") + b;
  }
  one.left_filter = random.filters("a");
  one.right_filter = random.filters("b");
  one.in_tuple = "SELECT count(*) FROM a WHERE " + (one.left_filter.empty() ? "" : one.left_filter + " AND ") + "(" +
                 left + ") IN (SELECT " + (keys > 1 ? "(" + right + ")" : right) + " FROM b" +
                 (one.right_filter.empty() ? "" : " WHERE " + one.right_filter) + ")";
  return one;
}

TEST(Coverage, EqualsTheJoinThatIsNotRun) {
  Generator random(seed());
  test::ReviewSession session;
  int measured = 0;
  int caught = 0;
  for (int i = 0; i < kCases; ++i) {
    const Case one = random_case(random);
    ASSERT_EQ(session.execute(one.create), "") << one.create;
    const std::vector<std::string> real = session.query(one.real());
    const CheckResult result = session.coverage(one.query());
    if (real.size() != 4) {
      // The agent's own query fails as well: a comparison that the engine does not take.
      EXPECT_EQ(result.verdict, Verdict::kUndetermined) << one.query();
      continue;
    }
    ASSERT_EQ(result.pairs.size(), 1U) << one.create << "\n"
                                       << one.query() << "\n"
                                       << test::in_words(result) << result.message;
    const Pair& pair = result.pairs[0];
    const std::vector<std::string> counted = {std::to_string(pair.left.rows), std::to_string(pair.left.matched),
                                              std::to_string(pair.right.rows), std::to_string(pair.right.matched)};
    ASSERT_EQ(counted, real) << one.create << "\n" << one.query() << "\n" << pair.counting_sql;
    ++measured;
    const std::vector<std::string> planted = session.query(one.in_tuple);
    if (planted.size() == 1 && planted[0] != real[1]) ++caught;
  }
  EXPECT_GT(measured, kCases * 3 / 4);
  EXPECT_GT(caught, 0)
      << "tuples take NULL for equal to NULL: where this comparison sees no difference, it sees nothing";
}

}  // namespace
}  // namespace candor::review
