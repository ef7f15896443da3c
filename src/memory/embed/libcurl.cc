// Loading libcurl by its soname.
#include "memory/embed/libcurl.h"

#include <dlfcn.h>
#include <string>

namespace candor::memory {
namespace {

struct Loaded {
  Libcurl functions;
  std::string failure;
};

Loaded load() {
  Loaded loaded;
  void* library = nullptr;
  // One interface, built on several TLS libraries.
  for (const char* name : {"libcurl.so.4", "libcurl-gnutls.so.4"}) {
    if (library == nullptr) library = ::dlopen(name, RTLD_NOW | RTLD_LOCAL);
  }
  if (library == nullptr) {
    loaded.failure = "libcurl.so.4 is not installed";
    return loaded;
  }
#define CANDOR_CURL_LOAD(name)                                                                        \
  loaded.functions.name = reinterpret_cast<decltype(loaded.functions.name)>(::dlsym(library, #name)); \
  if (loaded.functions.name == nullptr) loaded.failure = "libcurl.so.4 is too old: it has no " #name;
  CANDOR_CURL_FUNCTIONS(CANDOR_CURL_LOAD)
#undef CANDOR_CURL_LOAD
  if (loaded.failure.empty() && loaded.functions.curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) {
    loaded.failure = "libcurl could not be initialised";
  }
  return loaded;
}

}  // namespace

Result<const Libcurl*> load_libcurl() {
  static const Loaded once = load();
  if (once.failure.empty()) return &once.functions;
  return make_error("embedding-failed", "the embedder's address can't be spoken to: " + once.failure,
                    "apt install libcurl4, or the package of your system that has libcurl.so.4");
}

}  // namespace candor::memory
