// Puts the tools, the protocol and the two streams together.
#include "mcp/mcp.h"

#include <chrono>
#include <cstdio>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <unistd.h>
#include <utility>

#include "candor/candor.h"
#include "mcp/protocol/server.h"
#include "mcp/stdio/stdio.h"
#include "mcp/tools/tools.h"

namespace candor::mcp {
namespace {

// Opens the facade when it is first needed, so that a client that only lists tools waits for no ledger and no engine.
class LazyFacade {
 public:
  LazyFacade(config::Configuration configuration, std::string worker)
      : configuration_(std::move(configuration)), worker_(std::move(worker)) {}

  Result<Candor*> get() {
    const std::lock_guard lock(mutex_);
    if (facade_ == nullptr) {
      auto opened = Candor::open(configuration_, worker_);
      if (!opened.ok()) {
        if (!told_) std::fprintf(stderr, "candor mcp: %s\n", opened.error().message.c_str());
        told_ = true;
        return std::move(opened).error();
      }
      facade_ = std::move(opened).value();
    }
    return facade_.get();
  }

  // Null when it was never opened.
  Candor* opened() {
    const std::lock_guard lock(mutex_);
    return facade_.get();
  }

 private:
  const config::Configuration configuration_;
  const std::string worker_;
  std::mutex mutex_;
  std::unique_ptr<Candor> facade_;
  bool told_ = false;
};

std::string unique_session() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(now).count();
  char name[64];
  std::snprintf(name, sizeof name, "mcp-%llx-%x-%04x", static_cast<unsigned long long>(seconds),
                static_cast<unsigned>(::getpid()), static_cast<unsigned>(std::random_device{}()) & 0xFFFFU);
  return name;
}

}  // namespace

int serve_stdio(const config::Configuration& configuration, const Options& options) {
  const ProtocolStreams streams = claim_standard_streams();
  const bool own_session = options.session.empty();
  const std::string session = own_session ? unique_session() : options.session;
  LazyFacade facade(configuration, options.worker);

  ServerSettings settings;
  settings.version = options.version;
  settings.instructions = instructions();
  std::vector<Diagnostic> faults;
  std::vector<ContractTools> contracts = Candor::contract_tools(configuration, faults);
  // Calls that need the contract will fail with the same words; the operator sees them at once.
  for (const Diagnostic& fault : faults) std::fprintf(stderr, "candor mcp: %s\n", fault.message.c_str());
  Server server(std::move(settings),
                make_tools(configuration, {[&] { return facade.get(); }, session, std::move(contracts)}));

  StdioSettings stdio;
  stdio.input = streams.input;
  stdio.output = streams.output;
  stdio.before_leaving = [&] {
    if (Candor* opened = facade.opened()) opened->close_session(session, !own_session);
  };
  return serve(server, stdio);
}

}  // namespace candor::mcp
