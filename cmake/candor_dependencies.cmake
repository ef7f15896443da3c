# Third-party libraries, found once here. A module names the ones that it wraps under LINKS.

find_package(Threads REQUIRED)
find_package(SQLite3 REQUIRED)
find_package(nlohmann_json 3.11 REQUIRED)
find_package(CLI11 REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(DuckDB 1.5 REQUIRED)

find_package(PkgConfig REQUIRED)
pkg_check_modules(utf8proc REQUIRED IMPORTED_TARGET libutf8proc)

# The build tree carries the library where an installed prefix has it.
file(MAKE_DIRECTORY "${CMAKE_BINARY_DIR}/lib")
file(CREATE_LINK "${DuckDB_LIBRARY}" "${CMAKE_BINARY_DIR}/lib/libduckdb.so" SYMBOLIC)
