// The client of a worker that breaks the protocol, does not stop, or ends; frames and payloads that are damaged.
#include <array>
#include <atomic>
#include <chrono>
#include <functional>
#include <gtest/gtest.h>
#include <string>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

#include "engine/worker/codec.h"
#include "engine/worker/frame.h"
#include "engine/worker/rows.h"
#include "engine/worker/worker_engine.h"
#include "support/impostor.h"
#include "support/worker_stage.h"

namespace candor::engine::worker {
namespace {

TEST(HostileWorkerTest, ACancellationThatIsIgnoredEndsTheWorker) {
  Impostor impostor([](const Frame& request) {
    return request.type == FrameType::kRun ? frame(FrameType::kHeader, request.id, encode(numbers_header())) : "";
  });
  WorkerEngine engine(impostor.connector(), {}, {.grace = 50ms});
  CancelToken cancel;
  auto stream = engine.run(statement("q"), cancel);
  ASSERT_TRUE(stream.ok());
  cancel.cancel();
  RowStream::Item item = (*stream)->next();
  ASSERT_TRUE(std::holds_alternative<Diagnostic>(item));
  EXPECT_EQ(std::get<Diagnostic>(item).code, "cancelled");
  engine.close(0ms);
}

TEST(HostileWorkerTest, AnAbandonedStreamThatDoesNotStopEndsTheWorker) {
  std::atomic<int> opened{0};
  Impostor impostor([](const Frame& request) {
    return request.type == FrameType::kRun ? frame(FrameType::kHeader, request.id, encode(numbers_header())) : "";
  });
  const Connector connect = impostor.connector();
  WorkerEngine engine(
      [&] {
        ++opened;
        return connect();
      },
      {}, {.grace = 20ms});
  ASSERT_TRUE(engine.run(statement("q"), {}).ok());
  for (int i = 0; i < 1'000 && opened < 2; ++i) {
    (void)engine.run(statement("q"), {}).ok();  // one that is caught by the end fails; a later one is served anew
    std::this_thread::sleep_for(5ms);
  }
  EXPECT_GE(opened, 2);
  engine.close(0ms);
}

struct Nonsense {
  std::string name;
  std::function<std::string(std::uint32_t id)> reply;
};

std::string one_row() {
  std::string cells;
  CellWriter writer(cells);
  writer.integer(1);
  writer.text(CellKind::kText, "a");
  return cells;
}

// Frames that are none, or not one of this request's, or whose payload is damaged.
std::vector<Nonsense> damaged_frames() {
  static const std::string header = encode(numbers_header());
  static const std::string row = one_row() + rows_tail(1);
  return {{"no frame", [](std::uint32_t) { return std::string(64, '\xFF'); }},
          {"type zero", [](std::uint32_t) { return std::string(kHeadBytes, '\0'); }},
          {"unknown id", [](std::uint32_t id) { return frame(FrameType::kHeader, id + 1, header); }},
          {"a request", [](std::uint32_t id) { return frame(FrameType::kRun, id, header); }},
          {"short header", [](std::uint32_t id) { return frame(FrameType::kHeader, id, header.substr(1)); }},
          {"long header", [](std::uint32_t id) { return frame(FrameType::kHeader, id, header + "x"); }},
          {"rows first", [](std::uint32_t id) { return frame(FrameType::kRows, id, row); }},
          {"end first", [](std::uint32_t id) { return frame(FrameType::kDone, id, encode(End{})); }},
          {"a bad kind",
           [](std::uint32_t id) {
             std::string bad = header;
             bad[0] = 100;
             return frame(FrameType::kHeader, id, bad);
           }},
          {"a huge count",
           [](std::uint32_t id) {
             std::string bad = header;
             bad[1] = bad[2] = bad[3] = bad[4] = '\x7F';
             return frame(FrameType::kHeader, id, bad);
           }},
          {"a failure cut off", [](std::uint32_t id) { return frame(FrameType::kFailed, id, "abc"); }}};
}

// A good header, then rows that do not fit it or an end that is none.
std::vector<Nonsense> damaged_rows() {
  static const std::string header = encode(numbers_header());
  static const std::string cells = one_row();
  static const std::string row = cells + rows_tail(1);
  return {
      {"too many rows said",
       [](std::uint32_t id) {
         return frame(FrameType::kHeader, id, header) + frame(FrameType::kRows, id, cells + rows_tail(2));
       }},
      {"too few rows said",
       [](std::uint32_t id) {
         return frame(FrameType::kHeader, id, header) + frame(FrameType::kRows, id, cells + cells + rows_tail(1));
       }},
      {"rows without a count",
       [](std::uint32_t id) { return frame(FrameType::kHeader, id, header) + frame(FrameType::kRows, id, "ab"); }},
      {"an unknown cell",
       [](std::uint32_t id) {
         return frame(FrameType::kHeader, id, header) + frame(FrameType::kRows, id, "\x7Fzz" + rows_tail(1));
       }},
      {"an end cut off",
       [](std::uint32_t id) { return frame(FrameType::kHeader, id, header) + frame(FrameType::kDone, id, "ab"); }},
      {"a second header",
       [](std::uint32_t id) { return frame(FrameType::kHeader, id, header) + frame(FrameType::kHeader, id, header); }},
      {"a credit",
       [](std::uint32_t id) {
         return frame(FrameType::kHeader, id, header) + frame(FrameType::kCredit, id, encode(Credit{1, 1}));
       }},
      {"rows beyond the window",
       [](std::uint32_t id) {
         std::string out = frame(FrameType::kHeader, id, header);
         for (std::uint32_t i = 0; i < kWindowBatches + 1; ++i) out += frame(FrameType::kRows, id, row);
         return out;
       }},
      {"rows after the end",
       [](std::uint32_t id) { return frame(FrameType::kDone, id, header) + frame(FrameType::kRows, id, row); }}};
}

// The request must end as `engine-died` and nothing else.
void expect_the_end(const std::vector<Nonsense>& cases) {
  for (const auto& [name, reply] : cases) {
    SCOPED_TRACE(name);
    Impostor impostor([&](const Frame& request) { return request.type == FrameType::kRun ? reply(request.id) : ""; });
    WorkerEngine engine(impostor.connector(), {}, {.grace = 50ms});
    const Drained got = drain(engine, statement("q"));
    ASSERT_TRUE(got.failure);
    EXPECT_EQ(got.failure->code, "engine-died");
    EXPECT_FALSE(got.end);
    engine.close(0ms);
  }
}

TEST(HostileWorkerTest, DamagedFramesEndTheConnection) { expect_the_end(damaged_frames()); }

TEST(HostileWorkerTest, DamagedRowsEndTheConnection) { expect_the_end(damaged_rows()); }

TEST(FrameReaderTest, CutsAStreamAtAnyByte) {
  std::string stream;
  append_frame(stream, FrameType::kRun, 7, "payload");
  append_frame(stream, FrameType::kClose, 8, "");
  for (std::size_t step = 1; step <= stream.size(); ++step) {
    FrameReader reader;
    std::vector<Frame> frames;
    for (std::size_t at = 0; at < stream.size(); at += step) {
      std::string_view bytes = std::string_view(stream).substr(at, step);
      while (auto whole = reader.feed(bytes)) frames.push_back(std::move(*whole));
      ASSERT_TRUE(bytes.empty());
    }
    ASSERT_EQ(frames.size(), 2U) << step;
    EXPECT_EQ(frames[0].payload, "payload");
    EXPECT_EQ(frames[0].id, 7U);
    EXPECT_EQ(frames[1].type, FrameType::kClose);
  }
}

TEST(FrameReaderTest, RefusesAFrameThatIsTooLong) {
  std::string head = frame_head(FrameType::kRows, 1, 0);
  head[3] = '\x7F';
  FrameReader reader;
  std::string_view bytes = head;
  EXPECT_FALSE(reader.feed(bytes));
  EXPECT_TRUE(reader.broken());
}

TEST(CodecTest, EveryTruncationOfAPayloadIsRefused) {
  Diagnostic failure = make_error("syntax", "message", "hint", "detail");
  failure.span = Span{1, 2};
  failure.others = {failure, failure};
  const std::string whole = encode(failure);
  Diagnostic read;
  EXPECT_TRUE(decode(whole, read));
  for (std::size_t size = 0; size < whole.size(); ++size) EXPECT_FALSE(decode(whole.substr(0, size), read)) << size;
}

TEST(HostileWorkerTest, AWriteWhoseProcessEndedMayHaveTakenEffect) {
  Impostor impostor(
      [](const Frame& request) { return request.type == FrameType::kRun ? std::string(64, '\xFF') : ""; });
  WorkerEngine engine(impostor.connector(), {}, {.grace = 50ms});
  RunRequest write = statement("insert into t values (1)");
  write.allow_writes = true;
  const Drained got = drain(engine, write);
  EXPECT_EQ(got.code(), "write-unknown");
  EXPECT_EQ(got.failure->error_class(), ErrorClass::kAmbiguous);
  write.sql = "select 1";
  EXPECT_EQ(drain(engine, write).code(), "engine-died");
  engine.close(0ms);
}

}  // namespace
}  // namespace candor::engine::worker
