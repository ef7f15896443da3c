"""Through a contract nothing of another tenant's shows, and nothing of his changes: whatever the statement says.

The property is tried on each engine with two databases that differ in one thing: in the second, the rows of tenant B are
not there. A generated statement of tenant A's must come out the same on both — rows, counts, warnings, errors — and B's
rows must be what they were. A statement that sees a row of B's, in whatever way, differs.

    scope_test.py [--seed N] [--reads N] [--writes N] [NAME…]
"""

import argparse
import contextlib
import json
import os
import random
import sys

from cases import run_cases
from databases import ENGINES, close_all
from program import Mcp

CONTRACT = """contract: shop
source: app
%s
limits: {rows_per_statement: 60}
resources:
  items:
    table: items
    key: item_id
    writes: [insert, update, delete]
    columns:
      item_id: integer
      workspace: {type: string, read_only: true}
      label: string
      kind: {type: string, enum: [tool, toy, food]}
      amount: {type: integer, nullable: true}
      price: decimal
      made_on: date
      flag: boolean
      tags: "string[]"
      parent: {type: integer, nullable: true}
  notes:
    table: notes
    key: note_id
    writes: [insert, update, delete]
    soft_delete: deleted_at
    columns:
      note_id: integer
      item_id: integer
      body: {type: string, nullable: true}
      stars: integer
      deleted_at: {type: datetime, nullable: true, read_only: true, filterable: false, sortable: false}
  colours:
    table: colours
    key: name
    columns:
      name: string
      hex: string
"""
SCOPE = 'scope: {column: workspace, value: "${claim.workspace}"}'

TYPES = {"sqlite": {"tags": "TEXT", "price": "NUMERIC", "date": "TEXT", "time": "TEXT", "flag": "INTEGER"},
         "duckdb": {"tags": "VARCHAR[]", "price": "DECIMAL(8,2)", "date": "DATE", "time": "TIMESTAMP", "flag": "BOOLEAN"},
         "postgres": {"tags": "text[]", "price": "numeric(8,2)", "date": "date", "time": "timestamp", "flag": "boolean"}}
COLOURS = ["red", "green", "blue"]
WORDS = ["hammer", "nail", "rope", "doll", "ball", "bread", "Käse", "straße"]


def script(engine, with_b):
    """Rows of A and B alternate; what B has, A has not, so that a leak shows, and some values both have."""
    types = TYPES[engine.name]
    dice = random.Random(7)
    lines = [f"CREATE TABLE items (item_id INTEGER PRIMARY KEY, workspace TEXT NOT NULL, label TEXT NOT NULL, kind TEXT NOT NULL, "
             f"amount INTEGER, price {types['price']} NOT NULL, made_on {types['date']} NOT NULL, flag {types['flag']} NOT NULL, "
             f"tags {types['tags']} NOT NULL, parent INTEGER)",
             f"CREATE TABLE notes (note_id INTEGER PRIMARY KEY, workspace TEXT NOT NULL, item_id INTEGER NOT NULL, body TEXT, "
             f"stars INTEGER NOT NULL, deleted_at {types['time']})",
             "CREATE TABLE colours (name TEXT PRIMARY KEY, hex TEXT NOT NULL)"]
    lines += [f"INSERT INTO colours VALUES ('{name}', '#{i:06}')" for i, name in enumerate(COLOURS)]
    for number in range(1, 41):
        for tenant in "AB":
            key = number if tenant == "A" else number + 1000
            own = dice.random() < 0.5
            label = f"{dice.choice(WORDS)}{' of B' if tenant == 'B' and own else ''}"
            tags = dice.sample(COLOURS + ([] if tenant == "A" else ["secret"]), dice.randint(0, 2))
            amount = "NULL" if dice.random() < 0.2 else dice.randint(0, 9) + (500 if tenant == "B" and own else 0)
            parent = "NULL" if dice.random() < 0.3 else dice.randint(1, 40) + (1000 if tenant == "B" else 0)
            flag = {"sqlite": ("1", "0")}.get(engine.name, ("true", "false"))[dice.random() < 0.5]
            row = (f"({key}, '{tenant}', '{label}', '{dice.choice(['tool', 'toy', 'food'])}', {amount}, {dice.randint(1, 50)}.5, "
                   f"'{2020 if tenant == 'A' else 2099}-0{dice.randint(1, 9)}-1{dice.randint(0, 9)}', {flag}, "
                   f"{array(engine, tags)}, {parent})")
            deleted = "NULL" if dice.random() < 0.7 else "'2024-01-01 00:00:00'"
            # A note of B's may speak of an item of A's.
            note = (f"({key}, '{tenant}', {dice.randint(1, 40)}, {dice.choice(['NULL', repr('good'), repr('bad ' + tenant)])}, "
                    f"{dice.randint(0, 5)}, {deleted})")
            if tenant == "A" or with_b:
                lines += [f"INSERT INTO items VALUES {row}", f"INSERT INTO notes VALUES {note}"]
    return ";\n".join(lines) + ";"


