// See gates.h.
#include "review/gates.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "base/ascii.h"
#include "review/syntax/tree.h"

namespace candor::review {
namespace {

constexpr std::int64_t kStatementMsMin = 5'000;
constexpr std::uint64_t kSampleRows = 50'000;  // rows of a side that a sample aims at
using engine::kScratch;

Diagnostic engine_fault(const Diagnostic& failure) {
  return make_error("engine-fault", "the engine failed while its catalog was read: " + failure.message);
}

// Types of DuckDB whose values have a width of their own, whatever the value. "DECIMAL(10,2)" is one, "INTEGER[]" is not.
bool is_fixed_width(std::string_view type) {
  static constexpr std::array<std::string_view, 20> kTypes = {
      "BOOLEAN",   "TINYINT",  "SMALLINT",  "INTEGER",  "BIGINT", "HUGEINT", "UTINYINT",
      "USMALLINT", "UINTEGER", "UBIGINT",   "UHUGEINT", "FLOAT",  "DOUBLE",  "DECIMAL",
      "DATE",      "TIME",     "TIMESTAMP", "INTERVAL", "UUID",   "ENUM"};
  if (type.ends_with(']')) return false;
  return std::any_of(kTypes.begin(), kTypes.end(), [&](std::string_view fixed) {
    if (!type.starts_with(fixed)) return false;
    const std::string_view rest = type.substr(fixed.size());
    return rest.empty() || rest.front() == '(' || rest.front() == ' ' || rest.front() == '_';
  });
}

bool names_temporary_object(const syntax::TableRef& ref, const std::vector<std::string>& objects) {
  // A name with its catalog reaches past temporary objects.
  if (!ref.catalog.empty()) return false;
  return std::any_of(objects.begin(), objects.end(),
                     [&](const std::string& name) { return same_name(name, ref.table); });
}

const engine::ColumnFacts* column_of(const engine::TableFacts& facts, std::string_view name) {
  for (const engine::ColumnFacts& column : facts.columns) {
    if (same_name(column.name, name)) return &column;
  }
  return nullptr;
}

Status check_functions(const syntax::JoinPlan& plan, const Context& context) {
  if (plan.foreign_function)
    return make_error("user-function", "a key or filter calls a function of a schema of its own");
  // SQLite has no functions but its own; those that are measured are listed where they are printed.
  if (plan.functions.empty() || context.dialect == "sqlite") return Ok{};
  const Result<std::vector<engine::FunctionFacts>> facts = context.engine->function_facts(plan.functions);
  if (!facts.ok()) return engine_fault(facts.error());
  for (const std::string& name : plan.functions) {
    const auto fact = std::find_if(facts->begin(), facts->end(),
                                   [&](const engine::FunctionFacts& f) { return same_name(f.name, name); });
    if (fact == facts->end() || !fact->built_in) {
      return make_error("user-function", "the function " + name + " is a user's or may be one");
    }
    if (!fact->repeatable) {
      return make_error("volatile-function", "the function " + name + " gives another value each time");
    }
  }
  return Ok{};
}

Status check_size(const syntax::JoinPlan& plan, const Settings& settings) {
  for (const syntax::TablePlan& table : plan.tables) {
    if (table.filters.size() > settings.conjuncts_max) {
      return make_error("too-many-conjuncts", table.ref.alias + " has " + std::to_string(table.filters.size()) +
                                                  " conditions, at most " + std::to_string(settings.conjuncts_max) +
                                                  " are measured");
    }
  }
  if (plan.nodes > settings.nodes_max) {
    return make_error("too-many-nodes", "keys and filters have " + std::to_string(plan.nodes) + " parts, at most " +
                                            std::to_string(settings.nodes_max) + " are measured");
  }
  return Ok{};
}

// The row gate of one table: how many rows for one that is looked at.
Result<std::uint64_t> one_in(const engine::TableFacts& facts, const Settings& settings) {
  if (facts.rows_estimated) {
    if (*facts.rows_estimated <= settings.rows_max) return std::uint64_t{1};
    return std::max<std::uint64_t>(2, *facts.rows_estimated / kSampleRows);
  }
  // A table that is small as a whole has few rows.
  if (facts.bytes_max && *facts.bytes_max <= settings.key_chars_max) return std::uint64_t{1};
  return make_error("over-row-gate", "the catalog does not say how many rows " + facts.resolved.table + " has");
}

class WidthGate {
 public:
  WidthGate(const syntax::TablePlan& plan, const Context& context, std::uint64_t one_in)
      : plan_(plan), context_(context), settings_(context.settings), one_in_(one_in) {}

  Status check(const engine::TableFacts& facts) {
    std::vector<std::string> texts;
    for (const auto* columns : {&plan_.key_columns, &plan_.filter_columns}) {
      for (const std::string& name : *columns) {
        const engine::ColumnFacts* column = column_of(facts, name);
        if (column != nullptr && context_.dialect != "sqlite" && is_fixed_width(column->type)) continue;
        texts.push_back(name);
      }
    }
    if (texts.empty()) return Ok{};
    Result<engine::TableFacts> asked = context_.engine->table_facts(facts.resolved, texts);
    if (!asked.ok()) return engine_fault(asked.error());
    facts_ = *std::move(asked);
    if (facts_.pending_updates) {
      return make_error("pending-updates", plan_.ref.table + " has updates that the catalog's statistics do not know");
    }
    std::uint64_t key_width = 0;
    for (const std::string& name : plan_.key_columns) {
      if (std::find(texts.begin(), texts.end(), name) == texts.end()) continue;
      CANDOR_ASSIGN(const std::uint64_t width, width_of(name));
      key_width += width;
    }
    CANDOR_TRY(check_volume(key_width, "the key"));
    for (const std::string& name : plan_.filter_columns) {
      if (std::find(texts.begin(), texts.end(), name) == texts.end()) continue;
      CANDOR_ASSIGN(const std::uint64_t width, width_of(name));
      CANDOR_TRY(check_volume(width, name));
    }
    return Ok{};
  }

