// The verbs of `candor memory` that read.
#include <algorithm>
#include <filesystem>
#include <limits>

#include "base/ascii.h"
#include "cli/memory_verbs.h"

namespace candor::cli {
namespace {

using json::Node;

constexpr std::uint64_t kOnTerminal = 50;
constexpr std::uint64_t kEntities = 50;
constexpr std::uint64_t kExported = 100'000;

Node number(std::optional<std::uint64_t> value) {
  return value ? Node::number(static_cast<std::int64_t>(*value)) : Node();
}

Result<memory::ListQuery> list_query(const MemoryCall& call, std::optional<std::uint64_t> standard) {
  memory::ListQuery query;
  CANDOR_ASSIGN(query.space, call.space());
  query.type = call.text("type");
  query.include_deleted = call.has("include-deleted");
  CANDOR_ASSIGN(query.before_rev, call.number("before-rev", 1, std::numeric_limits<std::int64_t>::max()));
  CANDOR_ASSIGN(query.after_rev, call.number("after-rev", 0, std::numeric_limits<std::int64_t>::max()));
  CANDOR_ASSIGN(query.ceiling, call.pages(standard));
  return query;
}

Result<memory::EntityQuery> entity_query(const MemoryCall& call) {
  memory::EntityQuery query;
  CANDOR_ASSIGN(query.space, call.space());
  query.type = call.text("entity-type");
  const std::string sort = lower_ascii(call.text("sort-by").value_or("name"));
  if (sort == "degree") query.sort = memory::EntitySort::kDegree;
  if (sort == "created_at") query.sort = memory::EntitySort::kCreatedAt;
  if (sort != "name" && sort != "degree" && sort != "created_at") {
    return make_error("usage", "--sort-by can't be '" + sort + "'", "--sort-by name, degree or created_at");
  }
  const std::string order = lower_ascii(call.text("order").value_or("asc"));
  if (order != "asc" && order != "desc") return make_error("usage", "--order is asc or desc", "--order desc");
  query.descending = order == "desc";
  CANDOR_ASSIGN(query.ceiling, call.pages(kEntities));
  return query;
}

// Lines of JSON, and a last one that says what they are a part of; with --json one document.
ExitCode print_export(const MemoryCall& call, const scope::ShapedList& shaped, const std::string& space) {
  Node document = Node::object();
  document.set("summary", Node::boolean(true)).set("exported", number(shaped.rows().size()));
  document.set("namespace", Node::string(space));
  call.set_elapsed(document);
  shaped.put_into(document);
  const Context& context = call.context();
  std::string text;
  auto& members = document.members();
  const auto rows = std::ranges::find(members, std::string_view("results"), &std::pair<std::string, Node>::first);
  if (!context.arguments.json && rows != members.end()) {
    for (const Node& row : rows->second.items()) {
      json::append(text, row);
      text += '\n';
      if (text.size() < (std::size_t{1} << 16U)) continue;
      if (!context.out.put(text)) return ExitCode::kDone;
      text.clear();
    }
    members.erase(rows);
  }
  json::append(text, document);
  context.out.put(text + "\n");
  return ExitCode::kDone;
}

}  // namespace

ExitCode memory_list(MemoryCall& call) {
  const bool page = !call.context().document;
  const Result<memory::ListQuery> query = list_query(call, page ? std::optional(kOnTerminal) : std::nullopt);
  if (!query.ok()) return call.failed(query.error());
  Result<memory::Memory> memory = call.open(memory::Access::kRead);
  if (!memory.ok()) return call.failed(memory.error());
  const Result<std::int64_t> rev = memory->latest_rev();
  if (!rev.ok()) return call.failed(memory->named(rev.error()));
  Node document = Node::object();
  document.set("total_count", Node()).set("as_of_rev", Node::number(*rev));
  return call.listed(memory->list(*query), std::move(document), {"name", "type", "updated_at_iso", "description"});
}

ExitCode memory_export(MemoryCall& call) {
  const Result<memory::ListQuery> query = list_query(call, kExported);
  if (!query.ok()) return call.failed(query.error());
  Result<memory::Memory> memory = call.open(memory::Access::kRead);
  if (!memory.ok()) return call.failed(memory.error());
  Result<std::unique_ptr<scope::List>> list = memory->exported(*query);
  if (!list.ok()) return call.failed(list.error());
  const Result<scope::ShapedList> shaped = scope::ShapedList::make(**list, call.context().shaping);
  if (!shaped.ok()) return call.failed(shaped.error());
  return print_export(call, *shaped, query->space);
}

ExitCode memory_history(MemoryCall& call) {
  const Result<memory::Which> which = call.which();
  if (!which.ok()) return call.failed(which.error());
  Result<memory::Memory> memory = call.open(memory::Access::kRead);
  if (!memory.ok()) return call.failed(memory.error());
  Result<memory::History> history = memory->history(*which, !call.has("no-body"), call.has("diff"));
  if (!history.ok()) return call.failed(history.error());
  Node document = memory::texts({{"name", history->name}, {"namespace", which->space}});
  document.set("deleted", Node::boolean(history->deleted));
  return call.listed(std::move(history->versions), std::move(document),
                     {"version", "change_reason", "created_at_iso", "type", "description", "diff"});
}

ExitCode memory_read(MemoryCall& call) {
  const Result<memory::Which> which = call.which();
  if (!which.ok()) return call.failed(which.error());
  Result<memory::Memory> memory = call.open(memory::Access::kRead);
  if (!memory.ok()) return call.failed(memory.error());
  return call.done(memory->read(*which, call.has("with-graph")));
}

ExitCode memory_memory_entities(MemoryCall& call) {
  const std::optional<std::string> entity = call.text("entity");
  Result<memory::Memory> memory = call.open(memory::Access::kRead);
  if (!memory.ok()) return call.failed(memory.error());
  if (entity) {
    const Result<std::string> space = call.space();
    if (!space.ok()) return call.failed(space.error());
    Node document = memory::texts({{"entity_name", *entity}, {"namespace", *space}});
    document.set("count", Node());
    return call.listed(memory->memories_of_entity(*space, *entity), std::move(document),
                       {"name", "type", "description"});
  }
  const Result<memory::Which> which = call.which();
  if (!which.ok()) return call.failed(which.error());
  return call.listed(memory->entities_of_memory(*which),
                     memory::texts({{"memory_name", which->name}}).set("count", Node()),
                     {"name", "entity_type", "description"});
}

ExitCode memory_graph_entities(MemoryCall& call) {
  const Result<memory::EntityQuery> query = entity_query(call);
  if (!query.ok()) return call.failed(query.error());
  Result<memory::Memory> memory = call.open(memory::Access::kRead);
  if (!memory.ok()) return call.failed(memory.error());
  Node document = Node::object();
  document.set("total_count", Node())
      .set("limit", number(query->ceiling.limit))
      .set("offset", number(query->ceiling.offset));
  document.set("namespace", Node::string(query->space));
  return call.listed(memory->entities(*query), std::move(document), {"name", "entity_type", "degree", "description"});
}

ExitCode memory_graph(MemoryCall& call) {
  const Result<std::string> space = call.space();
  if (!space.ok()) return call.failed(space.error());
  Result<memory::Memory> memory = call.open(memory::Access::kRead);
  if (!memory.ok()) return call.failed(memory.error());
  Result<memory::GraphExport> graph = memory->graph(*space);
  if (!graph.ok()) return call.failed(graph.error());
  std::vector<std::pair<std::string, std::vector<Node>>> secondary;
  secondary.emplace_back("edges", std::move(graph->edges));
  const std::optional<std::string> output = call.text("output");
  if (!output) return call.listed(*graph->nodes, Node::object(), {"id", "name", "type"}, std::move(secondary));
  const Result<Node> document = call.shaped(*graph->nodes, Node::object(), std::move(secondary));
  if (!document.ok()) return call.failed(document.error());
  return call.written(*output, *document);
}

ExitCode memory_graph_stats(MemoryCall& call) {
  const Result<std::string> space = call.space();
  if (!space.ok()) return call.failed(space.error());
  Result<memory::Memory> memory = call.open(memory::Access::kRead);
  if (!memory.ok()) return call.failed(memory.error());
  return call.done(memory->graph_stats(*space));
}

ExitCode memory_stats(MemoryCall& call) {
  Result<memory::Memory> memory = call.open(memory::Access::kRead);
  if (!memory.ok()) return call.failed(memory.error());
  return call.done(memory->stats());
}

ExitCode memory_health(MemoryCall& call) {
  const Result<std::string> space = call.space();
  if (!space.ok()) return call.failed(space.error());
  Result<memory::Memory> memory = call.open(memory::Access::kRead);
  if (!memory.ok()) return call.failed(memory.error());
  Result<Node> health = memory->health(call.space_given() ? std::optional(*space) : std::nullopt);
  if (!health.ok()) return call.failed(health.error());
  const bool whole = health->string_or("status", "") != "error";
  const ExitCode code = call.done(std::move(health));
  return whole || code != ExitCode::kDone ? code : ExitCode::kEngine;
}

ExitCode memory_namespace_detect(MemoryCall& call) {
  const Result<std::string> space = call.space();
  if (!space.ok()) return call.failed(space.error());
  const char* source = call.space_given() ? "explicit_flag" : *space == "global" ? "default" : "environment";
  std::error_code ignored;
  const std::string folder = std::filesystem::current_path(ignored).string();
  return call.done(memory::texts({{"namespace", *space}, {"source", source}, {"cwd", folder}}));
}

}  // namespace candor::cli
