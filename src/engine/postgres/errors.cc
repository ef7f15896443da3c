// SQLSTATE decides; the server's words may be in any language, and are passed on as they are.
#include "engine/postgres/errors.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "base/ascii.h"
#include "engine/postgres/tokens.h"

namespace candor::engine::postgres {
namespace {

// What a state means where nothing but the server's message is to be told. By class where the last three are "***".
struct Meaning {
  std::string_view state, code, hint;
};
constexpr Meaning kMeanings[] = {
    {"42601", "syntax", ""},
    {"42602", "syntax", ""},
    {"42622", "syntax", ""},
    {"42P02", "syntax", "write the value into the statement"},
    {"42702", "ambiguous-column", "write the table before the column: t.column"},
    {"42803", "not-grouped", "add the column to GROUP BY, or aggregate it"},
    {"42725", "type-mismatch", "write a cast: x::type"},
    {"42804", "type-mismatch", "write a cast: x::type"},
    {"42846", "type-mismatch", ""},
    {"42883", "type-mismatch", "write a cast: x::type"},
    {"42P18", "type-mismatch", "write a cast: x::type"},
    {"42P22", "type-mismatch", "say which rule is meant: x COLLATE \"C\""},
    {"22P02", "type-mismatch", ""},
    {"22007", "type-mismatch", ""},
    {"22008", "type-mismatch", ""},
    {"22011", "bad-argument", ""},
    {"22025", "bad-argument", ""},
    {"22021", "invalid-text", ""},
    {"22P05", "invalid-value", "cast the column to bytea to see its bytes"},
    {"22012", "engine-error", "NULLIF(divisor, 0) gives NULL instead"},
    {"25006", "read-only", "copy the rows with materialize and change them in the scratch database"},
    {"40001", "concurrent-change", "read the rows again, and repeat the write if it still makes sense"},
    {"40P01", "concurrent-change", "read the rows again, and repeat the write if it still makes sense"},
    {"42501", "not-published", "ask for what candor schema shows, or let the operator GRANT SELECT to the role"},
    {"53100", "disk-full", ""},
    {"53200", "engine-error", "narrow the statement"},
    {"53300", "busy", "run the statement again when other connections have ended"},
    {"55P03", "busy", "run the statement again when the other writer has ended"},
    {"54***", "over-limit", "write a shorter or flatter statement"},
    {"0A***", "statement-not-allowed", "write a SELECT"},
};

const Meaning* meaning_of(std::string_view state) {
  const auto* found = std::ranges::find_if(kMeanings, [&](const Meaning& meaning) {
    return meaning.state == state || (meaning.state.ends_with("***") && state.starts_with(meaning.state.substr(0, 2)));
  });
  return found == std::end(kMeanings) ? nullptr : found;
}

// The name at a position: the tokens a.b.c from there on.
struct Place {
  std::optional<Span> span;
  std::vector<std::string> parts;
  bool quoted = false;  // the last one
  bool is_operator = false;
  bool changes_rows = false;  // it is the word INSERT, UPDATE, DELETE or MERGE
  [[nodiscard]] std::string name() const { return parts.empty() ? std::string() : parts.back(); }
};

// Bytes to the character `position`, which counts from 1 and over what was sent before the text.
std::optional<std::size_t> offset_of(std::string_view body, std::size_t prefix, std::size_t position) {
  if (position <= prefix) return std::nullopt;
  std::size_t left = position - prefix;
  for (std::size_t i = 0; i < body.size(); ++i) {
    if ((static_cast<unsigned char>(body[i]) & 0xC0U) != 0x80U && --left == 0) return i;
  }
  return std::nullopt;
}

Place place_of(const Fault& fault, const Sent& sent) {
  Place place;
  if (!fault.position) return place;
  const std::string_view body = sent.sql.substr(std::min(sent.body_at, sent.sql.size()));
  const auto at = offset_of(body, sent.prefix, *fault.position);
  if (!at) return place;
  const std::size_t start = sent.body_at + *at;
  place.span = Span{start, std::min(start + 1, sent.sql.size())};
  const auto tokens = tokenize(sent.sql);
  if (!tokens.ok()) return place;
  auto token = std::ranges::find(*tokens, start, [](const Token& one) { return one.span.start; });
  if (token == tokens->end()) return place;
  place.span = token->span;
  place.is_operator = token->kind == TokenKind::kOperator;
  for (const std::string_view word : {"insert", "update", "delete", "merge"}) {
    place.changes_rows = place.changes_rows || is_word(*token, word);
  }
  while (token != tokens->end() && is_name(*token)) {
    place.parts.push_back(name_of(*token));
    place.quoted = token->kind == TokenKind::kQuoted;
    place.span->end = token->span.end;
    if (std::distance(token, tokens->end()) < 3 || !is_mark(*(token + 1), ".")) break;
    token += 2;
  }
  return place;
}

std::string quoted_text(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("''") : std::string(1, c);
  return quoted + "'";
}

Diagnostic missing(const Place& place, std::string_view code, std::string_view what, const Fault& fault) {
  std::string name = place.name();
  // Of `x.a` without an x in FROM the server says which of the two it misses.
  for (const std::string& part : place.parts) {
    if (code == "unknown-table" && fault.message.find(part) != std::string::npos) name = part;
  }
  Diagnostic made = make_error(code, fault.message, fault.hint, name);
  if (!name.empty()) made.message = "there is no " + std::string(what) + " " + name;
  if (code == "unknown-column" && place.quoted) made.hint = "write a text in single quotes: " + quoted_text(name);
  return made;
}

Diagnostic translated(const Fault& fault, const SourceSpec& source, const Sent& sent, const Place& place) {
  const std::string& state = fault.state;
  if (state.starts_with("23")) return constraint_error(fault);
  if (state == "22003") return range_error(fault, "cast to numeric: x::numeric");
  if (state == "42P01" || state == "3F000") return missing(place, "unknown-table", "table", fault);
  if (state == "42703") return missing(place, "unknown-column", "column", fault);
  if (state == "42883" && !place.is_operator && !place.parts.empty() &&
      std::ranges::find(sent.known, place.name()) == sent.known.end()) {
    return missing(place, "unknown-function", "function", fault);
  }
  if (state == "21000") {
    // In a write: ON CONFLICT DO UPDATE would change one row twice.
    const std::string_view code = sent.changes_rows ? "duplicate-key" : "subquery-rows";
    return make_error(code, fault.message, fault.hint);
  }
  // A cursor is declared for queries alone: at UPDATE the grammar ends, and WITH … DELETE … is no feature of it.
  if (sent.changes_rows && (state.starts_with("0A") || (state == "42601" && place.changes_rows))) {
    return make_error("read-only", "source " + source.name + " is published for reading",
                      "copy the rows with materialize and change them in the scratch database");
  }
  const Meaning* meaning = meaning_of(state);
  if (meaning == nullptr) return make_error("engine-error", fault.message, fault.hint);
  return make_error(meaning->code, fault.message, fault.hint.empty() ? std::string(meaning->hint) : fault.hint);
}

}  // namespace

Diagnostic constraint_error(const Fault& fault) {
  if (fault.state == "23505") {
    return make_error("duplicate-key", "a row with this key exists already", "update it, or choose another key",
                      fault.constraint);
  }
  if (fault.state == "23502") {
    return make_error("null-not-allowed",
                      fault.column.empty() ? fault.message : "column " + fault.column + " can't be NULL",
                      "give it a value", fault.column);
  }
  const std::string rule = fault.constraint.empty() ? ": " + fault.message : " by its rule " + fault.constraint;
  return make_error("constraint-violation", "the source refused the row" + rule, "give values that the rule admits",
                    fault.constraint);
}

Diagnostic range_error(const Fault& fault, std::string integer_hint) {
  const std::string text = lower_ascii(fault.message);
  const bool integer = text.find("integer") != std::string::npos || text.find("bigint") != std::string::npos ||
                       text.find("smallint") != std::string::npos;
  if (integer) return make_error("integer-overflow", fault.message, std::move(integer_hint));
  return make_error("number-overflow", fault.message);
}

Diagnostic stopped_error(Stop stop) {
  if (stop == Stop::kCancelled) return make_error("cancelled", "the statement was cancelled");
  return make_error("statement-timeout", "the statement ran into its deadline",
                    "narrow the statement, or raise the limit statement_seconds");
}

Diagnostic statement_error(const Fault& fault, const SourceSpec& source, const Sent& sent) {
  if (fault.stopped != Stop::kNone && (fault.lost || fault.state == "57014")) return stopped_error(fault.stopped);
  if (fault.state == "57014") return stopped_error(Stop::kDeadline);
  if (fault.lost) {
    return make_error("engine-died", "the connection to source " + source.name + " ended during the statement",
                      "run the statement again when the server is back", fault.message);
  }
  if (sent.contract) return contract_error(fault);
  const Place place = place_of(fault, sent);
  Diagnostic made = translated(fault, source, sent, place);
  if (!made.span) made.span = place.span;
  return made;
}

Diagnostic own_error(const Fault& fault, const SourceSpec& source) { return statement_error(fault, source, {}); }

}  // namespace candor::engine::postgres
