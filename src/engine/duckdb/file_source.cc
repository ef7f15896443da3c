// The cache of file sources: found by name, or built beside it and moved into place as a whole. A cache is a folder
// "files-SOURCE-CONTENT" with the database and its side file; the names hold hashes of where and of what was read.
#include "engine/duckdb/file_source.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include "base/no_room.h"
#include "engine/duckdb/file_import.h"
#include "engine/duckdb/file_listing.h"
#include "engine/duckdb/file_origin.h"
#include "engine/duckdb/file_text.h"
#include "engine/duckdb/import_session.h"

namespace candor::engine::duckdb {
namespace {

namespace fs = std::filesystem;

// Raised with every change of how files are read; caches of another number are not used.
constexpr std::string_view kImportVersion = "1";
constexpr int kAttemptsMax = 3;

// An exclusive lock that lasts until the process ends or lets go of it.
class FileLock {
 public:
  explicit FileLock(const std::string& path) : file_(open(path.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600)) {}
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;
  ~FileLock() {
    if (file_ >= 0) close(file_);
  }
  // Waits; gives up when cancelled.
  Status take(const CancelToken& cancel) const {
    constexpr useconds_t kPauseMicros = 20'000;
    if (file_ < 0) return make_error("source-error", "can't lock the cache directory", {}, std::strerror(errno));
    while (flock(file_, LOCK_EX | LOCK_NB) != 0) {
      if (errno != EWOULDBLOCK && errno != EINTR)
        return make_error("source-error", "can't lock the cache directory", {}, std::strerror(errno));
      if (cancel.cancelled()) return make_error("cancelled", "the import was cancelled");
      usleep(kPauseMicros);
    }
    return Ok{};
  }

 private:
  int file_;
};

struct Place {
  std::string directory;  // the cache directory
  std::string prefix;     // "files-SOURCE-"
  std::string name;       // "files-SOURCE-CONTENT"
  [[nodiscard]] std::string folder() const { return directory + '/' + name; }
  [[nodiscard]] std::string building() const { return directory + "/." + prefix + "building"; }
};

std::string settings_of(const SourceSpec& spec, const ImportLimits& limits) {
  const std::optional<std::string> encoding = known_encoding(spec.encoding);
  return std::string(kImportVersion) + ' ' + std::string(duckdb_library_version()) + ' ' + encoding.value_or("") + ' ' +
         std::to_string(limits.file_bytes_max);
}

std::optional<FileSource> look_up(const Place& place, const std::string& version) {
  std::optional<FileSource> found = read_origin(place.folder() + "/origin");
  if (!found || found->version != version) return std::nullopt;
  std::error_code problem;
  found->database_path = place.folder() + "/data.duckdb";
  if (!fs::is_regular_file(found->database_path, problem)) return std::nullopt;
  found->from_cache = true;
  return found;
}

void remove_others(const Place& place) {
  std::error_code ignored;
  std::vector<fs::path> old;
  for (const fs::directory_entry& entry : fs::directory_iterator(place.directory, ignored)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(place.prefix) && name != place.name && !name.ends_with(".lock")) old.push_back(entry.path());
  }
  for (const fs::path& path : old) fs::remove_all(path, ignored);
}

Result<std::vector<std::string>> reserved_words(ImportSession& session) {
  CANDOR_ASSIGN(auto rows, session.rows("SELECT DISTINCT keyword_name FROM duckdb_keywords() WHERE keyword_category IN "
                                        "('reserved', 'type_function')"));
  std::vector<std::string> words;
  for (auto& row : rows) words.push_back(std::move(row[0]));
  return words;
}

Status empty_folder(const std::string& path) {
  std::error_code problem;
  fs::remove_all(path, problem);
  if (mkdir(path.c_str(), 0700) == 0) return Ok{};
  return make_error(no_room(errno) ? "disk-full" : "source-error", "can't make the folder " + path, {},
                    std::strerror(errno));
}

struct Import {
  const Listing& listing;
  const ImportLimits& limits;
  const ImportProgressCallback& progress;
  std::string encoding;
  std::string building;  // the folder that gets the database
};

Result<FileSource> import_all(const Import& import, const CancelToken& cancel) {
  const std::string work = import.building + "/work";
  CANDOR_TRY(empty_folder(work));
  const std::string& temp = import.limits.temp_directory;
  CANDOR_ASSIGN(ImportSession session,
                ImportSession::open(import.building + "/data.duckdb", temp.empty() ? work + "/temp" : temp,
                                    import.limits, cancel));
  CANDOR_ASSIGN(const std::vector<std::string> reserved, reserved_words(session));
  const std::vector<std::string> names = table_names(import.listing.files, reserved);
  FileSource source;
  source.warnings = import.listing.warnings;
  ImportProgress progress;
  progress.files_total = import.listing.files.size();
  for (const SourceFile& file : import.listing.files) progress.bytes_total += file.bytes;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const SourceFile& file = import.listing.files[i];
    progress.path = file.path;
    if (import.progress) import.progress(progress);
    CANDOR_ASSIGN(FileTable table, import_file(session, {.file = file,
                                                         .table = names[i],
                                                         .encoding = import.encoding,
                                                         .work_directory = work,
                                                         .file_bytes_max = import.limits.file_bytes_max}));
    if (table.view) source.allowed_paths.push_back(file.real_path);
    source.tables.push_back(std::move(table));
    std::error_code ignored;
    for (const char* copy : {"/text", "/lines"}) fs::remove(work + copy, ignored);
    ++progress.files_done;
    progress.bytes_done += file.bytes;
  }
  std::ranges::sort(source.tables, {}, &FileTable::name);
  CANDOR_TRY(session.finish());
  return source;
}

