// What a local model is read from: its matrix, its vocabulary, and files that are not what they say.
#include <cmath>
#include <cstdint>
#include <gtest/gtest.h>

#include "memory/embed/bpe.h"
#include "memory/embed/local_embedder.h"
#include "memory/embed/local_models.h"
#include "memory/embed/mapped_file.h"
#include "memory/embed/safetensors.h"
#include "memory/embed/token_table.h"
#include "support/temp_folder.h"

namespace candor::memory {
namespace {

// A file of the format with this header and these halves.
std::string packed(const std::string& header, const std::vector<std::uint16_t>& halves) {
  const std::uint64_t length = header.size();
  std::string bytes(reinterpret_cast<const char*>(&length), sizeof(length));
  bytes += header;
  bytes.append(reinterpret_cast<const char*>(halves.data()), halves.size() * sizeof(std::uint16_t));
  return bytes;
}

std::string header_of(const std::string& dtype, const std::string& shape, const std::string& offsets) {
  return R"({"w":{"dtype":")" + dtype + R"(","shape":)" + shape + R"(,"data_offsets":)" + offsets + "}}";
}

TEST(HalfMatrix, ReadsItsNumbers) {
  const std::string bytes =
      packed(header_of("F16", "[2,4]", "[0,16]"), {0, 0, 0, 0, 0x3C00, 0xC000, 0x0001, 0x7BFF});  // 1, -2, 2^-24, 65504
  const auto matrix = HalfMatrix::find(bytes, "w");
  ASSERT_TRUE(matrix.ok()) << matrix.error().message;
  EXPECT_EQ(matrix->rows(), 2U);
  std::vector<float> sum(4, 1);
  matrix->add_row(1, sum);
  EXPECT_EQ(sum, (std::vector<float>{2, -1, 1 + std::ldexp(1.0F, -24), 65505}));
}

TEST(HalfMatrix, RefusesWhatIsNotWhatItSays) {
  const std::vector<std::uint16_t> halves(8, 0x3C00);
  const std::vector<std::string> hostile = {
      "",
      "1234567",
      std::string(8, '\xFF'),
      std::string("\x05\0\0\0\0\0\0\0{}", 10),
      packed("", halves),
      packed("[]", halves),
      packed(R"({"v":{"dtype":"F16"}})", halves),
      packed(header_of("F32", "[2,2]", "[0,16]"), halves),
      packed(header_of("F16", "[2,4]", "[0,18]"), halves),
      packed(header_of("F16", "[2,4]", "[2,18]"), halves),
      packed(header_of("F16", "[2,4]", "[16,0]"), halves),
      packed(header_of("F16", "[2,4,1]", "[0,16]"), halves),
      packed(header_of("F16", "[0,4]", "[0,0]"), halves),
      packed(header_of("F16", "[-2,-4]", "[0,16]"), halves),
      packed(header_of("F16", "[4294967296,4294967296]", "[0,0]"), halves),
      packed(header_of("F16", "[2.0,4.0]", "[0,16]"), halves),
      packed(std::string(2'000'000, '['), halves),
  };
  for (const auto& bytes : hostile) {
    const auto matrix = HalfMatrix::find(bytes, "w");
    ASSERT_FALSE(matrix.ok()) << bytes.substr(0, 100);
    EXPECT_EQ(matrix.error().code, "embedding-failed");
  }
}

// A vocabulary of the bytes, the letters a, b, c and U+2581, and what they become.
std::string tokenizer_json(const std::string& merges = R"(["a b","ab c","b c","\u2581 a","c c"])") {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string vocabulary;
  for (std::size_t i = 0; i < 256; ++i) {
    vocabulary += std::string("\"<0x") + kDigits[i / 16] + kDigits[i % 16] + ">\":" + std::to_string(i) + ",";
  }
  vocabulary += R"("a":300,"b":301,"c":302,"\u2581":303,"ab":304,"abc":305,"bc":306,"\u2581a":307,"cc":308)";
  return R"({"normalizer":{"type":"Sequence","normalizers":[{"type":"Prepend","prepend":"\u2581"},)"
         R"({"type":"Replace","pattern":{"String":" "},"content":"\u2581"}]},"pre_tokenizer":null,)"
         R"("model":{"type":"BPE","byte_fallback":true,"vocab":{)" +
         vocabulary + R"(},"merges":)" + merges + "}}";
}

using Tokens = std::vector<std::uint32_t>;

Tokens cut(std::string_view text) {
  const auto bytes = make_token_table(tokenizer_json());
  if (!bytes.ok()) return {9999};
  return tokens_of(TokenTable::over(*bytes).value(), text);
}

TEST(Tokens, TheLowestRankIsMergedFirst) {
  EXPECT_EQ(cut(""), Tokens{});
  EXPECT_EQ(cut("abc"), (Tokens{303, 305}));  // not "▁a" and "bc", which come later
  EXPECT_EQ(cut("a"), Tokens{307});
  EXPECT_EQ(cut(" a"), (Tokens{303, 307}));
  EXPECT_EQ(cut("bcabc"), (Tokens{303, 306, 305}));
  EXPECT_EQ(cut("ccc"), (Tokens{303, 308, 302}));  // the leftmost of equals
  EXPECT_EQ(cut("\xE2\x96\x81"
                "a"),
            (Tokens{303, 307}));
}

TEST(Tokens, WhatTheVocabularyLacksIsCutIntoBytes) {
  EXPECT_EQ(cut("é"), (Tokens{303, 0xC3, 0xA9}));
  EXPECT_EQ(cut("\xFF\xC3"), (Tokens{303, 0xFF, 0xC3}));
  EXPECT_EQ(cut(std::string_view("\0b", 2)), (Tokens{303, 0, 301}));
  EXPECT_EQ(cut("<s>"), (Tokens{303, '<', 's', '>'}));  // a text has no say in how it is read
}

TEST(Tokens, ALongTextWithoutBlanksIsCutInTime) { EXPECT_EQ(cut(std::string(500'000, 'c')).size(), 250'001U); }

TEST(TokenTable, RefusesOtherVocabularies) {
  const std::string good = tokenizer_json();
  const auto changed = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    text.replace(text.find(from), from.size(), to);
    return text;
  };
  for (const auto& bad :
       {std::string(), std::string("[]"), std::string("{}"), changed("BPE", "Unigram"), changed("true", "false"),
        changed("Prepend", "Lowercase"), changed("\"pre_tokenizer\":null", "\"pre_tokenizer\":{}"),
        changed("\"<0x41>\":65,", ""), changed(":300", ":-1"), changed(":300", ":\"x\""), tokenizer_json(R"(["ab"])"),
        tokenizer_json(R"(["a z"])"), tokenizer_json(R"([["a"]])"), tokenizer_json(R"([7])")}) {
    const auto table = make_token_table(bad);
    ASSERT_FALSE(table.ok()) << bad.substr(0, 300);
    EXPECT_EQ(table.error().code, "embedding-failed");
  }
}

TEST(TokenTable, DamageIsFoundOrStaysInBounds) {
  const std::string good = make_token_table(tokenizer_json()).value();
  for (std::size_t length = 0; length < good.size(); ++length) {
    ASSERT_FALSE(TokenTable::over(std::string_view(good).substr(0, length)).ok()) << length;
  }
  EXPECT_FALSE(TokenTable::over(good + "1234").ok());
  // Numbers of tokens can be any then; all that matters is that nothing is read beyond the end and that it ends.
  for (std::size_t at = 16; at < good.size(); ++at) {
    std::string damaged = good;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x5A);
    const auto table = TokenTable::over(damaged);
    if (table.ok()) {
      EXPECT_GT(tokens_of(*table, "abc é cc abc").size(), 0U);
    }
  }
}

TEST(LocalEmbedder, SaysWhatIsMissing) {
  const test::TempFolder home;
  const auto unknown = make_local_embedder("no-such", embed_settings(home.path()));
  ASSERT_FALSE(unknown.ok());
  EXPECT_EQ(unknown.error().code, "usage");
  const LocalModel& model = local_models().front();
  const auto absent = make_local_embedder(model.name, embed_settings(home.path()));
  ASSERT_FALSE(absent.ok());
  EXPECT_EQ(absent.error().code, "not-found");
  EXPECT_EQ(absent.error().hint, std::string("candor memory embed setup ") + model.name);
  EXPECT_EQ(model_state(home.path(), model), ModelState::kAbsent);
}

TEST(LocalEmbedder, RefusesADamagedModel) {
  const test::TempFolder home;
  const LocalModel& model = local_models().front();
  const std::string folder = std::string("models/") + model.name + "/";
  home.write(folder + "model.json", model_record(model));
  home.write(folder + "weights.safetensors",
             packed(header_of("F16", "[2,4]", "[0,16]"), std::vector<std::uint16_t>(8)));
  home.write(folder + "tokens.table", make_token_table(tokenizer_json()).value());
  const auto damaged = make_local_embedder(model.name, embed_settings(home.path()));
  ASSERT_FALSE(damaged.ok());
  EXPECT_EQ(damaged.error().code, "embedding-failed");
  EXPECT_EQ(model_state(home.path(), model), ModelState::kDamaged);
  home.write(folder + "model.json", "{}");
  const auto other = make_local_embedder(model.name, embed_settings(home.path()));
  ASSERT_FALSE(other.ok());
  EXPECT_EQ(other.error().code, "embedding-failed");
}

}  // namespace
}  // namespace candor::memory
