// The vocabulary of a model in a form that is looked things up in where it lies: reading the JSON that models come with takes
// longer than a whole search.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace candor::memory {

// The table of a `tokenizer.json` with a BPE model that falls back to bytes and puts U+2581 for blanks and before the text.
// Fails with `embedding-failed` for any other.
[[nodiscard]] Result<std::string> make_token_table(std::string_view tokenizer_json);

struct TokenMerge {
  std::uint32_t rank;  // a lower one is done before
  std::uint32_t token;
};

// Bytes of make_token_table that somebody else keeps. Whatever stands in them, no look-up reads beyond them; the numbers of
// tokens that come out can be any.
class TokenTable {
 public:
  // Fails with `embedding-failed` for bytes of another form or length.
  [[nodiscard]] static Result<TokenTable> over(std::string_view bytes);

  [[nodiscard]] std::optional<std::uint32_t> character(std::uint32_t code_point) const;
  [[nodiscard]] std::uint32_t byte(std::uint8_t value) const { return number(kBytesAt + value); }
  // What two neighbours become.
  [[nodiscard]] std::optional<TokenMerge> merge(std::uint32_t left, std::uint32_t right) const;

 private:
  static constexpr std::size_t kBytesAt = 4;

  explicit TokenTable(std::string_view bytes) : bytes_(bytes) {}
  [[nodiscard]] std::uint32_t number(std::size_t place) const;

  std::string_view bytes_;
  std::size_t characters_ = 0, merges_at_ = 0, buckets_ = 0;
};

}  // namespace candor::memory
