"""`candor undo`: what was written through a contract is taken back exactly, or not at all: on each engine."""

import contextlib
import os
import random
import shutil
import signal
import sqlite3
import sys
import time

from bad_moments_test import SmallDisk
from cases import run_cases
from databases import Duckdb, Postgres
from duckdb_file import with_duckdb
from program import Mcp, finish

REJECTED, USAGE, NOT_FOUND, ENGINE, BUSY = 1, 2, 4, 10, 15

CONTRACT = """contract: study
source: app
scope: {column: workspace, value: "${claim.workspace}"}
resources:
  cards:
    key: card_id
    writes: [insert, update, delete]
    columns:
      card_id: integer
      front: string
      reps: integer
      tags: "string[]"
  notes:
    key: note_id
    writes: [insert, update, delete]
    soft_delete: deleted_at
    columns:
      note_id: string
      body: {type: string, nullable: true}
      deleted_at: {type: datetime, nullable: true, read_only: true}
"""

# What the contract does not list is what only a record of whole rows brings back.
SQLITE = r"""
CREATE TABLE cards (card_id INTEGER PRIMARY KEY, workspace TEXT NOT NULL, front TEXT NOT NULL, reps INTEGER NOT NULL,
  tags TEXT NOT NULL, loose, score REAL, picture BLOB, doubled INTEGER GENERATED ALWAYS AS (reps * 2),
  stored_sum TEXT GENERATED ALWAYS AS (front || reps) STORED, caption TEXT COLLATE NOCASE);
CREATE TABLE notes (note_id TEXT PRIMARY KEY, workspace TEXT NOT NULL, body TEXT, deleted_at TEXT);
INSERT INTO cards (card_id, workspace, front, reps, tags, loose, score, picture, caption) VALUES
  (1, 'A', 'one', 1, '["x"]', 9007199254740993, 0.1, x'00ff27', 'Cap'),
  (2, 'A', 'two', 2, '[]', 1.0, 1e-320, x'', 'a' || char(0) || 'b'),
  (3, 'A', 'three', 3, '["y","z"]', '007', 9e999, NULL, ''),
  (4, 'A', 'four', 4, '["q""uote"]', x'61', -9e999, zeroblob(3000), NULL),
  (5, 'B', 'five', 5, '[]', NULL, NULL, NULL, NULL);
INSERT INTO notes VALUES ('n1', 'A', 'hello', NULL), ('n2', 'A', NULL, NULL), ('n3', 'B', 'other', NULL);
"""
DUCKDB = [
    "CREATE TABLE cards (card_id INTEGER PRIMARY KEY, workspace VARCHAR NOT NULL, front VARCHAR NOT NULL, "
    "reps INTEGER NOT NULL, tags VARCHAR[] NOT NULL, f FLOAT, d DOUBLE, money DECIMAL(38,10), big HUGEINT, "
    "picture BLOB, j JSON, made TIMESTAMP, ns TIMESTAMP_NS, zoned TIMESTAMPTZ, day DATE, span INTERVAL, id UUID, bits BIT, "
    "mood ENUM('a', 'b,c'), inner_one STRUCT(a INTEGER, \"b c\" VARCHAR[]), words MAP(VARCHAR, VARCHAR), "
    "deep STRUCT(l VARCHAR[], x DOUBLE)[], vector FLOAT[3], doubled INTEGER GENERATED ALWAYS AS (reps * 2), caption VARCHAR)",
    "CREATE TABLE notes (note_id VARCHAR PRIMARY KEY, workspace VARCHAR NOT NULL, body VARCHAR, deleted_at TIMESTAMP)",
    """INSERT INTO cards (card_id, workspace, front, reps, tags) VALUES (1, 'A', 'one', 1, ['x']), (2, 'A', 'two', 2, []),
    (3, 'A', 'three', 3, ['y', 'z']), (4, 'A', 'four', 4, ['q"uote', 'it''s', '\\']), (5, 'B', 'five', 5, [])""",
    r"""UPDATE cards SET f = 0.1, d = 'nan', money = 1234567890123456789012345678.0123456789,
    big = -170141183460469231731687303715884105727, picture = '\x00\xFF\x27', j = '{"a": 1.0, "z":[1e2]}',
    made = '2024-01-01 00:00:00.123456', ns = '2024-01-01 00:00:00.123456789', zoned = '2024-06-01 12:00:00.000001+02',
    day = '0044-03-15 (BC)', span = INTERVAL '13 months -3 days -00:00:01.5',
    id = 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', bits = '0101', mood = 'b,c' WHERE card_id = 1""",
    r"""UPDATE cards SET inner_one = {'a': 1, 'b c': ['x, y', NULL, 'NULL', '']},
    words = map(['k=1', '}'], ['''q''', NULL]), vector = [0.1, 2, 3], caption = 'Cap',
    deep = [{'l': [')]}', '"'], 'x': 'nan'::DOUBLE}, NULL, {'l': [], 'x': '-0.0'::DOUBLE}] WHERE card_id = 1""",
    r"""UPDATE cards SET f = 'inf', d = '-0.0', money = -0.5, big = 0, picture = '', j = 'null', made = 'infinity',
    day = '-infinity', span = INTERVAL '0 days', bits = '1', mood = 'a', words = map([]::VARCHAR[], []::VARCHAR[]),
    deep = [], caption = 'a' || chr(0) || 'b' WHERE card_id = 2""",
    "UPDATE cards SET d = 1e-320, big = 9007199254740993, inner_one = {'a': NULL, 'b c': NULL} WHERE card_id = 3",
    r"""UPDATE cards SET f = -1.5, d = 0.1, picture = repeat('\x07', 300)::BLOB, j = '"text"' WHERE card_id = 4""",
    "INSERT INTO notes VALUES ('n1', 'A', 'hello', NULL), ('n2', 'A', NULL, NULL), ('n3', 'B', 'other', NULL)",
]


