// The models, and looking after what is installed of them.
#include "memory/embed/local_models.h"

#include <array>

#include "base/digest.h"
#include "json/json.h"
#include "memory/embed/mapped_file.h"

namespace candor::memory {
namespace {

// The choice and what it was compared with: docs/decisions/0084-local-model.md.
constexpr std::array<LocalModel, 1> kModels = {{{
    .name = "wordllama-256",
    .version = "0.4.0",
    .summary = "word vectors of large language models, averaged; English, other languages weakly",
    .licence = "MIT",
    .dim = 256,
    .tensor = "embedding.weight",
    .package = "wordllama",
    .package_version = "0.4.0.post1",
    .wheel = {"", 19'155'170, "42c2c88907ace0b0681ac6f9092d6a300a6409a5d2d61071a3fb5e7159370c97"},
    .weights = {"wordllama/weights/l2_supercat_256.safetensors", 16'384'096,
                "64b47a2dc493cb8e85944076601189739852d7b64e0e1eedcb1937a251cd9fd5"},
    .tokenizer = {"wordllama/tokenizers/l2_supercat_tokenizer_config.json", 1'842'796,
                  "93248f2a9ec36c7b35f700a033d5f36228aae48db61aee31007fa49062cdeb68"},
    .licence_text = {"wordllama-0.4.0.post1.dist-info/licenses/LICENSE", 1'067,
                     "a1e482c45bfab76056845e542ad4c95acfc4f38dd63be1c5b663c16065529fc8"},
    .tokens = {"", 2'115'224, "33409ba3ad60bb9658d7afef4915c52429fa58ef68b9bb21b5fcadbb4fa3b6fd"},
}}};

bool has_bytes_of(const std::string& path, const PackedFile& packed) {
  const auto file = MappedFile::open(path);
  return file.ok() && file->bytes().size() == packed.bytes && sha256_hex(file->bytes()) == packed.sha256;
}

}  // namespace

std::span<const LocalModel> local_models() { return kModels; }

Result<const LocalModel*> local_model(std::string_view name) {
  for (const auto& model : kModels) {
    if (name == model.name) return &model;
  }
  std::string known;
  for (const auto& model : kModels) known += (known.empty() ? "" : ", ") + std::string(model.name);
  return make_error("usage", "no local model is called '" + std::string(name) + "'",
                    "candor memory embed setup " + std::string(kModels.front().name), "there is: " + known);
}

ModelFiles::ModelFiles(const std::string& home, const LocalModel& model)
    : folder(home + "/models/" + model.name),
      weights(folder + "/weights.safetensors"),
      tokenizer(folder + "/tokenizer.json"),
      tokens(folder + "/tokens.table"),
      licence(folder + "/LICENSE"),
      record(folder + "/model.json") {}

std::string model_record(const LocalModel& model) {
  json::Node record = json::Node::object();
  record.set("name", json::Node::string(model.name)).set("version", json::Node::string(model.version));
  record.set("dim", json::Node::number(static_cast<std::int64_t>(model.dim)));
  record.set("sha256", json::Node::string(model.weights.sha256));
  record.set("licence", json::Node::string(model.licence));
  return json::dump(record) + "\n";
}

Status check_installed(const std::string& home, const LocalModel& model) {
  const auto record = MappedFile::open(ModelFiles(home, model).record);
  const std::string setup = "candor memory embed setup " + std::string(model.name);
  if (!record.ok() && record.error().code == "not-found") {
    return make_error("not-found", "the local model " + std::string(model.name) + " is not installed", setup);
  }
  if (!record.ok()) return record.error();
  if (record->bytes() == model_record(model)) return Ok{};
  return make_error("embedding-failed",
                    "another version of the local model " + std::string(model.name) + " is installed", setup,
                    "this program knows " + std::string(model.version));
}

ModelState model_state(const std::string& home, const LocalModel& model) {
  const ModelFiles files(home, model);
  const Status recorded = check_installed(home, model);
  if (!recorded.ok()) return recorded.error().code == "not-found" ? ModelState::kAbsent : ModelState::kDamaged;
  const bool whole = has_bytes_of(files.weights, model.weights) && has_bytes_of(files.tokenizer, model.tokenizer) &&
                     has_bytes_of(files.licence, model.licence_text) && has_bytes_of(files.tokens, model.tokens);
  return whole ? ModelState::kInstalled : ModelState::kDamaged;
}

}  // namespace candor::memory
