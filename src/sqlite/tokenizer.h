// Tokenizers of the connection's own for FTS5 tables.
#pragma once

#include <cstddef>
#include <string_view>

#include "base/result.h"
#include "sqlite/sqlite.h"

namespace candor::sqlite {

// Where a tokenizer puts the terms of a text.
class TermSink {
 public:
  using Give = int (*)(void* context, int flags, const char* text, int bytes, int start, int end);
  TermSink(Give give, void* context) : give_(give), context_(context) {}
  // `start` and `end` are bytes of the text; `same_position`: beside the term before it. False: stop.
  bool put(std::string_view term, std::size_t start, std::size_t end, bool same_position);
  [[nodiscard]] int status() const { return status_; }  // SQLite's code of the first failure

 private:
  Give give_;
  void* context_;
  int status_ = 0;
};

// Called for a stored text, or with `query` for one quoted part of a MATCH. May throw nothing but std::bad_alloc.
using Tokenize = void (*)(std::string_view text, bool query, TermSink& sink);

struct Tokenizer {
  const char* name;
  Tokenize tokenize;
};

// `tokenizer` must outlive the connection.
[[nodiscard]] Status add_tokenizer(Database& database, const Tokenizer& tokenizer);

}  // namespace candor::sqlite
