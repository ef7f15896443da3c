// WorkerEngine: every method of Engine as a request to the worker; opening it when needed and anew after its end.
#include "engine/worker/worker_engine.h"

#include <algorithm>
#include <array>
#include <utility>

#include "engine/worker/codec.h"
#include "engine/worker/connection.h"
#include "engine/worker/frame.h"
#include "engine/worker/rows.h"

namespace candor::engine::worker {
namespace {

using Milliseconds = std::chrono::milliseconds;
constexpr Milliseconds kDeadlineMax{std::chrono::hours(24 * 365)};

Clock::time_point after(Milliseconds limit) { return Clock::now() + std::clamp(limit, Milliseconds(0), kDeadlineMax); }

// Passes a cancellation on to the worker for as long as it lives.
class CancelHook {
 public:
  CancelHook(CancelToken token, const std::shared_ptr<Connection>& connection, const std::shared_ptr<Call>& call)
      : token_(std::move(token)), id_(token_.on_cancel([connection, call] { connection->cancel(*call); })) {}
  ~CancelHook() { token_.forget(id_); }
  CancelHook(const CancelHook&) = delete;
  CancelHook& operator=(const CancelHook&) = delete;

 private:
  CancelToken token_;
  std::size_t id_;
};

// Whether a statement may write, by its words alone: too often is harmless here.
bool may_write(const RunRequest& request) {
  if (!request.allow_writes) return false;
  std::string upper(request.sql);
  std::ranges::transform(upper, upper.begin(),
                         [](char byte) { return byte >= 'a' && byte <= 'z' ? static_cast<char>(byte - 32) : byte; });
  constexpr std::array kWords = {"INSERT", "UPDATE", "DELETE", "CREATE", "DROP", "MERGE", "TRUNCATE", "ALTER"};
  return std::ranges::any_of(kWords, [&](std::string_view word) { return upper.find(word) != std::string::npos; });
}

// A write whose process ended may have been committed: who runs it again must look first.
Diagnostic unless_unknown(Diagnostic failure, const Connection& connection, bool writing) {
  if (!writing || connection.alive()) return failure;
  Diagnostic unknown =
      make_error("write-unknown", "the engine's process ended during a write, which may have taken effect",
                 "count the rows of the table before you run the statement again", failure.detail);
  if (failure.code != "engine-died") unknown.detail = failure.code + ": " + failure.detail;
  return unknown;
}

Diagnostic failure_of(Connection& connection, Call& call, const Frame& frame) {
  Diagnostic failure;
  if (frame.type != FrameType::kFailed || !decode(frame.payload, failure)) return connection.malformed(call);
  return failure;
}

// Waits for the one answer of a request.
template <typename Reply>
Result<Reply> answer(Connection& connection, Call& call) {
  CANDOR_ASSIGN(const Frame frame, connection.wait(call));
  if (frame.type != FrameType::kDone) return failure_of(connection, call, frame);
  Reply reply{};
  if (!decode(frame.payload, reply)) return connection.malformed(call);
  return reply;
}

class RemoteStream final : public RowStream {
 public:
  RemoteStream(std::shared_ptr<Connection> connection, std::shared_ptr<Call> call, std::unique_ptr<CancelHook> hook,
               bool writing)
      : connection_(std::move(connection)), call_(std::move(call)), hook_(std::move(hook)), writing_(writing) {}
  ~RemoteStream() override {
    hook_.reset();
    if (!last_) connection_->abandon(*call_);
  }
  RemoteStream(const RemoteStream&) = delete;
  RemoteStream& operator=(const RemoteStream&) = delete;

  // The first frame: the header, or why there is none.
  Status begin() {
    auto frame = connection_->wait(*call_);
    if (!frame.ok()) return died(std::move(frame).error());
    if (frame->type != FrameType::kHeader) return finish(failure_of(*connection_, *call_, *frame));
    if (!decode(frame->payload, header_)) return finish(connection_->malformed(*call_));
    return Ok{};
  }

