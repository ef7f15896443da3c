// Tables, columns and estimates from the server's catalog, as far as the role may read them.
#pragma once

#include <string>
#include <vector>

#include "engine/engine.h"
#include "engine/postgres/connection.h"

namespace candor::engine::postgres {

// Each requires a transaction.
[[nodiscard]] Result<Catalog> read_catalog(Connection& connection, const SourceSpec& source, bool contract,
                                           const Watch& watch);
[[nodiscard]] Result<TableFacts> read_table_facts(Connection& connection, const SourceSpec& source,
                                                  const TableName& name, const std::vector<std::string>& columns,
                                                  const Watch& watch);

}  // namespace candor::engine::postgres
