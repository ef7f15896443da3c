// `candor doctor`: versions, home, sources, limits, and whether the sandbox holds what it promises.
#include <algorithm>
#include <memory>
#include <unistd.h>
#include <utility>

#include "candor/documents.h"
#include "cli/commands.h"
#include "cli/diagnostic_text.h"
#include "cli/interrupt.h"
#include "cli/list_output.h"
#include "cli/progress.h"
#include "cli/table.h"
#include "cli/text_layout.h"
#include "config/source_names.h"
#include "engine/attacks.h"
#include "scope/rows_list.h"

namespace candor::cli {
namespace {

using json::Node;

// The first cell of a result, or why there is none.
class FirstCell final : public ResultSink {
 public:
  void start(const StatementStart& /*start*/) override {}
  bool rows(const RowBatch& batch) override {
    CellReader reader(batch.cells);
    if (text.empty() && batch.rows > 0) {
      const Cell cell = reader.next();
      text = std::string(cell.text);
    }
    return true;
  }
  void end(const StatementEnd& /*end*/) override {}
  void failed(const StatementStart& /*start*/, const Diagnostic& diagnostic) override { failure = diagnostic; }

  std::string text;
  std::optional<Diagnostic> failure;
};

// A condition of the installation: fine, or what is wrong with it.
struct Finding {
  std::string name, text;
  std::optional<Diagnostic> failure;
};

enum class Held : std::uint8_t { kYes, kNo, kNotKnown };

struct Attempt {
  std::string engine, name, what;
  Held held = Held::kNotKnown;
  std::string code = {};  // of the refusal
};

struct Report {
  std::vector<Finding> findings;
  std::vector<std::string> warnings;
  std::vector<Attempt> attempts;
};

class Doctor {
 public:
  Doctor(const Context& context, Candor& candor, CancelToken cancel) : candor_(&candor), cancel_(std::move(cancel)) {
    caller_.surface = "cli";
    caller_.session = "doctor-" + std::to_string(::getpid());
    report_.findings.push_back({"candor", context.program.version, {}});
  }
  ~Doctor() { candor_->close_session(caller_.session, false); }
  Doctor(const Doctor&) = delete;
  Doctor& operator=(const Doctor&) = delete;

  void examine() {
    add_version("duckdb", "SELECT version()", "");
    const config::Configuration& configuration = candor_->configuration();
    report_.findings.push_back(
        {"configuration", configuration.file.empty() ? "none, the standard settings" : configuration.file, {}});
    report_.findings.push_back({"home", configuration.home, {}});
    const Status ledger = candor_->ledger().check();
    report_.findings.push_back({"ledger", "sound", ledger.ok() ? std::nullopt : std::optional(ledger.error())});
    const Result<Schema> catalog = candor_->schema(caller_, "");
    for (const config::Source& source : configuration.sources) add_source(source, catalog);
    if (catalog.ok())
      report_.warnings.insert(report_.warnings.end(), catalog->warnings.begin(), catalog->warnings.end());
  }

  void attack(Progress& progress) {
    try_all("duckdb", "", progress);
    for (const auto& [engine, source] : own_engines_) {
      const std::string name = std::string(engine) + " " + source;
      try_all(name, source, progress);
      if (engine == kPostgres) try_list(engine::postgres_attacks(), name, source, progress);
    }
  }

  [[nodiscard]] const Report& report() const { return report_; }

 private:
  static constexpr std::string_view kPostgres = "postgresql";

  [[nodiscard]] FirstCell ask(const std::string& sql, const std::string& source) {
    FirstCell answer;
    RunOptions options;
    options.source = source;
    const Status run = candor_->run(caller_, sql, options, answer, cancel_);
    if (!run.ok()) answer.failure = run.error();
    return answer;
  }

  void add_version(const std::string& name, const std::string& sql, const std::string& source) {
    const FirstCell answer = ask(sql, source);
    report_.findings.push_back({name, answer.text, answer.failure});
  }

  void add_source(const config::Source& source, const Result<Schema>& catalog) {
    Finding finding{"source " + source.name, "", {}};
    if (!catalog.ok()) {
      finding.failure = catalog.error();
      report_.findings.push_back(std::move(finding));
      return;
    }
    // A source that can't be opened does not fail the others: the catalog's warning begins with its name.
    const auto tells = [&](const std::string& warning) { return warning.starts_with(finding.name + ":"); };
    const auto warning = std::ranges::find_if(catalog->warnings, tells);
    const auto tables = std::ranges::count(catalog->tables, source.name, &engine::CatalogTable::source);
    if (warning != catalog->warnings.end() && tables == 0 && !config::is_postgres_url(source.spec)) {
      finding.failure = make_error("source-error", *warning, "mend or replace the file, or take the source out");
      report_.findings.push_back(std::move(finding));
      return;
    }
    finding.text = counted(static_cast<std::uint64_t>(tables), "table", "tables") + ", " + answering(source, finding) +
                   ", " + config::shown_spec(source.spec);
    if (finding.failure) {
      report_.findings.push_back(std::move(finding));
      return;
    }
    for (const engine::CatalogTable& table : catalog->tables) {
      if (!table.file || table.source != source.name) continue;
      if (!table.file->failure.empty()) report_.warnings.push_back(table.file->path + ": " + table.file->failure);
      if (table.file->rows_rejected > 0) {
        report_.warnings.push_back(table.file->path + ": " + counted(table.file->rows_rejected, "row", "rows") +
                                   " not parsed");
      }
    }
    report_.findings.push_back(std::move(finding));
  }

