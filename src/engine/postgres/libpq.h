// The functions of libpq, loaded when the first PostgreSQL source is opened: the library and the two dozen that it needs
// would cost every other worker a megabyte and some milliseconds (docs/decisions/0070-postgresql.md).
#pragma once

#include <memory>

#include <libpq-fe.h>

#include "base/result.h"

namespace candor::engine::postgres {

// Every function that is used, by its own name.
#define CANDOR_LIBPQ_FUNCTIONS(X) \
  X(PQcancel)                     \
  X(PQclear)                      \
  X(PQcmdStatus)                  \
  X(PQcmdTuples)                  \
  X(PQconndefaults)               \
  X(PQconnectPoll)                \
  X(PQconnectStartParams)         \
  X(PQconnectionNeedsPassword)    \
  X(PQconninfoFree)               \
  X(PQconninfoParse)              \
  X(PQconsumeInput)               \
  X(PQerrorMessage)               \
  X(PQfinish)                     \
  X(PQflush)                      \
  X(PQfmod)                       \
  X(PQfname)                      \
  X(PQfreeCancel)                 \
  X(PQfreemem)                    \
  X(PQftype)                      \
  X(PQgetCancel)                  \
  X(PQgetResult)                  \
  X(PQgetisnull)                  \
  X(PQgetlength)                  \
  X(PQgetvalue)                   \
  X(PQisBusy)                     \
  X(PQnfields)                    \
  X(PQntuples)                    \
  X(PQresultErrorField)           \
  X(PQresultErrorMessage)         \
  X(PQresultStatus)               \
  X(PQsendDescribePortal)         \
  X(PQsendQuery)                  \
  X(PQsendQueryParams)            \
  X(PQsetNoticeProcessor)         \
  X(PQsetSingleRowMode)           \
  X(PQsetnonblocking)             \
  X(PQsocket)                     \
  X(PQstatus)                     \
  X(PQtransactionStatus)

struct Libpq {
#define CANDOR_LIBPQ_MEMBER(name) decltype(&::name) name = nullptr;
  CANDOR_LIBPQ_FUNCTIONS(CANDOR_LIBPQ_MEMBER)
#undef CANDOR_LIBPQ_MEMBER
};

// Loads the library with the first call; it stays. Fails with `source-error` where the system has none.
[[nodiscard]] Result<const Libpq*> load_libpq();

// Requires that load_libpq() succeeded before.
[[nodiscard]] const Libpq& libpq();

struct ClearResult {
  void operator()(PGresult* result) const { libpq().PQclear(result); }
};
using PgResult = std::unique_ptr<PGresult, ClearResult>;

struct FreeOptions {
  void operator()(PQconninfoOption* options) const { libpq().PQconninfoFree(options); }
};
using PgOptions = std::unique_ptr<PQconninfoOption, FreeOptions>;

}  // namespace candor::engine::postgres
