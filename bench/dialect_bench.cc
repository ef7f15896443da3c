// A typical statement through a contract: parsed, bound and lowered, without an engine; at most 30 µs. And texts made to
// exhaust parser and binder: none may take more than 50 ms and 64 MB.
#include <benchmark/benchmark.h>
#include <string>

#include "bind/binder.h"
#include "contract/contract.h"
#include "dialect/parser.h"
#include "lower/lower.h"
#include "sql/lexer.h"
#include "support/hostile_texts.h"

namespace {

constexpr std::string_view kContract = R"(contract: shop
source: app
scope: {column: tenant, value: "${claim.tenant}"}
resources:
  cards:
    table: cards
    description: Cards.
    key: card_no
    writes: []
    columns:
      card_no: {type: integer}
      front_text: {type: string}
      card_type: {type: string, enum: [basic, cloze, image]}
      tags: {type: "string[]"}
      reps: {type: integer}
      due_at: {type: datetime, nullable: true}
)";

constexpr std::string_view kTypical =
    "SELECT card_no, front_text, reps FROM cards WHERE card_type = 'basic' AND (reps > 5 OR tags OVERLAP ('sql', "
    "'math')) "
    "AND due_at < '2024-03-01' ORDER BY due_at DESC, card_no LIMIT 20";

candor::lower::Storage storage_of(const candor::contract::Contract& contract, candor::lower::Target target) {
  candor::lower::Storage storage;
  storage.target = target;
  storage.source = "app";
  storage.scope_column = "tenant";
  storage.scope_value = "A";
  candor::lower::StoredTable table;
  table.schema = "main";
  table.name = "cards";
  for (const std::string column : {"card_no", "tenant", "front_text", "card_type", "tags", "reps", "due_at"}) {
    table.columns.push_back(column);
    table.types.emplace(column, column == "tags" ? "VARCHAR[]" : column == "due_at" ? "TIMESTAMP" : "VARCHAR");
  }
  storage.tables.emplace(&contract.resources.front(), table);
  return storage;
}

void parse_bind_lower(benchmark::State& state, candor::lower::Target target) {
  const auto contract = candor::contract::parse(kContract, "bench");
  if (!contract.ok()) return state.SkipWithError(contract.error().message.c_str());
  const candor::lower::Storage storage = storage_of(*contract, target);
  for (auto _ : state) {
    const candor::dialect::Parsed parsed = candor::dialect::parse(kTypical);
    const candor::bind::Bound bound = candor::bind::bind(kTypical, parsed, {&*contract, "A"});
    if (!bound.errors.empty()) return state.SkipWithError(bound.errors.front().message.c_str());
    benchmark::DoNotOptimize(candor::lower::Lowering(storage).select(*bound.statements.front().select));
  }
}

// The named alternative: the lexer alone, which any treatment of the text begins with.
void lexer_alone(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(candor::sql::tokenize(kTypical));
}

// The worst of the hostile texts, each in a process of its own, once: in time of the processor and in memory.
void hostile(benchmark::State& state) {
  const auto contract = candor::contract::parse(candor::test::kHostileContract, "bench");
  if (!contract.ok()) return state.SkipWithError(contract.error().message.c_str());
  for (auto _ : state) {
    candor::test::Taken slowest;
    candor::test::Taken largest;
    std::string names[2];
    for (const candor::test::HostileText& text : candor::test::hostile_texts()) {
      const candor::test::Taken taken = candor::test::take(text.make(), *contract);
      if (!taken.refused && !taken.said.empty()) return state.SkipWithError(taken.said.c_str());
      if (!text.name.starts_with("50 ") && taken.milliseconds > slowest.milliseconds) {
        slowest = taken;
        names[0] = text.name;
      }
      if (taken.megabytes > largest.megabytes) {
        largest = taken;
        names[1] = text.name;
      }
    }
    state.counters["worst_ms"] = slowest.milliseconds;
    state.counters["worst_MB"] = largest.megabytes;
    state.SetLabel("slowest: " + names[0] + "; largest: " + names[1]);
  }
}

BENCHMARK(hostile)->Iterations(1)->Unit(benchmark::kMillisecond);
BENCHMARK(lexer_alone)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(parse_bind_lower, sqlite, candor::lower::Target::kSqlite)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(parse_bind_lower, duckdb, candor::lower::Target::kDuckdb)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(parse_bind_lower, postgres, candor::lower::Target::kPostgres)->Unit(benchmark::kMicrosecond);

}  // namespace
