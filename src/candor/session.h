// One session's engines: the DuckDB worker with its scratch database, and a worker for each SQLite or PostgreSQL source.
// Opened when first needed, one owner a scratch database, opened anew when a source's files change.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "candor/candor.h"
#include "config/config.h"
#include "contract/contract.h"
#include "engine/engine.h"
#include "engine/worker/worker_engine.h"
#include "lower/lower.h"
#include "sql/lexer.h"

namespace candor {

using engine::kScratch;

// Where a statement runs.
struct Route {
  engine::Engine* engine = nullptr;
  std::string source;  // of SQLite and PostgreSQL: its name; empty: DuckDB
  bool postgres = false;
  [[nodiscard]] std::string_view dialect() const {
    if (source.empty()) return "duckdb";
    return postgres ? "postgres" : "sqlite";
  }
};

// A source that is published through a contract, at one moment: a contract that changes becomes another of these.
struct Published {
  contract::Contract contract;
  lower::Storage storage;  // points into `contract`
  engine::Engine* engine = nullptr;
  // See exec::Environment.
  std::shared_ptr<std::atomic<bool>> changes_others = std::make_shared<std::atomic<bool>>(false);
  std::string kept;  // why a changed file of the contract was not taken; empty: it is the file's own
};

class Session {
 public:
  // `folder` is the session's own below the home; `cache` is shared by all sessions.
  Session(std::string name, std::string folder, std::string cache, std::string worker,
          const config::Configuration& configuration);
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session();

  [[nodiscard]] const std::string& name() const { return name_; }

  // The engine that can answer the statement: the one named, else the one whose tables it mentions. Fails with
  // `unknown-source`, `sources-in-two-engines`, `ambiguous-table`, `locked`, and with the reason why a mentioned source
  // can't be opened.
  [[nodiscard]] Result<Route> route(std::string_view sql, const std::string& wanted_source);

  // The contract that the statements are for: the one of the source that is named, the one whose resources they mention, or
  // the first where nothing but contracts is published. Null: none. Fails with `configuration` and why its source can't be
  // opened.
  [[nodiscard]] Result<std::shared_ptr<const Published>> published(std::string_view sql,
                                                                   const std::string& wanted_source);

  // The source of the contract is not what it was: the next statement looks at it anew.
  void look_anew(const std::string& source);

  // The source opened as a contract has it, by an engine of its own, for looking at it. Fails with `configuration` for files
  // of rows.
  struct Looked {
    engine::SourceSpec spec;
    std::unique_ptr<engine::worker::WorkerEngine> engine;
  };
  [[nodiscard]] Result<Looked> open_for_contract(const config::Source& source) const;

  // The DuckDB engine with the scratch database; takes the session's lock. Fails with `locked`.
  [[nodiscard]] Result<engine::Engine*> duckdb();
  // The engine of a SQLite or PostgreSQL source, or of DuckDB for any other name and the empty one.
  [[nodiscard]] Result<Route> engine_of(const std::string& source);

  // Tables of all sources and of the scratch, and the resources of contracts. A source that can't be opened is a warning in
  // it.
  [[nodiscard]] Result<Schema> catalog();

  // The tables of file sources with rows that did not parse; none are looked up where no file source is published.
  [[nodiscard]] std::shared_ptr<const std::vector<engine::CatalogTable>> incomplete_files();

  // Published tables of this name that a scratch table or temporary object of the same name hides, as source.table.
  [[nodiscard]] std::vector<std::string> hidden_by_scratch(const std::string& table);

  // A statement changed the scratch database: its part of the catalog is read again when it is next needed.
  void scratch_changed();

  // Fingerprints of all sources as `refresh_sources` last found them, by name.
  [[nodiscard]] std::map<std::string, std::string> source_versions();

  // Where each source that is no contract's lies, as a hash: by name.
  [[nodiscard]] std::map<std::string, std::string> source_places();

