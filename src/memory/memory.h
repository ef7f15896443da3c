// The graph memory: what agents learned, in one file. One function a verb; each gives the document that surfaces show, without
// elapsed_ms, or the list that scope::ShapedList shapes. Start reading here. Rules of names and limits: memory/store/names.h.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "json/json.h"
#include "memory/input.h"
#include "scope/list.h"

namespace candor::memory {

class Store;  // memory/store/store.h

// A memory by its name, which is normalised, or by its number.
struct Which {
  std::string space = "global";
  std::string name = {};
  std::optional<std::int64_t> id = {};
};

struct Remember {
  std::string space = "global";
  std::string name;
  std::optional<std::string> type, description, body;
  std::optional<json::Node> metadata;
  std::vector<EntityInput> entities;
  std::vector<RelationInput> relations;
  std::string source = "agent";
  std::optional<std::string> session_id;
  bool force_merge = false;    // change the memory of that name where there is one
  bool clear_body = false;     // with force_merge: an empty body is meant
  bool replace_graph = false;  // with force_merge: bound to nothing but what is given
  bool strict_name = false, strict_relations = false;
  bool dry_run = false;
  bool allow_missing_vector = false;  // store it even where its vector can't be made
  Expected expected;
  std::optional<Embedded> vectors;
};

struct Edit {
  Which which;
  std::optional<std::string> type, description, body;
  std::optional<json::Node> metadata;
  std::optional<std::string> session_id;
  Expected expected;
  bool allow_missing_vector = false;
  std::optional<Embedded> vectors;
};

struct Rename {
  Which which;
  std::string new_name;
  std::optional<std::string> session_id;
  Expected expected;
};

struct Restore {
  Which which;
  std::optional<std::int64_t> version;  // else the newest that is no restore
  Expected expected;
  bool allow_missing_vector = false;
  std::optional<Embedded> vectors;
};

struct Purge {
  std::string space = "global";
  std::optional<std::string> name;
  std::int64_t retention_seconds = std::int64_t{90} * 86'400;
  bool dry_run = false;
};

struct Link {
  std::string space = "global";
  std::optional<std::string> from, to;
  std::optional<std::int64_t> from_id, to_id;
  std::string relation;
  std::optional<double> weight;
  bool create_missing = false;
  std::string entity_type = "concept";  // of ends that are made
  bool strict_relations = false;
};

struct Unlink {
  std::string space = "global";
  std::optional<std::string> from, to, relation;
  std::optional<std::string> entity;  // with `memory`: takes the one out of the other; with `all`: all its relations
  std::optional<std::string> memory;
  bool all = false;
};

struct MergeEntities {
  std::string space = "global";
  std::vector<std::string> names;
  std::vector<std::int64_t> ids;
  std::optional<std::string> into;
  std::optional<std::int64_t> into_id;
  bool cross_namespace = false;
};

struct ListQuery {
  std::string space = "global";
  std::optional<std::string> type;
  bool include_deleted = false;
  std::optional<std::int64_t> before_rev, after_rev;  // of `list`: changed last before, or after, that write
  scope::Ceiling ceiling;
};

enum class EntitySort : std::uint8_t { kName, kDegree, kCreatedAt };
struct EntityQuery {
  std::string space = "global";
  std::optional<std::string> type;
  EntitySort sort = EntitySort::kName;
  bool descending = false;
  scope::Ceiling ceiling;
};

// The nodes of a graph, and its edges, which stand beside them in the same document.
struct GraphExport {
  std::unique_ptr<scope::List> nodes;
  std::vector<json::Node> edges;
};

struct Import {
  std::string from;
  std::string space = "global";
  bool space_given = false;    // of a database: its memories of this namespace alone
  bool skip_existing = false;  // pass over names that are there; without it they end the import
  bool dry_run = false;
};

struct History {
  std::string name;
  bool deleted = false;
  std::unique_ptr<scope::List> versions;
};

class Memory {
 public:
  // `home`: a folder; the memory is its file memory.sqlite. See Store::open.
  [[nodiscard]] static Result<Memory> open(const std::string& home, Access access);
  Memory(Memory&&) noexcept;
  Memory& operator=(Memory&&) noexcept;
  ~Memory();

  // ---- memories ----
  [[nodiscard]] Result<json::Node> remember(const Remember& input);
  [[nodiscard]] Result<json::Node> read(const Which& which, bool with_graph);
  [[nodiscard]] Result<json::Node> edit(const Edit& input);
  [[nodiscard]] Result<json::Node> rename(const Rename& input);
  [[nodiscard]] Result<json::Node> forget(const Which& which);
  [[nodiscard]] Result<json::Node> restore(const Restore& input);
  [[nodiscard]] Result<json::Node> purge(const Purge& input);

  // ---- graph ----
  [[nodiscard]] Result<json::Node> link(const Link& input);
  [[nodiscard]] Result<json::Node> unlink(const Unlink& input);
  [[nodiscard]] Result<json::Node> delete_entity(const std::string& space, const std::string& name, bool cascade);
  [[nodiscard]] Result<json::Node> rename_entity(const std::string& space, const std::optional<std::string>& name,
                                                 std::optional<std::int64_t> id, const std::string& new_name);
  [[nodiscard]] Result<json::Node> merge_entities(const MergeEntities& input);
  [[nodiscard]] Result<json::Node> cleanup_orphans(const std::optional<std::string>& space, bool dry_run);
  [[nodiscard]] Result<json::Node> graph_stats(const std::optional<std::string>& space);
  [[nodiscard]] Result<json::Node> recompute_degree(const std::optional<std::string>& space, bool dry_run);

  // ---- lists, which live no longer than this ----
  // The number of the latest write that this sees.
  [[nodiscard]] Result<std::int64_t> latest_rev();
  [[nodiscard]] Result<std::unique_ptr<scope::List>> list(const ListQuery& query);
  [[nodiscard]] Result<std::unique_ptr<scope::List>> exported(const ListQuery& query);
  [[nodiscard]] Result<History> history(const Which& which, bool with_body, bool with_diff);
  [[nodiscard]] Result<std::unique_ptr<scope::List>> entities_of_memory(const Which& which);
  [[nodiscard]] Result<std::unique_ptr<scope::List>> memories_of_entity(const std::string& space,
                                                                        const std::string& entity);
  [[nodiscard]] Result<std::unique_ptr<scope::List>> entities(const EntityQuery& query);
  [[nodiscard]] Result<GraphExport> graph(const std::string& space);

  // ---- the file ----
  [[nodiscard]] Result<json::Node> init(const std::string& space, bool existed);
  [[nodiscard]] Result<json::Node> stats();
  [[nodiscard]] Result<json::Node> health(const std::optional<std::string>& space);
  [[nodiscard]] Result<json::Node> vacuum();
  // Into a new file, a consistent copy while others write. Fails with `duplicate` where the file is there.
  [[nodiscard]] Result<json::Node> backup(const std::string& destination);

  // Takes over what another program kept (memory/transfer/import.h).
  [[nodiscard]] Result<json::Node> import_file(const Import& input);
  // False: nothing was ever stored.
  [[nodiscard]] bool exists() const;
  // A failure of the file's, made to stand alone: every verb's goes through here before it is shown.
  [[nodiscard]] Diagnostic named(Diagnostic failure) const;

  [[nodiscard]] Store& store() { return *store_; }

 private:
  explicit Memory(std::unique_ptr<Store> store);
  std::unique_ptr<Store> store_;
};

// A document's beginning.
[[nodiscard]] json::Node texts(std::initializer_list<std::pair<std::string_view, std::string_view>> members);

}  // namespace candor::memory
