// Print, then parse, is the identity: of statements made at random, of those that agents wrote, and of what remains a
// statement after a random damage. A seed is printed; CANDOR_SEED repeats it.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <initializer_list>
#include <iostream>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "dialect/parser.h"
#include "dialect/printer.h"
#include "dialect/same_tree.h"

namespace candor::dialect {
namespace {

unsigned seed() {
  const char* given = std::getenv("CANDOR_SEED");
  const unsigned value =
      given != nullptr ? static_cast<unsigned>(std::strtoul(given, nullptr, 10)) : std::random_device{}();
  std::cout << "CANDOR_SEED=" << value << '\n';
  return value;
}

// Printing may put parentheses where the text had none, each a level.
constexpr ParseLimits kDeep{512, 1'000};

void expect_identity(const Statement& statement, std::string_view written) {
  const std::string text = print(statement);
  const Parsed again = parse(text, kDeep);
  ASSERT_TRUE(again.errors.empty()) << again.errors.front().message << "\nprinted: " << text
                                    << "\nwritten: " << written;
  ASSERT_EQ(again.statements.size(), 1U) << text;
  ASSERT_TRUE(same_tree(statement, again.statements.front()))
      << "printed: " << text << "\nagain:   " << print(again.statements.front()) << "\nwritten: " << written;
  ASSERT_EQ(print(again.statements.front()), text);
  ASSERT_TRUE(again.read_as.empty()) << text;
}

// Spans lie within the text, an error says what it is.
void expect_sound(const Parsed& parsed, std::string_view written) {
  for (const Diagnostic& error : parsed.errors) {
    ASSERT_FALSE(error.message.empty()) << written;
    if (!error.span) continue;
    ASSERT_LE(error.span->start, error.span->end) << error.message << "\n" << written;
    ASSERT_LE(error.span->end, written.size()) << error.message << "\n" << written;
  }
  ASSERT_LE(parsed.statements.size(), parsed.count) << written;
  for (const Statement& statement : parsed.statements) {
    ASSERT_LT(statement.span.start, statement.span.end) << written;
    ASSERT_LE(statement.span.end, written.size()) << written;
  }
}

// Statements of the whole grammar, in all its spellings.
class Statements {
 public:
  explicit Statements(unsigned seed) : random_(seed) {}

  std::string statement() {
    depth_ = 0;
    switch (below(8)) {
      case 0:
        return insert();
      case 1:
        return "UPDATE " + target() + " SET " + assignments() + (often() ? " WHERE " + expr() : "") + returning();
      case 2:
        return "DELETE FROM " + target() + (often() ? " WHERE " + expr() : "") + returning();
      case 3:
        return discovery();
      default:
        return query();
    }
  }

 private:
  std::size_t below(std::size_t end) { return std::uniform_int_distribution<std::size_t>(0, end - 1)(random_); }
  bool often() { return below(3) != 0; }
  bool sometimes() { return below(4) == 0; }
  std::string one_of(std::initializer_list<std::string_view> texts) {
    return std::string(*(texts.begin() + static_cast<std::ptrdiff_t>(below(texts.size()))));
  }
  template <typename Make>
  std::string list(std::size_t most, const Make& make, std::string_view between = ", ") {
    std::string text = make();
    for (std::size_t more = below(most); more > 0; --more) text += std::string(between) + make();
    return text;
  }

  std::string name() {
    return one_of({"a",        "b",          "tags",   "card_no",      "Größe",  "\"order\"",   "\"a b\"",
                   "`select`", "\"q\"\"q\"", "date",   "top",          "filter", "\"overlap\"", "\"Rollup\"",
                   "match",    "value",      "\"x]\"", "\"interval\"", "rows",   "a$1"});
  }
  std::string column() { return sometimes() ? name() + "." + name() : name(); }
  std::string table() { return sometimes() ? name() + "." + name() : name(); }
  std::string alias() { return sometimes() ? " AS " + name() : sometimes() ? " z" : ""; }
  std::string target() { return table() + (sometimes() ? " AS " + name() : ""); }

  std::string literal() {
    return one_of({"1",
                   "0",
                   "-5",
                   "2.50",
                   ".5",
                   "5.",
                   "1e10",
                   "1_000",
                   "'a'",
                   "''",
                   "'it''s'",
                   "'%;--'",
                   "'é\n'",
                   "NULL",
                   "TRUE",
                   "false",
                   "('a')",
                   "(1)",
                   "(-1)",
                   "DATE '2024-01-01'",
                   "TIMESTAMP '2024-01-01 10:00:00'",
                   "INTERVAL '7 days'",
                   "INTERVAL 1 MONTH",
                   "INTERVAL '-2' hours",
                   "CURRENT_DATE",
                   "'{a,b}'"});
  }

  std::string array() {
    const auto elements = [&] { return list(3, [&] { return operand(); }); };
    switch (below(5)) {
      case 0:
        return "(" + elements() + ")";
      case 1:
        return "ARRAY[" + elements() + "]";
      case 2:
        return "['a'" + std::string(sometimes() ? "" : ", 'b'") + "]";
      case 3:
        return "()";
      default:
        return column();
    }
  }

  std::string function() {
    switch (below(14)) {
      case 0:
        return "COUNT(*)";
      case 1:
        return "count(DISTINCT " + expr() + ")";
      case 2:
        return "STRING_AGG(" + expr() + ", ', ' ORDER BY " + order() + ") FILTER (WHERE " + expr() + ")";
      case 3:
        return "GROUP_CONCAT(" + expr() + " ORDER BY " + order() + " SEPARATOR '; ')";
      case 4:
        return "CAST(" + expr() + " AS " + type() + ")";
      case 5:
        return "TRY_CAST(" + expr() + " AS " + type() + ")";
      case 6:
        return "EXTRACT(month FROM " + expr() + ")";
      case 7:
        return "SUBSTRING(" + expr() + one_of({" FROM 1 FOR 2)", " FOR 3)", ", 2)", ")"});
      case 8:
        return "TRIM(" + one_of({"BOTH ", "LEADING ", "TRAILING ", ""}) + "'x' FROM " + expr() + ")";
      case 9:
        return "POSITION(" + operand() + " IN " + expr() + ")";
      case 10:
        return "CASE " + (sometimes() ? expr() + " " : "") +
               list(
                   2, [&] { return "WHEN " + expr() + " THEN " + expr(); }, " ") +
               (often() ? " ELSE " + expr() : "") + " END";
      case 11:
        return one_of({"leading", "rollup", "top", "symmetric", "left", "mod"}) + "(" + expr() + ")";
      case 12:
        return "MODE() WITHIN GROUP (ORDER BY " + order() + ")";
      default:
        return one_of({"lower", "COALESCE", "match", "trim", "date"}) + "(" + list(2, [&] { return expr(); }) + ")";
    }
  }
  std::string type() {
    return one_of({"text", "VARCHAR(20)", "double precision", "numeric(10, 2)", "timestamp with time zone", "text[]"});
  }

  std::string operand() {
    if (++depth_ > 6) return --depth_, below(2) == 0 ? literal() : column();
    std::string text;
    switch (below(10)) {
      case 0:
        text = operand() + one_of({" + ", " - ", " * ", " / ", " // ", " % ", " || ", " DIV "}) + operand();
        break;
      case 1:
        text = "-" + std::string(1, ' ') + operand();
        break;
      case 2:
        text = "(" + expr() + ")";
        break;
      case 3:
        text = "(" + query() + ")";
        break;
      case 4:
        text = "(" + operand() + ")::" + type();
        break;
      case 5:
      case 6:
        text = function();
        break;
      case 7:
        text = literal();
        break;
      default:
        text = column();
    }
    --depth_;
    return text;
  }

  std::string predicate() {
    const std::string left = operand();
    const std::string no = sometimes() ? " NOT" : "";
    switch (below(13)) {
      case 0:
        return left + " IS" + no + " " + one_of({"NULL", "TRUE", "FALSE", "DISTINCT FROM b", "5"});
      case 1:
        return left + no + " BETWEEN " + operand() + " AND " + operand();
      case 2:
        return left + no + " IN (" + list(3, [&] { return expr(); }) + ")";
      case 3:
        return left + no + " IN (" + query() + ")";
      case 4:
        return left + no + one_of({" LIKE ", " ILIKE "}) + operand() + (sometimes() ? " ESCAPE '!'" : "");
      case 5:
        return left + one_of({" && ", " @> ", " <@ ", " OVERLAP ", " NOT OVERLAP ", " CONTAINS ", " NOT CONTAINS "}) +
               array();
      case 6:
        return left + one_of({" = ANY (", " <> ALL ("}) + array() + ")";
      case 7:
        return left + no + " IN " + column();
      case 8:
        return (sometimes() ? "NOT EXISTS (" : "EXISTS (") + query() + ")";
      case 9:
        return one_of({"list_has_any", "list_contains", "array_has_all", "contains"}) + "(" + left + ", " + array() +
               ")";
      case 10:
        return left + one_of({" = ", " <> "}) + array();
      default:
        return left + one_of({" = ", " == ", " <> ", " != ", " < ", " <= ", " > ", " >= ", " <=> "}) + operand();
    }
  }

  std::string expr() {
    if (++depth_ > 5) return --depth_, column();
    std::string text;
    switch (below(8)) {
      case 0:
        text = expr() + one_of({" AND ", " OR "}) + expr();
        break;
      case 1:
        text = "NOT " + expr();
        break;
      case 2:
        text = "(" + expr() + ")" + one_of({" AND ", " OR "}) + "(" + expr() + ")";
        break;
      case 3:
        text = operand();
        break;
      default:
        text = predicate();
    }
    --depth_;
    return text;
  }

  std::string order() {
    return list(
        2, [&] { return expr() + one_of({"", " ASC", " DESC"}) + one_of({"", "", " NULLS FIRST", " NULLS LAST"}); });
  }
  std::string item() {
    if (sometimes()) return one_of({"*", "a.*", "\"order\".*", "UNNEST(tags) AS tag"});
    return expr() + alias();
  }
  std::string join() {
    const std::string condition = sometimes() ? " USING (a, b)" : " ON " + expr();
    switch (below(8)) {
      case 0:
        return ", " + source();
      case 1:
        return " CROSS JOIN " + source();
      case 2:
        return " LEFT OUTER JOIN " + source() + condition;
      case 3:
        return " NATURAL JOIN " + source();
      case 4:
        return " UNNEST " + column() + " AS " + name();
      case 5:
        return ", LATERAL UNNEST(" + array() + ") AS t(x)";
      case 6:
        return " CROSS JOIN json_each(" + column() + ") j";
      default:
        return " JOIN " + source() + condition;
    }
  }
  std::string source() {
    if (depth_ < 4 && sometimes()) return "(" + query() + ") AS s" + (sometimes() ? "(x, y)" : "");
    return table() + alias();
  }

  std::string query() {
    if (++depth_ > 4) return --depth_, "SELECT a FROM b";
    std::string text = sometimes() ? "WITH w" + one_of({"", " (x)"}) + " AS (" + query() + ") " : "";
    text += "SELECT " + one_of({"", "", "DISTINCT ", "ALL ", "TOP 3 "});
    const bool top = text.ends_with("TOP 3 ");
    text += list(3, [&] { return item(); });
    if (often()) {
      text += " FROM " + source();
      for (std::size_t joins = below(3); joins > 0; --joins) text += join();
    }
    if (often()) text += " WHERE " + expr();
    if (sometimes()) text += " GROUP BY " + list(2, [&] { return sometimes() ? "(" + expr() + ")" : expr(); });
    if (sometimes()) text += " HAVING " + expr();
    if (sometimes()) text += " ORDER BY " + order();
    if (!top && sometimes()) {
      text += one_of({" LIMIT 5", " LIMIT 10, 5", " LIMIT -1", " OFFSET 3 ROWS", " FETCH FIRST 3 ROWS ONLY",
                      " FETCH NEXT ROW ONLY", " LIMIT 1 + 1 OFFSET 2"});
    }
    --depth_;
    return text;
  }

  std::string value() { return sometimes() ? "DEFAULT" : sometimes() ? array() : expr(); }
  std::string assignments() {
    return list(2, [&] { return name() + " = " + value(); });
  }
  std::string returning() {
    return sometimes() ? " RETURNING " + list(2, [&] { return item(); }) : "";
  }
  std::string insert() {
    std::string text = "INSERT INTO " + target() + (often() ? " (a, \"order\")" : "");
    text += sometimes() ? " DEFAULT VALUES"
                        : " VALUES " + list(3, [&] { return "(" + list(3, [&] { return value(); }) + ")"; });
    if (sometimes()) text += " ON CONFLICT" + one_of({"", " (a)", " (a, b)"}) + " DO NOTHING";
    if (!text.ends_with("NOTHING") && sometimes())
      text += " ON CONFLICT (a) DO UPDATE SET " + assignments() + (sometimes() ? " WHERE " + expr() : "");
    return text + returning();
  }
  std::string discovery() {
    if (sometimes()) return one_of({"SHOW TABLES", "SHOW TABLES LIKE '%s'", "\\dt", "PRAGMA table_list", "DESCRIBE"});
    if (sometimes()) return "PRAGMA table_info(" + name() + ")";
    return one_of({"DESCRIBE ", "DESC ", "SHOW COLUMNS FROM ", "\\d ", "\\dt ", ".schema "}) + table();
  }

  std::mt19937 random_;
  int depth_ = 0;
};

// The statements of the handed cases: what stands above the dashes, without titles and callers.
std::vector<std::string> written_by_agents() {
  std::vector<std::string> statements;
  const char* root = std::getenv("CANDOR_SOURCE_DIR");
  const std::filesystem::path folder = std::filesystem::path(root != nullptr ? root : ".") / "tests" / "dialect";
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".test") continue;
    std::ifstream file(entry.path());
    std::string sql;
    bool above = true;
    for (std::string line; std::getline(file, line);) {
      if (line.starts_with("# ")) {
        sql.clear();
        above = true;
      } else if (line == "----") {
        statements.push_back(sql);
        above = false;
      } else if (above && !line.starts_with("caller:")) {
        sql += line + "\n";
      }
    }
  }
  return statements;
}

TEST(DialectPrint, IsReadBackAsItWas) {
  Statements make(seed());
  std::size_t taken = 0;
  constexpr std::size_t kRounds = 20'000;
  for (std::size_t i = 0; i < kRounds; ++i) {
    const std::string sql = make.statement();
    const Parsed parsed = parse(sql);
    expect_sound(parsed, sql);
    for (const Statement& statement : parsed.statements) expect_identity(statement, sql);
    taken += parsed.statements.size();
    if (HasFailure()) return;
  }
  EXPECT_GT(taken, kRounds / 2) << "most of what is made should be a statement";
}

TEST(DialectPrint, OfWhatAgentsWrote) {
  const std::vector<std::string> written = written_by_agents();
  ASSERT_GT(written.size(), 100U);
  std::size_t taken = 0;
  for (const std::string& sql : written) {
    const Parsed parsed = parse(sql);
    expect_sound(parsed, sql);
    for (const Statement& statement : parsed.statements) expect_identity(statement, sql);
    if (parsed.errors.empty()) ++taken;
  }
  EXPECT_GT(taken, 100U);
}

TEST(DialectPrint, TellsTreesApart) {
  const auto same = [](std::string_view a, std::string_view b) {
    const Parsed left = parse(a);
    const Parsed right = parse(b);
    return same_tree(left.statements.at(0), right.statements.at(0));
  };
  EXPECT_TRUE(same("select a from t where (b)", "SELECT \"a\" FROM t WHERE b"));
  for (const auto& [a, b] : std::vector<std::pair<std::string_view, std::string_view>>{
           {"SELECT a FROM t", "SELECT b FROM t"},
           {"SELECT a FROM t", "SELECT DISTINCT a FROM t"},
           {"SELECT a FROM t", "SELECT a AS a FROM t"},
           {"SELECT a FROM t ORDER BY a", "SELECT a FROM t ORDER BY a DESC"},
           {"SELECT a FROM t LIMIT 1", "SELECT a FROM t OFFSET 1"},
           {"SELECT a FROM t JOIN u ON a = b", "SELECT a FROM t LEFT JOIN u ON a = b"},
           {"SELECT (a AND b) AND c", "SELECT a AND (b AND c)"},
           {"SELECT a = 'x'", "SELECT a = ('x')"},
           {"SELECT a - b - c", "SELECT a - (b - c)"},
           {"SELECT a LIKE 'x'", "SELECT a ILIKE 'x'"},
           {"SELECT COUNT(a)", "SELECT COUNT(a) FILTER (WHERE b)"},
           {"SELECT 1", "SELECT 1.0"},
           {"SHOW TABLES", "SHOW TABLES LIKE 'a'"},
           {"DELETE FROM t", "DELETE FROM t WHERE a"},
           {"INSERT INTO t VALUES (1) ON CONFLICT DO NOTHING", "INSERT INTO t VALUES (1)"}}) {
    EXPECT_FALSE(same(a, b)) << a << " | " << b;
  }
}

TEST(DialectPrint, DamagedTextIsRefusedOrReadBack) {
  const unsigned value = seed();
  std::mt19937 random(value);
  const auto below = [&](std::size_t end) { return std::uniform_int_distribution<std::size_t>(0, end - 1)(random); };
  std::vector<std::string> pool = written_by_agents();
  Statements make(value + 1);
  for (int i = 0; i < 500; ++i) pool.push_back(make.statement());
  const std::vector<std::string> pieces = {
      "(",    ")",       "'", "\"",   ";",    ",",     "--",     "/*",   "*/", "[",  "]",   ".",  "::",
      "-",    "$$",      "`", "\\",   "NOT",  "AND",   "SELECT", "FROM", "IN", "ON", "AS ", "()", std::string(1, 0),
      "\xFF", "EXISTS(", "=", "ANY(", "CASE", "LIKE ", "1e"};
  for (int round = 0; round < 20'000; ++round) {
    std::string sql = pool[below(pool.size())];
    for (std::size_t edits = 1 + below(4); edits > 0 && !sql.empty(); --edits) {
      const std::size_t at = below(sql.size());
      const std::size_t length = std::min(below(12) + 1, sql.size() - at);
      switch (below(4)) {
        case 0:
          sql.erase(at, length);
          break;
        case 1:
          sql.insert(at, pieces[below(pieces.size())]);
          break;
        case 2:
          sql.insert(below(sql.size()), sql.substr(at, length));
          break;
        default: {
          const std::string& other = pool[below(pool.size())];
          if (!other.empty()) sql.replace(at, length, other.substr(below(other.size()), 1 + below(30)));
        }
      }
    }
    const Parsed parsed = parse(sql);
    expect_sound(parsed, sql);
    for (const Statement& statement : parsed.statements) expect_identity(statement, sql);
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace candor::dialect
