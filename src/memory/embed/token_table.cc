// The table: numbers of 32 bits, little endian.
//
//   0    two of kMark, the number of characters, the binary logarithm of the number of buckets
//   4    the tokens of the 256 bytes
//   260  characters: code point and token, by code point
//   …    buckets of four: left, right, rank, token; an empty one has kEmpty as its left
#include "memory/embed/token_table.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <map>
#include <utility>
#include <vector>

#include "json/json.h"

namespace candor::memory {
namespace {

static_assert(std::endian::native == std::endian::little, "the table is read as it stands");

constexpr std::uint32_t kMark = 0x544E4143U, kForm = 1, kEmpty = 0xFFFFFFFFU;  // "CANT"
constexpr std::size_t kCharactersAt = 260, kBucket = 4;
constexpr std::uint32_t kBucketBitsMax = 24;
constexpr std::size_t kJsonMax = std::size_t{64} << 20U;

std::size_t bucket_of(std::uint32_t left, std::uint32_t right, std::size_t buckets) {
  const std::uint64_t mixed = (std::uint64_t{left} << 32U | right) * 0x9E3779B97F4A7C15U;
  return static_cast<std::size_t>(mixed >> 32U) & (buckets - 1);
}

Diagnostic other_form(std::string detail) {
  return make_error("embedding-failed", "the model's vocabulary has a form that is not read", {}, std::move(detail));
}

using Vocabulary = std::map<std::string_view, std::uint32_t>;

// The one code point that a text consists of; the text is valid UTF-8, being out of JSON.
std::optional<std::uint32_t> only_character(std::string_view text) {
  const auto lead = static_cast<std::uint8_t>(text.empty() ? 0x80 : text[0]);
  const std::size_t length = lead < 0x80 ? 1 : lead < 0xC0 ? 0 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  if (length == 0 || text.size() != length) return std::nullopt;
  std::uint32_t value = length == 1 ? lead : lead & (0xFFU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) value = value << 6U | (static_cast<std::uint8_t>(text[i]) & 0x3FU);
  return value;
}

// What is done to a text before it is cut: exactly this is what bpe.cc does.
bool puts_marks_for_blanks(const json::Node& normalizer) {
  const auto& steps = normalizer["normalizers"];
  if (normalizer.string_or("type", "") != "Sequence" || !steps.is_array() || steps.items().size() != 2) return false;
  const auto& prepend = steps.items()[0];
  const auto& replace = steps.items()[1];
  return prepend.string_or("type", "") == "Prepend" && prepend.string_or("prepend", "") == "\u2581" &&
         replace.string_or("type", "") == "Replace" && replace["pattern"].string_or("String", "") == " " &&
         replace.string_or("content", "") == "\u2581";
}

Status check_form(const json::Node& tokenizer) {
  const auto& model = tokenizer["model"];
  if (model.string_or("type", "") != "BPE" || !model["byte_fallback"].truth() || !model["vocab"].is_object() ||
      !model["merges"].is_array() || model["ignore_merges"].truth()) {
    return other_form("its model is not BPE that falls back to bytes");
  }
  if (!tokenizer["pre_tokenizer"].is_null() || !puts_marks_for_blanks(tokenizer["normalizer"])) {
    return other_form("it changes texts before it cuts them");
  }
  return Ok{};
}

Result<Vocabulary> vocabulary_of(const json::Node& model) {
  Vocabulary vocabulary;
  for (const auto& [text, token] : model["vocab"].members()) {
    const auto number = token.integer();
    if (!number || *number < 0 || *number >= kEmpty) return other_form("a token has no number");
    vocabulary.emplace(text, static_cast<std::uint32_t>(*number));
  }
  return vocabulary;
}

Status put_bytes(const Vocabulary& vocabulary, std::vector<std::uint32_t>& table) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  for (std::size_t value = 0; value < 256; ++value) {
    const std::string text = {'<', '0', 'x', kDigits[value / 16], kDigits[value % 16], '>'};
    const auto found = vocabulary.find(text);
    if (found == vocabulary.end()) return other_form("it has no token " + text);
    table.push_back(found->second);
  }
  return Ok{};
}

void put_characters(const Vocabulary& vocabulary, std::vector<std::uint32_t>& table) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> characters;
  for (const auto& [text, token] : vocabulary) {
    if (const auto character = only_character(text)) characters.emplace_back(*character, token);
  }
  std::ranges::sort(characters);
  table[2] = static_cast<std::uint32_t>(characters.size());
  for (const auto& [character, token] : characters) table.insert(table.end(), {character, token});
}

