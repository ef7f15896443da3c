// Syntax trees and a contract to a logical plan. All errors of a batch are told at once.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bind/bound.h"
#include "contract/contract.h"
#include "dialect/parser.h"

namespace candor::bind {

// Who asks: the value of the contract's scope, when it has one.
struct BindContext {
  const contract::Contract* contract = nullptr;
  std::string scope_value;
};

struct Bound {
  std::vector<BoundStatement> statements;
  std::vector<Diagnostic> errors;
  // Of each error `write-without-where` its place in `errors` and the resource: how many rows it has is told by who can count.
  std::vector<std::pair<std::size_t, const contract::Resource*>> unbounded_writes;
};

// Requires `parsed` to be made from `sql`. Names, types and rules: docs/dialect.md.
[[nodiscard]] Bound bind(std::string_view sql, const dialect::Parsed& parsed, const BindContext& context);

}  // namespace candor::bind
