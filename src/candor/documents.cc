// The JSON of checks, holds and receipts.
#include "candor/documents.h"

#include <set>
#include <utility>

#include "base/render_json.h"

namespace candor {
namespace {

using json::Node;

std::string_view class_name(ErrorClass error_class) {
  switch (error_class) {
    case ErrorClass::kPermanent:
      return "permanent";
    case ErrorClass::kTransient:
      return "transient";
    case ErrorClass::kAmbiguous:
      return "ambiguous";
  }
  return "permanent";
}

Node number(std::uint64_t value) { return Node::number(static_cast<std::int64_t>(value)); }

// An engine puts whole values and names into its messages; none may be longer than a result.
constexpr std::size_t kMessageCharacters = 4'000;

void set_text(Node& node, std::string name, std::string_view text) {
  if (!text.empty()) node.set(std::move(name), Node::string(std::string(text)));
}

Node diagnostic_node(const Diagnostic& diagnostic) {
  Node node = Node::object();
  node.set("code", Node::string(diagnostic.code));
  node.set("message", Node::string(shortened(diagnostic.message, kMessageCharacters)));
  set_text(node, "detail", shortened(diagnostic.detail, kMessageCharacters));
  set_text(node, "hint", shortened(diagnostic.hint, kMessageCharacters));
  set_text(node, "fix", diagnostic.fix);
  if (diagnostic.span) {
    Node span = Node::object();
    span.set("start", number(diagnostic.span->start)).set("end", number(diagnostic.span->end));
    node.set("span", std::move(span));
  }
  return node;
}

Node side_document(const review::Side& side) {
  Node node = Node::object();
  node.set("table", Node::string(side.table));
  node.set("alias", Node::string(side.alias));
  node.set("full_name", Node::string(side.full_name));
  node.set("rows", number(side.rows)).set("matched", number(side.matched));
  node.set("grouped", Node::boolean(side.grouped));
  if (side.matched_without_other_filter) {
    node.set("matched_without_other_filter", number(*side.matched_without_other_filter));
  }
  return node;
}

std::uint64_t count_of(const Node& side, std::string_view name) {
  return static_cast<std::uint64_t>(side[name].integer().value_or(0));
}

}  // namespace

json::Node error_document(const Diagnostic& diagnostic) {
  Node document = Node::object();
  document.set("error", Node::boolean(true));
  Node first = diagnostic_node(diagnostic);
  for (auto& [name, value] : first.members()) document.set(name, value);
  const ErrorClass error_class = diagnostic.error_class();
  document.set("error_class", Node::string(std::string(class_name(error_class))));
  document.set("retryable", Node::boolean(error_class == ErrorClass::kTransient));
  Node all = Node::array();
  all.push(std::move(first));
  for (const Diagnostic& other : diagnostic.others) all.push(diagnostic_node(other));
  document.set("diagnostics", std::move(all));
  return document;
}

json::Node pair_document(const review::Pair& pair) {
  Node node = Node::object();
  node.set("condition", Node::string(pair.condition));
  node.set("left", side_document(pair.left)).set("right", side_document(pair.right));
  if (pair.sample) node.set("sample", Node::boolean(true)).set("margin", Node::number(pair.error));
  node.set("counting_sql", Node::string(pair.counting_sql));
  return node;
}

json::Node check_document(const review::CheckResult& check) {
  Node node = Node::object();
  node.set("check", Node::string(check.check));
  node.set("verdict", Node::string(std::string(review::to_string(check.verdict))));
  set_text(node, "reason", check.reason);
  set_text(node, "message", check.message);
  set_text(node, "stated", check.stated);
  if (!check.pairs.empty()) {
    Node joins = Node::array();
    for (const review::Pair& pair : check.pairs) joins.push(pair_document(pair));
    node.set("joins", std::move(joins));
  }
  return node;
}

json::Node hold_document(const Hold& hold) {
  Node document = Node::object();
  document.set("status", Node::string("error"));
  document.set("title", Node::string("Answer not committed"));
  Node findings = Node::array();
  Node checks = Node::array();
  Node joins = Node::array();
  for (const review::CheckResult& check : hold.checks) {
    if (check.verdict == review::Verdict::kFinding) {
      Node finding = Node::object();
      finding.set("check", Node::string(check.check)).set("verdict", Node::string("finding"));
      set_text(finding, "message", check.message);
      findings.push(std::move(finding));
    } else {
      review::CheckResult bare = check;
      bare.pairs.clear();
      checks.push(check_document(bare));
    }
    for (const review::Pair& pair : check.pairs) joins.push(pair_document(pair));
  }
  Node evidence = Node::object();
  evidence.set("joins", std::move(joins));
  document.set("findings", std::move(findings)).set("evidence", std::move(evidence));
  if (!checks.items().empty()) document.set("other_checks", std::move(checks));
  set_text(document, "final_query_id", hold.final_query_id);
  document.set("join_check_ms", Node::number(hold.join_check_ms));
  return document;
}

json::Node receipt_document(const Receipt& receipt) {
  Node document = Node::object();
  set_text(document, "query_id", receipt.query_id);
  set_text(document, "query_reason", receipt.query_reason);
  set_text(document, "query_sql", receipt.query_sql);
  if (!receipt.scope.empty()) document.set("scope", Node::raw(receipt.scope));
  Node checks = Node::array();
  for (const review::CheckResult& check : receipt.checks) {
    Node node = check_document(check);
    if (receipt.acknowledged && check.verdict == review::Verdict::kFinding) {
      node.set("acknowledged", Node::boolean(true));
    }
    checks.push(std::move(node));
  }
  document.set("checks", std::move(checks));
  document.set("acknowledged", Node::boolean(receipt.acknowledged));
  document.set("join_check_ms", Node::number(receipt.join_check_ms));
  return document;
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

std::vector<Verification::Entry> stored_counts(const json::Node& receipt) {
  std::vector<Verification::Entry> entries;
  for (const Node& check : receipt["checks"].items()) {
    for (const Node& pair : check["joins"].items()) {
      Verification::Entry entry;
      entry.check = std::string(check.string_or("check", ""));
      entry.counting_sql = std::string(pair.string_or("counting_sql", ""));
      entry.stored = {count_of(pair["left"], "rows"), count_of(pair["left"], "matched"),
                      count_of(pair["right"], "rows"), count_of(pair["right"], "matched")};
      entries.push_back(std::move(entry));
    }
  }
  return entries;
}

}  // namespace candor
