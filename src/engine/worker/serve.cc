// The worker's loop. Threads take turns: the one that reads a request runs it and leaves the reading to the next, so an
// answer needs no switch between threads; more threads come only when requests overlap.
#include "engine/worker/serve.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <exception>
#include <list>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

#include "engine/worker/codec.h"
#include "engine/worker/frame.h"
#include "engine/worker/held_transactions.h"
#include "engine/worker/pushed_rows.h"
#include "engine/worker/request.h"
#include "engine/worker/rows.h"

namespace candor::engine::worker {
namespace {

constexpr std::size_t kRunningMax = 32;
constexpr std::size_t kIdleMax = 2;
constexpr std::size_t kHeldBytes = std::size_t{1} << 10U;    // an answer shorter than this waits for what follows
constexpr std::size_t kHeldOfMany = std::size_t{16} << 10U;  // likewise, of several statements
constexpr std::size_t kBufferBytes = std::size_t{64} << 10U;

class Server {
 public:
  Server(int fd, const Opener& opener, AtHangUp at_hang_up) : fd_(fd), opener_(opener), at_hang_up_(at_hang_up) {}

  int run() {
    work();
    std::unique_lock lock(mutex_);
    ended_.wait(lock, [this] { return stopping_ && threads_.empty(); });
    join_exited();
    lock.unlock();
    transactions_.clear();
    engine_.reset();
    ::shutdown(fd_, SHUT_RDWR);
    ::close(fd_);
    return 0;
  }

 private:
  using Lock = std::unique_lock<std::mutex>;

  void work();
  void start_thread();
  void join_exited();
  void read_next(Lock& lock);
  std::optional<Frame> receive();
  void admit(Lock& lock, Frame frame);
  void about_request(Frame frame);
  void stop(Lock& lock);
  void run_one(Lock& lock, const std::shared_ptr<Request>& request);

  void answer(Request& request);
  void answer_open(Request& request);
  void answer_run(Request& request);
  void stream_run(Request& request, Result<std::unique_ptr<RowStream>> started);
  void answer_begin(Request& request);
  void answer_run_in(Request& request);
  void answer_run_all_in(Request& request);
  void answer_end(Request& request);
  bool stream_rows(Request& request, RowStream& rows, FrameType end_as, std::string& out);
  bool send_rows(Request& request, const RowBatch& batch, std::size_t columns, std::string& out);
  void answer_append(Request& request);
  template <typename Answer>
  void reply(const Request& request, const Result<Answer>& result);
  void fail(const Request& request, const Diagnostic& failure);
  void send(std::string_view bytes);

  const int fd_;
  const Opener& opener_;
  const AtHangUp at_hang_up_;
  std::unique_ptr<Engine> engine_;  // set by the first request, before any other runs
  HeldTransactions transactions_;   // of that engine

  std::mutex write_mutex_;
  std::mutex mutex_;
  std::condition_variable idle_threads_;
  std::condition_variable ended_;
  std::vector<std::shared_ptr<Request>> requests_;  // running or queued
  std::deque<std::shared_ptr<Request>> queue_;
  std::list<std::thread> threads_;  // besides the first
  std::list<std::thread> exited_;   // to be joined
  std::size_t idle_ = 0;
  std::size_t running_ = 0;
  bool reading_ = false;
  bool stopping_ = false;

