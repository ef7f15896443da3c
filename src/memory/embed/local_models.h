// The local models that this version knows, and those of them that are installed: folders of the home's `models/`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

namespace candor::memory {

// A file of a package. The hash is that of its bytes, as `sha256_hex` gives it.
struct PackedFile {
  const char* path;
  std::size_t bytes;
  const char* sha256;
};

struct LocalModel {
  const char* name;
  const char* version;  // other numbers come out when it changes
  const char* summary;
  const char* licence;
  std::size_t dim;
  const char* tensor;  // the matrix in the weights
  const char* package;
  const char* package_version;
  PackedFile wheel;  // one for all machines: only what is not compiled is taken out of it
  PackedFile weights, tokenizer, licence_text;
  PackedFile tokens;  // what make_token_table makes of the tokenizer
};

[[nodiscard]] std::span<const LocalModel> local_models();

// Fails with `usage`.
[[nodiscard]] Result<const LocalModel*> local_model(std::string_view name);

// Where the parts of an installed model lie.
struct ModelFiles {
  ModelFiles(const std::string& home, const LocalModel& model);
  std::string folder, weights, tokenizer, tokens, licence, record;
};

// What `record` holds: which model and version the folder has.
[[nodiscard]] std::string model_record(const LocalModel& model);

// Whether this version of the model is there, as its record says. Fails with `not-found`, or with `embedding-failed` for
// another version. Looks at no other file.
[[nodiscard]] Status check_installed(const std::string& home, const LocalModel& model);

enum class ModelState : std::uint8_t { kAbsent, kDamaged, kInstalled };
// Reads and hashes every file of it.
[[nodiscard]] ModelState model_state(const std::string& home, const LocalModel& model);

}  // namespace candor::memory
