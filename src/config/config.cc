// The order of strength: the command line, the environment, the file, the defaults.
#include "config/config.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <pwd.h>
#include <system_error>
#include <unistd.h>

#include "base/ascii.h"
#include "config/source_names.h"
#include "config/yaml_file.h"

namespace candor::config {
namespace {

// The variable's value; an empty one counts as not set.
std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : value;
}

std::string user_home() {
  if (std::string home = environment("HOME"); !home.empty()) return home;
  const passwd* user = getpwuid(getuid());
  return user == nullptr || user->pw_dir == nullptr ? std::string() : user->pw_dir;
}

Result<std::string> find_home(const Overrides& overrides) {
  if (overrides.home) {
    if (overrides.home->empty()) return make_error("configuration", "--home needs a folder");
    return resolve_path(*overrides.home, "");
  }
  if (std::string home = environment("CANDOR_HOME"); !home.empty()) return resolve_path(home, "");
  // A relative XDG_STATE_HOME is to be ignored, says the XDG Base Directory Specification.
  if (std::string state = environment("XDG_STATE_HOME"); state.starts_with('/')) return state + "/candor";
  const std::string home = user_home();
  if (home.empty()) return make_error("configuration", "there is no home folder for the ledger", "--home DIR");
  return home + "/.local/state/candor";
}

Status read_file(const Overrides& overrides, Configuration& configuration) {
  std::string file = overrides.config_file.value_or("candor.yaml");
  std::error_code ignored;
  if (!overrides.config_file && !std::filesystem::exists(file, ignored)) return Ok{};
  CANDOR_ASSIGN(const std::string text, read_settings(file));
  CANDOR_TRY(read_yaml(text, file, std::filesystem::path(file).parent_path().string(), configuration));
  configuration.file = std::move(file);
  return Ok{};
}

// "shop=shop.duckdb" has a name; "./a=b.csv" is a path, and so is "postgresql://host/db?sslmode=require".
std::optional<std::string> given_name(const std::string& source) {
  const std::size_t equals = source.find('=');
  if (equals == std::string::npos || source.find_first_of("/.:\\") < equals) return std::nullopt;
  return source.substr(0, equals);
}

Status add_source(const std::string& given, Configuration& configuration) {
  auto& sources = configuration.sources;
  const auto named = [&](std::string_view name) {
    return std::ranges::find_if(sources, [&](const Source& source) { return same_name(source.name, name); });
  };
  const std::optional<std::string> name = given_name(given);
  const std::string spec = resolve_path(name ? given.substr(name->size() + 1) : given, "");
  if (spec.empty()) return make_error("configuration", "a source needs a path", "--source NAME=PATH");
  if (!name) {
    if (std::ranges::find(sources, spec, &Source::spec) != sources.end()) return Ok{};
    sources.push_back(
        {name_for(spec, [&](std::string_view taken) { return named(taken) != sources.end(); }), spec, "", ""});
    return Ok{};
  }
  if (const std::string why = source_name_fault(*name); !why.empty()) {
    return make_error("configuration", "--source: the name " + in_message(*name) + " " + why, "--source NAME=PATH");
  }
  const auto known = named(*name);
  if (known == sources.end()) {
    sources.push_back({*name, spec, "", ""});
  } else {
    known->spec = spec;          // its contract stays: the command line must not publish more than the file does
    known->unsafe_role = false;  // which was said of another database
  }
  return Ok{};
}

// One source given twice on one command line is a slip, not a wish.
Status add_sources(const Overrides& overrides, Configuration& configuration) {
  std::vector<std::string> names;
  for (const std::string& given : overrides.sources) {
    if (given.find('\0') != std::string::npos) return make_error("configuration", "--source: a path can't hold a NUL");
    if (const auto name = given_name(given)) {
      if (std::ranges::any_of(names, [&](const std::string& other) { return same_name(other, *name); })) {
        return make_error("configuration", "--source: two sources are called " + in_message(*name));
      }
      names.push_back(*name);
    }
    CANDOR_TRY(add_source(given, configuration));
  }
  return Ok{};
}

// The source that a contract publishes, and the file.
Status add_contract(const std::string& given, Configuration& configuration) {
  const std::size_t equals = given.find('=');
  const std::string name = equals == std::string::npos ? "" : given.substr(0, equals);
  const auto named = [&](const Source& source) { return same_name(source.name, name); };
  const auto found = std::ranges::find_if(configuration.sources, named);
  const bool by_name = !name.empty() && found != configuration.sources.end();
  if (!by_name && configuration.sources.size() != 1) {
    return make_error(
        "configuration",
        "--contract " + given + " names no source, and there are " + std::to_string(configuration.sources.size()),
        "--contract SOURCE=FILE");
  }
  Source& source = by_name ? *found : configuration.sources.front();
  source.contract = by_name ? given.substr(equals + 1) : given;
  return Ok{};
}

Status add_claim(const std::string& given, Configuration& configuration) {
  const std::size_t equals = given.find('=');
  if (equals == std::string::npos || equals == 0) {
    return make_error("configuration", "--claim " + in_message(given) + " is no NAME=VALUE", "--claim workspace=A");
  }
  configuration.claims.insert_or_assign(given.substr(0, equals), given.substr(equals + 1));
  return Ok{};
}

Status read_review_switch(Configuration& configuration) {
  const std::string value = lower_ascii(environment("CANDOR_SQL_AUTO_CHECK"));
  if (value == "off" || value == "false" || value == "0") {
    configuration.review_enabled = false;
  } else if (!value.empty() && value != "on" && value != "true" && value != "1") {
    return make_error("configuration", "CANDOR_SQL_AUTO_CHECK must be on or off", "CANDOR_SQL_AUTO_CHECK=off");
  }
  return Ok{};
}

}  // namespace

Result<Configuration> load(const Overrides& overrides) {
  Configuration configuration;
  for (const Limit& limit : limits()) configuration.limit_values.emplace(limit.name, limit.standard);
  CANDOR_TRY(read_file(overrides, configuration));
  CANDOR_TRY(add_sources(overrides, configuration));
  for (const std::string& given : overrides.contracts) CANDOR_TRY(add_contract(given, configuration));
  for (const std::string& given : overrides.claims) CANDOR_TRY(add_claim(given, configuration));
  CANDOR_TRY(read_review_switch(configuration));
  CANDOR_ASSIGN(configuration.home, find_home(overrides));
  if (overrides.log_json) configuration.log_json = true;
  return configuration;
}

}  // namespace candor::config
