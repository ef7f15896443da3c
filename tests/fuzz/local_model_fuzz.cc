// Any bytes as a local model's matrix, as its vocabulary, as the table that is made of one, and as a text.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "memory/embed/bpe.h"
#include "memory/embed/safetensors.h"
#include "memory/embed/token_table.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace candor::memory;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto matrix = HalfMatrix::find(bytes, "w");
  if (matrix.ok()) {
    if (matrix->rows() * matrix->columns() * 2 > size) std::abort();
    std::vector<float> sum(matrix->columns());
    for (std::size_t row = 0; row < matrix->rows(); ++row) matrix->add_row(row, sum);
  }
  const auto table = TokenTable::over(bytes);
  if (table.ok()) {
    const auto tokens = tokens_of(*table, bytes.substr(0, 2'000));
    if (tokens.size() > 2'001 * 3) std::abort();
  }
  const auto made = make_token_table(bytes);
  if (made.ok()) {
    const auto again = TokenTable::over(*made);
    if (!again.ok() || tokens_of(*again, bytes.substr(0, 2'000)).empty()) std::abort();
  }
  return 0;
}
