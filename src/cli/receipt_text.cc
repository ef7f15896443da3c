// Wording and drawing of checks.
#include "cli/receipt_text.h"

#include <algorithm>
#include <cstdio>

#include "cli/text_layout.h"

namespace candor::cli {
namespace {

using json::Node;

constexpr std::size_t kBarCells = 20;

std::uint64_t count_of(const Node& node, std::string_view name) {
  return static_cast<std::uint64_t>(std::max<std::int64_t>(node[name].integer().value_or(0), 0));
}

// A share as a bar of twenty cells; something is drawn for a share above nothing, and a full bar means all.
std::string bar_of(const Stream& out, std::uint64_t part, std::uint64_t whole) {
  const std::size_t steps = out.unicode() ? kBarCells * 8 : kBarCells;
  const double share = whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
  auto filled = static_cast<std::size_t>(share * static_cast<double>(steps));
  if (part > 0) filled = std::max<std::size_t>(filled, 1);
  if (part >= whole && whole > 0) filled = steps;
  std::string bar;
  if (!out.unicode()) {
    for (std::size_t i = 0; i < kBarCells; ++i) bar += i < filled ? '#' : '.';
    return bar;
  }
  constexpr std::string_view kEighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  for (std::size_t i = 0; i < filled / 8; ++i) bar += "█";
  bar += kEighths[filled % 8];
  const std::size_t drawn = filled / 8 + (filled % 8 > 0 ? 1 : 0);
  for (std::size_t i = drawn; i < kBarCells; ++i) bar += "░";
  return bar;
}

// "patients p"; the table alone where the query gives it no other name.
std::string name_of(const Node& side) {
  const std::string table(side.string_or("table", "?"));
  const std::string alias(side.string_or("alias", ""));
  return visible(alias.empty() || alias == table ? table : table + " " + alias);
}

std::string side_line(const Stream& out, const Node& side, std::size_t name_width) {
  const std::uint64_t rows = count_of(side, "rows");
  const std::uint64_t matched = count_of(side, "matched");
  const bool low = matched * 2 < rows;
  std::string line = "      " + padded(name_of(side), name_width, Align::kLeft) + "  ";
  line += out.painted(low ? Paint::kRed : Paint::kGreen, bar_of(out, matched, rows));
  line += "  " + grouped(matched) + " of " + counted(rows, "row", "rows") + " matched";
  if (rows > 0) line += ", " + percent(matched, rows);
  if (side["grouped"].truth()) line += out.painted(Paint::kDim, "  (the answer speaks of this side)");
  if (const Node* without = side.find("matched_without_other_filter")) {
    line += "\n      " + std::string(name_width, ' ') + "  without the other side's filter: " +
            grouped(static_cast<std::uint64_t>(without->integer().value_or(0))) + " of " + grouped(rows);
  }
  return line + "\n";
}

std::string joins_text(const Stream& out, const Node& joins) {
  std::string text;
  for (const Node& join : joins.items()) {
    text += "    " + out.painted(Paint::kDim, "on " + visible(join.string_or("condition", "")));
    if (join["sample"].truth()) {
      char margin[64];
      std::snprintf(margin, sizeof margin, "  (a sample of keys, give or take %.1f points)",
                    100 * join["margin"].real().value_or(0));
      text += margin;
    }
    text += "\n";
    const std::size_t width =
        std::min<std::size_t>(std::max(width_of(name_of(join["left"])), width_of(name_of(join["right"]))), 30);
    text += side_line(out, join["left"], width) + side_line(out, join["right"], width);
  }
  return text;
}

struct Look {
  std::string_view mark, plain;
  Paint paint;
};

Look look_of(std::string_view verdict) {
  if (verdict == "clean") return {"✓", "ok", Paint::kGreen};
  if (verdict == "finding") return {"✗", "!!", Paint::kRed};
  return {"?", "??", Paint::kYellow};
}

std::string indented(const Stream& out, std::string_view text, std::size_t indent) {
  std::string all;
  const std::size_t room = out.width() > indent + 20 ? out.width() - indent : 20;
  for (const std::string& line : folded(visible(text, true), room)) all += std::string(indent, ' ') + line + "\n";
  return all;
}

std::string check_text(const Stream& out, const Node& check) {
  const std::string_view verdict = check.string_or("verdict", "undetermined");
  const Look look = look_of(verdict);
  std::string text = "  " + out.painted(look.paint, out.unicode() ? look.mark : look.plain) + " ";
  text += out.painted(Paint::kBold, check.string_or("check", "?")) + "  " + out.painted(look.paint, verdict);
  if (const std::string_view reason = check.string_or("reason", ""); !reason.empty())
    text += " (" + std::string(reason) + ")";
  if (check["acknowledged"].truth()) text += ", acknowledged: it was shown before the answer was committed again";
  if (const std::string_view stated = check.string_or("stated", ""); !stated.empty()) {
    text += ", stated in " + std::string(stated);
  }
  text += "\n";
  if (const std::string_view message = check.string_or("message", ""); !message.empty())
    text += indented(out, message, 4);
  return text + joins_text(out, check["joins"]);
}

}  // namespace

std::string checks_text(const Stream& out, const Node& checks) {
  std::string text;
  for (const Node& check : checks.items()) text += check_text(out, check);
  return text;
}

std::string receipt_text(const Stream& out, const Node& receipt) {
  std::string text;
  const std::string_view query = receipt.string_or("query_id", "");
  if (!query.empty()) {
    text += "query " + std::string(query) + "\n";
    text += indented(out, receipt.string_or("query_sql", ""), 4);
  } else if (const std::string_view reason = receipt.string_or("query_reason", ""); !reason.empty()) {
    text += "no query located (" + std::string(reason) + ")\n";
  }
  return text + checks_text(out, receipt["checks"]);
}

std::string warnings_text(const Stream& out, const Node& warnings) {
  std::string text;
  for (const Node& warning : warnings.items()) {
    text += out.painted(Paint::kYellow, "warning: " + visible(warning.string_or("message", ""))) + "\n";
  }
  return text;
}

std::string outcome_text(const Stream& out, const Node& document) {
  if (document.string_or("status", "") == "committed") {
    std::string text =
        out.painted(Paint::kGreen, "committed") + " " + out.painted(Paint::kBold, document.string_or("answer_id", ""));
    if (document.string_or("state", "") == "unresolved") text += ", as unresolved";
    return text + "\n" + receipt_text(out, document["receipt"]) + warnings_text(out, document["warnings"]);
  }
  std::string text = out.painted(Paint::kRed, document.string_or("title", "Answer not committed")) + "\n";
  text += checks_text(out, document["findings"]);
  text += joins_text(out, document["evidence"]["joins"]);
  text += checks_text(out, document["other_checks"]);
  if (const std::string_view query = document.string_or("final_query_id", ""); !query.empty()) {
    text += "query " + std::string(query) + "\n";
  }
  return text + warnings_text(out, document["warnings"]);
}

std::string verification_text(const Stream& out, const Verification& verification) {
  if (verification.entries.empty())
    return verification.answer_id + ": the receipt holds no counts, so there is nothing to count again\n";
  std::string text;
  const auto counts = [](const review::Counts& c) {
    return grouped(c.left_matched) + " of " + grouped(c.left_rows) + ", " + grouped(c.right_matched) + " of " +
           grouped(c.right_rows);
  };
  for (const Verification::Entry& entry : verification.entries) {
    const Look look = look_of(entry.failure ? "undetermined" : entry.same() ? "clean" : "finding");
    text += "  " + out.painted(look.paint, out.unicode() ? look.mark : look.plain) + " " +
            out.painted(Paint::kBold, entry.check) + "  ";
    if (entry.failure) {
      text += "could not be counted again: " + visible(entry.failure->message) + "\n";
    } else if (entry.same()) {
      text += "the same: " + counts(entry.now) + "\n";
    } else {
      text += "then " + counts(entry.stored) + "; now " + counts(entry.now) + "\n";
    }
    text += out.painted(Paint::kDim, indented(out, entry.counting_sql, 4));
  }
  return text;
}

}  // namespace candor::cli
