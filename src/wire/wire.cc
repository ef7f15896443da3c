// Documents of the schema, of reviews and of the ledger's lists.
#include "wire/wire.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/render_json.h"
#include "scope/document.h"
#include "scope/scope.h"

namespace candor::wire {
namespace {

using json::Node;

Node number(std::uint64_t value) { return Node::number(static_cast<std::int64_t>(value)); }

void set_text(Node& node, std::string name, const std::string& text) {
  if (!text.empty()) node.set(std::move(name), Node::string(text));
}

Node texts_node(const std::vector<std::string>& texts) {
  Node list = Node::array();
  for (const std::string& text : texts) list.push(Node::string(text));
  return list;
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

Node origin_node(const engine::FileOrigin& origin) {
  Node node = Node::object();
  node.set("path", Node::string(origin.path)).set("format", Node::string(origin.format));
  if (!origin.failure.empty()) {
    node.set("failure", Node::string(origin.failure));
    return node;
  }
  if (!origin.delimiter.empty()) {
    node.set("delimiter", Node::string(origin.delimiter)).set("quote", Node::string(origin.quote));
    node.set("header", Node::boolean(origin.header)).set("encoding", Node::string(origin.encoding));
  }
  node.set("bytes", number(origin.bytes)).set("rows_not_parsed", number(origin.rows_rejected));
  if (!origin.rejected.empty()) {
    Node rows = Node::array();
    for (const engine::RejectedRow& row : origin.rejected) {
      Node entry = Node::object();
      rows.push(std::move(entry.set("line", number(row.line)).set("reason", Node::string(row.reason))));
    }
    node.set("not_parsed", std::move(rows));
  }
  return node;
}

Node table_node(const engine::CatalogTable& table) {
  Node node = Node::object();
  node.set("resource", Node::string(engine::written_name(table)));
  if (table.schema != "main" && !table.schema.empty()) node.set("schema", Node::string(table.schema));
  node.set("kind", Node::string(table.view ? "view" : "table"));
  if (table.temporary) node.set("temporary", Node::boolean(true));
  if (table.rows_estimated) {
    node.set(table.rows_exact ? "rows" : "rows_estimated", number(*table.rows_estimated));
  }
  set_text(node, "comment", table.comment);
  Node columns = Node::array();
  for (const engine::CatalogColumn& column : table.columns) {
    Node entry = Node::object();
    entry.set("name", Node::string(column.name)).set("type", Node::string(column.type));
    if (!column.nullable) entry.set("nullable", Node::boolean(false));
    if (column.primary_key) entry.set("primary_key", Node::boolean(true));
    set_text(entry, "comment", column.comment);
    set_text(entry, "note", column.note);
    columns.push(std::move(entry));
  }
  node.set("columns", std::move(columns));
  if (table.file) node.set("file", origin_node(*table.file));
  return node;
}

Node page_surface(ledger::Page page, std::uint64_t shown, std::uint64_t total) {
  scope::Ceiling ceiling{scope::LimitSource::kFlag, scope::LimitKind::kPagination, page.limit, page.offset};
  scope::AgentSurface surface = scope::describe(ceiling, shown, total, "");
  surface.order = scope::Order::kTotal;  // newest first, by id
  return scope::surface_document(surface);
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

Node batch_node(const ledger::UndoBatch& batch) {
  Node node = Node::object();
  node.set("batch_id", Node::string(batch.id)).set("session", Node::string(batch.turn.session));
  node.set("turn", Node::string(batch.turn.turn)).set("surface", Node::string(batch.surface));
  node.set("source", Node::string(batch.source)).set("contract", Node::string(batch.contract));
  if (!batch.scope_column.empty()) {
    Node scope = Node::object();
    scope.set("column", Node::string(batch.scope_column)).set("value", Node::string(batch.scope_value));
    node.set("scope", std::move(scope));
  }
  node.set("state", Node::string(std::string(ledger::to_string(batch.state))));
  node.set("statement_count", number(batch.statements)).set("row_count", number(batch.rows));
  Node resources = Node::array();
  for (const std::string& name : resource_names(batch)) resources.push(Node::string(name));
  node.set("resources", std::move(resources)).set("kept_ms", Node::number(batch.kept_ms));
  if (batch.undone_ms != 0) node.set("undone_ms", Node::number(batch.undone_ms));
  return node;
}

Node counts_node(const review::Counts& counts) {
  Node node = Node::object();
  node.set("left_rows", number(counts.left_rows)).set("left_matched", number(counts.left_matched));
  node.set("right_rows", number(counts.right_rows)).set("right_matched", number(counts.right_matched));
  return node;
}

}  // namespace

json::Node warnings_node(const std::vector<Warning>& warnings) {
  json::Node list = json::Node::array();
  for (const Warning& warning : warnings) {
    json::Node node = json::Node::object();
    node.set("code", json::Node::string(warning.code)).set("message", json::Node::string(warning.message));
    if (!warning.hint.empty()) node.set("hint", json::Node::string(warning.hint));
    list.push(std::move(node));
  }
  return list;
}

json::Node materialized_document(const Materialized& result) {
  Node node = Node::object();
  node.set("statement_type", Node::string("materialize")).set("resource", Node::string("scratch." + result.table));
  node.set("query_id", Node::string(result.query_id)).set("affected_count", number(result.rows));
  node.set("columns", columns_node(result.columns));
  node.set("warnings", warnings_node(result.warnings));
  return node;
}

json::Node schema_document(const Schema& catalog) {
  Node document = Node::object();
  Node tables = Node::array();
  for (const engine::CatalogTable& table : catalog.tables) tables.push(table_node(table));
  const std::uint64_t count = catalog.tables.size();
  document.set("resources", std::move(tables)).set("resource_count", number(count));
  if (!catalog.notes.empty()) document.set("notes", texts_node(catalog.notes));
  if (!catalog.warnings.empty()) document.set("warnings", texts_node(catalog.warnings));
  scope::AgentSurface surface = scope::describe({}, count, count, "");
  surface.order = scope::Order::kTotal;  // by source, schema and name
  document.set("agent_surface", scope::surface_document(surface));
  return document;
}

json::Node contract_check_document(const ContractCheck& check) {
  Node document = Node::object();
  document.set("contract", Node::string(check.contract)).set("file", Node::string(check.file));
  document.set("source", Node::string(check.source)).set("clean", Node::boolean(check.faults.empty()));
  Node faults = Node::array();
  for (const ContractCheck::Fault& fault : check.faults) {
    Node node = Node::object();
    node.set("kind", Node::string(fault.kind));
    set_text(node, "resource", fault.resource);
    set_text(node, "column", fault.column);
    if (fault.count) node.set("count", number(*fault.count));
    node.set("message", Node::string(fault.message));
    if (!fault.examples.empty()) node.set("examples", texts_node(fault.examples));
    faults.push(std::move(node));
  }
  document.set("fault_count", number(check.faults.size())).set("faults", std::move(faults));
  Node resources = Node::array();
  for (const ContractCheck::Resource& resource : check.resources) {
    Node node = Node::object();
    node.set("resource", Node::string(resource.name)).set("table", Node::string(resource.table));
    if (resource.rows) node.set("rows", number(*resource.rows));
    resources.push(std::move(node));
  }
  document.set("resources", std::move(resources));
  if (!check.notes.empty()) document.set("notes", texts_node(check.notes));
  scope::AgentSurface surface = scope::describe({}, check.faults.size(), check.faults.size(), "");
  surface.order = scope::Order::kTotal;  // as the contract has its resources and columns
  document.set("agent_surface", scope::surface_document(surface));
  return document;
}

json::Node checked_document(const std::vector<Candor::Checked>& checked) {
  Node document = Node::object();
  Node list = Node::array();
  std::uint64_t findings = 0;
  for (const Candor::Checked& one : checked) {
    Node node = Node::object();
    Node checks = Node::array();
    for (const review::CheckResult& check : one.checks) {
      findings += check.verdict == review::Verdict::kFinding ? 1 : 0;
      checks.push(check_document(check));
    }
    list.push(std::move(node.set("sql", Node::string(one.sql)).set("checks", std::move(checks))));
  }
  document.set("statements", std::move(list)).set("statement_count", number(checked.size()));
  document.set("finding_count", number(findings));
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

json::Node queries_document(const std::vector<ledger::QueryRecord>& queries, ledger::Page page, std::uint64_t total) {
  Node document = Node::object();
  Node list = Node::array();
  for (const ledger::QueryRecord& query : queries) list.push(query_head(query));
  document.set("queries", std::move(list)).set("agent_surface", page_surface(page, queries.size(), total));
  return document;
}

json::Node answers_document(const std::vector<ledger::AnswerRecord>& answers, ledger::Page page, std::uint64_t total) {
  Node document = Node::object();
  Node list = Node::array();
  for (const ledger::AnswerRecord& answer : answers) list.push(answer_head(answer));
  document.set("answers", std::move(list)).set("agent_surface", page_surface(page, answers.size(), total));
  return document;
}

json::Node batches_document(const std::vector<ledger::UndoBatch>& batches, ledger::Page page, std::uint64_t total) {
  Node document = Node::object();
  Node list = Node::array();
  for (const ledger::UndoBatch& batch : batches) list.push(batch_node(batch));
  document.set("batches", std::move(list)).set("agent_surface", page_surface(page, batches.size(), total));
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

std::vector<std::string> unique_names(const std::vector<Column>& columns) {
  std::vector<std::string> names;
  std::set<std::string> taken;
  for (const Column& column : columns) taken.insert(column.name);
  std::set<std::string> used;
  for (const Column& column : columns) {
    std::string name = column.name;
    // The first of its name keeps it; a made-up name must be neither used nor a column's own.
    for (int suffix = 2; used.contains(name) || (name != column.name && taken.contains(name)); ++suffix) {
      name = column.name + "_" + std::to_string(suffix);
    }
    used.insert(name);
    names.push_back(std::move(name));
  }
  return names;
}

}  // namespace candor::wire
