// The embedder that a memory names, texts to vectors, and making up for missing ones.
#include "memory/embed/model_store.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/digest.h"
#include "memory/embed/local_models.h"
#include "memory/store/text_parts.h"
#include "memory/vectors/segment.h"
#include "memory/vectors/vector_tables.h"

namespace candor::memory {
namespace {

using json::Node;

constexpr std::int64_t kBackfillBatch = 64;

Result<std::string> meta(Store& store, std::string_view key) {
  CANDOR_ASSIGN(sqlite::Run run, store.sql().start("SELECT value FROM schema_meta WHERE key = ?1", key));
  CANDOR_ASSIGN(const bool row, run.step());
  return row ? run.text(0) : std::string();
}

Status set_meta(Store& store, std::string_view key, const std::string& value) {
  return store.sql().execute(
      "INSERT INTO schema_meta (key, value) VALUES (?1, ?2) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
      key, value);
}

std::string home_of(const Store& store) {
  const auto slash = store.path().rfind('/');
  return slash == std::string::npos ? "." : store.path().substr(0, slash);
}

// One embedder a model, home and process: a local model's files are opened once.
Result<Embedder*> embedder_of(const std::string& home, const ModelSpec& spec) {
  static std::map<std::pair<std::string, std::string>, std::unique_ptr<Embedder>> known;
  const auto found = known.find({home, spec.text});
  if (found != known.end()) return found->second.get();
  CANDOR_ASSIGN(auto made, make_embedder(spec, embed_settings(home)));
  return known.emplace(std::pair(home, spec.text), std::move(made)).first->second.get();
}

// Vectors of the memory's own embedder, in the version that made those which are stored.
Result<std::vector<Vector>> embed_texts(Store& store, const ActiveModel& model, const std::vector<std::string>& texts) {
  CANDOR_ASSIGN(Embedder * embedder, embedder_of(home_of(store), model.spec));
  if (embedder->version() != model.version) {
    return make_error("embedding-failed", "the memory's vectors are of another version of " + model.spec.text,
                      "candor memory init --model " + model.spec.text, "candor memory embed backfill makes them anew");
  }
  CANDOR_ASSIGN(auto vectors, embedder->embed(texts));
  CANDOR_TRY(check_vectors(vectors, texts.size(), model.dim));
  return vectors;
}

// The texts of a memory: one for all of it, or one for each of its pieces.
std::vector<std::string> texts_of(const std::string& description, const std::string& body) {
  const auto chunks = chunks_of(body);
  if (chunks.empty()) return {description.empty() ? body : body.empty() ? description : description + "\n" + body};
  std::vector<std::string> texts;
  texts.reserve(chunks.size());
  for (const auto& chunk : chunks) texts.push_back(body.substr(chunk.start, chunk.end - chunk.start));
  return texts;
}

// The mean of the pieces' vectors, of unit length.
Vector mean_of(const std::vector<Vector>& vectors) {
  std::vector<double> sum(vectors.front().size(), 0);
  for (const auto& vector : vectors) {
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += static_cast<double>(vector[i]);
  }
  double length = 0;
  for (const double x : sum) length += x * x;
  length = std::sqrt(length);
  Vector mean(sum.size(), 0);
  for (std::size_t i = 0; length > 0 && i < sum.size(); ++i) mean[i] = static_cast<float>(sum[i] / length);
  return mean;
}

Embedded embedded_of(std::int64_t embedder, const std::vector<Vector>& vectors) {
  Embedded embedded;
  embedded.embedder = embedder;
  embedded.memory = vectors.size() == 1 ? vectors.front() : mean_of(vectors);
  return embedded;
}

struct Missing {
  std::int64_t id = 0, rev = 0;
  std::string description, body;
};

constexpr std::string_view kMissingCount =
    "SELECT count(*) FROM memories m WHERE deleted_at IS NULL AND NOT EXISTS (SELECT 1 FROM memory_embeddings e WHERE "
    "e.memory_id = m.id AND e.embedder = ?1)";

Result<std::vector<Missing>> next_missing(Store& store, std::int64_t embedder, std::int64_t after) {
  std::vector<Missing> found;
  CANDOR_ASSIGN(
      sqlite::Run run,
      store.sql().start("SELECT id, rev, description, body FROM memories m WHERE deleted_at IS NULL AND id > ?2 AND "
                        "NOT EXISTS (SELECT 1 FROM memory_embeddings e WHERE e.memory_id = m.id AND e.embedder = "
                        "?1) ORDER BY id LIMIT ?3",
                        embedder, after, kBackfillBatch));
  while (true) {
    CANDOR_ASSIGN(const bool row, run.step());
    if (!row) return found;
    found.push_back({run.integer(0), run.integer(1), run.text(2), run.text(3)});
  }
}

// A memory that changed meanwhile keeps the vectors that its writer made.
Status store_vectors(Store& store, const Missing& memory, const Embedded& vectors) {
  CANDOR_ASSIGN(const auto rev,
                store.sql().integer("SELECT rev FROM memories WHERE id = ?1 AND deleted_at IS NULL", memory.id));
  if (rev != memory.rev) return Ok{};
  return store.sql().execute("INSERT OR REPLACE INTO memory_embeddings VALUES (?1, ?2, CAST(?3 AS BLOB))", memory.id,
                             vectors.embedder, write_vector(vectors.memory));
}

Result<std::vector<std::optional<Embedded>>> embed_missing(Store& store, const ActiveModel& model,
                                                           const std::vector<Missing>& batch, std::string& failure) {
  std::vector<std::string> texts;
  std::vector<std::size_t> counts;
  for (const auto& memory : batch) {
    auto own = texts_of(memory.description, memory.body);
    counts.push_back(own.size());
    std::ranges::move(own, std::back_inserter(texts));
  }
  std::vector<std::optional<Embedded>> made(batch.size());
  auto vectors = embed_texts(store, model, texts);
  if (vectors.ok()) {
    std::size_t at = 0;
    for (std::size_t i = 0; i < batch.size(); ++i) {
      const auto begin = vectors->begin() + static_cast<std::ptrdiff_t>(at);
      made[i] = embedded_of(model.embedder, {begin, begin + static_cast<std::ptrdiff_t>(counts[i])});
      at += counts[i];
    }
    return made;
  }
  if (batch.size() == 1) {
    if (failure.empty()) failure = vectors.error().message;
    return made;
  }
  // One text can spoil a batch: each by itself.
  for (std::size_t i = 0; i < batch.size(); ++i) {
    CANDOR_ASSIGN(auto one, embed_missing(store, model, {batch[i]}, failure));
    made[i] = std::move(one.front());
    if (!made[i] && i == 0 && vectors.error().code == "embedding-timeout") return std::move(vectors).error();
  }
  return made;
}

Result<Node> embedders_of(Store& store) {
  Node all = Node::array();
  CANDOR_ASSIGN(
      sqlite::Run run,
      store.sql().start("SELECT e.id, e.name, e.dim, (SELECT count(*) FROM memory_embeddings v WHERE v.embedder = "
                        "e.id), e.version, e.sha256 FROM embedders e ORDER BY e.id"));
  while (true) {
    CANDOR_ASSIGN(const bool row, run.step());
    if (!row) return all;
    Node one = Node::object();
    one.set("id", Node::number(run.integer(0))).set("model", Node::string(run.text(1)));
    one.set("dim", Node::number(run.integer(2))).set("vectors", Node::number(run.integer(3)));
    if (!run.text(4).empty()) one.set("version", Node::string(run.text(4))).set("sha256", Node::string(run.text(5)));
    all.push(std::move(one));
  }
}

// Later openings look at sizes alone: hashing the file takes longer than a search.
Status check_whole(const std::string& home, const ModelSpec& spec) {
  if (spec.kind != ModelKind::kLocal) return Ok{};
  CANDOR_ASSIGN(const LocalModel* model, local_model(spec.name));
  if (model_state(home, *model) == ModelState::kInstalled) return Ok{};
  return make_error("embedding-failed", "the local model " + spec.name + " is damaged",
                    "candor memory embed setup " + spec.name);
}

Node local_models_of(const std::string& home) {
  Node all = Node::array();
  for (const auto& model : local_models()) {
    const ModelState state = model_state(home, model);
    Node one = Node::object();
    one.set("name", Node::string(model.name)).set("version", Node::string(model.version));
    one.set("licence", Node::string(model.licence)).set("dim", Node::number(static_cast<std::int64_t>(model.dim)));
    one.set("state", Node::string(state == ModelState::kInstalled ? "installed"
                                  : state == ModelState::kDamaged ? "damaged"
                                                                  : "absent"));
    one.set("folder", Node::string(ModelFiles(home, model).folder));
    all.push(std::move(one));
  }
  return all;
}

}  // namespace

std::string text_digest(std::string_view description, std::string_view body) {
  return sha256_hex(std::string(description) + '\0' + std::string(body));
}

Result<ActiveModel> active_model(Store& store) {
  ActiveModel model;
  CANDOR_ASSIGN(const std::string text, meta(store, "model"));
  CANDOR_ASSIGN(model.spec, parse_model(text.empty() ? "none" : text));
  if (model.spec.kind == ModelKind::kNone) return model;
  CANDOR_ASSIGN(const std::string id, meta(store, "embedder"));
  CANDOR_ASSIGN(sqlite::Run run, store.sql().start("SELECT id, dim, version, sha256 FROM embedders WHERE id = ?1", id));
  CANDOR_ASSIGN(const bool row, run.step());
  if (!row) {
    return make_error("integrity", "the memory names an embedder that it does not have",
                      "candor memory init --model MODEL");
  }
  model.embedder = run.integer(0);
  model.dim = static_cast<std::size_t>(run.integer(1));
  model.version = {run.text(2), run.text(3)};
  return model;
}

Result<ActiveModel> choose_model(Store& store, const ModelSpec& spec, std::optional<std::size_t> dim) {
  ActiveModel model{.spec = spec, .embedder = 0, .dim = dim.value_or(0), .version = {}};
  if (spec.kind != ModelKind::kNone) {
    CANDOR_ASSIGN(Embedder * embedder, embedder_of(home_of(store), spec));
    model.version = embedder->version();
    CANDOR_TRY(check_whole(home_of(store), spec));
    // A local model is asked in any case: it costs nothing, and a wrong size would be found at the next write.
    if (!dim || spec.kind == ModelKind::kLocal) {
      const std::vector<std::string> text = {"a text to learn the size of its vector"};
      CANDOR_ASSIGN(const auto probe, embedder->embed(text));
      CANDOR_TRY(check_vectors(probe, 1, dim));
      model.dim = probe.front().size();
    }
  }
  const auto write = [&]() -> Status {
    CANDOR_TRY(set_meta(store, "model", spec.text));
    CANDOR_TRY(set_meta(store, "dim", std::to_string(model.dim)));
    if (spec.kind == ModelKind::kNone) return set_meta(store, "embedder", "0");
    CANDOR_TRY(
        store.sql().execute("INSERT OR IGNORE INTO embedders (name, dim, version, sha256) VALUES (?1, ?2, ?3, ?4)",
                            spec.text, model.dim, model.version.version, model.version.sha256));
    CANDOR_ASSIGN(
        model.embedder,
        store.sql().count("SELECT id FROM embedders WHERE name = ?1 AND dim = ?2 AND version = ?3 AND sha256 = ?4",
                          spec.text, model.dim, model.version.version, model.version.sha256));
    return set_meta(store, "embedder", std::to_string(model.embedder));
  };
  CANDOR_TRY(store.transaction(write));
  return model;
}

Result<std::optional<Embedded>> vectors_for(Store& store, const std::string& description, const std::string& body,
                                            bool allow_missing) {
  CANDOR_ASSIGN(const ActiveModel model, active_model(store));
  if (model.embedder == 0) return std::optional<Embedded>();
  auto vectors = embed_texts(store, model, texts_of(description, body));
  if (vectors.ok()) {
    Embedded made = embedded_of(model.embedder, *vectors);
    made.of = text_digest(description, body);
    return std::optional(std::move(made));
  }
  if (allow_missing) return std::optional<Embedded>();
  Diagnostic failure = std::move(vectors).error();
  if (failure.hint.empty())
    failure.hint = "--allow-missing-vector stores it without; candor memory embed backfill makes it later";
  return failure;
}

std::vector<Result<Embedded>> vectors_for_each(Store& store, const ActiveModel& model,
                                               const std::vector<MemoryText>& texts) {
  std::vector<Missing> batch;
  for (const auto& text : texts) batch.push_back({0, 0, text.description, text.body});
  std::string failure;
  Result<std::vector<std::optional<Embedded>>> made = embed_missing(store, model, batch, failure);
  std::vector<Result<Embedded>> vectors;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (!made.ok()) {
      vectors.emplace_back(made.error());
    } else if (auto& one = (*made)[i]; one) {
      one->of = text_digest(texts[i].description, texts[i].body);
      vectors.emplace_back(std::move(*one));
    } else {
      vectors.emplace_back(
          make_error("embedding-failed", failure,
                     "--allow-missing-vector stores it without; candor memory embed backfill makes it later"));
    }
  }
  return vectors;
}

