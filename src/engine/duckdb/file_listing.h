// Which files a source has, which tables they become, and a fingerprint that changes when one of them does.
// Looks at names and at stat(2), never into a file, but for the first bytes of a single one whose ending says nothing.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "engine/duckdb/file_source.h"

namespace candor::engine::duckdb {

enum class FileFormat : std::uint8_t { kCsv, kTsv, kParquet, kJson, kNdjson };
[[nodiscard]] std::string_view to_string(FileFormat format);  // "csv"

struct SourceFile {
  std::string path;  // relative to the source's folder; the name alone for a single file
  std::string real_path;
  FileFormat format = FileFormat::kCsv;
  bool compressed = false;  // .gz or .zst, which the engine reads itself
  std::uint64_t bytes = 0;
  std::string stamp;  // size, times and inode
};

struct Listing {
  std::string root;               // real path of the folder or the file
  std::vector<SourceFile> files;  // sorted by path
  std::vector<std::string> warnings;
  [[nodiscard]] std::string fingerprint() const;
};

// Fails with `file-error` when the path is gone, can't be read, is neither file nor folder, or is a single file of a
// format that can't be told.
[[nodiscard]] Result<Listing> list_files(const SourceSpec& spec, const ImportLimits& limits);

// One SQL identifier a file: "my-data 2024.csv" is my_data_2024, "sub/x.csv" is sub_x; equal ones get their format and
// then a number behind them. `reserved` are lower-case words that can't name a table; a name of those gets "t_" before it.
[[nodiscard]] std::vector<std::string> table_names(const std::vector<SourceFile>& files,
                                                   const std::vector<std::string>& reserved);

// 32 hexadecimal digits; equal for equal texts, and for others with a chance that does not matter. Not for secrets.
[[nodiscard]] std::string short_hash(std::string_view text);

}  // namespace candor::engine::duckdb
