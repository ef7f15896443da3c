// What SQLite makes of a declared type, and the names by which results and copies are typed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace candor::engine::sqlite {

enum class Affinity : std::uint8_t { kInteger, kReal, kNumeric, kText, kBlob };

// The rules of sqlite.org/datatype3.html, section 3.1, in their order.
[[nodiscard]] Affinity affinity_of(std::string_view declared_type);

// The DuckDB type of a column without any value.
[[nodiscard]] std::string exact_type_of(Affinity affinity);

// The type shown for a column without a declared type, by the values that were seen: one kind names it, else "ANY".
struct StorageSeen {
  bool integer = false, real = false, text = false, blob = false;
};
[[nodiscard]] std::string storage_type(const StorageSeen& seen);

[[nodiscard]] std::string base64(std::string_view bytes);

}  // namespace candor::engine::sqlite
