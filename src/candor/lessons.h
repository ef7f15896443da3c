// What answers taught: each join that the review measured becomes a memory in the home's memory.sqlite, and is offered when
// the schema of one of its tables is asked for. Rules and reasons: docs/decisions/0083-what-answers-taught.md.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "candor/candor.h"
#include "json/json.h"
#include "review/review.h"

namespace candor::lessons {

inline constexpr std::string_view kSpace = "global";  // the namespace of the memory

// One side of a join, as it was measured.
struct Side {
  std::string source, schema, table;
  std::string place;                 // of the source: two databases that go by one name are told apart by it
  std::vector<std::string> columns;  // that its keys read
  std::string key;                   // "mrn", "lower(mrn)", "mrn, site"
  bool plain = false;                // one key that is nothing but a column
  std::uint64_t rows = 0, matched = 0;
  std::uint64_t one_in = 1;  // of a sample
  bool filtered = false;
  std::string version;                   // of the source's files at that time; empty: not known
  std::optional<std::uint64_t> counted;  // rows of the whole table, where the measurement counted them

  [[nodiscard]] double coverage() const;  // share of its rows that have a match on the other side
};

struct Join {
  Side left, right;           // in the order of their names: the query's own order does not make another join
  std::int64_t measured = 0;  // unix seconds
  std::string counting_sql, query_id, answer_id;
  std::string outcome;  // committed, held, checked
  [[nodiscard]] bool filtered() const { return left.filtered || right.filtered; }
  [[nodiscard]] bool sample() const { return left.one_in > 1 || right.one_in > 1; }
};

// What is known of the sources: by name.
struct Sources {
  std::map<std::string, std::string> places;    // Session::source_places
  std::map<std::string, std::string> versions;  // Session::source_versions
  bool qualified = false;                       // more than one: tables are named with their source
};

// The joins that the checks measured, each once. Left out are tables of the session's scratch database, whose names mean
// something else in the next session, and sides without a row. `source`: where the query ran; empty: DuckDB.
[[nodiscard]] std::vector<Join> measured_joins(const std::vector<review::CheckResult>& checks,
                                               const std::string& source, const Sources& sources, std::int64_t now);

// Stores the joins in one transaction, each as a memory of its own, or a new version of it. Waits a second at most for
// another writer. Fails with what the memory fails with.
[[nodiscard]] Status remember(const std::string& home, const std::vector<Join>& joins, bool qualified,
                              const std::string& session);

struct Known {
  std::vector<KnownJoin> joins;  // best first; at most `most`
  std::uint64_t total = 0;
};
// What is remembered of joins with the tables, held against what the sources are now. Nothing where there is no memory.
[[nodiscard]] Result<Known> known_joins(const std::string& home, const engine::Catalog& all,
                                        const std::vector<engine::CatalogTable>& tables, const Sources& sources,
                                        std::uint64_t most);

// ---- names, which are data ----

// A name in one line that is not long: as it is where it is a plain word, else in double quotes, with what does not print
// as \u000A, and beyond 60 characters cut, with a hash that tells it apart.
[[nodiscard]] std::string name_text(std::string_view name);
// "patients", "shop.patients", "shop.sales.patients".
[[nodiscard]] std::string table_text(const Side& side, bool qualified);
// "patients.mrn"; of a key that is more than a column "patients(lower(mrn))".
[[nodiscard]] std::string key_text(const Side& side, bool qualified);
// The name of the entity that stands for the text: of two bytes or more, and never too long to be one.
[[nodiscard]] std::string entity_text(std::string text);
// "97 %"; never 0 % or 100 % where it is not just that.
[[nodiscard]] std::string percent(std::uint64_t matched, std::uint64_t rows);
// The name of the join's memory: readable words and a hash of what it is about.
[[nodiscard]] std::string memory_name(const Join& join);

}  // namespace candor::lessons
