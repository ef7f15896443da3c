// The lists of the ledger, of a schema and of a check, for scope::ShapedList; and their documents, which take nothing else.
#pragma once

#include <memory>
#include <string>

#include "candor/candor.h"
#include "scope/list.h"

namespace candor::wire {

// Newest first; `session` empty: of all. What is recorded after the list was made is not on it. The ledger must outlive it.
[[nodiscard]] std::unique_ptr<scope::List> queries_list(ledger::Ledger& ledger, std::string session,
                                                        const scope::Ceiling& ceiling);
[[nodiscard]] std::unique_ptr<scope::List> answers_list(ledger::Ledger& ledger, std::string session,
                                                        const scope::Ceiling& ceiling);
[[nodiscard]] std::unique_ptr<scope::List> batches_list(ledger::Ledger& ledger, std::string session,
                                                        const scope::Ceiling& ceiling);
[[nodiscard]] std::unique_ptr<scope::List> schema_list(const Schema& catalog);
[[nodiscard]] std::unique_ptr<scope::List> faults_list(const ContractCheck& check);

// {"queries":[…],"agent_surface":{…}}, or with --count-only {"count":n,…}.
[[nodiscard]] json::Node list_document(const scope::ShapedList& list);
[[nodiscard]] json::Node schema_document(const Schema& catalog, const scope::ShapedList& list);
[[nodiscard]] json::Node contract_check_document(const ContractCheck& check, scope::ShapedList list);

}  // namespace candor::wire
