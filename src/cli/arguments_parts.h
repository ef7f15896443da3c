// Groups of flags that arguments.cc and its neighbours declare. Private to the command line's parser.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "cli/arguments.h"

namespace CLI {
class App;
}

namespace candor::cli {

void add_output_flags(CLI::App& app, Arguments& into);
void add_home_flags(CLI::App& app, Arguments& into);
void add_shaping_flags(CLI::App& app, Arguments& into);
[[nodiscard]] std::vector<FlagInfo> describe_flags(const CLI::App& app);

// The verbs below the command `memory`. Only those among `said` get their flags: declaring all takes longer than most verbs
// take to run.
void add_memory_verbs(CLI::App& memory, Arguments& into, const std::set<std::string_view>& said);
// "candor memory graph entities [FLAGS]"; empty where the app is no verb.
[[nodiscard]] std::string memory_usage(const CLI::App& app);

}  // namespace candor::cli
