// The protocol without a transport: eras, checks and their order, malformed messages, batches, calls in flight.
#include <chrono>
#include <future>
#include <gtest/gtest.h>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "mcp/protocol/server.h"

namespace candor::mcp {
namespace {

using std::string_view_literals::operator""sv;

class Collected final : public Outlet {
 public:
  void send(std::string text) override {
    const std::lock_guard lock(mutex_);
    texts_.push_back(std::move(text));
  }
  std::vector<std::string> texts() {
    const std::lock_guard lock(mutex_);
    return texts_;
  }

 private:
  std::mutex mutex_;
  std::vector<std::string> texts_;
};

constexpr std::string_view kCapabilities = R"("io.modelcontextprotocol/clientCapabilities":{})";

std::string modern_meta(std::string_view more = kCapabilities, std::string_view version = "2026-07-28") {
  return R"("_meta":{"io.modelcontextprotocol/protocolVersion":")" + std::string(version) + "\"" +
         (more.empty() ? "" : ",") + std::string(more) + "}";
}

std::string request(std::string_view method, std::string_view params = "", std::string_view id = "1") {
  return R"({"jsonrpc":"2.0","id":)" + std::string(id) + R"(,"method":")" + std::string(method) + R"(","params":{)" +
         std::string(params) + "}}";
}

std::string modern(std::string_view method, const std::string& params = "") {
  return request(method, modern_meta() + (params.empty() ? "" : ",") + params);
}

Tool echo_tool() {
  Tool tool;
  tool.name = "echo";
  tool.title = "Echo";
  tool.description = "Gives its arguments back.";
  tool.input_schema = R"({"type":"object"})";
  tool.output_schema = R"({"type":"object"})";
  tool.annotations.read_only = true;
  tool.handler = [](const ToolCall& call) {
    ToolOutcome outcome;
    outcome.document = json::dump(call.arguments);
    outcome.summary = "too long to say twice";
    return outcome;
  };
  return tool;
}

class McpProtocol : public testing::Test {
 protected:
  McpProtocol() { start({}); }

  void start(ServerSettings settings, std::vector<Tool> more = {}) {
    settings.version = "9.9";
    settings.instructions = "be \"careful\"";
    std::vector<Tool> tools = std::move(more);
    tools.push_back(echo_tool());
    server_ = std::make_unique<Server>(std::move(settings), std::move(tools));
    connect();
  }

  void connect(Revision assumed = Revision::k2025November) {
    outlet_ = std::make_shared<Collected>();
    connection_ = std::make_shared<Connection>(outlet_, assumed);
  }

  Answer ask_whole(std::string_view text, const Headers* headers = nullptr) {
    auto accepted = server_->accept(text, connection_, headers);
    if (auto* answer = std::get_if<Answer>(&accepted)) return *answer;
    return server_->run(std::get<Work>(std::move(accepted)));
  }

  std::string ask(std::string_view text, const Headers* headers = nullptr) { return ask_whole(text, headers).text; }

  json::Node parsed(std::string_view text, const Headers* headers = nullptr) {
    const std::string answer = ask(text, headers);
    auto node = json::parse(answer);
    EXPECT_TRUE(node.ok()) << answer;
    return node.ok() ? *node : json::Node();
  }

  // The error's code and the status, "-32600/400"; "result" where there is none, "nothing" without an answer.
  std::string verdict(std::string_view text, const Headers* headers = nullptr) {
    const Answer answer = ask_whole(text, headers);
    if (answer.text.empty()) return "nothing";
    const auto node = json::parse(answer.text);
    if (!node.ok()) return "no JSON: " + answer.text;
    if (node->find("error") == nullptr) return "result";
    return (*node)["error"]["code"].text() + "/" + std::to_string(answer.http_status);
  }