// A source that is one file has nothing else to show: its failure is the source's.
Status failure_of_single(const SourceSpec& spec, const Listing& listing, const FileSource& source) {
  const bool single = listing.files.size() == 1 && listing.files[0].real_path == listing.root;
  if (!single || source.tables.empty() || source.tables[0].origin.failure.empty()) return Ok{};
  return make_error("file-error", "can't read " + spec.path + ": " + source.tables[0].origin.failure);
}

Result<FileSource> build(const Import& import, const Place& place, const std::string& version,
                         const CancelToken& cancel) {
  CANDOR_TRY(empty_folder(import.building));
  CANDOR_ASSIGN(FileSource source, import_all(import, cancel));
  source.version = version;
  CANDOR_TRY(write_origin(import.building + "/origin", source));
  std::error_code problem;
  fs::remove_all(import.building + "/work", problem);
  fs::remove_all(place.folder(), problem);
  fs::rename(import.building, place.folder(), problem);
  if (problem) return make_error("source-error", "can't move the import into place", {}, problem.message());
  source.database_path = place.folder() + "/data.duckdb";
  return source;
}

Status make_cache_directory(const std::string& path) {
  std::error_code problem;
  fs::create_directories(fs::path(path).parent_path(), problem);
  if (mkdir(path.c_str(), 0700) == 0 || errno == EEXIST) return Ok{};
  return make_error(no_room(errno) ? "disk-full" : "source-error", "can't make the cache directory " + path, {},
                    std::strerror(errno));
}

}  // namespace

std::string file_version(const SourceSpec& spec, const ImportLimits& limits) {
  const Result<Listing> listing = list_files(spec, limits);
  if (!listing) return {};
  return short_hash(settings_of(spec, limits) + '\n' + listing->fingerprint());
}

Result<FileSource> prepare_file_source(const SourceSpec& spec, const std::string& cache_directory,
                                       const ImportLimits& limits, const ImportProgressCallback& progress,
                                       const CancelToken& cancel) {
  const std::optional<std::string> encoding = known_encoding(spec.encoding);
  if (!encoding) {
    return make_error("configuration", "the encoding " + spec.encoding + " of source " + spec.name + " can't be read",
                      "use latin-1, windows-1252, utf-16 or utf-8, or convert the files to UTF-8");
  }
  CANDOR_TRY(make_cache_directory(cache_directory));
  for (int attempt = 0; attempt < kAttemptsMax; ++attempt) {
    CANDOR_ASSIGN(const Listing listing, list_files(spec, limits));
    const std::string version = short_hash(settings_of(spec, limits) + '\n' + listing.fingerprint());
    Place place;
    place.directory = cache_directory;
    place.prefix = "files-" + short_hash(listing.root).substr(0, 16) + '-';
    place.name = place.prefix + version;
    std::optional<FileSource> cached = look_up(place, version);
    if (cached) {
      CANDOR_TRY(failure_of_single(spec, listing, *cached));
      return std::move(*cached);
    }
    const FileLock lock(cache_directory + '/' + place.prefix + ".lock");
    CANDOR_TRY(lock.take(cancel));
    cached = look_up(place, version);  // another process may have built it while this one waited
    if (cached) {
      CANDOR_TRY(failure_of_single(spec, listing, *cached));
      return std::move(*cached);
    }
    const Import import{.listing = listing,
                        .limits = limits,
                        .progress = progress,
                        .encoding = *encoding,
                        .building = place.building()};
    auto source = build(import, place, version, cancel);
    if (!source) {
      std::error_code ignored;
      fs::remove_all(place.building(), ignored);
      return source;
    }
    // Files that changed while they were read make a cache of a moment that never was.
    if (file_version(spec, limits) != version) continue;
    remove_others(place);
    CANDOR_TRY(failure_of_single(spec, listing, *source));
    return source;
  }
  return make_error("file-error", "the files of " + spec.path + " change while they are read",
                    "try again when they are at rest");
}

}  // namespace candor::engine::duckdb