  const Header& header() const override { return header_; }

  Item next() override {
    if (last_) return *last_;
    auto frame = connection_->wait(*call_);
    if (!frame.ok()) return died(std::move(frame).error());
    if (frame->type == FrameType::kRows) return take(std::move(frame->payload));
    End end;
    if (frame->type != FrameType::kDone) return finish(failure_of(*connection_, *call_, *frame));
    if (!decode(frame->payload, end)) return finish(connection_->malformed(*call_));
    last_ = Item(end);
    return *last_;
  }

 private:
  Diagnostic finish(Diagnostic failure) {
    last_ = Item(failure);
    return failure;
  }

  Diagnostic died(Diagnostic failure) { return finish(unless_unknown(std::move(failure), *connection_, writing_)); }

  Item take(std::string payload) {
    const std::size_t bytes = payload.size();
    auto batch = take_rows(std::move(payload), header_.columns.size());
    if (!batch) return finish(connection_->malformed(*call_));
    ++taken_.batches;
    taken_.bytes += bytes;
    // In halves of the window: small results never send one.
    if (taken_.batches >= kWindowBatches / 2 || taken_.bytes >= kWindowBytes / 2) {
      connection_->credit(*call_, taken_.batches, taken_.bytes);
      taken_ = Credit();
    }
    return std::move(*batch);
  }

  std::shared_ptr<Connection> connection_;
  std::shared_ptr<Call> call_;
  std::unique_ptr<CancelHook> hook_;
  const bool writing_;
  Header header_;
  Credit taken_;
  std::optional<Item> last_;
};

// Pushes the rows of an append; one object a call.
class Appender {
 public:
  Appender(Connection& connection, Call& call, const Timing& timing)
      : connection_(connection), call_(call), timing_(timing) {}

  Result<std::uint64_t> push(RowStream& rows) {
    const std::size_t columns = rows.header().columns.size();
    while (true) {
      // While the rows come from elsewhere, the worker owes nothing.
      connection_.expect(call_, kNever);
      RowStream::Item item = rows.next();
      if (auto* batch = std::get_if<RowBatch>(&item)) {
        if (auto ended = send(*batch, columns)) return std::move(*ended);
      } else if (auto* end = std::get_if<End>(&item)) {
        connection_.send(call_, FrameType::kRowsEnd, encode(*end));
        return last();
      } else {
        auto& failure = std::get<Diagnostic>(item);
        connection_.send(call_, FrameType::kRowsFailed, encode(failure));
        if (const auto ignored = last(); ignored.ok()) return connection_.malformed(call_);
        return std::move(failure);
      }
    }
  }

 private:
  using Ended = std::optional<Result<std::uint64_t>>;

  Ended send(const RowBatch& batch, std::size_t columns) {
    Pieces pieces(batch, columns);
    while (const auto piece = pieces.next()) {
      while (!window_.open()) {
        if (auto ended = wait_for_credit()) return ended;
      }
      const std::string tail = rows_tail(piece->rows);
      if (piece->cells.size() + tail.size() > kPayloadBytesMax) {
        return make_error("over-limit", "a row of more than 256 MB can't be copied", "select fewer or shorter columns");
      }
      window_.add(piece->cells.size() + tail.size());
      if (!connection_.send(call_, FrameType::kRows, piece->cells, tail)) return last();
    }
    return std::nullopt;
  }

  Ended wait_for_credit() {
    connection_.expect(call_, after(timing_.answer));
    auto frame = connection_.wait(call_);
    if (!frame.ok()) return std::move(frame).error();
    Credit credit;
    if (frame->type != FrameType::kCredit) return result(*frame);
    if (!decode(frame->payload, credit) || !window_.remove(credit.batches, credit.bytes)) {
      return connection_.malformed(call_);
    }
    return std::nullopt;
  }

