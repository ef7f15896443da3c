// Statements one after the other on one connection, and the commit whose outcome has to be known.
#include "engine/postgres/transaction.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/postgres/errors.h"
#include "engine/postgres/parameters.h"
#include "engine/postgres/rows.h"
#include "engine/postgres/tokens.h"

namespace candor::engine::postgres {
namespace {

constexpr auto kBeginPatience = std::chrono::seconds(30);
constexpr auto kCommitPatience = std::chrono::seconds(60);
constexpr std::size_t kBatchRows = 1'024;
constexpr std::size_t kBatchBytes = std::size_t{128} << 10U;

// What the streams of a transaction and the transaction itself both see.
struct State {
  std::shared_ptr<Pool> pool;
  std::optional<Pool::Lease> lease;
  bool reading = false;                  // a stream is not at its end
  bool failed = false;                   // only rolling back is left
  std::optional<std::int64_t> limit_ms;  // the server's, as the last statement set it
};

struct Shape {
  StatementKind kind = StatementKind::kSelect;
  std::string target;
};

// The statement that the words outside of brackets make; of a WITH the one that follows it.
Shape shape_of(const std::vector<Token>& tokens) {
  constexpr std::pair<std::string_view, StatementKind> kKinds[] = {{"select", StatementKind::kSelect},
                                                                   {"values", StatementKind::kSelect},
                                                                   {"insert", StatementKind::kInsert},
                                                                   {"update", StatementKind::kUpdate},
                                                                   {"delete", StatementKind::kDelete}};
  Shape shape;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const auto* found = std::ranges::find_if(kKinds, [&](const auto& kind) { return is_word(tokens[i], kind.first); });
    if (tokens[i].depth > 0 || found == std::end(kKinds)) continue;
    shape.kind = found->second;
    if (!writes(shape.kind)) return shape;
    // INSERT INTO, DELETE FROM, UPDATE; ONLY before the name.
    for (++i; i < tokens.size(); ++i) {
      if (!is_word(tokens[i], "into") && !is_word(tokens[i], "from") && !is_word(tokens[i], "only")) break;
    }
    for (; i < tokens.size() && is_name(tokens[i]); i += 2) {
      shape.target = name_of(tokens[i]);
      if (i + 1 >= tokens.size() || !is_mark(tokens[i + 1], ".")) break;
    }
    return shape;
  }
  return shape;
}

class TransactionStream final : public RowStream {
 public:
  TransactionStream(std::shared_ptr<State> state, std::unique_ptr<Watch> watch, const RunRequest& request, Shape shape)
      : state_(std::move(state)), watch_(std::move(watch)), request_(request) {
    header_.kind = shape.kind;
    header_.target = std::move(shape.target);
  }
  ~TransactionStream() override {
    if (!state_->reading || last_) return;
    state_->failed = true;
    state_->reading = false;
    connection().stop_running();
  }
  TransactionStream(const TransactionStream&) = delete;
  TransactionStream& operator=(const TransactionStream&) = delete;

  Status start() {
    CANDOR_ASSIGN(const Parameters parameters, parameters_of(request_.parameters));
    if (auto fault = limit_time()) return failed(*fault);
    if (auto fault = connection().begin_rows(request_.sql, parameters)) return failed(*fault);
    state_->reading = true;
    // The first answer has the columns, and of a write everything.
    Reply first = connection().next(*watch_);
    if (first.fault) return settled(*first.fault);
    first_ = std::move(first.result);
    return describe();
  }

  const Header& header() const override { return header_; }

  Item next() override {
    if (last_) return *last_;
    RowBatch batch;
    while (!done_ && batch.rows < kBatchRows && batch.cells.size() < kBatchBytes) {
      Status taken = take(batch);
      if (!taken.ok()) return finish(std::move(taken).error());
    }
    if (batch.rows > 0) return batch;
    return finish(end());
  }

 private:
  [[nodiscard]] Connection& connection() const { return **state_->lease; }

  // The server's own limit is for the case that nobody is left to stop the statement; the watch stops it to the millisecond.
  // So long ones are told in whole seconds, and not anew for each statement: that would be a round trip of its own.
  std::optional<Fault> limit_time() {
    constexpr std::int64_t kLongMs = 10'000;
    const std::int64_t left = watch_->left_ms();
    const std::int64_t step = left < kLongMs ? 1 : 1'000;
    const std::int64_t limit = (left + step - 1) / step * step;
    if (state_->limit_ms == limit) return std::nullopt;
    Reply set = connection().run("SET LOCAL statement_timeout = " + std::to_string(limit), *watch_);
    if (set.fault) return std::move(set.fault);
    state_->limit_ms = limit;
    return std::nullopt;
  }

  Diagnostic failed(const Fault& fault) {
    state_->failed = true;
    const Sent sent{request_.sql, 0, 0, writes(header_.kind), {}, request_.lane == Lane::kContract};
    return statement_error(fault, state_->pool->source(), sent);
  }

  Diagnostic settled(const Fault& fault) {
    if (!fault.lost) connection().settle(*watch_);
    state_->reading = false;
    return failed(fault);
  }

  // Types that are not known yet can't be asked for while rows come: those of the result are read to its end then.
  Status describe() {
    const PGresult* result = first_.get();
    if (result == nullptr || libpq().PQnfields(result) == 0) return Ok{};
    auto known = state_->pool->types().known(result);
    if (!known) {
      CANDOR_TRY(hold_all());
      auto asked = state_->pool->types().of(first_.get(), connection(), state_->pool->source(), *watch_);
      if (!asked.ok()) return asked.error();
      known = *std::move(asked);
    }
    CANDOR_ASSIGN(auto columns, columns_of(first_.get(), *known, false));
    writer_.emplace(request_, std::move(columns), *std::move(known));
    header_.columns = writer_->columns();
    return Ok{};
  }

