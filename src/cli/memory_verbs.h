// The verbs of `candor memory`: what each is called, takes and does. Adding a verb is one entry in memory_verbs.cc.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/commands.h"
#include "memory/memory.h"
#include "memory/search.h"
#include "scope/list.h"

namespace candor::cli {

struct MemoryFlag {
  const char* names;  // as CLI11 takes them: "-k,--k,--limit"; the first long one is how the value is asked for
  const char* value;  // what it takes: "FILE"; null: nothing
  const char* description;
};

class MemoryCall;

struct MemoryVerb {
  const char* name;   // "read", "graph entities"
  const char* words;  // "[NAME]"
  const char* description;
  bool writes;  // shaping flags are taken and said to have had no effect
  std::vector<MemoryFlag> flags;
  ExitCode (*run)(MemoryCall& call);
  const char* examples;
};

[[nodiscard]] const std::vector<MemoryVerb>& memory_verbs();

// One call of a verb: its arguments, and how it answers.
class MemoryCall {
 public:
  MemoryCall(const Context& context, const MemoryVerb& verb);

  [[nodiscard]] const Context& context() const { return *context_; }
  [[nodiscard]] const MemoryVerb& verb() const { return *verb_; }

  // ---- arguments ----
  [[nodiscard]] bool has(std::string_view flag) const { return find(flag) != nullptr; }
  [[nodiscard]] std::optional<std::string> text(std::string_view flag) const;
  [[nodiscard]] std::vector<std::string> texts(std::string_view flag) const;  // of a repeated one
  // Fails with `usage` for anything but digits, and outside of the bounds.
  [[nodiscard]] Result<std::optional<std::int64_t>> number(std::string_view flag, std::int64_t min,
                                                           std::int64_t max) const;
  [[nodiscard]] Result<std::optional<double>> real(std::string_view flag, double min, double max) const;
  // --namespace, else the environment, else "global".
  [[nodiscard]] Result<std::string> space() const;
  [[nodiscard]] bool space_given() const;
  // The word at that place, else the flag.
  [[nodiscard]] std::optional<std::string> word_or(std::size_t position, std::string_view flag) const;
  // --name or the first word. Fails with `usage` where there is neither.
  [[nodiscard]] Result<memory::Which> which() const;
  // --limit and --offset as a ceiling of pages; `standard` where no limit is given, none at all without one.
  [[nodiscard]] Result<scope::Ceiling> pages(std::optional<std::uint64_t> standard) const;
  [[nodiscard]] Result<std::string> home() const;
  [[nodiscard]] Result<memory::Memory> open(memory::Access access) const;

  // ---- answers ----
  ExitCode failed(const Diagnostic& failure) const;
  // Prints the document of a verb that gives no list, with elapsed_ms, and what became of shaping flags.
  ExitCode done(Result<json::Node> document) const;
  // Shapes and prints the list inside of `document`, whose members `total_count` and `count`, where they stand in it, become
  // the size of the universe and the number of rows shown. `columns`: of the table for people.
  ExitCode listed(Result<std::unique_ptr<scope::List>> list, json::Node document,
                  const std::vector<std::string>& columns) const;
  // The same with further arrays beside it, as "edges" beside "nodes".
  ExitCode listed(scope::List& list, json::Node document, const std::vector<std::string>& columns,
                  std::vector<std::pair<std::string, std::vector<json::Node>>> secondary) const;
  // Shapes and prints a ranking; with --output, where the verb has it, writes its document into that file.
  ExitCode ranked(memory::SearchAnswer& answer, const std::vector<std::string>& columns) const;
  // Writes a document into a file, and says so.
  ExitCode written(const std::string& file, const json::Node& document) const;
  // What `listed` prints where documents are printed.
  [[nodiscard]] Result<json::Node> shaped(scope::List& list, json::Node document,
                                          std::vector<std::pair<std::string, std::vector<json::Node>>> secondary) const;
  void set_elapsed(json::Node& document) const;

 private:
  [[nodiscard]] const std::vector<std::string>* find(std::string_view flag) const;
  void annotate(json::Node& document) const;
  [[nodiscard]] Result<scope::ShapedList> shape(
      scope::List& list, json::Node& document,
      std::vector<std::pair<std::string, std::vector<json::Node>>> secondary) const;

  const Context* context_;
  const MemoryVerb* verb_;
  std::chrono::steady_clock::time_point began_;
};

// ---- one for each entry of the table ----
ExitCode memory_init(MemoryCall& call);
ExitCode memory_remember(MemoryCall& call);
ExitCode memory_remember_batch(MemoryCall& call);
ExitCode memory_read(MemoryCall& call);
ExitCode memory_edit(MemoryCall& call);
ExitCode memory_rename(MemoryCall& call);
ExitCode memory_forget(MemoryCall& call);
ExitCode memory_restore(MemoryCall& call);
ExitCode memory_purge(MemoryCall& call);
ExitCode memory_history(MemoryCall& call);
ExitCode memory_list(MemoryCall& call);
ExitCode memory_export(MemoryCall& call);
ExitCode memory_import(MemoryCall& call);
ExitCode memory_ingest(MemoryCall& call);
ExitCode memory_link(MemoryCall& call);
ExitCode memory_unlink(MemoryCall& call);
ExitCode memory_memory_entities(MemoryCall& call);
ExitCode memory_delete_entity(MemoryCall& call);
ExitCode memory_rename_entity(MemoryCall& call);
ExitCode memory_merge_entities(MemoryCall& call);
ExitCode memory_cleanup_orphans(MemoryCall& call);
ExitCode memory_graph(MemoryCall& call);
ExitCode memory_graph_entities(MemoryCall& call);
ExitCode memory_graph_stats(MemoryCall& call);
ExitCode memory_graph_recompute_degree(MemoryCall& call);
ExitCode memory_backup(MemoryCall& call);
ExitCode memory_health(MemoryCall& call);
ExitCode memory_stats(MemoryCall& call);
ExitCode memory_vacuum(MemoryCall& call);
ExitCode memory_namespace_detect(MemoryCall& call);
ExitCode memory_hybrid_search(MemoryCall& call);
ExitCode memory_recall(MemoryCall& call);
ExitCode memory_deep_research(MemoryCall& call);
ExitCode memory_related(MemoryCall& call);
ExitCode memory_graph_traverse(MemoryCall& call);
ExitCode memory_fts_check(MemoryCall& call);
ExitCode memory_fts_rebuild(MemoryCall& call);
ExitCode memory_fts_stats(MemoryCall& call);
ExitCode memory_reindex(MemoryCall& call);
ExitCode memory_embed_status(MemoryCall& call);
ExitCode memory_embed_backfill(MemoryCall& call);
ExitCode memory_embed_setup(MemoryCall& call);

}  // namespace candor::cli
