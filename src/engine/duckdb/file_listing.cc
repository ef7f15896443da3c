// Walking the folder of a file source.
#include "engine/duckdb/file_listing.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <sys/stat.h>

#include "base/ascii.h"
#include "base/render_json.h"

namespace candor::engine::duckdb {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kWarningsMax = 50;

struct Ending {
  std::string_view text;
  FileFormat format;
};
constexpr auto kEndings = std::to_array<Ending>({
    {".csv", FileFormat::kCsv},
    {".tsv", FileFormat::kTsv},
    {".tab", FileFormat::kTsv},
    {".parquet", FileFormat::kParquet},
    {".json", FileFormat::kJson},
    {".ndjson", FileFormat::kNdjson},
    {".jsonl", FileFormat::kNdjson},
});
constexpr std::array<std::string_view, 2> kCompressions = {".gz", ".zst"};

struct NameParts {
  std::string stem;
  std::optional<FileFormat> format;
  bool compressed = false;
};

NameParts split_name(const std::string& name) {
  NameParts parts;
  parts.stem = name;
  std::string folded = lower_ascii(name);
  for (const std::string_view ending : kCompressions) {
    if (!folded.ends_with(ending)) continue;
    parts.compressed = true;
    folded.resize(folded.size() - ending.size());
  }
  for (const Ending& ending : kEndings) {
    if (folded.ends_with(ending.text)) {
      parts.format = ending.format;
      folded.resize(folded.size() - ending.text.size());
      break;
    }
  }
  parts.stem.resize(folded.size());
  // Parquet compresses inside itself; a compressed Parquet file is one that the engine can't read.
  if (parts.compressed && parts.format == FileFormat::kParquet) parts.format.reset();
  return parts;
}

std::string stamp_of(const struct stat& facts) {
  const auto time = [](const timespec& at) { return std::to_string(at.tv_sec) + '.' + std::to_string(at.tv_nsec); };
  return std::to_string(facts.st_size) + ' ' + time(facts.st_mtim) + ' ' + time(facts.st_ctim) + ' ' +
         std::to_string(facts.st_dev) + ':' + std::to_string(facts.st_ino);
}

std::string in_message(const std::string& path) {
  return is_utf8(path) ? path : std::string("(a name that is not UTF-8)");
}

class Walker {
 public:
  Walker(Listing& out, const ImportLimits& limits) : out_(out), limits_(limits) {}

  Status walk(const fs::path& folder, const std::string& prefix, int depth) {
    std::error_code problem;
    std::vector<fs::directory_entry> entries;
    for (fs::directory_iterator at(folder, problem), end; !problem && at != end; at.increment(problem))
      entries.push_back(*at);
    if (problem) {
      if (depth == 0)
        return make_error("file-error", "can't list the folder " + in_message(folder.string()), {}, problem.message());
      leave_out(prefix, "can't be listed: " + problem.message());
      return Ok{};
    }
    std::ranges::sort(entries, {}, [](const fs::directory_entry& entry) { return entry.path().native(); });
    for (const fs::directory_entry& entry : entries)
      CANDOR_TRY(visit(entry, prefix + entry.path().filename().string(), depth));
    return Ok{};
  }

  void finish() {
    if (more_warnings_ > 0) out_.warnings.push_back("and " + std::to_string(more_warnings_) + " more were left out");
    if (too_many_ > 0) {
      out_.warnings.push_back(std::to_string(too_many_) + " files were left out: a source has at most " +
                              std::to_string(limits_.files_max));
    }
  }

 private:
  void leave_out(const std::string& path, const std::string& why) {
    if (out_.warnings.size() >= kWarningsMax) {
      ++more_warnings_;
      return;
    }
    out_.warnings.push_back("left out " + in_message(path) + ": " + why);
  }

  Status visit(const fs::directory_entry& entry, const std::string& path, int depth) {
    std::error_code problem;
    if (entry.path().filename().native().starts_with('.')) {
      leave_out(path, "hidden");
      return Ok{};
    }
    const bool link = entry.is_symlink(problem);
    if (entry.is_directory(problem)) {
      if (link) {
        leave_out(path, "a symbolic link to a folder");
      } else if (depth + 1 > limits_.depth_max) {
        leave_out(path, "more than " + std::to_string(limits_.depth_max) + " folders deep");
      } else {
        return walk(entry.path(), path + '/', depth + 1);
      }
      return Ok{};
    }
    const fs::path real = fs::canonical(entry.path(), problem);
    if (problem) {
      leave_out(path, "can't be read: " + problem.message());
      return Ok{};
    }
    if (link && !real.native().starts_with(out_.root + '/')) {
      leave_out(path, "a symbolic link that leaves the folder");
      return Ok{};
    }
    file(path, real.string());
    return Ok{};
  }

  void file(const std::string& path, const std::string& real_path) {
    const NameParts parts = split_name(path);
    struct stat facts{};
    if (stat(real_path.c_str(), &facts) != 0 || !S_ISREG(facts.st_mode)) return leave_out(path, "not a regular file");
    if (!parts.format) return leave_out(path, "not a CSV, TSV, Parquet, JSON or NDJSON file by its ending");
    if (!is_utf8(path)) return leave_out(path, "its name is not UTF-8");
    if (out_.files.size() >= limits_.files_max) {
      ++too_many_;
      return;
    }
    out_.files.push_back({.path = path,
                          .real_path = real_path,
                          .format = *parts.format,
                          .compressed = parts.compressed,
                          .bytes = static_cast<std::uint64_t>(facts.st_size),
                          .stamp = stamp_of(facts)});
  }

