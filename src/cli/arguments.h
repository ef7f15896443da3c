// The command line, parsed: which command, with what. The library that parses stays in arguments.cc.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/diagnostic.h"
#include "config/config.h"
#include "scope/shaping.h"

namespace candor::cli {

struct Arguments {
  std::string command;
  std::vector<std::string> words;  // what stands behind the command without a flag
  config::Overrides overrides;
  std::string session = "cli";
  bool session_given = false;
  std::string turn;
  bool json = false;
  bool no_color = false;
  std::optional<std::string> file;  // -f
  std::string in;                   // the source whose engine is asked
  std::optional<std::uint64_t> rows_max;
  bool row_objects = false;
  bool keep_going = false;
  bool verify = false;
  bool attack = false;
  bool dry_run = false;
  bool list = false;
  bool explain = false;
  std::string format;                 // of `contract describe`
  std::optional<std::string> output;  // -o
  bool force = false;
  std::optional<std::string> since;
  bool from_ledger = false;          // of `replay`
  std::optional<double> fail_under;  // of `replay`
  std::uint64_t limit = 50;
  bool limit_given = false;
  std::uint64_t offset = 0;
  scope::ShapingFlags shaping;  // of commands that return a list
  // Of `memory`: "graph entities", and its flags by their first long names; what takes nothing has no values.
  std::string memory_verb;
  std::map<std::string, std::vector<std::string>, std::less<>> memory_flags;
};

// Text to print instead of running a command: help, the version.
struct Notice {
  std::string text;
};

// `usage` as a Diagnostic names the word that is not understood, and the near ones.
[[nodiscard]] std::variant<Arguments, Notice, Diagnostic> parse_arguments(int argc, const char* const* argv,
                                                                          const std::string& version);

// ---- the command line's own description, for completions and the manual ----

struct FlagInfo {
  std::vector<std::string> names;  // "-f", "--file"
  std::string value;               // what it takes: "FILE"; empty: nothing
  std::string description;
  std::vector<std::string> choices;  // of the value, where there are few
};

struct CommandInfo {
  std::string name;
  std::string words;  // "[SQL] [SOURCE...]"
  std::string description;
  std::vector<FlagInfo> flags;
  std::string examples;  // lines
};

[[nodiscard]] std::vector<CommandInfo> describe_commands();
// "memory read" and its like, which stand one level deeper.
[[nodiscard]] std::vector<CommandInfo> describe_memory_verbs();

}  // namespace candor::cli
