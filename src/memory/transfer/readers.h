// The two kinds of files that an import reads. Private to this folder; both require a transaction.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "memory/transfer/import.h"

namespace candor::memory {

[[nodiscard]] Result<json::Node> import_database(Store& store, const Import& input);
[[nodiscard]] Result<json::Node> import_lines(Store& store, const Import& input, std::string_view text);

// What an import did, and what it had to leave or change, each with how often.
struct Tally {
  std::int64_t memories = 0, deleted = 0, skipped = 0, versions = 0, entities = 0, relationships = 0, bindings = 0;
  std::map<std::string, std::int64_t> warnings;
};
[[nodiscard]] json::Node document_of(const Tally& tally, const Import& input, std::string_view format);

}  // namespace candor::memory
