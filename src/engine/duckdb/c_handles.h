// Owners of what DuckDB's C API hands out and wants back.
#pragma once

#include <memory>
#include <string>
#include <type_traits>

#include "duckdb.h"

namespace candor::engine::duckdb {

// Types of 1.5 that the header, which is of 1.4, does not name.
inline constexpr int kTypeGeometry = 40;
inline constexpr int kTypeVariant = 41;

template <typename Handle, void (*destroy)(Handle*)>
struct DestroyHandle {
  void operator()(std::remove_pointer_t<Handle>* handle) const { destroy(&handle); }
};
template <typename Handle, void (*destroy)(Handle*)>
using Owned = std::unique_ptr<std::remove_pointer_t<Handle>, DestroyHandle<Handle, destroy>>;

using OwnedLogicalType = Owned<duckdb_logical_type, duckdb_destroy_logical_type>;
using OwnedChunk = Owned<duckdb_data_chunk, duckdb_destroy_data_chunk>;
using OwnedDatabase = Owned<duckdb_database, duckdb_close>;
using OwnedConnection = Owned<duckdb_connection, duckdb_disconnect>;
using OwnedConfig = Owned<duckdb_config, duckdb_destroy_config>;

// Takes over a C string of the API; empty for null.
[[nodiscard]] inline std::string take_string(char* text) {
  std::string copy = text == nullptr ? "" : text;
  duckdb_free(text);
  return copy;
}

}  // namespace candor::engine::duckdb
