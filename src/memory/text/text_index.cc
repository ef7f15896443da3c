// What is read here of FTS5's tables is their documented part (sqlite.org/fts5.html: fts5vocab, the %_docsize table) and the
// record of averages, row 1 of %_data.
#include "memory/text/text_index.h"

#include <string_view>

namespace candor::memory {
namespace {

// SQLite's variable-length integers: seven bits a byte, all eight of the ninth.
std::uint64_t read_varint(std::string_view& bytes) {
  std::uint64_t value = 0;
  for (int i = 0; i < 9 && !bytes.empty(); ++i) {
    const auto byte = static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    if (i == 8) return (value << 8U) | byte;
    value = (value << 7U) | (byte & 0x7FU);
    if (byte < 0x80) break;
  }
  return value;
}

std::uint32_t total_length(std::string_view blob) {
  std::uint64_t sum = 0;
  while (!blob.empty()) sum += read_varint(blob);
  return static_cast<std::uint32_t>(sum);
}

}  // namespace

Result<TextIndex> TextIndex::open(sqlite::Database& database, const std::string& table) {
  TextIndex index(database);
  index.table_ = table;
  for (const char* kind : {"row", "instance"}) {
    CANDOR_TRY(database.run("CREATE VIRTUAL TABLE IF NOT EXISTS temp." + table + "_" + kind +
                            " USING fts5vocab('main', '" + table + "', '" + kind + "')"));
  }
  CANDOR_ASSIGN(index.documents_, database.prepare("SELECT doc FROM temp." + table + "_row WHERE term = ?1"));
  CANDOR_ASSIGN(index.instances_, database.prepare("SELECT doc FROM temp." + table + "_instance WHERE term = ?1"));
  CANDOR_ASSIGN(index.length_, database.prepare("SELECT sz FROM " + table + "_docsize WHERE id = ?1"));
  CANDOR_TRY(index.read_averages(table));
  return index;
}

Status TextIndex::read_averages(const std::string& table) {
  CANDOR_ASSIGN(sqlite::Statement statement, database_->prepare("SELECT block FROM " + table + "_data WHERE id = 1"));
  CANDOR_ASSIGN(const bool row, statement.step());
  if (!row) return Ok{};
  std::string_view block = statement.blob(0);
  rows_ = static_cast<std::int64_t>(read_varint(block));
  while (!block.empty()) terms_ += static_cast<std::int64_t>(read_varint(block));
  return Ok{};
}

double TextIndex::mean_length() const {
  return rows_ == 0 ? 1 : std::max(1.0, static_cast<double>(terms_) / static_cast<double>(rows_));
}

Result<std::int64_t> TextIndex::documents_with(const std::string& term) {
  documents_.reset();
  CANDOR_TRY(documents_.bind_text(1, term));
  CANDOR_ASSIGN(const bool row, documents_.step());
  const std::int64_t count = row ? documents_.integer(0) : 0;
  documents_.reset();
  return count;
}

Result<std::vector<Posting>> TextIndex::postings(const std::string& term) {
  std::vector<Posting> found;
  instances_.reset();
  CANDOR_TRY(instances_.bind_text(1, term));
  while (true) {
    CANDOR_ASSIGN(const bool row, instances_.step());
    if (!row) break;
    const auto id = instances_.integer(0);
    if (found.empty() || found.back().row != id) found.push_back({.row = id, .count = 0});
    ++found.back().count;
  }
  instances_.reset();
  return found;
}

Result<std::vector<std::uint32_t>> TextIndex::lengths(const std::vector<std::int64_t>& rows) {
  std::vector<std::uint32_t> lengths(rows.size(), 0);
  // Beyond a share of the rows it is quicker to read them all in their order.
  if (static_cast<std::int64_t>(rows.size()) * 6 > rows_) {
    CANDOR_ASSIGN(sqlite::Statement all, database_->prepare("SELECT id, sz FROM " + table_ + "_docsize"));
    std::size_t at = 0;
    while (at < rows.size()) {
      CANDOR_ASSIGN(const bool row, all.step());
      if (!row) break;
      const auto id = all.integer(0);
      while (at < rows.size() && rows[at] < id) ++at;
      if (at < rows.size() && rows[at] == id) lengths[at++] = total_length(all.blob(1));
    }
    return lengths;
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    length_.reset();
    CANDOR_TRY(length_.bind_integer(1, rows[i]));
    CANDOR_ASSIGN(const bool row, length_.step());
    if (row) lengths[i] = total_length(length_.blob(0));
  }
  length_.reset();
  return lengths;
}

}  // namespace candor::memory
