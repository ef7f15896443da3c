// Lines as wide as they are: SQL is for copying.
#include "cli/explanation_text.h"

#include <algorithm>
#include <vector>

#include "base/render_json.h"
#include "cli/text_layout.h"

namespace candor::cli {
namespace {

std::string heading(const Stream& out, const std::string& text) {
  return "\n" + out.painted(Paint::kBold, text) + "\n";
}

std::string span_text(const Span& span) { return std::to_string(span.start) + ".." + std::to_string(span.end); }

std::string tokens_text(const Stream& out, const std::vector<Explanation::Token>& tokens) {
  std::size_t widest = 0;
  for (const Explanation::Token& token : tokens) widest = std::max(widest, span_text(token.span).size());
  std::string text;
  for (const Explanation::Token& token : tokens) {
    const std::string place = padded(span_text(token.span), widest, Align::kLeft);
    text += "  " + out.painted(Paint::kDim, place + "  " + padded(token.kind, 9, Align::kLeft)) + "  " +
            visible(token.text) + "\n";
  }
  return text;
}

void append_tree(const Stream& out, const Outline& outline, std::size_t level, std::string& text) {
  text.append(2 * level, ' ');
  text += out.painted(Paint::kCyan, outline.node);
  if (!outline.detail.empty()) text += " " + visible(outline.detail);
  if (outline.span) text += "  " + out.painted(Paint::kDim, span_text(*outline.span));
  text += "\n";
  for (const Outline& child : outline.children) append_tree(out, child, level + 1, text);
}

std::string value_text(const Value& value) {
  if (value.kind == CellKind::kCut) return "(" + value.text + ")";
  if (value.kind == CellKind::kList) {
    std::string list;
    for (const Value& part : value.parts) list += (list.empty() ? "" : ", ") + value_text(part);
    return "[" + list + "]";
  }
  std::string cells;
  CellWriter writer(cells);
  write_value(writer, value);
  CellReader reader(cells);
  std::string text;
  append_json(text, reader);
  return text;
}

std::string step_text(const Stream& out, const Explanation::Step& step, std::string_view sign) {
  std::string text = "  " + out.painted(Paint::kCyan, step.name) + "  " + out.painted(Paint::kDim, step.when) + "\n";
  text += "    " + visible(step.sql) + "\n";
  for (std::size_t i = 0; i < step.parameters.size(); ++i) {
    text += "    " + out.painted(Paint::kDim, std::string(sign) + std::to_string(i + 1)) + " = " +
            visible(value_text(step.parameters[i])) + "\n";
  }
  return text;
}

std::string statement_text(const Stream& out, const Explanation::Statement& statement, const std::string& engine) {
  std::string text;
  if (statement.tree) text += "\n" + out.painted(Paint::kGreen, visible(statement.normalized_sql)) + "\n";
  text += heading(out, "Tokens") + tokens_text(out, statement.tokens);
  if (statement.tree) {
    text += heading(out, "Syntax tree");
    append_tree(out, *statement.tree, 1, text);
  }
  if (!statement.plan) return text;
  text += heading(out, "Logical plan");
  append_tree(out, *statement.plan, 1, text);
  text += heading(out, "SQL for " + engine);
  if (statement.steps.empty()) text += "  none: the contract itself has the answer\n";
  for (const Explanation::Step& step : statement.steps) text += step_text(out, step, engine == "sqlite" ? "?" : "$");
  return text;
}

}  // namespace

std::string explanation_text(const Stream& out, const Explanation& explanation) {
  std::string text;
  const std::size_t count = explanation.statements.size();
  for (std::size_t i = 0; i < count; ++i) {
    if (count > 1) text += heading(out, "Statement " + std::to_string(i + 1) + " of " + std::to_string(count));
    text += statement_text(out, explanation.statements[i], explanation.engine);
  }
  return text.starts_with('\n') ? text.substr(1) : text;
}

}  // namespace candor::cli
