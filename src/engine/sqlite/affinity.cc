// Types of columns.
#include "engine/sqlite/affinity.h"

#include <algorithm>
#include <cctype>

#include "base/render_json.h"
#include "base/value.h"

namespace candor::engine::sqlite {

Affinity affinity_of(std::string_view declared_type) {
  std::string upper(declared_type);
  std::ranges::transform(upper, upper.begin(),
                         [](unsigned char byte) { return static_cast<char>(std::toupper(byte)); });
  const auto has = [&](std::string_view part) { return upper.find(part) != std::string::npos; };
  if (has("INT")) return Affinity::kInteger;
  if (has("CHAR") || has("CLOB") || has("TEXT")) return Affinity::kText;
  if (has("BLOB") || upper.empty()) return Affinity::kBlob;
  if (has("REAL") || has("FLOA") || has("DOUB")) return Affinity::kReal;
  return Affinity::kNumeric;
}

std::string exact_type_of(Affinity affinity) {
  switch (affinity) {
    case Affinity::kInteger:
      return "BIGINT";
    case Affinity::kReal:
      return "DOUBLE";
    case Affinity::kNumeric:
    case Affinity::kText:
    case Affinity::kBlob:
      break;
  }
  return "VARCHAR";
}

std::string storage_type(const StorageSeen& seen) {
  if (static_cast<int>(seen.integer) + static_cast<int>(seen.real) + static_cast<int>(seen.text) +
          static_cast<int>(seen.blob) !=
      1) {
    return "ANY";
  }
  if (seen.integer) return "INTEGER";
  if (seen.real) return "REAL";
  return seen.text ? "TEXT" : "BLOB";
}

// render_json.h has the alphabet: the text between the quotes of {"base64":"…","bytes":n}.
std::string base64(std::string_view bytes) {
  std::string cell;
  CellWriter(cell).text(CellKind::kBlob, bytes);
  CellReader reader(cell);
  std::string json;
  append_json(json, reader);
  constexpr std::string_view kBefore = R"({"base64":")";
  return json.substr(kBefore.size(), (bytes.size() + 2) / 3 * 4);
}

}  // namespace candor::engine::sqlite
