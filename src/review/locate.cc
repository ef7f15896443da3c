// Finds the query whose output shows the committed values. Rules: docs/review.md, "Which query".
// Values are compared as digit strings and texts, never as doubles. Pure: no engine, no ledger.
#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/render_json.h"
#include "review/decimal.h"
#include "review/review.h"
#include "sql/lexer.h"

namespace candor::review {
namespace {

constexpr std::size_t kTextMin = 3;  // characters of a text that does not appear by chance

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

// ---- what the answer says ----

struct Committed {
  std::string text;  // as the answer has it, for messages
  std::optional<Decimal> number;
  bool boolean = false;
  bool truth = false;
  bool evidence = false;
};

Committed committed_of(const json::Node& node) {
  Committed value;
  if (node.is_boolean()) {
    value.boolean = true;
    value.truth = node.truth();
    value.text = value.truth ? "true" : "false";
    return value;
  }
  value.text = node.is_number() ? node.text() : std::string(trimmed(node.text()));
  value.number = node.is_number() ? parse_number(value.text) : parse_written_number(value.text);
  value.evidence = value.number ? is_telling(*value.number) : utf8_length(value.text) >= kTextMin;
  return value;
}

// Every scalar below `node`, once each, in the order of the text. Nulls say nothing.
void collect_committed(const json::Node& node, std::vector<Committed>& values, std::unordered_set<std::string>& seen) {
  if (node.is_array()) {
    for (const json::Node& item : node.items()) collect_committed(item, values, seen);
  } else if (node.is_object()) {
    for (const auto& [name, member] : node.members()) collect_committed(member, values, seen);
  } else if (!node.is_null()) {
    Committed value = committed_of(node);
    if (value.text.empty()) return;
    if (seen.insert(value.text).second) values.push_back(std::move(value));
  }
}

std::vector<Committed> committed_values(const json::Node& answer) {
  std::vector<Committed> values;
  std::unordered_set<std::string> seen;
  collect_committed(answer["fields"], values, seen);
  collect_committed(answer["rows"]["values"], values, seen);
  return values;
}

// ---- what a query shows ----

// The cells of one output, ready to be looked up.
class Shown {
 public:
  explicit Shown(const ShownQuery& query) {
    const auto& columns = query.columns.items();
    for (const json::Node& row : query.rows.items()) {
      for (std::size_t i = 0; i < row.items().size(); ++i) {
        const bool map = i < columns.size() && columns[i].string_or("type", "").starts_with("MAP(");
        add(row.items()[i], map);
      }
    }
    for (auto& numbers : numbers_) {
      std::sort(numbers.begin(), numbers.end(),
                [](const Decimal& a, const Decimal& b) { return compare_magnitude(a, b) < 0; });
    }
  }

  [[nodiscard]] bool has(const Committed& value) const {
    if (value.boolean) return has_truth_[value.truth ? 1 : 0];
    if (value.number) return has_number(*value.number);
    return texts_.contains(value.text);
  }

 private:
  void add(const json::Node& cell, bool map) {
    switch (cell.kind()) {
      case json::Kind::kNull:
        return;
      case json::Kind::kBoolean:
        has_truth_[cell.truth() ? 1 : 0] = true;
        return;
      case json::Kind::kNumber:
        add_number(parse_number(cell.text()));
        return;
      case json::Kind::kString:
        add_text(cell.text());
        return;
      case json::Kind::kArray:
        for (const json::Node& item : cell.items()) add(item, map);
        return;
      case json::Kind::kObject:
        add_object(cell, map);
        return;
    }
  }

  // A struct's names are no values; a map's keys are. The bytes of a blob and a cut text are not the value.
  void add_object(const json::Node& cell, bool map) {
    if (cell.find("base64") != nullptr && cell.members().size() == 2) return;
    if (cell["cut"].truth() && cell.find("chars") != nullptr) return;
    for (const auto& [name, member] : cell.members()) {
      if (map) add_text(name);
      add(member, map);
    }
  }

  void add_number(std::optional<Decimal> number) {
    if (!number) return;
    // Engines without booleans show them as 0 and 1.
    if (is_zero(*number)) has_truth_[0] = true;
    if (number->whole == "1" && number->fraction.empty() && !number->negative) has_truth_[1] = true;
    numbers_[number->negative ? 1 : 0].push_back(*std::move(number));
  }

  void add_text(std::string_view text) {
    text = trimmed(text);
    if (auto number = parse_written_number(text)) return add_number(std::move(number));
    texts_.emplace(text);
    if (text == "true" || text == "false") has_truth_[text == "true" ? 1 : 0] = true;
    // A timestamp at midnight is what a date becomes in many engines.
    constexpr std::size_t kDateLength = 10;
    const std::string_view time = text.size() == kDateLength + 9 ? text.substr(kDateLength) : std::string_view{};
    if (time == " 00:00:00" || time == "T00:00:00") texts_.emplace(text.substr(0, kDateLength));
  }