  void initialize(std::string_view revision) {
    const std::string params = R"("protocolVersion":")" + std::string(revision) +
                               R"(","capabilities":{},"clientInfo":{"name":"t","version":"1"})";
    EXPECT_EQ(verdict(request("initialize", params)), "result");
  }

  std::shared_ptr<Collected> outlet_;
  std::shared_ptr<Connection> connection_;
  std::unique_ptr<Server> server_;
};

TEST_F(McpProtocol, TheBodyDecidesTheEra) {
  const Headers modern_header{.protocol_version = "2026-07-28", .method = "tools/list", .name = {}};
  const Headers legacy_header{.protocol_version = "2025-06-18", .method = {}, .name = {}};
  struct Row {
    std::string text;
    const Headers* headers;
    std::string_view verdict;
  };
  const Row rows[] = {
      {modern("tools/list"), nullptr, "result"},
      {modern("tools/list"), &modern_header, "result"},
      {request("tools/list"), nullptr, "result"},
      {request("tools/list"), &legacy_header, "result"},
      {request("tools/list"), &modern_header, "-32602/400"},
      {request("initialize", R"("protocolVersion":"2025-06-18")"), nullptr, "result"},
      {request("initialize", R"("protocolVersion":"2025-06-18")"), &modern_header, "result"},
      {modern("initialize"), nullptr, "-32601/404"},
      {modern("ping"), nullptr, "-32601/404"},
      {request("ping"), nullptr, "result"},
      {modern("logging/setLevel", R"("level":"info")"), nullptr, "-32601/404"},
      {request("server/discover"), nullptr, "-32601/200"},
      {modern("server/discover"), nullptr, "result"},
      {request("subscriptions/listen"), nullptr, "-32601/200"},
      {modern("resources/list"), nullptr, "-32601/404"},
      {request("prompts/list"), nullptr, "-32601/200"},
  };
  for (const Row& row : rows) EXPECT_EQ(verdict(row.text, row.headers), row.verdict) << row.text;
  const std::string result = ask(modern("tools/list"));
  EXPECT_NE(result.find(R"("resultType":"complete")"), std::string::npos);
  EXPECT_EQ(ask(request("tools/list")).find("resultType"), std::string::npos);
}

TEST_F(McpProtocol, ModernChecksComeInTheirOrder) {
  const Headers other_version{.protocol_version = "2025-06-18", .method = "nothing", .name = {}};
  const Headers other_method{.protocol_version = "2026-07-28", .method = "tools/call", .name = {}};
  const Headers no_method{.protocol_version = "2026-07-28", .method = {}, .name = {}};
  const Headers right{.protocol_version = "2026-07-28", .method = "nothing", .name = {}};
  struct Row {
    std::string params;
    const Headers* headers;
    std::string_view verdict;
  };
  // Each row but the last mends what the row before it fails at; all of them have an unknown method too.
  const Row rows[] = {
      {R"("_meta":{"io.modelcontextprotocol/protocolVersion":7})", &other_version, "-32602/400"},
      {modern_meta("", "1999-01-01"), &other_version, "-32602/400"},
      {modern_meta(R"("io.modelcontextprotocol/clientCapabilities":[])"), &other_version, "-32602/400"},
      {modern_meta(std::string(kCapabilities) + R"(,"io.modelcontextprotocol/clientInfo":{"name":"x"})"),
       &other_version, "-32602/400"},
      {modern_meta(kCapabilities, "2025-11-25"), &other_version, "-32022/400"},
      {modern_meta(), &other_version, "-32020/400"},
      {modern_meta(), &no_method, "-32020/400"},
      {modern_meta(), &other_method, "-32020/400"},
      {modern_meta(), &right, "-32601/404"},
  };
  for (const Row& row : rows)
    EXPECT_EQ(verdict(request("nothing", row.params), row.headers), row.verdict) << row.params;
}

TEST_F(McpProtocol, AnUnsupportedVersionIsToldWhatIsSupported) {
  const json::Node answer = parsed(request("server/discover", modern_meta(kCapabilities, "2099-01-01")));
  EXPECT_EQ(json::dump(answer["error"]["data"]), R"({"supported":["2026-07-28"],"requested":"2099-01-01"})");
}

