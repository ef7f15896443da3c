// WorkerEngine: every method of Engine as a request to the worker; opening it when needed and anew after its end.
#include "engine/worker/worker_engine.h"

#include <algorithm>
#include <array>
#include <utility>

#include "engine/worker/answers.h"
#include "engine/worker/appender.h"
#include "engine/worker/codec.h"
#include "engine/worker/connection.h"
#include "engine/worker/frame.h"
#include "engine/worker/remote_stream.h"
#include "engine/worker/remote_transaction.h"

namespace candor::engine::worker {
namespace {

using Milliseconds = std::chrono::milliseconds;

// Whether a statement may write, by its words alone: too often is harmless here.
bool may_write(const RunRequest& request) {
  if (!request.allow_writes) return false;
  std::string upper(request.sql);
  std::ranges::transform(upper, upper.begin(),
                         [](char byte) { return byte >= 'a' && byte <= 'z' ? static_cast<char>(byte - 32) : byte; });
  constexpr std::array kWords = {"INSERT", "UPDATE", "DELETE", "CREATE", "DROP", "MERGE", "TRUNCATE", "ALTER"};
  return std::ranges::any_of(kWords, [&](std::string_view word) { return upper.find(word) != std::string::npos; });
}

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
  CANDOR_ASSIGN(auto started, start(static_cast<std::uint8_t>(FrameType::kRun), encode(request),
                                    bounded(request.deadline_ms), cancel));
  auto hook = std::make_unique<CancelHook>(std::move(cancel), started.connection, started.call);
  auto stream = std::make_unique<RemoteStream>(std::move(started.connection), std::move(started.call), std::move(hook),
                                               may_write(request));
  CANDOR_TRY(stream->begin());
  return std::unique_ptr<RowStream>(std::move(stream));
}

Result<std::unique_ptr<Transaction>> WorkerEngine::begin(std::int64_t wait_ms, CancelToken cancel) {
  if (cancel.cancelled()) return make_error("cancelled", "the transaction was cancelled");
  const Milliseconds wait = bounded(wait_ms);
  CANDOR_ASSIGN(const auto started, start(static_cast<std::uint8_t>(FrameType::kBegin),
                                          encode(std::int64_t{wait.count()}), wait + timing_.answer, cancel));
  const CancelHook hook(std::move(cancel), started.connection, started.call);
  const auto number = answer<std::uint32_t>(*started.connection, *started.call);
  if (!number.ok()) {
    started.connection->let_go();
    return number.error();
  }
  return std::unique_ptr<Transaction>(std::make_unique<RemoteTransaction>(started.connection, *number, timing_));
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
