// The rows of one running statement, pulled chunk by chunk under the request's caps.
#pragma once

#include <memory>
#include <optional>

#include "engine/duckdb/connections.h"
#include "engine/duckdb/errors.h"
#include "engine/duckdb/handles.h"
#include "engine/duckdb/interrupter.h"
#include "engine/duckdb/values.h"
#include "engine/engine.h"

namespace candor::engine::duckdb {

// What a result needs to go on. The members are destroyed from the last to the first: the result before its connection
// goes back to the others.
struct Execution {
  std::shared_ptr<const void> held;  // what else must live as long
  Connection own;                    // of a contract's statement; a lease of the others
  Connections::Lease lease;
  Interrupter::Watch watch;
  QueryResult result;

  Execution() = default;
  Execution(Execution&&) noexcept = default;
  Execution& operator=(Execution&&) = delete;  // would give the connection back before its result is gone
  ~Execution() = default;
  void release() {
    result.reset();
    watch.end();
    lease.give_back();
    own.reset();
    held.reset();
  }
};

class ResultStream final : public RowStream {
 public:
  // `encoder` is absent for statements without a result: then the stream is at its end, with `affected`. `context` is
  // what errors are told with.
  ResultStream(const RunRequest& request, ErrorContext context, Header header, Execution execution,
               std::optional<ChunkEncoder> encoder, std::optional<std::uint64_t> affected);

  [[nodiscard]] const Header& header() const override { return header_; }
  [[nodiscard]] Item next() override;

 private:
  Item fetch();
  Item hand_over();
  Item count_rest();
  Item finish(bool counted);
  Item fail(Diagnostic why);
  [[nodiscard]] Diagnostic engine_error();

  RunRequest request_;    // without its parameters
  ErrorContext context_;  // without its text, which is the request's
  Header header_;
  Execution execution_;
  std::optional<ChunkEncoder> encoder_;
  End end_;
  Chunk chunk_;
  std::uint64_t chunk_rows_ = 0;   // of chunk_
  std::uint64_t chunk_taken_ = 0;  // of those, handed over
  std::uint64_t rows_seen_ = 0;    // in all chunks fetched
  std::uint64_t chars_ = 0;
  std::optional<Diagnostic> failure_;
  bool ended_ = false;
};

}  // namespace candor::engine::duckdb
