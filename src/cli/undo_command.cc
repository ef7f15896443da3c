// `candor undo`: taking back a batch of writes through a contract, and the list of them.
#include <utility>

#include "cli/commands.h"
#include "cli/diagnostic_text.h"
#include "cli/interrupt.h"
#include "cli/progress.h"
#include "cli/scope_line.h"
#include "cli/table.h"
#include "cli/text_layout.h"
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

ExitCode list_batches(const Context& context, Candor& candor) {
  const ledger::Page page{context.arguments.limit, context.arguments.offset};
  std::uint64_t total = 0;
  const std::string session = context.arguments.session_given ? context.arguments.session : "";
  const Result<std::vector<ledger::UndoBatch>> batches = candor.ledger().undo_batches(session, page, total);
  if (!batches.ok()) return fail(context, batches.error());
  if (context.document) {
    print_document(context, wire::batches_document(*batches, page, total));
    return ExitCode::kDone;
  }
  Table table(context.out, {"id", "written", "session", "source", "scope", "rows", "state", "resources"}, 2);
  for (const ledger::UndoBatch& batch : *batches) {
    std::string state(ledger::to_string(batch.state));
    if (batch.undone_ms != 0) state += " " + local_time(batch.undone_ms);
    table.add({{batch.id},
               {local_time(batch.kept_ms)},
               {batch.turn.session},
               {batch.source},
               {batch.scope_column.empty() ? "" : batch.scope_column + " = " + batch.scope_value},
               {grouped(batch.rows), Paint::kPlain, true},
               {state},
               {joined(resource_names(batch))}});
  }
  if (!batches->empty()) table.finish();
  context.out.put(page_line(batches->size(), page.offset, total, "batch", "batches") + "\n");
  return ExitCode::kDone;
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
