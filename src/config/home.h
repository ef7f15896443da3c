// The home folder, where what Candor keeps lies: for its owner alone.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace candor::config {

// Makes `home` (mode 0700) and an empty file of that name in it (mode 0600) where there is none. The file's path. Fails
// with `storage` or `disk-full`.
[[nodiscard]] Result<std::string> prepare_file(const std::string& home, std::string_view name);

}  // namespace candor::config
