// What the memory's figures stand beside, and the embedder that they are measured with; driven by memory_bench.py.
//
//   memory_alternatives embed DIM            {"text": …} a line to a vector a line: the sum of fixed directions of its words
//   memory_alternatives scan FILE K [TYPE]   a text a line to {"ms": …, "ids": […]}: cosine in float32, every row of the
//                                            vectors read and judged; with TYPE, of memories of this type alone
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <iostream>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "json/json.h"
#include "sqlite/sqlite.h"

namespace {

using candor::json::Node;
using Vector = std::vector<float>;

constexpr std::size_t kLanes = 8;

// FNV-1a, then the steps of splitmix64: bits that are the same everywhere.
std::uint64_t hash_of(std::string_view word) {
  std::uint64_t hash = 14695981039346656037U;
  for (const char c : word) hash = (hash ^ static_cast<std::uint8_t>(c)) * 1099511628211U;
  return hash;
}

std::uint64_t next(std::uint64_t& state) {
  std::uint64_t bits = state += 0x9E3779B97F4A7C15U;
  bits = (bits ^ (bits >> 30U)) * 0xBF58476D1CE4E5B9U;
  bits = (bits ^ (bits >> 27U)) * 0x94D049BB133111EBU;
  return bits ^ (bits >> 31U);
}

Vector vector_of(const std::string& text, std::size_t dim) {
  Vector sum(dim);
  std::istringstream words(text);
  std::string word;
  while (words >> word) {
    std::uint64_t state = hash_of(word);
    for (std::size_t i = 0; i < dim; i += 64) {
      std::uint64_t signs = next(state);
      for (std::size_t j = i; j < std::min(dim, i + 64); ++j, signs >>= 1U) sum[j] += (signs & 1U) != 0 ? 1.0F : -1.0F;
    }
  }
  float length = 0;
  for (const float part : sum) length += part * part;
  for (float& part : sum) part = length > 0 ? part / std::sqrt(length) : (&part == sum.data() ? 1.0F : 0.0F);
  return sum;
}

int embed(std::size_t dim) {
  std::string line;
  while (std::getline(std::cin, line)) {
    const auto parsed = candor::json::parse(line);
    if (!parsed.ok()) return 1;
    std::string out = "[";
    for (const float part : vector_of((*parsed)["text"].text(), dim)) {
      std::array<char, 24> digits{};
      out.append(digits.data(), static_cast<std::size_t>(std::snprintf(digits.data(), digits.size(), "%.5f,", part)));
    }
    out.back() = ']';
    std::cout << out << "\n" << std::flush;
  }
  return 0;
}

float dot(const float* a, const float* b, std::size_t size) {
  std::array<float, kLanes> lanes{};
  for (std::size_t i = 0; i + kLanes <= size; i += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) lanes[lane] += a[i + lane] * b[i + lane];
  }
  float sum = 0;
  for (const float lane : lanes) sum += lane;
  return sum;
}

std::size_t dim_of(candor::sqlite::Database& database) {
  auto statement = database.prepare("SELECT length(embedding) / 4 FROM memory_embeddings LIMIT 1");
  const auto row = statement.ok() ? statement->step() : candor::Result<bool>(false);
  return row.ok() && *row ? static_cast<std::size_t>(statement->integer(0)) : 0;
}

int scan(const std::string& path, std::size_t count, const std::string& type) {
  auto database = candor::sqlite::Database::open(path, {});
  if (!database.ok()) return 1;
  const std::size_t dim = dim_of(*database);
  auto rows = database->prepare(
      type.empty() ? "SELECT memory_id, embedding FROM memory_embeddings"
                   : "SELECT e.memory_id, e.embedding FROM memory_embeddings e JOIN memories m ON m.id = e.memory_id "
                     "WHERE m.type = ?1");
  if (!rows.ok() || dim == 0) return 1;
  std::string text;
  while (std::getline(std::cin, text)) {
    const auto began = std::chrono::steady_clock::now();
    const Vector query = vector_of(text, dim);
    std::vector<std::pair<float, std::int64_t>> found;
    Vector vector(dim);
    rows->reset();
    if (!type.empty() && !rows->bind_text(1, type).ok()) return 1;
    for (auto row = rows->step(); row.ok() && *row; row = rows->step()) {
      const std::string_view bytes = rows->blob(1);
      std::memcpy(vector.data(), bytes.data(), std::min(bytes.size(), dim * sizeof(float)));
      const float length = std::sqrt(dot(vector.data(), vector.data(), dim));
      found.emplace_back(-dot(query.data(), vector.data(), dim) / length, rows->integer(0));
    }
    std::ranges::sort(found);
    const std::chrono::duration<double, std::milli> spent = std::chrono::steady_clock::now() - began;
    std::cout << "{\"ms\":" << spent.count() << ",\"ids\":[";
    for (std::size_t i = 0; i < std::min(count, found.size()); ++i) std::cout << (i == 0 ? "" : ",") << found[i].second;
    std::cout << "]}" << std::endl;
  }
  return 0;
}

}  // namespace

int main(int count, char** words) {
  const std::vector<std::string> arguments(words + 1, words + count);
  if (arguments.size() == 2 && arguments[0] == "embed") return embed(std::stoul(arguments[1]));
  if (arguments.size() >= 3 && arguments[0] == "scan") {
    return scan(arguments[1], std::stoul(arguments[2]), arguments.size() > 3 ? arguments[3] : "");
  }
  std::cerr << "usage: memory_alternatives embed DIM | scan FILE K [TYPE]\n";
  return 2;
}
