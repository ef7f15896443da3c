// The list of codes: sorted, without doubles, each with a page.
#include "base/codes.h"

#include <algorithm>
#include <cctype>
#include <gtest/gtest.h>

namespace candor {
namespace {

TEST(Codes, AreSortedAndUnique) {
  EXPECT_TRUE(std::ranges::is_sorted(all_codes(), {}, &CodeInfo::code));
  EXPECT_EQ(std::ranges::adjacent_find(all_codes(), {}, &CodeInfo::code), all_codes().end());
}

TEST(Codes, AreKebabCaseAndExplained) {
  for (const CodeInfo& info : all_codes()) {
    EXPECT_TRUE(std::ranges::all_of(info.code, [](char c) { return (c >= 'a' && c <= 'z') || c == '-'; })) << info.code;
    EXPECT_GT(info.explanation.size(), 20U) << info.code;
    EXPECT_FALSE(info.summary.ends_with('.')) << info.code;
    EXPECT_TRUE(info.explanation.ends_with('.')) << info.code;
  }
}

TEST(Codes, AreFoundByName) {
  ASSERT_NE(find_code("unknown-table"), nullptr);
  EXPECT_EQ(find_code("unknown-table")->exit, ExitCode::kRejected);
  EXPECT_EQ(find_code("unknown"), nullptr);
  EXPECT_EQ(exit_code(make_error("no-such-code", "x")), ExitCode::kInternal);
}

}  // namespace
}  // namespace candor