  // Those that a statement reads now: older ones while an engine that is busy has old files open.
  [[nodiscard]] std::map<std::string, std::string> read_versions();

  // Looks for changed files (at most four times a second, unless `at_once`) and closes engines whose files have changed.
  void refresh_sources(bool at_once = false);

  // Takes note of the agent's temporary objects as the engine sees them now. True when some that were there before were
  // lost, since the engine was opened again in between.
  [[nodiscard]] bool note_temporary_objects(const std::vector<std::string>& now);

  // Those that `note_temporary_objects` saw last.
  [[nodiscard]] std::vector<std::string> temporary_objects();

  // Graceful end of all engines.
  void close();

 private:
  // A source with an engine of its own.
  struct Lite {
    engine::SourceSpec spec;
    std::unique_ptr<engine::worker::WorkerEngine> engine;
    std::optional<engine::Catalog> catalog;
    std::optional<Diagnostic> failure;  // of a server: why its catalog could not be read
    std::int64_t catalog_read_ms = 0;   // of a server, which says nothing when its tables change
    [[nodiscard]] bool is_server() const { return spec.kind == engine::SourceKind::kPostgres; }
  };

  struct Contracted {
    config::Source source;
    std::shared_ptr<const Published> current;
    std::unique_ptr<engine::worker::WorkerEngine> engine;
    std::string version;  // of the contract's file, as it was last looked at
  };
  Result<std::shared_ptr<const Published>> publish(Contracted& contracted);
  Result<std::shared_ptr<const Published>> read_contract(Contracted& contracted);
  void add_resources(Schema& all);

  // Sources that have a table of this name; "scratch" among them where the scratch database or a temporary object has.
  Result<std::vector<std::string>> owners_of(const std::string& table);
  std::vector<std::string> forms_of(const std::string& table, const std::vector<std::string>& owners);
  [[nodiscard]] bool of_only_server(std::string_view schema) const;
  std::vector<std::string> servers_with(const sql::TableMention& mention);
  // The source that the mention is of, "scratch" for all of the DuckDB side; empty: no table is called so.
  Result<std::string> owner_of(const sql::TableMention& mention);
  Result<Route> route_by_name(const std::string& wanted_source);
  Result<Route> route_by_mentions(std::string_view sql);
  [[nodiscard]] bool has_duckdb() const;  // anything of DuckDB is there to be asked
  void recognise();
  Status take_lock();
  Status open_duckdb();
  Result<const engine::Catalog*> duckdb_catalog(bool fresh_scratch);
  Result<const engine::Catalog*> lite_catalog(Lite& lite);
  [[nodiscard]] bool scratch_exists() const;
  engine::Policy policy_of(std::vector<engine::SourceSpec> sources, bool scratch) const;

  const std::string name_;
  const std::string folder_;
  const std::string cache_;
  const std::string worker_;
  const config::Configuration& configuration_;

  std::mutex mutex_;  // guards everything below; never held while a statement runs
  bool recognised_ = false;
  std::vector<engine::SourceSpec> duckdb_sources_;
  std::map<std::string, Lite> lite_;
  std::vector<Contracted> contracted_;
  std::map<std::string, Diagnostic> failed_;  // sources that can't be published, by name
  std::unique_ptr<engine::worker::WorkerEngine> duckdb_;
  std::optional<engine::Catalog> duckdb_catalog_;
  std::shared_ptr<const std::vector<engine::CatalogTable>> incomplete_;  // of duckdb_catalog_
  bool scratch_dirty_ = true;
  int lock_ = -1;
  std::map<std::string, std::string> versions_;
  std::map<std::string, std::string> read_versions_;
  std::int64_t versions_read_ms_ = 0;
  std::uint64_t generation_seen_ = 0;
  std::vector<std::string> temporary_;
  bool reopen_pending_ = false;
};

// Whether the name can name a session: letters, digits, dot, dash, underscore, up to 64, not beginning with a dot.
[[nodiscard]] bool valid_session_name(std::string_view name);

}  // namespace candor
