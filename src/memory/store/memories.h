// Rows of memories: finding one, making and changing one with all that belongs to it. Those that write require a transaction.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "json/json.h"
#include "memory/input.h"
#include "memory/store/store.h"

namespace candor::memory {

struct MemoryRow {
  std::int64_t id = 0;
  std::string space;  // its namespace
  std::string name, type, description, body, body_hash;
  std::string metadata;  // JSON
  std::string source;
  std::optional<std::string> session_id;
  std::int64_t rev = 0, version = 0, created_at = 0, updated_at = 0;
  std::optional<std::int64_t> deleted_at;
};

[[nodiscard]] Result<std::optional<MemoryRow>> find_memory(Store& store, std::string_view space, std::string_view name);
[[nodiscard]] Result<std::optional<MemoryRow>> find_memory(Store& store, std::int64_t id);
// Fails with `not-found`, and near names, where there is none that is not deleted.
[[nodiscard]] Result<MemoryRow> live_memory(Store& store, std::string_view space, std::string_view name);
[[nodiscard]] Diagnostic no_memory(Store& store, std::string_view space, std::string_view name);

// Fails with `lost-race`.
[[nodiscard]] Status check_expected(const MemoryRow& row, const Expected& expected);

// Fails with `over-limit` or `invalid-text`.
[[nodiscard]] Status check_texts(std::string_view description, std::string_view body);
// The text of an object, `{}` for null. Fails with `bad-request` for anything else.
[[nodiscard]] Result<std::string> metadata_text(const json::Node& metadata);

struct Change {
  std::string_view reason;  // of memory_versions
  std::optional<std::string> by;
  std::optional<Embedded> vectors;
};

struct Parts {
  std::size_t chunks = 0, urls = 0;
  bool text_changed = false;
};

// Stores a new memory: id, rev, version, hash and times of `row` are set. Fails with `over-limit` where it would be of one
// namespace too many.
[[nodiscard]] Result<Parts> create_memory(Store& store, MemoryRow& row, const Change& change);
// Stores `row` in the place of `before`, as a new version, live.
[[nodiscard]] Result<Parts> change_memory(Store& store, const MemoryRow& before, MemoryRow& row, const Change& change);

}  // namespace candor::memory
