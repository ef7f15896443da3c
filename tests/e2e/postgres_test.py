"""PostgreSQL as a source, against a real server: asked, described, copied beside other sources, looked at by the doctor,
and never a password anywhere.
"""

import contextlib
import json
import pathlib
import sqlite3
import sys

from cases import run_cases
from postgres_server import Server
from program import Mcp

SETUP = """
CREATE TABLE customers (id integer PRIMARY KEY, name text NOT NULL, balance numeric(12,2), tags text[], profile jsonb,
  joined timestamptz);
COMMENT ON TABLE customers IS 'Who buys';
INSERT INTO customers VALUES (1, 'Ann', 12.50, '{a,"b,c"}', '{"n": 1.50}', '2024-01-02 03:04:05.000006+02'),
  (2, 'Bob', NULL, '{}', NULL, NULL), (3, 'Cyd', -0.10, '{NULL}', '[]', 'infinity');
CREATE SCHEMA sales;
CREATE TABLE sales.orders AS SELECT i AS id, i % 3 + 1 AS customer, i * 1.1 AS amount FROM generate_series(1, 3000) AS i;
CREATE TABLE sales.patients AS SELECT i AS id, 'site ' || i % 2 AS site FROM generate_series(1, 40) AS i;
CREATE TABLE sales.stays AS SELECT i * 8 AS patient, i * 100 AS paid FROM generate_series(1, 5) AS i;
GRANT USAGE ON SCHEMA sales TO reader, writer;
GRANT SELECT ON ALL TABLES IN SCHEMA public, sales TO reader, writer;
GRANT INSERT ON customers TO writer;
ANALYZE
"""
SERVER = None


def source(role="reader"):
    return "--source", f"app={SERVER.url(role)}"


def run(place, *words, **more):
    return place.run(*words[:1], *source(), *words[1:], **more)


def values(place, sql, *words):
    reply = run(place, "sql", sql, *words)
    return reply.document["rows"] if reply.code == 0 else f"{reply.code}: {reply.said}"


def code_of(reply):
    return reply.code, (reply.document or {}).get("code")


def test_asking(place):
    want = [[1, "Ann", "12.50", ["a", "b,c"], {"n": 1.50}, "2024-01-02T01:04:05.000006+00:00"],
            [2, "Bob", None, [], None, None], [3, "Cyd", "-0.10", [None], [], "infinity"]]
    got = values(place, "SELECT * FROM customers ORDER BY id")
    if got != want:
        yield f"values: {got}"
    for sql in ("SELECT count(*) FROM sales.orders", "SELECT count(*) FROM app.sales.orders",
                "SELECT count(*) FROM orders AS x JOIN customers c ON c.id = x.customer"):
        got = values(place, sql)
        if "orders AS x" in sql:
            if not str(got).startswith("1: ") or "orders" not in got:
                yield f"{sql}: {got}"
        elif got != [[3000]]:
            yield f"{sql}: {got}"
    if (got := values(place, "SELECT table_name FROM information_schema.tables WHERE table_schema = 'sales' ORDER BY 1")) != [["orders"], ["patients"], ["stays"]]:
        yield f"information_schema: {got}"
    reply = run(place, "sql", "SELECT id FROM sales.orders ORDER BY id", "--max-rows", "2")
    surface = (reply.document or {}).get("agent_surface", {})
    if reply.code != 0 or surface.get("universe_total") != 3000 or reply.document["rows"] != [[1], [2]]:
        yield f"a cut result: {reply.said}"
    reply = run(place, "sql", "SELECT id FROM sales.orders ORDER BY id LIMIT 5")
    if (reply.document or {}).get("agent_surface", {}).get("universe_total") != 3000:
        yield f"the universe of a LIMIT: {reply.document}"


