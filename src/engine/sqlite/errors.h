// SQLite's failures in Candor's codes: what is missing, what was refused, where in the text.
#pragma once

#include <string_view>

#include "base/diagnostic.h"
#include "engine/engine.h"
#include "sqlite/sqlite.h"

namespace candor::engine::sqlite {

class Connection;

// Of opening a file: `file-locked`, `file-error` or `source-error`.
[[nodiscard]] Diagnostic opening_error(const Diagnostic& failure, candor::sqlite::Fault fault,
                                       const SourceSpec& source);

// Of preparing or running an agent's statement. Reads from the connection what it refused and why it stopped.
[[nodiscard]] Diagnostic statement_error(Diagnostic failure, const Connection& connection, candor::sqlite::Fault fault,
                                         const SourceSpec& source, std::string_view sql);

}  // namespace candor::engine::sqlite
