// `candor sql` and `candor check`: statements in, tables or one document out.
#include <algorithm>
#include <utility>

#include "candor/documents.h"
#include "cli/commands.h"
#include "cli/diagnostic_text.h"
#include "cli/explanation_text.h"
#include "cli/interrupt.h"
#include "cli/list_output.h"
#include "cli/progress.h"
#include "cli/receipt_text.h"
#include "cli/scope_line.h"
#include "cli/table_sink.h"
#include "cli/text_layout.h"
#include "wire/wire.h"

namespace candor::cli {
namespace {

RunOptions options_of(const Context& context) {
  const Arguments& arguments = context.arguments;
  RunOptions options;
  options.source = arguments.in;
  options.rows_max = arguments.rows_max;
  options.keep_going = arguments.keep_going;
  options.dry_run = arguments.dry_run;
  options.shaping = context.shaping;
  return options;
}

// The document, and for people who read standard error each failure as well.
class EchoingSink final : public ResultSink {
 public:
  EchoingSink(wire::DocumentSink& document, const Context& context) : document_(&document), context_(&context) {}
  void start(const StatementStart& start) override { document_->start(start); }
  bool rows(const RowBatch& batch) override { return document_->rows(batch); }
  void end(const StatementEnd& end) override { document_->end(end); }
  void failed(const StatementStart& start, const Diagnostic& failure) override {
    document_->failed(start, failure);
    told_ = true;
    if (!context_->out.terminal()) context_->err.put(diagnostic_text(context_->err, failure, start.sql));
  }
  [[nodiscard]] bool told() const { return told_; }

 private:
  wire::DocumentSink* document_;
  const Context* context_;
  bool told_ = false;
};

// Tables; a result that was shaped as any other list.
class ListSink final : public ResultSink {
 public:
  ListSink(const Context& context, Progress& progress)
      : tables_(context.out, context.err, progress), context_(&context), progress_(&progress) {}
  void start(const StatementStart& start) override {
    if (!context_->shaping.given()) tables_.start(start);
    started_ = start;
  }
  bool rows(const RowBatch& batch) override { return tables_.rows(batch); }
  void end(const StatementEnd& end) override {
    if (!end.shaped) {
      if (context_->shaping.given()) tables_.start(started_);
      return tables_.end(end);
    }
    progress_->stop();
    ListText text;
    for (const std::string& key : end.shaped->keys) text.columns.push_back({key, under(key)});
    text.lines_max = 8;
    print_list(*context_, *end.shaped->list, text);
    for (const Warning& warning : end.warnings) context_->out.put(warning_text(context_->out, warning));
  }
  void failed(const StatementStart& start, const Diagnostic& failure) override { tables_.failed(start, failure); }
  [[nodiscard]] ExitCode exit() const { return tables_.exit(); }