class Sqlite:
    ending = "sqlite"

    def __init__(self, place):
        self.path = place.work / "app.sqlite"
        self.run(SQLITE)

    def run(self, script):
        database = sqlite3.connect(self.path, isolation_level=None)
        database.executescript(script)
        database.close()

    def rows(self):
        """Every value of every row, with what it is stored as."""
        database = sqlite3.connect(self.path)
        found = {}
        for table in ("cards", "notes"):
            names = [row[1] for row in database.execute(f"PRAGMA table_xinfo({table})")]
            exact = ", ".join(f"typeof({name}) || ' ' || hex({name}) || ' ' || quote({name})" for name in names)
            found[table] = sorted(database.execute(f"SELECT {exact} FROM {table}"))
        database.close()
        return found


class Duck:
    ending = "duckdb"

    def __init__(self, place):
        self.path = place.work / "app.duckdb"
        with_duckdb(self.path, *DUCKDB)

    def run(self, script):
        with_duckdb(self.path, *[sql for sql in script.split(";") if sql.strip()])

    def rows(self):
        return {table: sorted(Duckdb().run(self.path, f"SELECT t::VARCHAR, hash(t)::VARCHAR, {more} FROM {table} t"))
                for table, more in (("cards", "d::VARCHAR || caption || length(caption)"), ("notes", "''"))}


