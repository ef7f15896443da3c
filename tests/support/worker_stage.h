// A made-up engine behind a socket pair, for tests of the border to a worker: what it plays is said by each test.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <sys/socket.h>
#include <thread>
#include <utility>
#include <vector>

#include "engine/worker/serve.h"
#include "engine/worker/worker_engine.h"

namespace candor::engine::worker {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace)

inline Header numbers_header() {
  Header header;
  header.columns = {{"n", "BIGINT"}, {"t", "VARCHAR"}};
  return header;
}

// Gives `rows` rows in batches of `batch`, then what `last` says; waits for a cancellation where `stuck_at` is reached.
struct Script {
  std::uint64_t rows = 0;
  std::uint32_t batch = 100;
  std::string text = "row";
  std::optional<Diagnostic> failure = std::nullopt;
  std::optional<std::uint64_t> stuck_at = std::nullopt;
  bool obeys = true;  // a cancellation ends it
};

class ScriptStream final : public RowStream {
 public:
  ScriptStream(Script script, CancelToken cancel, std::atomic<std::uint64_t>& produced)
      : script_(std::move(script)), cancel_(std::move(cancel)), produced_(produced), header_(numbers_header()) {
    header_.target = script_.text;
  }
  const Header& header() const override { return header_; }
  Item next() override {
    while (script_.stuck_at && given_ >= *script_.stuck_at) {
      if (script_.obeys && cancel_.cancelled()) return make_error("cancelled", "stopped in the engine");
      std::this_thread::sleep_for(1ms);
    }
    if (given_ == script_.rows) {
      if (script_.failure) return *script_.failure;
      End end;
      end.rows = given_;
      end.rows_total = given_ + 7;
      end.cut_by_chars = true;
      return end;
    }
    RowBatch batch;
    CellWriter writer(batch.cells);
    while (batch.rows < script_.batch && given_ < script_.rows) {
      writer.integer(static_cast<std::int64_t>(given_++));
      writer.text(CellKind::kText, script_.text);
      ++batch.rows;
    }
    produced_ = given_;
    return batch;
  }

 private:
  Script script_;
  CancelToken cancel_;
  std::atomic<std::uint64_t>& produced_;
  Header header_;
  std::uint64_t given_ = 0;
};

// What all the made-up engines of one test share.
struct Stage {
  std::function<Script(const RunRequest&)> play = [](const RunRequest&) { return Script(); };
  std::function<Result<std::uint64_t>(RowStream&)> append = [](RowStream&) { return Result<std::uint64_t>(0U); };
  std::atomic<std::uint64_t> produced{0};
  std::atomic<int> engines{0};
  std::atomic<int> closed{0};
  std::mutex mutex;
  Policy policy;
  RunRequest request;
};

class StageEngine final : public Engine {
 public:
  explicit StageEngine(Stage& stage) : stage_(stage) { ++stage_.engines; }
  ~StageEngine() override { ++stage_.closed; }
  StageEngine(const StageEngine&) = delete;
  StageEngine& operator=(const StageEngine&) = delete;

  Result<std::unique_ptr<RowStream>> run(const RunRequest& request, CancelToken cancel) override {
    {
      const std::lock_guard lock(stage_.mutex);
      stage_.request = request;
    }
    if (request.sql == "refuse") {
      Diagnostic refused = make_error("unknown-table", "no table", "try", "detail");
      refused.fix = "select 1";
      refused.span = Span{3, 9};
      refused.severity = Severity::kWarning;
      refused.others = {make_error("unknown-column", "no column"), make_error("syntax", "bad")};
      refused.others[0].span = Span{1, 2};
      return refused;
    }
    return std::unique_ptr<RowStream>(std::make_unique<ScriptStream>(stage_.play(request), cancel, stage_.produced));
  }
  Result<Catalog> catalog() override;
  Result<std::string> syntax_tree(std::string_view sql) override { return "tree of " + std::string(sql); }
  Result<std::string> print_tree(std::string_view tree) override { return make_error("syntax", std::string(tree)); }
  Result<TableFacts> table_facts(const TableName& name, const std::vector<std::string>& columns) override {
    TableFacts facts;
    facts.resolved = name;
    facts.exists = facts.shadowed = facts.pending_updates = true;
    facts.rows_estimated = 1U << 31U;
    facts.bytes_max = 77;
    for (const std::string& column : columns) facts.columns.push_back({column, "VARCHAR", 12, true});
    facts.columns.push_back({"unknown width", "VARCHAR", std::nullopt, false});
    return facts;
  }
  Result<std::vector<FunctionFacts>> function_facts(const std::vector<std::string>& names) override {
    std::vector<FunctionFacts> facts;
    for (const std::string& name : names) facts.push_back({name, true, name != "random"});
    return facts;
  }
  Result<std::uint64_t> append(const std::string& table, const std::vector<Column>&, bool, RowStream& rows,
                               CancelToken) override {
    if (table == "taken") return make_error("duplicate-table", "there is one");
    return stage_.append(rows);
  }

