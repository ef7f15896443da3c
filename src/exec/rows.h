// Rows of an engine as the contract's types: private to this folder.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/cancel.h"
#include "base/result.h"
#include "exec/exec.h"

namespace candor::exec {

struct Rows {
  std::vector<std::vector<Value>> rows;
  std::optional<std::uint64_t> affected;
  bool changed_others = false;
};

// Runs one lowered statement and hands its rows over, each in the contract's types; `transaction` null: for reading. False of
// the visitor ends it. Beyond `chars_max` characters no further row comes.
[[nodiscard]] Result<engine::End> stream(const lower::Lowered& lowered, const Environment& environment,
                                         engine::Transaction* transaction, std::int64_t deadline_ms,
                                         std::uint64_t chars_max, const CancelToken& cancel, const RowVisitor& visitor);

// Runs one lowered statement and takes all its rows; `transaction` null: for reading. Fails with `result-too-large` beyond
// `memory_bytes`.
[[nodiscard]] Result<Rows> run(const lower::Lowered& lowered, const Environment& environment,
                               engine::Transaction* transaction, std::int64_t deadline_ms, const CancelToken& cancel);

// Several statements of a transaction in one exchange, each within `chars_max` and `deadline_ms`: what they gave, in order.
// Behind one whose failure is the source's there are no more.
[[nodiscard]] std::vector<Result<Rows>> run_all(const std::vector<const lower::Lowered*>& statements,
                                                const Environment& environment, engine::Transaction& transaction,
                                                std::uint64_t chars_max, std::int64_t deadline_ms,
                                                const CancelToken& cancel);

// One number.
[[nodiscard]] Result<std::uint64_t> count_of(const Rows& rows);
[[nodiscard]] Result<std::uint64_t> run_count(const lower::Lowered& lowered, const Environment& environment,
                                              engine::Transaction* transaction, std::int64_t deadline_ms,
                                              const CancelToken& cancel);

// The engine's value as one of the type. Fails with `bad-stored-value`.
[[nodiscard]] Result<Value> as_type(Value value, std::optional<contract::Type> type);

// The value of a literal or an array of them; nothing where it has to be reckoned.
[[nodiscard]] std::optional<Value> constant_of(const bind::BoundExpr& expr);

[[nodiscard]] std::string type_name(std::optional<contract::Type> type);
// Characters of the value as JSON.
[[nodiscard]] std::size_t json_size(const Value& value);

}  // namespace candor::exec