SERVER = Postgres()
POSTGRES = r"""
CREATE TYPE mood AS ENUM ('a', 'b,c');
CREATE DOMAIN short AS varchar(9);
CREATE TABLE cards (card_id integer PRIMARY KEY, workspace text NOT NULL, front text NOT NULL, reps integer NOT NULL,
  tags text[] NOT NULL, f real, d double precision, money numeric, price numeric(12,3), picture bytea, j jsonb, raw json,
  made timestamp, zoned timestamptz, day date, span interval, id uuid, bits varbit, mood mood, grid integer[][],
  number integer GENERATED BY DEFAULT AS IDENTITY, doubled integer GENERATED ALWAYS AS (reps * 2) STORED,
  caption varchar(20) COLLATE "C", fixed char(5), net inet, word short);
CREATE TABLE notes (note_id text PRIMARY KEY, workspace text NOT NULL, body text, deleted_at timestamp);
INSERT INTO cards (card_id, workspace, front, reps, tags) VALUES (1, 'A', 'one', 1, '{x}'), (2, 'A', 'two', 2, '{}'),
  (3, 'A', 'three', 3, '{y,z}'), (4, 'A', 'four', 4, ARRAY['q"uote', 'it''s', '\', 'NULL', '']), (5, 'B', 'five', 5, '{}');
UPDATE cards SET f = 0.1, d = 'nan', money = 123456789012345678901234567890.0123456789, price = 1.5, picture = '\x00ff27',
  j = '{"a": 1.0, "z":[1e2]}', raw = '{"b" : 1,"b":2}', made = '2024-01-01 00:00:00.123456',
  zoned = '2024-06-01 12:00:00.000001+02', day = '0044-03-15 BC', span = '13 months -3 days -00:00:01.5',
  id = 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', bits = '0101', mood = 'b,c', grid = '{{1,NULL},{3,4}}', caption = 'Cap',
  fixed = 'ab', net = '10.0.0.1/8', word = 'dom' WHERE card_id = 1;
UPDATE cards SET f = 'infinity', d = '-0.0', money = 'NaN', price = -0.5, picture = '', j = 'null', made = 'infinity',
  zoned = '-infinity', day = 'infinity', span = '0', bits = '', mood = 'a', grid = '{}', caption = '' WHERE card_id = 2;
UPDATE cards SET d = 1e-320, money = 0.1000, raw = ' "text" ' WHERE card_id = 3;
INSERT INTO notes VALUES ('n1', 'A', 'hello', NULL), ('n2', 'A', NULL, NULL), ('n3', 'B', 'other', NULL);
"""


class Post:
    ending = "postgres"

    def __init__(self, place):
        self.path = SERVER.make(place, POSTGRES)

    def run(self, script):
        SERVER.run(self.path, script)

    def rows(self):
        return {table: sorted(SERVER.rows(self.path, f"SET extra_float_digits = 3; SELECT t::text FROM {table} t"))
                for table in ("cards", "notes")}


ENGINES = (Sqlite, Duck, Post)


class App:
    """A database with its contract, and the program asked about it."""

    def __init__(self, place, engine, contract=CONTRACT, claim="workspace=A"):
        self.place, self.data = place, engine(place)
        self.contract = place.write("study.yaml", contract)
        self.claim = claim
        self.start = self.data.rows()

    def words(self, claim=None):
        return ["--source", f"app={self.data.path}", "--contract", self.contract, "--claim", claim or self.claim]

    def write(self, sql, *more, claim=None):
        return self.place.run("sql", sql, *more, *self.words(claim))

    def undo(self, batch, *more, claim=None):
        return self.place.run("undo", batch, *more, *self.words(claim))

    def batches(self):
        return self.place.run("undo", "--list").document["batches"]

    def ledger(self, sql, *values):
        ledger = sqlite3.connect(self.place.home / "ledger.sqlite", isolation_level=None, timeout=20)
        rows = ledger.execute(sql, values).fetchall()
        ledger.close()
        return rows


def batch_of(reply):
    return (reply.document or {}).get("batch_id")


def differs(what, got, wanted):
    if got != wanted:
        yield f"{what}: {got!r}, wanted {wanted!r}"


def code_of(reply):
    return reply.code, (reply.document or {}).get("code")


def each_engine(test):
    """One case for each engine: the same names in what it yields."""
    def played(place):
        for engine in ENGINES:
            folder = place.work
            place.work = folder / engine.ending
            place.work.mkdir()
            shutil.rmtree(place.home)
            place.home.mkdir()
            for said in test(App(place, engine)):
                yield f"{engine.ending}: {said}"
            place.work = folder
    played.__name__, played.__doc__ = test.__name__, test.__doc__
    return played


