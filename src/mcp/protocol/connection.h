// What is known of one client between its messages: for a legacy one the revision and log level, for both eras the calls in
// flight. Over HTTP each modern request has a connection of its own.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/cancel.h"
#include "mcp/protocol/message.h"
#include "mcp/protocol/outlet.h"
#include "mcp/protocol/revision.h"
#include "mcp/protocol/tool.h"

namespace candor::mcp {

class Connection {
 public:
  // `assumed` is taken for a legacy client that did not begin with `initialize`.
  explicit Connection(std::shared_ptr<Outlet> outlet, Revision assumed = Revision::k2025November)
      : outlet_(std::move(outlet)), legacy_(assumed) {}

  [[nodiscard]] const std::shared_ptr<Outlet>& outlet() const { return outlet_; }

  [[nodiscard]] Revision legacy_revision() const;
  void agree(Revision revision);
  // What a legacy client calls itself; a modern one says it with each request.
  [[nodiscard]] std::string client() const;
  void set_client(std::string name);
  // Arrays of messages belong to 2025-03-26 and to clients that have not said what they speak.
  [[nodiscard]] bool takes_batches() const;

  [[nodiscard]] std::optional<LogLevel> log_level() const;
  void set_log_level(LogLevel level);

  [[nodiscard]] bool in_flight(const json::Node& id) const;
  // A call begins. None: a call with this id is in flight.
  [[nodiscard]] std::optional<CancelToken> begin(const json::Node& id);
  // A call ends. False: it was cancelled by its client and must not be answered.
  [[nodiscard]] bool end(const json::Node& id);
  // The client gave the call up. Ids that are not in flight are ignored.
  void cancel(const json::Node& id);

  // A subscription stays in flight until it is cancelled or the connection ends.
  [[nodiscard]] bool subscribe(const json::Node& id);

  // The transport gives up: stops every call, which then answers that it was cancelled.
  void cancel_all();
  // Takes the subscriptions that are still open, to be answered.
  [[nodiscard]] std::vector<json::Node> take_subscriptions();

 private:
  struct Call {
    CancelToken token;
    bool cancelled = false;
    bool subscription = false;
    json::Node id;
  };
  const std::shared_ptr<Outlet> outlet_;
  mutable std::mutex mutex_;
  Revision legacy_;
  bool agreed_ = false;
  std::string client_;
  std::optional<LogLevel> log_level_;
  std::map<std::string, Call> calls_;
};

}  // namespace candor::mcp