  // Of the one who reads.
  FrameReader frames_;
  std::array<char, kBufferBytes> buffer_{};
  std::string_view received_;
};

// ---- threads ----

void Server::work() {
  Lock lock(mutex_);
  while (!stopping_) {
    if (!queue_.empty() && running_ < kRunningMax) {
      const auto request = queue_.front();
      queue_.pop_front();
      run_one(lock, request);
    } else if (!reading_) {
      read_next(lock);
    } else if (idle_ >= kIdleMax) {
      return;
    } else {
      ++idle_;
      idle_threads_.wait(lock);
      --idle_;
    }
  }
}

void Server::read_next(Lock& lock) {
  reading_ = true;
  lock.unlock();
  auto frame = receive();
  lock.lock();
  reading_ = false;
  if (!frame || frame->type == FrameType::kClose) {
    if (!frame && at_hang_up_ == AtHangUp::kExitProcess) std::_Exit(0);
    return stop(lock);
  }
  if (frame->type >= FrameType::kCancel) return about_request(std::move(*frame));
  admit(lock, std::move(*frame));
}

std::optional<Frame> Server::receive() {
  while (true) {
    if (auto frame = frames_.feed(received_)) return frame;
    if (frames_.broken()) return std::nullopt;
    const ssize_t got = ::recv(fd_, buffer_.data(), buffer_.size(), 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return std::nullopt;
    received_ = std::string_view(buffer_.data(), static_cast<std::size_t>(got));
  }
}

void Server::admit(Lock& lock, Frame frame) {
  const auto request = std::make_shared<Request>();
  request->frame = std::move(frame);
  requests_.push_back(request);
  if (running_ >= kRunningMax) {
    queue_.push_back(request);
    return;
  }
  if (idle_ > 0) {
    idle_threads_.notify_one();
  } else {
    start_thread();
  }
  run_one(lock, request);
}

// Requires the lock, as does join_exited.
void Server::start_thread() {
  join_exited();
  const auto own = threads_.emplace(threads_.end());
  *own = std::thread([this, own] {
    work();
    const std::lock_guard lock(mutex_);
    exited_.splice(exited_.end(), threads_, own);
    ended_.notify_all();
  });
}

// Those in the list have nothing left to do but to let go of the lock, which is why this waits without it.
void Server::join_exited() {
  std::list<std::thread> exited = std::move(exited_);
  exited_.clear();
  mutex_.unlock();
  for (std::thread& thread : exited) thread.join();
  mutex_.lock();
}

void Server::run_one(Lock& lock, const std::shared_ptr<Request>& request) {
  ++running_;
  lock.unlock();
  answer(*request);
  lock.lock();
  --running_;
  std::erase(requests_, request);
}

void Server::about_request(Frame frame) {
  const auto found = std::ranges::find(requests_, frame.id, [](const auto& request) { return request->frame.id; });
  if (found == requests_.end()) return;  // it has ended meanwhile
  Request& request = **found;
  if (frame.type == FrameType::kCancel) request.cancel.cancel();
  const std::lock_guard lock(request.mutex);
  Credit credit;
  switch (frame.type) {
    case FrameType::kCancel:
      request.stopped = true;
      break;
    case FrameType::kCredit:
      if (!decode(frame.payload, credit) || !request.sent.remove(credit.batches, credit.bytes)) request.broken = true;
      break;
    case FrameType::kRows:
    case FrameType::kRowsEnd:
    case FrameType::kRowsFailed:
      request.inbox.push_back(std::move(frame));
      break;
    default:
      request.broken = true;
  }
  request.change.notify_all();
}

void Server::stop(Lock& lock) {
  stopping_ = true;
  queue_.clear();
  const auto running = requests_;
  idle_threads_.notify_all();
  ended_.notify_all();
  lock.unlock();
  for (const auto& request : running) {
    request->cancel.cancel();
    const std::lock_guard stopped(request->mutex);
    request->stopped = true;
    request->change.notify_all();
  }
  lock.lock();
}

// ---- answers ----

void Server::send(std::string_view bytes) {
  const std::lock_guard lock(write_mutex_);
  while (!bytes.empty()) {
    const ssize_t sent = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) return;  // the reader sees the same end
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
}

void Server::fail(const Request& request, const Diagnostic& failure) {
  send(frame_of(FrameType::kFailed, request, encode(failure)));
}

template <typename Answer>
void Server::reply(const Request& request, const Result<Answer>& result) {
  if (!result.ok()) return fail(request, result.error());
  const std::string payload = encode(*result);
  if (payload.size() > kPayloadBytesMax) {
    return fail(request, make_error("over-limit", "the answer of the engine is longer than 256 MB"));
  }
  send(frame_of(FrameType::kDone, request, payload));
}

void Server::answer(Request& request) {
  const std::string& payload = request.frame.payload;
  std::string text;
  std::vector<std::string> names;
  TableName table;
  try {
    if (request.frame.type == FrameType::kOpen) return answer_open(request);
    if (engine_ == nullptr) return fail(request, bad_request());
    switch (request.frame.type) {
      case FrameType::kRun:
        return answer_run(request);
      case FrameType::kAppend:
        return answer_append(request);
      case FrameType::kBegin:
        return answer_begin(request);
      case FrameType::kRunIn:
        return answer_run_in(request);
      case FrameType::kRunAllIn:
        return answer_run_all_in(request);
      case FrameType::kCommit:
      case FrameType::kRollback:
        return answer_end(request);
      case FrameType::kCatalog:
        return reply(request, engine_->catalog());
      case FrameType::kSyntaxTree:
        if (decode(payload, text)) return reply(request, engine_->syntax_tree(text));
        break;
      case FrameType::kPrintTree:
        if (decode(payload, text)) return reply(request, engine_->print_tree(text));
        break;
      case FrameType::kTableFacts:
        if (decode(payload, table, names)) return reply(request, engine_->table_facts(table, names));
        break;
      case FrameType::kFunctionFacts:
        if (decode(payload, names)) return reply(request, engine_->function_facts(names));
        break;
      default:
        break;
    }
    fail(request, bad_request());
  } catch (const std::bad_alloc&) {
    fail(request, make_error("engine-error", "the engine ran out of memory", "narrow the statement"));
  } catch (const std::exception& fault) {
    fail(request, make_error("internal", std::string("the engine failed: ") + fault.what()));
  }
}

void Server::answer_open(Request& request) {
  Policy policy;
  if (engine_ != nullptr || !decode(request.frame.payload, policy)) return fail(request, bad_request());
  auto opened = opener_(policy);
  if (!opened.ok()) return fail(request, opened.error());
  engine_ = std::move(*opened);
  send(frame_of(FrameType::kDone, request, {}));
}

void Server::answer_run(Request& request) {
  RunRequest run;
  if (!decode(request.frame.payload, run)) return fail(request, bad_request());
  stream_run(request, engine_->run(run, request.cancel));
}

void Server::stream_run(Request& request, Result<std::unique_ptr<RowStream>> started) {
  if (!started.ok()) return fail(request, started.error());
  // The header travels with what follows it: one write less.
  std::string out = frame_of(FrameType::kHeader, request, encode((*started)->header()));
  if (stream_rows(request, **started, FrameType::kDone, out)) send(out);
}

// Leaves the end in `out`. False: the request was answered with its failure.
bool Server::stream_rows(Request& request, RowStream& rows, FrameType end_as, std::string& out) {
  const std::size_t columns = rows.header().columns.size();
  while (true) {
    RowStream::Item item = rows.next();
    if (const auto* batch = std::get_if<RowBatch>(&item)) {
      if (!send_rows(request, *batch, columns, out)) return false;
    } else if (const auto* end = std::get_if<End>(&item)) {
      append_frame(out, end_as, request.frame.id, encode(*end));
      return true;
    } else {
      append_frame(out, FrameType::kFailed, request.frame.id, encode(std::get<Diagnostic>(item)));
      send(out);
      return false;
    }
  }
}

// Sends `out` and the batch, or leaves what is short in `out`, for it is mostly the whole result and travels with its end.
// False: the request was answered with its failure.
bool Server::send_rows(Request& request, const RowBatch& batch, std::size_t columns, std::string& out) {
  Pieces pieces(batch, columns);
  while (const auto piece = pieces.next()) {
    const std::string tail = rows_tail(piece->rows);
    const std::size_t bytes = piece->cells.size() + tail.size();
    std::optional<Diagnostic> failure;
    if (bytes > kPayloadBytesMax) {
      failure = make_error("over-limit", "a row is longer than 256 MB", "select fewer or shorter columns");
    } else {
      std::unique_lock lock(request.mutex);
      if (!request.sent.open() && !out.empty()) {
        lock.unlock();
        send(std::exchange(out, {}));
        lock.lock();
      }
      request.change.wait(lock, [&] { return request.sent.open() || request.stopped || request.broken; });
      if (request.stopped) failure = make_error("cancelled", "the statement was cancelled");
      if (request.broken) failure = bad_request();
      request.sent.add(bytes);
    }
    if (failure) {
      append_frame(out, FrameType::kFailed, request.frame.id, encode(*failure));
      send(out);
      return false;
    }
    out += frame_head(FrameType::kRows, request.frame.id, bytes);
    out += piece->cells;
    out += tail;
    if (out.size() >= (request.frame.type == FrameType::kRunAllIn ? kHeldOfMany : kHeldBytes))
      send(std::exchange(out, {}));
  }
  return true;
}

// ---- transactions ----

void Server::answer_begin(Request& request) {
  std::int64_t wait_ms = 0;
  if (!decode(request.frame.payload, wait_ms)) return fail(request, bad_request());
  auto begun = engine_->begin(wait_ms, request.cancel);
  if (!begun.ok()) return fail(request, begun.error());
  reply(request, Result<std::uint32_t>(transactions_.add(std::move(*begun))));
}

void Server::answer_run_in(Request& request) {
  std::uint32_t number = 0;
  RunRequest run;
  if (!decode(request.frame.payload, number, run)) return fail(request, bad_request());
  const auto held = transactions_.find(number);
  if (held == nullptr) return fail(request, bad_request());
  const std::lock_guard busy(held->busy);
  if (held->transaction == nullptr) return fail(request, bad_request());
  stream_run(request, held->transaction->run(run, request.cancel));
}

// What the first statements gave is not held back until the last one is done, but sent in pieces worth a send.
void Server::answer_run_all_in(Request& request) {
  std::uint32_t number = 0;
  std::vector<RunRequest> runs;
  if (!decode(request.frame.payload, number, runs) || runs.empty()) return fail(request, bad_request());
  const auto held = transactions_.find(number);
  if (held == nullptr) return fail(request, bad_request());
  const std::lock_guard busy(held->busy);
  if (held->transaction == nullptr) return fail(request, bad_request());
  std::string out;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    auto started = held->transaction->run(runs[i], request.cancel);
    if (!started.ok()) {
      append_frame(out, FrameType::kFailed, request.frame.id, encode(started.error()));
      return send(out);
    }
    append_frame(out, FrameType::kHeader, request.frame.id, encode((*started)->header()));
    if (!stream_rows(request, **started, i + 1 < runs.size() ? FrameType::kNext : FrameType::kDone, out)) return;
  }
  send(out);
}

void Server::answer_end(Request& request) {
  std::uint32_t number = 0;
  if (!decode(request.frame.payload, number)) return fail(request, bad_request());
  const auto held = transactions_.take(number);
  if (held == nullptr) return fail(request, bad_request());
  const std::lock_guard busy(held->busy);
  const Status ended = request.frame.type == FrameType::kCommit ? held->transaction->commit() : Status(Ok{});
  // Its locks are gone before the answer is.
  held->transaction.reset();
  if (!ended.ok()) return fail(request, ended.error());
  send(frame_of(FrameType::kDone, request, {}));
}

// ---- append ----

void Server::answer_append(Request& request) {
  Append append;
  if (!decode(request.frame.payload, append)) return fail(request, bad_request());
  PushedRows rows(request, std::move(append.header), [this](std::string_view bytes) { send(bytes); });
  reply(request, engine_->append(append.table, append.columns, append.replace, rows, request.cancel));
}

}  // namespace

int serve(int fd, const Opener& opener, AtHangUp at_hang_up) {
  const auto server = std::make_unique<Server>(fd, opener, at_hang_up);
  return server->run();
}

}  // namespace candor::engine::worker
