// The order of a review: read the text, bind it to the catalog, pass the gates, measure, judge.
#include "review/review.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/ascii.h"
#include "review/checks/check.h"
#include "review/gates.h"
#include "review/measure.h"
#include "review/syntax/join_extraction.h"
#include "review/syntax/select.h"
#include "review/syntax/sqlite_text.h"
#include "review/syntax/tree.h"
#include "sql/lexer.h"

namespace candor::review {
namespace {

constexpr std::size_t kTextMax = std::size_t{1} << 20U;  // bytes of a statement that is read

Result<syntax::Select> read(std::string_view sql, const Context& context) {
  if (context.engine == nullptr) return make_error("engine-fault", "there is no engine to ask");
  if (sql.size() > kTextMax) return make_error("unsupported-syntax", "the statement is longer than a mebibyte");
  if (context.dialect == "sqlite") CANDOR_TRY(syntax::check_sqlite_text(sql));
  const Result<std::string> tree = context.engine->syntax_tree(sql);
  if (!tree.ok()) {
    const std::string& code = tree.error().code;
    if (code == "syntax")
      return make_error("unsupported-syntax", "the statement is not parsed: " + tree.error().message);
    if (code == "unsupported-syntax") return tree.error();
    if (code == "statement-kind" || code == "statement-not-allowed") {
      return make_error("statement-kind", "the statement is no SELECT");
    }
    return make_error("engine-fault", "the engine failed while it parsed: " + tree.error().message);
  }
  return syntax::read_select(*tree);
}

// In SQLite a NATURAL or USING join after a comma compares with all tables before it, in DuckDB with the last one.
Status check_sqlite_joins(const syntax::Select& select) {
  bool cross = false;
  bool shared = false;
  for (const syntax::JoinStep& step : select.joins) {
    cross = cross || step.kind == syntax::JoinKind::kCross;
    shared = shared || step.kind == syntax::JoinKind::kNatural || step.kind == syntax::JoinKind::kUsing;
  }
  if (cross && shared) return make_error("unsupported-syntax", "a comma stands beside NATURAL or USING");
  return Ok{};
}

// A macro may read tables: of a query that calls one it can't be said that it joins none.
Status check_no_macro(const syntax::Select& select, const Context& context) {
  if (context.dialect == "sqlite") return Ok{};
  static constexpr std::array<std::string_view, 3> kUnlisted = {"!", "unnest", "overlay"};  // the parser's own
  std::vector<std::string> names;
  syntax::for_each_expression(*select.node, [&](const json::Node& node) {
    if (syntax::class_of(node) != "FUNCTION") return;
    std::string name = lower_ascii(node.string_or("function_name", ""));
    const bool listed = std::find(kUnlisted.begin(), kUnlisted.end(), name) == kUnlisted.end();
    if (listed && std::find(names.begin(), names.end(), name) == names.end()) names.push_back(std::move(name));
  });
  if (names.empty()) return Ok{};
  const Result<std::vector<engine::FunctionFacts>> facts = context.engine->function_facts(names);
  if (!facts.ok())
    return make_error("engine-fault", "the engine failed while its catalog was read: " + facts.error().message);
  for (const engine::FunctionFacts& fact : *facts) {
    if (!fact.built_in)
      return make_error("user-function", "the macro " + fact.name + " may read and join tables of its own");
  }
  return Ok{};
}

Status gather(std::string_view sql, const Context& context, JoinEvidence& evidence) {
  if (!context.settings.enabled) return make_error("off", "the review is switched off");
  CANDOR_ASSIGN(const syntax::Select select, read(sql, context));
  evidence.joined = select.joined();
  if (select.joined()) CANDOR_TRY(syntax::check_measurable(select));
  if (context.dialect == "sqlite") CANDOR_TRY(check_sqlite_joins(select));
  std::vector<engine::TableFacts> facts;
  for (const syntax::TableRef& ref : select.tables) {
    CANDOR_ASSIGN(engine::TableFacts table, admitted_table(ref, context));
    facts.push_back(std::move(table));
  }
  if (!select.joined()) return check_no_macro(select, context);
  CANDOR_ASSIGN(const syntax::JoinPlan plan, syntax::extract_joins(select, facts, sql));
  CANDOR_ASSIGN(const Gates gates, check_gates(plan, facts, context));
  CANDOR_ASSIGN(evidence.pairs, measure_pairs(plan, facts, gates, context));
  return Ok{};
}

}  // namespace

std::string_view to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::kClean:
      return "clean";
    case Verdict::kFinding:
      return "finding";
    case Verdict::kUndetermined:
      return "undetermined";
  }
  return "undetermined";
}

std::vector<CheckResult> review_query(std::string_view sql, const Context& context) {
  JoinEvidence evidence;
  if (Status gathered = gather(sql, context, evidence); !gathered.ok()) evidence.stopped = std::move(gathered).error();
  std::vector<CheckResult> results;
  for (const Check* check : all_checks()) {
    if (check->judge_joins != nullptr) results.push_back(check->judge_joins(evidence, context));
  }
  return results;
}

CheckResult check_values_shown(const Located& located) {
  for (const Check* check : all_checks()) {
    if (check->judge_location != nullptr) return check->judge_location(located);
  }
  return {};
}

std::vector<std::string> check_names() {
  std::vector<std::string> names;
  for (const Check* check : all_checks()) names.emplace_back(check->name);
  return names;
}

bool joins_tables(std::string_view sql, engine::Engine& engine) {
  const std::string text(sql);
  for (const std::string& form : {text, "SELECT (" + text + ")"}) {  // the second: the body of a macro
    if (const Result<std::string> tree = engine.syntax_tree(form); tree.ok()) return syntax::joins_tables(*tree);
  }
  return sql::table_mentions(sql).size() > 1;
}

std::vector<engine::TableName> tables_of(std::string_view sql, engine::Engine& engine) {
  std::vector<syntax::TableRef> refs;
  if (const Result<std::string> tree = engine.syntax_tree(sql); tree.ok()) refs = syntax::mentioned_tables(*tree);
  // What the parser does not give, the words do: they may name too much, never too little.
  if (refs.empty()) {
    for (const sql::TableMention& mention : sql::table_mentions(sql)) {
      syntax::TableRef ref;
      const std::size_t parts = mention.parts.size();
      if (parts > 0) ref.table = mention.parts[parts - 1];
      if (parts > 1) ref.schema = mention.parts[parts - 2];
      if (parts > 2) ref.catalog = mention.parts[parts - 3];
      refs.push_back(std::move(ref));
    }
  }
  std::vector<engine::TableName> tables;
  for (const syntax::TableRef& ref : refs) {
    engine::TableName name{ref.catalog, ref.schema, ref.table};
    if (const Result<engine::TableFacts> facts = find_table(ref, engine); facts.ok() && facts->exists)
      name = facts->resolved;
    if (std::find(tables.begin(), tables.end(), name) == tables.end()) tables.push_back(std::move(name));
  }
  return tables;
}

}  // namespace candor::review
