// Counting brackets and quotes.
#include "mcp/protocol/id_finder.h"

#include <utility>

namespace candor::mcp {

void IdFinder::feed(std::string_view bytes) {
  for (const char byte : bytes) take(byte);
}

void IdFinder::take(char byte) {
  if (in_string_) return take_in_string(byte);
  switch (byte) {
    case '"':
      in_string_ = true;
      keep(byte);
      break;
    case '{':
    case '[':
      keep(byte);
      ++depth_;
      break;
    case '}':
    case ']':
      if (depth_ == 1) end_part();
      --depth_;
      ended_ = ended_ || depth_ <= 0;
      break;
    case ',':
      if (depth_ == 1) end_part();
      break;
    case ':':
      if (depth_ == 1 && !value_) {
        name_ = std::exchange(part_, {});
        value_ = true;
      }
      break;
    case ' ':
    case '\t':
    case '\r':
    case '\n':
      break;
    default:
      keep(byte);
  }
}

void IdFinder::take_in_string(char byte) {
  keep(byte);
  if (escaped_) {
    escaped_ = false;
  } else if (byte == '\\') {
    escaped_ = true;
  } else if (byte == '"') {
    in_string_ = false;
  }
}

void IdFinder::keep(char byte) {
  if (depth_ != 1 || ended_) return;
  if (part_.size() < kPartBytesMax) {
    part_ += byte;
  } else {
    too_long_ = true;
  }
}

void IdFinder::end_part() {
  if (value_ && name_ == "\"id\"" && !ended_) {
    ++found_times_;
    found_ = too_long_ ? std::string() : part_;
  }
  value_ = too_long_ = false;
  part_.clear();
}

std::optional<json::Node> IdFinder::id() const {
  if (found_times_ != 1) return std::nullopt;
  auto parsed = json::parse(found_);
  if (!parsed.ok() || !(parsed->is_string() || parsed->is_number())) return std::nullopt;
  return std::move(*parsed);
}

}  // namespace candor::mcp
