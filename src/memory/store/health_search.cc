// What searches need: the text index, a query through it, vectors and who makes them.
#include <algorithm>

#include "memory/embed/model_store.h"
#include "memory/search/eligible.h"
#include "memory/store/health.h"
#include "memory/text/text_search.h"
#include "memory/text/text_tables.h"
#include "memory/text/tokenizer.h"

namespace candor::memory {
namespace {

using json::Node;
using Weight = HealthReport::Weight;

constexpr int kPatienceMs = 5'000;
constexpr std::int64_t kMemoriesTried = 20;

// FTS5 takes the lock of writing to look at its index, which the snapshot of a reader can't have: another connection does it.
// Fails where that can't be had; a fault of the index is no failure.
Result<std::optional<std::string>> text_fault(Store& store) {
  if (!store.exists()) return check_text(store.database());
  CANDOR_ASSIGN(sqlite::Database database, sqlite::Database::open(store.path(), {.mode = sqlite::OpenMode::kReadWrite,
                                                                                 .busy_timeout_ms = kPatienceMs}));
  CANDOR_TRY(database.set(sqlite::Switch::kNoCheckpointOnClose, true));
  CANDOR_TRY(register_tokenizer(database));
  return check_text(database);
}

struct Probe {
  std::int64_t id = 0;
  std::string name;
};

// Memories whose names can be looked for, the newest first.
Result<std::vector<Probe>> probes(const HealthScope& scope) {
  std::vector<Probe> found;
  CANDOR_ASSIGN(sqlite::Run run,
                scope.store->sql().start("SELECT id, name FROM memories WHERE deleted_at IS NULL AND (?1 IS NULL OR "
                                         "namespace = ?1) ORDER BY id DESC LIMIT ?2",
                                         scope.space, kMemoriesTried));
  while (true) {
    CANDOR_ASSIGN(const bool row, run.step());
    if (!row) return found;
    found.push_back({run.integer(0), run.text(1)});
  }
}

// A memory is looked for by its own name, as a search would.
Status query_text(const HealthScope& scope, HealthReport& report) {
  CANDOR_ASSIGN(const auto asked, probes(scope));
  const Scope all{.name_space = scope.space.value_or(""), .all_namespaces = !scope.space, .type = {}};
  CANDOR_ASSIGN(const Eligible eligible, Eligible::load(scope.store->database(), all));
  for (const Probe& probe : asked) {
    const Result<TextAnswer> answer = search_text(scope.store->database(), probe.name, eligible);
    if (!answer.ok()) {
      report.failed("text_query", answer.error().message + ": candor memory fts rebuild", Weight::kDamage);
      return Ok{};
    }
    if (answer->query.groups.empty()) continue;
    const bool found = std::ranges::any_of(answer->hits, [&](const Scored& hit) { return hit.id == probe.id; });
    report.judged("text_query",
                  found ? "" : "a search for '" + probe.name + "' does not find it: candor memory fts rebuild",
                  Weight::kDamage);
    return Ok{};
  }
  report.not_looked_at("text_query", asked.empty() ? "nothing is stored that could be looked for"
                                                   : "the newest memories have no name that could be looked for");
  return Ok{};
}

constexpr std::string_view kMissing =
    "SELECT count(*) FROM memories m WHERE deleted_at IS NULL AND (?1 IS NULL OR namespace = ?1) AND NOT EXISTS "
    "(SELECT 1 "
    "FROM memory_embeddings v WHERE v.memory_id = m.id AND v.embedder = ?2 AND length(v.embedding) = ?3 * 4)";
constexpr std::string_view kOrphaned =
    "SELECT count(*) FROM memory_embeddings v LEFT JOIN memories m ON m.id = v.memory_id WHERE m.id IS NULL OR "
    "(m.deleted_at IS NOT NULL AND (?1 IS NULL OR m.namespace = ?1))";

void set_uncovered(HealthReport& report, const std::string& kind, const std::string& reason) {
  const std::string prefix = "vec_" + kind + "_";
  report.not_looked_at("vectors_of_" + kind, reason);
  for (const char* field : {"ok", "missing", "coverage_pct"}) report.set(prefix + field, Node());
  report.set(prefix + "reason", Node::string(reason));
}

Status look_at_coverage(const HealthScope& scope, const ActiveModel& model, HealthReport& report) {
  Store& store = *scope.store;
  CANDOR_ASSIGN(const auto live,
                store.sql().count("SELECT count(*) FROM memories WHERE deleted_at IS NULL AND (?1 IS NULL OR "
                                  "namespace = ?1)",
                                  scope.space));
  CANDOR_ASSIGN(const auto missing, store.sql().count(kMissing, scope.space, model.embedder, model.dim));
  report.judged("vectors_of_memories",
                missing == 0 ? ""
                             : std::to_string(missing) + " memories have no vector of " + model.spec.text +
                                   ": candor memory embed backfill",
                Weight::kLack);
  report.set("vec_memories_ok", report.latest());
  report.set("vec_memories_missing", Node::number(missing));
  const double share = live == 0 ? 1 : static_cast<double>(live - missing) / static_cast<double>(live);
  report.set("vec_memories_coverage_pct", Node::number(100 * share));
  return Ok{};
}

void ask_model(Store& store, const ActiveModel& model, HealthReport& report) {
  const Result<Vector> vector = query_vector(store, model, "a text to see whether the embedder answers");
  report.judged("model", vector.ok() ? "" : vector.error().message, Weight::kLack);
}

}  // namespace

Status look_at_text(const HealthScope& scope, HealthReport& report) {
  const Result<std::optional<std::string>> fault = text_fault(*scope.store);
  if (fault.ok()) {
    report.judged("text_index", fault->value_or(""), Weight::kDamage);
  } else {
    report.not_looked_at("text_index", fault.error().message);
  }
  report.set("fts_ok", report.latest());
  CANDOR_TRY(query_text(scope, report));
  report.set("fts_query_ok", report.latest());
  return Ok{};
}

Status look_at_vectors(const HealthScope& scope, HealthReport& report) {
  const std::string none = "no embedder is chosen: candor memory init --model MODEL";
  CANDOR_ASSIGN(const ActiveModel model, active_model(*scope.store));
  report.set("model", Node::string(model.spec.text));
  if (model.embedder == 0) {
    set_uncovered(report, "memories", none);
    report.not_looked_at("model", none);
  } else {
    CANDOR_TRY(look_at_coverage(scope, model, report));
    ask_model(*scope.store, model, report);
  }
  report.set("model_ok", report.latest());
  CANDOR_ASSIGN(const auto orphaned, scope.store->sql().count(kOrphaned, scope.space));
  report.judged(
      "vectors_of_nothing",
      orphaned == 0 ? "" : std::to_string(orphaned) + " vectors are of memories that are forgotten or not there",
      Weight::kLack);
  report.set("vec_memories_orphaned", Node::number(orphaned));
  set_uncovered(report, "chunks", "pieces have no vectors of their own: a memory's is the mean of theirs");
  set_uncovered(report, "entities", "entities have no vectors: they are found by their names");
  return Ok{};
}

}  // namespace candor::memory
