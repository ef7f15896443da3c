// What a connection that stays open keeps of the file between two searches, while nobody writes to it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "memory/search/eligible.h"
#include "sqlite/sqlite.h"

namespace candor::memory {

// The vectors of one embedder as a search reads them.
struct PackedVectors {
  struct Part {  // of vector_segments
    std::string ids, scales, codes;
  };
  std::vector<Part> segments;
  // Those that no segment holds as they are now, by memory; without bytes where the vector is gone.
  std::vector<std::pair<std::int64_t, std::string>> unpacked;
};

class SearchCache {
 public:
  // `bytes`: of vectors at most; more are read anew by each search. With 0 nothing is kept.
  explicit SearchCache(std::size_t bytes) : bytes_max_(bytes) {}

  [[nodiscard]] Result<std::shared_ptr<const Eligible>> eligible(sqlite::Database& database, const Scope& scope);
  // Null where they are not kept.
  [[nodiscard]] Result<std::shared_ptr<const PackedVectors>> vectors(sqlite::Database& database, std::int64_t embedder);

 private:
  [[nodiscard]] Status forget_what_changed(sqlite::Database& database);

  std::size_t bytes_max_;
  std::int64_t state_ = -1;  // of the file, as this connection counts the commits of others
  std::map<std::string, std::shared_ptr<const Eligible>> eligible_;
  std::map<std::int64_t, std::shared_ptr<const PackedVectors>> vectors_;
};

}  // namespace candor::memory
