"""`candor contract`, and what a contract publishes, as a person and an agent meet them: on SQLite and on DuckDB."""

import contextlib
import json
import os
import sqlite3
import subprocess
import sys

from cases import run_cases
from databases import Postgres
from duckdb_file import with_duckdb
from program import BIN, Mcp

USAGE, DATA, FILE, SETTINGS = 2, 7, 14, 78

CONTRACT = """contract: study
source: app
scope: {column: workspace, value: "${claim.workspace}"}
notes:
  - A deck is a saved tag filter.
resources:
  cards:
    table: card_table
    description: Cards of the workspace.
    key: card_id
    writes: [insert, update, delete]
    columns:
      card_id: integer
      kind: {type: string, enum: [basic, cloze]}
      tags: "string[]"
      due_at: {type: datetime, nullable: true}
      done: boolean
    absent:
      deck_id: Match the deck's tags.
"""

# Forty cards of two workspaces, a table that nobody publishes, and one that its values alone tell of.
SQLITE = """
CREATE TABLE card_table (card_id INTEGER PRIMARY KEY, workspace TEXT NOT NULL, kind TEXT NOT NULL, tags TEXT NOT NULL,
  due_at TEXT, done INTEGER NOT NULL DEFAULT 0, is_easy INTEGER,
  made_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%S','now')));
CREATE TABLE users (user_id INTEGER PRIMARY KEY, email TEXT NOT NULL, password_hash TEXT NOT NULL);
INSERT INTO users VALUES (1, 'alice@example.org', 'hash');
INSERT INTO card_table (card_id, workspace, kind, tags, due_at, done, is_easy)
  WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40)
  SELECT i, iif(i % 2, 'A', 'B'), iif(i % 3, 'basic', 'cloze'), '["sql"]', '2024-01-01 09:00:00', i % 2, 1 FROM n;
"""
DUCKDB = [
    "CREATE TABLE card_table (card_id INTEGER PRIMARY KEY, workspace VARCHAR NOT NULL, kind VARCHAR NOT NULL, "
    "tags VARCHAR[] NOT NULL, due_at TIMESTAMP, done BOOLEAN NOT NULL DEFAULT false, is_easy BOOLEAN)",
    "CREATE TABLE users (user_id INTEGER PRIMARY KEY, email VARCHAR NOT NULL, password_hash VARCHAR NOT NULL)",
    "INSERT INTO users VALUES (1, 'alice@example.org', 'hash')",
    "INSERT INTO card_table SELECT i, if(i % 2 = 1, 'A', 'B'), if(i % 3 > 0, 'basic', 'cloze'), ['sql'], "
    "TIMESTAMP '2024-01-01 09:00:00', i % 2 = 1, true FROM range(1, 41) t(i)",
]


def sqlite_file(place, *more):
    path = place.work / "app.sqlite"
    with contextlib.closing(sqlite3.connect(path)) as database, database:
        database.executescript(SQLITE)
        for sql in more:
            database.executescript(sql)
    database.close()
    return path


def duckdb_file(place, *more):
    path = place.work / "app.duckdb"
    with_duckdb(path, *DUCKDB, *more)
    return path


POSTGRES = Postgres()
POSTGRES_TABLES = [
    "CREATE TABLE card_table (card_id integer PRIMARY KEY, workspace text NOT NULL, kind text NOT NULL, "
    "tags text[] NOT NULL, due_at timestamp, done boolean NOT NULL DEFAULT false, is_easy boolean)",
    "CREATE TABLE users (user_id integer PRIMARY KEY, email text NOT NULL, password_hash text NOT NULL)",
    "INSERT INTO users VALUES (1, 'alice@example.org', 'hash')",
    "INSERT INTO card_table SELECT i, CASE WHEN i % 2 = 1 THEN 'A' ELSE 'B' END, CASE WHEN i % 3 > 0 THEN 'basic' ELSE "
    "'cloze' END, '{sql}', '2024-01-01 09:00:00', i % 2 = 1, true FROM generate_series(1, 40) i",
]


class Database(str):
    """A URL that can be asked, like a file, what it is called."""

    name, suffix = "app.postgres", ".postgres"


def postgres_database(place, *more):
    return Database(POSTGRES.make(place, ";".join([*POSTGRES_TABLES, *more])))


ENGINES = (sqlite_file, duckdb_file, postgres_database)


