// A folder or file of CSV, TSV, Parquet, JSON or NDJSON, taken into one database file of the engine's own format in the
// cache directory: a table a file, with what was decided, rejected or left out on the way. ADR 0020 says why.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/cancel.h"
#include "base/result.h"
#include "engine/engine.h"

namespace candor::engine::duckdb {

struct ImportLimits {
  std::uint64_t memory_bytes = std::uint64_t{2} << 30U;  // of the importing instance
  int threads = 2;
  std::string temp_directory;                              // for spilling; empty: inside the cache directory
  std::uint64_t file_bytes_max = std::uint64_t{4} << 30U;  // `import_mb`: a larger file is not copied
  std::uint64_t files_max = 10'000;                        // of one source; those after it are left out with a warning
  int depth_max = 8;                                       // of sub-folders
};

// Told before each file that is read, and never when the cache was taken as it is.
struct ImportProgress {
  std::uint64_t files_done = 0;
  std::uint64_t files_total = 0;
  std::uint64_t bytes_done = 0;
  std::uint64_t bytes_total = 0;
  std::string path;  // that is read now, relative to the source
};
using ImportProgressCallback = std::function<void(const ImportProgress&)>;

struct ColumnNote {
  std::string column;
  std::string note;
};

// One table of the source. Named as in the database, or not in there at all when `origin.failure` is set.
struct FileTable {
  std::string name;
  FileOrigin origin;
  bool view = false;              // over the file itself: a Parquet file larger than file_bytes_max
  std::uint64_t rows = 0;         // of a table; 0 for a view
  std::vector<ColumnNote> notes;  // at most one a column
};

struct FileSource {
  std::string database_path;               // to be attached READ_ONLY; its tables and views are in schema "main"
  std::vector<FileTable> tables;           // sorted by name
  std::vector<std::string> warnings;       // files that were left out, with the reason
  std::vector<std::string> allowed_paths;  // real paths that the views read: for `allowed_paths` of the sandbox
  std::string version;                     // what file_version() gave for the files that were read
  bool from_cache = false;
};

// Brings the cache up to date and tells what is in it. Takes milliseconds when the files are the same as last time
// (path, size, time, inode); several processes may call it at once, one of them imports. The engine sniffs and reads
// files here, partly where it can't be interrupted: call it in a process that may be killed. A process that is killed on
// the way leaves nothing that is taken for whole later. Runs in a DuckDB instance of its own that is closed at return.
// Requires spec.kind == kFiles. Fails with `file-error` when the source itself can't be read (one bad file in a folder
// is a FileTable with a failure, not an error), with `cancelled`, `disk-full`, or `source-error`.
[[nodiscard]] Result<FileSource> prepare_file_source(const SourceSpec& spec, const std::string& cache_directory,
                                                     const ImportLimits& limits, const ImportProgressCallback& progress,
                                                     const CancelToken& cancel);

// A fingerprint of the source's files from their names, sizes, times and inodes alone; reads no file. Differs from
// FileSource::version once a file was changed, added or removed. Empty when the source can't be listed any more.
[[nodiscard]] std::string file_version(const SourceSpec& spec, const ImportLimits& limits);

}  // namespace candor::engine::duckdb
