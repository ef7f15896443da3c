// The state of one client.
#include "mcp/protocol/connection.h"

#include <utility>

namespace candor::mcp {

Revision Connection::legacy_revision() const {
  const std::lock_guard lock(mutex_);
  return legacy_;
}

void Connection::agree(Revision revision) {
  const std::lock_guard lock(mutex_);
  legacy_ = revision;
  agreed_ = true;
}

std::string Connection::client() const {
  const std::lock_guard lock(mutex_);
  return client_;
}

void Connection::set_client(std::string name) {
  const std::lock_guard lock(mutex_);
  client_ = std::move(name);
}

bool Connection::takes_batches() const {
  const std::lock_guard lock(mutex_);
  return !agreed_ || legacy_ == Revision::k2025March;
}

std::optional<LogLevel> Connection::log_level() const {
  const std::lock_guard lock(mutex_);
  return log_level_;
}

void Connection::set_log_level(LogLevel level) {
  const std::lock_guard lock(mutex_);
  log_level_ = level;
}

bool Connection::in_flight(const json::Node& id) const {
  const std::lock_guard lock(mutex_);
  return calls_.contains(id_key(id));
}

std::optional<CancelToken> Connection::begin(const json::Node& id) {
  const std::lock_guard lock(mutex_);
  const auto [at, fresh] = calls_.try_emplace(id_key(id));
  if (!fresh) return std::nullopt;
  at->second.id = id;
  return at->second.token;
}

bool Connection::end(const json::Node& id) {
  const std::lock_guard lock(mutex_);
  const auto at = calls_.find(id_key(id));
  if (at == calls_.end()) return false;
  const bool wanted = !at->second.cancelled;
  calls_.erase(at);
  return wanted;
}

void Connection::cancel(const json::Node& id) {
  std::optional<CancelToken> token;
  {
    const std::lock_guard lock(mutex_);
    const auto at = calls_.find(id_key(id));
    if (at == calls_.end()) return;
    if (at->second.subscription) {
      calls_.erase(at);
      return;
    }
    at->second.cancelled = true;
    token = at->second.token;
  }
  token->cancel();
}

bool Connection::subscribe(const json::Node& id) {
  const std::lock_guard lock(mutex_);
  const auto [at, fresh] = calls_.try_emplace(id_key(id));
  if (!fresh) return false;
  at->second.id = id;
  at->second.subscription = true;
  return true;
}

void Connection::cancel_all() {
  std::vector<CancelToken> tokens;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [key, call] : calls_) tokens.push_back(call.token);
  }
  for (CancelToken& token : tokens) token.cancel();
}

std::vector<json::Node> Connection::take_subscriptions() {
  const std::lock_guard lock(mutex_);
  std::vector<json::Node> ids;
  std::erase_if(calls_, [&](auto& entry) {
    if (!entry.second.subscription) return false;
    ids.push_back(std::move(entry.second.id));
    return true;
  });
  return ids;
}

}  // namespace candor::mcp
