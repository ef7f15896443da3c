// Files are grouped: read by several threads, planned, then stored in one transaction, where one that fails is taken back
// alone.
#include "memory/transfer/ingest.h"

#include <algorithm>
#include <utility>

#include "base/render_json.h"
#include "memory/embed/model_store.h"
#include "memory/store/names.h"
#include "memory/store/write.h"
#include "memory/transfer/ingest_plan.h"

namespace candor::memory {
namespace {

using json::Node;

constexpr std::size_t kGroupFiles = 64;

// A path as text: a byte that is none of UTF-8 as \xNN.
std::string shown_path(const std::string& path) {
  if (is_utf8(path)) return path;
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string shown;
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80) {
      shown += c;
    } else {
      shown += "\\x";
      shown += kDigits[byte >> 4U];
      shown += kDigits[byte & 0xFU];
    }
  }
  return shown;
}

std::string file_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

void set_failure(Node& document, const Diagnostic& failure) {
  Diagnostic said = failure;
  for (std::string* text : {&said.message, &said.hint}) *text = shown_path(*text);
  document.set("error", Node::string(said.message)).set("code", Node::string(said.code));
  if (!said.hint.empty()) document.set("hint", Node::string(said.hint));
}

}  // namespace

struct Ingest::Work {
  const FolderFile* file = nullptr;
  Result<FileText> text = FileText();
  std::optional<Plan> plan;
  std::optional<Diagnostic> failure;
  Node stored = Node::object();  // what the writes gave
};

Ingest::Ingest(Memory& memory, IngestOptions options, Folder folder)
    : store_(&memory.store()),
      options_(std::move(options)),
      folder_(std::move(folder)),
      planner_(std::make_unique<Planner>(*store_, options_)) {}

Ingest::~Ingest() = default;

Result<std::unique_ptr<Ingest>> Ingest::start(Memory& memory, IngestOptions options) {
  if (options.type) {
    CANDOR_ASSIGN(options.type, memory_type(*options.type));
  }
  CANDOR_ASSIGN(Folder folder, read_folder(options.folder));
  std::unique_ptr<Ingest> ingest(new Ingest(memory, std::move(options), std::move(folder)));
  CANDOR_TRY(ingest->planner_->read(ingest->folder_.path));
  CANDOR_ASSIGN(const ActiveModel model, active_model(memory.store()));
  ingest->model_ = model.spec.text;
  return ingest;
}

// Before the transaction, for an embedder may take its time.
Status Ingest::embed(Plan& plan) {
  if (options_.dry_run) return Ok{};
  for (PlannedPart& part : plan.writes) {
    part.input.allow_missing_vector = options_.allow_missing_vector;
    CANDOR_TRY(add_vectors(*store_, part.input));
    embedded_ |= part.input.vectors.has_value();
  }
  return Ok{};
}

Result<std::vector<Ingest::Work>> Ingest::prepare(std::size_t count) {
  const std::span<const FolderFile> files = std::span(folder_.files).subspan(at_, count);
  std::vector<Result<FileText>> texts = read_text_files(files, options_.threads);
  std::vector<Work> works;
  for (std::size_t i = 0; i < files.size(); ++i) {
    Work work;
    work.file = &files[i];
    work.text = std::move(texts[i]);
    if (work.text.ok()) {
      Result<Plan> plan = planner_->plan(files[i], *work.text);
      if (!plan.ok() && plan.error().code != "duplicate") return std::move(plan).error();
      const Status embedded = plan.ok() ? embed(*plan) : Status(plan.error());
      if (embedded.ok()) {
        work.plan = std::move(*plan);
      } else {
        work.failure = embedded.error();
      }
    } else {
      work.failure = work.text.error();
    }
    const bool stop = work.failure && !work.file->passed_over && options_.fail_fast;
    works.push_back(std::move(work));
    if (stop) break;
  }
  return works;
}

Status Ingest::store(const Plan& plan, Node& document) {
  std::int64_t chunks = 0;
  for (const PlannedPart& part : plan.writes) {
    CANDOR_ASSIGN(const Node stored, remember_in(*store_, part.input));
    chunks += stored["chunks_persisted"].integer().value_or(0);
    if (document.find("memory_id") != nullptr) continue;
    document.set("memory_id", stored["memory_id"]).set("action", stored["action"]).set("version", stored["version"]);
  }
  for (const std::string& name : plan.surplus) {
    Which which;
    which.space = options_.space;
    which.name = name;
    CANDOR_TRY(forget_in(*store_, which));
  }
  if (!plan.writes.empty()) document.set("chunks", Node::number(chunks));
  return Ok{};
}

// Another process may have stored the same file since it was planned, which is no fault.
Status Ingest::store(Work& work) {
  Status done = store_->part([&] { return store(*work.plan, work.stored); });
  if (done.ok() || !store_->database().in_transaction()) return done;
  work.stored = Node::object();
  Diagnostic failure = std::move(done).error();
  if (failure.code == "duplicate" || failure.code == "lost-race") {
    Result<Plan> again = planner_->plan(*work.file, *work.text);
    if (again.ok() && again->writes.empty()) {
      work.plan = std::move(*again);
      return Ok{};
    }
  }
  work.failure = std::move(failure);
  return Ok{};
}