// "a b" or ["a", "b"].
std::optional<std::pair<std::string_view, std::string_view>> pair_of(const json::Node& merge) {
  if (merge.is_array() && merge.items().size() == 2) {
    return std::pair<std::string_view, std::string_view>(merge.items()[0].text(), merge.items()[1].text());
  }
  const std::string_view text = merge.text();
  const auto blank = text.find(' ');
  if (blank == std::string_view::npos) return std::nullopt;
  return std::pair(text.substr(0, blank), text.substr(blank + 1));
}

Status put_merges(const Vocabulary& vocabulary, const std::vector<json::Node>& merges,
                  std::vector<std::uint32_t>& table) {
  const std::size_t buckets = std::bit_ceil(merges.size() * 2 + 1);
  const auto bits = static_cast<std::uint32_t>(std::bit_width(buckets) - 1);
  if (bits > kBucketBitsMax) return other_form("it has too many merges");
  table[3] = bits;
  const std::size_t start = table.size();
  table.resize(start + buckets * kBucket, kEmpty);
  for (std::size_t rank = 0; rank < merges.size(); ++rank) {
    const auto pair = pair_of(merges[rank]);
    if (!pair) return other_form("merge " + std::to_string(rank) + " is no pair");
    const auto left = vocabulary.find(pair->first), right = vocabulary.find(pair->second);
    const auto both = vocabulary.find(std::string(pair->first) + std::string(pair->second));
    if (left == vocabulary.end() || right == vocabulary.end() || both == vocabulary.end()) {
      return other_form("merge " + std::to_string(rank) + " is not of tokens");
    }
    std::size_t bucket = bucket_of(left->second, right->second, buckets);
    while (table[start + bucket * kBucket] != kEmpty) bucket = (bucket + 1) & (buckets - 1);
    const std::array<std::uint32_t, kBucket> entry = {left->second, right->second, static_cast<std::uint32_t>(rank),
                                                      both->second};
    std::ranges::copy(entry, table.begin() + static_cast<std::ptrdiff_t>(start + bucket * kBucket));
  }
  return Ok{};
}

}  // namespace

Result<std::string> make_token_table(std::string_view tokenizer_json) {
  const auto tokenizer = json::parse(tokenizer_json, {.depth_max = 32, .bytes_max = kJsonMax});
  if (!tokenizer.ok() || !tokenizer->is_object()) return other_form("it is not JSON");
  CANDOR_TRY(check_form(*tokenizer));
  const json::Node& model = (*tokenizer)["model"];
  CANDOR_ASSIGN(const Vocabulary vocabulary, vocabulary_of(model));
  std::vector<std::uint32_t> table = {kMark, kForm, 0, 0};
  CANDOR_TRY(put_bytes(vocabulary, table));
  put_characters(vocabulary, table);
  CANDOR_TRY(put_merges(vocabulary, model["merges"].items(), table));
  return std::string(reinterpret_cast<const char*>(table.data()), table.size() * sizeof(std::uint32_t));
}

Result<TokenTable> TokenTable::over(std::string_view bytes) {
  TokenTable table(bytes);
  constexpr auto kWord = sizeof(std::uint32_t);
  const auto wrong = [] {
    return make_error("embedding-failed", "the model's vocabulary is damaged, or of another version",
                      "candor memory embed setup");
  };
  if (bytes.size() < kCharactersAt * kWord || table.number(0) != kMark || table.number(1) != kForm ||
      table.number(3) > kBucketBitsMax) {
    return wrong();
  }
  table.characters_ = table.number(2);
  table.merges_at_ = kCharactersAt + table.characters_ * 2;
  table.buckets_ = std::size_t{1} << table.number(3);
  if (bytes.size() != (table.merges_at_ + table.buckets_ * kBucket) * kWord) return wrong();
  return table;
}

std::uint32_t TokenTable::number(std::size_t place) const {
  std::uint32_t value = 0;
  std::memcpy(&value, bytes_.data() + place * sizeof(value), sizeof(value));
  return value;
}

std::optional<std::uint32_t> TokenTable::character(std::uint32_t code_point) const {
  std::size_t low = 0, high = characters_;
  while (low < high) {
    const std::size_t middle = (low + high) / 2;
    const std::uint32_t found = number(kCharactersAt + middle * 2);
    if (found == code_point) return number(kCharactersAt + middle * 2 + 1);
    found < code_point ? low = middle + 1 : high = middle;
  }
  return std::nullopt;
}

std::optional<TokenMerge> TokenTable::merge(std::uint32_t left, std::uint32_t right) const {
  std::size_t bucket = bucket_of(left, right, buckets_);
  for (std::size_t tries = 0; tries < buckets_; ++tries, bucket = (bucket + 1) & (buckets_ - 1)) {
    const std::size_t at = merges_at_ + bucket * kBucket;
    const std::uint32_t found = number(at);
    if (found == kEmpty) return std::nullopt;
    if (found == left && number(at + 1) == right) return TokenMerge{number(at + 2), number(at + 3)};
  }
  return std::nullopt;
}

}  // namespace candor::memory
