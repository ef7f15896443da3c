// Telling a source's kind by its first bytes.
#include "candor/sources.h"

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>

#include "config/source_names.h"

namespace candor {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSqliteMagic("SQLite format 3\0", 16);  // https://sqlite.org/fileformat.html, section 1.3
constexpr std::string_view kDuckdbMagic = "DUCK";                  // at byte 8, after the header's checksum
constexpr std::size_t kDuckdbMagicAt = 8;

bool ends_with_any(const std::string& path, std::initializer_list<std::string_view> endings) {
  for (const std::string_view ending : endings) {
    if (path.ends_with(ending)) return true;
  }
  return false;
}

Diagnostic no_database(const config::Source& source, std::string_view kind) {
  return make_error("file-error",
                    "source '" + source.name + "': " + source.spec + " is no " + std::string(kind) + " database",
                    "publish a file of that kind, or give a file of rows an ending that says what it is");
}

// What libpq takes from the environment. The worker that connects has none of it, so it is handed on by name.
constexpr std::string_view kPostgresVariables[] = {
    "PGHOST",           "PGHOSTADDR",   "PGPORT",        "PGDATABASE",        "PGUSER",
    "PGPASSWORD",       "PGPASSFILE",   "PGSERVICE",     "PGOPTIONS",         "PGSSLMODE",
    "PGSSLCERT",        "PGSSLKEY",     "PGSSLROOTCERT", "PGSSLCRL",          "PGREQUIREPEER",
    "PGCHANNELBINDING", "PGGSSENCMODE", "PGKRBSRVNAME",  "PGCONNECT_TIMEOUT", "PGTARGETSESSIONATTRS"};

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : value;
}

engine::SourceSpec postgres_source(const config::Source& source) {
  engine::SourceSpec spec;
  spec.name = source.name;
  spec.kind = engine::SourceKind::kPostgres;
  spec.path = source.spec;
  spec.unsafe_role = source.unsafe_role;
  for (const std::string_view name : kPostgresVariables) {
    const std::string value = environment(std::string(name).c_str());
    if (!value.empty()) spec.environment.push_back(std::string(name) + "=" + value);
  }
  const std::string home = environment("HOME");
  if (environment("PGPASSFILE").empty() && !home.empty()) {
    spec.environment.push_back("PGPASSFILE=" + home + "/.pgpass");
  }
  return spec;
}

}  // namespace

Result<engine::SourceSpec> recognise_source(const config::Source& source) {
  if (config::is_postgres_url(source.spec)) return postgres_source(source);
  if (config::is_url(source.spec)) {
    return make_error("not-in-this-version",
                      "source '" + source.name + "': " + config::shown_spec(source.spec) + " can't be published",
                      "publish a local file or folder: fetch the data first");
  }
  engine::SourceSpec spec;
  spec.name = source.name;
  spec.encoding = source.encoding;
  std::error_code failure;
  const fs::path real = fs::canonical(source.spec, failure);
  if (failure) {
    return make_error("file-error", "source '" + source.name + "': " + source.spec + ": " + failure.message(),
                      "check the path in the configuration or on the command line");
  }
  spec.path = real.string();
  if (fs::is_directory(real, failure)) return spec;
  // A pipe would wait for somebody to write into it, and a device may never end.
  if (!fs::is_regular_file(real, failure)) {
    return make_error("file-error", "source '" + source.name + "': " + source.spec + " is neither a file nor a folder",
                      "write the rows to a file and publish that");
  }
  std::ifstream file(real, std::ios::binary);
  std::array<char, 16> head{};
  if (!file) {
    return make_error("file-error", "source '" + source.name + "': " + source.spec + ": " + std::strerror(errno),
                      "make the file readable for this user");
  }
  file.read(head.data(), head.size());
  const std::string_view bytes(head.data(), static_cast<std::size_t>(file.gcount()));
  if (bytes == kSqliteMagic) {
    spec.kind = engine::SourceKind::kSqlite;
  } else if (bytes.size() >= kDuckdbMagicAt + kDuckdbMagic.size() &&
             bytes.substr(kDuckdbMagicAt, kDuckdbMagic.size()) == kDuckdbMagic) {
    spec.kind = engine::SourceKind::kDuckdb;
  } else if (ends_with_any(spec.path, {".duckdb", ".ddb"})) {
    return no_database(source, "DuckDB");
  } else if (ends_with_any(spec.path, {".sqlite", ".sqlite3", ".db", ".db3"})) {
    return no_database(source, "SQLite");
  }
  return spec;
}

}  // namespace candor
