// Walking over yaml-cpp's nodes, and the list of faults.
#include "config/yaml_reader.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <sstream>
#include <unordered_set>
#include <utility>

#include <yaml-cpp/depthguard.h>
#include <yaml-cpp/eventhandler.h>

#include "base/near_names.h"
#include "base/render_json.h"
#include "config/yaml_file.h"

namespace candor::config {
namespace {

constexpr std::size_t kFaultsMax = 200;
constexpr std::size_t kListedMax = 40;
// A text too small for its own bytes to be a bound: `{a: *a, b: *a}` is no attack.
constexpr std::size_t kVisitsMin = 1'000;

int line_of(const YAML::Mark& mark) { return mark.is_null() ? 0 : mark.line + 1; }

// Where documents begin. yaml-cpp's own LoadAll makes documents without end of a comma that belongs to nothing.
class DocumentStarts : public YAML::EventHandler {
 public:
  void OnDocumentStart(const YAML::Mark& mark) override { starts_.push_back(mark); }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark&, YAML::anchor_t) override {}
  void OnAlias(const YAML::Mark&, YAML::anchor_t) override {}
  void OnScalar(const YAML::Mark&, const std::string&, YAML::anchor_t, const std::string&) override {}
  void OnSequenceStart(const YAML::Mark&, const std::string&, YAML::anchor_t, YAML::EmitterStyle::value) override {}
  void OnSequenceEnd() override {}
  void OnMapStart(const YAML::Mark&, const std::string&, YAML::anchor_t, YAML::EmitterStyle::value) override {}
  void OnMapEnd() override {}

  // The second document, or what yaml-cpp takes for one; null where the text has none.
  static YAML::Mark second(const std::string& text) {
    std::istringstream stream(text);
    YAML::Parser parser(stream);
    DocumentStarts documents;
    const bool more = parser.HandleNextDocument(documents) && parser.HandleNextDocument(documents);
    return more ? documents.starts_.back() : YAML::Mark::null_mark();
  }

 private:
  std::vector<YAML::Mark> starts_;
};

bool is_control(char byte) { return static_cast<unsigned char>(byte) < 0x20 || byte == 0x7F; }

}  // namespace

Status YamlReader::read(const std::string& text, const Document& document) {
  visits_max_ = std::max(text.size(), kVisitsMin);
  if (!is_utf8(text) || text.find('\0') != std::string::npos) {
    return make_error("configuration", file_ + ": is not a text in UTF-8");
  }
  try {
    if (const YAML::Mark second = DocumentStarts::second(text); !second.is_null()) {
      fault_at(line_of(second), "", "not valid YAML from here on, or a second document: a file is one");
    } else {
      document(YAML::Load(text));
    }
  } catch (const YAML::DeepRecursion& error) {
    fault_at(line_of(error.mark), "", "is nested too deep");
  } catch (const YAML::Exception& error) {
    fault_at(line_of(error.mark), "", "not valid YAML: " + in_message(error.msg));
  }
  return finish();
}

bool YamlReader::each_member(const YAML::Node& node, const std::string& path, const std::vector<std::string>& known,
                             std::string_view what, const Member& member) {
  if (!node.IsMap()) {
    fault(node, path, "must be " + std::string(what));
    return false;
  }
  std::unordered_set<std::string> seen;
  for (const auto& entry : node) {
    if (!visit(entry.first, path)) return true;
    if (!entry.first.IsScalar()) {
      fault(entry.first, path, "a key must be a word");
      continue;
    }
    const std::string& key = entry.first.Scalar();
    // yaml-cpp says that nothing stands where the next thing stands.
    if (entry.second.IsNull()) nothings_.emplace_back(entry.second, line_of(entry.first.Mark()));
    if (!seen.insert(key).second) {
      fault(entry.first, joined(path, key), "stands here twice");
    } else if (!known.empty() && std::ranges::find(known, key) == known.end()) {
      unknown(entry.first, path, known);
    } else {
      member(entry.first, entry.second);
    }
  }
  return true;
}

bool YamlReader::each_item(const YAML::Node& node, const std::string& path, std::string_view what,
                           const std::function<void(const YAML::Node& item)>& item) {
  if (!node.IsSequence()) {
    fault(node, path, "must be " + std::string(what));
    return false;
  }
  for (const auto& entry : node) {
    if (!visit(entry, path)) return true;
    item(entry);
  }
  return true;
}

