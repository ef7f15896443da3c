// Writing frame heads and cutting a byte stream at them.
#include "engine/worker/frame.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <utility>

namespace candor::engine::worker {

std::string frame_head(FrameType type, std::uint32_t id, std::size_t payload_bytes) {
  assert(payload_bytes <= kPayloadBytesMax);
  const auto size = static_cast<std::uint32_t>(payload_bytes);
  std::string head(kHeadBytes, '\0');
  std::memcpy(head.data(), &size, sizeof size);
  head[4] = static_cast<char>(type);
  std::memcpy(head.data() + 5, &id, sizeof id);
  return head;
}

void append_frame(std::string& out, FrameType type, std::uint32_t id, std::string_view payload) {
  out += frame_head(type, id, payload.size());
  out += payload;
}

bool FrameReader::read_head(std::string_view& bytes) {
  const std::size_t taken = std::min(kHeadBytes - head_.size(), bytes.size());
  head_.append(bytes.substr(0, taken));
  bytes.remove_prefix(taken);
  if (head_.size() < kHeadBytes) return false;
  std::memcpy(&payload_bytes_, head_.data(), sizeof payload_bytes_);
  const auto type = static_cast<std::uint8_t>(head_[4]);
  if (payload_bytes_ > kPayloadBytesMax || type == 0 || type > static_cast<std::uint8_t>(kFrameTypeLast)) {
    broken_ = true;
    return false;
  }
  frame_.type = static_cast<FrameType>(type);
  std::memcpy(&frame_.id, head_.data() + 5, sizeof frame_.id);
  frame_.payload.clear();
  head_.clear();
  in_payload_ = true;
  return true;
}

std::optional<Frame> FrameReader::feed(std::string_view& bytes) {
  if (broken_ || (!in_payload_ && !read_head(bytes))) return std::nullopt;
  const std::size_t taken = std::min<std::size_t>(payload_bytes_ - frame_.payload.size(), bytes.size());
  frame_.payload.append(bytes.substr(0, taken));
  bytes.remove_prefix(taken);
  if (frame_.payload.size() < payload_bytes_) return std::nullopt;
  in_payload_ = false;
  return std::exchange(frame_, Frame{});
}

}  // namespace candor::engine::worker
