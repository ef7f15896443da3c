// VARIANT: each value carries its own type. Physically four parts a row: the names of all objects, the list of children
// (name, value), the list of values (type, offset), and the bytes that the offsets point into.
#include <cstring>

#include "engine/duckdb/value_encoder.h"

namespace candor::engine::duckdb::internal {
namespace {

// DuckDB's VariantLogicalType.
enum class VariantType : std::uint8_t {
  kNull,
  kTrue,
  kFalse,
  kInt8,
  kInt16,
  kInt32,
  kInt64,
  kInt128,
  kUint8,
  kUint16,
  kUint32,
  kUint64,
  kUint128,
  kFloat,
  kDouble,
  kDecimal,
  kVarchar,
  kBlob,
  kUuid,
  kDate,
  kTime,
  kTimeNs,
  kTimestampS,
  kTimestampMs,
  kTimestamp,
  kTimestampNs,
  kTimeTz,
  kTimestampTz,
  kInterval,
  kObject,
  kArray,
  kBignum,
  kBits,
  kGeometry,
};

// Reads one value's bytes; past the end it reads zeros and ok() is false.
class Bytes {
 public:
  explicit Bytes(std::string_view rest) : rest_(rest) {}

  template <typename T>
  T take() {
    T value{};
    if (rest_.size() < sizeof(T)) {
      ok_ = false;
      return value;
    }
    std::memcpy(&value, rest_.data(), sizeof(T));
    rest_.remove_prefix(sizeof(T));
    return value;
  }

  // Seven bits a byte, the lowest first; the high bit says that more follow.
  std::uint32_t varint() {
    std::uint32_t value = 0;
    for (unsigned shift = 0; shift < 35; shift += 7) {
      const auto byte = take<std::uint8_t>();
      value |= static_cast<std::uint32_t>(byte & 127U) << shift;
      if ((byte & 128U) == 0) return value;
    }
    ok_ = false;
    return 0;
  }

  std::string_view text() {
    const std::uint32_t size = varint();
    if (!ok_ || size > rest_.size()) {
      ok_ = false;
      return {};
    }
    return rest_.substr(0, size);
  }

  [[nodiscard]] bool ok() const { return ok_; }

 private:
  std::string_view rest_;
  bool ok_ = true;
};

std::uint64_t put_variant_decimal(Sink& sink, Bytes& bytes) {
  const std::uint32_t width = bytes.varint();
  const auto scale = static_cast<int>(bytes.varint());
  if (!bytes.ok() || width > 38 || scale > 38) {
    sink.fail("a decimal inside a VARIANT is not in the form that is known");
    return 0;
  }
  if (width <= 4) return put_decimal(sink, bytes.take<std::int16_t>(), scale);
  if (width <= 9) return put_decimal(sink, bytes.take<std::int32_t>(), scale);
  if (width <= 18) return put_decimal(sink, bytes.take<std::int64_t>(), scale);
  return put_decimal(sink, to_int128(bytes.take<duckdb_hugeint>()), scale);
}

std::uint64_t put_variant_number(Sink& sink, VariantType type, Bytes& bytes) {
  switch (type) {
    case VariantType::kInt8:
      return put_integer(sink, bytes.take<std::int8_t>());
    case VariantType::kInt16:
      return put_integer(sink, bytes.take<std::int16_t>());
    case VariantType::kInt32:
      return put_integer(sink, bytes.take<std::int32_t>());
    case VariantType::kInt64:
      return put_integer(sink, bytes.take<std::int64_t>());
    case VariantType::kInt128:
      return put_hugeint(sink, bytes.take<duckdb_hugeint>());
    case VariantType::kUint8:
      return put_integer(sink, bytes.take<std::uint8_t>());
    case VariantType::kUint16:
      return put_integer(sink, bytes.take<std::uint16_t>());
    case VariantType::kUint32:
      return put_integer(sink, bytes.take<std::uint32_t>());
    case VariantType::kUint64:
      return put_unsigned(sink, bytes.take<std::uint64_t>());
    case VariantType::kUint128:
      return put_uhugeint(sink, bytes.take<duckdb_uhugeint>());
    case VariantType::kFloat:
      return put_float(sink, bytes.take<float>());
    case VariantType::kDouble:
      return put_double(sink, bytes.take<double>());
    default:
      return put_variant_decimal(sink, bytes);
  }
}

std::uint64_t put_variant_scalar(Sink& sink, VariantType type, Bytes& bytes) {
  switch (type) {
    case VariantType::kNull:
      return put_null(sink);
    case VariantType::kTrue:
    case VariantType::kFalse:
      return put_boolean(sink, type == VariantType::kTrue);
    case VariantType::kVarchar:
      return put_varchar(sink, bytes.text());
    case VariantType::kBlob:
      return put_blob(sink, bytes.text());
    case VariantType::kBignum:
      return put_bignum(sink, bytes.text());
    case VariantType::kBits:
      return put_bits(sink, bytes.text());
    case VariantType::kGeometry:
      return put_geometry(sink, bytes.text());
    case VariantType::kUuid:
      return put_uuid(sink, bytes.take<duckdb_hugeint>());
    case VariantType::kDate:
      return put_date(sink, bytes.take<std::int32_t>());
    case VariantType::kTime:
      return put_time(sink, bytes.take<std::int64_t>());
    case VariantType::kTimeNs:
      return put_time_ns(sink, bytes.take<std::int64_t>());
    case VariantType::kTimestampS:
      return put_timestamp_s(sink, bytes.take<std::int64_t>());
    case VariantType::kTimestampMs:
      return put_timestamp_ms(sink, bytes.take<std::int64_t>());
    case VariantType::kTimestamp:
      return put_timestamp(sink, bytes.take<std::int64_t>());
    case VariantType::kTimestampNs:
      return put_timestamp_ns(sink, bytes.take<std::int64_t>());
    case VariantType::kTimeTz:
      return put_time_tz(sink, bytes.take<std::uint64_t>());
    case VariantType::kTimestampTz:
      return put_timestamp_tz(sink, bytes.take<std::int64_t>());
    case VariantType::kInterval:
      return put_interval(sink, bytes.take<duckdb_interval>());
    default:
      return put_variant_number(sink, type, bytes);
  }
}

class VariantEncoder final : public ColumnEncoder {
 public:
  explicit VariantEncoder(int depth) : depth_(depth) {}

