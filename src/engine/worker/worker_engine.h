// An Engine that lives in a process of its own: the client's side of the border. The process is started by the first
// call and started anew after its end; why it is a process: docs/decisions/0030-worker-process.md.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

#include "engine/engine.h"

namespace candor::engine::worker {

class Connection;

// A started peer: the socket that leads to it, and its process id, or -1 where it is no process (tests).
struct Peer {
  int fd = -1;
  pid_t pid = -1;
};
using Connector = std::function<Result<Peer>()>;

// Starts `program` (candor-worker) with a socket as its file 3: in a session of its own, so that a Ctrl-C does not reach
// it, with no other file of ours but standard error, and with none of our environment but the time zone and what a
// loader needs. It ends with the thread that called this: the kernel counts threads as parents.
[[nodiscard]] Result<Peer> spawn(const std::string& program);

struct Timing {
  std::chrono::milliseconds grace{1'000};     // after a deadline or a cancellation, until the process is killed
  std::chrono::milliseconds open{600'000};    // opening may read whole files
  std::chrono::milliseconds answer{120'000};  // catalog, facts, trees, and each silence while rows are appended
};

class WorkerEngine final : public Engine {
 public:
  // Starts nothing yet.
  WorkerEngine(std::string program, Policy policy, Timing timing = {});
  WorkerEngine(Connector connector, Policy policy, Timing timing = {});
  WorkerEngine(const WorkerEngine&) = delete;
  WorkerEngine& operator=(const WorkerEngine&) = delete;
  ~WorkerEngine() override;  // close(2 s)

  // Beyond what the engine itself says: `statement-timeout` when the process had to be killed for this statement, and
  // `engine-died` when it ended while the statement ran, with the signal in `detail`; in both cases `write-unknown` for
  // what may write, because it may have been committed. The next call opens it anew.
  [[nodiscard]] Result<std::unique_ptr<RowStream>> run(const RunRequest& request, CancelToken cancel) override;
  [[nodiscard]] Result<Catalog> catalog() override;
  [[nodiscard]] Result<std::string> syntax_tree(std::string_view sql) override;
  [[nodiscard]] Result<std::string> print_tree(std::string_view tree) override;
  [[nodiscard]] Result<TableFacts> table_facts(const TableName& name, const std::vector<std::string>& columns) override;
  [[nodiscard]] Result<std::vector<FunctionFacts>> function_facts(const std::vector<std::string>& names) override;
  [[nodiscard]] Result<std::uint64_t> append(const std::string& table, const std::vector<Column>& columns, bool replace,
                                             RowStream& rows, CancelToken cancel) override;

  // A transaction dies with the process that it was begun in: its statements then fail with `engine-died` (or what the
  // process was ended for), and its commit with `write-unknown` when it was on its way.
  [[nodiscard]] Result<std::unique_ptr<Transaction>> begin(std::int64_t wait_ms, CancelToken cancel) override;

  // How often a process was opened; 0 before the first call. Temporary objects live as long as one generation.
  [[nodiscard]] std::uint64_t generation() const;
  [[nodiscard]] bool reopened_since(std::uint64_t generation) const { return this->generation() != generation; }

  // The running process; nothing when there is none.
  [[nodiscard]] std::optional<pid_t> process() const;

  // Ends the process when nothing is in flight and no transaction is open: true when none runs afterwards. The engine writes down what it holds.
  // Temporary objects are lost.
  bool close_idle();
  // Cancels what is in flight, lets the engine close, and kills the process when it has not ended by the deadline. A
  // later call opens it anew.
  void close(std::chrono::milliseconds deadline);

 private:
  struct Started;  // a request that is on its way

  Result<std::shared_ptr<Connection>> connection(CancelToken& cancel);
  Result<std::shared_ptr<Connection>> open(CancelToken& cancel);
  Result<Started> start(std::uint8_t type, const std::string& payload, std::optional<std::chrono::milliseconds> limit,
                        CancelToken& cancel);
  template <typename Reply, typename... Arguments>
  Result<Reply> ask(std::uint8_t type, const Arguments&... arguments);

  const Connector connector_;
  const Policy policy_;
  const Timing timing_;

  mutable std::mutex mutex_;
  std::condition_variable opened_;
  bool opening_ = false;
  std::uint64_t generation_ = 0;
  std::shared_ptr<Connection> connection_;
};

}  // namespace candor::engine::worker