def setting(place, make, contract=CONTRACT):
    """The words that publish the database of this engine by the contract, to workspace A."""
    return ["--source", f"app={make(place)}", "--contract", place.write("study.yaml", contract),
            "--claim", "workspace=A"]


def differs(what, got, wanted):
    if got != wanted:
        yield f"{what}: {got!r}, wanted {wanted!r}"


def fault_of(reply, kind, column=None):
    for fault in (reply.document or {}).get("faults", []):
        if fault["kind"] == kind and fault.get("column") == column:
            return fault
    return {}


# ---- describe ----

def test_describe_needs_no_database_and_tells_nothing_of_where_the_data_lies(place):
    place.write("study.yaml", CONTRACT)
    for form in ("markdown", "mcp", "openapi", "json"):
        process = place.start("contract", "describe", "study.yaml", "--format", form)
        out, err = process.communicate(timeout=60)
        text = out.decode()
        if process.returncode != 0 or "cards" not in text:
            yield f"{form}: exit code {process.returncode}: {text[:200]} {err.decode()[:200]}"
        if "card_table" in text or "workspace:" in text:
            yield f"{form} tells of the source's own names"
        if form != "markdown":
            json.loads(text)
    plain = place.start("contract", "describe", "study.yaml").communicate(timeout=60)[0].decode()
    if not plain.startswith("#"):
        yield f"without --format it is Markdown, elsewhere than on a terminal too: {plain[:80]}"
    if (place.home / ".local").exists():
        yield "describing opened a ledger"


def test_describe_prints_the_limits_of_the_configuration(place):
    place.write("study.yaml", CONTRACT)
    place.write("candor.yaml", "limits: {rows_per_statement: 37}\n")
    text = place.start("contract", "describe", "study.yaml").communicate(timeout=60)[0].decode()
    if "37" not in text:
        yield "the limit of candor.yaml is not in the description"


def test_all_faults_of_a_file_at_once(place):
    place.write("bad.yaml", CONTRACT.replace("done: boolean", "done: bool").replace("upsert", "").replace(
        "writes: [insert, update, delete]", "writes: [insert, upsert]"))
    for verb in ("describe", "check"):
        reply = place.run("contract", verb, "bad.yaml", *(["--source", f"app={sqlite_file(place)}"] if verb == "check" else []))
        yield from differs(f"exit code of {verb}", reply.code, SETTINGS)
        said = json.dumps(reply.document)
        for wanted in ("bad.yaml:", "upsert", "bool"):
            if wanted not in said:
                yield f"{verb} does not tell of {wanted}: {said[:300]}"
        (place.work / "app.sqlite").unlink(missing_ok=True)


def test_words_that_make_no_sense(place):
    for words in ([], ["describ", "x.yaml"], ["describe"], ["check"], ["describe", "a.yaml", "b.yaml"]):
        yield from differs(f"exit code of {words}", place.run("contract", *words).code, USAGE)
    reply = place.run("contract", "inti")
    if "init" not in str((reply.document or {}).get("hint")):
        yield f"the near word is not named: {reply.document}"


# ---- check ----

def test_a_contract_that_the_data_keeps_is_clean(place):
    for make in ENGINES:
        path = make(place)
        place.write("study.yaml", CONTRACT)
        reply = place.run("contract", "check", "study.yaml", "--source", f"app={path}")
        yield from differs(f"{path.name}: exit code", reply.code, 0)
        yield from differs(f"{path.name}: faults", (reply.document or {}).get("faults"), [])
        yield from differs(f"{path.name}: rows", [r.get("rows") for r in (reply.document or {}).get("resources", [])], [40])


def test_data_that_breaks_the_contract_is_counted_in_sqlite(place):
    path = sqlite_file(
        place,
        "UPDATE card_table SET kind = 'image' WHERE card_id <= 3",
        "UPDATE card_table SET tags = 'sql, go' WHERE card_id = 4; UPDATE card_table SET tags = '[1]' WHERE card_id = 5",
        "UPDATE card_table SET due_at = 'soon' WHERE card_id IN (6, 7); UPDATE card_table SET done = 5 WHERE card_id = 8")
    place.write("study.yaml", CONTRACT.replace("due_at: {type: datetime, nullable: true}",
                                               "due_at: {type: datetime, nullable: true}\n      is_easy: boolean"))
    with contextlib.closing(sqlite3.connect(path)) as database, database:
        database.execute("UPDATE card_table SET is_easy = NULL WHERE card_id > 30")
    database.close()
    reply = place.run("contract", "check", "study.yaml", "--source", f"app={path}")
    yield from differs("exit code", reply.code, DATA)
    for kind, column, count in (("enum-values", "kind", 3), ("unreadable-values", "tags", 2),
                                ("unreadable-values", "due_at", 2), ("unreadable-values", "done", 1),
                                ("null-values", "is_easy", 10)):
        yield from differs(f"count of {kind} in {column}", fault_of(reply, kind, column).get("count"), count)
    yield from differs("examples", fault_of(reply, "enum-values", "kind").get("examples"), ["image"])
    yield from differs("number of faults", (reply.document or {}).get("fault_count"), 5)


