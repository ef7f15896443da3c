// What a failed request says: one located, explained error. Codes stand in codes.h; rendering is wire's and cli's.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace candor {

// Half-open byte range of the query text.
struct Span {
  std::size_t start = 0;
  std::size_t end = 0;
  friend bool operator==(const Span&, const Span&) = default;
};

enum class Severity { kError, kWarning, kNote };

// Whether the same request may succeed later: never, later, or unknown (it may have taken effect).
enum class ErrorClass { kPermanent, kTransient, kAmbiguous };

struct Diagnostic {
  std::string code;     // stable kebab-case, one of codes.h
  std::string message;  // one line that stands alone, lower case, no final stop
  std::string detail;   // measured facts; may be empty
  std::string hint;     // one action in a form that can be pasted; may be empty
  std::string fix;      // the corrected statement, only where it is certain; else empty
  std::optional<Span> span;
  Severity severity = Severity::kError;
  std::vector<Diagnostic> others;  // further errors of the same request, in the order of the text

  // The class that codes.h gives to `code`.
  [[nodiscard]] ErrorClass error_class() const;
};

// A located error should be the easy thing to make: `return make_error("unknown-table", "no table x", "try y");`
[[nodiscard]] Diagnostic make_error(std::string_view code, std::string message, std::string hint = {},
                                    std::string detail = {});

}  // namespace candor
