// Who makes vectors of texts. Which one a memory uses is chosen by `memory init --model`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace candor::memory {

using Vector = std::vector<float>;

// What tells one set of vectors from another of the same model's name. Empty where that is not known.
struct EmbedderVersion {
  std::string version, sha256;
  friend bool operator==(const EmbedderVersion&, const EmbedderVersion&) = default;
};

class Embedder {
 public:
  virtual ~Embedder() = default;
  [[nodiscard]] virtual EmbedderVersion version() const { return {}; }
  // One vector for each text, in their order, all of the same size. Fails with `embedding-failed` or `embedding-timeout`;
  // nothing is half done.
  [[nodiscard]] virtual Result<std::vector<Vector>> embed(std::span<const std::string> texts) = 0;
};

enum class ModelKind : std::uint8_t { kNone, kLocal, kCommand, kAddress };

// none | local:NAME | command:CMD | URL#NAME
struct ModelSpec {
  ModelKind kind = ModelKind::kNone;
  std::string text;  // as it was given
  std::string name;  // of the local model or the server's model; the command
  std::string url;   // without the fragment and without a slash at its end
};

// Fails with `usage`.
[[nodiscard]] Result<ModelSpec> parse_model(std::string_view text);

// Where things stand that an embedder needs.
struct EmbedSettings {
  std::string home;         // local models are in its models/
  int timeout_ms = 30'000;  // of one request or one run of the command
};
// The rest is from the environment.
[[nodiscard]] EmbedSettings embed_settings(std::string home);

// Null for kNone. Fails with `not-found` for a local model that is not there, with `embedding-failed` where a library is
// missing.
[[nodiscard]] Result<std::unique_ptr<Embedder>> make_embedder(const ModelSpec& spec, const EmbedSettings& settings);

// Checks what came back: as many as asked for, of one size between 8 and 4096 (or `dim`), finite.
[[nodiscard]] Status check_vectors(const std::vector<Vector>& vectors, std::size_t asked,
                                   std::optional<std::size_t> dim);

}  // namespace candor::memory
