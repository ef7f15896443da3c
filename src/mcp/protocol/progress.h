// Tells a client that asked for it, once a second, that its call is still running.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "base/cancel.h"
#include "json/json.h"
#include "mcp/protocol/outlet.h"

namespace candor::mcp {

// Progress notifications of one call: strictly increasing, none after `close` or once it is cancelled.
class Progress {
 public:
  Progress(json::Node token, CancelToken cancel, std::shared_ptr<Outlet> outlet);
  // A value that is not above the last one is dropped.
  void report(double value, std::optional<double> total, const std::string& message);
  void close();

 private:
  const json::Node token_;
  const CancelToken cancel_;
  const std::shared_ptr<Outlet> outlet_;
  std::mutex mutex_;
  std::optional<double> last_;
  bool closed_ = false;
};

// One thread for all calls that are watched; it is started by the first one.
class Ticker {
 public:
  explicit Ticker(std::chrono::milliseconds period) : period_(period) {}
  ~Ticker();
  Ticker(const Ticker&) = delete;
  Ticker& operator=(const Ticker&) = delete;

  // The seconds since now go to `progress` each period until `forget`.
  [[nodiscard]] std::uint64_t watch(std::shared_ptr<Progress> progress, std::string what);
  void forget(std::uint64_t watch);

 private:
  using Moment = std::chrono::steady_clock::time_point;
  struct Watched {
    std::shared_ptr<Progress> progress;
    std::string what;
    Moment begun, due;
  };
  void work();
  [[nodiscard]] std::optional<Moment> send_due(std::unique_lock<std::mutex>& lock);

  const std::chrono::milliseconds period_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::uint64_t, Watched> watched_;
  std::uint64_t next_ = 1;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace candor::mcp
