// One resource at a time: first its keys, then what they say of one another.
#include "contract/resource_reader.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/ascii.h"
#include "config/source_names.h"
#include "config/yaml_file.h"
#include "contract/column_reader.h"
#include "contract/type_names.h"

namespace candor::contract {
namespace {

using config::YamlReader;

const std::vector<std::string>& resource_keys() {
  static const std::vector<std::string> keys = {"table",       "description", "key",   "writes",
                                                "soft_delete", "columns",     "absent"};
  return keys;
}

// Names by which agents ask what there is.
constexpr std::string_view kDiscoveryNames[] = {"information_schema", "sqlite_master", "sqlite_schema"};

// Whether a text can stand for a value of the type: a scope's value is compared with a column of it.
bool fits(const std::string& text, Type type) {
  if (type == Type::kInteger) {
    std::int64_t number = 0;
    const auto done = std::from_chars(text.data(), text.data() + text.size(), number);
    return done.ec == std::errc() && done.ptr == text.data() + text.size();
  }
  if (type != Type::kUuid) return true;
  constexpr std::string_view kShape = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";
  return std::ranges::equal(text, kShape, [](char c, char shape) {
    const char lower = lower_ascii(c);
    return shape == '-' ? c == '-' : (c >= '0' && c <= '9') || (lower >= 'a' && lower <= 'f');
  });
}

class Reader {
 public:
  Reader(YamlReader& in, const std::optional<Scope>& scope, Resource& resource, std::string path)
      : in_(in), scope_(scope), resource_(resource), path_(std::move(path)) {}

  void read(const YAML::Node& key, const YAML::Node& value) {
    const bool map =
        in_.each_member(value, path_, resource_keys(), "a map with columns",
                        [&](const YAML::Node& name, const YAML::Node& part) { parts_.emplace(name.Scalar(), part); });
    if (!map) return;
    with("table", &Reader::table);
    with("description",
         [this](const YAML::Node& node, const std::string& at) { in_.text(node, at, resource_.description); });
    with("columns", &Reader::columns);
    if (!parts_.contains("columns")) in_.fault(key, path_, "has no columns", "columns: {id: integer}");
    with("writes", &Reader::writes);
    with("key", &Reader::key);
    if (resource_.takes_writes() && !parts_.contains("key")) {
      in_.fault(parts_.at("writes"), at("writes"),
                "a resource that takes writes needs a key, one column that names a row", "key: COLUMN");
    }
    with("soft_delete", &Reader::soft_delete);
    scope_column();
    with("absent", &Reader::absent);
    for (ReadColumn& read : columns_) resource_.columns.push_back(std::move(read.column));
  }

 private:
  std::string at(std::string_view key) const { return YamlReader::joined(path_, key); }

  template <typename Read>
  void with(const std::string& key, Read reader) {
    const auto found = parts_.find(key);
    if (found == parts_.end()) return;
    if constexpr (std::is_member_function_pointer_v<Read>) {
      (this->*reader)(found->second, at(key));
    } else {
      reader(found->second, at(key));
    }
  }

  void table(const YAML::Node& node, const std::string& path) {
    if (!in_.line(node, path, resource_.table)) return;
    const auto [schema, name] = table_name(resource_);
    if (name.empty() || (schema.empty() && resource_.table.front() == '.')) {
      in_.fault(node, path, "must be a table or schema.table, not " + config::in_message(resource_.table));
    }
  }

  void columns(const YAML::Node& node, const std::string& path) {
    std::unordered_set<std::string> names;
    std::map<std::string, std::string> stored;
    const auto column = [&](const YAML::Node& key, const YAML::Node& value) {
      const std::string& name = key.Scalar();
      const std::string here = YamlReader::joined(path, name);
      if (const std::string why = config::identifier_fault(name); !why.empty()) {
        in_.fault(
            key, here, "the name " + why,
            config::identifier_from(name, "name") + ": {type: string, column: \"" + config::in_message(name) + "\"}");
        return;
      }
      if (!names.insert(lower_ascii(name)).second) {
        in_.fault(key, here, "differs from another column in case alone");
        return;
      }
      columns_.push_back(read_column(in_, key, value, here));
      const Column& read = columns_.back().column;
      const auto [other, fresh] = stored.emplace(lower_ascii(read.stored), name);
      if (!fresh) in_.fault(key, here, "stands for the same column of the table as " + other->second);
    };
    const bool map = in_.each_member(node, path, {}, "a map from columns to their types", column);
    if (map && node.size() == 0) in_.fault(node, path, "has no columns");
  }

  void writes(const YAML::Node& node, const std::string& path) {
    static const std::vector<std::string> known = {"insert", "update", "delete"};
    in_.each_item(node, path, "a list of insert, update and delete", [&](const YAML::Node& item) {
      std::string kind;
      if (!in_.text(item, path, kind)) return;
      bool* write = kind == "insert"   ? &resource_.insert
                    : kind == "update" ? &resource_.update
                    : kind == "delete" ? &resource_.remove
                                       : nullptr;
      if (write == nullptr) {
        in_.fault(item, path, "there is no write " + config::in_message(kind), config::near_hint(kind, known),
                  "there are: " + config::listed(known));
      } else if (std::exchange(*write, true)) {
        in_.fault(item, path, "has " + kind + " twice");
      }
    });
  }

  // The column that a key of the resource names; null with a fault where there is none.
  ReadColumn* named(const YAML::Node& node, const std::string& path) {
    std::string name;
    if (!in_.text(node, path, name)) return nullptr;
    const auto found =
        std::ranges::find_if(columns_, [&](const ReadColumn& read) { return same_name(read.column.name, name); });
    if (found != columns_.end()) return &*found;
    std::vector<std::string> names;
    for (const ReadColumn& read : columns_) names.push_back(read.column.name);
    // A resource whose columns were not understood was told so already.
    if (!names.empty()) {
      in_.fault(node, path, "the resource has no column " + config::in_message(name), config::near_hint(name, names),
                "columns: " + config::listed(names));
    }
    return nullptr;
  }