TEST_F(McpProtocol, TheNameHeaderAgreesWithTheBody) {
  const auto verdict_of = [&](std::optional<std::string> name) {
    const Headers headers{.protocol_version = "2026-07-28", .method = "tools/call", .name = std::move(name)};
    return verdict(modern("tools/call", R"("name":"echo")"), &headers);
  };
  EXPECT_EQ(verdict_of("echo"), "result");
  EXPECT_EQ(verdict_of("=?base64?ZWNobw==?="), "result");
  EXPECT_EQ(verdict_of(std::nullopt), "-32020/400");
  EXPECT_EQ(verdict_of("ECHO"), "-32020/400");
  EXPECT_EQ(verdict_of("=?base64?ZWNobw=?="), "-32020/400");
  EXPECT_EQ(verdict_of("=?base64?Z*Nobw==?="), "-32020/400");
}

TEST_F(McpProtocol, ACapabilityIsAskedForAfterTheMethodAndBeforeTheParameters) {
  Tool needy = echo_tool();
  needy.name = "needy";
  needy.client_capabilities = {"elicitation"};
  start({}, {needy});
  const std::string bad_arguments = R"(,"name":"needy","arguments":[])";
  EXPECT_EQ(verdict(request("tools/call", modern_meta() + bad_arguments)), "-32021/400");
  const std::string declared = modern_meta(R"("io.modelcontextprotocol/clientCapabilities":{"elicitation":{}})");
  EXPECT_EQ(verdict(request("tools/call", declared + bad_arguments)), "-32602/200");
}

TEST_F(McpProtocol, AnIdInMalformedTextDoesNotAnswerACallThatRuns) {
  const std::string text = R"({"jsonrpc":"2.0","id":1,"method":"\ud800"})";
  ASSERT_TRUE(connection_->begin(json::Node::number_text("1")));
  EXPECT_NE(ask(text).find(R"("id":null)"), std::string::npos);
  EXPECT_TRUE(connection_->end(json::Node::number_text("1")));
  EXPECT_NE(ask(text).find(R"("id":1,)"), std::string::npos);
}

