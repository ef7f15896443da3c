// Vectors that were made before a write, to be stored with it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace candor::memory {

struct Embedded {
  std::int64_t embedder = 0;  // a row of `embedders`
  std::vector<float> memory;
  std::vector<std::vector<float>> chunks;  // one for each of chunks_of(body), in their order
};

}  // namespace candor::memory