 private:
  // 0 where only the table as a whole is bounded.
  Result<std::uint64_t> width_of(const std::string& name) const {
    const engine::ColumnFacts* column = column_of(facts_, name);
    const std::string place = plan_.ref.table + "." + name;
    if (column == nullptr || !column->width_max) {
      if (facts_.bytes_max && *facts_.bytes_max <= settings_.key_chars_max) return std::uint64_t{0};
      return make_error("key-width-unknown", "the catalog does not know how long " + place + " can be");
    }
    if (*column->width_max > settings_.key_width_max) {
      return make_error("key-too-wide", place + " has texts of up to " + std::to_string(*column->width_max) +
                                            " characters, at most " + std::to_string(settings_.key_width_max) +
                                            " are measured");
    }
    return *column->width_max;
  }

  Status check_volume(std::uint64_t width, const std::string& what) const {
    // Of a sampled table only the sample is kept.
    const std::uint64_t rows = facts_.rows_estimated.value_or(0) / one_in_;
    if (width == 0 || rows <= settings_.key_chars_max / width) return Ok{};
    return make_error("key-volume", what + " of " + plan_.ref.table + " has up to " + std::to_string(rows) + " x " +
                                        std::to_string(width) + " characters, at most " +
                                        std::to_string(settings_.key_chars_max) + " are measured");
  }

  const syntax::TablePlan& plan_;
  const Context& context_;
  const Settings& settings_;
  std::uint64_t one_in_;
  engine::TableFacts facts_;
};

// A server has other users, who pay for a probe; and names that differ by case alone are not told apart here.
Status check_server(const syntax::TableRef& ref, const engine::TableFacts& facts, const Context& context) {
  if (context.dialect != "postgres") return Ok{};
  if (context.settings.probe != ProbeScope::kAll) {
    return make_error("probe-not-allowed", ref.table + " is on a server, which is probed with review.probe: all alone");
  }
  for (std::size_t i = 0; i < facts.columns.size(); ++i) {
    for (std::size_t j = i + 1; j < facts.columns.size(); ++j) {
      if (same_name(facts.columns[i].name, facts.columns[j].name)) {
        return make_error("column-not-resolved", "two columns of " + ref.table + " differ by case alone");
      }
    }
  }
  return Ok{};
}

// A collation of SQLite belongs to the side that is written first, which a count from both sides can't keep.
Status check_collation(const syntax::TablePlan& plan, const engine::TableFacts& facts, const Context& context) {
  if (context.dialect != "sqlite") return Ok{};
  for (const std::string& name : plan.key_columns) {
    const engine::ColumnFacts* column = column_of(facts, name);
    if (column != nullptr && column->collated) {
      return make_error("collation", plan.ref.table + "." + name + " compares by a collation of its own");
    }
  }
  return Ok{};
}

}  // namespace

bool Gates::sample() const {
  return std::any_of(one_in.begin(), one_in.end(), [](std::uint64_t n) { return n > 1; });
}

Result<engine::TableFacts> find_table(const syntax::TableRef& ref, engine::Engine& engine) {
  Result<engine::TableFacts> facts = engine.table_facts({ref.catalog, ref.schema, ref.table}, {});
  if (!facts.ok()) return engine_fault(facts.error());
  // `shop.orders` may name a source or a schema.
  if (!facts->exists && ref.catalog.empty() && !ref.schema.empty()) {
    Result<engine::TableFacts> other = engine.table_facts({ref.schema, "", ref.table}, {});
    if (other.ok() && other->exists) return other;
  }
  return facts;
}

Result<engine::TableFacts> admitted_table(const syntax::TableRef& ref, const Context& context) {
  if (names_temporary_object(ref, context.temporary_objects)) {
    return make_error("shadowed-table", "a temporary table or view is named " + ref.table);
  }
  CANDOR_ASSIGN(engine::TableFacts facts, find_table(ref, *context.engine));
  // Nothing stands before a name with its catalog.
  if (facts.shadowed && ref.catalog.empty()) {
    return make_error("shadowed-table", "another object than a table of the source is named " + ref.table);
  }
  if (!facts.exists || !facts.base_table) {
    return make_error("not-base-table", ref.table + " is no base table of the scratch database or a source");
  }
  if (context.settings.probe == ProbeScope::kScratch && !same_name(facts.resolved.source, kScratch)) {
    return make_error("probe-not-allowed", ref.table + " is not in the scratch database, and only that may be probed");
  }
  return facts;
}

Result<Gates> check_gates(const syntax::JoinPlan& plan, const std::vector<engine::TableFacts>& facts,
                          const Context& context) {
  if (context.settings.statement_ms < kStatementMsMin) {
    return make_error("timeout-too-short", "the statement timeout is " + std::to_string(context.settings.statement_ms) +
                                               " ms, at least " + std::to_string(kStatementMsMin) + " are asked for");
  }
  CANDOR_TRY(check_size(plan, context.settings));
  CANDOR_TRY(check_functions(plan, context));
  Gates gates;
  for (std::size_t i = 0; i < plan.tables.size(); ++i) {
    CANDOR_TRY(check_server(plan.tables[i].ref, facts[i], context));
    CANDOR_TRY(check_collation(plan.tables[i], facts[i], context));
    CANDOR_ASSIGN(const std::uint64_t share, one_in(facts[i], context.settings));
    CANDOR_TRY(WidthGate(plan.tables[i], context, share).check(facts[i]));
    gates.one_in.push_back(share);
  }
  return gates;
}

}  // namespace candor::review
