// Golden tests: text files that read as documentation, in the manner of sqllogictest. One test a file; the kinds of
// records stand in review_script.h and, of tests/golden/explain, in explain_script.h. Rewritten by `make golden`, never where CI=true.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <string>
#include <vector>

#include "golden/explain_script.h"
#include "golden/review_script.h"

namespace candor::test {
namespace {

namespace fs = std::filesystem;

fs::path source_folder() {
  const char* folder = std::getenv("CANDOR_SOURCE_DIR");
  return folder == nullptr ? fs::current_path() : fs::path(folder);
}

std::vector<fs::path> scripts() {
  std::vector<fs::path> found;
  for (const char* place : {"src/review/checks", "tests/golden/review", "tests/golden/explain"}) {
    const fs::path folder = source_folder() / place;
    if (!fs::is_directory(folder)) continue;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
      if (entry.path().extension() == ".test") found.push_back(entry.path());
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::string read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

bool is_set(const char* name, const char* value) {
  const char* found = std::getenv(name);
  return found != nullptr && std::string_view(found) == value;
}

class Golden : public testing::TestWithParam<fs::path> {};

TEST_P(Golden, SaysWhatIsExpected) {
  const std::string before = read_file(GetParam());
  const bool explains = GetParam().parent_path().filename() == "explain";
  const std::string after = explains ? run_explain_script(before) : run_review_script(before);
  if (before == after) return;
  if (is_set("CANDOR_GOLDEN_REWRITE", "1")) {
    ASSERT_FALSE(is_set("CI", "true")) << "expectations are not rewritten where CI=true";
    std::ofstream(GetParam(), std::ios::binary) << after;
    return;
  }
  EXPECT_EQ(before, after) << "if the change is meant, run `make golden` and read it line by line";
}

std::string name_of(const testing::TestParamInfo<fs::path>& info) {
  std::string name = info.param.stem().string();
  std::replace_if(name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Files, Golden, testing::ValuesIn(scripts()), name_of);

// A runner that agrees with everything would agree with this.
TEST(GoldenRunner, SeesAWrongExpectation) {
  const std::string wrong = "review\nSELECT 1\n----\nfinding\n";
  EXPECT_EQ(run_review_script(wrong), "review\nSELECT 1\n----\nclean: the query joins no tables\n");
  EXPECT_NE(run_review_script("reviev\nSELECT 1\n").find("not understood"), std::string::npos);
  EXPECT_NE(run_review_script("statement\nCREATE TABEL t(x INTEGER)\n").find("ERROR"), std::string::npos);
}

TEST(GoldenRunner, SeesAWrongExplanation) {
  const std::string wrong = "explain sqlite\nSHOW TABLES\n----\nTokens\n";
  EXPECT_NE(run_explain_script(wrong), wrong);
  EXPECT_NE(run_explain_script("explain mysql\nSELECT 1\n").find("not understood"), std::string::npos);
}

TEST(GoldenRunner, FindsItsFiles) { EXPECT_GE(scripts().size(), 9U); }

}  // namespace
}  // namespace candor::test
