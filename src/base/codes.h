// The one list of diagnostic codes and reasons: what `candor explain CODE` prints, which exit code a code has.
#pragma once

#include <span>
#include <string_view>

#include "base/diagnostic.h"

namespace candor {

// Exit codes of the command; MCP isError and HTTP status follow from them.
enum class ExitCode : int {
  kDone = 0,
  kRejected = 1,
  kUsage = 2,
  kRaceLost = 3,
  kNotFound = 4,
  kSession = 5,
  kOverLimit = 6,
  kHeld = 7,
  kDuplicate = 9,
  kEngine = 10,
  kEmbedding = 11,
  kPartial = 13,
  kFile = 14,
  kBusy = 15,
  kInterrupted = 19,
  kInternal = 20,
  kLock = 75,
  kConfiguration = 78,
};

struct CodeInfo {
  std::string_view code;  // kebab-case, never reused
  ExitCode exit;          // of a request that ends with it; kDone for warnings and for reasons of `undetermined`
  ErrorClass error_class;
  std::string_view summary;      // one line
  std::string_view explanation;  // the page: what it means, why it is so, what to do
};

// Null when there is no such code.
[[nodiscard]] const CodeInfo* find_code(std::string_view code);

// All, sorted by code.
[[nodiscard]] std::span<const CodeInfo> all_codes();

// The exit code of a diagnostic; kInternal for an unlisted code (a test keeps that from happening).
[[nodiscard]] ExitCode exit_code(const Diagnostic& diagnostic);

}  // namespace candor
