// Opening: the scratch database, the sources, then the sandbox, in this order, since nothing can be attached after it.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <set>
#include <system_error>
#include <thread>
#include <utility>

#include "base/ascii.h"
#include "engine/duckdb/contract_functions.h"
#include "engine/duckdb/core.h"
#include "engine/duckdb/errors.h"
#include "engine/duckdb/rows.h"
#include "engine/duckdb/tokens.h"

namespace candor::engine::duckdb {
namespace {

namespace fs = std::filesystem;

constexpr std::array kReservedNames = {"scratch",           "temp", "system", "memory", "main", "pg_catalog",
                                       "information_schema"};

constexpr std::chrono::seconds kLockPatience{5};

// What the engine reads and writes of a database that is attached again and again: the file, its write-ahead log, and
// what a checkpoint or a recovery puts beside that.
constexpr std::array kFileParts = {"", ".wal", ".wal.checkpoint", ".wal.recovery"};

// A database file begins with its own header and those of its two latest states, 4096 bytes each.
constexpr std::uintmax_t kHeadersBytes = std::uintmax_t{3} * 4096;

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

Status open_database(const Policy& policy, Database& database) {
  const std::string& path = policy.scratch_path;
  Configuration configuration;
  if (duckdb_create_config(configuration.out()) != DuckDBSuccess) return make_error("internal", "no configuration");
  CANDOR_TRY(configure(configuration.get(), policy));
  char* text = nullptr;
  const duckdb_state opened =
      duckdb_open_ext(path.empty() ? ":memory:" : path.c_str(), database.out(), configuration.get(), &text);
  const std::string error = text == nullptr ? "" : text;
  duckdb_free(text);
  if (opened == DuckDBSuccess) return Ok{};
  Diagnostic made = translate_open_error(error, kScratch, path);
  if (made.code == "file-locked") made.code = "locked";
  std::error_code failure;
  if ((made.code == "file-error" || made.code == "source-error") && fs::exists(path, failure)) {
    made.code = tells_no_room(error) ? "disk-full" : "integrity";
    made.hint = tells_no_room(error)
                    ? std::string()
                    : "work in another session, or give up this one's scratch tables: rm " + quote_text(path);
  }
  return made;
}

}  // namespace

Result<std::shared_ptr<Core>> Core::open(const Policy& policy) {
  std::shared_ptr<Core> core(new Core());
  core->policy = policy;
  CANDOR_TRY(core->open_scratch());
  if (policy.contract) {
    CANDOR_TRY(core->publish_contract());
  } else {
    core->attach_all();
  }
  CANDOR_TRY(core->connections.open(core->database.get(), core->search_path()));
  CANDOR_TRY(core->lock_down());
  CANDOR_TRY(core->build_policies());
  if (policy.contract) return core;
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
  // What was begun when a process was killed or the disk was full, and never held anything.
  if (const auto bytes = fs::file_size(path, failure); !failure && bytes < kHeadersBytes) fs::remove(path, failure);
  if (!policy.temp_directory.empty()) fs::create_directories(policy.temp_directory, failure);
  const auto give_up = std::chrono::steady_clock::now() + kLockPatience;
  Status opened = open_database(policy, database);
  // The session is ours, so who holds its file is a worker of a process that was killed: it ends when its memory is freed.
  while (!opened.ok() && opened.error().code == "locked" && std::chrono::steady_clock::now() < give_up) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    opened = open_database(policy, database);
  }
  if (!opened.ok() || !path.empty()) return opened;
  Connection connection;
  if (duckdb_connect(database.get(), connection.out()) != DuckDBSuccess) return make_error("internal", "no connection");
  return execute(connection.get(), "ATTACH ':memory:' AS scratch");
}

void Core::attach_all() {
  std::set<std::string> taken(kReservedNames.begin(), kReservedNames.end());
  for (const SourceSpec& spec : policy.sources) {
    Status attached =
        taken.insert(lower_ascii(spec.name)).second
            ? attach(spec)
            : Status(make_error("source-error", "the name " + spec.name + " can't name this source, it is taken",
                                "name it otherwise"));
    if (!attached.ok()) failed.push_back(FailedSource{spec.name, std::move(attached).error()});
  }
}

