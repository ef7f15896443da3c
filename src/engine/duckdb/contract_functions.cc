// Chunks of arguments, row by row.
#include "engine/duckdb/contract_functions.h"

#include <cmath>
#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/duckdb/handles.h"
#include "engine/functions/casts.h"
#include "engine/functions/errors.h"
#include "engine/functions/numbers.h"
#include "engine/functions/text.h"
#include "engine/functions/times.h"

namespace candor::engine::duckdb {
namespace {

using Function = Handle<duckdb_scalar_function, duckdb_destroy_scalar_function>;

// One column of a chunk, which the engine has made flat.
class Input {
 public:
  Input(duckdb_data_chunk chunk, idx_t column) : vector_(duckdb_data_chunk_get_vector(chunk, column)) {
    data_ = duckdb_vector_get_data(vector_);
    validity_ = duckdb_vector_get_validity(vector_);
  }
  [[nodiscard]] bool is_null(idx_t row) const {
    return validity_ != nullptr && !duckdb_validity_row_is_valid(validity_, row);
  }
  [[nodiscard]] std::string_view text(idx_t row) const {
    auto* texts = static_cast<duckdb_string_t*>(data_);
    return {duckdb_string_t_data(&texts[row]), duckdb_string_t_length(texts[row])};
  }
  [[nodiscard]] std::int64_t integer(idx_t row) const { return static_cast<std::int64_t*>(data_)[row]; }
  [[nodiscard]] bool boolean(idx_t row) const { return static_cast<bool*>(data_)[row]; }
  [[nodiscard]] double real(idx_t row) const { return static_cast<double*>(data_)[row]; }

 private:
  duckdb_vector vector_;
  void* data_;
  std::uint64_t* validity_;
};

class Output {
 public:
  explicit Output(duckdb_vector vector) : vector_(vector), data_(duckdb_vector_get_data(vector)) {}
  void null(idx_t row) {
    duckdb_vector_ensure_validity_writable(vector_);
    duckdb_validity_set_row_invalid(duckdb_vector_get_validity(vector_), row);
  }
  void give(idx_t row, std::string_view value) {
    duckdb_vector_assign_string_element_len(vector_, row, value.data() == nullptr ? "" : value.data(), value.size());
  }
  void give(idx_t row, double value) { static_cast<double*>(data_)[row] = value; }
  void give(idx_t row, bool value) { static_cast<bool*>(data_)[row] = value; }
  void give(idx_t row, std::int64_t value) { static_cast<std::int64_t*>(data_)[row] = value; }  // a timestamp, too