def test_data_that_breaks_the_contract_is_counted_in_duckdb(place):
    path = duckdb_file(
        place,
        "CREATE TABLE loose (id INTEGER, day VARCHAR, tags VARCHAR, label VARCHAR)",
        "INSERT INTO loose VALUES (1, '2024-01-01', '[\"a\"]', 'x'), (1, 'soon', '[1]', 'y'), (2, NULL, 'a, b', NULL)")
    place.write("loose.yaml", """contract: loose
source: app
resources:
  loose:
    key: id
    columns:
      id: integer
      day: {type: date, nullable: true}
      tags: {type: "string[]"}
      label: {type: string, enum: [x]}
""")
    reply = place.run("contract", "check", "loose.yaml", "--source", f"app={path}")
    yield from differs("exit code", reply.code, DATA)
    for kind, column, count in (("unreadable-values", "day", 1), ("unreadable-values", "tags", 2),
                                ("null-values", "label", 1), ("enum-values", "label", 1), ("duplicate-keys", "id", 1)):
        yield from differs(f"count of {kind} in {column}", fault_of(reply, kind, column).get("count"), count)
    yield from differs("number of faults", (reply.document or {}).get("fault_count"), 5)


def test_data_that_breaks_the_contract_is_counted_in_postgresql(place):
    source = POSTGRES.make(place, ";".join([
        "CREATE TYPE mood AS ENUM ('sad', 'glad'); CREATE DOMAIN age AS integer CHECK (VALUE > 0)",
        "CREATE TABLE loose (id integer, day date, at timestamp, tags jsonb, names text[], label varchar(9), price numeric, "
        "mood mood, age age, key text, raw bytea)",
        "INSERT INTO loose VALUES (1, '2024-01-01', '2024-01-01', '[\"a\"]', '{a}', 'x', 1.5, 'sad', 1, "
        "'d4c0ffee-0000-4000-8000-000000000001'), (1, 'infinity', '0044-03-15 BC', '[1]', '{a,NULL}', 'y', 'NaN', 'glad', 2, "
        "'no key'), (2, NULL, NULL, '{}', '{{a},{b}}', NULL, NULL, NULL, NULL, NULL)"]))
    place.write("loose.yaml", """contract: loose
source: app
resources:
  loose:
    key: id
    columns:
      id: integer
      day: {type: date, nullable: true}
      at: {type: datetime, nullable: true}
      tags: {type: "string[]"}
      names: {type: "string[]"}
      label: {type: string, enum: [x]}
      price: {type: decimal, nullable: true}
      mood: {type: string, nullable: true, enum: [sad]}
      age: {type: integer, nullable: true}
      key: {type: uuid, nullable: true}
      raw: {type: string, nullable: true}
""")
    reply = place.run("contract", "check", "loose.yaml", "--source", f"app={source}")
    yield from differs("exit code", reply.code, DATA)
    for kind, column, count in (("unreadable-values", "day", 1), ("unreadable-values", "at", 1),
                                ("unreadable-values", "tags", 2), ("unreadable-values", "names", 2),
                                ("null-values", "label", 1), ("enum-values", "label", 1), ("enum-values", "mood", 1),
                                ("unreadable-values", "price", 1), ("unreadable-values", "key", 1),
                                ("wrong-type", "raw", None), ("duplicate-keys", "id", 1)):
        yield from differs(f"count of {kind} in {column}", fault_of(reply, kind, column).get("count"), count)
    yield from differs("number of faults", (reply.document or {}).get("fault_count"), 11)
    begun = place.run("contract", "init", "--source", f"app={source}", "-o", "begun.yaml")
    text = (place.work / "begun.yaml").read_text() if begun.code == 0 else str(begun.document)
    for wanted in ('mood: {type: string, nullable: true, enum: ["sad", "glad"]', "age: {type: integer", "raw: no type"):
        if wanted not in text:
            yield f"{wanted} is not in\n{text}"


