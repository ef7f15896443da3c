// Opening and asking the source of a contract.
#include "candor/contract_source.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "base/ascii.h"
#include "base/near_names.h"

namespace candor {
namespace {

constexpr std::int64_t kPatienceMs = std::int64_t{1000} * 60 * 60;  // tables are read whole; Ctrl-C ends it

constexpr std::uint64_t kRowsMax = 1'000'000;
constexpr std::uint64_t kCharsMax = std::uint64_t{64} << 20U;

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

}  // namespace

std::string in_double_quotes(std::string_view name) {
  std::string out = "\"";
  for (const char c : name) {
    out += c;
    if (c == '"') out += c;
  }
  return out + "\"";
}

bool ends_all(const Diagnostic& failure) {
  constexpr std::string_view kEnds[] = {"cancelled", "statement-timeout", "engine-died", "file-error", "file-locked"};
  return std::ranges::find(kEnds, failure.code) != std::end(kEnds);
}

Result<config::Source> source_for_contract(const config::Configuration& configuration, const std::string& wanted) {
  std::vector<std::string> names;
  for (const config::Source& source : configuration.sources) {
    if (same_name(source.name, wanted)) return source;
    names.push_back(source.name);
  }
  if (names.empty()) {
    return make_error("unknown-source", "no source is given that a contract could publish", "--source app=app.sqlite");
  }
  if (wanted.empty() && names.size() == 1) return configuration.sources.front();
  if (wanted.empty()) {
    return make_error("unknown-source", "which of the sources " + joined(names) + " is meant?",
                      "--in " + names.front());
  }
  const std::vector<std::string> near = near_names(wanted, names);
  return make_error("unknown-source", "no source named '" + wanted + "'",
                    near.empty() ? "published are " + joined(names) : "did you mean " + joined(near) + "?");
}

Result<ContractSource> ContractSource::open(const Session& session, const config::Source& source, CancelToken cancel) {
  ContractSource opened;
  CANDOR_ASSIGN(opened.looked_, session.open_for_contract(source));
  CANDOR_ASSIGN(opened.catalog_, opened.looked_.engine->catalog());
  std::erase_if(opened.catalog_.tables,
                [](const engine::CatalogTable& table) { return table.source == engine::kScratch || table.temporary; });
  opened.cancel_ = std::move(cancel);
  return opened;
}

std::string ContractSource::in_sql(const engine::CatalogTable& table) const {
  if (sqlite()) return "\"main\"." + in_double_quotes(table.name);
  if (postgres()) return in_double_quotes(table.schema) + "." + in_double_quotes(table.name);
  return in_double_quotes(table.source) + "." + in_double_quotes(table.schema) + "." + in_double_quotes(table.name);
}

Result<std::vector<ContractSource::Row>> ContractSource::ask(const std::string& sql, std::vector<Value> parameters) {
  engine::RunRequest request;
  request.sql = sql;
  request.parameters = std::move(parameters);
  request.lane = engine::Lane::kContract;
  request.deadline_ms = kPatienceMs;
  request.count_budget_ms = 0;
  // Nothing of what is asked here may be left out: catalogs, and a handful of values.
  request.rows_max = kRowsMax;
  request.chars_max = kCharsMax;
  CANDOR_ASSIGN(const auto stream, looked_.engine->run(request, cancel_));
  const std::size_t columns = stream->header().columns.size();
  std::vector<Row> rows;
  for (;;) {
    engine::RowStream::Item item = stream->next();
    if (auto* failure = std::get_if<Diagnostic>(&item)) return std::move(*failure);
    if (const auto* end = std::get_if<engine::End>(&item)) {
      const bool whole = end->rows_total ? *end->rows_total == end->rows : end->rows < kRowsMax;
      if (whole && !end->cut_by_chars) return rows;
      return make_error("over-limit", "the catalog of source '" + name() + "' is too large to be read");
    }
    const auto& batch = std::get<RowBatch>(item);
    CellReader reader(batch.cells);
    for (std::uint32_t i = 0; i < batch.rows; ++i) {
      Row& row = rows.emplace_back();
      for (std::size_t column = 0; column < columns; ++column) row.push_back(read_value(reader));
    }
  }
}

Result<ContractSource::Row> ContractSource::ask_one(const std::string& sql, std::vector<Value> parameters) {
  CANDOR_ASSIGN(std::vector<Row> rows, ask(sql, std::move(parameters)));
  if (rows.size() != 1) return make_error("internal", "one row was expected of a contract's source");
  return std::move(rows.front());
}

std::string fits_in_sqlite(contract::Type type, const std::string& sql) {
  using contract::Type;
  const auto array_of = [&](std::string_view element) {
    // CASE keeps json_each from what is no JSON.
    return "CASE WHEN candor_fits('array', " + sql + ") THEN NOT EXISTS (SELECT 1 FROM json_each(" + sql +
           ") AS e WHERE e.type <> '" + std::string(element) + "') ELSE 0 END";
  };
  switch (type) {
    case Type::kJson:
      return "(typeof(" + sql + ") = 'text' AND json_valid(" + sql + "))";
    case Type::kStringArray:
      return array_of("text");
    case Type::kIntegerArray:
      return array_of("integer");
    default:
      return "candor_fits('" + std::string(contract::to_string(type)) + "', " + sql + ")";
  }
}

std::string fits_in_duckdb(contract::Type type, const std::string& sql, std::string_view stored) {
  using contract::Type;
  const auto cast = [&](std::string_view to) { return "TRY_CAST(" + sql + " AS " + std::string(to) + ") IS NOT NULL"; };
  const auto array_of = [&](const std::string& elements) {
    if (stored.ends_with("[]")) return "list_count(" + sql + ") = len(" + sql + ")";
    const std::string text = "CAST(" + sql + " AS VARCHAR)";
    // CASE keeps the reader from what is no JSON.
    return "CASE WHEN json_valid(" + text + ") THEN json_type(" + text + ") = 'ARRAY' AND list_has_all([" + elements +
           "], json_type(" + text + ", '$[*]')) ELSE false END";
  };
  switch (type) {
    case Type::kDate:
      return cast("DATE");
    case Type::kDatetime:
      return cast("TIMESTAMP");
    case Type::kUuid:
      return cast("UUID");
    case Type::kNumber:
      return cast("DOUBLE");
    case Type::kBoolean:
      return stored == "boolean" ? "true" : sql + " IN (0, 1)";
    case Type::kJson:
      return stored == "varchar" || stored == "json" ? "json_valid(CAST(" + sql + " AS VARCHAR))" : "true";
    case Type::kStringArray:
      return array_of("'VARCHAR'");
    case Type::kIntegerArray:
      return array_of("'BIGINT', 'UBIGINT'");
    default:
      return "true";
  }
}

std::string fits_in_postgres(contract::Type type, const std::string& sql, std::string_view stored) {
  using contract::Type;
  const bool json = stored == "json" || stored == "jsonb";
  const auto array_of = [&](std::string_view element) {
    // No array of arrays, and no NULL in it.
    if (!json) return "(coalesce(array_ndims(" + sql + "), 1) = 1 AND array_position(" + sql + ", NULL) IS NULL)";
    const std::string elements = "jsonb_array_elements(" + sql + "::jsonb) AS e(v)";
    const std::string wrong = element == "string" ? "jsonb_typeof(e.v) <> 'string'"
                                                  : "jsonb_typeof(e.v) <> 'number' OR e.v::text !~ '^-?[0-9]{1,18}$'";
    return "CASE WHEN jsonb_typeof(" + sql + "::jsonb) = 'array' THEN NOT EXISTS (SELECT 1 FROM " + elements +
           " WHERE " + wrong + ") ELSE false END";
  };
  switch (type) {
    case Type::kDate:
    case Type::kDatetime:
      return "(isfinite(" + sql + ") AND " + sql + " BETWEEN '0001-01-01' AND '9999-12-31 23:59:59.999999')";
    case Type::kNumber:
    case Type::kDecimal:
      return stored.starts_with("numeric") ? sql + "::text NOT IN ('NaN', 'Infinity', '-Infinity')" : "true";
    case Type::kUuid:
      return stored == "uuid" ? "true" : sql + " ~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'";
    case Type::kStringArray:
      return array_of("string");
    case Type::kIntegerArray:
      return array_of("integer");
    default:
      return "true";
  }
}

}  // namespace candor
