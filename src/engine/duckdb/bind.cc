// Binding, one call a kind of value.
#include "engine/duckdb/bind.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace candor::engine::duckdb {
namespace {

// The digits of an integer within 128 bits.
std::optional<duckdb_hugeint> read_hugeint(std::string_view text) {
  const bool negative = !text.empty() && text.front() == '-';
  const std::string_view digits = text.substr(negative ? 1 : 0);
  if (digits.empty() || digits.size() > 38) return std::nullopt;  // 38 nines are below 2^127
  if (!std::all_of(digits.begin(), digits.end(), [](char c) { return c >= '0' && c <= '9'; })) return std::nullopt;
  __extension__ using Wide = unsigned __int128;
  Wide value = 0;
  for (const char c : digits) value = value * 10 + static_cast<unsigned>(c - '0');
  if (negative) value = ~value + 1;
  return duckdb_hugeint{static_cast<std::uint64_t>(value),
                        static_cast<std::int64_t>(static_cast<std::uint64_t>(value >> 64U))};
}

duckdb_value element_value(const Value& element) {
  if (element.kind == CellKind::kText) return duckdb_create_varchar_length(element.text.data(), element.text.size());
  if (element.kind == CellKind::kInteger) return duckdb_create_int64(element.integer);
  return nullptr;
}

// Texts, or integers; of an empty list the engine finds the type where it is used.
duckdb_state bind_list(duckdb_prepared_statement prepared, idx_t index, const std::vector<Value>& elements) {
  std::vector<EngineValue> owned;
  std::vector<duckdb_value> values;
  values.reserve(elements.size() + 1);  // the engine takes no null pointer, for no values either
  for (const Value& element : elements) {
    if (element.kind != elements.front().kind) return DuckDBError;
    owned.emplace_back(element_value(element));
    if (!owned.back()) return DuckDBError;
    values.push_back(owned.back().get());
  }
  const bool texts = !elements.empty() && elements.front().kind == CellKind::kText;
  const duckdb_type kind = elements.empty() ? DUCKDB_TYPE_SQLNULL : texts ? DUCKDB_TYPE_VARCHAR : DUCKDB_TYPE_BIGINT;
  const LogicalType type(duckdb_create_logical_type(kind));
  const EngineValue list(duckdb_create_list_value(type.get(), values.data(), values.size()));
  return list ? duckdb_bind_value(prepared, index, list.get()) : DuckDBError;
}

duckdb_state bind_one(duckdb_prepared_statement prepared, idx_t index, const Value& value) {
  switch (value.kind) {
    case CellKind::kNull:
      return duckdb_bind_null(prepared, index);
    case CellKind::kBoolean:
      return duckdb_bind_boolean(prepared, index, value.integer != 0);
    case CellKind::kInteger:
      return duckdb_bind_int64(prepared, index, value.integer);
    case CellKind::kIntegerText:
      if (const std::optional<duckdb_hugeint> wide = read_hugeint(value.text)) {
        return duckdb_bind_hugeint(prepared, index, *wide);
      }
      return duckdb_bind_varchar_length(prepared, index, value.text.data(), value.text.size());
    case CellKind::kReal32:
      return duckdb_bind_float(prepared, index, static_cast<float>(value.real));
    case CellKind::kReal64:
      return duckdb_bind_double(prepared, index, value.real);
    case CellKind::kBlob:
      return duckdb_bind_blob(prepared, index, value.text.data(), value.text.size());
    case CellKind::kText:
    case CellKind::kDecimal:
    case CellKind::kTemporal:
    case CellKind::kOther:
    case CellKind::kJson:
      return duckdb_bind_varchar_length(prepared, index, value.text.data(), value.text.size());
    case CellKind::kList:
      return bind_list(prepared, index, value.parts);
    case CellKind::kStruct:
    case CellKind::kMap:
    case CellKind::kCut:
      return DuckDBError;
  }
  return DuckDBError;
}

}  // namespace

Status bind_parameters(duckdb_prepared_statement prepared, const std::vector<Value>& parameters) {
  const idx_t wanted = duckdb_nparams(prepared);
  if (wanted != parameters.size()) {
    return make_error("bad-request", "the statement takes " + std::to_string(wanted) + " parameters and " +
                                         std::to_string(parameters.size()) + " were given");
  }
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (bind_one(prepared, i + 1, parameters[i]) != DuckDBSuccess) {
      return make_error("bad-request", "parameter " + std::to_string(i + 1) + " is of a kind that can't be bound");
    }
  }
  return Ok{};
}

}  // namespace candor::engine::duckdb
