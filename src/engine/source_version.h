// A cheap fingerprint of a source's files, for seeing that they changed. Reads names, sizes and times, never contents.
#pragma once

#include <string>

#include "engine/engine.h"

namespace candor::engine {

// Differs once a file of the source was changed, added or removed (name, size, times, inode; of a database its
// write-ahead log too). Empty when the source can't be looked at any more, and of a PostgreSQL database: its state is the
// engine's to tell (Header.state). Looks at the first 10,000 files.
[[nodiscard]] std::string source_version(const SourceSpec& spec);

}  // namespace candor::engine
