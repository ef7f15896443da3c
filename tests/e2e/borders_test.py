"""How many rows tie with a page's borders, and of how many rows it is a part: generated pages, compared with what the whole
ordered list says, on each engine.
"""

import random
import sys

from cases import run_cases
from databases import ENGINES, close_all
from program import Mcp

ROWS = 160
CONTRACT = """contract: borders
source: app
limits: {rows_per_statement: 1000}
resources:
  items:
    table: items
    key: id
    columns:
      id: integer
      n: {type: integer, nullable: true}
      label: {type: string, nullable: true}
      amount: decimal
      share: number
      made_at: datetime
      done: boolean
"""


def script(engine, chance):
    types = {"sqlite": ("TEXT", "INTEGER"), "duckdb": ("TIMESTAMP", "BOOLEAN"), "postgres": ("TIMESTAMP", "BOOLEAN")}[engine.name]
    rows = []
    for i in range(1, ROWS + 1):
        n = chance.choice(["NULL", *map(str, range(5))])
        label = chance.choice(["NULL", "'a'", "'A'", "'b'", "'é'", "'e'", "''"])
        done = chance.choice("01") if engine.name == "sqlite" else chance.choice(["true", "false"])
        made = f"'2024-01-0{chance.randint(1, 3)} 10:00:0{chance.randint(0, 2)}'"
        rows.append(f"({i}, {n}, {label}, {chance.choice(['1.50', '2.25', '0.00'])}, {chance.choice(['0.5', '0.25', '1.0'])}, {made}, {done})")
    return (f"CREATE TABLE items (id INTEGER PRIMARY KEY, n INTEGER, label TEXT, amount NUMERIC(10,2) NOT NULL, share DOUBLE PRECISION NOT NULL, "
            f"made_at {types[0]} NOT NULL, done {types[1]} NOT NULL); INSERT INTO items VALUES {', '.join(rows)};")


def statement(chance):
    """A SELECT whose items are the keys of its order, and how many these are."""
    terms = ["n", "label", "amount", "share", "made_at", "done", "LOWER(label)", "n % 2", "n IS NULL", "CASE WHEN n > 2 THEN label END"]
    keys = chance.sample(terms, chance.randint(1, 3))
    names = [f"k{i}" for i in range(len(keys))]
    items = ", ".join(f"{key} AS {name}" for key, name in zip(keys, names))
    where = chance.choice(["", " WHERE n IS NOT NULL", " WHERE done", " WHERE n = 3"])
    order = ", ".join(f"{name}{chance.choice(['', ' DESC', ' NULLS FIRST', ' DESC NULLS LAST'])}" for name in names)
    head = chance.choice(["SELECT ", "SELECT ", "SELECT ", "SELECT DISTINCT "])
    group = ""
    if head == "SELECT " and chance.random() < 0.25:
        items, group = items + ", COUNT(*) AS c", " GROUP BY " + ", ".join(keys)
    elif head == "SELECT DISTINCT ":
        items += ", id % 7 AS other"
    return f"{head}{items} FROM items{where}{group} ORDER BY {order}", len(keys)


def test_ties_and_totals(place):
    seed = 20240229
    chance = random.Random(seed)
    tied = 0
    for engine in ENGINES:
        source = engine.make(place, script(engine, chance))
        server = Mcp(place, "--source", f"app={source}", "--contract", place.write("borders.yaml", CONTRACT))
        for _ in range(70):
            sql, keys = statement(chance)
            whole = server.tool("sql_query", sql=sql).document
            if whole.get("error"):
                yield f"{engine.name}: {sql}: {whole['message']}"
                continue
            order = [row[:keys] for row in whole["rows"]]
            limit, offset = chance.randint(1, 30), chance.choice([0, 0, chance.randint(1, 40)])
            page = server.tool("sql_query", sql=f"{sql} LIMIT {limit} OFFSET {offset}").document
            shown = order[offset:offset + limit]
            if [row[:keys] for row in page["rows"]] != shown:
                yield f"{engine.name}: {sql} LIMIT {limit} OFFSET {offset}: another page"
            ties = (sum(row == shown[0] for row in order[:offset]) + sum(row == shown[-1] for row in order[offset + limit:])) if shown else 0
            surface = page["agent_surface"]
            said = surface.get("ties_at_border", 0)
            if said != ties or (shown and surface["order"] != ("partial" if ties else "total")):
                yield f"{engine.name}: {sql} LIMIT {limit} OFFSET {offset}: {said} ties and order {surface['order']}, {ties} are right"
            if surface.get("universe_total") != len(order):
                yield f"{engine.name}: {sql} LIMIT {limit} OFFSET {offset}: a total of {surface.get('universe_total')}, {len(order)} is right"
            tied += ties > 0
        server.close()
    if tied < 60:
        yield f"only {tied} pages had ties: the test sees too little (seed {seed})"


if __name__ == "__main__":
    try:
        sys.exit(run_cases(globals(), __file__))
    finally:
        close_all()