bool YamlReader::text(const YAML::Node& node, const std::string& path, std::string& out) {
  if (!node.IsScalar() || node.Scalar().empty()) {
    fault(node, path, "must be a text");
    return false;
  }
  // Escapes inside quotes can make what the file itself may not hold.
  if (!is_utf8(node.Scalar()) || node.Scalar().find('\0') != std::string::npos) {
    fault(node, path, "must be a text without NUL");
    return false;
  }
  out = node.Scalar();
  return true;
}

bool YamlReader::line(const YAML::Node& node, const std::string& path, std::string& out) {
  std::string read;
  if (!text(node, path, read)) return false;
  if (std::ranges::any_of(read, is_control)) {
    fault(node, path, "must be one line of text");
    return false;
  }
  out = std::move(read);
  return true;
}

bool YamlReader::boolean(const YAML::Node& node, const std::string& path, bool& out) {
  const std::string value = node.IsScalar() ? node.Scalar() : "";
  if (value != "true" && value != "false") {
    fault(node, path, "must be true or false");
    return false;
  }
  out = value == "true";
  return true;
}

bool YamlReader::whole_number(const YAML::Node& node, const std::string& path, std::int64_t min, std::int64_t max,
                              std::int64_t& out) {
  const std::string value = node.IsScalar() ? node.Scalar() : "";
  std::int64_t number = 0;
  const auto done = std::from_chars(value.data(), value.data() + value.size(), number);
  const bool whole = !value.empty() && done.ec == std::errc() && done.ptr == value.data() + value.size();
  if (whole && number >= min && number <= max) {
    out = number;
    return true;
  }
  fault(node, path,
        "must be a whole number from " + std::to_string(min) + " to " + std::to_string(max) +
            (node.IsScalar() ? ", not " + in_message(value) : ""));
  return false;
}

void YamlReader::unknown(const YAML::Node& key, const std::string& path, const std::vector<std::string>& known,
                         std::string hint) {
  if (hint.empty()) hint = near_hint(key.Scalar(), known);
  fault(key, joined(path, key.Scalar()), "there is no such " + thing_, std::move(hint), "there are: " + listed(known));
}

bool YamlReader::visit(const YAML::Node& node, const std::string& path) {
  if (++visits_ == visits_max_ + 1) fault(node, path, "its aliases stand for more values than the text has characters");
  return visits_ <= visits_max_;
}

std::string YamlReader::joined(const std::string& path, std::string_view key) {
  return path.empty() ? in_message(key) : path + "." + in_message(key);
}

void YamlReader::fault(const YAML::Node& node, const std::string& path, const std::string& what, std::string hint,
                       std::string detail) {
  if (faults_.size() >= kFaultsMax) {
    ++faults_left_out_;
    return;
  }
  const auto nothing =
      std::ranges::find_if(nothings_, [&](const auto& known) { return node.IsNull() && known.first.is(node); });
  fault_at(nothing == nothings_.end() ? line_of(node.Mark()) : nothing->second, path, what, std::move(hint),
           std::move(detail));
}

void YamlReader::fault_at(int line, const std::string& path, const std::string& what, std::string hint,
                          std::string detail) {
  std::string message = file_;
  if (line > 0) message += ":" + std::to_string(line);
  message += ": " + (path.empty() ? "" : path + ": ") + what;
  faults_.push_back(
      {line, faults_.size(), make_error("configuration", std::move(message), std::move(hint), std::move(detail))});
}

Status YamlReader::finish() {
  if (faults_.empty()) return Ok{};
  std::ranges::sort(faults_, {}, [](const Fault& fault) { return std::pair(fault.line, fault.order); });
  Diagnostic first = std::move(faults_.front().diagnostic);
  for (auto fault = faults_.begin() + 1; fault != faults_.end(); ++fault) {
    first.others.push_back(std::move(fault->diagnostic));
  }
  if (faults_left_out_ > 0) {
    first.others.push_back(
        make_error("configuration", file_ + ": " + std::to_string(faults_left_out_) + " more faults are not told"));
  }
  return first;
}

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kListedMax); ++i) {
    text += (i == 0 ? "" : ", ") + in_message(names[i]);
  }
  if (names.size() > kListedMax) text += " and " + std::to_string(names.size() - kListedMax) + " more";
  return text;
}

std::string near_hint(std::string_view wanted, const std::vector<std::string>& known) {
  std::string hint;
  for (const std::string& near : near_names(wanted, known)) hint += (hint.empty() ? "write " : ", or ") + near;
  return hint;
}

}  // namespace candor::config
