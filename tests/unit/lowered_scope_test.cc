// Whatever the statement says: each reference to a table of the caller's has the scope's condition beside it, in each
// engine's SQL, and no value of a statement is text of it.
#include <algorithm>
#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <vector>

#include "bind/literals.h"
#include "dialect/parser.h"
#include "exec/exec.h"
#include "support/dialect_contract.h"

namespace candor::test {
namespace {

using lower::Lowered;
using lower::Target;

constexpr Target kTargets[] = {Target::kDuckdb, Target::kSqlite, Target::kPostgres};

std::size_t count_of(std::string_view text, std::string_view part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + part.size())) ++count;
  return count;
}

std::string name_in(Target target, const std::string& table) {
  const std::string schema = target == Target::kPostgres ? "\"public\"" : "\"main\"";
  return (target == Target::kDuckdb ? "\"app\"." : "") + schema + ".\"" + table + "\"";
}

// References to tables that have the scope's column.
std::size_t references(std::string_view sql, Target target) {
  std::size_t count = 0;
  for (const contract::Resource& resource : dialect_contract().resources) {
    if (resource.name != "languages") count += count_of(sql, name_in(target, resource.table));
  }
  return count;
}

// Statements of which each reads or writes rows of the caller's, in all the ways that the dialect has.
const std::vector<std::string>& statements() {
  static const std::vector<std::string> all = {
      "SELECT card_no FROM cards",
      "SELECT COUNT(*) FROM cards",
      "SELECT * FROM cards ORDER BY reps LIMIT 3 OFFSET 2",
      "SELECT DISTINCT card_type FROM cards ORDER BY card_type LIMIT 1",
      "SELECT card_type, COUNT(*) FROM cards GROUP BY card_type HAVING COUNT(*) > 1 ORDER BY 2 LIMIT 1",
      "SELECT c.card_no, e.rating FROM cards c JOIN review_events e ON e.card_id = c.card_id",
      "SELECT c.card_no FROM cards c LEFT JOIN review_events e ON e.card_id = c.card_id WHERE e.event_id IS NULL",
      "SELECT a.card_no FROM cards a, cards b, cards c WHERE a.reps = b.reps AND b.reps = c.reps",
      "SELECT card_no FROM cards WHERE card_id IN (SELECT card_id FROM review_events)",
      "SELECT card_no FROM cards WHERE card_id NOT IN (SELECT card_id FROM review_events)",
      "SELECT card_no FROM cards c WHERE EXISTS (SELECT 1 FROM review_events e WHERE e.card_id = c.card_id)",
      "SELECT card_no FROM cards c WHERE NOT EXISTS (SELECT 1 FROM decks d WHERE d.tags && c.tags)",
      "SELECT name, (SELECT COUNT(*) FROM cards c WHERE c.tags OVERLAP decks.tags) AS n FROM decks",
      "SELECT card_no FROM cards WHERE reps = (SELECT MAX(reps) FROM cards)",
      "SELECT n FROM (SELECT COUNT(*) AS n FROM cards GROUP BY card_type) s",
      "WITH a AS (SELECT card_id FROM cards), b AS (SELECT card_id FROM a) SELECT COUNT(*) FROM b JOIN a ON a.card_id "
      "= b.card_id",
      "SELECT tag, COUNT(*) FROM cards UNNEST tags AS tag GROUP BY tag",
      "SELECT COUNT(*) FROM languages l JOIN cards c ON c.code = l.code",
      "SELECT CASE WHEN EXISTS (SELECT 1 FROM decks) THEN 1 ELSE 0 END AS n FROM cards",
      "SELECT card_no FROM cards ORDER BY (SELECT COUNT(*) FROM review_events e WHERE e.card_id = cards.card_id) LIMIT "
      "2",
      "SELECT COUNT(*) FILTER (WHERE card_id IN (SELECT card_id FROM review_events)) FROM cards",
      "SELECT rating FROM review_events WHERE workspace_id = 'B' OR workspace_id <> 'A'",
      "SELECT workspace_id FROM review_events",
      "SELECT * FROM workspace",
      "UPDATE cards SET front_text = 'x' WHERE card_no = 1",
      "UPDATE cards SET front_text = back_text || (SELECT MAX(name) FROM decks) WHERE card_no = 1 RETURNING *",
      "UPDATE cards SET is_easy = TRUE WHERE card_id IN (SELECT card_id FROM review_events WHERE rating = 'easy')",
      "UPDATE bookmarks SET done = TRUE WHERE bookmark_id = 7",
      "DELETE FROM cards WHERE card_no = 1 RETURNING card_no",
      "DELETE FROM decks WHERE NOT EXISTS (SELECT 1 FROM cards c WHERE c.tags && decks.tags)",
      "DELETE FROM bookmarks WHERE card_no IN (SELECT card_no FROM cards)",
      "INSERT INTO cards (front_text, back_text, card_type, tags, is_suspended) VALUES ('a', 'b', 'basic', ('t'), "
      "FALSE) RETURNING *",
      "INSERT INTO bookmarks (bookmark_id, card_no, label, done) VALUES (1, 2, 'x', FALSE), (2, 2, LOWER('Y'), FALSE)",
      "INSERT INTO bookmarks (bookmark_id, card_no, label, done) VALUES (1, 2, 'x', FALSE) ON CONFLICT DO NOTHING",
      "INSERT INTO bookmarks (bookmark_id, card_no, label, done) VALUES (1, 2, 'x', FALSE) ON CONFLICT (bookmark_id) "
      "DO "
      "UPDATE SET label = excluded.label || bookmarks.label WHERE bookmarks.done = FALSE RETURNING label",
  };
  return all;
}

