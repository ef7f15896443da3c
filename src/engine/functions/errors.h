// How a function of Candor's inside an engine says what is wrong: engines pass on a text, which is read back here.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/diagnostic.h"

namespace candor::engine::functions {

// A text that an engine is given for its error. `code` is one of codes.h.
[[nodiscard]] std::string error_text(const Diagnostic& failure);

// A foreign text for a message: in quotes, cut short, on one line.
[[nodiscard]] std::string shown(std::string_view text);

// The diagnostic, where `text` is such a text or ends with one. Nothing for messages of the engine's own.
[[nodiscard]] std::optional<Diagnostic> read_error_text(std::string_view text);

}  // namespace candor::engine::functions
