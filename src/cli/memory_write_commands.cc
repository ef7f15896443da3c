// The verbs of `candor memory` that write memories.
#include <cerrno>
#include <cstring>
#include <limits>
#include <unistd.h>

#include "cli/memory_verbs.h"
#include "memory/store/batch.h"

namespace candor::cli {
namespace {

using json::Node;
constexpr auto kNumberMax = std::numeric_limits<std::int64_t>::max();

Result<std::optional<std::string>> file_text(const MemoryCall& call, std::string_view flag) {
  const std::optional<std::string> path = call.text(flag);
  if (!path) return std::optional<std::string>();
  CANDOR_ASSIGN(std::string text, read_whole(*path));
  return std::optional<std::string>(std::move(text));
}

// --body, --body-file or --body-stdin; two of them are a mistake.
Result<std::optional<std::string>> body_of(const MemoryCall& call) {
  const int given = (call.has("body") ? 1 : 0) + (call.has("body-file") ? 1 : 0) + (call.has("body-stdin") ? 1 : 0);
  if (given > 1) return make_error("usage", "the body is given twice", "one of --body, --body-file and --body-stdin");
  if (call.has("body-stdin")) {
    CANDOR_ASSIGN(std::string text, read_whole("-"));
    return std::optional<std::string>(std::move(text));
  }
  if (call.has("body")) return call.text("body");
  return file_text(call, "body-file");
}

Result<std::optional<Node>> metadata_of(const MemoryCall& call) {
  if (call.has("metadata") && call.has("metadata-file")) {
    return make_error("usage", "the metadata is given twice", "one of --metadata and --metadata-file");
  }
  CANDOR_ASSIGN(std::optional<std::string> text, file_text(call, "metadata-file"));
  if (!text) text = call.text("metadata");
  if (!text) return std::optional<Node>();
  CANDOR_ASSIGN(Node node, json::parse(*text));
  return std::optional<Node>(std::move(node));
}

Result<memory::Expected> expected_of(const MemoryCall& call) {
  return memory::parse_expected(call.text("expected-updated-at"), call.text("expected-rev"));
}

Result<Node> file_node(const MemoryCall& call, std::string_view flag) {
  CANDOR_ASSIGN(const std::optional<std::string> text, file_text(call, flag));
  if (!text) return Node();
  return json::parse(*text);
}

// The object of --graph-file or --graph-stdin.
Status add_graph(const MemoryCall& call, memory::Remember& input) {
  Node graph;
  if (call.has("graph-stdin")) {
    if (call.has("body-stdin"))
      return make_error("usage", "standard input can't be both graph and body", "--body-file");
    CANDOR_ASSIGN(const std::string text, read_whole("-"));
    CANDOR_ASSIGN(graph, json::parse(text));
  } else {
    CANDOR_ASSIGN(graph, file_node(call, "graph-file"));
  }
  if (!graph.is_null() && !graph.is_object()) return make_error("bad-request", "a graph must be a JSON object");
  if (const Node* body = graph.find("body"); body != nullptr && body->is_string() && !input.body)
    input.body = body->text();
  CANDOR_ASSIGN(input.entities, memory::entities_of(graph["entities"]));
  CANDOR_ASSIGN(input.relations, memory::relations_of(graph["relationships"]));
  CANDOR_ASSIGN(const Node entities, file_node(call, "entities-file"));
  CANDOR_ASSIGN(const Node relations, file_node(call, "relationships-file"));
  CANDOR_ASSIGN(const std::vector<memory::EntityInput> more, memory::entities_of(entities));
  CANDOR_ASSIGN(const std::vector<memory::RelationInput> edges, memory::relations_of(relations));
  input.entities.insert(input.entities.end(), more.begin(), more.end());
  input.relations.insert(input.relations.end(), edges.begin(), edges.end());
  return Ok{};
}

Result<memory::Remember> remember_input(const MemoryCall& call) {
  memory::Remember input;
  CANDOR_ASSIGN(input.space, call.space());
  const std::optional<std::string> name = call.text("name");
  if (!name) return make_error("usage", "a memory needs a name", "--name NAME");
  input.name = *name;
  input.type = call.text("type");
  input.description = call.text("description");
  CANDOR_ASSIGN(input.body, body_of(call));
  CANDOR_ASSIGN(input.metadata, metadata_of(call));
  CANDOR_TRY(add_graph(call, input));
  input.session_id = call.text("session-id");
  input.source = call.text("source").value_or("agent");
  CANDOR_TRY(memory::check_source(input.source));
  input.force_merge = call.has("force-merge");
  input.clear_body = call.has("clear-body");
  input.replace_graph = call.has("replace-graph");
  input.strict_name = call.has("strict-name");
  input.strict_relations = call.has("strict-relations");
  input.dry_run = call.has("dry-run");
  input.allow_missing_vector = call.has("allow-missing-vector");
  CANDOR_ASSIGN(input.expected, expected_of(call));
  return input;
}

Result<memory::Edit> edit_input(const MemoryCall& call) {
  memory::Edit input;
  CANDOR_ASSIGN(input.which, call.which());
  input.type = call.text("type");
  input.description = call.text("description");
  CANDOR_ASSIGN(input.body, body_of(call));
  CANDOR_ASSIGN(input.metadata, metadata_of(call));
  input.session_id = call.text("session-id");
  input.allow_missing_vector = call.has("allow-missing-vector");
  CANDOR_ASSIGN(input.expected, expected_of(call));
  if (input.type || input.description || input.body || input.metadata || call.has("force-reembed")) return input;
  return make_error("usage", "nothing to change", "--body, --description, --type or --metadata");
}

Result<memory::Rename> rename_input(const MemoryCall& call) {
  memory::Rename input;
  CANDOR_ASSIGN(input.which.space, call.space());
  // With --name the first word is the new name.
  const std::optional<std::string> flagged = call.text("name");
  const std::optional<std::string> old = flagged ? flagged : call.word_or(0, "name");
  const std::optional<std::string> wanted = call.word_or(flagged ? 0 : 1, "new-name");
  if (!old || !wanted) return make_error("usage", "rename needs both names", "candor memory rename OLD NEW");
  input.which.name = *old;
  input.new_name = *wanted;
  input.session_id = call.text("session-id");
  CANDOR_ASSIGN(input.expected, expected_of(call));
  return input;
}

Result<memory::Purge> purge_input(const MemoryCall& call) {
  memory::Purge input;
  CANDOR_ASSIGN(input.space, call.space());
  input.name = call.text("name");
  input.dry_run = call.has("dry-run");
  CANDOR_ASSIGN(const std::optional<std::int64_t> days, call.number("retention-days", 0, 36'500));
  CANDOR_ASSIGN(const std::optional<std::int64_t> seconds, call.number("older-than-seconds", 0, 3'153'600'000));
  if (days) input.retention_seconds = *days * 86'400;
  if (seconds) input.retention_seconds = *seconds;
  if (call.has("now")) input.retention_seconds = 0;
  if (call.has("yes") || input.dry_run) return input;
  return make_error("usage", "purge deletes for good", "--yes does it, --dry-run says what would go");
}

// A verb whose input is read before the memory is opened.
template <typename Input, typename Run>
ExitCode written(const MemoryCall& call, const Result<Input>& input, const Run& run) {
  if (!input.ok()) return call.failed(input.error());
  Result<memory::Memory> memory = call.open(memory::Access::kWrite);
  if (!memory.ok()) return call.failed(memory.error());
  Result<Node> document = run(*memory, *input);
  if (!document.ok()) return call.failed(memory->named(document.error()));
  return call.done(std::move(document));
}

bool print_lines(const Context& context, const Result<std::vector<Node>>& documents) {
  std::string text;
  for (const Node& document : *documents) {
    json::append(text, document);
    text += '\n';
  }
  return text.empty() || context.out.put(text);
}

// Reads standard input as it comes and makes durable what came with each read, so that a slow writer of lines holds no lock
// while nothing comes.
Status feed(memory::Batch& batch, const Context& context) {
  std::string waiting;
  std::vector<char> buffer(std::size_t{1} << 20U);
  for (;;) {
    const ssize_t got = ::read(STDIN_FILENO, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return make_error("unreadable-input", std::string("standard input: ") + std::strerror(errno));
    waiting.append(buffer.data(), static_cast<std::size_t>(got));
    std::size_t begin = 0;
    for (;;) {
      std::size_t end = waiting.find('\n', begin);
      if (end == std::string::npos && (got > 0 || begin == waiting.size())) break;
      if (end == std::string::npos) end = waiting.size();
      CANDOR_ASSIGN(const bool more, batch.add(std::string_view(waiting).substr(begin, end - begin)));
      if (!more) return Ok{};
      begin = std::min(end + 1, waiting.size());
    }
    waiting.erase(0, begin);
    if (waiting.size() > memory::kBatchLineBytes) return make_error("over-limit", "a line has at most 16 MB");
    const Result<std::vector<Node>> documents = batch.commit();
    if (!documents.ok()) return documents.error();
    if (!print_lines(context, documents) || got == 0) return Ok{};
  }
}

}  // namespace

ExitCode memory_init(MemoryCall& call) {
  const Result<std::string> space = call.space();
  if (!space.ok()) return call.failed(space.error());
  bool existed = false;
  if (Result<memory::Memory> there = call.open(memory::Access::kRead); there.ok()) existed = there->exists();
  return written(call, space, [&](memory::Memory& memory, const std::string& name) -> Result<Node> {
    CANDOR_ASSIGN(Node document, memory.init(name, existed));
    const std::optional<std::string> model = call.text("model");
    if (!model && existed) {
      CANDOR_ASSIGN(const Node status, memory::embed_status(memory));
      document.set("model", status["model"]).set("dim", status["dim"]);
      return document;
    }
    CANDOR_ASSIGN(const std::optional<std::int64_t> dim, call.number("dim", 8, 4'096));
    CANDOR_ASSIGN(const Node chosen, memory::choose_embedder(memory, model.value_or("none"), dim));
    document.set("model", chosen["model"]).set("dim", chosen["dim"]);
    return document;
  });
}

ExitCode memory_remember(MemoryCall& call) {
  return written(call, remember_input(call),
                 [](memory::Memory& memory, const auto& input) { return memory.remember(input); });
}

ExitCode memory_edit(MemoryCall& call) {
  return written(call, edit_input(call), [](memory::Memory& memory, const auto& input) { return memory.edit(input); });
}

ExitCode memory_rename(MemoryCall& call) {
  return written(call, rename_input(call),
                 [](memory::Memory& memory, const auto& input) { return memory.rename(input); });
}

ExitCode memory_forget(MemoryCall& call) {
  return written(call, call.which(), [](memory::Memory& memory, const auto& which) { return memory.forget(which); });
}

ExitCode memory_restore(MemoryCall& call) {
  const auto input_of = [&]() -> Result<memory::Restore> {
    memory::Restore input;
    CANDOR_ASSIGN(input.which, call.which());
    CANDOR_ASSIGN(input.version, call.number("version", 1, kNumberMax));
    CANDOR_ASSIGN(input.expected, expected_of(call));
    return input;
  };
  return written(call, input_of(), [](memory::Memory& memory, const auto& input) { return memory.restore(input); });
}

ExitCode memory_purge(MemoryCall& call) {
  return written(call, purge_input(call),
                 [](memory::Memory& memory, const auto& input) { return memory.purge(input); });
}

ExitCode memory_remember_batch(MemoryCall& call) {
  memory::BatchOptions options;
  Result<std::string> space = call.space();
  if (!space.ok()) return call.failed(space.error());
  options.space = std::move(*space);
  options.whole = call.has("transaction");
  options.allow_missing_vector = call.has("allow-missing-vector");
  options.fail_fast = call.has("fail-fast");
  options.force_merge = call.has("force-merge");
  options.dry_run = call.has("dry-run");
  Result<memory::Memory> memory = call.open(memory::Access::kWrite);
  if (!memory.ok()) return call.failed(memory.error());
  memory::Batch batch(*memory, std::move(options));
  const Status fed = feed(batch, call.context());
  if (!fed.ok()) return call.failed(memory->named(fed.error()));
  const Result<std::vector<Node>> documents = batch.finish();
  if (!documents.ok()) return call.failed(memory->named(documents.error()));
  print_lines(call.context(), documents);
  Node summary = batch.summary();
  call.set_elapsed(summary);
  print_document(call.context(), summary);
  return batch.failed() ? ExitCode::kPartial : ExitCode::kDone;
}

}  // namespace candor::cli
