// Each command: reads its input, calls the facade, prints a document or a page, gives the exit code.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/codes.h"
#include "base/result.h"
#include "candor/candor.h"
#include "cli/arguments.h"
#include "cli/cli.h"
#include "cli/terminal.h"
#include "json/json.h"
#include "scope/shaping.h"
#include "wire/wire.h"

namespace candor::cli {

struct Context {
  const Arguments& arguments;
  const Program& program;
  Stream out;
  Stream err;
  bool document = false;   // one JSON document on standard output instead of a page
  scope::Shaping shaping;  // the flags of the arguments, read
};

ExitCode run_sql(const Context& context);
ExitCode run_stats(const Context& context);
ExitCode run_replay(const Context& context);
ExitCode run_schema(const Context& context);
ExitCode run_check(const Context& context);
ExitCode run_commit(const Context& context);
ExitCode run_answers(const Context& context);
ExitCode run_queries(const Context& context);
ExitCode run_undo(const Context& context);
ExitCode run_contract(const Context& context);
ExitCode run_explain(const Context& context);
ExitCode run_doctor(const Context& context);
ExitCode run_completion(const Context& context);
ExitCode run_memory(const Context& context);

// ---- what they share ----

// --since, --session and --in as the ledger takes them. Fails with `usage`.
[[nodiscard]] Result<ledger::StatisticsFilter> period_of(const Arguments& arguments);

// --limit of a command that shows several lists.
[[nodiscard]] wire::ListMax list_max_of(const Arguments& arguments);

[[nodiscard]] Caller caller_of(const Arguments& arguments);

// The configuration with the bare sources of `words` added, those that name a file or folder.
[[nodiscard]] Result<config::Configuration> load_configuration(const Context& context,
                                                               const std::vector<std::string>& words);

// A word that stands for a source: something that exists in the file system, and no SQL.
[[nodiscard]] bool names_source(std::string_view word);

// The text of -f, of the first word that is no source (taken out of `words`), or of standard input.
[[nodiscard]] Result<std::string> read_input(const Context& context, std::vector<std::string>& words,
                                             std::string_view what);

// All of a file; "-" is standard input. Fails with `unreadable-input` or `over-limit`.
[[nodiscard]] Result<std::string> read_whole(const std::string& path);

void print_document(const Context& context, const json::Node& document);

// Prints an error for people on standard error, and its document where documents are printed. Its exit code.
ExitCode fail(const Context& context, const Diagnostic& failure, std::string_view sql = {});

}  // namespace candor::cli
