// Errors and warnings as people read them: the line of the statement with a caret under the place, and the way out.
#pragma once

#include <string>
#include <string_view>

#include "base/diagnostic.h"
#include "candor/candor.h"
#include "cli/terminal.h"

namespace candor::cli {

// `sql` is the text that the diagnostic's spans point into; empty where there is none.
[[nodiscard]] std::string diagnostic_text(const Stream& err, const Diagnostic& diagnostic, std::string_view sql);

[[nodiscard]] std::string warning_text(const Stream& out, const Warning& warning);

}  // namespace candor::cli