 private:
  Stage& stage_;
};

inline Result<Catalog> StageEngine::catalog() {
  Catalog catalog;
  catalog.warnings = {"left out"};
  CatalogTable table;
  table.source = "files";
  table.name = "t";
  table.view = table.temporary = true;
  table.rows_estimated = 5;
  table.columns = {{.name = "a",
                    .type = "VARCHAR",
                    .nullable = false,
                    .primary_key = true,
                    .collated = true,
                    .computed = true,
                    .comment = "comment",
                    .note = "note"}};
  table.file = FileOrigin{"a.csv", "csv", ";", "'", true, "latin-1", 99, 2, {{7, "ragged"}, {9, "wide"}}, "failure"};
  catalog.tables = {table, CatalogTable{}};
  return catalog;
}

// Serves engines of `stage` to every connection that a client opens.
class Theatre {
 public:
  explicit Theatre(Stage& stage) : stage_(stage) {}
  ~Theatre() {
    for (std::thread& thread : threads_) thread.join();
  }
  Theatre(const Theatre&) = delete;
  Theatre& operator=(const Theatre&) = delete;
  Connector connector() {
    return [this]() -> Result<Peer> {
      std::array<int, 2> ends{};
      if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
        return make_error("internal", "no pair");
      const std::lock_guard lock(mutex_);
      threads_.emplace_back([this, fd = ends[1]] {
        const Opener open = [this](const Policy& policy) -> Result<std::unique_ptr<Engine>> {
          {
            const std::lock_guard stage_lock(stage_.mutex);
            stage_.policy = policy;
          }
          if (policy.scratch_path == "locked") return make_error("file-locked", "held", "close it", "pid 7");
          return std::unique_ptr<Engine>(std::make_unique<StageEngine>(stage_));
        };
        EXPECT_EQ(serve(fd, open, AtHangUp::kReturn), 0);
      });
      return Peer{ends[0], -1};
    };
  }

 private:
  Stage& stage_;
  std::mutex mutex_;
  std::vector<std::thread> threads_;
};

struct Drained {
  Header header;
  std::uint64_t rows = 0;
  std::int64_t sum = 0;
  std::optional<End> end;
  std::optional<Diagnostic> failure;
  [[nodiscard]] std::string code() const { return failure ? failure->code : "no failure"; }
};

inline Drained drain(Engine& engine, const RunRequest& request, const CancelToken& cancel = {}) {
  Drained drained;
  auto stream = engine.run(request, cancel);
  if (!stream.ok()) {
    drained.failure = stream.error();
    return drained;
  }
  drained.header = (*stream)->header();
  while (true) {
    RowStream::Item item = (*stream)->next();
    if (auto* batch = std::get_if<RowBatch>(&item)) {
      CellReader reader(batch->cells);
      for (std::uint32_t i = 0; i < batch->rows; ++i) {
        drained.sum += reader.next().integer;
        for (std::size_t c = 1; c < drained.header.columns.size(); ++c) reader.skip();
      }
      EXPECT_TRUE(reader.ok());
      EXPECT_TRUE(reader.at_end());
      drained.rows += batch->rows;
    } else if (auto* end = std::get_if<End>(&item)) {
      drained.end = *end;
      return drained;
    } else {
      drained.failure = std::get<Diagnostic>(item);
      return drained;
    }
  }
}

inline RunRequest statement(std::string sql) {
  RunRequest request;
  request.sql = std::move(sql);
  return request;
}

}  // namespace candor::engine::worker
