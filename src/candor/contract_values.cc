// Looking at values.
#include "candor/contract_values.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/ascii.h"
#include "base/render_json.h"
#include "contract/type_names.h"

namespace candor {
namespace {

using contract::Type;

constexpr std::size_t kColumnsAtOnce = 50;
constexpr const char* kRowsLookedAt = "100000";
constexpr std::size_t kValuesMin = 2;
constexpr std::size_t kValuesMax = 12;
constexpr std::size_t kRowsMin = 20;
constexpr std::size_t kValueCharsMax = 32;

// How many of a column's values are what.
struct Seen {
  std::int64_t all = 0, text = 0, integer = 0, real = 0, truth = 0;
  std::int64_t text_array = 0, integer_array = 0, empty_array = 0, json = 0, dated = 0, date = 0, datetime = 0,
               uuid = 0;
};

// Members of Seen in their order.
std::string questions(const std::string& column) {
  const auto count = [](const std::string& condition) { return ", count(*) FILTER (WHERE " + condition + ")"; };
  const std::string kind = "typeof(" + column + ")";
  std::string sql = ", count(" + column + ")";
  for (const char* storage : {"text", "integer", "real"}) sql += count(kind + " = '" + storage + "'");
  sql += count(fits_in_sqlite(Type::kBoolean, column));
  sql += count(fits_in_sqlite(Type::kStringArray, column));
  sql += count(fits_in_sqlite(Type::kIntegerArray, column));
  sql += count(column + " = '[]'");
  // A text such as "5" is JSON, too, and nobody means it.
  sql += count("CASE WHEN " + fits_in_sqlite(Type::kJson, column) + " THEN json_type(" + column +
               ") IN ('object', 'array') ELSE 0 END");
  sql += count(kind + " = 'text' AND " + column + " GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]*'");
  sql += count("length(" + column + ") = 10 AND " + fits_in_sqlite(Type::kDate, column));
  sql += count(fits_in_sqlite(Type::kDatetime, column));
  sql += count(fits_in_sqlite(Type::kUuid, column));
  return sql;
}

Seen seen_of(const ContractSource::Row& row, std::size_t at) {
  Seen seen;
  for (std::int64_t* count :
       {&seen.all, &seen.text, &seen.integer, &seen.real, &seen.truth, &seen.text_array, &seen.integer_array,
        &seen.empty_array, &seen.json, &seen.dated, &seen.date, &seen.datetime, &seen.uuid}) {
    *count = row[at++].integer;
  }
  return seen;
}
constexpr std::size_t kCounts = 13;

std::optional<Type> of_texts(const Seen& seen, std::optional<Type> own) {
  if (seen.text_array == seen.all) return Type::kStringArray;  // of empty ones alone, too
  if (seen.integer_array == seen.all) return Type::kIntegerArray;
  if (seen.json == seen.all) return Type::kJson;
  if (seen.dated == seen.all && seen.date == seen.all) return Type::kDate;
  if (seen.dated == seen.all && seen.datetime == seen.all) return Type::kDatetime;
  if (seen.uuid == seen.all) return Type::kUuid;
  return own == Type::kString ? std::nullopt : std::optional(Type::kString);
}

bool speaks_of_truth(std::string_view name) {
  const std::string lower = lower_ascii(name);
  return lower.starts_with("is_") || lower.starts_with("has_") || lower.starts_with("can_");
}

// What the values are where the column's own type says something else; nothing: as it says, or not to be told.
std::optional<Type> type_seen(const Seen& seen, std::optional<Type> own, std::string_view name) {
  if (seen.all == 0) return std::nullopt;
  if (seen.text == seen.all) {
    const std::optional<Type> read = of_texts(seen, own);
    return read == own ? std::nullopt : read;
  }
  const bool number = own == Type::kNumber || own == Type::kDecimal;
  if (seen.integer == seen.all) {
    if (own == Type::kBoolean) return seen.truth == seen.all ? std::nullopt : std::optional(Type::kInteger);
    if (own == Type::kInteger && seen.truth == seen.all && speaks_of_truth(name)) return Type::kBoolean;
    return number || own == Type::kInteger ? std::nullopt : std::optional(Type::kInteger);
  }
  if (seen.integer + seen.real == seen.all && !number) return Type::kNumber;
  return std::nullopt;
}

// Of other rows: a list of today's would be wrong tomorrow.
bool names_rows(const contract::FoundTable& table, const contract::FoundColumn& column) {
  const std::string lower = lower_ascii(column.name);
  return column.primary_key || lower == "id" || lower.ends_with("_id") || column.name.ends_with("Id") ||
         std::ranges::any_of(table.references, [&](const contract::FoundReference& reference) {
           return same_name(reference.column, column.name);
         });
}

}  // namespace

Status see_types(ContractSource& source, const engine::CatalogTable& table, contract::FoundTable& found) {
  if (!source.sqlite()) return Ok{};
  for (std::size_t at = 0; at < found.columns.size(); at += kColumnsAtOnce) {
    const std::size_t end = std::min(at + kColumnsAtOnce, found.columns.size());
    std::string sql = "SELECT 1";
    for (std::size_t i = at; i < end; ++i) sql += questions(in_double_quotes(found.columns[i].name));
    const Result<ContractSource::Row> row =
        source.ask_one(sql + " FROM (SELECT * FROM " + source.in_sql(table) + " LIMIT " + kRowsLookedAt + ")");
    if (!row.ok()) {
      // A view that fails, a value that is no text: the column's own word stands.
      if (ends_all(row.error())) return row.error();
      continue;
    }
    for (std::size_t i = at; i < end; ++i) {
      contract::FoundColumn& column = found.columns[i];
      column.seen_as =
          type_seen(seen_of(*row, 1 + (i - at) * kCounts), contract::type_of_stored(column.type), column.name);
    }
  }
  return Ok{};
}

Status see_values(ContractSource& source, const engine::CatalogTable& table, contract::FoundTable& found) {
  for (contract::FoundColumn& column : found.columns) {
    const std::optional<Type> type = column.seen_as ? column.seen_as : contract::type_of_stored(column.type);
    if (type != Type::kString || names_rows(found, column) || !contract::enum_values(column.type).empty()) continue;
    const std::string name = in_double_quotes(column.name);
    const std::string from = " FROM " + source.in_sql(table) + " WHERE " + name + " IS NOT NULL";
    const std::string exact = source.sqlite() ? name + " COLLATE BINARY" : name;
    const Result<std::vector<ContractSource::Row>> values =
        source.ask("SELECT DISTINCT " + exact + " AS v" + from + " LIMIT " + std::to_string(kValuesMax + 1));
    if (!values.ok()) {
      if (ends_all(values.error())) return values.error();
      continue;
    }
    const bool few =
        values->size() >= kValuesMin && values->size() <= kValuesMax &&
        std::ranges::all_of(*values, [](const ContractSource::Row& row) {
          return row[0].kind == CellKind::kText && !row[0].text.empty() && utf8_length(row[0].text) <= kValueCharsMax;
        });
    if (!few) continue;
    const Result<ContractSource::Row> rows =
        source.ask_one("SELECT count(*) FROM (SELECT 1" + from + " LIMIT " + std::to_string(kRowsMin) + ") AS first");
    if (!rows.ok()) return rows.error();
    if ((*rows)[0].integer < static_cast<std::int64_t>(kRowsMin)) continue;
    for (const ContractSource::Row& row : *values) column.values.push_back(row[0].text);
    std::ranges::sort(column.values);
  }
  return Ok{};
}

}  // namespace candor
