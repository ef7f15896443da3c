// Loading libpq by its soname.
#include "engine/postgres/libpq.h"

#include <dlfcn.h>

namespace candor::engine::postgres {
namespace {

struct Loaded {
  Libpq functions;
  std::string failure;
};

Loaded load() {
  Loaded loaded;
  // The version of the interface, unchanged since PostgreSQL 8.1; a function that an old library lacks is told below.
  void* library = ::dlopen("libpq.so.5", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    loaded.failure = "libpq.so.5 is not installed";
    return loaded;
  }
#define CANDOR_LIBPQ_LOAD(name)                                                                       \
  loaded.functions.name = reinterpret_cast<decltype(loaded.functions.name)>(::dlsym(library, #name)); \
  if (loaded.functions.name == nullptr) loaded.failure = "libpq.so.5 is too old: it has no " #name;
  CANDOR_LIBPQ_FUNCTIONS(CANDOR_LIBPQ_LOAD)
#undef CANDOR_LIBPQ_LOAD
  return loaded;
}

const Loaded& loaded() {
  static const Loaded once = load();
  return once;
}

}  // namespace

Result<const Libpq*> load_libpq() {
  if (loaded().failure.empty()) return &loaded().functions;
  return make_error("source-error", "PostgreSQL can't be spoken to: " + loaded().failure,
                    "apt install libpq5, or the package of your system that has libpq.so.5");
}

const Libpq& libpq() { return loaded().functions; }

}  // namespace candor::engine::postgres
