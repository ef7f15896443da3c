// Which embedder a memory uses, and vectors made for writes, searches and backfill.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "json/json.h"
#include "memory/embed/embedder.h"
#include "memory/input.h"
#include "memory/store/store.h"

namespace candor::memory {

struct ActiveModel {
  ModelSpec spec;
  std::int64_t embedder = 0;  // its row in `embedders`; 0: none
  std::size_t dim = 0;
  EmbedderVersion version;
};

[[nodiscard]] Result<ActiveModel> active_model(Store& store);

// Makes it the embedder from now on; vectors of others stay. Without `dim` a text is embedded to learn it. Fails with
// `embedding-failed` or `not-found`. Must not be called inside of a transaction.
[[nodiscard]] Result<ActiveModel> choose_model(Store& store, const ModelSpec& spec, std::optional<std::size_t> dim);

// The vectors of a memory's texts, nothing where the memory uses no embedder. `allow_missing`: nothing too where they
// can't be made. Asks the embedder, so call it before the transaction.
[[nodiscard]] Result<std::optional<Embedded>> vectors_for(Store& store, const std::string& description,
                                                          const std::string& body, bool allow_missing);

// The same for several memories, by one request where the embedder takes all of them: a text that it refuses spoils no
// other one.
struct MemoryText {
  std::string description, body;
};
[[nodiscard]] std::vector<Result<Embedded>> vectors_for_each(Store& store, const ActiveModel& model,
                                                             const std::vector<MemoryText>& texts);

// The vector of a query.
[[nodiscard]] Result<Vector> query_vector(Store& store, const ActiveModel& model, const std::string& text);

// The vectors of several, from one request that may take `timeout_ms` and no longer than embed_settings() say.
[[nodiscard]] Result<std::vector<Vector>> query_vectors(Store& store, const ActiveModel& model,
                                                        const std::vector<std::string>& texts, int timeout_ms);

// {"model","dim","memories","with_vector","missing","embedders":[…],"local_models":[…]}, of all namespaces.
[[nodiscard]] Result<json::Node> embed_status(Store& store);

// Makes the missing vectors, some memories a transaction, so that a kill loses no more than the latest. `progress` is told
// how many of how many are done; false ends it early.
struct Backfilled {
  std::int64_t embedded = 0, failed = 0, remaining = 0;
  std::string failure;  // of the first that failed
};
[[nodiscard]] Result<Backfilled> backfill(Store& store,
                                          const std::function<bool(std::int64_t, std::int64_t)>& progress);

}  // namespace candor::memory
