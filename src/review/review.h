// The review of an answer: which query produced its values, and did that query's joins lose the population it speaks of?
// Start here: `locate`, then `review_query`. Rules with their reasons: docs/review.md. Checks: checks/, one file each.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/cancel.h"
#include "base/result.h"
#include "engine/engine.h"
#include "json/json.h"

namespace candor::review {

enum class Verdict : std::uint8_t { kClean, kFinding, kUndetermined };
[[nodiscard]] std::string_view to_string(Verdict verdict);

// Which sources may be probed: the scratch database alone, local files too, or servers as well.
enum class ProbeScope : std::uint8_t { kScratch, kLocal, kAll };

struct Settings {
  bool enabled = true;
  ProbeScope probe = ProbeScope::kLocal;
  std::uint64_t rows_max = 500'000;          // both tables
  std::uint64_t key_width_max = 256;         // of each key or filter column
  std::uint64_t key_chars_max = 16'000'000;  // rows times key width, a side
  std::int64_t statement_ms = 30'000;        // the statement timeout in force; under 5 s no probe begins
  std::uint64_t conjuncts_max = 8;           // a side
  std::uint64_t nodes_max = 64;              // of all keys and filters
};

// ---- 1. which query ----

// A query of the turn with what it showed.
struct ShownQuery {
  std::string id;
  std::string sql;
  json::Node columns;  // array of {name,type,id}
  json::Node rows;     // array of arrays, values as they were shown
  bool cut = false;    // rows or cells of the output are missing
};

struct Located {
  const ShownQuery* query = nullptr;  // null: none, for `reason`
  bool named = false;                 // the answer named it
  // no-evidence, no-match, output-cut, split-values, ambiguous-match. Beside a query that the answer named: output-cut,
  // when values that it does not show may stand in the missing part.
  std::string reason;
  std::vector<std::string>
      not_shown;  // with a query named by the answer: committed values that it does not show, as text
};

// `answer` is the input of answer_commit (fields or rows). Without `named`, looks for the one query that shows every value
// that counts as evidence; with it, checks every value against that query. Pure.
[[nodiscard]] Located locate(const json::Node& answer, const std::vector<ShownQuery>& queries,
                             const ShownQuery* named = nullptr);

// ---- 2.–5. what its joins did ----

// A key that a join compares, on one side.
struct Key {
  std::vector<std::string> columns;  // that it reads, as the catalog spells them; mostly one
  std::string text;                  // "mrn", "lower(mrn)": without the table
};

// One side of a measured pair. Of a sample, counts are those of the sample.
struct Side {
  std::string table;           // as the catalog names it: "patients"
  std::string full_name;       // three parts: "scratch.main.patients"
  std::string alias;           // as the query names it; the table's name without one
  engine::TableName resolved;  // the parts of full_name
  std::vector<Key> keys;       // the n-th is compared with the n-th of the other side
  bool grouped = false;        // the rule looks at it
  std::uint64_t rows = 0;      // under its own filter
  std::uint64_t matched = 0;   // of those, with a match on the other side under that side's filter
  // Measured where `matched` was low and the other side has a filter: rows with a match on the other side without it.
  std::optional<std::uint64_t> matched_without_other_filter;
  bool has_filter = false;
  std::uint64_t one_in = 1;  // of a sample: one row in this many was looked at
  double error = 0;          // of a sample: half-width of the 95 % interval of the share, 0…1
};

// One measured pair of tables.
struct Pair {
  Side left, right;
  std::string condition;     // the equalities as the query writes them
  std::string counting_sql;  // run again it gives left_rows, left_matched, right_rows, right_matched
  bool sample = false;  // one of the sides is over the row gate: its rows are sampled, those that they may meet are not
  double error = 0;     // of a sample: the larger error of the two sides
};

struct CheckResult {
  std::string check;  // "join-coverage"
  Verdict verdict = Verdict::kUndetermined;
  std::string reason;   // code of codes.h when undetermined; "selected-by-filter" when clean for that reason
  std::string message;  // in words, for people and agents; of a finding: the counts
  std::string stated;   // where the answer states M of N: "basis" or "rows.note"; else empty
  std::vector<Pair> pairs;
};

struct Context {
  engine::Engine* engine = nullptr;            // of the query
  std::string dialect;                         // "duckdb", "sqlite" or "postgres"
  std::string source;                          // of SQLite and PostgreSQL: its name, "" otherwise
  std::vector<std::string> temporary_objects;  // the agent's, when the query ran
  std::string made_by_join;                    // the statement whose join made what the query reads; empty: none did
  std::string basis, note;                     // of the answer; empty for a review without a commit
  Settings settings;
  CancelToken cancel;
};

// Every check on one query. Never fails: what could not be done is `undetermined` with the reason. Reads the catalog first
// and data only behind the gates; the query itself and its join are never run.
[[nodiscard]] std::vector<CheckResult> review_query(std::string_view sql, const Context& context);

// The check `value-not-shown` of a named query.
[[nodiscard]] CheckResult check_values_shown(const Located& located);

// The names of all checks, in the order of receipts.
[[nodiscard]] std::vector<std::string> check_names();

// Tables that the statement reads, resolved as far as its text allows; for telling whether they changed since.
[[nodiscard]] std::vector<engine::TableName> tables_of(std::string_view sql, engine::Engine& engine);

// Whether the query, or what follows AS in a CREATE, joins tables or reads one in a subquery. What can't be parsed joins
// if it names two tables.
[[nodiscard]] bool joins_tables(std::string_view sql, engine::Engine& engine);

// Does the text state `matched` of `rows`: "23 of 513", "23/513", "23 out of 513", with or without thousands separators.
[[nodiscard]] bool states_m_of_n(std::string_view text, std::uint64_t matched, std::uint64_t rows);

// Runs a counting statement again. The four counts of a Pair.
struct Counts {
  std::uint64_t left_rows = 0, left_matched = 0, right_rows = 0, right_matched = 0;
  friend bool operator==(const Counts&, const Counts&) = default;
};
[[nodiscard]] Result<Counts> count_again(engine::Engine& engine, std::string_view counting_sql,
                                         const CancelToken& cancel);

}  // namespace candor::review
