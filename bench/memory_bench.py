"""The memory at 10,000, 100,000 and 1,000,000 memories: search, pages, and many writers.

Beside it stand, in the same run and on the same texts: plain FTS5 whose words must all be there (implicit AND), a scan of
float32 vectors row by row, the two fused one to one by their ranks, and a writer that checkpoints after every write.

CANDOR_BENCH_MEMORIES=10000,100000 chooses the sizes. The files of a size are made once, below the build folder; those of a
million take long, and gigabytes.
"""

import contextlib
import itertools
import json
import os
import random
import shutil
import sqlite3
import subprocess
import tempfile
import time

from figures import median, record
from servers import BIN, BUILD, Server

SIZES = [int(size) for size in os.environ.get("CANDOR_BENCH_MEMORIES", "10000,100000,1000000").split(",")]
ALTERNATIVES = BUILD / "bench" / "memory_alternatives"
DIM, K, ROUNDS = 256, 10, 15
MADE = "3"  # of the generated data: another number makes the files anew
TYPES = ["note", "reference", "decision", "incident", "project"]
RARE = "skill"  # one memory in a hundred
TARGETS = {10_000: (5, 2), 100_000: (25, 8), 1_000_000: (600, 40)}  # ms of hybrid search: a process, a running server
PAGE_MS, WRITES_A_SECOND = 3, 700


def vocabulary(dice):
    words = {"".join(dice.choice("bcdfgklmnprstvz") + dice.choice("aeiou") for _ in range(dice.randint(2, 4))) for _ in range(30_000)}
    words = sorted(words)
    dice.shuffle(words)
    return words, list(itertools.accumulate(1 / (place + 10) for place in range(len(words))))


def memories(size):
    """Deterministic; each is about its own few words, which it repeats, among words that all use."""
    dice = random.Random(20)
    words, weights = vocabulary(dice)
    for number in range(size):
        own = dice.sample(words, 4)
        body = dice.choices(words, cum_weights=weights, k=36) + own * 2
        dice.shuffle(body)
        kind = RARE if number % 100 == 7 else dice.choice(TYPES)
        yield {"name": f"m{number}", "type": kind, "description": " ".join(own), "body": " ".join(body),
               "entities": [{"name": f"subject {dice.randrange(1 + size // 20)}"}]}, own


