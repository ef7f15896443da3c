// Giving memory back must leave the process as able as it was.
#include "engine/worker/at_rest.h"

#include <fstream>
#include <gtest/gtest.h>
#include <stdexcept>
#include <string>

namespace candor::engine::worker {
namespace {

// Pages of files that are mapped into this process (proc(5), statm: shared).
std::size_t file_pages() {
  std::ifstream statm("/proc/self/statm");
  std::size_t size = 0;
  std::size_t resident = 0;
  std::size_t shared = 0;
  statm >> size >> resident >> shared;
  return shared;
}

TEST(AtRestTest, TakesProgramTextOutAndGoesOn) {
  const std::size_t before = file_pages();
  EXPECT_GT(release_memory(), 0U);
  EXPECT_LT(file_pages(), before);
  // Text, read-only data and relocated data are all used again here.
  EXPECT_THROW(throw std::runtime_error(std::to_string(before)), std::runtime_error);
  EXPECT_GT(release_memory(), 0U);
}

}  // namespace
}  // namespace candor::engine::worker
