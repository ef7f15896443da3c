// Which engine a statement is for: told by the tables that it mentions.
#include <algorithm>
#include <cctype>
#include <iterator>
#include <optional>
#include <set>
#include <utility>

#include "base/ascii.h"
#include "base/near_names.h"
#include "candor/session.h"
#include "config/source_names.h"
#include "sql/lexer.h"

namespace candor {
namespace {

template <typename Map>
auto find_named(Map& map, std::string_view name) {
  return std::ranges::find_if(map, [&](const auto& entry) { return same_name(entry.first, name); });
}

bool has_table(const engine::Catalog& catalog, std::string_view name) {
  return std::ranges::any_of(catalog.tables,
                             [&](const engine::CatalogTable& table) { return same_name(table.name, name); });
}

std::string joined(const std::vector<std::string>& names, std::string_view separator) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : std::string(separator)) + name;
  return text;
}

Diagnostic ambiguous(const std::string& table, const std::vector<std::string>& owners,
                     const std::vector<std::string>& forms) {
  return make_error("ambiguous-table", "'" + table + "' is a table of several sources: " + joined(owners, ", "),
                    "write " + joined(forms, " or "));
}

Diagnostic two_engines(const std::set<std::string>& lite, bool duckdb) {
  std::vector<std::string> names(lite.begin(), lite.end());
  const std::string first = names.front();
  if (duckdb) names.emplace_back("the DuckDB side");
  return make_error("sources-in-two-engines", "the statement reads tables of " + joined(names, " and ") + " at once",
                    "copy the rows of '" + first + "' into the scratch database with materialize, then join there");
}

constexpr std::string_view kCreate = "create";

// The word of a write that the statement begins with; empty: it begins with none.
std::string_view write_word(std::string_view sql) {
  constexpr std::string_view kWrites[] = {kCreate, "insert", "update", "delete", "drop"};
  const std::vector<sql::Token> tokens = sql::tokenize(sql.substr(0, 4096));
  if (tokens.empty()) return {};
  const auto* found =
      std::ranges::find_if(kWrites, [&](std::string_view word) { return sql::is_word(tokens.front(), word); });
  return found == std::end(kWrites) ? std::string_view() : *found;
}

}  // namespace

Result<Route> Session::route(std::string_view sql, const std::string& wanted_source) {
  bool one_engine = false;
  {
    const std::lock_guard hold(mutex_);
    recognise();
    one_engine = lite_.empty() && failed_.empty() && duckdb_sources_.size() < 2;
  }
  if (!wanted_source.empty()) return route_by_name(wanted_source);
  if (one_engine) return engine_of("");
  return route_by_mentions(sql);
}

Result<Route> Session::route_by_name(const std::string& wanted) {
  std::vector<std::string> known{std::string(kScratch)};
  {
    const std::lock_guard hold(mutex_);
    if (const auto failed = find_named(failed_, wanted); failed != failed_.end()) return failed->second;
    for (const auto& [name, lite] : lite_) known.push_back(name);
    for (const engine::SourceSpec& spec : duckdb_sources_) known.push_back(spec.name);
  }
  const auto found = std::ranges::find_if(known, [&](const std::string& name) { return same_name(name, wanted); });
  if (found != known.end()) return engine_of(*found);
  std::vector<std::string> near = near_names(wanted, known);
  const bool any = !near.empty();
  if (!any) near.assign(known.begin(), known.begin() + std::min<std::ptrdiff_t>(std::ssize(known), 10));
  return make_error("unknown-source", "no source named '" + wanted + "'",
                    any ? "did you mean " + joined(near, " or ") + "?" : "published are " + joined(near, ", "));
}

Result<std::vector<std::string>> Session::owners_of(const std::string& table) {
  std::vector<std::string> owners;
  if (std::ranges::any_of(temporary_, [&](const std::string& name) { return same_name(name, table); })) {
    owners.emplace_back(kScratch);
  }
  if (has_duckdb()) {
    CANDOR_ASSIGN(const engine::Catalog* catalog, duckdb_catalog(true));
    for (const engine::CatalogTable& entry : catalog->tables) {
      if (same_name(entry.name, table)) owners.push_back(entry.source);
    }
  }
  for (auto& [source, lite] : lite_) {
    // A source that can't be opened has no tables to be meant; `schema` tells why.
    const Result<const engine::Catalog*> catalog = lite_catalog(lite);
    if (catalog.ok() && has_table(**catalog, table)) owners.push_back(source);
  }
  std::ranges::sort(owners);
  const auto twice = std::ranges::unique(owners);
  owners.erase(twice.begin(), twice.end());
  return owners;
}

// How a statement writes the table of each owner.
std::vector<std::string> Session::forms_of(const std::string& table, const std::vector<std::string>& owners) {
  std::vector<std::string> forms;
  for (const std::string& owner : owners) {
    std::string form = owner + "." + table;
    if (const auto found = lite_.find(owner); found != lite_.end() && found->second.catalog) {
      for (const engine::CatalogTable& entry : found->second.catalog->tables) {
        if (same_name(entry.name, table)) form = engine::written_name(entry);
      }
    }
    forms.push_back(std::move(form));
  }
  return forms;
}

