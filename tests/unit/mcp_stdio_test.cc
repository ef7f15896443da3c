// Lines, threads and the orderly end of the stdio server, over pipes and with tools of the test's own.
#include <atomic>
#include <csignal>
#include <fcntl.h>
#include <future>
#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <thread>
#include <unistd.h>
#include <vector>

#include "mcp/stdio/lines.h"
#include "mcp/stdio/pool.h"
#include "mcp/stdio/stdio.h"

namespace candor::mcp {
namespace {

struct Split {
  std::vector<std::string> lines;
  int too_long = 0;
  std::string skipped;
};

Split split(const std::vector<std::string>& pieces, std::size_t bytes_max) {
  Split got;
  LineSplitter splitter(bytes_max, {.line = [&](std::string_view line) { got.lines.emplace_back(line); },
                                    .too_long = [&] { ++got.too_long; },
                                    .skipped = [&](std::string_view bytes) { got.skipped += bytes; }});
  for (const std::string& piece : pieces) splitter.feed(piece);
  splitter.finish();
  return got;
}

TEST(McpLines, PiecesBecomeLines) {
  using Lines = std::vector<std::string>;
  EXPECT_EQ(split({"a\nb", "c\n", "\n \r\n", "d"}, 10).lines, (Lines{"a", "bc", "d"}));
  EXPECT_EQ(split({"a\r\n"}, 10).lines, (Lines{"a\r"}));
  EXPECT_EQ(split({}, 10).lines, Lines{});
}

TEST(McpLines, ALineOverTheBoundIsToldOnceAndTheNextOneIsRead) {
  using Lines = std::vector<std::string>;
  for (const std::vector<std::string>& pieces :
       {std::vector<std::string>{"12345\n123456\nx\n"}, {"123", "45\n123", "456", "7\nx", "\n"}}) {
    const Split got = split(pieces, 5);
    EXPECT_EQ(got.lines, (Lines{"12345", "x"}));
    EXPECT_EQ(got.too_long, 1);
    EXPECT_EQ(got.skipped, "123456" + std::string(pieces.size() > 1 ? "7" : ""));
  }
  EXPECT_EQ(split({"1234567"}, 5).too_long, 1);
}

TEST(McpPool, TasksRunBesideEachOtherUpToTheBoundAndWaitUpToTheNext) {
  Pool pool(2, 1);
  std::promise<void> release;
  const std::shared_future<void> released = release.get_future().share();
  std::atomic<int> ran{0};
  const auto submit = [&] {
    std::function<void()> task = [&] {
      released.wait();
      ++ran;
    };
    return pool.submit(task);
  };
  EXPECT_TRUE(pool.wait_idle(std::chrono::milliseconds(0)));
  EXPECT_TRUE(submit());
  EXPECT_TRUE(submit());
  // A thread may not have taken its task from the queue yet, so the third may be refused once.
  while (!submit()) std::this_thread::yield();
  EXPECT_FALSE(submit());
  EXPECT_FALSE(pool.wait_idle(std::chrono::milliseconds(0)));
  release.set_value();
  EXPECT_TRUE(pool.wait_idle(std::chrono::minutes(1)));
  EXPECT_EQ(ran.load(), 3);
}

// A server on two pipes, run on a thread.
class McpStdio : public testing::Test {
 protected:
  McpStdio() {
    EXPECT_EQ(::pipe2(in_, O_CLOEXEC), 0);
    EXPECT_EQ(::pipe2(out_, O_CLOEXEC), 0);
    settings_.input = in_[0];
    settings_.output = out_[1];
    settings_.grace = std::chrono::minutes(1);
  }
  void TearDown() override {
    for (const int end : {in_[0], in_[1], out_[0], out_[1]}) {
      if (end >= 0) ::close(end);
    }
  }

  void start() {
    ServerSettings settings;
    settings.message_bytes_max = 1000;
    server_ = std::make_unique<Server>(settings, std::vector<Tool>{waiting_tool(), echo_tool()});
    code_ = std::async(std::launch::async, [this] { return serve(*server_, settings_); });
  }

