// candor.yaml into a Configuration, and what else reads files of settings.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"
#include "config/config.h"

namespace candor::config {

// Reads the file's text (`name` stands in messages, `folder` is what relative paths are relative to) over what
// `configuration` has. Every fault of the file is told: the first as the Diagnostic, the rest as its `others`.
[[nodiscard]] Status read_yaml(const std::string& text, const std::string& name, const std::string& folder,
                               Configuration& configuration);

// A path of a source or contract: `~/` is the user's home, a relative one belongs to `folder`. URLs stay as they are.
[[nodiscard]] std::string resolve_path(const std::string& path, const std::string& folder);

// The text of a file of settings. Fails with `configuration`: a folder, unreadable, over 1 MB.
inline constexpr std::size_t kSettingsBytesMax = std::size_t{1} << 20U;
[[nodiscard]] Result<std::string> read_settings(const std::string& file);

// Foreign text as it may stand in a message: one line, valid UTF-8, not long.
[[nodiscard]] std::string in_message(std::string_view text);

}  // namespace candor::config
