// Statements one after the other on one connection, and the commit whose outcome has to be known.
#include "engine/postgres/transaction.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/postgres/direct_rows.h"
#include "engine/postgres/errors.h"
#include "engine/postgres/tokens.h"

namespace candor::engine::postgres {
namespace {

constexpr auto kBeginPatience = std::chrono::seconds(30);
constexpr auto kCommitPatience = std::chrono::seconds(60);

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
      : state_(std::move(state)),
        watch_(std::move(watch)),
        request_(request),
        rows_(**state_->lease, *state_->pool, *watch_, request_) {
    header_.kind = shape.kind;
    header_.target = std::move(shape.target);
  }
  ~TransactionStream() override {
    if (!state_->reading || last_) return;
    state_->failed = true;
    state_->reading = false;
    if (rows_.open()) connection().stop_running();
  }
  TransactionStream(const TransactionStream&) = delete;
  TransactionStream& operator=(const TransactionStream&) = delete;

  Status start() {
    if (auto fault = limit_time()) return failed(*fault);
    state_->reading = true;
    if (auto started = rows_.start(request_.sql, 0, writes(header_.kind)); !started.ok()) {
      (void)finish(started.error());
      return started;
    }
    header_.columns = rows_.columns();
    return Ok{};
  }

  const Header& header() const override { return header_; }

  Item next() override {
    if (last_) return *last_;
    auto batch = rows_.fill(true);
    if (!batch.ok()) return finish(std::move(batch).error());
    if (batch->rows > 0) return *std::move(batch);
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

  Item end() {
    End end = rows_.end();
    if (writes(header_.kind)) {
      const std::string& tag = rows_.tag();
      std::uint64_t affected = 0;
      if (std::from_chars(tag.data(), tag.data() + tag.size(), affected).ec != std::errc()) {
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
      if (rows_.open()) connection().stop_running();
    }
    state_->reading = false;
    return *last_;
  }

  const std::shared_ptr<State> state_;
  const std::unique_ptr<Watch> watch_;
  const RunRequest request_;
  Header header_;
  DirectRows rows_;
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