# ---- what can be undone ----

WRITES = {
    "insert": "INSERT INTO cards (card_id, front, reps, tags) VALUES (10, 'ten', 1, ('a')), (11, 'eleven', 1, ())",
    "update": "UPDATE cards SET front = front || '!', reps = reps + 1, tags = ('new') WHERE card_id <= 3",
    "delete": "DELETE FROM cards WHERE card_id IN (1, 2, 3, 4)",
    "soft delete": "DELETE FROM notes WHERE note_id = 'n1'",
    "update of the key": "UPDATE cards SET card_id = card_id + 100 WHERE card_id IN (1, 4)",
    "upsert": "INSERT INTO cards (card_id, front, reps, tags) VALUES (1, 'again', 7, ()), (12, 'twelve', 1, ()) "
              "ON CONFLICT (card_id) DO UPDATE SET front = excluded.front, reps = excluded.reps",
    "to NULL and from it": "UPDATE notes SET body = NULL WHERE note_id = 'n1'; "
                           "UPDATE notes SET body = 'x' WHERE note_id = 'n2'",
    "one row many times": "INSERT INTO cards (card_id, front, reps, tags) VALUES (20, 'a', 1, ()); "
                          "UPDATE cards SET reps = 2 WHERE card_id IN (20, 1); DELETE FROM cards WHERE card_id = 20; "
                          "UPDATE cards SET reps = 3 WHERE card_id = 1; UPDATE cards SET front = 'z' WHERE card_id = 1",
    "mixed": "INSERT INTO cards (card_id, front, reps, tags) VALUES (30, 'a', 1, ('t')); "
             "UPDATE cards SET reps = reps + 5 WHERE card_id IN (1, 2, 30); DELETE FROM cards WHERE card_id IN (2, 3); "
             "DELETE FROM notes WHERE note_id = 'n2'; INSERT INTO notes (note_id, body) VALUES ('n9', 'new')",
}


@each_engine
def test_each_kind_of_write_is_undone_exactly(app):
    for name, sql in WRITES.items():
        written = app.write(sql)
        batch = batch_of(written)
        if written.code != 0 or not batch:
            yield f"{name}: {written.said}"
            continue
        yield from differs(f"{name}: the source changed", app.data.rows() != app.start, True)
        tried = app.undo(batch, "--dry-run")
        yield from differs(f"{name}: dry run", (tried.code, (tried.document or {}).get("dry_run")), (0, True))
        yield from differs(f"{name}: a dry run changed the source", app.data.rows() == app.start, False)
        undone = app.undo(batch)
        yield from differs(f"{name}: {undone.said}", (undone.code, (undone.document or {}).get("outcome")), (0, "undone"))
        got = app.data.rows()
        for table, rows in app.start.items():
            yield from differs(f"{name}: {table}", got[table], rows)
        yield from differs(f"{name}: again", code_of(app.undo(batch)), (REJECTED, "undo-refused"))
    states = {batch["state"] for batch in app.batches()}
    yield from differs("states", states, {"undone"})
    yield from differs("rows that are kept of undone batches", app.ledger("SELECT count(*) FROM undo_rows"), [(0,)])


@each_engine
def test_what_is_said(app):
    written = app.write(WRITES["mixed"])
    document = written.document
    yield from differs("ids of the statements", {one.get("batch_id") for one in document["statements"]},
                       {document.get("batch_id")})
    listed = app.place.run("undo", "--list").document
    yield from differs("list", [one["batch_id"] for one in listed["batches"]], [document["batch_id"]])
    yield from differs("total", listed["agent_surface"].get("universe_total"), 1)
    yield from differs("resources", listed["batches"][0]["resources"], ["cards", "notes"])
    undone = app.undo(document["batch_id"]).document
    yield from differs("cards", undone["resources"][0],
                       {"resource": "notes", "removed": 1, "restored": 1, "inserted": 0}
                       if undone["resources"][0]["resource"] == "notes" else
                       {"resource": "cards", "removed": 1, "restored": 1, "inserted": 2})
    yield from differs("rows", undone["row_count"], 6)
    again = app.undo(document["batch_id"])
    if "was undone at 20" not in str(again.document):
        yield f"the second undo does not say when the first was: {again.document}"


