// A contract's read, sent as it is: Candor printed the statement itself, so that nothing has to be kept from a cursor's grammar,
// and a cursor's plan would not be parallel.
#pragma once

#include <memory>
#include <optional>

#include "engine/engine.h"
#include "engine/postgres/direct_rows.h"
#include "engine/postgres/pool.h"
#include "engine/postgres/statement.h"
#include "engine/postgres/watch.h"

namespace candor::engine::postgres {

class DirectStream final : public RowStream {
 public:
  // Takes over a lease inside of a transaction that only reads.
  DirectStream(Pool::Lease lease, std::shared_ptr<Pool> pool, std::unique_ptr<Watch> watch, const RunRequest& request);
  ~DirectStream() override;
  DirectStream(const DirectStream&) = delete;
  DirectStream& operator=(const DirectStream&) = delete;

  [[nodiscard]] Status start(const Statement& statement);

  [[nodiscard]] const Header& header() const override { return header_; }
  [[nodiscard]] Item next() override;

 private:
  [[nodiscard]] Item end();
  Item finish(Item last);
  void give_back();

  const RunRequest request_;
  const std::shared_ptr<Pool> pool_;
  const std::unique_ptr<Watch> watch_;
  std::optional<Pool::Lease> lease_;
  DirectRows rows_;
  Header header_;
  std::optional<Item> last_;
};

}  // namespace candor::engine::postgres
