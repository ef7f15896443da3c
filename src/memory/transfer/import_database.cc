// A database of sqlite-graphrag. Its tables have fewer columns in older versions: what is not there is read as NULL.
#include <algorithm>
#include <filesystem>
#include <optional>
#include <sys/stat.h>
#include <system_error>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/render_json.h"
#include "memory/memory.h"
#include "memory/store/graph.h"
#include "memory/store/memories.h"
#include "memory/store/names.h"
#include "memory/transfer/readers.h"

namespace candor::memory {
namespace {

namespace fs = std::filesystem;
using json::Node;

bool has_log(const std::string& path) {
  struct stat about{};
  return ::stat((path + "-wal").c_str(), &about) == 0 && about.st_size > 0;
}

// The file as it is, or a copy of it beside the memory where its log has writes that it lacks: reading them in place would
// change the file.
class Source {
 public:
  Source(std::string path, const std::string& beside) : path_(std::move(path)), copy_(beside + ".import") {}
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;
  ~Source() {
    std::error_code ignored;
    for (const char* end : {"", "-wal", "-shm"}) fs::remove(copy_ + end, ignored);
  }
  [[nodiscard]] Result<sqlite::Database> open() const {
    if (!has_log(path_)) {
      std::string uri = "file:";
      for (const char c : path_) uri += c == '?' ? "%3f" : c == '#' ? "%23" : c == '%' ? "%25" : std::string(1, c);
      return sqlite::Database::open(uri + "?immutable=1", {.mode = sqlite::OpenMode::kReadOnly, .uri = true});
    }
    std::error_code failure;
    for (const char* end : {"", "-wal"}) {
      fs::copy_file(path_ + end, copy_ + end, fs::copy_options::overwrite_existing, failure);
      if (failure) return make_error("file-error", path_ + end + ": " + failure.message());
    }
    return sqlite::Database::open(copy_, {.mode = sqlite::OpenMode::kReadWrite});
  }

 private:
  std::string path_, copy_;
};

std::string text_at(const sqlite::Statement& at, int column) { return std::string(at.text(column)); }

// Texts of another program: broken ones end the import, for nothing may be replaced in silence.
Result<std::string> clean_text(const sqlite::Statement& at, int column) {
  std::string text = text_at(at, column);
  if (!is_utf8(text)) return make_error("invalid-text", "a text of the file is not valid UTF-8");
  return text;
}

class DatabaseImport {
 public:
  DatabaseImport(Store& store, const Import& input, sqlite::Database& from)
      : store_(store), input_(input), from_(from) {}

  Status run() {
    CANDOR_TRY(memories());
    CANDOR_TRY(versions());
    CANDOR_TRY(entities());
    CANDOR_TRY(relations());
    CANDOR_TRY(bindings("memory_entities", "entity_id", entities_));
    return bindings("memory_relationships", "relationship_id", relations_);
  }

  Tally tally;

 private:
  using Ids = std::unordered_map<std::int64_t, std::int64_t>;

  // A SELECT of the columns, NULL for each that the table lacks. Empty: there is no such table.
  Result<std::optional<sqlite::Statement>> select(const std::string& table, const std::vector<std::string>& columns,
                                                  const std::string& order) {
    CANDOR_ASSIGN(sqlite::Statement known, from_.prepare("SELECT name FROM pragma_table_info(?1)"));
    CANDOR_TRY(known.bind_text(1, table));
    std::vector<std::string> there;
    for (;;) {
      CANDOR_ASSIGN(const bool more, known.step());
      if (!more) break;
      there.push_back(text_at(known, 0));
    }
    if (there.empty()) return std::optional<sqlite::Statement>();
    std::string list;
    for (const std::string& column : columns) {
      const bool has = std::ranges::find(there, column) != there.end();
      list += (list.empty() ? "" : ", ") + (has ? sqlite::quote_identifier(column) : std::string("NULL"));
    }
    const bool spaced = std::ranges::find(there, "namespace") != there.end();
    const bool narrowed = spaced && input_.space_given;
    std::string where;
    if (narrowed) where = " WHERE namespace = " + sqlite::quote_text(input_.space);
    CANDOR_ASSIGN(sqlite::Statement statement,
                  from_.prepare("SELECT " + list + " FROM " + table + where + " ORDER BY " + order));
    return std::optional<sqlite::Statement>(std::move(statement));
  }

  Status memories() {
    CANDOR_ASSIGN(std::optional<sqlite::Statement> rows,
                  select("memories",
                         {"id", "namespace", "name", "type", "description", "body", "session_id", "source", "metadata",
                          "deleted_at", "created_at", "updated_at"},
                         "updated_at, id"));
    if (!rows) return Ok{};
    for (;;) {
      CANDOR_ASSIGN(const bool more, rows->step());
      if (!more) return Ok{};
      CANDOR_TRY(memory(*rows));
    }
  }

