// Names of memories, entities, relations and namespaces: what is made of them as they are given, and what is refused.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

namespace candor::memory {

constexpr std::size_t kNameBytes = 80;
constexpr std::size_t kDescriptionCharacters = 500;
constexpr std::size_t kBodyBytes = 512'000;
constexpr std::size_t kMetadataBytes = 512'000;
constexpr std::size_t kEntityNameBytes = 500;
constexpr std::size_t kPerMemory = 50;  // entities, and relations, that one write may bind
constexpr std::int64_t kNamespaces = 100;
constexpr double kDefaultWeight = 0.5;

[[nodiscard]] std::span<const std::string_view> memory_types();
[[nodiscard]] std::span<const std::string_view> entity_types();
[[nodiscard]] std::span<const std::string_view> canonical_relations();

// Fails with `usage`, and the near names, for a type that there is not.
[[nodiscard]] Result<std::string> memory_type(std::string_view given);
[[nodiscard]] Result<std::string> entity_type(std::string_view given);

struct Name {
  std::string text;
  bool changed = false;  // by the rules below
};

// Lower case, `_` and blanks become `-`, `-` at the ends goes. Then a slug of at most 80 bytes that begins with a letter, or a
// single letter or digit. Fails with `invalid-name`, or `over-limit` for a longer one. `strict`: a name that would have to
// be changed fails too.
[[nodiscard]] Result<Name> memory_name(std::string_view given, bool strict = false);

// A name of at most `bytes` made of any text: "Anna Müller" as "anna-muller", "2024 plan" as "file-2024-plan" with the word
// "file", which is also what begins the name of a text without letters and digits of ASCII; that one ends with a part of its
// digest.
[[nodiscard]] std::string slug_of(std::string_view text, std::size_t bytes, std::string_view word);

struct EntityName {
  std::string text;  // as it is shown: NFC, blanks at the ends gone, others one each
  std::string key;   // as it is compared: NFKC, case folded, `_` and blanks as `-`; every script stays
};

// Fails with `invalid-name` for nothing, control characters, a single ASCII character or ASCII digits alone, with
// `invalid-text` for what is not UTF-8, with `over-limit` beyond 500 bytes.
[[nodiscard]] Result<EntityName> entity_name(std::string_view given);

// Lower case, `-` and blanks become `_`. Fails with `invalid-name`. `strict`: one that is not of the twelve canonical ones
// fails too.
[[nodiscard]] Result<std::string> relation_name(std::string_view given, bool strict = false);
[[nodiscard]] bool is_canonical(std::string_view relation);

// Fails with `invalid-namespace`: letters, digits, `-`, `_` and `.`, at most 80 bytes.
[[nodiscard]] Result<std::string> namespace_name(std::string_view given);

// How many characters valid UTF-8 has.
[[nodiscard]] std::size_t characters(std::string_view text);
// The first `count` characters.
[[nodiscard]] std::string_view first_characters(std::string_view text, std::size_t count);

}  // namespace candor::memory
