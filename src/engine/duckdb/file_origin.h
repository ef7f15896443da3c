// What is known of a file source beside its rows, kept in a small file next to the cache database: agents can't query it.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "engine/duckdb/file_source.h"

namespace candor::engine::duckdb {

// All of FileSource but database_path and from_cache. Fails with `file-error` or `disk-full`.
[[nodiscard]] Status write_origin(const std::string& path, const FileSource& source);

// Nothing when the file is missing, damaged or of another version of the format.
[[nodiscard]] std::optional<FileSource> read_origin(const std::string& path);

}  // namespace candor::engine::duckdb
