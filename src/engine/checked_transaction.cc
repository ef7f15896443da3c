// What a transaction has come to, kept between it and the stream of its statement.
#include "engine/checked_transaction.h"

#include <utility>

namespace candor::engine {

struct CheckedTransaction::State {
  bool running = false;
  bool failed = false;
  bool committed = false;

  [[nodiscard]] Status ready() const {
    if (committed) return make_error("engine-error", "the transaction has ended");
    if (failed) return make_error("engine-error", "the transaction has failed and can only be rolled back");
    if (running) return make_error("engine-error", "a statement of the transaction is not read to its end");
    return Ok{};
  }
};

class CheckedTransaction::Stream final : public RowStream {
 public:
  Stream(std::unique_ptr<RowStream> rows, std::shared_ptr<State> state)
      : rows_(std::move(rows)), state_(std::move(state)) {}
  ~Stream() override {
    if (ended_) return;
    state_->running = false;
    state_->failed = true;
  }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  [[nodiscard]] const Header& header() const override { return rows_->header(); }

  [[nodiscard]] Item next() override {
    Item item = rows_->next();
    if (std::holds_alternative<RowBatch>(item) || ended_) return item;
    ended_ = true;
    state_->running = false;
    if (std::holds_alternative<Diagnostic>(item)) state_->failed = true;
    return item;
  }

 private:
  std::unique_ptr<RowStream> rows_;
  std::shared_ptr<State> state_;
  bool ended_ = false;
};

CheckedTransaction::CheckedTransaction() : state_(std::make_shared<State>()) {}
CheckedTransaction::~CheckedTransaction() = default;

Result<std::unique_ptr<RowStream>> CheckedTransaction::run(const RunRequest& request, CancelToken cancel) {
  CANDOR_TRY(state_->ready());
  state_->running = true;
  auto started = start(request, std::move(cancel));
  if (started.ok()) return std::unique_ptr<RowStream>(std::make_unique<Stream>(std::move(*started), state_));
  state_->running = false;
  state_->failed = true;
  return started;
}

Answers CheckedTransaction::run_all(const std::vector<RunRequest>& requests, const CancelToken& cancel) {
  if (Status ready = state_->ready(); !ready.ok()) return {{}, std::move(ready).error()};
  state_->running = true;
  Answers answers = start_all(requests, cancel);
  state_->running = false;
  if (answers.failure) state_->failed = true;
  return answers;
}

Answers CheckedTransaction::start_all(const std::vector<RunRequest>& requests, const CancelToken& cancel) {
  return answers_of(requests, [&](const RunRequest& request) { return start(request, cancel); });
}

Status CheckedTransaction::commit() {
  CANDOR_TRY(state_->ready());
  state_->committed = true;
  return finish();
}

}  // namespace candor::engine
