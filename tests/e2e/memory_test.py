"""The memory through the real program: what several processes do at once, what a kill leaves, what a purge leaves, hostile
texts, and files that can't be used. The cases of tests/memory run in memory_cases_test.py.
"""

import concurrent.futures
import contextlib
import json
import os
import random
import resource
import signal
import sqlite3
import stat
import struct
import sys
import threading
import time

from cases import run_cases
from program import BIN, finish

PROCESSES = 32
ROUNDS = 4
KILLS = 40
SCRIPTS = ["Письмо о переносе срока", "京都支社の引っ越し", "서울 사무실", "ประเทศไทย", "المهندس المسؤول", "दफ़्तर नई इमारत",
           "🚀🦑", "he\u0301\u0302llo", "İstanbul", "!?',@+$%&\"*()^:", "-" * 10_000, "\u202eturned\u202c", "a\u0000b", ""]


def memory(place, *words, given=None, **more):
    return place.run("memory", *words, given=given, **more)


def note(place, name, *words, **more):
    return memory(place, "remember", "--name", name, "--type", "note", *words, **more)


def file_of(place):
    return place.home / "memory.sqlite"


def query(place, sql):
    with contextlib.closing(sqlite3.connect(file_of(place), timeout=30)) as database:
        return database.execute(sql).fetchall()


def whole(place):
    """What is wrong with the file."""
    health = memory(place, "health")
    if health.code != 0 or health.document["status"] != "ok":
        yield f"health says {health.code} {health.document or health.said}"


def test_many_processes_at_once_lose_nothing(place):
    def writer(number):
        return [note(place, f"w{number}-{i}", "--body", "text").code for i in range(ROUNDS)]
    with concurrent.futures.ThreadPoolExecutor(PROCESSES) as pool:
        codes = [code for chain in pool.map(writer, (f"p{n}" for n in range(PROCESSES))) for code in chain]
    if set(codes) != {0}:
        yield f"exit codes {sorted(set(codes))}"
    stored = query(place, "SELECT count(*), count(DISTINCT rev), max(rev) FROM memories")[0]
    if stored != (PROCESSES * ROUNDS,) * 3:
        yield f"memories, revs, highest rev: {stored}"
    yield from whole(place)


def test_of_many_that_change_one_rev_exactly_one_wins(place):
    rev = note(place, "shared").document["rev"]
    with concurrent.futures.ThreadPoolExecutor(PROCESSES) as pool:
        replies = list(pool.map(lambda n: memory(place, "edit", "shared", "--body", str(n), "--expected-rev", rev),
                                range(PROCESSES)))
    codes = sorted(reply.code for reply in replies)
    if codes != [0] + [3] * (PROCESSES - 1):
        yield f"exit codes {codes}"
    if any(reply.document.get("code") != "lost-race" for reply in replies if reply.code):
        yield "a loser was not told that it lost"
    if query(place, "SELECT max(version) FROM memory_versions") != [(2,)]:
        yield "more than one change was stored"


def kill_after(place, words, given, seconds):
    process = place.start("memory", *words, "--home", place.home, stdin=-1)
    try:
        process.stdin.write(given)
        process.stdin.close()
    except BrokenPipeError:
        pass
    time.sleep(seconds)
    process.send_signal(signal.SIGKILL)
    out = process.stdout.read().decode()
    process.wait()
    process.stdout.close()
    process.stderr.close()
    return out


def batch_of(i):
    return "".join(json.dumps({"name": f"k{i}-{n}", "type": "note", "body": "text " * 50,
                               "entities": [{"name": f"thing {n}"}, {"name": f"other {i}"}],
                               "relationships": [{"source": f"thing {n}", "target": f"other {i}", "relation": "uses"}]})
                   + "\n" for n in range(40)).encode()


