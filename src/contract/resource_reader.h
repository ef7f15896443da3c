// The resources of a contract, from the file: their keys, and whether their parts fit together.
#pragma once

#include <string_view>

#include "config/yaml_reader.h"
#include "contract/contract.h"

namespace candor::contract {

// Reads the value of `resources:` into `contract`, whose scope is known already. Faults go to `in`.
void read_resources(config::YamlReader& in, const YAML::Node& resources, Contract& contract);

// Names by which agents ask what there is, such as information_schema: no resource can have one.
[[nodiscard]] bool asks_what_there_is(std::string_view name);

}  // namespace candor::contract
