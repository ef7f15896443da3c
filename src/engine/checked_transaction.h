// The rule that all transactions share: one statement at a time, read to its end, and nothing after a failure but rolling
// back. What a statement and a commit are is the engine's own.
#pragma once

#include <memory>

#include "engine/engine.h"

namespace candor::engine {

class CheckedTransaction : public Transaction {
 public:
  CheckedTransaction();
  ~CheckedTransaction() override;
  CheckedTransaction(const CheckedTransaction&) = delete;
  CheckedTransaction& operator=(const CheckedTransaction&) = delete;

  // Fails with `engine-error` while an earlier statement's stream is not at its end, and after a failure. A stream that is
  // destroyed before its end is a failure: what it did, or had still to do, was not seen.
  [[nodiscard]] Result<std::unique_ptr<RowStream>> run(const RunRequest& request, CancelToken cancel) final;
  // Likewise.
  [[nodiscard]] Answers run_all(const std::vector<RunRequest>& requests, const CancelToken& cancel) final;
  [[nodiscard]] Status commit() final;

 protected:
  [[nodiscard]] virtual Result<std::unique_ptr<RowStream>> start(const RunRequest& request, CancelToken cancel) = 0;
  // Each by `start` and to its end, unless the engine has a shorter way.
  [[nodiscard]] virtual Answers start_all(const std::vector<RunRequest>& requests, const CancelToken& cancel);
  [[nodiscard]] virtual Status finish() = 0;

 private:
  struct State;
  class Stream;
  std::shared_ptr<State> state_;
};

}  // namespace candor::engine
