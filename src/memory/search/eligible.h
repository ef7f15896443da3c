// The memories that a search is about: live, of the namespace, of the type, let pass by filters. Each leg of a search asks
// it before it ranks anything.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "sqlite/sqlite.h"

namespace candor::memory {

// Which part of the memory a command speaks about.
struct Scope {
  std::string name_space = "global";
  bool all_namespaces = false;
  std::optional<std::string> type;
};

class Eligible {
 public:
  Eligible() = default;
  [[nodiscard]] static Result<Eligible> load(sqlite::Database& database, const Scope& scope);

  [[nodiscard]] bool has(std::int64_t id) const { return rev(id) != 0; }
  // 0: not eligible. A memory's place in the order of all writes is above 0.
  [[nodiscard]] std::int64_t rev(std::int64_t id) const {
    return id >= 0 && static_cast<std::size_t>(id) < revs_.size() ? revs_[static_cast<std::size_t>(id)] : 0;
  }
  // Which of two that answer equally well comes first: the newer one, then by id.
  [[nodiscard]] bool before(std::int64_t a, std::int64_t b) const { return rev(a) != rev(b) ? rev(a) > rev(b) : a < b; }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::size_t ids_end() const { return revs_.size(); }  // above every id

  void add(std::int64_t id, std::int64_t rev);
  void remove(std::int64_t id);

 private:
  std::vector<std::int64_t> revs_;  // by id
  std::size_t size_ = 0;
};

// A memory and how well it answers. Order: score falling, then the newer one, then id.
struct Scored {
  std::int64_t id = 0;
  double score = 0;
};

// Puts the best `count` of `hits` in front in their order and drops the rest.
void keep_best(std::vector<Scored>& hits, const Eligible& eligible, std::size_t count);

}  // namespace candor::memory
