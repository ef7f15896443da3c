// The certified search gives what a scan of every float32 row gives, whatever was packed, changed or deleted.
#include <algorithm>
#include <gtest/gtest.h>
#include <random>

#include "memory/graph/page_rank.h"
#include "memory/search/fusion.h"
#include "memory/vectors/cosines.h"
#include "memory/vectors/dot.h"
#include "memory/vectors/quantise.h"
#include "memory/vectors/segment.h"
#include "memory/vectors/vector_tables.h"
#include "sqlite/sqlite.h"

namespace candor::memory {
namespace {

using Rows = std::vector<std::vector<float>>;

std::vector<float> random_vector(std::mt19937& random, std::size_t dim) {
  std::normal_distribution<float> normal;
  std::vector<float> vector(dim);
  for (float& x : vector) x = normal(random);
  return vector;
}

sqlite::Database make_database(std::size_t dim) {
  auto database = sqlite::Database::open(":memory:", {.mode = sqlite::OpenMode::kCreate});
  EXPECT_TRUE(database.ok());
  EXPECT_TRUE(database
                  ->run("CREATE TABLE embedders (id INTEGER PRIMARY KEY, dim INTEGER); CREATE TABLE memory_embeddings "
                        "(memory_id INTEGER, embedder INTEGER, embedding BLOB, PRIMARY KEY (memory_id, embedder));"
                        "INSERT INTO embedders VALUES (1, " +
                        std::to_string(dim) + ")")
                  .ok());
  EXPECT_TRUE(create_vector_segments(*database).ok());
  return std::move(*database);
}

void put(sqlite::Database& database, std::int64_t id, const std::vector<float>& vector) {
  auto statement = database.prepare("INSERT OR REPLACE INTO memory_embeddings VALUES (?1, 1, ?2)");
  ASSERT_TRUE(statement.ok() && statement->bind_integer(1, id).ok());
  ASSERT_TRUE(statement->bind_blob(2, write_vector(vector)).ok() && statement->step().ok());
}

void expect_same(sqlite::Database& database, const Rows& rows, const Eligible& eligible,
                 const std::vector<float>& query, std::size_t count) {
  std::vector<Scored> naive;
  for (std::size_t id = 1; id < rows.size(); ++id) {
    if (!rows[id].empty() && eligible.has(static_cast<std::int64_t>(id))) {
      naive.push_back({static_cast<std::int64_t>(id), cosine(query, rows[id])});
    }
  }
  keep_best(naive, eligible, count);
  auto cosines = Cosines::bound(database, 1, query, eligible);
  ASSERT_TRUE(cosines.ok());
  const auto found = cosines->nearest(count);
  ASSERT_TRUE(found.ok());
  ASSERT_EQ(found->size(), naive.size());
  std::vector<std::int64_t> ids;
  for (std::size_t i = 0; i < naive.size(); ++i) {
    ASSERT_EQ((*found)[i].id, naive[i].id) << i;
    ASSERT_EQ((*found)[i].score, naive[i].score) << i;  // the same bits
    ids.push_back(naive[i].id);
  }
  const std::size_t depth = (count + 1) / 2;
  const auto ranks = cosines->ranks(ids, depth);
  ASSERT_TRUE(ranks.ok());
  for (std::size_t i = 0; i < ids.size(); ++i) {
    ASSERT_EQ((*ranks)[i], i < depth ? std::optional<std::uint64_t>(i + 1) : std::nullopt) << i;
  }
}

// Of both rankings together: the first of the fusion of all are the fusion's first.
void expect_same_fused(sqlite::Database& database, std::mt19937& random, const Eligible& eligible,
                       const std::vector<float>& query) {
  std::vector<Scored> text;
  for (std::size_t id = 1; id < eligible.ids_end(); ++id) {
    const auto number = static_cast<std::int64_t>(id);
    if (eligible.has(number) && random() % 7 == 0) text.push_back({number, static_cast<double>(1 + random() % 40)});
  }
  keep_best(text, eligible, text.size());
  auto all = Cosines::bound(database, 1, query, eligible);
  ASSERT_TRUE(all.ok());
  const auto nearest = all->nearest(eligible.size());
  ASSERT_TRUE(nearest.ok());
  for (const auto& [weight_text, weight_vectors] : {std::pair(1.0, 1.0), std::pair(0.0, 1.0), std::pair(1.0, 0.0)}) {
    const FusionOptions options{.weight_text = weight_text, .weight_vectors = weight_vectors};
    const auto whole = fuse(text, *nearest, true, eligible, options);
    for (const std::size_t count : {1, 5, 10, 300, 4'000}) {
      auto cosines = Cosines::bound(database, 1, query, eligible);
      ASSERT_TRUE(cosines.ok());
      const auto best = fuse_best(text, *cosines, eligible, options, count, 50);
      ASSERT_TRUE(best.ok());
      ASSERT_EQ(best->size(), std::min(count, whole.size()));
      for (std::size_t i = 0; i < best->size(); ++i) {
        ASSERT_EQ((*best)[i].id, whole[i].id) << i << " of " << count;
        ASSERT_EQ((*best)[i].score, whole[i].score);  // the same bits
        ASSERT_EQ((*best)[i].cosine, whole[i].cosine);
        ASSERT_EQ((*best)[i].bm25, whole[i].bm25);
        ASSERT_EQ((*best)[i].text_rank, whole[i].text_rank);
        const bool told = whole[i].vector_rank && *whole[i].vector_rank <= 50;
        ASSERT_EQ((*best)[i].vector_rank, told ? whole[i].vector_rank : std::nullopt);
      }
    }
  }
}

TEST(MemoryVectors, FindTheSameAsAScan) {
  for (unsigned seed = 1; seed <= 4; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    const std::size_t dim = seed * 13 + 8;
    auto database = make_database(dim);
    Rows rows(1);
    Eligible eligible;
    for (std::int64_t id = 1; id <= 2'500; ++id) {
      // Some are equal, so that ties are decided; some have no length.
      rows.push_back(id % 50 == 0    ? rows[rows.size() / 2]
                     : id % 333 == 0 ? std::vector<float>(dim, 0)
                                     : random_vector(random, dim));
      if (rows.back().empty()) rows.back() = random_vector(random, dim);
      put(database, id, rows.back());
      if (id % 3 != 0) eligible.add(id, 10'000 - id);
    }
    const auto query = random_vector(random, dim);
    for (const std::size_t count : {1, 5, 10, 100, 4'000}) expect_same(database, rows, eligible, query, count);
    ASSERT_TRUE(pack_vectors(database, 1).ok());
    for (const std::size_t count : {1, 5, 10, 100, 4'000}) expect_same(database, rows, eligible, query, count);
    for (int change = 0; change < 400; ++change) {
      const auto id = static_cast<std::int64_t>(1 + random() % 2'500);
      auto& row = rows[static_cast<std::size_t>(id)];
      if (change % 2 == 0) {
        row = random_vector(random, dim);
        put(database, id, row);
      } else {
        row.clear();
        ASSERT_TRUE(database.run("DELETE FROM memory_embeddings WHERE memory_id = " + std::to_string(id)).ok());
      }
    }
    for (const std::size_t count : {5, 100}) expect_same(database, rows, eligible, query, count);
    expect_same_fused(database, random, eligible, query);
    ASSERT_TRUE(scrub_vectors(database).ok());
    for (const std::size_t count : {5, 100}) expect_same(database, rows, eligible, query, count);
    ASSERT_TRUE(pack_vectors(database, 1, true).ok());
    for (const std::size_t count : {5, 100, 4'000}) expect_same(database, rows, eligible, query, count);
  }
}

TEST(MemoryVectors, BoundsHoldTheExactProduct) {
  std::mt19937 random(7);
  for (int round = 0; round < 2'000; ++round) {
    const std::size_t dim = 8 + random() % 300;
    const auto query = random_vector(random, dim);
    auto row = random_vector(random, dim);
    if (round % 5 == 0) row[0] = 1'000;  // one large element: the others lose much
    std::vector<std::int8_t> codes(dim);
    const auto quantised = quantise(row, codes);
    const auto bounds = QuantisedQuery(query).bounds(quantised, codes);
    const double exact = cosine(query, row);
    ASSERT_LE(bounds.lower, exact);
    ASSERT_GE(bounds.upper, exact);
  }
}

TEST(MemoryVectors, SumsInTheWrittenOrder) {
  std::mt19937 random(9);
  for (std::size_t dim = 1; dim < 70; ++dim) {
    const auto a = random_vector(random, dim), b = random_vector(random, dim);
    double lanes[8] = {};
    for (std::size_t i = 0; i < dim; ++i) lanes[i % 8] += static_cast<double>(a[i]) * static_cast<double>(b[i]);
    const double sum =
        ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])) + ((lanes[4] + lanes[5]) + (lanes[6] + lanes[7]));
    ASSERT_EQ(dot(a, b), sum) << dim;
  }
}

TEST(MemoryPageRank, SumsToOneAndPrefersWhatIsNear) {
  // 0 - 1 - 2 - 3, and 4 by itself.
  const std::vector<RankEdge> edges = {{0, 1, 1}, {1, 2, 1}, {2, 3, 1}};
  const auto scores = page_rank(5, edges, {1, 0, 0, 0, 0});
  double sum = 0;
  for (const double score : scores) sum += score;
  EXPECT_NEAR(sum, 1, 1e-9);
  EXPECT_GT(scores[0], scores[2]);
  EXPECT_GT(scores[1], scores[2]);
  EXPECT_GT(scores[2], scores[3]);
  EXPECT_EQ(scores[4], 0);
  EXPECT_EQ(scores, page_rank(5, edges, {1, 0, 0, 0, 0}));
}

}  // namespace
}  // namespace candor::memory