  void say(std::string_view text) {
    ASSERT_EQ(::write(in_[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }
  void call(std::string_view tool, int id) {
    say(R"({"jsonrpc":"2.0","id":)" + std::to_string(id) + R"(,"method":"tools/call","params":{"name":")" +
        std::string(tool) + "\"}}\n");
  }
  void end_input() {
    ::close(in_[1]);
    in_[1] = -1;
  }

  // The next line of the output; empty at its end.
  std::string line() {
    std::string text;
    char c = 0;
    while (::read(out_[0], &c, 1) == 1 && c != '\n') text += c;
    return text;
  }
  int id_of(const std::string& text) {
    const auto node = json::parse(text);
    return node.ok() ? static_cast<int>((*node)["id"].integer().value_or(-1)) : -2;
  }

  static Tool plain(std::string name) {
    Tool tool;
    tool.name = std::move(name);
    tool.input_schema = "{}";
    tool.handler = [](const ToolCall&) {
      return ToolOutcome{.document = "{}", .is_error = false, .content = {}, .summary = {}};
    };
    return tool;
  }
  static Tool echo_tool() { return plain("echo"); }
  // Runs until it is cancelled.
  Tool waiting_tool() {
    Tool tool = plain("wait");
    tool.handler = [this](const ToolCall& call) {
      ++waiting_;
      while (!call.cancel.cancelled()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      --waiting_;
      return failed_outcome(make_error("cancelled", "stopped"));
    };
    return tool;
  }

  int in_[2] = {-1, -1};
  int out_[2] = {-1, -1};
  StdioSettings settings_;
  std::atomic<int> waiting_{0};
  std::unique_ptr<Server> server_;
  std::future<int> code_;
};

TEST_F(McpStdio, ALongCallBlocksNoOther) {
  start();
  call("wait", 1);
  call("echo", 2);
  EXPECT_EQ(id_of(line()), 2);
  say("{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"ping\"}\n");
  EXPECT_EQ(id_of(line()), 3);
  say("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":1}}\n");
  while (waiting_ > 0) std::this_thread::yield();
  call("echo", 4);
  EXPECT_EQ(id_of(line()), 4);  // and none for 1
  end_input();
  EXPECT_EQ(code_.get(), 0);
}

TEST_F(McpStdio, CallsThatRunWhenTheInputEndsAreAnsweredAndThenCancelled) {
  settings_.grace = std::chrono::milliseconds(20);
  bool left = false;
  settings_.before_leaving = [&] { left = true; };
  start();
  call("echo", 1);
  call("wait", 2);
  end_input();
  EXPECT_EQ(id_of(line()), 1);
  EXPECT_EQ(id_of(line()), 2);
  EXPECT_EQ(code_.get(), 0);
  EXPECT_TRUE(left);
}

TEST_F(McpStdio, AMessageThatEndsInTheMiddleIsAnErrorAndTheEnd) {
  start();
  say(R"({"jsonrpc":"2.0","id":1,"met)");
  end_input();
  EXPECT_NE(line().find("-32700"), std::string::npos);
  EXPECT_EQ(code_.get(), 0);
}

TEST_F(McpStdio, AMessageOverTheBoundIsAnErrorAndTheStreamGoesOn) {
  start();
  say("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"" + std::string(2000, 'x') + "\"}\n");
  EXPECT_NE(line().find("-32600"), std::string::npos);
  call("echo", 2);
  EXPECT_EQ(id_of(line()), 2);
  end_input();
  EXPECT_EQ(code_.get(), 0);
}

TEST_F(McpStdio, MoreCallsThanThreadsAndQueueAreBusy) {
  settings_.threads_max = 1;
  settings_.queue_max = 1;
  start();
  call("wait", 1);
  while (waiting_ == 0) std::this_thread::yield();
  call("echo", 2);
  call("echo", 3);
  const std::string refused = line();
  EXPECT_EQ(id_of(refused), 3);
  EXPECT_NE(refused.find(R"("code":"busy")"), std::string::npos);
  say("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":1}}\n");
  EXPECT_EQ(id_of(line()), 2);
  end_input();
  EXPECT_EQ(code_.get(), 0);
}

TEST_F(McpStdio, AReaderThatIsGoneEndsTheServer) {
  start();
  ::close(out_[0]);
  out_[0] = -1;
  call("wait", 1);
  call("echo", 2);
  EXPECT_EQ(code_.get(), 0);  // though the input is still open
}

TEST_F(McpStdio, ASignalEndsTheServer) {
  start();
  call("wait", 1);
  while (waiting_ == 0) std::this_thread::yield();
  ASSERT_EQ(::kill(::getpid(), SIGTERM), 0);
  EXPECT_EQ(code_.get(), 0);
  EXPECT_EQ(id_of(line()), 1);
}

}  // namespace
}  // namespace candor::mcp
