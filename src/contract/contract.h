// A contract: what an operator publishes of a source, read from a YAML file. The format: docs/contract.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace candor::config {
struct Configuration;
}

namespace candor::contract {

enum class Type : std::uint8_t {
  kString,
  kInteger,  // 64 bits
  kNumber,   // a double
  kDecimal,
  kBoolean,
  kDate,
  kDatetime,  // UTC, without a zone
  kUuid,
  kJson,
  kStringArray,
  kIntegerArray,
};
[[nodiscard]] std::string_view to_string(Type type);  // "string[]"
[[nodiscard]] std::optional<Type> type_of(std::string_view name);
[[nodiscard]] bool is_array(Type type);

struct Column {
  std::string name;
  std::string stored;  // the column of the table; the same name where nothing else was written
  Type type = Type::kString;
  bool nullable = false;
  bool filterable = true;
  bool sortable = true;
  bool read_only = false;
  enum class Generated : std::uint8_t { kNot, kUuid, kNow };
  Generated generated = Generated::kNot;
  std::vector<std::string> allowed;  // `enum` of a string; empty: any
  std::string description;
};

// A column that agents look for and that isn't there, and what to say of it.
struct Absent {
  std::string name, text;
};

struct Resource {
  std::string name;
  std::string table;  // or view, as the source names it; "schema.table" where it stands in a schema of its own
  std::string description;
  std::string key;  // a column; empty: none, then it takes no writes
  bool insert = false, update = false, remove = false;
  std::string soft_delete;  // a column that DELETE sets to the time; reads skip rows that have it. Empty: none
  std::vector<Column> columns;
  std::vector<Absent> absent;

  [[nodiscard]] const Column* find(std::string_view column) const;         // without regard to case; null: none
  [[nodiscard]] const Absent* find_absent(std::string_view column) const;  // the same
  [[nodiscard]] bool takes_writes() const { return insert || update || remove; }
};

// `table` in its parts: the schema (empty: the source's own) ends at the first dot. Points into the resource.
struct TableName {
  std::string_view schema, name;
};
[[nodiscard]] TableName table_name(const Resource& resource);

// Every reference to a table that has `column` sees the rows of one value of it alone.
struct Scope {
  std::string column;
  std::string claim;  // the caller's claim that has the value; empty: `value` stands in the file
  std::string value;
};

struct Contract {
  std::string name;
  std::string source;
  std::string file;  // where it was read from
  std::int64_t rows_per_statement = 0;
  std::int64_t statements_per_batch = 0;
  std::int64_t result_chars = 0;
  std::int64_t predicate_depth = 0;
  std::optional<Scope> scope;
  std::vector<std::string> notes;
  std::vector<Resource> resources;

  [[nodiscard]] const Resource* find(std::string_view resource) const;  // without regard to case; null: none
  [[nodiscard]] bool takes_writes() const;                              // any of its resources does
};

// Reads the file. Fails with `configuration`; every fault is told with file, line and key: the first as the Diagnostic,
// the others as its `others`. Limits that the file leaves out are those of the table of limits.
[[nodiscard]] Result<Contract> load(const std::string& path);
// The same from a text; `name` stands in messages.
[[nodiscard]] Result<Contract> parse(std::string_view text, const std::string& name);

// The same two, but limits that the file leaves out are those of the configuration.
[[nodiscard]] Result<Contract> load(const std::string& path, const config::Configuration& standards);
[[nodiscard]] Result<Contract> parse(std::string_view text, const std::string& name,
                                     const config::Configuration& standards);

// The limits that a contract can set, by their names in the table of limits; the order of that table.
struct LimitField {
  std::string_view name;
  std::int64_t Contract::* value;
};
[[nodiscard]] std::span<const LimitField> limit_fields();

}  // namespace candor::contract
