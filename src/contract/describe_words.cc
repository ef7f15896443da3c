// The words for resources and columns that every format uses.
#include <algorithm>
#include <utility>

#include "contract/describe.h"
#include "contract/rules.h"

namespace candor::contract {
namespace {

constexpr std::size_t kAllowedShown = 100;

std::string quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) {
    out += c;
    if (c == '\'') out += c;
  }
  return out + "'";
}

std::string allowed_values(const std::vector<std::string>& allowed) {
  std::string text = "one of ";
  for (std::size_t i = 0; i < std::min(allowed.size(), kAllowedShown); ++i) {
    text += (i == 0 ? "" : ", ") + quoted(allowed[i]);
  }
  if (allowed.size() > kAllowedShown) text += " and " + std::to_string(allowed.size() - kAllowedShown) + " more";
  return text;
}

}  // namespace

std::vector<std::string> column_notes(const Resource& resource, const Column& column) {
  std::vector<std::string> notes;
  if (column.name == resource.key) notes.emplace_back("key");
  if (column.nullable) notes.emplace_back("may be NULL");
  if (!column.allowed.empty()) notes.push_back(allowed_values(column.allowed));
  if (resource.insert && column.generated == Column::Generated::kUuid) notes.emplace_back("generated");
  if (resource.insert && column.generated == Column::Generated::kNow) notes.emplace_back("the time of its INSERT");
  if (resource.remove && column.name == resource.soft_delete) notes.emplace_back("set by DELETE");
  if ((resource.insert || resource.update) && column.read_only) notes.emplace_back("read only");
  if (!column.filterable) notes.emplace_back("not filterable");
  if (!column.sortable) notes.emplace_back("not sortable");
  if (!column.description.empty()) notes.push_back(column.description);
  return notes;
}

std::string writes_of(const Resource& resource) {
  std::string text;
  for (const auto& [taken, name] : {std::pair(resource.insert, "INSERT"), std::pair(resource.update, "UPDATE"),
                                    std::pair(resource.remove, "DELETE")}) {
    if (taken) text += (text.empty() ? "" : ", ") + std::string(name);
  }
  return text;
}

std::string resource_notes(const Resource& resource) {
  std::string text = resource.takes_writes() ? "Takes " + writes_of(resource) + "." : "Read only.";
  if (!resource.key.empty()) text = "Its key is " + name_in_sql(resource.key) + ". " + text;
  if (!resource.soft_delete.empty()) {
    text += " Rows with a " + name_in_sql(resource.soft_delete) + " count as deleted and are not seen";
    text += resource.remove ? "; DELETE sets it." : ".";
  }
  return text;
}

}  // namespace candor::contract
