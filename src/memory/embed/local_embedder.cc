// The mean of the rows of a text's tokens, of unit length.
#include "memory/embed/local_embedder.h"

#include <cmath>

#include "memory/embed/bpe.h"
#include "memory/embed/local_models.h"
#include "memory/embed/mapped_file.h"
#include "memory/embed/safetensors.h"

namespace candor::memory {
namespace {

class LocalEmbedder : public Embedder {
 public:
  // The views look into the files, whose bytes stay where they are when they are moved.
  LocalEmbedder(const LocalModel& model, MappedFile weights, MappedFile tokens, HalfMatrix rows, TokenTable table)
      : model_(&model), weights_(std::move(weights)), tokens_(std::move(tokens)), rows_(rows), table_(table) {}

  [[nodiscard]] EmbedderVersion version() const override { return {model_->version, model_->weights.sha256}; }

  Result<std::vector<Vector>> embed(std::span<const std::string> texts) override {
    std::vector<Vector> vectors;
    vectors.reserve(texts.size());
    for (const auto& text : texts) {
      Vector vector(rows_.columns(), 0);
      for (const std::uint32_t token : tokens_of(table_, text)) {
        if (token >= rows_.rows()) {
          return make_error("embedding-failed", "the local model's vocabulary does not fit its vectors",
                            "candor memory embed setup " + std::string(model_->name));
        }
        rows_.add_row(token, vector);
      }
      normalise(vector);
      vectors.push_back(std::move(vector));
    }
    return vectors;
  }

 private:
  // Unit length takes the mean's divisor away as well. A text without a token has no direction, and stays zero.
  static void normalise(Vector& vector) {
    double squares = 0;
    for (const float x : vector) squares += static_cast<double>(x) * static_cast<double>(x);
    if (squares == 0) return;
    const double factor = 1 / std::sqrt(squares);
    for (float& x : vector) x = static_cast<float>(static_cast<double>(x) * factor);
  }

  const LocalModel* model_;
  MappedFile weights_, tokens_;
  HalfMatrix rows_;
  TokenTable table_;
};

}  // namespace

Result<std::unique_ptr<Embedder>> make_local_embedder(const std::string& name, const EmbedSettings& settings) {
  CANDOR_ASSIGN(const LocalModel* model, local_model(name));
  CANDOR_TRY(check_installed(settings.home, *model));
  const ModelFiles files(settings.home, *model);
  CANDOR_ASSIGN(MappedFile weights, MappedFile::open(files.weights));
  CANDOR_ASSIGN(MappedFile tokens, MappedFile::open(files.tokens));
  CANDOR_ASSIGN(const HalfMatrix rows, HalfMatrix::find(weights.bytes(), model->tensor));
  CANDOR_ASSIGN(const TokenTable table, TokenTable::over(tokens.bytes()));
  if (rows.columns() != model->dim) {
    return make_error("embedding-failed", "the local model's vectors have another size than they should",
                      "candor memory embed setup " + name);
  }
  return std::unique_ptr<Embedder>(
      std::make_unique<LocalEmbedder>(*model, std::move(weights), std::move(tokens), rows, table));
}

}  // namespace candor::memory
