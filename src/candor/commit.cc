// Answer: one commit, from its input to the hold or the receipt. The rules: docs/review.md.
#include <algorithm>
#include <cctype>
#include <chrono>
#include <exception>
#include <utility>

#include "base/ascii.h"
#include "base/codes.h"
#include "base/digest.h"
#include "base/render_json.h"
#include "candor/documents.h"
#include "candor/lineage.h"
#include "candor/service.h"
#include "config/source_names.h"
#include "sql/lexer.h"

namespace candor {
namespace {

using json::Node;
using review::CheckResult;
using review::Verdict;

std::int64_t unix_ms() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch())
      .count();
}

Diagnostic bad_request(std::string message, std::string hint) {
  return make_error("bad-request", std::move(message), std::move(hint));
}

constexpr std::string_view kExample = R"({"question":"…","fields":{"revenue":1234.5},"basis":"sum of orders.amount"})";

Status check_text(const Node& input, std::string_view name) {
  const Node* member = input.find(name);
  if (member == nullptr || member->is_string() || member->is_null()) return Ok{};
  return bad_request("'" + std::string(name) + "' must be a text", std::string(kExample));
}

Status check_rows(const Node& rows) {
  const bool shaped = rows.is_object() && rows["columns"].is_array() && rows["values"].is_array();
  if (!shaped) {
    return bad_request("'rows' must have 'columns' and 'values', two arrays",
                       R"({"rows":{"columns":["site"],"values":[["Bergen"]]}})");
  }
  const std::size_t width = rows["columns"].items().size();
  for (const Node& row : rows["values"].items()) {
    if (!row.is_array() || row.items().size() != width) {
      return bad_request("every row of 'values' must be an array of " + std::to_string(width) + " values, one a column",
                         R"({"rows":{"columns":["site","n"],"values":[["Bergen",24]]}})");
    }
  }
  return check_text(rows, "note");
}

// A reason is what makes it an answer.
Status check_unresolved(const Node& unresolved) {
  if (unresolved.is_null()) return Ok{};
  const Node& reason = unresolved.is_object() ? unresolved["reason"] : unresolved;
  if (reason.is_string() && reason.text().find_first_not_of(" \t\r\n") != std::string::npos) return Ok{};
  return bad_request("'unresolved' must be the reason, a text that says something",
                     R"({"unresolved":"the two tables have no common key"})");
}

Status check_input(const Node& input) {
  if (!input.is_object()) return bad_request("an answer is one JSON object", std::string(kExample));
  constexpr std::string_view kKnown[] = {"question", "fields",   "rows",    "unresolved",
                                         "basis",    "query_id", "turn_id", "session"};
  for (const auto& [name, value] : input.members()) {
    if (std::ranges::find(kKnown, name) == std::end(kKnown)) {
      return bad_request("an answer has no field '" + name + "'",
                         "fields are question, fields, rows, unresolved, basis, query_id, turn_id, session");
    }
  }
  int kinds = 0;
  for (const std::string_view kind : {"fields", "rows", "unresolved"}) {
    const Node* member = input.find(kind);
    kinds += member != nullptr && !member->is_null() ? 1 : 0;
  }
  if (kinds != 1)
    return bad_request("an answer has exactly one of 'fields', 'rows' and 'unresolved'", std::string(kExample));
  for (const std::string_view text : {"question", "basis", "query_id", "turn_id", "session"})
    CANDOR_TRY(check_text(input, text));
  if (input["fields"].is_object() && input["fields"].members().empty())
    return bad_request("'fields' is empty", std::string(kExample));
  if (!input["fields"].is_null() && !input["fields"].is_object())
    return bad_request("'fields' must be an object of names and values", std::string(kExample));
  if (!input["rows"].is_null()) return check_rows(input["rows"]);
  return check_unresolved(input["unresolved"]);
}

// What makes two commits the same: values, basis and query; not the wording of the question.
std::string digest_of(const Node& input) {
  Node same = Node::object();
  for (const std::string_view name : {"fields", "rows", "unresolved", "basis", "query_id"}) {
    if (const Node* member = input.find(name); member != nullptr && !member->is_null())
      same.set(std::string(name), *member);
  }
  // Members of an object have no order.
  if (Node* fields = same.find("fields"); fields != nullptr && fields->is_object())
    std::ranges::sort(fields->members(), {}, [](const auto& member) { return member.first; });
  return sha256_hex(json::dump(same));
}