  Result<MemoryRow> row_of(const sqlite::Statement& at) {
    MemoryRow row;
    CANDOR_ASSIGN(row.space, namespace_name(at.is_null(1) ? "global" : at.text(1)));
    CANDOR_ASSIGN(row.name, clean_text(at, 2));
    Result<std::string> type = memory_type(at.text(3));
    if (!type.ok()) ++tally.warnings["memory types that became 'note'"];
    row.type = type.ok() ? *type : "note";
    CANDOR_ASSIGN(row.description, clean_text(at, 4));
    CANDOR_ASSIGN(row.body, clean_text(at, 5));
    if (!at.is_null(6)) {
      CANDOR_ASSIGN(row.session_id, clean_text(at, 6));
    }
    row.source = check_source(at.text(7)).ok() ? text_at(at, 7) : "import";
    row.metadata = metadata(at, 8);
    return row;
  }

  Status memory(const sqlite::Statement& at) {
    CANDOR_ASSIGN(MemoryRow row, row_of(at));
    CANDOR_ASSIGN(const std::optional<MemoryRow> there, find_memory(store_, row.space, row.name));
    if (there && input_.skip_existing) {
      ++tally.skipped;
      return Ok{};
    }
    if (there) {
      return make_error("duplicate", "there is a memory '" + row.name + "' in namespace " + row.space + " already",
                        "--skip-existing passes over names that are there");
    }
    CANDOR_TRY(create_memory(store_, row, {"import_merge", {}, {}}));
    CANDOR_TRY(
        store_.sql().execute("UPDATE memories SET created_at = ?2, updated_at = ?3, deleted_at = ?4 WHERE id = ?1",
                             row.id, at.integer(10), at.integer(11), number(at, 9)));
    ++tally.memories;
    tally.deleted += at.is_null(9) ? 0 : 1;
    memories_[at.integer(0)] = row.id;
    return Ok{};
  }

  static std::optional<std::int64_t> number(const sqlite::Statement& at, int column) {
    if (at.is_null(column)) return std::nullopt;
    return at.integer(column);
  }

  std::string metadata(const sqlite::Statement& at, int column) {
    const Result<Node> node = json::parse(at.is_null(column) ? "{}" : at.text(column));
    if (node.ok() && node->is_object()) return json::dump(*node);
    ++tally.warnings["metadata that were no JSON objects and are left out"];
    return "{}";
  }

  // The versions of the file take the place of the one that an import makes.
  Status versions() {
    CANDOR_ASSIGN(std::optional<sqlite::Statement> rows,
                  select("memory_versions",
                         {"memory_id", "version", "name", "type", "description", "body", "metadata", "changed_by",
                          "change_reason", "created_at"},
                         "memory_id, version"));
    std::int64_t before = -1;
    for (;;) {
      if (!rows) return Ok{};
      CANDOR_ASSIGN(const bool more, rows->step());
      if (!more) return Ok{};
      const auto memory = memories_.find(rows->integer(0));
      if (memory == memories_.end()) continue;
      if (rows->integer(0) != before) {
        CANDOR_TRY(store_.sql().execute("DELETE FROM memory_versions WHERE memory_id = ?1", memory->second));
      }
      before = rows->integer(0);
      CANDOR_TRY(version(*rows, memory->second));
    }
  }

  Status version(const sqlite::Statement& at, std::int64_t memory) {
    CANDOR_ASSIGN(const std::string description, clean_text(at, 4));
    CANDOR_ASSIGN(const std::string body, clean_text(at, 5));
    CANDOR_ASSIGN(const std::string name, clean_text(at, 2));
    std::string reason = text_at(at, 8);
    constexpr std::string_view kReasons[] = {"create", "edit", "rename", "dedup_merge", "restore", "import_merge"};
    if (std::ranges::find(kReasons, reason) == std::end(kReasons)) reason = "import_merge";
    std::optional<std::string> by;
    if (!at.is_null(7)) {
      CANDOR_ASSIGN(by, clean_text(at, 7));
    }
    CANDOR_TRY(store_.sql().execute(
        "INSERT INTO memory_versions (memory_id, version, name, type, change_reason, changed_by, created_at, "
        "description, "
        "metadata, body) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
        memory, at.integer(1), name, at.text(3), reason, by, at.integer(9), description, metadata(at, 6), body));
    ++tally.versions;
    return store_.sql().execute("UPDATE memories SET version = max(version, ?2) WHERE id = ?1", memory, at.integer(1));
  }

