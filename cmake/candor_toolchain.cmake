# How every file of Candor is compiled: language, warnings, sanitizers, and where programs are put.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "" FORCE)
endif()
# assert() stays alive in the release build: an assertion that fails answers nothing, which is better
# than something wrong.
set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O2 -g1")
set(CMAKE_CXX_FLAGS_RELEASE "-O2")

# Neither debug information nor assertions name the folder of one machine.
add_compile_options("-ffile-prefix-map=${CMAKE_SOURCE_DIR}/=")

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${CCACHE_PROGRAM}")
endif()

# The build tree has the shape of an installed prefix, so a program finds its library in ../lib in both.
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")
set(CMAKE_BUILD_WITH_INSTALL_RPATH ON)
set(CMAKE_INSTALL_RPATH "$ORIGIN/../lib")

# A program loads only the libraries that it calls: a test without DuckDB does not pay for loading it.
add_link_options(-Wl,--as-needed)

# The warnings of Candor's own code. Third-party headers come in as system headers and are not judged.
add_library(candor_warnings INTERFACE)
target_compile_options(candor_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion
  -Wnon-virtual-dtor -Woverloaded-virtual -Wextra-semi -Wcast-qual -Wundef
  -Werror=return-type -Werror=unused-result -Werror=switch)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # g++ 12 reports a copy inside std::string as -Wrestrict; the report is false.
  target_compile_options(candor_warnings INTERFACE
    -Wno-restrict -Wduplicated-cond -Wduplicated-branches -Wlogical-op)
endif()
if(CANDOR_WERROR)
  target_compile_options(candor_warnings INTERFACE -Werror)
endif()

if(CANDOR_SANITIZE)
  add_compile_options(-fsanitize=${CANDOR_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${CANDOR_SANITIZE})
endif()
if(CANDOR_FUZZER)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    message(FATAL_ERROR "CANDOR_FUZZER needs clang: use `cmake --preset fuzz`.")
  endif()
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
