// Statements, commit and rollback as requests that name the transaction.
#include "engine/worker/remote_transaction.h"

#include <string>
#include <utility>

#include "engine/worker/answers.h"
#include "engine/worker/remote_stream.h"

namespace candor::engine::worker {
namespace {

Diagnostic gone() {
  return make_error("engine-died", "the engine's process ended during the transaction, and nothing of it was kept",
                    "run the statements again");
}

}  // namespace

RemoteTransaction::RemoteTransaction(std::shared_ptr<Connection> connection, std::uint32_t number, const Timing& timing)
    : connection_(std::move(connection)), number_(number), timing_(timing) {}

RemoteTransaction::~RemoteTransaction() {
  if (!ended_) {
    const auto call = connection_->begin(FrameType::kRollback, encode(number_), after(timing_.answer));
    // Where the process has ended, it has rolled back by that.
    if (call != nullptr) (void)acknowledged(*connection_, *call).ok();
  }
  connection_->let_go();
}

Result<std::unique_ptr<RowStream>> RemoteTransaction::start(const RunRequest& request, CancelToken cancel) {
  if (cancel.cancelled()) return make_error("cancelled", "the statement was cancelled");
  const std::string payload = encode(number_, request);
  if (payload.size() > kPayloadBytesMax) return make_error("over-limit", "the request is longer than 256 MB");
  auto call = connection_->begin(FrameType::kRunIn, payload, after(bounded(request.deadline_ms)) + timing_.grace);
  if (call == nullptr) return gone();
  auto hook = std::make_unique<CancelHook>(std::move(cancel), connection_, call);
  auto stream = std::make_unique<RemoteStream>(connection_, std::move(call), std::move(hook), false);
  CANDOR_TRY(stream->begin());
  return std::unique_ptr<RowStream>(std::move(stream));
}

Answers RemoteTransaction::start_all(const std::vector<RunRequest>& requests, const CancelToken& cancel) {
  Answers answers;
  if (requests.empty()) return answers;
  const auto failed = [&](Diagnostic why) -> Answers {
    answers.failure = std::move(why);
    return std::move(answers);
  };
  if (cancel.cancelled()) return failed(make_error("cancelled", "the statement was cancelled"));
  const std::string payload = encode(number_, requests);
  if (payload.size() > kPayloadBytesMax) return failed(make_error("over-limit", "the request is longer than 256 MB"));
  // Each has its own time, from the end of the one before it.
  std::chrono::milliseconds patience{0};
  for (const RunRequest& request : requests) patience += bounded(request.deadline_ms);
  auto call = connection_->begin(FrameType::kRunAllIn, payload, after(bounded(patience.count())) + timing_.grace);
  if (call == nullptr) return failed(gone());
  auto hook = std::make_unique<CancelHook>(cancel, connection_, call);
  RemoteStream stream(connection_, call, std::move(hook), false);
  for (std::size_t i = 0; i < requests.size(); ++i) {
    if (Status begun = stream.begin(); !begun.ok()) return failed(std::move(begun).error());
    Result<Answer> answer = whole_answer(stream);
    if (!answer.ok()) return failed(std::move(answer).error());
    if (stream.more() != (i + 1 < requests.size())) return failed(connection_->malformed(*call));
    answers.done.push_back(*std::move(answer));
  }
  return answers;
}

Status RemoteTransaction::finish() {
  const auto call = connection_->begin(FrameType::kCommit, encode(number_), after(timing_.answer));
  ended_ = true;
  if (call == nullptr) return gone();
  auto committed = acknowledged(*connection_, *call);
  if (committed.ok()) return committed;
  return unless_unknown(std::move(committed).error(), *connection_, true);
}

}  // namespace candor::engine::worker
