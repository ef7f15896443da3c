// Any bytes as SQL text: the lexer's promises hold, nothing crashes.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "sql/lexer.h"

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view sql(reinterpret_cast<const char*>(data), size);
  std::size_t end = 0;
  for (const candor::sql::Token& token : candor::sql::tokenize(sql)) {
    require(token.span.start >= end && token.span.end > token.span.start && token.span.end <= size && token.depth >= 0);
    end = token.span.end;
    (void)candor::sql::identifier(token);
  }
  end = 0;
  for (const candor::Span& span : candor::sql::split_statements(sql)) {
    require(span.start >= end && span.end > span.start && span.end <= size);
    end = span.end;
  }
  for (const candor::sql::TableMention& mention : candor::sql::table_mentions(sql)) {
    require(!mention.parts.empty() && mention.span.end <= size && mention.span.start < mention.span.end);
  }
  if (const auto clause = candor::sql::limit_clause(sql))
    require(clause->span.start < clause->span.end && clause->span.end <= size);
  const std::string normal = candor::sql::normalize(sql);
  require(candor::sql::normalize(normal) == normal);
  return 0;
}
