"""What a contract costs: the same SQL by hand on each engine, and what programs do without one, fetch and filter.

By hand is the engine's own client with an open connection: sqlite3 of Python, DuckDB's library in this process, psql.
Candor is its MCP server, from the request's first byte to the answer's last.
"""

import ctypes
import itertools
import pathlib
import re
import sqlite3
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tests" / "e2e"))

from databases import ENGINES, close_all  # noqa: E402
from duckdb_in_process import Result, library  # noqa: E402
from figures import median, record  # noqa: E402
from servers import BIN, Server, folder  # noqa: E402

ROWS = 1_000_000
ROUNDS = 9
CONTRACT = """contract: bench
source: app
scope: {column: workspace, value: "${claim.workspace}"}
resources:
  events:
    table: %s
    key: id
    writes: [insert, update, delete]
    columns:
      id: integer
      kind: string
      label: string
      amount: integer
      made_at: datetime
"""
MANY = {
    "sqlite": "INSERT INTO %s WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d) SELECT i, 'A', "
              "'kind ' || (i * 7919 %% 50), 'label number ' || (i * 104729 %% 1000003), i * 31 %% 1000, "
              "strftime('%%Y-%%m-%%d %%H:%%M:%%S', 1700000000 + i * 13, 'unixepoch') FROM n",
    "duckdb": "INSERT INTO %s SELECT i, 'A', 'kind ' || (i * 7919 %% 50), 'label number ' || (i * 104729 %% 1000003), "
              "i * 31 %% 1000, make_timestamp((1700000000 + i * 13) * 1000000) FROM range(1, %d + 1) t(i)",
    "postgres": "INSERT INTO %s SELECT i, 'A', 'kind ' || (i * 7919 %% 50), 'label number ' || (i * 104729 %% 1000003), "
                "i * 31 %% 1000, to_timestamp(1700000000 + i * 13) AT TIME ZONE 'UTC' FROM generate_series(1, %d::bigint) i",
}
FILTERS = {  # for agents, and by hand
    "text and number": ("SELECT COUNT(*), SUM(amount) FROM events WHERE kind = 'kind 7' AND amount > 500",
                        "SELECT count(*), sum(amount) FROM events WHERE workspace = 'A' AND kind = 'kind 7' AND amount > 500"),
    "pattern": ("SELECT COUNT(*) FROM events WHERE label LIKE '%99%' AND NOT (amount < 100 OR amount > 900)",
                {"sqlite": "SELECT count(*) FROM events WHERE workspace = 'A' AND label GLOB '*99*' AND NOT (amount < 100 OR amount > 900)",
                 "": "SELECT count(*) FROM events WHERE workspace = 'A' AND label LIKE '%99%' AND NOT (amount < 100 OR amount > 900)"}),
    "rows": ("SELECT id, label, amount FROM events WHERE label LIKE 'label number 9%' ORDER BY amount DESC, id LIMIT 20",
             {"sqlite": "SELECT id, label, amount FROM events WHERE workspace = 'A' AND label GLOB 'label number 9*' ORDER BY amount DESC, id LIMIT 20",
              "": "SELECT id, label, amount FROM events WHERE workspace = 'A' AND label LIKE 'label number 9%' ORDER BY amount DESC, id LIMIT 20"}),
}
BATCH = 50


def script(engine, table, rows):
    time_type = "TEXT" if engine.name == "sqlite" else "TIMESTAMP"
    return (f"CREATE TABLE {table} (id INTEGER PRIMARY KEY, workspace TEXT NOT NULL, kind TEXT NOT NULL, label TEXT NOT NULL, "
            f"amount INTEGER NOT NULL, made_at {time_type} NOT NULL);" + MANY[engine.name] % (table, rows)
            + (f"; ANALYZE {table}" if engine.name != "duckdb" else "") + ";")


class Sqlite:
    def __init__(self, path):
        self.connection = sqlite3.connect(path, isolation_level=None)

    def ms(self, sql):
        began = time.perf_counter()
        for statement in sql.split(";"):
            self.rows = self.connection.execute(statement).fetchall()
        return (time.perf_counter() - began) * 1000

    def close(self):
        self.connection.close()


