// Opening, lending and taking back connections; how a transaction begins and ends.
#include "engine/postgres/pool.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "engine/postgres/errors.h"
#include "engine/postgres/privileges.h"

namespace candor::engine::postgres {
namespace {

constexpr std::size_t kIdleMax = 2;
constexpr auto kRollbackPatience = std::chrono::seconds(2);
// A reader that holds its rows back keeps the server from clearing up; this long after the deadline it is cut off.
constexpr std::int64_t kIdleGraceMs = 60'000;

std::string begin_text(Access access, bool contract, std::int64_t lock_ms, std::int64_t deadline_ms) {
  constexpr std::int64_t kMost = 2'147'483'647;
  const std::string idle_ms = std::to_string(std::min(deadline_ms + kIdleGraceMs, kMost));
  return std::string("BEGIN ISOLATION LEVEL REPEATABLE READ ") +
         (access == Access::kRead ? "READ ONLY;" : "READ WRITE;") +
         "SET LOCAL statement_timeout = " + std::to_string(deadline_ms) +
         ";SET LOCAL lock_timeout = " + std::to_string(std::clamp<std::int64_t>(lock_ms, 1, kMost)) +
         ";SET LOCAL idle_in_transaction_session_timeout = " + idle_ms +
         // How values are read and printed.
         ";SET LOCAL TimeZone = 'UTC';SET LOCAL DateStyle = 'ISO, YMD';SET LOCAL IntervalStyle = 'postgres'"
         ";SET LOCAL bytea_output = 'hex';SET LOCAL extra_float_digits = 3;SET LOCAL lc_monetary = 'C'"
         // How texts are read: the lexer here and the server's must agree.
         ";SET LOCAL standard_conforming_strings = on;SET LOCAL transform_null_equals = off"
         // An operator or function that somebody puts into another schema must not stand in for the server's own: it could
         // call every row one of the scope.
         + std::string(contract ? ";SET LOCAL search_path = pg_catalog, pg_temp" : "") +
         // Plans for all rows, not for the first ones; scans from the start of a table, so that two runs give one order.
         ";SET LOCAL cursor_tuple_fraction = 1;SET LOCAL synchronize_seqscans = off";
}

// Lengths and cases of texts are those of code points, which other encodings don't have.
Status check_encoding(Connection& connection, const SourceSpec& source, const Watch& watch) {
  const Reply reply = connection.run(
      "SELECT pg_catalog.current_setting('server_encoding'), EXISTS (SELECT 1 FROM pg_catalog.pg_collation"
      " WHERE collname = 'C.utf8' AND collencoding IN (-1, pg_catalog.pg_char_to_encoding('UTF8')))",
      watch);
  if (reply.fault) return own_error(*reply.fault, source);
  const std::string encoding = libpq().PQgetvalue(reply.result.get(), 0, 0);
  if (encoding != "UTF8") {
    return make_error("configuration",
                      "source " + source.name + ": the database's encoding is " + encoding +
                          ", and a contract publishes texts of UTF8 alone",
                      "publish it without a contract, or copy it into a database made with ENCODING 'UTF8'");
  }
  if (std::string_view(libpq().PQgetvalue(reply.result.get(), 0, 1)) == "t") return Ok{};
  return make_error(
      "configuration", "source " + source.name + ": the server has no collation \"C.utf8\", by which texts are folded",
      "SELECT pg_import_system_collations('pg_catalog'), on a server whose system has the locale C.UTF-8");
}

}  // namespace

void roll_back(Connection& connection) {
  const Watch watch({}, Clock::now() + kRollbackPatience);
  (void)connection.run("ROLLBACK", watch);
}

Result<std::unique_ptr<Connection>> Pool::open(const Watch& watch) {
  CANDOR_ASSIGN(auto connection, Connection::open(source_, watch));
  Reply reply = connection->run("SET default_transaction_read_only = on", watch);
  if (reply.fault) return own_error(*reply.fault, source_);
  if (contract_) {
    CANDOR_TRY(check_encoding(*connection, source_, watch));
  } else {
    CANDOR_TRY(check_role(*connection, source_, watch));
  }
  return connection;
}

Result<Pool::Lease> Pool::begin(Access access, std::int64_t lock_ms, const Watch& watch) {
  while (true) {
    std::unique_ptr<Connection> connection;
    {
      const std::lock_guard lock(mutex_);
      if (!idle_.empty()) {
        connection = std::move(idle_.back());
        idle_.pop_back();
      }
    }
    const bool used = connection != nullptr;
    if (!used) {
      CANDOR_ASSIGN(connection, open(watch));
    }
    Reply reply = connection->run(begin_text(access, contract_, lock_ms, watch.left_ms()), watch);
    if (!reply.fault) return Lease(shared_from_this(), std::move(connection));
    // The server may have closed an idle one; nothing was run on it.
    const bool again = used && reply.fault->lost && reply.fault->stopped == Stop::kNone;
    if (!again) return own_error(*reply.fault, source_);
  }
}

void Pool::give_back(std::unique_ptr<Connection> connection) {
  if (!connection->reusable()) return;
  const std::lock_guard lock(mutex_);
  if (idle_.size() < kIdleMax) idle_.push_back(std::move(connection));
}

}  // namespace candor::engine::postgres
