// Contracts as agents and programs are told of them: read from their files alone.
#include <utility>

#include "candor/candor.h"
#include "contract/contract.h"
#include "contract/describe.h"

namespace candor {

Result<std::string> Candor::describe_contract(const config::Configuration& configuration, const std::string& file,
                                              ContractFormat format) {
  CANDOR_ASSIGN(const contract::Contract contract, contract::load(file, configuration));
  switch (format) {
    case ContractFormat::kMarkdown:
      return contract::describe_markdown(contract);
    case ContractFormat::kMcp:
      return contract::describe_mcp(contract);
    case ContractFormat::kOpenapi:
      return contract::describe_openapi(contract);
    case ContractFormat::kJson:
      return contract::describe_json(contract);
  }
  return make_error("internal", "a format of descriptions is declared and not there");
}

std::vector<ContractTools> Candor::contract_tools(const config::Configuration& configuration,
                                                  std::vector<Diagnostic>& faults) {
  std::vector<ContractTools> all;
  for (const config::Source& source : configuration.sources) {
    if (source.contract.empty()) continue;
    Result<contract::Contract> contract = contract::load(source.contract, configuration);
    if (!contract.ok()) {
      faults.push_back(std::move(contract).error());
      continue;
    }
    ContractTools tools;
    tools.source = source.name;
    tools.contract = contract->name;
    tools.takes_writes = contract->takes_writes();
    for (contract::ToolText& text : contract::tool_texts(*contract)) {
      (text.name == "sql_execute" ? tools.execute : tools.query) = std::move(text.description);
    }
    all.push_back(std::move(tools));
  }
  return all;
}

}  // namespace candor
