// Roles by pg_roles, their memberships, and what they may write to.
#include "engine/postgres/privileges.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "engine/postgres/errors.h"

namespace candor::engine::postgres {
namespace {

// Every role that the session can act as, itself included, with a power that SQL can be used for.
constexpr std::string_view kPowers =
    "SELECT r.rolname, r.rolname IN (current_user, session_user), pg_catalog.concat_ws(', ',"
    " CASE WHEN r.rolsuper THEN 'is a superuser' END,"
    " CASE WHEN r.rolbypassrls THEN 'passes over row security (BYPASSRLS)' END,"
    " CASE WHEN r.rolcreaterole THEN 'makes roles (CREATEROLE)' END,"
    " CASE WHEN r.rolreplication THEN 'replicates (REPLICATION)' END,"
    " CASE r.rolname WHEN 'pg_read_server_files' THEN 'reads files of the server'"
    " WHEN 'pg_write_server_files' THEN 'writes files of the server'"
    " WHEN 'pg_execute_server_program' THEN 'runs programs on the server' END)"
    " FROM pg_catalog.pg_roles r WHERE (pg_catalog.pg_has_role(session_user, r.oid, 'MEMBER')"
    " OR pg_catalog.pg_has_role(current_user, r.oid, 'MEMBER'))"
    " AND (r.rolsuper OR r.rolbypassrls OR r.rolcreaterole OR r.rolreplication OR r.rolname IN"
    " ('pg_read_server_files', 'pg_write_server_files', 'pg_execute_server_program'))"
    " ORDER BY 2 DESC, r.rolsuper DESC, 1";

constexpr std::string_view kWritable =
    "SELECT current_user, n.nspname || '.' || c.relname FROM pg_catalog.pg_class c"
    " JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace"
    " WHERE c.relkind IN ('r', 'p', 'f', 'v') AND n.nspname NOT IN ('pg_catalog', 'information_schema')"
    " AND pg_catalog.has_schema_privilege(n.oid, 'USAGE')"
    " AND pg_catalog.has_table_privilege(c.oid, 'INSERT, UPDATE, DELETE, TRUNCATE') ORDER BY 2 LIMIT 4";

struct Powers {
  std::string role;   // the session's
  std::string texts;  // "is a superuser", "is a member of x, which runs programs on the server"
};

Result<Powers> powers_of(Connection& connection, const SourceSpec& source, const Watch& watch) {
  Powers powers;
  Reply role = connection.run("SELECT current_user", watch);
  if (role.fault) return own_error(*role.fault, source);
  powers.role = libpq().PQgetvalue(role.result.get(), 0, 0);
  Reply reply = connection.run(std::string(kPowers), watch);
  if (reply.fault) return own_error(*reply.fault, source);
  const PGresult* rows = reply.result.get();
  for (int row = 0; row < libpq().PQntuples(rows); ++row) {
    const std::string name = libpq().PQgetvalue(rows, row, 0);
    const bool own = std::string_view(libpq().PQgetvalue(rows, row, 1)) == "t";
    const std::string power = libpq().PQgetvalue(rows, row, 2);
    powers.texts += (powers.texts.empty() ? "" : "; ") + (own ? power : "is a member of " + name + ", which " + power);
    if (own && power.starts_with("is a superuser")) break;  // and so a member of every role
  }
  return powers;
}

}  // namespace

Status check_role(Connection& connection, const SourceSpec& source, const Watch& watch) {
  if (source.unsafe_role) return Ok{};
  CANDOR_ASSIGN(const Powers powers, powers_of(connection, source, watch));
  if (powers.texts.empty()) return Ok{};
  return make_error("unsafe-role",
                    "source " + source.name + ": the role " + powers.role + " can do too much: it " + powers.texts,
                    "CREATE ROLE agent_reader LOGIN; GRANT pg_read_all_data TO agent_reader; and connect as that role; "
                    "or take it on with unsafe_role: true beside the path in candor.yaml");
}

Result<std::string> role_warning(Connection& connection, const SourceSpec& source, bool contract, const Watch& watch) {
  const std::string begin = "source " + source.name + ": ";
  if (source.unsafe_role || contract) {
    CANDOR_ASSIGN(const Powers powers, powers_of(connection, source, watch));
    if (!powers.texts.empty()) {
      return begin + "the role " + powers.role + " can do " +
             (contract ? "more than a contract needs" : "too much, which unsafe_role takes on") + ": it " +
             powers.texts;
    }
  }
  if (contract) return std::string();  // whose writes are what it is for
  Reply reply = connection.run(std::string(kWritable), watch);
  if (reply.fault) return own_error(*reply.fault, source);
  const PGresult* rows = reply.result.get();
  const int tables = libpq().PQntuples(rows);
  if (tables == 0) return std::string();
  std::string names;
  for (int row = 0; row < std::min(tables, 3); ++row) {
    names += (row == 0 ? "" : ", ") + std::string(libpq().PQgetvalue(rows, row, 1));
  }
  return begin + "the role " + libpq().PQgetvalue(rows, 0, 0) + " may write to " + names + (tables > 3 ? ", …" : "") +
         "; Candor's own transactions read only, but a role that may only read is safer";
}

}  // namespace candor::engine::postgres
