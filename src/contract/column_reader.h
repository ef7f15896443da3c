// One column of a resource, from its place in the file. What a column means to its resource is resource_reader.cc's.
#pragma once

#include <string>

#include "config/yaml_reader.h"
#include "contract/contract.h"

namespace candor::contract {

struct ReadColumn {
  Column column;
  bool typed = false;          // it has a type that there is; without one nothing more is asked of it
  bool said_writable = false;  // `read_only: false` stands there
  YAML::Node key;              // for faults that are found later
};

// Reads `name: type` or `name: {type: …}`, whose name is known to be an identifier. Faults go to `in`.
[[nodiscard]] ReadColumn read_column(config::YamlReader& in, const YAML::Node& key, const YAML::Node& value,
                                     const std::string& path);

}  // namespace candor::contract
