// The connections of one source: one a running statement, each let in only with a role that can do no harm.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "engine/postgres/connection.h"
#include "engine/postgres/types.h"

namespace candor::engine::postgres {

enum class Access : std::uint8_t { kRead, kWrite };

class Pool : public std::enable_shared_from_this<Pool> {
 public:
  // `contract`: what runs is Candor's own, so that a role's powers are warned about and not refused.
  Pool(SourceSpec source, bool contract) : source_(std::move(source)), contract_(contract) {}

  // Gives the connection back when it goes; the transaction must have ended by then, else the connection is closed.
  class Lease {
   public:
    Lease(std::shared_ptr<Pool> pool, std::unique_ptr<Connection> connection)
        : pool_(std::move(pool)), connection_(std::move(connection)) {}
    Lease(Lease&&) noexcept = default;
    Lease& operator=(Lease&&) = delete;
    ~Lease() {
      if (connection_ != nullptr) pool_->give_back(std::move(connection_));
    }
    Connection* operator->() const { return connection_.get(); }
    Connection& operator*() const { return *connection_; }

   private:
    std::shared_ptr<Pool> pool_;
    std::unique_ptr<Connection> connection_;
  };

  // A connection inside of a transaction that sees one state of the database, with every setting that values and
  // deadlines rest on; `lock_ms` is how long it waits for others' locks. Fails as Connection::open and with `unsafe-role`.
  [[nodiscard]] Result<Lease> begin(Access access, std::int64_t lock_ms, const Watch& watch);

  [[nodiscard]] const SourceSpec& source() const { return source_; }
  [[nodiscard]] bool for_contract() const { return contract_; }
  [[nodiscard]] Types& types() { return types_; }

 private:
  void give_back(std::unique_ptr<Connection> connection);
  [[nodiscard]] Result<std::unique_ptr<Connection>> open(const Watch& watch);

  const SourceSpec source_;
  const bool contract_;
  Types types_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Connection>> idle_;
};

// Ends the transaction without keeping anything of it; waits a moment at most.
void roll_back(Connection& connection);

}  // namespace candor::engine::postgres
