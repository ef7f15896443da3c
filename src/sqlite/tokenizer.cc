// The interface of FTS5 for tokenizers.
#include "sqlite/tokenizer.h"

#include <new>
#include <sqlite3.h>

namespace candor::sqlite {
namespace {

int create(void* data, const char** /*arguments*/, int /*count*/, Fts5Tokenizer** out) {
  *out = static_cast<Fts5Tokenizer*>(data);
  return SQLITE_OK;
}

void destroy(Fts5Tokenizer* /*tokenizer*/) {}

int tokenize(Fts5Tokenizer* data, void* context, int flags, const char* text, int bytes, TermSink::Give give) {
  TermSink sink(give, context);
  const auto& tokenizer = *reinterpret_cast<const Tokenizer*>(data);
  try {
    tokenizer.tokenize({text == nullptr ? "" : text, static_cast<std::size_t>(bytes)},
                       (flags & FTS5_TOKENIZE_QUERY) != 0, sink);
  } catch (const std::bad_alloc&) {
    return SQLITE_NOMEM;
  }
  return sink.status();
}

fts5_api* api_of(sqlite3* handle) {
  fts5_api* api = nullptr;
  sqlite3_stmt* statement = nullptr;
  if (sqlite3_prepare_v2(handle, "SELECT fts5(?1)", -1, &statement, nullptr) == SQLITE_OK) {
    sqlite3_bind_pointer(statement, 1, static_cast<void*>(&api), "fts5_api_ptr", nullptr);
    sqlite3_step(statement);
  }
  sqlite3_finalize(statement);
  return api;
}

}  // namespace

bool TermSink::put(std::string_view term, std::size_t start, std::size_t end, bool same_position) {
  if (status_ != SQLITE_OK) return false;
  status_ = give_(context_, same_position ? FTS5_TOKEN_COLOCATED : 0, term.data(), static_cast<int>(term.size()),
                  static_cast<int>(start), static_cast<int>(end));
  return status_ == SQLITE_OK;
}

Status add_tokenizer(Database& database, const Tokenizer& tokenizer) {
  auto* api = api_of(database.handle());
  if (api == nullptr) return make_error("storage", "this SQLite has no full-text search");
  fts5_tokenizer methods{.xCreate = &create, .xDelete = &destroy, .xTokenize = &tokenize};
  void* data = const_cast<Tokenizer*>(&tokenizer);
  if (api->xCreateTokenizer(api, tokenizer.name, data, &methods, nullptr) == SQLITE_OK) return Ok{};
  return make_error("storage", "a tokenizer could not be registered: " + std::string(tokenizer.name));
}

}  // namespace candor::sqlite
