// Which errors of the system say that there is no room for what was to be written.
#pragma once

#include <cerrno>

namespace candor {

// The disk is full, a quota is used up, or a limit of file size was met.
[[nodiscard]] constexpr bool no_room(int system_error) {
  return system_error == ENOSPC || system_error == EDQUOT || system_error == EFBIG;
}

}  // namespace candor
