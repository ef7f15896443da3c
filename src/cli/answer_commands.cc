// `candor commit`, `candor answers`, `candor queries`: what was answered, and by what.
#include <algorithm>
#include <utility>

#include "base/render_json.h"
#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/progress.h"
#include "cli/receipt_text.h"
#include "cli/scope_line.h"
#include "cli/table.h"
#include "cli/text_layout.h"
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

TableCell cell_of(const Node& value) {
  if (value.is_null()) return {"NULL", Paint::kDim, false};
  return {value.is_string() ? value.text() : json::dump(value), Paint::kPlain, value.is_number()};
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

ExitCode list_answers(const Context& context, Candor& candor) {
  const ledger::Page page{context.arguments.limit, context.arguments.offset};
  std::uint64_t total = 0;
  const std::string session = context.arguments.session_given ? context.arguments.session : "";
  const Result<std::vector<ledger::AnswerRecord>> answers = candor.ledger().answers(session, page, total);
  if (!answers.ok()) return fail(context, answers.error());
  if (context.document) {
    print_document(context, wire::answers_document(*answers, page, total));
    return ExitCode::kDone;
  }
  Table table(context.out, {"id", "committed", "session", "turn", "state", "query", "question", "answer"}, 2);
  for (const ledger::AnswerRecord& answer : *answers) {
    const Node body = parsed(answer.body);
    table.add({{answer.id},
               {local_time(answer.committed_ms)},
               {answer.turn.session},
               {answer.turn.turn},
               {answer.state},
               {answer.query_id},
               {single_line(body.string_or("question", ""))},
               {single_line(values_of(body))}});
  }
  if (!answers->empty()) table.finish();
  context.out.put(page_line(answers->size(), page.offset, total, "answer", "answers") + "\n");
  return ExitCode::kDone;
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

ExitCode list_queries(const Context& context, Candor& candor) {
  const ledger::Page page{context.arguments.limit, context.arguments.offset};
  std::uint64_t total = 0;
  const std::string session = context.arguments.session_given ? context.arguments.session : "";
  const Result<std::vector<ledger::QueryRecord>> queries = candor.ledger().queries(session, page, total);
  if (!queries.ok()) return fail(context, queries.error());
  if (context.document) {
    print_document(context, wire::queries_document(*queries, page, total));
    return ExitCode::kDone;
  }
  Table table(context.out, {"id", "started", "session", "turn", "kind", "rows", "ms", "outcome", "statement"}, 2);
  for (const ledger::QueryRecord& query : *queries) {
    table.add({{query.id},
               {local_time(query.started_ms)},
               {query.turn.session},
               {query.turn.turn},
               {query.kind},
               {grouped(query.row_count), Paint::kPlain, true},
               {std::to_string(query.elapsed_ms), Paint::kPlain, true},
               {query.succeeded ? "done" : query.error_code, query.succeeded ? Paint::kPlain : Paint::kRed},
               {single_line(query.sql)}});
  }
  if (!queries->empty()) table.finish();
  context.out.put(page_line(queries->size(), page.offset, total, "query", "queries") + "\n");
  return ExitCode::kDone;
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
    return context.arguments.verify ? verify_answer(context, candor, words[0], cancel)
                                    : show_answer(context, candor, words[0]);
  });
}

ExitCode run_queries(const Context& context) {
  return with_ledger(context, [&](Candor& candor, const CancelToken& /*cancel*/) {
    return context.arguments.words.empty() ? list_queries(context, candor)
                                           : show_query(context, candor, context.arguments.words[0]);
  });
}

}  // namespace candor::cli
