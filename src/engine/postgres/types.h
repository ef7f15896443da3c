// Types of the server as results have them: what a text of such a type becomes, what it is called, and which type of
// DuckDB holds all its values.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "engine/postgres/connection.h"

namespace candor::engine::postgres {

enum class Form : std::uint8_t {
  kBoolean,
  kInteger,
  kReal32,
  kReal64,
  kDecimal,
  kText,
  kBlob,
  kDate,
  kTime,  // with or without a zone
  kTimestamp,
  kTimestampZone,
  kOther,  // as the server prints it
  kJson,
  kList,
};

struct Type {
  Form form = Form::kOther;
  std::string name;   // format_type(): "numeric(10,2)", "text[]"
  std::string exact;  // of DuckDB: "DECIMAL(10,2)"; empty where the values decide
  char delimiter = ',';
  std::shared_ptr<const Type> element;  // of kList
};
using TypePointer = std::shared_ptr<const Type>;

// A type's OID and modifier, as the description of a result has them.
using TypeId = std::pair<Oid, int>;

// Asks the server for each type once a source.
class Types {
 public:
  // The types of a result's columns, in order. Requires a transaction.
  [[nodiscard]] Result<std::vector<TypePointer>> of(const PGresult* described, Connection& connection,
                                                    const SourceSpec& source, const Watch& watch);

  // The same without asking; nothing where one was not asked for yet.
  [[nodiscard]] std::optional<std::vector<TypePointer>> known(const PGresult* described);

 private:
  [[nodiscard]] Status ask(const std::vector<TypeId>& ids, Connection& connection, const SourceSpec& source,
                           const Watch& watch);

  std::mutex mutex_;
  std::map<TypeId, TypePointer> known_;
};

}  // namespace candor::engine::postgres
