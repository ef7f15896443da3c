// Bytes to lines, with a bound on a line's length.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace candor::mcp {

class LineSplitter {
 public:
  struct Sink {
    std::function<void(std::string_view line)> line;           // without its end; lines of white space are left out
    std::function<void()> too_long;                            // once for each line that was over the bound, at its end
    std::function<void(std::string_view bytes)> skipped = {};  // such a line's pieces, from its beginning
  };
  LineSplitter(std::size_t bytes_max, Sink sink) : bytes_max_(bytes_max), sink_(std::move(sink)) {}

  void feed(std::string_view bytes);
  // The input ended; what stands after the last line's end counts as a line.
  void finish();

 private:
  void append(std::string_view bytes);
  void end_line();
  void give(std::string_view line) const;

  const std::size_t bytes_max_;
  const Sink sink_;
  std::string held_;
  bool skipping_ = false;
};

}  // namespace candor::mcp
