// candor-worker as a program: deadlines that only a kill keeps, deaths, what it inherits, and its parent's end.
#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <future>
#include <gtest/gtest.h>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "engine/worker/worker_engine.h"
#include "sqlite/sqlite.h"
#include "support/worker_stage.h"

namespace candor::engine::worker {
namespace {

namespace fs = std::filesystem;

class WorkerProcessTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const char* program = std::getenv("CANDOR_WORKER");
    if (program == nullptr || !fs::exists(program)) GTEST_SKIP() << "CANDOR_WORKER names no program";
    program_ = program;
    std::string pattern = (fs::temp_directory_path() / "candor-worker-XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    auto database = candor::sqlite::Database::open(folder_ + "/app.db", {.mode = candor::sqlite::OpenMode::kCreate});
    ASSERT_TRUE(database.ok());
    ASSERT_TRUE(database->run("CREATE TABLE t(a INTEGER); INSERT INTO t VALUES (1), (2)").ok());
    policy_.sources = {{"app", SourceKind::kSqlite, folder_ + "/app.db", ""}};
  }
  void TearDown() override {
    if (!folder_.empty()) fs::remove_all(folder_);
  }
  std::string program_, folder_;
  Policy policy_;
};

constexpr auto kEndless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n) SELECT i, 'x' FROM n";
// One call that takes minutes and never looks at the time.
constexpr auto kDeaf = "SELECT instr(hex(zeroblob(3000000)), hex(zeroblob(1500000)) || '1'), 'x'";

// Its files are closed when the last of its threads is gone, not when the first is.
bool runs(pid_t pid) {
  std::error_code gone;
  for (const auto& task : fs::directory_iterator("/proc/" + std::to_string(pid) + "/task", gone)) {
    std::ifstream stat(task.path() / "stat");
    std::string line;
    if (std::getline(stat, line) && line[line.rfind(')') + 2] != 'Z') return true;
  }
  return false;
}

