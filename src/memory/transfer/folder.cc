// Reading goes through file descriptors, so that a pipe that is named like a note is never waited for.
#include "memory/transfer/folder.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <fnmatch.h>
#include <sys/stat.h>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <utility>

#include "base/digest.h"
#include "base/render_json.h"

namespace candor::memory {
namespace {

namespace fs = std::filesystem;

std::string reason(int failed) { return std::generic_category().message(failed); }

Diagnostic unreadable(const std::string& path, const std::string& why) {
  return make_error("unreadable-input", "can't read " + path + ": " + why);
}

class Walk {
 public:
  Walk(const FolderQuery& query, Folder& folder) : query_(query), folder_(folder) {}

  Status folder(const std::string& relative) {
    const std::string path = path_of(relative);
    std::error_code failure;
    fs::directory_iterator entries(path, failure);
    for (; !failure && entries != fs::directory_iterator(); entries.increment(failure)) {
      const std::string name = (relative.empty() ? "" : relative + "/") + entries->path().filename().string();
      CANDOR_TRY(entry(*entries, name));
    }
    if (!failure) return Ok{};
    if (relative.empty()) return unreadable(path, failure.message());
    return add({path, relative, unreadable(path, failure.message()), false});
  }

 private:
  [[nodiscard]] std::string path_of(const std::string& relative) const {
    if (relative.empty()) return folder_.path;
    return (folder_.path == "/" ? "" : folder_.path) + "/" + relative;
  }

  Status entry(const fs::directory_entry& entry, const std::string& relative) {
    std::error_code failure;
    const bool link = entry.is_symlink(failure);
    const bool folder = entry.is_directory(failure);
    if (folder && !link) return query_.recursive ? this->folder(relative) : Status(Ok{});
    const std::string path = path_of(relative);
    if (folder) {
      if (!query_.recursive) return Ok{};
      return add({path, relative, unreadable(path, "links to folders are not followed"), true});
    }
    if (!matches(query_, relative)) return Ok{};
    if (!is_utf8(relative)) {
      return add(
          {path, relative, make_error("invalid-text", "the file's name is not valid UTF-8", "rename it"), false});
    }
    return add({path, relative, std::nullopt, false});
  }

  Status add(FolderFile file) {
    if (folder_.files.size() == query_.max_files) {
      return make_error("over-limit", "more than " + std::to_string(query_.max_files) + " files match",
                        "--max-files N, or a narrower --pattern; nothing was stored");
    }
    folder_.files.push_back(std::move(file));
    return Ok{};
  }

  const FolderQuery& query_;
  Folder& folder_;
};

Result<std::string> contents(int file, const std::string& path) {
  std::string text;
  std::string block(std::size_t{1} << 16U, '\0');
  for (;;) {
    const ssize_t got = ::read(file, block.data(), block.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return unreadable(path, reason(errno));
    if (got == 0) return text;
    text.append(block.data(), static_cast<std::size_t>(got));
    if (text.size() > kFileBytes) {
      return make_error("over-limit", "a file to ingest has at most 16 MB", "split it: " + path);
    }
  }
}

Status check_text(const std::string& text) {
  if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF")) {
    return make_error("invalid-text", "the file is UTF-16, not UTF-8", "iconv -f UTF-16 -t UTF-8");
  }
  if (const std::size_t at = text.find('\0'); at != std::string::npos) {
    return make_error("invalid-text", "the file is binary: a NUL at byte " + std::to_string(at));
  }
  if (!is_utf8(text)) return make_error("invalid-text", "the file is not valid UTF-8", "iconv -f LATIN1 -t UTF-8");
  return Ok{};
}

}  // namespace

bool matches(const FolderQuery& query, const std::string& relative) {
  const std::size_t slash = relative.rfind('/');
  const bool whole = query.pattern.find('/') != std::string::npos;
  const std::string name = whole || slash == std::string::npos ? relative : relative.substr(slash + 1);
  return ::fnmatch(query.pattern.c_str(), name.c_str(), whole ? FNM_PATHNAME : 0) == 0;
}

Result<Folder> read_folder(const FolderQuery& query) {
  std::error_code failure;
  Folder folder;
  folder.path = fs::canonical(query.path, failure).string();
  if (failure) return unreadable(query.path, failure.message());
  if (!fs::is_directory(folder.path, failure)) {
    return make_error("unreadable-input", query.path + " is no folder",
                      "candor memory remember --body-file FILE stores one");
  }
  if (!is_utf8(folder.path)) return make_error("invalid-text", "the folder's path is not valid UTF-8");
  Walk walk(query, folder);
  CANDOR_TRY(walk.folder(""));
  std::ranges::sort(folder.files, {}, &FolderFile::relative);
  return folder;
}

Result<FileText> read_text_file(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (file < 0) return unreadable(path, reason(errno));
  FileText read;
  Result<std::string> text = [&]() -> Result<std::string> {
    struct stat about{};
    if (::fstat(file, &about) != 0) return unreadable(path, reason(errno));
    if (!S_ISREG(about.st_mode)) return unreadable(path, "it is no regular file");
    read.modified = about.st_mtime;
    return contents(file, path);
  }();
  ::close(file);
  if (!text.ok()) return std::move(text).error();
  CANDOR_TRY(check_text(*text));
  read.sha256 = sha256_hex(*text);
  read.text = std::move(*text);
  if (read.text.starts_with("\xEF\xBB\xBF")) read.text.erase(0, 3);
  return read;
}

std::vector<Result<FileText>> read_text_files(std::span<const FolderFile> files, std::size_t threads) {
  std::vector<Result<FileText>> texts(files.size(), Result<FileText>(FileText()));
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t at = next++; at < files.size(); at = next++) {
      texts[at] = files[at].fault ? Result<FileText>(*files[at].fault) : read_text_file(files[at].path);
    }
  };
  std::vector<std::jthread> others;
  for (std::size_t i = 1; i < std::min(threads, files.size()); ++i) others.emplace_back(work);
  work();
  others.clear();  // waits for them
  return texts;
}

bool may_exist(const std::string& path) {
  struct stat about{};
  return ::stat(path.c_str(), &about) == 0 || (errno != ENOENT && errno != ENOTDIR);
}

}  // namespace candor::memory
