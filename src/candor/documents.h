// The JSON of checks, holds and receipts, as the ledger keeps them and every surface shows them.
#pragma once

#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "candor/candor.h"
#include "json/json.h"
#include "review/review.h"

namespace candor {

// {"error":true,"code":…,"message":…,…,"diagnostics":[…]} with all of the diagnostic's others.
[[nodiscard]] json::Node error_document(const Diagnostic& diagnostic);

// {"check":…,"verdict":…,"reason":…,"message":…,"stated":…,"joins":[…]}; `joins` only where pairs were measured.
[[nodiscard]] json::Node check_document(const review::CheckResult& check);

// A pair of a check as {"condition","left":{"table","alias","rows","matched",…},"right":{…},"counting_sql",…}.
[[nodiscard]] json::Node pair_document(const review::Pair& pair);

// The reply to a commit that was held: status "error", title "Answer not committed".
[[nodiscard]] json::Node hold_document(const Hold& hold);

[[nodiscard]] json::Node receipt_document(const Receipt& receipt);

// Names of columns made unique by a suffix: id, id_2, …
[[nodiscard]] std::vector<std::string> unique_names(const std::vector<Column>& columns);

// The way back, for verifying: the counting statements and counts that a receipt stores.
[[nodiscard]] std::vector<Verification::Entry> stored_counts(const json::Node& receipt);

}  // namespace candor
