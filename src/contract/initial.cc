// Writing the first contract: what is published, and beside it as comments what is for the operator to decide.
#include "contract/initial.h"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <utility>

#include "base/ascii.h"
#include "base/render_json.h"
#include "config/config.h"
#include "config/source_names.h"
#include "config/yaml_file.h"
#include "contract/initial_choice.h"
#include "contract/resource_reader.h"

namespace candor::contract {
namespace {

// How the column of a tenant is often called.
constexpr std::string_view kTenants[] = {"workspace_id",    "tenant_id",       "org_id",
                                         "organization_id", "organisation_id", "account_id"};

// ---- texts of YAML ----

bool is_control(char byte) { return static_cast<unsigned char>(byte) < 0x20 || byte == 0x7F; }

// In double quotes, whose escapes YAML has in common with JSON.
std::string quoted(std::string_view text) {
  std::string out;
  append_json_string(out, text);
  return out;
}

// Plain where every reader of YAML takes it for a text.
std::string scalar(std::string_view text) {
  constexpr std::string_view kWords[] = {"null", "true", "false", "yes", "no", "on", "off", "y", "n"};
  const bool word = std::ranges::any_of(kWords, [&](std::string_view other) { return same_name(text, other); });
  return word || !config::identifier_fault(text).empty() ? quoted(text) : std::string(text);
}

// A comment of the database as a description; empty where it can't be one.
std::string description_of(std::string_view comment) {
  if (!is_utf8(comment)) return {};
  std::string text;
  for (const char byte : comment) {
    if (byte == '\n' || !is_control(byte)) text += byte;
  }
  const std::size_t first = text.find_first_not_of(" \n");
  return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(" \n") + 1 - first);
}

// ---- columns ----

bool is_now(std::string_view default_text) {
  const std::string text = lower_ascii(default_text);
  return std::ranges::any_of(
      std::initializer_list<std::string_view>{"current_timestamp", "now(", "current_localtimestamp", "localtimestamp",
                                              "current_date", "'now'", "today("},
      [&](std::string_view part) { return text.find(part) != std::string::npos; });
}

bool is_uuid_maker(std::string_view default_text) {
  const std::string text = lower_ascii(default_text);
  return text.find("uuid") != std::string::npos && text.find('(') != std::string::npos;
}

std::string column_text(const PublishedColumn& column) {
  const FoundColumn& found = *column.found;
  const std::string_view type = to_string(column.type);
  std::string text = "type: " + (is_array(column.type) ? quoted(type) : std::string(type));
  if (column.name != found.name) text += ", column: " + quoted(found.name);
  if (found.nullable && !column.key) text += ", nullable: true";
  if (column.type == Type::kJson) text += ", filterable: false, sortable: false";
  if (column.type == Type::kDatetime && is_now(found.default_text)) {
    text += ", read_only: true, generated: now";
  } else if (column.type == Type::kUuid && column.key && is_uuid_maker(found.default_text)) {
    text += ", read_only: true, generated: uuid";
  } else if (column.key && !found.default_text.empty()) {
    text += ", read_only: true";
  }
  if (!column.allowed.empty()) {
    text += ", enum: [";
    for (std::size_t i = 0; i < column.allowed.size(); ++i) text += (i == 0 ? "" : ", ") + quoted(column.allowed[i]);
    text += "]";
  }
  if (const std::string description = description_of(found.comment); !description.empty()) {
    text += ", description: " + quoted(description);
  }
  return "      " + scalar(column.name) + ": {" + text + "}" +
         (column.allowed.empty() || column.allowed_by_type ? "" : "  # enum: the values that it has now") + "\n";
}

// ---- tables ----

// The name as `table:` has it; empty where its parts could not be told apart.
std::string table_text(const FoundTable& found) {
  if (found.name.empty() || found.schema.find('.') != std::string::npos) return {};
  if (!found.schema.empty()) return found.schema + "." + found.name;
  return found.name.find('.') == std::string::npos ? found.name : std::string();
}

void append_left_out(std::string& out, const PublishedTable& table, const std::string& indent) {
  for (const std::string& line : table.left_out) out += indent + "#   " + line + "\n";
}

const PublishedColumn* soft_delete_of(const PublishedTable& table) {
  const auto column = std::ranges::find_if(table.columns, [](const PublishedColumn& published) {
    return published.type == Type::kDatetime && published.found->nullable &&
           (same_name(published.name, "deleted_at") || same_name(published.name, "deleted_on"));
  });
  return column == table.columns.end() ? nullptr : &*column;
}

void append_table(std::string& out, const PublishedTable& table) {
  const FoundTable& found = *table.found;
  out += "  " + scalar(table.name) + ":\n    table: " + scalar(table_text(found)) + "\n";
  if (const std::string description = description_of(found.comment); !description.empty()) {
    out += "    description: " + quoted(description) + "\n";
  }
  if (!table.key.empty()) out += "    key: " + scalar(table.key) + "\n";
  if (!table.no_key.empty()) out += "    # key: " + table.no_key + "\n";
  out += "    writes: []";
  if (found.view) {
    out += "  # a view";
  } else if (!table.key.empty()) {
    out += "  # [insert, update, delete] opens it; then mark what only the application sets: read_only: true";
  }
  out += "\n";
  if (const PublishedColumn* column = soft_delete_of(table)) {
    out += "    # soft_delete: " + column->name + "  # hides rows that have it; DELETE sets it\n";
  }
  out += "    columns:\n";
  for (const PublishedColumn& column : table.columns) out += column_text(column);
  if (!table.left_out.empty()) out += "      # Left out:\n";
  append_left_out(out, table, "      ");
}

// ---- the whole ----

// The column of a tenant that most tables have.
std::string tenant_of(const std::vector<PublishedTable>& tables) {
  std::string best;
  std::size_t most = 0;
  for (const std::string_view tenant : kTenants) {
    const auto having = static_cast<std::size_t>(std::ranges::count_if(tables, [&](const PublishedTable& table) {
      return std::ranges::any_of(table.found->columns,
                                 [&](const FoundColumn& column) { return same_name(column.name, tenant); });
    }));
    if (having >= 2 && having > most) {
      most = having;
      best = tenant;
    }
  }
  return best;
}

std::string head(const FoundSource& found, const std::string& source, const std::vector<PublishedTable>& tables) {
  std::string out = "# What agents see of the source " + one_line(found.source) +
                    ". Written from its catalog: read it through, and take away what\n"
                    "# is nobody's business. Nothing is written to until `writes` says so.\n";
  out += "contract: " + scalar(source) + "\nsource: " + scalar(source) + "\n# limits: {";
  for (const LimitField& field : limit_fields()) {
    out += (field.name == limit_fields().front().name ? "" : ", ") + std::string(field.name) + ": " +
           std::to_string(config::Configuration().limit(field.name));
  }
  out += "}\n";
  if (const std::string tenant = tenant_of(tables); !tenant.empty()) {
    out += "# scope: {column: " + tenant + ", value: \"${claim." + tenant +
           "}\"}  # each caller sees the rows of one " + tenant + " alone\n";
  }
  return out;
}

// How the tables hang together, for who has to join them.
std::string notes(const std::vector<PublishedTable>& tables) {
  std::map<std::array<std::string, 3>, std::string> paths;  // schema, table and column -> resource.column
  const auto place = [](const std::string& schema, const std::string& table, const std::string& column) {
    return std::array{lower_ascii(schema), lower_ascii(table), lower_ascii(column)};
  };
  for (const PublishedTable& table : tables) {
    for (const PublishedColumn& column : table.columns) {
      paths[place(table.found->schema, table.found->name, column.found->name)] = table.name + "." + column.name;
    }
  }
  std::string out;
  for (const PublishedTable& table : tables) {
    for (const FoundReference& reference : table.found->references) {
      const auto from = paths.find(place(table.found->schema, table.found->name, reference.column));
      const auto to = paths.find(place(reference.schema, reference.table, reference.referred));
      if (from != paths.end() && to != paths.end()) {
        out += "  - " + quoted(from->second + " refers to " + to->second + ".") + "\n";
      }
    }
  }
  return out.empty() ? out : "notes:\n" + out;
}

}  // namespace