@each_engine
def test_what_leaves_no_record(app):
    for sql, words in (("UPDATE cards SET reps = 9 WHERE card_id = 1", ["--dry-run"]),
                       ("UPDATE cards SET reps = reps WHERE card_id = 1", []),
                       ("UPDATE cards SET reps = 9 WHERE card_id = 777", []),
                       ("SELECT front FROM cards", [])):
        reply = app.write(sql, *words)
        yield from differs(f"{sql} {words}: {reply.said}", (reply.code, batch_of(reply)), (0, None))
    failing = app.write("UPDATE cards SET reps = 9 WHERE card_id = 1; INSERT INTO cards (card_id, front, reps, tags) "
                        "VALUES (2, 'taken', 1, ())")
    yield from differs("a batch that fails", failing.code != 0, True)
    yield from differs("batches", app.batches(), [])
    yield from differs("rows", app.ledger("SELECT count(*) FROM undo_rows"), [(0,)])


# ---- what can't ----

@each_engine
def test_rows_that_changed_since(app):
    batch = batch_of(app.write(WRITES["delete"] + "; UPDATE notes SET body = 'mine' WHERE note_id IN ('n1', 'n2')"))
    app.data.run("UPDATE notes SET body = 'theirs' WHERE note_id = 'n2'; INSERT INTO cards "
                 "(card_id, workspace, front, reps, tags) SELECT 3, 'B', 'theirs', 1, tags FROM cards WHERE card_id = 5")
    left = app.data.rows()
    for words in (["--dry-run"], []):
        reply = app.undo(batch, *words)
        yield from differs("exit code", code_of(reply), (REJECTED, "undo-refused"))
        said = str(reply.document)
        for wanted in ("2 of the 6 rows", "note_id = n2", "card_id = 3"):
            if wanted not in said:
                yield f"not told: {wanted} in {said}"
        yield from differs("the source", app.data.rows(), left)
    app.data.run("UPDATE notes SET body = 'mine' WHERE note_id = 'n2'; DELETE FROM cards WHERE card_id = 3")
    yield from differs("when they are again as they were", app.undo(batch).code, 0)
    yield from differs("the source", app.data.rows(), app.start)


@each_engine
def test_a_column_that_the_contract_does_not_list_changed(app):
    batch = batch_of(app.write(WRITES["update"]))
    app.data.run("UPDATE cards SET caption = 'theirs' WHERE card_id = 2")
    left = app.data.rows()
    yield from differs("exit code", code_of(app.undo(batch)), (REJECTED, "undo-refused"))
    yield from differs("the source", app.data.rows(), left)
    inserted = batch_of(app.write(WRITES["insert"]))
    app.data.run("UPDATE cards SET caption = 'theirs' WHERE card_id = 10")
    yield from differs("of an inserted row", code_of(app.undo(inserted)), (REJECTED, "undo-refused"))


@each_engine
def test_another_scope(app):
    batch = batch_of(app.write(WRITES["mixed"]))
    left = app.data.rows()
    other = app.undo(batch, claim="workspace=B")
    yield from differs("another tenant", code_of(other), (REJECTED, "undo-refused"))
    if "'A'" in str(other.document) or "ten" in str(other.document.get("detail")):
        yield f"it tells of the other tenant: {other.document}"
    nobody = app.place.run("undo", batch, *app.words()[:-2])
    yield from differs("nobody", code_of(nobody), (REJECTED, "scope-missing"))
    yield from differs("the source", app.data.rows(), left)
    yield from differs("its own tenant", app.undo(batch).code, 0)


