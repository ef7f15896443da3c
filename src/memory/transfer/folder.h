// The files of a folder: which there are, and what stands in them. Nothing here knows of memories.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"

namespace candor::memory {

constexpr std::size_t kFileBytes = std::size_t{16} << 20U;

struct FolderFile {
  std::string path;                 // absolute
  std::string relative;             // to the folder
  std::optional<Diagnostic> fault;  // why it is not even looked into
  bool passed_over = false;         // with a fault that is none of the file's: a link to a folder
};

struct Folder {
  std::string path;               // absolute, without links
  std::vector<FolderFile> files;  // in the order of their relative paths' bytes
};

struct FolderQuery {
  std::string path;
  std::string
      pattern;  // as a shell matches it against the file's name, or against the relative path where it holds a /
  bool recursive = false;
  std::size_t max_files = 0;
};

// Links to files are followed, links to folders are not: a folder is never walked twice. Fails with `unreadable-input` where
// the folder itself can't be read, with `over-limit` where more files match than are asked for.
[[nodiscard]] Result<Folder> read_folder(const FolderQuery& query);
[[nodiscard]] bool matches(const FolderQuery& query, const std::string& relative);

struct FileText {
  std::string text;    // UTF-8 without a byte order mark
  std::string sha256;  // of the file's bytes
  std::int64_t modified = 0;
};

// Fails with `unreadable-input` (also for what is no regular file), `over-limit` beyond kFileBytes, and `invalid-text` for
// what is not UTF-8 or holds a NUL.
[[nodiscard]] Result<FileText> read_text_file(const std::string& path);

// The texts of files, read by several threads; a file with a fault gives it.
[[nodiscard]] std::vector<Result<FileText>> read_text_files(std::span<const FolderFile> files, std::size_t threads);

// False only where a look shows that nothing is there.
[[nodiscard]] bool may_exist(const std::string& path);

}  // namespace candor::memory
