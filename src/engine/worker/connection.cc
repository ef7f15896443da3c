// The client's side of one connection: sending, shared reading, deadlines, and what is said when a worker ends.
#include "engine/worker/connection.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

#include "engine/worker/codec.h"

namespace candor::engine::worker {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{64} << 10U;
constexpr timeval kSendPatience{10, 0};  // a worker always reads; one that does not for so long is stopped or stuck

Diagnostic died(std::string_view how) {
  return make_error("engine-died", "the engine's process ended during the request", "run the statement again",
                    std::string(how));
}

std::string describe_exit(int status) {
  if (WIFSIGNALED(status)) {
    const int number = WTERMSIG(status);
    const char* name = sigdescr_np(number);
    return "signal " + std::to_string(number) + (name == nullptr ? "" : std::string(" (") + name + ")");
  }
  return "exit status " + std::to_string(WEXITSTATUS(status));
}

}  // namespace

Result<std::shared_ptr<Connection>> Connection::create(const Connector& connector, const Timing& timing) {
  std::shared_ptr<Connection> made(new Connection(timing));
  std::optional<Result<Ok>> started;
  made->keeper_ =
      std::thread([connection = made.get(), &connector, &started] { connection->keep(connector, started); });
  Lock lock(made->mutex_);
  made->change_.wait(lock, [&] { return started.has_value(); });
  if (!started->ok()) return std::move(*started).error();
  made->buffer_ = std::make_unique<char[]>(kBufferBytes);
  return made;
}

Connection::~Connection() {
  {
    const Lock lock(mutex_);
    end("closed");
  }
  if (keeper_.joinable()) keeper_.join();
  if (peer_.fd >= 0) ::close(peer_.fd);
}

// ---- the keeper: starts the process and ends it when it is late ----

void Connection::keep(const Connector& connector, std::optional<Result<Ok>>& started) {
  auto peer = connector();
  Lock lock(mutex_);
  if (peer.ok()) {
    peer_ = *peer;
    ::setsockopt(peer_.fd, SOL_SOCKET, SO_SNDTIMEO, &kSendPatience, sizeof kSendPatience);
    started.emplace(Ok{});
  } else {
    ended_ = true;
    started.emplace(std::move(peer).error());
  }
  change_.notify_all();
  while (!ended_) {
    watch_until_ = next_due();
    if (watch_until_ == kNever) {
      watch_.wait(lock);
    } else {
      watch_.wait_until(lock, watch_until_);
    }
    if (!ended_) end_overdue(lock);
  }
}

Clock::time_point Connection::next_due() const {
  Clock::time_point due = close_kill_at_;
  for (const auto& call : calls_) due = std::min(due, call->kill_at_);
  return due;
}

void Connection::watch(Call& call, Clock::time_point kill_at) {
  call.kill_at_ = kill_at;
  if (kill_at < watch_until_) watch_.notify_one();
}

void Connection::end_overdue(Lock& lock) {
  const auto now = Clock::now();
  if (now < next_due()) return;
  // The answer may lie in the socket while nobody waits for it.
  if (!reading_) receive(lock, false);
  if (ended_) return;
  if (close_kill_at_ <= now) return end("it did not close in time and was ended");
  for (const auto& call : calls_) {
    if (call->kill_at_ > now) continue;
    if (!call->arrived_.open()) {
      // The worker waits for us, not we for it: the one who reads the rows is slow.
      call->kill_at_ = now + timing_.grace;
      continue;
    }
    const auto offender = call;
    return end("another statement ran over its deadline and did not stop", offender.get());
  }
}

// ---- the end ----

std::string Connection::end_process() {
  if (peer_.pid < 0) return "the connection was closed";
  ::kill(peer_.pid, SIGKILL);
  int status = 0;
  pid_t reaped = -1;
  do {
    reaped = ::waitpid(peer_.pid, &status, 0);
  } while (reaped < 0 && errno == EINTR);
  return reaped == peer_.pid ? describe_exit(status) : "its exit status is not known";
}

