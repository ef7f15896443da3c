// Wording and tables of statistics.
#include "cli/statistics_text.h"

#include <algorithm>
#include <cstdio>

#include "cli/scope_line.h"
#include "cli/table.h"
#include "cli/text_layout.h"

namespace candor::cli {
namespace {

using ledger::Statistics;

TableCell number(std::uint64_t value) { return {grouped(value), Paint::kPlain, true}; }
TableCell share(std::uint64_t part, std::uint64_t whole) { return {percent(part, whole), Paint::kPlain, true}; }

// "calls              1,892  100 %"; what lies in it is indented.
void line(const Stream& out, std::string_view label, std::uint64_t value, const std::string& more = {}) {
  const bool inner = label.starts_with(" ");
  const std::string name = padded(label, 20, Align::kLeft);
  out.put((inner ? name : out.painted(Paint::kCyan, name)) + padded(grouped(value), 11, Align::kRight) +
          (more.empty() ? "" : "  " + more) + "\n");
}

std::string median_text(const Statistics::Turns& turns) {
  if (!turns.median_calls) return {};
  char text[64];
  std::snprintf(text, sizeof text, "%.10g", *turns.median_calls);
  return "median " + std::string(text) + (*turns.median_calls == 1 ? " call" : " calls");
}

void print_turns(const Stream& out, const Statistics::Turns& met, const Statistics::Turns& clean) {
  const std::uint64_t turns = met.turns + clean.turns;
  line(out, "turns", turns);
  if (turns == 0) return;
  std::string with = percent(met.turns, turns);
  if (met.turns > 0) with += ", " + percent(met.calls, met.calls + clean.calls) + " of the calls, " + median_text(met);
  line(out, "  with a rejection", met.turns, with);
  line(out, "  without", clean.turns,
       percent(clean.turns, turns) + (clean.turns > 0 ? ", " + median_text(clean) : std::string()));
}

// Under a list that was cut.
void print_rest(const Stream& out, std::uint64_t shown, std::uint64_t total, const char* what) {
  if (shown < total) {
    out.put(grouped(shown) + " of " + grouped(total) + " " + what + "; --limit shows more\n");
  }
}

void print_codes(const Stream& out, const Statistics& statistics, ledger::CallOutcome outcome, std::uint64_t of,
                 std::uint64_t list_max) {
  std::vector<const Statistics::Code*> codes;
  for (const Statistics::Code& code : statistics.codes) {
    if (ledger::outcome_of(code.code) == outcome) codes.push_back(&code);
  }
  if (codes.empty()) return;
  const bool rejections = outcome == ledger::CallOutcome::kRejected;
  out.put("\n");
  std::vector<std::string> titles = {rejections ? "rejection" : "failure", "calls", "share", "turns", "errors"};
  if (rejections) titles.emplace_back("with repair");
  Table table(out, titles);
  const std::size_t shown = std::min<std::size_t>(codes.size(), list_max);
  for (std::size_t i = 0; i < shown; ++i) {
    const Statistics::Code& code = *codes[i];
    std::vector<TableCell> row = {
        {code.code}, number(code.calls), share(code.calls, of), number(code.turns), number(code.errors)};
    if (rejections) row.push_back(number(code.fixes));
    table.add(std::move(row));
  }
  table.finish();
  print_rest(out, shown, codes.size(), rejections ? "classes of rejections" : "classes of failures");
}

void print_names(const Stream& out, const Statistics::Names& names, bool columns) {
  if (names.list.empty()) return;
  out.put("\n");
  Table table(
      out, {columns ? "column that is not there" : "resource that is not there", "calls", "turns", "with repair"}, 1);
  for (const Statistics::Name& name : names.list) {
    const std::string text = !columns                ? name.resource
                             : name.resource.empty() ? name.column
                                                     : name.resource + "." + name.column;
    table.add({{text}, number(name.calls), number(name.turns), number(name.fixes)});
  }
  table.finish();
  print_rest(out, names.list.size(), names.total, columns ? "columns" : "resources");
}

std::string read_as_text(const std::vector<Statistics::Repair>& repairs) {
  std::string text;
  for (const Statistics::Repair& one : repairs) {
    text += (text.empty() ? "" : ", ") + one.kind + " " + grouped(one.spellings);
  }
  return text;
}

std::uint64_t spellings(const std::vector<Statistics::Repair>& repairs) {
  std::uint64_t sum = 0;
  for (const Statistics::Repair& one : repairs) sum += one.spellings;
  return sum;
}

void print_repairs(const Stream& out, const Statistics& statistics) {
  line(out, "repairs offered", statistics.offered);
  if (statistics.offered > 0) {
    line(out, "  taken in the turn", statistics.taken,
         percent(statistics.taken, statistics.offered) +
             (statistics.taken > 0 ? ", " + grouped(statistics.taken_accepted) + " of them accepted" : std::string()));
  }
  line(out, "spellings read as", spellings(statistics.read_as), read_as_text(statistics.read_as));
}

void print_commits(const Stream& out, const Statistics& statistics) {
  const std::uint64_t accepted = statistics.committed + statistics.acknowledged + statistics.unresolved;
  line(out, "answers", accepted,
       accepted == 0 ? std::string()
                     : grouped(statistics.acknowledged) + " after a hold was acknowledged, " +
                           grouped(statistics.unresolved) + " unresolved");
  line(out, "commits held", statistics.held);
  if (statistics.refused > 0) line(out, "commits refused", statistics.refused);
  if (statistics.checks.empty()) return;
  out.put("\n");
  Table table(out, {"check", "held", "acknowledged"});
  for (const Statistics::Check& check : statistics.checks) {
    table.add({{check.check}, number(check.held), number(check.acknowledged)});
  }
  table.finish();
}

std::string period_text(const Statistics& statistics, const ledger::StatisticsFilter& filter) {
  std::string text;
  if (filter.since_ms > 0) text += " since " + local_time(filter.since_ms);
  if (!filter.session.empty()) text += " in session " + visible(filter.session);
  if (!filter.source.empty()) text += " on source " + visible(filter.source);
  if (!statistics.first_call_ms) return "no call is recorded" + text;
  return "from " + local_time(*statistics.first_call_ms) + " to " + local_time(*statistics.last_call_ms) +
         (text.empty() ? "" : "," + text);
}

}  // namespace

void print_statistics(const Stream& out, const Statistics& statistics, const ledger::StatisticsFilter& filter) {
  out.put(out.painted(Paint::kDim, period_text(statistics, filter)) + "\n");
  const std::uint64_t calls = statistics.calls();
  line(out, "calls", calls);
  if (calls > 0) {
    line(out, "  accepted", statistics.accepted, percent(statistics.accepted, calls));
    line(out, "  rejected", statistics.rejected, percent(statistics.rejected, calls));
    if (statistics.failed > 0) line(out, "  failed", statistics.failed, percent(statistics.failed, calls));
  }
  print_turns(out, statistics.met, statistics.clean);
  print_repairs(out, statistics);
  print_codes(out, statistics, ledger::CallOutcome::kRejected, statistics.rejected, filter.list_max);
  print_names(out, statistics.absent_columns, true);
  print_names(out, statistics.absent_resources, false);
  print_codes(out, statistics, ledger::CallOutcome::kFailed, statistics.failed, filter.list_max);
  out.put("\n");
  print_commits(out, statistics);
}

namespace {

void print_classes(const Stream& out, const ReplayReport& report, std::uint64_t list_max) {
  if (report.classes.empty()) return;
  out.put("\n");
  Table table(out, {"rejection", "calls", "share", "errors", "with repair"});
  const std::size_t shown = std::min<std::size_t>(report.classes.size(), list_max);
  for (std::size_t i = 0; i < shown; ++i) {
    const ReplayReport::Class& one = report.classes[i];
    table.add(
        {{one.code}, number(one.calls), share(one.calls, report.rejected()), number(one.errors), number(one.fixes)});
  }
  table.finish();
  print_rest(out, shown, report.classes.size(), "classes of rejections");
  for (std::size_t i = 0; i < shown; ++i) {
    out.put("\n" + out.painted(Paint::kBold, report.classes[i].code) + "\n");
    for (const ReplayReport::Example& example : report.classes[i].examples) {
      out.put("  " + out.painted(Paint::kCyan, visible(example.place)) + "  " + visible(example.message) + "\n");
      out.put("    " + visible(example.sql) + "\n");
      if (!example.fix.empty()) out.put("    " + out.painted(Paint::kGreen, "fix: ") + visible(example.fix) + "\n");
    }
  }
}

void print_replay_names(const Stream& out, const ReplayReport& report, std::uint64_t list_max) {
  if (report.names.empty()) return;
  out.put("\n");
  Table table(out, {"name that is not there", "calls", "with repair", "explained"}, 1);
  const std::size_t shown = std::min<std::size_t>(report.names.size(), list_max);
  for (std::size_t i = 0; i < shown; ++i) {
    const ReplayReport::Name& name = report.names[i];
    const std::string between = name.resource.empty() || name.column.empty() ? "" : ".";
    table.add({{name.resource + between + name.column},
               number(name.calls),
               number(name.fixes),
               {name.explained ? "yes" : "", Paint::kGreen}});
  }
  table.finish();
  print_rest(out, shown, report.names.size(), "names");
  if (report.names_beyond > 0) {
    out.put("and " + counted(report.names_beyond, "error", "errors") + " about further names, not told apart\n");
  }
}

void print_broken(const Stream& out, const CallLog& log) {
  if (log.broken_count() == 0) return;
  out.put("\n" + out.painted(Paint::kYellow, counted(log.broken_count(), "line holds", "lines hold")) +
          " no call and is in no number:\n");
  for (const CallLog::Broken& one : log.broken()) out.put("  " + visible(one.place) + "  " + visible(one.why) + "\n");
  const std::uint64_t shown = log.broken().size();
  if (shown < log.broken_count()) out.put("  and " + grouped(log.broken_count() - shown) + " more\n");
}

}  // namespace

void print_replay(const Stream& out, const ReplayReport& report, const CallLog* log, std::uint64_t list_max) {
  out.put(out.painted(Paint::kDim, "against " + visible(report.file) + ": parsed and bound, nothing was run") + "\n");
  line(out, "calls", report.calls);
  if (report.calls > 0) {
    line(out, "  accepted", report.accepted, percent(report.accepted, report.calls));
    line(out, "  rejected", report.rejected(), percent(report.rejected(), report.calls));
  }
  line(out, "repairable", report.repairable,
       report.repairable == 0 ? std::string()
                              : grouped(report.repaired) + " accepted once repaired: " +
                                    percent(report.accepted + report.repaired, report.calls) + " with them");
  line(out, "spellings read as", spellings(report.read_as), read_as_text(report.read_as));
  if (report.met.turns + report.clean.turns > 0) print_turns(out, report.met, report.clean);
  print_classes(out, report, list_max);
  print_replay_names(out, report, list_max);
  if (log != nullptr) print_broken(out, *log);
}

}  // namespace candor::cli
