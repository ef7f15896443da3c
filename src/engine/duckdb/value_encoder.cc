// The encoders of all types but VARIANT: scalars by a table of functions, containers by encoders of their parts.
#include "engine/duckdb/value_encoder.h"

#include <utility>
#include <vector>

#include "base/render_json.h"
#include "engine/duckdb/engine_text.h"
#include "engine/duckdb/handles.h"

namespace candor::engine::duckdb::internal {
namespace {

using EncoderResult = Result<std::unique_ptr<ColumnEncoder>>;

template <typename T, std::uint64_t (*Put)(Sink&, T), typename Stored = T>
class ScalarEncoder final : public ColumnEncoder {
  std::uint64_t write_valid(Sink& sink, std::uint64_t row) override {
    return Put(sink, static_cast<T>(at<Stored>(row)));
  }
};

template <std::uint64_t (*Put)(Sink&, std::string_view)>
class StringEncoder final : public ColumnEncoder {
  std::uint64_t write_valid(Sink& sink, std::uint64_t row) override {
    return Put(sink, string_at(at<duckdb_string_t>(row)));
  }
};

class NullEncoder final : public ColumnEncoder {
  std::uint64_t write_valid(Sink& sink, std::uint64_t /*row*/) override { return put_null(sink); }
};

template <typename Stored>
class DecimalEncoder final : public ColumnEncoder {
 public:
  explicit DecimalEncoder(int scale) : scale_(scale) {}

 private:
  std::uint64_t write_valid(Sink& sink, std::uint64_t row) override {
    if constexpr (std::is_same_v<Stored, duckdb_hugeint>) {
      return put_decimal(sink, to_int128(at<Stored>(row)), scale_);
    } else {
      return put_decimal(sink, at<Stored>(row), scale_);
    }
  }
  int scale_;
};

template <typename Stored>
class EnumEncoder final : public ColumnEncoder {
 public:
  explicit EnumEncoder(duckdb_logical_type type) {
    for (idx_t i = 0; i < duckdb_enum_dictionary_size(type); ++i) {
      texts_.push_back(take_string(duckdb_enum_dictionary_value(type, i)));
      chars_.push_back(json_string_chars(texts_.back()));
    }
  }

 private:
  std::uint64_t write_valid(Sink& sink, std::uint64_t row) override {
    const Stored index = at<Stored>(row);
    if (index >= texts_.size()) {
      sink.fail("an ENUM value is not one of its type");
      return 0;
    }
    sink.writer.text(CellKind::kOther, texts_[index]);
    return chars_[index];
  }
  std::vector<std::string> texts_;
  std::vector<std::uint64_t> chars_;
};

// LIST and ARRAY.
class ListEncoder : public ColumnEncoder {
 public:
  explicit ListEncoder(std::unique_ptr<ColumnEncoder> part) : part_(std::move(part)) {}
  void bind(duckdb_vector vector) override {
    ColumnEncoder::bind(vector);
    part_->bind(duckdb_list_vector_get_child(vector));
  }

 protected:
  std::uint64_t write_parts(Sink& sink, std::uint64_t first, std::uint64_t count) {
    sink.writer.container(CellKind::kList, static_cast<std::uint32_t>(count));
    std::uint64_t chars = 2 + (count > 0 ? count - 1 : 0);
    for (std::uint64_t i = 0; i < count && !sink.failure; ++i) chars += part_->write(sink, first + i);
    return chars;
  }
  [[nodiscard]] ColumnEncoder& part() { return *part_; }

 private:
  std::uint64_t write_valid(Sink& sink, std::uint64_t row) override {
    const auto& entry = at<duckdb_list_entry>(row);
    return write_parts(sink, entry.offset, entry.length);
  }
  std::unique_ptr<ColumnEncoder> part_;
};

class ArrayEncoder final : public ListEncoder {
 public:
  ArrayEncoder(std::unique_ptr<ColumnEncoder> part, std::uint64_t size) : ListEncoder(std::move(part)), size_(size) {}
  void bind(duckdb_vector vector) override {
    ColumnEncoder::bind(vector);
    part().bind(duckdb_array_vector_get_child(vector));
  }

 private:
  std::uint64_t write_valid(Sink& sink, std::uint64_t row) override { return write_parts(sink, row * size_, size_); }
  std::uint64_t size_;
};

struct Member {
  std::string name;
  std::uint64_t name_chars = 0;
  std::unique_ptr<ColumnEncoder> value;
};

// Members without names, of row(1, 2), make a list: an object of several members "" would lose all but one.
class StructEncoder final : public ColumnEncoder {
 public:
  StructEncoder(std::vector<Member> members, bool named) : members_(std::move(members)), named_(named) {}
  void bind(duckdb_vector vector) override {
    ColumnEncoder::bind(vector);
    for (std::size_t i = 0; i < members_.size(); ++i)
      members_[i].value->bind(duckdb_struct_vector_get_child(vector, i));
  }

