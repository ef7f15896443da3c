"""The memory with hostile texts, files that can't be used, and moments that come at the wrong time.

Whatever happens: an exit code and a code that say what it was, no crash, and nothing overwritten or half written.
"""

import contextlib
import json
import random
import shutil
import sqlite3
import subprocess
import sys
import time
import unicodedata

from cases import Skip, run_cases
from program import finish

STORAGE, BUSY = 10, 15
LIST, READ, STATS, HEALTH = ("list",), ("read", "first"), ("stats",), ("health",)
REMEMBER = ("remember", "--name", "more", "--type", "note", "--body", "more")
READERS = (LIST, READ, STATS, HEALTH, ("export",), ("history", "first"), ("graph",), ("graph", "entities"))
WRITERS = (REMEMBER, ("edit", "first", "--body", "new"), ("forget", "first"), ("purge", "--now", "--yes"), ("vacuum",),
           ("link", "--from", "aa", "--to", "bb", "--relation", "uses", "--create-missing"), ("init",))


def memory(place, *words, given=None, **more):
    return place.run("memory", *words, given=given, **more)


def file_of(place):
    return place.home / "memory.sqlite"


def lines_of(rows):
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def fill(place, count=60, body="words of a note "):
    rows = [{"name": "first", "type": "note", "body": "kept"}]
    rows += [{"name": f"n{n}", "type": "note", "body": f"{body}{n} " * 60, "metadata": {"n": n},
              "entities": [{"name": f"thing {n}"}, {"name": "hub"}],
              "relationships": [{"source": f"thing {n}", "target": "hub", "relation": "uses"}]} for n in range(count)]
    reply = memory(place, "remember-batch", given=lines_of(rows))
    assert reply.code == 0, reply.said


def query(place, sql, *values):
    # Python ends a connection late, and one that stays open has locks that reading the file drops.
    with contextlib.closing(sqlite3.connect(file_of(place), timeout=30)) as database:
        return database.execute(sql, values).fetchall()


def bytes_of(place):
    return {path.name: path.read_bytes() for path in sorted(place.home.iterdir()) if path.is_file()}


def whole(place):
    """What is wrong with the file."""
    health = memory(place, "health")
    if health.code != 0 or health.document["status"] != "ok":
        yield f"health: {health.code} {health.document or health.said}"


def error_of(reply):
    """The code of an error whose document is whole, else a text that is none."""
    if isinstance(reply.document, dict) and reply.document.get("error") is True and reply.document.get("message"):
        return reply.document.get("code")
    try:
        last = json.loads(reply.out.splitlines()[-1])
        return last.get("code") if last.get("error") is True else f"no error: {reply.out[-200:]!r}"
    except (ValueError, IndexError):
        return f"no document: {reply.out[-200:]!r} {reply.said}"


def refused(place, words, exit_code, *codes, **more):
    reply = memory(place, *words, **more)
    if reply.code != exit_code or error_of(reply) not in codes:
        yield f"{words}: exit code {reply.code}, {error_of(reply)}, wanted {exit_code} {codes}: {reply.said[:200]}"


# ---- texts ----

