// The table of spellings.
#include "bind/functions.h"

#include <algorithm>
#include <array>

namespace candor::bind {
namespace {

using enum Argument;

constexpr std::uint8_t kMany = 255;

constexpr std::array kFunctions = {
    FunctionSpelling{"abs", Function::kAbs, 1, 1, kNumber, kNumber},
    FunctionSpelling{"array_length", Function::kArrayLength, 1, 2, kArray, kInteger},
    FunctionSpelling{"array_size", Function::kArrayLength, 1, 1, kArray, kArray},
    FunctionSpelling{"btrim", Function::kTrim, 1, 2, kText, kText},
    FunctionSpelling{"cardinality", Function::kArrayLength, 1, 1, kArray, kArray},
    FunctionSpelling{"ceil", Function::kCeiling, 1, 1, kNumber, kNumber},
    FunctionSpelling{"ceiling", Function::kCeiling, 1, 1, kNumber, kNumber},
    FunctionSpelling{"char_length", Function::kLength, 1, 1, kText, kText},
    FunctionSpelling{"character_length", Function::kLength, 1, 1, kText, kText},
    FunctionSpelling{"charindex", Function::kPosition, 2, 2, kText, kText},
    FunctionSpelling{"coalesce", Function::kCoalesce, 1, kMany, kAny, kAny},
    FunctionSpelling{"concat", Function::kConcat, 1, kMany, kAny, kAny},
    FunctionSpelling{"curdate", Function::kCurrentDate, 0, 0, kAny, kAny},
    FunctionSpelling{"current_date", Function::kCurrentDate, 0, 0, kAny, kAny},
    FunctionSpelling{"current_localtimestamp", Function::kNow, 0, 0, kAny, kAny},
    FunctionSpelling{"current_timestamp", Function::kNow, 0, 1, kInteger, kInteger},
    FunctionSpelling{"date", Function::kToDate, 1, 1, kTime, kTime},
    FunctionSpelling{"date_format", Function::kFormatTime, 2, 2, kTime, kFormat, true},
    FunctionSpelling{"date_part", Function::kExtract, 2, 2, kUnit, kTime},
    FunctionSpelling{"date_trunc", Function::kDateTrunc, 2, 2, kUnit, kTime},
    FunctionSpelling{"datepart", Function::kExtract, 2, 2, kUnit, kTime},
    FunctionSpelling{"extract", Function::kExtract, 2, 2, kUnit, kTime},
    FunctionSpelling{"floor", Function::kFloor, 1, 1, kNumber, kNumber},
    FunctionSpelling{"getdate", Function::kNow, 0, 0, kAny, kAny},
    FunctionSpelling{"getutcdate", Function::kNow, 0, 0, kAny, kAny},
    FunctionSpelling{"greatest", Function::kGreatest, 1, kMany, kAny, kAny},
    FunctionSpelling{"ifnull", Function::kCoalesce, 2, 2, kAny, kAny},
    FunctionSpelling{"instr", Function::kPosition, 2, 2, kText, kText, true},
    FunctionSpelling{"isnull", Function::kCoalesce, 2, 2, kAny, kAny},
    FunctionSpelling{"json_array_length", Function::kArrayLength, 1, 1, kArray, kArray},
    FunctionSpelling{"lcase", Function::kLower, 1, 1, kText, kText},
    FunctionSpelling{"least", Function::kLeast, 1, kMany, kAny, kAny},
    FunctionSpelling{"left", Function::kLeft, 2, 2, kText, kInteger},
    FunctionSpelling{"len", Function::kLength, 1, 1, kText, kText},
    FunctionSpelling{"length", Function::kLength, 1, 1, kText, kText},
    FunctionSpelling{"list_length", Function::kArrayLength, 1, 1, kArray, kArray},
    FunctionSpelling{"localtimestamp", Function::kNow, 0, 1, kInteger, kInteger},
    FunctionSpelling{"lower", Function::kLower, 1, 1, kText, kText},
    FunctionSpelling{"ltrim", Function::kTrimLeft, 1, 2, kText, kText},
    FunctionSpelling{"mid", Function::kSubstring, 2, 3, kText, kInteger},
    FunctionSpelling{"now", Function::kNow, 0, 0, kAny, kAny},
    FunctionSpelling{"nullif", Function::kNullIf, 2, 2, kAny, kAny},
    FunctionSpelling{"nvl", Function::kCoalesce, 2, 2, kAny, kAny},
    FunctionSpelling{"position", Function::kPosition, 2, 2, kText, kText},
    FunctionSpelling{"rand", Function::kRandom, 0, 0, kAny, kAny},
    FunctionSpelling{"random", Function::kRandom, 0, 0, kAny, kAny},
    FunctionSpelling{"replace", Function::kReplace, 3, 3, kText, kText},
    FunctionSpelling{"right", Function::kRight, 2, 2, kText, kInteger},
    FunctionSpelling{"round", Function::kRound, 1, 2, kNumber, kInteger},
    FunctionSpelling{"rtrim", Function::kTrimRight, 1, 2, kText, kText},
    FunctionSpelling{"strftime", Function::kFormatTime, 2, 2, kFormat, kTime},
    FunctionSpelling{"strpos", Function::kPosition, 2, 2, kText, kText, true},
    FunctionSpelling{"substr", Function::kSubstring, 2, 3, kText, kInteger},
    FunctionSpelling{"substring", Function::kSubstring, 2, 3, kText, kInteger},
    FunctionSpelling{"sysdate", Function::kNow, 0, 0, kAny, kAny},
    FunctionSpelling{"today", Function::kCurrentDate, 0, 0, kAny, kAny},
    FunctionSpelling{"trim", Function::kTrim, 1, 2, kText, kText},
    FunctionSpelling{"ucase", Function::kUpper, 1, 1, kText, kText},
    FunctionSpelling{"upper", Function::kUpper, 1, 1, kText, kText},
    FunctionSpelling{"utc_timestamp", Function::kNow, 0, 0, kAny, kAny},
};
static_assert(std::ranges::is_sorted(kFunctions, {}, &FunctionSpelling::name));

constexpr std::array kAggregates = {
    AggregateSpelling{"avg", Aggregate::kAverage},       AggregateSpelling{"count", Aggregate::kCount},
    AggregateSpelling{"group_concat", Aggregate::kJoin}, AggregateSpelling{"listagg", Aggregate::kJoin},
    AggregateSpelling{"max", Aggregate::kMaximum},       AggregateSpelling{"mean", Aggregate::kAverage},
    AggregateSpelling{"min", Aggregate::kMinimum},       AggregateSpelling{"string_agg", Aggregate::kJoin},
    AggregateSpelling{"sum", Aggregate::kSum},
};

}  // namespace

const FunctionSpelling* find_function(std::string_view name) {
  const auto found = std::ranges::lower_bound(kFunctions, name, {}, &FunctionSpelling::name);
  return found != kFunctions.end() && found->name == name ? &*found : nullptr;
}

std::span<const FunctionSpelling> all_functions() { return kFunctions; }

const AggregateSpelling* find_aggregate(std::string_view name) {
  const auto found = std::ranges::find(kAggregates, name, &AggregateSpelling::name);
  return found != kAggregates.end() ? &*found : nullptr;
}

}  // namespace candor::bind
