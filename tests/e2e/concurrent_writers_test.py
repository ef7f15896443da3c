"""Two processes write through one contract at the same time, on each engine: no update is lost in silence, and no
statement changes more rows than it counted or than its limit allows.
"""

import concurrent.futures
import contextlib
import sys

from cases import run_cases
from databases import ENGINES, close_all
from program import Mcp

CONTRACT = """contract: work
source: app
limits: {rows_per_statement: 10}
resources:
  counters:
    table: counters
    key: id
    writes: [insert, update, delete]
    columns:
      id: integer
      state: string
      n: integer
"""
ROWS = 24
SCRIPT = ("CREATE TABLE counters (id INTEGER PRIMARY KEY, state TEXT NOT NULL, n INTEGER NOT NULL);"
          + "INSERT INTO counters VALUES " + ", ".join(f"({i}, 'free', 0)" for i in range(1, ROWS + 1)) + ";")
# What a writer may be told who came second: that he should try again, and why.
LOST = {"busy", "concurrent-change", "file-locked", "statement-timeout"}


class Writers:
    """Two servers, each with a home of its own, over one database."""

    def __init__(self, engine, place):
        self.engine, self.source = engine, engine.make(place, SCRIPT)
        file = place.write("work.yaml", CONTRACT)
        self.servers = []
        for name in ("one", "two"):
            place.home = place.folder / name
            self.servers.append(Mcp(place, "--source", f"app={self.source}", "--contract", file))

    def both(self, job):
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            return list(pool.map(job, self.servers))

    def number(self, sql):
        return int(self.engine.rows(self.source, sql)[0][0])

    def close(self):
        for server in self.servers:
            server.close()


def faults_of(name, replies):
    """Refusals that do not say that another writer was there."""
    for reply in replies:
        code = (reply.document or {}).get("code")
        if reply.code != 0 and code not in LOST:
            yield f"{name}: {reply.said}"


def test_no_update_is_lost(place):
    for engine in ENGINES:
        with contextlib.closing(Writers(engine, place)) as writers:
            update = "UPDATE counters SET n = n + 1 WHERE id = 1"
            replies = sum(writers.both(lambda server: [server.tool("sql_execute", sql=update) for _ in range(25)]), [])
            yield from faults_of(engine.name, replies)
            done = sum(reply.code == 0 for reply in replies)
            counted = writers.number("SELECT n FROM counters WHERE id = 1")
            if done != counted or not done:
                yield f"{engine.name}: {done} updates were reported as done, the counter says {counted}"


def test_what_was_counted_is_what_is_changed_and_within_the_limit(place):
    """One process frees rows, one takes those that are free; never more than ten at once."""
    for engine in ENGINES:
        with contextlib.closing(Writers(engine, place)) as writers:
            def job(server):
                first = server is writers.servers[0]
                sql = [f"UPDATE counters SET state = 'taken', n = n + 1 WHERE state = 'free' AND id <= {9 + i % 6}" if first else
                       f"UPDATE counters SET state = 'free', n = n + 1 WHERE state = 'taken' AND id > {i % 8}" for i in range(30)]
                return [server.tool("sql_execute", sql=one) for one in sql]
            replies = sum(writers.both(job), [])
            affected = [reply.document["affected_count"] for reply in replies if reply.code == 0]
            if max(affected, default=0) > 10:
                yield f"{engine.name}: a statement changed {max(affected)} rows"
            refused = [reply for reply in replies if reply.code != 0 and reply.document.get("code") != "too-many-rows"]
            yield from faults_of(engine.name, refused)
            counted = writers.number("SELECT SUM(n) FROM counters")
            if sum(affected) != counted or not counted:
                yield f"{engine.name}: {sum(affected)} rows were reported as changed, {counted} were"


def test_a_batch_is_seen_whole_or_not_at_all(place):
    """Batches move amounts between two rows: their sum is the same at every moment that a reader sees."""
    for engine in ENGINES:
        with contextlib.closing(Writers(engine, place)) as writers:
            batch = ("UPDATE counters SET n = n - 5 WHERE id = 1; UPDATE counters SET n = n + 5 WHERE id = 2;"
                     "UPDATE counters SET n = n + 0 WHERE id = 3")
            def job(server):
                if server is writers.servers[0]:
                    return [server.tool("sql_execute", sql=batch) for _ in range(20)]
                return [server.tool("sql_query", sql="SELECT SUM(n) FROM counters WHERE id <= 2") for _ in range(20)]
            wrote, read = writers.both(job)
            yield from faults_of(engine.name, wrote + read)
            sums = {reply.document["rows"][0][0] for reply in read if reply.code == 0}
            if sums - {0}:
                yield f"{engine.name}: a reader saw the sums {sums}"
            done = sum(reply.code == 0 for reply in wrote)
            if writers.number("SELECT n FROM counters WHERE id = 2") != 5 * done or not done:
                yield f"{engine.name}: {done} batches were reported as done"


def test_the_same_new_key_is_taken_once(place):
    for engine in ENGINES:
        with contextlib.closing(Writers(engine, place)) as writers:
            insert = "INSERT INTO counters (id, state, n) VALUES (%d, 'new', 1)"
            replies = sum(writers.both(lambda server: [server.tool("sql_execute", sql=insert % key) for key in range(100, 115)]), [])
            yield from faults_of(engine.name, [reply for reply in replies if (reply.document or {}).get("code") != "duplicate-key"])
            done = sum(reply.code == 0 for reply in replies)
            counted = writers.number("SELECT COUNT(*) FROM counters WHERE id >= 100")
            if done != counted or not done:
                yield f"{engine.name}: {done} inserts were reported as done, {counted} rows are there"


if __name__ == "__main__":
    try:
        sys.exit(run_cases(globals(), __file__))
    finally:
        close_all()