 private:
  std::uint64_t write_valid(Sink& sink, std::uint64_t row) override {
    sink.writer.container(named_ ? CellKind::kStruct : CellKind::kList, static_cast<std::uint32_t>(members_.size()));
    std::uint64_t chars = 2 + (members_.empty() ? 0 : members_.size() - 1);
    for (Member& member : members_) {
      if (named_) {
        sink.writer.text(CellKind::kText, member.name);
        chars += member.name_chars + 1;
      }
      chars += member.value->write(sink, row);
      if (sink.failure) break;
    }
    return chars;
  }
  std::vector<Member> members_;
  bool named_;
};

// {"name of the member": its value}, as the engine's own to_json has it.
class UnionEncoder final : public ColumnEncoder {
 public:
  explicit UnionEncoder(std::vector<Member> members) : members_(std::move(members)) {}
  void bind(duckdb_vector vector) override {
    ColumnEncoder::bind(vector);
    tags_ = static_cast<const std::uint8_t*>(duckdb_vector_get_data(duckdb_struct_vector_get_child(vector, 0)));
    for (std::size_t i = 0; i < members_.size(); ++i)
      members_[i].value->bind(duckdb_struct_vector_get_child(vector, i + 1));
  }

 private:
  std::uint64_t write_valid(Sink& sink, std::uint64_t row) override {
    if (tags_[row] >= members_.size()) {
      sink.fail("a UNION value has no member of its type");
      return 0;
    }
    Member& member = members_[tags_[row]];
    sink.writer.container(CellKind::kStruct, 1);
    sink.writer.text(CellKind::kText, member.name);
    return 3 + member.name_chars + member.value->write(sink, row);
  }
  std::vector<Member> members_;
  const std::uint8_t* tags_ = nullptr;
};

class MapEncoder final : public ColumnEncoder {
 public:
  MapEncoder(std::unique_ptr<ColumnEncoder> key, std::unique_ptr<ColumnEncoder> value)
      : key_(std::move(key)), value_(std::move(value)) {}
  void bind(duckdb_vector vector) override {
    ColumnEncoder::bind(vector);
    const duckdb_vector entries = duckdb_list_vector_get_child(vector);
    key_->bind(duckdb_struct_vector_get_child(entries, 0));
    value_->bind(duckdb_struct_vector_get_child(entries, 1));
  }

