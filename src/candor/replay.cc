// Replaying a log: the path of Service::run_contract up to the plan, and no further.
#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/ascii.h"
#include "base/render_json.h"
#include "bind/binder.h"
#include "candor/candor.h"
#include "contract/contract.h"
#include "dialect/parser.h"
#include "sql/lexer.h"

namespace candor {
namespace {

constexpr std::size_t kExamples = 3;
constexpr std::size_t kExampleChars = 160;
constexpr std::size_t kNamesMax = 10'000;  // told apart: a log can hold any number of them

// The text with each statement that has an error repaired; empty where one of the errors has no repair.
std::string repaired(std::string_view sql, const std::vector<Diagnostic>& errors) {
  std::map<std::size_t, const std::string*> fixes;  // by the statement
  const std::vector<Span> statements = sql::split_statements(sql);
  for (const Diagnostic& error : errors) {
    if (error.fix.empty() || !error.span) return {};
    const auto statement = std::ranges::find_if(
        statements, [&](const Span& span) { return error.span->start >= span.start && error.span->start <= span.end; });
    if (statement == statements.end()) return {};
    fixes[static_cast<std::size_t>(statement - statements.begin())] = &error.fix;
  }
  std::string text;
  for (std::size_t i = 0; i < statements.size(); ++i) {
    const auto fix = fixes.find(i);
    const Span& span = statements[i];
    text += (i > 0 ? ";\n" : "");
    text += fix == fixes.end() ? std::string(sql.substr(span.start, span.end - span.start)) : *fix->second;
  }
  return text;
}

double median_of(std::map<std::uint64_t, std::uint64_t>& sizes, std::uint64_t turns) {
  const auto at = [&](std::uint64_t place) {
    for (const auto& [calls, count] : sizes) {
      if (place <= count) return calls;
      place -= count;
    }
    return std::uint64_t{0};
  };
  return static_cast<double>(at((turns + 1) / 2) + at(turns / 2 + 1)) / 2;
}

// Those of most calls first, and of as many in the order of their names.
template <typename Counted>
std::vector<Counted> most_first(const std::map<std::string, Counted>& counted) {
  std::vector<std::pair<std::string_view, const Counted*>> order;
  for (const auto& [name, one] : counted) order.emplace_back(name, &one);
  std::ranges::sort(order, [](const auto& a, const auto& b) {
    return a.second->calls != b.second->calls ? a.second->calls > b.second->calls : a.first < b.first;
  });
  std::vector<Counted> sorted;
  for (const auto& [name, one] : order) sorted.push_back(*one);
  return sorted;
}

class LogReplay final : public Replay {
 public:
  LogReplay(contract::Contract contract, std::size_t chars_max)
      : contract_(std::move(contract)), chars_max_(chars_max) {
    report_.contract = contract_.name;
    report_.file = contract_.file;
  }

  void add(const ReplayCall& call) override {
    std::vector<std::string_view> kinds;
    const std::vector<Diagnostic> errors = errors_of(call.sql, &kinds);
    ++report_.calls;
    if (!call.turn.empty()) {
      Turn& turn = turns_[std::string(call.turn)];
      ++turn.calls;
      turn.met = turn.met || !errors.empty();
    }
    if (errors.empty()) {
      ++report_.accepted;
      count_spellings(kinds);
      return;
    }
    count_errors(call, errors);
    const std::string fixed = repaired(call.sql, errors);
    if (fixed.empty()) return;
    ++report_.repairable;
    if (errors_of(fixed, nullptr).empty()) ++report_.repaired;
  }

  [[nodiscard]] ReplayReport report() const override {
    ReplayReport report = report_;
    report.classes = most_first(classes_);
    report.names = most_first(names_);
    report.read_as = most_first(read_as_);
    count_turns(true, report.met);
    count_turns(false, report.clean);
    return report;
  }

 private:
  struct Turn {
    std::uint64_t calls = 0;
    bool met = false;
  };

