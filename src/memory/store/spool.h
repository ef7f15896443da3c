// Records that wait for one transaction, in a file without a name beside the memory: it goes with the process.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"

namespace candor::memory {

class Spool {
 public:
  struct Record {
    std::string line;
    std::int64_t embedder = 0;
    std::vector<float> vector;
    std::string of;
    std::string code, message, hint;  // why the line fails; empty: it does not yet
  };

  // Fails with `storage` or `disk-full`, as the rest does.
  [[nodiscard]] static Result<std::unique_ptr<Spool>> open(const std::string& folder);
  ~Spool();
  Spool(const Spool&) = delete;
  Spool& operator=(const Spool&) = delete;

  [[nodiscard]] Status write(const Record& record);
  // From the first again.
  [[nodiscard]] Status rewind();
  // False: there was none left.
  [[nodiscard]] Result<bool> read(Record& record);

 private:
  explicit Spool(void* file) : file_(file) {}
  [[nodiscard]] Status put(const void* bytes, std::uint64_t size);
  [[nodiscard]] Result<bool> get(void* bytes, std::uint64_t size);
  void* file_;  // a FILE
};

}  // namespace candor::memory
