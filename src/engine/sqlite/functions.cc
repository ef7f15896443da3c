// The list of allowed functions, and identifier comparison.
#include "engine/sqlite/functions.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <string>

#include "base/ascii.h"

namespace candor::engine::sqlite {
namespace {

// Sorted. Absent on purpose: load_extension, readfile, writefile, edit, fts3_tokenizer, optimize, sqlite_log (effects
// outside), printf and format (one call can run for minutes where no deadline is looked at).
constexpr auto kFunctions = std::to_array<Function>({
    {"->", true},
    {"->>", true},
    {"abs", true},
    {"acos", true},
    {"acosh", true},
    {"asin", true},
    {"asinh", true},
    {"atan", true},
    {"atan2", true},
    {"atanh", true},
    {"avg", true},
    {"bm25", false},
    {"ceil", true},
    {"ceiling", true},
    {"changes", false},
    {"char", true},
    {"coalesce", true},
    {"concat", true},
    {"concat_ws", true},
    {"cos", true},
    {"cosh", true},
    {"count", true},
    {"cume_dist", true},
    {"current_date", false},
    {"current_time", false},
    {"current_timestamp", false},
    {"date", false},
    {"datetime", false},
    {"degrees", true},
    {"dense_rank", true},
    {"exp", true},
    {"first_value", true},
    {"floor", true},
    {"glob", true},
    {"group_concat", false},
    {"hex", true},
    {"highlight", false},
    {"if", true},
    {"ifnull", true},
    {"iif", true},
    {"instr", true},
    {"json", true},
    {"json_array", true},
    {"json_array_length", true},
    {"json_each", true},
    {"json_error_position", true},
    {"json_extract", true},
    {"json_group_array", false},
    {"json_group_object", false},
    {"json_insert", true},
    {"json_object", true},
    {"json_patch", true},
    {"json_pretty", true},
    {"json_quote", true},
    {"json_remove", true},
    {"json_replace", true},
    {"json_set", true},
    {"json_tree", true},
    {"json_type", true},
    {"json_valid", true},
    {"julianday", false},
    {"lag", true},
    {"last_insert_rowid", false},
    {"last_value", true},
    {"lead", true},
    {"length", true},
    {"like", true},
    {"likelihood", true},
    {"likely", true},
    {"ln", true},
    {"log", true},
    {"log10", true},
    {"log2", true},
    {"lower", true},
    {"ltrim", true},
    {"match", true},
    {"matchinfo", false},
    {"max", true},
    {"min", true},
    {"mod", true},
    {"nth_value", true},
    {"ntile", true},
    {"nullif", true},
    {"octet_length", true},
    {"offsets", false},
    {"percent_rank", true},
    {"pi", true},
    {"pow", true},
    {"power", true},
    {"quote", true},
    {"radians", true},
    {"random", false},
    {"randomblob", false},
    {"rank", true},
    {"replace", true},
    {"round", true},
    {"row_number", true},
    {"rtrim", true},
    {"sign", true},
    {"sin", true},
    {"sinh", true},
    {"snippet", false},
    {"soundex", true},
    {"sqlite_source_id", true},
    {"sqlite_version", true},
    {"sqrt", true},
    {"strftime", false},
    {"string_agg", false},
    {"substr", true},
    {"substring", true},
    {"sum", true},
    {"tan", true},
    {"tanh", true},
    {"time", false},
    {"timediff", false},
    {"total", true},
    {"total_changes", false},
    {"trim", true},
    {"trunc", true},
    {"typeof", true},
    {"unhex", true},
    {"unicode", true},
    {"unixepoch", false},
    {"unlikely", true},
    {"upper", true},
    {"zeroblob", true},
});
static_assert(std::ranges::is_sorted(kFunctions, {}, &Function::name));

constexpr auto kOperators =
    std::to_array<std::string_view>({"%", "&", "*", "+", "-", "/", "<<", ">>", "|", "||", "~", "!~~", "~~", "~~~"});

}  // namespace

const Function* find_function(std::string_view name) {
  const std::string lower = lower_ascii(name);
  const auto* found = std::ranges::lower_bound(kFunctions, std::string_view(lower), {}, &Function::name);
  return found != kFunctions.end() && found->name == lower ? found : nullptr;
}

bool is_operator(std::string_view name) { return std::ranges::find(kOperators, name) != kOperators.end(); }

}  // namespace candor::engine::sqlite