  std::vector<Diagnostic> errors_of(std::string_view sql, std::vector<std::string_view>* kinds) const {
    if (sql.size() > chars_max_) {
      return {make_error("over-limit", "the text has " + std::to_string(sql.size()) +
                                           " bytes, statement_chars allows " + std::to_string(chars_max_))};
    }
    if (sql.find('\0') != std::string_view::npos) return {make_error("invalid-text", "the statement holds a NUL")};
    const dialect::ParseLimits limits{static_cast<std::size_t>(contract_.predicate_depth),
                                      static_cast<std::size_t>(contract_.statements_per_batch)};
    const dialect::Parsed parsed = dialect::parse(sql, limits);
    // Whose rows are asked for makes warnings alone, and none of them is counted here.
    bind::Bound bound = bind::bind(sql, parsed, {&contract_, ""});
    std::vector<Diagnostic> errors = parsed.errors;
    errors.insert(errors.end(), std::make_move_iterator(bound.errors.begin()),
                  std::make_move_iterator(bound.errors.end()));
    if (kinds != nullptr) {
      for (const dialect::ReadAs& read : parsed.read_as) kinds->push_back(read.kind);
    }
    return errors;
  }

  void count_spellings(const std::vector<std::string_view>& kinds) {
    std::set<std::string_view> met;
    for (const std::string_view kind : kinds) {
      ledger::Statistics::Repair& one = read_as_[std::string(kind)];
      one.kind = kind;
      ++one.spellings;
      if (met.insert(kind).second) ++one.calls;
    }
  }

  void count_errors(const ReplayCall& call, const std::vector<Diagnostic>& errors) {
    std::set<std::string_view> codes;
    std::set<std::string> names;
    for (const Diagnostic& error : errors) {
      ReplayReport::Class& one = classes_[error.code];
      one.code = error.code;
      ++one.errors;
      if (!error.fix.empty()) ++one.fixes;
      if (codes.insert(error.code).second) {
        ++one.calls;
        if (one.examples.size() < kExamples) {
          one.examples.push_back({std::string(call.place), shortened(single_line(call.sql), kExampleChars),
                                  error.message, shortened(single_line(error.fix), kExampleChars)});
        }
      }
      if (!error.column.empty() || !error.resource.empty()) count_name(error, names);
    }
  }

  void count_name(const Diagnostic& error, std::set<std::string>& names) {
    std::string key = lower_ascii(error.resource) + "." + lower_ascii(error.column);
    if (names_.size() >= kNamesMax && !names_.contains(key)) {
      ++report_.names_beyond;
      return;
    }
    ReplayReport::Name& one = names_[key];
    if (one.calls == 0) {
      one.resource = utf8_prefix(error.resource, kExampleChars);
      one.column = utf8_prefix(error.column, kExampleChars);
      const contract::Resource* resource = contract_.find(error.resource);
      one.explained = resource != nullptr && resource->find_absent(error.column) != nullptr;
    }
    if (!names.insert(std::move(key)).second) return;
    ++one.calls;
    if (!error.fix.empty()) ++one.fixes;
  }

  void count_turns(bool met, ledger::Statistics::Turns& into) const {
    std::map<std::uint64_t, std::uint64_t> sizes;
    for (const auto& [name, turn] : turns_) {
      if (turn.met != met) continue;
      ++into.turns;
      into.calls += turn.calls;
      ++sizes[turn.calls];
    }
    if (into.turns > 0) into.median_calls = median_of(sizes, into.turns);
  }

  const contract::Contract contract_;
  const std::size_t chars_max_;
  ReplayReport report_;
  std::map<std::string, ReplayReport::Class> classes_;
  std::map<std::string, ReplayReport::Name> names_;
  std::map<std::string, ledger::Statistics::Repair> read_as_;
  std::map<std::string, Turn> turns_;
};

}  // namespace

Result<std::unique_ptr<Replay>> Candor::replay(const config::Configuration& configuration, const std::string& file,
                                               const std::string& source) {
  CANDOR_ASSIGN(contract::Contract contract, contract::load(file, configuration));
  if (!source.empty()) contract.source = source;
  return std::unique_ptr<Replay>(std::make_unique<LogReplay>(
      std::move(contract), static_cast<std::size_t>(configuration.limit("statement_chars"))));
}

}  // namespace candor
