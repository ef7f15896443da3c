// Lines of a file, and the calls in them.
#include "cli/call_log.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>
#include <utility>

#include "base/render_json.h"
#include "cli/text_layout.h"
#include "json/json.h"

namespace candor::cli {
namespace {

constexpr std::size_t kBlockBytes = std::size_t{64} << 10U;
constexpr std::size_t kCallBytesMax = 8'000'000;
constexpr std::size_t kBrokenShown = 5;

Diagnostic unreadable(const std::string& name, const std::string& why) {
  return make_error("unreadable-input", "can't read " + visible(name) + ": " + why,
                    "name an existing file, or - for standard input");
}

bool blank(std::string_view line) { return line.find_first_not_of(" \t\r\f\v") == std::string_view::npos; }

// Whether the line ends in a semicolon, blanks aside.
bool ends_call(std::string_view line) {
  const std::size_t last = line.find_last_not_of(" \t\r\f\v");
  return last != std::string_view::npos && line[last] == ';';
}

// Nothing but line comments and semicolons: what heads a file.
bool only_comments(std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    const std::size_t begin = line.find_first_not_of(" \t\r\f\v;");
    if (begin != std::string_view::npos && !line.substr(begin).starts_with("--")) return false;
  }
  return true;
}

std::string text_or_number(const json::Node& node) { return node.is_string() || node.is_number() ? node.text() : ""; }

}  // namespace

Result<CallLog> CallLog::open(const std::string& path, LogFormat format) {
  if (path == "-") return CallLog(STDIN_FILENO, "standard input", format);
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return unreadable(path, std::strerror(errno));
  return CallLog(fd, path, format);
}

CallLog::CallLog(CallLog&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)),
      name_(std::move(other.name_)),
      format_(other.format_),
      buffer_(std::move(other.buffer_)),
      at_(other.at_),
      ended_(other.ended_),
      too_long_(other.too_long_),
      line_(other.line_),
      broken_count_(other.broken_count_),
      broken_(std::move(other.broken_)) {}

CallLog::~CallLog() {
  if (fd_ > STDIN_FILENO) ::close(fd_);
}

// Reads a block behind what is left. False at the end of the file.
Result<bool> CallLog::fill() {
  buffer_.erase(0, at_);
  at_ = 0;
  const std::size_t before = buffer_.size();
  buffer_.resize(before + kBlockBytes);
  ssize_t got = -1;
  do {
    got = ::read(fd_, buffer_.data() + before, kBlockBytes);
  } while (got < 0 && errno == EINTR);
  buffer_.resize(before + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  if (got < 0) return unreadable(name_, std::strerror(errno));
  return got > 0;
}

// The next line without its end; of a line that is too long the beginning. False at the end.
Result<bool> CallLog::next_line(std::string& line) {
  line.clear();
  too_long_ = false;
  for (;;) {
    const std::size_t end = buffer_.find('\n', at_);
    const std::size_t until = end == std::string::npos ? buffer_.size() : end;
    too_long_ = too_long_ || line.size() + (until - at_) > kCallBytesMax;
    if (!too_long_) line.append(buffer_, at_, until - at_);
    at_ = until;
    if (end != std::string::npos) {
      ++at_;
      break;
    }
    if (!ended_) {
      CANDOR_ASSIGN(const bool more, fill());
      ended_ = !more;
      continue;
    }
    if (line.empty() && !too_long_) return false;
    break;
  }
  ++line_;
  if (line_ == 1 && line.starts_with("\xEF\xBB\xBF")) line.erase(0, 3);
  if (!is_utf8(line)) {
    return make_error("unreadable-input", visible(place(line_)) + " is not valid UTF-8", "write the log as UTF-8");
  }
  if (line.ends_with('\r')) line.pop_back();
  return true;
}

void CallLog::note_broken(std::uint64_t line, std::string why) {
  ++broken_count_;
  if (broken_.size() < kBrokenShown) broken_.push_back({place(line), std::move(why)});
}

Status CallLog::detect(std::string_view line) {
  if (format_ != LogFormat::kDetect) return Ok{};
  const std::size_t begin = line.find_first_not_of(" \t\r\f\v");
  const char first = begin == std::string_view::npos ? ' ' : line[begin];
  if (first == '[') {
    return make_error("unreadable-input",
                      visible(place(line_)) + " begins a JSON array, and a log has one object a line",
                      "jq -c '.[]' makes one of it");
  }
  format_ = first == '{' ? LogFormat::kNdjson : LogFormat::kSql;
  return Ok{};
}

std::optional<LoggedCall> CallLog::read_object(std::string_view line) {
  Result<json::Node> node = json::parse(line);
  if (!node.ok()) {
    note_broken(line_, node.error().message);
    return std::nullopt;
  }
  const json::Node& sql = (*node)["sql"];
  if (!node->is_object() || !sql.is_string()) {
    note_broken(line_, "is no object with a text \"sql\"");
    return std::nullopt;
  }
  LoggedCall call{sql.text(), text_or_number((*node)["turn"]), place(line_)};
  const std::string session = text_or_number((*node)["session"]);
  if (!call.turn.empty() && !session.empty()) call.turn = session + "\n" + call.turn;
  return call;
}

// A call of several lines. `line` is its first one.
Result<std::optional<LoggedCall>> CallLog::next_sql() {
  LoggedCall call;
  std::uint64_t first = 0;
  bool too_long = false;
  std::string line;
  for (;;) {
    CANDOR_ASSIGN(const bool there, next_line(line));
    const bool empty = !there || (blank(line) && !too_long_);
    if (!empty && call.sql.empty() && !too_long) {
      CANDOR_TRY(detect(line));
      first = line_;
      if (format_ == LogFormat::kNdjson) return std::optional(LoggedCall{std::move(line), "", ""});
    }
    if (!empty) {
      too_long = too_long || too_long_ || call.sql.size() + line.size() > kCallBytesMax;
      if (too_long) call.sql.clear();
      if (!too_long) call.sql += (call.sql.empty() ? "" : "\n") + line;
    }
    const bool ends = empty || too_long_ || ends_call(line) || format_ == LogFormat::kLines;
    if (ends && too_long) {
      note_broken(first, "begins a call of more than " + grouped(kCallBytesMax) + " bytes");
    } else if (ends && !call.sql.empty() && !only_comments(call.sql)) {
      call.place = place(first);
      return std::optional(std::move(call));
    }
    if (ends) {
      call.sql.clear();
      too_long = false;
    }
    if (!there) return std::optional<LoggedCall>();
  }
}

Result<std::optional<LoggedCall>> CallLog::next() {
  std::string line;
  for (;;) {
    if (format_ == LogFormat::kNdjson) {
      CANDOR_ASSIGN(const bool there, next_line(line));
      if (!there) return std::optional<LoggedCall>();
      if (blank(line)) continue;
    } else {
      CANDOR_ASSIGN(std::optional<LoggedCall> call, next_sql());
      if (!call || format_ != LogFormat::kNdjson) return call;
      line = std::move(call->sql);  // the line by which the form was told
    }
    if (too_long_) {
      note_broken(line_, "has more than " + grouped(kCallBytesMax) + " bytes");
      continue;
    }
    if (std::optional<LoggedCall> call = read_object(line)) return call;
  }
}

}  // namespace candor::cli
