// What an agent's statement may not do on a PostgreSQL source, by whatever spelling, and who may connect at all.
#include <gtest/gtest.h>
#include <string>

#include "engine/attacks.h"
#include "engine/postgres/postgres_engine.h"
#include "engine/postgres/statement.h"
#include "engine/postgres/tokens.h"
#include "support/postgres_app.h"

namespace candor::test {
namespace {

class PostgresRefusals : public PostgresTest {
 protected:
  // The refusal's code; what the agent's session can see must be as before.
  std::string refusal(const std::string& sql) {
    const Ran ran = ask(sql);
    EXPECT_EQ(rows("SELECT current_setting('work_mem'), count(*) FROM users"), before_) << sql;
    return ran.code();
  }
  void SetUp() override { before_ = rows("SELECT current_setting('work_mem'), count(*) FROM users"); }

  // With a role that could do it all: what is refused then is refused by the engine and not for want of a right.
  std::unique_ptr<engine::Engine> almighty() {
    engine::Policy policy = PostgresTest::policy("admin");
    policy.sources[0].unsafe_role = true;
    return open(policy);
  }

 private:
  std::string before_;
};

TEST_F(PostgresRefusals, EveryStatementThatIsNoQuery) {
  for (const char* sql :
       {"INSERT INTO users VALUES (9,'x')", "UPDATE users SET age = 1", "DELETE FROM users", "TRUNCATE users",
        "CREATE TABLE t (a int)", "CREATE TEMP TABLE t (a int)", "DROP TABLE users", "ALTER TABLE users ADD b int",
        "COPY users TO '/tmp/x'", "COPY (SELECT 1) TO PROGRAM 'id'", "COPY users FROM STDIN",
        "GRANT ALL ON users TO public", "MERGE INTO users USING adults a ON users.id = a.id WHEN MATCHED THEN DELETE",
        "VACUUM", "ANALYZE users", "REFRESH MATERIALIZED VIEW m", "COMMENT ON TABLE users IS 'x'",
        "REINDEX TABLE users"}) {
    EXPECT_EQ(refusal(sql), "read-only") << sql;
  }
  for (const char* sql : {"SET work_mem = '1GB'",
                          "RESET ALL",
                          "SET LOCAL statement_timeout TO DEFAULT",
                          "BEGIN",
                          "COMMIT",
                          "ROLLBACK",
                          "ABORT",
                          "END",
                          "SAVEPOINT a",
                          "PREPARE p AS SELECT 1",
                          "EXECUTE p",
                          "DEALLOCATE ALL",
                          "DO $$BEGIN END$$",
                          "CALL nothing()",
                          "LISTEN x",
                          "NOTIFY x",
                          "LOCK TABLE users",
                          "DISCARD ALL",
                          "DECLARE c CURSOR FOR SELECT 1",
                          "FETCH ALL FROM candor_rows",
                          "MOVE candor_rows",
                          "CLOSE ALL",
                          "SHOW work_mem",
                          "LOAD 'x'",
                          "CHECKPOINT",
                          "SET SESSION AUTHORIZATION admin",
                          "SET TRANSACTION READ WRITE",
                          "PREPARE TRANSACTION 'x'",
                          "EXPLAIN EXECUTE p",
                          "EXPLAIN DECLARE c CURSOR FOR SELECT 1"}) {
    EXPECT_EQ(refusal(sql), "statement-not-allowed") << sql;
  }
  EXPECT_EQ(refusal("SELECT 1; DELETE FROM users"), "several-statements");
  EXPECT_EQ(refusal("COMMIT; DELETE FROM users"), "several-statements");
  EXPECT_EQ(refusal("SELECT $a$;$a$; SET work_mem = '1GB'"), "several-statements");
  EXPECT_EQ(refusal(""), "syntax");
  EXPECT_EQ(refusal(" ; /* nothing */ ;"), "syntax");
  EXPECT_EQ(refusal(std::string("SELECT 1\0", 9)), "invalid-text");
  EXPECT_EQ(refusal("SELECT '\xff'"), "invalid-text");
}

TEST_F(PostgresRefusals, QueriesThatWrite) {
  for (const char* sql :
       {"WITH x AS (DELETE FROM users RETURNING *) SELECT * FROM x",
        "WITH x AS (INSERT INTO users VALUES (9,'x') RETURNING *) SELECT * FROM x",
        "WITH x AS (SELECT 1) UPDATE users SET age = 1", "WITH x AS (SELECT 1) INSERT INTO users SELECT 9, 'x'"}) {
    EXPECT_EQ(refusal(sql), "read-only") << sql;
  }
  for (const char* sql :
       {"SELECT 1 AS a INTO t", "SELECT * INTO TEMP t FROM users", "SELECT * FROM users FOR UPDATE",
        "SELECT * FROM users FOR SHARE", "SELECT * FROM (SELECT * FROM users FOR NO KEY UPDATE) AS x"}) {
    EXPECT_NE(refusal(sql), "") << sql;
  }
}

constexpr const char* kReachingOut[] = {"SELECT set_config('work_mem', '1GB', false)",
                                        "SELECT pg_catalog.set_config('work_mem', '1GB', false)",
                                        "SELECT \"set_config\"('work_mem', '1GB', false)",
                                        "SELECT SET_CONFIG ('work_mem', '1GB', false)",
                                        "SELECT set_config/* */\n('work_mem', '1GB', false)",
                                        "SELECT app.set_config('work_mem', '1GB', false)",
                                        "SELECT app.pg_catalog.set_config('work_mem', '1GB', false)",
                                        "SELECT * FROM set_config('work_mem', '1GB', false)",
                                        "SELECT * FROM ROWS FROM (set_config('work_mem', '1GB', false)) AS x",
                                        "SELECT 1 FROM users ORDER BY set_config('work_mem', '1GB', false)",
                                        "WITH a AS (SELECT set_config('work_mem', '1GB', false)) SELECT * FROM a",
                                        "VALUES (set_config('work_mem', '1GB', false))",
                                        "EXPLAIN SELECT set_config('work_mem', '1GB', false)",
                                        "SELECT pg_read_file('/etc/passwd')",
                                        "SELECT pg_read_binary_file('/etc/passwd')",
                                        "SELECT pg_ls_dir('/')",
                                        "SELECT pg_stat_file('/etc/passwd')",
                                        "SELECT lo_import('/etc/passwd')",
                                        "SELECT lo_export(1, '/tmp/x')",
                                        "SELECT lo_create(0)",
                                        "SELECT lo_from_bytea(0, 'x')",
                                        "SELECT lo_get(1)",
                                        "SELECT lo_unlink(1)",
                                        "SELECT pg_terminate_backend(1)",
                                        "SELECT pg_cancel_backend(1)",
                                        "SELECT pg_reload_conf()",
                                        "SELECT pg_rotate_logfile()",
                                        "SELECT pg_advisory_lock(1)",
                                        "SELECT pg_notify('a', 'b')",
                                        "SELECT pg_export_snapshot()",
                                        "SELECT pg_switch_wal()",
                                        "SELECT nextval('s')",
                                        "SELECT setval('s', 1)",
                                        "SELECT currval('s')",
                                        "SELECT lastval()",
                                        "SELECT setseed(0.5)",
                                        "SELECT query_to_xml('DELETE FROM users', true, true, '')",
                                        "SELECT cursor_to_xml('candor_rows', 1, true, true, '')",
                                        "SELECT ts_stat('SELECT 1')",
                                        "SELECT ts_rewrite('a'::tsquery, 'SELECT 1')",
                                        "SELECT pg_logical_emit_message(true, 'a', 'b')",
                                        "SELECT pg_stat_reset()",
                                        "SELECT pg_create_restore_point('x')",
                                        "SELECT pg_promote()",
                                        "SELECT txid_current(), nextval('x')",
                                        "SELECT pg_stat_get_activity(NULL)",
                                        "SELECT wipe()",
                                        "SELECT public.wipe()",
                                        "SELECT (u).wipe_row FROM users u",
                                        "SELECT u.wipe_row FROM users u",
                                        "SELECT u . \"wipe_row\" FROM users u",
                                        "SELECT 1 =## 2",
                                        "SELECT 1 OPERATOR(public.=##) 2"};

TEST_F(PostgresRefusals, FunctionsThatReachOutOfTheQuery) {
  server().run(
      "CREATE FUNCTION public.wipe() RETURNS int LANGUAGE sql AS 'DELETE FROM users; SELECT 1';"
      "CREATE FUNCTION public.wipe_row(u users) RETURNS int LANGUAGE sql AS 'SELECT 1';"
      "CREATE FUNCTION public.kind(u users) RETURNS text LANGUAGE sql STABLE AS 'SELECT u.name';"
      "CREATE FUNCTION public.fine(int) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT $1 + 1';"
      "CREATE FUNCTION public.sly(int, int) RETURNS int LANGUAGE sql AS 'SELECT 1';"
      "CREATE OPERATOR public.=## (FUNCTION = public.sly, LEFTARG = int, RIGHTARG = int)");
  const auto engine = almighty();
  ASSERT_NE(engine, nullptr);
  for (const char* sql : kReachingOut) {
    const Ran ran = run(*engine, sql);
    EXPECT_EQ(ran.code(), "statement-not-allowed") << sql << ": " << ran.all();
  }
  EXPECT_EQ(run(*engine, "SELECT u.kind, fine(1), u.name FROM users u WHERE id = 1").all(), R"(["Ann",2,"Ann"])");
  EXPECT_EQ(run(*engine, "SELECT count(*) FROM users").all(), "[3]");
  server().run(
      "DROP OPERATOR public.=## (int, int); DROP FUNCTION wipe(), wipe_row(users), kind(users), fine(int), sly(int, "
      "int)");
}

TEST_F(PostgresRefusals, TextsThatHideACall) {
  // What two lexers could read in two ways.
  for (const char* sql :
       {"SELECT E'a'\n'\\' || set_config('work_mem', '1GB', false) || '\\''", "SELECT 'a'\n'b'",
        "SELECT E'\\'' || set_config('work_mem', '1GB', false)",
        "SELECT U&'\\0061' || set_config('work_mem', '1GB', false)",
        "SELECT U&\"\\0073et_config\"('work_mem', '1GB', false)",
        "SELECT 1e'\\' || set_config('work_mem', '1GB', false) || '", "SELECT $1e'\\'",
        "SELECT /* /* */ */ set_config('work_mem', '1GB', false)",
        "SELECT $a$ $b$ $a$ || set_config('work_mem', '1GB', false)",
        "SELECT 1 -- \r, set_config('work_mem', '1GB', false)",
        "SELECT a$b$ FROM (SELECT 1) AS x(a$b$), set_config('work_mem', '1GB', false)", "SELECT 'unclosed",
        "SELECT /* unclosed", "SELECT \"unclosed", "SELECT $x$ unclosed", "SELECT 1 \x01 2"}) {
    const std::string code = refusal(sql);
    EXPECT_TRUE(code == "syntax" || code == "statement-not-allowed") << sql << ": " << code;
  }
  EXPECT_EQ(rows("SELECT 'set_config(', $$ nextval( $$, E'it\\'s', \"name\" FROM users WHERE id = 1 /* lo_get( */ -- "
                 "nextval("),
            R"(["set_config("," nextval( ","it's","Ann"])");
}

TEST_F(PostgresRefusals, HarmlessVolatileFunctionsStay) {
  EXPECT_EQ(rows("SELECT random() < 2, clock_timestamp() > now(), length(gen_random_uuid()::text), "
                 "pg_relation_size('users') > 0"),
            "[true,true,36,true]");
  EXPECT_EQ(ask("SELECT id FROM sales.orders TABLESAMPLE system (100)").error, std::nullopt);
}

TEST_F(PostgresRefusals, TheKnownAttacks) {
  const auto engine = almighty();
  ASSERT_NE(engine, nullptr);
  for (const engine::Attack& attack : engine::attacks()) {
    EXPECT_TRUE(run(*engine, std::string(attack.sql)).error.has_value()) << attack.name;
  }
  for (const engine::Attack& attack : engine::postgres_attacks()) {
    const Ran ran = run(*engine, std::string(attack.sql));
    EXPECT_TRUE(ran.code() == "statement-not-allowed" || ran.code() == "read-only" ||
                ran.code() == "several-statements" || ran.code() == "syntax" || ran.code() == "unknown-table")
        << attack.name << ": " << ran.all();
  }
}

// ---- roles ----

TEST_F(PostgresRefusals, RolesThatCanDoTooMuch) {
  server().run(
      "CREATE ROLE files LOGIN PASSWORD 'files-secret' IN ROLE pg_read_server_files;"
      "CREATE ROLE programs LOGIN PASSWORD 'programs-secret' NOINHERIT IN ROLE pg_execute_server_program;"
      "CREATE ROLE maker LOGIN PASSWORD 'maker-secret' CREATEROLE;"
      "CREATE ROLE passer LOGIN PASSWORD 'passer-secret' BYPASSRLS;"
      "CREATE ROLE copier LOGIN PASSWORD 'copier-secret' REPLICATION;"
      "CREATE ROLE deputy LOGIN PASSWORD 'deputy-secret' IN ROLE admin");
  const std::pair<const char*, const char*> roles[] = {
      {"admin", "the role admin can do too much: it is a superuser"},
      {"files", "it is a member of pg_read_server_files, which reads files of the server"},
      {"programs", "it is a member of pg_execute_server_program, which runs programs on the server"},
      {"maker", "it makes roles (CREATEROLE)"},
      {"passer", "it passes over row security (BYPASSRLS)"},
      {"copier", "it replicates (REPLICATION)"},
      {"deputy", "it is a member of admin, which is a superuser"}};
  for (const auto& [role, why] : roles) {
    engine::Policy policy = PostgresTest::policy(role);
    const auto opened = engine::postgres::open(policy);
    ASSERT_FALSE(opened.ok()) << role;
    EXPECT_EQ(opened.error().code, "unsafe-role");
    EXPECT_NE(opened.error().message.find(why), std::string::npos) << opened.error().message;
    EXPECT_NE(opened.error().hint.find("unsafe_role: true"), std::string::npos);
    policy.sources[0].unsafe_role = true;
    EXPECT_TRUE(engine::postgres::open(policy).ok()) << role;
  }
  const auto catalog = almighty()->catalog();
  ASSERT_TRUE(catalog.ok());
  ASSERT_FALSE(catalog->warnings.empty());
  EXPECT_NE(catalog->warnings.front().find("which unsafe_role takes on: it is a superuser"), std::string::npos);
}

TEST_F(PostgresRefusals, ARoleThatMayWriteIsWarnedOfAndStillCannot) {
  const auto engine = open(policy("writer"));
  ASSERT_NE(engine, nullptr);
  const auto catalog = engine->catalog();
  ASSERT_TRUE(catalog.ok());
  ASSERT_EQ(catalog->warnings.size(), 1U);
  EXPECT_NE(catalog->warnings.front().find("source app: the role writer may write to public.cards"), std::string::npos)
      << catalog->warnings.front();
  EXPECT_EQ(run(*engine, "WITH x AS (INSERT INTO cards VALUES (1, 'a') RETURNING *) SELECT * FROM x").code(),
            "read-only");
  EXPECT_FALSE(engine->begin(100, {}).ok());
}

// ---- what is read of a text ----

TEST(PostgresStatement, NamesThatMayBeCalled) {
  const auto called = [](const std::string& sql) {
    const auto read = engine::postgres::read_statement(sql, "app");
    if (!read.ok()) return read.error().code;
    std::string names;
    for (const auto& call : read->called) {
      names += (names.empty() ? "" : " ") + (call.schema.empty() ? "" : call.schema + ".") + call.name +
               (call.attribute ? "*" : "");
    }
    return names;
  };
  EXPECT_EQ(called("SELECT Lower(\"Up\"('x')), s.f(1), d.s.g (2), t.h, t.*, (t).i FROM k (1)"),
            "lower Up s.f s.g h* i* k");
  EXPECT_EQ(called("SELECT app.f(1)"), "f app.f");
  EXPECT_EQ(called("SELECT \"a\"\"b\"()"), "a\"b");
  EXPECT_EQ(called("SELECT " + std::string(70, 'f') + "()"), std::string(63, 'f'));
}

TEST(PostgresStatement, OperatorsEndWhereTheServerEndsThem) {
  const auto read = engine::postgres::read_statement("SELECT 1=-2, a||b, c@-d, e+/* */+f, g--h\n*i", "app");
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->operators, (std::vector<std::string>{"=", "-", "||", "@-", "+", "*"}));
}

}  // namespace
}  // namespace candor::test
