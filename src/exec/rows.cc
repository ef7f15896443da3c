// Pulling rows, and making each value what the contract says it is.
#include "exec/rows.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <variant>

#include "base/render_json.h"
#include "json/json.h"

namespace candor::exec {
namespace {

using contract::Type;

Diagnostic bad_stored(const Value& value, Type type) {
  std::string text;
  CellWriter writer(text);
  write_value(writer, value);
  CellReader reader(text);
  std::string json;
  append_json(json, reader);
  return make_error("bad-stored-value",
                    "the source holds " + std::string(utf8_prefix(json, 60)) + " where the contract promises a " +
                        std::string(contract::to_string(type)),
                    "candor contract check counts such values");
}

Value of_kind(CellKind kind, std::string text) {
  Value value;
  value.kind = kind;
  value.text = std::move(text);
  return value;
}

Result<Value> as_json(Value value, Type type, json::Kind kind) {
  if (value.kind == CellKind::kList || value.kind == CellKind::kStruct || value.kind == CellKind::kMap) return value;
  if (value.kind != CellKind::kText && value.kind != CellKind::kJson) return bad_stored(value, type);
  const Result<json::Node> node = json::parse(value.text);
  if (!node.ok() || (type != Type::kJson && node->kind() != kind)) return bad_stored(value, type);
  return of_kind(CellKind::kJson, std::move(value.text));
}

// The decimal that a double stands for, without an exponent: fifteen digits come back the same, the sixteenth and
// seventeenth are of the double; but before the point they are told, for nothing else could stand there.
std::string decimal_text(double real) {
  constexpr double kWhole = 1e15;
  if (!std::isfinite(real)) {
    std::string text;
    append_json_real(text, real);
    return text;
  }
  std::array<char, 400> digits{};
  double meant = real;
  if (std::abs(real) < kWhole) {
    (void)std::snprintf(digits.data(), digits.size(), "%.15g", real);
    meant = std::strtod(digits.data(), nullptr);
  }
  if (meant == 0) return "0";
  const auto written = std::to_chars(digits.data(), digits.data() + digits.size(), meant, std::chars_format::fixed);
  return {digits.data(), written.ptr};
}

// Zeros behind the point up to the scale; digits beyond it stay.
void show_scale(std::optional<int> scale, Value& value) {
  if (!scale || *scale <= 0 || value.kind != CellKind::kDecimal) return;
  std::string& text = value.text;
  if (text.find_first_not_of("-0123456789.") != std::string::npos) return;
  std::size_t point = text.find('.');
  if (point == std::string::npos) {
    point = text.size();
    text += '.';
  }
  const std::size_t behind = text.size() - point - 1;
  if (behind < static_cast<std::size_t>(*scale)) text.append(static_cast<std::size_t>(*scale) - behind, '0');
}

// "2024-02-29", with or without a time of day behind a T: no year beyond four digits, no BC, no infinity.
bool is_iso_time(std::string_view text) {
  constexpr std::string_view kDay = "dddd-dd-dd";
  constexpr std::string_view kTime = "Tdd:dd:dd";
  const auto has_form = [&](std::size_t at, std::string_view form) {
    if (text.size() < at + form.size()) return false;
    for (std::size_t i = 0; i < form.size(); ++i) {
      const char c = text[at + i];
      if (form[i] == 'd' ? c < '0' || c > '9' : c != form[i]) return false;
    }
    return true;
  };
  if (!has_form(0, kDay)) return false;
  if (text.size() == kDay.size()) return true;
  if (!has_form(kDay.size(), kTime)) return false;
  const std::string_view rest = text.substr(kDay.size() + kTime.size());
  return rest.empty() || (rest[0] == '.' && rest.find_first_not_of("0123456789", 1) == std::string_view::npos);
}

}  // namespace

Result<Value> as_type(Value value, std::optional<Type> type) {
  if (value.is_null() || !type) return value;
  switch (*type) {
    case Type::kBoolean:
      if (value.kind == CellKind::kBoolean) return value;
      if (value.kind != CellKind::kInteger || value.integer < 0 || value.integer > 1) return bad_stored(value, *type);
      value.kind = CellKind::kBoolean;
      return value;
    case Type::kInteger:
      if (value.kind == CellKind::kInteger || value.kind == CellKind::kIntegerText) return value;
      return bad_stored(value, *type);
    case Type::kNumber: {
      if (value.kind == CellKind::kReal64 || value.kind == CellKind::kReal32) return value;
      Value real;
      real.kind = CellKind::kReal64;
      if (value.kind == CellKind::kInteger) {
        real.real = static_cast<double>(value.integer);
      } else if (value.kind == CellKind::kDecimal) {
        real.real = std::stod(value.text);
      } else {
        return bad_stored(value, *type);
      }
      return real;
    }
    case Type::kDecimal: {
      if (value.kind == CellKind::kDecimal) return value;
      if (value.kind == CellKind::kInteger) return of_kind(CellKind::kDecimal, std::to_string(value.integer));
      if (value.kind != CellKind::kReal64) return bad_stored(value, *type);
      return of_kind(CellKind::kDecimal, decimal_text(value.real));
    }
    case Type::kDate:
    case Type::kDatetime:
      if (value.kind != CellKind::kTemporal && value.kind != CellKind::kText) return bad_stored(value, *type);
      if (value.text.size() > 10 && value.text[10] == ' ') value.text[10] = 'T';
      if (!is_iso_time(value.text)) return bad_stored(value, *type);
      if (*type == Type::kDate && value.text.size() > 10) value.text.resize(10);
      return of_kind(CellKind::kTemporal, std::move(value.text));
    case Type::kUuid:
      if (value.kind != CellKind::kOther && value.kind != CellKind::kText) return bad_stored(value, *type);
      return of_kind(CellKind::kOther, std::move(value.text));
    case Type::kString:
      if (value.kind == CellKind::kText || value.kind == CellKind::kOther)
        return of_kind(CellKind::kText, std::move(value.text));
      return bad_stored(value, *type);
    case Type::kJson:
      return as_json(std::move(value), *type, json::Kind::kObject);
    case Type::kStringArray:
    case Type::kIntegerArray:
      return as_json(std::move(value), *type, json::Kind::kArray);
  }
  return value;
}

std::optional<Value> constant_of(const bind::BoundExpr& expr) {
  if (expr.kind == bind::BoundKind::kLiteral) return expr.value;
  if (expr.kind != bind::BoundKind::kArray) return std::nullopt;
  Value list;
  list.kind = CellKind::kList;
  for (const bind::BoundPtr& part : expr.children) list.parts.push_back(part->value);
  return list;
}

std::string type_name(std::optional<Type> type) { return std::string(type ? contract::to_string(*type) : "string"); }

std::size_t json_size(const Value& value) {
  std::string cells;
  CellWriter writer(cells);
  write_value(writer, value);
  CellReader reader(cells);
  std::string text;
  append_json(text, reader);
  return utf8_length(text);
}

namespace {

engine::RunRequest request_of(const lower::Lowered& lowered, std::uint64_t memory_bytes, std::uint64_t chars_max,
                              bool writes, std::int64_t deadline_ms) {
  engine::RunRequest request;
  request.sql = lowered.sql;
  request.parameters = lowered.parameters;
  request.lane = engine::Lane::kContract;
  request.allow_writes = writes;
  request.rows_max = chars_max > memory_bytes ? chars_max : 10'000'000;
  request.chars_max = chars_max;
  request.cell_chars_max = memory_bytes;
  request.deadline_ms = deadline_ms;
  request.count_budget_ms = 0;
  return request;
}

// What the engine says of a place is one in its own SQL.
Diagnostic failed(Diagnostic failure) {
  failure.span.reset();
  return failure;
}

Result<std::vector<Value>> read_row(CellReader& reader, std::size_t columns, const lower::Lowered& lowered) {
  std::vector<Value> row;
  row.reserve(columns);
  for (std::size_t c = 0; c < columns; ++c) {
    const std::optional<Type> type = c < lowered.types.size() ? lowered.types[c] : std::nullopt;
    Result<Value> value = as_type(read_value(reader), type);
    if (!value.ok()) {
      const bool reckoned = c < lowered.reckoned.size() && lowered.reckoned[c] && bind::is_time(type);
      if (!reckoned) return std::move(value).error();
      return make_error("bad-argument", "the time is outside of the years 1 to 9999");
    }
    if (c < lowered.scales.size()) show_scale(lowered.scales[c], *value);
    row.push_back(*std::move(value));
  }
  return row;
}

// Hands the batch's rows over as the contract's types. False: the visitor had enough.
Result<bool> take(const RowBatch& batch, std::size_t columns, const lower::Lowered& lowered,
                  const RowVisitor& visitor) {
  CellReader reader(batch.cells);
  for (std::uint32_t i = 0; i < batch.rows; ++i) {
    CANDOR_ASSIGN(std::vector<Value> row, read_row(reader, columns, lowered));
    if (!visitor(std::move(row))) return false;
  }
  return true;
}

RowVisitor into(Rows& rows) {
  return [&rows](std::vector<Value> row) {
    rows.rows.push_back(std::move(row));
    return true;
  };
}

Status take(const engine::End& end, std::uint64_t chars_max, Rows& rows) {
  if (end.cut_by_chars) {
    return make_error("result-too-large", "the rows are longer than " + std::to_string(chars_max) + " characters",
                      "select fewer columns or rows");
  }
  rows.affected = end.affected;
  rows.changed_others = end.changed_others;
  return Ok{};
}

Result<Rows> rows_of(const engine::Answer& answer, std::uint64_t chars_max, const lower::Lowered& lowered) {
  Rows rows;
  for (const RowBatch& batch : answer.rows) {
    CANDOR_TRY(take(batch, answer.header.columns.size(), lowered, into(rows)));
  }
  CANDOR_TRY(take(answer.end, chars_max, rows));
  return rows;
}

}  // namespace

Result<engine::End> stream(const lower::Lowered& lowered, const Environment& environment,
                           engine::Transaction* transaction, std::int64_t deadline_ms, std::uint64_t chars_max,
                           const CancelToken& cancel, const RowVisitor& visitor) {
  const engine::RunRequest request =
      request_of(lowered, environment.memory_bytes, chars_max, transaction != nullptr, deadline_ms);
  auto started = transaction != nullptr ? transaction->run(request, cancel) : environment.engine->run(request, cancel);
  if (!started.ok()) return failed(std::move(started).error());
  const auto rows = *std::move(started);
  const std::size_t columns = rows->header().columns.size();
  for (;;) {
    engine::RowStream::Item item = rows->next();
    if (auto* failure = std::get_if<Diagnostic>(&item)) return failed(std::move(*failure));
    if (const auto* end = std::get_if<engine::End>(&item)) return *end;
    CANDOR_ASSIGN(const bool more, take(std::get<RowBatch>(item), columns, lowered, visitor));
    if (!more) return engine::End{};
  }
}

Result<Rows> run(const lower::Lowered& lowered, const Environment& environment, engine::Transaction* transaction,
                 std::int64_t deadline_ms, const CancelToken& cancel) {
  Rows rows;
  CANDOR_ASSIGN(const engine::End end,
                stream(lowered, environment, transaction, deadline_ms, environment.memory_bytes, cancel, into(rows)));
  CANDOR_TRY(take(end, environment.memory_bytes, rows));
  return rows;
}

std::vector<Result<Rows>> run_all(const std::vector<const lower::Lowered*>& statements, const Environment& environment,
                                  engine::Transaction& transaction, std::uint64_t chars_max, std::int64_t deadline_ms,
                                  const CancelToken& cancel) {
  std::vector<Result<Rows>> given;
  if (statements.empty()) return given;
  if (statements.size() == 1 && chars_max == environment.memory_bytes) {
    given.push_back(run(*statements.front(), environment, &transaction, deadline_ms, cancel));
    return given;
  }
  std::vector<engine::RunRequest> requests;
  requests.reserve(statements.size());
  for (const lower::Lowered* one : statements)
    requests.push_back(request_of(*one, environment.memory_bytes, chars_max, true, deadline_ms));
  engine::Answers answers = transaction.run_all(requests, cancel);
  for (std::size_t i = 0; i < answers.done.size(); ++i)
    given.push_back(rows_of(answers.done[i], chars_max, *statements.at(i)));
  if (given.size() == statements.size()) return given;
  Diagnostic failure = make_error("internal", "a statement was not answered");
  if (answers.failure) failure = failed(*std::move(answers.failure));
  given.emplace_back(std::move(failure));
  return given;
}

Result<std::uint64_t> count_of(const Rows& rows) {
  if (rows.rows.size() != 1 || rows.rows[0].size() != 1 || rows.rows[0][0].kind != CellKind::kInteger) {
    return make_error("internal", "a count gave no number");
  }
  return static_cast<std::uint64_t>(rows.rows[0][0].integer);
}

Result<std::uint64_t> run_count(const lower::Lowered& lowered, const Environment& environment,
                                engine::Transaction* transaction, std::int64_t deadline_ms, const CancelToken& cancel) {
  CANDOR_ASSIGN(const Rows rows, run(lowered, environment, transaction, deadline_ms, cancel));
  return count_of(rows);
}

}  // namespace candor::exec
