// Reads candor.yaml: known keys alone, every fault with its line.
#include "config/yaml_file.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <system_error>

#include "base/ascii.h"
#include "base/render_json.h"
#include "config/source_names.h"
#include "config/yaml_reader.h"

namespace candor::config {
namespace {

// Values under a key that is kept for later.
constexpr std::size_t kVisitsMax = 10'000;

constexpr std::string_view kMap = "a map of settings";

class Reader {
 public:
  Reader(const std::string& file, std::string folder, Configuration& configuration)
      : in_(file, "setting"), folder_(std::move(folder)), configuration_(&configuration) {}

  [[nodiscard]] Status read(const std::string& text) {
    return in_.read(text, [this](const YAML::Node& root) { top(root); });
  }

 private:
  using Handler = std::function<void(const std::string& key, const YAML::Node& value)>;

  void top(const YAML::Node& root) {
    each_setting(root, "", {"sources", "limits", "review", "memory", "log_json"},
                 [&](const std::string& key, const YAML::Node& value) {
                   if (key == "sources") {
                     sources(value);
                   } else if (key == "limits") {
                     limits_of(value);
                   } else if (key == "review") {
                     review(value);
                   } else if (key == "memory") {
                     memory(value);
                   } else {
                     in_.boolean(value, key, configuration_->log_json);
                   }
                 });
  }

  // A key with nothing behind it is a map without settings.
  void each_setting(const YAML::Node& node, const std::string& path, const std::vector<std::string>& known,
                    const Handler& handler) {
    if (node.IsNull()) return;
    in_.each_member(node, path, {}, kMap, [&](const YAML::Node& key, const YAML::Node& value) {
      const std::string& name = key.Scalar();
      if (known.empty() || std::ranges::find(known, name) != known.end()) return handler(name, value);
      const bool limit = std::ranges::find(limits(), name, &Limit::name) != limits().end();
      in_.unknown(key, path, known, path.empty() && limit ? "write it below limits:" : "");
    });
  }

  void sources(const YAML::Node& node) {
    each_setting(node, "sources", {}, [&](const std::string& name, const YAML::Node& value) {
      const std::string path = YamlReader::joined("sources", name);
      if (const std::string why = source_name_fault(name); !why.empty()) {
        in_.fault(value, path, "the name " + why);
        return;
      }
      for (const Source& other : configuration_->sources) {
        if (same_name(other.name, name)) in_.fault(value, path, "differs from source " + other.name + " in case alone");
      }
      Source source;
      source.name = name;
      if (!source_parts(value, path, source)) return;
      source.spec = resolve_path(source.spec, folder_);
      if (!source.contract.empty()) source.contract = resolve_path(source.contract, folder_);
      configuration_->sources.push_back(std::move(source));
    });
  }

  void source_part(const YAML::Node& part, const std::string& path, const std::string& name, Source& source) {
    if (name == "unsafe_role") {
      in_.boolean(part, path, source.unsafe_role);
    } else {
      in_.text(part, path, name == "path" ? source.spec : name == "contract" ? source.contract : source.encoding);
    }
  }

  bool source_parts(const YAML::Node& value, const std::string& path, Source& source) {
    if (value.IsScalar()) {
      source.spec = value.Scalar();
    } else if (!in_.each_member(value, path, {"path", "contract", "encoding", "unsafe_role"},
                                "a path or a map with path", [&](const YAML::Node& key, const YAML::Node& part) {
                                  source_part(part, YamlReader::joined(path, key.Scalar()), key.Scalar(), source);
                                })) {
      return false;
    }
    if (source.spec.empty()) in_.fault(value, path, "has no path");
    if (source.unsafe_role && !is_postgres_url(source.spec)) {
      in_.fault(value, YamlReader::joined(path, "unsafe_role"), "is a setting of PostgreSQL sources alone");
    }
    return !source.spec.empty();
  }

  void limits_of(const YAML::Node& node) {
    std::vector<std::string> names;
    for (const Limit& limit : limits()) names.emplace_back(limit.name);
    each_setting(node, "limits", names, [&](const std::string& key, const YAML::Node& value) {
      const auto limit = std::ranges::find(limits(), key, &Limit::name);
      in_.whole_number(value, "limits." + key, limit->min, limit->max, configuration_->limit_values[key]);
    });
  }

