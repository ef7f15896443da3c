// The document of an explanation.
#include <utility>

#include "base/render_json.h"
#include "wire/wire.h"

namespace candor::wire {
namespace {

using json::Node;

Node span_node(const Span& span) {
  Node node = Node::object();
  return std::move(node.set("start", Node::number(static_cast<std::int64_t>(span.start)))
                       .set("end", Node::number(static_cast<std::int64_t>(span.end))));
}

Node outline_node(const Outline& outline) {
  Node node = Node::object();
  node.set("node", Node::string(outline.node));
  if (!outline.detail.empty()) node.set("detail", Node::string(outline.detail));
  if (outline.span) node.set("span", span_node(*outline.span));
  if (outline.children.empty()) return node;
  Node children = Node::array();
  for (const Outline& child : outline.children) children.push(outline_node(child));
  return std::move(node.set("children", std::move(children)));
}

// A value that running gives is {"later": "what it will be"}.
Node parameter_node(const Value& value) {
  if (value.kind == CellKind::kCut) {
    Node later = Node::object();
    return std::move(later.set("later", Node::string(value.text)));
  }
  if (value.kind == CellKind::kList) {
    Node list = Node::array();
    for (const Value& part : value.parts) list.push(parameter_node(part));
    return list;
  }
  std::string cells;
  CellWriter writer(cells);
  write_value(writer, value);
  CellReader reader(cells);
  std::string text;
  append_json(text, reader);
  return Node::raw(std::move(text));
}

Node step_node(const Explanation::Step& step) {
  Node parameters = Node::array();
  for (const Value& value : step.parameters) parameters.push(parameter_node(value));
  Node node = Node::object();
  return std::move(node.set("sql", Node::string(step.sql)).set("parameters", std::move(parameters)));
}

// Of a read its own statement stands there by itself; `steps` has what is asked beside it, or all that a write asks.
Node lowered_node(const Explanation::Statement& statement, const std::string& engine) {
  Node lowered = Node::object();
  lowered.set("engine", Node::string(engine));
  Node steps = Node::array();
  for (const Explanation::Step& step : statement.steps) {
    Node made = step_node(step);
    if (step.name == "read") {
      lowered.set("sql", made["sql"]).set("parameters", made["parameters"]);
      continue;
    }
    Node named = Node::object();
    named.set("step", Node::string(step.name)).set("when", Node::string(step.when));
    steps.push(std::move(named.set("sql", made["sql"]).set("parameters", made["parameters"])));
  }
  return std::move(lowered.set("steps", std::move(steps)));
}

Node statement_node(const Explanation::Statement& statement, const std::string& engine) {
  Node node = Node::object();
  node.set("sql", Node::string(statement.sql));
  if (statement.tree) node.set("normalized_sql", Node::string(statement.normalized_sql));
  Node tokens = Node::array();
  for (const Explanation::Token& token : statement.tokens) {
    Node one = Node::object();
    one.set("kind", Node::string(token.kind)).set("text", Node::string(token.text));
    tokens.push(std::move(one.set("span", span_node(token.span))));
  }
  node.set("tokens", std::move(tokens));
  if (statement.tree) node.set("tree", outline_node(*statement.tree));
  if (!statement.plan) return node;
  node.set("plan", outline_node(*statement.plan)).set("lowered", lowered_node(statement, engine));
  std::vector<Warning> warnings;
  for (const Explanation::Warning& one : statement.warnings) warnings.push_back({one.code, one.message, one.hint});
  return std::move(node.set("warnings", warnings_node(warnings)));
}

}  // namespace

json::Node explanation_document(const Explanation& explanation) {
  Node document = explanation.failure ? error_document(*explanation.failure) : Node::object();
  Node statements = Node::array();
  for (const Explanation::Statement& one : explanation.statements)
    statements.push(statement_node(one, explanation.engine));
  return std::move(document.set("statements", std::move(statements)));
}

}  // namespace candor::wire