// Requires the lock. The process is gone when this returns, so that a new one finds its files unlocked.
void Connection::end(std::string_view how, const Call* offender) {
  if (ended_) return;
  ended_ = true;
  if (peer_.fd >= 0) ::shutdown(peer_.fd, SHUT_RDWR);
  const std::string status = end_process();
  for (const auto& call : calls_) {
    if (call.get() == offender) {
      const bool wanted = call->cancelled_ || call->abandoned_;
      call->fate_ = wanted ? make_error("cancelled", "the statement was cancelled")
                           : make_error("statement-timeout", "the statement ran into its deadline",
                                        "narrow the statement, or raise the limit statement_seconds");
      call->fate_->detail = "the engine did not stop at once and its process was ended";
    } else {
      call->fate_ = died(how.empty() ? status : how);
    }
    call->ready_.notify_all();
  }
  calls_.clear();
  watch_.notify_all();
  change_.notify_all();
}

Diagnostic Connection::malformed(Call& call) {
  const Lock lock(mutex_);
  end("it sent what is no answer");
  if (!call.fate_) call.fate_ = died("it sent what is no answer");
  return *call.fate_;
}

// ---- sending ----

bool Connection::write(FrameType type, std::uint32_t id, std::string_view payload, std::string_view tail) {
  std::string head = frame_head(type, id, payload.size() + tail.size());
  const auto part = [](std::string_view bytes) {
    return iovec{const_cast<char*>(bytes.data()), bytes.size()};
  };  // NOLINT
  std::array<iovec, 3> parts{part(head), part(payload), part(tail)};
  std::size_t first = 0;
  const std::lock_guard lock(write_mutex_);
  while (first < parts.size()) {
    msghdr message{};
    message.msg_iov = &parts[first];
    message.msg_iovlen = parts.size() - first;
    ssize_t sent = ::sendmsg(peer_.fd, &message, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) return false;
    while (first < parts.size() && static_cast<std::size_t>(sent) >= parts[first].iov_len) {
      sent -= static_cast<ssize_t>(parts[first++].iov_len);
    }
    if (first == parts.size()) break;
    parts[first].iov_base = static_cast<char*>(parts[first].iov_base) + sent;
    parts[first].iov_len -= static_cast<std::size_t>(sent);
  }
  return true;
}

bool Connection::send(const Call& call, FrameType type, std::string_view payload, std::string_view tail) {
  if (write(type, call.id_, payload, tail)) return true;
  const Lock lock(mutex_);
  end({});
  return false;
}

std::shared_ptr<Call> Connection::begin(FrameType type, std::string_view payload, Clock::time_point kill_at) {
  std::shared_ptr<Call> call;
  {
    Lock lock(mutex_);
    // A worker that ended while nothing ran is noticed here, before a request is lost to it.
    if (!ended_ && !reading_) receive(lock, false);
    if (ended_ || closing_) return nullptr;
    call = std::make_shared<Call>(next_id_++, kill_at);
    calls_.push_back(call);
    if (type == FrameType::kBegin) ++held_;
    watch(*call, kill_at);
  }
  return send(*call, type, payload) ? call : nullptr;
}

void Connection::let_go() {
  const Lock lock(mutex_);
  --held_;
}

void Connection::expect(Call& call, Clock::time_point kill_at) {
  const Lock lock(mutex_);
  if (!call.cancelled_) watch(call, kill_at);
}

void Connection::credit(Call& call, std::uint32_t batches, std::uint64_t bytes) {
  {
    const Lock lock(mutex_);
    if (ended_ || call.finished_) return;
    (void)call.arrived_.remove(batches, bytes);
    // The worker goes on only now, so it may be late by our own pause.
    if (!call.cancelled_ && call.kill_at_ != kNever) {
      call.kill_at_ = std::max(call.kill_at_, Clock::now() + timing_.grace);
    }
  }
  send(call, FrameType::kCredit, encode(Credit{batches, bytes}));
}

void Connection::cancel(Call& call) {
  {
    const Lock lock(mutex_);
    if (ended_ || call.finished_ || call.cancelled_) return;
    call.cancelled_ = true;
    watch(call, std::min(call.kill_at_, Clock::now() + timing_.grace));
  }
  send(call, FrameType::kCancel, {});
}