Status Ingest::store(std::vector<Work>& works) {
  const auto writes = [](const Work& work) {
    return work.plan && !(work.plan->writes.empty() && work.plan->surplus.empty());
  };
  if (options_.dry_run || std::ranges::none_of(works, writes)) return Ok{};
  CANDOR_TRY(store_->begin());
  for (std::size_t i = 0; i < works.size(); ++i) {
    if (!writes(works[i])) continue;
    Status done = store(works[i]);
    if (!done.ok()) {
      CANDOR_TRY(store_->end(false));
      return done;
    }
    if (works[i].failure && options_.fail_fast)
      works.erase(works.begin() + static_cast<std::ptrdiff_t>(i) + 1, works.end());
  }
  return store_->end(true);
}

Node Ingest::document_of(const Work& work) {
  const bool passed_over = work.file->passed_over || (work.plan && !work.plan->why.empty());
  const char* status = passed_over ? "skipped" : work.failure ? "failed" : options_.dry_run ? "preview" : "indexed";
  ++(passed_over ? skips_ : work.failure ? failures_ : successes_);
  const std::string name = work.plan ? work.plan->name : planner_->name_of(*work.file);
  Node document = texts({{"file", shown_path(work.file->path)}, {"name", name}, {"status", status}});
  document.set("truncated", Node::boolean(work.plan && work.plan->truncated));
  document.set("body_length", Node::number(static_cast<std::int64_t>(work.text.ok() ? work.text->text.size() : 0)));
  document.set("original_filename", Node::string(shown_path(file_name(work.file->path))));
  if (work.failure) set_failure(document, *work.failure);
  if (work.plan) {
    if (!work.plan->original_name.empty()) document.set("original_name", Node::string(work.plan->original_name));
    if (!work.plan->why.empty()) document.set("reason", Node::string(work.plan->why));
    if (work.plan->parts > 1) document.set("parts", Node::number(static_cast<std::int64_t>(work.plan->parts)));
    Node warnings = Node::array();
    for (const std::string& warning : work.plan->warnings) warnings.push(Node::string(warning));
    if (!warnings.items().empty()) document.set("warnings", std::move(warnings));
    const bool update = std::ranges::any_of(work.plan->writes, [](const PlannedPart& part) { return part.update; });
    if (options_.dry_run && !passed_over) document.set("action", Node::string(update ? "updated" : "created"));
  }
  const bool embedded = work.plan && std::ranges::any_of(work.plan->writes, [](const PlannedPart& part) {
                          return part.input.vectors.has_value();
                        });
  document.set("backend_invoked", Node::string(embedded ? model_ : "none"));
  for (const auto& [member, value] : work.stored.members()) document.set(member, value);
  document.set("index", Node::number(static_cast<std::int64_t>(at_)));
  document.set("total", Node::number(static_cast<std::int64_t>(total())));
  return document;
}

Result<std::vector<Node>> Ingest::next() {
  std::vector<Node> documents;
  if (stopped_ || at_ == total()) return documents;
  CANDOR_ASSIGN(std::vector<Work> works, prepare(std::min(kGroupFiles, total() - at_)));
  CANDOR_TRY(store(works));
  for (const Work& work : works) {
    documents.push_back(document_of(work));
    ++at_;
  }
  stopped_ = options_.fail_fast && failures_ > 0;
  return documents;
}

std::vector<Node> Ingest::missing() {
  std::vector<Node> documents;
  if (stopped_) return documents;
  const std::size_t below = folder_.path == "/" ? 1 : folder_.path.size() + 1;
  for (const auto& [path, parts] : planner_->stored()) {
    const std::string relative = path.substr(below);
    const Planner::Stored& first = parts.begin()->second;
    if (first.forgotten || !matches(options_.folder, relative)) continue;
    if ((!options_.folder.recursive && relative.find('/') != std::string::npos) || may_exist(path)) continue;
    Node document = texts({{"file", path}, {"name", first.name}, {"status", "missing"}});
    document.set("memory_id", Node::number(first.id));
    document.set("hint", Node::string("candor memory forget " + first.name + " --namespace " + options_.space));
    documents.push_back(std::move(document));
    ++missing_;
  }
  return documents;
}

Node Ingest::summary() const {
  Node document = Node::object();
  document.set("summary", Node::boolean(true)).set("dir", Node::string(folder_.path));
  document.set("pattern", Node::string(options_.folder.pattern));
  document.set("recursive", Node::boolean(options_.folder.recursive));
  document.set("files_total", Node::number(static_cast<std::int64_t>(total())));
  document.set("files_succeeded", Node::number(successes_)).set("files_failed", Node::number(failures_));
  document.set("files_skipped", Node::number(skips_)).set("files_missing", Node::number(missing_));
  if (options_.dry_run) document.set("dry_run", Node::boolean(true));
  if (stopped_) document.set("files_left", Node::number(static_cast<std::int64_t>(total() - at_)));
  document.set("backend_invoked", Node::string(embedded_ ? model_ : "none"));
  return document;
}

}  // namespace candor::memory