def questions(size):
    """Three of the words of a memory, one that is in most, and one that is in none of them."""
    every = max(1, size // ROUNDS)
    return [f"{own[0]} {own[1]} the {own[2]} zzq{number}" for number, (_, own) in enumerate(memories(size)) if number % every == every // 2][:ROUNDS]


def memory(home, *words, **more):
    done = subprocess.run([BIN, "memory", *words, "--json", "--home", home], capture_output=True, check=False, **more)
    if done.returncode != 0:
        raise SystemExit(f"memory {' '.join(map(str, words))}: {done.returncode} {(done.stdout + done.stderr)[-500:]}")
    return done.stdout


def make(home, size):
    """The memory, its vectors, and the same texts in a plain FTS5 table."""
    shutil.rmtree(home, ignore_errors=True)
    home.mkdir(parents=True)
    memory(home, "init", "--model", "none")
    began = time.perf_counter()
    process = subprocess.Popen([BIN, "memory", "remember-batch", "--json", "--home", home], stdin=subprocess.PIPE,
                               stdout=subprocess.DEVNULL)
    with contextlib.closing(sqlite3.connect(home / "plain.sqlite")) as plain:
        plain.execute("CREATE VIRTUAL TABLE plain USING fts5(name, description, body, tokenize='unicode61 remove_diacritics 1')")
        for one, _ in memories(size):
            process.stdin.write(json.dumps(one).encode() + b"\n")
            plain.execute("INSERT INTO plain VALUES (?, ?, ?)", (one["name"], one["description"], one["body"]))
        plain.commit()
    process.stdin.close()
    if process.wait() != 0:
        raise SystemExit("the memories could not be stored")
    print(f"{size:,} memories stored in {time.perf_counter() - began:.0f} s", flush=True)
    began = time.perf_counter()
    memory(home, "init", "--model", f"command:{ALTERNATIVES} embed {DIM}")
    memory(home, "embed", "backfill", env=os.environ | {"CANDOR_EMBED_SECONDS": "600"})
    print(f"their vectors in {time.perf_counter() - began:.0f} s", flush=True)
    (home / "made").write_text(f"{MADE} {size}")


def prepared(size):
    home = BUILD / "bench" / "memories" / str(size)
    made = home / "made"
    if not made.exists() or made.read_text() != f"{MADE} {size}":
        make(home, size)
    return home


class Scan:
    """The row-wise scan, one text at a time: (ms, ids)."""

    def __init__(self, home, count, *kind):
        self.process = subprocess.Popen([ALTERNATIVES, "scan", home / "memory.sqlite", str(count), *kind],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, text):
        self.process.stdin.write(text + "\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        return answer["ms"], answer["ids"]

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def plain_words(plain, text):
    """(ms, ids) of FTS5 with a prefix of each word, all of which must be there."""
    began = time.perf_counter()
    match = " ".join(f'"{word}"*' for word in text.split())
    ids = [row[0] for row in plain.execute("SELECT rowid FROM plain WHERE plain MATCH ? ORDER BY rank LIMIT ?", (match, 2 * K))]
    return (time.perf_counter() - began) * 1000, ids


def one_process(home, *words):
    began = time.perf_counter()
    out = memory(home, *words)
    return (time.perf_counter() - began) * 1000, json.loads(out)


def fused(left, right):
    scores = {}
    for ids in (left, right):
        for rank, one in enumerate(ids):
            scores[one] = scores.get(one, 0) + 1 / (61 + rank)
    return sorted(scores, key=lambda one: (-scores[one], one))[:K]


def searching(home, size):
    texts = questions(size)
    ours, served, words, rows, empty = [], [], [], [], 0
    scan = Scan(home, 2 * K)
    server = Server([BIN, "mcp", "--home", home], home).handshake()
    server.call("memory_search", query=texts[0], limit=K)
    with contextlib.closing(sqlite3.connect(home / "plain.sqlite")) as plain:
        for text in texts:
            ours.append(one_process(home, "hybrid-search", text, "-k", str(K))[0])
            served.append(server.call("memory_search", query=text, limit=K))
            spent, found = plain_words(plain, text)
            words.append(spent)
            empty += not found
            spent, near = scan.ask(text)
            rows.append(spent)
            fused(found, near)
    scan.close()
    server.close()
    start = median(one_process(home, "namespace-detect")[0] for _ in range(ROUNDS))
    alone, running = TARGETS.get(size, (None, None))
    many = f"{size:,} memories"
    record(f"hybrid search, one process, {many}", median(ours), "ms", "scan of vectors", median(rows), limit=alone)
    record(f"hybrid search, one process beyond its start, {many}", median(ours) - start, "ms", "a bare start", start)
    record(f"hybrid search in a server, {many}", median(served), "ms", "scan and implicit AND, fused 1:1",
           median(rows) + median(words), limit=running)
    record(f"hybrid search in a server, {many}", median(served), "ms", "implicit AND alone", median(words))
    record(f"questions that implicit AND answers with nothing, {many}", 100 * empty / len(texts), "%")


def filtered(home, size):
    """The share of the true k nearest of a rare type that a filtered search finds; after the ranking, and below it."""
    below, after = [], []
    oracle = Scan(home, K, RARE)
    for text in questions(size):
        true = oracle.ask(text)[1]
        ask = ("recall", text, "-k", str(K), "--no-graph", "--max-distance", "2", "--filter", f"type={RARE}")
        for shares, more in ((below, ("--filter-scope", "universe")), (after, ())):
            ids = [row["memory_id"] for row in one_process(home, *ask, *more)[1]["results"]]
            shares.append(len(set(ids) & set(true)) / len(true))
    oracle.close()
    record(f"recall of a filtered search, {size:,} memories", sum(below) / len(below), "", "filter after the ranking",
           sum(after) / len(after))


def paging(home, size):
    with Server([BIN, "mcp", "--home", home], home).handshake() as server:
        server.call("memory_list", limit=50)
        served = median(server.call("memory_list", limit=50) for _ in range(ROUNDS))
        surface = server.document()["agent_surface"]
        if surface["universe_total"] != size:
            raise SystemExit(f"the page's total is {surface}")
    with contextlib.closing(sqlite3.connect(f"file:{home}/memory.sqlite?mode=ro", uri=True)) as database:
        began = time.perf_counter()
        database.execute("SELECT name, description FROM memories WHERE deleted_at IS NULL ORDER BY updated_at DESC LIMIT 50").fetchall()
        database.execute("SELECT count(*) FROM memories WHERE deleted_at IS NULL").fetchone()
        counted = (time.perf_counter() - began) * 1000
    record(f"one page and the total in a server, {size:,} memories", served, "ms", "page and count(*)", counted, limit=PAGE_MS)


CHECKPOINTING = """
import sqlite3, sys
database = sqlite3.connect(sys.argv[1], isolation_level=None, timeout=60)
database.execute("PRAGMA synchronous=NORMAL")
for number in range(int(sys.argv[3])):
    database.execute("BEGIN IMMEDIATE")
    database.execute("INSERT INTO plain VALUES (?, ?, ?)", (sys.argv[2] + str(number), "some words", "and more of these words " * 8))
    database.execute("COMMIT")
    database.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
"""


def checkpointing(folder, processes, each):
    path = os.path.join(folder, "plain.sqlite")
    with contextlib.closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA journal_mode=WAL")
        database.execute("CREATE VIRTUAL TABLE plain USING fts5(name, description, body)")
    began = time.perf_counter()
    running = [subprocess.Popen(["python3", "-c", CHECKPOINTING, path, f"p{i}-", str(each)]) for i in range(processes)]
    if any([process.wait() for process in running]):
        raise SystemExit("a writer that checkpoints failed")
    return processes * each / (time.perf_counter() - began)


def writing(processes):
    """Lines that commit one by one."""
    each = 1_600 // processes
    with tempfile.TemporaryDirectory() as folder:
        home = os.path.join(folder, "home")
        memory(home, "init", "--model", "none")
        lines = ["".join(json.dumps({"name": f"p{i}-{number}", "type": "note", "description": "some words",
                                     "body": "and more of these words " * 8}) + "\n" for number in range(each)).encode()
                 for i in range(processes)]
        began = time.perf_counter()
        running = [subprocess.Popen([BIN, "memory", "remember-batch", "--json", "--home", home], stdin=subprocess.PIPE,
                                    stdout=subprocess.DEVNULL) for _ in range(processes)]
        for process, given in zip(running, lines):
            process.stdin.write(given)
            process.stdin.close()
        if any([process.wait() for process in running]):
            raise SystemExit("a writer failed")
        rate = processes * each / (time.perf_counter() - began)
        stored = json.loads(memory(home, "stats"))["memories"]
        if stored != processes * each:
            raise SystemExit(f"{processes * each - stored} memories were lost")
        slow = checkpointing(folder, processes, max(10, each // 10))
    record(f"time of one write, {processes} writing processes, none lost", 1000 / rate, "ms", "checkpoint after each write",
           1000 / slow, limit=1000 / WRITES_A_SECOND if processes == 8 else None)


def main():
    for processes in (1, 8, 32):
        writing(processes)
    for size in SIZES:
        home = prepared(size)
        searching(home, size)
        paging(home, size)
        filtered(home, size)


if __name__ == "__main__":
    main()
