// Packing vectors into segments, and taking them out again.
#include "memory/vectors/vector_tables.h"

#include <unordered_set>
#include <utility>
#include <vector>

#include "memory/vectors/segment.h"

namespace candor::memory {
namespace {

// A vector noted as unpacked is read from memory_embeddings, and what a segment still says of it is passed over.
constexpr std::string_view kTables = R"sql(
  CREATE TABLE vector_segments (
    id INTEGER PRIMARY KEY,
    embedder INTEGER NOT NULL REFERENCES embedders (id) ON DELETE CASCADE,
    ids BLOB NOT NULL,     -- int64 a row; 0: taken out
    scales BLOB NOT NULL,  -- two float32 a row: scale, length of what is lost
    codes BLOB NOT NULL    -- dim bytes a row
  );
  CREATE INDEX vector_segments_by_embedder ON vector_segments (embedder, id);
  CREATE TABLE vector_unpacked (
    embedder INTEGER NOT NULL, memory_id INTEGER NOT NULL, PRIMARY KEY (embedder, memory_id)
  ) WITHOUT ROWID;
  CREATE TRIGGER memory_embeddings_in AFTER INSERT ON memory_embeddings BEGIN
    INSERT OR IGNORE INTO vector_unpacked VALUES (new.embedder, new.memory_id);
  END;
  CREATE TRIGGER memory_embeddings_out AFTER DELETE ON memory_embeddings BEGIN
    INSERT OR IGNORE INTO vector_unpacked VALUES (old.embedder, old.memory_id);
  END;
  CREATE TRIGGER memory_embeddings_anew AFTER UPDATE ON memory_embeddings BEGIN
    INSERT OR IGNORE INTO vector_unpacked VALUES (old.embedder, old.memory_id);
    INSERT OR IGNORE INTO vector_unpacked VALUES (new.embedder, new.memory_id);
  END;
  INSERT INTO vector_unpacked SELECT embedder, memory_id FROM memory_embeddings;
)sql";

Result<std::int64_t> number(sqlite::Database& database, std::string_view sql, std::int64_t parameter) {
  CANDOR_ASSIGN(sqlite::Statement statement, database.prepare(sql));
  CANDOR_TRY(statement.bind_integer(1, parameter));
  CANDOR_ASSIGN(const bool row, statement.step());
  return row ? statement.integer(0) : 0;
}

Result<std::vector<std::int64_t>> numbers(sqlite::Database& database, std::string_view sql, std::int64_t parameter) {
  std::vector<std::int64_t> found;
  CANDOR_ASSIGN(sqlite::Statement statement, database.prepare(sql));
  CANDOR_TRY(statement.bind_integer(1, parameter));
  while (true) {
    CANDOR_ASSIGN(const bool row, statement.step());
    if (!row) return found;
    found.push_back(statement.integer(0));
  }
}

class Packer {
 public:
  Packer(sqlite::Database& database, std::int64_t embedder, std::size_t dim)
      : database_(&database), embedder_(embedder), dim_(dim) {}

  // Rows of segments that are unpacked now or gone are taken out; segments that are half empty are dissolved.
  Status take_out(const std::unordered_set<std::int64_t>& stale, bool dissolve) {
    CANDOR_ASSIGN(const auto segments,
                  numbers(*database_, "SELECT id FROM vector_segments WHERE embedder = ?1", embedder_));
    for (const auto id : segments) CANDOR_TRY(take_out_of(id, stale, dissolve));
    return Ok{};
  }

