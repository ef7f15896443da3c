// The statements that make, fill, check and clean the text tables.
#include "memory/text/text_tables.h"

namespace candor::memory {
namespace {

// 'delete' wants the values as they were put in, so the triggers hold the only places that write here.
constexpr std::string_view kMemoryText = R"sql(
  CREATE VIRTUAL TABLE fts_memories USING fts5(name, description, body, content='memories', content_rowid='id',
                                               tokenize='candor');
  CREATE TRIGGER memories_text_in AFTER INSERT ON memories WHEN new.deleted_at IS NULL BEGIN
    INSERT INTO fts_memories (rowid, name, description, body) VALUES (new.id, new.name, new.description, new.body);
  END;
  CREATE TRIGGER memories_text_out AFTER DELETE ON memories WHEN old.deleted_at IS NULL BEGIN
    INSERT INTO fts_memories (fts_memories, rowid, name, description, body)
    VALUES ('delete', old.id, old.name, old.description, old.body);
  END;
  CREATE TRIGGER memories_text_anew AFTER UPDATE OF name, description, body, deleted_at ON memories
  WHEN old.name IS NOT new.name OR old.description IS NOT new.description OR old.body IS NOT new.body
    OR (old.deleted_at IS NULL) IS NOT (new.deleted_at IS NULL) BEGIN
    INSERT INTO fts_memories (fts_memories, rowid, name, description, body)
    SELECT 'delete', old.id, old.name, old.description, old.body WHERE old.deleted_at IS NULL;
    INSERT INTO fts_memories (rowid, name, description, body)
    SELECT new.id, new.name, new.description, new.body WHERE new.deleted_at IS NULL;
  END;
)sql";

constexpr std::string_view kChunkText = R"sql(
  CREATE VIRTUAL TABLE fts_chunks USING fts5(chunk_text, content='memory_chunks', content_rowid='id', tokenize='candor');
  CREATE TRIGGER memory_chunks_text_in AFTER INSERT ON memory_chunks BEGIN
    INSERT INTO fts_chunks (rowid, chunk_text) VALUES (new.id, new.chunk_text);
  END;
  CREATE TRIGGER memory_chunks_text_out AFTER DELETE ON memory_chunks BEGIN
    INSERT INTO fts_chunks (fts_chunks, rowid, chunk_text) VALUES ('delete', old.id, old.chunk_text);
  END;
  CREATE TRIGGER memory_chunks_text_anew AFTER UPDATE OF chunk_text ON memory_chunks BEGIN
    INSERT INTO fts_chunks (fts_chunks, rowid, chunk_text) VALUES ('delete', old.id, old.chunk_text);
    INSERT INTO fts_chunks (rowid, chunk_text) VALUES (new.id, new.chunk_text);
  END;
)sql";

// FTS5's own 'rebuild' would take the rows of deleted memories in.
constexpr std::string_view kFillMemories =
    "INSERT INTO fts_memories (rowid, name, description, body) "
    "SELECT id, name, description, body FROM memories WHERE deleted_at IS NULL ORDER BY id";
constexpr std::string_view kFillChunks =
    "INSERT INTO fts_chunks (rowid, chunk_text) SELECT id, chunk_text FROM memory_chunks ORDER BY id";

Result<std::int64_t> number(sqlite::Database& database, std::string_view sql) {
  CANDOR_ASSIGN(sqlite::Statement statement, database.prepare(sql));
  CANDOR_ASSIGN(const bool row, statement.step());
  return row ? statement.integer(0) : 0;
}

Result<bool> exists(sqlite::Database& database, std::string_view table) {
  CANDOR_ASSIGN(const auto count,
                number(database, "SELECT count(*) FROM sqlite_schema WHERE name = '" + std::string(table) + "'"));
  return count > 0;
}

