// What an agent's text is before the server sees it: its kind, the part that a cursor can be declared for, and the names
// of the functions and operators that it may call.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "engine/engine.h"

namespace candor::engine::postgres {

// A name that may be a function's.
struct Called {
  std::string schema;      // empty: on the search path
  std::string name;        // folded, as the catalog has it
  bool attribute = false;  // written like a column, `t.f`, which can call a function of one argument
  Span span;
  friend bool operator==(const Called& a, const Called& b) {
    return a.schema == b.schema && a.name == b.name && a.attribute == b.attribute;
  }
};

struct Statement {
  StatementKind kind = StatementKind::kSelect;
  std::string body;            // the query alone, byte for byte from `body_at` on
  std::size_t body_at = 0;     // where it begins in the text
  std::string explain;         // "EXPLAIN (…) " before it; empty otherwise
  std::vector<Called> called;  // each once
  std::vector<std::string> operators;
  std::vector<std::pair<std::size_t, Span>> parameters;  // the numbers of $1, $2, … and where they stand
  bool changes_rows = false;                             // a word of it is INSERT, UPDATE, DELETE or MERGE
  // The places of `source.` before names, where that can mean nothing but the source: blanked once it is known that no
  // schema has this name.
  std::vector<Span> source_prefixes;

  void blank_source_prefixes();
};

// SELECT, WITH, VALUES and TABLE, and EXPLAIN of them where it runs nothing. The rest fails with `read-only` (it would
// write), `statement-not-allowed`, `several-statements`, `invalid-text` or `syntax`. What a WITH leads to is decided by the
// server, which declares cursors for queries alone.
[[nodiscard]] Result<Statement> read_statement(std::string_view sql, std::string_view source);

}  // namespace candor::engine::postgres
