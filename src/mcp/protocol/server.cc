// From a message's text to its method, and from a call to its answer.
#include "mcp/protocol/server.h"

#include <exception>
#include <optional>
#include <utility>

namespace candor::mcp {
namespace {

constexpr int kAccepted = 202;
constexpr int kBadRequest = 400;

Answer answer_error(const json::Node& id, const RpcError& error) { return {error_text(id, error), error.http_status}; }

// What was found in a text that is no JSON may be wrong. The answer of a call that runs must not be taken from it.
json::Node id_to_answer(const IdFinder& finder, const Connection& connection) {
  std::optional<json::Node> id = finder.id();
  return id && !connection.in_flight(*id) ? std::move(*id) : json::Node{};
}

std::string join_batch(const std::vector<std::string>& texts) {
  std::string out = "[";
  for (const std::string& text : texts) {
    if (out.size() > 1) out += ',';
    out += text;
  }
  return out + "]";
}

Answer make_answer(std::vector<std::string> texts, bool batch) {
  if (texts.empty()) return {{}, kAccepted};
  if (batch) return {join_batch(texts)};
  return {std::move(texts.front())};
}

}  // namespace

Server::Server(ServerSettings settings, std::vector<Tool> tools)
    : settings_(std::move(settings)), tools_(std::move(tools)), ticker_(settings_.progress_period) {
  for (const Tool& tool : tools_) {
    listed_.push_back(render_tool(tool, true));
    listed_plain_.push_back(render_tool(tool, false));
  }
  json::Node info = json::Node::object();
  info.set("name", json::Node::string(settings_.name));
  info.set("title", json::Node::string(settings_.title));
  info.set("version", json::Node::string(settings_.version));
  server_info_ = json::dump(info);
}

std::variant<Answer, Work> Server::accept(std::string_view text, const std::shared_ptr<Connection>& connection,
                                          const Headers* headers) {
  json::ParseLimits limits;
  limits.bytes_max = settings_.message_bytes_max;
  auto parsed = json::parse(text, limits);
  if (!parsed.ok()) {
    IdFinder finder;
    finder.feed(text);
    return answer_error(id_to_answer(finder, *connection), {kParseError, parsed.error().message, {}, kBadRequest});
  }
  if (parsed->is_array()) return accept_batch(std::move(*parsed), connection);
  Item item = accept_one(std::move(*parsed), *connection, headers, false);
  if (auto* answer = std::get_if<Answer>(&item)) return std::move(*answer);
  Work work;
  work.connection_ = connection;
  work.items_.emplace_back(std::get<Work::Call>(std::move(item)));
  return work;
}

std::variant<Answer, Work> Server::accept_batch(json::Node batch, const std::shared_ptr<Connection>& connection) {
  if (!connection->takes_batches()) {
    const std::string revision(to_string(connection->legacy_revision()));
    return answer_error({}, {kInvalidRequest, "revision " + revision + " has no batches", {}, kBadRequest});
  }
  if (batch.items().empty()) return answer_error({}, {kInvalidRequest, "the batch is empty", {}, kBadRequest});
  Work work;
  work.connection_ = connection;
  work.batch_ = true;
  std::vector<std::string> ready;
  bool calls = false;
  for (json::Node& node : batch.items()) {
    Item item = accept_one(std::move(node), *connection, nullptr, true);
    if (auto* answer = std::get_if<Answer>(&item)) {
      if (answer->text.empty()) continue;
      ready.push_back(answer->text);
      work.items_.emplace_back(std::move(answer->text));
    } else {
      calls = true;
      work.items_.emplace_back(std::get<Work::Call>(std::move(item)));
    }
  }
  if (calls) return work;
  return make_answer(std::move(ready), true);
}

Server::Item Server::accept_one(json::Node node, Connection& connection, const Headers* headers, bool in_batch) {
  auto read = read_message(std::move(node));
  if (const auto* refusal = std::get_if<Refusal>(&read)) return answer_error(refusal->id, refusal->error);
  Message& message = std::get<Message>(read);
  if (message.kind == Message::Kind::kResponse) return Answer{{}, kAccepted};  // Candor sends no requests
  if (message.kind == Message::Kind::kNotification) {
    if (message.method == "notifications/cancelled") {
      const json::Node& id = message.params["requestId"];
      if (id.is_string() || id.is_number()) connection.cancel(id);
    }
    return Answer{{}, kAccepted};
  }
  if (connection.in_flight(message.id)) {
    return answer_error(message.id, {kInvalidRequest, "a request with this id is in flight", {}, kBadRequest});
  }
  const auto era = decide_era(message, headers);
  if (const auto* error = std::get_if<RpcError>(&era)) return answer_error(message.id, *error);
  if (in_batch && (std::get<Era>(era) == Era::kModern || message.method == "initialize")) {
    return answer_error(message.id, {kInvalidRequest, "this can't be part of a batch", {}, kBadRequest});
  }
  if (std::get<Era>(era) == Era::kModern) {
    if (const auto error = check_modern(message, headers)) return answer_error(message.id, *error);
    return dispatch_modern(message, connection);
  }
  return dispatch_legacy(message, connection);
}

Answer Server::run(Work work) {
  std::vector<std::string> texts;
  for (auto& item : work.items_) {
    if (auto* ready = std::get_if<std::string>(&item)) {
      texts.push_back(std::move(*ready));
    } else if (std::string text = run_call(std::get<Work::Call>(item), *work.connection_); !text.empty()) {
      texts.push_back(std::move(text));
    }
  }
  return make_answer(std::move(texts), work.batch_);
}

Answer Server::refuse(Work work, const Diagnostic& reason) {
  std::vector<std::string> texts;
  const ToolOutcome outcome = failed_outcome(reason);
  for (auto& item : work.items_) {
    if (auto* ready = std::get_if<std::string>(&item)) {
      texts.push_back(std::move(*ready));
      continue;
    }
    const auto& call = std::get<Work::Call>(item);
    if (work.connection_->end(call.id)) texts.push_back(result_text(call.id, render_outcome(outcome, call.revision)));
  }
  return make_answer(std::move(texts), work.batch_);
}

Answer Server::refuse_message(const IdFinder& finder, const Connection& connection, std::string reason) const {
  return answer_error(id_to_answer(finder, connection), {kInvalidRequest, std::move(reason), {}, kBadRequest});
}

std::string Server::run_call(Work::Call& call, Connection& connection) {
  std::string text;
  try {
    const ToolOutcome outcome = call.cancel.cancelled()
                                    ? failed_outcome(make_error("cancelled", "the call was cancelled before it began"))
                                    : run_handler(call, connection);
    text = result_text(call.id, render_outcome(outcome, call.revision));
  } catch (const std::exception& fault) {
    text = error_text(call.id, {kInternalError, "the call failed inside: " + std::string(fault.what()), {}, 200});
  }
  return connection.end(call.id) ? text : std::string();
}

namespace {

std::optional<LogLevel> wanted_level(const json::Node& meta, Revision revision, const Connection& connection) {
  if (!is_modern(revision)) return connection.log_level();
  return parse_log_level(meta.string_or(kMetaLogLevel, ""));
}

// Tells the ticker of a call for as long as it lives.
class Watch {
 public:
  Watch(Ticker& ticker, std::shared_ptr<Progress> progress, const Tool& tool)
      : ticker_(ticker), progress_(std::move(progress)) {
    if (progress_ != nullptr && !tool.reports_progress) id_ = ticker_.watch(progress_, tool.name);
  }
  ~Watch() {
    if (id_) ticker_.forget(*id_);
    if (progress_ != nullptr) progress_->close();
  }
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