def test_errors(place):
    for sql, want in (("SELECT nam FROM customers", (1, "unknown-column")), ("SELECT * FROM custmers", (1, "unknown-table")),
                      ("DELETE FROM customers", (1, "read-only")), ("SELECT set_config('a.b', 'c', false)", (1, "statement-not-allowed")),
                      ("SELECT 1; COMMIT", None), ("SELECT pg_read_file('/etc/passwd')", (1, "statement-not-allowed"))):
        reply = run(place, "sql", "--in", "app", sql)
        if want and code_of(reply) != want:
            yield f"{sql}: {reply.said}"
        if want is None and reply.code == 0:
            yield f"{sql}: was run"
    reply = run(place, "sql", "SELECT nam FROM customers")
    if "name" not in (reply.document or {}).get("hint", ""):
        yield f"no near name: {reply.document}"
    reply = run(place, "sql", "SELECT pg_sleep(30)", "--in", "app", "--config",
                place.write("short.yaml", "limits: {statement_seconds: 1}"))
    if code_of(reply) != (10, "statement-timeout"):
        yield f"a deadline: {reply.said}"
    if SERVER.run("SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%pg_sleep(30)%' AND pid <> pg_backend_pid()"
                  " AND state = 'active'") != "0":
        yield "the server goes on after the deadline"


def test_schema(place):
    reply = run(place, "schema")
    resources = {entry["resource"]: entry for entry in (reply.document or {}).get("resources", [])}
    if set(resources) != {"app.customers", "app.sales.orders", "app.sales.patients", "app.sales.stays"}:
        yield f"resources: {list(resources)} {reply.said}"
    text = json.dumps(reply.document)
    for part in ("numeric(12,2)", "Who buys", "text[]", "timestamp with time zone"):
        if part not in text:
            yield f"the schema lacks {part}"
    for name in ("customers", "app.customers", "sales.orders", "app.sales.orders", "public.customers"):
        if len((run(place, "schema", name).document or {}).get("resources", [])) != 1:
            yield f"the schema of {name}"
    for name in resources:
        if not str(values(place, f"SELECT count(*) FROM {name}")).startswith("[["):
            yield f"{name} is no name for a statement"


def test_two_engines(place):
    """Rows of two engines meet in the scratch database, with exact types."""
    path = place.work / "shop.sqlite"
    with contextlib.closing(sqlite3.connect(path)) as database, database:
        database.execute("CREATE TABLE visits (customer INTEGER, page TEXT)")
        database.executemany("INSERT INTO visits VALUES (?, ?)", [(1, "a"), (1, "b"), (3, "c")])
    words = [*source(), "--source", f"shop={path}"]
    reply = place.run("sql", "SELECT * FROM customers JOIN visits ON visits.customer = customers.id", *words)
    if code_of(reply) != (1, "sources-in-two-engines"):
        yield f"a join over engines: {reply.said}"
    mcp = Mcp(place, *words)
    for sql, table in (("SELECT id, name, balance, tags, profile, joined FROM customers", "c"),
                       ("SELECT customer, sum(amount) AS total, avg(amount) AS mean FROM sales.orders GROUP BY customer", "o"),
                       ("SELECT * FROM visits", "v")):
        reply = mcp.tool("materialize", sql=sql, table=table)
        if reply.code != 0:
            yield f"materialize {table}: {reply.said}"
    reply = mcp.tool("sql_query", sql="SELECT c.name, c.balance, c.tags, o.total, count(v.page) AS pages FROM c JOIN o ON "
                     "o.customer = c.id LEFT JOIN v ON v.customer = c.id GROUP BY ALL ORDER BY c.name")
    want = [["Ann", "12.50", ["a", "b,c"], "1651650.0", 2], ["Bob", None, [], "1649450.0", 0],
            ["Cyd", "-0.10", [None], "1650550.0", 1]]
    if (reply.document or {}).get("rows") != want:
        yield f"joined in the scratch database: {reply.said}"
    reply = mcp.tool("sql_query", sql="SELECT typeof(balance), typeof(tags), typeof(profile), typeof(joined) FROM c LIMIT 1")
    if (reply.document or {}).get("rows") != [["DECIMAL(12,2)", "VARCHAR[]", "JSON", "TIMESTAMP WITH TIME ZONE"]]:
        yield f"types: {reply.said}"
    if mcp.close() != 0:
        yield "candor mcp did not end well"


