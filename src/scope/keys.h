// The keys that shaping flags name, and what a list says of them: is it one of its rows', another name of one, or a typing
// error.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/diagnostic.h"
#include "scope/shaping.h"

namespace candor::scope {

// The keys that rows can have, so that a typing error is told even where no row would have shown it. Without any, only the
// rows tell.
struct KeyCatalogue {
  std::vector<std::string> keys;
  std::vector<std::string> open;                             // keys under which any further ones may stand: "metadata"
  std::vector<std::pair<std::string, std::string>> aliases;  // "memory_type" is "type"
};

struct KeyUse {
  enum class State : std::uint8_t { kKnown, kOpen, kUnknown };  // open: the rows decide
  std::string written, key;                                     // as in the flags; with its alias resolved
  State state = State::kUnknown;
  std::vector<std::string> near;  // at most three, of an unknown one
};

// Every key of the flags once, in the order of the flags.
[[nodiscard]] std::vector<KeyUse> keys_of(const Shaping& shaping, const KeyCatalogue& catalogue);

// The key itself, or of an alias the key that it stands for.
[[nodiscard]] std::string canonical(const KeyCatalogue& catalogue, std::string_view key);

// Sets what is near an unknown key: names of the catalogue, and `seen` in rows.
void find_near(KeyUse& use, const KeyCatalogue& catalogue, const std::vector<std::string>& seen);

// `unknown-key` for all of the unknown keys; none: there is no unknown one.
[[nodiscard]] std::optional<Diagnostic> unknown_keys(const std::vector<KeyUse>& uses);

}  // namespace candor::scope
