// Sources told by their content, and the fingerprint that shows that they changed.
#include "candor/sources.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <string>

#include "candor/session.h"
#include "engine/source_version.h"

namespace candor {
namespace {

namespace fs = std::filesystem;

class SourcesTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "candor-sources-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string write(const std::string& name, const std::string& bytes) {
    const fs::path path = folder_ / name;
    fs::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << bytes;
    return path.string();
  }

  Result<engine::SourceSpec> recognise(const std::string& path) { return recognise_source({"s", path, "", ""}); }

  fs::path folder_;
};

TEST_F(SourcesTest, AreToldByContentNotByEnding) {
  const std::string lite("SQLite format 3\0 and more", 25);
  EXPECT_EQ(recognise(write("a.duckdb", lite))->kind, engine::SourceKind::kSqlite);
  EXPECT_EQ(recognise(write("b.sqlite", "12345678DUCK____"))->kind, engine::SourceKind::kDuckdb);
  EXPECT_EQ(recognise(write("c.csv", "a,b\n1,2\n"))->kind, engine::SourceKind::kFiles);
  EXPECT_EQ(recognise(folder_.string())->kind, engine::SourceKind::kFiles);
}

TEST_F(SourcesTest, AnEndingThatItsContentContradictsIsAnError) {
  const auto duck = recognise(write("x.duckdb", "hello"));
  ASSERT_FALSE(duck.ok());
  EXPECT_EQ(duck.error().code, "file-error");
  EXPECT_NE(duck.error().message.find("x.duckdb is no DuckDB database"), std::string::npos);
  EXPECT_EQ(recognise(write("x.sqlite", "")).error().code, "file-error");
}

TEST_F(SourcesTest, WhatIsNotThereIsAnErrorThatNamesIt) {
  const auto missing = recognise((folder_ / "nothing.csv").string());
  ASSERT_FALSE(missing.ok());
  EXPECT_NE(missing.error().message.find("nothing.csv"), std::string::npos);
}

TEST_F(SourcesTest, WhatThisVersionCannotDoIsAnErrorNotAnEmptySource) {
  EXPECT_EQ(recognise("mysql://localhost/x").error().code, "not-in-this-version");
}

TEST_F(SourcesTest, APostgresqlUrlTakesWhatItLeavesOutFromTheEnvironment) {
  ASSERT_EQ(setenv("PGUSER", "reader", 1), 0);
  ASSERT_EQ(setenv("PGNOSUCH", "x", 1), 0);
  const auto spec = recognise_source({"s", "postgresql://localhost/x", "", "", true});
  unsetenv("PGUSER");
  unsetenv("PGNOSUCH");
  ASSERT_TRUE(spec.ok()) << spec.error().message;
  EXPECT_EQ(spec->kind, engine::SourceKind::kPostgres);
  EXPECT_EQ(spec->path, "postgresql://localhost/x");
  EXPECT_TRUE(spec->unsafe_role);
  const std::string all = testing::PrintToString(spec->environment);
  EXPECT_NE(all.find("PGUSER=reader"), std::string::npos) << all;
  EXPECT_NE(all.find("PGPASSFILE="), std::string::npos) << all;
  EXPECT_EQ(all.find("PGNOSUCH"), std::string::npos) << all;
  EXPECT_EQ(engine::source_version(*spec), "") << "only the server knows when it changes";
}

TEST_F(SourcesTest, TheFingerprintSeesEveryChange) {
  const std::string path = write("d/a.csv", "a\n1\n");
  engine::SourceSpec spec;
  spec.path = (folder_ / "d").string();
  const std::string before = engine::source_version(spec);
  EXPECT_EQ(engine::source_version(spec), before);
  std::ofstream(path, std::ios::app) << "2\n";
  const std::string longer = engine::source_version(spec);
  EXPECT_NE(longer, before);
  write("d/b.csv", "b\n");
  EXPECT_NE(engine::source_version(spec), longer);
  fs::remove(path);
  EXPECT_NE(engine::source_version(spec), longer);
  spec.path = path;
  EXPECT_EQ(engine::source_version(spec), "") << "a file that vanished has no fingerprint";
}

TEST(SessionNames, CannotLeaveTheirFolder) {
  for (const char* good : {"cli", "mcp-01J", "a.b_c"}) EXPECT_TRUE(valid_session_name(good)) << good;
  for (const char* bad : {"", ".", "..", "a/b", "../x", "a b", "ä", ".hidden"})
    EXPECT_FALSE(valid_session_name(bad)) << bad;
  EXPECT_FALSE(valid_session_name(std::string(65, 'a')));
}

}  // namespace
}  // namespace candor
