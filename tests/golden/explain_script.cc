// See explain_script.h.
#include "golden/explain_script.h"

#include <sstream>
#include <string_view>
#include <vector>

#include "candor/explain.h"
#include "cli/explanation_text.h"
#include "support/dialect_contract.h"

namespace candor::test {
namespace {

lower::Target target_of(std::string_view head) {
  if (head == "explain sqlite") return lower::Target::kSqlite;
  return head == "explain postgresql" ? lower::Target::kPostgres : lower::Target::kDuckdb;
}

bool is_known(std::string_view head) {
  return head == "explain duckdb" || head == "explain sqlite" || head == "explain postgresql";
}

void append_lines(std::string& out, const std::string& text) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty()) out += line + "\n";  // an empty line would end the record
  }
}

std::string explained(const std::string& sql, lower::Target target) {
  const Explanation explanation = explain(sql, dialect_contract(), dialect_storage(target));
  std::string text = cli::explanation_text(cli::Stream(), explanation);
  if (!explanation.failure) return text;
  text += "error " + explanation.failure->code + ": " + explanation.failure->message + "\n";
  for (const Diagnostic& other : explanation.failure->others)
    text += "error " + other.code + ": " + other.message + "\n";
  return text;
}

std::string run_record(const std::vector<std::string>& record) {
  std::string out = record.front() + "\n";
  std::string sql;
  for (std::size_t i = 1; i < record.size() && record[i] != "----"; ++i) {
    sql += (sql.empty() ? "" : "\n") + record[i];
    out += record[i] + "\n";
  }
  if (!is_known(record.front())) return out + "ERROR not understood\n";
  out += "----\n";
  append_lines(out, explained(sql, target_of(record.front())));
  return out;
}

}  // namespace

std::string run_explain_script(const std::string& script) {
  std::string out;
  std::vector<std::string> record;
  const auto finish = [&] {
    if (!record.empty()) out += run_record(record);
    record.clear();
  };
  std::istringstream lines(script);
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line.front() == '#') {
      finish();
      out += line + "\n";
    } else {
      record.push_back(line);
    }
  }
  finish();
  return out;
}

}  // namespace candor::test
