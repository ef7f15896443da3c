// The counting statement of DuckDB; see counting_sql.h. EXISTS over two materialized projections was the fastest of five
// exact forms, and the only one that a fan-out does not slow down: docs/decisions/0040-review.md.
#include <utility>
#include <vector>

#include "json/json.h"
#include "review/counting_sql.h"
#include "review/syntax/expression_text.h"
#include "review/syntax/tree.h"

namespace candor::review {
namespace {

using syntax::always_quoted;

Diagnostic not_measured(std::string why) { return make_error("not-measured", std::move(why)); }

// The SELECT_NODE of a parsed text.
json::Node* select_node(json::Node& document) {
  json::Node* statements = document.find("statements");
  if (statements == nullptr || statements->items().size() != 1) return nullptr;
  return statements->items().front().find("node");
}

Result<json::Node> parse_text(engine::Engine& engine, const std::string& sql) {
  Result<std::string> text = engine.syntax_tree(sql);
  if (!text.ok()) return not_measured("the engine does not parse its own text: " + text.error().message);
  Result<json::Node> document = json::parse(*text);
  if (!document.ok() || select_node(*document) == nullptr) return not_measured("the parser's tree can't be read");
  return document;
}

json::Node conjunction(std::vector<json::Node> conjuncts) {
  if (conjuncts.size() == 1) return std::move(conjuncts.front());
  json::Node all = json::Node::object();
  all.set("class", json::Node::string("CONJUNCTION"));
  all.set("type", json::Node::string("CONJUNCTION_AND"));
  all.set("alias", json::Node::string(""));
  json::Node children = json::Node::array();
  for (json::Node& conjunct : conjuncts) children.push(std::move(conjunct));
  all.set("children", std::move(children));
  return all;
}

// A statement of the shape that is wanted, in which nodes are then replaced: the tree of another version of the engine
// may have members that are not known here.
std::string template_text(const CountedSide& side, bool sampled) {
  std::string sql = "SELECT ";
  for (std::size_t i = 0; i < side.keys->size(); ++i) {
    sql += (i > 0 ? ", " : "") + std::to_string(i) + " AS k" + std::to_string(i + 1);
  }
  const engine::TableName& name = side.facts->resolved;
  const std::string alias = always_quoted(side.plan->ref.alias);
  sql += " FROM " + always_quoted(name.source) + "." + always_quoted(name.schema) + "." + always_quoted(name.table) +
         " AS " + alias + " WHERE ";
  // By the row and not by the key: a sample of keys would take a frequent key whole or not at all.
  if (sampled) return sql + "system.main.hash(" + alias + ".rowid) % " + std::to_string(side.one_in) + " = 0";
  return sql + "true";
}

void put_keys(json::Node& select, const std::vector<json::Node>& keys) {
  json::Node* list = select.find("select_list");
  if (list == nullptr || list->items().size() != keys.size()) return;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    json::Node key = keys[i];
    key.set("alias", json::Node::string("k" + std::to_string(i + 1)));
    list->items()[i] = std::move(key);
  }
}

// `SELECT k AS k1 FROM table WHERE filter`, with the agent's expressions.
Result<std::string> projection(const CountedSide& side, bool filtered, bool sampled, engine::Engine& engine) {
  CANDOR_ASSIGN(json::Node document, parse_text(engine, template_text(side, sampled && side.one_in > 1)));
  json::Node& select = *select_node(document);
  put_keys(select, *side.keys);
  std::vector<json::Node> conjuncts;
  if (filtered) conjuncts = side.plan->filters;
  if (sampled && side.one_in > 1) conjuncts.push_back(select["where_clause"]);
  select.set("where_clause", conjuncts.empty() ? json::Node() : conjunction(std::move(conjuncts)));
  const Result<std::string> text = engine.print_tree(json::dump(document));
  if (!text.ok()) return not_measured("a key or filter can't be printed back: " + text.error().message);
  CANDOR_ASSIGN(json::Node again, parse_text(engine, *text));
  syntax::strip_locations(document);
  syntax::strip_locations(again);
  if (!(document == again)) return not_measured("a key or filter is another one when it is printed back");
  std::string sql = *text;
  while (!sql.empty() && (sql.back() == ';' || sql.back() == ' ' || sql.back() == '\n')) sql.pop_back();
  return sql;
}

std::string equalities(std::size_t keys) {
  std::string text;
  for (std::size_t i = 1; i <= keys; ++i) {
    const std::string k = "k" + std::to_string(i);
    text.append(i > 1 ? " AND l." : "l.").append(k).append(" = r.").append(k);
  }
  return text;
}

std::string count(const std::string& from, const std::string& where, const std::string& name) {
  return "(SELECT system.main.count_star() FROM " + from + (where.empty() ? "" : " WHERE " + where) + ") AS " + name;
}

}  // namespace

Result<std::string> duckdb_counting_sql(const CountingRequest& request, engine::Engine& engine) {
  CANDOR_ASSIGN(const std::string left, projection(request.left, true, true, engine));
  CANDOR_ASSIGN(const std::string right, projection(request.right, true, true, engine));
  // What a side is looked up in is never a sample.
  std::string in_left = "left_side";
  std::string in_right = "right_side";
  if (request.left.one_in > 1) {
    CANDOR_ASSIGN(const std::string whole, projection(request.left, true, false, engine));
    in_left = "(" + whole + ")";
  }
  if (request.right.one_in > 1) {
    CANDOR_ASSIGN(const std::string whole, projection(request.right, true, false, engine));
    in_right = "(" + whole + ")";
  }
  const std::string equal = equalities(request.left.keys->size());
  const auto exists = [&](const std::string& source, const std::string& name) {
    return "EXISTS (SELECT 1 FROM " + source + " AS " + name + " WHERE " + equal + ")";
  };
  std::string sql = "WITH left_side AS MATERIALIZED (" + left + "), right_side AS MATERIALIZED (" + right +
                    ") SELECT " + count("left_side AS l", "", "left_rows") + ", " +
                    count("left_side AS l", exists(in_right, "r"), "left_matched") + ", " +
                    count("right_side AS r", "", "right_rows") + ", " +
                    count("right_side AS r", exists(in_left, "l"), "right_matched");
  if (request.unfiltered) {
    CANDOR_ASSIGN(const std::string all_left, projection(request.left, false, false, engine));
    CANDOR_ASSIGN(const std::string all_right, projection(request.right, false, false, engine));
    sql += ", " + count("left_side AS l", exists("(" + all_right + ")", "r"), "left_matched_unfiltered") + ", " +
           count("right_side AS r", exists("(" + all_left + ")", "l"), "right_matched_unfiltered");
  }
  return sql;
}

}  // namespace candor::review
