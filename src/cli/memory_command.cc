// `candor memory VERB`: from its arguments to its verb, and from a verb's answer to a document or a page.
#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <limits>

#include "cli/list_output.h"
#include "cli/memory_verbs.h"
#include "cli/text_layout.h"
#include "memory/store/names.h"

namespace candor::cli {
namespace {

using json::Node;

constexpr const char* kNamespaceVariable = "CANDOR_MEMORY_NAMESPACE";

std::string shown(const Node& value) {
  if (value.is_null()) return "";
  return value.is_string() ? value.text() : json::dump(value);
}

// Names and values one below the other, texts of several lines at the end.
void print_page(const Context& context, const Node& document) {
  std::size_t width = 0;
  for (const auto& [name, value] : document.members()) width = std::max(width, name.size());
  std::string last;
  for (const auto& [name, value] : document.members()) {
    if (name == "elapsed_ms" || value.is_null()) continue;
    const std::string text = shown(value);
    if (text.find('\n') != std::string::npos) {
      last += "\n" + context.out.painted(Paint::kCyan, name) + "\n" + visible(text, true) + "\n";
    } else {
      context.out.put(context.out.painted(Paint::kCyan, padded(name, width + 2, Align::kLeft)) + visible(text) + "\n");
    }
  }
  context.out.put(last);
}

std::int64_t signed_number(std::uint64_t value) { return static_cast<std::int64_t>(value); }

std::string range_text(std::string_view flag, std::int64_t min, std::int64_t max) {
  std::string text = std::string(flag) + " takes a number from " + std::to_string(min);
  if (max != std::numeric_limits<std::int64_t>::max()) text += " to " + std::to_string(max);
  return text;
}

}  // namespace

MemoryCall::MemoryCall(const Context& context, const MemoryVerb& verb)
    : context_(&context), verb_(&verb), began_(std::chrono::steady_clock::now()) {}

const std::vector<std::string>* MemoryCall::find(std::string_view flag) const {
  const auto found = context_->arguments.memory_flags.find(flag);
  return found == context_->arguments.memory_flags.end() ? nullptr : &found->second;
}

std::optional<std::string> MemoryCall::text(std::string_view flag) const {
  const std::vector<std::string>* values = find(flag);
  if (values == nullptr || values->empty()) return std::nullopt;
  return values->back();
}

std::vector<std::string> MemoryCall::texts(std::string_view flag) const {
  const std::vector<std::string>* values = find(flag);
  return values == nullptr ? std::vector<std::string>() : *values;
}

Result<std::optional<std::int64_t>> MemoryCall::number(std::string_view flag, std::int64_t min,
                                                       std::int64_t max) const {
  const std::optional<std::string> given = text(flag);
  if (!given) return std::optional<std::int64_t>();
  std::int64_t value = 0;
  const char* const end = given->data() + given->size();
  const auto done = std::from_chars(given->data(), end, value);
  if (!given->empty() && done.ec == std::errc() && done.ptr == end && value >= min && value <= max) {
    return std::optional<std::int64_t>(value);
  }
  const std::string name = "--" + std::string(flag);
  return make_error("usage", range_text(name, min, max) + ", not '" + *given + "'",
                    "candor memory " + std::string(verb_->name) + " --help");
}

Result<std::optional<double>> MemoryCall::real(std::string_view flag, double min, double max) const {
  const std::optional<std::string> given = text(flag);
  if (!given) return std::optional<double>();
  double value = 0;
  const char* const end = given->data() + given->size();
  const auto done = std::from_chars(given->data(), end, value);
  if (!given->empty() && done.ec == std::errc() && done.ptr == end && value >= min && value <= max) {
    return std::optional<double>(value);
  }
  return make_error("usage", "--" + std::string(flag) + " can't be '" + *given + "'",
                    "candor memory " + std::string(verb_->name) + " --help");
}

bool MemoryCall::space_given() const { return has("namespace"); }

Result<std::string> MemoryCall::space() const {
  if (const auto given = text("namespace")) return memory::namespace_name(*given);
  const char* variable = std::getenv(kNamespaceVariable);
  if (variable != nullptr && *variable != '\0') return memory::namespace_name(variable);
  return std::string("global");
}

std::optional<std::string> MemoryCall::word_or(std::size_t position, std::string_view flag) const {
  const std::vector<std::string>& words = context_->arguments.words;
  if (position < words.size()) return words[position];
  return text(flag);
}

Result<memory::Which> MemoryCall::which() const {
  memory::Which which;
  CANDOR_ASSIGN(which.space, space());
  CANDOR_ASSIGN(which.id, number("id", 1, std::numeric_limits<std::int64_t>::max()));
  const std::optional<std::string> name = word_or(0, "name");
  if (name && which.id)
    return make_error("usage", "a memory is named twice, by --id and by its name", "one of the two");
  if (!name && !which.id) {
    return make_error("usage", "no memory named", "candor memory " + std::string(verb_->name) + " NAME");
  }
  which.name = name.value_or("");
  return which;
}

Result<scope::Ceiling> MemoryCall::pages(std::optional<std::uint64_t> standard) const {
  constexpr std::int64_t kLimitMax = 1'000'000;
  CANDOR_ASSIGN(const std::optional<std::int64_t> limit, number("limit", 1, kLimitMax));
  CANDOR_ASSIGN(const std::optional<std::int64_t> offset,
                number("offset", 0, std::numeric_limits<std::int64_t>::max()));
  scope::Ceiling ceiling;
  if (!limit && !offset && !standard) return ceiling;
  ceiling.kind = scope::LimitKind::kPagination;
  ceiling.source = limit || !standard ? scope::LimitSource::kFlag : scope::LimitSource::kDefault;
  // An offset alone is a page without an end.
  constexpr auto kAll = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  ceiling.limit = limit ? static_cast<std::uint64_t>(*limit) : standard.value_or(kAll);
  ceiling.offset = static_cast<std::uint64_t>(offset.value_or(0));
  return ceiling;
}

Result<std::string> MemoryCall::home() const {
  CANDOR_ASSIGN(const config::Configuration configuration, config::load(context_->arguments.overrides));
  return configuration.home;
}

Result<memory::Memory> MemoryCall::open(memory::Access access) const {
  CANDOR_ASSIGN(const std::string folder, home());
  return memory::Memory::open(folder, access);
}

ExitCode MemoryCall::failed(const Diagnostic& failure) const { return fail(*context_, failure); }

void MemoryCall::set_elapsed(Node& document) const {
  const auto elapsed = std::chrono::steady_clock::now() - began_;
  document.set("elapsed_ms",
               Node::number(std::int64_t{std::chrono::duration_cast<std::chrono::milliseconds>(elapsed).count()}));
}

// Who asks a write for a part of a list has misunderstood something, and is told; the write is done all the same.
void MemoryCall::annotate(Node& document) const {
  if (context_->arguments.shaping.empty()) return;
  Node surface = Node::object();
  surface.set("query_limited", Node::boolean(false));
  surface.set("shaping_ignored", Node::boolean(true));
  surface.set("reason", Node::string(verb_->writes ? "the command writes" : "the command gives no list"));
  document.set("agent_surface", std::move(surface));
}

ExitCode MemoryCall::done(Result<Node> document) const {
  if (!document.ok()) return failed(document.error());
  annotate(*document);
  set_elapsed(*document);
  if (context_->document) {
    print_document(*context_, *document);
  } else {
    print_page(*context_, *document);
  }
  return ExitCode::kDone;
}

ExitCode MemoryCall::listed(Result<std::unique_ptr<scope::List>> list, Node document,
                            const std::vector<std::string>& columns) const {
  if (!list.ok()) return failed(list.error());
  return listed(**list, std::move(document), columns, {});
}

Result<scope::ShapedList> MemoryCall::shape(scope::List& list, Node& document,
                                            std::vector<std::pair<std::string, std::vector<Node>>> secondary) const {
  CANDOR_ASSIGN(scope::ShapedList shaped, scope::ShapedList::make(list, context_->shaping));
  for (auto& [name, items] : secondary) shaped.add_secondary(std::move(name), std::move(items));
  const std::optional<std::uint64_t> total = shaped.surface().universe_total;
  if (Node* member = document.find("total_count")) *member = total ? Node::number(signed_number(*total)) : Node();
  if (Node* member = document.find("count")) *member = Node::number(signed_number(shaped.rows().size()));
  set_elapsed(document);
  return shaped;
}

Result<Node> MemoryCall::shaped(scope::List& list, Node document,
                                std::vector<std::pair<std::string, std::vector<Node>>> secondary) const {
  CANDOR_ASSIGN(const scope::ShapedList shaped, shape(list, document, std::move(secondary)));
  CANDOR_TRY(shaped.check());
  shaped.put_into(document);
  return document;
}

ExitCode MemoryCall::listed(scope::List& list, Node document, const std::vector<std::string>& columns,
                            std::vector<std::pair<std::string, std::vector<Node>>> secondary) const {
  if (context_->document) {
    const Result<Node> made = shaped(list, std::move(document), std::move(secondary));
    if (!made.ok()) return failed(made.error());
    print_document(*context_, *made);
    return ExitCode::kDone;
  }
  const Result<scope::ShapedList> rows = shape(list, document, {});
  if (!rows.ok()) return failed(rows.error());
  ListText text;
  for (const std::string& column : columns) text.columns.push_back({column, under(column)});
  print_list(*context_, *rows, text);
  return ExitCode::kDone;
}

ExitCode MemoryCall::ranked(memory::SearchAnswer& answer, const std::vector<std::string>& columns) const {
  Result<scope::ShapedList> rows = shape(*answer.list, answer.document, {});
  if (!rows.ok()) return failed(rows.error());
  for (auto& [name, value] : answer.notes) rows->add_note(name, value);
  if (const Status fine = rows->check(); !fine.ok()) return failed(fine.error());
  for (auto& [name, items, cut] : answer.secondary) rows->add_secondary(name, std::move(items), cut);
  if (answer.graph_matches && !rows->count()) {
    Result<std::vector<Node>> matches = answer.graph_matches();
    if (!matches.ok()) return failed(matches.error());
    rows->add_secondary("graph_matches", std::move(*matches));
  }
  const std::optional<std::string> file = text("output");
  if (context_->document || file) {
    rows->put_into(answer.document);
    if (file) return written(*file, answer.document);
    print_document(*context_, answer.document);
    return ExitCode::kDone;
  }
  ListText text;
  for (const std::string& column : columns) text.columns.push_back({column, under(column)});
  print_list(*context_, *rows, text);
  if (const Node* reason = answer.document.find("reason"); reason != nullptr && rows->rows().empty()) {
    context_->out.put(reason->text() + "\n");
  }
  return ExitCode::kDone;
}

ExitCode MemoryCall::written(const std::string& file, const Node& document) const {
  std::ofstream stream(file, std::ios::binary);
  stream << json::dump(document) << '\n' << std::flush;
  if (!stream) return failed(make_error("file-error", file + " can't be written", "--output FILE"));
  return done(memory::texts({{"action", "written"}, {"output", file}}));
}

ExitCode run_memory(const Context& context) {
  const auto& verbs = memory_verbs();
  const auto verb =
      std::ranges::find_if(verbs, [&](const MemoryVerb& one) { return context.arguments.memory_verb == one.name; });
  if (verb == verbs.end()) {
    return fail(context, make_error("usage", "no verb given", "candor memory --help lists them"));
  }
  MemoryCall call(context, *verb);
  return verb->run(call);
}

}  // namespace candor::cli