  Result<std::uint64_t> last() {
    connection_.expect(call_, after(timing_.answer));
    while (true) {
      CANDOR_ASSIGN(const Frame frame, connection_.wait(call_));
      if (frame.type != FrameType::kCredit) return result(frame);
    }
  }

  Result<std::uint64_t> result(const Frame& frame) {
    if (frame.type != FrameType::kDone) return failure_of(connection_, call_, frame);
    std::uint64_t rows = 0;
    if (!decode(frame.payload, rows)) return connection_.malformed(call_);
    return rows;
  }

  Connection& connection_;
  Call& call_;
  const Timing& timing_;
  Window window_;
};

Connector spawning(std::string program) {
  return [program = std::move(program)] { return spawn(program); };
}

}  // namespace

struct WorkerEngine::Started {
  std::shared_ptr<Connection> connection;
  std::shared_ptr<Call> call;
};

WorkerEngine::WorkerEngine(std::string program, Policy policy, Timing timing)
    : WorkerEngine(spawning(std::move(program)), std::move(policy), timing) {}

WorkerEngine::WorkerEngine(Connector connector, Policy policy, Timing timing)
    : connector_(std::move(connector)), policy_(std::move(policy)), timing_(timing) {}

WorkerEngine::~WorkerEngine() { close(std::chrono::seconds(2)); }

// ---- opening and closing ----

Result<std::shared_ptr<Connection>> WorkerEngine::open(CancelToken& cancel) {
  CANDOR_ASSIGN(const auto made, Connection::create(connector_, timing_));
  {
    const std::lock_guard lock(mutex_);
    connection_ = made;
  }
  const auto call = made->begin(FrameType::kOpen, encode(policy_), after(timing_.open));
  if (call == nullptr) return make_error("engine-died", "the engine's process ended while it was opened");
  const CancelHook hook(cancel, made, call);
  CANDOR_ASSIGN(const Frame frame, made->wait(*call));
  if (frame.type != FrameType::kDone) {
    Diagnostic failure = failure_of(*made, *call, frame);
    made->close(after(timing_.grace), false);
    return failure;
  }
  return made;
}

Result<std::shared_ptr<Connection>> WorkerEngine::connection(CancelToken& cancel) {
  std::unique_lock lock(mutex_);
  while (opening_) {
    if (cancel.cancelled()) return make_error("cancelled", "the statement was cancelled");
    opened_.wait_for(lock, Milliseconds(20));
  }
  if (connection_ != nullptr && connection_->alive()) return connection_;
  opening_ = true;
  lock.unlock();
  auto made = open(cancel);
  lock.lock();
  opening_ = false;
  connection_ = made.ok() ? *made : nullptr;
  if (made.ok()) ++generation_;
  opened_.notify_all();
  return made;
}

Result<WorkerEngine::Started> WorkerEngine::start(std::uint8_t type, const std::string& payload,
                                                  std::optional<Milliseconds> limit, CancelToken& cancel) {
  if (payload.size() > kPayloadBytesMax) return make_error("over-limit", "the request is longer than 256 MB");
  // A worker may end between two requests; then nothing was begun, and the next one takes it.
  for (int attempt = 0; attempt < 3; ++attempt) {
    CANDOR_ASSIGN(auto connection, this->connection(cancel));
    const auto kill_at = limit ? after(*limit) + timing_.grace : kNever;
    if (auto call = connection->begin(static_cast<FrameType>(type), payload, kill_at)) {
      return Started{std::move(connection), std::move(call)};
    }
  }
  return make_error("engine-died", "the engine's process ends whenever it is opened", "run `candor doctor`");
}

std::uint64_t WorkerEngine::generation() const {
  const std::lock_guard lock(mutex_);
  return generation_;
}

std::optional<pid_t> WorkerEngine::process() const {
  const std::lock_guard lock(mutex_);
  return connection_ == nullptr ? std::nullopt : connection_->process();
}

bool WorkerEngine::close_idle() {
  std::unique_lock lock(mutex_);
  if (opening_) return false;
  if (connection_ == nullptr) return true;
  const auto closed = connection_;
  // Nobody may open the files anew before the old process has left them.
  opening_ = true;
  lock.unlock();
  const bool done = closed->close(after(Milliseconds(10'000)), true);
  lock.lock();
  opening_ = false;
  if (done) connection_ = nullptr;
  opened_.notify_all();
  return done;
}

void WorkerEngine::close(Milliseconds deadline) {
  std::unique_lock lock(mutex_);
  const auto closed = connection_;
  if (closed == nullptr) return;
  const bool held = !std::exchange(opening_, true);
  lock.unlock();
  closed->close(after(deadline), false);
  lock.lock();
  if (!held) return;  // the one who opens sees the end
  opening_ = false;
  connection_ = nullptr;
  opened_.notify_all();
}

// ---- requests ----

Result<std::unique_ptr<RowStream>> WorkerEngine::run(const RunRequest& request, CancelToken cancel) {
  if (cancel.cancelled()) return make_error("cancelled", "the statement was cancelled");
  CANDOR_ASSIGN(auto started,
                start(static_cast<std::uint8_t>(FrameType::kRun), encode(request),
                      Milliseconds(std::clamp<std::int64_t>(request.deadline_ms, 0, kDeadlineMax.count())), cancel));
  auto hook = std::make_unique<CancelHook>(std::move(cancel), started.connection, started.call);
  auto stream = std::make_unique<RemoteStream>(std::move(started.connection), std::move(started.call), std::move(hook),
                                               may_write(request));
  CANDOR_TRY(stream->begin());
  return std::unique_ptr<RowStream>(std::move(stream));
}

template <typename Reply, typename... Arguments>
Result<Reply> WorkerEngine::ask(std::uint8_t type, const Arguments&... arguments) {
  CancelToken never;
  CANDOR_ASSIGN(const auto started, start(type, encode(arguments...), timing_.answer, never));
  return answer<Reply>(*started.connection, *started.call);
}

Result<Catalog> WorkerEngine::catalog() { return ask<Catalog>(static_cast<std::uint8_t>(FrameType::kCatalog)); }

Result<std::string> WorkerEngine::syntax_tree(std::string_view sql) {
  return ask<std::string>(static_cast<std::uint8_t>(FrameType::kSyntaxTree), std::string(sql));
}

Result<std::string> WorkerEngine::print_tree(std::string_view tree) {
  return ask<std::string>(static_cast<std::uint8_t>(FrameType::kPrintTree), std::string(tree));
}

Result<TableFacts> WorkerEngine::table_facts(const TableName& name, const std::vector<std::string>& columns) {
  return ask<TableFacts>(static_cast<std::uint8_t>(FrameType::kTableFacts), name, columns);
}

Result<std::vector<FunctionFacts>> WorkerEngine::function_facts(const std::vector<std::string>& names) {
  return ask<std::vector<FunctionFacts>>(static_cast<std::uint8_t>(FrameType::kFunctionFacts), names);
}

Result<std::uint64_t> WorkerEngine::append(const std::string& table, const std::vector<Column>& columns, bool replace,
                                           RowStream& rows, CancelToken cancel) {
  if (cancel.cancelled()) return make_error("cancelled", "the statement was cancelled");
  const Append request{table, columns, replace, rows.header()};
  CANDOR_ASSIGN(const auto started,
                start(static_cast<std::uint8_t>(FrameType::kAppend), encode(request), std::nullopt, cancel));
  const CancelHook hook(std::move(cancel), started.connection, started.call);
  Appender appender(*started.connection, *started.call, timing_);
  auto appended = appender.push(rows);
  // Left early, the worker would wait for rows for ever.
  started.connection->abandon(*started.call);
  if (!appended.ok() && appended.error().code == "engine-died") {
    return unless_unknown(std::move(appended).error(), *started.connection, true);
  }
  return appended;
}

}  // namespace candor::engine::worker
