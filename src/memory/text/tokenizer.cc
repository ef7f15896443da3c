// What FTS5 is given of a text.
#include "memory/text/tokenizer.h"

#include "memory/text/analysis.h"
#include "sqlite/tokenizer.h"

namespace candor::memory {
namespace {

void tokenize(std::string_view text, bool query, sqlite::TermSink& sink) {
  if (query) {
    if (!text.empty()) sink.put(text, 0, text.size(), false);
    return;
  }
  for_each_term(text, [&](const Term& term) { return sink.put(term.text, term.start, term.end, term.same_position); });
}

constexpr sqlite::Tokenizer kTokenizer{.name = "candor", .tokenize = &tokenize};

}  // namespace

Status register_tokenizer(sqlite::Database& database) { return sqlite::add_tokenizer(database, kTokenizer); }

}  // namespace candor::memory
