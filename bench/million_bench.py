"""A result of a million rows: what the process tree takes, and when the first bytes leave."""

import os
import subprocess
import threading
import time

from figures import median, record
from servers import BIN, candor, folder, memory_mb

ROUNDS = 3
SQL = "SELECT i AS id, 'row number ' || i AS name, i * 0.5 AS half FROM range(1000000) t(i)"
RAISED = "limits: {rows_per_result: 1000000, result_chars: 1000000000, statement_seconds: 120}\n"


class Peak:
    """The largest sum of the tree's own high-water marks that was seen while it ran."""

    def __init__(self, process):
        self.process, self.mb, self.done = process, 0.0, False
        self.thread = threading.Thread(target=self.watch)
        self.thread.start()

    def watch(self):
        while not self.done:
            self.mb = max(self.mb, memory_mb(self.process, "VmHWM", "status"))
            time.sleep(0.02)

    def end(self):
        self.done = True
        self.thread.join()
        return self.mb


def stream(where):
    """One call of the command line: (first byte ms, whole ms, bytes, peak MB)."""
    began = time.perf_counter()
    process = subprocess.Popen([BIN, "sql", SQL, "--json", "--home", where / "home"], stdout=subprocess.PIPE, cwd=where)
    peak = Peak(process.pid)
    os.read(process.stdout.fileno(), 1)
    first = (time.perf_counter() - began) * 1000
    size = 1
    while block := os.read(process.stdout.fileno(), 1 << 20):
        size += len(block)
    whole = (time.perf_counter() - began) * 1000
    mb = peak.end()
    if process.wait() != 0 or size < 20_000_000:
        raise SystemExit(f"the million rows did not come: exit code {process.returncode}, {size} bytes")
    return first, whole, size, mb


def capped(where):
    """(ms, peak MB) of the same statement over MCP, where rows past the cap are counted and not sent."""
    with candor(where).handshake() as server:
        server.call("sql_query", sql="SELECT 1")
        peak = Peak(server.process.pid)
        spent = server.call("sql_query", sql=SQL)
        mb = peak.end()
        if server.document()["agent_surface"].get("universe_total") != 1_000_000:
            raise SystemExit(f"the rows past the cap were not counted: {server.document()['agent_surface']}")
    return spent, mb


def main():
    with folder(RAISED) as where:
        runs = [stream(where) for _ in range(ROUNDS)]
        first, whole, _, mb = (median(column) for column in zip(*runs))
        record("a million rows, all sent: first byte", first, "ms", "the whole of it", whole)
        record("a million rows, all sent: peak of the tree", mb, "MB", "the bytes sent", runs[0][2] / 1e6, limit=100)
    with folder() as where:
        runs = [capped(where) for _ in range(ROUNDS)]
        spent, mb = (median(column) for column in zip(*runs))
        record("a million rows, 1,000 sent and all counted", spent, "ms", "all sent", whole)
        record("a million rows, 1,000 sent: peak of the tree", mb, "MB", limit=100)


if __name__ == "__main__":
    main()
