// Each record: the sizes of its parts, then the parts.
#include "memory/store/spool.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <system_error>
#include <unistd.h>

#include "base/no_room.h"

namespace candor::memory {
namespace {

Diagnostic failed(const char* what) {
  const int code = errno;
  return make_error(
      no_room(code) ? "disk-full" : "storage",
      std::string("the lines of a transaction can't be ") + what + ": " + std::generic_category().message(code),
      "leave --transaction out, or make room beside the memory");
}

using Sizes = std::array<std::uint64_t, 7>;  // embedder, numbers of the vector, bytes of the texts

std::FILE* of(void* file) { return static_cast<std::FILE*>(file); }

}  // namespace

Result<std::unique_ptr<Spool>> Spool::open(const std::string& folder) {
  std::string name = folder + "/memory.batch.XXXXXX";
  const int descriptor = ::mkostemp(name.data(), O_CLOEXEC);
  if (descriptor < 0) return failed("kept");
  ::unlink(name.c_str());
  std::FILE* file = ::fdopen(descriptor, "w+b");
  if (file != nullptr) return std::unique_ptr<Spool>(new Spool(file));
  Diagnostic failure = failed("kept");
  ::close(descriptor);
  return failure;
}

Spool::~Spool() { (void)std::fclose(of(file_)); }

Status Spool::put(const void* bytes, std::uint64_t size) {
  if (size == 0 || std::fwrite(bytes, 1, size, of(file_)) == size) return Ok{};
  return failed("kept");
}

Result<bool> Spool::get(void* bytes, std::uint64_t size) {
  if (size == 0) return true;
  const std::size_t got = std::fread(bytes, 1, size, of(file_));
  if (got == size) return true;
  if (got == 0 && std::feof(of(file_)) != 0) return false;
  return failed("read back");
}

Status Spool::write(const Record& record) {
  const Sizes sizes = {static_cast<std::uint64_t>(record.embedder),
                       record.vector.size(),
                       record.line.size(),
                       record.of.size(),
                       record.code.size(),
                       record.message.size(),
                       record.hint.size()};
  CANDOR_TRY(put(sizes.data(), sizeof(sizes)));
  CANDOR_TRY(put(record.vector.data(), record.vector.size() * sizeof(float)));
  for (const std::string* text : {&record.line, &record.of, &record.code, &record.message, &record.hint}) {
    CANDOR_TRY(put(text->data(), text->size()));
  }
  return Ok{};
}

Status Spool::rewind() {
  if (std::fflush(of(file_)) != 0 || std::fseek(of(file_), 0, SEEK_SET) != 0) return failed("read back");
  return Ok{};
}

Result<bool> Spool::read(Record& record) {
  Sizes sizes = {};
  CANDOR_ASSIGN(const bool more, get(sizes.data(), sizeof(sizes)));
  if (!more) return false;
  record.embedder = static_cast<std::int64_t>(sizes[0]);
  record.vector.resize(sizes[1]);
  CANDOR_ASSIGN(bool whole, get(record.vector.data(), record.vector.size() * sizeof(float)));
  std::size_t part = 2;
  for (std::string* text : {&record.line, &record.of, &record.code, &record.message, &record.hint}) {
    text->resize(sizes[part++]);
    CANDOR_ASSIGN(const bool read, get(text->data(), text->size()));
    whole = whole && read;
  }
  if (whole) return true;
  return make_error("storage", "the lines of a transaction were cut off");
}

}  // namespace candor::memory