Result<std::string> initial_contract(const FoundSource& found) {
  std::vector<PublishedTable> tables;
  std::string left_out;
  IdentifierNames names;
  const std::string source = config::source_name_fault(found.source).empty()
                                 ? found.source
                                 : config::name_for(found.source, [](auto) { return false; });
  for (const FoundTable& table : found.tables) {
    if (!can_be_named(table_text(table))) {
      left_out += "  # " + one_line(table.name) + ": the name can't stand in a contract\n";
      continue;
    }
    PublishedTable published =
        publish(table, names.take(asks_what_there_is(table.name) ? table.name + "_table" : table.name, "table"));
    if (!published.columns.empty()) {
      tables.push_back(std::move(published));
      continue;
    }
    left_out += "  # " + one_line(table.name) + ": no column of it can be published\n";
    append_left_out(left_out, published, "  ");
  }
  if (tables.empty()) {
    return make_error("configuration",
                      "source " + one_line(found.source) + " has no table that a contract could publish");
  }
  std::string out = head(found, source, tables) + notes(tables) + "resources:\n";
  for (const PublishedTable& table : tables) append_table(out, table);
  out += left_out;
  if (out.size() > config::kSettingsBytesMax) {
    return make_error("configuration",
                      "a contract for all " + std::to_string(tables.size()) + " tables would be over " +
                          std::to_string(config::kSettingsBytesMax) + " bytes",
                      "publish fewer tables");
  }
  // What doesn't load is no first contract: said here, rather than by the operator's next command.
  if (auto loaded = parse(out, source); !loaded.ok()) return std::move(loaded).error();
  return out;
}

}  // namespace candor::contract
