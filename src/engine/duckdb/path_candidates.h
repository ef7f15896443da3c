// What in a statement the engine could take for the path of a file: texts, quoted names and dotted names.
#pragma once

#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "engine/duckdb/tokens.h"

namespace candor::engine::duckdb {

struct PathCandidate {
  std::string text;  // without quotes, escapes decoded, adjacent texts and dotted parts joined
  Span span;
};

[[nodiscard]] std::vector<PathCandidate> path_candidates(const std::vector<Token>& tokens);

}  // namespace candor::engine::duckdb
