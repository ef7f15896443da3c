// Looking at a stream, painting, writing.
#include "cli/terminal.h"

#include <cerrno>
#include <charconv>
#include <clocale>
#include <cstdlib>
#include <cstring>
#include <langinfo.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace candor::cli {
namespace {

constexpr std::size_t kWidthStandard = 80;
constexpr std::size_t kWidthMin = 20;

std::string_view variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string_view() : std::string_view(value);
}

std::size_t width_of(int fd) {
  std::size_t width = 0;
  winsize size{};
  if (::ioctl(fd, TIOCGWINSZ, &size) == 0) width = size.ws_col;
  if (const std::string_view columns = variable("COLUMNS"); width == 0 && !columns.empty()) {
    std::from_chars(columns.data(), columns.data() + columns.size(), width);
  }
  if (width == 0) width = kWidthStandard;
  return width < kWidthMin ? kWidthMin : width;
}

std::string_view escape_of(Paint paint) {
  switch (paint) {
    case Paint::kPlain:
      return {};
    case Paint::kBold:
      return "\x1b[1m";
    case Paint::kDim:
      return "\x1b[2m";
    case Paint::kRed:
      return "\x1b[31m";
    case Paint::kGreen:
      return "\x1b[32m";
    case Paint::kYellow:
      return "\x1b[33m";
    case Paint::kCyan:
      return "\x1b[36m";
  }
  return {};
}

}  // namespace

Stream Stream::open(int fd, bool colour_allowed) {
  Stream stream;
  stream.fd_ = fd;
  stream.failure_ = std::make_shared<int>(0);
  stream.terminal_ = ::isatty(fd) == 1;
  const std::string_view term = variable("TERM");
  stream.cursor_ = stream.terminal_ && !term.empty() && term != "dumb";
  // https://no-color.org: any value but the empty one.
  stream.colour_ = stream.cursor_ && colour_allowed && variable("NO_COLOR").empty();
  stream.width_ = width_of(fd);
  const char* before = std::setlocale(LC_CTYPE, nullptr);
  const std::string kept = before == nullptr ? "C" : before;
  if (std::setlocale(LC_CTYPE, "") != nullptr) stream.unicode_ = std::strcmp(::nl_langinfo(CODESET), "UTF-8") == 0;
  std::setlocale(LC_CTYPE, kept.c_str());
  return stream;
}

std::string Stream::painted(Paint paint, std::string_view text) const {
  if (!colour_ || paint == Paint::kPlain || text.empty()) return std::string(text);
  std::string out(escape_of(paint));
  out += text;
  out += "\x1b[0m";
  return out;
}

bool Stream::put(std::string_view text) const {
  while (!text.empty()) {
    const ssize_t written = ::write(fd_, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      if (failure_ != nullptr && *failure_ == 0) *failure_ = errno;
      return false;
    }
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

}  // namespace candor::cli
