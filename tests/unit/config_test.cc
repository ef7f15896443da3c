// Settings from file, environment and command line, and what is said about those that can't be used.
#include "config/config.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/codes.h"
#include "config/source_names.h"

namespace candor::config {
namespace {

bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }
bool begins(std::string_view text, std::string_view part) { return text.starts_with(part); }

// Sets a variable for one test; null removes it.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    put(value);
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;
  ~Variable() { put(before_ ? before_->c_str() : nullptr); }

 private:
  void put(const char* value) const {
    if (value == nullptr) {
      unsetenv(name_);
    } else {
      setenv(name_, value, 1);
    }
  }
  const char* name_;
  std::optional<std::string> before_;
};

class ConfigTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "candor-config-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string write(std::string_view text) {
    std::string file = folder_ + "/candor.yaml";
    std::ofstream(file, std::ios::binary) << text;
    return file;
  }

  Configuration accepted(std::string_view text, std::vector<std::string> sources = {}) {
    Overrides overrides;
    overrides.config_file = write(text);
    overrides.sources = std::move(sources);
    Result<Configuration> loaded = load(overrides);
    EXPECT_TRUE(loaded.ok()) << loaded.error().message;
    return loaded.ok() ? std::move(*loaded) : Configuration();
  }

  Diagnostic refused(std::string_view text) {
    Overrides overrides;
    overrides.config_file = write(text);
    const Result<Configuration> loaded = load(overrides);
    EXPECT_FALSE(loaded.ok()) << text.substr(0, 200);
    if (loaded.ok()) return {};
    EXPECT_EQ(loaded.error().code, "configuration");
    EXPECT_EQ(exit_code(loaded.error()), ExitCode::kConfiguration);
    EXPECT_EQ(loaded.error().message.find('\n'), std::string::npos);
    EXPECT_PRED2(begins, loaded.error().message, folder_ + "/candor.yaml");
    Diagnostic error = loaded.error();
    error.message.erase(0, folder_.size() + 1);
    for (Diagnostic& other : error.others) other.message.erase(0, folder_.size() + 1);
    return error;
  }

  std::string folder_;
  Variable no_home_{"CANDOR_HOME", nullptr};
  Variable no_check_{"CANDOR_SQL_AUTO_CHECK", nullptr};
};

