// Commands and flags, declared once; completions and the manual are made from the same declarations.
#include "cli/arguments.h"

#include <algorithm>
#include <memory>
#include <set>
#include <utility>

#include <CLI/CLI.hpp>

#include "base/near_names.h"
#include "cli/arguments_parts.h"

namespace candor::cli {
namespace {

constexpr const char* kAbout =
    "Candor stands between AI agents and data: an answer is never silently wrong.\n"
    "Ask with `candor sql`, commit an answer with `candor commit`, serve agents with `candor mcp`.";

// What a command takes besides its own flags.
enum class Takes { kNothing, kOutput, kLedger, kSources };

struct Declaration {
  const char* name;
  const char* words;
  const char* description;
  Takes takes;
  const char* examples;
};

constexpr Declaration kDeclarations[] = {
    {"demo", "", "the main job on bundled data: ask, commit, be held, repair, commit", Takes::kOutput, "candor demo"},
    {"sql", "[SQL] [SOURCE...]", "run statements: the argument, -f FILE, or standard input", Takes::kSources,
     "candor sql \"SELECT count(*) FROM orders\" shop.duckdb\n"
     "candor sql -f report.sql --source shop=shop.duckdb --json\n"
     "candor sql --in app \"SELECT sqlite_version()\" --source app=app.sqlite\n"
     "echo \"FROM visits LIMIT 3\" | candor sql ./data --rows objects\n"
     "candor sql \"SELECT * FROM orders LIMIT 50\" --filter state=open --filter-scope universe --source "
     "shop=shop.duckdb\n"
     "candor sql --dry-run \"DELETE FROM cards WHERE reps = 0\" --source app=app.sqlite --contract app.contract.yaml\n"
     "candor sql --explain \"SELECT * FROM cards LIMIT 3\" --source app=app.sqlite --contract app.contract.yaml"},
    {"schema", "[RESOURCE] [SOURCE...]", "tables with their columns, types, notes and row counts", Takes::kSources,
     "candor schema ./data\n"
     "candor schema shop.orders --source shop=shop.duckdb\n"
     "candor schema --json | jq '.resources[].resource'"},
    {"check", "[SQL] [SOURCE...]", "review queries without a commit; exit code 7 on a finding", Takes::kSources,
     "candor check -f report.sql --source shop=shop.duckdb\n"
     "candor check \"SELECT site, count(*) FROM patients JOIN visits USING (patient_id) GROUP BY site\" ./clinic"},
    {"commit", "[ANSWER] [SOURCE...]",
     "commit an answer (JSON: the argument, -f FILE, or standard input); exit code 7 when it is held", Takes::kSources,
     "candor commit -f answer.json --source shop=shop.duckdb\n"
     "echo '{\"question\":\"How many?\",\"fields\":{\"orders\":1892},\"basis\":\"all rows\"}' | candor commit\n"
     "echo '{\"unresolved\":\"the two tables have no common key\"}' | candor commit --turn t7"},
    {"answers", "[ID] [SOURCE...]", "what was answered, by which query, with which receipt", Takes::kSources,
     "candor answers\n"
     "candor answers a3\n"
     "candor answers a3 --verify --source shop=shop.duckdb"},
    {"queries", "[ID]", "what was asked, with what it showed", Takes::kLedger,
     "candor queries --session cli --limit 10\n"
     "candor queries --filter succeeded=false --filter-scope universe\n"
     "candor queries q17"},
    {"undo", "BATCH [SOURCE...]",
     "take back a batch of writes that went through a contract; refused when its rows changed since", Takes::kSources,
     "candor undo --list\n"
     "candor undo b12 --dry-run --source app=app.sqlite --contract app.contract.yaml --claim workspace=A\n"
     "candor undo b12 --source app=app.sqlite --contract app.contract.yaml --claim workspace=A"},
    {"stats", "", "rejections by class, what they cost, repairs taken, columns that are looked for and not there",
     Takes::kLedger,
     "candor stats\n"
     "candor stats --since 7d\n"
     "candor stats --since 2026-11-01 --session support --json | jq '.absent_columns.list'"},
    {"replay", "[FILE]",
     "hold a log of statements against a contract, without data: the share that is accepted, rejections by class",
     Takes::kSources,
     "candor replay statements.sql --contract app.contract.yaml\n"
     "candor replay calls.ndjson --contract app.contract.yaml --fail-under 0.95\n"
     "candor replay --ledger --since 7d --in app --contract app.contract.yaml"},
    {"memory", "VERB", "what agents learned: memories, entities, relations; `candor memory --help` lists the verbs",
     Takes::kNothing,
     "candor memory remember --name release-day --type decision --description \"when we release\" --body Tuesdays\n"
     "candor memory list --filter type=decision\n"
     "candor memory read release-day"},
    {"contract", "describe|check|init [FILE] [SOURCE...]",
     "describe: print a contract for agents; check: hold it against its source, exit code 7 when the data breaks it; "
     "init: "
     "write a first one from a database",
     Takes::kSources,
     "candor contract init --source app=app.sqlite -o app.contract.yaml\n"
     "candor contract check app.contract.yaml --source app=app.sqlite\n"
     "candor contract describe app.contract.yaml\n"
     "candor contract describe app.contract.yaml --format openapi > openapi.json"},
    {"explain", "[CODE]", "the page of a diagnostic, a reason or a check; without a code, all of them", Takes::kOutput,
     "candor explain unknown-column\n"
     "candor explain"},
    {"doctor", "[SOURCE...]", "versions, home, sources, limits; --attack tries to break out of the sandbox",
     Takes::kSources,
     "candor doctor\n"
     "candor doctor --attack ./data"},
    {"mcp", "[SOURCE...]", "serve agents: MCP on standard input and output", Takes::kSources,
     "candor mcp ./data\n"
     "candor mcp --source shop=shop.duckdb --source app=app.sqlite"},
    {"completion", "SHELL", "completions for bash, zsh or fish", Takes::kNothing,
     "source <(candor completion bash)\n"
     "candor completion fish > ~/.config/fish/completions/candor.fish"},
};

void add_ledger_flags(CLI::App& app, Arguments& into) {
  add_home_flags(app, into);
  const auto name_session = [&into](const std::string& name) {
    into.session = name;
    into.session_given = true;
  };
  app.add_option_function<std::string>("--session", name_session,
                                       "a session that lasts over several calls (default: cli)")
      ->type_name("NAME")
      ->group("State");
}

void add_source_flags(CLI::App& app, Arguments& into) {
  const auto add_sources = [&into](const std::vector<std::string>& specs) {
    into.overrides.sources.insert(into.overrides.sources.end(), specs.begin(), specs.end());
  };
  app.add_option_function<std::vector<std::string>>("--source", add_sources,
                                                    "publish a database, file or folder; repeatable")
      ->type_name("NAME=SPEC")
      ->allow_extra_args(false)
      ->group("State");
  app.add_option("--contract", into.overrides.contracts,
                 "publish a source by this contract alone: FILE, or SOURCE=FILE where there are several")
      ->type_name("[SOURCE=]FILE")
      ->allow_extra_args(false);
  app.add_option("--claim", into.overrides.claims, "a claim of the caller, for the scope of contracts; repeatable")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  app.add_option("--turn", into.turn, "the question that is being answered (default: counted)")
      ->type_name("ID")
      ->group("State");
  app.add_flag("--log-json", into.overrides.log_json, "one record a statement on standard error")->group("Output");
}

bool returns_a_list(const std::string& name) {
  constexpr std::string_view kNames[] = {"sql",      "schema",  "answers", "queries", "undo",
                                         "contract", "explain", "check",   "doctor"};
  return std::ranges::find(kNames, name) != std::end(kNames);
}

void add_limit_flag(CLI::App& app, Arguments& into, const char* what) {
  app.add_option_function<std::uint64_t>(
         "--limit",
         [&into](const std::uint64_t& limit) {
           into.limit = limit;
           into.limit_given = true;
         },
         what)
      ->type_name("N")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1'000'000}).description(""));
}