  void bind(duckdb_vector vector) override {
    ColumnEncoder::bind(vector);
    const duckdb_vector keys = duckdb_struct_vector_get_child(vector, 0);
    const duckdb_vector children = duckdb_struct_vector_get_child(vector, 1);
    const duckdb_vector values = duckdb_struct_vector_get_child(vector, 2);
    keys_ = data<duckdb_list_entry>(keys);
    key_texts_ = data<duckdb_string_t>(duckdb_list_vector_get_child(keys));
    children_ = data<duckdb_list_entry>(children);
    const duckdb_vector child = duckdb_list_vector_get_child(children);
    child_keys_ = data<std::uint32_t>(duckdb_struct_vector_get_child(child, 0));
    child_values_ = data<std::uint32_t>(duckdb_struct_vector_get_child(child, 1));
    values_ = data<duckdb_list_entry>(values);
    const duckdb_vector value = duckdb_list_vector_get_child(values);
    types_ = data<std::uint8_t>(duckdb_struct_vector_get_child(value, 0));
    offsets_ = data<std::uint32_t>(duckdb_struct_vector_get_child(value, 1));
    bytes_ = data<duckdb_string_t>(duckdb_struct_vector_get_child(vector, 3));
  }

 private:
  template <typename T>
  static const T* data(duckdb_vector vector) {
    return static_cast<const T*>(duckdb_vector_get_data(vector));
  }

  std::uint64_t write_valid(Sink& sink, std::uint64_t row) override { return value(sink, row, 0, depth_); }

  std::uint64_t value(Sink& sink, std::uint64_t row, std::uint64_t index, int depth) {
    const std::string_view blob = string_at(bytes_[row]);
    if (depth > kNestingMax || index >= values_[row].length) return broken(sink, depth);
    const std::uint64_t at = values_[row].offset + index;
    const auto type = static_cast<VariantType>(types_[at]);
    if (type > VariantType::kGeometry || offsets_[at] > blob.size()) return broken(sink, depth);
    Bytes bytes(blob.substr(offsets_[at]));
    if (type == VariantType::kObject || type == VariantType::kArray) return container(sink, row, type, bytes, depth);
    const std::uint64_t chars = put_variant_scalar(sink, type, bytes);
    return bytes.ok() ? chars : broken(sink, depth);
  }

  std::uint64_t container(Sink& sink, std::uint64_t row, VariantType type, Bytes& bytes, int depth) {
    const std::uint64_t count = bytes.varint();
    const std::uint64_t first = count > 0 ? bytes.varint() : 0;
    if (!bytes.ok() || first + count > children_[row].length) return broken(sink, depth);
    const bool object = type == VariantType::kObject;
    sink.writer.container(object ? CellKind::kStruct : CellKind::kList, static_cast<std::uint32_t>(count));
    std::uint64_t chars = 2 + (count > 0 ? count - 1 : 0);
    for (std::uint64_t i = children_[row].offset + first; count > 0 && i < children_[row].offset + first + count; ++i) {
      if (object) {
        if (child_keys_[i] >= keys_[row].length) return broken(sink, depth);
        const std::size_t start = sink.out->size();
        const std::uint64_t written = put_varchar(sink, string_at(key_texts_[keys_[row].offset + child_keys_[i]]));
        chars += key_chars(sink, start, written) + 1;
      }
      chars += value(sink, row, child_values_[i], depth + 1);
      if (sink.failure) return 0;
    }
    return chars;
  }

  static std::uint64_t broken(Sink& sink, int depth) {
    sink.fail(depth > kNestingMax ? "a VARIANT is nested more than 200 levels deep"
                                  : "a VARIANT of the engine is not in the form that is known");
    return 0;
  }

  int depth_;
  const duckdb_list_entry* keys_ = nullptr;
  const duckdb_string_t* key_texts_ = nullptr;
  const duckdb_list_entry* children_ = nullptr;
  const std::uint32_t* child_keys_ = nullptr;
  const std::uint32_t* child_values_ = nullptr;
  const duckdb_list_entry* values_ = nullptr;
  const std::uint8_t* types_ = nullptr;
  const std::uint32_t* offsets_ = nullptr;
  const duckdb_string_t* bytes_ = nullptr;
};

}  // namespace

std::unique_ptr<ColumnEncoder> make_variant_encoder(int depth) { return std::make_unique<VariantEncoder>(depth); }

}  // namespace candor::engine::duckdb::internal
