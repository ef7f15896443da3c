"""Moments that come at the wrong time: kill −9 between a hold and its recommit and in mid-query, a full disk, two
processes in one home.

Nothing that was reported as committed may be lost, and a turn is held at most once.
"""

import json
import os
import pathlib
import random
import resource
import shutil
import signal
import subprocess
import sys
import time

from cases import Skip, run_cases
from program import BIN, Mcp, finish

CLINIC = pathlib.Path(__file__).resolve().parent.parent / "turns" / "data" / "clinic.sql"
QUESTION = ("SELECT p.site, count(*) AS n FROM patients p JOIN labs l ON p.patient_id = l.patient_id "
            "GROUP BY p.site ORDER BY p.site")
ANSWER = {"rows": {"columns": ["site", "n"], "values": [["Bergen", 24], ["Delft", 14], ["Fano", 32]]}}


def load_clinic(place):
    reply = place.run("sql", "-f", CLINIC, "--session", "s", "--turn", "load")
    assert reply.code == 0, reply.said


def ask(place, turn):
    reply = place.run("sql", QUESTION, "--session", "s", "--turn", turn)
    assert reply.code == 0, reply.said


def start_commit(place, turn):
    path = place.write("answer.json", json.dumps(ANSWER))
    return place.start("commit", "-f", path, "--json", "--home", place.home, "--session", "s", "--turn", turn)


def commit(place, turn):
    return finish(start_commit(place, turn))


def answers(place):
    reply = place.run("answers", "--session", "s", "--limit", "1000")
    assert reply.code == 0, reply.said
    return reply.document["answers"]


def children(process):
    found = []
    for thread in os.listdir(f"/proc/{process}/task"):
        found += map(int, pathlib.Path(f"/proc/{process}/task/{thread}/children").read_text().split())
    return found


def acknowledged(answer):
    return any(check.get("acknowledged") for check in answer["receipt"]["checks"])


# ---- kills ----

def test_kill_between_hold_and_recommit(place):
    """A commit is killed at a random moment, again and again, until one gets through."""
    load_clinic(place)
    ask(place, "0")
    began = time.monotonic()
    commit(place, "0")
    whole = time.monotonic() - began  # of a commit on this machine, now
    dice = random.Random(20240131)
    told, interrupted = set(), 0
    for turn in map(str, range(1, 11)):
        ask(place, turn)
        holds, killed = 0, 0
        for _ in range(40):
            process = start_commit(place, turn)
            # Half of them are let through, so that kills fall before the hold, and between hold and acceptance.
            kill = dice.random() < 0.6 and killed < 6
            if kill:
                time.sleep(dice.uniform(0, 1.1 * whole))
                process.kill()
                killed += 1
                interrupted += process.wait() == -signal.SIGKILL
            reply = finish(process)
            if reply.code == 7 and (reply.document or {}).get("status") == "error":
                holds += 1
            elif reply.code == 0 and reply.document and reply.document.get("status") == "committed":
                told.add(reply.document["answer_id"])
                if not kill:
                    break
            elif not kill:
                yield f"turn {turn}: neither held nor committed: exit code {reply.code}, {reply.said}"
                break
        if holds > 1:
            yield f"turn {turn} was held {holds} times"
        mine = [answer for answer in answers(place) if answer["turn"] == turn]
        first = min(mine, key=lambda answer: int(answer["answer_id"][1:]), default=None)
        if first is None or not acknowledged(first):
            yield f"turn {turn}: the first answer's receipt does not carry the finding: {first}"
    lost = told - {answer["answer_id"] for answer in answers(place)}
    if interrupted < 5:
        yield f"only {interrupted} commits were killed on their way: this shows nothing"
    if lost:
        yield f"reported as committed and not in the ledger: {sorted(lost)}"


