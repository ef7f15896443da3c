// The allow-list by first words, function names and targets.
#include "engine/duckdb/statement_policy.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/ascii.h"
#include "engine/duckdb/path_candidates.h"

namespace candor::engine::duckdb {
namespace {

constexpr std::array kSelectWords = {"select", "from",        "values",       "table",
                                     "pivot",  "pivot_wider", "pivot_longer", "unpivot"};
constexpr std::array kDescribeWords = {"describe", "desc", "show", "summarize"};
constexpr std::string_view kAllowedHint =
    "allowed are SELECT, WITH, FROM, VALUES, TABLE, DESCRIBE, SHOW, SUMMARIZE, EXPLAIN, PIVOT and UNPIVOT; on the "
    "scratch "
    "database also INSERT, UPDATE, DELETE, and CREATE or DROP of a TABLE, VIEW or MACRO";

template <typename Words>
bool is_one_of(const Token& token, const Words& words) {
  return std::any_of(words.begin(), words.end(), [&](std::string_view word) { return is_word(token, word); });
}

Diagnostic refuse(std::string_view code, std::string message, std::string_view hint, Span span) {
  Diagnostic made = make_error(code, std::move(message), std::string(hint));
  made.span = span;
  return made;
}

// Reads the first words of one statement.
class Reader {
 public:
  Reader(const std::vector<Token>& tokens, std::size_t end) : tokens_(tokens), end_(end) {}

  // Fills kind, target, temporary, explained.
  Status read(StatementPlan& plan) {
    while (!done() && is_symbol(now(), '(')) ++at_;
    const bool bracketed = at_ > 0;
    if (done()) return refused("the statement has no word to begin with");
    if (is_one_of(now(), kSelectWords)) return Ok{};
    if (is_one_of(now(), kDescribeWords)) {
      plan.kind = StatementKind::kDescribe;
      return Ok{};
    }
    if (is_word(now(), "with")) return read_with(plan);
    if (bracketed) return refused_word();
    if (is_word(now(), "explain")) return read_explain(plan);
    return read_write(plan);
  }

  [[nodiscard]] Span target_span() const { return target_span_; }

 private:
  [[nodiscard]] bool done() const { return at_ >= end_; }
  [[nodiscard]] const Token& now() const { return tokens_[at_]; }
  bool take(std::string_view keyword) {
    if (done() || !is_word(now(), keyword)) return false;
    ++at_;
    return true;
  }

