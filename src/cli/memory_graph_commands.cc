// The verbs of `candor memory` that change the graph, and those about the file.
#include <algorithm>
#include <charconv>
#include <limits>

#include "cli/memory_verbs.h"

namespace candor::cli {
namespace {

using json::Node;
constexpr auto kNumberMax = std::numeric_limits<std::int64_t>::max();

// Opens for writing and runs `run`, which gives a document.
template <typename Run>
ExitCode changed(const MemoryCall& call, const Run& run) {
  Result<memory::Memory> memory = call.open(memory::Access::kWrite);
  if (!memory.ok()) return call.failed(memory.error());
  Result<Node> document = run(*memory);
  if (!document.ok()) return call.failed(memory->named(document.error()));
  return call.done(std::move(document));
}

Result<std::optional<std::string>> space_if_given(const MemoryCall& call) {
  CANDOR_ASSIGN(std::string space, call.space());
  return std::optional<std::string>(std::move(space));
}

// "a,b" and repeated flags as one list.
std::vector<std::string> split(const std::vector<std::string>& texts) {
  std::vector<std::string> parts;
  for (const std::string& text : texts) {
    for (std::size_t begin = 0; begin <= text.size();) {
      const std::size_t end = std::min(text.find(',', begin), text.size());
      if (end > begin) parts.push_back(text.substr(begin, end - begin));
      begin = end + 1;
    }
  }
  return parts;
}

Result<memory::Link> link_input(const MemoryCall& call) {
  memory::Link input;
  CANDOR_ASSIGN(input.space, call.space());
  input.from = call.text("from");
  input.to = call.text("to");
  CANDOR_ASSIGN(input.from_id, call.number("from-id", 1, kNumberMax));
  CANDOR_ASSIGN(input.to_id, call.number("to-id", 1, kNumberMax));
  const std::optional<std::string> relation = call.text("relation");
  if (!relation) return make_error("usage", "link needs --relation", "--relation depends_on");
  input.relation = *relation;
  CANDOR_ASSIGN(input.weight, call.real("weight", 0, 1));
  input.create_missing = call.has("create-missing");
  input.entity_type = call.text("entity-type").value_or("concept");
  input.strict_relations = call.has("strict-relations");
  return input;
}

Result<memory::MergeEntities> merge_input(const MemoryCall& call) {
  memory::MergeEntities input;
  CANDOR_ASSIGN(input.space, call.space());
  input.names = split(call.texts("names"));
  for (const std::string& id : split(call.texts("ids"))) {
    std::int64_t value = 0;
    const auto done = std::from_chars(id.data(), id.data() + id.size(), value);
    if (done.ec != std::errc() || done.ptr != id.data() + id.size()) {
      return make_error("usage", "--ids takes numbers, not '" + id + "'", "--ids 3,4");
    }
    input.ids.push_back(value);
  }
  input.into = call.text("into");
  CANDOR_ASSIGN(input.into_id, call.number("into-id", 1, kNumberMax));
  input.cross_namespace = call.has("cross-namespace");
  return input;
}

}  // namespace

ExitCode memory_link(MemoryCall& call) {
  const Result<memory::Link> input = link_input(call);
  if (!input.ok()) return call.failed(input.error());
  return changed(call, [&](memory::Memory& memory) { return memory.link(*input); });
}

ExitCode memory_unlink(MemoryCall& call) {
  memory::Unlink input;
  Result<std::string> space = call.space();
  if (!space.ok()) return call.failed(space.error());
  input.space = std::move(*space);
  input.from = call.text("from");
  input.to = call.text("to");
  input.relation = call.text("relation");
  input.entity = call.text("entity");
  input.memory = call.text("memory");
  input.all = call.has("all");
  return changed(call, [&](memory::Memory& memory) { return memory.unlink(input); });
}

ExitCode memory_delete_entity(MemoryCall& call) {
  const Result<std::string> space = call.space();
  if (!space.ok()) return call.failed(space.error());
  const std::optional<std::string> name = call.word_or(0, "name");
  if (!name) return call.failed(make_error("usage", "no entity named", "--name ENTITY"));
  return changed(call,
                 [&](memory::Memory& memory) { return memory.delete_entity(*space, *name, call.has("cascade")); });
}

ExitCode memory_rename_entity(MemoryCall& call) {
  const Result<std::string> space = call.space();
  if (!space.ok()) return call.failed(space.error());
  const Result<std::optional<std::int64_t>> id = call.number("id", 1, kNumberMax);
  if (!id.ok()) return call.failed(id.error());
  const bool flagged = call.has("name") || *id;
  const std::optional<std::string> name = flagged ? call.text("name") : call.word_or(0, "name");
  const std::optional<std::string> wanted = call.word_or(flagged ? 0 : 1, "new-name");
  if (!wanted) return call.failed(make_error("usage", "no new name given", "--new-name ENTITY"));
  return changed(call, [&](memory::Memory& memory) { return memory.rename_entity(*space, name, *id, *wanted); });
}

ExitCode memory_merge_entities(MemoryCall& call) {
  const Result<memory::MergeEntities> input = merge_input(call);
  if (!input.ok()) return call.failed(input.error());
  return changed(call, [&](memory::Memory& memory) { return memory.merge_entities(*input); });
}

ExitCode memory_cleanup_orphans(MemoryCall& call) {
  const Result<std::optional<std::string>> space = space_if_given(call);
  if (!space.ok()) return call.failed(space.error());
  const bool dry_run = call.has("dry-run");
  if (!dry_run && !call.has("yes")) {
    return call.failed(
        make_error("usage", "cleanup-orphans deletes for good", "--yes does it, --dry-run says how many would go"));
  }
  return changed(call, [&](memory::Memory& memory) { return memory.cleanup_orphans(*space, dry_run); });
}

ExitCode memory_graph_recompute_degree(MemoryCall& call) {
  const Result<std::optional<std::string>> space = space_if_given(call);
  if (!space.ok()) return call.failed(space.error());
  return changed(call, [&](memory::Memory& memory) { return memory.recompute_degree(*space, call.has("dry-run")); });
}

ExitCode memory_import(MemoryCall& call) {
  memory::Import input;
  Result<std::string> space = call.space();
  if (!space.ok()) return call.failed(space.error());
  input.space = std::move(*space);
  input.space_given = call.space_given();
  const std::optional<std::string> from = call.word_or(0, "from");
  if (!from) return call.failed(make_error("usage", "import needs a file", "--from FILE"));
  input.from = *from;
  input.skip_existing = call.has("skip-existing");
  input.dry_run = call.has("dry-run");
  return changed(call, [&](memory::Memory& memory) { return memory.import_file(input); });
}

ExitCode memory_backup(MemoryCall& call) {
  const std::optional<std::string> output = call.word_or(0, "output");
  if (!output) return call.failed(make_error("usage", "backup needs --output", "--output FILE"));
  {
    Result<memory::Memory> there = call.open(memory::Access::kRead);
    if (!there.ok()) return call.failed(there.error());
    if (!there->exists()) {
      return call.failed(make_error("not-found", "there is no memory to copy yet", "candor memory init"));
    }
  }
  return changed(call, [&](memory::Memory& memory) { return memory.backup(*output); });
}

ExitCode memory_vacuum(MemoryCall& call) {
  return changed(call, [](memory::Memory& memory) { return memory.vacuum(); });
}

}  // namespace candor::cli
