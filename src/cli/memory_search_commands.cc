// The verbs of `candor memory` that search, and those of the embedder.
#include <algorithm>
#include <limits>

#include "cli/memory_verbs.h"
#include "cli/progress.h"
#include "memory/search.h"

namespace candor::cli {
namespace {

using json::Node;

constexpr std::int64_t kTop = 4'096, kHops = 64, kSubQueries = 64;
constexpr double kFarthest = 2;

// -k and --limit under one name, with what holds where none is given.
Result<scope::Ceiling> top(const MemoryCall& call, std::string_view flag, std::uint64_t standard, std::int64_t most) {
  CANDOR_ASSIGN(const std::optional<std::int64_t> given, call.number(flag, 1, most));
  scope::Ceiling ceiling;
  ceiling.kind = scope::LimitKind::kTopK;
  ceiling.source = given ? scope::LimitSource::kFlag : scope::LimitSource::kDefault;
  ceiling.limit = given ? static_cast<std::uint64_t>(*given) : standard;
  return ceiling;
}

Status read_walk(const MemoryCall& call, std::uint32_t standard, std::uint32_t& hops, double& weight) {
  CANDOR_ASSIGN(const std::optional<std::int64_t> given, call.number("max-hops", 0, kHops));
  CANDOR_ASSIGN(const std::optional<double> floor, call.real("min-weight", 0, 1));
  hops = given ? static_cast<std::uint32_t>(*given) : standard;
  weight = floor.value_or(0.3);
  return Ok{};
}

Result<memory::SearchInput> search_input(const MemoryCall& call, std::string_view limit, std::uint64_t standard,
                                         std::uint32_t hops, std::int64_t most) {
  memory::SearchInput input;
  const std::optional<std::string> query = call.word_or(0, "query");
  if (!query) {
    return make_error("usage", "nothing to search for",
                      "candor memory " + std::string(call.verb().name) + " \"WORDS\"");
  }
  input.query = *query;
  CANDOR_ASSIGN(input.space, call.space());
  input.all_namespaces = call.has("all-namespaces");
  input.type = call.text("type");
  CANDOR_ASSIGN(input.ceiling, top(call, limit, standard, most));
  input.text_only = call.has("fallback-fts-only");
  CANDOR_TRY(read_walk(call, hops, input.max_hops, input.min_weight));
  CANDOR_ASSIGN(const std::optional<std::int64_t> graph, call.number("max-graph-results", 0, 1'000'000));
  if (graph) input.graph_results_max = static_cast<std::uint64_t>(*graph);
  return input;
}

Result<memory::SearchInput> hybrid_input(const MemoryCall& call) {
  CANDOR_ASSIGN(memory::SearchInput input, search_input(call, "k", 10, 2, kTop));
  input.with_graph = call.has("with-graph");
  if (!input.graph_results_max) input.graph_results_max = 50;
  input.fusion = call.text("fusion");
  CANDOR_ASSIGN(const std::optional<double> rrf_k, call.real("rrf-k", 0, 1e6));
  CANDOR_ASSIGN(const std::optional<double> text, call.real("weight-fts", 0, 1e6));
  CANDOR_ASSIGN(const std::optional<double> vectors, call.real("weight-vec", 0, 1e6));
  input.rrf_k = rrf_k.value_or(60);
  input.weight_text = text.value_or(1);
  input.weight_vectors = vectors.value_or(1);
  return input;
}

Result<memory::SearchInput> recall_input(const MemoryCall& call) {
  CANDOR_ASSIGN(memory::SearchInput input, search_input(call, "k", 10, 2, kTop));
  input.with_graph = !call.has("no-graph");
  CANDOR_ASSIGN(const std::optional<double> distance, call.real("max-distance", 0, kFarthest));
  input.distance_max = distance.value_or(1);
  return input;
}

// The parts of a question from a file: a JSON array of texts, or one a line.
Result<std::vector<std::string>> sub_queries_of(const std::string& path) {
  CANDOR_ASSIGN(const std::string text, read_whole(path));
  std::vector<std::string> parts;
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first != std::string::npos && text[first] == '[') {
    CANDOR_ASSIGN(const Node array, json::parse(text));
    for (const Node& item : array.items()) {
      if (!item.is_string()) return make_error("bad-request", "a sub-query must be a text", "[\"…\", \"…\"]");
      parts.push_back(item.text());
    }
  } else {
    for (std::size_t start = 0; start < text.size();) {
      const std::size_t end = std::min(text.find('\n', start), text.size());
      parts.push_back(text.substr(start, end - start));
      start = end + 1;
    }
  }
  std::erase_if(parts, [](const std::string& part) { return part.find_first_not_of(" \t\r") == std::string::npos; });
  for (std::string& part : parts) {
    part.erase(part.find_last_not_of(" \t\r") + 1);
    part.erase(0, part.find_first_not_of(" \t\r"));
  }
  if (parts.empty()) return make_error("usage", path + " has no sub-query", "one a line");
  if (parts.size() > static_cast<std::size_t>(kSubQueries)) {
    return make_error("over-limit", path + " has " + std::to_string(parts.size()) + " sub-queries, the most are " +
                                        std::to_string(kSubQueries));
  }
  return parts;
}

// What bounds and ranks a deep-research.
Status read_ranking(const MemoryCall& call, memory::ResearchInput& input) {
  constexpr double kSecondsMin = 0.001, kSecondsMax = 86'400;
  CANDOR_ASSIGN(const std::optional<double> seconds, call.real("timeout", kSecondsMin, kSecondsMax));
  CANDOR_ASSIGN(const std::optional<double> decay, call.real("graph-decay", 0, 1));
  CANDOR_ASSIGN(const std::optional<double> floor, call.real("graph-min-score", 0, 1));
  CANDOR_ASSIGN(const std::optional<double> rrf_k, call.real("rrf-k", 0, 1e6));
  CANDOR_ASSIGN(const std::optional<std::int64_t> at_once, call.number("max-concurrency", 1, kSubQueries));
  if (seconds) input.timeout_ms = static_cast<int>(*seconds * 1'000);
  if (decay) input.graph_decay = *decay;
  if (floor) input.graph_score_min = *floor;
  if (rrf_k) {
    input.search.fusion = "rrf";
    input.search.rrf_k = *rrf_k;
  }
  if (at_once) {
    input.warnings.emplace_back(
        "--max-concurrency has no effect: sub-queries are searched one after the other, in one snapshot of the memory");
  }
  const std::string strategy = call.text("sub-query-strategy").value_or("heuristic");
  if (strategy == "heuristic") return Ok{};
  return make_error("usage", "no strategy '" + strategy + "' for sub-queries",
                    "--sub-query-strategy heuristic, or --sub-queries-file FILE");
}

Result<memory::ResearchInput> research_input(const MemoryCall& call) {
  memory::ResearchInput input;
  CANDOR_ASSIGN(input.search, search_input(call, "max-results", 50, 3, 1'000'000));
  CANDOR_ASSIGN(const std::optional<std::int64_t> k, call.number("k", 1, kTop));
  CANDOR_ASSIGN(const std::optional<std::int64_t> most, call.number("max-sub-queries", 1, kSubQueries));
  CANDOR_ASSIGN(const std::optional<std::int64_t> neighbours, call.number("max-neighbors-per-hop", 1, 1'000'000));
  if (k) input.k = static_cast<std::uint64_t>(*k);
  if (most) input.sub_queries_max = static_cast<std::size_t>(*most);
  if (neighbours) input.neighbours_max = static_cast<std::size_t>(*neighbours);
  input.with_bodies = call.has("with-bodies");
  CANDOR_TRY(read_ranking(call, input));
  if (const std::optional<std::string> file = call.text("sub-queries-file")) {
    CANDOR_ASSIGN(input.sub_queries, sub_queries_of(*file));
    if (most || call.has("sub-query-strategy")) {
      input.warnings.emplace_back(
          "--max-sub-queries and --sub-query-strategy have no effect: the sub-queries are those of the file");
    }
  }
  return input;
}

// Opens the memory, searches, shapes, prints.
template <typename Input, typename Run>
ExitCode searched(MemoryCall& call, const Result<Input>& input, const Run& run,
                  const std::vector<std::string>& columns) {
  if (!input.ok()) return call.failed(input.error());
  Result<memory::Memory> memory = call.open(memory::Access::kRead);
  if (!memory.ok()) return call.failed(memory.error());
  Result<memory::SearchAnswer> answer = run(*memory, *input);
  if (!answer.ok()) return call.failed(memory->named(answer.error()));
  return call.ranked(*answer, columns);
}

template <typename Run>
ExitCode told(MemoryCall& call, memory::Access access, const Run& run) {
  Result<memory::Memory> memory = call.open(access);
  if (!memory.ok()) return call.failed(memory.error());
  Result<Node> document = run(*memory);
  if (!document.ok()) return call.failed(memory->named(document.error()));
  return call.done(std::move(document));
}

}  // namespace

ExitCode memory_hybrid_search(MemoryCall& call) {
  return searched(call, hybrid_input(call),
                  [](memory::Memory& memory, const auto& input) { return memory::hybrid_search(memory, input); },
                  {"name", "type", "score", "description"});
}

ExitCode memory_recall(MemoryCall& call) {
  return searched(call, recall_input(call),
                  [](memory::Memory& memory, const auto& input) { return memory::recall(memory, input); },
                  {"name", "type", "distance", "source", "description"});
}

ExitCode memory_deep_research(MemoryCall& call) {
  return searched(call, research_input(call),
                  [](memory::Memory& memory, const auto& input) { return memory::deep_research(memory, input); },
                  {"name", "score", "source", "hop_distance", "snippet"});
}

ExitCode memory_related(MemoryCall& call) {
  const auto input_of = [&]() -> Result<memory::RelatedInput> {
    memory::RelatedInput input;
    const std::optional<std::string> name = call.word_or(0, "name");
    if (!name) return make_error("usage", "no memory or entity named", "candor memory related NAME");
    input.name = *name;
    CANDOR_ASSIGN(input.space, call.space());
    CANDOR_TRY(read_walk(call, 2, input.max_hops, input.min_weight));
    input.relation = call.text("relation");
    CANDOR_ASSIGN(input.ceiling, top(call, "limit", 10, 1'000'000));
    return input;
  };
  return searched(call, input_of(),
                  [](memory::Memory& memory, const auto& input) { return memory::related(memory, input); },
                  {"name", "hop_distance", "relation", "weight", "description"});
}

ExitCode memory_graph_traverse(MemoryCall& call) {
  struct Input {
    std::string space, from;
    std::uint32_t depth = 2;
  };
  const auto input_of = [&]() -> Result<Input> {
    Input input;
    const std::optional<std::string> from = call.word_or(0, "from");
    if (!from) return make_error("usage", "no entity to start from", "candor memory graph traverse --from NAME");
    input.from = *from;
    CANDOR_ASSIGN(input.space, call.space());
    CANDOR_ASSIGN(const std::optional<std::int64_t> depth, call.number("depth", 1, kHops));
    if (depth) input.depth = static_cast<std::uint32_t>(*depth);
    return input;
  };
  return searched(call, input_of(),
                  [&](memory::Memory& memory, const Input& input) {
                    return memory::graph_traverse(memory, input.space, input.from, input.depth, call.has("fuzzy"));
                  },
                  {"depth", "entity", "relation", "direction", "weight"});
}

ExitCode memory_fts_check(MemoryCall& call) {
  Result<memory::Memory> memory = call.open(memory::Access::kWrite);
  if (!memory.ok()) return call.failed(memory.error());
  Result<Node> document = memory::fts_check(*memory);
  if (!document.ok()) return call.failed(memory->named(document.error()));
  const bool whole = (*document)["integrity_ok"].truth();
  const ExitCode code = call.done(std::move(document));
  return whole || code != ExitCode::kDone ? code : ExitCode::kEngine;
}

ExitCode memory_fts_rebuild(MemoryCall& call) { return told(call, memory::Access::kWrite, &memory::fts_rebuild); }
ExitCode memory_fts_stats(MemoryCall& call) { return told(call, memory::Access::kRead, &memory::fts_stats); }
ExitCode memory_reindex(MemoryCall& call) { return told(call, memory::Access::kWrite, &memory::reindex); }

ExitCode memory_embed_status(MemoryCall& call) {
  return told(call, memory::Access::kRead, [](memory::Memory& memory) { return memory::embed_status(memory); });
}

ExitCode memory_embed_backfill(MemoryCall& call) {
  Progress bar(call.context().err, "making vectors");
  Result<memory::Memory> memory = call.open(memory::Access::kWrite);
  if (!memory.ok()) return call.failed(memory.error());
  Result<Node> document = memory::embed_backfill(*memory, [&](std::int64_t done, std::int64_t all) {
    bar.say("making vectors: " + std::to_string(done) + " of " + std::to_string(all));
    return true;
  });
  bar.stop();
  if (!document.ok()) return call.failed(memory->named(document.error()));
  const bool partly = (*document)["failed"].integer().value_or(0) > 0;
  const ExitCode code = call.done(std::move(document));
  return partly && code == ExitCode::kDone ? ExitCode::kEmbedding : code;
}

}  // namespace candor::cli
