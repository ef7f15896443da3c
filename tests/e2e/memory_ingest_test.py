"""`candor memory ingest`: folders as they are found in the world, runs that are killed and begun again, files that change, go
and move, and names that belong to something else.
"""

import contextlib
import json
import os
import random
import socket
import sqlite3
import sys
import time
import unicodedata

from cases import Skip, run_cases
from program import finish

OK, PARTIAL = 0, 13


class Run:
    """What one run said: its lines by file name, and its summary."""

    def __init__(self, reply):
        self.code, self.said = reply.code, reply.said
        lines = [json.loads(line) for line in reply.out.splitlines()]
        self.summary = lines[-1] if lines and lines[-1].get("summary") else None
        self.error = lines[-1] if lines and lines[-1].get("error") is True else {}
        self.lines = lines[:-1] if self.summary else lines
        self.by_file = {line["file"].split("/docs/", 1)[-1]: line for line in self.lines if "file" in line}

    def counts(self):
        return tuple(self.summary[f"files_{what}"] for what in ("total", "succeeded", "failed", "skipped", "missing"))

    def __str__(self):
        return f"{self.code} {self.error or self.summary} {self.said[:200]}"


def ingest(place, *words, **more):
    return Run(place.run("memory", "ingest", place.work / "docs", *words, **more))


def doc(place, name, content):
    return place.write(f"docs/{name}", content)


def read(place, name):
    return place.run("memory", "read", name).document


def query(place, sql):
    # Python ends a connection late, and one that stays open has locks that reading the file drops.
    with contextlib.closing(sqlite3.connect(place.home / "memory.sqlite", timeout=30)) as database:
        return database.execute(sql).fetchall()


def differs(what, found, wanted):
    if found != wanted:
        yield f"{what}: {found!r} is not {wanted!r}"


# ---- the usual ----

def test_files_become_memories_and_a_second_run_stores_nothing(place):
    text = "# Release Day\n\nWe release on Tuesdays.\n"
    path = doc(place, "Release Day.md", text)
    doc(place, "plan.md", "no heading\r\n")
    doc(place, "other.txt", "not matched")
    doc(place, "deep/er/plan.md", "# Deep\n")
    run = ingest(place)
    yield from differs("exit code and counts", (run.code, run.counts()), (OK, (2, 2, 0, 0, 0)))
    event = run.by_file["Release Day.md"]
    yield from differs("an event", {key: event.get(key) for key in (
        "name", "status", "action", "truncated", "body_length", "original_name", "original_filename", "index", "total")}, {
        "name": "release-day", "status": "indexed", "action": "created", "truncated": False, "body_length": len(text),
        "original_name": "Release Day", "original_filename": "Release Day.md", "index": 0, "total": 2})
    memory = read(place, "release-day")
    yield from differs("type, description and body", (memory["type"], memory["description"], memory["body"]),
                       ("document", "Release Day", text))
    yield from differs("metadata", (memory["metadata"]["path"], memory["metadata"]["mtime"], len(memory["metadata"]["sha256"])),
                       (str(path), int(path.stat().st_mtime), 64))
    yield from differs("an ending of lines", read(place, "plan")["body"], "no heading\r\n")
    yield from differs("again", ingest(place).counts(), (2, 0, 0, 2, 0))
    run = ingest(place, "--recursive")
    yield from differs("with folders", (run.counts(), run.by_file["deep/er/plan.md"]["name"]),
                       ((3, 1, 0, 2, 0), "deep-er-plan"))
    run = ingest(place, "--pattern", "*.txt", "--type", "note", "--name-prefix", "mine ")
    yield from differs("another pattern", (run.code, run.by_file["other.txt"]["name"]), (OK, "mine-other"))
    yield from differs("its type", read(place, "mine-other")["type"], "note")
    yield from differs("a path as pattern", ingest(place, "--recursive", "--pattern", "deep/*/*.md").counts(), (1, 0, 0, 1, 0))