  Status entities() {
    CANDOR_ASSIGN(std::optional<sqlite::Statement> rows,
                  select("entities", {"id", "namespace", "name", "type", "description", "aliases", "metadata"}, "id"));
    for (;;) {
      if (!rows) return Ok{};
      CANDOR_ASSIGN(const bool more, rows->step());
      if (!more) return Ok{};
      EntityInput input;
      CANDOR_ASSIGN(input.name, clean_text(*rows, 2));
      Result<std::string> type = entity_type(rows->text(3));
      if (!type.ok()) ++tally.warnings["entity types that became 'concept'"];
      input.type = type.ok() ? *type : "concept";
      if (!rows->is_null(4)) {
        CANDOR_ASSIGN(input.description, clean_text(*rows, 4));
      }
      const std::string space = rows->is_null(1) ? "global" : text_at(*rows, 1);
      const Result<Upserted> made = upsert_entity(store_, space, input);
      if (!made.ok() && made.error().code != "invalid-name") return made.error();
      if (!made.ok()) {
        ++tally.warnings["entities whose names can't be names here, left out with their relations"];
        continue;
      }
      entities_[rows->integer(0)] = made->id;
      tally.entities += made->created ? 1 : 0;
      CANDOR_TRY(store_.sql().execute(
          "UPDATE entities SET aliases = coalesce(?2, aliases), metadata = ?3 WHERE id = ?1", made->id,
          rows->is_null(5) ? std::nullopt : std::optional(text_at(*rows, 5)), metadata(*rows, 6)));
    }
  }

  Status relations() {
    CANDOR_ASSIGN(std::optional<sqlite::Statement> rows,
                  select("relationships",
                         {"id", "namespace", "source_id", "target_id", "relation", "weight", "description"}, "id"));
    for (;;) {
      if (!rows) return Ok{};
      CANDOR_ASSIGN(const bool more, rows->step());
      if (!more) return Ok{};
      const auto source = entities_.find(rows->integer(2));
      const auto target = entities_.find(rows->integer(3));
      if (source == entities_.end() || target == entities_.end()) continue;
      std::optional<std::string> description;
      if (!rows->is_null(6)) {
        CANDOR_ASSIGN(description, clean_text(*rows, 6));
      }
      Result<std::string> relation = relation_name(rows->text(4));
      if (!relation.ok()) ++tally.warnings["relations whose name became 'related'"];
      const std::string space = rows->is_null(1) ? "global" : text_at(*rows, 1);
      const double weight = rows->is_null(5) ? kDefaultWeight : std::clamp(rows->real(5), 0.0, 1.0);
      CANDOR_ASSIGN(const Edge edge, upsert_relation(store_, space, source->second, target->second,
                                                     relation.ok() ? *relation : "related", weight, description));
      relations_[rows->integer(0)] = edge.id;
      tally.relationships += edge.created ? 1 : 0;
    }
  }

  Status bindings(const std::string& table, const std::string& column, const Ids& ids) {
    CANDOR_ASSIGN(std::optional<sqlite::Statement> rows, select(table, {"memory_id", column}, "memory_id, " + column));
    if (!rows) return Ok{};
    CANDOR_ASSIGN(sqlite::Statement insert,
                  store_.database().prepare("INSERT OR IGNORE INTO " + table + " VALUES (?1, ?2)"));
    for (;;) {
      CANDOR_ASSIGN(const bool more, rows->step());
      if (!more) return Ok{};
      const auto memory = memories_.find(rows->integer(0));
      const auto other = ids.find(rows->integer(1));
      if (memory == memories_.end() || other == ids.end()) continue;
      insert.reset();
      CANDOR_TRY(insert.bind_integer(1, memory->second));
      CANDOR_TRY(insert.bind_integer(2, other->second));
      CANDOR_TRY(insert.step());
      ++tally.bindings;
    }
  }

  Store& store_;
  const Import& input_;
  sqlite::Database& from_;
  Ids memories_, entities_, relations_;
};

// That it is a database of that program and not of this one, or of any other.
Status recognise_source(sqlite::Database& from, const std::string& path) {
  Result<sqlite::Statement> tables = from.prepare(
      "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name IN ('memories', 'memory_versions', "
      "'entities', 'relationships', 'memory_entities')");
  if (!tables.ok()) return make_error("file-error", path + ": " + tables.error().message);
  const Result<bool> row = tables->step();
  if (!row.ok()) return make_error("file-error", path + ": " + row.error().message);
  if (tables->integer(0) == 5) return Ok{};
  return make_error("file-error", path + " is no memory of sqlite-graphrag",
                    "a database with the tables memories, memory_versions, entities and relationships");
}

}  // namespace

Result<Node> import_database(Store& store, const Import& input) {
  const Source source(input.from, store.path());
  CANDOR_ASSIGN(sqlite::Database from, source.open());
  CANDOR_TRY(recognise_source(from, input.from));
  DatabaseImport import(store, input, from);
  const Status done = import.run();
  if (!done.ok()) return done.error();
  return document_of(import.tally, input, "sqlite-graphrag");
}

}  // namespace candor::memory
