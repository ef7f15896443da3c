// The operator's settings: candor.yaml, flags and environment made one structure. Limits stand here once, with their names.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace candor::config {

// One row of the table of limits: what candor.yaml calls it, what it is by default, what it means.
struct Limit {
  std::string_view name;  // "rows_per_result"
  std::int64_t standard;
  std::int64_t min, max;
  std::string_view unit;     // "rows", "characters", "seconds"
  std::string_view meaning;  // for --help, the documentation and tool descriptions
};
[[nodiscard]] std::span<const Limit> limits();

struct Source {
  std::string name;
  std::string spec;          // path as given
  std::string contract;      // path; empty: none
  std::string encoding;      // of text files
  bool unsafe_role = false;  // of PostgreSQL: connect even with a role that can do more than read and write rows
};

struct Configuration {
  std::string home;
  std::vector<Source> sources;
  std::map<std::string, std::int64_t, std::less<>> limit_values;  // every limit by name
  std::string review_probe = "local";                             // scratch, local, all
  std::int64_t review_max_rows = 500'000;
  std::int64_t review_max_key_chars = 16'000'000;
  bool review_enabled = true;  // CANDOR_SQL_AUTO_CHECK
  bool memory_lessons = true;  // joins that were measured are remembered, and offered with the schema
  std::string
      memory_tools;  // what MCP offers of the memory: write, read, off; empty: write, or off where a contract is published
  bool log_json = false;
  std::map<std::string, std::string, std::less<>> claims;         // of the caller, for the scope of contracts
  std::string file;                                               // the candor.yaml that was read; empty: none
  [[nodiscard]] std::int64_t limit(std::string_view name) const;  // requires a name of limits()
};

// What the command line says; stronger than the file.
struct Overrides {
  std::optional<std::string> config_file;
  std::optional<std::string> home;
  std::vector<std::string> sources;    // NAME=SPEC, or SPEC alone: named after the file or folder
  std::vector<std::string> contracts;  // SOURCE=FILE, or FILE alone where there is one source
  std::vector<std::string> claims;     // NAME=VALUE
  bool log_json = false;
};

// Reads `candor.yaml` in the working folder, or the file named, then applies overrides and environment ($CANDOR_HOME,
// $XDG_STATE_HOME, $CANDOR_SQL_AUTO_CHECK). Fails with `configuration`: file, line, key and the near names of a key that
// does not exist. Relative paths in the file are relative to the file. Source names must be SQL identifiers that are not
// "scratch", "main", "temp", "memory" or "system"; names derived from a path are made so.
[[nodiscard]] Result<Configuration> load(const Overrides& overrides);

}  // namespace candor::config