def test_a_role_that_can_do_too_much_is_told_of(place):
    mine = postgres_database(place)
    source = mine.replace("writer:writer-secret", "admin:admin-secret")
    place.write("study.yaml", CONTRACT)
    notes = (place.run("contract", "check", "study.yaml", "--source", f"app={source}").document or {}).get("notes")
    if not any("superuser" in note for note in notes or []):
        yield f"the superuser is not told of: {notes}"
    yield from differs("code without a contract", (place.run("sql", "SELECT 1", "--source", f"app={source}", "--in", "app").document or {}).get("code"), "unsafe-role")


def test_what_is_not_there_and_what_cannot_be_stored_so(place):
    for make in ENGINES:
        path = make(place)
        place.write("study.yaml", CONTRACT.replace("column: workspace,", "column: tenant,").replace(
            "done: boolean", "done: string\n      colour: string") + "  decks: {key: deck_id, columns: {deck_id: integer}}\n")
        reply = place.run("contract", "check", "study.yaml", "--source", f"app={path}")
        yield from differs(f"{path.name}: exit code", reply.code, DATA)
        kinds = sorted(fault["kind"] for fault in (reply.document or {}).get("faults", []))
        yield from differs(f"{path.name}: kinds", kinds, ["missing-column", "missing-scope", "missing-table", "wrong-type"])


def test_check_is_a_table_for_people(place):
    path = sqlite_file(place, "UPDATE card_table SET kind = 'image' WHERE card_id <= 3")
    place.write("study.yaml", CONTRACT)
    terminal, inside = os.openpty()
    code = subprocess.run([BIN, "contract", "check", "study.yaml", "--source", f"app={path}", "--home", place.home],
                          stdin=subprocess.DEVNULL, stdout=inside, stderr=inside, cwd=place.work,
                          env=place.environment(), timeout=60).returncode
    os.close(inside)
    shown = os.read(terminal, 65536).decode()
    os.close(terminal)
    yield from differs("exit code", code, DATA)
    for wanted in ("what is wrong", "3 rows hold a value that is not of the enum:", "'image'", "1 fault in 1 resource"):
        if wanted not in " ".join(shown.split()):
            yield f"{wanted} is not in\n{shown}"


# ---- init ----

def test_a_first_contract_is_clean_and_says_what_the_values_show(place):
    for make in ENGINES:
        path = make(place)
        name = f"{path.suffix[1:]}.yaml"
        reply = place.run("contract", "init", "--source", f"app={path}", "-o", name)
        yield from differs(f"{path.name}: exit code of init", (reply.code, reply.document), (0, {"file": name}))
        text = (place.work / name).read_text()
        for wanted in ('tags: {type: "string[]"', 'enum: ["basic", "cloze"]', "due_at: {type: datetime",
                       "is_easy: {type: boolean", "writes: []", "password_hash"):
            if wanted not in text:
                yield f"{path.name}: {wanted} is not in\n{text}"
        if path.suffix == ".sqlite" and "made_at: {type: datetime, read_only: true, generated: now}" not in text:
            yield f"the default is not taken for the time of the INSERT:\n{text}"
        if any("password_hash" in line and not line.lstrip().startswith("#") for line in text.splitlines()):
            yield f"{path.name}: the secret is published"
        checked = place.run("contract", "check", name, "--source", f"app={path}")
        yield from differs(f"{path.name}: faults of the first contract", (checked.document or {}).get("faults"), [])


def test_init_overwrites_nothing_without_force(place):
    path = sqlite_file(place)
    mine = place.write("app.yaml", "mine\n")
    words = ["contract", "init", "--source", f"app={path}", "-o", "app.yaml"]
    yield from differs("exit code", place.run(*words).code, FILE)
    yield from differs("the file", mine.read_text(), "mine\n")
    yield from differs("exit code with --force", place.run(*words, "--force").code, 0)
    if "contract: app" not in mine.read_text():
        yield "it was not written with --force"


def test_init_prints_what_it_does_not_write(place):
    process = place.start("contract", "init", "--source", f"app={sqlite_file(place)}", "--home", place.home)
    out, err = process.communicate(timeout=60)
    if process.returncode != 0 or b"contract: app" not in out:
        yield f"exit code {process.returncode}: {out[:200]} {err[:200]}"