 private:
  duckdb_vector vector_;
  void* data_;
};

// Calls `one(row)` for each row whose first `strict` arguments are not NULL, and fails with its Diagnostic.
template <typename One>
void each_row(duckdb_function_info info, duckdb_data_chunk chunk, duckdb_vector vector, idx_t strict, One one) {
  try {
    std::vector<Input> inputs;
    for (idx_t column = 0; column < duckdb_data_chunk_get_column_count(chunk); ++column)
      inputs.emplace_back(chunk, column);
    Output output(vector);
    for (idx_t row = 0; row < duckdb_data_chunk_get_size(chunk); ++row) {
      bool null = false;
      for (idx_t column = 0; column < strict; ++column) null = null || inputs[column].is_null(row);
      if (null) {
        output.null(row);
      } else if (const Status done = one(inputs, row, output); !done.ok()) {
        return duckdb_scalar_function_set_error(info, functions::error_text(done.error()).c_str());
      }
    }
  } catch (const std::exception&) {
    duckdb_scalar_function_set_error(info, "out of memory");
  }
}

using Inputs = std::vector<Input>;

template <std::string (*Map)(std::string_view)>
void map_text(duckdb_function_info info, duckdb_data_chunk chunk, duckdb_vector result) {
  each_row(info, chunk, result, 1, [](const Inputs& inputs, idx_t row, Output& output) -> Status {
    output.give(row, std::string_view(Map(inputs[0].text(row))));
    return Ok{};
  });
}

void round(duckdb_function_info info, duckdb_data_chunk chunk, duckdb_vector result) {
  each_row(info, chunk, result, 2, [](const Inputs& inputs, idx_t row, Output& output) -> Status {
    output.give(row, functions::round(inputs[0].real(row), inputs[1].integer(row)));
    return Ok{};
  });
}

void like(duckdb_function_info info, duckdb_data_chunk chunk, duckdb_vector result) {
  each_row(info, chunk, result, 2, [](const Inputs& inputs, idx_t row, Output& output) -> Status {
    std::optional<std::string_view> escape;
    if (!inputs[2].is_null(row)) escape = inputs[2].text(row);
    CANDOR_ASSIGN(const bool matches, functions::like(inputs[0].text(row), inputs[1].text(row), escape));
    output.give(row, matches);
    return Ok{};
  });
}

void substring(duckdb_function_info info, duckdb_data_chunk chunk, duckdb_vector result) {
  each_row(info, chunk, result, 3, [](const Inputs& inputs, idx_t row, Output& output) -> Status {
    CANDOR_ASSIGN(const std::string_view part,
                  functions::substring(inputs[0].text(row), inputs[1].integer(row), inputs[2].integer(row)));
    output.give(row, part);
    return Ok{};
  });
}

template <Result<std::string_view> (*Part)(std::string_view, std::int64_t)>
void part_of_text(duckdb_function_info info, duckdb_data_chunk chunk, duckdb_vector result) {
  each_row(info, chunk, result, 2, [](const Inputs& inputs, idx_t row, Output& output) -> Status {
    CANDOR_ASSIGN(const std::string_view part, Part(inputs[0].text(row), inputs[1].integer(row)));
    output.give(row, part);
    return Ok{};
  });
}

template <typename Value, Result<Value> (*Read)(std::string_view)>
void text_to(duckdb_function_info info, duckdb_data_chunk chunk, duckdb_vector result) {
  each_row(info, chunk, result, 1, [](const Inputs& inputs, idx_t row, Output& output) -> Status {
    CANDOR_ASSIGN(const Value value, Read(inputs[0].text(row)));
    output.give(row, value);
    return Ok{};
  });
}

void whole(duckdb_function_info info, duckdb_data_chunk chunk, duckdb_vector result) {
  each_row(info, chunk, result, 1, [](const Inputs& inputs, idx_t row, Output& output) -> Status {
    CANDOR_ASSIGN(const std::int64_t value, functions::to_integer(inputs[0].real(row)));
    output.give(row, value);
    return Ok{};
  });
}

template <Result<double> (*Operation)(double, double)>
void of_reals(duckdb_function_info info, duckdb_data_chunk chunk, duckdb_vector result) {
  each_row(info, chunk, result, 2, [](const Inputs& inputs, idx_t row, Output& output) -> Status {
    CANDOR_ASSIGN(const double value, Operation(inputs[0].real(row), inputs[1].real(row)));
    output.give(row, value);
    return Ok{};
  });
}

// (sum or average, whether one of its values was infinite)
void finite(duckdb_function_info info, duckdb_data_chunk chunk, duckdb_vector result) {
  each_row(info, chunk, result, 1, [](const Inputs& inputs, idx_t row, Output& output) -> Status {
    const double value = inputs[0].real(row);
    const bool infinite = !inputs[1].is_null(row) && inputs[1].boolean(row);
    if (std::isinf(value) && !infinite) return functions::number_overflow();
    output.give(row, value);
    return Ok{};
  });
}

Status add(duckdb_connection connection, const char* name, const std::vector<duckdb_type>& parameters,
           duckdb_type result, duckdb_scalar_function_t call) {
  const Function function(duckdb_create_scalar_function());
  duckdb_scalar_function_set_name(function.get(), name);
  for (const duckdb_type type : parameters) {
    const LogicalType parameter(duckdb_create_logical_type(type));
    duckdb_scalar_function_add_parameter(function.get(), parameter.get());
  }
  const LogicalType returned(duckdb_create_logical_type(result));
  duckdb_scalar_function_set_return_type(function.get(), returned.get());
  // NULLs are looked at here: an absent escape or length is one.
  duckdb_scalar_function_set_special_handling(function.get());
  duckdb_scalar_function_set_function(function.get(), call);
  if (duckdb_register_scalar_function(connection, function.get()) == DuckDBSuccess) return Ok{};
  return make_error("internal", std::string("the engine does not take the function ") + name);
}

Status add_casts(duckdb_connection connection) {
  constexpr duckdb_type kText = DUCKDB_TYPE_VARCHAR;
  CANDOR_TRY(add(connection, "candor_to_integer", {kText}, DUCKDB_TYPE_BIGINT,
                 text_to<std::int64_t, functions::text_to_integer>));
  CANDOR_TRY(
      add(connection, "candor_to_number", {kText}, DUCKDB_TYPE_DOUBLE, text_to<double, functions::text_to_number>));
  CANDOR_TRY(
      add(connection, "candor_to_boolean", {kText}, DUCKDB_TYPE_BOOLEAN, text_to<bool, functions::text_to_boolean>));
  CANDOR_TRY(add(connection, "candor_to_uuid", {kText}, kText, text_to<std::string, functions::text_to_uuid>));
  CANDOR_TRY(add(connection, "candor_to_datetime", {kText}, DUCKDB_TYPE_TIMESTAMP,
                 text_to<functions::Instant, functions::text_to_datetime>));
  return add(connection, "candor_whole", {DUCKDB_TYPE_DOUBLE}, DUCKDB_TYPE_BIGINT, whole);
}

}  // namespace

Status add_contract_functions(duckdb_connection connection) {
  constexpr duckdb_type kText = DUCKDB_TYPE_VARCHAR;
  constexpr duckdb_type kInteger = DUCKDB_TYPE_BIGINT;
  constexpr duckdb_type kReal = DUCKDB_TYPE_DOUBLE;
  CANDOR_TRY(add(connection, "candor_fold", {kText}, kText, map_text<functions::fold>));
  CANDOR_TRY(add(connection, "candor_lower", {kText}, kText, map_text<functions::lower>));
  CANDOR_TRY(add(connection, "candor_upper", {kText}, kText, map_text<functions::upper>));
  CANDOR_TRY(add(connection, "candor_round", {kReal, kInteger}, kReal, round));
  CANDOR_TRY(add(connection, "candor_like", {kText, kText, kText}, DUCKDB_TYPE_BOOLEAN, like));
  CANDOR_TRY(add(connection, "candor_substr", {kText, kInteger, kInteger}, kText, substring));
  CANDOR_TRY(add(connection, "candor_left", {kText, kInteger}, kText, part_of_text<functions::left>));
  CANDOR_TRY(add(connection, "candor_right", {kText, kInteger}, kText, part_of_text<functions::right>));
  CANDOR_TRY(add(connection, "candor_real_add", {kReal, kReal}, kReal, of_reals<functions::add>));
  CANDOR_TRY(add(connection, "candor_real_sub", {kReal, kReal}, kReal, of_reals<functions::subtract>));
  CANDOR_TRY(add(connection, "candor_real_mul", {kReal, kReal}, kReal, of_reals<functions::multiply>));
  CANDOR_TRY(add(connection, "candor_real_div", {kReal, kReal}, kReal, of_reals<functions::divide>));
  CANDOR_TRY(add(connection, "candor_finite", {kReal, DUCKDB_TYPE_BOOLEAN}, kReal, finite));
  return add_casts(connection);
}

}  // namespace candor::engine::duckdb
