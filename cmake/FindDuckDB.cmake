# Finds DuckDB's C library; defines DuckDB::DuckDB, DuckDB_LIBRARY, DuckDB_INCLUDE_DIR, DuckDB_LICENSE.
#
# Looked at, in this order: DUCKDB_ROOT (variable or environment, with include/ and lib/), pkg-config,
# then what tools/fetch_duckdb stored in Candor's dependency cache (CANDOR_CACHE).

set(_duckdb_version "1.5.6")

set(_duckdb_cache "${CANDOR_CACHE}/duckdb-${_duckdb_version}")

if(NOT DUCKDB_ROOT AND DEFINED ENV{DUCKDB_ROOT})
  set(DUCKDB_ROOT "$ENV{DUCKDB_ROOT}")
endif()

if(DUCKDB_ROOT)
  set(_duckdb_hints "${DUCKDB_ROOT}")
else()
  find_package(PkgConfig QUIET)
  if(PkgConfig_FOUND)
    pkg_check_modules(_duckdb_pc QUIET duckdb>=1.5)
  endif()
  set(_duckdb_hints ${_duckdb_pc_LIBRARY_DIRS} ${_duckdb_pc_INCLUDE_DIRS} "${_duckdb_cache}")
endif()

find_path(DuckDB_INCLUDE_DIR duckdb.h HINTS ${_duckdb_hints} PATH_SUFFIXES include NO_DEFAULT_PATH)
find_library(DuckDB_LIBRARY duckdb HINTS ${_duckdb_hints} PATH_SUFFIXES lib NO_DEFAULT_PATH)
find_file(DuckDB_LICENSE NAMES LICENSE HINTS ${_duckdb_hints} NO_DEFAULT_PATH)
mark_as_advanced(DuckDB_INCLUDE_DIR DuckDB_LIBRARY DuckDB_LICENSE)

if(_duckdb_pc_VERSION)
  set(DuckDB_VERSION "${_duckdb_pc_VERSION}")
elseif(DuckDB_LIBRARY MATCHES "duckdb-([0-9.]+)/")
  set(DuckDB_VERSION "${CMAKE_MATCH_1}")
else()
  # An installation that DUCKDB_ROOT names is taken at its word; the worker checks the version it loads.
  set(DuckDB_VERSION "${_duckdb_version}")
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(DuckDB
  REQUIRED_VARS DuckDB_LIBRARY DuckDB_INCLUDE_DIR
  VERSION_VAR DuckDB_VERSION
  REASON_FAILURE_MESSAGE "run tools/fetch_duckdb, or set DUCKDB_ROOT to a folder with include/ and lib/")

# libduckdb.so exports symbols of the C++ library that it was built with. Naming libstdc++ before it keeps
# Candor's own C++ bound to the system's, and lets --as-needed drop DuckDB where nothing calls it.
if(DuckDB_FOUND AND NOT TARGET DuckDB::DuckDB)
  add_library(DuckDB::library SHARED IMPORTED)
  set_target_properties(DuckDB::library PROPERTIES
    IMPORTED_LOCATION "${DuckDB_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${DuckDB_INCLUDE_DIR}")
  add_library(DuckDB::DuckDB INTERFACE IMPORTED)
  target_link_libraries(DuckDB::DuckDB INTERFACE stdc++ DuckDB::library)
endif()