// The source is attached by each call; what can be said of it without that is said here.
Status Core::publish_contract() {
  if (policy.sources.size() != 1 || policy.sources[0].kind != SourceKind::kDuckdb) {
    return make_error("internal", "a contract has one source, a database file");
  }
  const SourceSpec& spec = policy.sources[0];
  if (std::ranges::find(kReservedNames, lower_ascii(spec.name)) != kReservedNames.end()) {
    return make_error("source-error", "the name " + spec.name + " can't name this source, it is taken",
                      "name it otherwise");
  }
  std::error_code failure;
  if (!fs::exists(spec.path, failure)) return translate_open_error("", spec.name, spec.path);
  sources.push_back(OpenSource{spec, spec.path, std::nullopt});
  return attachment.open(database.get(), spec);
}

Result<Core::Reading> Core::read_catalog(Clock::time_point deadline) {
  Reading reading;
  if (policy.contract) {
    CANDOR_ASSIGN(reading.held, attachment.read(deadline, CancelToken()));
  }
  CANDOR_ASSIGN(reading.lease, connections.review(deadline, CancelToken()));
  return reading;
}

Status Core::attach(const SourceSpec& spec) {
  if (spec.kind == SourceKind::kFiles) return attach_files(spec);
  if (spec.kind == SourceKind::kDuckdb) return attach_database(OpenSource{spec, spec.path, std::nullopt});
  return make_error("source-error", "source " + spec.name + " is not of a kind that this engine opens");
}

Status Core::attach_files(const SourceSpec& spec) {
  ImportLimits limits;
  limits.memory_bytes = policy.memory_bytes;
  limits.file_bytes_max = policy.import_bytes_max;
  limits.threads = policy.threads;
  limits.temp_directory = policy.temp_directory;
  for (bool again = false;; again = true) {
    CANDOR_ASSIGN(FileSource files, prepare_file_source(spec, policy.cache_directory, limits, {}, CancelToken()));
    const std::string path = files.database_path;
    const bool from_cache = files.from_cache;
    Status attached = attach_database(OpenSource{spec, path, std::move(files)});
    if (attached.ok() || !from_cache || again || attached.error().code == "file-locked") return attached;
    // The cache was damaged, or given up for newer files at this moment. The files are there: they are read anew.
    std::error_code ignored;
    fs::remove(path, ignored);
  }
}

Status Core::attach_database(OpenSource source) {
  const std::string& name = source.spec.name;
  std::error_code failure;
  if (!fs::exists(source.database_path, failure)) return translate_open_error("", name, source.database_path);
  Connection connection;
  if (duckdb_connect(database.get(), connection.out()) != DuckDBSuccess) return make_error("internal", "no connection");
  QueryResult result;
  const std::string statement =
      "ATTACH " + quote_text(source.database_path) + " AS " + quote_name(name) + " (READ_ONLY, TYPE duckdb)";
  if (duckdb_query(connection.get(), statement.c_str(), result.out()) != DuckDBSuccess) {
    return translate_open_error(result.error(), name, source.database_path);
  }
  sources.push_back(std::move(source));
  return Ok{};
}

Status Core::lock_down() {
  Connection connection;
  if (duckdb_connect(database.get(), connection.out()) != DuckDBSuccess) return make_error("internal", "no connection");
  std::string paths;
  const auto allow = [&](const std::string& path) { paths += (paths.empty() ? "" : ", ") + quote_text(path); };
  for (const OpenSource& source : sources) {
    if (policy.contract) {
      for (const char* part : kFileParts) allow(source.database_path + part);
    }
    if (!source.files) continue;
    for (const std::string& path : source.files->allowed_paths) allow(path);
  }
  if (policy.contract) CANDOR_TRY(add_contract_functions(connection.get()));
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
  if (policy.contract) return path;
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
    rules.sources.insert(lower_ascii(source.spec.name));
    rules.published_paths.insert(real_path(source.database_path));
    if (!source.files) continue;
    for (const std::string& path : source.files->allowed_paths) rules.published_paths.insert(real_path(path));
  }
  for (const FailedSource& source : failed) rules.sources.insert(lower_ascii(source.name));
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
