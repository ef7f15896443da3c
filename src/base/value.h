// Values and rows as they travel between an engine and a surface: exact, self-describing, cheap to append and to read.
// Rendering them as JSON is render_json.h. No I/O here.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace candor {

// A result column. Names may repeat; ids are unique inside one result ("c0", "c1", …).
struct Column {
  std::string name;
  std::string type;  // as the engine names it: "BIGINT", "DECIMAL(10,2)", "VARCHAR[]"
  friend bool operator==(const Column&, const Column&) = default;
};

enum class CellKind : std::uint8_t {
  kNull = 0,
  kBoolean,      // integer: 0 or 1
  kInteger,      // integer: int64
  kIntegerText,  // text: the digits of an integer outside int64
  kReal32,       // real, to be printed with float's shortest digits
  kReal64,       // real
  kDecimal,      // text, scale kept: "12.50"
  kText,         // text: valid UTF-8, a NUL inside survives
  kBlob,         // text: the raw bytes
  kTemporal,     // text: ISO 8601
  kOther,        // text as the engine prints it: interval, UUID, BIT, ENUM
  kJson,         // text: a JSON document, kept verbatim
  kList,         // count cells follow
  kStruct,       // count times: a kText cell (the name), a cell
  kMap,          // count times: a cell (the key), a cell
  kCut,          // integer: characters of the whole; text: the part that is shown
};

// One decoded cell head. For kList, kStruct and kMap its parts follow in the reader.
struct Cell {
  CellKind kind = CellKind::kNull;
  std::int64_t integer = 0;
  double real = 0;
  std::string_view text;    // points into the batch
  std::uint32_t count = 0;  // parts of kList, kStruct, kMap
};

// Appends cells to a byte string; the encoding is private to value.cc and the same on both sides of a pipe.
class CellWriter {
 public:
  explicit CellWriter(std::string& out) : out_(&out) {}
  void null();
  void boolean(bool value);
  void integer(std::int64_t value);
  void real32(float value);
  void real64(double value);
  void text(CellKind kind, std::string_view value);  // any kind whose payload is text, but kCut
  void container(CellKind kind, std::uint32_t count);
  void cut(std::int64_t characters, std::string_view shown);

 private:
  std::string* out_;
};

// Reads cells back in order. Bytes from another process are checked: a malformed batch, or containers nested deeper than
// 200 levels, end the read with ok() false.
class CellReader {
 public:
  explicit CellReader(std::string_view bytes) : rest_(bytes) {}
  [[nodiscard]] bool at_end() const { return rest_.empty() || !ok_; }
  [[nodiscard]] bool ok() const { return ok_; }
  Cell next();
  // Passes over one whole cell, parts included. Its encoded bytes.
  std::string_view skip();
  // Ends the read: for a consumer that can't go on in step with the cells.
  void fail() { ok_ = false; }

 private:
  std::string_view rest_;
  bool ok_ = true;
};

// Some rows of one result, encoded cell after cell, row after row.
struct RowBatch {
  std::uint32_t rows = 0;
  std::string cells;
};

// One value that owns its parts; for parameters, tests and the few places that look at single values.
struct Value {
  CellKind kind = CellKind::kNull;
  std::int64_t integer = 0;
  double real = 0;
  std::string text;
  std::vector<Value> parts;  // of kList; name, value, … of kStruct; key, value, … of kMap
  [[nodiscard]] bool is_null() const { return kind == CellKind::kNull; }
  friend bool operator==(const Value&, const Value&) = default;
};

[[nodiscard]] Value read_value(CellReader& reader);
void write_value(CellWriter& writer, const Value& value);
[[nodiscard]] Value text_value(std::string text);
[[nodiscard]] Value integer_value(std::int64_t integer);

}  // namespace candor
