// Reading once what several searches need.
#include "memory/search/search_cache.h"

#include "memory/vectors/vector_tables.h"

namespace candor::memory {
namespace {

constexpr std::size_t kScopesMax = 16;

std::string key_of(const Scope& scope) {
  return scope.name_space + '\0' + (scope.all_namespaces ? "all" : "one") + '\0' + scope.type.value_or("");
}

Result<std::int64_t> bytes_of(sqlite::Database& database, std::int64_t embedder) {
  CANDOR_ASSIGN(sqlite::Statement statement,
                database.prepare("SELECT (SELECT coalesce(sum(length(codes)), 0) FROM vector_segments WHERE embedder = "
                                 "?1) + (SELECT count(*) FROM vector_unpacked WHERE embedder = ?1) * 4096"));
  CANDOR_TRY(statement.bind_integer(1, embedder));
  CANDOR_TRY(statement.step());
  return statement.integer(0);
}

Result<std::shared_ptr<const PackedVectors>> read_vectors(sqlite::Database& database, std::int64_t embedder) {
  auto vectors = std::make_shared<PackedVectors>();
  CANDOR_TRY(visit_vectors(
      database, embedder,
      [&](std::int64_t memory, std::string_view vector) { vectors->unpacked.emplace_back(memory, vector); },
      [&](std::string_view ids, std::string_view scales, std::string_view codes) {
        vectors->segments.push_back({std::string(ids), std::string(scales), std::string(codes)});
      }));
  return std::shared_ptr<const PackedVectors>(std::move(vectors));
}

}  // namespace

// The number changes with every commit of another connection, and is of the snapshot that is read.
Status SearchCache::forget_what_changed(sqlite::Database& database) {
  CANDOR_ASSIGN(sqlite::Statement statement, database.prepare("PRAGMA data_version"));
  CANDOR_TRY(statement.step());
  if (statement.integer(0) == state_) return Ok{};
  state_ = statement.integer(0);
  eligible_.clear();
  vectors_.clear();
  return Ok{};
}

Result<std::shared_ptr<const Eligible>> SearchCache::eligible(sqlite::Database& database, const Scope& scope) {
  if (bytes_max_ > 0) CANDOR_TRY(forget_what_changed(database));
  const std::string key = key_of(scope);
  if (const auto kept = eligible_.find(key); kept != eligible_.end()) return kept->second;
  CANDOR_ASSIGN(Eligible eligible, Eligible::load(database, scope));
  std::shared_ptr<const Eligible> shared = std::make_shared<const Eligible>(std::move(eligible));
  if (bytes_max_ > 0) {
    if (eligible_.size() >= kScopesMax) eligible_.clear();
    eligible_.emplace(key, shared);
  }
  return shared;
}

Result<std::shared_ptr<const PackedVectors>> SearchCache::vectors(sqlite::Database& database, std::int64_t embedder) {
  if (bytes_max_ == 0) return std::shared_ptr<const PackedVectors>();
  CANDOR_TRY(forget_what_changed(database));
  if (const auto kept = vectors_.find(embedder); kept != vectors_.end()) return kept->second;
  CANDOR_ASSIGN(const std::int64_t bytes, bytes_of(database, embedder));
  std::shared_ptr<const PackedVectors> vectors;
  if (static_cast<std::size_t>(bytes) <= bytes_max_) {
    CANDOR_ASSIGN(vectors, read_vectors(database, embedder));
  }
  vectors_.clear();  // of one embedder at a time
  vectors_.emplace(embedder, vectors);
  return vectors;
}

}  // namespace candor::memory