def array(engine, tags):
    if engine.name == "sqlite":
        return "'" + json.dumps(tags) + "'"
    inner = ", ".join(f"'{tag}'" for tag in tags)
    return f"[{inner}]::VARCHAR[]" if engine.name == "duckdb" else f"ARRAY[{inner}]::text[]"


class Statements:
    """Random statements of the dialect over the tables above; many try to get out of the scope."""

    def __init__(self, seed):
        self.dice = random.Random(seed)
        self.depth = 0
        self.aliases = 0

    def one_of(self, *choices):
        return self.dice.choice(choices)

    def alias(self):
        self.aliases += 1
        return f"q{self.aliases}"

    # A predicate over `of`, an alias of items or notes.
    def predicate(self, table, of, deep=3):
        kind = self.dice.random()
        if deep > 0 and kind < 0.35:
            a, b = self.predicate(table, of, deep - 1), self.predicate(table, of, deep - 1)
            return self.one_of(f"({a} AND {b})", f"({a} OR {b})", f"NOT ({a})", f"({a}) OR 1 = 1")
        if deep > 0 and kind < 0.6:
            return self.with_subquery(of, deep - 1)
        common = [f"{of}.item_id {self.one_of('=', '<', '>', '<>')} {self.one_of(3, 20, 1003, 1020)}",
                  f"{of}.item_id BETWEEN {self.one_of(1, 1001)} AND {self.one_of(30, 1030)}",
                  f"{of}.item_id IN (1, 2, 3, 1001, 1002)"]
        if table == "items":
            common += [f"{of}.workspace {self.one_of('=', '<>')} {self.one_of(repr('A'), repr('B'))}",
                       f"{of}.workspace IN ('A', 'B')", f"{of}.workspace LIKE '%'", f"{of}.workspace IS NOT NULL",
                       f"{of}.amount {self.one_of('>', '<=', '=')} {self.one_of(4, 500, 506)}", f"{of}.amount IS NULL",
                       f"{of}.label {self.one_of('LIKE', 'ILIKE', 'NOT LIKE')} {self.one_of(repr('%B'), repr('h%'), repr('%o%'))}",
                       f"{of}.kind = {self.one_of(repr('tool'), repr('toy'))}", f"{of}.price > {self.one_of(10, 25.5)}",
                       f"{of}.made_on {self.one_of('<', '>=')} '{self.one_of('2020-05-01', '2099-01-01')}'",
                       f"{of}.flag", f"{of}.tags && ARRAY['{self.one_of('red', 'secret')}']", f"'blue' = ANY({of}.tags)",
                       f"{of}.tags = ('red', 'green')", f"MATCH('{self.one_of('of B', 'rope', 'secret')}')" if of == "items" else "1 = 1"]
        else:
            common += [f"{of}.stars {self.one_of('>', '<', '=')} {self.dice.randint(0, 5)}", f"{of}.body IS NULL",
                       f"{of}.body = {self.one_of(repr('bad B'), repr('good'))}"]
        return self.dice.choice(common)

    def with_subquery(self, of, deep):
        table = self.one_of("items", "notes")
        q = self.alias()
        inner = self.predicate(table, q, deep)
        return self.one_of(
            f"EXISTS (SELECT 1 FROM {table} {q} WHERE {q}.item_id = {of}.item_id AND {inner})",
            f"NOT EXISTS (SELECT 1 FROM {table} {q} WHERE {q}.item_id = {of}.item_id AND {inner})",
            f"{of}.item_id {self.one_of('IN', 'NOT IN')} (SELECT {q}.item_id FROM {table} {q} WHERE {inner})",
            f"{of}.item_id {self.one_of('>', '<=')} (SELECT {self.one_of('MAX', 'MIN', 'COUNT')}({q}.item_id) FROM {table} {q} WHERE {inner})")

    def read(self):
        table = self.one_of("items", "notes")
        where = self.predicate(table, table)
        shapes = [
            lambda: f"SELECT {self.one_of('*', 'item_id', 'DISTINCT item_id')} FROM {table} WHERE {where}",
            lambda: f"SELECT COUNT(*), MIN(item_id), MAX(item_id), SUM(item_id) FROM {table} WHERE {where}",
            lambda: f"SELECT kind, COUNT(*) AS n, SUM(amount) FROM items WHERE {self.predicate('items', 'items')} GROUP BY kind "
                    f"HAVING COUNT(*) > {self.one_of(0, 3)} ORDER BY {self.one_of('kind', 'n, kind')}",
            lambda: f"SELECT i.item_id, i.label, n.note_id FROM items i {self.one_of('JOIN', 'LEFT JOIN')} notes n "
                    f"ON n.item_id = i.item_id WHERE {self.predicate('items', 'i')} ORDER BY i.item_id, n.note_id LIMIT 50",
            lambda: f"SELECT i.item_id, p.label FROM items i LEFT JOIN items p ON p.item_id = i.parent AND p.flag "
                    f"WHERE {self.predicate('items', 'i')} ORDER BY i.item_id",
            lambda: f"WITH w AS (SELECT item_id, label, workspace FROM items WHERE {self.predicate('items', 'items')}) "
                    f"SELECT {self.one_of('COUNT(*)', 'MAX(label)', 'COUNT(DISTINCT workspace)')} FROM w",
            lambda: f"SELECT i.item_id, (SELECT COUNT(*) FROM notes n WHERE n.item_id = i.item_id AND {self.predicate('notes', 'n', 1)}) "
                    f"AS n FROM items i WHERE {self.predicate('items', 'i', 1)} ORDER BY i.item_id",
            lambda: f"SELECT tag, COUNT(*) FROM items UNNEST tags AS tag WHERE {self.predicate('items', 'items', 1)} "
                    f"GROUP BY tag ORDER BY tag",
            lambda: f"SELECT c.name, COUNT(*) FROM colours c JOIN items i ON i.kind = c.name OR i.label = c.name GROUP BY c.name",
            lambda: f"SELECT item_id FROM {table} WHERE {where} ORDER BY item_id {self.one_of('', 'DESC')} "
                    f"LIMIT {self.dice.randint(1, 9)} OFFSET {self.dice.randint(0, 5)}",
            lambda: f"SELECT label FROM items WHERE label = '{self.one_of('Hammer', 'rope of', 'hammer of B', 'secret')}' AND {where if table == 'items' else '1 = 1'}",
            lambda: self.one_of("SHOW TABLES", "DESCRIBE items", "SELECT * FROM users", "SELECT workspace FROM notes",
                                "SELECT secret FROM items"),
        ]
        return self.dice.choice(shapes)()

    def write(self):
        table = self.one_of("items", "notes")
        where = self.predicate(table, table)
        narrow = f"item_id {self.one_of('<', '>')} {self.one_of(8, 1008)} AND ({where})"
        low = self.dice.randint(1, 40)
        shapes = [
            lambda: f"UPDATE items SET amount = COALESCE(amount, 0) + 1, label = label || '!' WHERE {self.predicate('items', 'items')} RETURNING item_id, amount",
            lambda: f"UPDATE {table} SET item_id = item_id WHERE {where}",
            lambda: f"UPDATE notes SET stars = (SELECT COUNT(*) FROM items i WHERE i.item_id = notes.item_id), body = 'x' WHERE {self.predicate('notes', 'notes')}",
            lambda: f"DELETE FROM {table} WHERE {narrow}",
            lambda: f"DELETE FROM notes WHERE {where if table == 'notes' else 'stars > 3'} RETURNING *",
            lambda: f"INSERT INTO items (item_id, label, kind, price, made_on, flag, tags) VALUES ({self.dice.randint(41, 900)}, 'new', "
                    f"'toy', 1.5, '2020-01-01', TRUE, ('red')) RETURNING *",
            lambda: f"INSERT INTO items (item_id, label, kind, price, made_on, flag, tags) VALUES ({low}, 'again', 'toy', 2.5, "
                    f"'2020-01-01', FALSE, ()) ON CONFLICT (item_id) DO UPDATE SET label = items.label || excluded.label WHERE {self.predicate('items', 'items', 1)}",
            lambda: f"INSERT INTO notes (note_id, item_id, stars) VALUES ({low}, 1, 1) ON CONFLICT (note_id) DO NOTHING",
            lambda: f"UPDATE items SET workspace = 'B' WHERE item_id = {low}",
            lambda: f"INSERT INTO items (item_id, workspace, label) VALUES ({self.dice.randint(41, 900)}, 'B', 'x')",
        ]
        return self.dice.choice(shapes)()


