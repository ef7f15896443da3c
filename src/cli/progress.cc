// Drawing the bar, ten times a second.
#include "cli/progress.h"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "cli/text_layout.h"

namespace candor::cli {
namespace {

constexpr std::chrono::milliseconds kQuiet{1'000};
constexpr std::chrono::milliseconds kFrame{100};
constexpr std::size_t kBarWidth = 20;
constexpr std::size_t kBlockWidth = 5;

// How far the work is can't be known of a query; the block runs to and fro.
std::string bar(std::size_t frame, bool unicode) {
  const std::size_t span = kBarWidth - kBlockWidth;
  const std::size_t step = frame % (2 * span);
  const std::size_t at = step < span ? step : 2 * span - step;
  std::string drawn;
  for (std::size_t i = 0; i < kBarWidth; ++i) {
    const bool block = i >= at && i < at + kBlockWidth;
    drawn += unicode ? (block ? "━" : "─") : (block ? "=" : "-");
  }
  return drawn;
}

}  // namespace

Progress::Progress(const Stream& err, std::string what)
    : err_(&err), what_(std::move(what)), began_(std::chrono::steady_clock::now()) {
  if (err.cursor()) thread_ = std::thread([this] { run(); });
}

Progress::~Progress() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    clear();
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void Progress::say(std::string_view what) {
  const std::lock_guard lock(mutex_);
  what_ = what;
}

void Progress::stop() {
  const std::lock_guard lock(mutex_);
  paused_ = true;
  clear();
}

void Progress::restart() {
  const std::lock_guard lock(mutex_);
  clear();
  paused_ = false;
  began_ = std::chrono::steady_clock::now();
}

void Progress::clear() {
  if (drawn_) err_->put("\r\x1b[K");
  drawn_ = false;
}

void Progress::run() {
  std::unique_lock lock(mutex_);
  for (std::size_t frame = 0; !stopping_; ++frame) {
    changed_.wait_for(lock, kFrame);
    const auto spent = std::chrono::steady_clock::now() - began_;
    if (stopping_ || paused_ || spent < kQuiet) continue;
    char seconds[32];
    std::snprintf(seconds, sizeof seconds, "%5.1f s  ", std::chrono::duration<double>(spent).count());
    const std::string line = bar(frame, err_->unicode()) + " " + seconds + visible(what_) + ", Ctrl-C stops it";
    err_->put("\r\x1b[K" + err_->painted(Paint::kDim, prefix_of_width(line, err_->width() - 1)));
    drawn_ = true;
  }
}

}  // namespace candor::cli
