// One opened worker as the client sees it: frames out, frames in by request, and the watch that ends a worker which
// does not keep a deadline. There is no reading thread: the one who waits for a frame reads, for all others too, which
// saves two thread switches on every answer.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/cancel.h"
#include "base/result.h"
#include "engine/worker/frame.h"
#include "engine/worker/rows.h"
#include "engine/worker/worker_engine.h"

namespace candor::engine::worker {

constexpr Clock::time_point kNever = Clock::time_point::max();

// One request in flight. Its fields belong to the connection's lock.
class Call {
 public:
  explicit Call(std::uint32_t id, Clock::time_point kill_at) : id_(id), kill_at_(kill_at) {}

 private:
  friend class Connection;
  const std::uint32_t id_;
  std::deque<Frame> inbox_;
  std::condition_variable ready_;
  bool waiting_ = false;
  bool finished_ = false;   // the last frame has come
  bool abandoned_ = false;  // nobody reads it any more
  bool cancelled_ = false;
  Window arrived_;                  // rows in the inbox or taken from it without a credit
  Clock::time_point kill_at_;       // a worker that owes a frame of this request is ended then
  std::optional<Diagnostic> fate_;  // why no further frame will come
};

class Connection {
 public:
  // Starts the peer, on the thread that watches it: the kernel ends a worker with the thread that started it.
  [[nodiscard]] static Result<std::shared_ptr<Connection>> create(const Connector& connector, const Timing& timing);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // Sends a request. Null: the connection has ended or is closing, and the request has not been begun. A kBegin holds the
  // worker open, whatever its answer is, until `let_go`.
  [[nodiscard]] std::shared_ptr<Call> begin(FrameType type, std::string_view payload, Clock::time_point kill_at);
  // The request's next frame; after its last frame or its end, the diagnostic that says what became of it.
  [[nodiscard]] Result<Frame> wait(Call& call);
  // False: the connection has ended.
  bool send(const Call& call, FrameType type, std::string_view payload, std::string_view tail = {});
  // From now on the worker owes an answer by then.
  void expect(Call& call, Clock::time_point kill_at);
  // Tells the worker that rows were taken, so that it sends more.
  void credit(Call& call, std::uint32_t batches, std::uint64_t bytes);
  // Asks the worker to stop the request, and ends the worker when it does not within the grace.
  void cancel(Call& call);
  // Nobody will wait for this call again.
  void abandon(Call& call);
  // The transaction of a kBegin has ended, or was never begun.
  void let_go();
  // The worker broke the protocol: ends it. What the request is answered with.
  [[nodiscard]] Diagnostic malformed(Call& call);

  [[nodiscard]] bool alive() const;
  [[nodiscard]] std::optional<pid_t> process() const;
  // Lets the worker close its engine and end; ends it itself at `kill_at`. When `only_idle`, returns false and does
  // nothing while requests are in flight or transactions are open.
  bool close(Clock::time_point kill_at, bool only_idle);

 private:
  explicit Connection(const Timing& timing) : timing_(timing) {}
  using Lock = std::unique_lock<std::mutex>;

  void keep(const Connector& connector, std::optional<Result<Ok>>& started);
  void end_overdue(Lock& lock);
  [[nodiscard]] Clock::time_point next_due() const;
  void watch(Call& call, Clock::time_point kill_at);
  void receive(Lock& lock, bool block);
  void dispatch(Frame frame);
  void hand_over_reading();
  void end(std::string_view how, const Call* offender = nullptr);
  std::string end_process();
  bool write(FrameType type, std::uint32_t id, std::string_view payload, std::string_view tail);

  const Timing timing_;
  std::mutex write_mutex_;  // never taken with mutex_ held

  mutable std::mutex mutex_;
  std::condition_variable watch_;   // the keeper's
  std::condition_variable change_;  // started, ended
  Clock::time_point watch_until_ = kNever;
  std::vector<std::shared_ptr<Call>> calls_;
  std::uint32_t next_id_ = 1;
  std::size_t held_ = 0;  // transactions
  FrameReader reader_;
  std::unique_ptr<char[]> buffer_;
  Peer peer_;
  Clock::time_point close_kill_at_ = kNever;
  bool reading_ = false;
  bool closing_ = false;
  bool ended_ = false;
  std::thread keeper_;
};

}  // namespace candor::engine::worker