TEST_F(McpProtocol, ErrorsDoNotRepeatMegabytes) {
  EXPECT_LT(ask(request(std::string(1'000'000, 'x'))).size(), 2'000U);
  EXPECT_LT(ask(R"({"jsonrpc":"2.0","id":)" + std::string(1'000'000, '9') + "}").size(), 2'000U);
}

TEST_F(McpProtocol, MalformedMessagesAreErrorsWithTheIdThatCanBeFound) {
  struct Row {
    std::string_view text;
    std::string_view start;
  };
  const Row rows[] = {
      {"{", R"({"jsonrpc":"2.0","id":null,"error":{"code":-32700,)"},
      {"nonsense", R"({"jsonrpc":"2.0","id":null,"error":{"code":-32700,)"},
      {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\xFF\"}", R"({"jsonrpc":"2.0","id":1,"error":{"code":-32700,)"},
      {R"({"jsonrpc":"2.0","id":1,"method":"\ud800"})", R"({"jsonrpc":"2.0","id":1,"error":{"code":-32700,)"},
      {R"({"method":"ping","params":{"id":7,"a":[1e400]},"jsonrpc":"2.0","id":"x\"}"})",
       R"({"jsonrpc":"2.0","id":"x\"}","error":{"code":-32700,)"},
      {R"({"jsonrpc":"2.0","id":{"id":1},"method":"\ud800"})", R"({"jsonrpc":"2.0","id":null,"error":{"code":-32700,)"},
      {R"({"jsonrpc":"2.0","method":"\ud800","params":{"id":1}})",
       R"({"jsonrpc":"2.0","id":null,"error":{"code":-32700,)"},
      {R"({"jsonrpc":"2.0","method":"\ud800","id":1)", R"({"jsonrpc":"2.0","id":null,"error":{"code":-32700,)"},
      {"{\"jsonrpc\":\"2.0\",\0\"id\":1}"sv, R"({"jsonrpc":"2.0","id":null,"error":{"code":-32700,)"},
      {R"({"jsonrpc":"2.0","id":1,"id":2,"method":"ping"})", R"({"jsonrpc":"2.0","id":null,"error":{"code":-32700,)"},
      {"7", R"({"jsonrpc":"2.0","id":null,"error":{"code":-32600,)"},
      {"[]", R"({"jsonrpc":"2.0","id":null,"error":{"code":-32600,)"},
      {"{}", R"({"jsonrpc":"2.0","id":null,"error":{"code":-32600,)"},
      {R"({"jsonrpc":"1.0","id":3,"method":"ping"})", R"({"jsonrpc":"2.0","id":3,"error":{"code":-32600,)"},
      {R"({"jsonrpc":"2.0","id":3})", R"({"jsonrpc":"2.0","id":3,"error":{"code":-32600,)"},
      {R"({"jsonrpc":"2.0","id":3,"method":7})", R"({"jsonrpc":"2.0","id":3,"error":{"code":-32600,)"},
      {R"({"jsonrpc":"2.0","id":null,"method":"ping"})", R"({"jsonrpc":"2.0","id":null,"error":{"code":-32600,)"},
      {R"({"jsonrpc":"2.0","id":[1],"method":"ping"})", R"({"jsonrpc":"2.0","id":null,"error":{"code":-32600,)"},
      {R"({"jsonrpc":"2.0","id":"a","method":"ping","params":[1]})",
       R"({"jsonrpc":"2.0","id":"a","error":{"code":-32602,)"},
  };
  for (const Row& row : rows) EXPECT_EQ(ask(row.text).substr(0, row.start.size()), row.start) << row.text;
  const std::string deep(100'000, '[');
  EXPECT_EQ(verdict(deep), "-32700/400");
}

TEST_F(McpProtocol, IdsComeBackAsTheyWere) {
  for (const std::string_view id :
       {"0", "-7", "123456789012345678901234567890", "1.50", "\"\"", R"("a\"b")", "9007199254740993"}) {
    EXPECT_EQ(ask(request("ping", "", id)), R"({"jsonrpc":"2.0","id":)" + std::string(id) + R"(,"result":{}})");
  }
}

TEST_F(McpProtocol, UnknownMembersNotificationsAndResponsesAreIgnored) {
  EXPECT_EQ(verdict(R"({"jsonrpc":"2.0","id":1,"method":"ping","extra":{"a":[1]},"params":{"more":true}})"), "result");
  EXPECT_EQ(verdict(R"({"jsonrpc":"2.0","method":"notifications/initialized"})"), "nothing");
  EXPECT_EQ(verdict(R"({"jsonrpc":"2.0","method":"notifications/of-tomorrow","params":{}})"), "nothing");
  EXPECT_EQ(verdict(R"({"jsonrpc":"2.0","id":1,"result":{}})"), "nothing");
  EXPECT_EQ(verdict(R"({"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"x"}})"), "nothing");
  EXPECT_EQ(verdict(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":99}})"), "nothing");
  EXPECT_EQ(verdict(R"({"jsonrpc":"2.0","method":"notifications/cancelled"})"), "nothing");
}

TEST_F(McpProtocol, InitializeAgreesOnALegacyRevision) {
  const std::pair<std::string_view, std::string_view> rows[] = {
      {"2025-03-26", "2025-03-26"}, {"2025-06-18", "2025-06-18"}, {"2025-11-25", "2025-11-25"},
      {"2024-11-05", "2025-11-25"}, {"2026-07-28", "2025-11-25"}, {"x", "2025-11-25"}};
  for (const auto& [requested, agreed] : rows) {
    const json::Node answer = parsed(request("initialize", R"("protocolVersion":")" + std::string(requested) + "\""));
    EXPECT_EQ(answer["result"]["protocolVersion"].text(), agreed);
    EXPECT_EQ(json::dump(answer["result"]["serverInfo"]), R"({"name":"candor","title":"Candor","version":"9.9"})");
    EXPECT_EQ(answer["result"]["instructions"].text(), "be \"careful\"");
    EXPECT_EQ(json::dump(answer["result"]["capabilities"]), R"({"tools":{},"logging":{}})");
  }
  EXPECT_EQ(verdict(request("initialize")), "-32602/200");
}

TEST_F(McpProtocol, DiscoverDeclaresWhatThereIs) {
  const json::Node result = parsed(modern("server/discover"))["result"];
  EXPECT_EQ(json::dump(result["supportedVersions"]), R"(["2026-07-28"])");
  EXPECT_EQ(json::dump(result["capabilities"]), R"({"tools":{},"logging":{}})");
  EXPECT_EQ(result["resultType"].text(), "complete");
  EXPECT_TRUE(result["ttlMs"].integer().has_value());
  EXPECT_EQ(result["cacheScope"].text(), "private");
  EXPECT_EQ(result["_meta"][kMetaServerInfo]["version"].text(), "9.9");
}

TEST_F(McpProtocol, ListsHavePagesAndKnowTheirCursors) {
  Tool second = echo_tool();
  second.name = "second";
  ServerSettings settings;
  settings.page_items = 1;
  start(settings, {second});
  const json::Node first = parsed(modern("tools/list"))["result"];
  ASSERT_EQ(first["tools"].items().size(), 1U);
  EXPECT_EQ(first["tools"].items()[0]["name"].text(), "second");
  EXPECT_TRUE(first["ttlMs"].integer().has_value());
  const std::string cursor = first["nextCursor"].text();
  const json::Node next = parsed(modern("tools/list", R"("cursor":")" + cursor + "\""))["result"];
  ASSERT_EQ(next["tools"].items().size(), 1U);
  EXPECT_EQ(next["tools"].items()[0]["name"].text(), "echo");
  EXPECT_EQ(next.find("nextCursor"), nullptr);
  for (const std::string_view bad :
       {R"("cursor":"")", R"("cursor":"after-")", R"("cursor":"after-0")", R"("cursor":"after-2")",
        R"("cursor":"after-1x")", R"("cursor":"after-99999999999999999999")", R"("cursor":1)"}) {
    EXPECT_EQ(verdict(modern("tools/list", std::string(bad))), "-32602/200") << bad;
    EXPECT_EQ(verdict(request("tools/list", bad)), "-32602/200") << bad;
  }
}

