// From a command line to its command.
#include "cli/cli.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <string_view>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <variant>

#include "base/no_room.h"
#include "candor/documents.h"
#include "cli/commands.h"
#include "cli/completion.h"
#include "cli/demo.h"
#include "cli/diagnostic_text.h"

namespace candor::cli {
namespace {

ExitCode run_demo_command(const Context& context) {
  DemoOptions options;
  options.worker = context.program.worker;
  options.program = context.program.path;
  options.colour = context.out.painted(Paint::kBold, "x") != "x";
  return run_demo(options);
}

struct Entry {
  std::string_view name;
  ExitCode (*run)(const Context&);
};

constexpr Entry kCommands[] = {
    {"answers", run_answers},   {"check", run_check},       {"commit", run_commit}, {"completion", run_completion},
    {"contract", run_contract}, {"demo", run_demo_command}, {"doctor", run_doctor}, {"explain", run_explain},
    {"memory", run_memory},     {"queries", run_queries},   {"replay", run_replay}, {"schema", run_schema},
    {"sql", run_sql},           {"stats", run_stats},       {"undo", run_undo},
};

// Whether --json is among the words, for errors of a command line that could not be parsed.
bool asks_for_json(int argc, const char* const* argv) {
  for (int i = 1; i < argc; ++i) {
    if (std::string_view(argv[i]) == "--json") return true;
  }
  return false;
}

// What did not reach a full disk must not pass for the whole. A reader that went away, as of `| head`, has what it wanted.
int exit_status(const Stream& out, const Stream& err, ExitCode code) {
  const int failure = out.failure();
  if (failure == 0 || failure == EPIPE) return static_cast<int>(code);
  const Diagnostic unwritten =
      make_error(no_room(failure) ? "disk-full" : "file-error",
                 "standard output can't be written: " + std::generic_category().message(failure),
                 "write to a place with room; what stands there now is not whole");
  err.put(diagnostic_text(err, unwritten, {}));
  return static_cast<int>(code == ExitCode::kDone ? ExitCode::kFile : code);
}

// Of the newest batches those that can still be undone.
ExitCode complete_batches(const Context& context) {
  const Result<config::Configuration> configuration = load_configuration(context, {});
  if (!configuration.ok()) return exit_code(configuration.error());
  const Result<std::unique_ptr<Candor>> candor = Candor::open(*configuration, context.program.worker);
  if (!candor.ok()) return exit_code(candor.error());
  std::uint64_t total = 0;
  const Result<std::vector<ledger::UndoBatch>> batches = (*candor)->ledger().undo_batches("", {}, total);
  if (!batches.ok()) return exit_code(batches.error());
  for (const ledger::UndoBatch& batch : *batches) {
    if (batch.state == ledger::UndoState::kDone || batch.state == ledger::UndoState::kPending)
      context.out.put(batch.id + "\n");
  }
  return ExitCode::kDone;
}

int serve_mcp(const Context& context) {
  Result<config::Configuration> configuration = load_configuration(context, context.arguments.words);
  if (!configuration.ok()) {
    // Standard output belongs to the protocol.
    context.err.put(diagnostic_text(context.err, configuration.error(), {}));
    return static_cast<int>(exit_code(configuration.error()));
  }
  return context.program.serve_mcp(*configuration, context.arguments.session_given ? context.arguments.session : "");
}

}  // namespace

int run(int argc, const char* const* argv, const Program& program) {
  auto parsed = parse_arguments(argc, argv, program.version);
  if (const auto* notice = std::get_if<Notice>(&parsed)) {
    const Stream out = Stream::open(STDOUT_FILENO, false);
    out.put(notice->text);
    return exit_status(out, Stream::open(STDERR_FILENO, true), ExitCode::kDone);
  }
  if (const auto* failure = std::get_if<Diagnostic>(&parsed)) {
    const Arguments none;
    const Stream out = Stream::open(STDOUT_FILENO, false);
    const Context context{
        none, program, out, Stream::open(STDERR_FILENO, true), !out.terminal() || asks_for_json(argc, argv), {}};
    return static_cast<int>(fail(context, *failure));
  }
  const auto& arguments = std::get<Arguments>(parsed);
  const bool colour = !arguments.no_color;
  const Stream out = Stream::open(STDOUT_FILENO, colour);
  Context context{arguments, program, out, Stream::open(STDERR_FILENO, colour), !out.terminal() || arguments.json, {}};
  // Before any work: a filter that can't be read must not be found out after a write.
  Result<scope::Shaping> shaping = scope::parse_shaping(arguments.shaping);
  if (!shaping.ok()) return static_cast<int>(fail(context, shaping.error()));
  context.shaping = *std::move(shaping);
  // A reader that went away ends the statement, not the program in the middle of a write to the ledger.
  std::signal(SIGPIPE, SIG_IGN);
  if (arguments.command == "mcp") return serve_mcp(context);
  for (const Entry& command : kCommands) {
    if (command.name == arguments.command) return exit_status(out, context.err, command.run(context));
  }
  return static_cast<int>(
      fail(context, make_error("internal", "the command '" + arguments.command + "' is declared and not there")));
}

ExitCode run_completion(const Context& context) {
  const std::vector<std::string>& words = context.arguments.words;
  const std::string word = words.size() == 1 ? words[0] : "";
  std::string text = completion_script(word);
  if (word == "man") text = manual_page(context.program.version);
  if (word == "codes") {
    for (const CodeInfo& info : all_codes()) text += std::string(info.code) + "\n";
  }
  if (word == "memory") {
    for (const CommandInfo& verb : describe_memory_verbs()) text += verb.name.substr(verb.name.find(' ') + 1) + "\n";
  }
  if (word == "sources") {
    const Result<config::Configuration> configuration = load_configuration(context, {});
    if (!configuration.ok()) return exit_code(configuration.error());
    for (const config::Source& source : configuration->sources) text += source.name + "\n";
    context.out.put(text);
    return ExitCode::kDone;
  }
  if (word == "batches") return complete_batches(context);
  if (text.empty()) {
    context.err.put(diagnostic_text(
        context.err, make_error("usage", "completions are for bash, zsh or fish", "candor completion bash"), {}));
    return ExitCode::kUsage;
  }
  context.out.put(text);
  return ExitCode::kDone;
}

}  // namespace candor::cli