void add_contract_flags(CLI::App& app, Arguments& into) {
  app.add_option("--format", into.format, "how describe prints (default: markdown)")
      ->type_name("FORMAT")
      ->check(CLI::IsMember({"markdown", "mcp", "openapi", "json"}));
  app.add_option("-o,--output", into.output, "write the first contract to this file")->type_name("FILE");
  app.add_flag("--force", into.force, "write over a file that is there");
  app.add_option("--in", into.in, "the source that is meant, where there are several")->type_name("SOURCE");
}

void add_period_flags(CLI::App& app, const std::string& name, Arguments& into) {
  const bool replay = name == "replay";
  const std::string since = replay ? "with --ledger: calls" : "calls and commits";
  app.add_option("--since", into.since, since + " from then on: 30m, 24h, 7d, 2w, a date or an ISO time")
      ->type_name("WHEN");
  app.add_option("--in", into.in, replay ? "the source that is meant" : "calls that asked this source")
      ->type_name("SOURCE");
  add_limit_flag(app, into, "show at most so many of each list (default: 50)");
  if (!replay) return;
  app.add_flag("--ledger", into.from_ledger, "replay what stands in the ledger, in place of a file");
  app.add_option("--format", into.format, "of the file (default: ndjson where it begins with a brace, else sql)")
      ->type_name("FORMAT")
      ->check(CLI::IsMember({"ndjson", "sql", "lines"}));
  app.add_option("--fail-under", into.fail_under,
                 "exit code 1 when a smaller share of the calls than this (0 to 1) is accepted")
      ->type_name("SHARE")
      ->check(CLI::Range(0.0, 1.0).description(""));
}

