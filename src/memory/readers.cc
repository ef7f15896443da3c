// Lending the open connection, and making another where it is lent already.
#include "memory/readers.h"

#include <sys/stat.h>
#include <utility>

#include "memory/search/search_cache.h"
#include "memory/store/store.h"

namespace candor::memory {
namespace {

// Empty: there is no file.
std::string identity_of(const std::string& path) {
  struct stat about{};
  if (::stat(path.c_str(), &about) != 0) return {};
  return std::to_string(about.st_dev) + ":" + std::to_string(about.st_ino);
}

}  // namespace

Readers::Lease::~Lease() {
  if (from_ != nullptr && memory_) from_->give_back(std::move(*memory_), std::move(file_));
}

Result<Readers::Lease> Readers::begin() {
  std::string file = identity_of(home_ + "/memory.sqlite");
  std::optional<Memory> memory;
  {
    const std::lock_guard lock(mutex_);
    if (idle_ && idle_file_ == file) memory.swap(idle_);
    idle_.reset();
  }
  // What was not the newest version when it was opened, or is no longer, is opened anew, which says what is the matter.
  if (memory && !memory->store().begin_reading().ok()) memory.reset();
  if (!memory) {
    CANDOR_ASSIGN(memory, Memory::open(home_, Access::kRead));
    memory->store().keep_for_searches(cache_bytes_);
  }
  return Lease(shared_from_this(), std::move(*memory), std::move(file));
}

void Readers::give_back(Memory memory, std::string file) {
  if (file.empty() || !memory.exists() || !memory.store().end_reading()) return;
  const std::lock_guard lock(mutex_);
  if (idle_) return;
  idle_ = std::move(memory);
  idle_file_ = std::move(file);
}

}  // namespace candor::memory