  Status pack(const std::vector<std::int64_t>& ids) {
    CANDOR_ASSIGN(sqlite::Statement read,
                  database_->prepare("SELECT embedding FROM memory_embeddings WHERE memory_id = ?1 "
                                     "AND embedder = ?2"));
    CANDOR_ASSIGN(sqlite::Statement noted,
                  database_->prepare("DELETE FROM vector_unpacked WHERE embedder = ?1 AND memory_id = ?2"));
    SegmentWriter writer(dim_);
    for (const auto id : ids) {
      read.reset();
      CANDOR_TRY(read.bind_integer(1, id));
      CANDOR_TRY(read.bind_integer(2, embedder_));
      CANDOR_ASSIGN(const bool row, read.step());
      const auto vector = row ? read_vector(read.blob(0), dim_) : std::vector<float>();
      if (row && vector.empty()) continue;  // of another length than its embedder says: it stays noted
      if (row) writer.add(id, vector);
      noted.reset();
      CANDOR_TRY(noted.bind_integer(1, embedder_));
      CANDOR_TRY(noted.bind_integer(2, id));
      CANDOR_TRY(noted.step());
    }
    if (writer.rows() == 0) return Ok{};
    CANDOR_ASSIGN(sqlite::Statement insert,
                  database_->prepare("INSERT INTO vector_segments (embedder, ids, scales, codes) "
                                     "VALUES (?1, ?2, ?3, ?4)"));
    CANDOR_TRY(insert.bind_integer(1, embedder_));
    CANDOR_TRY(insert.bind_blob(2, writer.ids()));
    CANDOR_TRY(insert.bind_blob(3, writer.scales()));
    CANDOR_TRY(insert.bind_blob(4, writer.codes()));
    CANDOR_TRY(insert.step());
    return Ok{};
  }

 private:
  Status take_out_of(std::int64_t id, const std::unordered_set<std::int64_t>& stale, bool dissolve) {
    CANDOR_ASSIGN(sqlite::Statement read,
                  database_->prepare("SELECT ids, scales, codes FROM vector_segments WHERE id = ?1"));
    CANDOR_TRY(read.bind_integer(1, id));
    CANDOR_ASSIGN(const bool row, read.step());
    if (!row) return Ok{};
    std::string ids(read.blob(0)), scales(read.blob(1)), codes(read.blob(2));
    auto* values = reinterpret_cast<std::int64_t*>(ids.data());
    const auto rows = ids.size() / sizeof(std::int64_t);
    // Blobs that do not fit each other say nothing: the vectors are packed anew.
    if (scales.size() != rows * sizeof(QuantisedRow) || codes.size() != rows * dim_) {
      return drop(id, {values, values + rows});  // a 0 among them is passed over as gone
    }
    std::size_t live = 0;
    bool changed = false;
    std::vector<std::int64_t> kept;
    for (std::size_t i = 0; i < rows; ++i) {
      if (values[i] != 0 && stale.contains(values[i])) {
        values[i] = 0;
        scales.replace(i * sizeof(QuantisedRow), sizeof(QuantisedRow), sizeof(QuantisedRow), '\0');
        codes.replace(i * dim_, dim_, dim_, '\0');
        changed = true;
      }
      if (values[i] == 0) continue;
      ++live;
      kept.push_back(values[i]);
    }
    read.reset();
    if (live == 0 || (dissolve && live * 2 < static_cast<std::size_t>(kSegmentRows))) return drop(id, kept);
    return changed ? write(id, ids, scales, codes) : Status(Ok{});
  }

  Status write(std::int64_t id, const std::string& ids, const std::string& scales, const std::string& codes) {
    CANDOR_ASSIGN(sqlite::Statement update,
                  database_->prepare("UPDATE vector_segments SET ids = ?2, scales = ?3, codes = ?4 WHERE id = ?1"));
    CANDOR_TRY(update.bind_integer(1, id));
    CANDOR_TRY(update.bind_blob(2, ids));
    CANDOR_TRY(update.bind_blob(3, scales));
    CANDOR_TRY(update.bind_blob(4, codes));
    CANDOR_TRY(update.step());
    return Ok{};
  }

  // What it still held is packed with the rest.
  Status drop(std::int64_t id, const std::vector<std::int64_t>& kept) {
    CANDOR_ASSIGN(sqlite::Statement note, database_->prepare("INSERT OR IGNORE INTO vector_unpacked VALUES (?1, ?2)"));
    for (const auto memory : kept) {
      note.reset();
      CANDOR_TRY(note.bind_integer(1, embedder_));
      CANDOR_TRY(note.bind_integer(2, memory));
      CANDOR_TRY(note.step());
    }
    CANDOR_ASSIGN(sqlite::Statement gone, database_->prepare("DELETE FROM vector_segments WHERE id = ?1"));
    CANDOR_TRY(gone.bind_integer(1, id));
    CANDOR_TRY(gone.step());
    return Ok{};
  }

