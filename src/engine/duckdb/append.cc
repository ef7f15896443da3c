// Rows of another engine into a new scratch table: all of them, or nothing is left behind.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "base/render_json.h"
#include "engine/duckdb/core.h"
#include "engine/duckdb/duckdb_engine.h"
#include "engine/duckdb/errors.h"
#include "engine/duckdb/rows.h"
#include "engine/duckdb/tokens.h"

namespace candor::engine::duckdb {
namespace {

constexpr std::chrono::seconds kLeaseDeadline{30};

using Appender = Handle<duckdb_appender, [](duckdb_appender* appender) { (void)duckdb_appender_destroy(appender); }>;

// Type texts come from another engine's header; they become part of a statement, so nothing but a type may pass.
bool is_type(const std::string& type) {
  const std::vector<Token> tokens = tokenize(type);
  return !tokens.empty() && std::all_of(tokens.begin(), tokens.end(), [](const Token& token) {
    constexpr std::string_view kSymbols = "(),[]";
    return token.kind != TokenKind::kSymbol || kSymbols.find(token.text.front()) != std::string_view::npos;
  });
}

// The text of a part of a list, which the engine casts to the list's type; blobs are values of their own.
EngineValue part_value(const Value& part) {
  if (part.is_null()) return EngineValue(duckdb_create_null_value());
  if (part.kind == CellKind::kBlob) {
    return EngineValue(duckdb_create_blob(reinterpret_cast<const std::uint8_t*>(part.text.data()), part.text.size()));
  }
  std::string text = part.text;
  if (part.kind == CellKind::kBoolean) text = part.integer != 0 ? "true" : "false";
  if (part.kind == CellKind::kInteger) text = std::to_string(part.integer);
  if (part.kind == CellKind::kReal32 || part.kind == CellKind::kReal64) {
    append_json_real(text, part.real);
    std::erase(text, '"');  // of "NaN" and the infinities
  }
  return EngineValue(duckdb_create_varchar_length(text.data(), text.size()));
}

bool is_plain(const Value& part) {
  return part.kind != CellKind::kList && part.kind != CellKind::kStruct && part.kind != CellKind::kMap &&
         part.kind != CellKind::kCut;
}

// A list of one level. Nothing for others.
std::optional<EngineValue> list_value(const Value& list) {
  if (!std::ranges::all_of(list.parts, is_plain)) return std::nullopt;
  const bool blobs = std::ranges::any_of(list.parts, [](const Value& part) { return part.kind == CellKind::kBlob; });
  const LogicalType type(duckdb_create_logical_type(blobs ? DUCKDB_TYPE_BLOB : DUCKDB_TYPE_VARCHAR));
  std::vector<EngineValue> parts;
  std::vector<duckdb_value> raw;
  raw.reserve(list.parts.size() + 1);  // an empty list needs a place, too
  for (const Value& part : list.parts) raw.push_back(parts.emplace_back(part_value(part)).get());
  return EngineValue(duckdb_create_list_value(type.get(), raw.data(), raw.size()));
}

class Copy {
 public:
  Copy(duckdb_connection connection, const std::string& table, const std::vector<Column>& columns)
      : connection_(connection), table_(table), columns_(columns) {}

  Result<std::uint64_t> run(bool replace, RowStream& rows, const CancelToken& cancel) {
    CANDOR_TRY(execute(connection_, "BEGIN TRANSACTION"));
    Result<std::uint64_t> copied = copy(replace, rows, cancel);
    if (copied.ok()) {
      const Status done = execute(connection_, "COMMIT");
      if (!done.ok()) copied = done.error();
    }
    if (!copied.ok()) (void)execute(connection_, "ROLLBACK").ok();
    return copied;
  }

 private:
  Result<std::uint64_t> copy(bool replace, RowStream& rows, const CancelToken& cancel) {
    CANDOR_TRY(create(replace));
    Appender appender;
    if (duckdb_appender_create_ext(connection_, kScratch.data(), "main", table_.c_str(), appender.out()) !=
        DuckDBSuccess) {
      return appender_error(appender);
    }
    CANDOR_ASSIGN(const std::uint64_t copied, pull(appender, rows, cancel));
    if (duckdb_appender_close(appender.get()) != DuckDBSuccess) return appender_error(appender);
    return copied;
  }

  Status create(bool replace) {
    const std::string name = "scratch.main." + quote_name(table_);
    std::string definitions;
    for (const Column& column : columns_) {
      if (!is_type(column.type))
        return make_error("bad-request", "column " + column.name + " has no type that can be written");
      definitions += (definitions.empty() ? "" : ", ") + quote_name(column.name) + " " + column.type;
    }
    if (replace) CANDOR_TRY(execute(connection_, "DROP TABLE IF EXISTS " + name));
    return execute(connection_, "CREATE TABLE " + name + " (" + definitions + ")");
  }