TEST_F(McpProtocol, AnnotationsAreWrittenOut) {
  const json::Node tool = parsed(modern("tools/list"))["result"]["tools"].items()[0];
  EXPECT_EQ(json::dump(tool["annotations"]),
            R"({"readOnlyHint":true,"destructiveHint":false,"idempotentHint":false,"openWorldHint":false})");
}

TEST_F(McpProtocol, ACallAnswersTheSameAsStructureAndText) {
  const std::string call = R"("name":"echo","arguments":{"a":"x\"y","n":12.50})";
  const json::Node result = parsed(modern("tools/call", call))["result"];
  const std::string document = R"({"a":"x\"y","n":12.50})";
  EXPECT_EQ(json::dump(result["structuredContent"]), document);
  EXPECT_EQ(result["content"].items()[0]["text"].text(), document);
  EXPECT_EQ(result.find("isError"), nullptr);
  EXPECT_EQ(result["resultType"].text(), "complete");
}

TEST_F(McpProtocol, ALongDocumentIsSaidOnce) {
  ServerSettings settings;
  settings.text_bytes_max = 20;
  start(settings);
  const std::string call = R"("name":"echo","arguments":{"a":"0123456789abcdef"})";
  const json::Node modern_result = parsed(modern("tools/call", call))["result"];
  EXPECT_EQ(modern_result["content"].items()[0]["text"].text(), "too long to say twice");
  EXPECT_EQ(json::dump(modern_result["structuredContent"]), R"({"a":"0123456789abcdef"})");
  // The oldest revision has no structure to point to.
  initialize("2025-03-26");
  const json::Node old = parsed(request("tools/call", call))["result"];
  EXPECT_EQ(old["content"].items()[0]["text"].text(), R"({"a":"0123456789abcdef"})");
  EXPECT_EQ(old.find("structuredContent"), nullptr);
  EXPECT_EQ(ask(request("tools/list")).find("outputSchema"), std::string::npos);
}

