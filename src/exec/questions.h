// Small questions to the source beside a statement's own, within one budget: private to this folder.
#pragma once

#include <chrono>
#include <optional>
#include <vector>

#include "base/cancel.h"
#include "exec/rows.h"

namespace candor::exec {

class Questions {
 public:
  // All of them together may take `count_budget_ms`.
  Questions(const Environment& environment, const CancelToken& cancel)
      : environment_(environment),
        cancel_(cancel),
        end_(std::chrono::steady_clock::now() + std::chrono::milliseconds(environment.count_budget_ms)) {}

  [[nodiscard]] lower::Lowering lowering() const { return lower::Lowering(environment_.storage); }

  // The answer's rows; nothing where it failed or was not there in time.
  [[nodiscard]] std::optional<std::vector<std::vector<Value>>> ask(const lower::Lowered& question) const {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(end_ - std::chrono::steady_clock::now()).count();
    if (left <= 0) return std::nullopt;
    Result<Rows> rows = run(question, environment_, nullptr, left, cancel_);
    if (!rows.ok()) return std::nullopt;
    return std::move(rows->rows);
  }

 private:
  const Environment& environment_;
  const CancelToken& cancel_;
  std::chrono::steady_clock::time_point end_;
};

}  // namespace candor::exec