def comparable(reply):
    """What two runs have in common: all but ids and times, rows as a multiset."""
    def plain(node):
        if isinstance(node, dict):
            # When and under which number something was done is nobody's data.
            return {key: plain(value) for key, value in node.items()
                    if key not in ("query_id", "batch_id") and not key.endswith("_ms")}
        if isinstance(node, list):
            return [plain(value) for value in node]
        return node
    document = plain(reply.document)
    if document is None:
        return reply.code, reply.said
    if isinstance(document.get("rows"), list) and document.get("agent_surface", {}).get("order") != "total":
        document["rows"] = sorted(document["rows"], key=json.dumps)
    return reply.code, json.dumps(document, sort_keys=True)


class Pair:
    """Tenant A's servers over the database with B's rows and over the one without."""

    def __init__(self, engine, place, contract):
        self.engine = engine
        self.sources = [engine.make(place, script(engine, with_b)) for with_b in (True, False)]
        file = place.write("shop.yaml", contract)
        self.servers = [Mcp(place, "--source", f"app={source}", "--contract", file, "--claim", "workspace=A", "--session", f"s{i}")
                        for i, source in enumerate(self.sources)]
        self.theirs = self.rows_of_b()

    def rows_of_b(self):
        whole = {"sqlite": "*", "duckdb": "t::VARCHAR", "postgres": "t::text"}[self.engine.name]
        return [sorted(map(str, self.engine.rows(self.sources[0], f"SELECT {whole} FROM {table} t WHERE workspace = 'B'")))
                for table in ("items", "notes")]

    def differ(self, tool, sql):
        replies = [comparable(server.tool(tool, sql=sql)) for server in self.servers]
        if replies[0] != replies[1]:
            yield f"{self.engine.name}: {sql}\n    with B's rows: {replies[0]}\n    without:       {replies[1]}"

    def close(self):
        for server in self.servers:
            server.close()