@each_engine
def test_another_contract_or_table(app):
    batch = batch_of(app.write(WRITES["update"]))
    for what, text in (("no such resource", CONTRACT.replace("  cards:\n    key", "  others:\n    table: cards\n    key")),
                       ("another key", CONTRACT.replace("key: card_id", "key: front")),
                       ("another table", CONTRACT.replace("  cards:\n", "  cards:\n    table: cards_copy\n"))):
        if what == "another table":
            app.data.run("CREATE TABLE cards_copy AS SELECT * FROM cards")
        app.contract.write_text(text)
        reply = app.undo(batch)
        yield from differs(f"{what}: {reply.said}", code_of(reply), (REJECTED, "undo-refused"))
        if "contract" not in str((reply.document or {}).get("hint")):
            yield f"{what}: the hint is {reply.document}"
    app.contract.write_text(CONTRACT)
    app.data.run("ALTER TABLE cards ADD COLUMN later INTEGER")
    reply = app.undo(batch)
    yield from differs("a new column", code_of(reply), (REJECTED, "undo-refused"))
    if "later" not in str((reply.document or {}).get("detail")):
        yield f"the column is not named: {reply.document}"
    elsewhere = app.place.run("undo", batch, "--source", f"other={app.data.path}")
    yield from differs("another source", code_of(elsewhere), (NOT_FOUND, "unknown-source"))


def test_words_that_make_no_sense(place):
    for words, wanted in (([], USAGE), (["b1"], NOT_FOUND), (["a1"], NOT_FOUND), (["b0"], NOT_FOUND), (["--list"], 0),
                          (["b1", "--limt", "3"], USAGE)):
        yield from differs(f"exit code of {words}", place.run("undo", *words).code, wanted)
    reply = place.run("undo")
    if "--list" not in str((reply.document or {}).get("hint")):
        yield f"usage: {reply.document}"


def test_rows_that_a_foreign_key_took_along(place):
    app = App(place, Sqlite)
    app.data.run("CREATE TABLE marks (card_id INTEGER REFERENCES cards ON DELETE CASCADE); INSERT INTO marks VALUES (1), (5)")
    plain = app.undo(batch_of(app.write("DELETE FROM cards WHERE card_id = 2")))
    yield from differs("without any", [one["code"] for one in plain.document["warnings"]], [])
    undone = app.undo(batch_of(app.write("DELETE FROM cards WHERE card_id = 1")))
    yield from differs("with one", [one["code"] for one in undone.document["warnings"]], ["undo-partial"])
    yield from differs("the source", app.data.rows(), app.start)


def test_a_value_that_another_row_has_now(place):
    app = App(place, Sqlite)
    batch = batch_of(app.write("UPDATE cards SET front = 'mine' WHERE card_id = 1"))
    app.data.run("CREATE UNIQUE INDEX u ON cards (front); UPDATE cards SET front = 'one' WHERE card_id = 3")
    left = app.data.rows()
    reply = app.undo(batch)
    yield from differs("exit code", code_of(reply), (REJECTED, "undo-refused"))
    if "duplicate-key" not in str((reply.document or {}).get("detail")):
        yield f"the reason: {reply.document}"
    yield from differs("the source", app.data.rows(), left)


@each_engine
def test_how_long_rows_are_kept(app):
    old = batch_of(app.write("UPDATE cards SET reps = 7 WHERE card_id = 1"))
    app.ledger("UPDATE undo_batches SET kept_ms = kept_ms - 31 * 86400000")
    young = batch_of(app.write("UPDATE cards SET reps = 8 WHERE card_id = 2"))
    reply = app.undo(old)
    yield from differs("exit code", code_of(reply), (REJECTED, "undo-refused"))
    if "forgotten" not in str(reply.document):
        yield f"the reason: {reply.document}"
    yield from differs("the rows that are left", app.ledger("SELECT 'b' || batch FROM undo_rows"), [(young,)])
    app.place.write("candor.yaml", "limits: {undo_days: 0}\n")
    written = app.write("UPDATE cards SET reps = 9 WHERE card_id = 3")
    yield from differs("with no days", (written.code, batch_of(written)), (0, None))