def test_a_kill_at_any_point_loses_nothing_that_was_told(place):
    told = set()
    # How long one takes on this machine now, so that kills come at any point of it.
    began = time.monotonic()
    memory(place, "remember-batch", given=batch_of("first"))
    span = time.monotonic() - began
    for i in range(KILLS):
        out = kill_after(place, ["remember-batch"], batch_of(i), span * 1.5 * (i * 7 % 31) / 31)
        for line in out.splitlines():
            if line.endswith("}") and json.loads(line).get("status") == "indexed":
                told.add(json.loads(line)["name"])
    if not told:
        yield "no round got far enough to tell of a memory: the delays are too short for this machine"
    stored = {row[0] for row in query(place, "SELECT name FROM memories")}
    if told - stored:
        yield f"{len(told - stored)} memories were told of and are not there"
    halves = query(place, """SELECT count(*) FROM memories m WHERE
        (SELECT count(*) FROM memory_entities e WHERE e.memory_id = m.id) <> 2 OR
        (SELECT count(*) FROM memory_relationships r WHERE r.memory_id = m.id) <> 1 OR
        (SELECT count(*) FROM memory_versions v WHERE v.memory_id = m.id) <> 1""")
    if halves != [(0,)]:
        yield f"{halves[0][0]} memories are stored by halves"
    yield from whole(place)


def test_purge_leaves_no_byte(place):
    words = ["zanzibarite", "quokkawort", "xylotrope", "vexillaria", "palimpsest"]
    lines = "".join(json.dumps({"name": f"filler-{n}", "type": "note", "body": "filler " * (n % 90)}) + "\n"
                    for n in range(400))
    memory(place, "remember-batch", given=lines.encode())
    note(place, words[0], "--description", words[1], "--body", (words[2] + " ") * 900,
         "--metadata", json.dumps({"m": words[3]}))
    memory(place, "edit", words[0], "--body", words[4])
    memory(place, "remember-batch", given=lines.replace("filler-", "later-").encode())
    for n in range(0, 400, 3):
        if n % 60 == 0:
            memory(place, "forget", f"filler-{n}")
    memory(place, "forget", words[0])

    def held():
        return [f"{word} in {path.name}" for path in place.home.iterdir() for word in words
                if word.encode() in path.read_bytes()]
    if len(held()) < len(words):
        yield f"the test looks for the wrong words: {held()}"
    refused = memory(place, "purge", "--now")
    if refused.code != 2:
        yield f"purge without --yes ends with {refused.code}"
    purged = memory(place, "purge", "--now", "--yes")
    if purged.code != 0 or purged.document["purged_count"] != 8 or purged.document["warnings"]:
        yield f"purge: {purged.code} {purged.document or purged.said}"
    if held():
        yield f"still there: {held()}"
    yield from whole(place)


# Each text has bytes of its own in its vector, and the packed codes of two vectors differ too.
EMBEDDER = """python3 -c '
import hashlib, json, sys
for line in sys.stdin:
    bits = b"".join(hashlib.sha256(b"%d" % i + json.loads(line)["text"].encode()).digest() for i in range(2))
    print(json.dumps([byte - 127.5 for byte in bits]))'"""


def packed_row(place, identifier):
    """What a segment holds of a memory: its int8 codes and, in eight bytes, their scale and what they lose."""
    for ids, scales, codes in query(place, "SELECT ids, scales, codes FROM vector_segments"):
        numbers = struct.unpack(f"<{len(ids) // 8}q", ids)
        if identifier in numbers:
            at, dim = numbers.index(identifier), len(codes) // len(numbers)
            return codes[at * dim:(at + 1) * dim], scales[at * 8:(at + 1) * 8]
    return b"", b""


