// The list of codes. Sorted; a test keeps it so. The surfaces print from here and nowhere else.
#include "base/codes.h"

#include <algorithm>

#include "base/code_pages.inc"

namespace candor {

const CodeInfo* find_code(std::string_view code) {
  const auto* found = std::ranges::lower_bound(kCodes, code, {}, &CodeInfo::code);
  return found != std::end(kCodes) && found->code == code ? found : nullptr;
}

std::span<const CodeInfo> all_codes() { return kCodes; }

ExitCode exit_code(const Diagnostic& diagnostic) {
  const CodeInfo* info = find_code(diagnostic.code);
  return info == nullptr ? ExitCode::kInternal : info->exit;
}

}  // namespace candor