TEST_F(McpProtocol, CallsThatCanNotBeMeantAreRefused) {
  const json::Node unknown = parsed(modern("tools/call", R"("name":"ecoh")"));
  EXPECT_EQ(unknown["error"]["message"].text(), "no tool ecoh; the tools are echo");
  for (const std::string_view bad : {R"("name":"ecoh")", R"("name":7)", R"("arguments":{})",
                                     R"("name":"echo","arguments":[])", R"("name":"echo","arguments":null)"}) {
    EXPECT_EQ(verdict(modern("tools/call", std::string(bad))), "-32602/200") << bad;
    EXPECT_EQ(verdict(request("tools/call", bad)), "-32602/200") << bad;
  }
}

TEST_F(McpProtocol, AFaultOfAHandlerIsAnInternalErrorOfThatCallAlone) {
  Tool faulty = echo_tool();
  faulty.name = "faulty";
  faulty.handler = [](const ToolCall&) -> ToolOutcome { throw std::runtime_error("boom"); };
  start({}, {faulty});
  EXPECT_EQ(verdict(modern("tools/call", R"("name":"faulty")")), "-32603/200");
  EXPECT_EQ(verdict(modern("tools/call", R"("name":"echo")")), "result");
}

TEST_F(McpProtocol, BatchesBelongToTheOldestRevision) {
  const std::string batch = "[" + request("ping") + R"(,{"jsonrpc":"2.0","method":"notifications/x"},)" +
                            request("tools/call", R"("name":"echo","arguments":{"b":1})", "2") + ",7," +
                            request("initialize", R"("protocolVersion":"2025-03-26")", "3") + "," +
                            request("tools/list", modern_meta(), "4") + "]";
  const json::Node answers = parsed(batch);
  ASSERT_EQ(answers.items().size(), 5U);
  EXPECT_EQ(json::dump(answers.items()[0]), R"({"jsonrpc":"2.0","id":1,"result":{}})");
  EXPECT_EQ(answers.items()[1]["result"]["content"].items()[0]["text"].text(), R"({"b":1})");
  for (const std::size_t refused : {2U, 3U, 4U}) EXPECT_EQ(answers.items()[refused]["error"]["code"].text(), "-32600");

  EXPECT_EQ(verdict(R"([{"jsonrpc":"2.0","method":"notifications/x"}])"), "nothing");
  initialize("2025-03-26");
  EXPECT_EQ(parsed("[" + request("ping") + "]").items().size(), 1U);
  initialize("2025-06-18");
  EXPECT_EQ(verdict("[" + request("ping") + "]"), "-32600/400");
}

TEST_F(McpProtocol, AnIdIsInFlightOnce) {
  auto first = server_->accept(request("tools/call", R"("name":"echo")", "\"x\""), connection_);
  ASSERT_TRUE(std::holds_alternative<Work>(first));
  EXPECT_EQ(verdict(request("tools/call", R"("name":"echo")", "\"x\"")), "-32600/400");
  EXPECT_EQ(verdict(request("ping", "", "\"x\"")), "-32600/400");
  EXPECT_EQ(verdict(request("ping", "", "1")), "result");
  EXPECT_NE(server_->run(std::get<Work>(std::move(first))).text, "");
  EXPECT_EQ(verdict(request("tools/call", R"("name":"echo")", "\"x\"")), "result");
}

