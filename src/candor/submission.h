// A commit on its way.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "candor/service.h"

namespace candor {

struct Service::Submission {
  Caller caller;
  ledger::TurnKey turn;
  json::Node input;
  std::string digest;
  std::vector<ledger::QueryRecord> queries;  // of the turn
  std::optional<ledger::QueryRecord> named;  // by query_id
  std::optional<ledger::QueryRecord> located;
  Receipt receipt;

  [[nodiscard]] bool unresolved() const { return !input["unresolved"].is_null(); }
};

}  // namespace candor
