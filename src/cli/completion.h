// Shell completions and the manual page, made from the command line's own description.
#pragma once

#include <string>
#include <string_view>

namespace candor::cli {

// `shell` is bash, zsh or fish; empty for any other.
[[nodiscard]] std::string completion_script(std::string_view shell);

// docs/candor.1, in roff.
[[nodiscard]] std::string manual_page(const std::string& version);

}  // namespace candor::cli
