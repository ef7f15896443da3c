// Any bytes as a contract: what is refused says why on one line a fault, and what is taken keeps the promises that the
// rest of Candor relies on and can be described in every format.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/ascii.h"
#include "base/render_json.h"
#include "contract/contract.h"
#include "contract/describe.h"
#include "contract/type_names.h"
#include "json/json.h"

namespace {

using candor::contract::Column;
using candor::contract::Contract;
using candor::contract::Resource;
using candor::contract::Type;

void demand(bool holds) {
  if (!holds) std::abort();
}

void demand_told(const candor::Diagnostic& fault) {
  demand(fault.code == "configuration" && !fault.message.empty());
  demand(fault.message.find('\n') == std::string::npos && candor::is_utf8(fault.message + fault.hint + fault.detail));
  for (const candor::Diagnostic& other : fault.others) demand_told(other);
}

void demand_whole(const Resource& resource) {
  demand(!resource.name.empty() && !resource.table.empty() && !resource.columns.empty());
  demand(!resource.takes_writes() || !resource.key.empty());
  for (const Column& column : resource.columns) {
    demand(!column.stored.empty() && resource.find(column.name) == &column);
    demand(column.allowed.empty() || column.type == Type::kString);
    demand(resource.find_absent(column.name) == nullptr);
  }
  if (!resource.key.empty()) {
    const Column* key = resource.find(resource.key);
    demand(key != nullptr && key->name == resource.key && !key->nullable);
  }
  if (!resource.soft_delete.empty()) {
    const Column* mark = resource.find(resource.soft_delete);
    demand(mark != nullptr && mark->type == Type::kDatetime && mark->nullable && mark->read_only);
  }
}

void demand_described(const Contract& contract) {
  demand(candor::is_utf8(describe_markdown(contract)));
  for (const std::string& text : {describe_json(contract), describe_openapi(contract), describe_mcp(contract)}) {
    demand(candor::json::parse(text).ok());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  (void)candor::contract::type_of_stored(text);
  (void)candor::contract::enum_values(text);
  const auto contract = candor::contract::parse(text, "fuzz.yaml");
  if (!contract.ok()) {
    demand_told(contract.error());
    return 0;
  }
  demand(!contract->name.empty() && !contract->source.empty() && !contract->resources.empty());
  for (const Resource& resource : contract->resources) {
    demand(contract->find(resource.name) == &resource);
    demand_whole(resource);
    if (!contract->scope) continue;
    for (const Column& column : resource.columns) {
      demand(column.read_only || !candor::same_name(column.stored, contract->scope->column));
    }
  }
  demand_described(*contract);
  return 0;
}