review::ShownQuery shown(const ledger::QueryRecord& record) {
  review::ShownQuery query;
  query.id = record.id;
  query.sql = record.sql;
  query.cut = record.output_cut;
  Result<Node> columns = json::parse(record.columns);
  Result<Node> rows = json::parse(record.rows);
  // An output that can't be read back is an output of which nothing is known.
  query.cut = query.cut || !columns.ok() || !rows.ok();
  if (columns.ok()) query.columns = std::move(*columns);
  if (rows.ok()) query.rows = std::move(*rows);
  return query;
}

std::vector<std::string> texts_of(const std::string& json) {
  std::vector<std::string> texts;
  const Result<Node> list = json::parse(json.empty() ? "[]" : json);
  if (list.ok()) {
    for (const Node& item : list->items()) texts.push_back(item.text());
  }
  return texts;
}

CheckResult undetermined(const std::string& check, std::string reason) {
  CheckResult result;
  result.check = check;
  const CodeInfo* info = find_code(reason);
  result.message = info == nullptr ? "" : std::string(info->summary);
  result.reason = std::move(reason);
  return result;
}

std::vector<CheckResult> all_undetermined(const std::string& reason) {
  std::vector<CheckResult> checks;
  for (const std::string& check : review::check_names()) checks.push_back(undetermined(check, reason));
  return checks;
}

// Whether the write made or dropped a macro that the query may call. A macro hides a function or operator of its name.
bool changes_a_function(const ledger::QueryRecord& write, std::string_view query) {
  const std::vector<sql::Token> tokens = sql::tokenize(write.sql);
  constexpr std::size_t kBeforeName = 5;  // CREATE OR REPLACE TEMP MACRO
  const auto begin = tokens.begin();
  const auto end = begin + static_cast<std::ptrdiff_t>(std::min(tokens.size(), kBeforeName));
  const bool macro = std::any_of(begin, end, [](const sql::Token& token) {
    return sql::is_word(token, "macro") || sql::is_word(token, "function");
  });
  if (!macro) return false;
  const bool word = !write.target.empty() && std::ranges::all_of(write.target, [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c >= 0x80;
  });
  // An operator has no name in the text.
  if (!word) return true;
  return std::ranges::any_of(sql::tokenize(query), [&](const sql::Token& token) {
    const bool name = token.kind == sql::TokenKind::kWord || token.kind == sql::TokenKind::kQuoted;
    return name && same_name(sql::identifier(token), write.target);
  });
}

// A server says that something was written, and not to which table. Sequences and foreign tables escape it.
std::string change_of_server(const std::string& then, engine::Engine& engine) {
  constexpr std::int64_t kPatienceMs = 5'000;
  engine::RunRequest request;
  request.sql = "SELECT 1";
  request.lane = engine::Lane::kReview;
  request.deadline_ms = kPatienceMs;
  const Result<std::unique_ptr<engine::RowStream>> now = engine.run(request, {});
  const bool same = now.ok() && !then.empty() && (*now)->header().state == then;
  return same ? "" : "change-unknown";
}

// The checks that found something, of a receipt from the hold before it, too.
std::vector<std::string> findings_of(const CommitOutcome& outcome) {
  std::vector<std::string> findings;
  if (!outcome.held && outcome.receipt.acknowledged) {
    for (const Node& check : outcome.document["receipt"]["checks"].items()) {
      if (check.string_or("verdict", "") == "finding") findings.emplace_back(check.string_or("check", ""));
    }
    return findings;
  }
  for (const CheckResult& check : outcome.held ? outcome.hold.checks : outcome.receipt.checks) {
    if (check.verdict == Verdict::kFinding) findings.push_back(check.check);
  }
  return findings;
}

}  // namespace

// A commit on its way.
struct Service::Submission {
  Caller caller;
  ledger::TurnKey turn;
  Node input;
  std::string digest;
  std::vector<ledger::QueryRecord> queries;  // of the turn
  std::optional<ledger::QueryRecord> named;  // by query_id
  std::optional<ledger::QueryRecord> located;
  Receipt receipt;

