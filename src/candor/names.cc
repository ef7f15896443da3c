// Telling the truth about a name that does not exist, and about files whose rows are not all there.
#include "candor/names.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/ascii.h"
#include "base/near_names.h"
#include "candor/lineage.h"
#include "candor/service.h"
#include "sql/lexer.h"

namespace candor {
namespace {

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

std::string last_part(const std::string& name) { return name.substr(name.rfind('.') + 1); }

// Whether one of the mentions means the table.
bool mentioned(const std::vector<sql::TableMention>& mentions, const engine::CatalogTable& table) {
  return std::ranges::any_of(mentions, [&](const sql::TableMention& mention) {
    return lower_ascii(mention.parts.back()) == lower_ascii(table.name) &&
           (mention.parts.size() == 1 || lower_ascii(mention.parts.front()) == lower_ascii(table.source) ||
            (mention.parts.size() == 2 && lower_ascii(mention.parts.front()) == lower_ascii(table.schema)));
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
      } else if (lower_ascii(column.name) == lower_ascii(wanted)) {
        elsewhere.push_back(engine::written_name(table));
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
          "candor schema " + engine::written_name(table) + " shows why"};
}

// Those of the files that the statement names.
Marks files_named(std::string_view statement, const std::vector<engine::CatalogTable>& files) {
  Marks named;
  const std::vector<sql::TableMention> mentions = sql::table_mentions(statement);
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (mentioned(mentions, files[i])) named.insert(i);
  }
  return named;
}

}  // namespace

std::string near_tables(const std::string& wanted, const engine::Catalog& catalog) {
  std::vector<std::string> names;
  for (const engine::CatalogTable& table : catalog.tables) names.push_back(table.name);
  std::set<std::string> shown;
  std::vector<std::string> forms;
  for (const std::string& near : near_names(wanted, names)) {
    for (const engine::CatalogTable& table : catalog.tables) {
      if (table.name == near && shown.insert(engine::written_name(table)).second)
        forms.push_back(engine::written_name(table));
    }
  }
  if (!forms.empty()) return "did you mean " + joined(forms) + "?";
  if (catalog.tables.empty()) {
    return catalog.warnings.empty() ? "there are no tables yet: publish a source with --source NAME=PATH"
                                    : "no table of the published sources can be read: candor schema";
  }
  std::vector<std::string> some;
  for (const engine::CatalogTable& table : catalog.tables) {
    if (some.size() < 5) some.push_back(engine::written_name(table));
  }
  return "there are " + std::to_string(catalog.tables.size()) + " tables, such as " + joined(some);
}

namespace {

// A table that nobody can find may belong to a source that could not be opened, or to a file that was left out.
std::string left_out(const engine::Catalog& catalog) {
  constexpr std::size_t kShown = 3;
  std::string text;
  for (std::size_t i = 0; i < catalog.warnings.size() && i < kShown; ++i) {
    text += (i == 0 ? "" : "; ") + catalog.warnings[i];
  }
  if (catalog.warnings.size() > kShown) text += "; …";
  return text;
}

// For statistics: a column that one table alone could have had is missing in it.
void note_missing(Diagnostic& failure, std::string_view statement, const std::string& wanted, bool table) {
  if (table) {
    failure.resource = wanted;
    return;
  }
  failure.column = wanted;
  const std::vector<sql::TableMention> mentions = sql::table_mentions(statement);
  if (mentions.size() == 1) failure.resource = mentions.front().parts.back();
}

}  // namespace

Diagnostic Service::explain_failure(Session& session, std::string_view statement, Diagnostic failure) {
  const bool table = failure.code == "unknown-table";
  if ((!table && failure.code != "unknown-column") || failure.detail.empty()) return failure;
  const std::string wanted = last_part(failure.detail);
  note_missing(failure, statement, wanted, table);
  const Result<Schema> catalog = session.catalog();
  if (!catalog.ok()) return failure;
  // A table whose file could not be read is there, but has nothing to be asked.
  if (table) {
    for (const engine::CatalogTable& entry : catalog->tables) {
      if (entry.file && !entry.file->failure.empty() && lower_ascii(entry.name) == lower_ascii(wanted)) {
        return make_error("file-error", entry.file->path + " can't be read: " + entry.file->failure,
                          "mend or remove the file; `candor schema` shows all files of the source");
      }
    }
  }
  std::string hint = table ? near_tables(wanted, *catalog) : near_columns(wanted, statement, *catalog);
  if (!hint.empty()) failure.hint = std::move(hint);
  failure.detail = table && !failure.hint.starts_with("did you mean") ? left_out(*catalog) : std::string();
  return failure;
}

void Service::add_table_warnings(Session& session, std::string_view statement, std::vector<Warning>& warnings) {
  const auto incomplete = session.incomplete_files();
  if (!incomplete->empty()) {
    Marks files = files_named(statement, *incomplete);
    if (const auto writes = ledger_->writes_after(session.name(), ""); writes.ok()) {
      files.merge(Lineage(*writes, [&](std::size_t, std::string_view read) {
                    return files_named(read, *incomplete);
                  }).of(statement));
    }
    for (const std::size_t file : files) warnings.push_back(not_parsed((*incomplete)[file]));
  }
  for (const sql::TableMention& mention : sql::table_mentions(statement)) {
    if (mention.parts.size() > 1) continue;
    const std::vector<std::string> hidden = session.hidden_by_scratch(mention.parts.front());
    if (hidden.empty()) continue;
    warnings.push_back({"shadowed-source", "'" + mention.parts.front() + "' was read from the scratch database",
                        "write " + joined(hidden) + " for the published table"});
  }
}

}  // namespace candor