def test_receipts_say_what_is_not_known(place):
    def commit(turn):
        path = place.write("answer.json", json.dumps({"fields": {"balance": "12.50", "name": "Ann"}, "basis": "one row"}))
        reply = place.run("commit", "-f", path, *source(), "--turn", turn)
        checks = ((reply.document or {}).get("receipt") or {}).get("checks", [])
        return {check["check"]: (check["verdict"], check.get("reason")) for check in checks}, reply

    question = "SELECT c.name, c.balance, count(*) FROM customers c JOIN sales.orders o ON o.customer = c.id " \
               "WHERE c.id = 1 GROUP BY 1, 2"
    run(place, "sql", question, "--turn", "t1")
    checks, reply = commit("t1")
    join = checks.get("join-coverage")
    if join is None or join[0] != "undetermined":
        yield f"a join of PostgreSQL: {reply.said}"
    if checks.get("value-not-shown", ("", ""))[0] != "clean":
        yield f"the values were shown: {reply.said}"
    if join and join[1] != "probe-not-allowed":
        yield f"others use the server, too: {join}"
    run(place, "sql", question, "--turn", "t2")
    SERVER.run("INSERT INTO sales.orders VALUES (0, 0, 0); DELETE FROM sales.orders WHERE id = 0")
    checks, reply = commit("t2")
    if checks.get("join-coverage") != ("undetermined", "change-unknown"):
        yield f"after a write on the server: {checks} {reply.said}"


def test_a_lossy_join_is_held_where_probing_is_allowed(place):
    question = "SELECT p.site, sum(v.paid) AS paid FROM sales.patients p JOIN sales.stays v ON v.patient = p.id GROUP BY p.site"
    config = place.write("all.yaml", "review: {probe: all}")
    words = [*source(), "--config", config]
    reply = place.run("sql", question, *words)
    if (reply.document or {}).get("rows") != [["site 0", 1500]]:
        yield f"the question: {reply.said}"
    path = place.write("answer.json", json.dumps({"question": "What did each site earn?",
                                                  "rows": {"columns": ["site", "paid"], "values": [["site 0", 1500]]}}))
    held = place.run("commit", "-f", path, *words)
    joins = ((held.document or {}).get("evidence") or {}).get("joins", [])
    if held.code != 7 or "40" not in json.dumps(joins):
        yield f"not held: {held.code} {held.said}"
    if place.run("commit", "-f", path, *words).code != 0:
        yield "the same answer again was not taken"
    answers = place.run("answers").document["answers"]
    again = place.run("answers", answers[0]["answer_id"], "--verify", *source())
    if again.code != 0 or "5" not in again.said:
        yield f"counted again: {again.code} {again.said}"
    checked = place.run("check", question, *words)
    if checked.code != 7:
        yield f"candor check: {checked.code} {checked.said}"


def test_doctor(place):
    reply = run(place, "doctor")
    finding = next((one for one in (reply.document or {}).get("findings", []) if one["name"] == "source app"), {})
    if reply.code != 0 or "4 tables, postgresql 15" not in finding.get("text", "") or "as role reader" not in finding["text"]:
        yield f"the doctor: {reply.code} {finding} {reply.said}"
    reply = place.run("doctor", *source("writer"))
    if reply.code != 0 or "may write to public.customers" not in json.dumps(reply.document):
        yield f"a role that may write: {reply.code} {reply.said}"
    reply = run(place, "doctor", "--attack")
    attacks = [one for one in (reply.document or {}).get("attacks", []) if one["engine"] == "postgresql app"]
    if len(attacks) < 150 or any(one["outcome"] != "held" for one in attacks):
        yield f"attacks: {len(attacks)} {[one for one in attacks if one['outcome'] != 'held']}"


