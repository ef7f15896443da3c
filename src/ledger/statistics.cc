// Adding up the records of calls, in SQL: a program that fetched a million rows would be slower and need the memory.
#include "ledger/statistics.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "ledger/bind.h"
#include "ledger/call_reader.h"

namespace candor::ledger {
namespace {

// The calls that the filter means: ?1 since, ?2 session, ?3 source.
#define CANDOR_CHOSEN                                                                                \
  "c.at_ms >= ?1 AND (?2 = '' OR c.turn IN (SELECT id FROM turns WHERE session = ?2)) AND (?3 = '' " \
  "OR c.source = ?3) "

class Reader {
 public:
  Reader(sqlite::Database& database, const StatisticsFilter& filter) : database_(database), filter_(filter) {}

  Result<Statistics> read() {
    CANDOR_TRY(totals());
    CANDOR_TRY(turns());
    CANDOR_TRY(codes());
    CANDOR_TRY(names(statistics_.absent_columns, true));
    CANDOR_TRY(names(statistics_.absent_resources, false));
    CANDOR_TRY(offers());
    CANDOR_TRY(read_as());
    CANDOR_TRY(commits());
    CANDOR_TRY(checks());
    return std::move(statistics_);
  }

 private:
  template <typename Take, typename... More>
  Status each_row(std::string_view sql, const Take& take, const More&... more) {
    CANDOR_ASSIGN(sqlite::Statement statement,
                  prepare(database_, sql, filter_.since_ms, filter_.session, filter_.source, more...));
    for (;;) {
      CANDOR_ASSIGN(const bool row, step(statement));
      if (!row) return Ok{};
      take(statement);
    }
  }

  static std::uint64_t number(const sqlite::Statement& row, int column) {
    return static_cast<std::uint64_t>(row.integer(column));
  }

  Status totals() {
    return each_row(
        "SELECT coalesce(sum(outcome = 0), 0), coalesce(sum(outcome = 1), 0), coalesce(sum(outcome = 2), 0), "
        "min(at_ms), max(at_ms) FROM calls c WHERE " CANDOR_CHOSEN,
        [&](const sqlite::Statement& row) {
          statistics_.accepted = number(row, 0);
          statistics_.failed = number(row, 1);
          statistics_.rejected = number(row, 2);
          if (row.is_null(3)) return;
          statistics_.first_call_ms = row.integer(3);
          statistics_.last_call_ms = row.integer(4);
        });
  }

  // Turns are counted by their number of calls first, so that the medians are found in a short list: of n turns the mean of
  // those at (n + 1) / 2 and n / 2 + 1. The calls of a period are found by time and sorted by turn; all calls stand in the
  // order of their turns already.
  Status turns() {
    const std::string turn = filter_.since_ms > 0 ? "+c.turn" : "c.turn";
    return each_row("WITH one AS (SELECT count(*) AS calls, max(outcome) = 2 AS met FROM calls c WHERE " CANDOR_CHOSEN
                    "GROUP BY " +
                        turn +
                        "), "
                        "sizes AS (SELECT met, calls, count(*) AS turns FROM one GROUP BY met, calls), "
                        "placed AS (SELECT *, sum(turns) OVER (PARTITION BY met ORDER BY calls) AS upto, "
                        "sum(turns) OVER (PARTITION BY met) AS n FROM sizes) "
                        "SELECT met, sum(turns), sum(calls * turns), (min(calls) FILTER (WHERE upto >= (n + 1) / 2) + "
                        "min(calls) FILTER (WHERE upto >= n / 2 + 1)) / 2.0 FROM placed GROUP BY met",
                    [&](const sqlite::Statement& row) {
                      Statistics::Turns& kind = row.integer(0) != 0 ? statistics_.met : statistics_.clean;
                      kind = {number(row, 1), number(row, 2), row.real(3)};
                    });
  }

  // Rejections are few beside calls: each finds its call, which CROSS JOIN keeps the planner to. One is never older than
  // its call.
  Status codes() {
    return each_row(
        "SELECT r.code, count(DISTINCT r.call) AS calls, count(DISTINCT c.turn), count(*), sum(r.fix_offered) "
        "FROM rejections r CROSS JOIN calls c ON c.id = r.call WHERE r.at_ms >= ?1 AND " CANDOR_CHOSEN
        "GROUP BY r.code ORDER BY calls DESC, r.code",
        [&](const sqlite::Statement& row) {
          statistics_.codes.push_back(
              {std::string(row.text(0)), number(row, 1), number(row, 2), number(row, 3), number(row, 4)});
        });
  }

  Status names(Statistics::Names& into, bool columns) {
    return each_row(
        "SELECT min(r.resource), min(r.\"column\"), count(DISTINCT r.call) AS calls, count(DISTINCT c.turn), count(*), "
        "sum(r.fix_offered), count(*) OVER () "
        "FROM rejections r CROSS JOIN calls c ON c.id = r.call WHERE r.at_ms >= ?1 AND " CANDOR_CHOSEN
        "AND (r.\"column\" <> '') = ?4 AND (r.\"column\" <> '' OR r.resource <> '') "
        "GROUP BY r.resource COLLATE NOCASE, r.\"column\" COLLATE NOCASE "
        "ORDER BY calls DESC, min(r.resource), min(r.\"column\") LIMIT ?5",
        [&](const sqlite::Statement& row) {
          into.list.push_back({std::string(row.text(0)), std::string(row.text(1)), number(row, 2), number(row, 3),
                               number(row, 4), number(row, 5)});
          into.total = number(row, 6);
        },
        columns, std::max<std::uint64_t>(filter_.list_max, 1));
  }