  [[nodiscard]] bool unresolved() const { return !input["unresolved"].is_null(); }
};

review::Settings Service::review_settings() const {
  review::Settings settings;
  settings.enabled = configuration_.review_enabled;
  settings.probe = configuration_.review_probe == "scratch" ? review::ProbeScope::kScratch
                   : configuration_.review_probe == "all"   ? review::ProbeScope::kAll
                                                            : review::ProbeScope::kLocal;
  settings.rows_max = static_cast<std::uint64_t>(configuration_.review_max_rows);
  settings.key_chars_max = static_cast<std::uint64_t>(configuration_.review_max_key_chars);
  settings.statement_ms = configuration_.limit("statement_seconds") * 1000;
  return settings;
}

review::Context Service::review_context(Session& session, const Route& route, std::string_view sql) {
  review::Context context;
  context.engine = route.engine;
  context.dialect = std::string(route.dialect());
  context.source = route.source;
  context.settings = review_settings();
  if (!route.source.empty()) return context;  // only the scratch database is written to
  const Result<std::vector<ledger::QueryRecord>> writes = ledger_->writes_after(session.name(), "");
  if (!writes.ok()) {
    context.made_by_join = "a statement that can't be read (" + writes.error().message + ")";
    return context;
  }
  const Lineage joins(*writes, [&](std::size_t position, std::string_view read) {
    const std::string& kind = (*writes)[position].kind;
    const bool fills = kind == "create" || kind == "insert" || kind == "materialize";
    // What materialize copied may have been a query of another engine, which this one may not be able to parse.
    return fills && review::joins_tables(read, *route.engine) ? Marks{position} : Marks{};
  });
  if (const Marks made = joins.of(sql); !made.empty()) context.made_by_join = (*writes)[*made.rbegin()].id;
  return context;
}

Result<Service::Submission> Service::read_submission(const Caller& caller, const Prepared& prepared,
                                                     const Node& input) {
  Submission submission;
  submission.caller = caller;
  submission.turn = prepared.turn;
  submission.input = input;
  submission.digest = digest_of(input);
  const std::string query_id(input.string_or("query_id", ""));
  if (!query_id.empty()) {
    CANDOR_ASSIGN(submission.named, ledger_->query(caller.session, query_id));
  }
  return submission;
}

// Whether something that the query read changed after it ran: the reason code, or nothing.
std::string Service::changed_since(const ledger::QueryRecord& query, Session& session, engine::Engine& engine) {
  const std::vector<engine::TableName> tables = review::tables_of(query.sql, engine);
  const Result<Node> then = json::parse(query.source_versions.empty() ? "{}" : query.source_versions);
  if (!then.ok()) return "engine-fault";
  // What was written while the query ran, it may not have seen.
  const std::string since(then->string_or(kScratch, query.id));
  const Result<std::vector<ledger::QueryRecord>> writes = ledger_->writes_after(query.turn.session, since);
  if (!writes.ok()) return "engine-fault";
  for (const ledger::QueryRecord& write : *writes) {
    if (changes_a_function(write, query.sql)) return "data-changed";
    for (const engine::TableName& table : tables) {
      if (same_name(write.target, table.table) && (table.source.empty() || same_name(table.source, kScratch))) {
        return "data-changed";
      }
    }
  }
  if (query.engine == "postgres") return change_of_server(std::string(then->string_or(query.source, "")), engine);
  for (const auto& [source, now] : session.source_versions()) {
    const bool read =
        same_name(source, query.source) ||
        std::ranges::any_of(tables, [&](const engine::TableName& table) { return same_name(table.source, source); });
    if (read && then->string_or(source, "") != now) return "data-changed";
  }
  return {};
}