def test_names_in_any_form_are_one_entity_or_a_clear_error(place):
    fill(place, 1)
    for name in ("Ångström", "한국어", "Łódź", "ﬁle", "Straße", "Ωmega", "प्रदेश", "がぎ"):
        forms = [unicodedata.normalize(form, name) for form in ("NFC", "NFD")]
        for form in forms:
            reply = memory(place, "remember-batch", "--force-merge", given=lines_of(
                [{"name": "first", "entities": [{"name": form}, {"name": form.upper().lower()}]}]))
            if reply.code != 0:
                yield f"{form!r}: {reply.code} {reply.out[:200]}"
        keys = {memory(place, "memory-entities", "--entity", form).code for form in forms}
        if keys != {0}:
            yield f"{name!r} is not found in both forms: {keys}"
    for name in ("a\0b", "\0", "line\nend", "\u202e", "", " ", "x", "7", "\u2028", "a" * 501, "\ud800"):
        line = ('{"name":"bad","type":"note","entities":[{"name":' + json.dumps(name) + "}]}\n").encode()
        reply = memory(place, "remember-batch", given=line)
        if reply.code not in (13, 1, 0):
            yield f"the entity {name!r}: {reply.code} {reply.out[:200]}"
        if reply.code == 0 and name != "\u202e":
            yield f"the entity {name!r} was taken"
        memory(place, "forget", "bad")
        memory(place, "purge", "--now", "--yes")
    for name in ("ünï", "a" * 81, "", " ", "-", "a\nb", "../x", "__x", "7up", "a'; DROP TABLE memories; --", "🦑", "名前"):
        for words in (("remember", f"--name={name}", "--type", "note"), ("read", f"--name={name}"),
                      ("forget", f"--name={name}"), ("history", f"--name={name}"), ("rename", "--name=first", f"--new-name={name}")):
            reply = memory(place, *words)
            if reply.code not in (1, 2, 6) or error_of(reply) not in ("invalid-name", "over-limit", "usage"):
                yield f"{words}: {reply.code} {error_of(reply)}"
    yield from whole(place)


def test_bodies_come_back_as_they_were_given(place):
    bodies = {"composed": "é", "decomposed": "e\u0301", "nul": "before\0after\0", "points": "?!,.;:-_'\"*()" * 800,
              "controls": "".join(map(chr, range(1, 32))), "marks": "a" + "\u0301" * 5_000, "turned": "\u202eabc\u202c",
              "emoji": "👩‍👩‍👧‍👦" * 2_000, "empty": "", "blanks": " \n\t" * 3_000, "mark": "\ufeffbom", "last": "\U0010ffff\ufffe",
              "large": "päivä " * 60_000, "one-word": "x" * 500_000}
    reply = memory(place, "remember-batch", given=lines_of(
        [{"name": name, "type": "note", "body": body} for name, body in bodies.items()]))
    if reply.code != 0:
        yield f"{reply.code} {reply.said}"
    for name, body in bodies.items():
        if (memory(place, "read", name).document or {}).get("body") != body:
            yield f"{name} came back changed"
    pieces = query(place, "SELECT m.name, m.body, c.start_offset, c.end_offset, c.chunk_text FROM memory_chunks c JOIN "
                          "memories m ON m.id = c.memory_id ORDER BY m.id, c.chunk_idx")
    ends = {}
    for name, body, start, end, text in pieces:
        if body.encode()[start:end] != text.encode():
            yield f"a chunk of {name} is not where it says"
        if start > ends.get(name, 0):
            yield f"bytes {ends.get(name, 0)} to {start} of {name} are in no chunk"
        if name == "emoji" and (not text.startswith("👩") or text.endswith("\u200d")):
            yield "an emoji is cut in two"
        ends[name] = max(end, ends.get(name, 0))
    for name, end in ends.items():
        if end != len(bodies[name].encode()):
            yield f"the chunks of {name} end at {end}"
    yield from whole(place)


def test_lines_that_are_no_memories(place):
    bad = [b"\xff\xfe", b"{", b"[]", b"null", b'"text"', b'{"name":1}', b'{"name":"a"}', b'{"name":"a","type":"no"}',
           b'{"name":"a","type":"note","body":5}', b'{"name":"a","type":"note","metadata":[]}', b"[" * 100_000,
           b'{"name":"a","type":"note","body":"\\ud800"}', b'{"name":"a","type":"note","x":1}', b"\0",
           b'{"name":"a","type":"note","description":"' + b"d" * 501 + b'"}',
           b'{"name":"a","type":"note","body":"' + b"b" * 512_001 + b'"}',
           b'{"name":"a","type":"note","entities":[{"name":"only"},{"name":5}]}',
           b'{"name":"a","type":"note","relationships":[{"source":"aa","target":"bb","relation":"x","weight":2}]}']
    reply = memory(place, "remember-batch", given=b"\n".join(bad) + b"\n" + lines_of([{"name": "good", "type": "note"}]))
    said = [json.loads(line) for line in reply.out.splitlines()]
    if reply.code != 13 or [line["status"] for line in said[:-1]] != ["failed"] * len(bad) + ["indexed"]:
        yield f"{reply.code} {[(line.get('status'), line.get('error')) for line in said if line.get('status') != 'failed']}"
    if not all(line.get("code") and line.get("error") for line in said[:len(bad)]):
        yield "a line fails without a reason"
    for line in (b"x" * (17 << 20), b'{"name":"' + b"y" * (17 << 20)):
        yield from refused(place, ("remember-batch",), 6, "over-limit", given=line)
    yield from whole(place)


