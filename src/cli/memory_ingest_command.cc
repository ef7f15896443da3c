// `candor memory ingest DIR`: a line for each file as it is stored, and one that sums them up.
#include <thread>

#include "cli/memory_verbs.h"
#include "cli/progress.h"
#include "memory/store/names.h"
#include "memory/transfer/ingest.h"

namespace candor::cli {
namespace {

using json::Node;

constexpr std::int64_t kFilesMax = 10'000'000;
constexpr std::int64_t kThreadsMax = 64;

Result<memory::IngestOptions> ingest_options(const MemoryCall& call) {
  memory::IngestOptions options;
  const std::optional<std::string> folder = call.word_or(0, "dir");
  if (!folder) return make_error("usage", "no folder named", "candor memory ingest DIR");
  options.folder.path = *folder;
  options.folder.pattern = call.text("pattern").value_or("*.md");
  options.folder.recursive = call.has("recursive");
  CANDOR_ASSIGN(const std::optional<std::int64_t> files, call.number("max-files", 1, kFilesMax));
  options.folder.max_files = static_cast<std::size_t>(files.value_or(10'000));
  CANDOR_ASSIGN(options.space, call.space());
  options.type = call.text("type");
  options.prefix = call.text("name-prefix").value_or("");
  CANDOR_ASSIGN(const std::optional<std::int64_t> bytes, call.number("max-name-length", 20, memory::kNameBytes));
  options.name_bytes = static_cast<std::size_t>(bytes.value_or(60));
  CANDOR_ASSIGN(const std::optional<std::int64_t> threads, call.number("ingest-parallelism", 1, kThreadsMax));
  const std::int64_t standard = std::clamp<std::int64_t>(std::thread::hardware_concurrency(), 1, 4);
  options.threads = static_cast<std::size_t>(threads.value_or(standard));
  options.fail_fast = call.has("fail-fast");
  options.dry_run = call.has("dry-run");
  options.allow_missing_vector = call.has("allow-missing-vector");
  options.force_merge = call.has("force-merge");
  return options;
}

void print_lines(const Context& context, Progress& progress, const std::vector<Node>& documents) {
  if (documents.empty()) return;
  std::string text;
  for (const Node& document : documents) {
    json::append(text, document);
    text += '\n';
  }
  if (context.out.terminal()) progress.stop();
  context.out.put(text);
  if (context.out.terminal()) progress.restart();
}

Status ingest_all(memory::Ingest& ingest, const Context& context) {
  const std::string total = " of " + std::to_string(ingest.total()) + " files";
  Progress progress(context.err, "0" + total);
  for (;;) {
    CANDOR_ASSIGN(const std::vector<Node> documents, ingest.next());
    if (documents.empty()) break;
    progress.say(std::to_string(ingest.done()) + total);
    print_lines(context, progress, documents);
  }
  print_lines(context, progress, ingest.missing());
  return Ok{};
}

}  // namespace

ExitCode memory_ingest(MemoryCall& call) {
  Result<memory::IngestOptions> options = ingest_options(call);
  if (!options.ok()) return call.failed(options.error());
  Result<memory::Memory> memory = call.open(options->dry_run ? memory::Access::kRead : memory::Access::kWrite);
  if (!memory.ok()) return call.failed(memory.error());
  const Result<std::unique_ptr<memory::Ingest>> ingest = memory::Ingest::start(*memory, std::move(*options));
  if (!ingest.ok()) return call.failed(memory->named(ingest.error()));
  const Status done = ingest_all(**ingest, call.context());
  if (!done.ok()) return call.failed(memory->named(done.error()));
  Node summary = (*ingest)->summary();
  call.set_elapsed(summary);
  print_document(call.context(), summary);
  return (*ingest)->failed() ? ExitCode::kPartial : ExitCode::kDone;
}

}  // namespace candor::cli
