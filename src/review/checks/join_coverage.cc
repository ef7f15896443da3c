// The check `join-coverage`: an inner join kept less than half of the rows that the answer speaks of.
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "review/checks/check.h"
#include "review/measure.h"

namespace candor::review {

extern const Check kJoinCoverage;

namespace {

constexpr std::uint64_t kRowsMin = 20;  // under it a loss is no finding

// What the rule says of one side of one pair.
struct Loss {
  const Side* side = nullptr;
  const Side* other = nullptr;
  const Pair* pair = nullptr;
};

struct Judgement {
  std::vector<Loss> firing;     // unstated
  std::vector<Loss> by_filter;  // the other side's filter chose the rows
  std::vector<Loss> uncertain;  // a sample that can't tell
  std::string stated;           // where the answer says it: "basis" or "rows.note"
};

// 23 of 513: "4 %", and never "0 %" or "100 %" for a part.
std::string percent(std::uint64_t part, std::uint64_t whole) {
  if (whole == 0) return "0 %";
  const double exact = 100.0 * static_cast<double>(part) / static_cast<double>(whole);
  if (part > 0 && exact < 1) return "under 1 %";
  if (part < whole && exact > 99) return "over 99 %";
  return std::to_string(std::lround(exact)) + " %";
}

std::string of(std::uint64_t matched, std::uint64_t rows) {
  return std::to_string(matched) + " of " + std::to_string(rows);
}

std::string name_of(const Side& side) { return side.alias == side.table ? side.table : side.table + " " + side.alias; }

std::string where_stated(const Side& side, const Context& context) {
  if (states_m_of_n(context.basis, side.matched, side.rows)) return "basis";
  if (states_m_of_n(context.note, side.matched, side.rows)) return "rows.note";
  return {};
}

void judge_side(const Loss& loss, const Context& context, Judgement& judgement) {
  const Side& side = *loss.side;
  const bool few = side.rows * side.one_in < kRowsMin;
  if (!side.grouped || (few && side.one_in == 1)) return;
  Share share = share_of(side.matched, side.rows, side.error);
  if (share == Share::kEnough) return;
  // A sample with few rows, or none, does not tell that there are few.
  if (few) share = Share::kUncertain;
  const std::string stated = where_stated(side, context);
  if (!stated.empty()) {
    judgement.stated = stated;
    return;
  }
  if (side.matched_without_other_filter) {
    const std::uint64_t matched = *side.matched_without_other_filter;
    const Share without = share_of(matched, side.rows, side.one_in > 1 ? sample_error(matched, side.rows) : 0);
    if (without == Share::kEnough) {
      judgement.by_filter.push_back(loss);
      return;
    }
    if (without == Share::kUncertain) share = Share::kUncertain;
  }
  (share == Share::kLow ? judgement.firing : judgement.uncertain).push_back(loss);
}

// "about 20000 rows, of which one in 5 was looked at"
std::string sample_words(const Side& side) {
  if (side.one_in == 1) return {};
  const auto points = static_cast<std::uint64_t>(side.error * 1000 + 0.999);
  return " (a sample of one row in " + std::to_string(side.one_in) + " of about " +
         std::to_string(side.rows * side.one_in) + "; the share is known to ± " + std::to_string(points / 10) + "." +
         std::to_string(points % 10) + " %)";
}

// Where the lost rows went: what the other side's filter took, and what the join.
std::string attribution(const Loss& loss) {
  const Side& side = *loss.side;
  const std::uint64_t lost = side.rows - side.matched;
  const std::string sampled = side.one_in > 1 ? " of the sample" : "";
  if (!side.matched_without_other_filter) {
    return "The join lost " + std::to_string(lost) + " rows" + sampled +
           (loss.other->has_filter ? "." : "; no filter took any.");
  }
  const std::uint64_t by_join = side.rows - *side.matched_without_other_filter;
  return "Of the " + std::to_string(lost) + " lost rows" + sampled + " the join lost " + std::to_string(by_join) +
         ", the filter on " + name_of(*loss.other) + " removed " + std::to_string(lost - by_join) + ".";
}

std::string sentence(const Loss& loss) {
  const Side& side = *loss.side;
  return of(side.matched, side.rows) + " rows (" + percent(side.matched, side.rows) + ") of " + name_of(side) +
         (side.has_filter ? " under the query's own filter" : "") + " have a match in " + name_of(*loss.other) +
         (loss.other->has_filter ? " under its filter" : "") + " by " + loss.pair->condition + sample_words(side) +
         ". " + attribution(loss);
}

std::string finding_message(const Judgement& judgement) {
  std::string counts;
  std::string text;
  for (const Loss& loss : judgement.firing) {
    counts += (counts.empty() ? "" : " ") + sentence(loss);
    text += (text.empty() ? "" : ", ") + of(loss.side->matched, loss.side->rows) + " " + loss.side->table +
            (loss.side->one_in > 1 ? " in a sample" : "");
  }
  return counts +
         " If the question is about all of these rows, and another key, another form of the key or another source "
         "covers "
         "the rest, query with it and commit that answer. If not, put \"" +
         text + "\" into `basis` and commit again, otherwise unchanged.";
}

std::string counts_message(const std::vector<Pair>& pairs) {
  std::string text;
  for (const Pair& pair : pairs) {
    for (const Loss& loss : {Loss{&pair.left, &pair.right, &pair}, Loss{&pair.right, &pair.left, &pair}}) {
      text += (text.empty() ? "" : "; ") + of(loss.side->matched, loss.side->rows) + " rows of " + name_of(*loss.side) +
              " have a match in " + name_of(*loss.other) + sample_words(*loss.side);
    }
  }
  return text;
}

// A join that a scratch table holds the rows of is not in the query's own text, and its tables may have changed since.
void doubt_what_a_join_made(const Context& context, CheckResult& result) {
  if (result.verdict != Verdict::kClean || context.made_by_join.empty()) return;
  result.verdict = Verdict::kUndetermined;
  result.reason = "made-by-join";
  result.message = "what the query reads was made by " + context.made_by_join + ", which joins tables; " +
                   result.message + ". Run that join and the answer's query in one statement to have it measured";
}

CheckResult judge_query(const JoinEvidence& evidence, const Context& context) {
  CheckResult result;
  result.check = kJoinCoverage.name;
  if (evidence.stopped) {
    result.reason = evidence.stopped->code;
    result.message = evidence.stopped->message;
    return result;
  }
  if (!evidence.joined) {
    result.verdict = Verdict::kClean;
    result.message = "the query joins no tables";
    return result;
  }
  result.pairs = evidence.pairs;
  Judgement judgement;
  for (const Pair& pair : result.pairs) {
    judge_side({&pair.left, &pair.right, &pair}, context, judgement);
    judge_side({&pair.right, &pair.left, &pair}, context, judgement);
  }
  result.stated = judgement.stated;
  if (!judgement.firing.empty()) {
    result.verdict = Verdict::kFinding;
    result.message = finding_message(judgement);
  } else if (!judgement.uncertain.empty()) {
    result.reason = "over-row-gate";
    result.message = "the sample can't tell whether half of the rows are kept: " + counts_message(result.pairs);
  } else {
    result.verdict = Verdict::kClean;
    result.message = counts_message(result.pairs);
  }
  if (result.verdict == Verdict::kClean && !judgement.by_filter.empty()) {
    const Loss& loss = judgement.by_filter.front();
    result.reason = "selected-by-filter";
    result.message += "; without the filter on " + name_of(*loss.other) + " " +
                      of(loss.side->matched_without_other_filter.value_or(loss.side->matched), loss.side->rows) +
                      " rows of " + name_of(*loss.side) + " would have a match: the filter chose them";
  }
  return result;
}

CheckResult judge(const JoinEvidence& evidence, const Context& context) {
  CheckResult result = judge_query(evidence, context);
  doubt_what_a_join_made(context, result);
  return result;
}

}  // namespace

const Check kJoinCoverage = {
    "join-coverage",
    "a join kept less than half of the rows that the answer speaks of",
    "For each pair of tables that an inner join compares by equality: the rows of each side under the query's own "
    "filter "
    "on it, and of those the rows with a match on the other side under the other side's filter. The join itself is not "
    "run. A finding is a side that GROUP BY reads (without GROUP BY: each side) which keeps less than half of 20 rows "
    "or "
    "more, unless the answer states it as \"M of N\" in `basis` or `rows.note`. Where the share is low, a second count "
    "drops the other side's own filter: if the side then keeps half or more, the filter chose those rows on purpose. "
    "Loss on a side that is not grouped is no finding. Tables over the row gate are measured on a sample of their "
    "rows.",
    judge,
    nullptr,
};

}  // namespace candor::review