TEST_F(McpProtocol, ACancelledCallHasNoAnswer) {
  for (const std::string& call :
       {modern("tools/call", R"("name":"echo")"), request("tools/call", R"("name":"echo")")}) {
    auto accepted = server_->accept(call, connection_);
    ASSERT_TRUE(std::holds_alternative<Work>(accepted));
    EXPECT_EQ(ask(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"1"}})"), "");
    EXPECT_EQ(ask(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1,"reason":"no"}})"),
              "");
    EXPECT_EQ(server_->run(std::get<Work>(std::move(accepted))).text, "");
  }
  // The text "1" is another id than the number.
  auto kept = server_->accept(request("tools/call", R"("name":"echo")"), connection_);
  EXPECT_EQ(ask(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"1"}})"), "");
  EXPECT_NE(server_->run(std::get<Work>(std::move(kept))).text, "");
}

TEST_F(McpProtocol, CancellingReachesARunningHandler) {
  Tool slow = echo_tool();
  slow.name = "slow";
  std::promise<void> running;
  std::promise<void> stopped;
  slow.handler = [&](const ToolCall& call) {
    CancelToken token = call.cancel;
    (void)token.on_cancel([&] { stopped.set_value(); });
    running.set_value();
    stopped.get_future().wait();
    return failed_outcome(make_error("cancelled", "stopped"));
  };
  start({}, {slow});
  auto accepted = server_->accept(modern("tools/call", R"("name":"slow")"), connection_);
  auto answer = std::async(std::launch::async, [&] { return server_->run(std::get<Work>(std::move(accepted))).text; });
  running.get_future().wait();
  EXPECT_EQ(ask(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}})"), "");
  EXPECT_EQ(answer.get(), "");
}

TEST_F(McpProtocol, ATransportThatGivesUpStillAnswers) {
  auto accepted = server_->accept(request("tools/call", R"("name":"echo")"), connection_);
  connection_->cancel_all();
  const auto node = json::parse(server_->run(std::get<Work>(std::move(accepted))).text);
  ASSERT_TRUE(node.ok());
  EXPECT_TRUE((*node)["result"]["isError"].truth());
  EXPECT_EQ((*node)["result"]["structuredContent"]["code"].text(), "cancelled");
}

TEST_F(McpProtocol, WorkWithoutAThreadIsRefusedAsBusy) {
  auto accepted = server_->accept(request("tools/call", R"("name":"echo")"), connection_);
  const auto refused = server_->refuse(std::get<Work>(std::move(accepted)), make_error("busy", "all are at work"));
  const auto node = json::parse(refused.text);
  ASSERT_TRUE(node.ok());
  EXPECT_TRUE((*node)["result"]["isError"].truth());
  EXPECT_EQ((*node)["result"]["structuredContent"]["code"].text(), "busy");
  EXPECT_EQ(verdict(request("tools/call", R"("name":"echo")")), "result");  // the id is free again
}

TEST_F(McpProtocol, ASubscriptionIsAcknowledgedAndClosed) {
  EXPECT_EQ(ask(modern("subscriptions/listen", R"("notifications":{"toolsListChanged":true})")),
            R"({"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"notifications":{},)"
            R"("_meta":{"io.modelcontextprotocol/subscriptionId":1}}})");
  EXPECT_EQ(verdict(modern("subscriptions/listen", R"("notifications":{})")), "-32600/400");
  server_->close(*connection_);
  ASSERT_EQ(outlet_->texts().size(), 1U);
  EXPECT_NE(outlet_->texts()[0].find(R"(subscriptionId":1)"), std::string::npos);
  server_->close(*connection_);
  EXPECT_EQ(outlet_->texts().size(), 1U);

  EXPECT_EQ(verdict(modern("subscriptions/listen")), "-32602/200");
  (void)ask(modern("subscriptions/listen", R"("notifications":{})"));
  (void)ask(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}})");
  server_->close(*connection_);
  EXPECT_EQ(outlet_->texts().size(), 1U);
}

