// Text to syntax trees. All errors of the text are told: after one the parser goes on at the next clause or statement.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "dialect/ast.h"

namespace candor::dialect {

struct ParseLimits {
  std::size_t depth = 64;       // of nested predicates and subqueries (predicate_depth)
  std::size_t statements = 50;  // of a batch (statements_per_batch)
  std::size_t bytes = 4'000'000;
};

// A spelling of another system that was read as one of this dialect.
struct ReadAs {
  Span span;
  std::string written, read;  // "`card_no`", "\"card_no\""
  std::string_view kind;      // quoted-name, text-alias, top
};

struct Parsed {
  std::vector<Statement> statements;  // those without errors alone
  std::vector<Diagnostic> errors;     // syntax-error, unsupported-construct, predicate-too-deep, batch-too-long …
  std::vector<ReadAs> read_as;
  std::size_t count = 0;  // statements of the text, those with errors included
};

// Never fails as a whole and never takes more than linear time and memory in the length of the text.
[[nodiscard]] Parsed parse(std::string_view sql, const ParseLimits& limits = {});

}  // namespace candor::dialect
