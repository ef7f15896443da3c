// The parser's instance behind a header without DuckDB.
#include "engine/duckdb/syntax_parser.h"

#include "engine/duckdb/parser.h"

namespace candor::engine::duckdb {

SyntaxParser::SyntaxParser() : instance_(std::make_unique<ParserInstance>()) {}
SyntaxParser::~SyntaxParser() = default;

Result<std::string> SyntaxParser::syntax_tree(std::string_view sql) { return instance_->tree(sql); }
Result<std::string> SyntaxParser::print_tree(std::string_view tree) { return instance_->text(tree); }

}  // namespace candor::engine::duckdb
