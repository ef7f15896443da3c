"""MCP on standard input and output: cold start, small and large results, memory at rest; beside an empty server, DuckDB
in-process, and another MCP server over the same SQLite file."""

import contextlib
import sqlite3
import subprocess
import time

from duckdb_in_process import DuckDB
from figures import median, record
from servers import BUILD, Server, candor, folder, memory_mb

STARTS, CALLS = 15, 400
WIDE = "limits: {result_chars: 4000000, rows_per_result: 1000}\n"
TABLE = ("CREATE TABLE wide AS SELECT i AS id, 'customer number ' || i AS name, i % 7 AS kind, i * 1.25 AS amount, "
         "'street of the ' || (i * 31) || 'th house' AS street, 'town ' || (i % 50) AS town, i * 7919 AS account, "
         "DATE '2024-01-01' + CAST(i % 300 AS INTEGER) AS since, i % 2 = 0 AS active, "
         "'a note of some length with the number ' || i AS note "
         "FROM range(1000) t(i)")


def empty(where, size=1):
    return Server([BUILD / "bench" / "empty_server", size], where)


def peer_command():
    """Another MCP server for SQLite, or None where it can't be had."""
    fetched = subprocess.run(["tools/fetch_bench_peers"], capture_output=True, text=True)
    if fetched.returncode != 0:
        print("skipped: mcp-sqlite:", fetched.stderr.strip().splitlines()[-1])
        return None
    root = fetched.stdout.strip()
    return ["node", f"{root}/node_modules/mcp-sqlite/mcp-sqlite-server.js"]


def start_ms(make, where):
    """From before the process is made to the list of tools."""
    times = []
    for _ in range(STARTS):
        with make(where) as server:
            server.handshake()
            server.ask("tools/list", {})
            times.append((time.perf_counter() - server.began) * 1000)
    return median(times)


def call_ms(server, tool, calls=CALLS, **arguments):
    for _ in range(20):
        server.call(tool, **arguments)
    return median([server.call(tool, **arguments) for _ in range(calls)])


def by_turns(ours, theirs):
    """Medians of both, one call of each after the other, so that both find caches and processors in the same state."""
    pairs = [(ours(), theirs()) for _ in range(CALLS + 20)][20:]
    return tuple(median(column) for column in zip(*pairs))


def make_sqlite(path):
    with contextlib.closing(sqlite3.connect(path)) as database, database:
        database.execute("CREATE TABLE wide(id INTEGER, name TEXT, kind INTEGER, amount REAL, street TEXT, town TEXT, "
                         "account INTEGER, since TEXT, active INTEGER, note TEXT)")
        database.executemany("INSERT INTO wide VALUES (?,?,?,?,?,?,?,?,?,?)", [
            (i, f"customer number {i}", i % 7, i * 1.25, f"street of the {i * 31}th house", f"town {i % 50}", i * 7919,
             f"2024-{1 + i % 12:02}-01", i % 2, f"a note of some length with the number {i}") for i in range(1000)])


def measure_starts(where, peer):
    ours = start_ms(candor, where)
    record("tools/list from a cold start", ours, "ms", "an empty C++ server", start_ms(empty, where), limit=15)
    if peer:
        record("tools/list from a cold start", ours, "ms", "mcp-sqlite",
               start_ms(lambda at: Server([*peer, at / "app.sqlite"], at), where))


def measure_scratch(where):
    duckdb = DuckDB()
    with candor(where).handshake() as server:
        server.call("sql_execute", sql=TABLE)
        one, engine = by_turns(lambda: server.call("sql_query", sql="SELECT 1"), lambda: duckdb.ms("SELECT 1"))
        record("SELECT 1, p50", one, "ms", "DuckDB in-process, by turns", engine, limit=0.15, judged="extra")
        record("SELECT 1, p50", one, "ms", "DuckDB in-process, back to back",
               median([duckdb.ms("SELECT 1") for _ in range(CALLS)]))
        duckdb.ms(TABLE)
        rows = call_ms(server, "sql_query", sql="SELECT * FROM wide")
        bytes_sent = len(server.answer)
        if server.document()["row_count"] != 1000:
            raise SystemExit("not all of the 1,000 rows were shown")
        record("1,000 × 10 rows, p50", rows, "ms", "DuckDB in-process, no JSON",
               median([duckdb.ms("SELECT * FROM wide") for _ in range(CALLS)]), limit=2.5)
        with empty(where, bytes_sent) as floor:
            record("1,000 × 10 rows, p50", rows, "ms", "an empty C++ server, as many bytes",
                   median([floor.call("x") for _ in range(CALLS)]))
        record("1,000 × 10 rows, bytes", bytes_sent / 1000, "kB", limit=170)


def measure_sqlite(where, peer):
    with candor(where, where / "app.sqlite").handshake() as server:
        ours = call_ms(server, "sql_query", sql="SELECT * FROM wide", source="app")
        our_bytes = len(server.answer) / 1000
        one = call_ms(server, "sql_query", sql="SELECT 1", source="app")
    with Server([*peer, where / "app.sqlite"], where).handshake() as server:
        record("SQLite: SELECT 1, p50", one, "ms", "mcp-sqlite", call_ms(server, "query", sql="SELECT 1 AS one"))
        theirs = call_ms(server, "query", sql="SELECT * FROM wide")
        record("SQLite: 1,000 × 10 rows, p50", ours, "ms", "mcp-sqlite", theirs)
        record("SQLite: 1,000 × 10 rows, bytes", our_bytes, "kB", "mcp-sqlite", len(server.answer) / 1000)


def resting(server, tool, **arguments):
    """(PSS, RSS) of the tree three seconds after a query: a worker gives back what it can after one or two without work."""
    server.handshake()
    server.call(tool, **arguments)
    time.sleep(3)
    return memory_mb(server.process.pid, "Pss"), memory_mb(server.process.pid, "Rss")


def measure_rest(where, peer):
    with candor(where) as server:
        pss, rss = resting(server, "sql_query", sql="SELECT 1")
    theirs = (None, None)
    if peer:
        with Server([*peer, where / "app.sqlite"], where) as server:
            theirs = resting(server, "query", sql="SELECT 1 AS one")
    against = "mcp-sqlite" if peer else ""
    record("at rest after one query, PSS of the tree", pss, "MB", against, theirs[0], limit=40)
    record("at rest after one query, RSS of the tree", rss, "MB", against, theirs[1], limit=40)
    if peer:
        with candor(where, where / "app.sqlite") as server:
            pss, rss = resting(server, "sql_query", sql="SELECT 1", source="app")
        record("SQLite: at rest after one query, RSS of the tree", rss, "MB", against, theirs[1])


def main():
    peer = peer_command()
    with folder(WIDE) as where:
        make_sqlite(where / "app.sqlite")
        measure_starts(where, peer)
        measure_scratch(where)
        if peer:
            measure_sqlite(where, peer)
        measure_rest(where, peer)


if __name__ == "__main__":
    main()
