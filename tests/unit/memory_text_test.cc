// Words of stored texts and of queries: what is found by what, and that no query fails.
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "memory/search/eligible.h"
#include "memory/text/analysis.h"
#include "memory/text/text_search.h"
#include "memory/text/text_tables.h"
#include "memory/text/tokenizer.h"
#include "sqlite/sqlite.h"

namespace candor::memory {
namespace {

std::vector<std::string> terms_of(std::string_view text) {
  std::vector<std::string> terms;
  for_each_term(text, [&](const Term& term) {
    EXPECT_LE(term.start, term.end);
    EXPECT_LE(term.end, text.size());
    terms.emplace_back(term.text);
    return true;
  });
  return terms;
}

TEST(MemoryText, KeepsCompoundsWholeAndApart) {
  EXPECT_EQ(terms_of("gen-itgc"), (std::vector<std::string>{"genitgc", "gen", "itgc"}));
  EXPECT_EQ(terms_of("lastSeen"), (std::vector<std::string>{"lastseen", "last", "seen"}));
  EXPECT_EQ(terms_of("10.42.7.19"), (std::vector<std::string>{"10.42.7.19", "10", "42", "7", "19"}));
  EXPECT_EQ(terms_of("C++"), (std::vector<std::string>{"c++", "c"}));
  EXPECT_EQ(terms_of("XR4200"), (std::vector<std::string>{"xr4200"}));
}

TEST(MemoryText, StemsBesideTheWord) { EXPECT_EQ(terms_of("running"), (std::vector<std::string>{"running", "run"})); }

TEST(MemoryText, MakesGramsWhereNoBlanksAre) {
  EXPECT_EQ(terms_of("京都"), (std::vector<std::string>{"京", "京都", "都"}));
  EXPECT_EQ(terms_of("ﾃﾞ"), (std::vector<std::string>{"デ"}));  // half width, with its voicing mark apart
}

class MemoryTextSearch : public ::testing::Test {
 protected:
  void SetUp() override {
    auto opened = sqlite::Database::open(":memory:", {.mode = sqlite::OpenMode::kCreate});
    ASSERT_TRUE(opened.ok());
    database_ = std::make_unique<sqlite::Database>(std::move(*opened));
    ASSERT_TRUE(register_tokenizer(*database_).ok());
    ASSERT_TRUE(database_
                    ->run("CREATE TABLE memories (id INTEGER PRIMARY KEY, namespace TEXT, name TEXT, type TEXT, rev "
                          "INTEGER, deleted_at INTEGER, description TEXT, body TEXT)")
                    .ok());
    ASSERT_TRUE(create_memory_text(*database_).ok());
  }

  void store(const std::string& body) {
    const auto n = std::to_string(++stored_);
    ASSERT_TRUE(database_
                    ->run("INSERT INTO memories VALUES (" + n + ", 'global', 'm" + n + "', 'note', " + n +
                          ", NULL, '', " + sqlite::quote_text(body) + ")")
                    .ok());
  }

  TextAnswer search(std::string_view query) {
    auto eligible = Eligible::load(*database_, {});
    EXPECT_TRUE(eligible.ok());
    auto answer = search_text(*database_, query, *eligible);
    EXPECT_TRUE(answer.ok()) << query;
    return answer.ok() ? std::move(*answer) : TextAnswer();
  }

  std::unique_ptr<sqlite::Database> database_;
  int stored_ = 0;
};

// Each of them must find the text beside it, and nothing else.
TEST_F(MemoryTextSearch, FindsAcrossSpellings) {
  const std::vector<std::pair<std::string, std::string>> cases = {{"Das Lager in München wird erweitert.", "munchen"},
                                                                  {"İstanbul şubesi", "istanbul"},
                                                                  {"Ёлка стоит в холле", "елки"},
                                                                  {"修复了一个悬空指针", "悬空指针"},
                                                                  {"모바일게임 출시가 미뤄졌다", "게임"},
                                                                  {"ร้านกาแฟชั้นล่าง", "กาแฟ"},
                                                                  {"المهندس المسؤول", "مهندس"},
                                                                  {"the launch got 🦑 tonight", "🦑"},
                                                                  {"he said don't touch O'Brien", "obrien"},
                                                                  {"型号是ＡＢＣ１２３。", "abc123"},
                                                                  {"Settings in etc/limits.yaml", "limits.yaml"},
                                                                  {"The totals of gen-itgc agree", "gen_itgc"}};
  for (const auto& [text, query] : cases) store(text);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const auto answer = search(cases[i].second);
    ASSERT_EQ(answer.hits.size(), 1U) << cases[i].second;
    EXPECT_EQ(answer.hits[0].id, static_cast<std::int64_t>(i) + 1) << cases[i].second;
  }
}

TEST_F(MemoryTextSearch, OrsItsTermsAndNamesWhatItDropped) {
  store("The user prefers PostgreSQL as the database.");
  store("Descale the machine.");
  const auto answer = search("which database does the user prefer?");
  ASSERT_EQ(answer.hits.size(), 1U);
  EXPECT_EQ(answer.query.dropped, (std::vector<std::string>{"which", "does", "the"}));
}

TEST_F(MemoryTextSearch, AnswersQueriesWithoutATermWithAReason) {
  store("something");
  for (const std::string query : {"", "   ", "\"*()^:", "AND OR NOT", "the of and"}) {
    const auto answer = search(query);
    EXPECT_TRUE(answer.hits.empty()) << query;
    EXPECT_FALSE(answer.query.reason.empty()) << query;
  }
}

TEST_F(MemoryTextSearch, FailsOnNoBytes) {
  store("a ledger? yes, 'quoted' @ $5 + 10%!");
  std::string punctuation;
  for (int i = 0; i < 10'000; ++i) punctuation += static_cast<char>(33 + i % 15);
  for (const std::string& query : {punctuation, std::string("led\0ger", 7), std::string("\xff\xfe\x80 ledger"),
                                   std::string("NEAR(ledger"), std::string(600'000, 'x'), "ledger " + punctuation}) {
    (void)search(query);
  }
  EXPECT_EQ(search("ledger? ' , @ + $ % ! &").hits.size(), 1U);
}

TEST_F(MemoryTextSearch, HoldsLiveRowsOnly) {
  store("vantablue");
  ASSERT_TRUE(database_->run("UPDATE memories SET deleted_at = 1 WHERE id = 1").ok());
  EXPECT_TRUE(search("vantablue").query.groups.empty());
  auto fault = check_text(*database_);
  ASSERT_TRUE(fault.ok());
  EXPECT_FALSE(fault->has_value()) << fault->value_or("");
  ASSERT_TRUE(database_->run("UPDATE memories SET deleted_at = NULL, body = 'cobalt' WHERE id = 1").ok());
  EXPECT_EQ(search("cobalt").hits.size(), 1U);
  EXPECT_TRUE(search("vantablue").hits.empty());
}

}  // namespace
}  // namespace candor::memory