TEST_F(ConfigTest, AWholeFile) {
  const Configuration read = accepted(R"(
sources:
  shop: shop.duckdb
  app:  {path: app.sqlite, contract: app.contract.yaml}
  old:  {path: /data/old, encoding: latin-1}
  web:  postgresql://host/db
limits: {rows_per_result: 250, statement_seconds: 5}
review: {probe: scratch, max_rows: 1000, max_key_chars: 2000}
memory: {model: none, lessons: false, tools: read}
log_json: true
)");
  ASSERT_EQ(read.sources.size(), 4U);
  EXPECT_EQ(read.sources[0].name, "shop");
  EXPECT_EQ(read.sources[0].spec, folder_ + "/shop.duckdb") << "relative to the file, not to the working folder";
  EXPECT_EQ(read.sources[1].contract, folder_ + "/app.contract.yaml");
  EXPECT_EQ(read.sources[2].spec, "/data/old");
  EXPECT_EQ(read.sources[2].encoding, "latin-1");
  EXPECT_EQ(read.sources[3].spec, "postgresql://host/db");
  EXPECT_EQ(read.limit("rows_per_result"), 250);
  EXPECT_EQ(read.limit("statement_seconds"), 5);
  EXPECT_EQ(read.limit("result_chars"), 48'000);
  EXPECT_EQ(read.review_probe, "scratch");
  EXPECT_EQ(read.review_max_rows, 1000);
  EXPECT_EQ(read.review_max_key_chars, 2000);
  EXPECT_TRUE(read.review_enabled);
  EXPECT_FALSE(read.memory_lessons);
  EXPECT_EQ(read.memory_tools, "read");
  EXPECT_TRUE(read.log_json);
  EXPECT_EQ(read.file, folder_ + "/candor.yaml");
}

TEST_F(ConfigTest, ARoleThatCanDoTooMuchIsTakenOnOfOneDatabaseAlone) {
  const std::string_view file = "sources: {app: {path: 'postgresql://host/db', unsafe_role: true}}";
  EXPECT_TRUE(accepted(file).sources[0].unsafe_role);
  EXPECT_FALSE(accepted("sources: {app: 'postgresql://host/db'}").sources[0].unsafe_role);
  const Configuration other = accepted(file, {"app=postgresql://host/other"});
  EXPECT_EQ(other.sources[0].spec, "postgresql://host/other");
  EXPECT_FALSE(other.sources[0].unsafe_role);
  EXPECT_EQ(refused("sources:\n  a: {path: ./a, unsafe_role: true}").message,
            "candor.yaml:2: sources.a.unsafe_role: is a setting of PostgreSQL sources alone");
  EXPECT_EQ(refused("sources:\n  a: {path: 'postgresql://h/d', unsafe_role: maybe}").message,
            "candor.yaml:2: sources.a.unsafe_role: must be true or false");
}

TEST_F(ConfigTest, AnEmptyFileIsTheDefaults) {
  for (const std::string_view text : {"", "# nothing\n", "---\n", "limits:\nsources:\nreview:\nmemory:\n", "{}"}) {
    const Configuration read = accepted(text);
    EXPECT_TRUE(read.sources.empty());
    EXPECT_EQ(read.review_probe, "local");
    EXPECT_EQ(read.review_max_rows, 500'000);
    EXPECT_FALSE(read.log_json);
    for (const Limit& limit : limits()) EXPECT_EQ(read.limit(limit.name), limit.standard) << limit.name;
  }
}

TEST(Limits, StandLogicallyInTheTable) {
  for (const Limit& limit : limits()) {
    EXPECT_LE(limit.min, limit.standard) << limit.name;
    EXPECT_LE(limit.standard, limit.max) << limit.name;
    EXPECT_FALSE(limit.meaning.empty()) << limit.name;
    EXPECT_EQ(Configuration().limit(limit.name), limit.standard);
  }
}

TEST_F(ConfigTest, AnErrorNamesFileLineAndKey) {
  const Diagnostic error = refused("sources: {}\nlimits:\n  rows_per_results: 5\n");
  EXPECT_EQ(error.message, "candor.yaml:3: limits.rows_per_results: there is no such setting");
  EXPECT_EQ(error.hint, "write rows_per_result");
  EXPECT_PRED2(contains, error.detail, "statement_seconds");
}

TEST_F(ConfigTest, AllFaultsAreTold) {
  const Diagnostic error = refused("source: {}\nlimits: {cell_chars: many}\nreview:\n  probe: remote\nlog_json: yes\n");
  EXPECT_EQ(error.hint, "write sources");
  ASSERT_EQ(error.others.size(), 3U);
  EXPECT_PRED2(begins, error.others[0].message, "candor.yaml:2: limits.cell_chars: must be a whole number from");
  EXPECT_PRED2(begins, error.others[1].message, "candor.yaml:4: review.probe: must be scratch, local or all");
  EXPECT_EQ(error.others[2].message, "candor.yaml:5: log_json: must be true or false");
}

TEST_F(ConfigTest, ALimitAtTheTopIsToldItsPlace) {
  EXPECT_EQ(refused("rows_per_result: 10\n").hint, "write it below limits:");
}

TEST_F(ConfigTest, WrongTypesAndRangesAreRefused) {
  for (const std::string_view text : {"- a\n- b\n",
                                      "just a word\n",
                                      "limits: 5\n",
                                      "limits: [1]\n",
                                      "limits: {cell_chars: 1.5}\n",
                                      "limits: {cell_chars: [1]}\n",
                                      "limits: {cell_chars: }\n",
                                      "limits: {cell_chars: 0}\n",
                                      "limits: {cell_chars: -1}\n",
                                      "limits: {cell_chars: 99999999999999999999}\n",
                                      "limits: {statement_seconds: 86401}\n",
                                      "limits: {cell_chars: 1e3}\n",
                                      "review: {probe: [local]}\n",
                                      "review: {max_rows: 0}\n",
                                      "review: {max_rows: true}\n",
                                      "review: {enabled: true}\n",
                                      "sources: shop.duckdb\n",
                                      "sources: {shop: [a]}\n",
                                      "sources: {shop: }\n",
                                      "sources: {shop: {}}\n",
                                      "sources: {shop: {contract: c.yaml}}\n",
                                      "sources: {shop: {path: }}\n",
                                      "sources: {shop: {path: a, mode: rw}}\n",
                                      "memory: 5\n",
                                      "memory: {lesson: false}\n",
                                      "memory: {lessons: maybe}\n",
                                      "memory: {tools: some}\n",
                                      "log_json: 1\n",
                                      "? [a, b]\n: c\n",
                                      "<<: {log_json: true}\n"}) {
    refused(text);
  }
}

TEST_F(ConfigTest, BrokenYamlIsRefusedWithItsLine) {
  EXPECT_PRED2(contains, refused("limits:\n  a: [1\nb: }\n").message, "not valid YAML");
  EXPECT_PRED2(begins, refused("a: b: c\n").message, "candor.yaml:1: not valid YAML");
  refused("\t- x\n");
  refused("log_json: &a\n  - *b\n");
  EXPECT_PRED2(contains, refused("log_json: true\n---\nlog_json: false\n").message, "candor.yaml:2: ");
  // Without an own look at where documents begin, these three characters fill the memory.
  EXPECT_PRED2(begins, refused(",\n,").message, "candor.yaml:1: not valid YAML from here on");
  EXPECT_PRED2(begins, refused("log_json: true\n,\n").message, "candor.yaml:2: not valid YAML");
  refused(std::string_view("log_json: true\n\0", 16));
  refused("log_json: \xFF\n");
}

TEST_F(ConfigTest, DuplicateKeysAreRefused) {
  EXPECT_EQ(refused("log_json: true\nlog_json: false\n").message, "candor.yaml:2: log_json: stands here twice");
  EXPECT_PRED2(contains, refused("sources:\n  a: x\n  a: y\n").message, "sources.a: stands here twice");
  EXPECT_PRED2(contains, refused("sources:\n  a: x\n  A: y\n").message, "in case alone");
}

TEST_F(ConfigTest, BombsAreBounded) {
  std::string laughs = "a0: &a0 [lol, lol, lol, lol, lol, lol, lol, lol, lol]\n";
  for (int i = 1; i < 12; ++i) {
    const std::string before = "*a" + std::to_string(i - 1);
    laughs += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + before;
    for (int j = 0; j < 8; ++j) laughs += ", " + before;
    laughs += "]\n";
  }
  refused(laughs);
  std::string below = "memory:\n";
  std::istringstream lines(laughs);
  for (std::string line; std::getline(lines, line);) below += "  " + line + "\n";
  EXPECT_PRED2(contains, refused(below).message, "memory: holds more than");
  EXPECT_PRED2(contains, refused("memory: &m {inner: *m}\n").message, "candor.yaml");
  refused("memory: {deep: " + std::string(20'000, '[') + std::string(20'000, ']') + "}\n");
  refused("# " + std::string(2'000'000, 'x') + "\n");
}

TEST_F(ConfigTest, AFileThatIsNamedMustBeThere) {
  Overrides overrides;
  overrides.config_file = folder_ + "/other.yaml";
  EXPECT_EQ(load(overrides).error().code, "configuration");
  overrides.config_file = folder_;
  EXPECT_EQ(load(overrides).error().code, "configuration");
}

TEST_F(ConfigTest, TheWorkingFoldersFileIsRead) {
  write("sources: {shop: shop.duckdb}\n");
  const pid_t child = fork();
  if (child == 0) {
    if (chdir(folder_.c_str()) != 0) _exit(2);
    const Result<Configuration> read = load({});
    const bool right =
        read.ok() && read->file == "candor.yaml" && read->sources.size() == 1 && read->sources[0].spec == "shop.duckdb";
    _exit(right ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST_F(ConfigTest, HomeComesFromTheStrongestPlace) {
  const Variable user("HOME", "/users/ada");
  Overrides overrides;
  overrides.config_file = write("");
  {
    const Variable state("XDG_STATE_HOME", nullptr);
    EXPECT_EQ(load(overrides)->home, "/users/ada/.local/state/candor");
  }
  const Variable relative("XDG_STATE_HOME", "state");
  EXPECT_EQ(load(overrides)->home, "/users/ada/.local/state/candor");
  const Variable state("XDG_STATE_HOME", "/state");
  EXPECT_EQ(load(overrides)->home, "/state/candor");
  const Variable candor("CANDOR_HOME", "~/ledger");
  EXPECT_EQ(load(overrides)->home, "/users/ada/ledger");
  overrides.home = "/flag";
  EXPECT_EQ(load(overrides)->home, "/flag");
  overrides.home = "";
  EXPECT_FALSE(load(overrides).ok());
}

TEST_F(ConfigTest, TheReviewIsSwitchedOffByTheEnvironmentAlone) {
  Overrides overrides;
  overrides.config_file = write("");
  for (const char* value : {"off", "false", "0", "OFF"}) {
    const Variable check("CANDOR_SQL_AUTO_CHECK", value);
    EXPECT_FALSE(load(overrides)->review_enabled) << value;
  }
  for (const char* value : {"on", "1", "true", ""}) {
    const Variable check("CANDOR_SQL_AUTO_CHECK", value);
    EXPECT_TRUE(load(overrides)->review_enabled) << value;
  }
  const Variable check("CANDOR_SQL_AUTO_CHECK", "no");
  EXPECT_EQ(load(overrides).error().code, "configuration") << "a wish that is not understood is no \"on\"";
}

// ---- sources of the command line ----

std::string names(const Configuration& configuration) {
  std::string text;
  for (const Source& source : configuration.sources) text += source.name + "=" + source.spec + " ";
  return text;
}

TEST_F(ConfigTest, SourcesAreNamedAfterTheirPath) {
  EXPECT_EQ(names(accepted("", {"/data/shop.duckdb", "x=/y=z", "/a=b/c d.e.csv", "/2024.csv", "/data/order/",
                                "/main.duckdb", "postgresql://u@h/web?x=y", "/b/shop.csv", "/"})),
            "shop=/data/shop.duckdb x=/y=z c_d=/a=b/c d.e.csv _2024=/2024.csv order_data=/data/order/ "
            "main_data=/main.duckdb web=postgresql://u@h/web?x=y shop_2=/b/shop.csv data=/ ");
}

TEST_F(ConfigTest, TheCommandLinesSourceIsStrongerThanTheFiles) {
  const Configuration read = accepted("sources: {app: {path: /a.sqlite, contract: /c.yaml}}", {"APP=/b.sqlite"});
  EXPECT_EQ(names(read), "app=/b.sqlite ");
  EXPECT_EQ(read.sources[0].contract, "/c.yaml") << "another path must not undo the contract";
  EXPECT_EQ(names(accepted("sources: {app: /a.sqlite}", {"/a.sqlite"})), "app=/a.sqlite ");
}

TEST_F(ConfigTest, ImpossibleSourcesAreRefused) {
  for (const std::string& source : {std::string("my-shop=a"), std::string("=a"), std::string("a="), std::string(""),
                                    std::string("scratch=a"), std::string("Main=a"), std::string("select=a"),
                                    std::string("1a=a"), std::string("caf\xE9=a"), std::string("a=b\0c", 5)}) {
    Overrides overrides;
    overrides.config_file = write("");
    overrides.sources = {source};
    const Result<Configuration> loaded = load(overrides);
    ASSERT_FALSE(loaded.ok()) << source;
    EXPECT_EQ(loaded.error().code, "configuration");
  }
  Overrides twice;
  twice.config_file = write("");
  twice.sources = {"a=/x", "A=/y"};
  EXPECT_FALSE(load(twice).ok());
  EXPECT_PRED2(begins, refused("sources:\n  scratch: a\n").message, "candor.yaml:2: sources.scratch: the name");
  EXPECT_PRED2(begins, refused("sources:\n  a b: a\n").message, "candor.yaml:2: sources.a b: the name");
}

TEST(SourceNames, DerivedNamesAreAlwaysPossible) {
  for (const std::string& spec :
       {std::string("/"), std::string("."), std::string("…"), std::string("/a/.hidden"), std::string(300, 'x'),
        std::string("\xFF\xFE"), std::string("/select"), std::string("http://")}) {
    const std::string name = name_for(spec, [](std::string_view taken) { return taken.size() % 2 == 1; });
    EXPECT_EQ(source_name_fault(name), "") << name;
  }
}

TEST(SourceNames, WhatIsShownOfAUrlHasNoPassword) {
  EXPECT_EQ(shown_spec("postgresql://bob:secret@db.example:5432/shop"), "postgresql://…@db.example:5432/shop");
  EXPECT_EQ(shown_spec("pg=postgresql://bob:se/cr@et@db/shop?password=secret"), "pg=postgresql://…@db/shop?…");
  EXPECT_EQ(shown_spec("https://host/a@b.csv"), "https://…@b.csv");
  EXPECT_EQ(shown_spec("postgresql://"), "postgresql://");
  EXPECT_EQ(shown_spec("data/a@b.csv"), "data/a@b.csv");
  EXPECT_EQ(shown_spec(""), "");
}

}  // namespace
}  // namespace candor::config
