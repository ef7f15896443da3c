#!/usr/bin/env python3
"""The flags that shape a list, on every command that returns one: what is refused, what a filter sees, what is shown."""

import contextlib
import json
import sqlite3
import sys

from cases import run_cases
from program import finish

CONTRACT = """contract: rows
source: rows
limits: {rows_per_statement: 40}
resources:
  items:
    table: items
    key: id
    columns: {id: integer, kind: string, score: integer, team: string}
"""


def rows(place, count=2500):
    with contextlib.closing(sqlite3.connect(place.work / "rows.sqlite")) as database, database:
        database.execute("CREATE TABLE items(id INTEGER PRIMARY KEY, kind TEXT, score INTEGER, team TEXT, big INTEGER, at TEXT)")
        database.executemany("INSERT INTO items VALUES(?,?,?,?,?,?)",
                             [(i, "skill" if i % 64 == 5 else "note", i * 7919 % 1000, "abcde"[i % 5],
                               9007199254740992 + i, f"2024-06-{1 + i % 30:02d}T08:00:00+02:00") for i in range(count)])
        database.execute("CREATE TABLE blank(id INTEGER, kind TEXT)")
    database.close()
    return ["--source", "rows=rows.sqlite"]


def sql(place, source, statement, *flags):
    return place.run("sql", statement, *source, *flags)


def objects(reply):
    document = reply.document
    names = [column["name"] for column in document["columns"]]
    return [dict(zip(names, row)) if isinstance(row, list) else row for row in document["rows"]]


def expect(reply, status, **fields):
    if reply.code != status:
        yield f"exit {reply.code}, not {status}: {reply.said}"
        return
    surface = (reply.document or {}).get("agent_surface", {})
    for name, value in fields.items():
        found = (reply.document or {}).get(name, surface.get(name))
        if found != value:
            yield f"{name} is {found!r}, not {value!r}"


def refused(reply, code, *words):
    yield from expect(reply, 2, code=code)
    text = json.dumps(reply.document, ensure_ascii=False)
    yield from (f"{word!r} is not in {text}" for word in words if word not in text)


def test_a_statement_cut_by_its_limit(place):
    source = rows(place)
    cut = "SELECT id, kind FROM items LIMIT 50"
    yield from refused(sql(place, source, cut, "--filter", "kind=skill"), "filter-over-ceiling", "50", "2500",
                       "statement", "--filter-scope page", "--filter-scope universe", "LIMIT 2500")
    yield from refused(sql(place, source, cut, "--count-only"), "count-over-ceiling", "2500")
    below = sql(place, source, cut, "--filter", "kind=skill", "--filter-scope", "universe")
    yield from expect(below, 0, filter_scope="universe", matched_count=39, universe_total=2500, row_count=39)
    if [row["id"] for row in objects(below)] != [i for i in range(2500) if i % 64 == 5]:
        yield f"other rows: {below.document['rows']}"
    few = sql(place, source, "SELECT id, kind FROM items LIMIT 10 OFFSET 3", "--filter", "kind=skill",
              "--filter-scope", "universe")
    yield from expect(few, 0, row_count=10, count_scope="page", matched_count=39)
    if [row["id"] for row in objects(few)] != [i for i in range(2500) if i % 64 == 5][3:13]:
        yield f"other rows of the middle: {few.document['rows']}"
    page = sql(place, source, cut, "--filter", "kind=skill", "--filter-scope", "page")
    yield from expect(page, 0, filter_scope="page", filter_incomplete=True, row_count=1, count_scope="page")
    yield from expect(sql(place, source, cut, "--filter", "kind=skill", "--count-only", "--filter-scope", "universe"),
                      0, count=39, count_scope="matched")


def test_the_cap_of_candor_itself(place):
    source = rows(place)
    everything = "SELECT id, kind FROM items"
    yield from refused(sql(place, source, everything, "--filter", "kind=skill"), "filter-over-ceiling", "1000", "2500",
                       "default")
    yield from expect(sql(place, source, everything, "--filter", "kind=skill", "--filter-scope", "universe"), 0,
                      row_count=39, matched_count=39)
    yield from expect(sql(place, source, "SELECT id, kind FROM items WHERE id < 640", "--filter", "kind=skill",
                          "--count-only"), 0, count=10, filter_scope="universe", count_scope="matched")
    yield from expect(sql(place, source, "SELECT * FROM blank LIMIT 5", "--filter", "kidn=x", "--count-only"), 0, count=0)


