// Building diagnostics.
#include "base/diagnostic.h"

#include <utility>

#include "base/codes.h"

namespace candor {

ErrorClass Diagnostic::error_class() const {
  const CodeInfo* info = find_code(code);
  return info == nullptr ? ErrorClass::kPermanent : info->error_class;
}

Diagnostic make_error(std::string_view code, std::string message, std::string hint, std::string detail) {
  Diagnostic made;
  made.code = std::string(code);
  made.message = std::move(message);
  made.hint = std::move(hint);
  made.detail = std::move(detail);
  return made;
}

}  // namespace candor
