"""What is long and may be killed, or begun by several at once: making up for missing vectors, and bringing a file of an older
version forward.
"""

import concurrent.futures
import contextlib
import json
import random
import signal
import sqlite3
import struct
import sys
import time

from cases import run_cases

MEMORIES = 300
# Waits for each run, as a server would, and gives numbers of which a test knows what they must be.
EMBEDDER = """python3 -c '
import json, sys, time
time.sleep(0.05)
for line in sys.stdin:
    text = json.loads(line)["text"]
    print(json.dumps([1.0 + sum(text.encode()) % 977, float(len(text))] + [1.0] * 14))'"""


def memory(place, *words, given=None, **more):
    return place.run("memory", *words, given=given, **more)


def fill(place):
    lines = "".join(json.dumps({"name": f"n{n}", "type": "note", "body": f"body {n} zanzibar" if n % 50 else f"long {n}. " * 300})
                    + "\n" for n in range(MEMORIES))
    reply = memory(place, "remember-batch", given=lines.encode())
    assert reply.code == 0, reply.said


def query(place, sql):
    with contextlib.closing(sqlite3.connect(place.home / "memory.sqlite", timeout=60)) as database:
        return database.execute(sql).fetchall()


def whole(place):
    health = memory(place, "health")
    if health.code != 0 or health.document["status"] == "error":
        yield f"health says {health.code} {health.document or health.said}"


def killed(place, words, seconds):
    """True: the kill came before the end."""
    process = place.start("memory", *words, "--home", place.home)
    time.sleep(seconds)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    return process.returncode == -signal.SIGKILL


def test_a_backfill_that_is_killed_goes_on_where_it_was(place):
    fill(place)
    memory(place, "init", "--model", "command:" + EMBEDDER)
    dice, done, partial = random.Random(5), 0, 0
    for _ in range(40):
        was_killed = killed(place, ["embed", "backfill"], dice.uniform(0.05, 0.5))
        status = memory(place, "embed", "status").document
        if status["with_vector"] < done or status["with_vector"] + status["missing"] != MEMORIES:
            yield f"after a kill: {done} were done, now {status}"
        done = status["with_vector"]
        partial += was_killed and 0 < done < MEMORIES
        yield from whole(place)
        if done == MEMORIES or partial >= 3:
            break
    if not partial:
        yield "no kill came in the middle: this shows nothing"
    last = memory(place, "embed", "backfill")
    if last.code != 0 or (last.document["embedded"], last.document["remaining"]) != (MEMORIES - done, 0):
        yield f"{done} were done, the last run says {last.document or last.said}"
    health = memory(place, "health").document
    if health["vec_memories_coverage_pct"] != 100 or health["status"] != "ok":
        yield f"afterwards: {health}"
    for name, body, blob in query(place, "SELECT name, body, embedding FROM memories JOIN memory_embeddings ON memory_id = id"):
        numbers = struct.unpack("<16f", blob)
        if len(body) < 800 and numbers[:2] != (1.0 + sum(body.encode()) % 977, float(len(body))):
            yield f"{name} has the vector of another text"
    found = memory(place, "recall", "body 7 zanzibar", "--no-graph", "-k", "300").document
    if len(found["results"]) != MEMORIES or found["vector_coverage"]["without"] != 0:
        yield f"{len(found['results'])} are found"


def make_older(place):
    """Takes out of the file what version 2 added. The text index is known to this SQLite only as the tables below it."""
    with contextlib.closing(sqlite3.connect(place.home / "memory.sqlite", isolation_level=None)) as database:
        database.execute("PRAGMA writable_schema = ON")
        database.execute("DELETE FROM sqlite_schema WHERE name = 'fts_chunks'")
    with contextlib.closing(sqlite3.connect(place.home / "memory.sqlite", isolation_level=None)) as database:
        names = database.execute("SELECT type, name FROM sqlite_schema WHERE name LIKE 'fts_chunks_%' OR name IN "
                                 "('vector_segments', 'vector_unpacked') OR (type = 'trigger' AND (name LIKE "
                                 "'memory_chunks_text_%' OR name LIKE 'memory_embeddings_%')) ORDER BY type DESC").fetchall()
        for kind, name in names:
            database.execute(f"DROP {kind} {name}")
        database.execute("PRAGMA user_version = 1")
        database.execute("UPDATE schema_meta SET value = '1' WHERE key = 'schema_version'")
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return len(names)


def brought_forward(place):
    if query(place, "PRAGMA user_version") != [(2,)]:
        yield "the file is not of version 2"
    if query(place, "PRAGMA integrity_check") != [("ok",)]:
        yield "the file is damaged"
    health = memory(place, "health").document
    if health["status"] != "ok" or health["schema_ok"] is not True or health["fts_ok"] is not True:
        yield f"health: {health}"
    found = memory(place, "hybrid-search", "long 250").document
    if not found["results"] or found["results"][0]["name"] != "n250":
        yield "a long text is not found"
    backups = sorted(path.name for path in place.home.iterdir() if "backup" in path.name)
    if backups != ["memory.sqlite.v1.backup"]:
        yield f"backups: {backups}"
    with contextlib.closing(sqlite3.connect(place.home / "memory.sqlite.v1.backup")) as copy:
        before = copy.execute("PRAGMA user_version").fetchone(), copy.execute("SELECT count(*) FROM memories").fetchone()
    if before != ((1,), (MEMORIES,)):
        yield f"the copy holds {before}"


def test_several_processes_bring_an_older_file_forward_once(place):
    fill(place)
    if make_older(place) < 10:
        yield "the file is not made older"
    verbs = [["list"], ["hybrid-search", "zanzibar"], ["stats"], ["read", "n7"], ["graph"], ["embed", "status"]]
    calls = [verbs[n % len(verbs)] if n % 2 else ["remember", "--name", f"new-{n}", "--type", "note", "--body", "new"]
             for n in range(16)]
    with concurrent.futures.ThreadPoolExecutor(len(calls)) as pool:
        replies = list(pool.map(lambda words: memory(place, *words), calls))
    for words, reply in zip(calls, replies):
        if reply.code != 0:
            yield f"{words}: {reply.code} {reply.said}"
    if query(place, "SELECT count(*) FROM memories") != [(MEMORIES + 8,)]:
        yield "memories are missing"
    yield from brought_forward(place)


def test_a_migration_that_is_killed_is_done_by_the_next(place):
    fill(place)
    make_older(place)
    dice, kills = random.Random(3), 0
    for _ in range(12):
        kills += killed(place, ["list"], dice.uniform(0.001, 0.03))
        version = query(place, "PRAGMA user_version")[0][0]
        if version == 2:
            break
        if query(place, "SELECT count(*) FROM sqlite_schema WHERE name IN ('fts_chunks', 'vector_segments')") != [(0,)]:
            yield "half a migration is in the file"
    if not kills:
        yield "no kill came before the end: this shows nothing"
    if memory(place, "list", "--limit", "1").code != 0:
        yield "the next one does not read it"
    yield from brought_forward(place)


if __name__ == "__main__":
    sys.exit(run_cases(globals(), __file__))