void add_own_flags(CLI::App& app, const std::string& name, Arguments& into) {
  const bool runs_sql = name == "sql" || name == "check";
  if (runs_sql || name == "commit") {
    const std::string what = runs_sql ? "the statements" : "the answer";
    app.add_option("-f,--file", into.file, "read " + what + " from this file; - is standard input")->type_name("FILE");
  }
  if (runs_sql) app.add_option("--in", into.in, "ask the engine of this source")->type_name("SOURCE");
  if (name == "contract") add_contract_flags(app, into);
  if (name == "sql") {
    app.add_option("--max-rows", into.rows_max, "show at most so many rows of each result")->type_name("N");
    app.add_option_function<std::string>(
           "--rows", [&into](const std::string& shape) { into.row_objects = shape == "objects"; },
           "how rows stand in JSON")
        ->type_name("SHAPE")
        ->check(CLI::IsMember({"arrays", "objects"}));
    app.add_flag("--keep-going", into.keep_going, "go on after a statement that failed");
    app.add_flag("--explain", into.explain,
                 "of a contract: show tokens, syntax tree, plan and the source's SQL, and run nothing");
    app.add_flag("--dry-run", into.dry_run, "of writes through a contract: count and show, and keep nothing");
  }
  if (name == "undo") {
    app.add_flag("--list", into.list, "the batches that were written, the newest first");
    app.add_flag("--dry-run", into.dry_run, "say what would be undone, and change nothing");
  }
  if (name == "stats" || name == "replay") add_period_flags(app, name, into);
  if (name == "answers" || name == "queries" || name == "undo") {
    add_limit_flag(app, into, "show at most so many, the newest first (default: 50)");
    app.add_option("--offset", into.offset, "pass over so many")->type_name("N");
  }
  if (name == "answers") app.add_flag("--verify", into.verify, "count again what the receipt claims, and compare");
  if (name == "doctor") {
    app.add_flag("--attack", into.attack,
                 "run the known escapes on this configuration; exit code 1 when one gets through");
  }
}

void add_flags(CLI::App& app, const Declaration& declared, Arguments& into) {
  add_own_flags(app, declared.name, into);
  if (returns_a_list(declared.name)) add_shaping_flags(app, into);
  if (declared.takes == Takes::kSources) add_source_flags(app, into);
  if (declared.takes == Takes::kSources || declared.takes == Takes::kLedger) add_ledger_flags(app, into);
  if (declared.takes != Takes::kNothing) add_output_flags(app, into);
}

// The words of a command are one list to the parser; its usage line names them.
class HelpFormatter : public CLI::Formatter {
 public:
  std::string make_usage(const CLI::App* app, std::string /*name*/) const override {
    const auto* declared =
        std::ranges::find_if(kDeclarations, [&](const Declaration& one) { return app->get_name() == one.name; });
    if (std::string usage = memory_usage(*app); !usage.empty()) return usage;
    if (declared == std::end(kDeclarations)) return "Usage: candor [FLAGS] COMMAND …\n";
    const std::string words = declared->words;
    return "Usage: candor " + app->get_name() + (words.empty() ? "" : " " + words) + " [FLAGS]\n";
  }
};

std::string examples_text(std::string_view examples) {
  std::string text = "Examples:\n  ";
  for (const char c : examples) {
    text += c;
    if (c == '\n') text += "  ";
  }
  return text;
}

