// Schemas and checks of arguments.
#include "mcp/tools/arguments.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace candor::mcp {
namespace {

std::string quoted(std::string_view text) { return json::dump(json::Node::string(std::string(text))); }

std::string_view type_schema(ArgumentType type) {
  switch (type) {
    case ArgumentType::kText:
      return R"("type":"string")";
    case ArgumentType::kCount:
      return R"("type":"integer")";
    case ArgumentType::kBoolean:
      return R"("type":"boolean")";
    case ArgumentType::kObject:
      return R"("type":"object")";
    case ArgumentType::kTexts:
      return R"("type":"array","items":{"type":"string"})";
  }
  return "";
}

std::string_view type_name(ArgumentType type) {
  switch (type) {
    case ArgumentType::kText:
      return "a string";
    case ArgumentType::kCount:
      return "a whole number that is not negative";
    case ArgumentType::kBoolean:
      return "true or false";
    case ArgumentType::kObject:
      return "an object";
    case ArgumentType::kTexts:
      return "an array of strings";
  }
  return "";
}

bool fits(const json::Node& value, ArgumentType type) {
  switch (type) {
    case ArgumentType::kText:
      return value.is_string();
    case ArgumentType::kCount:
      return value.integer().value_or(-1) >= 0;
    case ArgumentType::kBoolean:
      return value.is_boolean();
    case ArgumentType::kObject:
      return value.is_object();
    case ArgumentType::kTexts:
      return value.is_array() && std::ranges::all_of(value.items(), &json::Node::is_string);
  }
  return false;
}

// Insertions, deletions and replacements from one name to the other.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

std::string nearest(std::string_view name, std::span<const Argument> arguments) {
  constexpr std::size_t kLongestName = 64;
  constexpr std::size_t kFarthest = 2;
  std::string best;
  std::size_t best_distance = kFarthest + 1;
  if (name.size() > kLongestName) return best;
  for (const Argument& argument : arguments) {
    const std::size_t far = distance(name, argument.name);
    if (far < best_distance && far < argument.name.size()) {
      best_distance = far;
      best = argument.name;
    }
  }
  return best;
}

std::string names_of(std::span<const Argument> arguments) {
  std::string names;
  for (const Argument& argument : arguments) names += (names.empty() ? "" : ", ") + argument.name;
  return names;
}

}  // namespace

std::string input_schema(std::span<const Argument> arguments) {
  std::string properties;
  std::string required;
  for (const Argument& argument : arguments) {
    if (!properties.empty()) properties += ',';
    properties += quoted(argument.name) + ":{" + std::string(type_schema(argument.type));
    if (!argument.description.empty()) properties += ",\"description\":" + quoted(argument.description);
    if (!argument.inside.empty()) properties += "," + argument.inside;
    properties += '}';
    if (argument.required) required += (required.empty() ? "" : ",") + quoted(argument.name);
  }
  std::string out = R"({"type":"object","properties":{)" + properties + "}";
  if (!required.empty()) out += ",\"required\":[" + required + "]";
  return out + ",\"additionalProperties\":false}";
}

Status check_arguments(const json::Node& given, std::span<const Argument> arguments) {
  std::vector<Diagnostic> wrong;
  for (const auto& [name, value] : given.members()) {
    const auto known = std::find_if(arguments.begin(), arguments.end(),
                                    [&](const Argument& argument) { return argument.name == name; });
    if (known == arguments.end()) {
      const std::string near = nearest(name, arguments);
      wrong.push_back(make_error("bad-request", "there is no argument " + quoted(name),
                                 near.empty() ? "the arguments are " + names_of(arguments) : "write " + near));
    } else if (value.is_null() && !known->required) {
      continue;  // many clients write null for what they leave out
    } else if (!fits(value, known->type)) {
      wrong.push_back(
          make_error("bad-request", "argument " + name + " must be " + std::string(type_name(known->type))));
    }
  }
  for (const Argument& argument : arguments) {
    if (argument.required && given.find(argument.name) == nullptr) {
      wrong.push_back(make_error("bad-request", "argument " + argument.name + " is missing"));
    }
  }
  if (wrong.empty()) return Ok{};
  Diagnostic first = std::move(wrong.front());
  first.others.assign(std::make_move_iterator(wrong.begin() + 1), std::make_move_iterator(wrong.end()));
  return first;
}

}  // namespace candor::mcp
