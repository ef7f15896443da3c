"""`remember-batch` and `ingest` with an embedder: nobody waits for a lock while it is asked, a text that it refuses fails alone,
and a vector is of the text that is stored.
"""

import concurrent.futures
import contextlib
import json
import sqlite3
import struct
import subprocess
import sys
import time

from cases import run_cases
from program import finish

# One wait for each request; refuses a text with "poison"; a number by which a text is known again.
EMBEDDER = """python3 -c '
import json, sys, time
time.sleep(%s)
texts = [json.loads(line)["text"] for line in sys.stdin]
if any("poison" in text for text in texts): sys.exit(1)
open("%s", "a").write("%%d\\n" %% len(texts))
for text in texts: print(json.dumps([float(sum(text.encode()) %% 9973), 1.0] + [0.5] * 14))'"""


def memory(place, *words, given=None, **more):
    return place.run("memory", *words, given=given, **more)


def embed_with(place, wait):
    calls = place.work / "calls"
    calls.write_text("")
    reply = memory(place, "init", "--model", "command:" + EMBEDDER % (wait, calls), "--dim", 16)
    assert reply.code == 0, reply.said
    return lambda: [int(line) for line in calls.read_text().split()]


def lines_of(rows):
    return "".join(json.dumps({"type": "note", **row}) + "\n" for row in rows).encode()


def query(place, sql):
    with contextlib.closing(sqlite3.connect(place.home / "memory.sqlite", timeout=60)) as database:
        return database.execute(sql).fetchall()


def wrong_vectors(place):
    """Each memory's vector must be of its text as it is now."""
    for name, description, body, blob in query(place, "SELECT name, description, body, embedding FROM memories LEFT JOIN "
                                                      "memory_embeddings ON memory_id = id WHERE deleted_at IS NULL"):
        text = f"{description}\n{body}" if description and body else description or body
        if blob is None or struct.unpack("<16f", blob)[0] != float(sum(text.encode()) % 9973):
            yield f"{name} has the vector of another text, or none"


def test_nobody_waits_while_the_embedder_is_asked(place):
    embed_with(place, 2)
    for flags in ([], ["--transaction"], ["--fail-fast"]):
        batch = place.start("memory", "remember-batch", *flags, "--json", "--home", place.home, stdin=subprocess.PIPE)
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            rows = [{"name": f"b{''.join(flags).strip('-')}{n}", "body": f"text {n}"} for n in range(2)]
            reply = pool.submit(finish, batch, lines_of(rows))
            slowest = 0
            while not reply.done():
                with contextlib.closing(sqlite3.connect(place.home / "memory.sqlite", timeout=30, isolation_level=None)) as other:
                    began = time.monotonic()
                    other.execute("BEGIN IMMEDIATE")
                    other.execute("ROLLBACK")
                    slowest = max(slowest, time.monotonic() - began)
                time.sleep(0.05)
            if reply.result().code != 0:
                yield f"{flags}: {reply.result().said}"
        if slowest > 1.5:
            yield f"{flags}: another writer waited {slowest:.1f} s"
    if query(place, "SELECT count(*) FROM memories") != [(6,)]:
        yield "memories are missing"
    yield from wrong_vectors(place)


def test_many_lines_are_one_request(place):
    calls = embed_with(place, 0)
    memory(place, "remember-batch", given=lines_of({"name": f"n{n}", "body": f"text {n}"} for n in range(150)))
    memory(place, "remember-batch", "--transaction", given=lines_of({"name": f"t{n}", "body": f"text {n}"} for n in range(150)))
    if calls() != [64, 64, 22] * 2:
        yield f"requests of {calls()} texts"
    yield from wrong_vectors(place)


