// A map under a lock.
#include "engine/worker/held_transactions.h"

#include <utility>

namespace candor::engine::worker {

std::uint32_t HeldTransactions::add(std::unique_ptr<Transaction> transaction) {
  auto held = std::make_shared<Held>();
  held->transaction = std::move(transaction);
  const std::lock_guard lock(mutex_);
  held_.emplace(next_, std::move(held));
  return next_++;
}

std::shared_ptr<HeldTransactions::Held> HeldTransactions::find(std::uint32_t number) {
  const std::lock_guard lock(mutex_);
  const auto found = held_.find(number);
  return found == held_.end() ? nullptr : found->second;
}

std::shared_ptr<HeldTransactions::Held> HeldTransactions::take(std::uint32_t number) {
  const std::lock_guard lock(mutex_);
  auto node = held_.extract(number);
  return node.empty() ? nullptr : std::move(node.mapped());
}

void HeldTransactions::clear() {
  const std::lock_guard lock(mutex_);
  held_.clear();
}

}  // namespace candor::engine::worker
