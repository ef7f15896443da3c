// From what the review measured to memories.
#include "candor/lessons.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "base/render_json.h"
#include "memory/facts.h"
#include "memory/memory.h"
#include "memory/store/times.h"

namespace candor::lessons {
namespace {

using json::Node;

constexpr int kPatienceMs = 1'000;             // an answer waits no longer for what was learned on the way
constexpr std::size_t kSqlBytesMax = 100'000;  // of a counting statement in a body

Node number(std::uint64_t value) { return Node::number(static_cast<std::int64_t>(value)); }

std::string value_of(const std::map<std::string, std::string>& map, const std::string& name) {
  const auto found = map.find(name);
  return found == map.end() ? std::string() : found->second;
}

// Whether a key's text is the column and nothing more; it may stand in quotes.
bool is_column(std::string_view text, std::string_view column) {
  if (text == column) return true;
  std::string quoted = "\"";
  for (const char c : column) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return text == quoted + "\"";
}

Side side_of(const review::Side& measured, const std::string& source, const Sources& sources) {
  Side side;
  side.source = source.empty() ? measured.resolved.source : source;
  side.schema = measured.resolved.schema;
  side.table = measured.resolved.table;
  side.place = value_of(sources.places, side.source);
  side.version = value_of(sources.versions, side.source);
  for (const review::Key& key : measured.keys) {
    side.key += (side.key.empty() ? "" : ", ") + key.text;
    side.columns.insert(side.columns.end(), key.columns.begin(), key.columns.end());
  }
  side.plain = measured.keys.size() == 1 && side.columns.size() == 1 && is_column(side.key, side.columns.front());
  side.rows = measured.rows;
  side.matched = measured.matched;
  side.one_in = measured.one_in;
  side.filtered = measured.has_filter;
  if (!side.filtered && side.one_in == 1) side.counted = side.rows;
  return side;
}

auto order_of(const Side& side) { return std::tie(side.source, side.schema, side.table, side.key); }

Node side_node(const Side& side) {
  Node node = memory::texts({{"source", side.source},
                             {"schema", side.schema},
                             {"table", side.table},
                             {"key", side.key},
                             {"place", side.place},
                             {"version", side.version}});
  Node columns = Node::array();
  for (const std::string& column : side.columns) columns.push(Node::string(column));
  node.set("columns", std::move(columns)).set("plain", Node::boolean(side.plain));
  node.set("rows", number(side.rows)).set("matched", number(side.matched));
  node.set("coverage", Node::number(side.coverage())).set("filtered", Node::boolean(side.filtered));
  if (side.one_in > 1) node.set("one_in", number(side.one_in));
  if (side.counted) node.set("table_rows", number(*side.counted));
  return node;
}

Node metadata_of(const Join& join) {
  Node node =
      memory::texts({{"kind", "join"}, {"measured_at", memory::iso_time(join.measured)}, {"outcome", join.outcome}});
  if (!join.query_id.empty()) node.set("query_id", Node::string(join.query_id));
  if (!join.answer_id.empty()) node.set("answer_id", Node::string(join.answer_id));
  node.set("filtered", Node::boolean(join.filtered())).set("sample", Node::boolean(join.sample()));
  node.set("left", side_node(join.left)).set("right", side_node(join.right));
  return node;
}

std::string remark_of(const Join& join) {
  return std::string(join.sample() ? ", of a sample" : "") + (join.filtered() ? ", under the query's filter" : "");
}

std::string description_of(const Join& join, bool qualified) {
  return key_text(join.left, qualified) + " joins " + key_text(join.right, qualified) + ": " +
         percent(join.left.matched, join.left.rows) + " measured on " + memory::iso_time(join.measured).substr(0, 10) +
         ", the other way " + percent(join.right.matched, join.right.rows) + remark_of(join);
}

std::string count_line(const Side& side, bool qualified) {
  return table_text(side, qualified) + ": " + std::to_string(side.matched) + " of " + std::to_string(side.rows) +
         " rows have a match (" + percent(side.matched, side.rows) + ")" +
         (side.one_in > 1 ? "; one row in " + std::to_string(side.one_in) + " was looked at" : "") +
         (side.filtered ? "; under the query's filter of this table" : "") + "\n";
}

std::string body_of(const Join& join, bool qualified) {
  std::string body = key_text(join.left, qualified) + " = " + key_text(join.right, qualified) + "\n" +
                     count_line(join.left, qualified) + count_line(join.right, qualified) + "Measured at " +
                     memory::iso_time(join.measured);
  if (!join.query_id.empty()) body += ", query " + join.query_id;
  if (!join.answer_id.empty()) body += ", answer " + join.answer_id;
  if (join.counting_sql.size() > kSqlBytesMax) return body + "\nThe counting statement is too long to be kept.\n";
  return body + "\nCounted by:\n" + join.counting_sql + "\n";
}

// Entities get no description that would take the place of what somebody wrote.
void add_entity(memory::Remember& input, std::set<std::string>& seen, const std::string& name) {
  if (seen.insert(name).second) input.entities.push_back({name, {}, {}});
}

std::string column_text(const Side& side, const std::string& column, bool qualified) {
  return entity_text(table_text(side, qualified) + "." + name_text(column));
}

std::string table_entity(const Side& side, bool qualified) { return entity_text(table_text(side, qualified)); }

void add_tables(memory::Remember& input, const Join& join, bool qualified) {
  std::set<std::string> seen;
  std::set<std::string> columns;
  for (const Side* side : {&join.left, &join.right}) {
    add_entity(input, seen, table_entity(*side, qualified));
    add_entity(input, seen, table_entity(*side, !qualified));  // found by either name
    for (const std::string& column : side->columns) {
      const std::string name = column_text(*side, column, qualified);
      add_entity(input, seen, name);
      if (columns.insert(name).second) {
        input.relations.push_back({table_entity(*side, qualified), name, "has_column", 1.0, {}});
      }
    }
  }
}

Node counts_of(const Side& from, const Side& to, const Join& join) {
  Node counts = Node::object();
  counts.set("rows", number(from.rows)).set("matched", number(from.matched));
  counts.set("target_rows", number(to.rows)).set("target_matched", number(to.matched));
  counts.set("measured_at", Node::string(memory::iso_time(join.measured)));
  counts.set("memory", Node::string(memory_name(join)));
  return counts;
}

// Each direction is a fact of its own: the weight is the share of the first side's rows that have a match on the second.
void add_joins(memory::Fact& fact, const Join& join, bool qualified) {
  if (join.left.columns.size() != join.right.columns.size()) return;
  const auto add = [&](const Side& from, const Side& to, std::size_t i) {
    std::string source = column_text(from, from.columns[i], qualified);
    std::string target = column_text(to, to.columns[i], qualified);
    if (source == target) return;
    fact.relations.push_back({source, target, "joins_with", counts_of(from, to, join)});
    fact.memory.relations.push_back({std::move(source), std::move(target), "joins_with", from.coverage(), {}});
  };
  for (std::size_t i = 0; i < join.left.columns.size(); ++i) {
    add(join.left, join.right, i);
    add(join.right, join.left, i);
  }
}

memory::Fact fact_of(const Join& join, bool qualified, const std::string& session) {
  memory::Fact fact;
  memory::Remember& input = fact.memory;
  input.space = std::string(kSpace);
  input.name = memory_name(join);
  input.type = "reference";
  input.source = "system";
  input.description = std::string(utf8_prefix(description_of(join, qualified), 500));
  input.body = body_of(join, qualified);
  input.metadata = metadata_of(join);
  input.session_id = session;
  input.force_merge = true;    // measured again: a new version of the same memory
  input.replace_graph = true;  // names may have become qualified meanwhile
  add_tables(input, join, qualified);
  add_joins(fact, join, qualified);
  if (join.filtered()) {
    // What was measured under a filter does not weigh the relation where the whole was measured.
    Join whole = join;
    whole.left.filtered = whole.right.filtered = false;
    fact.yields_to = memory_name(whole);
  }
  return fact;
}

}  // namespace

double Side::coverage() const { return rows == 0 ? 0 : static_cast<double>(matched) / static_cast<double>(rows); }

std::vector<Join> measured_joins(const std::vector<review::CheckResult>& checks, const std::string& source,
                                 const Sources& sources, std::int64_t now) {
  std::vector<Join> joins;
  std::set<std::string> seen;
  for (const review::CheckResult& check : checks) {
    for (const review::Pair& pair : check.pairs) {
      Join join;
      join.left = side_of(pair.left, source, sources);
      join.right = side_of(pair.right, source, sources);
      join.measured = now;
      join.counting_sql = pair.counting_sql;
      const bool placed = !join.left.place.empty() && !join.right.place.empty();
      const bool counted = join.left.rows > 0 && join.right.rows > 0;
      if (!placed || !counted || join.left.columns.empty() || join.right.columns.empty()) continue;
      if (order_of(join.right) < order_of(join.left)) std::swap(join.left, join.right);
      if (seen.insert(memory_name(join)).second) joins.push_back(std::move(join));
    }
  }
  return joins;
}

Status remember(const std::string& home, const std::vector<Join>& joins, bool qualified, const std::string& session) {
  if (joins.empty()) return Ok{};
  std::vector<memory::Fact> facts;
  for (const Join& join : joins) facts.push_back(fact_of(join, qualified, session));
  CANDOR_ASSIGN(memory::Memory memory, memory::Memory::open(home, memory::Access::kWrite));
  return memory::remember_facts(memory, std::move(facts), kPatienceMs);
}

}  // namespace candor::lessons
