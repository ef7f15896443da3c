// Choosing keys and cutting texts.
#include "scope/projection.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/render_json.h"
#include "scope/characters.h"
#include "scope/filter.h"

namespace candor::scope {
namespace {

bool holds(const std::vector<std::string>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

// Copies what stands under the key into `out`, in objects as it is in. False: the row has no such key.
bool pick(const json::Node& row, std::string_view key, json::Node& out) {
  if (!row.is_object()) return false;
  if (const json::Node* whole = row.find(key)) {
    out.set(std::string(key), *whole);
    return true;
  }
  for (std::size_t dot = key.rfind('.'); dot != std::string_view::npos && dot > 0; dot = key.rfind('.', dot - 1)) {
    const std::string_view outer = key.substr(0, dot);
    const json::Node* inside = row.find(outer);
    if (inside == nullptr) continue;
    const json::Node* there = out.find(outer);
    json::Node part = there != nullptr ? *there : json::Node::object();
    if (!pick(*inside, key.substr(dot + 1), part)) continue;
    out.set(std::string(outer), std::move(part));
    return true;
  }
  return false;
}

}  // namespace

json::Node Projection::selected(const json::Node& row) const {
  json::Node out = json::Node::object();
  for (const std::string& key : shaping_.select) {
    if (pick(row, key, out)) continue;
    const std::string meant = canonical(declaration_.catalogue, key);
    const json::Node* value = meant == key ? nullptr : value_at(row, meant);
    if (value != nullptr) out.set(key, *value);
  }
  return out;
}

void Projection::cut(json::Node& value) const {
  for (json::Node& item : value.items()) cut(item);
  for (auto& [name, member] : value.members()) cut(member);
  if (!value.is_string() || value.text().size() <= *shaping_.truncate_content) return;
  const std::string_view part = first_characters(value.text(), *shaping_.truncate_content);
  if (part.size() == value.text().size()) return;
  value = json::Node::string(std::string(part));
  ++texts_cut_;
}

json::Node Projection::of(json::Node row) const {
  if (!shaping_.select.empty()) {
    row = selected(row);
  } else if (!hidden_.empty()) {
    std::erase_if(row.members(), [&](const auto& member) { return holds(hidden_, member.first); });
  }
  if (!shaping_.truncate_content) return row;
  const bool all = holds(declaration_.content, "*");
  for (auto& [name, value] : row.members()) {
    if (all || holds(declaration_.content, name)) cut(value);
  }
  return row;
}

}  // namespace candor::scope
