// What a person sees: widths, folding, tables, scope lines, carets. Streams here are no terminals: 80 cells, no colours.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <functional>
#include <gtest/gtest.h>
#include <string>
#include <unistd.h>

#include "cli/diagnostic_text.h"
#include "cli/receipt_text.h"
#include "cli/scope_line.h"
#include "cli/table.h"
#include "cli/terminal.h"
#include "cli/text_layout.h"

namespace candor::cli {
namespace {

TEST(Visible, LetsNothingSteerTheTerminal) {
  EXPECT_EQ(visible("a\x1b[2Jb\tc\r\x7f"), "a\\u001B[2Jb\\tc\\r\\u007F");
  EXPECT_EQ(visible("a\nb"), "a\\nb");
  EXPECT_EQ(visible("a\nb", true), "a\nb");
  EXPECT_EQ(visible("a\u202Eb\u2066"), "a\\u202Eb\\u2066") << "characters that turn the direction of writing";
  EXPECT_EQ(visible("größe 🙂"), "größe 🙂");
  EXPECT_EQ(visible(std::string("a\0b", 3)), "a\\u0000b");
  EXPECT_EQ(visible("\xC3"), "\uFFFD");
}

TEST(WidthOf, CountsCells) {
  EXPECT_EQ(width_of("abc"), 3U);
  EXPECT_EQ(width_of("größe"), 5U);
  EXPECT_EQ(width_of("日本"), 4U);
  EXPECT_EQ(width_of("e\u0301"), 1U) << "a combining mark takes no cell";
  EXPECT_EQ(width_of("👩‍👩‍👧"), 2U) << "one cluster of several emoji";
  EXPECT_EQ(width_of(""), 0U);
  EXPECT_EQ(prefix_of_width("日本語", 5), "日本");
  EXPECT_EQ(prefix_of_width("ae\u0301x", 2), "ae\u0301");
}

TEST(Folded, BreaksAtBlanksAndNeverInsideOfACharacter) {
  using Lines = std::vector<std::string>;
  EXPECT_EQ(folded("one two three", 8), (Lines{"one two", "three"}));
  EXPECT_EQ(folded("abcdefgh", 3), (Lines{"abc", "def", "gh"}));
  EXPECT_EQ(folded("日本語", 3), (Lines{"日", "本", "語"}));
  EXPECT_EQ(folded("日本", 1), (Lines{"日", "本"})) << "too narrow, and still it ends";
  EXPECT_EQ(folded("a\n\nb", 5), (Lines{"a", "", "b"}));
  EXPECT_EQ(folded("", 5), (Lines{""}));
  EXPECT_EQ(folded("aaaa bbbb cccc dddd", 9, 1), (Lines{"aaaa … +9"})) << "says how much is left out";
}

TEST(Grouped, PutsCommas) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1234567), "1,234,567");
  EXPECT_EQ(counted(1, "row", "rows"), "1 row");
}

// What is written to a stream that is no terminal.
std::string written(const std::function<void(const Stream&)>& write) {
  std::array<int, 2> ends{};
  if (::pipe(ends.data()) != 0) return "no pipe";
  write(Stream::open(ends[1], true));
  ::close(ends[1]);
  std::string text;
  std::array<char, 4096> buffer{};
  for (ssize_t got = 0; (got = ::read(ends[0], buffer.data(), buffer.size())) > 0;)
    text.append(buffer.data(), static_cast<std::size_t>(got));
  ::close(ends[0]);
  return text;
}

class Tables : public testing::Test {
 protected:
  void SetUp() override {
    ::setenv("LC_ALL", "C", 1);
    ::setenv("COLUMNS", "40", 1);
  }
  void TearDown() override {
    ::unsetenv("LC_ALL");
    ::unsetenv("COLUMNS");
  }
};

TEST_F(Tables, AlignNumbersToTheRightAndTextsToTheLeft) {
  const std::string text = written([](const Stream& out) {
    Table table(out, {"name", "n"});
    table.add({{"Bergen"}, {"5", Paint::kPlain, true}});
    table.add({{"Oslo"}, {"NULL", Paint::kDim, false}});
    table.add({{"Hamar"}, {"1234", Paint::kPlain, true}});
    table.finish();
  });
  EXPECT_EQ(text,
            " name   |    n\n"
            "--------+------\n"
            " Bergen |    5\n"
            " Oslo   | NULL\n"
            " Hamar  | 1234\n");
}

