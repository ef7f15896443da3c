// The arguments of a tool, declared once: the input schema and the check of a call follow from the same table.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "json/json.h"

namespace candor::mcp {

enum class ArgumentType : std::uint8_t { kText, kCount, kBoolean, kObject, kTexts };

struct Argument {
  std::string name;
  ArgumentType type = ArgumentType::kText;
  bool required = false;
  std::string description;  // may be empty
  std::string inside;       // of an object: further members of its schema, as JSON without braces
};

// {"type":"object","properties":{…},"required":[…],"additionalProperties":false}
[[nodiscard]] std::string input_schema(std::span<const Argument> arguments);

// `bad-request` with everything that is wrong: unknown names with the nearest that there is, wrong types, missing ones.
[[nodiscard]] Status check_arguments(const json::Node& given, std::span<const Argument> arguments);

}  // namespace candor::mcp
