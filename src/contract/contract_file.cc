// The contract's file from its top: what it is called, its source, its limits and its scope.
#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/ascii.h"
#include "config/config.h"
#include "config/source_names.h"
#include "config/yaml_file.h"
#include "config/yaml_reader.h"
#include "contract/contract.h"
#include "contract/resource_reader.h"

namespace candor::contract {
namespace {

using config::YamlReader;

constexpr std::string_view kClaimBegin = "${claim.";

const std::vector<std::string>& contract_keys() {
  static const std::vector<std::string> keys = {"contract", "source", "limits", "scope", "notes", "resources"};
  return keys;
}

bool is_claim_name(std::string_view name) {
  return !name.empty() && name.size() <= config::kIdentifierMax && std::ranges::all_of(name, [](char c) {
    const char lower = lower_ascii(c);
    return (lower >= 'a' && lower <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.';
  });
}

class Reader {
 public:
  Reader(YamlReader& in, Contract& contract) : in_(in), contract_(contract) {}

  void top(const YAML::Node& root) {
    const bool map =
        in_.each_member(root, "", contract_keys(), "a map with contract, source and resources",
                        [&](const YAML::Node& key, const YAML::Node& value) { parts_.emplace(key.Scalar(), value); });
    if (!map) return;
    for (const char* key : {"contract", "source", "resources"}) {
      if (!parts_.contains(key)) in_.fault(root, "", "has no " + std::string(key), std::string(key) + ": …");
    }
    with("contract", [&](const YAML::Node& node) { name(node, "contract", contract_.name, config::identifier_fault); });
    with("source", [&](const YAML::Node& node) { name(node, "source", contract_.source, config::source_name_fault); });
    with("limits", [&](const YAML::Node& node) { limits(node); });
    with("scope", [&](const YAML::Node& node) { scope(node); });
    with("notes", [&](const YAML::Node& node) {
      in_.each_item(node, "notes", "a list of texts", [&](const YAML::Node& item) {
        std::string note;
        if (in_.text(item, "notes", note)) contract_.notes.push_back(std::move(note));
      });
    });
    // The scope is known now.
    with("resources", [&](const YAML::Node& node) { read_resources(in_, node, contract_); });
  }

 private:
  template <typename Read>
  void with(const std::string& key, Read read) {
    if (const auto found = parts_.find(key); found != parts_.end()) read(found->second);
  }

  void name(const YAML::Node& node, const std::string& path, std::string& out, std::string (*fault)(std::string_view)) {
    if (!in_.text(node, path, out)) return;
    const std::string why = fault(out);
    if (why.empty()) return;
    const std::string possible = config::identifier_from(out, "app");
    in_.fault(node, path, "the name " + why, fault(possible).empty() ? path + ": " + possible : "");
  }

  void limits(const YAML::Node& node) {
    std::vector<std::string> known;
    for (const LimitField& field : limit_fields()) known.emplace_back(field.name);
    in_.each_member(node, "limits", {}, "a map of limits", [&](const YAML::Node& key, const YAML::Node& value) {
      const std::string& name = key.Scalar();
      const auto limit = std::ranges::find(config::limits(), name, &config::Limit::name);
      const auto field = std::ranges::find(limit_fields(), name, &LimitField::name);
      if (field == limit_fields().end()) {
        in_.unknown(key, "limits", known,
                    limit == config::limits().end() ? "" : "write it below limits: of candor.yaml");
        return;
      }
      in_.whole_number(value, "limits." + name, limit->min, limit->max, contract_.*(field->value));
    });
  }

  void scope(const YAML::Node& node) {
    Scope read;
    bool column = false;
    bool value = false;
    const bool map = in_.each_member(node, "scope", {"column", "value"}, "a map with column and value",
                                     [&](const YAML::Node& key, const YAML::Node& part) {
                                       if (key.Scalar() == "column") {
                                         column = true;
                                         in_.line(part, "scope.column", read.column);
                                       } else {
                                         value = true;
                                         scope_value(part, read);
                                       }
                                     });
    if (!map) return;
    if (!column) in_.fault(node, "scope", "has no column", "column: workspace_id");
    if (!value) in_.fault(node, "scope", "has no value", R"(value: "${claim.workspace}")");
    contract_.scope = std::move(read);
  }

  void scope_value(const YAML::Node& node, Scope& scope) {
    constexpr std::string_view kPath = "scope.value";
    std::string text;
    if (node.IsMap()) {  // {claim.workspace}, or the whole of it without quotes
      in_.fault(node, std::string(kPath), "must be a text", R"("${claim.workspace}")");
      return;
    }
    if (!in_.line(node, std::string(kPath), text)) return;
    if (!text.starts_with('$') && text.find("${") == std::string::npos) {
      scope.value = std::move(text);
      return;
    }
    std::string_view name = text;
    if (name.starts_with(kClaimBegin) && name.ends_with('}')) {
      name.remove_prefix(kClaimBegin.size());
      name.remove_suffix(1);
      if (is_claim_name(name)) {
        scope.claim = name;
        return;
      }
    }
    in_.fault(node, std::string(kPath),
              "must be a value, or ${claim.NAME} and nothing else, not " + config::in_message(text),
              R"("${claim.workspace}")");
  }

  YamlReader& in_;
  Contract& contract_;
  std::map<std::string, YAML::Node> parts_;
};

}  // namespace

Result<Contract> parse(std::string_view text, const std::string& name, const config::Configuration& standards) {
  if (text.size() > config::kSettingsBytesMax) {
    return make_error("configuration", name + ": is over " + std::to_string(config::kSettingsBytesMax) + " bytes");
  }
  Contract contract;
  contract.file = name;
  for (const LimitField& field : limit_fields()) contract.*(field.value) = standards.limit(field.name);
  YamlReader in(name, "key");
  CANDOR_TRY(in.read(std::string(text), [&](const YAML::Node& root) { Reader(in, contract).top(root); }));
  return contract;
}

Result<Contract> parse(std::string_view text, const std::string& name) {
  return parse(text, name, config::Configuration());
}

Result<Contract> load(const std::string& path, const config::Configuration& standards) {
  CANDOR_ASSIGN(const std::string text, config::read_settings(path));
  return parse(text, path, standards);
}

Result<Contract> load(const std::string& path) { return load(path, config::Configuration()); }

}  // namespace candor::contract
