// Arguments of Candor's functions in SQLite, checked: SQLite's columns hold values of any type, whatever they declare.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "engine/functions/errors.h"
#include "sqlite/functions.h"

namespace candor::engine::sqlite {

// A text, or a number as SQLite writes it. Fails with `bad-stored-value` for a blob.
[[nodiscard]] Result<std::string_view> text_of(const candor::sqlite::Argument& argument);
// Fails with `bad-stored-value` for what is no text.
[[nodiscard]] Result<std::string_view> only_text_of(const candor::sqlite::Argument& argument, std::string_view wanted);
// An integer, or a real that is one. Fails with `bad-stored-value`.
[[nodiscard]] Result<std::int64_t> integer_of(const candor::sqlite::Argument& argument);

// An integer or a real. Fails with `bad-stored-value`.
[[nodiscard]] Result<double> real_of(const candor::sqlite::Argument& argument);

[[nodiscard]] inline bool any_null(const candor::sqlite::Arguments& arguments) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i].is_null()) return true;
  }
  return false;
}

inline void give(candor::sqlite::Reply& reply, std::string_view value) { reply.text(value); }
inline void give(candor::sqlite::Reply& reply, const std::string& value) { reply.text(value); }
inline void give(candor::sqlite::Reply& reply, std::int64_t value) { reply.integer(value); }
inline void give(candor::sqlite::Reply& reply, bool value) { reply.integer(value ? 1 : 0); }
inline void give(candor::sqlite::Reply& reply, double value) { reply.real(value); }
inline void give(candor::sqlite::Reply& reply, const Diagnostic& failure) {
  reply.error(functions::error_text(failure));
}
template <typename T>
void give(candor::sqlite::Reply& reply, const Result<T>& result) {
  if (result.ok()) {
    give(reply, *result);
  } else {
    give(reply, result.error());
  }
}

}  // namespace candor::engine::sqlite
