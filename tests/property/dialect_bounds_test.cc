// No text makes parsing and binding take more than 64 MB, or end the process: it is accepted, or refused with a reason. What
// it takes in time is bench/dialect_bench.cc's.
#include <gtest/gtest.h>
#include <string>

#include "base/render_json.h"
#include "base/shorten.h"
#include "support/hostile_texts.h"
#include "support/own_memory.h"

namespace candor::test {
namespace {

constexpr double kMegabytesMax = 64;

TEST(DialectBounds, EveryTextEndsWithinItsBounds) {
  const Result<contract::Contract> contract = contract::parse(kHostileContract, "hostile.yaml");
  ASSERT_TRUE(contract.ok()) << contract.error().message;
  std::size_t refused = 0;
  std::size_t accepted = 0;
  for (const HostileText& text : hostile_texts()) {
    const Taken taken = take(text.make(), *contract);
    ++(taken.refused ? refused : accepted);
    EXPECT_TRUE(taken.refused || taken.said.empty()) << text.name << ": " << taken.said;
    if (kMemoryIsOwn) {
      EXPECT_LE(taken.megabytes, kMegabytesMax) << text.name;
    }
  }
  EXPECT_GE(refused, 30U);
  EXPECT_GE(accepted, 20U);
}

// A measure that sees nothing would find every bound kept.
TEST(DialectBounds, MemoryIsSeen) {
  const Taken taken = in_child([](Taken& seen) {
    const std::string much(std::size_t{100} << 20U, 'x');
    seen.said = much.substr(0, 3);
  });
  EXPECT_EQ(taken.said, "xxx");
  if (kMemoryIsOwn) {
    EXPECT_GE(taken.megabytes, 95);
  }
}

TEST(DialectBounds, AnEndedProcessIsSeen) {
  EXPECT_EQ(in_child([](Taken&) { _exit(3); }).said, "the process ended");
}

// Messages quote what was written, and stay short.
TEST(DialectBounds, MessagesStayShort) {
  const Result<contract::Contract> contract = contract::parse(kHostileContract, "hostile.yaml");
  ASSERT_TRUE(contract.ok());
  const std::string name = times(100'000, "ä");
  for (const std::string& sql :
       {"SELECT " + name + " FROM cards", "SELECT 1 FROM " + name, "SELECT " + name + "(1)",
        "SELECT 1 FROM cards WHERE tags = 1 AND front_text = " + times(100'000, "1"),
        "SELECT card_no FROM cards WHERE front_text LIKE '%" + name + "%' AND '" + name + "' = '" + name + "'"}) {
    const dialect::Parsed parsed = dialect::parse(sql);
    const bind::Bound bound = bind::bind(sql, parsed, {&*contract, "A"});
    for (const Diagnostic& error : bound.errors) {
      EXPECT_LE(error.message.size(), 1'100U);
      EXPECT_LE(error.hint.size(), 1'100U);
      EXPECT_LE(error.detail.size(), 8'100U);
      EXPECT_TRUE(error.fix.size() <= 20'000U);
    }
    for (const bind::BoundStatement& statement : bound.statements) {
      for (const bind::BoundWarning& warning : statement.warnings) EXPECT_LE(warning.message.size(), 1'100U);
    }
  }
}

// A repair that leaves errors that were not told would be none.
TEST(DialectBounds, AFixRepairsAll) {
  const Result<contract::Contract> contract = contract::parse(kHostileContract, "hostile.yaml");
  ASSERT_TRUE(contract.ok());
  const auto fix_of = [&](std::size_t wrong) {
    const std::string sql = "SELECT fron_text" + numbered(wrong - 1, [](const auto&) { return ", fron_text"; }) +
                            numbered(wrong, [](const auto& i) { return ", rep AS r" + i; }) + " FROM cards";
    const bind::Bound bound = bind::bind(sql, dialect::parse(sql), {&*contract, "A"});
    return bound.errors.empty() ? std::string("accepted") : bound.errors.front().fix;
  };
  EXPECT_NE(fix_of(3), "");
  EXPECT_EQ(fix_of(30), "");
}

TEST(BothEnds, KeepsBothEndsAndWholeLetters) {
  EXPECT_EQ(both_ends("abc", 3), "abc");
  EXPECT_EQ(both_ends("abcdefghi", 6), "abcd…hi");
  for (std::size_t most = 6; most < 40; ++most) {
    const std::string cut = both_ends(times(50, "ä"), most);
    EXPECT_TRUE(is_utf8(cut)) << most;
    EXPECT_LE(cut.size(), most + 3);
  }
}

}  // namespace
}  // namespace candor::test
