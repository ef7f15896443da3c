// The contract's tables in the catalog of its source.
#include <algorithm>

#include "base/ascii.h"
#include "exec/exec.h"

namespace candor::exec {
const engine::CatalogTable* find_table(const engine::Catalog& catalog, const std::string& name) {
  const std::size_t dot = name.find('.');
  const std::string schema = dot == std::string::npos ? "" : name.substr(0, dot);
  const std::string table = dot == std::string::npos ? name : name.substr(dot + 1);
  const engine::CatalogTable* found = nullptr;
  int best = 0;
  for (const engine::CatalogTable& one : catalog.tables) {
    if (!same_name(one.name, table) || one.source == engine::kScratch) continue;
    if (!schema.empty() && !same_name(one.schema, schema)) continue;
    // Names that differ in case alone can be two tables: the exact one is meant. Without a schema the usual one is.
    const bool usual = same_name(one.schema, "main") || same_name(one.schema, "public");
    const int fit = 1 + (usual ? 1 : 0) + (one.name == table ? 2 : 0) + (one.schema == schema ? 4 : 0);
    if (fit > best) found = &one;
    best = std::max(best, fit);
  }
  return found;
}

Result<lower::Storage> find_storage(const contract::Contract& contract, const engine::Catalog& catalog,
                                    lower::Target target) {
  lower::Storage storage;
  storage.target = target;
  storage.source = contract.source;
  if (contract.scope) storage.scope_column = contract.scope->column;
  std::vector<Diagnostic> faults;
  const auto fault = [&](std::string message) {
    faults.push_back(make_error("configuration", contract.file + ": " + std::move(message),
                                "candor contract check holds the contract against its source"));
  };
  for (const contract::Resource& resource : contract.resources) {
    const engine::CatalogTable* table = find_table(catalog, resource.table);
    if (table == nullptr) {
      fault("resource '" + resource.name + "': source '" + contract.source + "' has no table " + resource.table);
      continue;
    }
    lower::StoredTable stored;
    stored.schema = table->schema;
    stored.name = table->name;
    for (const engine::CatalogColumn& column : table->columns) {
      stored.columns.push_back(column.name);
      stored.types.emplace(lower_ascii(column.name), column.type);
      if (column.collated) stored.collated.insert(lower_ascii(column.name));
      if (column.primary_key) stored.primary_key.insert(lower_ascii(column.name));
      if (!column.computed) stored.kept.push_back(column.name);
    }
    for (const contract::Column& column : resource.columns) {
      if (!stored.has(column.stored))
        fault("resource '" + resource.name + "': table " + resource.table + " has no column " + column.stored);
    }
    storage.tables.emplace(&resource, std::move(stored));
  }
  // A misspelled scope would scope nothing, and show every tenant's rows to each.
  const bool scoped =
      std::ranges::any_of(storage.tables, [&](const auto& entry) { return entry.second.has(storage.scope_column); });
  if (contract.scope && !scoped) {
    fault("scope: none of the published tables has a column '" + contract.scope->column +
          "', so it would keep nothing apart");
  }
  if (faults.empty()) return storage;
  Diagnostic first = std::move(faults.front());
  first.others.assign(std::make_move_iterator(faults.begin() + 1), std::make_move_iterator(faults.end()));
  return first;
}

}  // namespace candor::exec
