// DuckDB's C handles as owners that can be written to through `out()`; the statement types that the 1.4 header does not know. No logic here.
#pragma once

#include <duckdb.h>
#include <memory>
#include <string>
#include <utility>

namespace candor::engine::duckdb {

// The library is 1.5.6, the newest published C header is of 1.4.4: these types and statement types are new since then.
constexpr int kTypeGeometry = 40;
constexpr int kTypeVariant = 41;
constexpr int kStatementCopyDatabase = 28;
constexpr int kStatementUpdateExtensions = 29;
constexpr int kStatementMergeInto = 30;

// Owner of one C handle. `out()` gives the place for a constructor function to write to.
template <typename T, void (*Destroy)(T*)>
class Handle {
 public:
  Handle() = default;
  explicit Handle(T raw) : raw_(raw) {}
  Handle(Handle&& other) noexcept : raw_(std::exchange(other.raw_, nullptr)) {}
  Handle& operator=(Handle&& other) noexcept {
    if (this != &other) {
      reset();
      raw_ = std::exchange(other.raw_, nullptr);
    }
    return *this;
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() { reset(); }

  [[nodiscard]] T get() const { return raw_; }
  [[nodiscard]] T* out() {
    reset();
    return &raw_;
  }
  void reset() {
    if (raw_ != nullptr) Destroy(&raw_);
    raw_ = nullptr;
  }
  explicit operator bool() const { return raw_ != nullptr; }

 private:
  T raw_ = nullptr;
};

using Database = Handle<duckdb_database, duckdb_close>;
using Connection = Handle<duckdb_connection, duckdb_disconnect>;
using Configuration = Handle<duckdb_config, duckdb_destroy_config>;
using Extracted = Handle<duckdb_extracted_statements, duckdb_destroy_extracted>;
using Prepared = Handle<duckdb_prepared_statement, duckdb_destroy_prepare>;
using Pending = Handle<duckdb_pending_result, duckdb_destroy_pending>;
using Chunk = Handle<duckdb_data_chunk, duckdb_destroy_data_chunk>;
using EngineValue = Handle<duckdb_value, duckdb_destroy_value>;
using LogicalType = Handle<duckdb_logical_type, duckdb_destroy_logical_type>;

// A duckdb_result is a struct and not a pointer; it is destroyed whether or not its query succeeded.
class QueryResult {
 public:
  QueryResult() = default;
  QueryResult(QueryResult&& other) noexcept : raw_(std::exchange(other.raw_, duckdb_result{})) {}
  QueryResult& operator=(QueryResult&& other) noexcept {
    if (this != &other) {
      reset();
      raw_ = std::exchange(other.raw_, duckdb_result{});
    }
    return *this;
  }
  QueryResult(const QueryResult&) = delete;
  QueryResult& operator=(const QueryResult&) = delete;
  ~QueryResult() { reset(); }

  [[nodiscard]] duckdb_result* get() { return &raw_; }
  [[nodiscard]] duckdb_result* out() {
    reset();
    return &raw_;
  }
  void reset() {
    if (raw_.internal_data != nullptr) duckdb_destroy_result(&raw_);
    raw_ = duckdb_result{};
  }
  // The engine's message, empty when there is none.
  [[nodiscard]] std::string error() {
    const char* text = raw_.internal_data == nullptr ? nullptr : duckdb_result_error(&raw_);
    return text == nullptr ? std::string() : std::string(text);
  }

 private:
  duckdb_result raw_{};
};

}  // namespace candor::engine::duckdb
