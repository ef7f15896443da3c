// One file made one table of the cache database.
#pragma once

#include <string>

#include "base/result.h"
#include "engine/duckdb/file_listing.h"
#include "engine/duckdb/file_source.h"
#include "engine/duckdb/import_session.h"

namespace candor::engine::duckdb {

struct ImportTask {
  const SourceFile& file;
  std::string table;           // to be created
  std::string encoding;        // configured for the source; of files that are not UTF-8
  std::string work_directory;  // for copies in UTF-8; emptied by the caller
  std::uint64_t file_bytes_max = 0;
};

// Creates the table and tells about it. A file that can't be read gives a FileTable with `origin.failure` and no table.
// Fails only with what stops the whole import: `cancelled`, `disk-full`.
[[nodiscard]] Result<FileTable> import_file(ImportSession& session, const ImportTask& task);

// The parts of import_file, by format. Fail with `file-error`, then the table may be half made.
[[nodiscard]] Status import_csv(ImportSession& session, const ImportTask& task, const std::string& path,
                                FileTable& out);
[[nodiscard]] Status import_json(ImportSession& session, const ImportTask& task, const std::string& path,
                                 FileTable& out);
[[nodiscard]] Status import_parquet(ImportSession& session, const ImportTask& task, FileTable& out);

}  // namespace candor::engine::duckdb