// Whether the schema is the catalog of the one source there is, a PostgreSQL database.
bool Session::of_only_server(std::string_view schema) const {
  const bool own = same_name(schema, "information_schema") || same_name(schema, "pg_catalog");
  return own && duckdb_sources_.empty() && lite_.size() == 1 && lite_.begin()->second.is_server();
}

// PostgreSQL sources in which `schema.table` is one, where no source of DuckDB has the schema's name.
std::vector<std::string> Session::servers_with(const sql::TableMention& mention) {
  std::vector<std::string> servers;
  const std::string& schema = mention.parts.front();
  const bool duckdb = std::ranges::any_of(duckdb_sources_,
                                          [&](const engine::SourceSpec& spec) { return same_name(spec.name, schema); });
  if (mention.parts.size() != 2 || duckdb || same_name(schema, kScratch)) return servers;
  for (auto& [source, lite] : lite_) {
    if (!lite.is_server()) continue;
    const Result<const engine::Catalog*> catalog = lite_catalog(lite);
    const bool has = catalog.ok() && std::ranges::any_of((*catalog)->tables, [&](const engine::CatalogTable& table) {
                       return same_name(table.schema, schema) && same_name(table.name, mention.parts.back());
                     });
    if (has) servers.push_back(source);
  }
  return servers;
}

std::vector<std::string> Session::hidden_by_scratch(const std::string& table) {
  const std::lock_guard hold(mutex_);
  if (duckdb_sources_.empty()) return {};  // a table of SQLite of the same name is refused as ambiguous, not hidden
  const Result<const engine::Catalog*> known = duckdb_catalog(false);
  if (!known.ok()) return {};
  const auto published = [&](const engine::CatalogTable& entry) {
    return entry.source != kScratch && same_name(entry.name, table);
  };
  if (std::ranges::none_of((*known)->tables, published)) return {};
  const Result<std::vector<std::string>> owners = owners_of(table);
  if (!owners.ok() || std::ranges::find(*owners, kScratch) == owners->end()) return {};
  std::vector<std::string> hidden;
  for (const std::string& owner : *owners) {
    if (owner != kScratch) hidden.push_back(owner + "." + table);
  }
  return hidden;
}

Result<std::string> Session::owner_of(const sql::TableMention& mention) {
  const std::string& first = mention.parts.front();
  if (mention.parts.size() > 1) {
    if (const auto failed = find_named(failed_, first); failed != failed_.end()) return failed->second;
    if (const auto found = find_named(lite_, first); found != lite_.end()) return found->first;
    const std::vector<std::string> servers = servers_with(mention);
    if (servers.size() == 1) return servers.front();
    if (servers.empty()) return std::string(of_only_server(first) ? "" : kScratch);
    std::vector<std::string> forms = servers;
    for (std::string& form : forms) form += "." + first + "." + mention.parts.back();
    Diagnostic failure = ambiguous(first + "." + mention.parts.back(), servers, forms);
    failure.span = mention.span;
    return failure;
  }
  CANDOR_ASSIGN(std::vector<std::string> owners, owners_of(first));
  // The scratch hides published tables of DuckDB by that name, with a warning; between engines nothing is guessed.
  if (std::ranges::find(owners, kScratch) != owners.end()) {
    std::erase_if(owners, [&](const std::string& owner) { return owner != kScratch && !lite_.contains(owner); });
  }
  if (owners.size() > 1) {
    Diagnostic failure = ambiguous(first, owners, forms_of(first, owners));
    failure.span = mention.span;
    return failure;
  }
  if (owners.empty()) return std::string();
  return lite_.contains(owners.front()) ? owners.front() : std::string(kScratch);
}

Result<Route> Session::route_by_mentions(std::string_view sql) {
  std::set<std::string> lite;
  bool duckdb = false;
  std::optional<std::string> first;
  std::string only_lite;
  {
    const std::lock_guard hold(mutex_);
    for (const sql::TableMention& mention : sql::table_mentions(sql)) {
      CANDOR_ASSIGN(const std::string owner, owner_of(mention));
      if (!first) first = owner;
      if (owner == kScratch) {
        duckdb = true;
      } else if (!owner.empty()) {
        lite.insert(owner);
      }
    }
    if (lite_.size() == 1 && duckdb_sources_.empty()) only_lite = lite_.begin()->first;
  }
  const std::string_view word = write_word(sql);
  const bool write = !word.empty();
  // The first table that is mentioned is the one that is changed, unless a new one is made of it. Its engine says that it is
  // published for reading.
  if (write && word != kCreate && first && lite.contains(*first)) return engine_of(*first);
  if (lite.size() > 1 || (!lite.empty() && (duckdb || write))) return two_engines(lite, duckdb || write);
  if (!lite.empty()) return engine_of(*lite.begin());
  return engine_of(duckdb || write ? "" : only_lite);
}

}  // namespace candor
