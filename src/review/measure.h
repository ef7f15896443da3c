// Runs the counting statements of a plan and fills the pairs. Behind the gates only; the join itself is never run.
#pragma once

#include <optional>
#include <vector>

#include "base/result.h"
#include "engine/engine.h"
#include "review/gates.h"
#include "review/review.h"
#include "review/syntax/join_extraction.h"

namespace candor::review {

// A side keeps less than half of its rows, or of a sample: surely so, or perhaps.
enum class Share : std::uint8_t { kEnough, kUncertain, kLow };
[[nodiscard]] Share share_of(std::uint64_t matched, std::uint64_t rows, double error);

// Half-width of the 95 % interval around matched / rows of a simple random sample (Agresti and Coull 1998), widened by
// the distance of its centre.
[[nodiscard]] double sample_error(std::uint64_t matched, std::uint64_t rows);

// `facts` in the order of the plan's tables. Fails with not-measured, unsupported-syntax, timeout, cancelled,
// engine-fault.
[[nodiscard]] Result<std::vector<Pair>> measure_pairs(const syntax::JoinPlan& plan,
                                                      const std::vector<engine::TableFacts>& facts, const Gates& gates,
                                                      const Context& context);

}  // namespace candor::review
