// A file keeps its memory by its path; a name is looked for only where there is none yet.
#include "memory/transfer/ingest_plan.h"

#include <algorithm>
#include <utility>

#include "base/digest.h"
#include "base/render_json.h"
#include "memory/store/names.h"
#include "memory/store/text_parts.h"

namespace candor::memory {
namespace {

using json::Node;

constexpr std::string_view kForgotten = "its memory was forgotten; --force-merge revives it";

// The path without what follows the last dot of the file's name.
std::string stem_of(const std::string& relative) {
  const std::size_t dot = relative.rfind('.');
  const std::size_t slash = relative.rfind('/');
  const std::size_t first = slash == std::string::npos ? 0 : slash + 1;
  return dot == std::string::npos || dot <= first ? relative : relative.substr(0, dot);
}

// The first heading, else the path.
std::string description_of(std::string_view body, const std::string& relative) {
  std::string_view title;
  if (const std::vector<std::size_t> headings = headings_of(body); !headings.empty()) {
    title = body.substr(headings.front(), body.find('\n', headings.front()) - headings.front());
    const auto trim = [&](std::string_view drop) {
      const std::size_t first = std::min(title.find_first_not_of(drop), title.size());
      title = title.substr(first, title.find_last_not_of(drop) + 1 - first);
    };
    trim(" \t\r#");
  }
  const std::string line = single_line(title.empty() ? std::string_view(relative) : title);
  return std::string(first_characters(line, kDescriptionCharacters));
}

Node metadata_of(const std::optional<MemoryRow>& row, const FileText& text, const Origin& origin) {
  Node metadata = Node::object();
  if (row) {
    Result<Node> there = json::parse(row->metadata);
    if (there.ok() && there->is_object()) metadata = std::move(*there);
  }
  metadata.set("path", Node::string(origin.path)).set("sha256", Node::string(origin.sha256));
  metadata.set("mtime", Node::number(text.modified));
  if (origin.parts > 1 || metadata.find("part") != nullptr) {
    metadata.set("part", Node::number(origin.part)).set("parts", Node::number(origin.parts));
  }
  return metadata;
}

bool is_same(const Origin& there, const FolderFile& file, const FileText& text, std::size_t parts) {
  return there.path == file.path && there.sha256 == text.sha256 && there.parts == static_cast<std::int64_t>(parts);
}

Diagnostic taken(const std::string& name, bool forgotten) {
  if (forgotten) {
    return make_error("duplicate", "a forgotten memory still has the name '" + name + "'",
                      "--force-merge revives it with the file's text, --name-prefix gives other names");
  }
  return make_error("duplicate", "the memory '" + name + "' is none of a file",
                    "--force-merge replaces its text, --name-prefix gives other names");
}

}  // namespace

std::optional<Origin> origin_of(std::string_view metadata) {
  const Result<Node> node = json::parse(metadata);
  if (!node.ok()) return std::nullopt;
  Origin origin;
  origin.path = node->string_or("path", "");
  origin.sha256 = node->string_or("sha256", "");
  if (origin.path.empty() || origin.sha256.empty()) return std::nullopt;
  origin.part = (*node)["part"].integer().value_or(1);
  origin.parts = (*node)["parts"].integer().value_or(1);
  return origin;
}

Status Planner::read(const std::string& folder) {
  const std::string below = folder == "/" ? folder : folder + "/";
  std::string beyond = below;
  ++beyond.back();
  CANDOR_ASSIGN(sqlite::Run run,
                store_->sql().start("SELECT id, name, deleted_at, metadata FROM memories WHERE namespace = ?1 AND "
                                    "json_extract(metadata, '$.path') >= ?2 AND json_extract(metadata, '$.path') < ?3",
                                    options_->space, below, beyond));
  for (;;) {
    CANDOR_ASSIGN(const bool more, run.step());
    if (!more) return Ok{};
    std::optional<Origin> origin = origin_of(run.view(3));
    if (!origin) continue;
    Stored& stored = stored_[origin->path][origin->part];
    // Of two memories that name one file the one that is not forgotten counts.
    if (stored.id != 0 && !run.is_null(2)) continue;
    stored = {run.integer(0), run.text(1), !run.is_null(2), std::move(*origin)};
  }
}

std::string Planner::name_of(const FolderFile& file) const { return name_of(file, 1, ""); }

std::string Planner::name_of(const FolderFile& file, std::size_t part, std::string_view ending) const {
  std::string more(ending);
  if (part > 1) more += "-part-" + std::to_string(part);
  const std::size_t bytes = options_->name_bytes - std::min(more.size(), options_->name_bytes - 1);
  return slug_of(options_->prefix + stem_of(file.relative), bytes, "file") + more;
}

// Whether that name is the file's to have; nothing where it belongs to another file.
Result<std::optional<Planner::Target>> Planner::by_name(const FolderFile& file, const FileText& text, std::size_t part,
                                                        const std::string& name) {
  const auto given = named_.find(name);
  if (given != named_.end() && given->second != file.path) return std::optional<Target>();
  CANDOR_ASSIGN(std::optional<MemoryRow> row, find_memory(*store_, options_->space, name));
  if (!row) return std::optional(Target{std::nullopt, name, ""});
  const std::optional<Origin> origin = origin_of(row->metadata);
  if (!origin || row->deleted_at) {
    if (!options_->force_merge) return taken(name, row->deleted_at.has_value());
    return std::optional(Target{std::move(row), name, ""});
  }
  const bool mine = origin->path == file.path && origin->part == static_cast<std::int64_t>(part);
  if (mine) return std::optional(Target{std::move(row), name, ""});
  const bool moved = !may_exist(origin->path) && (options_->force_merge || origin->sha256 == text.sha256);
  if (!moved || origin->part != static_cast<std::int64_t>(part)) return std::optional<Target>();
  return std::optional(Target{std::move(row), name, "the file was " + origin->path + " before"});
}

Result<Planner::Target> Planner::target_of(const FolderFile& file, const FileText& text, std::size_t part) {
  if (const auto known = stored_.find(file.path); known != stored_.end()) {
    const auto of_part = known->second.find(static_cast<std::int64_t>(part));
    if (of_part != known->second.end()) {
      CANDOR_ASSIGN(std::optional<MemoryRow> row, find_memory(*store_, of_part->second.id));
      if (row) {
        std::string name = row->name;
        return Target{std::move(row), std::move(name), ""};
      }
    }
  }
  const std::string name = name_of(file, part, "");
  CANDOR_ASSIGN(std::optional<Target> target, by_name(file, text, part, name));
  if (target) return std::move(*target);
  const std::string other = name_of(file, part, "-" + sha256_hex(file.path).substr(0, 8));
  CANDOR_ASSIGN(target, by_name(file, text, part, other));
  if (!target) return taken(other, false);
  if (target->warning.empty()) target->warning = "the name '" + name + "' belongs to another file";
  return std::move(*target);
}

Remember Planner::input_of(const FolderFile& file, const FileText& text, std::string_view body, const Origin& origin,
                           const Target& target) const {
  Remember input;
  input.space = options_->space;
  input.name = target.name;
  input.body = std::string(body);
  input.clear_body = body.empty();
  input.source = "import";
  input.force_merge = target.row.has_value();
  input.type = options_->type;
  if (!target.row && !input.type) input.type = "document";
  const std::string ending =
      origin.parts > 1 ? " (" + std::to_string(origin.part) + " of " + std::to_string(origin.parts) + ")" : "";
  // A description that somebody wrote stays.
  const bool own = !target.row || target.row->description.empty() ||
                   target.row->description.starts_with(description_of(target.row->body, file.relative));
  if (own) {
    const std::string line = description_of(body, file.relative);
    input.description = std::string(first_characters(line, kDescriptionCharacters - ending.size())) + ending;
  }
  input.metadata = metadata_of(target.row, text, origin);
  if (target.row) input.expected.rev = target.row->rev;
  return input;
}

Result<Plan> Planner::plan(const FolderFile& file, const FileText& text) {
  const std::vector<std::string_view> bodies = sections_of(text.text);
  Plan plan;
  plan.parts = bodies.size();
  plan.name = name_of(file);
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const std::size_t part = i + 1;
    CANDOR_ASSIGN(Target target, target_of(file, text, part));
    if (part == 1) plan.name = target.name;
    if (!target.warning.empty()) plan.warnings.push_back(target.warning);
    const std::optional<Origin> there = target.row ? origin_of(target.row->metadata) : std::nullopt;
    if (target.row && target.row->deleted_at && !options_->force_merge) {
      plan.why = kForgotten;
      plan.writes.clear();
      return plan;
    }
    named_[target.name] = file.path;
    if (there && !target.row->deleted_at && is_same(*there, file, text, plan.parts)) continue;
    const Origin origin{file.path, text.sha256, static_cast<std::int64_t>(part), static_cast<std::int64_t>(plan.parts)};
    plan.writes.push_back({input_of(file, text, bodies[i], origin, target), target.row.has_value()});
  }
  if (const auto known = stored_.find(file.path); known != stored_.end()) {
    for (const auto& [part, stored] : known->second) {
      if (part > static_cast<std::int64_t>(plan.parts) && !stored.forgotten) plan.surplus.push_back(stored.name);
    }
  }
  const std::string original = options_->prefix + stem_of(file.relative);
  plan.truncated = slug_of(original, std::string::npos, "file").size() > options_->name_bytes;
  if (original != plan.name) plan.original_name = original;
  if (plan.writes.empty() && plan.surplus.empty()) plan.why = "unchanged";
  return plan;
}

}  // namespace candor::memory