// What FTS5 finds wrong. Fails where it could not look.
Result<std::optional<std::string>> fault_of(sqlite::Database& database, std::string_view check) {
  Status sound = database.run(check);
  if (sound.ok()) return std::optional<std::string>();
  const sqlite::Fault fault = database.fault();
  if (fault == sqlite::Fault::kCorrupt || fault == sqlite::Fault::kError) return std::optional(sound.error().message);
  return std::move(sound).error();
}

}  // namespace

Status create_memory_text(sqlite::Database& database) {
  CANDOR_TRY(database.run(kMemoryText));
  return database.run(kFillMemories);
}

Status create_chunk_text(sqlite::Database& database) {
  CANDOR_TRY(database.run(kChunkText));
  return database.run(kFillChunks);
}

Result<TextFacts> rebuild_text(sqlite::Database& database) {
  CANDOR_TRY(database.run("INSERT INTO fts_memories (fts_memories) VALUES ('delete-all')"));
  CANDOR_TRY(database.run(kFillMemories));
  CANDOR_TRY(database.run("INSERT INTO fts_memories (fts_memories) VALUES ('optimize')"));
  CANDOR_ASSIGN(const bool chunks, exists(database, "fts_chunks"));
  if (chunks) {
    CANDOR_TRY(database.run("INSERT INTO fts_chunks (fts_chunks) VALUES ('delete-all')"));
    CANDOR_TRY(database.run(kFillChunks));
    CANDOR_TRY(database.run("INSERT INTO fts_chunks (fts_chunks) VALUES ('optimize')"));
  }
  return text_facts(database);
}

Status scrub_text(sqlite::Database& database) {
  CANDOR_TRY(database.run("INSERT INTO fts_memories (fts_memories) VALUES ('optimize')"));
  CANDOR_ASSIGN(const bool chunks, exists(database, "fts_chunks"));
  if (!chunks) return Ok{};
  return database.run("INSERT INTO fts_chunks (fts_chunks) VALUES ('optimize')");
}

Result<std::optional<std::string>> check_text(sqlite::Database& database) {
  // Pieces are all in their index, so FTS5 itself can compare them; of memories only the live ones are.
  CANDOR_ASSIGN(const bool chunks, exists(database, "fts_chunks"));
  CANDOR_ASSIGN(std::optional<std::string> fault,
                fault_of(database, "INSERT INTO fts_memories (fts_memories) VALUES ('integrity-check')"));
  if (!fault && chunks) {
    CANDOR_ASSIGN(fault, fault_of(database, "INSERT INTO fts_chunks (fts_chunks, rank) VALUES ('integrity-check', 1)"));
  }
  if (fault) return fault;
  CANDOR_ASSIGN(const auto missing, number(database,
                                           "SELECT count(*) FROM memories WHERE deleted_at IS NULL AND id NOT IN "
                                           "(SELECT id FROM fts_memories_docsize)"));
  CANDOR_ASSIGN(const auto extra, number(database,
                                         "SELECT count(*) FROM fts_memories_docsize WHERE id NOT IN "
                                         "(SELECT id FROM memories WHERE deleted_at IS NULL)"));
  if (missing == 0 && extra == 0) return std::optional<std::string>();
  return std::optional(std::to_string(missing) + " live memories are not in the text index, " + std::to_string(extra) +
                       " that are not live are");
}

Result<TextFacts> text_facts(sqlite::Database& database) {
  TextFacts facts;
  CANDOR_ASSIGN(facts.rows, number(database, "SELECT count(*) FROM fts_memories_docsize"));
  CANDOR_ASSIGN(facts.pages, number(database, "SELECT count(*) FROM fts_memories_data"));
  CANDOR_ASSIGN(const bool chunks, exists(database, "fts_chunks"));
  if (!chunks) return facts;
  CANDOR_ASSIGN(facts.chunks, number(database, "SELECT count(*) FROM fts_chunks_docsize"));
  CANDOR_ASSIGN(const auto more, number(database, "SELECT count(*) FROM fts_chunks_data"));
  facts.pages += more;
  return facts;
}

}  // namespace candor::memory
