// One connection to a server, never waiting without a watch: what is sent, what comes back, and what became of both.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/engine.h"
#include "engine/postgres/libpq.h"
#include "engine/postgres/target.h"
#include "engine/postgres/watch.h"

namespace candor::engine::postgres {

// What the server, or the way to it, said instead of a result.
struct Fault {
  std::string state;  // SQLSTATE; empty when the server said nothing
  std::string message, hint, column, constraint;
  std::optional<std::size_t> position;  // in characters of the text that was sent, from 1
  bool lost = false;                    // the connection is gone
  Stop stopped = Stop::kNone;           // why it was asked to stop
};

struct Reply {
  PgResult result;  // none: the answer of what was sent is complete
  std::optional<Fault> fault;
};

// Texts as the server is to read them; absent is NULL.
using Parameters = std::vector<std::optional<std::string>>;

class Connection {
 public:
  // Fails with `source-error` (what is wrong is in the text), `cancelled` or `statement-timeout`.
  [[nodiscard]] static Result<std::unique_ptr<Connection>> open(const SourceSpec& source, const Watch& watch);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // Several statements of Candor's own at once, by the simple protocol; the last one's result.
  [[nodiscard]] Reply run(const std::string& sql, const Watch& watch);
  // One statement by the extended protocol, which takes no second one.
  [[nodiscard]] Reply ask(const std::string& sql, const Parameters& parameters, const Watch& watch);
  // The columns of a cursor.
  [[nodiscard]] Reply describe(const char* cursor, const Watch& watch);

  // The same as ask, but row after row: call `next` until it gives neither a result nor a fault.
  [[nodiscard]] std::optional<Fault> begin_rows(const std::string& sql, const Parameters& parameters);
  [[nodiscard]] Reply next(const Watch& watch);
  // After a fault: takes what still belongs to the answer.
  void settle(const Watch& watch);

  // Whether the next transaction may use it: nothing is under way, and nothing was asked to stop.
  [[nodiscard]] bool reusable() const;
  // Asks the server to stop what runs. The connection is of no use afterwards: the request may arrive late.
  void stop_running();

 private:
  Connection(PGconn* connection, std::vector<std::string> secrets)
      : pq_(libpq()), connection_(connection), secrets_(std::move(secrets)) {}
  std::optional<Fault> connect(const Watch& watch, Clock::time_point until);
  [[nodiscard]] Fault lost_fault(Stop stopped) const;
  [[nodiscard]] Fault fault_of(const PGresult* result) const;
  [[nodiscard]] Reply last(const Watch& watch);
  bool send(const std::string& sql, const Parameters& parameters);
  std::optional<Fault> wait(bool for_writing, const Watch& watch);

  const Libpq& pq_;
  PGconn* connection_;
  const std::vector<std::string> secrets_;
  Stop asked_to_stop_ = Stop::kNone;
  bool stopping_ = false;
  bool broken_ = false;
  Clock::time_point gives_up_at_;
};

}  // namespace candor::engine::postgres