def test_a_trigger_that_has_its_own_mind(place):
    app = App(place, Sqlite)
    batch = batch_of(app.write("UPDATE cards SET reps = 8 WHERE card_id = 1"))
    app.data.run("CREATE TRIGGER t AFTER UPDATE ON cards BEGIN UPDATE cards SET caption = 'touched' "
                 "WHERE card_id = new.card_id; END")
    left = app.data.rows()
    yield from differs("exit code", code_of(app.undo(batch)), (REJECTED, "undo-refused"))
    yield from differs("the source", app.data.rows(), left)


def test_a_table_that_no_record_can_hold(place):
    app = App(place, Duck)
    app.data.run("ALTER TABLE notes ADD COLUMN either UNION(n INTEGER, s VARCHAR)")
    written = app.write("UPDATE notes SET body = 'x' WHERE note_id = 'n1'; UPDATE cards SET reps = 9 WHERE card_id = 1")
    yield from differs("the write", (written.code, batch_of(written)), (0, None))
    yield from differs("its warnings", [one["code"] for one in written.document["statements"][0]["warnings"]],
                       ["undo-not-kept"])


def test_a_key_that_the_source_rounds(place):
    app = App(place, Duck, CONTRACT + "  prices:\n    key: price\n    writes: [update]\n    columns: {price: decimal}\n")
    app.data.run("CREATE TABLE prices (price DECIMAL(5,1), workspace VARCHAR); INSERT INTO prices VALUES (1.5, 'A'), (3, 'A')")
    written = app.write("UPDATE prices SET price = price + 0.25 WHERE price = 1.5")
    yield from differs("the write", (written.code, batch_of(written)), (0, None))
    yield from differs("its warnings", [one["code"] for one in written.document["warnings"]], ["undo-not-kept"])
    exact = app.write("UPDATE prices SET price = price + 0.5 WHERE price = 3")
    yield from differs("one that it does not round", app.undo(batch_of(exact)).code if batch_of(exact) else exact.said, 0)


# ---- bad moments ----

@each_engine
def test_two_at_once(app):
    for _ in range(4):
        batch = batch_of(app.write(WRITES["mixed"]))
        words = ["undo", batch, *app.words(), "--json", "--home", app.place.home]
        replies = [finish(process) for process in [app.place.start(*words) for _ in range(3)]]
        codes = sorted(reply.code for reply in replies)
        if codes.count(0) != 1 or set(codes) - {0, REJECTED, BUSY, 3}:
            yield f"exit codes {codes}: {[reply.said for reply in replies]}"
        yield from differs("the source", app.data.rows(), app.start)


@each_engine
def test_killed_at_any_moment(app):
    """However a write or an undo ends, a further undo leaves the source as it was before the write."""
    dice = random.Random(7)
    began = time.monotonic()
    app.undo(batch_of(app.write(WRITES["mixed"])))
    whole = (time.monotonic() - began) / 2
    killed, seen = 0, set()
    for turn in range(16):
        words = ["sql", WRITES["mixed"], *app.words()]
        if turn % 2 == 1:
            words = ["undo", batch_of(app.write(WRITES["mixed"])), *app.words()]
        process = app.place.start(*words, "--json", "--home", app.place.home)
        time.sleep(dice.uniform(0.3, 1.0) * whole)
        process.kill()
        killed += process.wait() == -signal.SIGKILL
        finish(process)
        for batch in app.batches():
            if batch["state"] == "undone":
                continue
            reply = app.undo(batch["batch_id"])
            seen.add((batch["state"], (reply.document or {}).get("outcome")))
            if reply.code != 0:
                yield f"turn {turn}: {batch['state']}: {reply.said}"
            if (reply.document or {}).get("outcome") == "nothing-to-undo":
                app.ledger("UPDATE undo_batches SET state = 'dropped' WHERE 'b' || id = ?", batch["batch_id"])
        if app.data.rows() != app.start:
            yield f"turn {turn}: the source is not as it was; seen so far {seen}"
            return
    if killed < 5:
        yield f"only {killed} were killed on their way: this shows nothing"


