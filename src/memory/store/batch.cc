// Lines are grouped into transactions by whoever reads them; a line that fails is taken back alone.
#include "memory/store/batch.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/near_names.h"
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

Batch::Batch(Memory& memory, BatchOptions options) : store_(&memory.store()), options_(std::move(options)) {}

Batch::~Batch() {
  if (open_) (void)store_->end(false).ok();
}

Result<Node> Batch::store_line(std::string_view line) {
  if (line.size() > kBatchLineBytes) return make_error("over-limit", "a line has at most 16 MB");
  CANDOR_ASSIGN(const Node node, json::parse(line));
  name_ = std::string(node.string_or("name", ""));
  Remember base;
  base.space = options_.space;
  base.force_merge = options_.force_merge;
  base.allow_missing_vector = options_.allow_missing_vector;
  base.dry_run = options_.dry_run;
  CANDOR_ASSIGN(Remember input, remember_of(node, std::move(base)));
  CANDOR_TRY(add_vectors(*store_, input));
  return store_->part([&] { return remember_in(*store_, input); });
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
  waiting_.push_back(std::move(document));
}

Result<bool> Batch::add(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  if (line.find_first_not_of(" \t") == std::string_view::npos) return true;
  if (!open_) CANDOR_TRY(store_->begin());
  open_ = true;
  name_.clear();
  Result<Node> stored = store_line(line);
  // A full disk or a damaged file ends more than one line: SQLite has taken all of it back.
  if (!stored.ok() && !store_->database().in_transaction()) {
    open_ = false;
    return std::move(stored).error();
  }
  note(std::move(stored), name_);
  return !(options_.fail_fast && failures_ > 0);
}

Result<std::vector<Node>> Batch::end(bool keep) {
  if (open_) CANDOR_TRY(store_->end(keep));
  open_ = false;
  return std::exchange(waiting_, {});
}

Result<std::vector<Node>> Batch::commit() {
  if (options_.whole || options_.dry_run) return std::vector<Node>();
  return end(true);
}

Result<std::vector<Node>> Batch::finish() {
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