  // Which engine answers for the source, and of a server as whom it is asked.
  [[nodiscard]] std::string answering(const config::Source& source, Finding& finding) {
    if (config::is_postgres_url(source.spec)) {
      const FirstCell server =
          ask("SELECT current_setting('server_version') || ' as role ' || current_user", source.name);
      finding.failure = server.failure;
      own_engines_.emplace_back(kPostgres, source.name);
      return std::string(kPostgres) + " " + server.text;
    }
    // Only SQLite has this function: a source that knows it is one.
    const FirstCell sqlite = ask("SELECT sqlite_version()", source.name);
    if (sqlite.failure) return "duckdb";
    own_engines_.emplace_back("sqlite", source.name);
    return "sqlite " + sqlite.text;
  }

  // The ledger holds what every session asked and answered; no statement may reach it.
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> own_attacks() const {
    std::string path = candor_->configuration().home + "/ledger.sqlite";
    for (std::size_t at = 0; (at = path.find('\'', at)) != std::string::npos; at += 2) path.insert(at, 1, '\'');
    return {{"read-the-ledger", "SELECT * FROM read_blob('" + path + "')"},
            {"attach-the-ledger", "ATTACH '" + path + "' AS ledger"}};
  }

  void try_all(const std::string& engine, const std::string& source, Progress& progress) {
    try_list(engine::attacks(), engine, source, progress);
    for (const auto& [name, sql] : own_attacks())
      try_one({engine, name, "read Candor's own records"}, sql, source, progress);
  }

  void try_list(std::span<const engine::Attack> attacks, const std::string& engine, const std::string& source,
                Progress& progress) {
    for (const engine::Attack& attack : attacks) {
      try_one({engine, std::string(attack.name), std::string(attack.what_it_would_do)}, std::string(attack.sql), source,
              progress);
    }
  }

  void try_one(Attempt attempt, const std::string& sql, const std::string& source, Progress& progress) {
    if (cancel_.cancelled()) return;
    progress.say("attacking: " + attempt.name);
    const FirstCell answer = ask(sql, source);
    attempt.held = Held::kNo;
    if (answer.failure) {
      // A refusal holds. An engine that died, timed out or could not be asked says nothing.
      attempt.code = answer.failure->code;
      const ExitCode exit = exit_code(*answer.failure);
      const bool refused = exit == ExitCode::kRejected || exit == ExitCode::kUsage || exit == ExitCode::kNotFound ||
                           attempt.code == "engine-error" || attempt.code == "over-limit";
      attempt.held = refused ? Held::kYes : Held::kNotKnown;
    }
    report_.attempts.push_back(std::move(attempt));
  }

