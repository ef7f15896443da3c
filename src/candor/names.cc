// Telling the truth about a name that does not exist, and about files whose rows are not all there.
#include "candor/names.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <utility>

#include "base/near_names.h"
#include "candor/service.h"
#include "sql/lexer.h"

namespace candor {
namespace {

std::string lowered(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

std::string full_name(const engine::CatalogTable& table) { return table.source + "." + table.name; }

std::string last_part(const std::string& name) { return name.substr(name.rfind('.') + 1); }

// Whether one of the mentions means the table.
bool mentioned(const std::vector<sql::TableMention>& mentions, const engine::CatalogTable& table) {
  return std::ranges::any_of(mentions, [&](const sql::TableMention& mention) {
    return lowered(mention.parts.back()) == lowered(table.name) &&
           (mention.parts.size() == 1 || lowered(mention.parts.front()) == lowered(table.source));
  });
}

std::string near_columns(const std::string& wanted, std::string_view statement, const engine::Catalog& catalog) {
  const std::vector<sql::TableMention> mentions = sql::table_mentions(statement);
  std::vector<std::string> here;
  std::vector<std::string> elsewhere;
  for (const engine::CatalogTable& table : catalog.tables) {
    const bool in_statement = mentioned(mentions, table);
    for (const engine::CatalogColumn& column : table.columns) {
      if (in_statement) {
        here.push_back(column.name);
      } else if (lowered(column.name) == lowered(wanted)) {
        elsewhere.push_back(full_name(table));
      }
    }
  }
  std::string hint;
  if (const std::vector<std::string> near = near_names(wanted, here); !near.empty()) {
    hint = "did you mean " + joined(near) + "?";
  } else if (!here.empty()) {
    here.resize(std::min<std::size_t>(here.size(), 30));
    hint = "the columns are " + joined(here);
  }
  if (!elsewhere.empty()) {
    elsewhere.resize(std::min<std::size_t>(elsewhere.size(), 3));
    hint += (hint.empty() ? "" : " ") + std::string("a column '") + wanted + "' is in " + joined(elsewhere);
  }
  return hint;
}

Warning not_parsed(const engine::CatalogTable& table) {
  std::string lines;
  for (const engine::RejectedRow& row : table.file->rejected) {
    lines += (lines.empty() ? "" : ", ") + std::to_string(row.line);
  }
  if (table.file->rows_rejected > table.file->rejected.size()) lines += ", …";
  return {"rows-not-parsed",
          std::to_string(table.file->rows_rejected) + " rows of " + table.file->path +
              " did not parse and are in no result (lines " + lines + ")",
          "candor schema " + full_name(table) + " shows why"};
}

}  // namespace

std::string near_tables(const std::string& wanted, const engine::Catalog& catalog) {
  std::vector<std::string> names;
  for (const engine::CatalogTable& table : catalog.tables) names.push_back(table.name);
  std::set<std::string> shown;
  std::vector<std::string> forms;
  for (const std::string& near : near_names(wanted, names)) {
    for (const engine::CatalogTable& table : catalog.tables) {
      if (table.name == near && shown.insert(full_name(table)).second) forms.push_back(full_name(table));
    }
  }
  if (!forms.empty()) return "did you mean " + joined(forms) + "?";
  if (catalog.tables.empty()) return "there are no tables yet: publish a source with --source NAME=PATH";
  std::vector<std::string> some;
  for (const engine::CatalogTable& table : catalog.tables) {
    if (some.size() < 5) some.push_back(full_name(table));
  }
  return "there are " + std::to_string(catalog.tables.size()) + " tables, such as " + joined(some);
}

Diagnostic Service::explain_failure(Session& session, std::string_view statement, Diagnostic failure) {
  const bool table = failure.code == "unknown-table";
  if ((!table && failure.code != "unknown-column") || failure.detail.empty()) return failure;
  const Result<engine::Catalog> catalog = session.catalog();
  if (!catalog.ok()) return failure;
  const std::string wanted = last_part(failure.detail);
  // A table whose file could not be read is there, but has nothing to be asked.
  if (table) {
    for (const engine::CatalogTable& entry : catalog->tables) {
      if (entry.file && !entry.file->failure.empty() && lowered(entry.name) == lowered(wanted)) {
        return make_error("file-error", entry.file->path + " can't be read: " + entry.file->failure,
                          "mend or remove the file; `candor schema` shows all files of the source");
      }
    }
  }
  std::string hint = table ? near_tables(wanted, *catalog) : near_columns(wanted, statement, *catalog);
  if (!hint.empty()) failure.hint = std::move(hint);
  failure.detail.clear();
  return failure;
}

void Service::add_table_warnings(Session& session, std::string_view statement, std::vector<Warning>& warnings) {
  const std::vector<sql::TableMention> mentions = sql::table_mentions(statement);
  if (mentions.empty()) return;
  for (const engine::CatalogTable& table : *session.incomplete_files()) {
    if (mentioned(mentions, table)) warnings.push_back(not_parsed(table));
  }
  for (const sql::TableMention& mention : mentions) {
    if (mention.parts.size() > 1) continue;
    const std::vector<std::string> hidden = session.hidden_by_scratch(mention.parts.front());
    if (hidden.empty()) continue;
    warnings.push_back({"shadowed-source", "'" + mention.parts.front() + "' was read from the scratch database",
                        "write " + joined(hidden) + " for the published table"});
  }
}

}  // namespace candor
