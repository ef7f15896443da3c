// Opening: the scratch database, the sources, then the sandbox, in this order, since nothing can be attached after it.
#include <algorithm>
#include <array>
#include <filesystem>
#include <set>
#include <system_error>
#include <utility>

#include "engine/duckdb/core.h"
#include "engine/duckdb/errors.h"
#include "engine/duckdb/rows.h"
#include "engine/duckdb/tokens.h"

namespace candor::engine::duckdb {
namespace {

namespace fs = std::filesystem;

constexpr std::array kReservedNames = {"scratch",           "temp", "system", "memory", "main", "pg_catalog",
                                       "information_schema"};

std::string real_path(const std::string& path) {
  std::error_code failure;
  const fs::path real = fs::weakly_canonical(path, failure);
  return failure ? path : real.string();
}

Status configure(duckdb_config configuration, const Policy& policy) {
  const std::vector<std::pair<const char*, std::string>> settings = {
      {"threads", std::to_string(std::max(policy.threads, 1))},
      {"memory_limit", std::to_string(policy.memory_bytes >> 10U) + "KiB"},
      {"temp_directory", policy.temp_directory},
      {"autoload_known_extensions", "false"},
      {"autoinstall_known_extensions", "false"},
      {"allow_community_extensions", "false"},
      {"allow_unsigned_extensions", "false"},
      {"allow_persistent_secrets", "false"},
  };
  for (const auto& [name, value] : settings) {
    if (duckdb_set_config(configuration, name, value.c_str()) != DuckDBSuccess) {
      return make_error("internal", std::string("the engine does not take the setting ") + name);
    }
  }
  return Ok{};
}

}  // namespace

Result<std::shared_ptr<Core>> Core::open(const Policy& policy) {
  std::shared_ptr<Core> core(new Core());
  core->policy = policy;
  CANDOR_TRY(core->open_scratch());
  core->attach_all();
  CANDOR_TRY(core->connections.open(core->database.get(), core->search_path()));
  CANDOR_TRY(core->lock_down());
  CANDOR_TRY(core->build_policies());
  std::vector<std::string> names;
  for (const OpenSource& source : core->sources) names.push_back(source.spec.name);
  CANDOR_TRY(core->names.load_sources(core->connections, names));
  return core;
}

Status Core::open_scratch() {
  const std::string& path = policy.scratch_path;
  if (!path.empty() && fs::path(path).filename() != "scratch.duckdb") {
    return make_error("internal", "the scratch database's file must be called scratch.duckdb");
  }
  std::error_code failure;
  if (!policy.temp_directory.empty()) fs::create_directories(policy.temp_directory, failure);
  Configuration configuration;
  if (duckdb_create_config(configuration.out()) != DuckDBSuccess) return make_error("internal", "no configuration");
  CANDOR_TRY(configure(configuration.get(), policy));
  char* text = nullptr;
  const duckdb_state opened =
      duckdb_open_ext(path.empty() ? ":memory:" : path.c_str(), database.out(), configuration.get(), &text);
  const std::string error = text == nullptr ? "" : text;
  duckdb_free(text);
  if (opened != DuckDBSuccess) {
    Diagnostic made = translate_open_error(error, kScratch, path);
    if (made.code == "file-locked") made.code = "locked";
    if (made.code == "file-error" && fs::exists(path, failure)) made.code = "integrity";
    return made;
  }
  if (!path.empty()) return Ok{};
  Connection connection;
  if (duckdb_connect(database.get(), connection.out()) != DuckDBSuccess) return make_error("internal", "no connection");
  return execute(connection.get(), "ATTACH ':memory:' AS scratch");
}

void Core::attach_all() {
  std::set<std::string> taken(kReservedNames.begin(), kReservedNames.end());
  for (const SourceSpec& spec : policy.sources) {
    Status attached =
        taken.insert(lower(spec.name)).second
            ? attach(spec)
            : Status(make_error("source-error", "the name " + spec.name + " can't name this source, it is taken",
                                "name it otherwise"));
    if (!attached.ok()) failed.push_back(FailedSource{spec.name, std::move(attached).error()});
  }
}

Status Core::attach(const SourceSpec& spec) {
  OpenSource source;
  source.spec = spec;
  source.database_path = spec.path;
  if (spec.kind == SourceKind::kFiles) {
    ImportLimits limits;
    limits.memory_bytes = policy.memory_bytes;
    limits.file_bytes_max = policy.import_bytes;
    limits.threads = policy.threads;
    limits.temp_directory = policy.temp_directory;
    CANDOR_ASSIGN(FileSource files, prepare_file_source(spec, policy.cache_directory, limits, {}, CancelToken()));
    source.database_path = files.database_path;
    source.files = std::move(files);
  } else if (spec.kind != SourceKind::kDuckdb) {
    return make_error("source-error", "source " + spec.name + " is not of a kind that this engine opens");
  }
  std::error_code failure;
  if (!fs::exists(source.database_path, failure)) return translate_open_error("", spec.name, source.database_path);
  Connection connection;
  if (duckdb_connect(database.get(), connection.out()) != DuckDBSuccess) return make_error("internal", "no connection");
  QueryResult result;
  const std::string statement =
      "ATTACH " + quote_text(source.database_path) + " AS " + quote_name(spec.name) + " (READ_ONLY, TYPE duckdb)";
  if (duckdb_query(connection.get(), statement.c_str(), result.out()) != DuckDBSuccess) {
    return translate_open_error(result.error(), spec.name, source.database_path);
  }
  sources.push_back(std::move(source));
  return Ok{};
}

Status Core::lock_down() {
  Connection connection;
  if (duckdb_connect(database.get(), connection.out()) != DuckDBSuccess) return make_error("internal", "no connection");
  std::string paths;
  for (const OpenSource& source : sources) {
    if (!source.files) continue;
    for (const std::string& path : source.files->allowed_paths) paths += (paths.empty() ? "" : ", ") + quote_text(path);
  }
  const std::vector<std::string> statements = {
      "SET GLOBAL TimeZone = 'UTC'",
      "SET GLOBAL errors_as_json = true",
      "SET GLOBAL allowed_directories = []",
      "SET GLOBAL allowed_paths = [" + paths + "]",
      "SET GLOBAL enable_external_access = false",
      "SET GLOBAL lock_configuration = true",
  };
  for (const std::string& statement : statements) {
    const Status done = execute(connection.get(), statement);
    if (!done.ok())
      return make_error("internal", "the sandbox can't be set up: " + done.error().message, {}, statement);
  }
  CANDOR_ASSIGN(const std::vector<TextRow> rows,
                query_text(connection.get(),
                           "SELECT current_setting('enable_external_access')::VARCHAR, "
                           "current_setting('lock_configuration')::VARCHAR"));
  if (rows.size() != 1 || rows[0][0] != "false" || rows[0][1] != "true") {
    return make_error("internal", "the sandbox does not hold");
  }
  return Ok{};
}

std::string Core::search_path() const {
  std::string path = "scratch.main";
  for (const OpenSource& source : sources) path += "," + quote_name(source.spec.name) + ".main";
  return path;
}

Status Core::build_policies() {
  CANDOR_TRY(functions.load(connections));
  StatementPolicy::Rules rules;
  rules.sources.insert("system");
  for (const std::string& name : functions.table_functions()) {
    if (!table_function_allowed(name)) rules.refused_functions.insert(name);
  }
  rules.refused_functions.insert(refused_scalar_functions().begin(), refused_scalar_functions().end());
  for (const OpenSource& source : sources) {
    rules.sources.insert(lower(source.spec.name));
    rules.published_paths.insert(real_path(source.database_path));
    if (!source.files) continue;
    for (const std::string& path : source.files->allowed_paths) rules.published_paths.insert(real_path(path));
  }
  for (const FailedSource& source : failed) rules.sources.insert(lower(source.name));
  if (!policy.scratch_path.empty()) rules.published_paths.insert(real_path(policy.scratch_path));
  agent_policy = StatementPolicy(std::move(rules));
  return Ok{};
}

void Core::objects_changed() {
  names.invalidate();
  functions.invalidate();
}

Core::~Core() {
  if (!database) return;
  {
    Connection connection;
    if (duckdb_connect(database.get(), connection.out()) == DuckDBSuccess) {
      // What it could not write now stays in the write-ahead log, and is read from there the next time.
      (void)execute(connection.get(), "CHECKPOINT scratch").ok();
    }
  }
  if (policy.temp_directory.empty()) return;
  std::error_code failure;
  for (const fs::directory_entry& entry : fs::directory_iterator(policy.temp_directory, failure)) {
    if (entry.path().filename().string().starts_with("duckdb_temp")) fs::remove_all(entry.path(), failure);
  }
}

}  // namespace candor::engine::duckdb
