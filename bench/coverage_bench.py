"""What a review costs: the time of a commit's join check against the join itself, counted by the same engine."""

import json

from figures import median, record
from servers import candor, folder

ROUNDS = 5
SETTINGS = "review: {max_rows: 6000000, max_key_chars: 200000000}\nlimits: {statement_seconds: 120}\n"

CASES = {
    "500k × 500k wrapped text keys": {
        "tables": ["CREATE TABLE a AS SELECT printf('A%07d', i) AS k, 'g' || (i % 10) AS g FROM range(500000) t(i)",
                   "CREATE TABLE b AS SELECT printf(' a%07d ', i * 2) AS k, i % 20 AS w FROM range(500000) t(i)"],
        "join": "SELECT count(*) AS n FROM a JOIN b ON upper(trim(a.k)) = upper(trim(b.k))",
        "limit": 1.5, "judged": "ratio"},
    "20k × 20k fan-out on one key": {
        "tables": ["CREATE TABLE a AS SELECT 7 AS k, i AS v FROM range(20000) t(i)",
                   "CREATE TABLE b AS SELECT 7 AS k, i AS w FROM range(20000) t(i)"],
        "join": "SELECT count(*) AS n FROM a JOIN b ON a.k = b.k",
        "limit": 20, "judged": "ours"},
    "5M × 5M integers, row gate lifted": {
        "tables": ["CREATE TABLE a AS SELECT i * 3 AS k, i % 100 AS g FROM range(5000000) t(i)",
                   "CREATE TABLE b AS SELECT i * 5 AS k, i % 90 AS w FROM range(5000000) t(i)"],
        "join": "SELECT count(*) AS n FROM a JOIN b ON a.k = b.k"},
}


def checked_ms(server, turn, join, count):
    """Milliseconds of the review of one commit; it must have measured."""
    server.call("answer_commit", fields={"n": count}, turn_id=turn)
    document = server.document()
    held = document.get("status") == "error"
    part = document if held else document["receipt"]
    joins = part["evidence"]["joins"] if held else [j for check in part["checks"] for j in check.get("joins", [])]
    if not joins or joins[0].get("sample"):
        raise SystemExit(f"not measured whole: {json.dumps(document)[:600]}")
    return part["join_check_ms"]


def measure(name, case):
    with folder(SETTINGS) as where, candor(where).handshake() as server:
        for table in case["tables"]:
            server.call("sql_execute", sql=table)
            if server.document().get("error"):
                raise SystemExit(server.document())
        joins, checks = [], []
        for turn in range(ROUNDS):
            server.call("sql_query", sql=case["join"], turn_id=str(turn))
            result = server.document()
            joins.append(result["elapsed_ms"])
            checks.append(checked_ms(server, str(turn), case["join"], result["rows"][0][0]))
    record(f"review of {name}", median(checks), "ms", "the join, counted", median(joins),
           case.get("limit"), case.get("judged", "ratio"))


if __name__ == "__main__":
    for name, case in CASES.items():
        measure(name, case)
