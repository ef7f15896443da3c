// A worker that is none, for tests of the client alone.
#pragma once

#include <array>
#include <functional>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

#include "engine/worker/frame.h"
#include "engine/worker/worker_engine.h"

namespace candor::engine::worker {

constexpr std::string_view kHangUp = "hang up";

// A peer that says what a test makes it say, for the client's side alone.
class Impostor {
 public:
  // After the opening was answered, `reply` gives the bytes that answer each request: empty for none. kHangUp ends the
  // connection.
  explicit Impostor(std::function<std::string(const Frame& request)> reply) : reply_(std::move(reply)) {}
  ~Impostor() {
    for (std::thread& thread : threads_) thread.join();
  }
  Impostor(const Impostor&) = delete;
  Impostor& operator=(const Impostor&) = delete;
  Connector connector() {
    return [this]() -> Result<Peer> {
      std::array<int, 2> ends{};
      if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
        return make_error("internal", "no pair");
      threads_.emplace_back([this, fd = ends[1]] { play(fd); });
      return Peer{ends[0], -1};
    };
  }

 private:
  void play(int fd) {
    FrameReader frames;
    std::array<char, 4096> buffer{};
    for (bool open = true; open;) {
      const ssize_t got = ::recv(fd, buffer.data(), buffer.size(), 0);
      if (got <= 0) break;
      std::string_view bytes(buffer.data(), static_cast<std::size_t>(got));
      while (const auto frame = frames.feed(bytes)) {
        std::string out;
        if (frame->type == FrameType::kOpen) {
          append_frame(out, FrameType::kDone, frame->id, {});
        } else {
          out = reply_(*frame);
        }
        if (out == kHangUp) open = false;
        if (open && !out.empty()) (void)::send(fd, out.data(), out.size(), MSG_NOSIGNAL);
      }
    }
    ::close(fd);
  }

  std::function<std::string(const Frame&)> reply_;
  std::vector<std::thread> threads_;
};

inline std::string frame(FrameType type, std::uint32_t id, const std::string& payload) {
  std::string out;
  append_frame(out, type, id, payload);
  return out;
}

}  // namespace candor::engine::worker