  void review(const YAML::Node& node) {
    constexpr std::int64_t kMost = 1'000'000'000'000;
    each_setting(node, "review", {"probe", "max_rows", "max_key_chars"},
                 [&](const std::string& key, const YAML::Node& value) {
                   const std::string path = "review." + key;
                   if (key == "probe") {
                     std::string probe;
                     if (!in_.text(value, path, probe)) return;
                     if (probe != "scratch" && probe != "local" && probe != "all") {
                       in_.fault(value, path, "must be scratch, local or all, not " + in_message(probe));
                     } else {
                       configuration_->review_probe = probe;
                     }
                   } else {
                     in_.whole_number(
                         value, path, 1, kMost,
                         key == "max_rows" ? configuration_->review_max_rows : configuration_->review_max_key_chars);
                   }
                 });
  }

  // Other settings are of parts that read them themselves; of these only the bounds are watched.
  void memory(const YAML::Node& node) {
    std::size_t visits = 0;
    if (node.IsNull()) return;
    if (!node.IsMap()) {
      in_.fault(node, "memory", "must be " + std::string(kMap));
    } else if (!within_bounds(node, 0, visits)) {
      in_.fault(node, "memory", "holds more than " + std::to_string(kVisitsMax) + " values or is nested too deep");
    } else {
      each_setting(node, "memory", {"model", "lessons", "tools"},
                   [&](const std::string& name, const YAML::Node& value) { memory_setting(name, value); });
    }
  }

  void memory_setting(const std::string& name, const YAML::Node& value) {
    if (name == "lessons") in_.boolean(value, "memory.lessons", configuration_->memory_lessons);
    if (name != "tools") return;
    std::string tools;
    if (!in_.text(value, "memory.tools", tools)) return;
    if (tools == "true") tools = "write";
    if (tools == "false") tools = "off";
    if (tools != "write" && tools != "read" && tools != "off") {
      in_.fault(value, "memory.tools", "must be write, read or off, not " + in_message(tools));
    } else {
      configuration_->memory_tools = tools;
    }
  }

  static bool within_bounds(const YAML::Node& node, int depth, std::size_t& visits) {
    if (++visits > kVisitsMax || depth > 50) return false;
    if (node.IsMap()) {
      return std::all_of(node.begin(), node.end(),
                         [&](const auto& member) { return within_bounds(member.second, depth + 1, visits); });
    }
    return !node.IsSequence() || std::all_of(node.begin(), node.end(), [&](const YAML::Node& item) {
      return within_bounds(item, depth + 1, visits);
    });
  }

  YamlReader in_;
  std::string folder_;
  Configuration* configuration_;
};

}  // namespace

Status read_yaml(const std::string& text, const std::string& name, const std::string& folder,
                 Configuration& configuration) {
  return Reader(name, folder, configuration).read(text);
}

Result<std::string> read_settings(const std::string& file) {
  std::error_code failed;
  if (std::filesystem::is_directory(file, failed)) return make_error("configuration", file + ": is a folder");
  errno = 0;
  std::ifstream stream(file, std::ios::binary);
  std::string text;
  if (stream) {
    text.resize(kSettingsBytesMax + 1);
    stream.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(stream.gcount()));
  }
  if (!stream.is_open() || stream.bad()) {
    return make_error("configuration", file + ": " + std::generic_category().message(errno == 0 ? EIO : errno));
  }
  if (text.size() > kSettingsBytesMax) {
    return make_error("configuration", file + ": is over " + std::to_string(kSettingsBytesMax) + " bytes");
  }
  return text;
}

std::string resolve_path(const std::string& path, const std::string& folder) {
  if (is_url(path)) return path;
  const char* user_home = std::getenv("HOME");
  if (user_home != nullptr && (path == "~" || path.starts_with("~/"))) return user_home + path.substr(1);
  if (folder.empty() || std::filesystem::path(path).is_absolute()) return path;
  return (std::filesystem::path(folder) / path).lexically_normal().string();
}

std::string in_message(std::string_view text) {
  if (!is_utf8(text)) return "(not UTF-8)";
  std::string line(utf8_prefix(text, 60));
  const bool cut = line.size() < text.size();
  for (char& byte : line) byte = static_cast<unsigned char>(byte) < 0x20 ? ' ' : byte;
  return cut ? line + "…" : line;
}

}  // namespace candor::config
