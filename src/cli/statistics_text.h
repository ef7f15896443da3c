// The pages of `candor stats` and `candor replay` for people.
#pragma once

#include "candor/candor.h"
#include "cli/call_log.h"
#include "cli/terminal.h"
#include "ledger/statistics.h"

namespace candor::cli {

void print_statistics(const Stream& out, const ledger::Statistics& statistics, const ledger::StatisticsFilter& filter);

// `log`: what the calls came from, for its broken lines; null: the ledger.
void print_replay(const Stream& out, const ReplayReport& report, const CallLog* log, std::uint64_t list_max);

}  // namespace candor::cli