TEST_F(Tables, FoldLongCells) {
  const std::string text = written([](const Stream& out) {
    Table table(out, {"id", "text"});
    table.add({{"1", Paint::kPlain, true}, {"a text that is far longer than the line"}});
    table.finish();
  });
  EXPECT_EQ(text,
            " id | text\n"
            "----+-----------------------------------\n"
            "  1 | a text that is far longer than\n"
            "    | the line\n");
}

TEST_F(Tables, BecomeRecordsWhereTheyAreTooWide) {
  const std::string text = written([](const Stream& out) {
    std::vector<std::string> titles;
    std::vector<TableCell> row;
    for (int i = 0; i < 10; ++i) {
      titles.push_back("column_" + std::to_string(i));
      row.push_back({"value_" + std::to_string(i)});
    }
    Table table(out, titles);
    table.add(row);
    table.finish();
  });
  EXPECT_TRUE(text.starts_with("-- 1 --\n column_0 | value_0\n column_1 | value_1\n")) << text;
}

TEST_F(Tables, StreamAfterTheFirstRows) {
  const std::string text = written([](const Stream& out) {
    Table table(out, {"n"});
    for (int i = 0; i < 1'500; ++i) ASSERT_TRUE(table.add({{std::to_string(i), Paint::kPlain, true}}));
    table.finish();
  });
  EXPECT_TRUE(text.ends_with(" 1499\n")) << "a number is never folded, also where the first rows were narrower";
  EXPECT_EQ(std::ranges::count(text, '\n'), 1'502);
}

scope::AgentSurface surface(scope::LimitSource source, scope::LimitKind kind, std::uint64_t limit, std::uint64_t shown,
                            std::optional<std::uint64_t> total, std::uint64_t offset = 0) {
  return scope::describe({source, kind, limit, offset}, shown, total, "not-counted-within-budget");
}

TEST(ScopeLine, SaysWhatTheRowsAreAPartOf) {
  using scope::LimitKind;
  using scope::LimitSource;
  EXPECT_EQ(scope_line(scope::describe({}, 12, 12, ""), 12), "12 rows");
  EXPECT_EQ(scope_line(scope::describe({}, 1, 1, ""), 1), "1 row");
  EXPECT_EQ(scope_line(surface(LimitSource::kDefault, LimitKind::kPagination, 1000, 0, 0), 0, 1892),
            "0 rows, 1,892 rows scanned");
  EXPECT_EQ(scope_line(surface(LimitSource::kStatement, LimitKind::kPagination, 12, 12, 1892), 12),
            "12 of 1,892 rows; LIMIT in the statement, no ORDER BY: which 12 is not defined");
  EXPECT_EQ(scope_line(surface(LimitSource::kStatement, LimitKind::kPagination, 100, 12, 12), 12), "12 rows");
  EXPECT_EQ(scope_line(surface(LimitSource::kDefault, LimitKind::kPagination, 1000, 1000, 1892), 1000),
            "1,000 of 1,892 rows; the limit rows_per_result cut the rest: limits in candor.yaml raise it");
  EXPECT_EQ(scope_line(surface(LimitSource::kFlag, LimitKind::kPagination, 3, 3, std::nullopt), 3),
            "3 rows of an unknown total (not-counted-within-budget); --max-rows cut the rest");
  EXPECT_EQ(scope_line(surface(LimitSource::kStatement, LimitKind::kPagination, 10, 10, 50, 5), 10),
            "rows 6 to 15 of 50; LIMIT in the statement, no ORDER BY: which 10 is not defined");
  scope::AgentSurface best = surface(LimitSource::kStatement, LimitKind::kTopK, 10, 10, 50);
  best.order = scope::Order::kPartial;
  best.ties_at_border = 3;
  EXPECT_EQ(
      scope_line(best, 10),
      "10 of 50 rows; the first by ORDER BY, but 3 more rows tie with the last: which of them is shown is not defined");
  best.ceiling.offset = 5;
  EXPECT_EQ(scope_line(best, 10),
            "rows 6 to 15 of 50; by ORDER BY, but 3 rows outside tie with those at its ends: which of them is shown is "
            "not defined");
  best.ceiling.offset = 0;
  best.order = scope::Order::kTotal;
  EXPECT_EQ(scope_line(best, 10), "10 of 50 rows; the first by ORDER BY");
}

TEST(ListLine, ShowsTheNextPage) {
  const auto line = [](std::uint64_t shown, std::uint64_t offset, std::uint64_t total) {
    return list_line(surface(scope::LimitSource::kFlag, scope::LimitKind::kPagination, 50, shown, total, offset),
                     "answer", "answers");
  };
  EXPECT_EQ(line(50, 0, 120), "50 of 120 answers; --offset 50 shows the next");
  EXPECT_EQ(line(20, 100, 120), "20 of 120 answers");
  EXPECT_EQ(line(0, 0, 0), "0 answers");
}

std::string drawn(const Diagnostic& diagnostic, std::string_view sql) {
  std::string text;
  written([&](const Stream& err) { text = diagnostic_text(err, diagnostic, sql); });
  return text;
}

class Carets : public Tables {};

TEST_F(Carets, PointToThePlaceInItsLine) {
  Diagnostic failure = make_error("unknown-table", "no table 'custmers'", "did you mean shop.customers?");
  failure.span = Span{14, 22};
  EXPECT_EQ(drawn(failure, "SELECT *\nFROM custmers"),
            "error[unknown-table]: no table 'custmers'\n"
            " 2 | FROM custmers\n"
            "   |      ^^^^^^^^\n"
            "  hint: did you mean shop.customers?\n");
}

TEST_F(Carets, CountCellsNotBytes) {
  Diagnostic failure = make_error("unknown-column", "no column");
  failure.span = Span{21, 24};
  EXPECT_EQ(drawn(failure, "SELECT 'größe日', abc"),
            "error[unknown-column]: no column\n"
            " 1 | SELECT 'größe日', abc\n"
            "   |                   ^^^\n");
}

TEST_F(Carets, ShowAPieceOfAnEndlessLine) {
  Diagnostic failure = make_error("syntax", "here");
  const std::string sql = std::string(5'000'000, 'a') + " ! " + std::string(5'000'000, 'b');
  failure.span = Span{5'000'001, 5'000'002};
  EXPECT_EQ(drawn(failure, sql),
            "error[syntax]: here\n"
            " 1 | …aaaaaaaaaaaaaa ! bbbbbbbbbbbb…\n"
            "   |                 ^\n");
}

TEST_F(Carets, StandWhereTheSpanIsOutsideOfTheText) {
  Diagnostic failure = make_error("syntax", "unexpected end");
  failure.span = Span{100, 120};
  EXPECT_EQ(drawn(failure, "SELECT"), "error[syntax]: unexpected end\n 1 | SELECT\n   |       ^\n");
  failure.span.reset();
  failure.others.push_back(make_error("syntax", "another\x1b"));
  EXPECT_EQ(drawn(failure, "SELECT"), "error[syntax]: unexpected end\nerror[syntax]: another\\u001B\n");
}

TEST_F(Tables, DrawSidesWithBars) {
  const Result<json::Node> checks = json::parse(R"([
    {"check":"join-coverage","verdict":"finding","message":"23 of 513 patients have a visit","joins":[
      {"condition":"p.id = v.id","left":{"table":"patients","alias":"p","rows":513,"matched":23,"grouped":true},
       "right":{"table":"visits","alias":"v","rows":23,"matched":23}}]},
    {"check":"value-not-shown","verdict":"undetermined","reason":"no-match"}])");
  ASSERT_TRUE(checks.ok());
  std::string text;
  written([&](const Stream& out) { text = checks_text(out, *checks); });
  EXPECT_EQ(text,
            "  !! join-coverage  finding\n"
            "    23 of 513 patients have a visit\n"
            "    on p.id = v.id\n"
            "      patients p  #...................  23 of 513 rows matched, 4.5 %  (the answer speaks of this side)\n"
            "      visits v    ####################  23 of 23 rows matched, 100 %\n"
            "  ?? value-not-shown  undetermined (no-match)\n");
}

}  // namespace
}  // namespace candor::cli
