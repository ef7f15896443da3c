// `candor commit`, `candor answers`, `candor queries`: what was answered, and by what.
#include <algorithm>
#include <utility>

#include "base/render_json.h"
#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/list_output.h"
#include "cli/progress.h"
#include "cli/receipt_text.h"
#include "cli/table.h"
#include "cli/text_layout.h"
#include "wire/lists.h"
#include "wire/wire.h"

namespace candor::cli {
namespace {

using json::Node;

// A document of the ledger's or the facade's with everything in it to be looked into.
Node parsed(const std::string& text) {
  Result<Node> node = json::parse(text.empty() ? "{}" : text);
  return node.ok() ? std::move(*node) : Node::object();
}

// "orders = 1892, revenue = 12.5" for fields; the rows' shape for rows; the reason for what is unresolved.
std::string values_of(const Node& answer) {
  std::string text;
  for (const auto& [name, value] : answer["fields"].members()) {
    text += (text.empty() ? "" : ", ") + name + " = " + (value.is_string() ? value.text() : json::dump(value));
  }
  if (const Node* rows = answer.find("rows"); rows != nullptr && rows->is_object()) {
    text = counted((*rows)["values"].items().size(), "row", "rows") + " of";
    for (const Node& column : (*rows)["columns"].items())
      text += " " + (column.is_string() ? column.text() : json::dump(column));
  }
  if (const Node* reason = answer.find("unresolved"); reason != nullptr && !reason->is_null()) {
    text = "unresolved: " + (reason->is_string() ? reason->text() : std::string(reason->string_or("reason", "")));
  }
  return text;
}

// Stored columns and rows as a table.
void print_rows(const Context& context, const Node& columns, const Node& rows) {
  std::vector<std::string> titles;
  for (const Node& column : columns.items())
    titles.push_back(column.is_string() ? column.text() : std::string(column.string_or("name", "")));
  if (titles.empty()) return;
  Table table(context.out, titles);
  for (const Node& row : rows.items()) {
    std::vector<TableCell> cells;
    for (const Node& value : row.items()) cells.push_back(cell_of(value));
    cells.resize(titles.size());
    if (!table.add(std::move(cells))) return;
  }
  table.finish();
}

std::string label(const Context& context, std::string_view name) {
  return context.out.painted(Paint::kCyan, padded(name, 10, Align::kLeft));
}

void print_answer(const Context& context, const ledger::AnswerRecord& answer, const ledger::QueryRecord* query) {
  const Node body = parsed(answer.body);
  const auto line = [&](std::string_view name, const std::string& text) {
    if (!text.empty()) context.out.put(label(context, name) + visible(text) + "\n");
  };
  context.out.put(context.out.painted(Paint::kBold, answer.id) + "  " + answer.state + ", " +
                  local_time(answer.committed_ms) +
                  context.out.painted(Paint::kDim, "  session " + visible(answer.turn.session) + ", turn " +
                                                       visible(answer.turn.turn)) +
                  "\n");
  line("question", std::string(body.string_or("question", "")));
  line("answer", values_of(body));
  if (const Node* rows = body.find("rows"); rows != nullptr && rows->is_object())
    print_rows(context, (*rows)["columns"], (*rows)["values"]);
  line("basis", std::string(body.string_or("basis", "")));
  line("note", std::string(body["rows"].string_or("note", "")));
  context.out.put(receipt_text(context.out, parsed(answer.receipt)));
  if (query == nullptr) return;
  const Node scope = parsed(query->scope);
  std::string shown = counted(query->row_count, "row", "rows") + " shown";
  if (const auto total = scope["universe_total"].integer())
    shown += " of " + grouped(static_cast<std::uint64_t>(*total));
  line("showed", shown);
}

}  // namespace

ExitCode run_commit(const Context& context) {
  std::vector<std::string> words = context.arguments.words;
  Result<std::string> text = read_input(context, words, "answer");
  if (!text.ok()) return fail(context, text.error());
  const Result<Node> input = json::parse(*text);
  if (!input.ok()) return fail(context, input.error(), *text);
  const Interrupt interrupt;
  Result<config::Configuration> configuration = load_configuration(context, words);
  if (!configuration.ok()) return fail(context, configuration.error());
  Result<std::unique_ptr<Candor>> candor = Candor::open(std::move(*configuration), context.program.worker);
  if (!candor.ok()) return fail(context, candor.error());
  Progress progress(context.err, "reviewing the answer");
  const Result<CommitOutcome> outcome = (*candor)->commit(caller_of(context.arguments), *input, interrupt.token());
  progress.stop();
  if (!outcome.ok()) return fail(context, outcome.error());
  if (context.document) {
    print_document(context, outcome->document);
  } else {
    context.out.put(outcome_text(context.out, parsed(json::dump(outcome->document))));
  }
  return outcome->held ? ExitCode::kHeld : ExitCode::kDone;
}

namespace {

ExitCode verify_answer(const Context& context, Candor& candor, const std::string& id, const CancelToken& cancel) {
  Progress progress(context.err, "counting again");
  const Result<Verification> verification = candor.verify(id, cancel);
  progress.stop();
  if (!verification.ok()) return fail(context, verification.error());
  if (context.document) {
    print_document(context, wire::verification_document(*verification));
  } else {
    context.out.put(verification_text(context.out, *verification));
  }
  for (const Verification::Entry& entry : verification->entries) {
    if (entry.failure) return exit_code(*entry.failure);
  }
  const bool same = std::ranges::all_of(verification->entries, [](const auto& entry) { return entry.same(); });
  return same ? ExitCode::kDone : ExitCode::kRejected;
}

ExitCode show_answer(const Context& context, Candor& candor, const std::string& id) {
  const Result<ledger::AnswerRecord> answer = candor.ledger().answer(id);
  if (!answer.ok()) return fail(context, answer.error());
  std::optional<ledger::QueryRecord> query;
  if (!answer->query_id.empty()) {
    Result<ledger::QueryRecord> found = candor.ledger().query(answer->query_id);
    if (!found.ok()) return fail(context, found.error());
    query = std::move(*found);
  }
  const ledger::QueryRecord* behind = query ? &*query : nullptr;
  if (context.document) {
    print_document(context, wire::answer_document(*answer, behind));
  } else {
    print_answer(context, *answer, behind);
  }
  return ExitCode::kDone;
}

// A moment of the row, as people read it.
std::function<TableCell(const Node& row)> time_under(const char* key) {
  return [key](const Node& row) { return TableCell{local_time(row[key].integer().value_or(0))}; };
}

std::string session_of(const Context& context) {
  return context.arguments.session_given ? context.arguments.session : "";
}

ExitCode list_answers(const Context& context, Candor& candor) {
  const auto list = wire::answers_list(candor.ledger(), session_of(context), ceiling_of(context.arguments));
  const ListText text{
      {{"id", under("answer_id")},
       {"committed", time_under("committed_ms")},
       {"session", under("session")},
       {"turn", under("turn")},
       {"state", under("state")},
       {"query", under("query_id")},
       {"question", [](const Node& row) { return TableCell{single_line(row["answer"].string_or("question", ""))}; }},
       {"answer", [](const Node& row) { return TableCell{single_line(values_of(row["answer"]))}; }}},
      "answer",
      "answers"};
  return show_list(context, *list, text, wire::list_document);
}

ExitCode show_query(const Context& context, Candor& candor, const std::string& id) {
  const Result<ledger::QueryRecord> query = candor.ledger().query(id);
  if (!query.ok()) return fail(context, query.error());
  if (context.document) {
    print_document(context, wire::query_document(*query));
    return ExitCode::kDone;
  }
  std::string head = context.out.painted(Paint::kBold, query->id) + "  " + query->kind + ", " +
                     local_time(query->started_ms) + ", " +
                     grouped(static_cast<std::uint64_t>(std::max<std::int64_t>(query->elapsed_ms, 0))) + " ms";
  if (!query->succeeded) head += ", " + context.out.painted(Paint::kRed, query->error_code);
  head += context.out.painted(Paint::kDim,
                              "  session " + visible(query->turn.session) + ", turn " + visible(query->turn.turn));
  context.out.put(head + "\n" + visible(query->sql, true) + "\n\n");
  print_rows(context, parsed(query->columns), parsed(query->rows));
  std::string shown = counted(query->row_count, "row", "rows");
  if (query->output_cut) shown += "; the output was cut: not all rows or cells are kept";
  if (query->succeeded) context.out.put(shown + "\n");
  return ExitCode::kDone;
}

TableCell outcome_of(const Node& row) {
  const bool done = row["succeeded"].truth();
  return {done ? "done" : std::string(row.string_or("code", "")), done ? Paint::kPlain : Paint::kRed};
}

ExitCode list_queries(const Context& context, Candor& candor) {
  const auto list = wire::queries_list(candor.ledger(), session_of(context), ceiling_of(context.arguments));
  const auto rows = [](const Node& row) {
    return TableCell{grouped(static_cast<std::uint64_t>(row["row_count"].integer().value_or(0))), Paint::kPlain, true};
  };
  const ListText text{{{"id", under("query_id")},
                       {"started", time_under("started_ms")},
                       {"session", under("session")},
                       {"turn", under("turn")},
                       {"kind", under("statement_type")},
                       {"rows", rows},
                       {"ms", under("elapsed_ms")},
                       {"outcome", outcome_of},
                       {"statement", [](const Node& row) { return TableCell{single_line(row["sql"].text())}; }}},
                      "query",
                      "queries"};
  return show_list(context, *list, text, wire::list_document);
}

// Opens the facade for a command that reads the ledger, then goes on.
template <typename Then>
ExitCode with_ledger(const Context& context, Then then) {
  std::vector<std::string> sources = context.arguments.words;  // behind the id
  if (!sources.empty()) sources.erase(sources.begin());
  const Interrupt interrupt;
  Result<config::Configuration> configuration = load_configuration(context, sources);
  if (!configuration.ok()) return fail(context, configuration.error());
  Result<std::unique_ptr<Candor>> candor = Candor::open(std::move(*configuration), context.program.worker);
  if (!candor.ok()) return fail(context, candor.error());
  return then(**candor, interrupt.token());
}

}  // namespace

ExitCode run_answers(const Context& context) {
  return with_ledger(context, [&](Candor& candor, const CancelToken& cancel) {
    const std::vector<std::string>& words = context.arguments.words;
    if (words.empty() && context.arguments.verify) {
      return fail(context, make_error("usage", "--verify needs an answer's id", "candor answers a1 --verify"));
    }
    if (words.empty()) return list_answers(context, candor);
    if (const Status fit = no_shaping(context, "one answer"); !fit.ok()) return fail(context, fit.error());
    return context.arguments.verify ? verify_answer(context, candor, words[0], cancel)
                                    : show_answer(context, candor, words[0]);
  });
}

ExitCode run_queries(const Context& context) {
  return with_ledger(context, [&](Candor& candor, const CancelToken& /*cancel*/) {
    const std::vector<std::string>& words = context.arguments.words;
    if (words.empty()) return list_queries(context, candor);
    if (const Status fit = no_shaping(context, "one query"); !fit.ok()) return fail(context, fit.error());
    return show_query(context, candor, words[0]);
  });
}

}  // namespace candor::cli