# ---- files that can't be used ----

def spoiled(place, content, codes, words_of=READERS + WRITERS):
    """Each verb on a file of that content: an error, and the file stays as it is."""
    for words in words_of:
        for path in place.home.iterdir():
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        file_of(place).write_bytes(content)
        yield from refused(place, words, STORAGE, *codes)
        if file_of(place).read_bytes() != content:
            yield f"{words} wrote to the file"


def test_files_of_something_else(place):
    fill(place, 3)
    other = place.work / "other.sqlite"
    with sqlite3.connect(other) as database:
        database.execute("CREATE TABLE t (x)")
    database.close()
    yield from spoiled(place, b"notes, and no database\n" * 200, ("integrity",))
    yield from spoiled(place, b"short", ("integrity",), (LIST, REMEMBER))
    yield from spoiled(place, other.read_bytes(), ("integrity",))
    file_of(place).unlink()
    file_of(place).mkdir()
    for words in READERS + WRITERS:
        yield from refused(place, words, STORAGE, "storage", "integrity")


def test_a_newer_schema_is_left_alone(place):
    fill(place, 3)
    with sqlite3.connect(file_of(place)) as database:
        database.execute("PRAGMA user_version = 1000")
    database.close()
    content = file_of(place).read_bytes()
    yield from spoiled(place, content, ("integrity",))
    reply = memory(place, *LIST)
    if "newer" not in reply.document["message"]:
        yield f"{reply.document['message']}"


def test_an_empty_file_beside_a_log_is_not_a_new_memory(place):
    fill(place, 3)
    log = place.home / "memory.sqlite-wal"
    holder = sqlite3.connect(file_of(place))  # keeps the log from being emptied at the end of the last writer
    holder.execute("SELECT count(*) FROM memories").fetchall()
    memory(place, *REMEMBER)
    content = log.read_bytes()
    holder.close()
    if not content:
        yield "no log to begin with: this shows nothing"
    for words in (LIST, REMEMBER):
        for path in place.home.iterdir():
            path.unlink()
        file_of(place).write_bytes(b"")
        log.write_bytes(content)
        yield from refused(place, words, STORAGE, "integrity")
        if not log.exists() or log.read_bytes() != content:
            yield f"{words} did away with the log"
        if file_of(place).read_bytes():
            yield f"{words} wrote to the file"
    log.unlink()
    if memory(place, *REMEMBER).code != 0:
        yield "an empty file alone is no new memory"


