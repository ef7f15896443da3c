// Rows of the ledger's lists, of a schema and of a check.
#include "wire/lists.h"

#include <functional>
#include <utility>
#include <vector>

#include "scope/rows_list.h"
#include "wire/wire.h"

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

// JSON that the ledger stored, to be looked into; null where there is none.
Node stored(const std::string& json) {
  Result<Node> parsed = json::parse(json.empty() ? "null" : json);
  return parsed.ok() ? *std::move(parsed) : Node::raw(json);
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

Node fault_node(const ContractCheck::Fault& fault) {
  Node node = Node::object();
  node.set("kind", Node::string(fault.kind));
  set_text(node, "resource", fault.resource);
  set_text(node, "column", fault.column);
  if (fault.count) node.set("count", number(*fault.count));
  node.set("message", Node::string(fault.message));
  if (!fault.examples.empty()) node.set("examples", texts_node(fault.examples));
  return node;
}

scope::Declaration declared(std::string array, std::vector<std::string> keys, std::vector<std::string> open,
                            std::vector<std::string> content, const scope::Ceiling& ceiling = {}) {
  scope::Declaration declaration;
  declaration.array = std::move(array);
  declaration.ceiling = ceiling;
  declaration.catalogue.keys = std::move(keys);
  declaration.catalogue.open = std::move(open);
  declaration.content = std::move(content);
  return declaration;
}

// A list of the ledger, read by pages, so that a look at all of it holds few of its rows.
class LedgerList final : public scope::List {
 public:
  // A page of rows and the total, as the ledger gives them.
  using Fetch = std::function<Result<std::vector<Node>>(const ledger::Page& page, std::uint64_t& total)>;
  LedgerList(scope::Declaration declaration, std::string id, Fetch fetch)
      : declaration_(std::move(declaration)), id_(std::move(id)), fetch_(std::move(fetch)) {}

 protected:
  [[nodiscard]] scope::Declaration declare() const override { return declaration_; }

  [[nodiscard]] Result<scope::Universe> universe() override {
    std::uint64_t total = 0;
    CANDOR_ASSIGN(const std::vector<Node> youngest, fetch_({1, 0, ""}, total));
    if (!youngest.empty()) from_ = youngest.front()[id_].text();
    return scope::Universe{youngest.empty() ? 0 : total, ""};
  }

  [[nodiscard]] Status visit(const scope::Slice& slice, const scope::Visitor& visitor) override {
    if (from_.empty()) return Ok{};
    constexpr std::uint64_t kPage = 500;
    // Without a predicate the ledger itself passes over rows.
    ledger::Page page{kPage, slice.below == nullptr ? slice.offset : 0, from_};
    std::uint64_t to_pass = slice.below == nullptr ? 0 : slice.offset;
    std::uint64_t shown = 0;
    for (;;) {
      if (slice.limit && slice.below == nullptr) page.limit = std::min(kPage, *slice.limit - shown + page.offset);
      std::uint64_t total = 0;
      CANDOR_ASSIGN(std::vector<Node> rows, fetch_(page, total));
      if (rows.empty()) return Ok{};
      page = {kPage, 1, rows.back()[id_].text()};  // the last one itself is passed over
      for (Node& row : rows) {
        if (slice.limit && shown >= *slice.limit) return Ok{};
        if (slice.below != nullptr && !slice.below->matches(row)) continue;
        if (to_pass > 0) {
          --to_pass;
          continue;
        }
        ++shown;
        if (!visitor(std::move(row))) return Ok{};
      }
    }
  }

 private:
  scope::Declaration declaration_;
  std::string id_;
  Fetch fetch_;
  std::string from_;  // the youngest when the list was made; empty: there is none
};

template <typename Record>
using Read = Result<std::vector<Record>> (ledger::Ledger::*)(const std::string&, ledger::Page, std::uint64_t&);

template <typename Record>
std::unique_ptr<scope::List> list_of(ledger::Ledger& ledger, std::string session, scope::Declaration declaration,
                                     std::string id, Read<Record> read, Node (*render)(const Record&)) {
  const auto fetch = [&ledger, session = std::move(session), read, render](
                         const ledger::Page& page, std::uint64_t& total) -> Result<std::vector<Node>> {
    CANDOR_ASSIGN(const std::vector<Record> records, (ledger.*read)(session, page, total));
    std::vector<Node> rows;
    rows.reserve(records.size());
    for (const Record& record : records) rows.push_back(render(record));
    return rows;
  };
  return std::make_unique<LedgerList>(std::move(declaration), std::move(id), fetch);
}

}  // namespace

