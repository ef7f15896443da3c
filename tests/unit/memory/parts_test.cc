// Chunks, addresses and differences of texts.
#include <gtest/gtest.h>

#include "base/render_json.h"
#include "memory/store/line_diff.h"
#include "memory/store/names.h"
#include "memory/store/text_parts.h"

namespace candor::memory {
namespace {

// Chunks cover the body without a gap, none takes a character apart, and they move on.
void check_chunks(const std::string& body) {
  const std::vector<Chunk> chunks = chunks_of(body);
  ASSERT_LE(chunks.size(), kChunks);
  ASSERT_GT(chunks.size(), 1U);
  EXPECT_EQ(chunks.front().start, 0U);
  EXPECT_EQ(chunks.back().end, body.size());
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    EXPECT_TRUE(is_utf8(body.substr(chunks[i].start, chunks[i].end - chunks[i].start)));
    if (i == 0) continue;
    EXPECT_LE(chunks[i].start, chunks[i - 1].end);
    EXPECT_GT(chunks[i].start, chunks[i - 1].start);
    EXPECT_GT(chunks[i].end, chunks[i - 1].end);
  }
}

TEST(Chunks, AreNoneForOnePiece) {
  EXPECT_TRUE(chunks_of("").empty());
  EXPECT_TRUE(chunks_of(std::string(800, 'a')).empty());
  std::string wide;
  for (int i = 0; i < 800; ++i) wide += "東";
  EXPECT_TRUE(chunks_of(wide).empty());
}

TEST(Chunks, CoverTheBody) {
  std::string prose;
  std::string wide;
  for (int i = 0; i < 9'000; ++i) {
    prose += "Sentence " + std::to_string(i) + (i % 9 == 0 ? ".\n\n# Part\n" : ". ");
    wide += "東京";
  }
  check_chunks(prose);
  check_chunks(wide);
  check_chunks(std::string(801, 'x'));
  check_chunks(std::string(kBodyBytes, 'x'));
  check_chunks(std::string(kBodyBytes, '\n'));
  std::string zeros(5'000, '\0');
  check_chunks(zeros);
}

TEST(Chunks, EndBeforeHeadings) {
  const std::string body = std::string(700, 'a') + "\n# Two\n" + std::string(700, 'b');
  const std::vector<Chunk> chunks = chunks_of(body);
  ASSERT_EQ(chunks.size(), 2U);
  EXPECT_EQ(chunks[1].start, 701U);
}

TEST(Chunks, KeepLettersWithTheirMarks) {
  std::string marked;
  std::string family;
  for (int i = 0; i < 3'000; ++i) {
    marked += "a\u0301\u0323";
    family += "\U0001F469\u200D\U0001F469\u200D\U0001F467";
  }
  for (const std::string& body : {marked, family}) {
    check_chunks(body);
    const std::string letter = body.substr(0, body.size() / 3'000);
    for (const Chunk& chunk : chunks_of(body)) EXPECT_EQ(body.compare(chunk.start, letter.size(), letter), 0);
  }
  // One letter with more marks than a chunk holds has to be cut, between characters.
  std::string endless = "a";
  for (int i = 0; i < 5'000; ++i) endless += "\u0301";
  check_chunks(endless);
  check_chunks(std::string(900, 'a') + "\r\n" + std::string(900, 'b'));
}

TEST(Headings, AreTheOnesOfMarkdown) {
  const std::string text =
      "# one\n#no\n####### no\n   ## two\n    # code\n```sh\n# no\n```\n#\n~~~~\n# no\n~~~\n# no\n~~~~~\n###### "
      "six\r\n# end";
  std::string found;
  for (const std::size_t at : headings_of(text)) found += text.substr(at, text.find('\n', at) - at) + "|";
  EXPECT_EQ(found, "# one|   ## two|#|###### six\r|# end|");
  EXPECT_TRUE(headings_of("").empty());
  EXPECT_TRUE(headings_of("```\n# a fence that is never closed").empty());
}

TEST(Sections, FitIntoMemoriesAndAreTheWhole) {
  std::string headed;
  for (int i = 0; i < 60; ++i) headed += "# Part " + std::to_string(i) + "\n" + std::string(20'000, 'x') + "\n";
  std::string wide;
  for (int i = 0; i < 400'000; ++i) wide += "é";
  for (const std::string& text : {headed, wide, std::string(2'000'000, ' '), std::string(kBodyBytes + 1, 'x')}) {
    std::string whole;
    for (const std::string_view part : sections_of(text)) {
      EXPECT_LE(part.size(), kBodyBytes);
      EXPECT_LE(characters(part), kPartCharacters);
      EXPECT_TRUE(is_utf8(part));
      EXPECT_FALSE(part.empty());
      whole += part;
    }
    EXPECT_TRUE(whole == text);
  }
  for (const std::string_view part : sections_of(headed)) EXPECT_TRUE(part.starts_with("# Part"));
  EXPECT_EQ(sections_of("").size(), 1U);
  EXPECT_EQ(sections_of(std::string(kPartCharacters, 'x')).size(), 1U);
}

TEST(Urls, AreFoundOnce) {
  const std::vector<Url> urls = urls_of(
      "See https://example.org/a?b=c. Also (http://example.org/x), HTTPS://EXAMPLE.ORG/y and https://example.org/a?b=c "
      "ftp://example.org/no http://a.b");
  ASSERT_EQ(urls.size(), 4U);
  EXPECT_EQ(urls[0].text, "https://example.org/a?b=c");
  EXPECT_EQ(urls[0].offset, 4U);
  EXPECT_EQ(urls[1].text, "http://example.org/x");
  EXPECT_EQ(urls[3].text, "http://a.b");
  EXPECT_TRUE(urls_of("http:// https:// ://").empty());
  EXPECT_TRUE(urls_of("http://" + std::string(5'000, 'a')).empty());
}

TEST(Diffs, AreOfLines) {
  const LineDiff diff = line_diff("one\ntwo\nthree\nfour\n", "one\n2\nthree\nfour\nfive\n");
  EXPECT_EQ(diff.text, "@@ -1,4 +1,5 @@\n one\n-two\n+2\n three\n four\n+five\n");
  EXPECT_EQ(diff.added, 2U);
  EXPECT_EQ(diff.removed, 1U);
  EXPECT_EQ(line_diff("same", "same").text, "");
  EXPECT_EQ(line_diff("", "a\nb").text, "@@ -0,0 +1,2 @@\n+a\n+b\n");
  EXPECT_EQ(line_diff("a\nb", "").text, "@@ -1,2 +0,0 @@\n-a\n-b\n");
}

TEST(Diffs, FarApartAreHunksOfTheirOwn) {
  std::string before;
  for (int i = 0; i < 100; ++i) before += "line " + std::to_string(i) + "\n";
  std::string after = before;
  after.replace(after.find("line 10\n"), 7, "LINE 10");
  after.replace(after.find("line 90\n"), 7, "LINE 90");
  const LineDiff diff = line_diff(before, after);
  EXPECT_NE(diff.text.find("@@ -8,7 +8,7 @@"), std::string::npos) << diff.text;
  EXPECT_NE(diff.text.find("@@ -88,7 +88,7 @@"), std::string::npos) << diff.text;
  EXPECT_EQ(diff.added, 2U);
}

TEST(Diffs, OfQuiteDifferentTextsEnd) {
  std::string before;
  std::string after;
  for (int i = 0; i < 20'000; ++i) {
    before += "a" + std::to_string(i) + "\n";
    after += "b" + std::to_string(i) + "\n";
  }
  const LineDiff diff = line_diff(before, after);
  EXPECT_EQ(diff.added, 20'000U);
  EXPECT_EQ(diff.removed, 20'000U);
}

}  // namespace
}  // namespace candor::memory