 private:
  TableSink tables_;
  const Context* context_;
  Progress* progress_;
  StatementStart started_;
};

ExitCode run_to_document(const Context& context, Candor& candor, std::string_view sql, const CancelToken& cancel) {
  const wire::RowShape shape = context.arguments.row_objects ? wire::RowShape::kObjects : wire::RowShape::kArrays;
  Progress progress(context.err, "running");
  if (context.out.terminal()) progress.stop();
  wire::DocumentSink document([&](std::string_view text) { return context.out.put(text); }, shape);
  EchoingSink sink(document, context);
  const Status overall = candor.run(caller_of(context.arguments), sql, options_of(context), sink, cancel);
  progress.stop();
  if (!overall.ok() && !sink.told() && !context.out.terminal()) {
    context.err.put(diagnostic_text(context.err, overall.error(), sql));
  }
  const ExitCode exit = document.finish(overall);
  context.out.put("\n");
  return exit;
}

ExitCode run_to_tables(const Context& context, Candor& candor, std::string_view sql, const CancelToken& cancel) {
  Progress progress(context.err, "running");
  ListSink sink(context, progress);
  const Status overall = candor.run(caller_of(context.arguments), sql, options_of(context), sink, cancel);
  progress.stop();
  if (!overall.ok()) return fail(context, overall.error(), sql);
  return sink.exit();
}

ExitCode explain_statements(const Context& context, Candor& candor, std::string_view sql) {
  const Result<Explanation> explained = candor.explain(caller_of(context.arguments), sql, options_of(context));
  if (!explained.ok()) return fail(context, explained.error(), sql);
  if (context.document) {
    print_document(context, wire::explanation_document(*explained));
  } else {
    context.out.put(explanation_text(context.out, *explained));
  }
  if (!explained->failure) return ExitCode::kDone;
  if (!context.out.terminal() || !context.document)
    context.err.put(diagnostic_text(context.err, *explained->failure, sql));
  return exit_code(*explained->failure);
}

}  // namespace

ExitCode run_sql(const Context& context) {
  std::vector<std::string> words = context.arguments.words;
  Result<std::string> sql = read_input(context, words, "SQL");
  if (!sql.ok()) return fail(context, sql.error());
  const Interrupt interrupt;
  Result<config::Configuration> configuration = load_configuration(context, words);
  if (!configuration.ok()) return fail(context, configuration.error());
  Result<std::unique_ptr<Candor>> candor = Candor::open(std::move(*configuration), context.program.worker);
  if (!candor.ok()) return fail(context, candor.error());
  if (context.arguments.explain) return explain_statements(context, **candor, *sql);
  return context.document ? run_to_document(context, **candor, *sql, interrupt.token())
                          : run_to_tables(context, **candor, *sql, interrupt.token());
}

namespace {

void print_checked(const Context& context, const scope::ShapedList& list) {
  const Stream& out = context.out;
  if (list.count()) out.put(counted(*list.count(), "statement", "statements") + filter_words(list.surface()) + "\n");
  for (const json::Node& row : list.rows()) {
    const std::vector<std::string> lines = folded(visible(row.string_or("sql", ""), true), out.width(), 3);
    for (const std::string& line : lines) out.put(out.painted(Paint::kDim, line) + "\n");
    out.put(checks_text(out, row["checks"]) + warnings_text(out, row["warnings"]) + "\n");
  }
}

}  // namespace

ExitCode run_check(const Context& context) {
  std::vector<std::string> words = context.arguments.words;
  Result<std::string> sql = read_input(context, words, "SQL");
  if (!sql.ok()) return fail(context, sql.error());
  const Interrupt interrupt;
  Result<config::Configuration> configuration = load_configuration(context, words);
  if (!configuration.ok()) return fail(context, configuration.error());
  Result<std::unique_ptr<Candor>> candor = Candor::open(std::move(*configuration), context.program.worker);
  if (!candor.ok()) return fail(context, candor.error());
  Progress progress(context.err, "reviewing");
  RunOptions options = options_of(context);
  options.shaping = {};  // shapes the list of checked statements, not their rows
  const Result<std::vector<Candor::Checked>> checked =
      (*candor)->check(caller_of(context.arguments), *sql, options, interrupt.token());
  progress.stop();
  if (!checked.ok()) return fail(context, checked.error(), *sql);
  const auto list = wire::checked_list(*checked);
  const Result<scope::ShapedList> shaped = scope::ShapedList::make(*list, context.shaping);
  if (!shaped.ok()) return fail(context, shaped.error());
  if (context.document) {
    print_document(context, wire::checked_document(*checked, *shaped));
  } else {
    print_checked(context, *shaped);
  }
  const bool found = std::ranges::any_of(*checked, [](const Candor::Checked& one) {
    return std::ranges::find(one.checks, review::Verdict::kFinding, &review::CheckResult::verdict) != one.checks.end();
  });
  return found ? ExitCode::kHeld : ExitCode::kDone;
}

}  // namespace candor::cli
