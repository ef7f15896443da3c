// Which embedder a model's text means, and what is accepted from any of them.
#include "memory/embed/embedder.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "memory/embed/address_embedder.h"
#include "memory/embed/command_embedder.h"
#include "memory/embed/local_embedder.h"

namespace candor::memory {
namespace {

constexpr std::size_t kDimMin = 8, kDimMax = 4096;

Diagnostic not_a_model(std::string_view text) {
  return make_error("usage", "--model can't be '" + std::string(text) + "'",
                    "--model none, --model local:wordllama-256, --model 'command:CMD' or --model http://HOST/v1#NAME");
}

}  // namespace

Result<ModelSpec> parse_model(std::string_view text) {
  ModelSpec spec{.kind = ModelKind::kNone, .text = std::string(text), .name = {}, .url = {}};
  if (text == "none") return spec;
  if (text.starts_with("local:")) {
    spec.kind = ModelKind::kLocal;
    spec.name = text.substr(6);
  } else if (text.starts_with("command:")) {
    spec.kind = ModelKind::kCommand;
    spec.name = text.substr(8);
  } else if (text.starts_with("http://") || text.starts_with("https://")) {
    const auto hash = text.find('#');
    if (hash == std::string_view::npos) return not_a_model(text);
    spec.kind = ModelKind::kAddress;
    spec.url = text.substr(0, hash);
    spec.name = text.substr(hash + 1);
    while (spec.url.ends_with('/')) spec.url.pop_back();
  } else {
    return not_a_model(text);
  }
  if (spec.name.empty()) return not_a_model(text);
  return spec;
}

EmbedSettings embed_settings(std::string home) {
  EmbedSettings settings;
  settings.home = std::move(home);
  const char* seconds = std::getenv("CANDOR_EMBED_SECONDS");
  const int number = seconds == nullptr ? 0 : std::atoi(seconds);
  if (number > 0 && number <= 3'600) settings.timeout_ms = number * 1'000;
  return settings;
}

Result<std::unique_ptr<Embedder>> make_embedder(const ModelSpec& spec, const EmbedSettings& settings) {
  switch (spec.kind) {
    case ModelKind::kNone:
      break;
    case ModelKind::kLocal:
      return make_local_embedder(spec.name, settings);
    case ModelKind::kCommand:
      return make_command_embedder(spec.name, settings);
    case ModelKind::kAddress:
      return make_address_embedder(spec.url, spec.name, settings);
  }
  return std::unique_ptr<Embedder>();
}

Status check_vectors(const std::vector<Vector>& vectors, std::size_t asked, std::optional<std::size_t> dim) {
  if (vectors.size() != asked) {
    return make_error("embedding-failed", "the embedder gave another number of vectors than texts", {},
                      std::to_string(vectors.size()) + " for " + std::to_string(asked));
  }
  for (const auto& vector : vectors) {
    const auto wanted = dim.value_or(vectors.front().size());
    if (vector.size() < kDimMin || vector.size() > kDimMax || vector.size() != wanted) {
      return make_error("embedding-failed", "the embedder gave a vector of another size than its model has",
                        "candor memory init --model MODEL --dim N",
                        std::to_string(vector.size()) + " numbers where " + std::to_string(wanted) + " belong; " +
                            std::to_string(kDimMin) + " to " + std::to_string(kDimMax) + " are possible");
    }
    if (!std::ranges::all_of(vector, [](float x) { return std::isfinite(x); })) {
      return make_error("embedding-failed", "the embedder gave a number that is not finite");
    }
  }
  return Ok{};
}

}  // namespace candor::memory
