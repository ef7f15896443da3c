// DuckDB's parser for those who have no DuckDB engine: a private instance that is opened when it is first asked, and that
// can reach nothing. Its header names no type of DuckDB.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace candor::engine::duckdb {

class ParserInstance;

class SyntaxParser {
 public:
  SyntaxParser();
  ~SyntaxParser();
  SyntaxParser(const SyntaxParser&) = delete;
  SyntaxParser& operator=(const SyntaxParser&) = delete;

  // As Engine::syntax_tree and Engine::print_tree. May be called from several threads.
  [[nodiscard]] Result<std::string> syntax_tree(std::string_view sql);
  [[nodiscard]] Result<std::string> print_tree(std::string_view tree);

 private:
  std::unique_ptr<ParserInstance> instance_;
};

}  // namespace candor::engine::duckdb
