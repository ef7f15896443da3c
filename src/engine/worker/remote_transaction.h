// A transaction that a worker holds open: it lives and dies with the process that was asked to begin it.
#pragma once

#include <cstdint>
#include <memory>

#include "engine/checked_transaction.h"
#include "engine/worker/connection.h"
#include "engine/worker/worker_engine.h"

namespace candor::engine::worker {

class RemoteTransaction final : public CheckedTransaction {
 public:
  // `number` as the worker's answer to kBegin has it; takes over the connection's hold on its worker.
  RemoteTransaction(std::shared_ptr<Connection> connection, std::uint32_t number, const Timing& timing);
  // Waits until the worker has rolled back what was not committed, so that its locks are gone.
  ~RemoteTransaction() override;
  RemoteTransaction(const RemoteTransaction&) = delete;
  RemoteTransaction& operator=(const RemoteTransaction&) = delete;

 protected:
  // A statement whose process ended is `engine-died` and never `write-unknown`: what was not committed did not happen.
  [[nodiscard]] Result<std::unique_ptr<RowStream>> start(const RunRequest& request, CancelToken cancel) override;
  [[nodiscard]] Answers start_all(const std::vector<RunRequest>& requests, const CancelToken& cancel) override;
  [[nodiscard]] Status finish() override;

 private:
  std::shared_ptr<Connection> connection_;
  const std::uint32_t number_;
  const Timing timing_;
  bool ended_ = false;  // the worker has been told
};

}  // namespace candor::engine::worker