  Listing& out_;
  const ImportLimits& limits_;
  std::uint64_t more_warnings_ = 0;
  std::uint64_t too_many_ = 0;
};

// Of a single file whose ending says nothing.
std::optional<FileFormat> format_of_content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string start(4096, '\0');
  file.read(start.data(), static_cast<std::streamsize>(start.size()));
  start.resize(static_cast<std::size_t>(file.gcount()));
  if (start.starts_with("PAR1")) return FileFormat::kParquet;
  if (start.starts_with("\x1F\x8B") || start.starts_with("\x28\xB5\x2F\xFD") || start.find('\0') != start.npos)
    return std::nullopt;
  const std::size_t first = start.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
  if (first == start.npos) return std::nullopt;
  if (start[first] == '{' || start[first] == '[') return FileFormat::kJson;
  const std::string line = start.substr(first, start.find('\n', first) - first);
  if (line.find(',') == line.npos && line.find('\t') != line.npos) return FileFormat::kTsv;
  return FileFormat::kCsv;
}

Status single_file(Listing& out, const struct stat& facts) {
  const std::string name = fs::path(out.root).filename().string();
  NameParts parts = split_name(name);
  if (!parts.format && !parts.compressed) parts.format = format_of_content(out.root);
  if (!parts.format) {
    return make_error(
        "file-error", "can't tell the format of " + in_message(out.root),
        "give it the ending .csv, .tsv, .parquet, .json or .ndjson, with .gz or .zst after a text format's");
  }
  out.files.push_back({.path = name,
                       .real_path = out.root,
                       .format = *parts.format,
                       .compressed = parts.compressed,
                       .bytes = static_cast<std::uint64_t>(facts.st_size),
                       .stamp = stamp_of(facts)});
  return Ok{};
}

std::string identifier(std::string_view path) {
  std::string out;
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = std::isalnum(byte) != 0 || byte >= 0x80;
    if (plain) {
      out += c;
    } else if (!out.empty() && out.back() != '_') {
      out += '_';
    }
  }
  while (out.ends_with('_')) out.pop_back();
  if (out.empty() || std::isdigit(static_cast<unsigned char>(out.front())) != 0) out = out.empty() ? "t" : "t_" + out;
  return out;
}

}  // namespace

std::string_view to_string(FileFormat format) {
  constexpr std::array<std::string_view, 5> kNames = {"csv", "tsv", "parquet", "json", "ndjson"};
  return kNames[static_cast<std::size_t>(format)];
}

std::string short_hash(std::string_view text) {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string out;
  // FNV-1a from two starting points.
  for (std::uint64_t hash : {std::uint64_t{0xcbf29ce484222325}, std::uint64_t{0x84222325cbf29ce4}}) {
    for (const char c : text) {
      hash ^= static_cast<unsigned char>(c);
      hash *= 0x100000001b3;
      hash ^= hash >> 29U;
    }
    for (int shift = 60; shift >= 0; shift -= 4) out += kHex[hash >> static_cast<unsigned>(shift) & 15U];
  }
  return out;
}

std::string Listing::fingerprint() const {
  std::string all = root + '\n';
  for (const SourceFile& file : files) all += file.path + '\t' + file.stamp + '\n';
  for (const std::string& warning : warnings) all += warning + '\n';
  return short_hash(all);
}

Result<Listing> list_files(const SourceSpec& spec, const ImportLimits& limits) {
  Listing out;
  std::error_code problem;
  const fs::path root = fs::canonical(spec.path, problem);
  struct stat facts{};
  if (problem || stat(root.c_str(), &facts) != 0) {
    return make_error("file-error", "there is no file or folder " + in_message(spec.path),
                      "check the path of the source " + spec.name, problem.message());
  }
  out.root = root.string();
  if (S_ISREG(facts.st_mode)) {
    CANDOR_TRY(single_file(out, facts));
    return out;
  }
  if (!S_ISDIR(facts.st_mode))
    return make_error("file-error", in_message(out.root) + " is neither a file nor a folder");
  Walker walker(out, limits);
  CANDOR_TRY(walker.walk(root, "", 0));
  walker.finish();
  std::ranges::sort(out.files, {}, &SourceFile::path);
  return out;
}

std::vector<std::string> table_names(const std::vector<SourceFile>& files, const std::vector<std::string>& reserved) {
  std::vector<std::string> names;
  std::map<std::string, int> uses;
  for (const SourceFile& file : files) {
    std::string name = identifier(split_name(file.path).stem);
    if (std::ranges::find(reserved, lower_ascii(name)) != reserved.end()) name = "t_" + name;
    ++uses[lower_ascii(name)];
    names.push_back(std::move(name));
  }
  std::set<std::string> taken;
  for (std::size_t i = 0; i < files.size(); ++i) {
    std::string& name = names[i];
    if (uses[lower_ascii(name)] > 1) name += '_' + std::string(to_string(files[i].format));
    const std::string base = name;
    for (int number = 2; !taken.insert(lower_ascii(name)).second || (name != base && uses.contains(lower_ascii(name)));
         ++number) {
      name = base + '_' + std::to_string(number);
    }
  }
  return names;
}

}  // namespace candor::engine::duckdb
