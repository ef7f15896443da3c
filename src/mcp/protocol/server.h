// One message in, its answer out, in both eras; free of any transport. Start reading at `accept`.
//
// A transport gives each message to `accept`, which judges it without ever blocking. What is answered at once comes back as
// an Answer; a call of a tool comes back as Work, which the transport runs on a thread of its choice with `run`.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/diagnostic.h"
#include "mcp/protocol/connection.h"
#include "mcp/protocol/era.h"
#include "mcp/protocol/id_finder.h"
#include "mcp/protocol/message.h"
#include "mcp/protocol/progress.h"
#include "mcp/protocol/tool.h"

namespace candor::mcp {

struct ServerSettings {
  std::string name = "candor";
  std::string title = "Candor";
  std::string version;
  std::string instructions;             // for the agent: how to work with the tools
  std::size_t text_bytes_max = 65'536;  // longer documents are not repeated in the text block
  std::size_t page_items = 50;          // tools a page of tools/list
  std::chrono::milliseconds progress_period{1000};
  std::size_t message_bytes_max = std::size_t{16} << 20U;
};

// An empty text: nothing is to be sent (202 over HTTP).
struct Answer {
  std::string text;
  int http_status = 200;
};

// Calls that were judged and wait to be run: one, or those of a batch with the answers to its other messages.
class Work {
 public:
  struct Call {
    json::Node id;
    const Tool* tool = nullptr;
    json::Node params;
    Revision revision = Revision::k2025November;
    CancelToken cancel;
  };

 private:
  friend class Server;
  std::shared_ptr<Connection> connection_;
  std::vector<std::variant<Call, std::string>> items_;
  bool batch_ = false;
};

class Server {
 public:
  Server(ServerSettings settings, std::vector<Tool> tools);

  [[nodiscard]] const ServerSettings& settings() const { return settings_; }

  // Judges one message of `connection`. `headers` is null where the transport has none.
  [[nodiscard]] std::variant<Answer, Work> accept(std::string_view text, const std::shared_ptr<Connection>& connection,
                                                  const Headers* headers = nullptr);
  // Runs the calls; blocks as long as they take. Never throws: a fault of a handler is answered as an internal error.
  [[nodiscard]] Answer run(Work work);
  // Answers the calls without running them: for a transport that has no thread left.
  [[nodiscard]] Answer refuse(Work work, const Diagnostic& reason);
  // The answer to a message that a transport could not take whole. `finder` was fed with all of it.
  [[nodiscard]] Answer refuse_message(const IdFinder& finder, const Connection& connection, std::string reason) const;
  // Ends the connection's subscriptions with their last answers, sent to its outlet.
  void close(Connection& connection) const;

 private:
  using Item = std::variant<Answer, Work::Call>;
  [[nodiscard]] std::variant<Answer, Work> accept_batch(json::Node batch,
                                                        const std::shared_ptr<Connection>& connection);
  [[nodiscard]] Item accept_one(json::Node node, Connection& connection, const Headers* headers, bool in_batch);
  [[nodiscard]] Item dispatch_modern(Message& message, Connection& connection);
  [[nodiscard]] Item dispatch_legacy(Message& message, Connection& connection);
  [[nodiscard]] Item initialize(const Message& message, Connection& connection) const;
  [[nodiscard]] Item set_log_level(const Message& message, Connection& connection) const;
  [[nodiscard]] Item discover(const Message& message) const;
  [[nodiscard]] Item list_tools(const Message& message, Revision revision) const;
  [[nodiscard]] Item listen(const Message& message, Connection& connection) const;
  [[nodiscard]] Item call_tool(Message& message, Revision revision, Connection& connection);
  [[nodiscard]] RpcError unknown_tool(const std::string& name) const;

  [[nodiscard]] std::string run_call(Work::Call& call, Connection& connection);
  [[nodiscard]] ToolOutcome run_handler(const Work::Call& call, Connection& connection);
  [[nodiscard]] std::string render_outcome(const ToolOutcome& outcome, Revision revision) const;
  void append_modern(std::string& result) const;

  const ServerSettings settings_;
  const std::vector<Tool> tools_;
  std::vector<std::string> listed_, listed_plain_;  // each tool with its output schema, and without
  std::string server_info_;                         // JSON
  Ticker ticker_;
};

}  // namespace candor::mcp
