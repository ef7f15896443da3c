// `candor replay`: a log of statements against a contract, to tune it before anybody meets it.
#include <filesystem>
#include <utility>

#include "cli/call_log.h"
#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/progress.h"
#include "cli/statistics_text.h"
#include "cli/text_layout.h"
#include "wire/wire.h"

namespace candor::cli {
namespace {

using json::Node;

struct Meant {
  std::string contract, source;
};

// The contract that is meant: --contract, else the one of the configuration, else the one of its source behind --in.
Result<Meant> contract_of(const Context& context, const config::Configuration& configuration) {
  const Arguments& arguments = context.arguments;
  if (!arguments.overrides.contracts.empty()) {
    const std::string& given = arguments.overrides.contracts.back();
    const std::size_t equals = given.find('=');
    std::error_code ignored;
    const bool named = equals != std::string::npos && !std::filesystem::exists(given, ignored);
    return named ? Meant{given.substr(equals + 1), given.substr(0, equals)} : Meant{given, arguments.in};
  }
  std::vector<Meant> known;
  for (const config::Source& source : configuration.sources) {
    const bool meant = arguments.in.empty() || arguments.in == source.name;
    if (!source.contract.empty() && meant) known.push_back({source.contract, source.name});
  }
  if (known.size() == 1) return known.front();
  return make_error(
      "usage",
      known.empty() ? "no contract is given to hold the statements against" : "the configuration has several contracts",
      known.empty() ? "--contract app.contract.yaml" : "--in " + known.front().source);
}

// A replay does not open sources; a contract alone is enough.
Result<config::Configuration> configuration_of(const Context& context) {
  config::Overrides overrides = context.arguments.overrides;
  overrides.contracts.clear();
  return config::load(overrides);
}

LogFormat format_of(const std::string& name) {
  if (name == "ndjson") return LogFormat::kNdjson;
  if (name == "sql") return LogFormat::kSql;
  return name == "lines" ? LogFormat::kLines : LogFormat::kDetect;
}

// Counts on while the bar is there.
class Ticker {
 public:
  explicit Ticker(Progress& progress) : progress_(progress) {}
  void tick() {
    constexpr std::uint64_t kEvery = 512;
    if (++calls_ % kEvery == 0) progress_.say("replaying, " + counted(calls_, "call", "calls"));
  }

 private:
  Progress& progress_;
  std::uint64_t calls_ = 0;
};

Diagnostic interrupted() { return make_error("cancelled", "the replay was interrupted"); }

Status replay_log(CallLog& log, Replay& replay, Ticker& ticker, const CancelToken& cancel) {
  for (;;) {
    CANDOR_ASSIGN(const std::optional<LoggedCall> call, log.next());
    if (!call) return Ok{};
    if (cancel.cancelled()) return interrupted();
    replay.add({call->sql, call->turn, call->place});
    ticker.tick();
  }
}

Status replay_ledger(const Context& context, const config::Configuration& configuration, Replay& replay, Ticker& ticker,
                     const CancelToken& cancel) {
  CANDOR_ASSIGN(const ledger::StatisticsFilter filter, period_of(context.arguments));
  CANDOR_ASSIGN(const std::unique_ptr<Candor> candor, Candor::open(configuration, context.program.worker));
  CANDOR_TRY(candor->ledger().each_call(filter, [&](const ledger::SentCall& call) {
    replay.add({call.sql, call.turn.session + "\n" + call.turn.turn, call.query_id});
    ticker.tick();
    return !cancel.cancelled();
  }));
  if (cancel.cancelled()) return interrupted();
  return Ok{};
}

Node document_of(const ReplayReport& report, const CallLog* log, wire::ListMax list_max) {
  Node document = wire::replay_document(report, list_max);
  if (log == nullptr) return document;
  Node examples = Node::array();
  for (const CallLog::Broken& one : log->broken()) {
    Node node = Node::object();
    examples.push(std::move(node.set("place", Node::string(one.place)).set("why", Node::string(one.why))));
  }
  Node broken = Node::object();
  broken.set("total", Node::number(static_cast<std::int64_t>(log->broken_count())))
      .set("examples", std::move(examples));
  return std::move(document.set("broken_lines", std::move(broken)));
}

// What of the command line does not go together.
Status check_words(const Arguments& arguments) {
  if (arguments.from_ledger != arguments.words.empty()) {
    return arguments.from_ledger ? make_error("usage", "--ledger takes no file", "candor replay --ledger --since 7d")
                                 : make_error("usage", "candor replay takes a file, -, or --ledger",
                                              "candor replay statements.sql --contract app.contract.yaml");
  }
  if (arguments.words.size() > 1)
    return make_error("usage", "candor replay takes one file", "cat LOG… | candor replay -");
  if (!arguments.from_ledger && arguments.since) {
    return make_error("usage", "--since is for --ledger: a file has no times", "candor replay --ledger --since 7d");
  }
  return Ok{};
}

// Calls that could not be judged are none that are accepted.
ExitCode verdict_of(const Context& context, const ReplayReport& report, const CallLog* log) {
  const std::optional<double>& least = context.arguments.fail_under;
  if (!least) return ExitCode::kDone;
  const bool broken = log != nullptr && log->broken_count() > 0;
  const bool enough =
      report.calls > 0 && static_cast<double>(report.accepted) >= *least * static_cast<double>(report.calls);
  return enough && !broken ? ExitCode::kDone : ExitCode::kRejected;
}

}  // namespace

ExitCode run_replay(const Context& context) {
  const Arguments& arguments = context.arguments;
  if (const Status fit = check_words(arguments); !fit.ok()) return fail(context, fit.error());
  const Interrupt interrupt;
  const Result<config::Configuration> configuration = configuration_of(context);
  if (!configuration.ok()) return fail(context, configuration.error());
  const Result<Meant> meant = contract_of(context, *configuration);
  if (!meant.ok()) return fail(context, meant.error());
  const Result<std::unique_ptr<Replay>> replay = Candor::replay(*configuration, meant->contract, meant->source);
  if (!replay.ok()) return fail(context, replay.error());
  std::optional<CallLog> log;
  if (!arguments.from_ledger) {
    Result<CallLog> opened = CallLog::open(arguments.words.front(), format_of(arguments.format));
    if (!opened.ok()) return fail(context, opened.error());
    log.emplace(std::move(*opened));
  }
  Progress progress(context.err, "replaying");
  Ticker ticker(progress);
  Status done = log ? replay_log(*log, **replay, ticker, interrupt.token())
                    : replay_ledger(context, *configuration, **replay, ticker, interrupt.token());
  progress.stop();
  const ReplayReport report = (*replay)->report();
  if (done.ok() && log && report.calls == 0) {
    const std::string name = visible(arguments.words.front());
    done = log->broken().empty() ? make_error("unreadable-input", name + " holds no statement", "candor replay --help")
                                 : make_error("unreadable-input",
                                              "no line of " + name + " holds a call: " + log->broken().front().place +
                                                  " " + log->broken().front().why,
                                              "a line is {\"sql\":\"SELECT …\",\"turn\":\"t1\"}");
  }
  if (!done.ok()) return fail(context, done.error());
  const CallLog* from = log ? &*log : nullptr;
  if (context.document) {
    print_document(context, document_of(report, from, list_max_of(arguments)));
  } else {
    print_replay(context.out, report, from, arguments.limit);
  }
  return verdict_of(context, report, from);
}

}  // namespace candor::cli
