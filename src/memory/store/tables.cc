// The statements that make version 1. Columns that lists read stand before the long ones, which then stay unread.
#include "memory/store/tables.h"

#include "memory/text/text_tables.h"
#include "memory/vectors/vector_tables.h"

namespace candor::memory {
namespace {

// `rev` rises with each write of the memory and never comes twice; times are seconds since 1970.
constexpr std::string_view kMemories = R"sql(
  CREATE TABLE schema_meta (key TEXT NOT NULL PRIMARY KEY, value TEXT NOT NULL);
  CREATE TABLE memory_rev (one INTEGER PRIMARY KEY CHECK (one = 1), rev INTEGER NOT NULL);
  INSERT INTO memory_rev VALUES (1, 0);

  CREATE TABLE memories (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    namespace TEXT NOT NULL DEFAULT 'global',
    name TEXT NOT NULL,
    type TEXT NOT NULL CHECK (type IN ('user', 'feedback', 'project', 'reference', 'decision', 'incident', 'skill',
                                       'document', 'note')),
    rev INTEGER NOT NULL,
    version INTEGER NOT NULL,
    deleted_at INTEGER,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    source TEXT NOT NULL DEFAULT 'agent' CHECK (source IN ('agent', 'user', 'system', 'import', 'sync')),
    session_id TEXT,
    body_hash TEXT NOT NULL,          -- SHA-256, hexadecimal
    body_length INTEGER NOT NULL,     -- bytes
    description TEXT NOT NULL,
    metadata TEXT NOT NULL DEFAULT '{}',
    body TEXT NOT NULL,
    UNIQUE (namespace, name)
  );
  CREATE UNIQUE INDEX memories_live ON memories (namespace, rev) WHERE deleted_at IS NULL;
  CREATE UNIQUE INDEX memories_live_by_type ON memories (namespace, type, rev) WHERE deleted_at IS NULL;
  CREATE INDEX memories_deleted ON memories (namespace, deleted_at) WHERE deleted_at IS NOT NULL;
  CREATE INDEX memories_by_hash ON memories (body_hash, namespace);

  CREATE TABLE memory_versions (
    id INTEGER PRIMARY KEY,
    memory_id INTEGER NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
    version INTEGER NOT NULL,
    name TEXT NOT NULL, type TEXT NOT NULL,
    change_reason TEXT NOT NULL CHECK (change_reason IN ('create', 'edit', 'rename', 'dedup_merge', 'restore',
                                                         'import_merge')),
    changed_by TEXT,
    created_at INTEGER NOT NULL,
    description TEXT NOT NULL,
    metadata TEXT NOT NULL,
    body TEXT NOT NULL,
    UNIQUE (memory_id, version)
  );

  CREATE TABLE memory_chunks (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    memory_id INTEGER NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
    chunk_idx INTEGER NOT NULL,
    start_offset INTEGER NOT NULL, end_offset INTEGER NOT NULL,  -- bytes of the body
    token_count INTEGER NOT NULL,
    chunk_text TEXT NOT NULL,
    UNIQUE (memory_id, chunk_idx)
  );

  CREATE TABLE memory_urls (
    id INTEGER PRIMARY KEY,
    memory_id INTEGER NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
    url TEXT NOT NULL CHECK (length(url) BETWEEN 10 AND 4096),
    url_offset INTEGER NOT NULL,
    UNIQUE (memory_id, url)
  );
)sql";

constexpr std::string_view kGraph = R"sql(
  CREATE TABLE entities (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    namespace TEXT NOT NULL DEFAULT 'global',
    name TEXT NOT NULL,               -- as it is shown: NFC
    key TEXT NOT NULL,                -- as it is compared: NFKC, case folded
    type TEXT NOT NULL CHECK (type IN ('project', 'tool', 'person', 'file', 'concept', 'incident', 'decision',
                                       'memory', 'dashboard', 'issue_tracker', 'organization', 'location', 'date')),
    degree INTEGER NOT NULL DEFAULT 0,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    description TEXT,
    aliases TEXT NOT NULL DEFAULT '[]',
    metadata TEXT NOT NULL DEFAULT '{}',
    UNIQUE (namespace, key)
  );
  CREATE INDEX entities_by_type ON entities (namespace, type, id);
  CREATE INDEX entities_by_degree ON entities (namespace, degree DESC, id);

  CREATE TABLE relationships (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    namespace TEXT NOT NULL DEFAULT 'global',
    source_id INTEGER NOT NULL REFERENCES entities (id) ON DELETE CASCADE,
    target_id INTEGER NOT NULL REFERENCES entities (id) ON DELETE CASCADE,
    relation TEXT NOT NULL,
    weight REAL NOT NULL DEFAULT 0.5 CHECK (weight BETWEEN 0 AND 1),
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    description TEXT,
    metadata TEXT NOT NULL DEFAULT '{}',
    UNIQUE (source_id, target_id, relation)
  );
  CREATE INDEX relationships_by_target ON relationships (target_id, source_id, relation);
  CREATE INDEX relationships_by_relation ON relationships (namespace, relation, id);

  CREATE TABLE memory_entities (
    memory_id INTEGER NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
    entity_id INTEGER NOT NULL REFERENCES entities (id) ON DELETE CASCADE,
    PRIMARY KEY (memory_id, entity_id)
  ) WITHOUT ROWID;
  CREATE INDEX memory_entities_by_entity ON memory_entities (entity_id, memory_id);

