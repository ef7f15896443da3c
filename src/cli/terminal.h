// What stands at the other end of a stream: a terminal with a width and colours, or something that reads documents.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace candor::cli {

enum class Paint : std::uint8_t { kPlain, kBold, kDim, kRed, kGreen, kYellow, kCyan };

// One of the two streams that a command writes. Writing to a reader that went away is no error here: `put` says so.
class Stream {
 public:
  Stream() = default;
  // Looks at the file descriptor and at NO_COLOR, TERM, COLUMNS and the locale.
  [[nodiscard]] static Stream open(int fd, bool colour_allowed);

  [[nodiscard]] bool terminal() const { return terminal_; }
  [[nodiscard]] bool unicode() const { return unicode_; }     // frames and bars may be drawn with more than ASCII
  [[nodiscard]] bool cursor() const { return cursor_; }       // a line can be drawn over
  [[nodiscard]] std::size_t width() const { return width_; }  // in terminal cells

  [[nodiscard]] std::string painted(Paint paint, std::string_view text) const;
  // Writes all of it. False when nobody reads any more.
  bool put(std::string_view text) const;  // NOLINT(modernize-use-nodiscard): most callers go on to their end anyway
  // The system's error of the first write that failed, through this stream or a copy of it; 0 when none did. What was
  // written so far is not whole then.
  [[nodiscard]] int failure() const { return failure_ == nullptr ? 0 : *failure_; }

 private:
  int fd_ = 1;
  std::shared_ptr<int> failure_;
  bool terminal_ = false;
  bool colour_ = false;
  bool unicode_ = false;
  bool cursor_ = false;
  std::size_t width_ = 80;
};

}  // namespace candor::cli
