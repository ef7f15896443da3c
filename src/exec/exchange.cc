// One frame carries what was put off and the question that it goes along with; answers are judged in that order.
#include "exec/exchange.h"

#include <algorithm>

namespace candor::exec {
namespace {

// More than this is not put off: it has to lie in memory here and there.
constexpr std::size_t kWaitingMax = 256;
constexpr std::size_t kBytesMax = std::size_t{1} << 20U;

std::size_t bytes_of(const lower::Lowered& lowered) {
  std::size_t bytes = lowered.sql.size();
  for (const Value& value : lowered.parameters) bytes += sizeof value + value.text.size();
  return bytes;
}

}  // namespace

Diagnostic Exchange::fail(std::size_t statement, Diagnostic why) {
  failed_ = std::move(why);
  failed_statement_ = statement;
  waiting_.clear();
  return *failed_;
}

Status Exchange::later(lower::Lowered lowered, std::function<Status(const Rows&)> judge) {
  bytes_ += bytes_of(lowered);
  waiting_.push_back({std::move(lowered), std::move(judge), statement_});
  if (waiting_.size() < kWaitingMax && bytes_ < kBytesMax) return Ok{};
  return settle();
}

Status Exchange::in_turn(std::function<Status()> action) {
  if (failed_) return *failed_;
  if (waiting_.empty()) return action();
  waiting_.push_back({std::nullopt, [action = std::move(action)](const Rows&) { return action(); }, statement_});
  return Ok{};
}

Result<std::optional<Rows>> Exchange::settle_with(const lower::Lowered* question) {
  if (failed_) return *failed_;
  const std::vector<Waiting> waiting = std::exchange(waiting_, {});
  bytes_ = 0;
  std::vector<const lower::Lowered*> statements;
  for (const Waiting& one : waiting) {
    if (one.lowered) statements.push_back(&*one.lowered);
  }
  if (question != nullptr) statements.push_back(question);
  std::vector<Result<Rows>> given =
      run_all(statements, environment_, transaction_, environment_.memory_bytes, environment_.statement_ms, cancel_);
  std::size_t next = 0;
  const Rows nothing;
  for (const Waiting& one : waiting) {
    if (one.lowered && !given.at(next).ok()) return fail(one.statement, std::move(given[next]).error());
    const Status judged = one.judge(one.lowered ? *given[next] : nothing);
    if (!judged.ok()) return fail(one.statement, judged.error());
    if (one.lowered) ++next;
  }
  if (question == nullptr) return std::optional<Rows>();
  if (!given.at(next).ok()) return std::move(given[next]).error();
  return std::optional<Rows>(*std::move(given[next]));
}

Status Exchange::settle() {
  if (!failed_ && waiting_.empty()) return Ok{};
  CANDOR_TRY(settle_with(nullptr));
  return Ok{};
}

Result<Rows> Exchange::ask(const lower::Lowered& question) {
  CANDOR_ASSIGN(std::optional<Rows> rows, settle_with(&question));
  return *std::move(rows);
}

Result<std::uint64_t> Exchange::ask_count(const lower::Lowered& question) {
  CANDOR_ASSIGN(const Rows rows, ask(question));
  return count_of(rows);
}

Result<std::vector<std::optional<Rows>>> Exchange::ask_all(const std::vector<lower::Lowered>& questions) {
  CANDOR_TRY(settle());
  std::vector<const lower::Lowered*> asked;
  asked.reserve(questions.size());
  for (const lower::Lowered& question : questions) asked.push_back(&question);
  // Together they take no more memory than one may.
  const std::uint64_t each = environment_.memory_bytes / std::max<std::size_t>(questions.size(), 1);
  std::vector<Result<Rows>> given =
      run_all(asked, environment_, transaction_, each, environment_.statement_ms, cancel_);
  std::vector<std::optional<Rows>> answers;
  for (Result<Rows>& one : given) {
    if (one.ok()) {
      answers.emplace_back(*std::move(one));
    } else if (one.error().code == "result-too-large") {
      answers.emplace_back();
    } else {
      return std::move(one).error();
    }
  }
  return answers;
}

}  // namespace candor::exec