TEST(LoweredScope, StandsBesideEachReference) {
  for (const Target target : kTargets) {
    for (const std::string& sql : statements()) {
      std::size_t seen = 0;
      for (const Lowered& one : lowered(sql, target)) {
        const std::size_t tables = references(one.sql, target);
        const bool insert = one.sql.starts_with("INSERT");
        // In an INSERT the column is one of those that are filled in.
        // Without a relation before it the column is the table's own: what the statement compares is t0."workspace_id".
        const std::string compared =
            target == Target::kSqlite ? " \"workspace_id\" COLLATE BINARY = " : " \"workspace_id\" = ";
        const std::size_t scopes = count_of(one.sql, insert ? "\"workspace_id\"" : compared);
        EXPECT_EQ(scopes, tables) << one.sql;
        const bool bound = std::ranges::any_of(one.parameters, [](const Value& value) {
          return value.kind == CellKind::kText && value.text == kScopeValue;
        });
        EXPECT_TRUE(bound || tables == 0) << one.sql;
        seen += tables;
      }
      EXPECT_GT(seen, 0U) << sql;
    }
  }
}

// A table that is not the scope's has no condition, and nothing else is let through by that.
TEST(LoweredScope, IsNotAskedOfTablesWithoutTheColumn) {
  for (const Target target : kTargets) {
    for (const Lowered& one : lowered("SELECT name FROM languages WHERE code = 'de'", target)) {
      EXPECT_EQ(count_of(one.sql, "workspace_id"), 0U) << one.sql;
    }
  }
}

TEST(LoweredScope, RowsDeletedSoftlyAreNotSeen) {
  for (const Target target : kTargets) {
    for (const std::string& sql : statements()) {
      for (const Lowered& one : lowered(sql, target)) {
        if (!one.sql.starts_with("SELECT") && !one.sql.starts_with("WITH") && !one.sql.starts_with("UPDATE")) continue;
        // The row as it is, for undoing, is found by its key.
        const bool kept = one.sql.starts_with("SELECT \"") && one.sql.find(" AS \"key\"") != std::string::npos &&
                          one.sql.find("\"visible\"") == std::string::npos;
        if (kept) continue;
        const std::size_t soft =
            count_of(one.sql, name_in(target, "cards")) + count_of(one.sql, name_in(target, "decks"));
        EXPECT_EQ(count_of(one.sql, "\"deleted_at\" IS NULL"), soft) << one.sql;
      }
    }
  }
}