def test_purge_leaves_no_byte_of_a_vector(place):
    memory(place, "init", "--model", "command:" + EMBEDDER)
    lines = "".join(json.dumps({"name": f"n{n}", "type": "note", "body": f"body {n}"}) + "\n" for n in range(40))
    memory(place, "remember-batch", given=lines.encode())
    note(place, "secret", "--body", "a long text of its own. " * 60)
    note(place, "ghost", "--body", "taken by a rename")
    packed = memory(place, "reindex")
    if packed.code != 0:
        yield f"reindex: {packed.said}"
    kept = {}
    for name in ("secret", "ghost"):
        identifier, vector = query(place, "SELECT id, embedding FROM memories JOIN memory_embeddings ON memory_id = id "
                                          f"WHERE name = '{name}'")[0]
        kept[name, "vector"] = vector
        kept[name, "codes"], kept[name, "scale"] = packed_row(place, identifier)
    for number, vector in enumerate(query(place, "SELECT embedding FROM chunk_embeddings")):
        kept["piece", number] = vector[0]

    def held():
        return sorted({(what, path.name) for path in place.home.iterdir() for what, part in kept.items()
                       if not part or part in path.read_bytes()})
    if not {what for what, _ in held()} >= set(kept) or not all(kept.values()):
        yield f"the test looks for the wrong bytes: {held()}"
    memory(place, "forget", "secret")
    memory(place, "forget", "ghost")
    memory(place, "rename", "n3", "ghost")
    purged = memory(place, "purge", "--now", "--yes")
    if purged.code != 0 or purged.document["purged_count"] != 1 or purged.document["warnings"]:
        yield f"purge: {purged.code} {purged.document or purged.said}"
    if held():
        yield f"still there: {held()}"
    found = memory(place, "recall", "body 7", "--no-graph", "-k", "1").document
    if [row["name"] for row in found["results"]] != ["n7"] or found["vector_coverage"]["with_vector"] != 40:
        yield f"what is left is found no more: {found}"
    yield from whole(place)


def test_texts_of_every_script_come_back(place):
    for i, text in enumerate(SCRIPTS):
        line = json.dumps({"name": f"t{i}", "type": "note", "description": text[:300], "body": text,
                           "metadata": {"key " + text[:50]: text}})
        stored = memory(place, "remember-batch", given=line.encode() + b"\n")
        if stored.code != 0:
            yield f"{text[:20]!r}: {stored.code} {stored.out[:300]}"
            continue
        read = memory(place, "read", f"t{i}").document
        if (read["body"], read["description"], read["metadata"]) != (text, text[:300], {"key " + text[:50]: text}):
            yield f"{text[:20]!r} came back as {read['body'][:20]!r}"
    large = "x" * 512_000
    for body, wanted in ((large, 0), (large + "x", 6)):
        reply = note(place, f"large-{wanted}", "--body-stdin", given=body.encode())
        if reply.code != wanted:
            yield f"{len(body)} bytes: exit code {reply.code}"
    if memory(place, "read", "large-0").document["body"] != large:
        yield "a large body came back changed"
    reply = note(place, "no-text", "--body-stdin", given=b"\xff\xfe\x00")
    if reply.code == 0 or reply.document["code"] != "invalid-text":
        yield f"bytes that are no text: {reply.code} {reply.said}"


def test_flags_of_lists_do_not_stop_a_write(place):
    reply = note(place, "a", "--filter", "type=skill", "--count-only", "--select", "name", "--max-items", "1")
    if reply.code != 0 or reply.document.get("action") != "created":
        yield f"{reply.code} {reply.said}"
    if not reply.document.get("agent_surface", {}).get("shaping_ignored"):
        yield "nothing says that the flags had no effect"
    if memory(place, "read", "a").code != 0:
        yield "the memory is not there"
    reply = note(place, "b", "--filter", "nonsense")
    if reply.code != 2 or memory(place, "read", "b").code != 4:
        yield f"a malformed filter ends with {reply.code}, and the memory was stored"


def test_pages_put_together_are_the_whole(place):
    lines = "".join(json.dumps({"name": f"m{n}", "type": "note"}) + "\n" for n in range(57))
    memory(place, "remember-batch", given=lines.encode())
    names = [row["name"] for row in memory(place, "list").document["items"]]
    paged = [row["name"] for offset in range(0, 70, 10)
             for row in memory(place, "list", "--limit", 10, "--offset", offset).document["items"]]
    if names != [f"m{n}" for n in reversed(range(57))] or paged != names:
        yield f"{len(names)} and {len(paged)} names"
    entities = "".join(json.dumps({"name": f"e{n}", "type": "note", "entities": [{"name": f"thing {n * 7919 % 57}"}]}) + "\n"
                       for n in range(57))
    memory(place, "remember-batch", given=entities.encode())
    for sort in ("name", "degree", "created_at"):
        for order in ("asc", "desc"):
            words = ("graph", "entities", "--sort-by", sort, "--order", order)
            everything = [row["id"] for row in memory(place, *words, "--limit", 100).document["entities"]]
            pages = [row["id"] for offset in range(0, 57, 8)
                     for row in memory(place, *words, "--limit", 8, "--offset", offset).document["entities"]]
            if len(set(everything)) != 57 or pages != everything:
                yield f"pages of entities by {sort} {order} are not the whole"


