// Documents of the schema, of reviews and of the ledger's lists.
#include "wire/wire.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/render_json.h"
#include "scope/rows_list.h"

namespace candor::wire {
namespace {

using json::Node;

Node number(std::uint64_t value) { return Node::number(static_cast<std::int64_t>(value)); }

void set_text(Node& node, std::string name, const std::string& text) {
  if (!text.empty()) node.set(std::move(name), Node::string(text));
}

// JSON that the ledger stored; null where there is none.
Node stored(const std::string& json) { return json.empty() ? Node() : Node::raw(json); }

Node columns_node(const std::vector<Column>& columns) {
  Node list = Node::array();
  for (std::size_t i = 0; i < columns.size(); ++i) {
    Node node = Node::object();
    node.set("name", Node::string(columns[i].name)).set("type", Node::string(columns[i].type));
    node.set("id", Node::string("c" + std::to_string(i)));
    list.push(std::move(node));
  }
  return list;
}

Node query_head(const ledger::QueryRecord& query) {
  Node node = Node::object();
  node.set("query_id", Node::string(query.id)).set("session", Node::string(query.turn.session));
  node.set("turn", Node::string(query.turn.turn)).set("sql", Node::string(query.sql));
  node.set("statement_type", Node::string(query.kind)).set("succeeded", Node::boolean(query.succeeded));
  set_text(node, "source", query.source);
  set_text(node, "resource", query.target);
  set_text(node, "code", query.error_code);
  node.set("row_count", number(query.row_count)).set("output_cut", Node::boolean(query.output_cut));
  node.set("started_ms", Node::number(query.started_ms)).set("elapsed_ms", Node::number(query.elapsed_ms));
  return node;
}

Node answer_head(const ledger::AnswerRecord& answer) {
  Node node = Node::object();
  node.set("answer_id", Node::string(answer.id)).set("session", Node::string(answer.turn.session));
  node.set("turn", Node::string(answer.turn.turn)).set("state", Node::string(answer.state));
  set_text(node, "query_id", answer.query_id);
  node.set("committed_ms", Node::number(answer.committed_ms));
  node.set("answer", stored(answer.body)).set("receipt", stored(answer.receipt));
  return node;
}

Node counts_node(const review::Counts& counts) {
  Node node = Node::object();
  node.set("left_rows", number(counts.left_rows)).set("left_matched", number(counts.left_matched));
  node.set("right_rows", number(counts.right_rows)).set("right_matched", number(counts.right_matched));
  return node;
}

}  // namespace

json::Node warnings_node(const std::vector<Warning>& warnings) { return warnings_document(warnings); }

json::Node materialized_document(const Materialized& result) {
  Node node = Node::object();
  node.set("statement_type", Node::string("materialize")).set("resource", Node::string("scratch." + result.table));
  node.set("query_id", Node::string(result.query_id)).set("affected_count", number(result.rows));
  node.set("columns", columns_node(result.columns));
  node.set("warnings", warnings_node(result.warnings));
  return node;
}

namespace {

std::uint64_t findings_of(const Candor::Checked& checked) {
  return static_cast<std::uint64_t>(
      std::ranges::count(checked.checks, review::Verdict::kFinding, &review::CheckResult::verdict));
}

}  // namespace

std::unique_ptr<scope::List> checked_list(const std::vector<Candor::Checked>& checked) {
  std::vector<Node> rows;
  for (const Candor::Checked& one : checked) {
    Node checks = Node::array();
    for (const review::CheckResult& check : one.checks) checks.push(check_document(check));
    Node row = Node::object();
    row.set("sql", Node::string(one.sql)).set("finding_count", number(findings_of(one)));
    row.set("checks", std::move(checks));
    if (!one.warnings.empty()) row.set("warnings", warnings_document(one.warnings));
    rows.push_back(std::move(row));
  }
  scope::Declaration declaration;
  declaration.array = "statements";
  declaration.catalogue.keys = {"sql", "finding_count", "checks", "warnings"};
  declaration.catalogue.open = {"checks", "warnings"};
  declaration.content = {"sql"};
  return std::make_unique<scope::RowsList>(std::move(declaration), std::move(rows));
}

json::Node checked_document(const std::vector<Candor::Checked>& checked, const scope::ShapedList& list) {
  std::uint64_t findings = 0;
  for (const Candor::Checked& one : checked) findings += findings_of(one);
  Node document = Node::object();
  document.set("statement_count", number(checked.size())).set("finding_count", number(findings));
  list.put_into(document);
  return document;
}

json::Node verification_document(const Verification& verification) {
  Node document = Node::object();
  Node list = Node::array();
  bool same = true;
  for (const Verification::Entry& entry : verification.entries) {
    same = same && entry.same();
    Node node = Node::object();
    node.set("check", Node::string(entry.check)).set("same", Node::boolean(entry.same()));
    node.set("stored", counts_node(entry.stored));
    if (entry.failure) {
      node.set("failure", error_document(*entry.failure));
    } else {
      node.set("now", counts_node(entry.now));
    }
    list.push(std::move(node.set("counting_sql", Node::string(entry.counting_sql))));
  }
  document.set("answer_id", Node::string(verification.answer_id)).set("counted", number(verification.entries.size()));
  document.set("same", Node::boolean(same)).set("counts", std::move(list));
  return document;
}

json::Node undone_document(const Undone& undone) {
  constexpr std::string_view kOutcomes[] = {"undone", "already-undone", "nothing-to-undo"};
  Node node = Node::object();
  node.set("batch_id", Node::string(undone.batch_id)).set("source", Node::string(undone.source));
  node.set("outcome", Node::string(std::string(kOutcomes[static_cast<std::size_t>(undone.outcome)])));
  if (undone.dry_run) node.set("dry_run", Node::boolean(true));
  Node resources = Node::array();
  for (const Undone::Resource& resource : undone.resources) {
    Node one = Node::object();
    one.set("resource", Node::string(resource.name)).set("removed", number(resource.removed));
    one.set("restored", number(resource.restored)).set("inserted", number(resource.inserted));
    resources.push(std::move(one));
  }
  node.set("row_count", number(undone.rows)).set("resources", std::move(resources));
  node.set("warnings", warnings_node(undone.warnings));
  set_text(node, "query_id", undone.query_id);
  return node;
}

json::Node query_document(const ledger::QueryRecord& query) {
  Node node = query_head(query);
  node.set("columns", stored(query.columns)).set("rows", stored(query.rows));
  if (!query.scope.empty()) node.set("agent_surface", Node::raw(query.scope));
  return node;
}

json::Node answer_document(const ledger::AnswerRecord& answer, const ledger::QueryRecord* query) {
  Node node = answer_head(answer);
  if (query != nullptr) node.set("query", query_document(*query));
  return node;
}

}  // namespace candor::wire