def test_damage_is_told_or_does_no_harm(place):
    fill(place, 120)
    memory(place, "vacuum")
    sound = file_of(place).read_bytes()
    truth = {row["name"]: row["body"] for row in memory(place, "export").document["results"]}
    dice = random.Random(4711)
    told = 0

    def attempt(content, what):
        nonlocal told
        for path in place.home.iterdir():
            path.unlink()
        file_of(place).write_bytes(content)
        for words in dice.sample(READERS + WRITERS, 4) + [("read", f"n{dice.randrange(120)}")]:
            reply = memory(place, *words, timeout=60)
            said = error_of(reply)
            if reply.code == STORAGE and said in ("integrity", "storage"):
                told += 1
            elif words == HEALTH and reply.code == STORAGE:
                told += 1
            elif reply.code not in (0, 4, 9, 11) or reply.document is None:
                yield f"{what}: {words} ends with {reply.code}: {said} {reply.said[:200]}"
            elif words[0] == "read" and reply.code == 0 and words[1] != "first":
                if reply.document["body"] != truth[words[1]]:
                    yield f"{what}: a damaged body is shown as if it were whole"
    for round_ in range(12):
        content = bytearray(sound)
        for _ in range(dice.choice((1, 20, 400))):
            content[dice.randrange(100, len(content))] = dice.randrange(256)
        yield from attempt(bytes(content), f"flipped, round {round_}")
    for size in (len(sound) // 2, len(sound) - 4096, 4096, 100, 5_000):
        yield from attempt(sound[:size], f"cut to {size}")
    if told < 10:
        yield f"damage was told of {told} times: this shows nothing"


class Small:
    """A file system of its own below the home, which can be made full or read-only."""

    def __init__(self, place, size):
        self.path = place.home
        made = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size},mode=0700", "tmpfs", str(self.path)],
                              capture_output=True, check=False)
        if made.returncode != 0:
            raise Skip("no file system can be mounted here")

    def read_only(self):
        subprocess.run(["mount", "-o", "remount,ro", str(self.path)], check=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        subprocess.run(["umount", "-l", str(self.path)], check=False)


def test_what_can_only_be_read_is_read(place):
    with Small(place, "16m") as small:
        fill(place, 5)
        small.read_only()
        before = bytes_of(place)
        for words in READERS:
            reply = memory(place, *words)
            if reply.code != 0:
                yield f"{words}: {reply.code} {reply.said}"
        for words in WRITERS:
            yield from refused(place, words, STORAGE, "storage")
        if bytes_of(place) != before:
            yield "something was written"


def test_a_full_disk_is_told_and_leaves_all_as_it_was(place):
    place.write("docs/a.md", "# a\n" + "text " * 10_000)
    with Small(place, "2m"):
        fill(place, 5)
        names = query(place, "SELECT name, version, rev FROM memories ORDER BY id")
        stuffing = place.home / "stuffing"
        with open(stuffing, "wb", buffering=0) as file:
            try:
                while file.write(b"x" * 4096):
                    pass
            except OSError:
                pass
        rows = lines_of([{"name": f"more{n}", "type": "note", "body": "y" * 100_000} for n in range(20)])
        yield from refused(place, ("remember-batch",), STORAGE, "disk-full", "storage", given=rows)
        yield from refused(place, ("remember", "--name", "big", "--type", "note", "--body-stdin"), STORAGE, "disk-full",
                           "storage", given=b"z" * 300_000)
        yield from refused(place, ("ingest", place.work / "docs"), STORAGE, "disk-full", "storage")
        yield from refused(place, ("backup", "--output", place.home / "copy"), STORAGE, "disk-full", "storage")
        if (place.home / "copy").exists():
            yield "half a backup stayed"
        stuffing.unlink()
        if query(place, "SELECT name, version, rev FROM memories ORDER BY id") != names:
            yield "something was stored, or lost"
        yield from whole(place)
        if memory(place, "remember-batch", given=rows[:300_000].rsplit(b"\n", 1)[0]).code != 0:
            yield "with room again nothing is stored"


# ---- moments ----

def test_a_lock_that_is_kept_is_busy(place):
    fill(place, 3)
    holder = sqlite3.connect(file_of(place), isolation_level=None)
    holder.execute("BEGIN EXCLUSIVE")
    began = time.monotonic()
    waiting = {words: place.start("memory", *words, "--json", "--home", place.home) for words in WRITERS[:3]}
    for words in READERS:
        if memory(place, *words).code != 0:
            yield f"{words}: a reader is kept out"
    for words, process in waiting.items():
        reply = finish(process)
        if reply.code != BUSY or error_of(reply) != "busy" or not reply.document.get("retryable"):
            yield f"{words}: {reply.code} {reply.said}"
    if time.monotonic() - began < 5:
        yield "they did not wait"
    holder.execute("ROLLBACK")
    holder.close()
    if query(place, "SELECT count(*) FROM memories") != [(4,)] or memory(place, *REMEMBER).code != 0:
        yield "afterwards it is not as before"


def forgotten_at(place, name, when):
    """Sets the time. The table's triggers keep the text index, whose tokenizer is Candor's alone: they are put aside."""
    with contextlib.closing(sqlite3.connect(file_of(place), isolation_level=None)) as database:
        triggers = database.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = 'memories'").fetchall()
        database.execute("BEGIN IMMEDIATE")
        for trigger, _ in triggers:
            database.execute(f"DROP TRIGGER {trigger}")
        database.execute("UPDATE memories SET deleted_at = ? WHERE name = ?", (when, name))
        for _, sql in triggers:
            database.execute(sql)
        database.execute("COMMIT")


def test_a_clock_that_was_set_back_changes_no_order(place):
    fill(place, 3)
    later = int(time.time()) + 400_000_000
    with sqlite3.connect(file_of(place)) as database:
        database.execute("UPDATE memories SET created_at = ?1, updated_at = ?1", (later,))
        database.execute("UPDATE memory_versions SET created_at = ?1", (later,))
    database.close()
    memory(place, "remember", "--name", "newest", "--type", "note", "--body", "b")
    edited = memory(place, "edit", "n0", "--body", "again").document
    if edited["updated_at"] <= later:
        yield f"a change looks older than what it changed: {edited}"
    stale = memory(place, "edit", "n0", "--body", "x", "--expected-updated-at", later)
    if stale.code != 3:
        yield f"an edit of what was there before ends with {stale.code}"
    names = [row["name"] for row in memory(place, "list").document["items"]]
    if names[:2] != ["n0", "newest"]:
        yield f"the list is {names}"
    memory(place, "forget", "n1")
    forgotten_at(place, "n1", later)
    if memory(place, "restore", "n1").code != 0 or memory(place, "forget", "n1").code != 0:
        yield "what was forgotten in the future can't be restored"
    forgotten_at(place, "n1", later)
    purged = memory(place, "purge", "--now", "--yes").document
    if purged["purged_count"] != 1:
        yield f"all that is forgotten is not all: {purged}"
    yield from whole(place)


def test_many_that_make_the_file_at_once(place):
    words = [("init",), REMEMBER, ("list",), ("stats",)] * 4
    for _ in range(3):
        for path in place.home.iterdir():
            path.unlink()
        replies = [finish(process) for process in [place.start("memory", *w, "--json", "--home", place.home) for w in words]]
        codes = sorted(reply.code for reply in replies)
        if codes != [0] * 13 + [9] * 3:
            yield f"exit codes {codes}: {[reply.said for reply in replies if reply.code not in (0, 9)][:2]}"
        yield from whole(place)


def killed(place, words, given, delay):
    process = place.start("memory", *words, "--json", "--home", place.home, stdin=subprocess.PIPE)
    try:
        if given:
            process.stdin.write(given)
        process.stdin.close()
    except BrokenPipeError:
        pass
    process.stdin = None
    time.sleep(delay)
    process.kill()
    process.communicate()
    return process.returncode == -9


def test_an_import_that_is_killed_is_there_whole_or_not_at_all(place):
    graph = place.write("graph.jsonl", lines_of(
        [{"type": "entity", "name": f"Thing {n}", "entityType": "tool", "observations": [f"seen {n}", "text " * 40]}
         for n in range(300)] + [{"type": "relation", "from": f"Thing {n}", "to": f"Thing {n + 1}", "relationType": "uses"}
                                 for n in range(299)]))
    began = time.monotonic()
    if memory(place, "import", "--from", graph, "--namespace", "timing").code != 0:
        yield "the import alone fails"
    span = time.monotonic() - began
    dice, kills = random.Random(7), 0
    for number in range(20):
        kills += killed(place, ("import", "--from", graph, "--namespace", f"s{number}"), None, dice.uniform(0, span))
    counts = query(place, "SELECT namespace, count(*) FROM memories GROUP BY namespace")
    if {count for _, count in counts} != {300}:
        yield f"half imports: {counts}"
    if kills < 5:
        yield f"only {kills} were killed on their way: this shows nothing"
    if query(place, "SELECT count(*) FROM relationships")[0][0] != 299 * len(counts):
        yield "relations are missing"
    yield from whole(place)


SECRETS = {"body": "zanzibarite", "description": "quokkawort", "metadata": "vexillaria", "version": "palimpsest",
           "chunk": "xylotrope", "entity": "gallowglass", "other": "brobdingnag", "relation": "hornswoggle",
           "url": "catawampus", "entity description": "flibbertigibbet"}


def store_secrets(place, name):
    row = {"name": name, "type": "note", "description": SECRETS["description"],
           "body": f"{SECRETS['body']} https://example.org/{SECRETS['url']} " + f"{SECRETS['chunk']} of a long text. " * 300,
           "metadata": {SECRETS["metadata"]: SECRETS["metadata"]},
           "entities": [{"name": SECRETS["entity"], "description": SECRETS["entity description"]}, {"name": "hub"}],
           "relationships": [{"source": SECRETS["entity"], "target": SECRETS["other"], "relation": "uses",
                              "description": SECRETS["relation"]}]}
    reply = memory(place, "remember-batch", given=lines_of([row]))
    assert reply.code == 0, reply.said
    reply = memory(place, "edit", name, "--body", SECRETS["version"])
    assert reply.code == 0, reply.said


def secrets_in(place):
    found = set()
    for path in place.home.rglob("*"):
        if path.is_file():
            content = path.read_bytes().lower()
            found |= {f"{what} in {path.name}" for what, word in SECRETS.items() if word.encode() in content}
    return found


def test_a_purge_leaves_no_byte_of_anything(place):
    fill(place, 200)
    store_secrets(place, "secret")
    memory(place, "remember-batch", "--force-merge", given=lines_of(
        [{"name": f"n{n}", "body": f"other words {n} " * 90} for n in range(0, 200, 3)]))
    memory(place, "link", "--from", "hub", "--to", "kept by hand", "--relation", "uses", "--create-missing")
    if {what.split(" in ")[0] for what in secrets_in(place)} != set(SECRETS):
        yield f"the test looks for the wrong words: {secrets_in(place)}"
    memory(place, "forget", "secret")
    dry = memory(place, "purge", "--now", "--dry-run").document
    purged = memory(place, "purge", "--now", "--yes")
    if dry["purged_count"] != 1 or purged.code != 0 or purged.document["purged_count"] != 1 or purged.document["warnings"]:
        yield f"purge: {dry} {purged.document or purged.said}"
    if (purged.document["entities_removed"], purged.document["relationships_removed"]) != (2, 1):
        yield f"what went with it: {purged.document}"
    if secrets_in(place):
        yield f"still there: {sorted(secrets_in(place))}"
    names = {row[0] for row in query(place, "SELECT name FROM entities")}
    if not {"hub", "kept by hand", "thing 0"} <= names:
        yield "entities of others went too"
    yield from whole(place)


def test_a_purge_that_is_killed_is_finished_by_the_next(place):
    dice, kills, between = random.Random(11), 0, 0
    fill(place, 300)
    store_secrets(place, "timing")
    memory(place, "forget", "timing")
    began = time.monotonic()
    memory(place, "purge", "--now", "--yes")
    span = time.monotonic() - began
    for number in range(15):
        store_secrets(place, f"secret{number}")
        memory(place, "forget", f"secret{number}")
        kills += killed(place, ("purge", "--now", "--yes"), None, dice.uniform(0, span))
        yield from whole(place)
        between += query(place, "SELECT count(*) FROM memories WHERE deleted_at IS NOT NULL") == [(0,)]
        again = memory(place, "purge", "--now", "--yes")
        if again.code != 0 or again.document["warnings"]:
            yield f"the next purge: {again.document or again.said}"
        if secrets_in(place):
            yield f"still there after the next purge: {sorted(secrets_in(place))}"
    if kills < 4:
        yield f"only {kills} were killed on their way: this shows nothing"
    if query(place, "SELECT count(*) FROM memories") != [(301,)]:
        yield "other memories went"


if __name__ == "__main__":
    sys.exit(run_cases(globals(), __file__))