bool ends_soon(pid_t pid) {
  for (int i = 0; i < 1'000 && runs(pid); ++i) std::this_thread::sleep_for(5ms);
  return !runs(pid);
}

TEST_F(WorkerProcessTest, AnswersFromAProcessOfItsOwn) {
  WorkerEngine engine(program_, policy_);
  EXPECT_FALSE(engine.process());
  const Drained got = drain(engine, statement("SELECT a FROM app.t"));
  EXPECT_EQ(got.sum, 3);
  ASSERT_TRUE(engine.process());
  EXPECT_EQ(::getsid(*engine.process()), *engine.process()) << "Ctrl-C must not reach it";
  EXPECT_EQ(drain(engine, statement("DROP TABLE t")).code(), "read-only");
}

TEST_F(WorkerProcessTest, KnowsNothingOfOurSecrets) {
  ::setenv("CANDOR_TEST_SECRET", "hush", 1);
  const int leaked = ::open("/dev/zero", O_RDONLY);
  ASSERT_GE(leaked, 0);
  WorkerEngine engine(program_, policy_);
  ASSERT_TRUE(engine.catalog().ok());
  const std::string process = "/proc/" + std::to_string(*engine.process());
  std::ifstream file(process + "/environ", std::ios::binary);
  const std::string environment((std::istreambuf_iterator<char>(file)), {});
  EXPECT_NE(environment.find("LC_ALL="), std::string::npos);
  EXPECT_EQ(environment.find("hush"), std::string::npos);
  for (const auto& entry : fs::directory_iterator(process + "/fd")) {
    std::error_code ignored;
    EXPECT_NE(fs::read_symlink(entry, ignored).string(), "/dev/zero");
  }
  ::close(leaked);
  ::unsetenv("CANDOR_TEST_SECRET");
}

TEST_F(WorkerProcessTest, AStatementThatHearsNothingIsEndedAtItsDeadline) {
  WorkerEngine engine(program_, policy_, {.grace = 100ms});
  RunRequest late = statement(kDeaf);
  late.deadline_ms = 100;
  EXPECT_EQ(drain(engine, late).code(), "statement-timeout");
  EXPECT_FALSE(engine.process());
  EXPECT_EQ(drain(engine, statement("SELECT a FROM t")).sum, 3);
  EXPECT_EQ(engine.generation(), 2U);
}

TEST_F(WorkerProcessTest, AStatementThatHearsIsStoppedAndItsProcessKept) {
  WorkerEngine engine(program_, policy_);
  RunRequest late = statement("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n) SELECT count(*) FROM n");
  late.deadline_ms = 50;
  EXPECT_EQ(drain(engine, late).code(), "statement-timeout");
  EXPECT_EQ(engine.generation(), 1U);
  EXPECT_TRUE(engine.process());
}

TEST_F(WorkerProcessTest, ADeathIsToldWithItsSignalAndTheRowsAreNoResult) {
  WorkerEngine engine(program_, policy_);
  RunRequest endless = statement(kEndless);
  endless.rows_max = ~std::uint64_t{0};
  endless.chars_max = ~std::uint64_t{0};
  auto stream = engine.run(endless, {});
  ASSERT_TRUE(stream.ok());
  ASSERT_TRUE(std::holds_alternative<RowBatch>((*stream)->next()));
  ASSERT_EQ(::kill(*engine.process(), SIGKILL), 0);
  RowStream::Item item = (*stream)->next();
  while (std::holds_alternative<RowBatch>(item)) item = (*stream)->next();
  ASSERT_TRUE(std::holds_alternative<Diagnostic>(item));
  EXPECT_EQ(std::get<Diagnostic>(item).code, "engine-died");
  EXPECT_EQ(std::get<Diagnostic>(item).error_class(), ErrorClass::kTransient);
  EXPECT_NE(std::get<Diagnostic>(item).detail.find("signal 9"), std::string::npos) << std::get<Diagnostic>(item).detail;
}

TEST_F(WorkerProcessTest, AProcessThatDiedWhileIdleIsOpenedAnewUnnoticed) {
  WorkerEngine engine(program_, policy_);
  for (std::uint64_t round = 1; round <= 3; ++round) {
    EXPECT_EQ(drain(engine, statement("SELECT a FROM t")).sum, 3);
    EXPECT_EQ(engine.generation(), round);
    const pid_t pid = *engine.process();
    ASSERT_EQ(::kill(pid, SIGKILL), 0);
    ASSERT_TRUE(ends_soon(pid));
  }
}

TEST_F(WorkerProcessTest, ItEndsWithItsParent) {
  std::array<int, 2> pipe{};
  ASSERT_EQ(::pipe(pipe.data()), 0);
  const pid_t parent = ::fork();
  ASSERT_GE(parent, 0);
  if (parent == 0) {
    WorkerEngine engine(program_, policy_);
    auto stream = engine.run(statement(kEndless), {});
    const pid_t pid = engine.process().value_or(-1);
    (void)!::write(pipe[1], &pid, sizeof pid);
    ::raise(SIGKILL);
  }
  pid_t worker = -1;
  ASSERT_EQ(::read(pipe[0], &worker, sizeof worker), static_cast<ssize_t>(sizeof worker));
  ASSERT_GT(worker, 0);
  int status = 0;
  ASSERT_EQ(::waitpid(parent, &status, 0), parent);
  EXPECT_TRUE(ends_soon(worker));
  ::close(pipe[0]);
  ::close(pipe[1]);
}

TEST_F(WorkerProcessTest, ClosingEndsItWhateverRuns) {
  WorkerEngine engine(program_, policy_);
  auto stream = engine.run(statement(kEndless), {});
  ASSERT_TRUE(stream.ok());
  const pid_t pid = *engine.process();
  engine.close(2s);
  EXPECT_FALSE(runs(pid));
  auto deaf = std::async(std::launch::async, [&] { return drain(engine, statement(kDeaf)).failure; });
  while (engine.generation() < 2) std::this_thread::sleep_for(1ms);
  std::this_thread::sleep_for(50ms);
  engine.close(50ms);
  EXPECT_TRUE(deaf.get());
  EXPECT_FALSE(engine.process());
}

TEST_F(WorkerProcessTest, ClosingWhenIdleEndsTheProcess) {
  WorkerEngine engine(program_, policy_);
  ASSERT_TRUE(engine.catalog().ok());
  const pid_t pid = *engine.process();
  EXPECT_TRUE(engine.close_idle());
  EXPECT_FALSE(runs(pid));
  EXPECT_EQ(drain(engine, statement("SELECT a FROM t")).sum, 3);
}

TEST_F(WorkerProcessTest, AThreadThatOpenedItMayEnd) {
  WorkerEngine engine(program_, policy_);
  std::thread([&] { EXPECT_TRUE(engine.catalog().ok()); }).join();
  std::this_thread::sleep_for(20ms);
  EXPECT_EQ(drain(engine, statement("SELECT a FROM t")).sum, 3);
  EXPECT_EQ(engine.generation(), 1U);
}

TEST_F(WorkerProcessTest, AProgramThatIsMissingOrIsNoWorker) {
  WorkerEngine missing(folder_ + "/nothing", policy_);
  const auto failed = missing.catalog();
  ASSERT_FALSE(failed.ok());
  EXPECT_EQ(failed.error().code, "engine-error");
  WorkerEngine other("/bin/true", policy_);
  EXPECT_EQ(other.catalog().error().code, "engine-died");
}

TEST_F(WorkerProcessTest, ASqliteWorkerLendsTheParser) {
  WorkerEngine engine(program_, policy_);
  const auto tree = engine.syntax_tree("SELECT a FROM t");
  ASSERT_TRUE(tree.ok()) << tree.error().message;
  EXPECT_NE(tree->find("SELECT_NODE"), std::string::npos);
  EXPECT_EQ(engine.syntax_tree("SELECT FROM WHERE").error().code, "syntax");
}

TEST_F(WorkerProcessTest, RowsGoFromOneEngineToAnotherExactly) {
  WorkerEngine from(program_, policy_);
  Policy policy;
  policy.scratch_path = folder_ + "/scratch.duckdb";
  policy.temp_directory = folder_ + "/temp";
  policy.cache_directory = folder_ + "/cache";
  WorkerEngine to(program_, policy);
  RunRequest all = statement("SELECT a, a || '!' AS t FROM t");
  all.exact_types = true;
  auto rows = from.run(all, {});
  ASSERT_TRUE(rows.ok()) << rows.error().message;
  const std::vector<Column> columns = (*rows)->header().columns;
  const auto copied = to.append("copied", columns, false, **rows, {});
  ASSERT_TRUE(copied.ok()) << copied.error().message;
  EXPECT_EQ(*copied, 2U);
  // The scratch database is a file, and so outlives its process.
  ASSERT_EQ(::kill(*to.process(), SIGKILL), 0);
  Drained got = drain(to, statement("SELECT sum(a)::BIGINT, max(t) FROM scratch.main.copied"));
  if (got.code() == "engine-died") got = drain(to, statement("SELECT sum(a)::BIGINT, max(t) FROM scratch.main.copied"));
  EXPECT_EQ(got.code(), "no failure") << got.failure->message;
  EXPECT_EQ(got.sum, 3);
  EXPECT_TRUE(to.reopened_since(1));
}

}  // namespace
}  // namespace candor::engine::worker