def test_a_changed_file_is_one_new_version_and_one_that_went_is_told(place):
    doc(place, "a.md", "# One\nfirst\n")
    doc(place, "b.md", "stays")
    doc(place, "c.md", "goes")
    ingest(place)
    place.run("memory", "edit", "b", "--description", "in my words", "--metadata", json.dumps(
        read(place, "b")["metadata"] | {"owner": "ops"}))
    doc(place, "a.md", "# Two\nsecond\n")
    doc(place, "b.md", "changed")
    (place.work / "docs/c.md").unlink()
    run = ingest(place)
    yield from differs("exit code and counts", (run.code, run.counts()), (OK, (2, 2, 0, 0, 1)))
    yield from differs("the change", (run.by_file["a.md"]["action"], run.by_file["a.md"]["version"]), ("updated", 2))
    yield from differs("what went", {key: run.by_file["c.md"][key] for key in ("status", "name")},
                       {"status": "missing", "name": "c"})
    yield from differs("its memory", (read(place, "c") or {}).get("body"), "goes")
    a, b = read(place, "a"), read(place, "b")
    yield from differs("the new text", (a["version"], a["body"], a["description"]), (2, "# Two\nsecond\n", "Two"))
    yield from differs("what somebody wrote", (b["body"], b["description"], b["metadata"].get("owner")),
                       ("changed", "in my words", "ops"))
    yield from differs("once more", ingest(place).counts(), (2, 0, 0, 2, 1))
    doc(place, "a.md", "")
    ingest(place)
    yield from differs("a file that was emptied", (read(place, "a")["version"], read(place, "a")["body"]), (3, ""))
    os.rename(place.work / "docs/b.md", place.work / "docs/sub-b.md")
    run = ingest(place)
    yield from differs("a file of another name is another memory", run.by_file["sub-b.md"].get("action"), "created")


def test_a_dry_run_stores_nothing_and_says_the_same(place):
    for n in range(5):
        doc(place, f"{n} it.md", f"text {n}")
    doc(place, "bad.md", b"\xff\xfe\xfd")
    dry = ingest(place, "--dry-run")
    yield from differs("exit code and counts", (dry.code, dry.counts()), (PARTIAL, (6, 5, 1, 0, 0)))
    yield from differs("status", {line["status"] for line in dry.lines}, {"preview", "failed"})
    if (place.home / "memory.sqlite").exists():
        yield "a dry run made a file"
    wet = ingest(place)
    yield from differs("names", [(line["file"], line["name"]) for line in wet.lines],
                       [(line["file"], line["name"]) for line in dry.lines])
    yield from differs("a dry run after that", ingest(place, "--dry-run").counts(), (6, 0, 1, 5, 0))
    doc(place, "0 it.md", "new")
    yield from differs("of a change", ingest(place, "--dry-run").by_file["0 it.md"]["action"], "updated")
    yield from differs("the memory", read(place, "file-0-it")["body"], "text 0")


# ---- names ----

def test_names_that_belong_to_something_else_are_told(place):
    place.run("memory", "remember", "--name", "mine", "--type", "note", "--body", "by hand")
    place.run("memory", "remember", "--name", "old", "--type", "note", "--body", "forgotten")
    place.run("memory", "forget", "old")
    doc(place, "mine.md", "from a file")
    doc(place, "old.md", "from a file")
    doc(place, "a b.md", "one")
    doc(place, "a-b.md", "two")
    doc(place, "A_B.md", "three")
    run = ingest(place)
    yield from differs("exit code and counts", (run.code, run.counts()), (PARTIAL, (5, 3, 2, 0, 0)))
    for name in ("mine.md", "old.md"):
        event = run.by_file[name]
        yield from differs(name, (event["status"], event.get("code"), "--force-merge" in event.get("hint", "")),
                           ("failed", "duplicate", True))
    yield from differs("a memory by hand", read(place, "mine")["body"], "by hand")
    names = [run.by_file[name]["name"] for name in ("A_B.md", "a b.md", "a-b.md")]
    yield from differs("different names", len(set(names)), 3)
    yield from differs("who is told", [bool(run.by_file[name].get("warnings")) for name in ("A_B.md", "a b.md", "a-b.md")],
                       [False, True, True])
    yield from differs("texts", [read(place, name)["body"] for name in names], ["three", "one", "two"])
    again = ingest(place)
    yield from differs("again", again.counts(), (5, 0, 2, 3, 0))
    forced = ingest(place, "--force-merge")
    yield from differs("taken over", (forced.code, forced.counts()), (OK, (5, 2, 0, 3, 0)))
    yield from differs("texts", [read(place, name)["body"] for name in ("mine", "old")], ["from a file"] * 2)
    place.run("memory", "forget", "mine")
    run = ingest(place)
    yield from differs("a forgotten one stays so", (run.by_file["mine.md"]["status"], "forgotten" in
                                                   run.by_file["mine.md"].get("reason", "")), ("skipped", True))


