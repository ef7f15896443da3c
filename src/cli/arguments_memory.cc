// The verbs of `candor memory` as the parser knows them, made of their table.
#include <algorithm>

#include <CLI/CLI.hpp>

#include "cli/arguments_parts.h"
#include "cli/memory_verbs.h"

namespace candor::cli {
namespace {

// "-k,--k,--limit": "k" is what the value is asked for by.
std::string key_of(const MemoryFlag& flag) {
  const std::string_view names = flag.names;
  const std::size_t begin = names.find("--") + 2;
  return std::string(names.substr(begin, names.find(',', begin) - begin));
}

void add_flag(CLI::App& app, const MemoryFlag& flag, Arguments& into) {
  const std::string key = key_of(flag);
  if (flag.value == nullptr) {
    app.add_flag_function(flag.names, [&into, key](std::int64_t) { into.memory_flags[key]; }, flag.description);
    return;
  }
  const auto keep = [&into, key](const std::vector<std::string>& values) { into.memory_flags[key] = values; };
  app.add_option_function<std::vector<std::string>>(flag.names, keep, flag.description)
      ->type_name(flag.value)
      ->allow_extra_args(false);
}

constexpr MemoryFlag kNamespace = {"--namespace", "NAME",
                                   "the namespace (default: $CANDOR_MEMORY_NAMESPACE, else global)"};

void add_verb_flags(CLI::App& app, const MemoryVerb& verb, Arguments& into) {
  for (const MemoryFlag& flag : verb.flags) add_flag(app, flag, into);
  add_flag(app, kNamespace, into);
  add_shaping_flags(app, into);
  add_home_flags(app, into);
  add_output_flags(app, into);
}

std::string last_word(std::string_view name) { return std::string(name.substr(name.rfind(' ') + 1)); }

const MemoryVerb* verb_of(const CLI::App& app) {
  const CLI::App* parent = app.get_parent();
  if (parent == nullptr) return nullptr;
  const std::string name = parent->get_name() == "memory" ? app.get_name() : parent->get_name() + " " + app.get_name();
  const auto& verbs = memory_verbs();
  const auto found = std::ranges::find_if(verbs, [&](const MemoryVerb& verb) { return name == verb.name; });
  return found == verbs.end() ? nullptr : &*found;
}

}  // namespace

void add_memory_verbs(CLI::App& memory, Arguments& into, const std::set<std::string_view>& said) {
  memory.require_subcommand(0, 1);
  for (const MemoryVerb& verb : memory_verbs()) {
    const std::string_view name = verb.name;
    const std::size_t blank = name.find(' ');
    CLI::App* parent =
        blank == std::string_view::npos ? &memory : memory.get_subcommand(std::string(name.substr(0, blank)));
    CLI::App* app = parent->add_subcommand(last_word(name), verb.description);
    app->parse_complete_callback([&into, name = std::string(name)] {
      if (into.memory_verb.size() < name.size()) into.memory_verb = name;
    });
    app->formatter(memory.get_formatter());
    if (!said.contains(last_word(name))) continue;
    if (*verb.words != '\0') app->add_option("words", into.words, "")->type_name("")->group("");
    add_verb_flags(*app, verb, into);
    app->footer("Examples:\n  " + std::string(verb.examples));
  }
}

std::string memory_usage(const CLI::App& app) {
  if (app.get_name() == "memory") return "Usage: candor memory VERB [FLAGS]\n";
  const MemoryVerb* verb = verb_of(app);
  if (verb == nullptr) return "";
  const std::string words = verb->words;
  return "Usage: candor memory " + std::string(verb->name) + (words.empty() ? "" : " " + words) + " [FLAGS]\n";
}

std::vector<CommandInfo> describe_memory_verbs() {
  std::vector<CommandInfo> verbs;
  for (const MemoryVerb& verb : memory_verbs()) {
    Arguments unused;
    CLI::App app;
    for (const MemoryFlag& flag : verb.flags) add_flag(app, flag, unused);
    verbs.push_back(
        {"memory " + std::string(verb.name), verb.words, verb.description, describe_flags(app), verb.examples});
  }
  return verbs;
}

}  // namespace candor::cli
