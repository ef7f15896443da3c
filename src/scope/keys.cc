// Keys against a catalogue, and near names for those that are not there.
#include "scope/keys.h"

#include <algorithm>

#include "base/near_names.h"
#include "base/render_json.h"

namespace candor::scope {
namespace {

bool stands_under(std::string_view key, std::string_view outer) {
  return key.size() > outer.size() + 1 && key.starts_with(outer) && key[outer.size()] == '.';
}

KeyUse::State state_of(const KeyCatalogue& catalogue, std::string_view key) {
  if (std::ranges::find(catalogue.keys, key) != catalogue.keys.end()) return KeyUse::State::kKnown;
  if (std::ranges::find(catalogue.open, key) != catalogue.open.end()) return KeyUse::State::kKnown;
  const bool open = catalogue.keys.empty() ||
                    std::ranges::any_of(catalogue.open, [&](const auto& outer) { return stands_under(key, outer); });
  return open ? KeyUse::State::kOpen : KeyUse::State::kUnknown;
}

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

}  // namespace

std::string canonical(const KeyCatalogue& catalogue, std::string_view key) {
  for (const auto& [alias, meant] : catalogue.aliases) {
    if (key == alias) return meant;
    if (stands_under(key, alias)) return meant + std::string(key.substr(alias.size()));
  }
  return std::string(key);
}

std::vector<KeyUse> keys_of(const Shaping& shaping, const KeyCatalogue& catalogue) {
  std::vector<KeyUse> uses;
  const auto add = [&](const std::string& written) {
    if (std::ranges::any_of(uses, [&](const KeyUse& use) { return use.written == written; })) return;
    KeyUse use;
    use.written = written;
    use.key = canonical(catalogue, written);
    use.state = state_of(catalogue, use.key);
    uses.push_back(std::move(use));
  };
  for (const Filter& filter : shaping.predicate.filters()) add(filter.key);
  if (shaping.sort) add(*shaping.sort);
  if (shaping.dedupe_by) add(*shaping.dedupe_by);
  for (const std::string& key : shaping.select) add(key);
  return uses;
}

void find_near(KeyUse& use, const KeyCatalogue& catalogue, const std::vector<std::string>& seen) {
  std::vector<std::string> names = catalogue.keys;
  names.insert(names.end(), catalogue.open.begin(), catalogue.open.end());
  for (const auto& [alias, meant] : catalogue.aliases) names.push_back(alias);
  names.insert(names.end(), seen.begin(), seen.end());
  // The distance of very long names is not worth its time.
  constexpr std::size_t kNameMax = 200;
  if (use.key.size() <= kNameMax) use.near = near_names(use.key, names);
}

std::optional<Diagnostic> unknown_keys(const std::vector<KeyUse>& uses) {
  std::optional<Diagnostic> first;
  for (const KeyUse& use : uses) {
    if (use.state != KeyUse::State::kUnknown) continue;
    constexpr std::size_t kShown = 80;
    const std::string hint = use.near.empty()
                                 ? "--allow-unknown-keys lets it pass"
                                 : "did you mean " + listed(use.near) + "? --allow-unknown-keys lets it pass as it is";
    Diagnostic error = make_error("unknown-key", "no row has the key '" + shortened(use.written, kShown) + "'", hint);
    if (!first) {
      first = std::move(error);
    } else {
      first->others.push_back(std::move(error));
    }
  }
  return first;
}

}  // namespace candor::scope