// Flags of every kind stand before the command, too.
std::unique_ptr<CLI::App> declare(Arguments& into, const std::string& version, const std::set<std::string_view>& said) {
  auto app = std::make_unique<CLI::App>(kAbout, "candor");
  app->require_subcommand(0, 1);
  app->set_version_flag("-V,--version", "candor " + version);
  auto formatter = std::make_shared<HelpFormatter>();
  formatter->column_width(34);
  app->formatter(std::move(formatter));
  add_source_flags(*app, into);
  add_ledger_flags(*app, into);
  add_output_flags(*app, into);
  app->footer(
      "`candor COMMAND --help` shows the flags of a command and examples; `candor demo` shows what it is all for.");
  for (const Declaration& declared : kDeclarations) {
    CLI::App* command = app->add_subcommand(declared.name, declared.description);
    if (std::string_view(declared.name) == "memory") {
      if (said.contains("memory")) add_memory_verbs(*command, into, said);
      command->footer(examples_text(declared.examples));
      continue;
    }
    // A command that is not among the words can't be the one that is asked for: its flags would only take time.
    if (!said.contains(declared.name)) continue;
    if (declared.words[0] != '\0') command->add_option("words", into.words, "")->type_name("")->group("");
    add_flags(*command, declared, into);
    command->footer(examples_text(declared.examples));
  }
  return app;
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

std::vector<std::string> flag_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

// The command that was chosen, or its verb.
const CLI::App& deepest(const CLI::App& app) {
  const CLI::App* at = &app;
  while (!at->get_subcommands().empty()) at = at->get_subcommands().front();
  return *at;
}

// "memory read " of its app, empty for the whole program.
std::string path_of(const CLI::App& app) {
  std::string path;
  for (const CLI::App* at = &app; at->get_parent() != nullptr; at = at->get_parent())
    path = at->get_name() + " " + path;
  return path;
}

Diagnostic unknown_word(const CLI::App& app) {
  const std::vector<CLI::App*> chosen = app.get_subcommands();
  const CLI::App& context = deepest(app);
  const std::vector<std::string> words = app.remaining(true);
  const std::string word = words.empty() ? "" : words.front();
  const bool flag = word.starts_with("-");
  std::vector<std::string> known;
  if (flag) {
    known = flag_names(context);
  } else if (chosen.empty()) {
    for (const Declaration& declared : kDeclarations) known.emplace_back(declared.name);
  }
  const bool verb = !flag && context.get_name() == "memory";
  if (verb) {
    for (const CLI::App* one : context.get_subcommands({})) known.push_back(one->get_name());
  }
  const std::vector<std::string> near = near_names(word, known);
  const std::string help = "candor " + path_of(context) + "--help";
  const std::string what = flag             ? "no flag '"
                           : verb           ? "no verb '"
                           : chosen.empty() ? "no command '"
                                            : "no argument expected: '";
  const std::string others = !flag && chosen.empty() ? "commands are " + joined(known) : help;
  return make_error("usage", what + word + "'", near.empty() ? others : "did you mean " + joined(near) + "?");
}

Diagnostic usage_error(const CLI::App& app, const CLI::ParseError& failure) {
  std::string message = failure.what();
  std::ranges::replace(message, '\n', ' ');
  return make_error("usage", std::move(message), "candor " + path_of(deepest(app)) + "--help");
}

}  // namespace

void add_output_flags(CLI::App& app, Arguments& into) {
  app.add_flag("--json", into.json, "one JSON document, on a terminal too")->group("Output");
  app.add_flag("--no-color", into.no_color, "no colours; NO_COLOR does the same")->group("Output");
}

void add_home_flags(CLI::App& app, Arguments& into) {
  app.add_option("--home", into.overrides.home, "where Candor keeps its ledger, sessions and memory")
      ->type_name("DIR")
      ->group("State");
  app.add_option("--config", into.overrides.config_file, "read this instead of ./candor.yaml")
      ->type_name("FILE")
      ->group("State");
}

