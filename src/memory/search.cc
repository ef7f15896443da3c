// From a verb's input to its list and document.
#include "memory/search.h"

#include "memory/embed/model_store.h"
#include "memory/graph/related.h"
#include "memory/search/deep_research.h"
#include "memory/search/hybrid.h"
#include "memory/store/names.h"
#include "memory/store/store.h"
#include "memory/text/text_tables.h"
#include "memory/vectors/vector_tables.h"

namespace candor::memory {
namespace {

using json::Node;

struct Prepared {
  SearchQuery query;
  std::vector<std::pair<std::string, Node>> notes;
  bool vectors = false;
};

std::string degraded_reason(const Diagnostic& failure) {
  return failure.code == "embedding-timeout" ? "timeout" : "embedding_failed";
}

Result<SearchQuery> query_of(const SearchInput& input) {
  SearchQuery query;
  query.text = input.query;
  query.scope = {.name_space = input.space, .all_namespaces = input.all_namespaces, .type = {}};
  if (input.type) {
    CANDOR_ASSIGN(query.scope.type, memory_type(*input.type));
  }
  if (input.fusion) {
    CANDOR_ASSIGN(query.fusion.method, parse_fusion(*input.fusion));
  }
  query.fusion.rrf_k = input.rrf_k;
  query.fusion.weight_text = input.weight_text;
  query.fusion.weight_vectors = input.weight_vectors;
  return query;
}

void note_degraded(std::vector<std::pair<std::string, Node>>& notes, const Diagnostic& failure) {
  notes.emplace_back("vec_degraded", Node::boolean(true));
  notes.emplace_back("vec_degraded_reason", Node::string(degraded_reason(failure)));
  notes.emplace_back("vec_error", Node::string(failure.message));
}

// The vector is made before anything is read, so that no snapshot is held while an embedder is waited for.
Result<Prepared> prepare(Memory& memory, const SearchInput& input) {
  Prepared prepared;
  CANDOR_ASSIGN(prepared.query, query_of(input));
  if (input.text_only) return prepared;
  CANDOR_ASSIGN(const ActiveModel model, active_model(memory.store()));
  if (model.embedder == 0) return prepared;
  Result<Vector> vector = query_vector(memory.store(), model, input.query);
  if (vector.ok()) {
    prepared.query.vector = QueryVector{model.embedder, std::move(*vector)};
    prepared.vectors = true;
  } else {
    note_degraded(prepared.notes, vector.error());
  }
  return prepared;
}

std::string backend_of(Memory& memory, bool vectors) {
  const auto model = vectors ? active_model(memory.store()) : Result<ActiveModel>(ActiveModel());
  return model.ok() && model->embedder != 0 ? model->spec.text : "none";
}

Node limit_node(const scope::Ceiling& ceiling) { return Node::number(static_cast<std::int64_t>(ceiling.limit)); }

}  // namespace

Result<SearchAnswer> hybrid_search(Memory& memory, const SearchInput& input) {
  CANDOR_ASSIGN(Prepared prepared, prepare(memory, input));
  const HybridQuery query{.search = prepared.query,
                          .ceiling = input.ceiling,
                          .with_graph = input.with_graph,
                          .graph = {input.max_hops, input.min_weight, input.graph_results_max}};
  CANDOR_ASSIGN(auto list, hybrid_list(memory.store(), query));
  SearchAnswer answer;
  Node& document = answer.document = texts({{"query", input.query}});
  document.set("k", limit_node(input.ceiling)).set("rrf_k", Node::number(input.rrf_k));
  Node weights = Node::object();
  weights.set("vec", Node::number(input.weight_vectors)).set("fts", Node::number(input.weight_text));
  document.set("weights", std::move(weights));
  document.set("fusion", Node::string(std::string(name_of(prepared.query.fusion.method))));
  document.set("max_graph_results",
               input.graph_results_max ? Node::number(static_cast<std::int64_t>(*input.graph_results_max)) : Node());
  document.set("backend_invoked", Node::string(backend_of(memory, prepared.vectors)));
  document.set("fts_degraded", Node::boolean(false));
  CANDOR_TRY(describe_query(document, *list));
  document.set("graph_matches", Node::array());
  answer.notes = std::move(prepared.notes);
  if (input.with_graph) {
    answer.graph_matches = [&memory, query, ranked = list.get()] {
      return graph_matches(memory.store(), query.search, ranked->searcher().eligible(), ranked->shown(), query.graph,
                           false);
    };
  }
  answer.list = std::move(list);
  return answer;
}

Result<SearchAnswer> recall(Memory& memory, const SearchInput& input) {
  CANDOR_ASSIGN(Prepared prepared, prepare(memory, input));
  RecallQuery query{.search = prepared.query,
                    .ceiling = input.ceiling,
                    .with_graph = input.with_graph,
                    .graph = {input.max_hops, input.min_weight, input.graph_results_max},
                    .distance_max = input.distance_max,
                    .text_only = !prepared.vectors};
  query.search.with_text = !prepared.vectors;
  query.search.fusion.method = Fusion::kConvex;
  CANDOR_ASSIGN(auto list, recall_list(memory.store(), query));
  SearchAnswer answer;
  answer.document = texts({{"query", input.query}});
  answer.document.set("k", limit_node(input.ceiling));
  answer.document.set("backend_invoked", Node::string(backend_of(memory, prepared.vectors)));
  CANDOR_TRY(describe_query(answer.document, *list));
  answer.notes = std::move(prepared.notes);
  answer.list = std::move(list);
  return answer;
}

namespace {

// Vectors of all sub-queries, from one request.
Result<std::vector<std::optional<Vector>>> vectors_of(Memory& memory, const ResearchInput& input, ResearchQuery& query,
                                                      SearchAnswer& answer) {
  std::vector<std::optional<Vector>> vectors(query.sub_queries.size());
  if (input.search.text_only) return vectors;
  CANDOR_ASSIGN(const ActiveModel model, active_model(memory.store()));
  if (model.embedder == 0) return vectors;
  std::vector<std::string> texts;
  for (const auto& sub_query : query.sub_queries) texts.push_back(sub_query.text);
  Result<std::vector<Vector>> made = query_vectors(memory.store(), model, texts, input.timeout_ms / 2);
  if (!made.ok()) {
    note_degraded(answer.notes, made.error());
    return vectors;
  }
  query.search.vector = QueryVector{model.embedder, made->front()};
  for (std::size_t i = 0; i < vectors.size(); ++i) vectors[i] = std::move((*made)[i]);
  return vectors;
}

}  // namespace

Result<SearchAnswer> deep_research(Memory& memory, const ResearchInput& input) {
  SearchAnswer answer;
  CANDOR_ASSIGN(SearchQuery search, query_of(input.search));
  ResearchQuery query{.search = std::move(search),
                      .sub_queries = {},
                      .k = input.k,
                      .max_hops = input.search.max_hops,
                      .min_weight = input.search.min_weight,
                      .neighbours_max = input.neighbours_max,
                      .damping = input.graph_decay,
                      .graph_score_min = input.graph_score_min,
                      .deadline = Deadline(std::chrono::milliseconds(input.timeout_ms)),
                      .with_bodies = input.with_bodies,
                      .ceiling = input.search.ceiling};
  for (const auto& text : input.sub_queries) query.sub_queries.push_back({text, "manual"});
  if (query.sub_queries.empty()) query.sub_queries = decompose(input.search.query, input.sub_queries_max);
  CANDOR_ASSIGN(const auto vectors, vectors_of(memory, input, query, answer));
  const bool degraded = !answer.notes.empty();
  CANDOR_ASSIGN(Research research, deep_research(memory.store(), query, vectors));
  answer.document = std::move(research.document);
  if (Node* stats = answer.document.find("stats"); stats != nullptr) {
    stats->set("vec_degraded", Node::boolean(degraded));
  }
  if (research.timed_out) answer.notes.emplace_back("timed_out", Node::boolean(true));
  if (!input.warnings.empty()) {
    Node warnings = Node::array();
    for (const auto& warning : input.warnings) warnings.push(Node::string(warning));
    answer.document.set("warnings", std::move(warnings));
  }
  answer.list = std::move(research.results);
  answer.secondary.push_back({"evidence_chains", std::move(research.chains), research.chains_cut});
  return answer;
}

Result<SearchAnswer> related(Memory& memory, const RelatedInput& input) {
  SearchAnswer answer;
  CANDOR_ASSIGN(answer.list, related(memory.store(), RelatedQuery{.space = input.space,
                                                                  .name = input.name,
                                                                  .max_hops = input.max_hops,
                                                                  .relation = input.relation,
                                                                  .min_weight = input.min_weight,
                                                                  .ceiling = input.ceiling}));
  answer.document = texts({{"name", input.name}});
  answer.document.set("max_hops", Node::number(std::int64_t{input.max_hops}));
  return answer;
}

Result<SearchAnswer> graph_traverse(Memory& memory, const std::string& space, const std::string& from,
                                    std::uint32_t depth, bool fuzzy) {
  CANDOR_ASSIGN(Traverse found,
                traverse(memory.store(), {.space = space, .from = from, .depth = depth, .fuzzy = fuzzy}));
  SearchAnswer answer;
  answer.document = texts({{"from", found.from}, {"namespace", space}});
  answer.document.set("depth", Node::number(std::int64_t{depth}));
  answer.list = std::move(found.hops);
  return answer;
}

Result<Node> fts_check(Memory& memory) {
  CANDOR_ASSIGN(const auto fault, check_text(memory.store().database()));
  Node document = texts({{"action", "checked"}});
  document.set("integrity_ok", Node::boolean(!fault)).set("detail", fault ? Node::string(*fault) : Node());
  return document;
}

Result<Node> fts_rebuild(Memory& memory) {
  Store& store = memory.store();
  CANDOR_ASSIGN(const TextFacts facts, store.transaction([&] { return rebuild_text(store.database()); }));
  Node document = texts({{"action", "rebuilt"}});
  document.set("rows_indexed", Node::number(facts.rows)).set("chunks_indexed", Node::number(facts.chunks));
  return document;
}

Result<Node> fts_stats(Memory& memory) {
  CANDOR_ASSIGN(const TextFacts facts, text_facts(memory.store().database()));
  Node document = Node::object();
  document.set("total_rows", Node::number(facts.rows)).set("chunk_rows", Node::number(facts.chunks));
  document.set("shadow_pages", Node::number(facts.pages)).set("fts_functional", Node::boolean(true));
  return document;
}

Result<Node> reindex(Memory& memory) {
  Store& store = memory.store();
  CANDOR_ASSIGN(Node document, fts_rebuild(memory));
  document.set("action", Node::string("reindexed"));
  CANDOR_ASSIGN(const ActiveModel model, active_model(store));
  if (model.embedder == 0) return document;
  CANDOR_TRY(store.transaction([&] { return pack_vectors(store.database(), model.embedder, true); }));
  CANDOR_ASSIGN(const auto packed,
                store.sql().count("SELECT (SELECT count(*) FROM memory_embeddings WHERE embedder = ?1) - "
                                  "(SELECT count(*) FROM vector_unpacked WHERE embedder = ?1)",
                                  model.embedder));
  document.set("vectors_packed", Node::number(packed));
  return document;
}

Result<Node> choose_embedder(Memory& memory, const std::string& model, std::optional<std::int64_t> dim) {
  CANDOR_ASSIGN(const ModelSpec spec, parse_model(model));
  const auto size = dim ? std::optional(static_cast<std::size_t>(*dim)) : std::nullopt;
  CANDOR_ASSIGN(const ActiveModel chosen, choose_model(memory.store(), spec, size));
  Node document = texts({{"model", chosen.spec.text}});
  document.set("dim", Node::number(static_cast<std::int64_t>(chosen.dim)));
  return document;
}

Result<Node> embed_status(Memory& memory) { return embed_status(memory.store()); }

Result<Node> embed_backfill(Memory& memory, const std::function<bool(std::int64_t, std::int64_t)>& progress) {
  CANDOR_ASSIGN(const Backfilled done, backfill(memory.store(), progress));
  Node document = texts({{"action", "backfilled"}});
  document.set("embedded", Node::number(done.embedded)).set("failed", Node::number(done.failed));
  document.set("remaining", Node::number(done.remaining));
  if (!done.failure.empty()) document.set("error", Node::string(done.failure));
  return document;
}

}  // namespace candor::memory