  Result<std::uint64_t> pull(Appender& appender, RowStream& rows, const CancelToken& cancel) {
    while (true) {
      if (cancel.cancelled()) return stopped_error(StopReason::kCancelled, 0);
      RowStream::Item item = rows.next();
      if (auto* failure = std::get_if<Diagnostic>(&item)) return std::move(*failure);
      if (const auto* end = std::get_if<End>(&item)) {
        if (end->rows_total && *end->rows_total == end->rows && !end->cut_by_chars) return end->rows;
        return make_error("over-limit",
                          "the rows were cut after " + std::to_string(end->rows) + ", and a part is not copied",
                          "narrow the query, or raise the limit of rows");
      }
      CANDOR_TRY(append_batch(appender, std::get<RowBatch>(item)));
    }
  }

  Status append_batch(Appender& appender, const RowBatch& batch) {
    CellReader reader(batch.cells);
    for (std::uint32_t row = 0; row < batch.rows; ++row) {
      for (const Column& column : columns_) {
        CellReader whole = reader;
        const bool list = CellReader(reader).next().kind == CellKind::kList;
        Cell cell;
        cell.kind = CellKind::kList;
        if (list) {
          (void)reader.skip();
        } else {
          cell = reader.next();
        }
        if (!reader.ok()) return make_error("internal", "a batch of rows is malformed");
        const duckdb_state done =
            list ? append_list(appender.get(), read_value(whole)) : append_cell(appender.get(), cell);
        if (done != DuckDBSuccess) return cell_error(appender, cell, column);
      }
      if (duckdb_appender_end_row(appender.get()) != DuckDBSuccess) return appender_error(appender);
    }
    return Ok{};
  }

  static duckdb_state append_list(duckdb_appender appender, const Value& list) {
    const std::optional<EngineValue> value = list_value(list);
    return value && *value ? duckdb_append_value(appender, value->get()) : DuckDBError;
  }

  static duckdb_state append_cell(duckdb_appender appender, const Cell& cell) {
    switch (cell.kind) {
      case CellKind::kNull:
        return duckdb_append_null(appender);
      case CellKind::kBoolean:
        return duckdb_append_bool(appender, cell.integer != 0);
      case CellKind::kInteger:
        return duckdb_append_int64(appender, cell.integer);
      case CellKind::kReal32:
      case CellKind::kReal64:
        return duckdb_append_double(appender, cell.real);
      case CellKind::kBlob:
        return duckdb_append_blob(appender, cell.text.data(), cell.text.size());
      case CellKind::kIntegerText:
      case CellKind::kDecimal:
      case CellKind::kText:
      case CellKind::kTemporal:
      case CellKind::kOther:
      case CellKind::kJson:
        return duckdb_append_varchar_length(appender, cell.text.data(), cell.text.size());
      case CellKind::kList:
      case CellKind::kStruct:
      case CellKind::kMap:
      case CellKind::kCut:
        return DuckDBError;
    }
    return DuckDBError;
  }

  [[nodiscard]] static Diagnostic cell_error(Appender& appender, const Cell& cell, const Column& column) {
    if (cell.kind == CellKind::kCut) {
      return make_error("over-limit", "a value of column " + column.name + " was cut, and a part of it is not copied",
                        "raise cell_chars, or leave the column out");
    }
    const bool nested = cell.kind == CellKind::kList && duckdb_appender_error(appender.get()) == nullptr;
    if (nested || cell.kind == CellKind::kStruct || cell.kind == CellKind::kMap) {
      return make_error("type-mismatch",
                        "column " + column.name + " holds structs or lists of lists, which can't be copied",
                        "select its parts, or cast it to text");
    }
    Diagnostic made = appender_error(appender);
    if (made.code == "engine-error") made.code = "type-mismatch";  // the appender gives its message without a kind
    made.detail = "column " + column.name + " of type " + column.type;
    return made;
  }

  [[nodiscard]] static Diagnostic appender_error(Appender& appender) {
    const char* error = appender ? duckdb_appender_error(appender.get()) : nullptr;
    return translate_error(error == nullptr ? "the rows can't be appended" : error, {});
  }

  duckdb_connection connection_;
  const std::string& table_;
  const std::vector<Column>& columns_;
};

}  // namespace

Result<std::uint64_t> DuckdbEngine::append(const std::string& table, const std::vector<Column>& columns, bool replace,
                                           RowStream& rows, CancelToken cancel) {
  if (core_->policy.contract) return make_error("read-only", "a source with a contract has no scratch database");
  if (table.empty() || columns.empty()) return make_error("bad-request", "a table needs a name and a column");
  CANDOR_ASSIGN(const Connections::Lease lease, core_->connections.agent(false, Clock::now() + kLeaseDeadline, cancel));
  Result<std::uint64_t> copied = Copy(lease.get(), table, columns).run(replace, rows, cancel);
  core_->objects_changed();
  return copied;
}

}  // namespace candor::engine::duckdb
