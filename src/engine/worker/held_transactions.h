// The transactions that a worker holds open for its client, by number.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

#include "engine/engine.h"

namespace candor::engine::worker {

class HeldTransactions {
 public:
  // One request of a transaction at a time: whoever uses it holds `busy` until its answer is complete. A statement that
  // the client left is on its way out, and what the client asked next waits for it here.
  struct Held {
    std::mutex busy;
    std::unique_ptr<Transaction> transaction;
  };

  [[nodiscard]] std::uint32_t add(std::unique_ptr<Transaction> transaction);
  // Null: there is none of this number.
  [[nodiscard]] std::shared_ptr<Held> find(std::uint32_t number);
  // The same, and no later request finds it.
  [[nodiscard]] std::shared_ptr<Held> take(std::uint32_t number);
  // Rolls back all that are left. Requires that no request runs.
  void clear();

 private:
  std::mutex mutex_;
  std::uint32_t next_ = 1;
  std::map<std::uint32_t, std::shared_ptr<Held>> held_;
};

}  // namespace candor::engine::worker
