"""What no statement may reach: files, other databases, extensions, settings, the network, and what only looks built in."""

import contextlib
import pathlib
import sqlite3
import sys

from cases import run_cases
from program import Mcp

SECRET = "the-secret-of-another-file"

# {file}: a readable file that is not published; {database}: an unpublished database; {out}: where nothing may appear.
DUCKDB = """
SELECT * FROM read_text('{file}')
SELECT * FROM read_blob('{file}')
SELECT * FROM read_csv('{file}')
SELECT * FROM '{file}'
SELECT * FROM read_json('{file}')
SELECT * FROM read_parquet('{out}.parquet')
SELECT * FROM glob('/etc/*')
SELECT * FROM sniff_csv('{file}')
SELECT * FROM parquet_metadata('{file}')
SELECT content FROM query('SELECT content FROM read_text(''{file}'')')
SELECT * FROM query_table('{file}')
WITH a AS (SELECT * FROM read_text('{file}')) SELECT * FROM a
SELECT (SELECT content FROM read_text('{file}'))
EXPLAIN ANALYZE SELECT * FROM read_text('{file}')
CREATE TABLE stolen AS SELECT * FROM read_text('{file}')
CREATE VIEW stolen AS SELECT * FROM read_text('{file}')
CREATE MACRO stolen() AS TABLE SELECT * FROM read_text('{file}')
COPY (SELECT 1) TO '{out}.csv'
COPY (SELECT 1) TO '{out}.parquet' (FORMAT parquet)
COPY t FROM '{file}'
EXPORT DATABASE '{out}'
IMPORT DATABASE '{out}'
ATTACH '{out}.duckdb'
ATTACH '{database}' AS other (READ_ONLY)
ATTACH ':memory:' AS other
ATTACH '{database}' AS other (TYPE sqlite)
DETACH shop
USE memory
USE shop
INSTALL httpfs
LOAD httpfs
LOAD '{out}.so'
FORCE INSTALL fts FROM community
UPDATE EXTENSIONS
SET enable_external_access = true
SET memory_limit = '100GB'
SET threads = 64
SET GLOBAL allowed_directories = ['/']
RESET enable_external_access
RESET GLOBAL memory_limit
SET VARIABLE a = 1
SET search_path = 'main'
SET SESSION lock_configuration = false
PRAGMA database_list
PRAGMA enable_logging
PRAGMA memory_limit = '1TB'
CALL enable_logging(storage = 'file', storage_path = '{out}.log')
CALL pragma_version()
CHECKPOINT
VACUUM
BEGIN
COMMIT
ROLLBACK
PREPARE p AS SELECT 1
EXECUTE p
CREATE SECRET s (TYPE s3, KEY_ID 'a', SECRET 'b')
SELECT * FROM 'https://example.com/x.csv'
SELECT * FROM read_csv('http://127.0.0.1:9/x.csv')
SELECT getenv('HOME')
INSERT INTO shop.t VALUES (2)
UPDATE shop.t SET a = 9
DELETE FROM shop.t
DROP TABLE shop.t
CREATE TABLE shop.u AS SELECT 1
CREATE SCHEMA shop.x
ALTER TABLE shop.t ADD COLUMN b INTEGER
TRUNCATE shop.t
MERGE INTO shop.t USING (SELECT 1 AS a) s ON t.a = s.a WHEN MATCHED THEN DELETE
CREATE INDEX i ON shop.t(a)
CREATE OR REPLACE TABLE shop.t AS SELECT 99 AS a
SELECT 1; COMMIT; DROP TABLE shop.t
""".strip().splitlines()

SQLITE = """
ATTACH '{database}' AS other
DETACH main
PRAGMA query_only = 0
PRAGMA journal_mode = WAL
PRAGMA writable_schema = 1
VACUUM
VACUUM INTO '{out}.db'
INSERT INTO t VALUES (2)
UPDATE t SET a = 9
DELETE FROM t
DROP TABLE t
CREATE TABLE u(a)
CREATE TEMP TABLE u(a)
CREATE VIEW v AS SELECT 1
ALTER TABLE t ADD COLUMN b
REINDEX
ANALYZE
BEGIN
COMMIT
SAVEPOINT s
SELECT load_extension('{out}.so')
SELECT readfile('{file}')
SELECT writefile('{out}.txt', 'x')
SELECT * FROM fsdir('/etc')
SELECT edit('x')
SELECT fts3_tokenizer('simple', x'00')
WITH a AS (SELECT 1) DELETE FROM t
SELECT 1; DELETE FROM t
REPLACE INTO t VALUES (1)
""".strip().splitlines()


def prepare(place):
    """(words for the sources, what to fill into the statements)."""
    secret = place.folder / "secret.txt"
    secret.write_text(SECRET + "\n")
    other = place.folder / "other.sqlite"
    published = place.work / "app.sqlite"
    for path in (other, published):
        with contextlib.closing(sqlite3.connect(path)) as database:
            database.execute("CREATE TABLE t(a INTEGER)")
            database.execute("INSERT INTO t VALUES (1)")
            database.commit()
    place.write("shop/t.csv", "a\n1\n")
    fill = {"file": str(secret), "database": str(other), "out": str(place.folder / "out" / "made")}
    (place.folder / "out").mkdir()
    return ("--source", f"shop={place.work / 'shop'}", "--source", f"app={published}"), fill