 private:
  std::uint64_t write_valid(Sink& sink, std::uint64_t row) override {
    const auto& entry = at<duckdb_list_entry>(row);
    sink.writer.container(CellKind::kMap, static_cast<std::uint32_t>(entry.length));
    std::uint64_t chars = 2 + (entry.length > 0 ? 2 * entry.length - 1 : 0);
    for (std::uint64_t i = entry.offset; i < entry.offset + entry.length && !sink.failure; ++i) {
      const std::size_t start = sink.out->size();
      const std::uint64_t written = key_->write(sink, i);
      chars += key_chars(sink, start, written);
      chars += value_->write(sink, i);
    }
    return chars;
  }
  std::unique_ptr<ColumnEncoder> key_;
  std::unique_ptr<ColumnEncoder> value_;
};

template <typename Encoder, typename... Arguments>
std::unique_ptr<ColumnEncoder> make(Arguments&&... arguments) {
  return std::make_unique<Encoder>(std::forward<Arguments>(arguments)...);
}

std::unique_ptr<ColumnEncoder> make_number(int id) {
  switch (id) {
    case DUCKDB_TYPE_BOOLEAN:
      return make<ScalarEncoder<bool, put_boolean, std::uint8_t>>();
    case DUCKDB_TYPE_TINYINT:
      return make<ScalarEncoder<std::int64_t, put_integer, std::int8_t>>();
    case DUCKDB_TYPE_SMALLINT:
      return make<ScalarEncoder<std::int64_t, put_integer, std::int16_t>>();
    case DUCKDB_TYPE_INTEGER:
      return make<ScalarEncoder<std::int64_t, put_integer, std::int32_t>>();
    case DUCKDB_TYPE_BIGINT:
      return make<ScalarEncoder<std::int64_t, put_integer>>();
    case DUCKDB_TYPE_UTINYINT:
      return make<ScalarEncoder<std::int64_t, put_integer, std::uint8_t>>();
    case DUCKDB_TYPE_USMALLINT:
      return make<ScalarEncoder<std::int64_t, put_integer, std::uint16_t>>();
    case DUCKDB_TYPE_UINTEGER:
      return make<ScalarEncoder<std::int64_t, put_integer, std::uint32_t>>();
    case DUCKDB_TYPE_UBIGINT:
      return make<ScalarEncoder<std::uint64_t, put_unsigned>>();
    case DUCKDB_TYPE_HUGEINT:
      return make<ScalarEncoder<duckdb_hugeint, put_hugeint>>();
    case DUCKDB_TYPE_UHUGEINT:
      return make<ScalarEncoder<duckdb_uhugeint, put_uhugeint>>();
    case DUCKDB_TYPE_FLOAT:
      return make<ScalarEncoder<float, put_float>>();
    case DUCKDB_TYPE_DOUBLE:
      return make<ScalarEncoder<double, put_double>>();
    case DUCKDB_TYPE_BIGNUM:
      return make<StringEncoder<put_bignum>>();
    default:
      return nullptr;
  }
}

std::unique_ptr<ColumnEncoder> make_temporal(int id) {
  switch (id) {
    case DUCKDB_TYPE_DATE:
      return make<ScalarEncoder<std::int32_t, put_date>>();
    case DUCKDB_TYPE_TIME:
      return make<ScalarEncoder<std::int64_t, put_time>>();
    case DUCKDB_TYPE_TIME_NS:
      return make<ScalarEncoder<std::int64_t, put_time_ns>>();
    case DUCKDB_TYPE_TIME_TZ:
      return make<ScalarEncoder<std::uint64_t, put_time_tz>>();
    case DUCKDB_TYPE_TIMESTAMP:
      return make<ScalarEncoder<std::int64_t, put_timestamp>>();
    case DUCKDB_TYPE_TIMESTAMP_S:
      return make<ScalarEncoder<std::int64_t, put_timestamp_s>>();
    case DUCKDB_TYPE_TIMESTAMP_MS:
      return make<ScalarEncoder<std::int64_t, put_timestamp_ms>>();
    case DUCKDB_TYPE_TIMESTAMP_NS:
      return make<ScalarEncoder<std::int64_t, put_timestamp_ns>>();
    case DUCKDB_TYPE_TIMESTAMP_TZ:
      return make<ScalarEncoder<std::int64_t, put_timestamp_tz>>();
    case DUCKDB_TYPE_INTERVAL:
      return make<ScalarEncoder<duckdb_interval, put_interval>>();
    default:
      return nullptr;
  }
}

std::unique_ptr<ColumnEncoder> make_text(int id, duckdb_logical_type type) {
  switch (id) {
    case DUCKDB_TYPE_VARCHAR:
      if (take_string(duckdb_logical_type_get_alias(type)) == "JSON") return make<StringEncoder<put_json>>();
      return make<StringEncoder<put_varchar>>();
    case DUCKDB_TYPE_BLOB:
      return make<StringEncoder<put_blob>>();
    case DUCKDB_TYPE_BIT:
      return make<StringEncoder<put_bits>>();
    case kTypeGeometry:
      return make<StringEncoder<put_geometry>>();
    case DUCKDB_TYPE_UUID:
      return make<ScalarEncoder<duckdb_hugeint, put_uuid>>();
    case DUCKDB_TYPE_SQLNULL:
      return make<NullEncoder>();
    default:
      return nullptr;
  }
}

std::unique_ptr<ColumnEncoder> make_decimal(duckdb_logical_type type) {
  const int scale = duckdb_decimal_scale(type);
  switch (duckdb_decimal_internal_type(type)) {
    case DUCKDB_TYPE_SMALLINT:
      return make<DecimalEncoder<std::int16_t>>(scale);
    case DUCKDB_TYPE_INTEGER:
      return make<DecimalEncoder<std::int32_t>>(scale);
    case DUCKDB_TYPE_BIGINT:
      return make<DecimalEncoder<std::int64_t>>(scale);
    case DUCKDB_TYPE_HUGEINT:
      return make<DecimalEncoder<duckdb_hugeint>>(scale);
    default:
      return nullptr;
  }
}

std::unique_ptr<ColumnEncoder> make_enum(duckdb_logical_type type) {
  switch (duckdb_enum_internal_type(type)) {
    case DUCKDB_TYPE_UTINYINT:
      return make<EnumEncoder<std::uint8_t>>(type);
    case DUCKDB_TYPE_USMALLINT:
      return make<EnumEncoder<std::uint16_t>>(type);
    case DUCKDB_TYPE_UINTEGER:
      return make<EnumEncoder<std::uint32_t>>(type);
    default:
      return nullptr;
  }
}

EncoderResult make_part(duckdb_logical_type owned, int depth) {
  const LogicalType type(owned);
  return make_encoder(type.get(), depth + 1);
}

Result<Member> make_member(char* name, duckdb_logical_type type, int depth) {
  Member member;
  member.name = take_string(name);
  member.name_chars = json_string_chars(member.name);
  CANDOR_ASSIGN(member.value, make_part(type, depth));
  return member;
}

EncoderResult make_struct(duckdb_logical_type type, int depth) {
  std::vector<Member> members;
  bool named = true;
  for (idx_t i = 0; i < duckdb_struct_type_child_count(type); ++i) {
    CANDOR_ASSIGN(Member member,
                  make_member(duckdb_struct_type_child_name(type, i), duckdb_struct_type_child_type(type, i), depth));
    named = named && !member.name.empty();
    members.push_back(std::move(member));
  }
  return make<StructEncoder>(std::move(members), named);
}

EncoderResult make_union(duckdb_logical_type type, int depth) {
  std::vector<Member> members;
  for (idx_t i = 0; i < duckdb_union_type_member_count(type); ++i) {
    CANDOR_ASSIGN(Member member,
                  make_member(duckdb_union_type_member_name(type, i), duckdb_union_type_member_type(type, i), depth));
    members.push_back(std::move(member));
  }
  return make<UnionEncoder>(std::move(members));
}

EncoderResult make_map(duckdb_logical_type type, int depth) {
  CANDOR_ASSIGN(auto key, make_part(duckdb_map_type_key_type(type), depth));
  CANDOR_ASSIGN(auto value, make_part(duckdb_map_type_value_type(type), depth));
  return make<MapEncoder>(std::move(key), std::move(value));
}

EncoderResult make_list(duckdb_logical_type type, int depth) {
  CANDOR_ASSIGN(auto part, make_part(duckdb_list_type_child_type(type), depth));
  return make<ListEncoder>(std::move(part));
}

EncoderResult make_array(duckdb_logical_type type, int depth) {
  CANDOR_ASSIGN(auto part, make_part(duckdb_array_type_child_type(type), depth));
  return make<ArrayEncoder>(std::move(part), duckdb_array_type_array_size(type));
}

}  // namespace

std::string_view string_at(const duckdb_string_t& text) {
  // The API's own accessors take a copy or a pointer that is not const; this is the layout that the header declares.
  constexpr std::uint32_t kInlinedMax = 12;
  const std::uint32_t size = text.value.inlined.length;
  return {size <= kInlinedMax ? text.value.inlined.inlined : text.value.pointer.ptr, size};
}

std::uint64_t key_chars(const Sink& sink, std::size_t cell_start, std::uint64_t cell_chars) {
  const std::string_view cell = std::string_view(*sink.out).substr(cell_start);
  if (static_cast<CellKind>(cell.front()) == CellKind::kText) return cell_chars;
  CellReader reader(cell);
  std::string json;
  append_json(json, reader);
  return json.front() == '"' ? cell_chars : json_string_chars(json);
}

Result<std::unique_ptr<ColumnEncoder>> make_encoder(duckdb_logical_type type, int depth) {
  const int id = duckdb_get_type_id(type);
  if (depth > kNestingMax)
    return make_error("invalid-value", "a type is nested more than 200 levels deep", "select a part of it");
  std::unique_ptr<ColumnEncoder> made;
  switch (id) {
    case DUCKDB_TYPE_LIST:
      return make_list(type, depth);
    case DUCKDB_TYPE_ARRAY:
      return make_array(type, depth);
    case DUCKDB_TYPE_STRUCT:
      return make_struct(type, depth);
    case DUCKDB_TYPE_MAP:
      return make_map(type, depth);
    case DUCKDB_TYPE_UNION:
      return make_union(type, depth);
    case DUCKDB_TYPE_DECIMAL:
      made = make_decimal(type);
      break;
    case DUCKDB_TYPE_ENUM:
      made = make_enum(type);
      break;
    case kTypeVariant:
      return make_variant_encoder(depth);
    default:
      made = make_number(id);
      if (made == nullptr) made = make_temporal(id);
      if (made == nullptr) made = make_text(id, type);
  }
  if (made == nullptr) {
    return make_error("invalid-value", "a column has a type whose values can't be shown exactly",
                      "cast it to VARCHAR or leave it out", "type number " + std::to_string(id) + " of the engine");
  }
  return made;
}

}  // namespace candor::engine::duckdb::internal