def test_killed_between_the_record_and_the_commit(place):
    """SQLite's commit waits for a reader, so that the moment lasts."""
    app = App(place, Sqlite)
    reader = sqlite3.connect(app.data.path, isolation_level=None)
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM cards").fetchall()
    process = app.place.start("sql", WRITES["mixed"], *app.words(), "--json", "--home", app.place.home)
    deadline = time.monotonic() + 30
    found = []
    while not found and time.monotonic() < deadline:
        time.sleep(0.02)
        if (app.place.home / "ledger.sqlite").exists():
            try:
                found = app.ledger("SELECT 'b' || id, state FROM undo_batches")
            except sqlite3.OperationalError:
                pass  # its tables are being made
    held = app.undo(found[0][0]) if found else None
    process.kill()
    process.wait()
    finish(process)
    reader.execute("ROLLBACK")
    reader.close()
    yield from differs("the ledger at that moment", [state for _, state in found], ["pending"])
    yield from differs("an undo at that moment", held and held.code, BUSY)
    for _ in range(2):
        reply = app.undo(found[0][0])
        yield from differs(f"afterwards: {reply.said}", (reply.code, (reply.document or {}).get("outcome")),
                           (0, "nothing-to-undo"))
    yield from differs("the source", app.data.rows(), app.start)


@each_engine
def test_killed_between_the_commit_and_its_mark(app):
    """What such a kill leaves: the source has the batch, and the ledger does not know it."""
    batch = batch_of(app.write(WRITES["mixed"]))
    dead = "1 2 no-boot " + os.readlink("/proc/self/ns/pid") + " 1"
    app.ledger("UPDATE undo_batches SET state = 'pending', owner = ?", dead)
    reply = app.undo(batch, "--dry-run")
    yield from differs("dry run", (reply.document or {}).get("outcome"), "undone")
    rows = app.ledger("SELECT * FROM undo_rows")
    yield from differs("undo", (app.undo(batch).document or {}).get("outcome"), "undone")
    yield from differs("the source", app.data.rows(), app.start)
    # The same of the undo itself.
    for row in rows:
        app.ledger("INSERT INTO undo_rows VALUES (?, ?, ?, ?, ?, ?)", *row)
    app.ledger("UPDATE undo_batches SET state = 'undoing', undone_ms = 0, owner = ?", dead)
    yield from differs("undo again", (app.undo(batch).document or {}).get("outcome"), "already-undone")
    yield from differs("the source", app.data.rows(), app.start)
    yield from differs("and once more", code_of(app.undo(batch)), (REJECTED, "undo-refused"))


@each_engine
def test_a_full_disk_keeps_the_source_as_it_is(app):
    with SmallDisk(app.place) as disk:
        yield from differs("a write before", app.write("UPDATE cards SET reps = 2 WHERE card_id = 1").code, 0)
        left = app.data.rows()
        disk.fill()
        reply = app.write("UPDATE cards SET front = front || '?' WHERE card_id <= 4")
        disk.free()
        yield from differs("exit code", (reply.code, (reply.document or {}).get("code")), (ENGINE, "disk-full"))
        yield from differs("the source", app.data.rows(), left)
        yield from differs("undo afterwards", app.undo("b1").code, 0)
        yield from differs("the source", app.data.rows(), app.start)


def test_an_agent_is_told_the_id(place):
    app = App(place, Sqlite)
    server = Mcp(place, *app.words())
    written = server.tool("sql_execute", sql=WRITES["update"])
    batch = batch_of(written)
    yield from differs("another process undoes it", app.undo(batch).code if batch else written.said, 0)
    yield from differs("the source", app.data.rows(), app.start)
    tools = [tool["name"] for tool in server.ask("tools/list")["result"]["tools"]]
    if any("undo" in name for name in tools):
        yield f"undoing is for operators: {tools}"
    server.close()


if __name__ == "__main__":
    with contextlib.closing(SERVER):
        sys.exit(run_cases(globals(), __file__))
