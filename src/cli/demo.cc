// The demo's two questions. Every reply that it shows is the facade's, made while it runs.
#include "cli/demo.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "candor/candor.h"
#include "candor/documents.h"
#include "cli/demo_page.h"
#include "wire/wire.h"

namespace candor::cli {
namespace {

namespace fs = std::filesystem;
using json::Node;

// A temporary home, removed with what the sessions left in it.
class TemporaryHome {
 public:
  TemporaryHome() {
    std::error_code failure;
    std::string pattern = (fs::temp_directory_path(failure) / "candor-demo-XXXXXX").string();
    if (!failure && ::mkdtemp(pattern.data()) != nullptr) path_ = pattern;
  }
  ~TemporaryHome() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  TemporaryHome(const TemporaryHome&) = delete;
  TemporaryHome& operator=(const TemporaryHome&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

struct DemoData {
  std::string clinic;  // folder of the clinic's CSV files
  std::string labour;  // folder of counties.csv and unemployment.tsv
};

// The first of the folders that has the file.
Result<std::string> find_folder(const std::vector<fs::path>& folders, const std::string& file, std::string hint) {
  for (const fs::path& folder : folders) {
    std::error_code failure;
    if (!folder.empty() && fs::exists(folder / file, failure)) {
      const fs::path real = fs::canonical(folder, failure);
      if (!failure) return real.string();
    }
  }
  return make_error("not-found", "the demo's data " + file + " was not found", std::move(hint));
}

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// Beside an installed program lies share/candor/demo; a program in build/release/bin has the repository above it.
Result<DemoData> find_data(const std::string& program) {
  const fs::path folder = fs::path(program).parent_path();
  const fs::path installed = folder.parent_path() / "share" / "candor" / "demo";
  const fs::path repository = folder.parent_path().parent_path().parent_path();
  DemoData data;
  CANDOR_ASSIGN(data.clinic, find_folder({installed / "clinic", repository / "examples" / "clinic"}, "patients.csv",
                                         "run candor from where it was built or installed"));
  CANDOR_ASSIGN(data.labour, find_folder({environment("CANDOR_DEMO_DATA"), installed}, "counties.csv",
                                         "CANDOR_DEMO_DATA=\"$(tools/fetch_demo_data)\" candor demo"));
  return data;
}

config::Configuration demo_configuration(const std::string& home, const DemoData& data) {
  config::Configuration configuration;
  configuration.home = home;
  configuration.sources = {{"clinic", data.clinic, "", ""}, {"labour", data.labour, "", ""}};
  for (const config::Limit& limit : config::limits()) {
    configuration.limit_values.emplace(std::string(limit.name), limit.standard);
  }
  return configuration;
}

Diagnostic broken(const std::string& what) {
  return make_error("demo-failed", "the demo did not come out as it tells: " + what, "candor doctor");
}

// The story, one function a part. The agent's calls go to the facade as those of any surface do.
class Story {
 public:
  Story(Candor& candor, DemoPage& page) : candor_(candor), page_(page) {}

  Status sparse_join();
  Status lost_zero();

 private:
  // Shows the call and the reply. The reply's document.
  Result<Node> query(const std::string& sql);
  // Commits the rows of a query as its reply showed them.
  Result<Node> commit(const std::string& question, const Node& result, const std::string& basis);
  Status show_mended_top(const std::string& question);

  Candor& candor_;
  DemoPage& page_;
  Caller caller_{"demo", "demo", "1", ""};
};

Result<Node> Story::query(const std::string& sql) {
  page_.call("sql_query", sql);
  std::string text;
  wire::DocumentSink sink([&text](std::string_view piece) {
    text += piece;
    return true;
  });
  RunOptions options;
  options.allow_writes = false;
  const ExitCode code = sink.finish(candor_.run(caller_, sql, options, sink, {}));
  CANDOR_ASSIGN(Node document, json::parse(text));
  if (code != ExitCode::kDone) {
    page_.failure(document);
    return broken("a query failed: " + std::string(document.string_or("message", "")));
  }
  page_.result(document);
  return document;
}

Result<Node> Story::commit(const std::string& question, const Node& result, const std::string& basis) {
  Node columns = Node::array();
  for (const Node& column : result["columns"].items()) columns.push(column["name"]);
  Node rows = Node::object();
  rows.set("columns", std::move(columns)).set("values", result["rows"]);
  Node input = Node::object();
  input.set("question", Node::string(question)).set("rows", std::move(rows)).set("basis", Node::string(basis));
  std::string shown = "{";
  for (const auto& [name, value] : input.members()) {
    shown += (shown.size() > 1 ? ",\n \"" : "\"") + name + "\": " + json::dump(value);
  }
  page_.call("answer_commit", shown + "}");
  CANDOR_ASSIGN(const CommitOutcome outcome, candor_.commit(caller_, input, {}));
  page_.outcome(outcome.document);
  return outcome.document;
}

// Whether a measured side of the table, in a hold or a receipt, has these counts.
bool has_counts(const Node& joins, std::string_view table, std::int64_t rows, std::int64_t matched) {
  for (const Node& join : joins.items()) {
    for (const std::string_view name : {"left", "right"}) {
      const Node& side = join[name];
      if (side.string_or("table", "") == table && side["rows"].integer() == rows &&
          side["matched"].integer() == matched) {
        return true;
      }
    }
  }
  return false;
}

const Node& join_check(const Node& document) {
  static const Node none;
  for (const Node& check : document["receipt"]["checks"].items()) {
    if (check.string_or("check", "") == "join-coverage") return check;
  }
  return none;
}

Status Story::sparse_join() {
  constexpr std::int64_t kPatients = 513, kKept = 23, kCovered = 497;
  const std::string question = "What is the mean laboratory value at each site?";
  page_.heading("1. An answer about 513 patients that stands on 23");
  page_.prose("A clinic has 513 patients at six sites; its data is a folder of CSV files. The user asks the agent: \"" +
              question + "\"");
  CANDOR_ASSIGN(const Node sparse,
                query("SELECT p.site, count(DISTINCT p.patient_id) AS patients, round(avg(l.value), 2) AS mean\n"
                      "FROM patients p JOIN labs l ON p.patient_id = l.patient_id\n"
                      "GROUP BY p.site ORDER BY p.site"));
  page_.prose("It looks like an answer, and the agent commits it.");
  CANDOR_ASSIGN(const Node held, commit(question, sparse, "mean of labs.value by site of the patient"));
  if (held.string_or("title", "") != "Answer not committed") return broken("the sparse join was not held");
  if (!has_counts(held["evidence"]["joins"], "patients", kPatients, kKept)) {
    return broken("the hold does not say 23 of 513 patients");
  }
  page_.prose(
      "Candor found the query that produced the values, counted both sides of its join without running the join, and "
      "held the answer. Committed again unchanged it would be accepted, and its receipt would carry these counts. "
      "But the agent reads them, asks its user, and in a new turn takes the table that has the proper id.");
  caller_.turn = "2";
  CANDOR_ASSIGN(const Node whole,
                query("SELECT p.site, count(DISTINCT p.patient_id) AS patients, round(avg(r.value), 2) AS mean\n"
                      "FROM patients p JOIN lab_results r ON p.patient_id = r.patient_id\n"
                      "GROUP BY p.site ORDER BY p.site"));
  CANDOR_ASSIGN(const Node accepted, commit(question, whole, "mean of lab_results.value by site of the patient"));
  if (accepted.string_or("status", "") != "committed") return broken("the mended answer was not accepted");
  const Node& check = join_check(accepted);
  if (check.string_or("verdict", "") != "clean" || !has_counts(check["joins"], "patients", kPatients, kCovered)) {
    return broken("the receipt does not say 497 of 513 patients");
  }
  return Ok{};
}

Status Story::lost_zero() {
  const std::string question = "Which six states had the highest unemployment, as the mean of their counties?";
  page_.heading("2. Public data: county ids that lost their leading zero");
  page_.prose(
      "unemployment.tsv (npm vega-datasets) has a rate for each of 3,218 counties; its ids were once read as numbers. "
      "counties.csv (npm us-atlas) has the names of 3,231 counties, with ids of five digits. The user asks: \"" +
      question + "\"");
  caller_.turn = "3";
  CANDOR_ASSIGN(const Node top, query("SELECT c.state, round(100 * avg(u.rate), 1) AS percent\n"
                                      "FROM counties c JOIN unemployment u ON c.fips = CAST(u.id AS VARCHAR)\n"
                                      "GROUP BY c.state ORDER BY avg(u.rate) DESC LIMIT 6"));
  CANDOR_ASSIGN(const Node accepted, commit(question, top, "mean of the counties' rates"));
  if (accepted.string_or("status", "") != "committed") return broken("the answer about counties was not accepted");
  const Node& check = join_check(accepted);
  if (!has_counts(check["joins"], "counties", 3231, 2902) || !has_counts(check["joins"], "unemployment", 3218, 2902)) {
    return broken("the receipt does not say 2,902 of 3,231 counties");
  }
  page_.prose(
      "Accepted, and wrong. The rule holds an answer whose join keeps less than half, and this one keeps 90 %: it "
      "stays "
      "silent. What the receipt does say is that 316 rates found no county. Asked which ones:");
  caller_.turn = "4";
  CANDOR_ASSIGN(const Node digits,
                query("SELECT length(CAST(u.id AS VARCHAR)) AS digits, count(*) AS ids, count(c.fips) AS matched\n"
                      "FROM unemployment u LEFT JOIN counties c ON c.fips = CAST(u.id AS VARCHAR)\n"
                      "GROUP BY digits ORDER BY digits"));
  CANDOR_ASSIGN(const Node states, query("SELECT c.state, count(*) AS counties, count(u.id) AS with_a_rate\n"
                                         "FROM counties c LEFT JOIN unemployment u ON c.fips = CAST(u.id AS VARCHAR)\n"
                                         "WHERE c.state_code < '10' GROUP BY c.state ORDER BY c.state"));
  if (digits["rows"].items().size() != 2 || states["rows"].items().size() != 7) {
    return broken("the lost ids are not those of one length and of seven states");
  }
  page_.prose(
      "No id of four digits matches, and seven states are in no GROUP BY. This version does not hold an answer for a "
      "loss "
      "of that shape; the counts stand in the receipt for whoever reads it. Compared as numbers, the ids meet:");
  return show_mended_top(question);
}

Status Story::show_mended_top(const std::string& question) {
  caller_.turn = "5";
  CANDOR_ASSIGN(const Node top, query("SELECT c.state, round(100 * avg(u.rate), 1) AS percent\n"
                                      "FROM counties c JOIN unemployment u ON CAST(c.fips AS INTEGER) = u.id\n"
                                      "GROUP BY c.state ORDER BY avg(u.rate) DESC LIMIT 6"));
  CANDOR_ASSIGN(const Node accepted, commit(question, top, "mean of the counties' rates, ids compared as numbers"));
  if (accepted.string_or("status", "") != "committed" ||
      !has_counts(join_check(accepted)["joins"], "unemployment", 3218, 3212)) {
    return broken("the mended answer does not cover 3,212 of 3,218 rates");
  }
  return Ok{};
}

void show_clients(DemoPage& page, const std::string& program) {
  const std::string server = R"({"command": ")" + program + R"(", "args": ["mcp", "PATH"]})";
  page.heading("Connect an agent to data of your own");
  page.prose(
      "PATH is a .duckdb or SQLite file, or a folder or file of CSV, TSV, Parquet, JSON or NDJSON. Nothing is written "
      "to "
      "it.");
  page.verbatim("Claude Code   claude mcp add candor -- " + program + " mcp PATH");
  page.verbatim("Codex         codex mcp add candor -- " + program + " mcp PATH");
  page.verbatim("VS Code       code --add-mcp '{\"name\": \"candor\", " + server.substr(1) + "'");
  page.verbatim("Cursor        in .cursor/mcp.json: {\"mcpServers\": {\"candor\": " + server + "}}");
  page.verbatim("\nWithout an agent: candor sql, candor check, candor commit; candor --help.");
}

Status play(const DemoOptions& options, DemoPage& page) {
  CANDOR_ASSIGN(const DemoData data, find_data(options.program));
  const TemporaryHome home;
  if (home.path().empty()) return make_error("storage", "no temporary folder can be made", "TMPDIR=. candor demo");
  CANDOR_ASSIGN(const std::unique_ptr<Candor> candor,
                Candor::open(demo_configuration(home.path(), data), options.worker));
  Story story(*candor, page);
  Status status = story.sparse_join();
  if (status.ok()) status = story.lost_zero();
  candor->close_session("demo", false);
  return status;
}

}  // namespace

ExitCode run_demo(const DemoOptions& options) {
  DemoPage page(options.colour);
  const Status status = play(options, page);
  if (!status.ok()) {
    std::fflush(stdout);
    std::fprintf(stderr, "error: %s\n", status.error().message.c_str());
    if (!status.error().hint.empty()) std::fprintf(stderr, "try: %s\n", status.error().hint.c_str());
    return exit_code(status.error());
  }
  show_clients(page, options.program);
  return ExitCode::kDone;
}

}  // namespace candor::cli
