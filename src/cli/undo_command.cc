// `candor undo`: taking back a batch of writes through a contract, and the list of them.
#include <utility>

#include "cli/commands.h"
#include "cli/diagnostic_text.h"
#include "cli/interrupt.h"
#include "cli/list_output.h"
#include "cli/progress.h"
#include "cli/table.h"
#include "cli/text_layout.h"
#include "wire/lists.h"
#include "wire/wire.h"

namespace candor::cli {
namespace {

std::string joined(const std::vector<std::string>& texts) {
  std::string all;
  for (const std::string& text : texts) all += (all.empty() ? "" : ", ") + text;
  return all;
}

// "cards: 2 rows as before, 1 row put back, 3 rows taken away".
std::string resource_line(const Undone::Resource& resource) {
  std::vector<std::string> parts;
  if (resource.restored > 0) parts.push_back(counted(resource.restored, "row", "rows") + " as before");
  if (resource.inserted > 0) parts.push_back(counted(resource.inserted, "row", "rows") + " put back");
  if (resource.removed > 0) parts.push_back(counted(resource.removed, "row", "rows") + " taken away");
  return visible(resource.name) + ": " + joined(parts) + "\n";
}

std::string head_line(const Undone& undone) {
  if (undone.outcome == Undone::Outcome::kNothing)
    return undone.batch_id + ": nothing to undo, the source never had the batch";
  if (undone.outcome == Undone::Outcome::kAlready)
    return undone.batch_id + ": was undone already, by a call that was cut short";
  if (undone.dry_run) return undone.batch_id + ": would be undone, nothing was changed";
  return undone.batch_id + ": undone";
}

void print_undone(const Context& context, const Undone& undone) {
  std::string text = head_line(undone);
  if (!undone.query_id.empty()) text += context.out.painted(Paint::kDim, "  (" + undone.query_id + ")");
  text += "\n";
  for (const Undone::Resource& resource : undone.resources) text += resource_line(resource);
  for (const Warning& warning : undone.warnings) text += warning_text(context.out, warning);
  context.out.put(text);
}

std::string state_of(const json::Node& row) {
  std::string state = row["state"].text();
  if (const auto undone = row["undone_ms"].integer()) state += " " + local_time(*undone);
  return state;
}

std::string scope_of(const json::Node& row) {
  const json::Node& scope = row["scope"];
  return scope.is_object() ? scope["column"].text() + " = " + scope["value"].text() : "";
}

std::string names_of(const json::Node& row) {
  std::vector<std::string> names;
  for (const json::Node& name : row["resources"].items()) names.push_back(name.text());
  return joined(names);
}

ExitCode list_batches(const Context& context, Candor& candor) {
  const std::string session = context.arguments.session_given ? context.arguments.session : "";
  const auto list = wire::batches_list(candor.ledger(), session, ceiling_of(context.arguments));
  const auto rows = [](const json::Node& row) {
    return TableCell{grouped(static_cast<std::uint64_t>(row["row_count"].integer().value_or(0))), Paint::kPlain, true};
  };
  const ListText text{
      {{"id", under("batch_id")},
       {"written", [](const json::Node& row) { return TableCell{local_time(row["kept_ms"].integer().value_or(0))}; }},
       {"session", under("session")},
       {"source", under("source")},
       {"scope", [](const json::Node& row) { return TableCell{scope_of(row)}; }},
       {"rows", rows},
       {"state", [](const json::Node& row) { return TableCell{state_of(row)}; }},
       {"resources", [](const json::Node& row) { return TableCell{names_of(row)}; }}},
      "batch",
      "batches"};
  return show_list(context, *list, text, wire::list_document);
}

}  // namespace

ExitCode run_undo(const Context& context) {
  std::vector<std::string> words = context.arguments.words;
  const bool list = context.arguments.list;
  if (!list && (words.empty() || names_source(words.front()))) {
    return fail(context,
                make_error("usage", "candor undo takes the id of a batch, such as b12: each write tells its own",
                           "candor undo --list"));
  }
  std::string batch;
  if (!list) {
    batch = std::move(words.front());
    words.erase(words.begin());
  }
  const Interrupt interrupt;
  Result<config::Configuration> configuration = load_configuration(context, words);
  if (!configuration.ok()) return fail(context, configuration.error());
  Result<std::unique_ptr<Candor>> candor = Candor::open(std::move(*configuration), context.program.worker);
  if (!candor.ok()) return fail(context, candor.error());
  if (list) return list_batches(context, **candor);
  Progress progress(context.err, "undoing");
  const Result<Undone> undone =
      (*candor)->undo(caller_of(context.arguments), batch, context.arguments.dry_run, interrupt.token());
  progress.stop();
  if (!undone.ok()) return fail(context, undone.error());
  if (context.document) {
    print_document(context, wire::undone_document(*undone));
  } else {
    print_undone(context, *undone);
  }
  return ExitCode::kDone;
}

}  // namespace candor::cli
