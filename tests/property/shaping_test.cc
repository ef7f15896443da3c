// Lists of random rows under random flags and ceilings, against a model that says in few lines what should come.
#include <algorithm>
#include <gtest/gtest.h>
#include <iostream>
#include <map>
#include <random>

#include "scope/document.h"
#include "scope/list.h"
#include "support/row_list.h"

namespace candor::scope {
namespace {

using Random = std::mt19937_64;

std::uint64_t pick(Random& random, std::uint64_t below) { return random() % below; }

struct Asked {
  std::vector<json::Node> rows;
  Ceiling ceiling;
  ShapingFlags flags;
  int number_below = -1;  // the filter "n<…", where there is one
  std::string kind;       // the filter "k=…"
};

Asked random_question(Random& random) {
  Asked asked;
  const std::uint64_t rows = pick(random, 40);
  for (std::uint64_t i = 0; i < rows; ++i) {
    std::string text = R"({"id":)" + std::to_string(i);
    if (pick(random, 5) > 0) text += R"(,"n":)" + std::to_string(pick(random, 12));
    if (pick(random, 5) > 0) text += R"(,"k":")" + std::string(1, static_cast<char>('a' + pick(random, 3))) + '"';
    asked.rows.push_back(json::parse(text + "}").value());
  }
  if (pick(random, 4) > 0) {
    asked.ceiling.kind = pick(random, 2) == 0 ? LimitKind::kPagination : LimitKind::kTopK;
    asked.ceiling.source = pick(random, 2) == 0 ? LimitSource::kFlag : LimitSource::kDefault;
    asked.ceiling.limit = 1 + pick(random, 45);
    asked.ceiling.offset = pick(random, 3) == 0 ? pick(random, 45) : 0;
  }
  if (pick(random, 2) == 0) asked.number_below = static_cast<int>(pick(random, 13));
  if (pick(random, 3) == 0) asked.kind = std::string(1, static_cast<char>('a' + pick(random, 3)));
  if (asked.number_below >= 0) asked.flags.filters.push_back("n<" + std::to_string(asked.number_below));
  if (!asked.kind.empty()) asked.flags.filters.push_back("k=" + asked.kind);
  const std::uint64_t scope = pick(random, 3);
  if (scope > 0) asked.flags.filter_scope = scope == 1 ? "universe" : "page";
  if (pick(random, 3) == 0) asked.flags.sort = "n";
  if (pick(random, 4) == 0) asked.flags.dedupe_by = "k";
  if (pick(random, 3) == 0) asked.flags.max_items = std::to_string(1 + pick(random, 10));
  asked.flags.count_only = pick(random, 4) == 0;
  return asked;
}

struct Said {
  std::string code;  // of a refusal
  std::vector<std::string> ids;
  std::uint64_t count = 0;
  std::string count_scope, filter_scope;
  friend bool operator==(const Said&, const Said&) = default;
};

std::ostream& operator<<(std::ostream& out, const Said& said) {
  out << said.code << " [";
  for (const std::string& id : said.ids) out << id << ' ';
  return out << "] " << said.count << ' ' << said.count_scope << ' ' << said.filter_scope;
}

bool passes(const Asked& asked, const json::Node& row) {
  const json::Node* number = row.find("n");
  if (asked.number_below >= 0 && (number == nullptr || *number->integer() >= asked.number_below)) return false;
  return asked.kind.empty() || row.string_or("k", "") == asked.kind;
}

std::vector<json::Node> slice(const std::vector<json::Node>& rows, const Ceiling& ceiling) {
  if (ceiling.kind == LimitKind::kNone) return rows;
  std::vector<json::Node> part;
  for (std::uint64_t i = ceiling.offset; i < rows.size() && i < ceiling.offset + ceiling.limit; ++i)
    part.push_back(rows[i]);
  return part;
}

// Sort, dedupe, in this order, on all rows at once.
std::vector<json::Node> arranged(const Asked& asked, std::vector<json::Node> rows) {
  if (asked.flags.sort) {
    const auto number_of = [](const json::Node& row) {
      const json::Node* number = row.find("n");
      return number == nullptr ? 1'000 : *number->integer();
    };
    // Insertion keeps the order of equals.
    for (std::size_t i = 1; i < rows.size(); ++i) {
      for (std::size_t j = i; j > 0 && number_of(rows[j]) < number_of(rows[j - 1]); --j)
        std::swap(rows[j], rows[j - 1]);
    }
  }
  if (!asked.flags.dedupe_by) return rows;
  std::map<std::string, bool> seen;
  std::erase_if(rows, [&](const json::Node& row) {
    return row.find("k") != nullptr && !seen.try_emplace(row["k"].text(), true).second;
  });
  return rows;
}

// `page_first`: the canary, which judges the page where it should judge the universe.
Said model(const Asked& asked, bool page_first = false) {
  const std::uint64_t total = asked.rows.size();
  const Ceiling& ceiling = asked.ceiling;
  const bool truncates = ceiling.kind != LimitKind::kNone && (ceiling.offset > 0 || ceiling.limit < total);
  const bool asks = !asked.flags.filters.empty() || asked.flags.count_only;
  const std::string declared = asked.flags.filter_scope.value_or("");
  Said said;
  if (asks && truncates && total > 0 && ceiling.kind == LimitKind::kPagination && declared.empty()) {
    said.code = asked.flags.filters.empty() ? "count-over-ceiling" : "filter-over-ceiling";
    return said;
  }
  const bool below = declared == "universe" && !page_first;
  std::vector<json::Node> matched;
  for (const json::Node& row : below ? asked.rows : slice(asked.rows, ceiling)) {
    if (passes(asked, row)) matched.push_back(row);
  }
  std::vector<json::Node> left = below && !asked.flags.count_only ? slice(matched, ceiling) : matched;
  const bool cut = below ? left.size() < matched.size() : truncates;
  left = arranged(asked, left);
  const std::uint64_t kept = left.size();
  const std::uint64_t most = asked.flags.max_items ? std::stoull(*asked.flags.max_items) : kept;
  if (left.size() > most) left.resize(most);
  said.count = asked.flags.count_only ? kept : left.size();
  for (const json::Node& row : left) {
    if (!asked.flags.count_only) said.ids.push_back(row["id"].text());
  }
  const bool top = ceiling.kind == LimitKind::kTopK;
  const bool page = ceiling.kind == LimitKind::kPagination && cut && total > 0;
  said.count_scope = page                                            ? "page"
                     : top && !(below && asked.flags.count_only)     ? "top-k"
                     : !asked.flags.count_only && left.size() < kept ? "emitted"
                                                                     : "matched";
  said.filter_scope = declared == "universe"   ? "universe"
                      : declared == "page"     ? (truncates ? "page" : "universe")
                      : top                    ? "top-k"
                      : truncates && total > 0 ? "page"
                                               : "universe";
  return said;
}

Said real(const Asked& asked) {
  RowList list(asked.rows);
  list.declaration.ceiling = asked.ceiling;
  list.declaration.catalogue.keys = {"id", "n", "k"};
  const Result<ShapedList> made = ShapedList::make(list, parse_shaping(asked.flags).value());
  Said said;
  if (!made.ok()) {
    said.code = made.error().code;
    return said;
  }
  const json::Node record = surface_document(made->surface());
  for (const json::Node& row : made->rows()) said.ids.push_back(row["id"].text());
  said.count = made->count().value_or(made->rows().size());
  said.count_scope = record["count_scope"].text();
  said.filter_scope = record["filter_scope"].text();
  return said;
}

TEST(Shaping, IsWhatTheModelSays) {
  const std::uint64_t seed = std::random_device{}();
  std::cout << "seed " << seed << "\n";
  Random random(seed);
  std::uint64_t unlike_canary = 0;
  for (int i = 0; i < 5'000; ++i) {
    const Asked asked = random_question(random);
    const Said wanted = model(asked);
    const Said said = real(asked);
    ASSERT_EQ(said, wanted) << "question " << i << ", " << asked.rows.size() << " rows, limit " << asked.ceiling.limit
                            << " from " << asked.ceiling.offset;
    unlike_canary += said == model(asked, true) ? 0 : 1;
  }
  EXPECT_GT(unlike_canary, 100U) << "a filter above the ceiling would not be noticed";
}

// What was asked for decides what is held: a universe of a million rows passes by.
TEST(Shaping, HoldsNoMoreThanItShows) {
  static constexpr std::uint64_t kRows = 200'000;
  class Counter final : public List {
   public:
    std::uint64_t visited = 0;

   protected:
    [[nodiscard]] Declaration declare() const override {
      Declaration declaration;
      declaration.ceiling = {LimitSource::kFlag, LimitKind::kPagination, 10, 0};
      return declaration;
    }
    [[nodiscard]] Result<Universe> universe() override { return Universe{kRows, ""}; }
    [[nodiscard]] Status visit(const Slice& slice, const Visitor& visitor) override {
      std::uint64_t passed = 0;
      for (std::uint64_t i = 0; i < kRows; ++i) {
        json::Node row = json::Node::object();
        row.set("n", json::Node::number(static_cast<std::int64_t>(i % 1'000)));
        if (slice.below != nullptr && !slice.below->matches(row)) continue;
        if (slice.limit && passed++ >= *slice.limit) break;
        ++visited;
        if (!visitor(std::move(row))) break;
      }
      return Ok{};
    }
  } list;
  ShapingFlags flags;
  flags.filters = {"n=7"};
  flags.filter_scope = "universe";
  const ShapedList shaped = ShapedList::make(list, parse_shaping(flags).value()).value();
  EXPECT_EQ(shaped.rows().size(), 10U);
  EXPECT_EQ(shaped.surface().shaping.matched_count, kRows / 1'000);
}

}  // namespace
}  // namespace candor::scope
