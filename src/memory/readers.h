// The memory of a server, which reads it again and again: a connection stays open between two calls, and keeps what searches
// read while nobody writes. Between calls it holds no snapshot, so that it is in nobody's way.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "base/result.h"
#include "memory/memory.h"

namespace candor::memory {

class Readers : public std::enable_shared_from_this<Readers> {
 public:
  // `cache_bytes`: see SearchCache.
  Readers(std::string home, std::size_t cache_bytes) : home_(std::move(home)), cache_bytes_(cache_bytes) {}

  // A memory that reads one snapshot for as long as the lease lasts. May be held by several threads at once, one each.
  class Lease {
   public:
    Lease(std::shared_ptr<Readers> from, Memory memory, std::string file)
        : from_(std::move(from)), memory_(std::move(memory)), file_(std::move(file)) {}
    Lease(Lease&&) = default;
    Lease& operator=(Lease&&) = default;
    ~Lease();
    [[nodiscard]] Memory& memory() { return *memory_; }

   private:
    std::shared_ptr<Readers> from_;
    std::optional<Memory> memory_;
    std::string file_;
  };
  // Fails as Memory::open does.
  [[nodiscard]] Result<Lease> begin();

 private:
  void give_back(Memory memory, std::string file);

  std::string home_;
  std::size_t cache_bytes_;
  std::mutex mutex_;
  std::optional<Memory> idle_;
  std::string idle_file_;  // what tells the file from another of the same name
};

}  // namespace candor::memory
