// The encoding of a frame's payload: fields in order, numbers as they lie in memory (both ends are one build on one
// machine), texts and lists after a four-byte count. Reading checks every count and every choice.
#pragma once

#include <concepts>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/value.h"
#include "engine/engine.h"

namespace candor::engine::worker {

// Names of fields by structured binding: a struct that gains a field does not compile until it is added here.
template <typename T, typename Struct>
concept Is = std::same_as<std::remove_const_t<T>, Struct>;

template <typename A, Is<SourceSpec> T>
void fields(A& archive, T& value) {
  auto& [name, kind, path, encoding, environment, unsafe_role] = value;
  archive(name, kind, path, encoding, environment, unsafe_role);
}
template <typename A, Is<Policy> T>
void fields(A& archive, T& value) {
  auto& [sources, scratch_path, temp_directory, cache_directory, contract, memory_bytes, import_bytes_max, threads] =
      value;
  archive(sources, scratch_path, temp_directory, cache_directory, contract, memory_bytes, import_bytes_max, threads);
}
template <typename A, Is<RunRequest> T>
void fields(A& archive, T& value) {
  auto& [sql, parameters, lane, allow_writes, rows_max, chars_max, cell_chars_max, deadline_ms, count_budget_ms,
         exact_types] = value;
  archive(sql, parameters, lane, allow_writes, rows_max, chars_max, cell_chars_max, deadline_ms, count_budget_ms,
          exact_types);
}
template <typename A, Is<Column> T>
void fields(A& archive, T& value) {
  auto& [name, type] = value;
  archive(name, type);
}
template <typename A, Is<Header> T>
void fields(A& archive, T& value) {
  auto& [kind, columns, target, temporary_objects, state] = value;
  archive(kind, columns, target, temporary_objects, state);
}
template <typename A, Is<End> T>
void fields(A& archive, T& value) {
  auto& [rows, rows_total, cut_by_chars, affected, changed_others, rows_scanned] = value;
  archive(rows, rows_total, cut_by_chars, affected, changed_others, rows_scanned);
}
template <typename A, Is<Span> T>
void fields(A& archive, T& value) {
  auto& [start, end] = value;
  archive(start, end);
}
template <typename A, Is<Diagnostic> T>
void fields(A& archive, T& value) {
  auto& [code, message, detail, hint, fix, span, severity, others, resource, column] = value;
  archive(code, message, detail, hint, fix, span, severity, others, resource, column);
}
template <typename A, Is<CatalogColumn> T>
void fields(A& archive, T& value) {
  auto& [name, type, nullable, primary_key, collated, computed, comment, note] = value;
  archive(name, type, nullable, primary_key, collated, computed, comment, note);
}
template <typename A, Is<RejectedRow> T>
void fields(A& archive, T& value) {
  auto& [line, reason] = value;
  archive(line, reason);
}
template <typename A, Is<FileOrigin> T>
void fields(A& archive, T& value) {
  auto& [path, format, delimiter, quote, header, encoding, bytes, rows_rejected, rejected, failure] = value;
  archive(path, format, delimiter, quote, header, encoding, bytes, rows_rejected, rejected, failure);
}
template <typename A, Is<CatalogTable> T>
void fields(A& archive, T& value) {
  auto& [source, schema, name, view, temporary, schema_needed, rows_estimated, rows_exact, comment, columns, file] =
      value;
  archive(source, schema, name, view, temporary, schema_needed, rows_estimated, rows_exact, comment, columns, file);
}
template <typename A, Is<Catalog> T>
void fields(A& archive, T& value) {
  auto& [tables, warnings] = value;
  archive(tables, warnings);
}
template <typename A, Is<TableName> T>
void fields(A& archive, T& value) {
  auto& [source, schema, table] = value;
  archive(source, schema, table);
}
template <typename A, Is<ColumnFacts> T>
void fields(A& archive, T& value) {
  auto& [name, type, width_max, collated] = value;
  archive(name, type, width_max, collated);
}
template <typename A, Is<TableFacts> T>
void fields(A& archive, T& value) {
  auto& [resolved, exists, base_table, shadowed, pending_updates, rows_estimated, bytes_max, columns] = value;
  archive(resolved, exists, base_table, shadowed, pending_updates, rows_estimated, bytes_max, columns);
}
template <typename A, Is<FunctionFacts> T>
void fields(A& archive, T& value) {
  auto& [name, built_in, repeatable] = value;
  archive(name, built_in, repeatable);
}

// The highest enumerator of those that travel.
constexpr SourceKind last_of(SourceKind) { return SourceKind::kPostgres; }
constexpr Lane last_of(Lane) { return Lane::kContract; }
constexpr StatementKind last_of(StatementKind) { return StatementKind::kDrop; }
constexpr Severity last_of(Severity) { return Severity::kNote; }

// What a producer of rows may still send; also the first frame of an append.
struct Credit {
  std::uint32_t batches = 0;
  std::uint64_t bytes = 0;
};
struct Append {
  std::string table;
  std::vector<Column> columns;
  bool replace = false;
  Header header;  // of the rows
};
template <typename A, Is<Credit> T>
void fields(A& archive, T& value) {
  auto& [batches, bytes] = value;
  archive(batches, bytes);
}
template <typename A, Is<Append> T>
void fields(A& archive, T& value) {
  auto& [table, columns, replace, header] = value;
  archive(table, columns, replace, header);
}

class Encoder {
 public:
  explicit Encoder(std::string& out) : out_(&out) {}
  template <typename... Fields>
  void operator()(const Fields&... values) {
    (item(values), ...);
  }

