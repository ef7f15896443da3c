// What the schema of a SQLite file tells, without reading rows.
#pragma once

#include <string>
#include <vector>

#include "engine/engine.h"
#include "engine/sqlite/sandbox.h"

namespace candor::engine::sqlite {

[[nodiscard]] Result<Catalog> read_catalog(Connection& connection, const SourceSpec& source);

[[nodiscard]] Result<TableFacts> read_table_facts(Connection& connection, const SourceSpec& source,
                                                  const TableName& name, const std::vector<std::string>& columns);

}  // namespace candor::engine::sqlite
