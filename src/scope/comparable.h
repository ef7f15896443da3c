// What < and > compare, and what a sort goes by: numbers without ever rounding one, and moments. Other texts have no order
// with them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace candor::scope {

class Comparable {
 public:
  enum class Kind : std::uint8_t { kNone, kNumber, kTime };

  Comparable() = default;
  // "12", "-0.50", "1e400", "Infinity"; "2024-06-01", "2024-06-01T09:30:00.5+02:00" (without an offset: UTC). NaN is none.
  [[nodiscard]] static Comparable of(std::string_view text);

  [[nodiscard]] Kind kind() const { return kind_; }
  // <0, 0, >0. Requires two of the same kind, and not kNone.
  [[nodiscard]] static int compare(const Comparable& a, const Comparable& b);

 private:
  static bool read_number(std::string_view text, Comparable& into);
  static bool read_time(std::string_view text, Comparable& into);

  Kind kind_ = Kind::kNone;
  int infinite_ = 0;          // -1, 1: an infinity of that sign
  double near_ = 0;           // the nearest double; NaN where there is none
  std::string digits_;        // of a number, as it was written
  std::int64_t seconds_ = 0;  // since 1970
  std::int32_t nanos_ = 0;
};

}  // namespace candor::scope