def test_names_of_every_kind(place):
    given = ["Müller.md", unicodedata.normalize("NFD", "Ångström.md"), "京都.md", "Отчёт.md", "2024.md", "--.md", ".md", "🦑.md",
             "x" * 200 + ".md", "a.b.c.md", "new\nline.md", "q'uote\"s $(x).md", "__kept.md"]
    for i, name in enumerate(given):
        doc(place, name, f"text {i}")
    run = ingest(place)
    yield from differs("exit code and counts", (run.code, run.counts()), (OK, (len(given), len(given), 0, 0, 0)))
    for i, name in enumerate(given):
        event = run.by_file.get(name)
        if event is None:
            yield f"no event of {name!r}"
            continue
        yield from differs(f"{name!r}", (read(place, event["name"]) or {}).get("body"), f"text {i}")
        if len(event["name"]) > 60 or event["truncated"] != (len(name) > 100):
            yield f"{name!r}: {event['name']} {event['truncated']}"
    yield from differs("plain letters", (run.by_file["Müller.md"]["name"], run.by_file[given[1]]["name"]),
                       ("muller", "angstrom"))
    yield from differs("again", ingest(place).counts(), (len(given), 0, 0, len(given), 0))
    run = ingest(place, "--namespace", "short", "--max-name-length", "20")
    if any(len(line["name"]) > 20 for line in run.lines):
        yield "names are longer than asked for"
    for words in (("--max-name-length", "81"), ("--max-name-length", "0"), ("--max-files", "0"), ("--type", "dcument"),
                  ("--ingest-parallelism", "0")):
        if ingest(place, *words).code != 2:
            yield f"{words} is taken"


# ---- files ----

def test_files_that_are_no_text_fail_alone(place):
    wanted = {"nul.md": (b"abc\0def", "invalid-text", "byte 3"), "latin.md": ("für".encode("latin-1"), "invalid-text", "UTF-8"),
              "utf16.md": ("für".encode("utf-16"), "invalid-text", "UTF-16"), "cut.md": ("für".encode()[:2], "invalid-text", ""),
              "huge.md": (b"x" * (16 << 20) + b"x", "over-limit", "16 MB")}
    for name, (content, _, _) in wanted.items():
        doc(place, name, content)
    doc(place, "good.md", "# Good\n")
    doc(place, "mark.md", b"\xef\xbb\xbf# Marked\n")
    doc(place, "zero.md", b"")
    os.mkfifo(place.work / "docs/pipe.md")
    server = socket.socket(socket.AF_UNIX)
    server.bind(str(place.work / "docs/socket.md"))
    (place.work / "docs/folder.md").mkdir()
    for name, target in (("broken", "nowhere.md"), ("loop", "loop.md"), ("link", "good.md")):
        os.symlink(target, place.work / f"docs/{name}.md")
    run = ingest(place, timeout=60)
    server.close()
    yield from differs("exit code and counts", (run.code, run.counts()), (PARTIAL, (13, 4, 9, 0, 0)))
    for name, (_, code, word) in wanted.items():
        event = run.by_file[name]
        if event["status"] != "failed" or event.get("code") != code or word not in event.get("error", ""):
            yield f"{name}: {event}"
    for name in ("pipe.md", "socket.md", "broken.md", "loop.md"):
        if run.by_file[name]["status"] != "failed" or run.by_file[name].get("code") != "unreadable-input":
            yield f"{name}: {run.by_file[name]}"
    yield from differs("without its mark", (read(place, "mark")["body"], read(place, "mark")["description"]),
                       ("# Marked\n", "Marked"))
    yield from differs("of 0 bytes", (read(place, "zero")["body"], read(place, "zero")["description"]), ("", "zero.md"))
    yield from differs("a link", read(place, "link")["body"], "# Good\n")
    stopped = ingest(place, "--fail-fast", "--namespace", "other")
    yield from differs("the first fault ends it", (stopped.code, stopped.counts()[2], stopped.summary.get("files_left")),
                       (PARTIAL, 1, 12))


def test_folders_that_lead_in_circles(place):
    doc(place, "a/b/c.md", "text")
    os.symlink("..", place.work / "docs/a/up")
    os.symlink(place.work / "docs", place.work / "docs/a/b/top")
    run = ingest(place, "--recursive")
    yield from differs("exit code and counts", (run.code, run.counts()), (OK, (3, 1, 0, 2, 0)))
    os.symlink(place.work / "docs", place.work / "linked")
    run = Run(place.run("memory", "ingest", place.work / "linked", "--recursive"))
    yield from differs("by another path", (run.code, run.counts()), (OK, (3, 0, 0, 3, 0)))
    for folder in (place.work / "nowhere", place.work / "docs/a/b/c.md"):
        run = Run(place.run("memory", "ingest", folder))
        yield from differs(str(folder), (run.code, run.error.get("code")), (14, "unreadable-input"))


def test_names_that_are_no_text(place):
    folder = place.work / "docs"
    folder.mkdir()
    with open(os.fsencode(folder) + b"/caf\xe9.md", "w") as file:
        file.write("text")
    doc(place, "good.md", "text")
    run = ingest(place)
    yield from differs("exit code and counts", (run.code, run.counts()), (PARTIAL, (2, 1, 1, 0, 0)))
    yield from differs("as it is shown", run.by_file["caf\\xe9.md"]["code"], "invalid-text")