 private:
  Ticker& ticker_;
  std::shared_ptr<Progress> progress_;
  std::optional<std::uint64_t> id_;
};

}  // namespace

ToolOutcome Server::run_handler(const Work::Call& call, Connection& connection) {
  static const json::Node no_arguments = json::Node::object();
  const json::Node& meta = call.params["_meta"];
  const json::Node* arguments = call.params.find("arguments");
  const json::Node& token = meta["progressToken"];
  std::shared_ptr<Progress> progress;
  if (token.is_string() || token.is_number()) {
    progress = std::make_shared<Progress>(token, call.cancel, connection.outlet());
  }
  const Watch watch(ticker_, progress, *call.tool);
  const auto level_wanted = wanted_level(meta, call.revision, connection);
  ToolCall context{
      .arguments = arguments == nullptr ? no_arguments : *arguments,
      .meta = meta,
      .client = meta.find(kMetaClientInfo) != nullptr ? client_name(meta[kMetaClientInfo]) : connection.client(),
      .cancel = call.cancel,
      .progress =
          [&](double value, std::optional<double> total, const std::string& message) {
            if (progress != nullptr) progress->report(value, total, message);
          },
      .log =
          [&](LogLevel level, const json::Node& data) {
            if (!level_wanted || level < *level_wanted || call.cancel.cancelled()) return;
            json::Node params = json::Node::object();
            params.set("level", json::Node::string(std::string(to_string(level))));
            params.set("logger", json::Node::string(call.tool->name));
            params.set("data", data);
            connection.outlet()->send(notification_text("notifications/message", json::dump(params)));
          },
  };
  return call.tool->handler(context);
}

std::string Server::render_outcome(const ToolOutcome& outcome, Revision revision) const {
  const bool structured = !outcome.document.empty() && has_structured_content(revision);
  const bool repeated = !structured || outcome.document.size() <= settings_.text_bytes_max;
  std::string out;
  out.reserve(outcome.document.size() * (repeated ? 3 : 1) + 256);
  out += "{\"content\":";
  if (!outcome.content.empty()) {
    out += outcome.content;
  } else {
    out += R"([{"type":"text","text":)";
    json::append(out, json::Node::string(repeated ? outcome.document : outcome.summary));
    out += "}]";
  }
  if (structured) out += ",\"structuredContent\":" + outcome.document;
  if (outcome.is_error) out += ",\"isError\":true";
  if (is_modern(revision)) append_modern(out);
  out += '}';
  return out;
}

// The members that each modern result ends with.
void Server::append_modern(std::string& result) const {
  result += R"(,"resultType":"complete","_meta":{")";
  result += kMetaServerInfo;
  result += "\":" + server_info_ + "}";
}

}  // namespace candor::mcp
