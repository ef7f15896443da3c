// GEOMETRY: WKB, the engine's physical form, to WKT as the engine prints it.
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>

#include "engine/duckdb/value_text.h"

namespace candor::engine::duckdb::internal {
namespace {

constexpr int kDepthMax = 100;

enum Shape : std::uint32_t { kPoint = 1, kLine, kPolygon, kMultiPoint, kMultiLine, kMultiPolygon, kCollection };

class WkbReader {
 public:
  explicit WkbReader(std::string_view bytes) : rest_(bytes) {}

  // One whole geometry, its name included; false when the bytes are no WKB.
  bool geometry(std::string& out, int depth) {
    std::uint32_t shape = 0;
    int ordinates = 0;
    std::string_view dimensions;
    if (depth > kDepthMax || !head(shape, ordinates, dimensions)) return false;
    constexpr std::array<std::string_view, 8> kNames = {
        "", "POINT", "LINESTRING", "POLYGON", "MULTIPOINT", "MULTILINESTRING", "MULTIPOLYGON", "GEOMETRYCOLLECTION"};
    out += kNames[shape];
    out += dimensions;
    out += ' ';
    return body(out, shape, ordinates, depth);
  }
  [[nodiscard]] bool at_end() const { return rest_.empty(); }

 private:
  template <typename T>
  bool take(T& value) {
    if (rest_.size() < sizeof(T)) return false;
    std::memcpy(&value, rest_.data(), sizeof(T));
    rest_.remove_prefix(sizeof(T));
    return true;
  }

  bool head(std::uint32_t& shape, int& ordinates, std::string_view& dimensions) {
    std::uint8_t little_endian = 0;
    std::uint32_t type = 0;
    if (!take(little_endian) || little_endian != 1 || !take(type)) return false;
    constexpr std::array<std::string_view, 4> kDimensions = {"", " Z", " M", " ZM"};
    constexpr std::array<int, 4> kOrdinates = {2, 3, 3, 4};
    shape = type % 1000;
    if (type / 1000 >= kDimensions.size() || shape < kPoint || shape > kCollection) return false;
    dimensions = kDimensions[type / 1000];
    ordinates = kOrdinates[type / 1000];
    return true;
  }

  bool body(std::string& out, std::uint32_t shape, int ordinates, int depth) {
    if (shape == kPoint) return point(out, ordinates, true);
    if (shape == kLine) return points(out, ordinates);
    return parts(out, [&](std::string& part) {
      if (shape == kPolygon) return points(part, ordinates);
      if (shape == kCollection) return geometry(part, depth + 1);
      std::uint32_t member = 0;
      int member_ordinates = 0;
      std::string_view dimensions;
      if (!head(member, member_ordinates, dimensions) || member != shape - 3) return false;
      // The engine writes the points of a multipoint without brackets of their own.
      if (member == kPoint) return point(part, member_ordinates, false);
      return body(part, member, member_ordinates, depth + 1);
    });
  }

  bool point(std::string& out, int ordinates, bool brackets) {
    std::array<double, 4> values{};
    bool empty = true;
    for (int i = 0; i < ordinates; ++i) {
      if (!take(values[static_cast<std::size_t>(i)])) return false;
      empty = empty && std::isnan(values[static_cast<std::size_t>(i)]);
    }
    if (empty) {
      out += "EMPTY";
      return true;
    }
    if (brackets) out += '(';
    for (int i = 0; i < ordinates; ++i) {
      if (i > 0) out += ' ';
      std::array<char, 40> digits{};
      const auto done =
          std::to_chars(digits.data(), digits.data() + digits.size(), values[static_cast<std::size_t>(i)]);
      out.append(digits.data(), done.ptr);
    }
    if (brackets) out += ')';
    return true;
  }

  bool points(std::string& out, int ordinates) {
    return parts(out, [&](std::string& part) { return point(part, ordinates, false); });
  }

  template <typename Part>
  bool parts(std::string& out, Part part) {
    std::uint32_t count = 0;
    if (!take(count)) return false;
    if (count == 0) {
      out += "EMPTY";
      return true;
    }
    out += '(';
    for (std::uint32_t i = 0; i < count; ++i) {
      if (i > 0) out += ", ";
      if (!part(out)) return false;
    }
    out += ')';
    return true;
  }

  std::string_view rest_;
};

}  // namespace

std::optional<std::string> format_geometry(std::string_view wkb) {
  WkbReader reader(wkb);
  std::string text;
  if (!reader.geometry(text, 0) || !reader.at_end()) return std::nullopt;
  return text;
}

}  // namespace candor::engine::duckdb::internal
