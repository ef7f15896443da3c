// Opening, sharing and closing a session's engines.
#include "candor/session.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/file.h>
#include <sys/stat.h>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <utility>

#include "base/digest.h"
#include "base/no_room.h"
#include "candor/sources.h"
#include "config/source_names.h"
#include "engine/source_version.h"

namespace candor {
namespace {

namespace fs = std::filesystem;
using engine::worker::WorkerEngine;

constexpr std::chrono::milliseconds kLockWait{20'000};  // longer than a statement between two commits of one session
constexpr std::chrono::milliseconds kLockStep{20};
constexpr std::chrono::milliseconds kCloseWait{5'000};
constexpr std::int64_t kVersionsEveryMs = 250;
constexpr std::int64_t kServerCatalogEveryMs = 5'000;

std::int64_t now_ms() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

Diagnostic cannot_make(const std::string& path, int system_error) {
  if (no_room(system_error)) return make_error("disk-full", path + ": " + std::strerror(system_error));
  return make_error("storage", path + ": " + std::strerror(system_error), "choose another folder with --home");
}

// The folders on the way to it are made for the owner alone too: who may write to one may put another in its place.
Status make_private_folder(const std::string& path) {
  fs::path made;
  for (const fs::path& part : fs::path(path)) {
    made /= part;
    if (mkdir(made.c_str(), S_IRWXU) == 0) continue;
    const int failed = errno;
    std::error_code ignored;
    if (!fs::is_directory(made, ignored)) return cannot_make(made.string(), failed);
  }
  chmod(path.c_str(), S_IRWXU);
  return Ok{};
}

}  // namespace

bool valid_session_name(std::string_view name) {
  constexpr std::size_t kLengthMax = 64;
  return !name.empty() && name.size() <= kLengthMax && name.front() != '.' && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '-' ||
           c == '_';
  });
}

Session::Session(std::string name, std::string folder, std::string cache, std::string worker,
                 const config::Configuration& configuration)
    : name_(std::move(name)),
      folder_(std::move(folder)),
      cache_(std::move(cache)),
      worker_(std::move(worker)),
      configuration_(configuration) {}

Session::~Session() { close(); }

void Session::close() {
  const std::lock_guard hold(mutex_);
  if (duckdb_) duckdb_->close(kCloseWait);
  duckdb_.reset();
  for (auto& [source, lite] : lite_) {
    if (lite.engine) lite.engine->close(kCloseWait);
    lite.engine.reset();
  }
  for (Contracted& contracted : contracted_) {
    if (contracted.engine) contracted.engine->close(kCloseWait);
  }
  if (lock_ >= 0) ::close(lock_);
  lock_ = -1;
}

void Session::recognise() {
  if (recognised_) return;
  for (const config::Source& source : configuration_.sources) {
    if (!source.contract.empty()) {
      contracted_.push_back({source, nullptr, nullptr, ""});
      continue;
    }
    Result<engine::SourceSpec> spec = recognise_source(source);
    if (!spec.ok()) {
      failed_.insert_or_assign(source.name, spec.error());
    } else if (spec->kind == engine::SourceKind::kSqlite || spec->kind == engine::SourceKind::kPostgres) {
      lite_[source.name].spec = *spec;
    } else {
      duckdb_sources_.push_back(*spec);
    }
  }
  recognised_ = true;
}

engine::Policy Session::policy_of(std::vector<engine::SourceSpec> sources, bool scratch) const {
  engine::Policy policy;
  policy.sources = std::move(sources);
  if (scratch) policy.scratch_path = folder_ + "/scratch.duckdb";
  policy.temp_directory = folder_ + "/tmp";
  policy.cache_directory = cache_;
  policy.memory_bytes = static_cast<std::uint64_t>(configuration_.limit("memory_mb")) << 20U;
  policy.import_bytes_max = static_cast<std::uint64_t>(configuration_.limit("import_mb")) << 20U;
  return policy;
}

bool Session::scratch_exists() const {
  std::error_code ignored;
  return fs::exists(folder_ + "/scratch.duckdb", ignored);
}

Status Session::take_lock() {
  if (lock_ >= 0) return Ok{};
  CANDOR_TRY(make_private_folder(folder_));
  CANDOR_TRY(make_private_folder(cache_));
  const std::string path = folder_ + "/lock";
  const int file = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, S_IRUSR | S_IWUSR);
  if (file < 0) return cannot_make(path, errno);
  const auto until = std::chrono::steady_clock::now() + kLockWait;
  while (flock(file, LOCK_EX | LOCK_NB) != 0) {
    if (std::chrono::steady_clock::now() >= until) {
      ::close(file);
      return make_error("locked", "session '" + name_ + "' is in use by another process",
                        "wait for it, or work in a session of your own: --session NAME");
    }
    std::this_thread::sleep_for(kLockStep);
  }
  lock_ = file;
  return Ok{};
}

