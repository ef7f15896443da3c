"""Answers that would be wrong in silence: data that moves between a query and its commit, macros that come and go, and a
scope that is said to be exact.

Each case compares with what is true by construction.
"""

import os
import sqlite3
import sys
import time

from cases import run_cases
from program import Mcp

JOIN = "SELECT count(*) AS n, sum(a.v) AS s FROM a JOIN b ON a.id = b.id"
SLOW_JOIN = "SELECT count(*) AS n, sum(a.v) AS s, max(sleep_ms(20)) AS x FROM a JOIN b ON a.id = b.id"


def verdict(reply, check="join-coverage"):
    """clean, finding, or the reason why it is undetermined."""
    document = reply.document or {}
    for result in document.get("findings", []) + document.get("receipt", {}).get("checks", []):
        if result["check"] == check:
            return result.get("reason") if result.get("verdict") == "undetermined" else result.get("verdict", "finding")
    return reply.said


def fill(mcp):
    for sql in ("CREATE OR REPLACE TABLE a AS SELECT i AS id, i * 3 AS v FROM range(100) t(i)",
                "CREATE OR REPLACE TABLE b AS SELECT i AS id FROM range(90) t(i)"):
        assert mcp.tool("sql_execute", sql=sql).code == 0


def shown(mcp, sql, **more):
    reply = mcp.tool("sql_query", sql=sql, **more)
    assert reply.code == 0, reply.said
    return reply.document


def commit(mcp, document):
    row = document["rows"][0]
    return mcp.tool("answer_commit", fields={f"f{i}": value for i, value in enumerate(row)})


def expect(what, got, wanted):
    return [] if got == wanted else [f"{what}: {got!r}, not {wanted!r}"]


def test_write_beside_a_running_query(place):
    mcp = Mcp(place)
    fill(mcp)
    slow = mcp.begin_tool("sql_query", sql=SLOW_JOIN)
    time.sleep(0.3)
    assert mcp.tool("sql_execute", sql="INSERT INTO a SELECT 1000 + i, 1 FROM range(800) t(i)").code == 0
    reply = mcp.reply_of(slow)
    assert reply.code == 0, reply.said
    document = reply.document
    yield from expect("verdict", verdict(commit(mcp, document)), "data-changed")
    mcp.close()


def test_same_answer_with_its_fields_in_another_order(place):
    mcp = Mcp(place)
    fill(mcp)
    assert mcp.tool("sql_execute", sql="CREATE TABLE few AS SELECT i * 7 AS id FROM range(90) t(i)").code == 0
    document = shown(mcp, "SELECT count(*) AS n, sum(a.v) AS s FROM a JOIN few ON a.id = few.id")
    n, s = document["rows"][0]
    more = {"query_id": document["query_id"], "turn_id": "t"}
    shown(mcp, "SELECT 1", turn_id="t")
    yield from expect("first", mcp.tool("answer_commit", fields={"n": n, "s": s}, **more).code, 7)
    again = mcp.tool("answer_commit", fields={"s": s, "n": n}, **more)
    yield from expect("again", (again.code, verdict(again)), (0, "finding"))
    mcp.close()


def test_materialize_over_a_table_that_was_read(place):
    database = sqlite3.connect(place.work / "app.sqlite")
    database.execute("CREATE TABLE other(id INTEGER)")
    database.executemany("INSERT INTO other VALUES (?)", [(i * 1000,) for i in range(500)])
    database.commit()
    mcp = Mcp(place, "--source", f"app={place.work}/app.sqlite")
    fill(mcp)
    document = shown(mcp, JOIN)
    reply = mcp.tool("materialize", sql="SELECT id FROM other", table="b", source="app", replace=True)
    assert reply.code == 0, reply.said
    yield from expect("verdict", verdict(commit(mcp, document)), "data-changed")
    mcp.close()