// Words that are nowhere else, in every place where the dialect takes a value.
constexpr std::string_view kMarker = "zqxmarker";

const std::vector<std::string>& marked() {
  static const std::vector<std::string> all = {
      "SELECT 'zqxmarker' AS a, front_text || 'zqxmarker' AS b FROM cards WHERE code = 'zqxmarker'",
      "SELECT card_no FROM cards WHERE front_text LIKE '%zqxmarker%' OR front_text ILIKE 'zqxmarker!_' ESCAPE '!'",
      "SELECT card_no FROM cards WHERE LOWER(front_text) IN ('zqxmarker', 'b') AND code BETWEEN 'zqxmarker' AND 'zz'",
      "SELECT card_no FROM cards WHERE tags OVERLAP ('zqxmarker', 'b') OR tags = ('zqxmarker') OR tags = '{zqxmarker}'",
      "SELECT card_no FROM cards WHERE 'zqxmarker' = ANY(tags) OR tags @> ARRAY['zqxmarker'] OR MATCH('zqxmarker')",
      "SELECT REPLACE(front_text, 'zqxmarker', 'b') AS a, COALESCE(code, 'zqxmarker') AS b FROM cards",
      "SELECT STRING_AGG(front_text, 'zqxmarker') FROM cards GROUP BY card_type HAVING MIN(front_text) > 'zqxmarker'",
      "SELECT CASE code WHEN 'zqxmarker' THEN 'zqxmarker' ELSE 'zqxmarker' END AS a FROM cards ORDER BY code = "
      "'zqxmarker'",
      "SELECT STRFTIME('zqxmarker %Y', due_at) AS a FROM cards WHERE due_at IS NOT NULL",
      "SELECT front_text AS zqxmarker FROM cards ORDER BY zqxmarker LIMIT 2",
      "SELECT zqxmarker.card_no FROM cards AS zqxmarker JOIN decks AS \"zqxmarker 2\" ON \"zqxmarker 2\".name = "
      "zqxmarker.code",
      "WITH zqxmarker (a) AS (SELECT card_no FROM cards) SELECT a AS \"zqxmarker\" FROM zqxmarker",
      "SELECT zqxmarker FROM cards UNNEST tags AS zqxmarker WHERE zqxmarker <> 'zqxmarker'",
      "UPDATE cards SET front_text = 'zqxmarker', tags = ('zqxmarker') WHERE code = 'zqxmarker' RETURNING front_text "
      "AS zqxmarker",
      "DELETE FROM decks WHERE name = 'zqxmarker' RETURNING name || 'zqxmarker' AS a",
      "INSERT INTO decks (name, tags) VALUES ('zqxmarker', ('zqxmarker')), (LOWER('zqxmarker'), ())",
      "INSERT INTO bookmarks (bookmark_id, card_no, label, done) VALUES (1, 2, 'zqxmarker', FALSE) ON CONFLICT "
      "(bookmark_id) DO UPDATE SET label = excluded.label || 'zqxmarker' WHERE bookmarks.label <> 'zqxmarker'",
      "SELECT * FROM information_schema.tables WHERE table_name = 'zqxmarker'",
  };
  return all;
}

TEST(LoweredValues, AreNeverText) {
  for (const Target target : kTargets) {
    for (const std::string& sql : marked()) {
      const std::vector<Lowered> all = lowered(sql, target);
      EXPECT_FALSE(all.empty()) << sql;
      for (const Lowered& one : all) EXPECT_EQ(count_of(one.sql, kMarker), 0U) << one.sql;
    }
  }
}