  Status offers() {
    return each_row(
        "SELECT count(*), coalesce(sum(o.taken_by > 0), 0), coalesce(sum(t.outcome = 0), 0) "
        "FROM offers o CROSS JOIN calls c ON c.id = o.call LEFT JOIN calls t ON t.id = o.taken_by "
        "WHERE o.at_ms >= ?1 AND " CANDOR_CHOSEN,
        [&](const sqlite::Statement& row) {
          statistics_.offered = number(row, 0);
          statistics_.taken = number(row, 1);
          statistics_.taken_accepted = number(row, 2);
        });
  }

  Status read_as() {
    return each_row(
        "SELECT r.kind, count(DISTINCT r.call) AS calls, count(*) FROM repairs r CROSS JOIN calls c ON c.id = r.call "
        "WHERE r.at_ms >= ?1 AND " CANDOR_CHOSEN "GROUP BY r.kind ORDER BY calls DESC, r.kind",
        [&](const sqlite::Statement& row) {
          statistics_.read_as.push_back({std::string(row.text(0)), number(row, 1), number(row, 2)});
        });
  }

// A commit belongs to no source; with a filter of one, those of turns that asked it are meant.
#define CANDOR_CHOSEN_COMMITS                                                                        \
  "m.at_ms >= ?1 AND (?2 = '' OR m.turn IN (SELECT id FROM turns WHERE session = ?2)) AND (?3 = '' " \
  "OR EXISTS (SELECT 1 FROM calls c WHERE c.turn = m.turn AND c.at_ms >= ?1 AND c.source = ?3)) "

  Status commits() {
    return each_row("SELECT m.state, count(*) FROM commits m WHERE " CANDOR_CHOSEN_COMMITS "GROUP BY m.state",
                    [&](const sqlite::Statement& row) {
                      const std::string_view state = row.text(0);
                      std::uint64_t& count = state == "committed"      ? statistics_.committed
                                             : state == "acknowledged" ? statistics_.acknowledged
                                             : state == "unresolved"   ? statistics_.unresolved
                                             : state == "held"         ? statistics_.held
                                                                       : statistics_.refused;
                      count += number(row, 1);
                    });
  }

  Status checks() {
    return each_row(
        "SELECT f.check_name, sum(m.state = 'held') AS held, sum(m.state = 'acknowledged') FROM commits m CROSS JOIN "
        "findings f ON f.commit_id = m.id WHERE " CANDOR_CHOSEN_COMMITS
        "GROUP BY f.check_name ORDER BY held DESC, f.check_name",
        [&](const sqlite::Statement& row) {
          statistics_.checks.push_back({std::string(row.text(0)), number(row, 1), number(row, 2)});
        });
  }

  sqlite::Database& database_;
  const StatisticsFilter& filter_;
  Statistics statistics_;
};

}  // namespace

Result<Statistics> read_statistics(sqlite::Database& database, const StatisticsFilter& filter) {
  CANDOR_TRY(execute(database, "BEGIN"));  // all numbers are of one moment
  Result<Statistics> statistics = Reader(database, filter).read();
  const Status ended = execute(database, "COMMIT");
  if (!ended.ok() && statistics.ok()) return ended.error();
  return statistics;
}

Status read_calls(sqlite::Database& database, const StatisticsFilter& filter,
                  const std::function<bool(const SentCall&)>& take) {
  CANDOR_ASSIGN(
      sqlite::Statement row,
      prepare(database,
              "SELECT q.call, q.id, q.session, q.turn, q.sql FROM queries q LEFT JOIN calls c ON c.id = "
              "q.call WHERE coalesce(c.at_ms, q.started_ms) >= ?1 AND (?2 = '' OR q.session = ?2) AND (?3 = '' OR "
              "coalesce(c.source, q.source) = ?3) AND q.kind <> 'materialize' ORDER BY q.call, q.id",
              filter.since_ms, filter.session, filter.source));
  SentCall call;
  std::int64_t number = 0;
  for (;;) {
    CANDOR_ASSIGN(const bool there, step(row));
    const std::int64_t next = there ? row.integer(0) : 0;
    // A query of a ledger's first version belongs to no call, and is one of its own.
    const bool same = there && next != 0 && next == number;
    if (!same && !call.query_id.empty() && !take(call)) return Ok{};
    if (!there) return Ok{};
    number = next;
    if (same) {
      call.sql += ";\n";
    } else {
      call = {"q" + std::to_string(row.integer(1)), {std::string(row.text(2)), std::string(row.text(3))}, ""};
    }
    call.sql += row.text(4);
  }
}

}  // namespace candor::ledger