 private:
  template <typename T>
  void item(const T& value) {
    if constexpr (std::is_enum_v<T>) {
      out_->push_back(static_cast<char>(value));
    } else if constexpr (std::is_arithmetic_v<T>) {
      char bytes[sizeof(T)];
      std::memcpy(bytes, &value, sizeof(T));
      out_->append(bytes, sizeof(T));
    } else if constexpr (std::same_as<T, Value>) {
      CellWriter writer(*out_);
      write_value(writer, value);
    } else {
      fields(*this, value);
    }
  }
  void item(const std::string& text) {
    item(static_cast<std::uint32_t>(text.size()));
    out_->append(text);
  }
  template <typename T>
  void item(const std::optional<T>& value) {
    item(value.has_value());
    if (value) item(*value);
  }
  template <typename T>
  void item(const std::vector<T>& list) {
    item(static_cast<std::uint32_t>(list.size()));
    for (const T& element : list) item(element);
  }

  std::string* out_;
};

class Decoder {
 public:
  explicit Decoder(std::string_view bytes) : rest_(bytes) {}
  template <typename... Fields>
  void operator()(Fields&... values) {
    (item(values), ...);
  }
  // Everything was there, and nothing more.
  [[nodiscard]] bool complete() const { return ok_ && rest_.empty(); }

 private:
  // A diagnostic holds others, which hold others.
  static constexpr int kDepthMax = 8;

  std::string_view take(std::size_t bytes) {
    if (!ok_ || rest_.size() < bytes) {
      ok_ = false;
      return {};
    }
    const std::string_view taken = rest_.substr(0, bytes);
    rest_.remove_prefix(bytes);
    return taken;
  }

  template <typename T>
  void item(T& value) {
    if constexpr (std::is_enum_v<T>) {
      const std::string_view byte = take(1);
      if (ok_ && static_cast<std::uint8_t>(byte[0]) > static_cast<std::uint8_t>(last_of(T{}))) ok_ = false;
      if (ok_) value = static_cast<T>(byte[0]);
    } else if constexpr (std::same_as<T, bool>) {
      const std::string_view byte = take(1);
      if (ok_ && static_cast<std::uint8_t>(byte[0]) > 1) ok_ = false;
      if (ok_) value = byte[0] != 0;
    } else if constexpr (std::is_arithmetic_v<T>) {
      const std::string_view bytes = take(sizeof(T));
      if (ok_) std::memcpy(&value, bytes.data(), sizeof(T));
    } else if constexpr (std::same_as<T, Value>) {
      value_item(value);
    } else {
      if (++depth_ > kDepthMax) ok_ = false;
      if (ok_) fields(*this, value);
      --depth_;
    }
  }
  void item(std::string& text) {
    std::uint32_t size = 0;
    item(size);
    text = take(size);
  }
  template <typename T>
  void item(std::optional<T>& value) {
    bool present = false;
    item(present);
    if (present) item(value.emplace());
  }
  template <typename T>
  void item(std::vector<T>& list) {
    std::uint32_t count = 0;
    item(count);
    // Grows as elements arrive: a large count in a small frame takes no memory.
    for (std::uint32_t i = 0; i < count && ok_; ++i) item(list.emplace_back());
  }
  void value_item(Value& value) {
    CellReader ahead(rest_);
    CellReader reader(take(ahead.skip().size()));
    ok_ = ok_ && ahead.ok();
    if (ok_) value = read_value(reader);
  }

  std::string_view rest_;
  int depth_ = 0;
  bool ok_ = true;
};

template <typename... Fields>
[[nodiscard]] std::string encode(const Fields&... values) {
  std::string out;
  Encoder encoder(out);
  encoder(values...);
  return out;
}

// False: the payload is malformed, and the values are not to be used.
template <typename... Fields>
[[nodiscard]] bool decode(std::string_view payload, Fields&... values) {
  Decoder decoder(payload);
  decoder(values...);
  return decoder.complete();
}

}  // namespace candor::engine::worker
