// Names of types and limits, and looking things up by name.
#include "contract/contract.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/ascii.h"

namespace candor::contract {
namespace {

constexpr std::array<std::pair<Type, std::string_view>, 11> kNames = {{
    {Type::kString, "string"},
    {Type::kInteger, "integer"},
    {Type::kNumber, "number"},
    {Type::kDecimal, "decimal"},
    {Type::kBoolean, "boolean"},
    {Type::kDate, "date"},
    {Type::kDatetime, "datetime"},
    {Type::kUuid, "uuid"},
    {Type::kJson, "json"},
    {Type::kStringArray, "string[]"},
    {Type::kIntegerArray, "integer[]"},
}};

constexpr LimitField kLimitFields[] = {
    {"rows_per_statement", &Contract::rows_per_statement},
    {"statements_per_batch", &Contract::statements_per_batch},
    {"result_chars", &Contract::result_chars},
    {"predicate_depth", &Contract::predicate_depth},
};

template <typename Items>
auto find_named(const Items& items, std::string_view name) -> decltype(items.data()) {
  const auto found = std::ranges::find_if(items, [&](const auto& item) { return same_name(item.name, name); });
  return found == items.end() ? nullptr : &*found;
}

}  // namespace

std::string_view to_string(Type type) {
  return std::ranges::find(kNames, type, [](const auto& entry) { return entry.first; })->second;
}

std::optional<Type> type_of(std::string_view name) {
  const auto* found = std::ranges::find(kNames, name, [](const auto& entry) { return entry.second; });
  return found == kNames.end() ? std::nullopt : std::optional(found->first);
}

bool is_array(Type type) { return type == Type::kStringArray || type == Type::kIntegerArray; }

const Column* Resource::find(std::string_view column) const { return find_named(columns, column); }

const Absent* Resource::find_absent(std::string_view column) const { return find_named(absent, column); }

TableName table_name(const Resource& resource) {
  const std::string_view table = resource.table;
  const std::size_t dot = table.find('.');
  if (dot == std::string_view::npos) return {"", table};
  return {table.substr(0, dot), table.substr(dot + 1)};
}

bool Contract::takes_writes() const { return std::ranges::any_of(resources, &Resource::takes_writes); }

std::span<const LimitField> limit_fields() { return kLimitFields; }

const Resource* Contract::find(std::string_view resource) const { return find_named(resources, resource); }

}  // namespace candor::contract
