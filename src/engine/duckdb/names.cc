// Reading and comparing names.
#include "engine/duckdb/names.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <utility>

#include "base/ascii.h"
#include "engine/duckdb/rows.h"
#include "engine/duckdb/tokens.h"

namespace candor::engine::duckdb {
namespace {

constexpr std::chrono::seconds kCatalogDeadline{30};

Result<std::vector<TextRow>> read_names(Connections& connections, const std::string& condition) {
  CANDOR_ASSIGN(const Connections::Lease lease, connections.review(Clock::now() + kCatalogDeadline, CancelToken()));
  return query_text(
      lease.get(),
      "SELECT database_name, table_name FROM system.main.duckdb_tables() WHERE NOT internal AND " + condition +
          " UNION ALL SELECT database_name, view_name FROM system.main.duckdb_views() WHERE NOT internal AND " +
          condition);
}

// The tables that the engine's parser finds in a statement, as written; nothing for a kind that it can't tell.
std::optional<std::vector<std::string>> parsed_names(duckdb_connection connection, const std::string& sql) {
  const EngineValue list(duckdb_get_table_names(connection, sql.c_str(), true));
  if (!list) return std::nullopt;
  std::vector<std::string> names;
  for (idx_t i = 0; i < duckdb_get_list_size(list.get()); ++i) {
    const EngineValue item(duckdb_get_list_child(list.get(), i));
    char* text = duckdb_get_varchar(item.get());
    if (text != nullptr) names.emplace_back(text);
    duckdb_free(text);
  }
  return names;
}

// For the kinds that the parser can't tell (PIVOT, UPDATE … FROM, CREATE VIEW): every name where a table can stand.
std::vector<std::string> possible_names(const std::string& sql) {
  constexpr std::array kBefore = {"from", "join", "pivot", "unpivot", "pivot_wider", "pivot_longer", "table", "using"};
  constexpr std::array kMakers = {"create", "replace", "temp", "temporary", "drop"};
  const std::vector<Token> tokens = tokenize(sql);
  std::vector<std::string> names;
  for (std::size_t i = 1; i < tokens.size(); ++i) {
    if (!is_name(tokens[i])) continue;
    // CREATE TABLE t names what is made, TABLE t what is read.
    if (i > 1 && std::any_of(kMakers.begin(), kMakers.end(), [&](auto word) { return is_word(tokens[i - 2], word); }))
      continue;
    const bool dotted = i + 1 < tokens.size() && (is_symbol(tokens[i + 1], '.') || is_symbol(tokens[i + 1], '('));
    const bool after =
        std::any_of(kBefore.begin(), kBefore.end(), [&](auto word) { return is_word(tokens[i - 1], word); });
    if (after && !dotted) names.push_back(quote_name(name_of(tokens[i])));
  }
  return names;
}

// The table's name when the mention names no source: `t` and `main.t`.
std::optional<std::string> unqualified(const std::string& mention) {
  const std::vector<Token> tokens = tokenize(mention);
  if (tokens.size() == 1 && is_name(tokens[0])) return name_of(tokens[0]);
  if (tokens.size() == 3 && is_name(tokens[2]) && lower_ascii(name_of(tokens[0])) == "main") return name_of(tokens[2]);
  return std::nullopt;
}

std::optional<Span> find_name(const std::string& sql, const std::string& name) {
  const std::string wanted = lower_ascii(name);
  for (const Token& token : tokenize(sql)) {
    if (is_name(token) && lower_ascii(name_of(token)) == wanted) return token.span;
  }
  return std::nullopt;
}

}  // namespace

Status NameIndex::load_sources(Connections& connections, const std::vector<std::string>& sources) {
  CANDOR_ASSIGN(const std::vector<TextRow> rows,
                read_names(connections, "database_name <> 'scratch' AND schema_name = 'main'"));
  for (const std::string& source : sources) {
    for (const TextRow& row : rows) {
      if (lower_ascii(row[0].value_or("")) == lower_ascii(source))
        sources_[lower_ascii(row[1].value_or(""))].push_back(source);
    }
  }
  any_ambiguous_ =
      std::any_of(sources_.begin(), sources_.end(), [](const auto& entry) { return entry.second.size() > 1; });
  return Ok{};
}

void NameIndex::invalidate() {
  const std::lock_guard lock(mutex_);
  stale_ = true;
}

Result<std::optional<std::string>> NameIndex::scratch_name(Connections& connections, std::string_view name) {
  const std::lock_guard lock(mutex_);
  if (stale_) {
    CANDOR_ASSIGN(const std::vector<TextRow> rows,
                  read_names(connections, "database_name = 'scratch' AND schema_name = 'main'"));
    scratch_.clear();
    for (const TextRow& row : rows) scratch_[lower_ascii(row[1].value_or(""))] = row[1].value_or("");
    stale_ = false;
  }
  const auto found = scratch_.find(lower_ascii(name));
  if (found == scratch_.end()) return std::optional<std::string>();
  return std::optional<std::string>(found->second);
}

std::vector<std::string> NameIndex::sources_of(std::string_view name) const {
  const auto found = sources_.find(lower_ascii(name));
  return found == sources_.end() ? std::vector<std::string>() : found->second;
}

Status check_ambiguity(NameIndex& names, Connections& connections, duckdb_connection connection, const std::string& sql,
                       bool writes) {
  if (!names.any_ambiguous()) return Ok{};
  const std::optional<std::vector<std::string>> parsed = parsed_names(connection, sql);
  std::vector<std::string> mentions = parsed.value_or(std::vector<std::string>());
  if (!parsed || writes) {
    const std::vector<std::string> possible = possible_names(sql);
    mentions.insert(mentions.end(), possible.begin(), possible.end());
  }
  for (const std::string& mention : mentions) {
    const std::optional<std::string> name = unqualified(mention);
    if (!name) continue;
    const std::vector<std::string> sources = names.sources_of(*name);
    if (sources.size() < 2) continue;
    CANDOR_ASSIGN(const std::optional<std::string> nearer, names.scratch_name(connections, *name));
    const std::vector<std::string> temporaries = connections.temporaries();
    const bool temporary = std::any_of(temporaries.begin(), temporaries.end(), [&](const std::string& other) {
      return lower_ascii(other) == lower_ascii(*name);
    });
    if (nearer || temporary) continue;
    std::string forms;
    for (const std::string& source : sources) {
      forms += (forms.empty() ? "" : ", ") + quote_if_needed(source) + "." + quote_if_needed(*name);
    }
    Diagnostic made = make_error(
        "ambiguous-table", "the name " + *name + " stands for tables of " + std::to_string(sources.size()) + " sources",
        "write one of " + forms, *name);
    made.span = find_name(sql, *name);
    return made;
  }
  return Ok{};
}

}  // namespace candor::engine::duckdb
