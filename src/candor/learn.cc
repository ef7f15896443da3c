// What answers taught: what was measured goes into the memory, and comes back with the schema. The rules: lessons.h.
#include <chrono>
#include <exception>
#include <utility>

#include "base/render_json.h"
#include "candor/documents.h"
#include "candor/lessons.h"
#include "candor/service.h"
#include "candor/submission.h"

namespace candor {
namespace {

std::int64_t unix_seconds() {
  return std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch()).count();
}

lessons::Sources sources_of(Session& session, const config::Configuration& configuration) {
  return {session.source_places(), session.source_versions(), configuration.sources.size() > 1};
}

}  // namespace

std::vector<Warning> Service::learn(const std::vector<review::CheckResult>& checks, const Learned& from,
                                    Session& session) const {
  if (!configuration_.memory_lessons) return {};
  Status stored = Ok{};
  try {
    const lessons::Sources sources = sources_of(session, configuration_);
    std::vector<lessons::Join> joins = lessons::measured_joins(checks, from.source, sources, unix_seconds());
    for (lessons::Join& join : joins) {
      join.query_id = from.query_id;
      join.answer_id = from.answer_id;
      join.outcome = from.outcome;
    }
    stored = lessons::remember(configuration_.home, joins, sources.qualified, session.name());
  } catch (const std::exception& fault) {
    stored = make_error("internal", fault.what());
  }
  if (stored.ok()) return {};
  const Diagnostic& failure = stored.error();
  return {{"not-remembered", "the joins that were measured are not in the memory: " + shortened(failure.message, 400),
           failure.hint}};
}

void Service::learn_from(const Submission& submission, Session& session, CommitOutcome& outcome) const {
  if (!submission.located) return;
  const Learned from{submission.located->source, submission.located->id, outcome.answer_id,
                     outcome.held ? "held" : "committed"};
  const std::vector<Warning> warnings = learn(submission.receipt.checks, from, session);
  if (!warnings.empty()) outcome.document.set("warnings", warnings_document(warnings));
}

void Service::add_known_joins(Session& session, const Schema& all, Schema& shown) const {
  constexpr std::size_t kTablesMax = 3;  // of a whole source the joins would be those of every table
  if (!configuration_.memory_lessons || shown.tables.size() > kTablesMax) return;
  shown.known_joins_max = static_cast<std::uint64_t>(configuration_.limit("known_joins"));
  Result<lessons::Known> known = lessons::known_joins(configuration_.home, all, shown.tables,
                                                      sources_of(session, configuration_), shown.known_joins_max);
  if (!known.ok()) {
    shown.warnings.push_back("what is remembered of joins can't be read: " + shortened(known.error().message, 400));
    return;
  }
  shown.known_joins = std::move(known->joins);
  shown.known_joins_total = known->total;
}

}  // namespace candor
