// Running an embedder's command: the lines that it gets and gives.
#include "memory/embed/command_embedder.h"

#include <chrono>
#include <csignal>
#include <string_view>

#include "memory/embed/child_process.h"
#include "memory/embed/vector_json.h"

namespace candor::memory {
namespace {

using Clock = ChildProcess::Clock;

constexpr const char* kName = "the embedder's command";

Diagnostic failure(std::string message, std::string detail = {}) {
  return make_error("embedding-failed", std::move(message),
                    "run the command by itself with {\"text\":\"…\"} on its input", std::move(detail));
}

Result<std::vector<Vector>> read_lines(std::string_view output, std::size_t expected) {
  std::vector<Vector> vectors;
  while (!output.empty()) {
    const auto end = std::min(output.find('\n'), output.size());
    const auto line = output.substr(0, end);
    output.remove_prefix(std::min(end + 1, output.size()));
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    const auto node = json::parse(line);
    std::optional<Vector> vector;
    if (node.ok()) vector = vector_of(node->is_object() ? (*node)["embedding"] : *node);
    if (!vector) {
      return failure("the embedder's command wrote a line that is no vector",
                     "line " + std::to_string(vectors.size() + 1));
    }
    vectors.push_back(std::move(*vector));
  }
  if (vectors.size() != expected) {
    return failure("the embedder's command gave another number of vectors than texts",
                   std::to_string(vectors.size()) + " for " + std::to_string(expected));
  }
  return vectors;
}

class CommandEmbedder : public Embedder {
 public:
  CommandEmbedder(std::string command, int timeout_ms) : command_(std::move(command)), timeout_ms_(timeout_ms) {}

  Result<std::vector<Vector>> embed(std::span<const std::string> texts) override {
    if (texts.empty()) return std::vector<Vector>();
    std::string input;
    for (const auto& text : texts) {
      json::append(input, json::Node::object().set("text", json::Node::string(text)));
      input += '\n';
    }
    // A command that ends early must not end this program.
    struct sigaction ignore = {}, before = {};
    ignore.sa_handler = SIG_IGN;
    ::sigaction(SIGPIPE, &ignore, &before);
    auto vectors = run(input, texts.size());
    ::sigaction(SIGPIPE, &before, nullptr);
    return vectors;
  }

 private:
  Result<std::vector<Vector>> run(const std::string& input, std::size_t expected) {
    ChildProcess child;
    CANDOR_TRY(child.start({.words = {"/bin/sh", "-c", command_}, .environment = {}, .folder = {}, .name = kName}));
    CANDOR_ASSIGN(const std::string output,
                  child.converse(input, Clock::now() + std::chrono::milliseconds(timeout_ms_)));
    const int code = child.wait();
    if (code != 0) return failure("the embedder's command ended with " + std::to_string(code), child.said());
    return read_lines(output, expected);
  }

  std::string command_;
  int timeout_ms_;
};

}  // namespace

std::unique_ptr<Embedder> make_command_embedder(std::string command, const EmbedSettings& settings) {
  return std::make_unique<CommandEmbedder>(std::move(command), settings.timeout_ms);
}

}  // namespace candor::memory