  void key(const YAML::Node& node, const std::string& path) {
    const ReadColumn* read = named(node, path);
    if (read == nullptr) return;
    const Column& column = read->column;
    resource_.key = column.name;
    if (!read->typed) return;
    // A key must find its row again exactly, and stand in an IN list.
    constexpr Type kKeys[] = {Type::kString, Type::kInteger, Type::kDecimal, Type::kDate, Type::kDatetime, Type::kUuid};
    if (std::ranges::find(kKeys, column.type) == std::end(kKeys)) {
      in_.fault(node, path, "a column of type " + std::string(to_string(column.type)) + " can't be the key");
    }
    if (column.nullable) {
      in_.fault(node, path, "the column " + column.name + " is nullable: a key is in every row", "nullable: false");
    }
    if (!column.filterable && resource_.takes_writes()) {
      in_.fault(node, path, "the column " + column.name + " must be filterable: writes are told apart by the key",
                "filterable: true");
    }
  }

  void soft_delete(const YAML::Node& node, const std::string& path) {
    ReadColumn* read = named(node, path);
    if (read == nullptr) return;
    Column& column = read->column;
    resource_.soft_delete = column.name;
    only_set_by_candor(*read, "is set by DELETE alone");
    if (!read->typed) return;
    if (column.type != Type::kDatetime) {
      in_.fault(node, path,
                "the column " + column.name + " must be of type datetime, not " + std::string(to_string(column.type)));
    } else if (!column.nullable) {
      in_.fault(node, path, "the column " + column.name + " must be nullable: it is NULL in rows that stand",
                "nullable: true");
    }
  }

  // The scope's column needs not be published; where it is, its values must be what the scope compares it with.
  void scope_column() {
    if (!scope_) return;
    for (ReadColumn& read : columns_) {
      const Column& column = read.column;
      if (!same_name(column.stored, scope_->column)) continue;
      only_set_by_candor(read, "is the scope's column, which is filled in");
      if (!read.typed) return;
      const std::string here = YamlReader::joined(at("columns"), column.name);
      if (column.type != Type::kString && column.type != Type::kInteger && column.type != Type::kUuid) {
        in_.fault(
            read.key, here,
            "the scope's column must be of type string, integer or uuid, not " + std::string(to_string(column.type)));
      } else if (scope_->claim.empty() && !fits(scope_->value, column.type)) {
        in_.fault(
            read.key, here,
            "the scope's value " + config::in_message(scope_->value) + " is no " + std::string(to_string(column.type)));
      }
      return;
    }
  }

  // No statement can write such a column: it is read-only without a word, and never the opposite.
  void only_set_by_candor(ReadColumn& read, const std::string& why) {
    if (read.said_writable) {
      in_.fault(read.key, YamlReader::joined(YamlReader::joined(at("columns"), read.column.name), "read_only"),
                "can't be false: the column " + why, "read_only: true");
    }
    read.column.read_only = true;
  }

  void absent(const YAML::Node& node, const std::string& path) {
    std::unordered_set<std::string> names;
    in_.each_member(node, path, {}, "a map from names to what is said of them",
                    [&](const YAML::Node& key, const YAML::Node& value) {
                      const std::string& name = key.Scalar();
                      const std::string here = YamlReader::joined(path, name);
                      Absent absent{name, ""};
                      if (const std::string why = config::identifier_fault(name); !why.empty()) {
                        in_.fault(key, here, "the name " + why);
                      } else if (!names.insert(lower_ascii(name)).second) {
                        in_.fault(key, here, "differs from another name in case alone");
                      } else if (std::ranges::any_of(columns_, [&](const ReadColumn& read) {
                                   return same_name(read.column.name, name);
                                 })) {
                        in_.fault(key, here, "is a column of the resource");
                      } else if (in_.text(value, here, absent.text)) {
                        resource_.absent.push_back(std::move(absent));
                      }
                    });
  }

  YamlReader& in_;
  const std::optional<Scope>& scope_;
  Resource& resource_;
  std::string path_;
  std::map<std::string, YAML::Node> parts_;
  std::vector<ReadColumn> columns_;
};

}  // namespace

bool asks_what_there_is(std::string_view name) {
  return std::ranges::any_of(kDiscoveryNames, [&](std::string_view other) { return same_name(name, other); });
}

void read_resources(YamlReader& in, const YAML::Node& resources, Contract& contract) {
  std::unordered_set<std::string> names;
  const auto resource = [&](const YAML::Node& key, const YAML::Node& value) {
    const std::string& name = key.Scalar();
    const std::string path = YamlReader::joined("resources", name);
    if (const std::string why = config::identifier_fault(name); !why.empty()) {
      in.fault(key, path, "the name " + why, config::identifier_from(name, "name") + ": {table: …}");
      return;
    }
    if (!names.insert(lower_ascii(name)).second) {
      in.fault(key, path, "differs from another resource in case alone");
      return;
    }
    if (asks_what_there_is(name)) {
      in.fault(key, path, "is a name by which agents ask what there is");
    }
    Resource read;
    read.name = name;
    read.table = name;
    Reader(in, contract.scope, read, path).read(key, value);
    contract.resources.push_back(std::move(read));
  };
  const bool map = in.each_member(resources, "resources", {}, "a map from resources to their tables", resource);
  if (map && resources.size() == 0) in.fault(resources, "resources", "publishes nothing");
}

}  // namespace candor::contract