def test_pages_neither_skip_nor_repeat_while_others_write(place):
    lines = "".join(json.dumps({"name": f"m{n}", "type": "note", "body": f"b{n}"}) + "\n" for n in range(120))
    memory(place, "remember-batch", given=lines.encode())
    changed, added, ended = set(), set(), threading.Event()

    def write():
        dice = random.Random(4)
        while not ended.is_set():
            name = f"m{dice.randrange(120)}"
            changed.add(name)
            memory(place, "edit", name, "--description", str(dice.random()))
            added.add(f"new-{len(added)}")
            note(place, f"new-{len(added) - 1}")
    writer = threading.Thread(target=write)
    writer.start()
    seen, border, first = [], [], None
    try:
        while True:
            page = memory(place, "list", "--limit", 5, *border).document
            first = first or page["as_of_rev"]
            if not page["items"]:
                break
            seen += [(row["rev"], row["name"]) for row in page["items"]]
            border = ["--before-rev", page["items"][-1]["rev"]]
    finally:
        ended.set()
        writer.join()
    names = [name for _, name in seen]
    if len(added) < 3 or not changed & set(names[5:]):
        yield f"nobody wrote meanwhile: this shows nothing ({len(added)})"
    if len(set(names)) != len(names) or seen != sorted(seen, reverse=True):
        yield "pages repeat, or are out of their order"
    still = {f"m{n}" for n in range(120)} - changed
    if not still <= set(names):
        yield f"pages skip {sorted(still - set(names))}"
    since = memory(place, "list", "--after-rev", first).document
    missing = {f"m{n}" for n in range(120)} | added
    missing -= set(names) | {row["name"] for row in since["items"]}
    if missing:
        yield f"neither on a page nor among what changed since: {sorted(missing)}"
    count = memory(place, "list", "--after-rev", first, "--limit", 2, "--filter", "name~new", "--count-only")
    if count.code != 2 or str(since["total_count"]) not in count.said:
        yield f"a filter over a part of what changed: {count.code} {count.said}"


def test_history_shows_lines_and_lists_have_records(place):
    note(place, "a", "--body", "one\ntwo\nthree")
    memory(place, "edit", "a", "--body", "one\n2\nthree")
    memory(place, "forget", "a")
    reply = memory(place, "history", "a", "--diff")
    versions = reply.document["versions"]
    if versions[1].get("diff") != "@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n" or not reply.document["deleted"]:
        yield f"{reply.document}"
    for words in (("history", "a"), ("list",), ("graph",), ("graph", "entities"), ("export",)):
        document = memory(place, *words).document
        if document is None or "universe_total" not in document.get("agent_surface", {}):
            yield f"{words} has no record of what it is a part of"
    if memory(place, "history", "a", "--no-body").document["versions"][0].get("body") is not None:
        yield "--no-body shows bodies"


def test_what_is_exported_can_be_stored_again(place):
    lines = "".join(json.dumps({"name": f"m{n}", "type": "note", "body": f"b{n}", "metadata": {"n": n}}) + "\n"
                    for n in range(20))
    memory(place, "remember-batch", given=lines.encode())
    process = place.start("memory", "export", "--home", place.home)
    exported = finish(process).out.decode().splitlines()
    trailer = json.loads(exported[-1])
    if trailer.get("summary") is not True or trailer["exported"] != 20 or trailer["agent_surface"]["universe_total"] != 20:
        yield f"the last line is {trailer}"
    place.home = place.folder / "other"
    reply = memory(place, "remember-batch", given=("\n".join(exported[:-1]) + "\n").encode())
    if reply.code != 0:
        yield f"loading again ends with {reply.code} {reply.out[:300]}"
    again = [row["name"] for row in memory(place, "export").document["results"]]
    if again != [f"m{n}" for n in range(20)]:
        yield f"{again}"


