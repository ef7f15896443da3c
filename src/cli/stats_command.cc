// `candor stats`: what the telemetry of the ledger adds up to.
#include <chrono>
#include <utility>

#include "cli/commands.h"
#include "cli/since.h"
#include "cli/statistics_text.h"
#include "wire/wire.h"

namespace candor::cli {
namespace {

std::int64_t now_ms() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch())
      .count();
}

}  // namespace

Result<ledger::StatisticsFilter> period_of(const Arguments& arguments) {
  ledger::StatisticsFilter filter;
  if (arguments.since) {
    CANDOR_ASSIGN(filter.since_ms, parse_since(*arguments.since, now_ms()));
  }
  if (arguments.session_given) filter.session = arguments.session;
  filter.source = arguments.in;
  filter.list_max = arguments.limit;
  return filter;
}

wire::ListMax list_max_of(const Arguments& arguments) {
  return {arguments.limit, arguments.limit_given ? scope::LimitSource::kFlag : scope::LimitSource::kDefault};
}

ExitCode run_stats(const Context& context) {
  const Result<ledger::StatisticsFilter> filter = period_of(context.arguments);
  if (!filter.ok()) return fail(context, filter.error());
  Result<config::Configuration> configuration = load_configuration(context, {});
  if (!configuration.ok()) return fail(context, configuration.error());
  Result<std::unique_ptr<Candor>> candor = Candor::open(std::move(*configuration), context.program.worker);
  if (!candor.ok()) return fail(context, candor.error());
  const Result<ledger::Statistics> statistics = (*candor)->ledger().statistics(*filter);
  if (!statistics.ok()) return fail(context, statistics.error());
  if (context.document) {
    print_document(context, wire::statistics_document(*statistics, *filter, list_max_of(context.arguments)));
  } else {
    print_statistics(context.out, *statistics, *filter);
  }
  return ExitCode::kDone;
}

}  // namespace candor::cli
