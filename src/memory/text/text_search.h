// The text leg of a search: BM25 over memories and over the pieces of long bodies.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "memory/search/eligible.h"
#include "memory/text/text_query.h"
#include "sqlite/sqlite.h"

namespace candor::memory {

struct TextAnswer {
  std::vector<Scored> hits;  // every eligible memory that holds a term, best first
  TextQuery query;
  double full_score = 0;  // of a memory of mean length that holds every word of the query once
};

// Fails only where the file does.
[[nodiscard]] Result<TextAnswer> search_text(sqlite::Database& database, std::string_view query,
                                             const Eligible& eligible);

// The query alone, as search_text reads it.
[[nodiscard]] Result<TextQuery> read_query(sqlite::Database& database, std::string_view query);

}  // namespace candor::memory
