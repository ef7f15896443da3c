// What agents and programs are told of a contract: its resources, its limits and rules. Where the data lies (the source's
// tables, columns under other names, the column and value of the scope, the file) is told to nobody.
#pragma once

#include <string>
#include <vector>

#include "contract/contract.h"

namespace candor::contract {

[[nodiscard]] std::string describe_markdown(const Contract& contract);
[[nodiscard]] std::string describe_json(const Contract& contract);
// OpenAPI 3.1: POST /v1/sql, with a schema for a row of each resource.
[[nodiscard]] std::string describe_openapi(const Contract& contract);
// The texts of tool_texts as JSON.
[[nodiscard]] std::string describe_mcp(const Contract& contract);

// How the MCP tools that speak to this contract describe themselves. Small, however large the contract is.
struct ToolText {
  std::string name, title, description;
};
[[nodiscard]] std::vector<ToolText> tool_texts(const Contract& contract);  // sql_query, sql_execute

// What there is to know of a column besides its name and type, in the words of all formats: "key", "may be NULL",
// "one of 'a', 'b'", "not filterable", and last its description.
[[nodiscard]] std::vector<std::string> column_notes(const Resource& resource, const Column& column);
// Which writes a resource takes: "INSERT, UPDATE"; empty: none.
[[nodiscard]] std::string writes_of(const Resource& resource);
// What else to know of a resource: its key, its writes, rows that are marked as deleted. Whole sentences.
[[nodiscard]] std::string resource_notes(const Resource& resource);

}  // namespace candor::contract