def try_statements(place, contract, reads, writes):
    for engine in ENGINES:
        statements = Statements(GIVEN.seed)
        with contextlib.closing(Pair(engine, place, contract)) as pair:
            accepted = 0
            for _ in range(reads):
                sql = statements.read()
                yield from pair.differ("sql_query", sql)
                accepted += pair.servers[0].tool("sql_query", sql=sql).code == 0
            for _ in range(writes):
                yield from pair.differ("sql_execute", statements.write())
                if pair.rows_of_b() != pair.theirs:
                    yield f"{engine.name}: rows of B changed"
                    break
            if reads and accepted < reads / 2:
                yield f"{engine.name}: {accepted} of {reads} statements were accepted: too few to show anything"


def test_no_statement_tells_rows_of_another_tenant_from_rows_that_are_not_there(place):
    print(f"CANDOR_SEED={GIVEN.seed}")
    yield from try_statements(place, CONTRACT % SCOPE, GIVEN.reads, GIVEN.writes)


def test_the_property_sees_a_missing_scope(place):
    """The canary: without a scope the same statements must differ, and B's rows must change."""
    for engine in ENGINES:
        statements = Statements(GIVEN.seed)
        with contextlib.closing(Pair(engine, place, CONTRACT % "")) as pair:
            seen = sum(1 for _ in range(40) for _ in pair.differ("sql_query", statements.read()))
            for _ in range(20):
                list(pair.differ("sql_execute", statements.write()))
            if seen < 10 or pair.rows_of_b() == pair.theirs:
                yield f"{engine.name}: without a scope {seen} statements differ; B's rows changed: {pair.rows_of_b() != pair.theirs}"