Result<Vector> query_vector(Store& store, const ActiveModel& model, const std::string& text) {
  CANDOR_ASSIGN(auto vectors, embed_texts(store, model, {text}));
  return std::move(vectors.front());
}

Result<std::vector<Vector>> query_vectors(Store& store, const ActiveModel& model, const std::vector<std::string>& texts,
                                          int timeout_ms) {
  EmbedSettings settings = embed_settings(home_of(store));
  if (model.spec.kind == ModelKind::kLocal || timeout_ms >= settings.timeout_ms) {
    return embed_texts(store, model, texts);
  }
  settings.timeout_ms = std::max(1, timeout_ms);
  CANDOR_ASSIGN(const auto embedder, make_embedder(model.spec, settings));
  CANDOR_ASSIGN(auto vectors, embedder->embed(texts));
  CANDOR_TRY(check_vectors(vectors, texts.size(), model.dim));
  return vectors;
}

Result<Node> embed_status(Store& store) {
  CANDOR_ASSIGN(const ActiveModel model, active_model(store));
  CANDOR_ASSIGN(const auto live, store.sql().count("SELECT count(*) FROM memories WHERE deleted_at IS NULL"));
  CANDOR_ASSIGN(const auto missing, store.sql().count(kMissingCount, model.embedder));
  Node document = Node::object();
  document.set("model", Node::string(model.spec.text)).set("dim", Node::number(static_cast<std::int64_t>(model.dim)));
  document.set("memories", Node::number(live)).set("with_vector", Node::number(live - missing));
  document.set("missing", Node::number(missing));
  document.set(
      "coverage_pct",
      Node::number(live == 0 ? 100.0 : 100.0 * static_cast<double>(live - missing) / static_cast<double>(live)));
  CANDOR_ASSIGN(Node embedders, embedders_of(store));
  document.set("embedders", std::move(embedders)).set("local_models", local_models_of(home_of(store)));
  return document;
}

Result<Backfilled> backfill(Store& store, const std::function<bool(std::int64_t, std::int64_t)>& progress) {
  Backfilled done;
  CANDOR_ASSIGN(const ActiveModel model, active_model(store));
  if (model.embedder == 0) return done;
  CANDOR_ASSIGN(const auto total, store.sql().count(kMissingCount, model.embedder));
  std::int64_t after = 0;
  while (progress(done.embedded + done.failed, total)) {
    CANDOR_ASSIGN(const auto batch, next_missing(store, model.embedder, after));
    if (batch.empty()) break;
    after = batch.back().id;
    CANDOR_ASSIGN(const auto made, embed_missing(store, model, batch, done.failure));
    const auto write = [&]() -> Status {
      for (std::size_t i = 0; i < batch.size(); ++i) {
        if (made[i]) CANDOR_TRY(store_vectors(store, batch[i], *made[i]));
        ++(made[i] ? done.embedded : done.failed);
      }
      return pack_vectors(store.database(), model.embedder);
    };
    CANDOR_TRY(store.transaction(write));
  }
  CANDOR_ASSIGN(done.remaining, store.sql().count(kMissingCount, model.embedder));
  return done;
}

}  // namespace candor::memory