void Connection::abandon(Call& call) {
  {
    const Lock lock(mutex_);
    call.abandoned_ = true;
    // What lies here will not be read, so the window is open again: the worker owes the last frame.
    call.inbox_.clear();
    call.arrived_ = Window();
  }
  cancel(call);
}

// ---- receiving ----

// Takes what the socket holds. Leaves the lock while it blocks.
void Connection::receive(Lock& lock, bool block) {
  reading_ = true;
  if (block) lock.unlock();
  const ssize_t got = ::recv(peer_.fd, buffer_.get(), kBufferBytes, block ? 0 : MSG_DONTWAIT);
  const int failure = errno;
  if (block) lock.lock();
  reading_ = false;
  if (ended_) return;
  if (got < 0 && (failure == EINTR || failure == EAGAIN)) return;
  if (got <= 0) return end({});
  std::string_view bytes(buffer_.get(), static_cast<std::size_t>(got));
  while (!ended_) {
    auto frame = reader_.feed(bytes);
    if (reader_.broken()) return end("it sent what is no frame");
    if (!frame) return;
    dispatch(std::move(*frame));
  }
}

void Connection::dispatch(Frame frame) {
  const auto found = std::ranges::find(calls_, frame.id, [](const auto& call) { return call->id_; });
  if (found == calls_.end() || frame.type < FrameType::kHeader) return end("it answered what was not asked");
  // A copy: it must outlive its place in the list.
  // NOLINTNEXTLINE(performance-unnecessary-copy-initialization)
  const auto call = *found;
  if (frame.type == FrameType::kDone || frame.type == FrameType::kFailed) {
    call->finished_ = true;
    calls_.erase(found);
  }
  if (call->abandoned_) return;
  if (frame.type == FrameType::kRows) {
    if (!call->arrived_.open()) return end("it sent more rows than it had credit for");
    call->arrived_.add(frame.payload.size());
  }
  call->inbox_.push_back(std::move(frame));
  if (call->waiting_) call->ready_.notify_one();
}

// Somebody must read as long as somebody waits.
void Connection::hand_over_reading() {
  if (reading_) return;
  const auto waiting = std::ranges::find_if(calls_, [](const auto& call) { return call->waiting_; });
  if (waiting != calls_.end()) (*waiting)->ready_.notify_one();
}

Result<Frame> Connection::wait(Call& call) {
  Lock lock(mutex_);
  while (true) {
    if (!call.inbox_.empty()) {
      Frame frame = std::move(call.inbox_.front());
      call.inbox_.pop_front();
      hand_over_reading();
      return frame;
    }
    if (call.fate_) return *call.fate_;
    if (call.finished_ || ended_) return died("the request has ended");
    if (!reading_) {
      receive(lock, true);
    } else {
      call.waiting_ = true;
      call.ready_.wait(lock);
      call.waiting_ = false;
    }
  }
}

// ---- closing ----

bool Connection::alive() const {
  const Lock lock(mutex_);
  return !ended_ && !closing_;
}

std::optional<pid_t> Connection::process() const {
  const Lock lock(mutex_);
  if (ended_ || peer_.pid < 0) return std::nullopt;
  return peer_.pid;
}

bool Connection::close(Clock::time_point kill_at, bool only_idle) {
  {
    Lock lock(mutex_);
    if (only_idle && !reading_ && !ended_) receive(lock, false);
    if (ended_) return true;
    if (only_idle && (!calls_.empty() || held_ > 0)) return false;
    closing_ = true;
    close_kill_at_ = std::min(close_kill_at_, kill_at);
    watch_.notify_one();
  }
  if (!write(FrameType::kClose, 0, {}, {})) {
    const Lock lock(mutex_);
    end({});
  }
  Lock lock(mutex_);
  while (!ended_) {
    if (!reading_) {
      receive(lock, true);
    } else {
      // Another thread reads until its own frame comes; look again then.
      change_.wait_for(lock, std::chrono::milliseconds(5));
    }
  }
  return true;
}

}  // namespace candor::engine::worker
