// Which values a plan's conditions look for: what soft silence asks about.
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "dialect/parser.h"
#include "exec/sought_values.h"
#include "support/dialect_contract.h"

namespace candor::test {
namespace {

// Each as "resource.column form values", with its negation and whether others stand beside it.
std::vector<std::string> sought(const std::string& sql) {
  constexpr const char* kForms[] = {"=", "IN", "LIKE", "PATTERN", "HAS", "OVERLAP", "CONTAINS", "MIDNIGHT"};
  const bind::Bound bound = bind_text(sql);
  if (bound.statements.size() != 1 || bound.statements[0].select == nullptr) return {"error"};
  std::vector<std::string> all;
  for (const exec::Sought& one : exec::sought_values(*bound.statements[0].select)) {
    std::string text = one.resource->name + "." + one.resource->columns[one.column].name + " " +
                       (one.negated ? "NOT " : "") + kForms[static_cast<std::size_t>(one.form)];
    for (const Value& value : one.values) text += " " + value.text;
    text += std::string(one.fold ? " folded" : "") + (one.elements ? " elements" : "") +
            (one.beside_others ? " beside" : "");
    all.push_back(text);
  }
  return all;
}

using Texts = std::vector<std::string>;

TEST(SoughtValues, Forms) {
  EXPECT_EQ(sought("SELECT 1 FROM cards WHERE code = 'a'"), Texts{"cards.code = a"});
  EXPECT_EQ(sought("SELECT 1 FROM cards WHERE 'a' = code"), Texts{"cards.code = a"});
  EXPECT_EQ(sought("SELECT 1 FROM cards WHERE LOWER(code) = 'a'"), Texts{"cards.code = a folded"});
  EXPECT_EQ(sought("SELECT 1 FROM cards WHERE code IN ('a', 'b')"), Texts{"cards.code IN a b"});
  EXPECT_EQ(sought("SELECT 1 FROM cards WHERE code LIKE 'a'"), Texts{"cards.code LIKE a"});
  EXPECT_EQ(sought("SELECT 1 FROM cards WHERE code LIKE 'a!_b' ESCAPE '!'"), Texts{"cards.code LIKE a_b"});
  EXPECT_EQ(sought("SELECT 1 FROM cards WHERE code LIKE 'a%'"), Texts{"cards.code PATTERN a%"});
  EXPECT_EQ(sought("SELECT 1 FROM cards WHERE code ILIKE 'a'"), Texts{"cards.code LIKE a folded"});
  EXPECT_EQ(sought("SELECT 1 FROM cards WHERE code ILIKE 'a%'"), Texts{});
  EXPECT_EQ(sought("SELECT 1 FROM cards WHERE 'a' = ANY(tags)"), Texts{"cards.tags HAS a elements"});
  EXPECT_EQ(sought("SELECT 1 FROM cards WHERE tags && ARRAY['a', 'b']"), Texts{"cards.tags OVERLAP a b elements"});
  EXPECT_EQ(sought("SELECT 1 FROM cards WHERE tags @> ARRAY['a']"), Texts{"cards.tags CONTAINS a elements"});
  EXPECT_EQ(sought("SELECT 1 FROM cards WHERE due_at = '2024-01-01'"),
            Texts{"cards.due_at MIDNIGHT 2024-01-01T00:00:00"});
  EXPECT_EQ(sought("SELECT 1 FROM cards WHERE due_at = '2024-01-01T12:00:00'"), Texts{});
  EXPECT_EQ(sought("SELECT 1 FROM cards WHERE card_no = 7 AND is_easy"), Texts{});
}

TEST(SoughtValues, NegationsAndAlternatives) {
  EXPECT_EQ(sought("SELECT 1 FROM cards WHERE code <> 'a'"), Texts{"cards.code NOT = a"});
  EXPECT_EQ(sought("SELECT 1 FROM cards WHERE NOT code <> 'a'"), Texts{"cards.code = a"});
  EXPECT_EQ(sought("SELECT 1 FROM cards WHERE code NOT IN ('a')"), Texts{"cards.code NOT IN a"});
  EXPECT_EQ(sought("SELECT 1 FROM cards WHERE code = 'a' OR reps = 1"), Texts{"cards.code = a beside"});
  EXPECT_EQ(sought("SELECT 1 FROM cards WHERE NOT (code = 'a' AND reps = 1)"), Texts{"cards.code NOT = a beside"});
  EXPECT_EQ(sought("SELECT 1 FROM cards WHERE NOT (code = 'a' OR reps = 1)"), Texts{"cards.code NOT = a"});
  EXPECT_EQ(sought("SELECT 1 FROM cards WHERE code = 'a' AND front_text = 'b'"),
            (Texts{"cards.code = a", "cards.front_text = b"}));
}

TEST(SoughtValues, BehindOtherRelations) {
  EXPECT_EQ(sought("SELECT 1 FROM cards UNNEST tags AS tag WHERE tag = 'a'"), Texts{"cards.tags = a elements"});
  EXPECT_EQ(sought("WITH c AS (SELECT code AS k FROM cards) SELECT 1 FROM c WHERE k = 'a'"), Texts{"cards.code = a"});
  EXPECT_EQ(sought("SELECT 1 FROM (SELECT k FROM (SELECT code AS k FROM cards) a) b WHERE k = 'a'"),
            Texts{"cards.code = a"});
  EXPECT_EQ(sought("SELECT 1 FROM decks WHERE EXISTS (SELECT 1 FROM cards WHERE code = 'a')"), Texts{"cards.code = a"});
  EXPECT_EQ(sought("SELECT 1 FROM decks WHERE NOT EXISTS (SELECT 1 FROM cards WHERE code = 'a')"), Texts{});
  EXPECT_EQ(sought("SELECT 1 FROM (SELECT LOWER(code) AS k FROM cards) s WHERE k = 'a'"), Texts{});
  EXPECT_EQ(sought("SELECT table_name FROM information_schema.tables WHERE table_name = 'x'"), Texts{});
}

// A common table that is read twice, by one that is read twice …: looked at once each.
TEST(SoughtValues, CommonTablesAreWalkedOnce) {
  std::string sql = "WITH c0 AS (SELECT name FROM decks WHERE name = 'a')";
  for (int i = 1; i < 60; ++i) {
    const std::string last = "c" + std::to_string(i - 1);
    sql += ", c" + std::to_string(i) + " AS (SELECT a.name FROM " + last + " a JOIN " + last + " b ON a.name = b.name)";
  }
  EXPECT_EQ(sought(sql + " SELECT name FROM c59"), Texts{"decks.name = a"});
}

TEST(SoughtValues, AreBounded) {
  std::string many = "SELECT 1 FROM cards WHERE code IN ('0'";
  for (int i = 1; i < 100; ++i) many += ", '" + std::to_string(i) + "'";
  const bind::Bound bound = bind_text(many + ")");
  ASSERT_EQ(bound.statements.size(), 1U);
  const std::vector<exec::Sought> found = exec::sought_values(*bound.statements[0].select);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].values.size(), 20U);
  std::string conditions = "SELECT 1 FROM cards WHERE code = '0'";
  for (int i = 1; i < 100; ++i) conditions += " OR code = '" + std::to_string(i) + "'";
  EXPECT_EQ(sought(conditions).size(), 8U);
}

}  // namespace
}  // namespace candor::test