  [[nodiscard]] bool has_number(const Decimal& committed) const {
    // What rounds to zero may have either sign.
    if (is_zero(committed)) return has_magnitude(committed, false) || has_magnitude(committed, true);
    return has_magnitude(committed, committed.negative);
  }

  [[nodiscard]] bool has_magnitude(const Decimal& committed, bool negative) const {
    const Interval interval = rounding_interval(committed);
    const auto& numbers = numbers_[negative ? 1 : 0];
    const auto at = std::lower_bound(numbers.begin(), numbers.end(), interval.from,
                                     [](const Decimal& a, const Decimal& b) { return compare_magnitude(a, b) < 0; });
    return at != numbers.end() && compare_magnitude(*at, interval.below) < 0;
  }

  std::vector<Decimal> numbers_[2];  // positive and negative, each by magnitude
  std::unordered_set<std::string> texts_;
  bool has_truth_[2] = {false, false};
};

// ---- which query ----

// Two texts are one when they differ in white space and final semicolons alone: the tokens and comments are compared.
std::string text_identity(std::string_view sql) {
  std::string identity;
  std::size_t end_of_last = 0;
  const auto add = [&identity](std::string_view piece) {
    piece = trimmed(piece);
    if (piece.empty()) return;
    identity += piece;
    identity += '\0';
  };
  for (const sql::Token& token : sql::tokenize(sql)) {
    add(sql.substr(end_of_last, token.span.start - end_of_last));
    add(token.text);
    end_of_last = token.span.end;
  }
  add(sql.substr(end_of_last));
  while (identity.ends_with(std::string_view(";\0", 2))) identity.resize(identity.size() - 2);
  return identity;
}

// What one query shows of the evidence.
struct Match {
  const ShownQuery* query = nullptr;
  std::vector<bool> shows;
  std::size_t count = 0;
};

std::vector<Match> match_all(const std::vector<const Committed*>& evidence, const std::vector<ShownQuery>& queries) {
  std::vector<Match> matches;
  for (const ShownQuery& query : queries) {
    const Shown shown(query);
    Match match{&query, std::vector<bool>(evidence.size()), 0};
    for (std::size_t i = 0; i < evidence.size(); ++i) {
      match.shows[i] = shown.has(*evidence[i]);
      if (match.shows[i]) ++match.count;
    }
    matches.push_back(std::move(match));
  }
  return matches;
}

// Why no query was found although there is evidence.
std::string reason_for_none(const std::vector<Match>& matches, std::size_t evidence) {
  std::vector<bool> together(evidence);
  bool part_in_cut_output = false;
  for (const Match& match : matches) {
    for (std::size_t i = 0; i < evidence; ++i) together[i] = together[i] || match.shows[i];
    part_in_cut_output = part_in_cut_output || (match.query->cut && match.count > 0);
  }
  if (std::find(together.begin(), together.end(), false) == together.end()) return "split-values";
  return part_in_cut_output ? "output-cut" : "no-match";
}

Located find(const std::vector<Committed>& values, const std::vector<ShownQuery>& queries) {
  std::vector<const Committed*> evidence;
  for (const Committed& value : values) {
    if (value.evidence) evidence.push_back(&value);
  }
  Located located;
  if (evidence.empty()) {
    located.reason = "no-evidence";
    return located;
  }
  const std::vector<Match> matches = match_all(evidence, queries);
  std::unordered_set<std::string> texts;
  for (const Match& match : matches) {
    if (match.count != evidence.size()) continue;
    texts.insert(text_identity(match.query->sql));
    located.query = match.query;
  }
  if (texts.empty()) {
    located.reason = reason_for_none(matches, evidence.size());
  } else if (texts.size() > 1) {
    located.reason = "ambiguous-match";
  } else if (located.query->cut) {
    located.reason = "output-cut";
  }
  if (!located.reason.empty()) located.query = nullptr;
  return located;
}

}  // namespace

Located locate(const json::Node& answer, const std::vector<ShownQuery>& queries, const ShownQuery* named) {
  const std::vector<Committed> values = committed_values(answer);
  if (named == nullptr) return find(values, queries);
  Located located;
  located.query = named;
  located.named = true;
  const Shown shown(*named);
  for (const Committed& value : values) {
    if (!shown.has(value)) located.not_shown.push_back(value.text);
  }
  // The missing part of a cut output may show them.
  if (named->cut && !located.not_shown.empty()) {
    located.not_shown.clear();
    located.reason = "output-cut";
  }
  return located;
}

}  // namespace candor::review