def test_kill_of_a_server_between_hold_and_recommit(place):
    load_clinic(place)
    for turn in ("a", "b"):
        mcp = Mcp(place, "--session", "s")
        mcp.tool("sql_query", sql=QUESTION, turn_id=turn)
        held = mcp.tool("answer_commit", turn_id=turn, **ANSWER)
        mcp.process.kill()
        mcp.process.wait()
        if held.code != 7:
            yield f"turn {turn}: not held: {held.said}"
        again = commit(place, turn)
        if again.code != 0 or not again.document["receipt"]["acknowledged"]:
            yield f"turn {turn}: after the kill: {again.said}"


def test_kill_of_the_worker_in_mid_query(place):
    mcp = Mcp(place, "--session", "s")
    mcp.tool("sql_execute", sql="CREATE TABLE kept AS SELECT 7 AS a")
    before = children(mcp.process.pid)
    long = mcp.begin_tool("sql_query", sql="SELECT count(*) FROM range(10000000) a(i), range(100000) b(j) WHERE i * j = 7")
    time.sleep(0.7)
    workers = children(mcp.process.pid)
    if not workers:
        yield f"no worker runs (before the query: {before})"
    for worker in workers:
        os.kill(worker, signal.SIGKILL)
    reply = mcp.reply_of(long)
    if reply.code == 0 or (reply.document or {}).get("code") != "engine-died":
        yield f"the query whose worker was killed: {reply.said}"
    after = mcp.tool("sql_query", sql="SELECT a FROM kept")
    if (after.document or {}).get("rows") != [[7]]:
        yield f"the scratch table afterwards: {after.said}"
    mcp.close()


def test_no_worker_outlives_its_server(place):
    mcp = Mcp(place, "--session", "s")
    mcp.tool("sql_query", sql="SELECT 1")
    workers = children(mcp.process.pid)
    mcp.process.kill()
    mcp.process.wait()
    deadline = time.monotonic() + 10
    alive = workers
    while alive and time.monotonic() < deadline:
        time.sleep(0.05)
        alive = [worker for worker in workers if os.path.exists(f"/proc/{worker}")]
    if not workers or alive:
        yield f"of the workers {workers} these still live: {alive}"


def test_interrupt_stops_the_query(place):
    process = place.start("sql", "SELECT count(*) FROM range(10000000) a(i), range(100000) b(j) WHERE i * j = 7", "--json",
                          "--home", place.home)
    time.sleep(1)
    process.send_signal(signal.SIGINT)
    reply = finish(process, timeout=20)
    if reply.code != 19 or (reply.document or {}).get("code") != "cancelled":
        yield f"exit code {reply.code}: {reply.said}"


# ---- a full disk ----

class SmallDisk:
    """A file system of a few megabytes over the place's home."""

    def __init__(self, place, size="12m"):
        self.path = place.home
        made = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size},mode=0700", "tmpfs", str(self.path)],
                              capture_output=True, text=True)
        if made.returncode != 0:
            raise Skip("a small file system can't be mounted: " + made.stderr.strip())

    def __enter__(self):
        return self

    def __exit__(self, *_):
        subprocess.run(["umount", "-l", str(self.path)], check=True)

    def fill(self):
        with open(self.path / "ballast", "wb", buffering=0) as out:
            for size in (1 << 16, 1 << 12, 512, 1):
                try:
                    while True:
                        out.write(b"\0" * size)
                except OSError:
                    pass

    def free(self):
        (self.path / "ballast").unlink()


def test_a_full_disk_at_a_commit(place):
    with SmallDisk(place) as disk:
        load_clinic(place)
        ask(place, "1")
        first = commit(place, "1")
        if first.code != 7:
            yield f"before: {first.said}"
        disk.fill()
        full = commit(place, "1")
        if full.code == 0:
            # Room inside the ledger's own pages may be enough for one row; then it must really be there.
            if [answer["answer_id"] for answer in answers(place)] != [full.document["answer_id"]]:
                yield "reported as committed, and not in the ledger"
        elif full.code != 10 or (full.document or {}).get("code") not in ("disk-full", "storage"):
            yield f"full: exit code {full.code}: {full.said}"
        for _ in range(3):
            query = place.run("sql", "SELECT repeat('x', 7000) AS x FROM range(6)", "--session", "s", "--turn", "2")
        if query.code == 0:
            yield "a query was answered that the ledger has no room for"
        elif (query.document or {}).get("rows") is not None or query.code not in (10, 14, 75):
            yield f"a query with a full ledger: exit code {query.code}: {query.said}"
        disk.free()
        again = commit(place, "1")
        if again.code != 0 or not acknowledged(again.document):
            if full.code != 0:
                yield f"with room again: {again.said}"
        if not answers(place):
            yield "no answer is in the ledger"


