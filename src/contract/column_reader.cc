// The keys of a column.
#include "contract/column_reader.h"

#include <optional>
#include <unordered_set>
#include <utility>
#include <vector>

#include "config/yaml_file.h"
#include "contract/type_names.h"

namespace candor::contract {
namespace {

using config::YamlReader;

const std::vector<std::string>& column_keys() {
  static const std::vector<std::string> keys = {"type",     "column",    "stored",    "nullable", "filterable",
                                                "sortable", "read_only", "generated", "enum",     "description"};
  return keys;
}

class Reader {
 public:
  Reader(YamlReader& in, std::string path, ReadColumn& read) : in_(in), path_(std::move(path)), read_(read) {}

  void shorthand_or_map(const YAML::Node& value) {
    if (value.IsScalar()) return type(value, path_);
    std::optional<YAML::Node> named, values, generated;  // the last two depend on the first
    const bool map = in_.each_member(value, path_, column_keys(), "a type or a map with type",
                                     [&](const YAML::Node& key, const YAML::Node& part) {
                                       if (key.Scalar() == "type") {
                                         named.emplace(part);
                                       } else if (key.Scalar() == "enum") {
                                         values.emplace(part);
                                       } else if (key.Scalar() == "generated") {
                                         generated.emplace(part);
                                       } else {
                                         plain(key.Scalar(), part);
                                       }
                                     });
    if (!map) return;
    if (named) {
      type(*named, YamlReader::joined(path_, "type"));
    } else {
      in_.fault(read_.key, path_, "has no type", "type: string", types());
    }
    if (generated) generate(*generated, YamlReader::joined(path_, "generated"));
    if (values) allow(*values, YamlReader::joined(path_, "enum"));
  }

 private:
  static std::string types() {
    std::string text = "types:";
    for (const std::string& name : type_names()) text += " " + name;
    return text;
  }

  void type(const YAML::Node& node, const std::string& path) {
    std::string name;
    if (!in_.text(node, path, name)) return;
    const std::optional<Type> known = type_of(name);
    if (!known) {
      // Most often it is the name of a type of some engine.
      const std::optional<Type> meant = type_of_stored(name);
      in_.fault(node, path, "there is no type " + config::in_message(name),
                meant ? "write " + std::string(to_string(*meant)) : config::near_hint(name, type_names()), types());
      return;
    }
    read_.column.type = *known;
    read_.typed = true;
  }

  // Keys that stand for themselves, whatever the others say.
  void plain(const std::string& key, const YAML::Node& node) {
    const std::string path = YamlReader::joined(path_, key);
    Column& column = read_.column;
    if (key == "column" || key == "stored") {
      if (renamed_) in_.fault(node, path, "column and stored are the same: write one of them");
      renamed_ = true;
      in_.line(node, path, column.stored);
    } else if (key == "description") {
      in_.text(node, path, column.description);
    } else if (key == "read_only") {
      if (in_.boolean(node, path, column.read_only)) read_.said_writable = !column.read_only;
    } else {
      in_.boolean(node, path,
                  key == "nullable"     ? column.nullable
                  : key == "filterable" ? column.filterable
                                        : column.sortable);
    }
  }

  void generate(const YAML::Node& node, const std::string& path) {
    std::string what;
    if (!in_.text(node, path, what)) return;
    const Type type = read_.column.type;
    if (what == "uuid") {
      if (read_.typed && type != Type::kUuid && type != Type::kString)
        return misfit(node, path, what, "uuid or string");
      read_.column.generated = Column::Generated::kUuid;
    } else if (what == "now") {
      if (read_.typed && type != Type::kDatetime && type != Type::kDate) {
        return misfit(node, path, what, "datetime or date");
      }
      read_.column.generated = Column::Generated::kNow;
    } else {
      in_.fault(node, path, "must be uuid or now, not " + config::in_message(what));
    }
  }

  void misfit(const YAML::Node& node, const std::string& path, const std::string& what, const std::string& types) {
    in_.fault(node, path,
              what + " is for a column of type " + types + ", not " + std::string(to_string(read_.column.type)));
  }

  void allow(const YAML::Node& node, const std::string& path) {
    if (read_.typed && read_.column.type != Type::kString) {
      in_.fault(node, path, "is for a column of type string, not " + std::string(to_string(read_.column.type)));
      return;
    }
    std::vector<std::string>& allowed = read_.column.allowed;
    const bool list = in_.each_item(node, path, "a list of texts", [&](const YAML::Node& item) {
      std::string value;
      const bool empty = item.IsScalar() && item.Scalar().empty();  // an empty text is a value like others
      if (!empty && !in_.text(item, path, value)) return;
      if (!seen_.insert(value).second) {
        in_.fault(item, path, "has " + config::in_message(value) + " twice");
      } else {
        allowed.push_back(std::move(value));
      }
    });
    if (list && node.size() == 0) in_.fault(node, path, "allows no value: leave it out, or name some");
  }

  YamlReader& in_;
  std::string path_;
  ReadColumn& read_;
  bool renamed_ = false;
  std::unordered_set<std::string> seen_;
};

}  // namespace

ReadColumn read_column(YamlReader& in, const YAML::Node& key, const YAML::Node& value, const std::string& path) {
  ReadColumn read;
  read.key = key;
  read.column.name = key.Scalar();
  Reader(in, path, read).shorthand_or_map(value);
  if (read.column.stored.empty()) read.column.stored = read.column.name;
  return read;
}

}  // namespace candor::contract