  [[nodiscard]] Diagnostic refused(std::string message) const {
    const Span span = done() ? tokens_[end_ - 1].span : now().span;
    return refuse("statement-not-allowed", std::move(message), kAllowedHint, span);
  }
  [[nodiscard]] Diagnostic refused_word() const {
    std::string word(now().text.substr(0, 40));
    if (now().kind == TokenKind::kWord) {
      std::transform(word.begin(), word.end(), word.begin(),
                     [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
    }
    return refused("a statement that begins with " + word + " is not allowed");
  }

  // WITH a AS (…), b(x) AS MATERIALIZED (…) verb: the verb is the first word outside of brackets after a closing one
  // that doesn't go on with the table expression itself.
  Status read_with(StatementPlan& plan) {
    const int depth = now().depth;
    for (++at_; !done(); ++at_) {
      if (now().depth != depth || now().kind != TokenKind::kWord || !is_symbol(tokens_[at_ - 1], ')')) continue;
      if (is_word(now(), "as") || is_word(now(), "using")) continue;
      if (is_one_of(now(), kSelectWords)) return Ok{};
      if (is_one_of(now(), kDescribeWords) || is_word(now(), "explain")) return refused_word();
      return read_write(plan);
    }
    // WITH a AS (…) (SELECT …): a query in brackets. The engine's own kind of the statement is compared later.
    return Ok{};
  }

  Status read_explain(StatementPlan& plan) {
    ++at_;
    while (take("analyze") || take("verbose")) {
    }
    if (!done() && is_symbol(now(), '(') && at_ + 1 < end_ && explain_option(tokens_[at_ + 1])) skip_brackets();
    if (done()) return refused("EXPLAIN has no statement to explain");
    if (is_word(now(), "explain")) return refused_word();
    const std::size_t start = now().span.start;
    StatementPlan inner;
    const std::size_t from = at_;
    std::vector<Token> rest(tokens_.begin() + static_cast<std::ptrdiff_t>(from),
                            tokens_.begin() + static_cast<std::ptrdiff_t>(end_));
    Reader reader(rest, rest.size());
    CANDOR_TRY(reader.read(inner));
    if (inner.kind != StatementKind::kSelect) return refused("only a SELECT can be explained");
    plan.kind = StatementKind::kExplain;
    plan.explained = Span{start, tokens_[end_ - 1].span.end};
    return Ok{};
  }

  static bool explain_option(const Token& token) {
    return is_word(token, "analyze") || is_word(token, "format") || is_word(token, "verbose");
  }

  void skip_brackets() {
    const int depth = now().depth;
    for (++at_; !done(); ++at_) {
      if (is_symbol(now(), ')') && now().depth == depth) {
        ++at_;
        return;
      }
    }
  }

  Status read_write(StatementPlan& plan) {
    if (is_word(now(), "insert")) return read_insert(plan);
    if (is_word(now(), "create")) return read_create(plan);
    if (is_word(now(), "drop")) return read_drop(plan);
    if (take("update")) {
      plan.kind = StatementKind::kUpdate;
      return read_target(plan);
    }
    if (is_word(now(), "delete")) {
      ++at_;
      plan.kind = StatementKind::kDelete;
      if (!take("from")) return refused("DELETE needs FROM");
      return read_target(plan);
    }
    return refused_word();
  }

  Status read_insert(StatementPlan& plan) {
    ++at_;
    plan.kind = StatementKind::kInsert;
    if (take("or") && !take("replace") && !take("ignore")) return refused("INSERT OR needs REPLACE or IGNORE");
    if (!take("into")) return refused("INSERT needs INTO");
    return read_target(plan);
  }

  Status read_create(StatementPlan& plan) {
    ++at_;
    plan.kind = StatementKind::kCreate;
    if (take("or") && !take("replace")) return refused("CREATE OR needs REPLACE");
    plan.temporary = take("temp") || take("temporary");
    take("recursive");
    plan.macro = take("macro") || take("function");
    if (!plan.macro && !take("table") && !take("view")) {
      return refused("only a TABLE, a VIEW or a MACRO can be created");
    }
    if (take("if")) {
      if (!take("not") || !take("exists")) return refused("IF needs NOT EXISTS here");
    }
    return read_target(plan);
  }

  Status read_drop(StatementPlan& plan) {
    ++at_;
    plan.kind = StatementKind::kDrop;
    if (take("macro") || take("function")) {
      take("table");
    } else if (!take("table") && !take("view")) {
      return refused("only a TABLE, a VIEW or a MACRO can be dropped");
    }
    if (take("if") && !take("exists")) return refused("IF needs EXISTS here");
    return read_target(plan);
  }

  Status read_target(StatementPlan& plan) {
    if (done() || !is_name(now())) return refused("the statement does not name what it writes to");
    target_span_ = now().span;
    plan.target.push_back(name_of(now()));
    for (++at_; at_ + 1 < end_ && is_symbol(now(), '.') && is_name(tokens_[at_ + 1]); at_ += 2) {
      plan.target.push_back(name_of(tokens_[at_ + 1]));
      target_span_.end = tokens_[at_ + 1].span.end;
    }
    if (plan.target.size() > 1 && lower_ascii(plan.target.front()) == "temp") plan.temporary = true;
    return Ok{};
  }

  const std::vector<Token>& tokens_;
  std::size_t end_;
  std::size_t at_ = 0;
  Span target_span_;
};

bool runs_text(std::string_view name) {
  constexpr std::array kNames = {"query", "query_table", "json_execute_serialized_sql", "sql_auto_complete"};
  return std::any_of(kNames.begin(), kNames.end(), [&](std::string_view known) { return name == known; });
}

bool reads_files(std::string_view name) {
  constexpr std::array kPrefixes = {"read_", "parquet_", "glob", "sniff_", "arrow_", "seq_scan"};
  return std::any_of(kPrefixes.begin(), kPrefixes.end(),
                     [&](std::string_view prefix) { return name.substr(0, prefix.size()) == prefix; });
}

}  // namespace

bool table_function_allowed(std::string_view name) {
  constexpr std::array kAllowed = {"duckdb_columns",
                                   "duckdb_constraints",
                                   "duckdb_databases",
                                   "duckdb_functions",
                                   "duckdb_indexes",
                                   "duckdb_keywords",
                                   "duckdb_schemas",
                                   "duckdb_sequences",
                                   "duckdb_tables",
                                   "duckdb_types",
                                   "duckdb_views",
                                   "generate_series",
                                   "histogram",
                                   "histogram_values",
                                   "icu_calendar_names",
                                   "json_each",
                                   "json_tree",
                                   "pg_timezone_names",
                                   "pragma_show",
                                   "pragma_storage_info",
                                   "pragma_table_info",
                                   "pragma_version",
                                   "range",
                                   "repeat",
                                   "repeat_row",
                                   "show",
                                   "storage_info",
                                   "summary",
                                   "table_info",
                                   "test_all_types",
                                   "test_vector_types",
                                   "unnest",
                                   "version"};
  return std::any_of(kAllowed.begin(), kAllowed.end(), [&](std::string_view known) { return name == known; });
}

const std::vector<std::string_view>& refused_scalar_functions() {
  static const std::vector<std::string_view> names = {"getenv", "nextval", "write_log"};
  return names;
}

Result<StatementPlan> StatementPolicy::examine(std::string_view sql, bool allow_writes) const {
  StatementPlan plan;
  plan.tokens = tokenize(sql);
  std::size_t end = plan.tokens.size();
  while (end > 0 && is_symbol(plan.tokens[end - 1], ';')) --end;
  if (end == 0) return refuse("syntax", "the statement is empty", {}, Span{0, sql.size()});
  for (std::size_t i = 0; i < end; ++i) {
    if (is_symbol(plan.tokens[i], ';')) {
      return refuse("several-statements", "one statement is expected here", "send the statements one after the other",
                    Span{plan.tokens[i].span.end, sql.size()});
    }
  }
  Reader reader(plan.tokens, end);
  CANDOR_TRY(reader.read(plan));
  if (writes(plan.kind)) {
    CANDOR_TRY(check_target(plan, reader.target_span()));
    if (!allow_writes) {
      return refuse("statement-not-allowed", "this statement writes, and only reading ones are allowed here",
                    "run it where writes to the scratch database are allowed", plan.tokens.front().span);
    }
  }
  CANDOR_TRY(check_functions(plan.tokens));
  CANDOR_TRY(check_paths(plan.tokens));
  plan.pivots = std::any_of(plan.tokens.begin(), plan.tokens.end(), [](const Token& token) {
    return is_word(token, "pivot") || is_word(token, "pivot_wider");
  });
  return plan;
}

Status StatementPolicy::check_target(const StatementPlan& plan, Span span) const {
  if (plan.target.size() < 2 || !rules_.sources.contains(lower_ascii(plan.target.front()))) return Ok{};
  return refuse("read-only", "source " + plan.target.front() + " is published for reading only",
                "write to a scratch table: CREATE TABLE " + quote_name(plan.target.back()) + " AS FROM " +
                    quote_name(plan.target.front()) + "." + quote_name(plan.target.back()),
                span);
}

Status StatementPolicy::check_functions(const std::vector<Token>& tokens) const {
  for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
    if (!is_symbol(tokens[i + 1], '(') || !is_name(tokens[i])) continue;
    const std::string name = lower_ascii(name_of(tokens[i]));
    if (!rules_.refused_functions.contains(name)) continue;
    if (reads_files(name)) {
      return refuse("not-published", "the function " + name + " reads files, and no statement may",
                    "read a published table: SHOW ALL TABLES lists them", tokens[i].span);
    }
    return refuse("statement-not-allowed", "the function " + name + " is not allowed in a statement",
                  runs_text(name) ? "write the query itself in place of its text" : "leave the call out",
                  tokens[i].span);
  }
  return Ok{};
}

// The engine may read the files that it has attached, and takes a text or a dotted name in FROM for a file.
Status StatementPolicy::check_paths(const std::vector<Token>& tokens) const {
  for (const PathCandidate& candidate : path_candidates(tokens)) {
    const std::filesystem::path path(candidate.text);
    if (!file_names_.contains(path.filename().string())) continue;
    std::error_code failure;
    const std::filesystem::path real = std::filesystem::weakly_canonical(path, failure);
    if (failure || !rules_.published_paths.contains(real.string())) continue;
    return refuse("not-published", "a published database is read by its name, not by its file",
                  "write source.table: SHOW ALL TABLES lists them", candidate.span);
  }
  return Ok{};
}

StatementPolicy::StatementPolicy(Rules rules) : rules_(std::move(rules)) {
  for (const std::string& path : rules_.published_paths) {
    file_names_.insert(std::filesystem::path(path).filename().string());
  }
}

}  // namespace candor::engine::duckdb
