// The REST surface of a contract as an OpenAPI 3.1 document: https://spec.openapis.org/oas/v3.1.0.
#include <algorithm>
#include <string>
#include <utility>

#include "contract/describe.h"
#include "contract/rules.h"
#include "json/json.h"

namespace candor::contract {
namespace {

using json::Node;

Node text(std::string_view value) { return Node::string(std::string(value)); }

Node object(std::vector<std::pair<std::string, Node>> members) {
  Node node = Node::object();
  node.members() = std::move(members);
  return node;
}

Node texts(std::initializer_list<std::string_view> values) {
  Node list = Node::array();
  for (const std::string_view value : values) list.push(text(value));
  return list;
}

Node of_type(std::string_view type) { return object({{"type", text(type)}}); }
Node described(Node node, std::string_view description) {
  return std::move(node.set("description", text(description)));
}
Node list_of(Node items) { return object({{"type", text("array")}, {"items", std::move(items)}}); }
Node ref(const std::string& schema) { return object({{"$ref", text("#/components/schemas/" + schema)}}); }

Node json_content(Node schema) { return object({{"application/json", object({{"schema", std::move(schema)}})}}); }

// ---- a row of a resource ----

// The JSON types of a value that is not NULL; numbers that a double can't carry are texts.
std::vector<std::string_view> json_types(Type type) {
  switch (type) {
    case Type::kInteger:
      return {"integer", "string"};
    case Type::kNumber:
      return {"number", "string"};
    case Type::kBoolean:
      return {"boolean"};
    case Type::kJson:
      return {};
    case Type::kStringArray:
    case Type::kIntegerArray:
      return {"array"};
    default:
      return {"string"};
  }
}

Node value_schema(const Column& column) {
  Node schema = Node::object();
  std::vector<std::string_view> types = json_types(column.type);
  if (column.nullable && !types.empty()) types.emplace_back("null");
  if (types.size() == 1) {
    schema.set("type", text(types.front()));
  } else if (!types.empty()) {
    Node list = Node::array();
    for (const std::string_view type : types) list.push(text(type));
    schema.set("type", std::move(list));
  }
  if (column.type == Type::kDate) schema.set("format", text("date"));
  if (column.type == Type::kUuid) schema.set("format", text("uuid"));
  if (column.type == Type::kStringArray) schema.set("items", of_type("string"));
  if (column.type == Type::kIntegerArray) {
    schema.set("items", object({{"type", texts({"integer", "string"})}}));
  }
  if (!column.allowed.empty()) {
    Node allowed = Node::array();
    for (const std::string& value : column.allowed) allowed.push(text(value));
    if (column.nullable) allowed.push(Node());
    schema.set("enum", std::move(allowed));
  }
  return schema;
}

Node row_schema(const Resource& resource) {
  Node properties = Node::object();
  Node required = Node::array();
  for (const Column& column : resource.columns) {
    Node schema = value_schema(column);
    std::string notes{to_string(column.type)};
    for (const std::string& note : column_notes(resource, column)) notes += "; " + note;
    schema.set("description", text(notes));
    if (column.read_only || !(resource.insert || resource.update)) schema.set("readOnly", Node::boolean(true));
    properties.members().emplace_back(column.name, std::move(schema));
    required.push(text(column.name));
  }
  std::string description = resource.description + (resource.description.empty() ? "" : " ") + resource_notes(resource);
  for (const Absent& absent : resource.absent) description += "\n\nNot here: `" + absent.name + "`. " + absent.text;
  return object({{"type", text("object")},
                 {"description", text(description)},
                 {"properties", std::move(properties)},
                 {"required", std::move(required)}});
}

// ---- requests and answers ----

Node request_schema(const Contract& contract) {
  Node properties = object({
      {"sql", described(of_type("string"), filled("Up to {statements_per_batch} statements.", contract))},
      {"dry_run", described(of_type("boolean"), "Count what a write would touch, and write nothing.")},
      {"session", described(of_type("string"), "Names a session that lasts over several calls.")},
      {"turn_id", described(of_type("string"), "The question that the statements belong to.")},
  });
  return object({{"type", text("object")},
                 {"properties", std::move(properties)},
                 {"required", texts({"sql"})},
                 {"additionalProperties", Node::boolean(false)}});
}

Node result_column() {
  return object(
      {{"type", text("object")},
       {"properties", object({{"name", of_type("string")}, {"type", of_type("string")}, {"id", of_type("string")}})},
       {"required", texts({"name", "type", "id"})}});
}

Node statement_schema(const Contract& contract) {
  Node rows = list_of(of_type("array"));
  rows.set("maxItems", Node::number(contract.rows_per_statement));
  rows.set("description",
           text(filled("Values in the order of columns; over {result_chars} characters is an error.", contract)));
  Node properties = object({
      {"query_id", of_type("string")},
      {"statement_type", of_type("string")},
      {"resource", of_type("string")},
      {"columns", list_of(result_column())},
      {"rows", std::move(rows)},
      {"row_count", of_type("integer")},
      {"affected_count", described(of_type("integer"), "Rows that a write changed.")},
      {"batch_id", described(of_type("string"), "Of a write that the operator can undo.")},
      {"rows_omitted", of_type("boolean")},
      {"warnings", list_of(ref("Diagnostic"))},
      {"normalized_sql", described(of_type("string"), "The statement as it was understood.")},
      {"agent_surface", described(of_type("object"), "What the rows are a part of.")},
      {"elapsed_ms", of_type("number")},
  });
  return object({{"type", text("object")},
                 {"properties", std::move(properties)},
                 {"required", texts({"query_id", "statement_type"})}});
}

Node batch_schema(const Contract& contract) {
  Node statements = list_of(ref("Statement"));
  statements.set("maxItems", Node::number(contract.statements_per_batch));
  Node properties = object({
      {"statement_type", object({{"const", text("batch")}})},
      {"statements", std::move(statements)},
      {"statement_count", of_type("integer")},
      {"affected_count_total", of_type("integer")},
      {"batch_id", of_type("string")},
      {"rows_omitted", of_type("boolean")},
  });
  return object({{"type", text("object")},
                 {"properties", std::move(properties)},
                 {"required", texts({"statement_type", "statements", "statement_count"})}});
}

Node diagnostic_schema() {
  Node span = object(
      {{"type", text("object")}, {"properties", object({{"start", of_type("integer")}, {"end", of_type("integer")}})}});
  Node properties = object({
      {"code", of_type("string")},
      {"message", of_type("string")},
      {"detail", described(of_type("string"), "Measured facts.")},
      {"hint", described(of_type("string"), "What to do.")},
      {"fix", described(of_type("string"), "The corrected statement, where it is certain.")},
      {"span", described(std::move(span), "Bytes of the SQL text.")},
  });
  return object(
      {{"type", text("object")}, {"properties", std::move(properties)}, {"required", texts({"code", "message"})}});
}

Node error_schema() {
  Node properties = object({
      {"error", object({{"const", Node::boolean(true)}})},
      {"error_class", object({{"enum", texts({"permanent", "transient", "ambiguous"})}})},
      {"retryable", of_type("boolean")},
      {"diagnostics", described(list_of(ref("Diagnostic")), "All of them, in the order of the text.")},
  });
  Node own = object({{"type", text("object")},
                     {"properties", std::move(properties)},
                     {"required", texts({"error", "error_class", "retryable"})}});
  Node parts = Node::array();
  parts.push(ref("Diagnostic")).push(std::move(own));
  return object({{"allOf", std::move(parts)}});
}

Node operation(const Contract& contract) {
  std::string description;
  for (const Rule& rule : rules()) {
    if (holds_for(rule, contract)) description += "- " + filled(rule.text, contract) + "\n";
  }
  Node alternatives = Node::array();
  alternatives.push(ref("Statement")).push(ref("Batch"));
  Node done = object({{"description", text("The result of one statement, or of a batch.")},
                      {"content", json_content(object({{"oneOf", std::move(alternatives)}}))}});
  Node failed = object({{"description", text("What is wrong, all of it. No write of the call was kept.")},
                        {"content", json_content(ref("Error"))}});
  return object(
      {{"operationId", text("sql")},
       {"summary", text("Run statements of the agent dialect.")},
       {"description", text(description)},
       {"requestBody", object({{"required", Node::boolean(true)}, {"content", json_content(ref("Request"))}})},
       {"responses", object({{"200", std::move(done)}, {"default", std::move(failed)}})}});
}

Node info(const Contract& contract) {
  std::string description;
  for (const std::string& note : contract.notes) description += "- " + note + "\n";
  Node node = object({{"title", text(contract.name)}, {"version", text("1")}});
  if (!description.empty()) node.set("description", text(description));
  return node;
}

}  // namespace

std::string describe_openapi(const Contract& contract) {
  Node schemas = object({{"Request", request_schema(contract)},
                         {"Statement", statement_schema(contract)},
                         {"Batch", batch_schema(contract)},
                         {"Diagnostic", diagnostic_schema()},
                         {"Error", error_schema()}});
  for (const Resource& resource : contract.resources) {
    schemas.members().emplace_back("row." + resource.name, row_schema(resource));
  }
  Node limits = Node::object();
  for (const LimitShown& limit : limits_shown(contract)) limits.set(std::string(limit.name), Node::number(limit.value));
  const Node document = object({{"openapi", text("3.1.0")},
                                {"info", info(contract)},
                                {"paths", object({{"/v1/sql", object({{"post", operation(contract)}})}})},
                                {"components", object({{"schemas", std::move(schemas)}})},
                                {"x-candor-limits", std::move(limits)}});
  return json::dump_pretty(document);
}

}  // namespace candor::contract
