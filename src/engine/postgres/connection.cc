// libpq without a blocking call: every wait is a poll() on the socket and on the watch.
#include "engine/postgres/connection.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <poll.h>
#include <string_view>
#include <thread>
#include <utility>

namespace candor::engine::postgres {
namespace {

using std::chrono::milliseconds;

// The server has the same deadline and mostly says so itself, which leaves the connection usable.
constexpr milliseconds kServerLead{100};
// How long after it was asked to stop a server may take to say that it did.
constexpr milliseconds kStopPatience{500};

std::string field(const Libpq& pq, const PGresult* result, int code) {
  const char* text = pq.PQresultErrorField(result, code);
  return text == nullptr ? std::string() : std::string(text);
}

int milliseconds_until(Clock::time_point when) {
  const auto left = std::chrono::ceil<milliseconds>(when - Clock::now()).count();
  return static_cast<int>(std::clamp<std::int64_t>(left, 0, 60'000));
}

// PQcancel connects, which can take as long as the network likes.
void cancel_in_background(const Libpq& pq, PGconn* connection) {
  PGcancel* cancel = pq.PQgetCancel(connection);
  if (cancel == nullptr) return;
  std::thread([&pq, cancel] {
    std::array<char, 256> said{};
    (void)pq.PQcancel(cancel, said.data(), static_cast<int>(said.size()));
    pq.PQfreeCancel(cancel);
  }).detach();
}

Diagnostic not_open(const SourceSpec& source, const Fault& fault, bool needs_password) {
  if (fault.stopped == Stop::kCancelled) return make_error("cancelled", "the statement was cancelled");
  std::string hint = "check the URL, and that the server runs and takes connections from here";
  if (needs_password) hint = "give the password in PGPASSWORD or a passfile (~/.pgpass)";
  return make_error("source-error", "source " + source.name + ": can't connect: " + fault.message, std::move(hint));
}

}  // namespace

// ---- opening and closing ----

Result<std::unique_ptr<Connection>> Connection::open(const SourceSpec& source, const Watch& watch) {
  CANDOR_ASSIGN(const Target target, target_of(source));
  std::vector<const char*> keywords;
  std::vector<const char*> values;
  for (const auto& [keyword, value] : target.parameters) {
    keywords.push_back(keyword.c_str());
    values.push_back(value.c_str());
  }
  keywords.push_back(nullptr);
  values.push_back(nullptr);
  PGconn* started = libpq().PQconnectStartParams(keywords.data(), values.data(), 0);
  if (started == nullptr) return make_error("engine-error", "the engine ran out of memory", "narrow the statement");
  std::unique_ptr<Connection> made(new Connection(started, target.secrets));
  const auto patience = Clock::now() + std::chrono::seconds(target.connect_seconds);
  if (auto fault = made->connect(watch, std::min(watch.stop_at(), patience))) {
    return not_open(source, *fault, libpq().PQconnectionNeedsPassword(started) != 0);
  }
  libpq().PQsetNoticeProcessor(started, [](void*, const char*) {}, nullptr);
  (void)libpq().PQsetnonblocking(started, 1);
  return made;
}

std::optional<Fault> Connection::connect(const Watch& watch, Clock::time_point until) {
  PostgresPollingStatusType state = PGRES_POLLING_WRITING;
  while (state != PGRES_POLLING_OK) {
    if (state == PGRES_POLLING_FAILED || pq_.PQstatus(connection_) == CONNECTION_BAD) return lost_fault(Stop::kNone);
    pollfd socket{pq_.PQsocket(connection_), static_cast<short>(state == PGRES_POLLING_WRITING ? POLLOUT : POLLIN), 0};
    (void)::poll(&socket, 1, std::min(milliseconds_until(until), 100));
    if (watch.stop() == Stop::kCancelled || Clock::now() >= until) {
      Fault fault = lost_fault(watch.stop());
      fault.message = "the server does not answer";
      return fault;
    }
    state = pq_.PQconnectPoll(connection_);
  }
  return std::nullopt;
}

Connection::~Connection() { pq_.PQfinish(connection_); }

bool Connection::reusable() const {
  return !broken_ && !stopping_ && pq_.PQstatus(connection_) == CONNECTION_OK &&
         pq_.PQtransactionStatus(connection_) == PQTRANS_IDLE;
}

void Connection::stop_running() {
  if (stopping_) return;
  stopping_ = true;
  gives_up_at_ = Clock::now() + kStopPatience;
  if (pq_.PQtransactionStatus(connection_) == PQTRANS_ACTIVE) cancel_in_background(pq_, connection_);
}

// ---- faults ----

Fault Connection::lost_fault(Stop stopped) const {
  Fault fault;
  fault.lost = true;
  fault.stopped = stopped;
  fault.message = told_safely(pq_.PQerrorMessage(connection_), secrets_);
  if (fault.message.empty()) fault.message = "the connection to the server is gone";
  return fault;
}

Fault Connection::fault_of(const PGresult* result) const {
  Fault fault;
  fault.state = field(pq_, result, PG_DIAG_SQLSTATE);
  fault.message = told_safely(field(pq_, result, PG_DIAG_MESSAGE_PRIMARY), secrets_);
  fault.hint = told_safely(field(pq_, result, PG_DIAG_MESSAGE_HINT), secrets_);
  fault.column = field(pq_, result, PG_DIAG_COLUMN_NAME);
  fault.constraint = field(pq_, result, PG_DIAG_CONSTRAINT_NAME);
  const std::string position = field(pq_, result, PG_DIAG_STATEMENT_POSITION);
  std::size_t number = 0;
  if (std::from_chars(position.data(), position.data() + position.size(), number).ec == std::errc()) {
    fault.position = number;
  }
  fault.stopped = asked_to_stop_;
  const std::string severity = field(pq_, result, PG_DIAG_SEVERITY_NONLOCALIZED);
  // Without a state libpq itself speaks: it can't read what came.
  fault.lost =
      fault.state.empty() || severity == "FATAL" || severity == "PANIC" || pq_.PQstatus(connection_) == CONNECTION_BAD;
  if (fault.message.empty()) fault.message = told_safely(pq_.PQresultErrorMessage(result), secrets_);
  return fault;
}

// ---- sending and waiting ----

std::optional<Fault> Connection::wait(bool for_writing, const Watch& watch) {
  const auto now = Clock::now();
  if (!stopping_) {
    const Stop stop = watch.stop();
    if (stop == Stop::kCancelled || (stop == Stop::kDeadline && now >= watch.stop_at() + kServerLead)) {
      asked_to_stop_ = stop;
      stop_running();
    }
  } else if (now >= gives_up_at_) {
    broken_ = true;
    return lost_fault(asked_to_stop_);
  }
  const auto until = stopping_ ? gives_up_at_ : watch.stop_at() + kServerLead;
  std::array<pollfd, 2> files{
      pollfd{pq_.PQsocket(connection_), static_cast<short>(for_writing ? POLLIN | POLLOUT : POLLIN), 0},
      pollfd{stopping_ ? -1 : watch.event(), POLLIN, 0}};
  // In slices: a clock that was set, or a token without an event, is seen then.
  (void)::poll(files.data(), files.size(), std::min(milliseconds_until(until), 1'000));
  const bool readable = (files[0].revents & (POLLIN | POLLHUP | POLLERR)) != 0;
  if (readable && pq_.PQconsumeInput(connection_) == 0) {
    broken_ = true;
    return lost_fault(asked_to_stop_);
  }
  return std::nullopt;
}

Reply Connection::next(const Watch& watch) {
  while (true) {
    const int flushed = pq_.PQflush(connection_);
    if (flushed < 0) {
      broken_ = true;
      return {nullptr, lost_fault(asked_to_stop_)};
    }
    if (flushed == 0 && pq_.PQisBusy(connection_) == 0) break;
    if (auto fault = wait(flushed == 1, watch)) return {nullptr, std::move(fault)};
  }
  PgResult result(pq_.PQgetResult(connection_));
  if (result == nullptr) return {};
  switch (pq_.PQresultStatus(result.get())) {
    case PGRES_COMMAND_OK:
    case PGRES_TUPLES_OK:
    case PGRES_SINGLE_TUPLE:
      return {std::move(result), std::nullopt};
    default:
      break;
  }
  Fault fault = fault_of(result.get());
  broken_ = broken_ || fault.lost;
  return {nullptr, std::move(fault)};
}

void Connection::settle(const Watch& watch) {
  while (true) {
    const Reply reply = next(watch);
    if (reply.fault ? reply.fault->lost : reply.result == nullptr) return;
  }
}

// Everything up to the end of the answer; the first fault wins.
Reply Connection::last(const Watch& watch) {
  Reply last;
  while (true) {
    Reply reply = next(watch);
    if (reply.fault) {
      if (!last.fault) last.fault = std::move(reply.fault);
      if (last.fault->lost) return {nullptr, std::move(last.fault)};
      continue;
    }
    if (reply.result == nullptr) {
      if (last.fault) last.result = nullptr;
      return last;
    }
    last.result = std::move(reply.result);
  }
}

Reply Connection::run(const std::string& sql, const Watch& watch) {
  if (pq_.PQsendQuery(connection_, sql.c_str()) != 1) return {nullptr, lost_fault(Stop::kNone)};
  return last(watch);
}

bool Connection::send(const std::string& sql, const Parameters& parameters) {
  std::vector<const char*> values;
  values.reserve(parameters.size());
  for (const auto& parameter : parameters) values.push_back(parameter ? parameter->c_str() : nullptr);
  return pq_.PQsendQueryParams(connection_, sql.c_str(), static_cast<int>(values.size()), nullptr, values.data(),
                               nullptr, nullptr, 0) == 1;
}

Reply Connection::ask(const std::string& sql, const Parameters& parameters, const Watch& watch) {
  if (!send(sql, parameters)) return {nullptr, lost_fault(Stop::kNone)};
  return last(watch);
}

Reply Connection::describe(const char* cursor, const Watch& watch) {
  if (pq_.PQsendDescribePortal(connection_, cursor) != 1) return {nullptr, lost_fault(Stop::kNone)};
  return last(watch);
}

std::optional<Fault> Connection::begin_rows(const std::string& sql, const Parameters& parameters) {
  if (!send(sql, parameters) || pq_.PQsetSingleRowMode(connection_) != 1) return lost_fault(Stop::kNone);
  return std::nullopt;
}

}  // namespace candor::engine::postgres
