// Lines are grouped into transactions by whoever reads them; a line that fails is taken back alone. One that needs an
// embedder waits for some more.
#include "memory/store/batch.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/near_names.h"
#include "memory/embed/model_store.h"
#include "memory/store/names.h"
#include "memory/store/spool.h"
#include "memory/store/store.h"
#include "memory/store/write.h"

namespace candor::memory {
namespace {

using json::Node;

// Members of a line; the last ones stand in what `export` writes and say nothing to a new memory.
constexpr std::array<std::string_view, 15> kMembers = {
    "name",        "type",          "memory_type",    "description",    "body",
    "entities",    "relationships", "metadata",       "session_id",     "source",
    "force_merge", "namespace",     "created_at_iso", "updated_at_iso", "deleted_at_iso"};

Status check_members(const Node& line) {
  if (!line.is_object()) return make_error("bad-request", "a line must be a JSON object");
  for (const auto& [name, value] : line.members()) {
    if (std::ranges::find(kMembers, name) != kMembers.end()) continue;
    std::string near;
    for (const std::string& one : near_names(name, {kMembers.begin(), kMembers.end()}))
      near += (near.empty() ? "" : ", ") + one;
    return make_error("bad-request", "a memory has no member '" + name + "'",
                      near.empty() ? "" : "did you mean " + near + "?");
  }
  return Ok{};
}

Result<std::optional<std::string>> text_of(const Node& line, std::string_view name) {
  const Node* member = line.find(name);
  if (member == nullptr || member->is_null()) return std::optional<std::string>();
  if (!member->is_string()) return make_error("bad-request", "'" + std::string(name) + "' must be a text");
  return std::optional<std::string>(member->text());
}

}  // namespace

Result<Remember> remember_of(const Node& line, Remember base) {
  CANDOR_TRY(check_members(line));
  CANDOR_ASSIGN(std::optional<std::string> name, text_of(line, "name"));
  if (!name) return make_error("bad-request", "a memory needs 'name'");
  base.name = std::move(*name);
  CANDOR_ASSIGN(const std::optional<std::string> space, text_of(line, "namespace"));
  if (space && *space != base.space) {
    return make_error("bad-request", "the line is of namespace '" + *space + "', the command of " + base.space,
                      "--namespace " + *space);
  }
  CANDOR_ASSIGN(base.type, text_of(line, "type"));
  if (!base.type) {
    CANDOR_ASSIGN(base.type, text_of(line, "memory_type"));
  }
  CANDOR_ASSIGN(base.description, text_of(line, "description"));
  CANDOR_ASSIGN(base.body, text_of(line, "body"));
  CANDOR_ASSIGN(base.session_id, text_of(line, "session_id"));
  CANDOR_ASSIGN(const std::optional<std::string> source, text_of(line, "source"));
  if (source) {
    CANDOR_TRY(check_source(*source));
    base.source = *source;
  }
  if (const Node* merge = line.find("force_merge"); merge != nullptr) base.force_merge |= merge->truth();
  if (const Node* metadata = line.find("metadata"); metadata != nullptr) base.metadata = *metadata;
  CANDOR_ASSIGN(base.entities, candor::memory::entities_of(line["entities"]));
  CANDOR_ASSIGN(base.relations, relations_of(line["relationships"]));
  return base;
}

// A line as it waits: what it says, or why it says nothing.
struct Batch::Line {
  std::string text, name;
  std::string key;  // the name as it is stored
  Result<Remember> input = Remember();
};

Batch::Batch(Memory& memory, BatchOptions options)
    : store_(&memory.store()), options_(std::move(options)), model_(std::make_unique<ActiveModel>()) {}

Batch::~Batch() {
  if (open_) (void)store_->end(false).ok();
}

Batch::Line Batch::read(std::string_view text) const {
  Line line{.text = std::string(text), .name = {}, .key = {}};
  const auto input_of = [&]() -> Result<Remember> {
    if (text.size() > kBatchLineBytes) return make_error("over-limit", "a line has at most 16 MB");
    CANDOR_ASSIGN(const Node node, json::parse(text));
    line.name = std::string(node.string_or("name", ""));
    if (Result<Name> name = memory_name(line.name); name.ok()) line.key = std::move(name->text);
    Remember base;
    base.space = options_.space;
    base.force_merge = options_.force_merge;
    base.allow_missing_vector = options_.allow_missing_vector;
    base.dry_run = options_.dry_run;
    return remember_of(node, std::move(base));
  };
  line.input = input_of();
  return line;
}

// What a line leaves out is what a line before it may still have to store.
bool Batch::must_wait_for(const Line& line) const {
  if (!line.input.ok() || !line.input->force_merge || !names_.contains(line.key)) return false;
  return !line.input->description || !line.input->body || line.input->body->empty();
}

// Makes the vectors of the lines that wait. One that can't be made fails its line.
Status Batch::embed() {
  std::vector<MemoryText> texts;
  std::vector<Line*> wanting;
  for (Line& line : waiting_) {
    if (!line.input.ok()) continue;
    CANDOR_ASSIGN(std::optional<MemoryText> text, text_to_embed(*store_, *line.input));
    if (!text) continue;
    texts.push_back(std::move(*text));
    wanting.push_back(&line);
  }
  if (texts.empty()) return Ok{};
  std::vector<Result<Embedded>> vectors = vectors_for_each(*store_, *model_, texts);
  for (std::size_t i = 0; i < vectors.size(); ++i) {
    if (vectors[i].ok()) {
      wanting[i]->input->vectors = std::move(*vectors[i]);
    } else if (!options_.allow_missing_vector) {
      wanting[i]->input = std::move(vectors[i]).error();
    }
  }
  return Ok{};
}

Status Batch::store(Line line) {
  if (!open_) CANDOR_TRY(store_->begin());
  open_ = true;
  Result<Node> stored = line.input.ok() ? store_->part([&] { return remember_in(*store_, *line.input); })
                                        : Result<Node>(std::move(line.input).error());
  // A full disk or a damaged file ends more than one line: SQLite has taken all of it back.
  if (!stored.ok() && !store_->database().in_transaction()) {
    open_ = false;
    return std::move(stored).error();
  }
  note(std::move(stored), line.name);
  return Ok{};
}

Status Batch::set_aside() {
  if (!spool_) {
    CANDOR_ASSIGN(spool_, Spool::open(store_->path().substr(0, store_->path().rfind('/'))));
  }
  for (const Line& line : waiting_) {
    Spool::Record record{.line = line.text, .vector = {}, .of = {}, .code = {}, .message = {}, .hint = {}};
    if (!line.input.ok()) {
      const Diagnostic& failure = line.input.error();
      record.code = failure.code;
      record.message = failure.message;
      record.hint = failure.hint;
    } else if (line.input->vectors) {
      record.embedder = line.input->vectors->embedder;
      record.vector = line.input->vectors->memory;
      record.of = line.input->vectors->of;
    }
    CANDOR_TRY(spool_->write(record));
  }
  return Ok{};
}

Status Batch::store_set_aside() {
  if (!spool_) return Ok{};
  CANDOR_TRY(spool_->rewind());
  Spool::Record record;
  for (;;) {
    CANDOR_ASSIGN(const bool more, spool_->read(record));
    if (!more) return Ok{};
    Line line = read(record.line);
    if (!record.code.empty()) line.input = make_error(record.code, record.message, record.hint);
    if (line.input.ok() && !record.vector.empty()) {
      line.input->vectors = Embedded{.embedder = record.embedder, .memory = record.vector, .of = record.of};
    }
    CANDOR_TRY(store(std::move(line)));
  }
}

// Stores the lines that wait, in a transaction of their own, or sets them aside for the one of all lines.
Status Batch::store_waiting() {
  if (waiting_.empty()) return Ok{};
  if (embeds_) CANDOR_TRY(embed());
  if (embeds_ && options_.whole) CANDOR_TRY(set_aside());
  std::vector<Line> lines = std::exchange(waiting_, {});
  waiting_bytes_ = 0;
  if (embeds_ && options_.whole) return Ok{};
  names_.clear();
  for (Line& line : lines) {
    CANDOR_TRY(store(std::move(line)));
    if (options_.fail_fast && failures_ > 0) break;
  }
  if (!embeds_) return Ok{};
  CANDOR_TRY(store_->end(true));
  open_ = false;
  return Ok{};
}

void Batch::note(Result<Node> stored, const std::string& name) {
  Node document = texts({{"name", stored.ok() ? stored->string_or("name", name) : std::string_view(name)},
                         {"status", stored.ok() ? "indexed" : "failed"}});
  if (stored.ok()) {
    document.set("memory_id", (*stored)["memory_id"]).set("action", (*stored)["action"]);
  } else {
    const Diagnostic& failure = stored.error();
    document.set("error", Node::string(failure.message)).set("code", Node::string(failure.code));
    if (!failure.hint.empty()) document.set("hint", Node::string(failure.hint));
    ++failures_;
  }
  document.set("index", Node::number(lines_++));
  documents_.push_back(std::move(document));
}

Result<bool> Batch::add(std::string_view text) {
  constexpr std::size_t kLines = 64, kBytes = std::size_t{1} << 20U;
  if (text.ends_with('\r')) text.remove_suffix(1);
  if (text.find_first_not_of(" \t") == std::string_view::npos) return true;
  if (!open_ && waiting_.empty() && !spool_) {
    CANDOR_ASSIGN(*model_, active_model(*store_));
    embeds_ = model_->embedder != 0 && !options_.dry_run;
  }
  Line line = read(text);
  if (embeds_ && must_wait_for(line)) {
    if (options_.whole) {
      line.input = make_error("bad-request", "the memory '" + line.name + "' stands in this transaction before",
                              "give its description and body again");
    } else {
      CANDOR_TRY(store_waiting());
    }
  }
  if (embeds_) names_.insert(line.key);
  waiting_bytes_ += text.size();
  waiting_.push_back(std::move(line));
  const bool waits = embeds_ && !options_.fail_fast && waiting_.size() < kLines && waiting_bytes_ < kBytes;
  if (!waits) CANDOR_TRY(store_waiting());
  return !(options_.fail_fast && failures_ > 0);
}

Result<std::vector<Node>> Batch::end(bool keep) {
  if (open_) CANDOR_TRY(store_->end(keep));
  open_ = false;
  return std::exchange(documents_, {});
}

Result<std::vector<Node>> Batch::commit() {
  if (options_.whole || options_.dry_run) return std::vector<Node>();
  CANDOR_TRY(store_waiting());
  return end(true);
}

Result<std::vector<Node>> Batch::finish() {
  CANDOR_TRY(store_waiting());
  CANDOR_TRY(store_set_aside());
  const bool keep = !options_.dry_run && !(options_.whole && failures_ > 0);
  CANDOR_ASSIGN(std::vector<Node> documents, end(keep));
  if (keep || options_.dry_run) return documents;
  for (Node& document : documents) {
    if (document.string_or("status", "") == "failed") continue;
    Node undone = texts({{"name", document.string_or("name", "")}, {"status", "failed"}});
    undone.set("error", Node::string("not stored: another line of the transaction failed"));
    undone.set("index", document["index"]);
    document = std::move(undone);
  }
  failures_ = lines_;
  return documents;
}

Node Batch::summary() const {
  Node document = Node::object();
  document.set("summary", Node::boolean(true)).set("total", Node::number(lines_));
  document.set("succeeded", Node::number(lines_ - failures_)).set("failed", Node::number(failures_));
  if (options_.dry_run) document.set("dry_run", Node::boolean(true));
  return document;
}

}  // namespace candor::memory
