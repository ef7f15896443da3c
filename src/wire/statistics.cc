// The documents of `candor stats` and `candor replay`. A share without anything to be a share of is null.
#include <algorithm>
#include <utility>
#include <vector>

#include "scope/list.h"
#include "wire/wire.h"

namespace candor::wire {
namespace {

using json::Node;

Node number(std::uint64_t value) { return Node::number(static_cast<std::int64_t>(value)); }

Node share(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? Node() : Node::number(static_cast<double>(part) / static_cast<double>(whole));
}

// The first rows of a list, and how many there are.
class FirstRows final : public scope::List {
 public:
  FirstRows(scope::Declaration declaration, std::vector<Node> rows, std::uint64_t total)
      : declaration_(std::move(declaration)), rows_(std::move(rows)), total_(total) {}

 protected:
  [[nodiscard]] scope::Declaration declare() const override { return declaration_; }
  [[nodiscard]] Result<scope::Universe> universe() override { return scope::Universe{total_, ""}; }
  [[nodiscard]] Status visit(const scope::Slice& /*slice*/, const scope::Visitor& visitor) override {
    for (const Node& row : rows_) {
      if (!visitor(row)) break;
    }
    return Ok{};
  }

 private:
  scope::Declaration declaration_;
  std::vector<Node> rows_;
  std::uint64_t total_;
};

// A list that shows its first `list_max` items, and says of how many.
template <typename Item, typename Render>
Node list_of(const std::vector<Item>& items, std::uint64_t total, ListMax list_max, const Render& render) {
  std::vector<Node> rows;
  for (const Item& item : items) {
    if (rows.size() >= list_max.rows) break;
    rows.push_back(render(item));
  }
  scope::Declaration declaration;
  declaration.array = "list";
  declaration.ceiling = {list_max.source, scope::LimitKind::kTopK, list_max.rows, 0};  // by calls, then by name
  FirstRows first(std::move(declaration), std::move(rows), total);
  Node node = Node::object();
  // Nothing is asked of the list that could be refused.
  if (const auto shaped = scope::ShapedList::make(first, {}); shaped.ok()) shaped->put_into(node);
  return node;
}

Node turns_node(const ledger::Statistics::Turns& met, const ledger::Statistics::Turns& clean) {
  const auto kind = [](const ledger::Statistics::Turns& turns) {
    Node node = Node::object();
    node.set("turns", number(turns.turns)).set("calls", number(turns.calls));
    node.set("median_calls", turns.median_calls ? Node::number(*turns.median_calls) : Node());
    return node;
  };
  Node node = Node::object();
  node.set("total", number(met.turns + clean.turns));
  node.set("with_rejection", kind(met)).set("without_rejection", kind(clean));
  node.set("share_with_rejection", share(met.turns, met.turns + clean.turns));
  node.set("share_of_calls_in_them", share(met.calls, met.calls + clean.calls));
  return node;
}

Node read_as_node(const std::vector<ledger::Statistics::Repair>& repairs) {
  Node list = Node::array();
  for (const ledger::Statistics::Repair& one : repairs) {
    Node node = Node::object();
    node.set("kind", Node::string(one.kind)).set("calls", number(one.calls)).set("spellings", number(one.spellings));
    list.push(std::move(node));
  }
  return list;
}

Node code_node(const ledger::Statistics::Code& code, std::uint64_t of) {
  Node node = Node::object();
  node.set("code", Node::string(code.code)).set("calls", number(code.calls)).set("share", share(code.calls, of));
  node.set("turns", number(code.turns)).set("errors", number(code.errors)).set("fixes_offered", number(code.fixes));
  return node;
}

Node names_node(const ledger::Statistics::Names& names, ListMax list_max, bool columns) {
  return list_of(names.list, names.total, list_max, [&](const ledger::Statistics::Name& name) {
    Node node = Node::object();
    node.set("resource", Node::string(name.resource));
    if (columns) node.set("column", Node::string(name.column));
    node.set("calls", number(name.calls)).set("turns", number(name.turns)).set("errors", number(name.errors));
    node.set("fixes_offered", number(name.fixes));
    return node;
  });
}

Node codes_node(const std::vector<ledger::Statistics::Code>& all, ledger::CallOutcome outcome, std::uint64_t of,
                ListMax list_max) {
  std::vector<ledger::Statistics::Code> codes;
  for (const ledger::Statistics::Code& one : all) {
    if (ledger::outcome_of(one.code) == outcome) codes.push_back(one);
  }
  return list_of(codes, codes.size(), list_max,
                 [&](const ledger::Statistics::Code& one) { return code_node(one, of); });
}

Node commits_node(const ledger::Statistics& statistics) {
  Node checks = Node::array();
  for (const ledger::Statistics::Check& check : statistics.checks) {
    Node node = Node::object();
    node.set("check", Node::string(check.check)).set("held", number(check.held));
    node.set("acknowledged", number(check.acknowledged));
    checks.push(std::move(node));
  }
  Node node = Node::object();
  node.set("committed", number(statistics.committed)).set("held", number(statistics.held));
  node.set("acknowledged", number(statistics.acknowledged)).set("unresolved", number(statistics.unresolved));
  node.set("refused", number(statistics.refused)).set("checks", std::move(checks));
  return node;
}

Node class_node(const ReplayReport::Class& one, std::uint64_t rejected) {
  Node examples = Node::array();
  for (const ReplayReport::Example& example : one.examples) {
    Node node = Node::object();
    node.set("place", Node::string(example.place)).set("sql", Node::string(example.sql));
    node.set("message", Node::string(example.message));
    if (!example.fix.empty()) node.set("fix", Node::string(example.fix));
    examples.push(std::move(node));
  }
  Node node = Node::object();
  node.set("code", Node::string(one.code)).set("calls", number(one.calls)).set("share", share(one.calls, rejected));
  node.set("errors", number(one.errors)).set("fixes_offered", number(one.fixes)).set("examples", std::move(examples));
  return node;
}

Node replay_names(const ReplayReport& report, ListMax list_max, bool columns) {
  std::vector<ReplayReport::Name> names;
  for (const ReplayReport::Name& name : report.names) {
    if (name.column.empty() != columns) names.push_back(name);
  }
  return list_of(names, names.size(), list_max, [&](const ReplayReport::Name& name) {
    Node node = Node::object();
    node.set("resource", Node::string(name.resource));
    if (columns) node.set("column", Node::string(name.column));
    node.set("calls", number(name.calls)).set("fixes_offered", number(name.fixes));
    if (columns) node.set("explained", Node::boolean(name.explained));
    return node;
  });
}

}  // namespace

json::Node statistics_document(const ledger::Statistics& statistics, const ledger::StatisticsFilter& filter,
                               ListMax list_max) {
  Node document = Node::object();
  document.set("since_ms", filter.since_ms > 0 ? Node::number(filter.since_ms) : Node());
  document.set("session", filter.session.empty() ? Node() : Node::string(filter.session));
  document.set("source", filter.source.empty() ? Node() : Node::string(filter.source));
  const auto moment = [](const std::optional<std::int64_t>& ms) { return ms ? Node::number(*ms) : Node(); };
  Node calls = Node::object();
  calls.set("total", number(statistics.calls())).set("accepted", number(statistics.accepted));
  calls.set("rejected", number(statistics.rejected)).set("failed", number(statistics.failed));
  calls.set("rejected_share", share(statistics.rejected, statistics.calls()));
  calls.set("first_ms", moment(statistics.first_call_ms)).set("last_ms", moment(statistics.last_call_ms));
  document.set("calls", std::move(calls));
  document.set("turns", turns_node(statistics.met, statistics.clean));
  document.set("rejections",
               codes_node(statistics.codes, ledger::CallOutcome::kRejected, statistics.rejected, list_max));
  document.set("failures", codes_node(statistics.codes, ledger::CallOutcome::kFailed, statistics.failed, list_max));
  document.set("absent_columns", names_node(statistics.absent_columns, list_max, true));
  document.set("absent_resources", names_node(statistics.absent_resources, list_max, false));
  Node repairs = Node::object();
  repairs.set("offered", number(statistics.offered)).set("taken", number(statistics.taken));
  repairs.set("taken_share", share(statistics.taken, statistics.offered));
  repairs.set("taken_accepted", number(statistics.taken_accepted)).set("read_as", read_as_node(statistics.read_as));
  document.set("repairs", std::move(repairs));
  document.set("commits", commits_node(statistics));
  return document;
}

json::Node replay_document(const ReplayReport& report, ListMax list_max) {
  Node document = Node::object();
  document.set("contract", Node::string(report.contract)).set("file", Node::string(report.file));
  document.set("depth", Node::string("parsed and bound, nothing was run"));
  Node calls = Node::object();
  calls.set("total", number(report.calls)).set("accepted", number(report.accepted));
  calls.set("rejected", number(report.rejected())).set("accepted_share", share(report.accepted, report.calls));
  document.set("calls", std::move(calls));
  Node repairs = Node::object();
  repairs.set("repairable", number(report.repairable)).set("accepted", number(report.repaired));
  repairs.set("accepted_share_with_them", share(report.accepted + report.repaired, report.calls));
  repairs.set("read_as", read_as_node(report.read_as));
  document.set("repairs", std::move(repairs));
  if (report.met.turns + report.clean.turns > 0) document.set("turns", turns_node(report.met, report.clean));
  document.set("rejections",
               list_of(report.classes, report.classes.size(), list_max,
                       [&](const ReplayReport::Class& one) { return class_node(one, report.rejected()); }));
  document.set("absent_columns", replay_names(report, list_max, true));
  document.set("absent_resources", replay_names(report, list_max, false));
  if (report.names_beyond > 0) document.set("names_not_told_apart", number(report.names_beyond));
  return document;
}

}  // namespace candor::wire
