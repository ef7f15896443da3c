// Names of statement kinds, and what an engine without contracts says.
#include "engine/engine.h"

namespace candor::engine {

std::string_view to_string(StatementKind kind) {
  switch (kind) {
    case StatementKind::kSelect:
      return "select";
    case StatementKind::kExplain:
      return "explain";
    case StatementKind::kDescribe:
      return "describe";
    case StatementKind::kInsert:
      return "insert";
    case StatementKind::kUpdate:
      return "update";
    case StatementKind::kDelete:
      return "delete";
    case StatementKind::kCreate:
      return "create";
    case StatementKind::kDrop:
      return "drop";
  }
  return "unknown";
}

bool writes(StatementKind kind) {
  switch (kind) {
    case StatementKind::kSelect:
    case StatementKind::kExplain:
    case StatementKind::kDescribe:
      return false;
    case StatementKind::kInsert:
    case StatementKind::kUpdate:
    case StatementKind::kDelete:
    case StatementKind::kCreate:
    case StatementKind::kDrop:
      return true;
  }
  return true;
}

std::string written_name(const CatalogTable& table) {
  return table.source + "." + (table.schema_needed ? table.schema + "." : "") + table.name;
}

// NOLINTNEXTLINE(performance-unnecessary-value-param): those who do begin one keep the token
Result<std::unique_ptr<Transaction>> Engine::begin(std::int64_t /*wait_ms*/, CancelToken /*cancel*/) {
  return make_error("read-only", "the source is published for reading");
}

}  // namespace candor::engine
