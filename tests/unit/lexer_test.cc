// Tokens, statements, normal form and names. What DuckDB's own parser says was tried on each text where it matters.
#include "sql/lexer.h"

#include <gtest/gtest.h>
#include <random>
#include <string>
#include <vector>

namespace candor::sql {
namespace {

std::string kinds(std::string_view sql) {
  std::string all;
  for (const Token& token : tokenize(sql)) {
    if (!all.empty()) all += ' ';
    all += "wqsnp$"[static_cast<int>(token.kind)];
    all += ':';
    all += token.text;
    if (!token.closed) all += '!';
  }
  return all;
}

std::vector<std::string> statements(std::string_view sql) {
  std::vector<std::string> all;
  for (const Span& span : split_statements(sql)) all.emplace_back(sql.substr(span.start, span.end - span.start));
  return all;
}

using Texts = std::vector<std::string>;

TEST(Tokenize, TellsWordsTextsNumbersAndParametersApart) {
  EXPECT_EQ(kinds("SELECT a.b, 'it''s' FROM \"T\""), "w:SELECT w:a $:. w:b $:, s:'it''s' w:FROM q:\"T\"");
  EXPECT_EQ(kinds("1 1.5 .5 1e5 1.e-2 0x1F 1_000 12ab"), "n:1 n:1.5 n:.5 n:1e5 n:1.e-2 n:0x1F n:1_000 n:12 w:ab");
  EXPECT_EQ(kinds("? ?2 $1 $name :name a::int x[1:n] {'k':v}"),
            "p:? p:?2 p:$1 p:$name p::name w:a $::: w:int w:x $:[ n:1 $:: w:n $:] $:{ s:'k' $:: w:v $:}");
  EXPECT_EQ(kinds("a<=b||c->>'d' != @>"), "w:a $:<= w:b $:|| w:c $:->> s:'d' $:!= $:@>");
}

TEST(Tokenize, ReadsEveryKindOfText) {
  EXPECT_EQ(kinds("E'a\\'b' 'a\\' x'41' N'n'"), "s:E'a\\'b' s:'a\\' s:x'41' s:N'n'");
  EXPECT_EQ(kinds("$$a;b$$ $t$x$$y$t$"), "s:$$a;b$$ s:$t$x$$y$t$");
  EXPECT_EQ(kinds("a$b$ c"), "w:a$b$ w:c") << "a dollar inside of a word belongs to it";
}

TEST(Tokenize, LeavesOutCommentsThatMayNest) {
  EXPECT_EQ(kinds("a /* /* b */ ' */ c -- d'\ne"), "w:a w:c w:e");
  EXPECT_EQ(kinds("a -- b\rc"), "w:a w:c") << "a lone carriage return ends a line comment";
  EXPECT_EQ(kinds("a # b"), "w:a $:# w:b") << "no engine here takes # for a comment";
}

TEST(Tokenize, TakesUnicodeBlanksForBlanks) {
  EXPECT_EQ(kinds("a\u00A0b\u3000c\u200Bd\uFEFF"), "w:a w:b w:c w:d");
  EXPECT_EQ(kinds("größe\u00AD"), "w:größe\u00AD");
}

TEST(Tokenize, MarksWhatTheInputEndsIn) {
  EXPECT_EQ(kinds("a 'b"), "w:a s:'b!");
  EXPECT_EQ(kinds("\"b"), "q:\"b!");
  EXPECT_EQ(kinds("$x$ b $x"), "s:$x$ b $x!");
  EXPECT_EQ(kinds("a /* b /* */"), "w:a $:/* b /* */!") << "an open comment must reach the engine and be refused there";
  EXPECT_EQ(kinds("E'\\"), "s:E'\\!");
}

TEST(Tokenize, TakesBracketsForANameOnlyWhereNoListCanStand) {
  EXPECT_EQ(kinds("FROM [my t] JOIN a.[b]"), "w:FROM q:[my t] w:JOIN w:a $:. q:[b]");
  EXPECT_EQ(kinds("SELECT [1, 2]"), "w:SELECT $:[ n:1 $:, n:2 $:]");
  EXPECT_EQ(kinds("a IS NOT DISTINCT FROM [b]"), "w:a w:IS w:NOT w:DISTINCT w:FROM $:[ w:b $:]");
  EXPECT_EQ(kinds("FROM [x"), "w:FROM $:[ w:x");
}

TEST(Tokenize, CountsDepth) {
  std::string depths;
  for (const Token& token : tokenize("a(b[c]{d}))e")) depths += std::to_string(token.depth);
  EXPECT_EQ(depths, "001121121000");
}

TEST(Identifier, RemovesQuotesAndKeepsCase) {
  const auto name = [](std::string_view text) { return identifier(tokenize(text).back()); };
  EXPECT_EQ(name("Ab"), "Ab");
  EXPECT_EQ(name("\"a\"\"B\""), "a\"B");
  EXPECT_EQ(name("`a``b`"), "a`b");
  EXPECT_EQ(name("FROM [a b]"), "a b");
  EXPECT_EQ(name("'it''s'"), "it's");
  EXPECT_EQ(name("$t$x$t$"), "x");
  EXPECT_EQ(name("\"open"), "open");
}

TEST(SplitStatements, CutsAtSemicolonsOutsideOfTexts) {
  EXPECT_EQ(statements("select 1; ;; select ';' ;-- c;\n select $$;$$ /* ; */;"),
            (Texts{"select 1", "select ';'", "select $$;$$"}));
  EXPECT_EQ(statements("select E'\\';' ; select \"a;b\""), (Texts{"select E'\\';'", "select \"a;b\""}));
  EXPECT_EQ(statements("  "), Texts{});
  EXPECT_EQ(statements("-- nothing"), Texts{});
  EXPECT_EQ(statements("select (1; select 2"), (Texts{"select (1", "select 2"}))
      << "an open parenthesis swallows nothing";
  EXPECT_EQ(statements("create macro f(x) as x + 1; select f(1)"),
            (Texts{"create macro f(x) as x + 1", "select f(1)"}));
  EXPECT_EQ(statements("select 1; /* open"), (Texts{"select 1", "/* open"}));
}

// The counts are what DuckDB 1.5.6 extracts from each text.
TEST(SplitStatements, AgreesWithTheEnginesParser) {
  struct Case {
    std::string_view sql;
    std::size_t count;
  };
  const Case cases[] = {
      {"", 0},
      {"-- x", 0},
      {";;;", 0},
      {";select 1;;select 2;", 2},
      {"select 1;", 1},
      {"select 1; -- ;\nselect 2", 2},
      {"select 1 -- x;y\r;select 3\n;select 2", 3},
      {"/* /* */ select 1; */ select 2", 1},
      {"select 1/*;*/;select 2", 2},
      {"select 'a;b'; select ''';'", 2},
      {"select \"a\"\"b;c\" from (select 1 as \"a\"\"b;c\"); select 2", 2},
      {"select E'a\\'b;c' ; select 2", 2},
      {"select 'a\\' ; select 2", 2},
      {"select E'\\\\'; select 2", 2},
      {"select N'a\\' ; select 1", 2},
      {"select x'3b;'; select 2", 2},
      {"select $$a;b$$; select 1", 2},
      {"select $t$a;$$b$t$; select 1", 2},
      {"select $b1$y;z$b1$; select 2", 2},
      {"select $1::int; select 2", 2},
      {"select a$b$ from (select 1 as a$b$); select 2", 2},
      {"select 'a'\n';b'; select 2", 2},
      {"select\u00A01;select\u30002", 2},
      {"select 1\uFEFF;\u200B;", 1},
      {"create macro f(x) as x + 1; select f(1)", 2},
      {"create macro g(x) as table select x; from g(1)", 2},
      {"begin; select 1; end", 3},
      {"begin transaction; commit", 2},
      {"explain select ';'; describe p; summarize p", 3},
      {"values (1), (2); from range(3); table p", 3},
      {"select {'a;': 1}; select [1, 2]", 2},
      {"select 1 as 'b;c'; select 2", 2},
      {"insert into t values (';'); delete from t; update t set a = ';'", 3},
      {"with q as (select ';') select * from q;", 1},
      {"prepare v as select 1; execute v", 2},
      {"select 123abc; select 1_000; select 1.e2", 3},
      {"select 1e; select .5", 2},
  };
  for (const Case& one : cases) EXPECT_EQ(split_statements(one.sql).size(), one.count) << one.sql;
}

TEST(Normalize, MakesLayoutsEqual) {
  EXPECT_EQ(normalize("SELECT  a , count( * )\n FROM t -- c\n WHERE a=1 ;"), "SELECT a, count(*) FROM t WHERE a = 1");
  EXPECT_EQ(normalize("SELECT a,count(*) FROM t WHERE a = 1"), normalize("SELECT a ,\tcount (*)FROM t WHERE a=1;;"));
  EXPECT_EQ(normalize("x IN(1,-2) AND a-1 > - 3"), "x IN (1, -2) AND a - 1 > -3");
  EXPECT_EQ(normalize("a . b :: int [ 1 ]"), "a.b::int[1]");
}

TEST(Normalize, KeepsWhatCarriesMeaning) {
  EXPECT_NE(normalize("select 'a  b'"), normalize("select 'a b'"));
  EXPECT_NE(normalize("select A"), normalize("select a"));
  EXPECT_NE(normalize("select [a  b]"), normalize("select [a b]")) << "a name in SQLite";
  EXPECT_NE(normalize("select 'a'\n'b'"), normalize("select 'a' 'b'"))
      << "a line break joins two texts, a blank does not";
  EXPECT_NE(normalize("select - - 1"), normalize("select --1"));
  EXPECT_NE(normalize("select e 'x'"), normalize("select e'x'"));
  EXPECT_NE(normalize("select 1 .5"), normalize("select 1.5"));
}

// ---- properties over random texts ----

const std::vector<std::string> kPieces = {"'",
                                          "''",
                                          "\"",
                                          "`",
                                          "[",
                                          "]",
                                          "(",
                                          ")",
                                          "{",
                                          "}",
                                          "$",
                                          "$$",
                                          "$a$",
                                          "$1",
                                          "?",
                                          ":",
                                          "::",
                                          ":n",
                                          ".",
                                          "..",
                                          ",",
                                          ";",
                                          "-",
                                          "--",
                                          "/*",
                                          "*/",
                                          "\n",
                                          "\r",
                                          " ",
                                          "\t",
                                          "\\",
                                          "E'",
                                          "x'",
                                          "e",
                                          "1",
                                          ".5",
                                          "1e5",
                                          "0x1F",
                                          "_",
                                          "from",
                                          "select",
                                          " as ",
                                          "limit",
                                          "offset ",
                                          "order by ",
                                          "with ",
                                          "a",
                                          "b ",
                                          "é",
                                          "\u00A0",
                                          "\u3000",
                                          "\x80",
                                          "\xE2",
                                          "\xC2",
                                          "<",
                                          "=",
                                          ">",
                                          "!",
                                          "~",
                                          "|",
                                          "@",
                                          "*",
                                          "+",
                                          "%",
                                          "#",
                                          "distinct ",
                                          "is ",
                                          "pragma ",
                                          "query(",
                                          "join ",
                                          "into ",
                                          "using ",
                                          std::string(1, '\0')};

std::string random_text(std::mt19937& random) {
  std::string text;
  const std::size_t count = random() % 30;
  for (std::size_t i = 0; i < count; ++i) text += kPieces[random() % kPieces.size()];
  return text;
}

TEST(Properties, TokensAreInOrderInsideOfTheTextAndNeverEmpty) {
  std::mt19937 random(7);
  for (int round = 0; round < 20'000; ++round) {
    const std::string text = random_text(random);
    std::size_t end = 0;
    for (const Token& token : tokenize(text)) {
      ASSERT_GE(token.span.start, end) << text;
      ASSERT_LT(token.span.start, token.span.end) << text;
      ASSERT_LE(token.span.end, text.size()) << text;
      ASSERT_EQ(token.text, std::string_view(text).substr(token.span.start, token.span.end - token.span.start));
      ASSERT_GE(token.depth, 0);
      // Between two tokens nothing but blanks and comments: scanned alone, the gap has no token.
      ASSERT_TRUE(tokenize(std::string_view(text).substr(end, token.span.start - end)).empty()) << text;
      end = token.span.end;
    }
    ASSERT_TRUE(tokenize(std::string_view(text).substr(end)).empty()) << text;
  }
}

TEST(Properties, NormalizeKeepsTokensAndIsStable) {
  std::mt19937 random(11);
  for (int round = 0; round < 20'000; ++round) {
    const std::string text = random_text(random);
    const std::string normal = normalize(text);
    ASSERT_EQ(normalize(normal), normal) << text;
    std::vector<Token> tokens = tokenize(text);
    while (!tokens.empty() && tokens.back().text == ";") tokens.pop_back();
    const std::vector<Token> again = tokenize(normal);
    ASSERT_EQ(again.size(), tokens.size()) << text << "\n" << normal;
    for (std::size_t i = 0; i < again.size(); ++i) ASSERT_EQ(again[i].text, tokens[i].text) << text << "\n" << normal;
  }
}

TEST(Properties, StatementsHoldAllTokensButSemicolons) {
  std::mt19937 random(13);
  for (int round = 0; round < 5'000; ++round) {
    const std::string text = random_text(random);
    std::size_t inside = 0, all = 0;
    for (const Token& token : tokenize(text)) all += token.text == ";" ? 0 : 1;
    for (const std::string& statement : statements(text)) inside += tokenize(statement).size();
    ASSERT_EQ(inside, all) << testing::PrintToString(text) << testing::PrintToString(statements(text));
  }
}

TEST(Properties, NothingCrashesOnRandomTexts) {
  std::mt19937 random(17);
  for (int round = 0; round < 20'000; ++round) {
    const std::string text = random_text(random);
    for (const TableMention& mention : table_mentions(text)) {
      ASSERT_FALSE(mention.parts.empty()) << text;
      ASSERT_LE(mention.span.end, text.size()) << text;
      ASSERT_LT(mention.span.start, mention.span.end) << text;
    }
    if (const auto clause = limit_clause(text)) {
      ASSERT_LE(clause->span.end, text.size()) << text;
    }
  }
}

// ---- large and hostile: linear, without recursion ----

std::string repeated(std::string_view piece, std::size_t times) {
  std::string text;
  text.reserve(piece.size() * times);
  for (std::size_t i = 0; i < times; ++i) text += piece;
  return text;
}

void use_all(const std::string& text) {
  EXPECT_FALSE(tokenize(text).empty());
  EXPECT_FALSE(split_statements(text).empty());
  EXPECT_FALSE(normalize(text).empty());
  (void)table_mentions(text);
  (void)limit_clause(text);
}

TEST(Large, TenMegabytesAndDeepNesting) {
  use_all("SELECT 1 WHERE " + repeated("a = 1 OR ", 100'000) + "b");
  use_all("SELECT " + repeated("(", 10'000) + "1" + repeated(")", 10'000));
  use_all("SELECT '" + repeated("x", 10'000'000) + "'");
  use_all("SELECT 1" + repeated(" /* c */", 1'200'000));
  use_all(repeated("FROM [", 300'000));
  use_all(repeated("FROM (SELECT ", 100'000));
  use_all(repeated("WITH a AS (SELECT ", 50'000));
  use_all("WITH " + repeated("a AS (SELECT 1), ", 100'000) + "b AS (SELECT 2) SELECT * FROM a");
  use_all(repeated("$a", 500'000));
  use_all(repeated("/*", 500'000));
  use_all(repeated("a;", 500'000));
  use_all(repeated("FROM query('", 50'000));
}

}  // namespace
}  // namespace candor::sql