def test_what_may_not_be_read(place):
    if os.geteuid() == 0:
        # Root reads everything; another user of the same machine does not.
        raise Skip("root may read every file")
    doc(place, "a.md", "text")
    doc(place, "shut/b.md", "text")
    doc(place, "c.md", "text").chmod(0)
    (place.work / "docs/shut").chmod(0)
    run = ingest(place, "--recursive")
    (place.work / "docs/shut").chmod(0o700)
    yield from differs("exit code and counts", (run.code, run.counts()), (PARTIAL, (3, 1, 2, 0, 0)))


def test_large_files_become_parts(place):
    section = "".join(f"sentence {n} of it. " for n in range(900))
    text = "".join(f"## Part {n}\n\n```\n## no heading {n}\n```\n{section}\n\n" for n in range(40))
    assert 600_000 < len(text) < 800_000
    doc(place, "large.md", text)
    doc(place, "wall.md", "é" * 300_000)
    run = ingest(place)
    yield from differs("exit code and counts", (run.code, run.counts()), (OK, (2, 2, 0, 0, 0)))
    for name, whole in (("large", text), ("wall", "é" * 300_000)):
        parts = run.by_file[f"{name}.md"].get("parts", 1)
        bodies = [read(place, name if part == 1 else f"{name}-part-{part}")["body"] for part in range(1, parts + 1)]
        yield from differs(f"the parts of {name} put together", "".join(bodies) == whole, True)
        if parts < 2 or max(len(body.encode()) for body in bodies) > 512_000:
            yield f"{name} has {parts} parts"
        if name == "large" and not all(body.startswith("## Part") for body in bodies):
            yield "a part does not begin with a heading"
    yield from differs("again", ingest(place).counts(), (2, 0, 0, 2, 0))
    doc(place, "large.md", "small now")
    ingest(place)
    live = [row["name"] for row in place.run("memory", "list").document["items"]]
    yield from differs("what is left", [name for name in live if name.startswith("large")], ["large"])
    yield from differs("again", ingest(place).counts(), (2, 0, 0, 2, 0))
    broken = query(place, "SELECT count(*) FROM memory_chunks c JOIN memories m ON m.id = c.memory_id WHERE "
                          "c.chunk_text <> CAST(substr(CAST(m.body AS BLOB), c.start_offset + 1, "
                          "c.end_offset - c.start_offset) AS TEXT)")
    yield from differs("chunks that are not where they say", broken, [(0,)])


def test_more_files_than_asked_for_are_refused(place):
    for n in range(30):
        doc(place, f"f{n}.md", "text")
    run = ingest(place, "--max-files", "29")
    yield from differs("refused", (run.code, run.error.get("code")), (6, "over-limit"))
    if (place.home / "memory.sqlite").exists() and query(place, "SELECT count(*) FROM memories") != [(0,)]:
        yield "some were stored all the same"
    yield from differs("as many", ingest(place, "--max-files", "30").counts(), (30, 30, 0, 0, 0))


# ---- runs that end early, and runs at once ----

def test_a_killed_run_is_resumed(place):
    total = 600
    for n in range(total):
        doc(place, f"n{n}.md", f"# Note {n}\n" + "text " * 100)
    dice = random.Random(20261130)
    told, kills = set(), 0
    for _ in range(12):
        process = place.start("memory", "ingest", place.work / "docs", "--json", "--home", place.home)
        time.sleep(dice.uniform(0.01, 0.25))
        process.kill()
        out = process.communicate()[0]
        kills += process.returncode == -9
        for line in out.splitlines():
            if line.endswith(b"}") and json.loads(line).get("status") == "indexed":
                name = json.loads(line)["name"]
                if name in told:
                    yield f"{name} was stored twice"
                told.add(name)
    run = ingest(place)
    if kills < 3:
        yield f"only {kills} runs were killed on their way: this shows nothing"
    yield from differs("counts", (run.counts()[0], run.counts()[1] + run.counts()[3]), (total, total))
    if run.counts()[3] < len(told):
        yield f"{len(told)} were told of, {run.counts()[3]} were there"
    stored = query(place, "SELECT count(*), max(version), count(DISTINCT json_extract(metadata, '$.path')) FROM memories")
    yield from differs("memories, versions, paths", stored, [(total, 1, total)])


def test_several_runs_at_once_store_each_file_once(place):
    for n in range(200):
        doc(place, f"n{n}.md", f"# Note {n}\n")
    words = ("memory", "ingest", place.work / "docs", "--json", "--home", place.home)
    runs = [Run(finish(process)) for process in [place.start(*words) for _ in range(6)]]
    yield from differs("exit codes", [run.code for run in runs], [OK] * 6)
    yield from differs("stored by all together", sum(run.counts()[1] for run in runs), 200)
    yield from differs("memories, versions", query(place, "SELECT count(*), max(version) FROM memories"), [(200, 1)])


if __name__ == "__main__":
    sys.exit(run_cases(globals(), __file__))
