// Reading the eligible memories, and the total order of results.
#include "memory/search/eligible.h"

#include <algorithm>

namespace candor::memory {
namespace {

// Each is answered by an index alone.
std::string_view statement_for(const Scope& scope) {
  if (scope.all_namespaces) {
    return scope.type ? "SELECT id, rev FROM memories WHERE deleted_at IS NULL AND type = ?2"
                      : "SELECT id, rev FROM memories WHERE deleted_at IS NULL";
  }
  return scope.type ? "SELECT id, rev FROM memories WHERE namespace = ?1 AND deleted_at IS NULL AND type = ?2"
                    : "SELECT id, rev FROM memories WHERE namespace = ?1 AND deleted_at IS NULL";
}

}  // namespace

Result<Eligible> Eligible::load(sqlite::Database& database, const Scope& scope) {
  CANDOR_ASSIGN(sqlite::Statement statement, database.prepare(statement_for(scope)));
  if (statement.parameter_count() >= 1) CANDOR_TRY(statement.bind_text(1, scope.name_space));
  if (scope.type) CANDOR_TRY(statement.bind_text(2, *scope.type));
  Eligible eligible;
  while (true) {
    CANDOR_ASSIGN(const bool row, statement.step());
    if (!row) return eligible;
    eligible.add(statement.integer(0), statement.integer(1));
  }
}

void Eligible::add(std::int64_t id, std::int64_t rev) {
  if (id < 0 || rev == 0) return;
  const auto at = static_cast<std::size_t>(id);
  if (at >= revs_.size()) revs_.resize(std::max(at + 1, revs_.size() * 2));
  if (revs_[at] == 0) ++size_;
  revs_[at] = rev;
}

void Eligible::remove(std::int64_t id) {
  if (!has(id)) return;
  revs_[static_cast<std::size_t>(id)] = 0;
  --size_;
}

void keep_best(std::vector<Scored>& hits, const Eligible& eligible, std::size_t count) {
  const auto before = [&](const Scored& a, const Scored& b) {
    return a.score != b.score ? a.score > b.score : eligible.before(a.id, b.id);
  };
  if (count >= hits.size()) {
    std::ranges::sort(hits, before);
    return;
  }
  const auto border = hits.begin() + static_cast<std::ptrdiff_t>(count);
  std::ranges::nth_element(hits, border, before);
  hits.erase(border, hits.end());
  std::ranges::sort(hits, before);
}

}  // namespace candor::memory
