// Frames and payloads as a hostile worker could send them: cut at any byte, then read as every kind of answer. What is
// accepted must be written back to the same bytes.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "engine/worker/codec.h"
#include "engine/worker/frame.h"
#include "engine/worker/rows.h"

namespace {

using namespace candor;                  // NOLINT(google-build-using-namespace)
using namespace candor::engine;          // NOLINT(google-build-using-namespace)
using namespace candor::engine::worker;  // NOLINT(google-build-using-namespace)

template <typename Message>
void read_as(const std::string& payload) {
  Message message{};
  if (decode(payload, message) && encode(message) != payload) std::abort();
}

void read_rows(const std::string& payload) {
  for (const std::size_t columns : {0U, 1U, 3U}) {
    auto batch = take_rows(payload, columns);
    if (!batch) continue;
    std::string cells;
    std::uint32_t rows = 0;
    Pieces pieces(*batch, columns);
    while (const auto piece = pieces.next()) {
      cells += piece->cells;
      rows += piece->rows;
    }
    if (cells != batch->cells || rows != batch->rows) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view all(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::size_t step = data[0] == 0 ? all.size() + 1 : data[0];
  FrameReader reader;
  for (std::size_t at = 0; at < all.size(); at += step) {
    std::string_view bytes = all.substr(at, step);
    while (const auto frame = reader.feed(bytes)) {
      read_as<Header>(frame->payload);
      read_as<End>(frame->payload);
      read_as<Diagnostic>(frame->payload);
      read_as<Catalog>(frame->payload);
      read_as<TableFacts>(frame->payload);
      read_as<std::vector<FunctionFacts>>(frame->payload);
      read_as<Credit>(frame->payload);
      read_as<std::string>(frame->payload);
      read_as<Policy>(frame->payload);
      read_as<Append>(frame->payload);
      RunRequest request;
      (void)decode(frame->payload, request);
      read_rows(frame->payload);
    }
    if (reader.broken()) break;
  }
  return 0;
}