def test_a_text_that_is_refused_fails_alone(place):
    embed_with(place, 0)
    rows = [{"name": "a", "body": "good"}, {"name": "b", "body": "poison"}, {"name": "c", "body": "good too"}]
    reply = memory(place, "remember-batch", given=lines_of(rows))
    states = [json.loads(line) for line in reply.out.decode().splitlines()]
    if reply.code != 13 or [line.get("status") for line in states[:3]] != ["indexed", "failed", "indexed"]:
        yield f"{reply.code} {states}"
    if states[1].get("code") != "embedding-failed" or not states[1].get("hint") or [row["index"] for row in states[:3]] != [0, 1, 2]:
        yield f"the failure says {states[1]}"
    whole = memory(place, "remember-batch", "--transaction", given=lines_of({**row, "name": row["name"] + "2"} for row in rows))
    states = [json.loads(line) for line in whole.out.decode().splitlines()]
    if whole.code != 13 or [line.get("status") for line in states[:3]] != ["failed"] * 3 or states[3]["total"] != 3:
        yield f"--transaction: {whole.code} {states}"
    if "another line" not in states[0]["error"] or states[1]["index"] != 1:
        yield f"--transaction says {states}"
    if query(place, "SELECT group_concat(name) FROM memories") != [("a,c",)]:
        yield "what is stored is something else"
    kept = memory(place, "remember-batch", "--allow-missing-vector", given=lines_of({**row, "name": row["name"] + "3"} for row in rows))
    if kept.code != 0 or query(place, "SELECT count(*) FROM memory_embeddings") != [(4,)]:
        yield f"--allow-missing-vector: {kept.code} {kept.said}"


def test_lines_that_build_on_one_another(place):
    embed_with(place, 0)
    rows = [{"name": "My Note", "body": "first"}, {"name": "my-note", "description": "named later", "force_merge": True},
            {"name": "other", "body": "x"}, {"name": "my-note", "body": "second", "force_merge": True}]
    reply = memory(place, "remember-batch", given=lines_of(rows))
    if reply.code != 0 or query(place, "SELECT description, body FROM memories WHERE name = 'my-note'") != [("named later", "second")]:
        yield f"{reply.code} {reply.said}"
    yield from wrong_vectors(place)
    reply = memory(place, "remember-batch", "--transaction", given=lines_of([{"name": "t", "body": "1"}, {**rows[1], "name": "t"}]))
    states = [json.loads(line) for line in reply.out.decode().splitlines()]
    if reply.code != 13 or "stands in this transaction before" not in states[1]["error"]:
        yield f"--transaction: {states}"
    full = [{"name": "t", "description": "", "body": "1"}, {"name": "t", "description": "d", "body": "2", "force_merge": True}]
    if memory(place, "remember-batch", "--transaction", given=lines_of(full)).code != 0:
        yield "--transaction with both texts given is refused"
    yield from wrong_vectors(place)


def test_a_memory_that_changes_while_its_vector_is_made(place):
    embed_with(place, 0.3)
    memory(place, "remember", "--name", "shared", "--type", "note", "--description", "d", "--body", "b")
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        calls = [["--description", "other"], ["--body", "another"]]
        codes = [reply.code for reply in pool.map(lambda words: memory(place, "edit", "shared", *words), calls)]
    if codes != [0, 0] or query(place, "SELECT description, body FROM memories") != [("other", "another")]:
        yield f"exit codes {codes}"
    yield from wrong_vectors(place)


def test_lines_of_a_transaction_leave_no_file(place):
    embed_with(place, 0)
    memory(place, "remember-batch", "--transaction", given=lines_of({"name": f"n{n}", "body": "x"} for n in range(3)))
    files = sorted(path.name for path in place.home.iterdir())
    if any("batch" in name for name in files):
        yield f"files: {files}"


def test_ingest_says_who_made_the_vectors(place):
    (place.work / "notes").mkdir()
    place.write("notes/a.md", "one text")
    place.write("notes/b.md", "another text")

    def invoked():
        reply = memory(place, "ingest", place.work / "notes")
        return [json.loads(line).get("backend_invoked") for line in reply.out.decode().splitlines()]
    embed_with(place, 0)
    model = memory(place, "embed", "status").document["model"]
    if invoked() != [model] * 3:
        yield "an embedder that was asked is not named"
    if invoked() != ["none"] * 3:
        yield "an embedder that was not asked is named"
    memory(place, "init", "--model", "none")
    place.write("notes/c.md", "a third")
    if invoked() != ["none"] * 4:
        yield "without an embedder one is named"
    yield from ()


if __name__ == "__main__":
    sys.exit(run_cases(globals(), __file__))
