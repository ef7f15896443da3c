// `candor contract describe|check|init`: publishing a source under a contract.
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>
#include <utility>

#include "base/near_names.h"
#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/list_output.h"
#include "cli/progress.h"
#include "cli/table.h"
#include "cli/text_layout.h"
#include "wire/lists.h"
#include "wire/wire.h"

namespace candor::cli {
namespace {

using Words = std::vector<std::string>;

Diagnostic no_file(std::string_view verb) {
  return make_error("usage", "candor contract " + std::string(verb) + " takes the contract's file",
                    "candor contract " + std::string(verb) + " app.contract.yaml");
}

// ---- describe ----

ExitCode describe(const Context& context, const Words& words) {
  if (words.size() != 1) return fail(context, no_file("describe"));
  const std::string& format = context.arguments.format;
  const bool json = format == "json" || (format.empty() && context.arguments.json);
  const Result<config::Configuration> configuration = load_configuration(context, {});
  if (!configuration.ok()) return fail(context, configuration.error());
  const Result<std::string> text = Candor::describe_contract(*configuration, words[0],
                                                             json                  ? ContractFormat::kJson
                                                             : format == "mcp"     ? ContractFormat::kMcp
                                                             : format == "openapi" ? ContractFormat::kOpenapi
                                                                                   : ContractFormat::kMarkdown);
  if (!text.ok()) return fail(context, text.error());
  context.out.put(*text + (text->ends_with('\n') ? "" : "\n"));
  return ExitCode::kDone;
}

// ---- check ----

std::string joined(const std::vector<std::string>& texts) {
  std::string all;
  for (const std::string& text : texts) all += (all.empty() ? "'" : ", '") + text + "'";
  return all;
}

void print_check(const Context& context, const ContractCheck& check, const scope::ShapedList& list) {
  const Stream& out = context.out;
  if (!context.shaping.empty()) {
    const ListText text{{{"resource", under("resource")},
                         {"column", under("column")},
                         {"count", under("count")},
                         {"what is wrong", under("message")}},
                        "fault",
                        "faults",
                        0};
    print_list(context, list, text);
  } else if (!check.faults.empty()) {
    Table table(out, {"resource", "column", "count", "what is wrong"}, 0);
    for (const ContractCheck::Fault& fault : check.faults) {
      const std::string examples = fault.examples.empty() ? "" : ": " + joined(fault.examples);
      table.add({{fault.resource},
                 {fault.column},
                 {fault.count ? grouped(*fault.count) : "", Paint::kPlain, true},
                 {fault.message + examples, Paint::kYellow}});
    }
    table.finish();
  }
  for (const std::string& note : check.notes) out.put("note: " + visible(note) + "\n");
  std::uint64_t rows = 0;
  for (const ContractCheck::Resource& resource : check.resources) rows += resource.rows.value_or(0);
  const std::string looked = counted(check.resources.size(), "resource", "resources") + ", " +
                             counted(rows, "row", "rows") + " of source " + visible(check.source);
  out.put(check.faults.empty()
              ? out.painted(Paint::kGreen, "clean: ") + looked + " are as " + visible(check.file) + " says\n"
              : out.painted(Paint::kYellow, counted(check.faults.size(), "fault", "faults")) + " in " + looked + "\n");
}

ExitCode check(const Context& context, Words words) {
  if (words.empty()) return fail(context, no_file("check"));
  const std::string file = std::move(words.front());
  words.erase(words.begin());
  const Interrupt interrupt;
  Result<config::Configuration> configuration = load_configuration(context, words);
  if (!configuration.ok()) return fail(context, configuration.error());
  Result<std::unique_ptr<Candor>> candor = Candor::open(std::move(*configuration), context.program.worker);
  if (!candor.ok()) return fail(context, candor.error());
  Progress progress(context.err, "looking at the rows");
  const Result<ContractCheck> checked =
      (*candor)->check_contract(caller_of(context.arguments), file, context.arguments.in, interrupt.token());
  progress.stop();
  if (!checked.ok()) return fail(context, checked.error());
  const auto list = wire::faults_list(*checked);
  Result<scope::ShapedList> shaped = scope::ShapedList::make(*list, context.shaping);
  if (!shaped.ok()) return fail(context, shaped.error());
  if (context.document) {
    print_document(context, wire::contract_check_document(*checked, *std::move(shaped)));
  } else {
    print_check(context, *checked, *shaped);
  }
  return checked->faults.empty() ? ExitCode::kDone : ExitCode::kHeld;
}

// ---- init ----

Diagnostic cannot_write(const std::string& file, int failure) {
  if (failure == EEXIST) {
    return make_error("file-error", visible(file) + " is there already",
                      "name another file, or write over it: --force");
  }
  return make_error("file-error", "can't write " + visible(file) + ": " + std::strerror(failure),
                    "name a file in a folder that you may write to");
}

Status write_file(const std::string& file, std::string_view text, bool force) {
  constexpr int kMode = 0644;
  const int fd = ::open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | (force ? O_TRUNC : O_EXCL), kMode);
  if (fd < 0) return cannot_write(file, errno);
  int failure = 0;
  while (!text.empty() && failure == 0) {
    const ssize_t written = ::write(fd, text.data(), text.size());
    if (written >= 0) {
      text.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno != EINTR) {
      failure = errno;
    }
  }
  if (::close(fd) != 0 && failure == 0) failure = errno;
  if (failure == 0) return Ok{};
  ::unlink(file.c_str());  // half a contract would publish half of what it should say
  return cannot_write(file, failure);
}

ExitCode init(const Context& context, const Words& words) {
  const Arguments& arguments = context.arguments;
  // Looking at a large database takes its time: what can't be written is told before.
  if (arguments.output && !arguments.force && ::access(arguments.output->c_str(), F_OK) == 0) {
    return fail(context, cannot_write(*arguments.output, EEXIST));
  }
  const Interrupt interrupt;
  Result<config::Configuration> configuration = load_configuration(context, words);
  if (!configuration.ok()) return fail(context, configuration.error());
  Result<std::unique_ptr<Candor>> candor = Candor::open(std::move(*configuration), context.program.worker);
  if (!candor.ok()) return fail(context, candor.error());
  Progress progress(context.err, "looking at the tables");
  const Result<std::string> text = (*candor)->initial_contract(caller_of(arguments), arguments.in, interrupt.token());
  progress.stop();
  if (!text.ok()) return fail(context, text.error());
  json::Node document = json::Node::object();
  if (!arguments.output) {
    if (arguments.json) {
      print_document(context, document.set("contract", json::Node::string(*text)));
    } else {
      context.out.put(*text);
    }
    return ExitCode::kDone;
  }
  if (const Status written = write_file(*arguments.output, *text, arguments.force); !written.ok()) {
    return fail(context, written.error());
  }
  if (context.document) {
    print_document(context, document.set("file", json::Node::string(*arguments.output)));
  } else {
    context.out.put(
        "wrote " + visible(*arguments.output) +
        "\nread it through: what to open for writing, whom rows belong to and what was left out stand there\n");
  }
  return ExitCode::kDone;
}

}  // namespace

ExitCode run_contract(const Context& context) {
  Words words = context.arguments.words;
  const std::string verb = words.empty() ? "" : words.front();
  if (!words.empty()) words.erase(words.begin());
  if (verb == "describe" || verb == "init") {
    if (const Status fit = no_shaping(context, "a contract"); !fit.ok()) return fail(context, fit.error());
  }
  if (verb == "describe") return describe(context, words);
  if (verb == "check") return check(context, std::move(words));
  if (verb == "init") return init(context, words);
  const std::vector<std::string> near = near_names(verb, {"describe", "check", "init"});
  return fail(context, make_error("usage",
                                  verb.empty() ? "candor contract takes describe, check or init"
                                               : "candor contract has no '" + visible(verb) + "'",
                                  near.empty() ? "candor contract --help" : "candor contract " + near.front()));
}

}  // namespace candor::cli