void Service::review_submission(Submission& submission, Session& session) {
  const auto began = std::chrono::steady_clock::now();
  Receipt& receipt = submission.receipt;
  const ledger::QueryRecord* record = nullptr;
  std::vector<review::ShownQuery> queries;
  for (const ledger::QueryRecord& query : submission.queries) queries.push_back(shown(query));
  std::optional<review::ShownQuery> named;
  if (submission.named) named = shown(*submission.named);
  const review::Located located = review::locate(submission.input, queries, named ? &*named : nullptr);
  if (located.query != nullptr) {
    if (named) {
      record = &*submission.named;
    } else {
      const auto found = std::ranges::find(submission.queries, located.query->id, &ledger::QueryRecord::id);
      record = &*found;
    }
  }
  receipt.query_reason = located.reason;
  receipt.checks.push_back(review::check_values_shown(located));
  if (record == nullptr) {
    for (CheckResult& check : all_undetermined(located.reason)) {
      if (check.check != receipt.checks.front().check) receipt.checks.push_back(std::move(check));
    }
    return;
  }
  submission.located = *record;
  receipt.query_id = record->id;
  receipt.query_sql = record->sql;
  receipt.scope = record->scope;
  const Result<Route> route = session.engine_of(record->source);
  std::string reason = "engine-fault";
  if (route.ok()) {
    // Of a source that is not published in this call nothing can be asked, least of all another engine.
    reason = route->source != record->source ? "unknown-source" : changed_since(*record, session, *route->engine);
  }
  std::vector<CheckResult> checks;
  if (!reason.empty()) {
    for (CheckResult& check : all_undetermined(reason)) {
      if (check.check != receipt.checks.front().check) checks.push_back(std::move(check));
    }
  } else {
    review::Context context = review_context(session, *route, record->sql);
    context.temporary_objects = texts_of(record->temporary_objects);
    context.basis = std::string(submission.input.string_or("basis", ""));
    context.note = std::string(submission.input["rows"].string_or("note", ""));
    checks = review::review_query(record->sql, context);
  }
  receipt.checks.insert(receipt.checks.end(), std::make_move_iterator(checks.begin()),
                        std::make_move_iterator(checks.end()));
  receipt.join_check_ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - began).count();
}

Result<CommitOutcome> Service::accept(Submission& submission, bool acknowledged, const Node* stored_receipt) {
  CommitOutcome outcome;
  outcome.status = "committed";
  outcome.receipt = submission.receipt;
  outcome.receipt.acknowledged = acknowledged;
  const Node receipt = stored_receipt != nullptr ? *stored_receipt : receipt_document(outcome.receipt);
  ledger::AnswerRecord answer;
  answer.turn = submission.turn;
  answer.body = json::dump(submission.input);
  answer.digest = submission.digest;
  answer.state = submission.unresolved() ? "unresolved" : acknowledged ? "acknowledged" : "committed";
  answer.query_id =
      stored_receipt != nullptr ? std::string(receipt.string_or("query_id", "")) : submission.receipt.query_id;
  answer.receipt = json::dump(receipt);
  answer.committed_ms = unix_ms();
  CANDOR_ASSIGN(outcome.answer_id, ledger_->record_answer(answer));
  outcome.document = Node::object();
  outcome.document.set("status", Node::string("committed")).set("answer_id", Node::string(outcome.answer_id));
  if (submission.unresolved()) outcome.document.set("state", Node::string("unresolved"));
  outcome.document.set("receipt", receipt);
  return outcome;
}

Result<CommitOutcome> Service::hold(Submission& submission) {
  CommitOutcome outcome;
  outcome.held = true;
  outcome.hold = {submission.receipt.checks, submission.receipt.query_id, submission.receipt.join_check_ms};
  outcome.document = hold_document(outcome.hold);
  Receipt acknowledged = submission.receipt;
  acknowledged.acknowledged = true;
  CANDOR_TRY(ledger_->hold(submission.turn, submission.digest, json::dump(receipt_document(acknowledged))));
  return outcome;
}

Result<CommitOutcome> Service::review_in_slot(Submission& submission, Session& session) {
  try {
    review_submission(submission, session);
  } catch (const std::exception& fault) {
    // A fault of the review blocks no commit, and is never called clean.
    submission.receipt.checks = all_undetermined("engine-fault");
    for (CheckResult& check : submission.receipt.checks) check.message += std::string(": ") + fault.what();
  }
  const bool fired = std::ranges::any_of(submission.receipt.checks,
                                         [](const CheckResult& check) { return check.verdict == Verdict::kFinding; });
  if (fired) {
    Result<CommitOutcome> held = hold(submission);
    if (!held.ok()) leave_slot(submission.turn);
    return held;
  }
  if (Status released = ledger_->release_slot(submission.turn); !released.ok()) {
    leave_slot(submission.turn);
    return std::move(released).error();
  }
  return accept(submission, false, nullptr);
}