def test_a_locked_memory_is_waited_for_and_a_kept_lock_is_busy(place):
    note(place, "a")
    with contextlib.closing(sqlite3.connect(file_of(place), isolation_level=None)) as holder:
        holder.execute("BEGIN IMMEDIATE")
        process = place.start("memory", "remember", "--name", "b", "--type", "note", "--json", "--home", place.home)
        time.sleep(1)
        if memory(place, "read", "a").code != 0:
            yield "a reader is kept out by a writer"
        if process.poll() is not None:
            yield "a writer did not wait"
        holder.execute("COMMIT")
        if finish(process).code != 0:
            yield "a writer that waited was not let in"


def test_a_full_disk_is_an_error_and_leaves_the_memory_whole(place):
    note(place, "a", "--body", "kept")
    size = file_of(place).stat().st_size

    def bounded():
        resource.setrlimit(resource.RLIMIT_FSIZE, (size + 200_000, size + 200_000))
    lines = "".join(json.dumps({"name": f"m{n}", "type": "note", "body": "x" * 100_000}) + "\n" for n in range(50))
    reply = memory(place, "remember-batch", given=lines.encode(), preexec_fn=bounded)
    last = json.loads(reply.out.splitlines()[-1])
    if reply.code != 10 or last.get("code") != "disk-full":
        yield f"exit code {reply.code}: {reply.said}"
    told = [json.loads(line)["name"] for line in reply.out.splitlines() if b'"indexed"' in line]
    stored = {row[0] for row in query(place, "SELECT name FROM memories")}
    if set(told) - stored or "a" not in stored:
        yield "something that was told of is not there"
    yield from whole(place)


def test_files_that_cant_be_used_are_left_alone(place):
    for content, wanted in ((b"no database, but long enough to be taken for one: " * 40, "integrity"),):
        file_of(place).write_bytes(content)
        for words in (("list",), ("remember", "--name", "a", "--type", "note"), ("purge", "--now", "--yes"), ("health",)):
            reply = memory(place, *words)
            if reply.code != 10 or reply.document["code"] != wanted:
                yield f"{words}: {reply.code} {reply.said}"
        if file_of(place).read_bytes() != content:
            yield "the file was written to"
        file_of(place).unlink()
    reply = memory(place, "list")
    if reply.code != 0 or reply.document["items"] != [] or file_of(place).exists():
        yield f"an untouched home: {reply.code} {reply.said}"
    note(place, "a")
    if stat.S_IMODE(os.stat(file_of(place)).st_mode) != 0o600:
        yield "the file can be read by others"


def test_verbs_and_flags_that_there_are_not(place):
    for words, hint in ((("lst",), "list"), (("list", "--limt", "3"), "--limit"), ((), "--help")):
        reply = memory(place, *words)
        if reply.code != 2 or hint not in reply.document.get("hint", ""):
            yield f"{words}: {reply.code} {reply.document or reply.said}"
    for limit in ("0", "-1", "x", ""):
        if memory(place, "list", f"--limit={limit}").code != 2:
            yield f"--limit {limit!r} is taken"
    if memory(place, "list", "--namespace", "no such").code != 5:
        yield "a namespace with a blank is taken"
    place.variables["CANDOR_MEMORY_NAMESPACE"] = "team"
    note(place, "a")
    if memory(place, "namespace-detect").document["source"] != "environment":
        yield "the namespace's source is not told"
    if memory(place, "list", "--namespace", "team").document["items"][0]["namespace"] != "team":
        yield "the namespace of the environment is not used"


if __name__ == "__main__":
    assert os.path.exists(BIN), BIN
    sys.exit(run_cases(globals(), __file__))