Tool talking_tool() {
  Tool tool = echo_tool();
  tool.name = "talking";
  tool.reports_progress = true;
  tool.handler = [](const ToolCall& call) {
    for (const double value : {1.0, 1.0, 0.5, 2.0}) call.progress(value, 2, "step");
    call.log(LogLevel::kDebug, json::Node::string("fine"));
    call.log(LogLevel::kError, json::Node::string("bad"));
    return ToolOutcome{.document = "{}", .is_error = false, .content = {}, .summary = {}};
  };
  return tool;
}

TEST_F(McpProtocol, ProgressIsSentOnDemandAndIncreases) {
  start({}, {talking_tool()});
  (void)ask(modern("tools/call", R"("name":"talking")"));
  EXPECT_TRUE(outlet_->texts().empty());
  (void)ask(request("tools/call", R"("name":"talking","_meta":{"progressToken":"p"})"));
  const std::vector<std::string> texts = outlet_->texts();
  ASSERT_EQ(texts.size(), 2U);
  EXPECT_EQ(texts[0],
            R"({"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p","progress":1,)"
            R"("total":2,"message":"step"}})");
  EXPECT_NE(texts[1].find(R"("progress":2)"), std::string::npos);
}

TEST_F(McpProtocol, LogMessagesAreSentFromTheLevelAskedFor) {
  start({}, {talking_tool()});
  const std::string call = R"("name":"talking")";
  (void)ask(request("tools/call", call));
  EXPECT_TRUE(outlet_->texts().empty());
  EXPECT_EQ(verdict(request("logging/setLevel", R"("level":"loud")")), "-32602/200");
  EXPECT_EQ(verdict(request("logging/setLevel", R"("level":"warning")")), "result");
  (void)ask(request("tools/call", call));
  ASSERT_EQ(outlet_->texts().size(), 1U);
  EXPECT_EQ(
      outlet_->texts()[0],
      R"({"jsonrpc":"2.0","method":"notifications/message","params":{"level":"error","logger":"talking","data":"bad"}})");
  // A modern request says its level itself; what a legacy one set does not count.
  (void)ask(modern("tools/call", call));
  EXPECT_EQ(outlet_->texts().size(), 1U);
  (void)ask(
      request("tools/call",
              modern_meta(std::string(kCapabilities) + R"(,"io.modelcontextprotocol/logLevel":"debug")") + "," + call));
  EXPECT_EQ(outlet_->texts().size(), 3U);
}

TEST_F(McpProtocol, ALongCallTellsThatItRuns) {
  Tool slow = echo_tool();
  slow.name = "slow";
  slow.handler = [this](const ToolCall&) {
    while (outlet_->texts().size() < 3) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return ToolOutcome{.document = "{}", .is_error = false, .content = {}, .summary = {}};
  };
  ServerSettings settings;
  settings.progress_period = std::chrono::milliseconds(5);
  start(settings, {slow});
  (void)ask(request("tools/call", R"("name":"slow","_meta":{"progressToken":12345678901234567890})"));
  double last = 0;
  for (const std::string& text : outlet_->texts()) {
    const auto node = json::parse(text);
    ASSERT_TRUE(node.ok());
    EXPECT_EQ((*node)["params"]["progressToken"].text(), "12345678901234567890");
    const double value = (*node)["params"]["progress"].real().value_or(-1);
    EXPECT_GT(value, last);
    last = value;
  }
  const std::size_t after = outlet_->texts().size();
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  EXPECT_EQ(outlet_->texts().size(), after);
}

}  // namespace
}  // namespace candor::mcp
