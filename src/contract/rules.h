// The one table of what an agent should know before it writes a statement. The tool descriptions, the REST documentation
// and `candor contract describe` print from here; limits are filled in from the contract, never typed.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "contract/contract.h"

namespace candor::contract {

enum class Topic : std::uint8_t { kCalls, kReading, kConditions, kArrays, kValues, kWriting };
[[nodiscard]] std::string_view to_string(Topic topic);  // "Conditions"

// Which contracts a rule speaks of.
enum class Where : std::uint8_t { kAlways, kWithArrays, kWithScope, kWithWrites };

struct Rule {
  std::string_view name;  // kebab-case, stable
  Topic topic;
  Where where;
  std::string_view text;   // whole sentences, with places for filled()
  std::string_view brief;  // the same for a tool's description, where every character counts; empty: not there
};

[[nodiscard]] std::span<const Rule> rules();  // by topic
[[nodiscard]] bool holds_for(const Rule& rule, const Contract& contract);

// The text with the contract's limits in the places of {their names}, and its own names in those of {array},
// {array_resource} and {key}. Requires that the rule holds for the contract.
[[nodiscard]] std::string filled(std::string_view text, const Contract& contract);

// A resource's or column's name as a statement has it: in double quotes where it is a word of SQL.
[[nodiscard]] std::string name_in_sql(std::string_view name);

// A limit as every format prints it: its words stand in config::limits(), its value in the contract.
struct LimitShown {
  std::string_view name, unit, meaning;
  std::int64_t value;
};
[[nodiscard]] std::vector<LimitShown> limits_shown(const Contract& contract);

}  // namespace candor::contract
