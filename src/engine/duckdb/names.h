// Names of tables and views, remembered between statements: which of them lie in the scratch database, and which lie in
// several sources, so that an unqualified name could silently mean the wrong one.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "engine/duckdb/connections.h"

namespace candor::engine::duckdb {

class NameIndex {
 public:
  // Reads the sources' names, once: they can't change while they are attached.
  Status load_sources(Connections& connections, const std::vector<std::string>& sources);

  // The scratch's names have to be read anew.
  void invalidate();

  // The name of a scratch table or view in the case of the catalog; nothing when there is none.
  [[nodiscard]] Result<std::optional<std::string>> scratch_name(Connections& connections, std::string_view name);

  // Sources in whose schema main a table or view of this name lies, in the order of the search path.
  [[nodiscard]] std::vector<std::string> sources_of(std::string_view name) const;
  [[nodiscard]] bool any_ambiguous() const { return any_ambiguous_; }

 private:
  std::mutex mutex_;
  bool stale_ = true;
  std::map<std::string, std::string> scratch_;               // lower case name -> name
  std::map<std::string, std::vector<std::string>> sources_;  // lower case name -> sources; not changed after loading
  bool any_ambiguous_ = false;
};

// Fails with `ambiguous-table` when the statement names, without its source, a table that lies in several sources and
// in no nearer place. `connection` parses and nothing else. `writes`: the engine's parser may tell of a part of the
// statement only (a view's query is not told), so names are looked for in the text too.
[[nodiscard]] Status check_ambiguity(NameIndex& names, Connections& connections, duckdb_connection connection,
                                     const std::string& sql, bool writes);

}  // namespace candor::engine::duckdb