def test_a_key_of_another_tenant_is_taken_and_no_more_is_told(place):
    insert = "INSERT INTO notes (note_id, item_id, stars) VALUES (%d, 1, 1)%s"
    for engine in ENGINES:
        with contextlib.closing(Pair(engine, place, CONTRACT % SCOPE)) as pair:
            server = pair.servers[0]
            for more in ("", " ON CONFLICT (note_id) DO NOTHING", " ON CONFLICT (note_id) DO UPDATE SET body = 'x'"):
                reply = server.tool("sql_execute", sql=insert % (1001, more))
                if reply.document.get("code") != "duplicate-key":
                    yield f"{engine.name}{more}: {reply.said}"
                for told in ("workspace", "good", "bad", "stars"):
                    if told in json.dumps(reply.document):
                        yield f"{engine.name}{more} tells of {told}: {reply.said}"
            mine = server.tool("sql_execute", sql=insert % (1, "")).document
            theirs = server.tool("sql_execute", sql=insert % (1001, "")).document
            if [mine[part] for part in ("message", "hint")] != [theirs[part].replace("1001", "1") for part in ("message", "hint")]:
                yield f"{engine.name}: the key of another tenant is refused in other words: {mine} / {theirs}"
            if pair.rows_of_b() != pair.theirs:
                yield f"{engine.name}: rows of B changed"


def test_without_a_claim_nothing_is_readable(place):
    for engine in ENGINES:
        source = engine.make(place, script(engine, True))
        file = place.write("shop.yaml", CONTRACT % SCOPE)
        words = ["--source", f"app={source}", "--contract", file]
        for sql in ("SELECT * FROM items", "SELECT COUNT(*) FROM notes", "DELETE FROM notes WHERE stars = 1"):
            reply = place.run("sql", sql, *words)
            if (reply.document or {}).get("code") != "scope-missing" or "rows" in (reply.document or {}):
                yield f"{engine.name}: {sql}: {reply.document}"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=int(os.environ.get("CANDOR_SEED", random.randrange(10**6))))
    parser.add_argument("--reads", type=int, default=150)
    parser.add_argument("--writes", type=int, default=60)
    GIVEN, sys.argv[1:] = parser.parse_known_args()
    try:
        sys.exit(run_cases(globals(), __file__))
    finally:
        close_all()