  sqlite::Database* database_;
  std::int64_t embedder_;
  std::size_t dim_;
};

constexpr std::string_view kUnpacked = "SELECT memory_id FROM vector_unpacked WHERE embedder = ?1 ORDER BY memory_id";

}  // namespace

Status create_vector_segments(sqlite::Database& database) { return database.run(kTables); }

Status pack_vectors(sqlite::Database& database, std::int64_t embedder, bool all) {
  CANDOR_ASSIGN(const auto waiting,
                number(database,
                       "SELECT count(*) FROM (SELECT 1 FROM vector_unpacked WHERE embedder = ?1 LIMIT " +
                           std::to_string(kSegmentRows) + ")",
                       embedder));
  if (waiting == 0 || (waiting < kSegmentRows && !all)) return Ok{};
  CANDOR_ASSIGN(const auto dim, number(database, "SELECT dim FROM embedders WHERE id = ?1", embedder));
  Packer packer(database, embedder, static_cast<std::size_t>(dim));
  CANDOR_ASSIGN(auto ids, numbers(database, kUnpacked, embedder));
  CANDOR_TRY(packer.take_out({ids.begin(), ids.end()}, all));
  CANDOR_ASSIGN(ids, numbers(database, kUnpacked, embedder));
  for (std::size_t from = 0; from < ids.size(); from += static_cast<std::size_t>(kSegmentRows)) {
    const auto to = std::min(ids.size(), from + static_cast<std::size_t>(kSegmentRows));
    if (!all && to - from < static_cast<std::size_t>(kSegmentRows)) break;
    CANDOR_TRY(
        packer.pack({ids.begin() + static_cast<std::ptrdiff_t>(from), ids.begin() + static_cast<std::ptrdiff_t>(to)}));
  }
  return Ok{};
}

Status visit_vectors(sqlite::Database& database, std::int64_t embedder, const UnpackedVisitor& unpacked,
                     const SegmentVisitor& segment) {
  CANDOR_ASSIGN(
      sqlite::Statement rows,
      database.prepare("SELECT u.memory_id, e.embedding FROM vector_unpacked u LEFT JOIN memory_embeddings e ON "
                       "e.memory_id = u.memory_id AND e.embedder = u.embedder WHERE u.embedder = ?1 ORDER BY 1"));
  CANDOR_TRY(rows.bind_integer(1, embedder));
  for (;;) {
    CANDOR_ASSIGN(const bool row, rows.step());
    if (!row) break;
    unpacked(rows.integer(0), rows.is_null(1) ? std::string_view() : rows.blob(1));
  }
  CANDOR_ASSIGN(sqlite::Statement segments,
                database.prepare("SELECT ids, scales, codes FROM vector_segments WHERE embedder = ?1 ORDER BY id"));
  CANDOR_TRY(segments.bind_integer(1, embedder));
  for (;;) {
    CANDOR_ASSIGN(const bool row, segments.step());
    if (!row) return Ok{};
    segment(segments.blob(0), segments.blob(1), segments.blob(2));
  }
}

Status scrub_vectors(sqlite::Database& database) {
  CANDOR_ASSIGN(const auto embedders, numbers(database, "SELECT DISTINCT embedder FROM vector_unpacked WHERE ?1", 1));
  for (const auto embedder : embedders) {
    CANDOR_ASSIGN(const auto dim, number(database, "SELECT dim FROM embedders WHERE id = ?1", embedder));
    CANDOR_ASSIGN(const auto ids, numbers(database, kUnpacked, embedder));
    CANDOR_TRY(Packer(database, embedder, static_cast<std::size_t>(dim)).take_out({ids.begin(), ids.end()}, false));
  }
  return Ok{};
}

}  // namespace candor::memory
