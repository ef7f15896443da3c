# Third-party libraries, found once here. A module names the ones that it wraps under LINKS.

# Where tools/fetch_* store things; tools/cache_folder has the same rule.
if(NOT "$ENV{CANDOR_DEPS}" STREQUAL "")
  set(CANDOR_CACHE "$ENV{CANDOR_DEPS}")
elseif(NOT "$ENV{XDG_CACHE_HOME}" STREQUAL "")
  set(CANDOR_CACHE "$ENV{XDG_CACHE_HOME}/candor")
else()
  set(CANDOR_CACHE "$ENV{HOME}/.cache/candor")
endif()

find_package(Threads REQUIRED)
find_package(SQLite3 REQUIRED)
find_package(nlohmann_json 3.11 REQUIRED)
find_package(CLI11 REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(utf8proc REQUIRED IMPORTED_TARGET libutf8proc)
pkg_check_modules(libmd REQUIRED IMPORTED_TARGET libmd)
find_package(DuckDB 1.5 REQUIRED)
# The header alone: the library is loaded when a PostgreSQL source is opened (src/engine/postgres/libpq.h).
pkg_check_modules(libpq REQUIRED libpq)
add_library(candor_libpq_headers INTERFACE)
target_include_directories(candor_libpq_headers SYSTEM INTERFACE ${libpq_INCLUDE_DIRS})
target_link_libraries(candor_libpq_headers INTERFACE ${CMAKE_DL_LIBS})

# The same: loaded when an embedder at an address is asked (src/memory/embed/libcurl.h).
pkg_check_modules(libcurl REQUIRED libcurl)
add_library(candor_curl_headers INTERFACE)
target_include_directories(candor_curl_headers SYSTEM INTERFACE ${libcurl_INCLUDE_DIRS})
target_link_libraries(candor_curl_headers INTERFACE ${CMAKE_DL_LIBS})

# candor_library(NAME FILE target): links the archive where the distribution has one, else the target given.
# The small libraries go in whole: an installed prefix runs where they are not, and a program starts sooner.
function(candor_library name file shared)
  cmake_parse_arguments(PARSE_ARGV 3 arg "" "" "ALSO")
  add_library(${name} INTERFACE)
  find_library(${name}_ARCHIVE NAMES "${file}")
  mark_as_advanced(${name}_ARCHIVE)
  if(${name}_ARCHIVE)
    target_link_libraries(${name} INTERFACE "${${name}_ARCHIVE}" ${arg_ALSO})
  else()
    target_link_libraries(${name} INTERFACE ${shared})
  endif()
endfunction()
candor_library(candor_sqlite3 libsqlite3.a SQLite::SQLite3 ALSO m z ${CMAKE_DL_LIBS} Threads::Threads)
candor_library(candor_yaml_cpp libyaml-cpp.a yaml-cpp)
candor_library(candor_utf8proc libutf8proc.a PkgConfig::utf8proc)
candor_library(candor_md libmd.a PkgConfig::libmd)
candor_library(candor_stemmer libstemmer.a stemmer)

# The build tree carries the library where an installed prefix has it.
file(MAKE_DIRECTORY "${CMAKE_BINARY_DIR}/lib")
file(CREATE_LINK "${DuckDB_LIBRARY}" "${CMAKE_BINARY_DIR}/lib/libduckdb.so" SYMBOLIC)