Status Session::open_duckdb() {
  if (duckdb_) return Ok{};
  CANDOR_TRY(take_lock());
  duckdb_ = std::make_unique<WorkerEngine>(worker_, policy_of(duckdb_sources_, true));
  duckdb_catalog_.reset();
  scratch_dirty_ = true;
  return Ok{};
}

Result<engine::Engine*> Session::duckdb() {
  const std::lock_guard hold(mutex_);
  recognise();
  CANDOR_TRY(open_duckdb());
  return static_cast<engine::Engine*>(duckdb_.get());
}

Result<Route> Session::engine_of(const std::string& source) {
  {
    const std::lock_guard hold(mutex_);
    recognise();
    if (const auto failed = failed_.find(source); failed != failed_.end()) return failed->second;
    if (const auto found = lite_.find(source); found != lite_.end()) {
      Lite& lite = found->second;
      if (!lite.engine) lite.engine = std::make_unique<WorkerEngine>(worker_, policy_of({lite.spec}, false));
      return Route{lite.engine.get(), source, lite.is_server()};
    }
  }
  CANDOR_ASSIGN(engine::Engine * engine, duckdb());
  return Route{engine, ""};
}

Result<const engine::Catalog*> Session::duckdb_catalog(bool fresh_scratch) {
  CANDOR_TRY(open_duckdb());
  if (!duckdb_catalog_ || (fresh_scratch && scratch_dirty_)) {
    CANDOR_ASSIGN(duckdb_catalog_, duckdb_->catalog());
    scratch_dirty_ = false;
    std::vector<engine::CatalogTable> incomplete;
    for (const engine::CatalogTable& table : duckdb_catalog_->tables) {
      if (table.file && table.file->rows_rejected > 0) incomplete.push_back(table);
    }
    incomplete_ = std::make_shared<const std::vector<engine::CatalogTable>>(std::move(incomplete));
  }
  return &*duckdb_catalog_;
}

Result<const engine::Catalog*> Session::lite_catalog(Lite& lite) {
  if (!lite.engine) lite.engine = std::make_unique<WorkerEngine>(worker_, policy_of({lite.spec}, false));
  if (lite.is_server() && now_ms() - lite.catalog_read_ms > kServerCatalogEveryMs) {
    lite.catalog.reset();
    lite.failure.reset();
  }
  // A server that is not there is not asked again by every statement.
  if (lite.failure) return *lite.failure;
  if (!lite.catalog) {
    Result<engine::Catalog> read = lite.engine->catalog();
    lite.catalog_read_ms = now_ms();
    if (!read.ok()) {
      if (lite.is_server()) lite.failure = read.error();
      return std::move(read).error();
    }
    lite.catalog = *std::move(read);
  }
  return &*lite.catalog;
}