  Candor* candor_;
  CancelToken cancel_;
  Caller caller_;
  Report report_;
  // Sources that another engine than DuckDB answers for: the engine, the source.
  std::vector<std::pair<std::string_view, std::string>> own_engines_;
};

std::string_view held_name(Held held) {
  switch (held) {
    case Held::kYes:
      return "held";
    case Held::kNo:
      return "got through";
    case Held::kNotKnown:
      return "not known";
  }
  return "not known";
}

std::size_t count_of(const Report& report, Held held) {
  return static_cast<std::size_t>(std::ranges::count(report.attempts, held, &Attempt::held));
}

scope::RowsList findings_list(const Report& report) {
  std::vector<Node> findings;
  for (const Finding& finding : report.findings) {
    Node node = Node::object();
    node.set("name", Node::string(finding.name)).set("ok", Node::boolean(!finding.failure));
    if (finding.failure) {
      node.set("failure", error_document(*finding.failure));
    } else {
      node.set("text", Node::string(finding.text));
    }
    findings.push_back(std::move(node));
  }
  scope::Declaration declaration;
  declaration.array = "findings";
  declaration.catalogue.keys = {"name", "ok", "text", "failure"};
  declaration.catalogue.open = {"failure"};
  declaration.content = {"text"};
  return {std::move(declaration), std::move(findings)};
}

Node report_document(const Report& report, const config::Configuration& configuration, bool attacked,
                     scope::ShapedList findings) {
  Node document = Node::object();
  Node limits = Node::object();
  for (const config::Limit& limit : config::limits()) {
    limits.set(std::string(limit.name), Node::number(configuration.limit(limit.name)));
  }
  Node warnings = Node::array();
  for (const std::string& warning : report.warnings) warnings.push(Node::string(warning));
  document.set("warnings", std::move(warnings)).set("limits", std::move(limits));
  std::vector<Node> attempts;
  for (const Attempt& attempt : report.attempts) {
    Node node = Node::object();
    node.set("engine", Node::string(attempt.engine)).set("attack", Node::string(attempt.name));
    node.set("would", Node::string(attempt.what)).set("outcome", Node::string(std::string(held_name(attempt.held))));
    if (!attempt.code.empty()) node.set("code", Node::string(attempt.code));
    attempts.push_back(std::move(node));
  }
  const auto number = [&](Held held) { return Node::number(static_cast<std::int64_t>(count_of(report, held))); };
  if (attacked) {
    document.set("held_count", number(Held::kYes)).set("got_through_count", number(Held::kNo));
    document.set("not_known_count", number(Held::kNotKnown));
    findings.add_secondary("attacks", std::move(attempts));
  }
  findings.put_into(document);
  return document;
}

void print_report(const Context& context, const Report& report, const config::Configuration& configuration) {
  const Stream& out = context.out;
  for (const Finding& finding : report.findings) {
    const Paint paint = finding.failure ? Paint::kRed : Paint::kGreen;
    out.put(out.painted(paint, padded(visible(finding.name), 18, Align::kLeft)) + " " +
            (finding.failure ? "" : visible(finding.text) + "\n"));
    if (finding.failure) out.put(diagnostic_text(out, *finding.failure, {}));
  }
  for (const std::string& warning : report.warnings)
    out.put(out.painted(Paint::kYellow, "warning: " + visible(warning)) + "\n");
  out.put("\n");
  Table limits(out, {"limit", "value", "unit", "meaning"}, 0);
  for (const config::Limit& limit : config::limits()) {
    const std::int64_t value = configuration.limit(limit.name);
    const std::string shown = value < 0 ? std::to_string(value) : grouped(static_cast<std::uint64_t>(value));
    limits.add({{std::string(limit.name)},
                {shown, Paint::kPlain, true},
                {std::string(limit.unit)},
                {std::string(limit.meaning)}});
  }
  limits.finish();
}

void print_attempts(const Context& context, const Report& report) {
  const Stream& out = context.out;
  out.put("\n");
  Table table(out, {"engine", "attack", "it would", "outcome", "refused as"}, 0);
  for (const Attempt& attempt : report.attempts) {
    const Paint paint = attempt.held == Held::kYes  ? Paint::kGreen
                        : attempt.held == Held::kNo ? Paint::kRed
                                                    : Paint::kYellow;
    table.add({{attempt.engine},
               {attempt.name},
               {attempt.what},
               {std::string(held_name(attempt.held)), paint},
               {attempt.code}});
  }
  table.finish();
  out.put(grouped(count_of(report, Held::kYes)) + " held, " + grouped(count_of(report, Held::kNo)) + " got through, " +
          grouped(count_of(report, Held::kNotKnown)) + " not known\n");
}

ExitCode exit_of(const Report& report, const CancelToken& cancel) {
  if (cancel.cancelled()) return ExitCode::kInterrupted;
  if (count_of(report, Held::kNo) > 0) return ExitCode::kRejected;
  for (const Finding& finding : report.findings) {
    if (finding.failure) return exit_code(*finding.failure);
  }
  return count_of(report, Held::kNotKnown) > 0 ? ExitCode::kEngine : ExitCode::kDone;
}

}  // namespace

ExitCode run_doctor(const Context& context) {
  const Interrupt interrupt;
  Result<config::Configuration> configuration = load_configuration(context, context.arguments.words);
  if (!configuration.ok()) return fail(context, configuration.error());
  Result<std::unique_ptr<Candor>> candor = Candor::open(std::move(*configuration), context.program.worker);
  if (!candor.ok()) return fail(context, candor.error());
  Doctor doctor(context, **candor, interrupt.token());
  {
    Progress progress(context.err, "looking at the sources");
    doctor.examine();
    if (context.arguments.attack) doctor.attack(progress);
  }
  const config::Configuration& settings = (*candor)->configuration();
  scope::RowsList findings = findings_list(doctor.report());
  Result<scope::ShapedList> shaped = scope::ShapedList::make(findings, context.shaping);
  if (!shaped.ok()) return fail(context, shaped.error());
  if (context.document) {
    print_document(context, report_document(doctor.report(), settings, context.arguments.attack, *std::move(shaped)));
  } else if (!context.shaping.empty()) {
    print_list(context, *shaped,
               {{{"finding", under("name")}, {"ok", under("ok")}, {"text", under("text")}}, "finding", "findings"});
  } else {
    print_report(context, doctor.report(), settings);
    if (context.arguments.attack) print_attempts(context, doctor.report());
  }
  return exit_of(doctor.report(), interrupt.token());
}

}  // namespace candor::cli
