// What statistics are made of: a record of each call, with what was wrong with it and what it was offered, and of each
// commit. Written with the telemetry of the statement that they belong to; read by statistics.h.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"

namespace candor::ledger {

// One call: what a surface was asked at once, be it one statement or several. The first record of one gives it its id.
struct Call {
  std::int64_t id = 0;
};

// In rising order: the outcome of a call is the greatest of its statements'.
enum class CallOutcome : std::uint8_t {
  kAccepted = 0,
  kFailed = 1,    // by no fault of the text: a deadline, a full disk, a lock
  kRejected = 2,  // the same text would be refused again
};

// The outcome that an error of this code makes.
[[nodiscard]] CallOutcome outcome_of(std::string_view error_code);

struct Rejection {
  std::string code;
  std::string resource, column;  // of a name that is not there, as it was written
  bool fix_offered = false;
};

// All errors of a failure, the first and the others. Names are cut to 120 characters.
[[nodiscard]] std::vector<Rejection> rejections_of(const Diagnostic& failure);

// What the record of one statement adds to its call.
struct CallPart {
  Call* call = nullptr;
  CallOutcome outcome = CallOutcome::kAccepted;
  std::string source;                 // the contract's source, or a SQLite source; else empty
  std::vector<Rejection> rejections;  // of a failure its errors, too
  std::vector<std::string> offered;   // fingerprints of the repaired statements that were offered
  std::vector<std::string> sent;      // fingerprints of the statements that this record is about
  std::vector<std::string> repairs;   // kinds of spellings that Candor read as its own
};

struct CommitPart {
  std::string state;                  // committed, acknowledged, unresolved, held, refused
  std::vector<std::string> findings;  // checks that found something
};

}  // namespace candor::ledger