Result<Schema> Session::catalog() {
  const std::lock_guard hold(mutex_);
  recognise();
  Schema all;
  for (const auto& [source, failure] : failed_) all.warnings.push_back(failure.message);
  if (has_duckdb()) {
    CANDOR_ASSIGN(const engine::Catalog* part, duckdb_catalog(true));
    all.tables = part->tables;
    all.warnings.insert(all.warnings.end(), part->warnings.begin(), part->warnings.end());
  }
  for (auto& [source, lite] : lite_) {
    Result<const engine::Catalog*> part = lite_catalog(lite);
    if (!part.ok()) {
      const std::string& why = part.error().message;
      all.warnings.push_back(why.starts_with("source " + source) ? why : "source '" + source + "': " + why);
      continue;
    }
    all.tables.insert(all.tables.end(), (*part)->tables.begin(), (*part)->tables.end());
    all.warnings.insert(all.warnings.end(), (*part)->warnings.begin(), (*part)->warnings.end());
  }
  add_resources(all);
  std::ranges::sort(all.tables, [](const engine::CatalogTable& a, const engine::CatalogTable& b) {
    return std::tie(a.source, a.schema, a.name) < std::tie(b.source, b.schema, b.name);
  });
  return all;
}

std::shared_ptr<const std::vector<engine::CatalogTable>> Session::incomplete_files() {
  const std::lock_guard hold(mutex_);
  recognise();
  const bool files = std::ranges::any_of(
      duckdb_sources_, [](const engine::SourceSpec& spec) { return spec.kind == engine::SourceKind::kFiles; });
  if (files && duckdb_catalog(false).ok()) return incomplete_;
  return std::make_shared<const std::vector<engine::CatalogTable>>();
}

void Session::scratch_changed() {
  const std::lock_guard hold(mutex_);
  scratch_dirty_ = true;
}

std::map<std::string, std::string> Session::source_versions() {
  const std::lock_guard hold(mutex_);
  return versions_;
}

std::map<std::string, std::string> Session::source_places() {
  const std::lock_guard hold(mutex_);
  recognise();
  constexpr std::size_t kDigits = 16;
  std::map<std::string, std::string> places;
  const auto add = [&](const engine::SourceSpec& spec) {
    places[spec.name] = sha256_hex(config::shown_spec(spec.path)).substr(0, kDigits);
  };
  for (const engine::SourceSpec& spec : duckdb_sources_) add(spec);
  for (const auto& [source, lite] : lite_) add(lite.spec);
  return places;
}

std::map<std::string, std::string> Session::read_versions() {
  const std::lock_guard hold(mutex_);
  return read_versions_;
}

void Session::refresh_sources(bool at_once) {
  const std::lock_guard hold(mutex_);
  recognise();
  const bool fresh = versions_read_ms_ != 0 && now_ms() - versions_read_ms_ < kVersionsEveryMs;
  if (fresh && !at_once && !reopen_pending_) return;
  versions_read_ms_ = now_ms();
  const bool first = versions_.empty();
  const auto changed = [&](const engine::SourceSpec& spec) {
    std::string version = engine::source_version(spec);
    std::string& known = versions_[spec.name];
    return std::exchange(known, std::move(version)) != known && !first;
  };
  for (const engine::SourceSpec& spec : duckdb_sources_) reopen_pending_ = changed(spec) || reopen_pending_;
  // A statement that still runs on the old files ends first; what is idle is opened anew by the next call.
  if (reopen_pending_ && (!duckdb_ || duckdb_->close_idle())) {
    duckdb_catalog_.reset();
    reopen_pending_ = false;
  }
  for (auto& [source, lite] : lite_) {
    if (changed(lite.spec)) lite.catalog.reset();
    read_versions_[source] = versions_[source];
  }
  // An engine that could not be opened anew goes on reading what it has open.
  if (reopen_pending_) return;
  for (const engine::SourceSpec& spec : duckdb_sources_) read_versions_[spec.name] = versions_[spec.name];
}

bool Session::note_temporary_objects(const std::vector<std::string>& now) {
  const std::lock_guard hold(mutex_);
  if (!duckdb_) return false;
  const bool lost = !temporary_.empty() && duckdb_->reopened_since(generation_seen_);
  generation_seen_ = duckdb_->generation();
  temporary_ = now;
  return lost;
}

std::vector<std::string> Session::temporary_objects() {
  const std::lock_guard hold(mutex_);
  return temporary_;
}

bool Session::has_duckdb() const { return !duckdb_sources_.empty() || duckdb_ || scratch_exists(); }

}  // namespace candor
