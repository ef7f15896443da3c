// The encoding of cells: one tag byte, then eight bytes for a number, or a four-byte length and the bytes of a text.
#include "base/value.h"

#include <cstring>
#include <utility>

namespace candor {
namespace {

constexpr int kDepthMax = 200;

template <typename T>
void append_raw(std::string& out, T value) {
  char bytes[sizeof(T)];
  std::memcpy(bytes, &value, sizeof(T));
  out.append(bytes, sizeof(T));
}

template <typename T>
bool take_raw(std::string_view& rest, T& value) {
  if (rest.size() < sizeof(T)) return false;
  std::memcpy(&value, rest.data(), sizeof(T));
  rest.remove_prefix(sizeof(T));
  return true;
}

bool take_text(std::string_view& rest, std::string_view& text) {
  std::uint32_t size = 0;
  if (!take_raw(rest, size) || rest.size() < size) return false;
  text = rest.substr(0, size);
  rest.remove_prefix(size);
  return true;
}

std::size_t part_count(const Cell& cell) {
  if (cell.kind == CellKind::kList) return cell.count;
  if (cell.kind == CellKind::kStruct || cell.kind == CellKind::kMap) return std::size_t{2} * cell.count;
  return 0;
}

void skip_cell(CellReader& reader, int depth) {
  const Cell cell = reader.next();
  if (depth > kDepthMax) return reader.fail();
  for (std::size_t i = 0; i < part_count(cell) && reader.ok(); ++i) skip_cell(reader, depth + 1);
}

Value read_nested(CellReader& reader, int depth) {
  const Cell cell = reader.next();
  Value value;
  value.kind = cell.kind;
  value.integer = cell.integer;
  value.real = cell.real;
  value.text = std::string(cell.text);
  if (depth > kDepthMax) {
    reader.fail();
    return value;
  }
  for (std::size_t i = 0; i < part_count(cell) && reader.ok(); ++i) {
    value.parts.push_back(read_nested(reader, depth + 1));
  }
  return value;
}

}  // namespace

void CellWriter::null() { out_->push_back(static_cast<char>(CellKind::kNull)); }

void CellWriter::boolean(bool value) {
  out_->push_back(static_cast<char>(CellKind::kBoolean));
  out_->push_back(value ? '\1' : '\0');
}

void CellWriter::integer(std::int64_t value) {
  out_->push_back(static_cast<char>(CellKind::kInteger));
  append_raw(*out_, value);
}

void CellWriter::real32(float value) {
  out_->push_back(static_cast<char>(CellKind::kReal32));
  append_raw(*out_, static_cast<double>(value));
}

void CellWriter::real64(double value) {
  out_->push_back(static_cast<char>(CellKind::kReal64));
  append_raw(*out_, value);
}

void CellWriter::text(CellKind kind, std::string_view value) {
  out_->push_back(static_cast<char>(kind));
  append_raw(*out_, static_cast<std::uint32_t>(value.size()));
  out_->append(value);
}

void CellWriter::container(CellKind kind, std::uint32_t count) {
  out_->push_back(static_cast<char>(kind));
  append_raw(*out_, count);
}

void CellWriter::cut(std::int64_t characters, std::string_view shown) {
  out_->push_back(static_cast<char>(CellKind::kCut));
  append_raw(*out_, characters);
  append_raw(*out_, static_cast<std::uint32_t>(shown.size()));
  out_->append(shown);
}

Cell CellReader::next() {
  Cell cell;
  if (at_end()) {
    ok_ = false;
    return cell;
  }
  const auto tag = static_cast<std::uint8_t>(rest_.front());
  rest_.remove_prefix(1);
  if (tag > static_cast<std::uint8_t>(CellKind::kCut)) {
    ok_ = false;
    return cell;
  }
  cell.kind = static_cast<CellKind>(tag);
  switch (cell.kind) {
    case CellKind::kNull:
      break;
    case CellKind::kBoolean: {
      std::uint8_t truth = 0;
      ok_ = take_raw(rest_, truth);
      cell.integer = truth;
      break;
    }
    case CellKind::kInteger:
      ok_ = take_raw(rest_, cell.integer);
      break;
    case CellKind::kReal32:
    case CellKind::kReal64:
      ok_ = take_raw(rest_, cell.real);
      break;
    case CellKind::kList:
    case CellKind::kStruct:
    case CellKind::kMap:
      ok_ = take_raw(rest_, cell.count);
      break;
    case CellKind::kCut:
      ok_ = take_raw(rest_, cell.integer) && take_text(rest_, cell.text);
      break;
    default:
      ok_ = take_text(rest_, cell.text);
  }
  return cell;
}

std::string_view CellReader::skip() {
  const std::string_view before = rest_;
  skip_cell(*this, 0);
  return before.substr(0, before.size() - rest_.size());
}

Value read_value(CellReader& reader) { return read_nested(reader, 0); }

void write_value(CellWriter& writer, const Value& value) {
  switch (value.kind) {
    case CellKind::kNull:
      return writer.null();
    case CellKind::kBoolean:
      return writer.boolean(value.integer != 0);
    case CellKind::kInteger:
      return writer.integer(value.integer);
    case CellKind::kReal32:
      return writer.real32(static_cast<float>(value.real));
    case CellKind::kReal64:
      return writer.real64(value.real);
    case CellKind::kCut:
      return writer.cut(value.integer, value.text);
    case CellKind::kList:
    case CellKind::kStruct:
    case CellKind::kMap: {
      const std::size_t share = value.kind == CellKind::kList ? 1 : 2;
      writer.container(value.kind, static_cast<std::uint32_t>(value.parts.size() / share));
      for (const Value& part : value.parts) write_value(writer, part);
      return;
    }
    default:
      return writer.text(value.kind, value.text);
  }
}

Value text_value(std::string text) {
  Value value;
  value.kind = CellKind::kText;
  value.text = std::move(text);
  return value;
}

Value integer_value(std::int64_t integer) {
  Value value;
  value.kind = CellKind::kInteger;
  value.integer = integer;
  return value;
}

}  // namespace candor
