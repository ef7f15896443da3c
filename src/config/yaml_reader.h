// Reading a YAML file of which every fault is told, with file, line and key: candor.yaml and contracts. What its keys
// mean stands with their readers. yaml-cpp is seen through this header in `config` and `contract` alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <yaml-cpp/yaml.h>

#include "base/result.h"

namespace candor::config {

// Collects faults while a document is read; finish() hands them out in the order of the text. A path is the way to a
// value through its keys: "limits.cell_chars".
class YamlReader {
 public:
  // `file` stands in messages; `thing` is what a key of this file is called: "setting".
  YamlReader(std::string file, std::string thing) : file_(std::move(file)), thing_(std::move(thing)) {}

  // Parses the text and hands its one document to `document`, a null node where the text is empty. Exceptions of yaml-cpp
  // end here, also those out of `document`. Aliases make small files stand for endless trees: `document` may look at no
  // more values than the text has bytes, which a text without aliases can't exceed.
  using Document = std::function<void(const YAML::Node& root)>;
  [[nodiscard]] Status read(const std::string& text, const Document& document);

  // Calls `member` for each member of a map whose key is one of `known` (or any, where none are given). A key that stands
  // twice, is unknown or is no word is a fault. False, with the fault "must be `what`", when the node is no map.
  using Member = std::function<void(const YAML::Node& key, const YAML::Node& value)>;
  bool each_member(const YAML::Node& node, const std::string& path, const std::vector<std::string>& known,
                   std::string_view what, const Member& member);
  // Calls `item` for each item of a list. False, with the fault "must be `what`", when the node is no list.
  bool each_item(const YAML::Node& node, const std::string& path, std::string_view what,
                 const std::function<void(const YAML::Node& item)>& item);

  // Each reads one scalar into `out`; false with a fault where it is something else.
  bool text(const YAML::Node& node, const std::string& path, std::string& out);  // not empty, UTF-8 without NUL
  bool line(const YAML::Node& node, const std::string& path, std::string& out);  // the same, without control characters
  bool boolean(const YAML::Node& node, const std::string& path, bool& out);
  bool whole_number(const YAML::Node& node, const std::string& path, std::int64_t min, std::int64_t max,
                    std::int64_t& out);

  // At most some hundred are kept; the others are counted.
  void fault(const YAML::Node& node, const std::string& path, const std::string& what, std::string hint = {},
             std::string detail = {});
  // A key that isn't among the known: with the near ones as the hint, unless another hint is given.
  void unknown(const YAML::Node& key, const std::string& path, const std::vector<std::string>& known,
               std::string hint = {});

  // Counts a look at a value. False, with one fault in all, when there were too many: the reading should end.
  [[nodiscard]] bool visit(const YAML::Node& node, const std::string& path);

  [[nodiscard]] static std::string joined(const std::string& path, std::string_view key);

 private:
  struct Fault {
    int line = 0;
    std::size_t order = 0;  // in which it was found, among those of its line
    Diagnostic diagnostic;
  };
  void fault_at(int line, const std::string& path, const std::string& what, std::string hint = {},
                std::string detail = {});
  [[nodiscard]] Status finish();

  std::string file_, thing_;
  std::size_t visits_ = 0, visits_max_ = 0;
  std::vector<std::pair<YAML::Node, int>> nothings_;  // values that are null, with the lines of their keys
  std::vector<Fault> faults_;
  std::size_t faults_left_out_ = 0;
};

// "a, b, c", at most so many that a message stays readable.
[[nodiscard]] std::string listed(const std::vector<std::string>& names);
// "write a, or b": the names near to one that doesn't exist, as a hint; empty when none is near.
[[nodiscard]] std::string near_hint(std::string_view wanted, const std::vector<std::string>& known);

}  // namespace candor::config