def limit_of_file_size(size):
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


def test_a_limit_of_file_size_is_like_a_full_disk(place):
    """The signal that the limit sends by default would end both programs in the middle of a write."""
    load_clinic(place)
    sql = "CREATE TABLE big AS SELECT range AS a, random() AS b FROM range(1000000)"
    for size in (0, 4096, 300_000, 2_000_000):
        reply = place.run("sql", sql, "--session", "s", preexec_fn=limit_of_file_size(size))
        if reply.code != 10 or (reply.document or {}).get("code") != "disk-full":
            yield f"{size} bytes: exit code {reply.code}: {reply.said}"
    reply = place.run("sql", "SELECT count(*) FROM patients", "--session", "s")
    if (reply.document or {}).get("rows") != [[513]]:
        yield f"afterwards: {reply.said}"


def test_output_that_does_not_reach_a_full_disk(place):
    for words in (["sql", "SELECT 1", "--json"], ["sql", "SELECT 1"], ["queries"], ["--version"], ["explain", "syntax"]):
        state = [] if words[0] in ("--version", "explain") else ["--home", place.home]
        with open("/dev/full", "wb") as full:
            process = subprocess.run([BIN, *words, *map(str, state)], stdout=full, stderr=subprocess.PIPE, timeout=60,
                                     cwd=place.work, env=place.environment(), check=False)
        if process.returncode != 14 or b"disk-full" not in process.stderr:
            yield f"{words}: exit code {process.returncode}: {process.stderr.decode()}"


def test_a_scratch_file_that_was_only_begun(place):
    """A kill or a full disk may leave it without its headers; nothing was in it."""
    folder = place.home / "sessions" / "s"
    for begun in (b"", b"\0" * 4096):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        (folder / "scratch.duckdb").write_bytes(begun)
        reply = place.run("sql", "SELECT 1 AS a", "--session", "s")
        if (reply.document or {}).get("rows") != [[1]]:
            yield f"{len(begun)} bytes: {reply.said}"


def test_a_scratch_file_that_is_damaged(place):
    place.run("sql", "CREATE TABLE t AS SELECT range AS a, hash(range) AS h FROM range(100000)", "--session", "s")
    path = place.home / "sessions" / "s" / "scratch.duckdb"
    whole = path.read_bytes()
    for damaged in (b"x" * len(whole), whole[:12288] + b"\xff" * 8192 + whole[20480:]):
        path.write_bytes(damaged)
        reply = place.run("sql", "SELECT count(*) FROM t", "--session", "s")
        if reply.code != 10 or (reply.document or {}).get("code") != "integrity":
            yield f"exit code {reply.code}: {reply.said}"
        if path.read_bytes() != damaged:
            yield "the file was changed"


def test_a_cache_that_is_damaged_is_built_anew(place):
    place.write("data/t.csv", "a\n" + "7\n" * 5000)
    words = ("sql", "SELECT count(*), max(a) FROM t", place.work / "data")
    place.run(*words)
    for damage in (lambda whole: b"x" * len(whole), lambda whole: whole[:5000], lambda whole: b""):
        for path in place.home.rglob("data.duckdb"):
            path.write_bytes(damage(path.read_bytes()))
        reply = place.run(*words)
        if (reply.document or {}).get("rows") != [[5000, 7]]:
            yield f"{reply.said}"