  Status hold_all() {
    while (true) {
      Reply reply = connection().next(*watch_);
      if (reply.fault) return settled(*reply.fault);
      if (reply.result == nullptr) break;
      held_.push_back(std::move(reply.result));
    }
    all_held_ = true;
    return Ok{};
  }

  Status take(RowBatch& batch) {
    PgResult result = std::move(first_);
    if (result == nullptr && next_held_ < held_.size()) result = std::move(held_[next_held_++]);
    if (result == nullptr && !all_held_) {
      Reply reply = connection().next(*watch_);
      if (reply.fault) return settled(*reply.fault);
      result = std::move(reply.result);
    }
    if (result == nullptr) {
      done_ = true;
      return Ok{};
    }
    tag_ = libpq().PQcmdTuples(result.get());
    const int rows = writer_ ? libpq().PQntuples(result.get()) : 0;
    seen_ += static_cast<std::uint64_t>(rows);
    for (int row = 0; row < rows && !writer_->full(); ++row) CANDOR_TRY(writer_->append(result.get(), row, batch));
    return Ok{};
  }

  Item end() {
    End end;
    if (writer_) {
      end.rows = writer_->rows();
      end.rows_total = seen_;
      end.cut_by_chars = writer_->cut_by_chars() && seen_ > end.rows;
    }
    if (writes(header_.kind)) {
      std::uint64_t affected = 0;
      if (std::from_chars(tag_.data(), tag_.data() + tag_.size(), affected).ec != std::errc()) {
        state_->failed = true;
        return make_error("internal", "the server does not say how many rows the statement changed");
      }
      end.affected = affected;
    }
    return end;
  }

  Item finish(Item last) {
    last_ = std::move(last);
    // A row that could not be read leaves others behind it.
    if (std::holds_alternative<Diagnostic>(*last_)) {
      state_->failed = true;
      if (!done_) connection().stop_running();
    }
    state_->reading = false;
    return *last_;
  }

  const std::shared_ptr<State> state_;
  const std::unique_ptr<Watch> watch_;
  const RunRequest request_;
  Header header_;
  std::optional<RowWriter> writer_;
  PgResult first_;
  std::vector<PgResult> held_;
  std::size_t next_held_ = 0;
  bool all_held_ = false;
  std::string tag_;
  std::uint64_t seen_ = 0;
  bool done_ = false;
  std::optional<Item> last_;
};

class PostgresTransaction final : public Transaction {
 public:
  explicit PostgresTransaction(std::shared_ptr<State> state) : state_(std::move(state)) {}
  ~PostgresTransaction() override {
    if (!state_->lease) return;
    if (state_->reading) {
      (*state_->lease)->stop_running();
    } else {
      roll_back(**state_->lease);
    }
    state_->lease.reset();
  }
  PostgresTransaction(const PostgresTransaction&) = delete;
  PostgresTransaction& operator=(const PostgresTransaction&) = delete;

  Result<std::unique_ptr<RowStream>> run(const RunRequest& request, CancelToken cancel) override {
    CANDOR_TRY(usable());
    CANDOR_ASSIGN(const auto tokens, tokenize(request.sql));
    const auto deadline =
        Clock::now() + std::chrono::milliseconds(std::clamp<std::int64_t>(request.deadline_ms, 0, kDeadlineMaxMs));
    auto stream = std::make_unique<TransactionStream>(state_, std::make_unique<Watch>(std::move(cancel), deadline),
                                                      request, shape_of(tokens));
    CANDOR_TRY(stream->start());
    return std::unique_ptr<RowStream>(std::move(stream));
  }

  Status commit() override {
    CANDOR_TRY(usable());
    const Watch watch({}, Clock::now() + kCommitPatience);
    Reply reply = (*state_->lease)->run("COMMIT", watch);
    const bool kept = !reply.fault && std::string_view(libpq().PQcmdStatus(reply.result.get())) == "COMMIT";
    state_->lease.reset();
    if (kept) return Ok{};
    if (!reply.fault) return make_error("concurrent-change", "the server rolled the transaction back");
    if (reply.fault->lost) {
      return make_error("write-unknown", "the connection ended during the commit, which may have taken effect",
                        "read the rows before you repeat the write", reply.fault->message);
    }
    return own_error(*reply.fault, state_->pool->source());
  }

 private:
  static constexpr std::int64_t kDeadlineMaxMs = std::int64_t{1000} * 60 * 60 * 24;

  Status usable() const {
    if (!state_->lease) return make_error("internal", "the transaction has ended");
    if (state_->reading) return make_error("internal", "the rows of the statement before were not read to their end");
    if (state_->failed) return make_error("internal", "the transaction has failed and can only be rolled back");
    return Ok{};
  }

  std::shared_ptr<State> state_;
};

}  // namespace

Result<std::unique_ptr<Transaction>> begin_transaction(std::shared_ptr<Pool> pool, std::int64_t wait_ms,
                                                       const CancelToken& cancel) {
  const Watch watch(cancel, Clock::now() + kBeginPatience);
  auto state = std::make_shared<State>();
  CANDOR_ASSIGN(auto lease, pool->begin(Access::kWrite, wait_ms, watch));
  state->lease.emplace(std::move(lease));
  state->pool = std::move(pool);
  return std::unique_ptr<Transaction>(std::make_unique<PostgresTransaction>(std::move(state)));
}

}  // namespace candor::engine::postgres
