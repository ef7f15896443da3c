// Holds, receipts and checks as a person reads them: each check with its verdict, each side with its counts and a bar.
#pragma once

#include <cstdint>
#include <string>

#include "candor/candor.h"
#include "cli/terminal.h"
#include "json/json.h"

namespace candor::cli {

// `checks` is the array of a receipt or of a review.
[[nodiscard]] std::string checks_text(const Stream& out, const json::Node& checks);

[[nodiscard]] std::string warnings_text(const Stream& out, const json::Node& warnings);

// The reply to a commit: what was held and the ways on, or the answer's id and its receipt.
[[nodiscard]] std::string outcome_text(const Stream& out, const json::Node& document);

[[nodiscard]] std::string receipt_text(const Stream& out, const json::Node& receipt);

[[nodiscard]] std::string verification_text(const Stream& out, const Verification& verification);

}  // namespace candor::cli