def test_a_ledger_that_is_removed_under_a_server(place):
    """What is written into a removed file is lost with the process: it must not be reported as kept."""
    mcp = Mcp(place, "--session", "s")
    mcp.tool("sql_query", sql="SELECT 777 AS a")
    (place.home / "ledger.sqlite").unlink()
    for reply in (mcp.tool("sql_query", sql="SELECT 778 AS a"), mcp.tool("answer_commit", fields={"a": 777})):
        if reply.code == 0 or (reply.document or {}).get("code") != "storage":
            yield f"{reply.said}"
    mcp.close()


def test_what_is_made_is_for_its_owner_alone(place):
    os.rmdir(place.home)
    place.write("data/t.csv", "a\n1\n")
    reply = place.run("sql", "CREATE TABLE s AS FROM t; FROM s", place.work / "data", preexec_fn=lambda: os.umask(0))
    if reply.code != 0:
        yield reply.said
    for path in [place.home, *place.home.rglob("*")]:
        if path.stat().st_mode & 0o077:
            yield f"{path} has the mode {path.stat().st_mode & 0o777:o}"


def test_a_home_that_cannot_be_written(place):
    (place.folder / "file").write_text("not a folder")
    reply = finish(place.start("sql", "SELECT 1", "--json", "--home", place.folder / "file" / "home"))
    if reply.code in (0, None) or (reply.document or {}).get("error") is not True:
        yield f"exit code {reply.code}: {reply.said}"


def test_a_ledger_that_is_none(place):
    (place.home / "ledger.sqlite").write_bytes(b"this is no database" * 1000)
    reply = place.run("sql", "SELECT 1")
    if reply.code != 10 or (reply.document or {}).get("code") != "integrity":
        yield f"exit code {reply.code}: {reply.said}"
    if (place.home / "ledger.sqlite").read_bytes() != b"this is no database" * 1000:
        yield "the file was overwritten"


# ---- two processes in one home ----

def test_two_sessions_at_once(place):
    running = [place.start("sql", f"CREATE TABLE t AS SELECT {i} AS a; SELECT a FROM t", "--json", "--home", place.home,
                           "--session", f"s{i}") for i in range(4)]
    for i, reply in enumerate(map(finish, running)):
        parts = (reply.document or {}).get("statements", [{}])
        if parts[-1].get("rows") != [[i]]:
            yield f"session s{i}: exit code {reply.code}: {reply.said}"
    queries = place.run("queries", "--limit", "100")
    ids = [query["query_id"] for query in (queries.document or {}).get("queries", [])]
    if len(ids) != 8 or len(set(ids)) != 8:
        yield f"the ledger has the queries {ids}"


def test_one_session_takes_turns(place):
    """Calls of one session from several processes wait for one another."""
    place.run("sql", "CREATE TABLE t(a INTEGER)", "--session", "s")
    running = [place.start("sql", f"INSERT INTO t VALUES ({i})", "--json", "--home", place.home, "--session", "s")
               for i in range(5)]
    for reply in map(finish, running):
        if reply.code != 0:
            yield f"exit code {reply.code}: {reply.said}"
    count = place.run("sql", "SELECT count(*), sum(a) FROM t", "--session", "s")
    if (count.document or {}).get("rows") not in ([[5, 10]], [[5, "10"]]):
        yield f"{count.said}"


def test_two_servers_of_one_session(place):
    first = Mcp(place, "--session", "s")
    first.tool("sql_execute", sql="CREATE TABLE t AS SELECT 1 AS a")
    second = Mcp(place, "--session", "s")
    reply = second.tool("sql_query", sql="SELECT a FROM t")
    if reply.code == 0 or (reply.document or {}).get("code") != "locked":
        yield f"the second server: {reply.said}"
    first.close()
    reply = second.tool("sql_query", sql="SELECT a FROM t")
    if (reply.document or {}).get("rows") != [[1]]:
        yield f"once the first is gone: {reply.said}"
    second.close()


if __name__ == "__main__":
    sys.exit(run_cases(globals(), __file__, jobs=2))