// Where a statement has the word as a value, a parameter carries it: it is not dropped either.
TEST(LoweredValues, AreParameters) {
  for (const Target target : kTargets) {
    for (const Lowered& one : lowered("SELECT card_no FROM cards WHERE code = 'zqxmarker' AND reps = 4711", target)) {
      const auto has = [&](const Value& wanted) {
        return std::ranges::find(one.parameters, wanted) != one.parameters.end();
      };
      EXPECT_TRUE(has(text_value("zqxmarker"))) << one.sql;
      EXPECT_TRUE(has(integer_value(4711))) << one.sql;
      EXPECT_EQ(count_of(one.sql, "4711"), 0U) << one.sql;
    }
  }
}

// Quotes, semicolons, comments and signs of parameters end nothing.
TEST(LoweredValues, HostileTextsStayInParameters) {
  for (const std::string hostile : {"'; DROP TABLE cards; --", "$1", "?1", "\" OR 1 = 1 --", "/*", "\\'", "%s", ":x"}) {
    for (const Target target : kTargets) {
      const std::string literal = bind::as_sql(text_value(hostile));
      const std::string marked_sql = "SELECT card_no FROM cards WHERE code = " + literal;
      const std::vector<Lowered> with = lowered(marked_sql, target);
      const std::vector<Lowered> plain = lowered("SELECT card_no FROM cards WHERE code = 'plain'", target);
      ASSERT_EQ(with.size(), plain.size());
      for (std::size_t i = 0; i < with.size(); ++i) EXPECT_EQ(with[i].sql, plain[i].sql) << hostile;
    }
  }
}

// Each sign of a parameter has its value, and each value its sign.
TEST(LoweredValues, AreCountedRight) {
  for (const Target target : kTargets) {
    for (const std::vector<std::string>* list : {&statements(), &marked()}) {
      for (const std::string& sql : *list) {
        for (const Lowered& one : lowered(sql, target)) {
          const std::string sign = target == Target::kSqlite ? "?" : "$";
          for (std::size_t i = 1; i <= one.parameters.size(); ++i)
            EXPECT_GT(count_of(one.sql, sign + std::to_string(i)), 0U) << i << " of " << one.sql;
          EXPECT_EQ(count_of(one.sql, sign + std::to_string(one.parameters.size() + 1)), 0U) << one.sql;
        }
      }
    }
  }
}

TEST(LoweredOrder, EqualRowsHaveOnePlace) {
  const std::string sql = "SELECT card_no FROM cards ORDER BY reps DESC, due_at NULLS FIRST LIMIT 3 OFFSET 2";
  for (const Target target : kTargets) {
    const std::vector<Lowered> all = lowered(sql, target);
    ASSERT_EQ(all.size(), 4U);
    // The rows on both sides of the page, with the values that they are ordered by.
    EXPECT_NE(all[0].sql.find("LIMIT 5 OFFSET 1"), std::string::npos) << all[0].sql;
    EXPECT_EQ(all[0].keys, (std::vector<std::size_t>{1, 2}));
    const bool named = target != Target::kSqlite;
    EXPECT_NE(all[2].sql.find(named ? "(d.\"c0\" IS NOT DISTINCT FROM " : "(d.\"c0\" IS ?"), std::string::npos)
        << all[2].sql;
    EXPECT_NE(all[3].sql.find("RANK() OVER (ORDER BY d.\"c0\" DESC NULLS LAST, d.\"c1\" NULLS FIRST)"),
              std::string::npos)
        << all[3].sql;
    EXPECT_NE(all[3].sql.find("<= 5"), std::string::npos) << all[3].sql;
    EXPECT_NE(all[3].sql.find("<= 2"), std::string::npos) << all[3].sql;
  }
  // With a key in the order nothing has to be counted.
  EXPECT_EQ(lowered("SELECT card_no FROM cards ORDER BY reps, card_id LIMIT 3", Target::kSqlite).size(), 2U);
}

}  // namespace
}  // namespace candor::test
