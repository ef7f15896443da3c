// The verb `health`: the file itself, and what it keeps beside its rows. Text and vectors are in health_search.cc, the graph in
// health_graph.cc.
#include "memory/store/health.h"

#include <sys/stat.h>

#include "memory/memory.h"
#include "memory/store/file.h"
#include "memory/store/schema.h"

namespace candor::memory {
namespace {

using json::Node;
using Weight = HealthReport::Weight;

std::int64_t size_of(const std::string& path) {
  struct stat about{};
  return ::stat(path.c_str(), &about) == 0 ? static_cast<std::int64_t>(about.st_size) : 0;
}

Result<std::string> text_of(Store& store, std::string_view sql) {
  CANDOR_ASSIGN(sqlite::Run run, store.sql().start(sql));
  CANDOR_ASSIGN(const bool row, run.step());
  return row ? run.text(0) : std::string();
}

// Totals and degrees that triggers keep, held against counting, row by row: two that are off in opposite directions must not
// make up for each other.
constexpr std::string_view kMemoriesOff =
    "WITH counted AS (SELECT namespace, type, sum(deleted_at IS NULL), sum(deleted_at IS NOT NULL) FROM memories GROUP "
    "BY 1, "
    "2), kept AS (SELECT namespace, type, live, deleted FROM memory_counts WHERE live <> 0 OR deleted <> 0) "
    "SELECT (SELECT count(*) FROM (SELECT * FROM counted EXCEPT SELECT * FROM kept)) + "
    "(SELECT count(*) FROM (SELECT * FROM kept EXCEPT SELECT * FROM counted))";
constexpr std::string_view kEntitiesOff =
    "WITH counted AS (SELECT namespace, type, count(*) FROM entities GROUP BY 1, 2), "
    "kept AS (SELECT namespace, type, entities FROM entity_counts WHERE entities <> 0) "
    "SELECT (SELECT count(*) FROM (SELECT * FROM counted EXCEPT SELECT * FROM kept)) + "
    "(SELECT count(*) FROM (SELECT * FROM kept EXCEPT SELECT * FROM counted))";
constexpr std::string_view kDegreesOff =
    "SELECT count(*) FROM entities e WHERE degree <> (SELECT count(*) FROM relationships WHERE source_id = e.id) + "
    "(SELECT count(*) FROM relationships WHERE target_id = e.id AND source_id <> e.id)";

Status look_at_totals(Store& store, HealthReport& report) {
  CANDOR_ASSIGN(const std::int64_t memories, store.sql().count(kMemoriesOff));
  CANDOR_ASSIGN(const std::int64_t entities, store.sql().count(kEntitiesOff));
  CANDOR_ASSIGN(const std::int64_t degrees, store.sql().count(kDegreesOff));
  std::string fault;
  if (memories + entities > 0) {
    fault = std::to_string(memories) + " totals of memories and " + std::to_string(entities) +
            " of entities are not what counting gives";
  }
  report.judged("totals", std::move(fault), Weight::kDamage);
  report.judged("degrees",
                degrees == 0 ? ""
                             : std::to_string(degrees) +
                                   " entities have another degree than counting gives: "
                                   "candor memory graph recompute-degree",
                Weight::kDamage);
  report.set("degree_drift", Node::number(degrees));
  return Ok{};
}

Status look_at_file(Store& store, HealthReport& report) {
  CANDOR_ASSIGN(const std::string integrity, text_of(store, "PRAGMA integrity_check(1)"));
  CANDOR_ASSIGN(const std::string strays, text_of(store, "SELECT \"table\" FROM pragma_foreign_key_check LIMIT 1"));
  CANDOR_ASSIGN(const std::string journal, text_of(store, "PRAGMA journal_mode"));
  report.judged("integrity", integrity == "ok" ? "" : integrity, Weight::kDamage);
  report.judged("references", strays.empty() ? "" : "rows of " + strays + " refer to nothing", Weight::kDamage);
  report.set("integrity", Node::string(integrity));
  report.set("integrity_ok", Node::boolean(integrity == "ok" && strays.empty()));
  CANDOR_ASSIGN(std::string schema, schema_fault(store.database()));
  report.judged("schema", std::move(schema), Weight::kDamage);
  report.set("schema_ok", report.latest());
  report.set("schema_version", Node::number(newest_version()));
  report.set("journal_mode", Node::string(journal));
  report.set("sqlite_version", Node::string(std::string(sqlite::version())));
  report.set("db_size_bytes", Node::number(store.exists() ? size_of(store.path()) : 0));
  report.set("wal_size_mb", Node::number(static_cast<double>(size_of(store.path() + "-wal")) / 1048576.0));
  return Ok{};
}

Node counts_node(const Counts& counts) {
  Node node = Node::object();
  node.set("memories", Node::number(counts.live)).set("memories_total", Node::number(counts.total));
  node.set("entities", Node::number(counts.entities)).set("relationships", Node::number(counts.relationships));
  node.set("vec_memories", Node::number(counts.vectors));
  return node;
}

}  // namespace

void HealthReport::add(std::string_view check, Node ok, std::string detail) {
  latest_ = ok;
  Node row = Node::object();
  row.set("name", Node::string(std::string(check))).set("ok", std::move(ok));
  row.set("detail", detail.empty() ? Node() : Node::string(std::move(detail)));
  checks_.push(std::move(row));
}

void HealthReport::failed(std::string_view check, std::string detail, Weight weight) {
  (weight == Weight::kDamage ? damage_ : lack_) = true;
  add(check, Node::boolean(false), std::move(detail));
}

void HealthReport::judged(std::string_view check, std::string fault, Weight weight) {
  if (fault.empty()) {
    passed(check);
  } else {
    failed(check, std::move(fault), weight);
  }
}

Node HealthReport::finish() {
  Node document = Node::object();
  document.set("status", Node::string(damage_ ? "error" : lack_ ? "degraded" : "ok"));
  for (auto& [name, value] : document_.members()) document.set(name, std::move(value));
  document.set("checks", std::move(checks_));
  return document;
}

Result<Node> Memory::health(const std::optional<std::string>& space) {
  HealthReport report;
  const HealthScope scope{.store = store_.get(), .space = space};
  CANDOR_ASSIGN(const Counts counts, counts_of(*store_, space));
  report.set("db_path", Node::string(store_->path()));
  report.set("namespace", space ? Node::string(*space) : Node());
  report.set("counts", counts_node(counts));
  CANDOR_TRY(look_at_file(*store_, report));
  CANDOR_TRY(look_at_totals(*store_, report));
  CANDOR_TRY(look_at_text(scope, report));
  CANDOR_TRY(look_at_vectors(scope, report));
  CANDOR_TRY(look_at_graph(scope, report));
  return report.finish();
}

}  // namespace candor::memory
