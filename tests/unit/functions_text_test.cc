// Candor's text functions: cases, LIKE against a plain definition of it, parts of texts.
#include <functional>
#include <gtest/gtest.h>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "engine/functions/text.h"

namespace candor::engine::functions {
namespace {

std::string utf8(char32_t code) {
  if (code < 0x80) return {static_cast<char>(code)};
  if (code < 0x800) return {static_cast<char>(0xC0 | code >> 6), static_cast<char>(0x80 | (code & 0x3F))};
  if (code < 0x10000) {
    return {static_cast<char>(0xE0 | code >> 12), static_cast<char>(0x80 | (code >> 6 & 0x3F)),
            static_cast<char>(0x80 | (code & 0x3F))};
  }
  return {static_cast<char>(0xF0 | code >> 18), static_cast<char>(0x80 | (code >> 12 & 0x3F)),
          static_cast<char>(0x80 | (code >> 6 & 0x3F)), static_cast<char>(0x80 | (code & 0x3F))};
}

TEST(FunctionsText, CasesAreSimpleMappings) {
  EXPECT_EQ(lower("ÄÖÜ ΑΣ ЖЯ abc"), "äöü ασ жя abc");
  EXPECT_EQ(upper("äöü ας жя ABC"), "ÄÖÜ ΑΣ ЖЯ ABC");
  EXPECT_EQ(fold("Straße ΣΑΣ σας"), "straße σασ σασ");
  // One code point becomes one: what would become two stays.
  EXPECT_EQ(upper("ß ŉ ﬁ ΐ"), "ß ŉ ﬁ ΐ");
  EXPECT_EQ(fold("ẞ"), "ß");
  EXPECT_EQ(lower("ẞ"), "ß");
  // No locale: the dotted capital I of Turkish has a small one, but is not folded to it; the dotless small one is itself.
  EXPECT_EQ(lower("İ"), "i");
  EXPECT_EQ(fold("İıI"), "İıi");
  EXPECT_EQ(upper("ıi"), "II");
  // Folding is more than making small.
  EXPECT_EQ(lower("ſςµ"), "ſςµ");
  EXPECT_EQ(fold("ſςµẛϐ"), "sσμṡβ");
  EXPECT_EQ(upper("ſ"), "S");
  // Titlecase digraphs.
  EXPECT_EQ(lower("ǅ"), "ǆ");
  EXPECT_EQ(upper("ǅ"), "Ǆ");
  EXPECT_EQ(fold("ǄǅǆǲᾼÅ"), "ǆǆǆǳᾳå");
  // Cherokee folds to its capitals.
  EXPECT_EQ(lower("ᎠᏰ"), "ꭰᏸ");
  EXPECT_EQ(fold("ꭰᏸᎠ"), "ᎠᏰᎠ");
  EXPECT_EQ(upper("ꭰᏸ"), "ᎠᏰ");
  EXPECT_EQ(fold("\U00010400\U0001E921"), "\U00010428\U0001E943");
}

TEST(FunctionsText, EveryCodePointIsOneAndFoldingIsFinal) {
  for (char32_t code = 1; code < 0x110000; ++code) {
    if (code >= 0xD800 && code < 0xE000) continue;
    const std::string one = utf8(code);
    const std::string folded = fold(one);
    ASSERT_EQ(length(folded), 1) << std::hex << static_cast<std::uint32_t>(code);
    ASSERT_EQ(length(lower(one)), 1);
    ASSERT_EQ(length(upper(one)), 1);
    ASSERT_EQ(fold(folded), folded) << std::hex << static_cast<std::uint32_t>(code);
    // Apart from Turkish's two, what differs in case alone folds to the same.
    if (code == 0x130 || code == 0x131) continue;
    ASSERT_EQ(fold(lower(one)), folded) << std::hex << static_cast<std::uint32_t>(code);
    ASSERT_EQ(fold(upper(one)), folded) << std::hex << static_cast<std::uint32_t>(code);
  }
}

TEST(FunctionsText, BytesThatAreNotUtf8ArePassedThrough) {
  const std::string broken =
      "A\xFF\xC3"
      "B\xE2\x82";
  EXPECT_EQ(lower(broken),
            "a\xFF\xC3"
            "b\xE2\x82");
  EXPECT_EQ(length(broken), 6);
  EXPECT_EQ(length("\x80\x80"), 2);
  const std::string nul("A\0B", 3);
  EXPECT_EQ(lower(nul), std::string("a\0b", 3));
  EXPECT_EQ(length(nul), 3);
}

TEST(FunctionsText, LengthCountsCodePoints) {
  EXPECT_EQ(length(""), 0);
  EXPECT_EQ(length("e\u0301"), 2) << "decomposed";
  EXPECT_EQ(length("\u00E9"), 1);
  EXPECT_EQ(length("👨‍👩‍👧"), 5);
}

bool matches(std::string_view text, std::string_view pattern, std::optional<std::string_view> escape = std::nullopt) {
  const auto matched = like(text, pattern, escape);
  EXPECT_TRUE(matched.ok()) << pattern;
  return matched.ok() && *matched;
}

TEST(FunctionsText, LikeTellsCaseApartAndTakesWholeCodePoints) {
  EXPECT_TRUE(matches("Abc", "A%"));
  EXPECT_FALSE(matches("abc", "A%"));
  EXPECT_TRUE(matches("äß€😀", "____"));
  EXPECT_FALSE(matches("ä", "__"));
  EXPECT_FALSE(matches("e\u0301", "_"));
  EXPECT_TRUE(matches("", ""));
  EXPECT_TRUE(matches("", "%"));
  EXPECT_FALSE(matches("", "_"));
  EXPECT_TRUE(matches("a%c", "a%c"));
  EXPECT_TRUE(matches("mississippi", "%ss%pp_"));
  EXPECT_FALSE(matches("mississippi", "%ss%pp"));
  EXPECT_TRUE(matches("line\nbreak", "line%"));
  EXPECT_TRUE(matches(std::string("a\0b", 3), "a_b"));
  EXPECT_TRUE(matches("a\\b", "a\\b")) << "no escape where none is named";
}

TEST(FunctionsText, LikeHasAnEscapeWhereOneIsNamed) {
  EXPECT_TRUE(matches("a%c", "a!%c", "!"));
  EXPECT_FALSE(matches("abc", "a!%c", "!"));
  EXPECT_TRUE(matches("a!c", "a!!c", "!"));
  EXPECT_TRUE(matches("abc", "a!bc", "!")) << "before another character it stands for that";
  EXPECT_TRUE(matches("50€", "50€€", "€"));
  EXPECT_TRUE(matches("a%", "a%%", "%")) << "an escape may be a wildcard";
  for (const char* escape : {"", "!!", "e\u0301"}) {
    EXPECT_EQ(like("a", "a", escape).error().code, "bad-argument") << escape;
  }
  for (const char* pattern : {"a!", "!", "a!!!", "b%!"}) {
    EXPECT_EQ(like("a", pattern, "!").error().code, "bad-argument") << pattern << ", also where nothing would match";
  }
}

// The definition, written down: the text and the pattern as lists of characters.
bool defined(const std::string& text, const std::string& pattern) {
  if (pattern.empty()) return text.empty();
  if (pattern[0] == '%') {
    for (std::size_t skip = 0; skip <= text.size(); ++skip) {
      if (defined(text.substr(skip), pattern.substr(1))) return true;
    }
    return false;
  }
  if (text.empty()) return false;
  const bool escaped = pattern[0] == '!';
  const char wanted = escaped ? pattern[1] : pattern[0];
  return ((wanted == '_' && !escaped) || wanted == text[0]) && defined(text.substr(1), pattern.substr(escaped ? 2 : 1));
}

TEST(FunctionsText, LikeIsAsItIsDefined) {
  std::mt19937 random(20240305);  // NOLINT(cert-msc51-cpp): the same in every run
  const auto make = [&](std::string_view letters, std::size_t most) {
    std::string out;
    for (std::size_t size = random() % (most + 1); size > 0; --size) out += letters[random() % letters.size()];
    return out;
  };
  int matched = 0;
  for (int i = 0; i < 20'000; ++i) {
    const std::string text = make("ab%_!", 7);
    const std::string pattern = make("ab%_%", 6);
    const bool is = defined(text, pattern);
    matched += is ? 1 : 0;
    ASSERT_EQ(matches(text, pattern, "!"), is) << text << " LIKE " << pattern;
  }
  EXPECT_GT(matched, 2'000);
}

std::string part(std::string_view text, std::int64_t from, std::optional<std::int64_t> count) {
  const auto found = substring(text, from, count);
  return found.ok() ? std::string(*found) : found.error().code;
}

TEST(FunctionsText, PartsAreCountedAsTheStandardDoes) {
  EXPECT_EQ(part("äöüß", 2, 2), "öü");
  EXPECT_EQ(part("abc", 2, std::nullopt), "bc");
  EXPECT_EQ(part("abc", 0, 2), "a");
  EXPECT_EQ(part("abc", -1, 3), "a");
  EXPECT_EQ(part("abc", -5, 3), "");
  EXPECT_EQ(part("abc", -5, std::nullopt), "abc");
  EXPECT_EQ(part("abc", 4, 1), "");
  EXPECT_EQ(part("abc", 2, 0), "");
  EXPECT_EQ(part("abc", 2, -1), "bad-argument");
  EXPECT_EQ(part("abc", 2, INT64_MAX), "bc");
  EXPECT_EQ(part("abc", INT64_MAX, INT64_MAX), "");
  EXPECT_EQ(part("abc", INT64_MIN, INT64_MAX), "");
  EXPECT_EQ(part("", 1, 1), "");
}

}  // namespace
}  // namespace candor::engine::functions