# ---- what it publishes ----

def test_the_schema_shows_what_the_contract_says_and_nothing_else(place):
    for make in ENGINES:
        words = setting(place, make)
        reply = place.run("schema", *words)
        resources = (reply.document or {}).get("resources", [])
        yield from differs("resources", [one["resource"] for one in resources], ["app.cards"])
        yield from differs("notes", (reply.document or {}).get("notes"), ["A deck is a saved tag filter."])
        columns = {column["name"]: column for column in resources[0]["columns"]} if resources else {}
        yield from differs("types", {name: column["type"] for name, column in columns.items()},
                           {"card_id": "integer", "kind": "string", "tags": "string[]", "due_at": "datetime",
                            "done": "boolean"})
        if "'cloze'" not in str(columns.get("kind", {}).get("note")):
            yield f"the values are not told: {columns.get('kind')}"
        said = json.dumps(reply.document)
        for hidden in ("users", "card_table", "is_easy", "workspace_id"):
            if hidden in said:
                yield f"{hidden} is shown: {said[:400]}"
        yield from differs("exit code for a table that isn't published", place.run("schema", "users", *words).code, 1)
        yield from differs("exit code for the resource", place.run("schema", "cards", *words).code, 0)


def test_a_dry_run_keeps_nothing_and_says_so(place):
    for make in ENGINES:
        words = setting(place, make)
        count = lambda: place.run("sql", "SELECT COUNT(*) FROM cards WHERE kind = 'cloze'", *words).document["rows"]
        before = count()
        reply = place.run("sql", "--dry-run", "UPDATE cards SET kind = 'cloze' WHERE kind = 'basic'", *words)
        document = reply.document or {}
        yield from differs("exit code", reply.code, 0)
        yield from differs("rows", document.get("affected_count"), 13)
        yield from differs("dry_run", document.get("dry_run"), True)
        if "dry-run" not in [warning["code"] for warning in document.get("warnings", [])]:
            yield f"no note: {document}"
        yield from differs("what is there", count(), before)
        kept = place.run("sql", "UPDATE cards SET kind = 'cloze' WHERE kind = 'basic'", *words)
        yield from differs("dry_run of one that is kept", (kept.document or {}).get("dry_run"), None)
        yield from differs("what is there then", count(), [[20]])


def test_a_dry_run_without_a_contract_writes_nothing(place):
    reply = place.run("sql", "--dry-run", "CREATE TABLE t AS SELECT 1 AS a")
    yield from differs("code", (reply.document or {}).get("code"), "statement-not-allowed")
    yield from differs("the table", place.run("sql", "SELECT * FROM t").code, 1)


def test_what_was_not_counted_in_time_is_not_told_as_none(place):
    place.write("candor.yaml", "limits: {count_budget_ms: 0}\n")
    for make in ENGINES:
        words = setting(place, make)
        cut = place.run("sql", "SELECT card_id FROM cards ORDER BY kind LIMIT 3", *words).document or {}
        surface = cut.get("agent_surface", {})
        yield from differs("order", (surface.get("order"), surface.get("ties_at_border"), surface.get("order_reason")),
                           (None, None, "not-looked-at-within-budget"))
        yield from differs("warnings", cut.get("warnings"), [])
        keyed = place.run("sql", "SELECT card_id FROM cards ORDER BY kind, card_id LIMIT 3", *words).document or {}
        yield from differs("order by the key", keyed.get("agent_surface", {}).get("order"), "total")
        near = place.run("sql", "SELECT card_id FROM cards WHERE tags OVERLAP ('SQL')", *words).document or {}
        yield from differs("near values without time", (near.get("rows"), near.get("warnings")), ([], []))