class Duckdb:
    def __init__(self, path):
        self.functions = library()
        self.database, self.connection = ctypes.c_void_p(), ctypes.c_void_p()
        until = time.perf_counter() + 10  # the server lets the file go a moment after its answer
        while self.functions.duckdb_open(str(path).encode(), ctypes.byref(self.database)):
            if time.perf_counter() > until:
                raise SystemExit(f"DuckDB can't open {path}")
            time.sleep(0.01)
        self.functions.duckdb_connect(self.database, ctypes.byref(self.connection))

    def ms(self, sql):
        result = Result()
        began = time.perf_counter()
        failed = self.functions.duckdb_query(self.connection, sql.encode(), ctypes.byref(result))
        spent = (time.perf_counter() - began) * 1000
        self.functions.duckdb_destroy_result(ctypes.byref(result))
        if failed:
            raise SystemExit(f"DuckDB refuses: {sql}")
        return spent

    def close(self):
        self.functions.duckdb_disconnect(ctypes.byref(self.connection))
        self.functions.duckdb_close(ctypes.byref(self.database))


class Postgres:
    """psql, which says how long a statement took; `ms` adds the statements up."""

    def __init__(self, url):
        self.process = subprocess.Popen(["psql", "-X", "-q", "-A", "-t", url], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.process.stdin.write("\\timing on\n")

    def ms(self, sql):
        self.process.stdin.write(f"{sql};\n\\echo done\n")
        self.process.stdin.flush()
        spent, self.rows = 0.0, []
        for line in iter(self.process.stdout.readline, "done\n"):
            found = re.match(r"Time: ([0-9.]+) ms", line)
            spent += float(found[1]) if found else 0.0
            if not found:
                self.rows.append(line)
        return spent

    def close(self):
        self.process.stdin.close()
        self.process.wait()


CLIENTS = {"sqlite": Sqlite, "duckdb": Duckdb, "postgres": Postgres}


class Place:
    def __init__(self, work):
        self.work = work


def candor(where, source, table="events"):
    file = where / f"{table}.yaml"
    file.write_text(CONTRACT % table, encoding="utf-8")
    return Server([BIN, "mcp", "--source", f"app={source}", "--contract", file, "--claim", "workspace=A", "--home",
                   where / f"home-{table}"], where).handshake()


def asked(server, tool, sql):
    spent = server.call(tool, sql=sql)
    document = server.document()
    if document.get("error"):
        raise SystemExit(f"refused: {sql}: {document}")
    return spent, document


def measure_filters(engine, where, source):
    for name, (ours, by_hand) in FILTERS.items():
        theirs = by_hand if isinstance(by_hand, str) else by_hand.get(engine.name, by_hand[""])
        # The answer to a LIMIT has the count of all that matches, which by hand is a statement of its own.
        limited = " LIMIT " in theirs
        counting = re.sub(r"SELECT .*? FROM", "SELECT count(*) FROM", theirs.split(" ORDER BY ")[0], count=1)
        # One after the other: DuckDB lets one process have the file.
        with candor(where, source) as server:
            asked(server, "sql_query", ours)
            spent = [asked(server, "sql_query", ours)[0] for _ in range(ROUNDS)]
        client = CLIENTS[engine.name](source)
        client.ms(theirs)
        alone = [client.ms(theirs) for _ in range(ROUNDS)]
        counted = [client.ms(theirs) + client.ms(counting) for _ in range(ROUNDS)] if limited else alone
        client.close()
        title = f"{engine.name}: filter of a million rows, {name}"
        if limited:
            print(f"{title}: {median(spent) / median(alone):.2f} of the statement alone, without its count")
        record(title + (" and their count" if limited else ""), median(spent), "ms",
               "the same SQL by hand" + (", and its count as a second statement" if limited else ""), median(counted),
               limit=1.05, judged="ratio")


def batches(round_, by_hand):
    """The statements of each kind of batch; no two rounds write the same rows, and ours are not those by hand."""
    scope = "workspace = 'A' AND " if by_hand else ""
    columns, values = ("id, workspace", "'A', ") if by_hand else ("id", "")
    first = (2 * round_ + (1 if by_hand else 0)) * BATCH
    return {
        "updates by key": [f"UPDATE events SET amount = amount + 1, kind = 'kind {round_}' WHERE {scope}id = {1 + (first + i) * 7 % ROWS}"
                           for i in range(BATCH)],
        "inserts": [f"INSERT INTO events ({columns}, kind, label, amount, made_at) "
                    f"VALUES ({ROWS + 1 + first + i}, {values}'new', 'label {i}', {i}, '2024-02-29T12:00:00')" for i in range(BATCH)],
        "deletes by key": [f"DELETE FROM events WHERE {scope}id = {ROWS - (first + i) * 5}" for i in range(BATCH)],
    }


def measure_batch(engine, where, source):
    """Ours and by hand by turns, so that a slow minute of the machine meets both; the median of the rounds' ratios."""
    numbers = {True: itertools.count(), False: itertools.count()}

    def ours(server, kind):
        return asked(server, "sql_execute", ";".join(batches(next(numbers[False]), False)[kind]))[0]

    def by_hand(client, kind):
        return client.ms("BEGIN;" + ";".join(batches(next(numbers[True]), True)[kind]) + ";COMMIT")

    def twice(run, who, kind):
        # The first of a turn meets what the other side left: caches that its writes made stale, files that it had open.
        run(who, kind)
        return run(who, kind)

    with candor(where, source) as server, HandClient(engine, source) as hand:
        for kind in batches(0, False):
            pairs = []
            for i in range(ROUNDS + 1):
                turns = [lambda: twice(ours, server, kind), lambda: hand.turn(lambda client: twice(by_hand, client, kind))]
                if i % 2:
                    alone, spent = turns[1](), turns[0]()
                else:
                    spent, alone = turns[0](), turns[1]()
                pairs.append((spent, alone))
            record_batch(engine, kind, pairs[1:])


def record_batch(engine, kind, pairs):
    ratio = median([spent / alone for spent, alone in pairs])
    spent = median([spent for spent, _ in pairs])
    # The figure's ratio is the median of ratios, not the ratio of medians.
    record(f"{engine.name}: {BATCH} {kind} in one batch", spent, "ms",
           f"the same by hand, in one transaction ({median([alone for _, alone in pairs]):.2f} ms), by turns",
           spent / ratio, limit=1.3, judged="ratio")


class HandClient:
    """By hand, for turns: DuckDB lets one process have the file, so that its client comes and goes."""

    def __init__(self, engine, source):
        self.make = lambda: CLIENTS[engine.name](source)
        self.comes_and_goes = engine.name == "duckdb"

    def __enter__(self):
        self.client = None if self.comes_and_goes else self.make()
        return self

    def turn(self, work):
        if not self.comes_and_goes:
            return work(self.client)
        client = self.make()
        try:
            return work(client)
        finally:
            client.close()

    def __exit__(self, *_):
        if self.client is not None:
            self.client.close()


def measure_fetching(engine, where, rows):
    """What a program does whose tool can only fetch: every row comes, and the program looks for those it wants."""
    table = f"events_{rows}"
    source = engine.make(Place(where), script(engine, table, rows))
    sql = "SELECT COUNT(*), SUM(amount) FROM events WHERE kind = 'kind 7' AND amount > 500"
    with candor(where, source, table) as server:
        document = asked(server, "sql_query", sql)[1]
        ours = median([asked(server, "sql_query", sql)[0] for _ in range(5)])
    wanted = document["rows"][0]
    connection = sqlite3.connect(source)
    spent = []
    for _ in range(3):
        began = time.perf_counter()
        hits = [row for row in connection.execute(f"SELECT * FROM {table}").fetchall() if row[2] == "kind 7" and row[4] > 500]
        spent.append((time.perf_counter() - began) * 1000)
        if [len(hits), sum(row[4] for row in hits)] != wanted:
            raise SystemExit(f"{wanted} is not what the rows say")
    connection.close()
    record(f"{engine.name}: an answer out of {rows:,} rows", ours, "ms", "fetched and filtered in the program", median(spent))


def main():
    """`contract_bench.py [ENGINE…] [batch]`: the engines named, or all; `batch` alone measures no more than the batches."""
    chosen = [word for word in sys.argv[1:] if word != "batch"]
    batches_alone = "batch" in sys.argv[1:]
    for engine in ENGINES:
        if chosen and engine.name not in chosen:
            continue
        with folder() as where:
            source = engine.make(Place(where), script(engine, "events", ROWS))
            if not batches_alone:
                measure_filters(engine, where, source)
            measure_batch(engine, where, source)
            if engine.name == "sqlite" and not batches_alone:
                for rows in (1_000, 100_000, 1_000_000):
                    measure_fetching(engine, where, rows)
    close_all()


if __name__ == "__main__":
    main()
