// A transaction's life around one statement.
#include "engine/postgres/direct_stream.h"

#include <utility>

namespace candor::engine::postgres {

DirectStream::DirectStream(Pool::Lease lease, std::shared_ptr<Pool> pool, std::unique_ptr<Watch> watch,
                           const RunRequest& request)
    : request_(request),
      pool_(std::move(pool)),
      watch_(std::move(watch)),
      lease_(std::move(lease)),
      rows_(**lease_, *pool_, *watch_, request_) {}

DirectStream::~DirectStream() { give_back(); }

Status DirectStream::start(const Statement& statement) {
  header_.kind = statement.kind;
  CANDOR_TRY(rows_.start(statement.body, statement.body_at, statement.changes_rows));
  header_.columns = rows_.columns();
  return Ok{};
}

RowStream::Item DirectStream::next() {
  if (last_) return *last_;
  auto batch = rows_.fill(false);
  if (!batch.ok()) return finish(std::move(batch).error());
  if (batch->rows > 0) return *std::move(batch);
  return finish(end());
}

RowStream::Item DirectStream::end() {
  if (const auto at_end = rows_.at_end(); !at_end.ok()) return at_end.error();
  return rows_.end();
}

RowStream::Item DirectStream::finish(Item last) {
  last_ = std::move(last);
  give_back();
  return *last_;
}

// What still runs is of no use to anybody any more.
void DirectStream::give_back() {
  if (!lease_) return;
  if (rows_.open()) {
    (*lease_)->stop_running();
  } else {
    roll_back(**lease_);
  }
  lease_.reset();
}

}  // namespace candor::engine::postgres
