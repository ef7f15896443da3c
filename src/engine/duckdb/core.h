// What the parts of the DuckDB engine share: the database, its connections, what is attached, and what is remembered of
// the catalog between statements.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "engine/duckdb/attachment.h"
#include "engine/duckdb/connections.h"
#include "engine/duckdb/file_source.h"
#include "engine/duckdb/functions.h"
#include "engine/duckdb/handles.h"
#include "engine/duckdb/interrupter.h"
#include "engine/duckdb/names.h"
#include "engine/duckdb/parser.h"
#include "engine/duckdb/statement_policy.h"
#include "engine/engine.h"

namespace candor::engine::duckdb {

// A source that was attached, under its own name.
struct OpenSource {
  SourceSpec spec;
  std::string database_path;
  std::optional<FileSource> files;  // of a file source: how its files were read
};

struct FailedSource {
  std::string name;
  Diagnostic why;
};

class Core {
 public:
  // open.cc
  [[nodiscard]] static Result<std::shared_ptr<Core>> open(const Policy& policy);
  ~Core();

  Policy policy;
  std::vector<OpenSource> sources;
  std::vector<FailedSource> failed;

  // Destroyed from the last to the first: the database outlives what hangs on it.
  Database database;
  Connections connections;
  Interrupter interrupter;

  StatementPolicy agent_policy;
  StatementPolicy review_policy;  // without refused functions: the statements are Candor's own
  FunctionCatalog functions;
  NameIndex names;
  ParserInstance parser;
  Attachment attachment;  // of the one source of a contract

  // What the catalog is read under: with a contract its source is attached only now and then. `held` keeps it attached.
  struct Reading {
    Attachment::Use held;
    Connections::Lease lease;
  };
  [[nodiscard]] Result<Reading> read_catalog(Clock::time_point deadline);

  // Told after every statement that may have created or dropped something.
  void objects_changed();

 private:
  Core() = default;
  Status open_scratch();
  Status publish_contract();
  void attach_all();
  Status attach(const SourceSpec& spec);
  Status attach_files(const SourceSpec& spec);
  Status attach_database(OpenSource source);
  Status lock_down();
  Status build_policies();
  [[nodiscard]] std::string search_path() const;
};

}  // namespace candor::engine::duckdb
