// Reads candor.yaml: known keys alone, every fault with its line.
#include "config/yaml_file.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <functional>

#include <yaml-cpp/yaml.h>

#include "base/ascii.h"
#include "base/near_names.h"
#include "base/render_json.h"
#include "config/source_names.h"

namespace candor::config {
namespace {

// Values visited under a key that is kept for later. Aliases make small files stand for endless trees.
constexpr std::size_t kVisitsMax = 10'000;

class Reader {
 public:
  Reader(std::string file, std::string folder, Configuration& configuration)
      : file_(std::move(file)), folder_(std::move(folder)), configuration_(&configuration) {}

  [[nodiscard]] Status read(const std::string& text) {
    try {
      const std::vector<YAML::Node> documents = YAML::LoadAll(text);
      if (documents.size() > 1) {
        fault(documents[1], "", "a second document: settings are one document");
      } else if (!documents.empty()) {
        top(documents[0]);
      }
    } catch (const YAML::Exception& error) {
      fault_at(error.mark.is_null() ? 0 : error.mark.line + 1, "", "not valid YAML: " + in_message(error.msg));
    }
    return outcome();
  }

 private:
  using Handler = std::function<void(const std::string& key, const YAML::Node& value)>;

  void top(const YAML::Node& root) {
    each_member(root, "", {"sources", "limits", "review", "memory", "log_json"},
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
                    boolean(value, key, configuration_->log_json);
                  }
                });
  }

  void sources(const YAML::Node& node) {
    each_member(node, "sources", {}, [&](const std::string& name, const YAML::Node& value) {
      const std::string path = "sources." + name;
      if (const std::string why = source_name_fault(name); !why.empty()) {
        fault(value, path, "the name " + why);
        return;
      }
      for (const Source& other : configuration_->sources) {
        if (same_name(other.name, name)) fault(value, path, "differs from source " + other.name + " in case alone");
      }
      Source source;
      source.name = name;
      if (value.IsScalar()) {
        source.spec = value.Scalar();
      } else {
        source_settings(value, path, source);
      }
      if (source.spec.empty()) {
        if (value.IsScalar() || value.IsMap()) fault(value, path, "has no path");
        return;
      }
      source.spec = resolve_path(source.spec, folder_);
      if (!source.contract.empty()) source.contract = resolve_path(source.contract, folder_);
      configuration_->sources.push_back(std::move(source));
    });
  }

  void source_settings(const YAML::Node& node, const std::string& path, Source& source) {
    each_member(node, path, {"path", "contract", "encoding", "unsafe_role"},
                [&](const std::string& key, const YAML::Node& part) {
                  if (key == "unsafe_role") return boolean(part, path + "." + key, source.unsafe_role);
                  text(part, path + "." + key,
                       key == "path"       ? source.spec
                       : key == "contract" ? source.contract
                                           : source.encoding);
                });
    if (source.unsafe_role && !is_postgres_url(source.spec)) {
      fault(node, path + ".unsafe_role", "is a setting of PostgreSQL sources alone");
    }
  }

  void limits_of(const YAML::Node& node) {
    std::vector<std::string> names;
    for (const Limit& limit : limits()) names.emplace_back(limit.name);
    each_member(node, "limits", names, [&](const std::string& key, const YAML::Node& value) {
      const auto limit = std::ranges::find(limits(), key, &Limit::name);
      whole_number(value, "limits." + key, limit->min, limit->max, configuration_->limit_values[key]);
    });
  }

  void review(const YAML::Node& node) {
    constexpr std::int64_t kMost = 1'000'000'000'000;
    each_member(
        node, "review", {"probe", "max_rows", "max_key_chars"}, [&](const std::string& key, const YAML::Node& value) {
          const std::string path = "review." + key;
          if (key == "probe") {
            std::string probe;
            if (!text(value, path, probe)) return;
            if (probe != "scratch" && probe != "local" && probe != "all") {
              fault(value, path, "must be scratch, local or all, not " + in_message(probe));
            } else {
              configuration_->review_probe = probe;
            }
          } else {
            whole_number(value, path, 1, kMost,
                         key == "max_rows" ? configuration_->review_max_rows : configuration_->review_max_key_chars);
          }
        });
  }

