// Opening the facade and its sessions.
#include "candor/candor.h"

#include <filesystem>
#include <system_error>
#include <utility>

#include "candor/service.h"

namespace candor {

Result<std::unique_ptr<Candor>> Candor::open(config::Configuration configuration, std::string worker) {
  CANDOR_ASSIGN(std::unique_ptr<ledger::Ledger> ledger, ledger::Ledger::open(configuration.home));
  return std::unique_ptr<Candor>(
      std::make_unique<Service>(std::move(configuration), std::move(worker), std::move(ledger)));
}

Service::Service(config::Configuration configuration, std::string worker, std::unique_ptr<ledger::Ledger> ledger)
    : configuration_(std::move(configuration)), worker_(std::move(worker)), ledger_(std::move(ledger)) {}

Service::~Service() = default;

std::string Service::folder_of(const std::string& session) const {
  return configuration_.home + "/sessions/" + session;
}

Result<Service::Prepared> Service::prepare(const Caller& caller) {
  if (!valid_session_name(caller.session)) {
    return make_error("invalid-session", "'" + caller.session + "' can't name a session",
                      "use letters, digits, dots, dashes and underscores, up to 64");
  }
  Prepared prepared;
  {
    const std::lock_guard hold(mutex_);
    std::shared_ptr<Session>& session = sessions_[caller.session];
    if (!session) {
      session = std::make_shared<Session>(caller.session, folder_of(caller.session), configuration_.home + "/cache",
                                          worker_, configuration_);
    }
    prepared.session = session;
  }
  prepared.session->refresh_sources();
  prepared.turn = {caller.session, caller.turn};
  if (caller.turn.empty()) {
    CANDOR_ASSIGN(prepared.turn.turn, ledger_->current_turn(caller.session));
  }
  return prepared;
}

void Service::close_session(const std::string& session, bool keep) {
  std::shared_ptr<Session> closed;
  {
    const std::lock_guard hold(mutex_);
    const auto found = sessions_.find(session);
    if (found != sessions_.end()) {
      closed = std::move(found->second);
      sessions_.erase(found);
    }
  }
  if (closed) closed->close();
  if (keep || !valid_session_name(session)) return;
  std::error_code ignored;
  std::filesystem::remove_all(folder_of(session), ignored);
}

}  // namespace candor
