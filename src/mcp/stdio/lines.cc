// Splitting a stream of bytes into lines.
#include "mcp/stdio/lines.h"

namespace candor::mcp {
namespace {

// A buffer above this is given back after its line, so that one long message does not stay in memory.
constexpr std::size_t kKeptBytes = 1U << 20U;

}  // namespace

void LineSplitter::feed(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::size_t end = bytes.find('\n');
    if (end == std::string_view::npos) {
      append(bytes);
      return;
    }
    if (held_.empty() && !skipping_ && end <= bytes_max_) {
      give(bytes.substr(0, end));
    } else {
      append(bytes.substr(0, end));
      end_line();
    }
    bytes.remove_prefix(end + 1);
  }
}

void LineSplitter::finish() {
  if (!held_.empty() || skipping_) end_line();
}

void LineSplitter::append(std::string_view bytes) {
  if (!skipping_ && bytes.size() > bytes_max_ - held_.size()) {
    skipping_ = true;
    if (sink_.skipped) sink_.skipped(held_);
    held_ = std::string();
  }
  if (skipping_) {
    if (sink_.skipped) sink_.skipped(bytes);
    return;
  }
  held_ += bytes;
}

void LineSplitter::end_line() {
  if (skipping_) {
    skipping_ = false;
    sink_.too_long();
    return;
  }
  give(held_);
  if (held_.capacity() > kKeptBytes) {
    held_ = std::string();
  } else {
    held_.clear();
  }
}

void LineSplitter::give(std::string_view line) const {
  if (line.find_first_not_of(" \t\r") != std::string_view::npos) sink_.line(line);
}

}  // namespace candor::mcp