def test_macro_that_was_dropped_after_the_query(place):
    mcp = Mcp(place)
    fill(mcp)
    for macro, key in (("trim(x)", "trim(a.id::VARCHAR) = trim(b.id::VARCHAR)"), ('"+"(x, y)', "a.id = b.id WHERE a.id + 1 > -5")):
        assert mcp.tool("sql_execute", sql=f"CREATE MACRO {macro} AS 1").code == 0
        document = shown(mcp, f"SELECT count(*) AS n, sum(a.v) AS s FROM a JOIN b ON {key}")
        assert mcp.tool("sql_execute", sql=f"DROP MACRO {macro.split('(')[0]}").code == 0
        yield from expect(macro, verdict(commit(mcp, document)), "data-changed")
    mcp.close()


def test_macro_without_part_in_the_query_is_no_change(place):
    mcp = Mcp(place)
    fill(mcp)
    document = shown(mcp, JOIN)
    assert mcp.tool("sql_execute", sql="CREATE MACRO other(x) AS 1").code == 0
    yield from expect("verdict", verdict(commit(mcp, document)), "clean")
    mcp.close()


def test_macro_that_hides_a_join_is_not_called_clean(place):
    mcp = Mcp(place)
    fill(mcp)
    sql = "CREATE MACRO joined() AS (SELECT sum(a.v) FROM a JOIN b ON a.id = b.id * 10)"
    assert mcp.tool("sql_execute", sql=sql).code == 0
    yield from expect("macro", verdict(commit(mcp, shown(mcp, "SELECT joined() AS s"))), "user-function")
    plain = "SELECT sum(v) AS s, count(*) FILTER (WHERE NOT id IN (1, 2)) AS n, max(coalesce(nullif(v, 3), 0)) FROM a"
    yield from expect("no macro", verdict(commit(mcp, shown(mcp, plain))), "clean")
    mcp.close()


def test_source_that_is_not_published_at_the_commit(place):
    sqlite_sides(place, "delete").close()
    source = f"s={place.work}/s.sqlite"
    mcp = Mcp(place, "--source", source, "--session", "x")
    for sql in ("CREATE TABLE c AS SELECT i AS id, 0 AS v FROM range(500) t(i)",):
        assert mcp.tool("sql_execute", sql=sql).code == 0
    document = shown(mcp, JOIN)
    mcp.close()
    # Tables of the same names in the scratch database are others.
    mcp = Mcp(place, "--session", "x")
    for sql in ("CREATE TABLE a AS SELECT i AS id, 0 AS v FROM range(500) t(i)", "CREATE TABLE b AS SELECT 1 AS id"):
        assert mcp.tool("sql_execute", sql=sql, session="x").code == 0
    yield from expect("verdict", verdict(commit(mcp, document)), "unknown-source")
    mcp.close()


def test_check_of_names_that_are_not_there(place):
    sqlite_sides(place, "delete").close()
    write_sides(place, 1000)
    words = ("--source", f"s={place.work}/s.sqlite", "--source", f"d={place.work}/data")
    for sql, code in (("SELECT nosuch FROM d.a", "unknown-column"), ("SELECT nosuch FROM s.a", "unknown-column"),
                      ("SELECT 1 FROM d.nosuch", "unknown-table"), ("SELECT nosuch(id) FROM d.a", "unknown-function")):
        reply = place.run("check", sql, *words)
        yield from expect(sql, (reply.code, (reply.document or {}).get("code")), (1, code))
    for sql in ("SELECT id FROM d.a", "SELECT id FROM s.a"):
        yield from expect(sql, place.run("check", sql, *words).code, 0)


