// Opening the facade; its verbs stand in the folders below.
#include "memory/memory.h"

#include <utility>

#include "memory/store/store.h"
#include "memory/transfer/import.h"

namespace candor::memory {

Result<Memory> Memory::open(const std::string& home, Access access) {
  CANDOR_ASSIGN(std::unique_ptr<Store> store, Store::open(home, access));
  return Memory(std::move(store));
}

Memory::Memory(std::unique_ptr<Store> store) : store_(std::move(store)) {}
Memory::Memory(Memory&&) noexcept = default;
Memory& Memory::operator=(Memory&&) noexcept = default;
Memory::~Memory() = default;

Result<json::Node> Memory::import_file(const Import& input) { return memory::import_file(*store_, input); }
bool Memory::exists() const { return store_->exists(); }
Diagnostic Memory::named(Diagnostic failure) const { return store_->named(std::move(failure)); }

}  // namespace candor::memory
