// Whether a column of a database can hold a type of a contract, told by its own type.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "candor/contract_source.h"
#include "contract/contract.h"

namespace candor {

// What SQLite makes of a declared type when a value is stored.
enum class Affinity : std::uint8_t { kInteger, kReal, kNumeric, kText, kBlob };

// Of the table's columns, in their order; kBlob (nothing is changed) for every column of another engine.
[[nodiscard]] Result<std::vector<Affinity>> affinities_of(ContractSource& source, const engine::CatalogTable& table);

// Why it can't, in words; empty: it can.
[[nodiscard]] std::string sqlite_storage_fault(contract::Type type, const std::string& declared, Affinity affinity);
[[nodiscard]] std::string duckdb_storage_fault(contract::Type type, const std::string& stored);
[[nodiscard]] std::string postgres_storage_fault(contract::Type type, const std::string& stored);

}  // namespace candor
