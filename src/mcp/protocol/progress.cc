// Progress notifications and the clock that sends them.
#include "mcp/protocol/progress.h"

#include <cmath>
#include <utility>
#include <vector>

#include "mcp/protocol/message.h"

namespace candor::mcp {

Progress::Progress(json::Node token, CancelToken cancel, std::shared_ptr<Outlet> outlet)
    : token_(std::move(token)), cancel_(std::move(cancel)), outlet_(std::move(outlet)) {}

void Progress::report(double value, std::optional<double> total, const std::string& message) {
  const std::lock_guard lock(mutex_);
  if (closed_ || cancel_.cancelled() || (last_ && value <= *last_)) return;
  last_ = value;
  json::Node params = json::Node::object();
  params.set("progressToken", token_);
  params.set("progress", json::Node::number(value));
  if (total) params.set("total", json::Node::number(*total));
  if (!message.empty()) params.set("message", json::Node::string(message));
  outlet_->send(notification_text("notifications/progress", json::dump(params)));
}

void Progress::close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
}

Ticker::~Ticker() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

std::uint64_t Ticker::watch(std::shared_ptr<Progress> progress, std::string what) {
  const std::lock_guard lock(mutex_);
  const Moment now = std::chrono::steady_clock::now();
  const std::uint64_t id = next_++;
  // A new watch is due after all others, so a sleeping thread need not be woken for it unless it is the only one.
  watched_.emplace(id, Watched{std::move(progress), std::move(what), now, now + period_});
  if (!thread_.joinable()) {
    thread_ = std::thread([this] { work(); });
  } else if (watched_.size() == 1) {
    changed_.notify_all();
  }
  return id;
}

void Ticker::forget(std::uint64_t watch) {
  const std::lock_guard lock(mutex_);
  watched_.erase(watch);
}

void Ticker::work() {
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    if (const auto due = send_due(lock)) {
      changed_.wait_until(lock, *due);
    } else {
      changed_.wait(lock);
    }
  }
}

std::optional<Ticker::Moment> Ticker::send_due(std::unique_lock<std::mutex>& lock) {
  struct Report {
    std::shared_ptr<Progress> progress;
    double seconds;
    std::string message;
  };
  std::vector<Report> reports;
  std::optional<Moment> next;
  const Moment now = std::chrono::steady_clock::now();
  for (auto& [id, watched] : watched_) {
    if (watched.due <= now) {
      const double seconds = std::round(std::chrono::duration<double>(now - watched.begun).count() * 1000) / 1000;
      reports.push_back(
          {watched.progress, seconds, watched.what + " has run for " + std::to_string(std::lround(seconds)) + " s"});
      watched.due = now + period_;
    }
    if (!next || watched.due < *next) next = watched.due;
  }
  if (reports.empty()) return next;
  // A client that does not read must not keep other calls from beginning or ending.
  lock.unlock();
  for (const Report& report : reports) report.progress->report(report.seconds, std::nullopt, report.message);
  lock.lock();
  // Calls may have begun meanwhile: look again at once.
  return now;
}

}  // namespace candor::mcp