def test_a_ranked_list_is_judged_as_it_is(place):
    source = rows(place)
    best = "SELECT id, kind, score FROM items ORDER BY score DESC, id LIMIT 20"
    reply = sql(place, source, best, "--filter", "score>=990")
    yield from expect(reply, 0, filter_scope="top-k", count_scope="top-k", order="total")
    yield from expect(sql(place, source, best, "--filter", "kind=skill", "--filter-scope", "universe"), 0,
                      filter_scope="universe", row_count=20, matched_count=39)


def test_what_is_shown(place):
    source = rows(place)
    few = "SELECT id, kind, team, score, big, id AS id FROM items WHERE id < 12"
    chosen = sql(place, source, few, "--select", "team,id", "--sort", "team", "--max-items", "3")
    yield from expect(chosen, 0, count_scope="emitted", order="total")
    if [column["name"] for column in chosen.document["columns"]] != ["team", "id"]:
        yield f"columns {chosen.document['columns']}"
    if chosen.document["rows"] != [["a", 0], ["a", 5], ["a", 10]]:
        yield f"rows {chosen.document['rows']}"
    yield from expect(sql(place, source, few, "--dedupe-by", "team", "--count-only"), 0, count=5)
    large = sql(place, source, few, "--filter", "big>9007199254740994", "--filter", "id_2<=4")
    if [row[4] for row in large.document["rows"]] != ["9007199254740995", "9007199254740996"]:
        yield f"large integers: {large.document}"
    if large.document["columns"][4].get("encoding") != "mixed-string":
        yield f"encoding: {large.document['columns'][4]}"
    yield from refused(sql(place, source, few, "--filter", "knid=skill"), "unknown-key", "kind")
    yield from expect(sql(place, source, few, "--filter", "knid!=skill", "--allow-unknown-keys"), 0, row_count=12,
                      unresolved_keys=["knid"], key_suggestions={"knid": ["kind"]})
    budget = sql(place, source, few, "--max-output-bytes", "1200")
    yield from expect(budget, 0, output_truncated=True)
    if len(budget.out) > 1200:
        yield f"{len(budget.out)} bytes"
    yield from expect(sql(place, source, few, "--max-output-bytes", "30"), 0, truncated=True)


def test_a_write_is_annotated_and_never_refused(place):
    made = place.run("sql", "CREATE TABLE made (a INTEGER)", "--filter", "nothing=1", "--count-only")
    written = place.run("sql", "INSERT INTO made VALUES (1), (2) RETURNING a", "--filter", "a=1")
    for what, reply in (("create", made), ("insert", written)):
        yield from expect(reply, 0, shaping_ignored=True, reason="the statement writes")
        if [one["code"] for one in reply.document["warnings"]] != ["shaping-ignored"]:
            yield f"{what}: {reply.document['warnings']}"
    if written.document["rows"] != [[1], [2]]:
        yield f"rows {written.document['rows']}"
    plain = place.run("sql", "INSERT INTO made VALUES (3)")
    if "agent_surface" in plain.document or plain.document["warnings"]:
        yield f"without flags: {plain.document}"


def test_times_and_case(place):
    source = rows(place, 60)
    all_rows = "SELECT id, at, kind FROM items"
    yield from expect(sql(place, source, all_rows, "--filter", "at>=2024-06-30T06:00:00Z"), 0, row_count=2)
    yield from expect(sql(place, source, all_rows, "--filter", "at>2024-06-30T06:00:00Z"), 0, row_count=0)
    texts = "SELECT 'STRASSE' AS s UNION ALL SELECT 'ПИСЬМО' UNION ALL SELECT 'ΟΔΟΣ'"
    for part in ("straße", "письмо", "οδος"):
        yield from expect(sql(place, source, texts, "--filter", f"s~{part}"), 0, row_count=1)