void add_shaping_flags(CLI::App& app, Arguments& into) {
  scope::ShapingFlags& flags = into.shaping;
  app.add_option("--filter", flags.filters,
                 "rows of which this is true: KEY=VALUE, != ~ < <= > >=; repeatable, each must be true")
      ->type_name("EXPR")
      ->group("List")
      ->allow_extra_args(false);
  const auto text = [&app](const char* name, std::optional<std::string>& value, const char* type, const char* what) {
    app.add_option_function<std::string>(
           name, [&value](const std::string& given) { value = given; }, what)
        ->type_name(type)
        ->group("List");
  };
  text("--filter-scope", flags.filter_scope, "SCOPE",
       "where a limit cuts the list, filter and count the whole (universe) or what the limit left (page)");
  text("--sort", flags.sort, "KEY", "in the order of this key; --sort=-KEY: falling");
  text("--dedupe-by", flags.dedupe_by, "KEY", "the first row of each value of this key");
  text("--max-items", flags.max_items, "N", "show at most so many of what is left");
  text("--select", flags.select, "KEYS", "these keys alone: name,owner.team");
  text("--truncate-content", flags.truncate_content, "N", "cut long texts to so many characters");
  text("--max-output-bytes", flags.max_output_bytes, "N", "leave rows out from the end until the document is so small");
  app.add_flag("--count-only", flags.count_only, "their number alone")->group("List");
  app.add_flag("--allow-unknown-keys", flags.allow_unknown_keys, "keys that no row has are no error")->group("List");
  app.add_flag("--fail-on-degraded", flags.fail_on_degraded, "fail where something was done worse than asked")
      ->group("List");
}

std::vector<FlagInfo> describe_flags(const CLI::App& app) {
  std::vector<FlagInfo> flags;
  for (const CLI::Option* option : app.get_options()) {
    FlagInfo flag;
    for (const std::string& name : option->get_snames()) flag.names.push_back("-" + name);
    for (const std::string& name : option->get_lnames()) flag.names.push_back("--" + name);
    if (option->get_items_expected_max() > 0) flag.value = option->get_type_name();
    // The check of --rows is part of its type's name: "SHAPE:{arrays,objects}".
    if (const std::size_t colon = flag.value.find(":{"); colon != std::string::npos) {
      flag.choices = CLI::detail::split(flag.value.substr(colon + 2, flag.value.size() - colon - 3), ',');
      flag.value.resize(colon);
    }
    flag.description = option->get_description();
    flags.push_back(std::move(flag));
  }
  return flags;
}

// CLI11 takes the word after `--flag=` for the flag's value. What is meant is an empty one.
static std::vector<const char*> with_empty_values(int argc, const char* const* argv, std::vector<std::string>& halves) {
  std::vector<const char*> words;
  halves.reserve(static_cast<std::size_t>(argc));  // pointers into it stay
  bool flags = true;
  for (int i = 0; i < argc; ++i) {
    const std::string_view word = argv[i];
    flags = flags && (i == 0 || word != "--");
    const bool empty = flags && i > 0 && word.starts_with("--") && word.size() > 3 && word.find('=') == word.size() - 1;
    if (!empty) {
      words.push_back(argv[i]);
      continue;
    }
    halves.emplace_back(word.substr(0, word.size() - 1));
    words.push_back(halves.back().c_str());
    words.push_back("");
  }
  return words;
}

std::variant<Arguments, Notice, Diagnostic> parse_arguments(int argc, const char* const* argv,
                                                            const std::string& version) {
  Arguments arguments;
  std::set<std::string_view> said;
  for (int i = 1; i < argc; ++i) said.insert(argv[i]);
  const std::unique_ptr<CLI::App> app = declare(arguments, version, said);
  std::vector<std::string> halves;
  try {
    const std::vector<const char*> words = with_empty_values(argc, argv, halves);
    app->parse(static_cast<int>(words.size()), words.data());
  } catch (const CLI::CallForHelp&) {
    return Notice{deepest(*app).help()};
  } catch (const CLI::CallForVersion&) {
    return Notice{"candor " + version + "\n"};
  } catch (const CLI::ExtrasError&) {
    return unknown_word(*app);
  } catch (const CLI::ParseError& failure) {
    return usage_error(*app, failure);
  }
  if (app->get_subcommands().empty()) {
    return make_error("usage", "no command given", "candor --help lists them; candor demo shows what they are for");
  }
  arguments.command = app->get_subcommands().front()->get_name();
  return arguments;
}

std::vector<CommandInfo> describe_commands() {
  std::vector<CommandInfo> commands;
  for (const Declaration& declared : kDeclarations) {
    Arguments unused;
    CLI::App app;
    add_flags(app, declared, unused);
    if (std::string_view(declared.name) == "memory") add_shaping_flags(app, unused);
    CommandInfo command{declared.name, declared.words, declared.description, describe_flags(app), declared.examples};
    commands.push_back(std::move(command));
  }
  return commands;
}

}  // namespace candor::cli