def snapshot(place):
    return {str(path): path.read_bytes() for path in place.folder.rglob("*")
            if path.is_file() and place.home not in path.parents}


def try_all(place, statements, ask, intact):
    words, fill = prepare(place)
    before = snapshot(place)
    mcp = Mcp(place, "--session", "s", *words)
    for text in statements:
        for tool in ("sql_query", "sql_execute"):
            sql = text.format(**fill)
            reply = ask(mcp, tool, sql)
            parts = (reply.document or {}).get("statements", [])
            refused = reply.code != 0 and (reply.document or {}).get("code") not in (None, "internal", "engine-died")
            if SECRET in reply.said or SECRET in str(reply.document):
                yield f"{sql}: the file was read"
            elif not refused:
                yield f"{tool} {sql}: must be refused: {reply.said[:200]} {parts[:1]}"
        reply = intact(mcp)
        if (reply.document or {}).get("rows") != [[1, 1]]:
            yield f"after {sql} the source has {reply.said}"
            break
    mcp.close()
    after = snapshot(place)
    for path in after.keys() | before.keys():
        if before.get(path) != after.get(path) and not path.endswith(("-shm", "-wal")):
            yield f"{path} was made, changed or removed"


def test_escapes_from_duckdb(place):
    yield from try_all(place, DUCKDB, lambda mcp, tool, sql: mcp.tool(tool, sql=sql),
                       lambda mcp: mcp.tool("sql_query", sql="SELECT count(*), max(a) FROM shop.t"))


def test_escapes_from_sqlite(place):
    def ask(mcp, tool, sql):
        # Writes to a source have no tool of their own: the same statement as a reading one.
        return mcp.tool("sql_query", sql=sql, source="app")
    yield from try_all(place, SQLITE, ask,
                       lambda mcp: mcp.tool("sql_query", sql="SELECT count(*), max(a) FROM t", source="app"))


def test_symbolic_links_lead_nowhere(place):
    words, fill = prepare(place)
    (place.work / "shop" / "link.csv").symlink_to(fill["file"])
    (place.work / "shop" / "folder").symlink_to("/etc")
    reply = place.run("schema", *words)
    if SECRET in reply.said or "passwd" in str(reply.document):
        yield f"a link out of the folder is published: {reply.said}"
    reply = place.run("sql", "SELECT * FROM shop.link", *words)
    if reply.code == 0:
        yield f"a link out of the folder is read: {reply.said}"


def test_reading_tools_do_not_write(place):
    mcp = Mcp(place, "--session", "s")
    for sql in ("CREATE TABLE x AS SELECT 1", "WITH a AS (SELECT 1) INSERT INTO y SELECT * FROM a", "DROP TABLE x"):
        reply = mcp.tool("sql_query", sql=sql)
        if reply.code == 0:
            yield f"sql_query runs {sql}"
    mcp.close()


def test_macros_that_shadow_change_no_count(place):
    """A session replaces what the review would use; the counts stay those of the data."""
    clinic = pathlib.Path(__file__).resolve().parent.parent / "turns" / "data" / "clinic.sql"
    mcp = Mcp(place, "--session", "s")
    mcp.tool("sql_execute", sql=clinic.read_text(encoding="utf-8"))
    for sql in ("CREATE MACRO count() AS 7", "CREATE MACRO duckdb_tables() AS TABLE SELECT 1",
                "CREATE MACRO exists(x) AS true", 'CREATE MACRO "="(a, b) AS true'):
        mcp.tool("sql_execute", sql=sql)
    sql = "SELECT p.site, sum(l.value) AS s FROM patients p JOIN labs l ON p.patient_id = l.patient_id GROUP BY p.site"
    mcp.tool("sql_query", sql=sql, turn_id="1")
    rows = [["Bergen", 202.79999999999998], ["Delft", 117.3], ["Fano", 272]]
    reply = mcp.tool("answer_commit", rows={"columns": ["site", "s"], "values": rows}, turn_id="1")
    counts = [side["matched"] for join in (reply.document or {}).get("evidence", {}).get("joins", [])
              for side in (join["left"], join["right"]) if side["table"] == "patients"]
    checks = (reply.document or {}).get("receipt", {}).get("checks", [])
    undetermined = any(check["verdict"] == "undetermined" for check in checks if check["check"] == "join-coverage")
    if counts != [23] and not undetermined:
        yield f"the counts are {counts}: {reply.said}"
    mcp.close()


def test_the_program_attacks_itself(place):
    words, _ = prepare(place)
    reply = place.run("doctor", "--attack", *words)
    if reply.code != 0:
        yield f"exit code {reply.code}: {reply.said}"


if __name__ == "__main__":
    sys.exit(run_cases(globals(), __file__))
