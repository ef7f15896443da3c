// What the dialect makes of a text, stage by stage: tokens, syntax tree, logical plan, the source's own SQL. Nothing is run.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "base/outline.h"
#include "base/value.h"

namespace candor {

struct Explanation {
  struct Token {
    std::string kind;  // "word", "string", "number", "symbol" …
    std::string text;
    Span span;
  };
  struct Step {
    std::string name, when;
    std::string sql;
    std::vector<Value> parameters;  // $1, $2, …; of kind kCut where running gives the value, which its text describes
  };
  struct Warning {
    std::string code, message, hint;
  };
  struct Statement {
    std::string sql;
    std::string normalized_sql;  // empty, as all below but the tokens, where the text has errors
    std::vector<Token> tokens;   // spans are of the whole text
    std::optional<Outline> tree, plan;
    std::vector<Step> steps;
    std::vector<Warning> warnings;
  };
  std::string engine;  // "duckdb", "sqlite", "postgresql": whose SQL the steps are
  std::vector<Statement> statements;
  std::optional<Diagnostic> failure;  // what running the text would be refused for, all errors of it
};

}  // namespace candor
