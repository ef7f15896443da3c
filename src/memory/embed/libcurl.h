// The functions of libcurl, loaded when an address is first asked: the library and the dozens that it needs would slow every
// start of the program.
#pragma once

#include <curl/curl.h>

#include "base/result.h"

namespace candor::memory {

#define CANDOR_CURL_FUNCTIONS(X) \
  X(curl_global_init)            \
  X(curl_easy_init)              \
  X(curl_easy_cleanup)           \
  X(curl_easy_setopt)            \
  X(curl_easy_perform)           \
  X(curl_easy_getinfo)           \
  X(curl_easy_strerror)          \
  X(curl_slist_append)           \
  X(curl_slist_free_all)

// The macros of its header would take the names of members for calls.
#undef curl_easy_setopt
#undef curl_easy_getinfo

struct Libcurl {
#define CANDOR_CURL_MEMBER(name) decltype(&::name) name = nullptr;
  CANDOR_CURL_FUNCTIONS(CANDOR_CURL_MEMBER)
#undef CANDOR_CURL_MEMBER
};

// Loads the library with the first call; it stays. Fails with `embedding-failed` where the system has none.
[[nodiscard]] Result<const Libcurl*> load_libcurl();

}  // namespace candor::memory