  // Settings of a part that reads them itself; here only its bounds are watched.
  void memory(const YAML::Node& node) {
    std::size_t visits = 0;
    if (node.IsNull()) return;
    if (!node.IsMap()) {
      fault(node, "memory", "must be a map of settings");
    } else if (!within_bounds(node, 0, visits)) {
      fault(node, "memory", "holds more than " + std::to_string(kVisitsMax) + " values or is nested too deep");
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

  // Calls `handler` for each member of a map whose key is one of `known` (or any, where none are given).
  void each_member(const YAML::Node& node, const std::string& path, const std::vector<std::string>& known,
                   const Handler& handler) {
    if (node.IsNull() && !path.starts_with("sources.")) return;
    if (!node.IsMap()) {
      fault(node, path,
            path.starts_with("sources.") ? "must be a path or a map with path" : "must be a map of settings");
      return;
    }
    std::vector<std::string> seen;
    for (const auto& member : node) {
      if (!member.first.IsScalar()) {
        fault(member.first, path, "a key must be a word");
        continue;
      }
      const std::string& key = member.first.Scalar();
      if (std::ranges::find(seen, key) != seen.end()) {
        fault(member.first, joined(path, key), "stands here twice");
      } else if (!known.empty() && std::ranges::find(known, key) == known.end()) {
        unknown(member.first, path, known);
      } else {
        handler(key, member.second);
      }
      seen.push_back(key);
    }
  }

  void unknown(const YAML::Node& key, const std::string& path, const std::vector<std::string>& known) {
    std::string hint;
    for (const std::string& near : near_names(key.Scalar(), known)) hint += (hint.empty() ? "" : ", or ") + near;
    if (!hint.empty()) hint = "write " + hint;
    const bool limit = std::ranges::find(limits(), key.Scalar(), &Limit::name) != limits().end();
    if (path.empty() && limit) hint = "write it below limits:";
    fault(key, joined(path, key.Scalar()), "there is no such setting", hint, "there are: " + list(known));
  }

  bool text(const YAML::Node& node, const std::string& path, std::string& out) {
    if (!node.IsScalar() || node.Scalar().empty()) {
      fault(node, path, "must be a text");
      return false;
    }
    out = node.Scalar();
    return true;
  }

  void boolean(const YAML::Node& node, const std::string& path, bool& out) {
    const std::string value = node.IsScalar() ? node.Scalar() : "";
    if (value != "true" && value != "false") {
      fault(node, path, "must be true or false");
      return;
    }
    out = value == "true";
  }

  void whole_number(const YAML::Node& node, const std::string& path, std::int64_t min, std::int64_t max,
                    std::int64_t& out) {
    const std::string value = node.IsScalar() ? node.Scalar() : "";
    std::int64_t number = 0;
    const auto done = std::from_chars(value.data(), value.data() + value.size(), number);
    const bool whole = !value.empty() && done.ec == std::errc() && done.ptr == value.data() + value.size();
    if (whole && number >= min && number <= max) {
      out = number;
      return;
    }
    fault(node, path,
          "must be a whole number from " + std::to_string(min) + " to " + std::to_string(max) +
              (node.IsScalar() ? ", not " + in_message(value) : ""));
  }

  static std::string joined(const std::string& path, const std::string& key) {
    return path.empty() ? in_message(key) : path + "." + in_message(key);
  }

  static std::string list(const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
    return text;
  }

  void fault(const YAML::Node& node, const std::string& path, const std::string& what, std::string hint = {},
             std::string detail = {}) {
    const YAML::Mark mark = node.Mark();
    fault_at(mark.is_null() ? 0 : mark.line + 1, path, what, std::move(hint), std::move(detail));
  }

  void fault_at(int line, const std::string& path, const std::string& what, std::string hint = {},
                std::string detail = {}) {
    std::string message = file_;
    if (line > 0) message += ":" + std::to_string(line);
    message += ": " + (path.empty() ? "" : in_message(path) + ": ") + what;
    faults_.push_back(make_error("configuration", std::move(message), std::move(hint), std::move(detail)));
  }

  Status outcome() {
    if (faults_.empty()) return Ok{};
    Diagnostic first = std::move(faults_.front());
    first.others.assign(std::make_move_iterator(faults_.begin() + 1), std::make_move_iterator(faults_.end()));
    return first;
  }

  std::string file_, folder_;
  Configuration* configuration_;
  std::vector<Diagnostic> faults_;
};

}  // namespace

Status read_yaml(const std::string& text, const std::string& name, const std::string& folder,
                 Configuration& configuration) {
  if (!is_utf8(text) || text.find('\0') != std::string::npos) {
    return make_error("configuration", name + ": is not a text in UTF-8");
  }
  return Reader(name, folder, configuration).read(text);
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
