// BM25 (Robertson and Zaragoza 2009, formula 3.15, with the idf that never falls below zero).
#include "memory/text/text_search.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "memory/text/text_index.h"

namespace candor::memory {
namespace {

constexpr double kK1 = 1.2, kB = 0.75;
constexpr double kPieceShare = 0.5;  // of a long memory's score that its best piece makes

double inverse_frequency(std::int64_t rows, std::int64_t holding) {
  const auto n = static_cast<double>(rows), df = static_cast<double>(holding);
  return std::log(1 + (std::max(0.0, n - df) + 0.5) / (df + 0.5));
}

// Rows that hold any of the group's terms; of the terms of one row the most frequent counts.
Result<std::vector<Posting>> postings_of(TextIndex& index, const TermGroup& group) {
  std::vector<Posting> all;
  for (const auto& term : group.terms) {
    CANDOR_ASSIGN(auto found, index.postings(term));
    if (all.empty()) {
      all = std::move(found);
      continue;
    }
    all.insert(all.end(), found.begin(), found.end());
    std::ranges::sort(
        all, [](const Posting& a, const Posting& b) { return a.row != b.row ? a.row < b.row : a.count > b.count; });
    const auto same = std::ranges::unique(all, {}, &Posting::row);
    all.erase(same.begin(), same.end());
  }
  return all;
}

struct Ranked {
  std::vector<std::int64_t> rows;  // rising
  std::vector<double> scores;
};

// `keep`: whether a row of the index is looked at.
template <typename Keep>
Result<Ranked> rank_rows(TextIndex& index, const TextQuery& query, std::int64_t rows_for_idf, const Keep& keep) {
  std::vector<std::vector<Posting>> lists;
  std::vector<double> idf;
  Ranked ranked;
  for (const auto& group : query.groups) {
    CANDOR_ASSIGN(auto found, postings_of(index, group));
    idf.push_back(group.weight * inverse_frequency(rows_for_idf, group.documents));
    std::erase_if(found, [&](const Posting& posting) { return !keep(posting.row); });
    for (const auto& posting : found) ranked.rows.push_back(posting.row);
    lists.push_back(std::move(found));
  }
  std::ranges::sort(ranked.rows);
  const auto same = std::ranges::unique(ranked.rows);
  ranked.rows.erase(same.begin(), same.end());
  CANDOR_ASSIGN(const auto lengths, index.lengths(ranked.rows));
  ranked.scores.assign(ranked.rows.size(), 0);
  for (std::size_t i = 0; i < lists.size(); ++i) {
    std::size_t at = 0;
    for (const auto& posting : lists[i]) {
      while (ranked.rows[at] < posting.row) ++at;
      const auto tf = static_cast<double>(posting.count);
      const auto norm = kK1 * (1 - kB + kB * static_cast<double>(lengths[at]) / index.mean_length());
      ranked.scores[at] += idf[i] * tf * (kK1 + 1) / (tf + norm);
    }
  }
  return ranked;
}

// The best piece of each memory that has pieces. Memories without are not in it.
Result<std::unordered_map<std::int64_t, double>> best_pieces(sqlite::Database& database, const TextQuery& query,
                                                             std::int64_t rows_for_idf, const Eligible& eligible) {
  std::unordered_map<std::int64_t, double> best;
  CANDOR_ASSIGN(TextIndex index, TextIndex::open(database, "fts_chunks"));
  if (index.rows() == 0) return best;
  CANDOR_ASSIGN(const auto ranked, rank_rows(index, query, rows_for_idf, [](std::int64_t) { return true; }));
  CANDOR_ASSIGN(sqlite::Statement owner, database.prepare("SELECT memory_id FROM memory_chunks WHERE id = ?1"));
  for (std::size_t i = 0; i < ranked.rows.size(); ++i) {
    owner.reset();
    CANDOR_TRY(owner.bind_integer(1, ranked.rows[i]));
    CANDOR_ASSIGN(const bool row, owner.step());
    if (!row || !eligible.has(owner.integer(0))) continue;
    auto& score = best[owner.integer(0)];
    score = std::max(score, ranked.scores[i]);
  }
  return best;
}

Result<TextQuery> query_for(TextIndex& index, std::string_view query) {
  return build_text_query(query, {.documents = index.rows(), .documents_with = [&](const std::string& term) {
                                    return index.documents_with(term);
                                  }});
}

// Words that no memory holds count like one that a single memory holds.
double full_score_of(const TextQuery& query, std::int64_t rows) {
  double sum = query.weight_absent * inverse_frequency(rows, 1);
  for (const auto& group : query.groups) sum += group.weight * inverse_frequency(rows, group.documents);
  return sum;
}

Result<bool> has_pieces(sqlite::Database& database) {
  CANDOR_ASSIGN(sqlite::Statement any, database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'fts_chunks'"));
  return any.step();
}

}  // namespace

Result<TextAnswer> search_text(sqlite::Database& database, std::string_view query, const Eligible& eligible) {
  TextAnswer answer;
  CANDOR_ASSIGN(TextIndex index, TextIndex::open(database, "fts_memories"));
  const TermStatistics statistics{
      .documents = index.rows(), .documents_with = [&](const std::string& term) { return index.documents_with(term); }};
  CANDOR_ASSIGN(answer.query, build_text_query(query, statistics));
  if (answer.query.groups.empty()) return answer;
  answer.full_score = full_score_of(answer.query, index.rows());
  CANDOR_ASSIGN(const auto ranked,
                rank_rows(index, answer.query, index.rows(), [&](std::int64_t row) { return eligible.has(row); }));
  std::unordered_map<std::int64_t, double> pieces;
  CANDOR_ASSIGN(const bool chunked, has_pieces(database));
  if (chunked) {
    CANDOR_ASSIGN(pieces, best_pieces(database, answer.query, index.rows(), eligible));
  }
  for (std::size_t i = 0; i < ranked.rows.size(); ++i) {
    const auto piece = pieces.find(ranked.rows[i]);
    const double best = piece == pieces.end() ? ranked.scores[i] : piece->second;
    answer.hits.push_back({.id = ranked.rows[i], .score = (1 - kPieceShare) * ranked.scores[i] + kPieceShare * best});
  }
  keep_best(answer.hits, eligible, answer.hits.size());
  return answer;
}

Result<TextQuery> read_query(sqlite::Database& database, std::string_view query) {
  CANDOR_ASSIGN(TextIndex index, TextIndex::open(database, "fts_memories"));
  return query_for(index, query);
}

}  // namespace candor::memory
