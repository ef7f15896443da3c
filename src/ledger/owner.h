// Who holds a reservation: a process that can be told from another one that got its number later. Linux's /proc alone.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace candor::ledger {

// One opened ledger of this process: "pid start boot namespace instance".
[[nodiscard]] std::string own_identity();

// Whether the owner's process runs still. An owner in another PID namespace (a container that shares the home) can't be
// seen from here; it counts as alive until `reserved_ms` lies more than ten minutes back. Text that is no identity is dead.
[[nodiscard]] bool owner_lives(std::string_view identity, std::int64_t reserved_ms, std::int64_t now_ms);

}  // namespace candor::ledger
