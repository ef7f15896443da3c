// The private parser instance.
#include "engine/duckdb/parser.h"

#include <charconv>
#include <cstddef>
#include <optional>
#include <system_error>
#include <utility>

#include "base/render_json.h"
#include "engine/duckdb/errors.h"
#include "engine/duckdb/rows.h"
#include "engine/duckdb/tokens.h"
#include "json/json.h"

namespace candor::engine::duckdb {
namespace {

constexpr int kTreeDepthMax = 1000;

std::optional<std::size_t> read_position(const json::Node& node) {
  const std::string text(node.string_or("position", ""));
  std::size_t position = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), position);
  if (text.empty() || failure != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return position;
}

// {"error":true,"error_type":…,"error_message":…,"position":"13"}
Diagnostic tree_error(const json::Node& node, std::string_view sql) {
  std::string message(node.string_or("error_message", "the text can't be parsed"));
  if (message.find("Only SELECT statements") != std::string::npos)
    return make_error("statement-kind", "only a SELECT has a tree");
  Diagnostic made = make_error("syntax", message.substr(0, message.find('\n')));
  std::optional<std::size_t> position = read_position(node);
  // The grammar counts characters, everything after it bytes.
  if (position && node.string_or("error_subtype", "") == "SYNTAX_ERROR") position = utf8_prefix(sql, *position).size();
  if (!position || *position > sql.size()) return made;
  made.span = Span{*position, *position};
  for (const Token& token : tokenize(sql)) {
    if (token.span.start <= *position && *position < token.span.end) made.span = token.span;
  }
  return made;
}

// 1.5.6 reads through a null pointer for a SELECT without the member, so no such tree may reach it.
Status check_tree(const json::Node& node, int depth) {
  if (depth > kTreeDepthMax) return make_error("bad-request", "the tree is nested too deeply");
  if (node.is_object() && node.string_or("type", "") == "SELECT_NODE" && !node["from_table"].is_object()) {
    return make_error("bad-request", "a SELECT_NODE of the tree has no from_table");
  }
  for (const json::Node& item : node.items()) CANDOR_TRY(check_tree(item, depth + 1));
  for (const auto& [name, member] : node.members()) CANDOR_TRY(check_tree(member, depth + 1));
  return Ok{};
}

bool fits(std::string_view text) { return is_utf8(text) && text.find('\0') == std::string_view::npos; }

}  // namespace

Status ParserInstance::open() {
  if (serialize_ && deserialize_) return Ok{};
  Configuration configuration;
  if (duckdb_create_config(configuration.out()) != DuckDBSuccess) return make_error("engine-error", "no configuration");
  duckdb_set_config(configuration.get(), "threads", "1");
  duckdb_set_config(configuration.get(), "memory_limit", "512MB");
  duckdb_set_config(configuration.get(), "autoload_known_extensions", "false");
  duckdb_set_config(configuration.get(), "autoinstall_known_extensions", "false");
  if (duckdb_open_ext(":memory:", database_.out(), configuration.get(), nullptr) != DuckDBSuccess ||
      duckdb_connect(database_.get(), connection_.out()) != DuckDBSuccess) {
    return make_error("engine-error", "the parser's instance can't be opened");
  }
  CANDOR_TRY(execute(connection_.get(), "SET temp_directory = ''"));
  CANDOR_TRY(execute(connection_.get(), "SET enable_external_access = false"));
  CANDOR_TRY(execute(connection_.get(), "SET lock_configuration = true"));
  if (duckdb_prepare(connection_.get(), "SELECT system.main.json_serialize_sql($1::VARCHAR)::VARCHAR",
                     serialize_.out()) != DuckDBSuccess ||
      duckdb_prepare(connection_.get(), "SELECT system.main.json_deserialize_sql($1::JSON)::VARCHAR",
                     deserialize_.out()) != DuckDBSuccess) {
    serialize_.reset();
    return make_error("engine-error", "the engine has no json_serialize_sql");
  }
  return Ok{};
}

Result<std::string> ParserInstance::call(Prepared& statement, std::string_view argument) {
  duckdb_bind_varchar_length(statement.get(), 1, argument.data(), argument.size());
  QueryResult result;
  if (duckdb_execute_prepared(statement.get(), result.out()) != DuckDBSuccess)
    return translate_error(result.error(), {});
  const Chunk chunk(duckdb_fetch_chunk(*result.get()));
  if (!chunk || duckdb_data_chunk_get_size(chunk.get()) != 1) {
    return make_error("engine-error", "the engine's parser gave nothing");
  }
  duckdb_vector vector = duckdb_data_chunk_get_vector(chunk.get(), 0);
  std::uint64_t* validity = duckdb_vector_get_validity(vector);
  if (validity != nullptr && !duckdb_validity_row_is_valid(validity, 0)) {
    return make_error("engine-error", "the engine's parser gave NULL");
  }
  auto* texts = static_cast<duckdb_string_t*>(duckdb_vector_get_data(vector));
  return std::string(duckdb_string_t_data(texts), duckdb_string_t_length(*texts));
}

Result<std::string> ParserInstance::tree(std::string_view sql) {
  if (!fits(sql)) return make_error("invalid-text", "the statement is not valid UTF-8 or holds a NUL");
  const std::lock_guard lock(mutex_);
  CANDOR_TRY(open());
  CANDOR_ASSIGN(std::string tree, call(serialize_, sql));
  // Successful trees begin with {"error":false; only the short error document is worth parsing here.
  constexpr std::string_view kGood = "{\"error\":false";
  if (tree.starts_with(kGood)) return tree;
  CANDOR_ASSIGN(const json::Node node, json::parse(tree));
  if (!node["error"].is_boolean() || node["error"].truth()) return tree_error(node, sql);
  return tree;
}

Result<std::string> ParserInstance::text(std::string_view tree) {
  json::ParseLimits limits;
  limits.depth_max = kTreeDepthMax;
  CANDOR_ASSIGN(const json::Node node, json::parse(tree, limits));
  if (!node["statements"].is_array() || node["statements"].items().empty()) {
    return make_error("bad-request", "the tree holds no statement");
  }
  for (const json::Node& statement : node["statements"].items()) {
    if (!statement["node"].is_object()) return make_error("bad-request", "a statement of the tree has no node");
  }
  CANDOR_TRY(check_tree(node, 0));
  const std::lock_guard lock(mutex_);
  CANDOR_TRY(open());
  Result<std::string> text = call(deserialize_, tree);
  if (!text.ok()) return make_error("bad-request", "the engine can't print the tree", {}, text.error().message);
  return text;
}

}  // namespace candor::engine::duckdb
