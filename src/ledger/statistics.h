// What the records of calls add up to. Every number is defined in docs/stats.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace candor::ledger {

struct StatisticsFilter {
  std::int64_t since_ms = 0;  // Unix time; 0: from the first call
  std::string session;        // empty: all
  std::string source;         // empty: all
  std::uint64_t list_max = 20;
};

struct Statistics {
  // Turns of one kind, and their calls.
  struct Turns {
    std::uint64_t turns = 0, calls = 0;
    std::optional<double> median_calls;  // absent where there are no turns
  };
  struct Code {
    std::string code;
    std::uint64_t calls = 0, turns = 0;  // that met it
    std::uint64_t errors = 0;            // a call may meet it several times
    std::uint64_t fixes = 0;             // errors that came with a repair
  };
  struct Name {
    std::string resource, column;
    std::uint64_t calls = 0, turns = 0, errors = 0, fixes = 0;
  };
  struct Names {
    std::vector<Name> list;   // those of most calls first
    std::uint64_t total = 0;  // of which `list` has the first
  };
  struct Repair {
    std::string kind;
    std::uint64_t calls = 0, spellings = 0;
  };
  struct Check {
    std::string check;
    std::uint64_t held = 0, acknowledged = 0;
  };

  std::optional<std::int64_t> first_call_ms, last_call_ms;
  std::uint64_t accepted = 0, rejected = 0, failed = 0;
  Turns met, clean;         // turns with a rejected call, and without
  std::vector<Code> codes;  // of rejected and of failed calls, all of them, those of most calls first
  Names absent_columns, absent_resources;
  std::uint64_t offered = 0, taken = 0, taken_accepted = 0;
  std::vector<Repair> read_as;
  std::uint64_t committed = 0, acknowledged = 0, unresolved = 0, held = 0, refused = 0;
  std::vector<Check> checks;

  [[nodiscard]] std::uint64_t calls() const { return accepted + rejected + failed; }
};

}  // namespace candor::ledger
