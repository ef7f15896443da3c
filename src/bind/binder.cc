// Statements of a batch, and errors with their repairs.
#include "bind/binder.h"

#include <algorithm>
#include <utility>

#include "base/shorten.h"
#include "bind/binding.h"

namespace candor::bind {

Bound bind(std::string_view sql, const dialect::Parsed& parsed, const BindContext& context) {
  return Binding(sql, context).run(parsed);
}

Bound Binding::run(const dialect::Parsed& parsed) && {
  check_batch(parsed);
  for (const dialect::Statement& one : parsed.statements) statement(one);
  return std::move(bound_);
}

void Binding::check_batch(const dialect::Parsed& parsed) {
  const dialect::Statement* discovery = nullptr;
  const dialect::Statement* read = nullptr;
  const dialect::Statement* write = nullptr;
  for (const dialect::Statement& one : parsed.statements) {
    const dialect::Statement*& kind = one.discovery != nullptr ? discovery : one.select != nullptr ? read : write;
    if (kind == nullptr) kind = &one;
  }
  statement_span_ = {0, sql_.size()};
  if (discovery != nullptr && parsed.count > 1) {
    error("discovery-in-batch", "'" + text_of(discovery->span) + "' stands together with other statements",
          discovery->span, "send it alone, read its result, then write the others");
  }
  if (read != nullptr && write != nullptr) {
    error("mixed-batch", "reads and writes stand in one batch: '" + text_of(write->span).substr(0, 60) + "' writes",
          write->span, "send the reads in one call and the writes in another");
  }
  edits_.clear();
}

void Binding::statement(const dialect::Statement& parsed) {
  BoundStatement made;
  made.span = parsed.span;
  statement_ = &made;
  statement_span_ = parsed.span;
  first_error_ = bound_.errors.size();
  const std::size_t faults = faults_;
  edits_.clear();
  common_.clear();
  relations_.clear();
  next_relation_ = 0;
  use_ = Use::kRead;
  terms_ = 0;
  if (parsed.select != nullptr) made.select = select(*parsed.select, true);
  if (parsed.write != nullptr) made.write = write(*parsed.write);
  if (parsed.discovery != nullptr) made.discovery = discovery(*parsed.discovery);
  finish_errors();
  statement_ = nullptr;
  if (faults_ == faults) bound_.statements.push_back(std::move(made));
}

namespace {

constexpr std::size_t kErrorsMax = 40;
constexpr std::size_t kWarningsMax = 20;       // of one statement
constexpr std::size_t kFixMax = 20'000;        // bytes; a longer one is no help
constexpr std::size_t kTermsMax = 40'000;      // of one statement, its stars and aliases written out
constexpr std::size_t kAllTermsMax = 120'000;  // of a batch

}  // namespace

std::string Binding::short_text_of(Span span) const {
  constexpr std::size_t kTextMax = 300;
  const std::string_view text = sql_.substr(span.start, span.end - span.start);
  if (text.size() <= kTextMax) return std::string(text);
  return both_ends(std::string(text.substr(0, kTextMax)) + std::string(text.substr(text.size() - kTextMax)), kTextMax);
}

bool Binding::told_enough() const { return bound_.errors.size() >= kErrorsMax; }

bool Binding::spend(std::size_t terms, Span span) {
  terms_ += terms;
  all_terms_ += terms;
  const bool one = terms_ > kTermsMax;
  if (!one && all_terms_ <= kAllTermsMax) return true;
  ++faults_;  // what is not bound is an error, though it is told once
  if (std::exchange(spent_, true)) return false;
  const std::string most = std::to_string(one ? kTermsMax : kAllTermsMax);
  (void)error("over-limit",
              std::string(one ? "the statement stands" : "the statements stand") + " for more than " + most +
                  " terms, with each * and alias written out",
              span, "write it in several calls, or with fewer columns");
  return false;
}

BoundPtr Binding::error(std::string_view code, std::string message, Span span, std::string hint, std::string detail,
                        std::optional<Edit> edit) {
  ++faults_;
  const bool told = std::ranges::any_of(bound_.errors, [&](const Diagnostic& other) {
    return other.code == code && other.span == span && other.message == message;
  });
  if (told) return nullptr;
  if (told_enough()) {
    edits_.emplace_back(std::nullopt);  // what is not told has no repair
    return nullptr;
  }
  Diagnostic made = make_error(code, std::move(message), std::move(hint), std::move(detail));
  made.span = span;
  shorten(made);
  bound_.errors.push_back(std::move(made));
  edits_.push_back(std::move(edit));
  return nullptr;
}

// The corrected statement is certain only when every error of it has a repair; all are applied at once.
void Binding::finish_errors() {
  const bool short_enough = statement_span_.end - statement_span_.start <= kFixMax;
  const bool all =
      short_enough && !edits_.empty() && std::ranges::all_of(edits_, [](const auto& edit) { return edit.has_value(); });
  if (!all) return;
  std::vector<Edit> edits;
  for (auto& edit : edits_) {
    const bool twice = std::ranges::any_of(edits, [&](const Edit& other) { return other.span == edit->span; });
    if (!twice) edits.push_back(*std::move(edit));
  }
  std::ranges::sort(edits, {}, [](const Edit& edit) { return edit.span.start; });
  std::string fixed;
  std::size_t at = statement_span_.start;
  for (const Edit& edit : edits) {
    if (edit.span.start < at || edit.span.end > statement_span_.end) return;  // they overlap: not certain
    fixed += sql_.substr(at, edit.span.start - at);
    fixed += edit.text;
    at = edit.span.end;
  }
  fixed += sql_.substr(at, statement_span_.end - at);
  for (std::size_t i = first_error_; i < bound_.errors.size(); ++i) bound_.errors[i].fix = fixed;
}

void Binding::warn(std::string_view code, std::string message, std::string hint) {
  if (statement_->warnings.size() >= kWarningsMax) return;
  message = short_line(std::move(message));
  hint = short_line(std::move(hint));
  const bool told = std::ranges::any_of(
      statement_->warnings, [&](const BoundWarning& other) { return other.code == code && other.message == message; });
  if (!told) statement_->warnings.push_back({std::string(code), std::move(message), std::move(hint)});
}

std::unique_ptr<BoundDiscovery> Binding::discovery(const dialect::Discovery& parsed) {
  auto made = std::make_unique<BoundDiscovery>();
  made->kind = parsed.kind;
  made->pattern = parsed.pattern;
  if (parsed.kind == dialect::Discovery::Kind::kColumns) {
    made->resource = resource(parsed.resource, parsed.resource.empty() ? parsed.span : parsed.resource.back().span);
    if (made->resource == nullptr) return nullptr;
  }
  return made;
}

}  // namespace candor::bind
