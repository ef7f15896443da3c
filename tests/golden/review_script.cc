// See review_script.h.
#include "golden/review_script.h"

#include <map>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

#include "json/json.h"
#include "review/review.h"
#include "support/review_session.h"

namespace candor::test {
namespace {

using Lines = std::vector<std::string>;

Lines lines_of(const std::string& text) {
  Lines lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::string joined(const Lines& lines) {
  std::string text;
  for (const std::string& line : lines) text += (text.empty() ? "" : "\n") + line;
  return text;
}

std::pair<std::string, std::string> first_word(const std::string& text) {
  const std::size_t blank = text.find(' ');
  if (blank == std::string::npos) return {text, ""};
  return {text.substr(0, blank), text.substr(blank + 1)};
}

std::string side_line(const review::Side& side) {
  std::string line = "  " + side.alias + (side.grouped ? " (grouped)" : "") + ": " + std::to_string(side.matched) +
                     " of " + std::to_string(side.rows);
  if (side.matched_without_other_filter) {
    line += ", " + std::to_string(*side.matched_without_other_filter) + " without the other side's filter";
  }
  if (side.one_in > 1) line += ", one row in " + std::to_string(side.one_in);
  return line;
}

class Script {
 public:
  std::string run(const std::string& text) {
    Lines record;
    for (const std::string& line : lines_of(text)) {
      if (line.empty()) {
        finish(record);
        out_.emplace_back("");
      } else if (line.front() == '#') {
        out_.push_back(line);
      } else {
        record.push_back(line);
      }
    }
    finish(record);
    return joined(out_) + "\n";
  }

 private:
  void finish(Lines& record) {
    if (record.empty()) return;
    const auto [kind, rest] = first_word(record.front());
    Lines body;
    for (std::size_t i = 1; i < record.size() && record[i] != "----"; ++i) body.push_back(record[i]);
    out_.push_back(record.front());
    out_.insert(out_.end(), body.begin(), body.end());
    perform(kind, rest, joined(body));
    record.clear();
  }

  void perform(const std::string& kind, const std::string& rest, const std::string& body) {
    if (kind == "setting") return set(rest);
    if (kind == "statement") return fault(session_.execute(body));
    if (kind == "basis") {
      session_.context.basis = rest;
    } else if (kind == "note") {
      session_.context.note = rest;
    } else if (kind == "temporary") {
      session_.context.temporary_objects = rest.empty() ? Lines{} : Lines{rest};
    } else if (kind == "review") {
      review(body);
    } else if (kind == "shown") {
      show(rest, body);
    } else if (kind == "answer") {
      locate(rest);
    } else {
      fault("not understood: " + kind);
    }
  }

  void fault(const std::string& text) {
    if (!text.empty()) out_.emplace_back("ERROR " + text);
  }

  void set(const std::string& rest) {
    const auto [name, value] = first_word(rest);
    review::Settings& settings = session_.context.settings;
    const std::map<std::string, std::uint64_t*> numbers = {{"rows_max", &settings.rows_max},
                                                           {"key_width_max", &settings.key_width_max},
                                                           {"key_chars_max", &settings.key_chars_max},
                                                           {"conjuncts_max", &settings.conjuncts_max},
                                                           {"nodes_max", &settings.nodes_max}};
    if (const auto found = numbers.find(name); found != numbers.end()) {
      *found->second = std::stoull(value);
    } else if (name == "statement_ms") {
      settings.statement_ms = std::stoll(value);
    } else {
      fault("no setting " + name);
    }
  }

  void review(const std::string& sql) {
    out_.emplace_back("----");
    const review::CheckResult result = session_.coverage(sql);
    out_.push_back(in_words(result) + ": " + result.message);
    if (!result.stated.empty()) out_.emplace_back("stated in " + result.stated);
    for (const review::Pair& pair : result.pairs) {
      out_.push_back(pair.condition);
      out_.push_back(side_line(pair.left));
      out_.push_back(side_line(pair.right));
    }
  }

  void show(const std::string& rest, const std::string& body) {
    const auto [id, more] = first_word(rest);
    review::ShownQuery query;
    query.id = id;
    query.cut = more.starts_with("cut");
    query.sql = query.cut ? first_word(more).second : more;
    auto rows = json::parse(body);
    if (!rows.ok()) return fault(rows.error().message);
    query.rows = *std::move(rows);
    shown_.push_back(std::move(query));
  }

  void locate(const std::string& rest) {
    out_.emplace_back("----");
    const std::size_t at = rest.rfind(" named ");
    const auto answer = json::parse(rest.substr(0, at));
    if (!answer.ok()) return fault(answer.error().message);
    const review::ShownQuery* named = nullptr;
    for (const review::ShownQuery& query : shown_) {
      if (at != std::string::npos && query.id == rest.substr(at + 7)) named = &query;
    }
    const review::Located located = review::locate(*answer, shown_, named);
    out_.push_back(located.query != nullptr ? "located " + located.query->id : "none (" + located.reason + ")");
    const review::CheckResult result = review::check_values_shown(located);
    out_.push_back(in_words(result) + ": " + result.message);
  }

  ReviewSession session_;
  std::vector<review::ShownQuery> shown_;
  Lines out_;
};

}  // namespace

std::string run_review_script(const std::string& script) { return Script().run(script); }

}  // namespace candor::test