def test_hostile_filters(place):
    source = rows(place, 20)
    statement = "SELECT id, kind FROM items"
    # Bytes that are no UTF-8 reach the program as surrogates that stand for them.
    for text in ("kind", "", "=skill", "~x", "!=skill", "x" * 100_000, b"kind=\xff\xfe".decode("utf-8", "surrogateescape")):
        reply = sql(place, source, statement, "--filter", text)
        yield from refused(reply, "malformed-filter")
        if len(reply.out) > 4000:
            yield f"{len(reply.out)} bytes of refusal"
    yield from expect(sql(place, source, statement, "--filter", "kind=" + "x" * 100_000), 0, row_count=0)
    yield from refused(sql(place, source, statement, "--filter", "k" * 100_000 + "=1"), "unknown-key")
    yield from refused(sql(place, source, statement, "--filter", "ki'nd\"=1"), "unknown-key")
    yield from expect(sql(place, source, 'SELECT 1 AS "a[0]=b", 2 AS "it\'s"', "--filter", "it's=2"), 0, row_count=1)
    yield from expect(sql(place, source, statement, "--filter", "id<" + "9" * 5000), 0, row_count=20)
    yield from expect(sql(place, source, statement, "--filter", "id>1e999999999999999999"), 0, row_count=0)
    yield from expect(sql(place, source, statement, "--filter", "[id]=[1]", "--allow-unknown-keys"), 0, row_count=0,
                      filters=["[id]=[1]"])
    for flags in (("--filter-scope", "galaxy"), ("--max-items", "0"), ("--sort", ""), ("--select", "id,,kind")):
        yield from refused(sql(place, source, statement, *flags), "usage")
    yield from refused(sql(place, source, statement + "; SELECT 1", "--filter", "id=1"), "usage", "single")


def test_malformed_before_any_work(place):
    source = rows(place, 5)
    yield from refused(sql(place, source, "SELECT nothing FROM nowhere", "--filter", "x"), "malformed-filter")
    listed = place.run("queries")
    yield from expect(listed, 0, universe_total=0)


def test_through_a_contract(place):
    source = [*rows(place), "--contract", "rows=" + str(place.write("rows.yaml", CONTRACT))]
    everything = "SELECT id, kind FROM items"
    yield from refused(sql(place, source, everything, "--filter", "kind=skill"), "filter-over-ceiling", "40", "2500")
    yield from expect(sql(place, source, everything, "--filter", "kind=skill", "--filter-scope", "universe"), 0,
                      row_count=39, matched_count=39, filter_scope="universe")
    yield from expect(sql(place, source, everything, "--filter", "kind=note", "--filter-scope", "universe"), 0,
                      row_count=40, matched_count=2461, count_scope="page")
    yield from expect(sql(place, source, everything + " LIMIT 20", "--filter", "kind=skill", "--filter-scope", "page"), 0,
                      row_count=1, filter_incomplete=True)
    yield from expect(sql(place, source, "SELECT id, score FROM items ORDER BY score DESC, id LIMIT 5", "--filter",
                          "score<990"), 0, filter_scope="top-k")


def test_the_ledger(place):
    source = rows(place, 10)
    for i in range(60):
        if i % 20 == 7:
            sql(place, source, f"SELECT wrong_{i} FROM items")
    for i in range(57):
        sql(place, source, f"SELECT {i} AS n")
    yield from expect(place.run("queries"), 0, universe_total=60, query_limit=50, query_limit_source="default",
                      count_scope="page")
    yield from refused(place.run("queries", "--filter", "succeeded=false"), "filter-over-ceiling", "60", "default")
    below = place.run("queries", "--filter", "succeeded=false", "--filter-scope", "universe")
    yield from expect(below, 0, matched_count=3, output_count=3)
    yield from expect(place.run("queries", "--filter", "sql~select", "--limit", "60", "--count-only"), 0, count=60)
    newest = place.run("queries", "--select", "query_id", "--limit", "2", "--offset", "1")
    yield from expect(newest, 0, queries=[{"query_id": "q59"}, {"query_id": "q58"}])
    yield from refused(place.run("queries", "--filter", "sucseeded=false", "--limit", "60"), "unknown-key", "succeeded")
    yield from refused(place.run("queries", "q1", "--filter", "turn=1"), "usage")
    yield from refused(place.run("queries", "--limit", "0"), "usage")
    yield from expect(place.run("answers", "--filter", "state=committed", "--count-only"), 0, count=0)
    yield from expect(place.run("undo", "--list", "--filter", "state=done"), 0, batches=[])


def explain(place, *words):
    return finish(place.start("explain", *words, "--json"))


def test_schema_and_codes(place):
    source = rows(place, 10)
    yield from expect(place.run("schema", *source, "--filter", "resource~ITEMS", "--select", "resource"), 0,
                      resources=[{"resource": "rows.items"}])
    yield from expect(explain(place, "--filter", "code=concurrent-change", "--select", "code"), 0,
                      codes=[{"code": "concurrent-change"}])
    yield from expect(explain(place, "--filter", "code~ceiling", "--count-only"), 0, count=2)
    yield from refused(explain(place, "usage", "--count-only"), "usage")


if __name__ == "__main__":
    sys.exit(run_cases(globals(), __file__))
