// Opening the facade; its verbs stand in the folders below.
#include "memory/memory.h"

namespace candor::memory {

Result<Memory> Memory::open(const std::string& home, Access access) {
  CANDOR_ASSIGN(std::unique_ptr<Store> store, Store::open(home, access));
  return Memory(std::move(store));
}

}  // namespace candor::memory
