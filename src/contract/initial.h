// A first contract from what a database's catalog says: `candor contract init`. Who looks into the database is the caller.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "contract/contract.h"

namespace candor::contract {

struct FoundColumn {
  std::string name;
  std::string type;  // as the engine names it
  bool nullable = true;
  bool primary_key = false;
  std::string comment;
  std::string default_text;  // the expression of its default, or what else fills it in (SQLite's rowid); empty: none
  std::vector<std::string> values;  // all that it holds, of a text column with few; empty: not looked at, or many
  // What its values say where the type's name doesn't: a JSON array in a text column, an enumeration of PostgreSQL.
  std::optional<Type> seen_as;
};

struct FoundReference {
  std::string column;                   // of this table
  std::string schema, table, referred;  // the other table, its schema as in FoundTable, and its column
};

struct FoundTable {
  std::string schema;  // empty: the source's own
  std::string name;
  bool view = false;
  std::string comment;
  std::vector<FoundColumn> columns;
  std::vector<FoundReference> references;
};

struct FoundSource {
  std::string source;  // its configured name; the contract is called after it
  std::vector<FoundTable> tables;
};

// The text of a contract that publishes all of it for reading, with what an operator should decide as comments beside it:
// where writes can be opened, which columns were left out and why (no type holds them, their name speaks of a secret).
// It loads as it stands. Fails with `configuration` where there is nothing to publish, or where it would be larger than
// a contract may be.
[[nodiscard]] Result<std::string> initial_contract(const FoundSource& found);

}  // namespace candor::contract