def test_a_statement_is_explained_and_not_run(place):
    for make in ENGINES:
        words = setting(place, make)
        reply = place.run("sql", "--explain", "SELECT card_id FROM cards WHERE kind = 'basic' ORDER BY kind LIMIT 2;"
                          "SELECT COUNT(*) FROM cards", *words)
        statements = (reply.document or {}).get("statements", [])
        yield from differs("exit code", reply.code, 0)
        yield from differs("statements", len(statements), 2)
        for statement in statements:
            for part in ("normalized_sql", "tokens", "tree", "plan", "lowered"):
                if not statement.get(part):
                    yield f"no {part}: {statement}"
        first = statements[0]
        yield from differs("tokens", [token["text"] for token in first["tokens"]][:3], ["SELECT", "card_id", "FROM"])
        yield from differs("tree", first["tree"]["node"], "Select")
        yield from differs("plan", first["plan"]["node"], "Limit")
        lowered = first["lowered"]
        yield from differs("engine", lowered["engine"], {sqlite_file: "sqlite", duckdb_file: "duckdb"}.get(make, "postgresql"))
        yield from differs("parameters", lowered["parameters"], ["A", "basic"])
        yield from differs("steps", [step["step"] for step in lowered["steps"]], ["count", "ties", "places"])
        if "basic" in lowered["sql"] or '"workspace"' not in lowered["sql"].partition("WHERE")[2]:
            yield f"a value is text, or the scope is not there: {lowered['sql']}"
        write = place.run("sql", "--explain", "DELETE FROM cards WHERE card_id = 1", *words).document["statements"][0]
        yield from differs("steps of a write", [step["step"] for step in write["lowered"]["steps"]],
                           ["resolve", "count", "change"])
        yield from differs("a value that is not known yet", write["lowered"]["steps"][-1]["parameters"][-1],
                           {"later": "the row's card_id"})
        yield from differs("rows", place.run("sql", "SELECT COUNT(*) FROM cards", *words).document["rows"], [[20]])
        asked = json.dumps(place.run("queries").document)
        if "DELETE" in asked or "COUNT(*)" not in asked:
            yield f"the ledger has what was explained, or lacks what was run: {asked[:400]}"


def test_an_explanation_tells_the_errors_that_running_tells(place):
    for make in ENGINES:
        words = setting(place, make)
        sql = "SELECT card_i FROM cards WHERE tags LIKE '%sql%'; DELETE FROM cards"
        ran = place.run("sql", sql, *words)
        explained = place.run("sql", "--explain", sql, *words)
        codes = lambda reply: [one["code"] for one in (reply.document or {}).get("diagnostics", [])]
        yield from differs("exit code", explained.code, ran.code)
        yield from differs("codes", codes(explained), codes(ran))
        parts = [sorted(one) for one in (explained.document or {}).get("statements", [])]
        yield from differs("parts", parts, [["normalized_sql", "sql", "tokens", "tree"]] * 2)
        unclaimed = place.run("sql", "--explain", "SELECT 1", *words[:-2])
        yield from differs("without a claim", (unclaimed.document or {}).get("code"), "scope-missing")
    plain = place.run("sql", "--explain", "SELECT 1")
    yield from differs("without a contract", (plain.code, (plain.document or {}).get("code")), (1, "statement-not-allowed"))
    if "EXPLAIN" not in (plain.document or {}).get("hint", ""):
        yield f"no way out: {plain.document}"


def test_agents_are_told_of_the_contract_and_write_through_it(place):
    for make in ENGINES:
        server = Mcp(place, *setting(place, make))
        tools = {tool["name"]: tool for tool in server.ask("tools/list")["result"]["tools"]}
        size = len(json.dumps(list(tools.values()), separators=(",", ":")))
        if size >= 6000:
            yield f"the list of tools has {size} characters"
        for name, wanted in (("sql_query", "cards"), ("sql_query", "saved tag filter"), ("sql_execute", "cards")):
            if wanted not in tools[name]["description"]:
                yield f"{name} does not speak of {wanted}: {tools[name]['description']}"
        yield from differs("dry_run", tools["sql_execute"]["inputSchema"]["properties"].get("dry_run", {}).get("type"),
                           "boolean")
        insert = "INSERT INTO cards (card_id, kind, tags, done) VALUES (99, 'basic', ('sql'), TRUE)"
        dry = server.tool("sql_execute", sql=insert, dry_run=True)
        yield from differs("dry run", (dry.code, (dry.document or {}).get("dry_run")), (0, True))
        yield from differs("rows after it", server.tool("sql_query", sql="SELECT card_id FROM cards WHERE card_id = 99").document["rows"], [])
        done = server.tool("sql_execute", sql=insert)
        yield from differs("affected", (done.document or {}).get("affected_count"), 1)
        yield from differs("rows then", server.tool("sql_query", sql="SELECT card_id FROM cards WHERE card_id = 99").document["rows"], [[99]])
        schema = server.tool("schema").document
        yield from differs("schema", [one["resource"] for one in schema["resources"]], ["app.cards"])
        server.close()


if __name__ == "__main__":
    with contextlib.closing(POSTGRES):
        sys.exit(run_cases(globals(), __file__))