def test_roles(place):
    reply = place.run("sql", "SELECT 1", "--in", "app", *source("admin"))
    if code_of(reply) != (78, "unsafe-role") or "unsafe_role: true" not in reply.document["hint"]:
        yield f"a superuser: {reply.code} {reply.said}"
    config = place.write("unsafe.yaml", f"sources: {{app: {{path: '{SERVER.url('admin')}', unsafe_role: true}}}}")
    reply = place.run("sql", "SELECT current_user", "--in", "app", "--config", config)
    if (reply.document or {}).get("rows") != [["admin"]]:
        yield f"taken on: {reply.said}"
    reply = place.run("sql", "SELECT pg_read_file('/etc/passwd')", "--in", "app", "--config", config)
    if code_of(reply) != (1, "statement-not-allowed"):
        yield f"and still: {reply.said}"
    # What the file took on of one database is not taken on of another one.
    reply = place.run("sql", "SELECT 1", "--in", "app", "--config", config, *source("admin"))
    if code_of(reply) != (78, "unsafe-role"):
        yield f"another database: {reply.said}"
    bad = place.write("bad.yaml", "sources: {x: {path: ./data, unsafe_role: true}}")
    if place.run("sql", "SELECT 1", "--config", bad).code != 78:
        yield "unsafe_role of a folder"


def test_passwords(place):
    """From the URL, the environment or a passfile; and in no output, file or argument afterwards."""
    plain = SERVER.url("reader", "")
    reply = place.run("sql", "SELECT current_user", "--in", "app", "--source", f"app={plain}")
    if reply.code == 0 or "PGPASSWORD" not in json.dumps(reply.document):
        yield f"without a password: {reply.said}"
    place.variables["PGPASSWORD"] = "reader-secret"
    reply = place.run("sql", "SELECT current_user", "--in", "app", "--source", f"app={plain}")
    if (reply.document or {}).get("rows") != [["reader"]]:
        yield f"from PGPASSWORD: {reply.said}"
    del place.variables["PGPASSWORD"]
    passfile = pathlib.Path(place.home) / ".pgpass"
    passfile.write_text(f"127.0.0.1:{SERVER.port}:*:reader:reader-secret\n")
    passfile.chmod(0o600)
    reply = place.run("sql", "SELECT current_user", "--in", "app", "--source", f"app={plain}")
    if (reply.document or {}).get("rows") != [["reader"]]:
        yield f"from ~/.pgpass: {reply.said}"
    passfile.unlink()
    said = b""
    for words in (("sql", "SELECT 1", "--in", "app"), ("sql", "SELECT nothing FROM nowhere", "--in", "app"), ("schema",),
                  ("doctor",), ("schema", "nothing"), ("sql", "SELECT * FROM pg_stat_activity", "--in", "app")):
        for url in (SERVER.url("reader"), SERVER.url("reader").replace(f":{SERVER.port}", ":1"),
                    SERVER.url("reader", database="nowhere")):
            reply = place.run(*words, "--source", f"app={url}", "--log-json")
            said += reply.out + reply.said.encode()
    for path in place.home.rglob("*"):
        if path.is_file():
            said += path.read_bytes()
    if b"reader-secret" in said:
        at = said.index(b"reader-secret")
        yield f"the password is to be seen: {said[max(0, at - 100):at + 50]!r}"


def test_a_server_that_is_away(place):
    words = ["--source", f"app={SERVER.url('reader').replace(f':{SERVER.port}', ':1')}",
             "--source", f"data={place.write('t.csv', 'a,b' + chr(10) + '1,2' + chr(10)).parent}"]
    reply = place.run("sql", "SELECT * FROM t", *words)
    if (reply.document or {}).get("rows") != [[1, 2]]:
        yield f"other sources go on: {reply.said}"
    reply = place.run("sql", "SELECT 1", "--in", "app", *words)
    if code_of(reply) != (14, "source-error"):
        yield f"its own: {reply.code} {reply.said}"
    reply = place.run("schema", "app", *words)
    if reply.code != 14 or "can't connect" not in json.dumps(reply.document):
        yield f"its schema: {reply.code} {reply.said}"


if __name__ == "__main__":
    with Server() as SERVER:
        SERVER.run(SETUP)
        sys.exit(run_cases(globals(), __file__))