std::unique_ptr<scope::List> queries_list(ledger::Ledger& ledger, std::string session, const scope::Ceiling& ceiling) {
  return list_of<ledger::QueryRecord>(
      ledger, std::move(session),
      declared("queries",
               {"query_id", "session", "turn", "sql", "statement_type", "succeeded", "source", "resource", "code",
                "row_count", "output_cut", "started_ms", "elapsed_ms"},
               {}, {"sql"}, ceiling),
      "query_id", &ledger::Ledger::queries, query_head);
}

std::unique_ptr<scope::List> answers_list(ledger::Ledger& ledger, std::string session, const scope::Ceiling& ceiling) {
  return list_of<ledger::AnswerRecord>(
      ledger, std::move(session),
      declared("answers", {"answer_id", "session", "turn", "state", "query_id", "committed_ms"}, {"answer", "receipt"},
               {"answer", "receipt"}, ceiling),
      "answer_id", &ledger::Ledger::answers, answer_head);
}

std::unique_ptr<scope::List> batches_list(ledger::Ledger& ledger, std::string session, const scope::Ceiling& ceiling) {
  return list_of<ledger::UndoBatch>(
      ledger, std::move(session),
      declared("batches",
               {"batch_id", "session", "turn", "surface", "source", "contract", "scope.column", "scope.value", "state",
                "statement_count", "row_count", "resources", "kept_ms", "undone_ms"},
               {"scope"}, {}, ceiling),
      "batch_id", &ledger::Ledger::undo_batches, batch_node);
}

std::unique_ptr<scope::List> schema_list(const Schema& catalog) {
  std::vector<Node> rows;
  for (const engine::CatalogTable& table : catalog.tables) rows.push_back(table_node(table));
  // By source, schema and name.
  return std::make_unique<scope::RowsList>(
      declared("resources",
               {"resource", "schema", "kind", "temporary", "rows", "rows_estimated", "comment", "columns"}, {"file"},
               {"comment", "columns"}),
      std::move(rows));
}

std::unique_ptr<scope::List> faults_list(const ContractCheck& check) {
  std::vector<Node> rows;
  for (const ContractCheck::Fault& fault : check.faults) rows.push_back(fault_node(fault));
  // As the contract has its resources and columns.
  return std::make_unique<scope::RowsList>(
      declared("faults", {"kind", "resource", "column", "count", "message", "examples"}, {}, {"message", "examples"}),
      std::move(rows));
}

json::Node list_document(const scope::ShapedList& list) {
  Node document = Node::object();
  list.put_into(document);
  return document;
}

json::Node schema_document(const Schema& catalog, const scope::ShapedList& list) {
  Node document = Node::object();
  document.set("resource_count", number(list.surface().output_count));
  if (!catalog.notes.empty()) document.set("notes", texts_node(catalog.notes));
  if (!catalog.warnings.empty()) document.set("warnings", texts_node(catalog.warnings));
  list.put_into(document);
  return document;
}

json::Node contract_check_document(const ContractCheck& check, scope::ShapedList list) {
  Node document = Node::object();
  document.set("contract", Node::string(check.contract)).set("file", Node::string(check.file));
  document.set("source", Node::string(check.source)).set("clean", Node::boolean(check.faults.empty()));
  document.set("fault_count", number(check.faults.size()));
  std::vector<Node> resources;
  for (const ContractCheck::Resource& resource : check.resources) {
    Node node = Node::object();
    node.set("resource", Node::string(resource.name)).set("table", Node::string(resource.table));
    if (resource.rows) node.set("rows", number(*resource.rows));
    resources.push_back(std::move(node));
  }
  list.add_secondary("resources", std::move(resources));
  if (!check.notes.empty()) document.set("notes", texts_node(check.notes));
  list.put_into(document);
  return document;
}

}  // namespace candor::wire