// A slot whose hold could not be written must not let the next commit of the turn pass unreviewed.
void Service::leave_slot(const ledger::TurnKey& turn) {
  const std::lock_guard hold(mutex_);
  left_slots_.push_back(turn);
}

void Service::release_left_slots() {
  std::vector<ledger::TurnKey> left;
  {
    const std::lock_guard hold(mutex_);
    left.swap(left_slots_);
  }
  for (const ledger::TurnKey& turn : left) {
    if (!ledger_->release_slot(turn).ok()) leave_slot(turn);
  }
}

// A commit is never broken off half-way, so the caller's token is not asked.
Result<CommitOutcome> Service::commit(const Caller& caller, const Node& input, CancelToken /*cancel*/) {
  const auto began = std::chrono::steady_clock::now();
  ledger::TurnKey turn;
  Result<CommitOutcome> outcome = submit(caller, input, turn);
  tell_commit(caller, turn, outcome,
              std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - began).count());
  return outcome;
}

void Service::tell_commit(const Caller& caller, const ledger::TurnKey& turn, const Result<CommitOutcome>& outcome,
                          double duration_ms) {
  ledger::Telemetry telemetry;
  telemetry.surface = caller.surface;
  telemetry.caller = utf8_prefix(caller.name, 80);
  telemetry.session = turn.session;
  telemetry.turn = turn.turn;
  telemetry.statement_type = "answer_commit";
  telemetry.duration_ms = duration_ms;
  telemetry.succeeded = outcome.ok() && !outcome->held;
  ledger::CommitPart part;
  part.state = "refused";
  if (!outcome.ok()) {
    telemetry.error_code = outcome.error().code;
  } else {
    telemetry.result_chars = json::dump(outcome->document).size();
    if (outcome->held) telemetry.error_code = "held";
    part.findings = findings_of(*outcome);
    for (const std::string& check : part.findings) telemetry.reason += (telemetry.reason.empty() ? "" : ",") + check;
    part.state = outcome->held                     ? "held"
                 : outcome->receipt.acknowledged   ? "acknowledged"
                 : outcome->document.find("state") ? "unresolved"
                                                   : "committed";
  }
  if (!turn.session.empty()) telemetry.commit = &part;
  tell(telemetry);
}

Result<CommitOutcome> Service::submit(const Caller& caller, const Node& input, ledger::TurnKey& turn) {
  Caller who = caller;
  who.session = input.string_or("session", caller.session);
  who.turn = input.string_or("turn_id", caller.turn);
  CANDOR_ASSIGN(const Prepared prepared, prepare(who));
  turn = prepared.turn;
  CANDOR_TRY(check_input(input));
  // What is reviewed must be what the query read: here the files are looked at in any case.
  prepared.session->refresh_sources(true);
  CANDOR_ASSIGN(Submission submission, read_submission(who, prepared, input));
  if (submission.unresolved()) return accept(submission, false, nullptr);
  if (!configuration_.review_enabled) {
    submission.receipt.checks = all_undetermined("off");
    return accept(submission, false, nullptr);
  }
  CANDOR_ASSIGN(submission.queries, ledger_->completed_queries(submission.turn));
  release_left_slots();
  // The slot is taken before anything is looked at, so that two commits at once give one review.
  CANDOR_ASSIGN(const ledger::Slot slot, ledger_->reserve_slot(submission.turn));
  if (slot.mine) return review_in_slot(submission, *prepared.session);
  if (slot.state == ledger::Slot::State::kHeld && slot.digest == submission.digest) {
    CANDOR_ASSIGN(const Node stored, json::parse(slot.hold));
    return accept(submission, true, &stored);
  }
  submission.receipt.checks = all_undetermined("reviewed-this-turn");
  return accept(submission, false, nullptr);
}

}  // namespace candor
