// Hashing looks at an expression and its first children alone: its cost is bounded whatever the height of the tree.
#include "bind/expr_index.h"

#include <functional>
#include <string>

namespace candor::bind {
namespace {

constexpr std::size_t kChildrenMax = 4;

void mix(std::size_t& hash, std::size_t more) { hash = (hash ^ more) * 0x9E3779B97F4A7C15ULL + (hash >> 31U); }

std::size_t flat_hash(const BoundExpr& expr) {
  std::size_t hash = static_cast<std::size_t>(expr.kind);
  mix(hash, static_cast<std::size_t>(expr.op));
  mix(hash, expr.relation);
  mix(hash, expr.column);
  mix(hash, static_cast<std::size_t>(expr.function));
  mix(hash, static_cast<std::size_t>(expr.value.kind));
  mix(hash, static_cast<std::size_t>(expr.value.integer));
  mix(hash, std::hash<std::string>()(expr.value.text));
  mix(hash, expr.children.size());
  return hash;
}

std::size_t hash_of(const BoundExpr& expr) {
  std::size_t hash = flat_hash(expr);
  for (std::size_t i = 0; i < expr.children.size() && i < kChildrenMax; ++i) mix(hash, flat_hash(*expr.children[i]));
  return hash;
}

}  // namespace

void ExprIndex::add(const BoundExpr& expr, std::size_t number) {
  if (!find(expr)) known_.emplace(hash_of(expr), std::pair(&expr, number));
}

std::optional<std::size_t> ExprIndex::find(const BoundExpr& expr) const {
  const auto [first, last] = known_.equal_range(hash_of(expr));
  for (auto at = first; at != last; ++at) {
    if (at->second.first == &expr || same_expr(*at->second.first, expr)) return at->second.second;
  }
  return std::nullopt;
}

}  // namespace candor::bind