  CREATE TABLE memory_relationships (
    memory_id INTEGER NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
    relationship_id INTEGER NOT NULL REFERENCES relationships (id) ON DELETE CASCADE,
    PRIMARY KEY (memory_id, relationship_id)
  ) WITHOUT ROWID;
  CREATE INDEX memory_relationships_by_relationship ON memory_relationships (relationship_id, memory_id);
)sql";

// A vector names the model that made it, so that another model's is never compared with it.
constexpr std::string_view kVectors = R"sql(
  CREATE TABLE embedders (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL, version TEXT NOT NULL DEFAULT '', dim INTEGER NOT NULL, sha256 TEXT NOT NULL DEFAULT '',
    UNIQUE (name, version, dim, sha256)
  );
  CREATE TABLE memory_embeddings (
    memory_id INTEGER NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
    embedder INTEGER NOT NULL REFERENCES embedders (id),
    embedding BLOB NOT NULL,          -- float32, little endian
    PRIMARY KEY (memory_id, embedder)
  );
  CREATE TABLE entity_embeddings (
    entity_id INTEGER NOT NULL REFERENCES entities (id) ON DELETE CASCADE,
    embedder INTEGER NOT NULL REFERENCES embedders (id),
    embedding BLOB NOT NULL,
    PRIMARY KEY (entity_id, embedder)
  );
  CREATE TABLE chunk_embeddings (
    chunk_id INTEGER NOT NULL REFERENCES memory_chunks (id) ON DELETE CASCADE,
    embedder INTEGER NOT NULL REFERENCES embedders (id),
    embedding BLOB NOT NULL,
    PRIMARY KEY (chunk_id, embedder)
  );
)sql";

// Totals and degrees are kept by the file itself, so that no way of writing can forget them: counting a million rows would
// take longer than a page of them.
constexpr std::string_view kKept = R"sql(
  CREATE TABLE memory_counts (
    namespace TEXT NOT NULL, type TEXT NOT NULL, live INTEGER NOT NULL, deleted INTEGER NOT NULL,
    PRIMARY KEY (namespace, type)
  ) WITHOUT ROWID;
  CREATE TABLE entity_counts (
    namespace TEXT NOT NULL, type TEXT NOT NULL, entities INTEGER NOT NULL,
    PRIMARY KEY (namespace, type)
  ) WITHOUT ROWID;

  CREATE TRIGGER memories_counted_in AFTER INSERT ON memories BEGIN
    INSERT INTO memory_counts VALUES (new.namespace, new.type, new.deleted_at IS NULL, new.deleted_at IS NOT NULL)
    ON CONFLICT DO UPDATE SET live = live + excluded.live, deleted = deleted + excluded.deleted;
  END;
  CREATE TRIGGER memories_counted_out AFTER DELETE ON memories BEGIN
    UPDATE memory_counts SET live = live - (old.deleted_at IS NULL), deleted = deleted - (old.deleted_at IS NOT NULL)
    WHERE namespace = old.namespace AND type = old.type;
  END;
  CREATE TRIGGER memories_counted_anew AFTER UPDATE OF namespace, type, deleted_at ON memories BEGIN
    UPDATE memory_counts SET live = live - (old.deleted_at IS NULL), deleted = deleted - (old.deleted_at IS NOT NULL)
    WHERE namespace = old.namespace AND type = old.type;
    INSERT INTO memory_counts VALUES (new.namespace, new.type, new.deleted_at IS NULL, new.deleted_at IS NOT NULL)
    ON CONFLICT DO UPDATE SET live = live + excluded.live, deleted = deleted + excluded.deleted;
  END;

  CREATE TRIGGER entities_counted_in AFTER INSERT ON entities BEGIN
    INSERT INTO entity_counts VALUES (new.namespace, new.type, 1)
    ON CONFLICT DO UPDATE SET entities = entities + 1;
  END;
  CREATE TRIGGER entities_counted_out AFTER DELETE ON entities BEGIN
    UPDATE entity_counts SET entities = entities - 1 WHERE namespace = old.namespace AND type = old.type;
  END;
  CREATE TRIGGER entities_counted_anew AFTER UPDATE OF namespace, type ON entities BEGIN
    UPDATE entity_counts SET entities = entities - 1 WHERE namespace = old.namespace AND type = old.type;
    INSERT INTO entity_counts VALUES (new.namespace, new.type, 1)
    ON CONFLICT DO UPDATE SET entities = entities + 1;
  END;

  -- A loop is one edge of its entity: IN counts it once.
  CREATE TRIGGER relationships_in AFTER INSERT ON relationships BEGIN
    UPDATE entities SET degree = degree + 1 WHERE id IN (new.source_id, new.target_id);
  END;
  CREATE TRIGGER relationships_out AFTER DELETE ON relationships BEGIN
    UPDATE entities SET degree = degree - 1 WHERE id IN (old.source_id, old.target_id);
  END;
  CREATE TRIGGER relationships_moved AFTER UPDATE OF source_id, target_id ON relationships BEGIN
    UPDATE entities SET degree = degree - 1 WHERE id IN (old.source_id, old.target_id);
    UPDATE entities SET degree = degree + 1 WHERE id IN (new.source_id, new.target_id);
  END;
)sql";

}  // namespace

Status create_tables(sqlite::Database& database) {
  CANDOR_TRY(database.run(kMemories));
  CANDOR_TRY(database.run(kGraph));
  CANDOR_TRY(database.run(kVectors));
  CANDOR_TRY(database.run(kKept));
  return create_memory_text(database);
}

Status create_search_tables(sqlite::Database& database) {
  CANDOR_TRY(create_chunk_text(database));
  return create_vector_segments(database);
}

}  // namespace candor::memory
