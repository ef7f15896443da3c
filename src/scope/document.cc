// The record as JSON: fields that say nothing are left out.
#include "scope/document.h"

#include <string>
#include <utility>
#include <vector>

namespace candor::scope {
namespace {

using json::Node;

Node number(std::uint64_t value) { return Node::number(static_cast<std::int64_t>(value)); }
Node text(std::string_view value) { return Node::string(std::string(value)); }

Node texts(const std::vector<std::string>& values) {
  Node list = Node::array();
  for (const std::string& value : values) list.push(Node::string(value));
  return list;
}

std::string_view name_of(FilterScope filter) {
  switch (filter) {
    case FilterScope::kUniverse:
      return "universe";
    case FilterScope::kPage:
      return "page";
    case FilterScope::kTopK:
      return "top-k";
  }
  return "universe";
}

std::string_view name_of(CountScope count) {
  switch (count) {
    case CountScope::kMatched:
      return "matched";
    case CountScope::kEmitted:
      return "emitted";
    case CountScope::kPage:
      return "page";
    case CountScope::kTopK:
      return "top-k";
  }
  return "matched";
}

void set_texts(Node& node, std::string name, const std::vector<std::string>& values) {
  if (!values.empty()) node.set(std::move(name), texts(values));
}

void set_number(Node& node, std::string name, const std::optional<std::uint64_t>& value) {
  if (value) node.set(std::move(name), number(*value));
}

void set_ceiling(Node& node, const Ceiling& ceiling) {
  const bool limited = ceiling.kind != LimitKind::kNone;
  node.set("query_limited", Node::boolean(limited));
  if (!limited) return;
  node.set("query_limit", number(ceiling.limit)).set("query_offset", number(ceiling.offset));
  node.set("query_limit_source", text(name_of(ceiling.source)));
  node.set("query_limit_kind", text(ceiling.kind == LimitKind::kTopK ? "top-k" : "pagination"));
}

void set_shaping(Node& node, const ShapingRecord& shaping) {
  set_texts(node, "filters", shaping.filters);
  set_number(node, "matched_count", shaping.matched_count);
  if (shaping.sort) node.set("sort", Node::string(*shaping.sort));
  if (shaping.dedupe_by) node.set("dedupe_by", Node::string(*shaping.dedupe_by));
  set_number(node, "max_items", shaping.max_items);
  set_texts(node, "select", shaping.select);
  set_number(node, "truncate_content", shaping.truncate_content);
  if (shaping.content_truncated > 0) node.set("content_truncated", number(shaping.content_truncated));
  set_number(node, "dropped", shaping.dropped);
  set_texts(node, "secondary_capped", shaping.secondary_capped);
  set_texts(node, "resolved_keys", shaping.resolved_keys);
  set_texts(node, "unresolved_keys", shaping.unresolved_keys);
  if (!shaping.key_suggestions.empty()) {
    Node suggestions = Node::object();
    for (const auto& [key, near] : shaping.key_suggestions) suggestions.set(key, texts(near));
    node.set("key_suggestions", std::move(suggestions));
  }
  if (!shaping.result_array_source.empty()) node.set("result_array_source", text(shaping.result_array_source));
}

void set_order(Node& node, const AgentSurface& surface) {
  if (surface.order == Order::kUnknown) {
    if (!surface.order_reason.empty()) node.set("order_reason", Node::string(surface.order_reason));
  } else {
    constexpr std::string_view kNames[] = {"none", "partial", "total"};
    node.set("order", text(kNames[static_cast<std::size_t>(surface.order)]));
  }
  set_number(node, "ties_at_border", surface.ties_at_border);
}

}  // namespace

std::string_view name_of(LimitSource source) {
  switch (source) {
    case LimitSource::kFlag:
      return "flag";
    case LimitSource::kStatement:
      return "statement";
    default:
      return "default";
  }
}

json::Node surface_document(const AgentSurface& surface) {
  Node node = Node::object();
  set_ceiling(node, surface.ceiling);
  if (surface.universe_total) {
    node.set("universe_total", number(*surface.universe_total));
  } else {
    node.set("universe_reason", Node::string(surface.universe_reason));
  }
  node.set("filter_scope", text(name_of(surface.filter_scope)));
  if (surface.filter_incomplete) node.set("filter_incomplete", Node::boolean(true));
  node.set("count_scope", text(name_of(surface.count_scope)));
  node.set("input_count", number(surface.input_count)).set("output_count", number(surface.output_count));
  if (surface.output_truncated) {
    node.set("output_truncated", Node::boolean(true));
    if (!surface.output_truncated_by.empty()) node.set("output_truncated_by", text(surface.output_truncated_by));
  }
  set_shaping(node, surface.shaping);
  if (!surface.shaping_ignored.empty()) {
    node.set("shaping_ignored", Node::boolean(true)).set("reason", Node::string(surface.shaping_ignored));
  }
  set_order(node, surface);
  return node;
}

}  // namespace candor::scope