def test_rows_that_did_not_parse_are_not_forgotten(place):
    (place.work / "data").mkdir()
    write_csv(place.work / "data/ragged.csv", ["a,b", "1,2", "3", "4,5"])
    write_csv(place.work / "data/whole.csv", ["a", "1"])
    mcp = Mcp(place, "--source", f"d={place.work}/data")
    for sql in ("CREATE VIEW seen AS SELECT * FROM ragged", "CREATE TABLE copied AS SELECT * FROM seen",
                "CREATE TABLE filled(a BIGINT)", "INSERT INTO filled SELECT a FROM copied", "CREATE TABLE own AS SELECT 1 AS a",
                "CREATE MACRO counted() AS (SELECT count(*) FROM d.ragged)", "CREATE MACRO listed() AS TABLE SELECT * FROM ragged",
                "CREATE TABLE twice AS SELECT * FROM ragged", "CREATE OR REPLACE TABLE twice AS SELECT 1 AS a"):
        reply = mcp.tool("sql_execute", sql=sql)
        assert reply.code == 0, reply.said
    for sql, warned in (("SELECT count(*) FROM main.ragged", True), ("SELECT * FROM seen", True), ("SELECT * FROM copied", True),
                        ("SELECT max(a) FROM filled", True), ("SELECT counted()", True), ("SELECT * FROM listed()", True),
                        ("SELECT * FROM own", False), ("SELECT * FROM whole", False), ("SELECT * FROM twice", False),
                        ("SELECT max(a) FROM whole", False)):
        codes = [warning["code"] for warning in shown(mcp, sql)["warnings"]]
        yield from expect(sql, codes, ["rows-not-parsed"] if warned else [])
    mcp.close()


def write_csv(path, lines):
    """In place, as an export job does."""
    with open(path, "r+" if path.exists() else "w") as file:
        file.truncate(0)
        file.write("\n".join(lines) + "\n")


def write_sides(place, from_id, rows=90):
    (place.work / "data").mkdir(exist_ok=True)
    write_csv(place.work / "data/a.csv", ["id,v"] + [f"{1000 + i},{1000 + i * 3}" for i in range(100)])
    write_csv(place.work / "data/b.csv", ["id"] + [f"{from_id + i}" for i in range(rows)])


def test_file_rewritten_with_its_size_and_time(place):
    write_sides(place, 1000)
    mcp = Mcp(place, "--source", f"d={place.work}/data")
    before = shown(mcp, JOIN)
    path = place.work / "data/b.csv"
    times = path.stat()
    time.sleep(0.3)
    write_csv(path, ["id"] + [f"{3000 + i}" for i in range(90)])
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
    yield from expect("verdict", verdict(commit(mcp, before)), "data-changed")
    time.sleep(0.3)
    yield from expect("rows", shown(mcp, JOIN)["rows"], [[0, None]])
    mcp.close()


def test_file_changed_while_the_engine_is_busy(place):
    write_sides(place, 1000)
    mcp = Mcp(place, "--source", f"d={place.work}/data")
    shown(mcp, JOIN)
    slow = mcp.begin_tool("sql_query", sql="SELECT count(*) FROM range(100000000000) t(i) WHERE hash(i) % 7 = 3")
    time.sleep(0.5)
    write_sides(place, 1000, rows=20)
    time.sleep(0.3)
    document = shown(mcp, JOIN)
    mcp.tell("notifications/cancelled", requestId=slow.id)
    time.sleep(1)
    got = verdict(commit(mcp, document))
    wanted = "data-changed" if document["rows"][0][0] == 90 else "finding"
    yield from expect(f"verdict of {document['rows']}", got, wanted)
    mcp.close()


def sqlite_sides(place, journal):
    database = sqlite3.connect(place.work / "s.sqlite")
    database.execute(f"PRAGMA journal_mode = {journal}")
    database.execute("CREATE TABLE a(id INTEGER, v INTEGER)")
    database.execute("CREATE TABLE b(id INTEGER)")
    database.executemany("INSERT INTO a VALUES (?, ?)", [(i, i * 3) for i in range(100)])
    database.executemany("INSERT INTO b VALUES (?)", [(i,) for i in range(90)])
    database.commit()
    return database


def test_sqlite_changed_just_before_the_commit(place):
    database = sqlite_sides(place, "delete")
    mcp = Mcp(place, "--source", f"s={place.work}/s.sqlite")
    shown(mcp, JOIN)
    time.sleep(0.3)
    document = shown(mcp, JOIN)
    database.executemany("INSERT INTO a VALUES (?, 1)", [(1000 + i,) for i in range(800)])
    database.commit()
    yield from expect("verdict", verdict(commit(mcp, document)), "data-changed")
    mcp.close()


