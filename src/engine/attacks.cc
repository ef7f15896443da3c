// The list of attacks. One that is found in the wild is added here, and so is tested from then on.
#include "engine/attacks.h"

namespace candor::engine {
namespace {

constexpr std::string_view kReadsFile = "read a file of the system";
constexpr std::string_view kListsFiles = "list files of the system";
constexpr std::string_view kWritesFile = "write a file";
constexpr std::string_view kOpensDatabase = "open another database";
constexpr std::string_view kNetwork = "reach a network address";
constexpr std::string_view kLoadsCode = "load code into the engine";
constexpr std::string_view kSettings = "change how the engine works";
constexpr std::string_view kHides = "run a text that no check has seen";
constexpr std::string_view kSecrets = "keep or read secrets";
constexpr std::string_view kTransactions = "hold or end a transaction that is not the statement's own";
constexpr std::string_view kEnvironment = "read the process's environment";
constexpr std::string_view kLogs = "make the engine write a log, and every later statement fail";
constexpr std::string_view kWrites = "write in disguise";

constexpr Attack kAttacks[] = {
    // Reading files.
    {"read-text", "SELECT content FROM read_text('/etc/passwd')", kReadsFile},
    {"read-blob", "SELECT content FROM read_blob('/etc/passwd')", kReadsFile},
    {"read-csv", "SELECT * FROM read_csv('/etc/passwd')", kReadsFile},
    {"read-csv-auto", "SELECT * FROM read_csv_auto('/etc/passwd', header = false)", kReadsFile},
    {"read-csv-quoted", "SELECT * FROM \"read_csv\"('/etc/passwd')", kReadsFile},
    {"read-csv-qualified", "SELECT * FROM system.main.read_csv('/etc/passwd')", kReadsFile},
    {"read-csv-comment", "SELECT * FROM read_csv/* */('/etc/passwd')", kReadsFile},
    {"read-csv-case", "SELECT * FROM ReAd_CsV('/etc/passwd')", kReadsFile},
    {"read-json", "SELECT * FROM read_json('/etc/hostname')", kReadsFile},
    {"read-json-objects", "SELECT * FROM read_json_objects('/etc/hostname')", kReadsFile},
    {"read-ndjson", "SELECT * FROM read_ndjson('/etc/hostname')", kReadsFile},
    {"read-parquet", "SELECT * FROM read_parquet('/etc/passwd')", kReadsFile},
    {"read-duckdb", "SELECT * FROM read_duckdb('/etc/passwd')", kReadsFile},
    {"parquet-scan", "SELECT * FROM parquet_scan('/etc/passwd')", kReadsFile},
    {"parquet-metadata", "SELECT * FROM parquet_metadata('/etc/passwd')", kReadsFile},
    {"sniff-csv", "SELECT * FROM sniff_csv('/etc/passwd')", kReadsFile},
    {"replacement-scan", "FROM '/etc/passwd'", kReadsFile},
    {"replacement-scan-csv", "SELECT * FROM '/etc/passwd.csv'", kReadsFile},
    {"replacement-scan-quoted", "SELECT * FROM \"/etc/passwd.csv\"", kReadsFile},
    {"replacement-scan-escaped", "SELECT * FROM E'/etc/passwd\\x2ecsv'", kReadsFile},
    {"replacement-scan-dollar", "SELECT * FROM $$/etc/passwd.csv$$", kReadsFile},
    {"replacement-scan-nested", "SELECT (SELECT count(*) FROM '/etc/passwd.csv')", kReadsFile},
    {"describe-file", "DESCRIBE '/etc/passwd.csv'", kReadsFile},
    {"summarize-file", "SUMMARIZE '/etc/passwd.csv'", kReadsFile},
    {"explain-file", "EXPLAIN ANALYZE SELECT * FROM read_csv('/etc/passwd')", kReadsFile},
    {"create-from-file", "CREATE TABLE stolen AS SELECT * FROM read_text('/etc/passwd')", kReadsFile},
    {"view-on-file", "CREATE VIEW stolen AS SELECT * FROM read_text('/etc/passwd')", kReadsFile},
    {"macro-on-file", "CREATE MACRO stolen() AS TABLE SELECT * FROM read_text('/etc/passwd')", kReadsFile},
    {"insert-from-file", "INSERT INTO stolen SELECT * FROM read_text('/etc/passwd')", kReadsFile},
    {"glob", "SELECT * FROM glob('/etc/*')", kListsFiles},
    {"glob-home", "SELECT * FROM glob('~/*')", kListsFiles},
    {"read-glob", "SELECT * FROM read_text('/etc/*')", kListsFiles},
    {"proc-environ", "SELECT content FROM read_text('/proc/self/environ')", kEnvironment},
    {"getenv", "SELECT getenv('HOME')", kEnvironment},
    // Writing files.
    {"copy-to", "COPY (SELECT 1) TO 'candor-attack.csv'", kWritesFile},
    {"copy-to-parquet", "COPY (SELECT 1) TO 'candor-attack.parquet' (FORMAT parquet)", kWritesFile},
    {"copy-to-lower", "copy (select 1) to '/dev/null'", kWritesFile},
    {"copy-from", "COPY stolen FROM '/etc/passwd'", kReadsFile},
    {"copy-database", "COPY FROM DATABASE scratch TO system", kWrites},
    {"export", "EXPORT DATABASE 'candor-attack'", kWritesFile},
    {"import", "IMPORT DATABASE '/etc'", kReadsFile},
    // Other databases, code, the network.
    {"attach", "ATTACH 'candor-attack.duckdb' AS other", kOpensDatabase},
    {"attach-memory", "ATTACH ':memory:' AS other", kOpensDatabase},
    {"attach-comment", "/* a */ -- b\n ATTACH ':memory:' AS other", kOpensDatabase},
    {"attach-blank",
     "\xC2\xA0\xE2\x80\x83"
     "ATTACH ':memory:' AS other",
     kOpensDatabase},
    {"attach-byte-order-mark",
     "\xEF\xBB\xBF"
     "ATTACH ':memory:' AS other",
     kOpensDatabase},
    {"attach-sqlite", "ATTACH '/etc/passwd' AS other (TYPE sqlite)", kOpensDatabase},
    {"detach", "DETACH scratch", kSettings},
    {"use", "USE system", kSettings},
    {"install", "INSTALL httpfs", kLoadsCode},
    {"install-from", "FORCE INSTALL httpfs FROM 'http://127.0.0.1:9/'", kLoadsCode},
    {"load", "LOAD '/tmp/candor-attack.duckdb_extension'", kLoadsCode},
    {"update-extensions", "UPDATE EXTENSIONS", kLoadsCode},
    {"http", "SELECT * FROM read_csv('http://127.0.0.1:9/x.csv')", kNetwork},
    {"http-replacement", "FROM 'https://127.0.0.1:9/x.parquet'", kNetwork},
    {"s3", "SELECT * FROM read_parquet('s3://bucket/x.parquet')", kNetwork},
    // Settings.
    {"set", "SET memory_limit = '100GB'", kSettings},
    {"set-external-access", "SET enable_external_access = true", kSettings},
    {"set-global", "SET GLOBAL allowed_directories = ['/']", kSettings},
    {"set-session", "SET SESSION search_path = 'system.main'", kSettings},
    {"set-schema", "SET schema = 'system.main'", kSettings},
    {"set-variable", "SET VARIABLE x = 1", kSettings},
    {"reset", "RESET lock_configuration", kSettings},
    {"pragma", "PRAGMA enable_profiling", kSettings},
    {"pragma-setting", "PRAGMA memory_limit = '100GB'", kSettings},
    {"pragma-database-list", "PRAGMA database_list", kSettings},
    {"pragma-function", "SELECT * FROM enable_profiling()", kSettings},
    {"pragma-import", "SELECT * FROM import_database('/etc')", kReadsFile},
    {"peg-parser", "FROM enable_peg_parser()", kSettings},
    {"call-logging", "CALL enable_logging(storage = 'file', storage_path = 'candor-attack')", kLogs},
    {"from-logging", "FROM enable_logging(storage = 'file', storage_path = 'candor-attack')", kLogs},
    {"subquery-logging", "SELECT (SELECT count(*) FROM enable_logging(storage = 'file', storage_path = 'x'))", kLogs},
    {"macro-logging", "CREATE MACRO innocent() AS TABLE FROM enable_logging(storage = 'file')", kLogs},
    {"truncate-logs", "FROM truncate_duckdb_logs()", kLogs},
    {"checkpoint", "CHECKPOINT", kSettings},
    {"checkpoint-function", "FROM checkpoint()", kSettings},
    {"force-checkpoint", "FORCE CHECKPOINT", kSettings},
    {"vacuum", "VACUUM", kSettings},
    {"analyze", "ANALYZE", kSettings},
    {"call", "CALL pragma_version()", kSettings},
    // Hidden statements.
    {"query-file", "SELECT * FROM query('SELECT * FROM read_text(''/etc/passwd'')')", kHides},
    {"query-concat", "SELECT * FROM query('FROM ena' || 'ble_logging(storage = ''file'')')", kHides},
    {"query-quoted", "SELECT * FROM \"query\"('SELECT 1')", kHides},
    {"query-copy", "SELECT * FROM query('COPY (SELECT 1) TO ''x''')", kHides},
    {"query-table", "SELECT * FROM query_table('/etc/passwd.csv')", kHides},
    {"query-in-macro", "CREATE MACRO innocent(x) AS TABLE SELECT * FROM query(x)", kHides},
    {"serialized", "SELECT * FROM json_execute_serialized_sql(json_serialize_sql('SELECT 1'))", kHides},
    {"prepare", "PREPARE p AS SELECT 1", kHides},
    {"execute", "EXECUTE p", kHides},
    {"deallocate", "DEALLOCATE p", kHides},
    {"two-statements", "SELECT 1; ATTACH ':memory:' AS other", kHides},
    {"two-statements-comment", "SELECT 1 /* ; */ ; COPY (SELECT 1) TO 'x'", kHides},
    {"two-statements-dollar", "SELECT $a$;$a$; SET threads = 1", kHides},
    {"nested-comment", "/* /* */ SELECT 1 */ ATTACH ':memory:' AS other", kHides},
    {"bracketed", "(((ATTACH ':memory:' AS other)))", kHides},
    {"nothing", " /* nothing */ ; -- at all", kHides},
    // Secrets.
    {"create-secret", "CREATE SECRET s (TYPE http, BEARER_TOKEN 'x')", kSecrets},
    {"create-persistent-secret", "CREATE PERSISTENT SECRET s (TYPE http, BEARER_TOKEN 'x')", kSecrets},
    {"create-or-replace-secret", "CREATE OR REPLACE TEMPORARY SECRET s (TYPE http)", kSecrets},
    {"drop-secret", "DROP SECRET s", kSecrets},
    {"secrets", "SELECT * FROM duckdb_secrets(redact = false)", kSecrets},
    {"which-secret", "SELECT * FROM which_secret('s3://x', 's3')", kSecrets},
    // Transactions.
    {"begin", "BEGIN", kTransactions},
    {"start-transaction", "START TRANSACTION", kTransactions},
    {"commit", "COMMIT", kTransactions},
    {"rollback", "ROLLBACK", kTransactions},
    {"abort", "ABORT", kTransactions},
    // Writes that look like something else, and kinds that are not allowed.
    {"explain-analyze-insert", "EXPLAIN ANALYZE INSERT INTO stolen VALUES (1)", kWrites},
    {"explain-options-delete", "EXPLAIN (ANALYZE, FORMAT json) DELETE FROM stolen", kWrites},
    {"explain-with-insert", "EXPLAIN ANALYZE WITH a AS (SELECT 1) INSERT INTO stolen SELECT * FROM a", kWrites},
    {"explain-copy", "EXPLAIN ANALYZE COPY (SELECT 1) TO 'candor-attack.csv'", kWrites},
    {"explain-explain", "EXPLAIN EXPLAIN ANALYZE INSERT INTO stolen VALUES (1)", kWrites},
    {"explain-attach", "EXPLAIN ANALYZE ATTACH ':memory:' AS other", kWrites},
    {"modifying-cte", "WITH a AS (INSERT INTO stolen VALUES (1) RETURNING *) SELECT * FROM a", kWrites},
    {"merge", "MERGE INTO stolen USING (SELECT 1 AS a) AS s ON stolen.a = s.a WHEN MATCHED THEN DELETE", kWrites},
    {"with-merge", "WITH x AS (SELECT 1) MERGE INTO stolen USING x ON true WHEN MATCHED THEN DELETE", kWrites},
    {"truncate", "TRUNCATE stolen", kWrites},
    {"alter", "ALTER TABLE stolen ADD COLUMN b INTEGER", kWrites},
    {"comment", "COMMENT ON TABLE stolen IS 'x'", kWrites},
    {"create-schema", "CREATE SCHEMA s", kWrites},
    {"create-sequence", "CREATE SEQUENCE s", kWrites},
    {"nextval", "SELECT nextval('s')", kWrites},
    {"create-type", "CREATE TYPE t AS ENUM ('a')", kWrites},
    {"create-index", "CREATE INDEX i ON stolen (a)", kWrites},
    {"create-persistent-table", "CREATE PERSISTENT TABLE stolen (a INTEGER)", kWrites},
    {"drop-schema", "DROP SCHEMA main CASCADE", kWrites},
    {"drop-type", "DROP TYPE t", kWrites},
    {"system-table", "CREATE TABLE system.main.stolen (a INTEGER)", kWrites},
    {"system-macro", "CREATE OR REPLACE MACRO system.main.upper(x) AS x", kWrites},
    {"drop-system-function", "DROP MACRO system.main.upper", kWrites},
    {"select-into", "SELECT 1 AS a INTO stolen", kWrites},
};

constexpr std::string_view kOtherSessions = "reach into other sessions";

constexpr Attack kPostgresAttacks[] = {
    {"read-file", "SELECT pg_read_file('/etc/passwd')", kReadsFile},
    {"read-file-quoted", "SELECT \"pg_catalog\" . \"pg_read_file\" ('/etc/passwd')", kReadsFile},
    {"read-file-escaped", "SELECT U&\"pg_read\\005Ffile\"('/etc/passwd')", kReadsFile},
    {"read-file-as-table", "SELECT * FROM ROWS FROM (pg_read_file('/etc/passwd')) AS stolen", kReadsFile},
    {"read-binary-file", "SELECT pg_read_binary_file('/etc/passwd')", kReadsFile},
    {"large-object-import", "SELECT lo_import('/etc/passwd')", kReadsFile},
    {"copy-from-file", "COPY stolen FROM '/etc/passwd'", kReadsFile},
    {"list-folder", "SELECT pg_ls_dir('/')", kListsFiles},
    {"stat-file", "SELECT pg_stat_file('/etc/passwd')", kListsFiles},
    {"list-logs", "SELECT * FROM pg_ls_logdir()", kListsFiles},
    {"large-object-export", "SELECT lo_export(1, 'candor-attack')", kWritesFile},
    {"copy-to-file", "COPY (SELECT 1) TO 'candor-attack'", kWritesFile},
    {"copy-to-program", "COPY (SELECT 1) TO PROGRAM 'id'", kLoadsCode},
    {"load-library", "LOAD 'candor_attack'", kLoadsCode},
    {"do-block", "DO $$ BEGIN PERFORM 1; END $$", kHides},
    {"call-procedure", "CALL stolen()", kHides},
    {"query-to-xml", "SELECT query_to_xml('SELECT 1', true, true, '')", kHides},
    {"ts-stat", "SELECT * FROM ts_stat('SELECT 1')", kHides},
    {"text-over-lines", "SELECT E'a'\n'\\' || set_config('work_mem', '1GB', false) || '\\''", kHides},
    {"declare-cursor", "DECLARE stolen CURSOR WITH HOLD FOR SELECT 1", kHides},
    {"set-config", "SELECT set_config('statement_timeout', '0', false)", kSettings},
    {"set-config-in-explain", "EXPLAIN SELECT set_config('role', 'none', false)", kSettings},
    {"set-local", "SET LOCAL statement_timeout TO DEFAULT", kSettings},
    {"set-role", "SET ROLE none", kSettings},
    {"reset-all", "RESET ALL", kSettings},
    {"discard-all", "DISCARD ALL", kSettings},
    {"read-write", "SET TRANSACTION READ WRITE", kTransactions},
    {"commit-and-write", "COMMIT; CREATE TABLE stolen (a int)", kTransactions},
    {"prepare-transaction", "PREPARE TRANSACTION 'stolen'", kTransactions},
    {"advisory-lock", "SELECT pg_advisory_lock(1)", kTransactions},
    {"export-snapshot", "SELECT pg_export_snapshot()", kTransactions},
    {"create-large-object", "SELECT lo_create(0)", kWrites},
    {"advance-sequence", "SELECT nextval('stolen')", kWrites},
    {"explain-analyse-delete", "EXPLAIN ANALYSE DELETE FROM stolen", kWrites},
    {"data-modifying-cte", "WITH a AS (DELETE FROM stolen RETURNING *) SELECT * FROM a", kWrites},
    {"lock-table", "LOCK TABLE stolen", kWrites},
    {"notify", "SELECT pg_notify('stolen', 'x')", kOtherSessions},
    {"terminate", "SELECT pg_terminate_backend(1)", kOtherSessions},
    {"statements-of-others", "SELECT * FROM pg_stat_get_activity(NULL)", kOtherSessions},
};

}  // namespace

std::span<const Attack> attacks() { return kAttacks; }
std::span<const Attack> postgres_attacks() { return kPostgresAttacks; }

}  // namespace candor::engine
