// Names of sources: identifiers that every engine takes without quotes.
#include "config/source_names.h"

#include <algorithm>
#include <filesystem>
#include <span>
#include <system_error>

#include "base/ascii.h"

namespace candor::config {
namespace {

constexpr std::string_view kOwnNames[] = {"main", "memory", "scratch", "system", "temp"};

// Reserved by DuckDB, or by SQLite at the place of a table's name.
constexpr std::string_view kReserved[] = {
    "add",       "all",        "alter",      "analyse",    "analyze",   "and",         "any",     "array",
    "as",        "asc",        "asymmetric", "between",    "both",      "case",        "cast",    "check",
    "collate",   "column",     "commit",     "constraint", "create",    "default",     "delete",  "desc",
    "describe",  "distinct",   "do",         "drop",       "else",      "end",         "escape",  "except",
    "exists",    "false",      "fetch",      "for",        "foreign",   "from",        "group",   "having",
    "in",        "index",      "initially",  "insert",     "intersect", "into",        "is",      "isnull",
    "join",      "lambda",     "lateral",    "leading",    "limit",     "not",         "notnull", "null",
    "offset",    "on",         "only",       "or",         "order",     "pivot",       "placing", "primary",
    "qualify",   "references", "returning",  "select",     "set",       "show",        "some",    "summarize",
    "symmetric", "table",      "then",       "to",         "trailing",  "transaction", "true",    "union",
    "unique",    "unpivot",    "update",     "using",      "values",    "variadic",    "when",    "where",
    "window",    "with"};

bool letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool digit(char c) { return c >= '0' && c <= '9'; }

bool among(std::string_view name, std::span<const std::string_view> names) {
  return std::ranges::any_of(names, [&](std::string_view other) { return same_name(name, other); });
}

bool plain(std::string_view name) {
  return !name.empty() && letter(name.front()) &&
         std::ranges::all_of(name, [](char c) { return letter(c) || digit(c); });
}

// The part of a path or URL after which the source is called.
std::string stem_of(std::string_view spec) {
  if (is_url(spec)) {
    spec = spec.substr(0, spec.find_first_of("?#"));
    spec = spec.substr(spec.find("://") + 3);
    const std::size_t slash = spec.rfind('/');
    return std::string(slash == std::string_view::npos ? spec : spec.substr(slash + 1));
  }
  std::error_code ignored;
  std::filesystem::path path = std::filesystem::absolute(std::filesystem::path(spec), ignored).lexically_normal();
  if (!path.has_filename()) path = path.parent_path();
  std::string name = path.filename().string();
  if (!std::filesystem::is_directory(path, ignored)) {
    if (const std::size_t dot = name.find('.', 1); dot != std::string::npos) name.resize(dot);
  }
  return name;
}

}  // namespace

bool is_url(std::string_view spec) {
  const std::size_t colon = spec.find("://");
  return colon != std::string_view::npos && colon > 0 &&
         std::ranges::all_of(spec.substr(0, colon), [](char c) { return letter(c) || digit(c) || c == '+'; });
}

bool is_postgres_url(std::string_view spec) {
  return spec.starts_with("postgresql://") || spec.starts_with("postgres://");
}

std::string identifier_fault(std::string_view name) {
  if (!plain(name)) return "must begin with a letter and hold only letters, digits and _";
  if (name.size() > kIdentifierMax) return "is longer than " + std::to_string(kIdentifierMax) + " characters";
  return {};
}

std::string source_name_fault(std::string_view name) {
  if (std::string why = identifier_fault(name); !why.empty()) return why;
  if (among(name, kOwnNames)) return "is a name that candor or the engine uses itself";
  if (among(name, kReserved)) return "is a word of SQL";
  return {};
}

std::string identifier_from(std::string_view text, std::string_view otherwise) {
  std::string name;
  for (const char c : text) {
    if (letter(c) || digit(c)) {
      name += c;
    } else if (!name.empty() && name.back() != '_') {
      name += '_';
    }
  }
  while (!name.empty() && name.back() == '_') name.pop_back();
  if (name.empty()) name = otherwise;
  if (digit(name.front())) name.insert(0, 1, '_');
  name.resize(std::min(name.size(), kIdentifierMax - 8));
  return name;
}

std::string name_for(std::string_view spec, const std::function<bool(std::string_view)>& taken) {
  std::string name = identifier_from(stem_of(spec), "data");
  if (!source_name_fault(name).empty()) name += "_data";
  const std::string first = name;
  for (int number = 2; taken(name); ++number) name = first + '_' + std::to_string(number);
  return name;
}

std::string shown_spec(std::string_view spec) {
  const std::size_t scheme = spec.find("://");
  if (scheme == std::string_view::npos) return std::string(spec);
  const std::size_t host = scheme + 3;
  const std::size_t question = spec.find('?', host);
  const std::string_view place = spec.substr(host, question == std::string_view::npos ? question : question - host);
  // A password may hold a slash that should have been escaped: the last @ ends it.
  const std::size_t at = place.rfind('@');
  std::string shown(spec.substr(0, host));
  shown += at == std::string_view::npos ? std::string(place) : "…" + std::string(place.substr(at));
  return shown + (question == std::string_view::npos ? "" : "?…");
}

}  // namespace candor::config