def test_reading_a_sqlite_database_with_a_log_changes_nothing(place):
    sqlite_sides(place, "wal").close()
    mcp = Mcp(place, "--source", f"s={place.work}/s.sqlite")
    document = shown(mcp, JOIN)
    time.sleep(0.3)
    yield from expect("verdict", verdict(commit(mcp, document)), "clean")
    mcp.close()


def test_ties_and_totals_are_exact_or_absent(place):
    database = sqlite3.connect(place.work / "s.sqlite")
    database.execute("CREATE TABLE st(id INTEGER, name TEXT COLLATE NOCASE, v)")
    for i in range(50):
        database.execute("INSERT INTO st VALUES (?, ?, ?)", (i, ["bob", "BOB", "Al", "al", "Zed"][i % 5], [1, 1.0, 2, "x"][i % 4]))
    database.commit()
    mcp = Mcp(place, "--source", f"s={place.work}/s.sqlite")
    for sql in ("CREATE TABLE t AS SELECT i AS id, i % 10 AS g FROM range(100) r(i)",
                "CREATE TABLE nc(name VARCHAR COLLATE NOCASE)",
                "INSERT INTO nc SELECT ['bob', 'BOB', 'Al', 'al', 'Zed'][1 + i % 5] FROM range(50) r(i)",
                "CREATE TABLE many AS SELECT 1 AS a FROM range(5000)",
                "CREATE TABLE spans AS SELECT unnest([INTERVAL '30 days', INTERVAL '1 month', INTERVAL '2 months']) AS i",
                "CREATE MACRO any_number() AS random()"):
        reply = mcp.tool("sql_execute", sql=sql)
        assert reply.code == 0, reply.said
    for sql, order, ties, total in (
            ("SELECT name FROM nc ORDER BY name LIMIT 3", "partial", 17, 50),
            ("SELECT name FROM st ORDER BY name DESC LIMIT 11", "partial", 19, 50),
            ("SELECT v FROM st ORDER BY v LIMIT 3", "partial", 23, 50),
            ("SELECT a FROM many ORDER BY a LIMIT 10", "partial", 4990, 5000),
            ("SELECT i FROM spans ORDER BY i LIMIT 1", "partial", 1, 3),
            ("SELECT g // 5 AS g FROM t ORDER BY t.g LIMIT 5", None, None, 100),
            ("SELECT t.g FROM t ORDER BY t.g LIMIT 5", "partial", 5, 100),
            ("SELECT * FROM t ORDER BY t.g DESC, id LIMIT 5", "total", None, 100),
            ("FROM t ORDER BY t.g LIMIT 3 OFFSET 4", "partial", 3, 100),
            ("SELECT g, count(*) FROM t GROUP BY g ORDER BY 2 DESC LIMIT 4", "partial", 6, 10),
            ("SELECT id FROM t ORDER BY id OFFSET 95", None, None, None),
            ("SELECT id FROM t ORDER BY id LIMIT 9223372036854775807 OFFSET 5", "total", None, 100),
            ("SELECT id FROM t WHERE random() < 0.5 LIMIT 5", "none", None, None),
            ("SELECT id FROM t WHERE any_number() < 0.5 LIMIT 5", "none", None, None),
            ("SELECT id FROM t USING SAMPLE 30 ROWS LIMIT 5", "none", None, None),
            ("SELECT id FROM st WHERE random() > 0 LIMIT 5", "none", None, None),
            ("SELECT id FROM t WHERE coalesce(nullif(id, 3), 0) > 0 LIMIT 5", "none", None, 98)):
        surface = shown(mcp, sql)["agent_surface"]
        yield from expect(sql, (surface.get("order"), surface.get("ties_at_border"), surface.get("universe_total")),
                          (order, ties, total))
        if total is None and not surface.get("universe_reason"):
            yield f"{sql}: no total and no reason"
    mcp.close()


if __name__ == "__main__":
    sys.exit(run_cases(globals(), __file__))
