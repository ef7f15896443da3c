"""`candor stats` and `candor replay` on real calls, by the command line and by MCP; every number is counted by hand."""

import json
import os
import pty
import random
import sqlite3
import subprocess
import sys
import time

from cases import run_cases
from dialect_test import FOLDER, cases_of
from program import BIN, Mcp

REJECTED, USAGE, HELD, FILE, SETTINGS = 1, 2, 7, 14, 78
CONTRACT = FOLDER / "contract.yaml"


def app(place):
    path = place.work / "app.sqlite"
    database = sqlite3.connect(path)
    database.executescript((FOLDER / "setup.sqlite.sql").read_text())
    database.close()
    return ["--source", f"app={path}", "--contract", CONTRACT, "--claim", "workspace=A"]


def in_ledger(place, sql):
    database = sqlite3.connect(place.home / "ledger.sqlite")
    try:
        return [list(row) for row in database.execute(sql)]
    finally:
        database.close()


def different(what, got, want):
    if got != want:
        yield f"{what}: {json.dumps(got, ensure_ascii=False)}, not {json.dumps(want, ensure_ascii=False)}"


def listed(document, name, *members):
    return [[item[member] for member in members] for item in document[name]["list"]]


def test_an_empty_ledger_gives_zeros_in_clear_words(place):
    reply = place.run("stats")
    document = reply.document
    yield from different("code", reply.code, 0)
    yield from different("calls", document["calls"],
                         {"total": 0, "accepted": 0, "rejected": 0, "failed": 0, "rejected_share": None,
                          "first_ms": None, "last_ms": None})
    yield from different("turns", document["turns"],
                         {"total": 0, "with_rejection": {"turns": 0, "calls": 0, "median_calls": None},
                          "without_rejection": {"turns": 0, "calls": 0, "median_calls": None},
                          "share_with_rejection": None, "share_of_calls_in_them": None})
    yield from different("taken", document["repairs"]["taken_share"], None)
    yield from different("lists", [document[name]["list"] for name in ("rejections", "failures", "absent_columns")],
                         [[], [], []])


# Turn t1: 5 calls, of which 2 are rejected; t2: 1 call; t3: 2 calls by MCP, 1 rejected; t4: 3 calls.
def test_calls_of_a_contract_by_command_line_and_mcp_are_added_up(place):
    source = app(place)
    place.variables["LOGNAME"] = "ada"

    def ask(turn, sql):
        return place.run("sql", sql, "--session", "s1", "--turn", turn, *source)

    ask("t1", "SELECT COUNT(*) FROM cards")
    ask("t1", "SELECT deck_id, front FROM cards c WHERE c.deck_id = 1")   # deck_id twice, front
    near = ask("t1", "SELECT card_nr FROM cards ORDER BY card_nr")        # the same repair for both
    yield from different("fix", near.document.get("fix"), "SELECT card_no FROM cards ORDER BY card_no")
    ask("t1", "select card_no from cards order by card_no")               # not the same tokens
    ask("t1", "SELECT card_no  -- as was said\n FROM cards ORDER BY card_no;")
    ask("t2", "SELECT `card_no` FROM [cards] ORDER BY card_no LIMIT 1; SELECT TOP 2 [card_no] FROM cards ORDER BY card_no")
    mcp = Mcp(place, "--session", "s2", *source)
    mcp.tool("sql_query", sql="SELECT name, description FROM decks WHERE tags LIKE 'x%'", turn_id="t3")
    mcp.tool("sql_query", sql="SELECT COUNT(*) FROM decks", turn_id="t3")
    mcp.tool("sql_execute", sql="DELETE FROM cards", turn_id="t4")
    mcp.tool("sql_query", sql="SELECT * FROM reviews", turn_id="t4")
    mcp.tool("sql_query", sql="SHOW TABLES", turn_id="t4")
    yield from different("mcp ends", mcp.close(), 0)
    yield from different("callers", in_ledger(place, "SELECT DISTINCT surface, caller FROM telemetry ORDER BY 1"),
                         [["cli", "ada"], ["mcp", "test 1"]])
    yield from different("statements of calls", in_ledger(
        place, "SELECT statement_type, statement_count, sum(duration_ms > 0) FROM telemetry WHERE turn = 't2' GROUP BY 1, 2"),
        [["select", 2, 2]])

    document = place.run("stats").document
    calls = document["calls"]
    yield from different("calls", [calls[name] for name in ("total", "accepted", "rejected", "failed")], [11, 6, 5, 0])
    yield from different("share", calls["rejected_share"], 5 / 11)
    yield from different("turns", document["turns"],
                         {"total": 4, "with_rejection": {"turns": 3, "calls": 10, "median_calls": 3},
                          "without_rejection": {"turns": 1, "calls": 1, "median_calls": 1},
                          "share_with_rejection": 0.75, "share_of_calls_in_them": 10 / 11})
    classes = {item["code"]: item for item in document["rejections"]["list"]}
    yield from different("unknown-column", classes["unknown-column"],
                         {"code": "unknown-column", "calls": 3, "share": 0.6, "turns": 2, "errors": 6, "fixes_offered": 2})
    yield from different("classes", sorted(classes)[-2:], ["unknown-resource", "write-without-where"])
    yield from different("first class", document["rejections"]["list"][0]["code"], "unknown-column")
    yield from different("absent", listed(document, "absent_columns", "resource", "column", "calls", "errors", "fixes_offered"),
                         [["cards", "card_nr", 1, 2, 2], ["cards", "deck_id", 1, 2, 0], ["cards", "front", 1, 1, 0],
                          ["decks", "description", 1, 1, 0]])
    yield from different("absent resources", listed(document, "absent_resources", "resource", "calls"), [["reviews", 1]])
    repairs = document["repairs"]
    yield from different("repairs", [repairs[name] for name in ("taken", "taken_accepted")], [1, 1])
    yield from different("read as", repairs["read_as"],
                         [{"kind": "quoted-name", "calls": 1, "spellings": 3}, {"kind": "top", "calls": 1, "spellings": 1}])

    one = place.run("stats", "--session", "s2").document
    yield from different("calls of a session", [one["calls"]["total"], one["calls"]["rejected"]], [5, 3])
    yield from different("calls of a source", place.run("stats", "--in", "app").document["calls"]["total"], 11)
    yield from different("calls of no source", place.run("stats", "--in", "shop").document["calls"]["total"], 0)
    cut = place.run("stats", "--limit", "1").document["absent_columns"]
    yield from different("a cut list", [len(cut["list"]), cut["agent_surface"]["universe_total"],
                                        cut["agent_surface"]["output_truncated"]], [1, 4, True])
    yield from different("since", place.run("stats", "--since", "1h").document["calls"]["total"], 11)
    time.sleep(1.1)
    yield from different("since a second", place.run("stats", "--since", "1s").document["calls"]["total"], 0)


# A plain source: what the engine refuses, a batch, a failure, calls that were refused as a whole.
def test_calls_of_a_plain_source_and_commits_are_added_up(place):
    place.write("clinic/patients.csv", "id,site\n" + "".join(f"P{i:04},s{i % 3}\n" for i in range(100)))
    place.write("clinic/labs.csv", "id,value\n" + "".join(f"P{i:04},{i + 145}\n" for i in range(5)))
    clinic = place.work / "clinic"

    def ask(turn, sql, *more):
        return place.run("sql", sql, clinic, "--turn", turn, *more)

    ask("t1", "SELECT count(*) FROM patients; SELECT wrong FROM patients; SELECT 1")      # stops at the second
    ask("t1", "SELECT wrong FROM patients; SELECT 1", "--keep-going")
    ask("t1", "SELECT * FROM visits")
    ask("t1", ";")
    ask("t1", "SELECT 1", "--dry-run")
    latin = place.write("latin.sql", b"SELECT 'caf\xe9'")
    place.run("sql", "-f", latin, clinic, "--turn", "t1")
    join = "SELECT sum(l.value) AS total FROM patients p JOIN labs l ON p.id = l.id"
    ask("t2", join)
    answer = json.dumps({"question": "What is the sum?", "fields": {"total": 735}, "turn_id": "t2"})
    rows = place.run("commit", answer, clinic)
    yield from different("hold", rows.code, HELD)
    yield from different("acknowledged", place.run("commit", answer, clinic).code, 0)
    yield from different("unresolved", place.run("commit", json.dumps({"unresolved": "no key", "turn_id": "t3"}), clinic).code, 0)
    yield from different("refused", place.run("commit", json.dumps({"turn_id": "t3"}), clinic).code, USAGE)

    yield from different("commits in the telemetry", in_ledger(
        place, "SELECT turn, succeeded, error_code, reason FROM telemetry WHERE statement_type = 'answer_commit' ORDER BY id"),
        [["t2", 0, "held", "join-coverage"], ["t2", 1, "", "join-coverage"], ["t3", 1, "", ""],
         ["t3", 0, "bad-request", ""]])
    document = place.run("stats").document
    calls = document["calls"]
    yield from different("calls", [calls[name] for name in ("total", "accepted", "rejected", "failed")], [7, 1, 6, 0])
    yield from different("classes", listed(document, "rejections", "code", "calls", "errors"),
                         [["unknown-column", 2, 2], ["invalid-text", 1, 1], ["statement-not-allowed", 1, 1],
                          ["syntax", 1, 1], ["unknown-table", 1, 1]])
    yield from different("absent", listed(document, "absent_columns", "resource", "column", "calls"), [["patients", "wrong", 2]])
    yield from different("resources", listed(document, "absent_resources", "resource", "calls"), [["visits", 1]])
    commits = document["commits"]
    yield from different("commits", [commits[name] for name in ("committed", "held", "acknowledged", "unresolved", "refused")],
                         [0, 1, 1, 1, 1])
    yield from different("checks", commits["checks"], [{"check": "join-coverage", "held": 1, "acknowledged": 1}])


SECRET = "the-secret-of-the-text"


# Each record of the log has its members, and nothing of a statement.
def test_a_line_of_the_log_has_every_member_and_no_text(place):
    source = app(place)
    place.variables["LOGNAME"] = "ada"

    def records(*words):
        process = place.start("sql", *words, "--log-json", "--json", "--home", place.home, *source)
        said = process.communicate(timeout=120)[1].decode()
        return [json.loads(line) for line in said.splitlines() if line.startswith("{")]

    sql = f"SELECT front_text FROM cards WHERE front_text <> '{SECRET}' ORDER BY card_no LIMIT 3; SELECT COUNT(*) FROM decks"
    both = records(sql, "--session", "s1", "--turn", "t1")
    if SECRET in json.dumps(both):
        yield f"the log has a text of the statement: {both}"
    yield from different("records", len(both), 2)
    first = both[0]
    want = {"surface": "cli", "caller": "ada", "session": "s1", "turn": "t1", "succeeded": True, "statement_type": "select",
            "resource": "app", "statement_count": 2, "row_or_affected_count": 3, "rows_omitted": 0,
            "sql_length": len(sql.split(";")[0])}
    yield from different("members", {name: first.get(name) for name in want}, want)
    yield from different("others", sorted(set(first) - set(want)), ["duration_ms", "result_chars", "sql_fingerprint"])
    if first["duration_ms"] <= 0 or first["result_chars"] < 20 or len(first["sql_fingerprint"]) != 64:
        yield f"odd values: {first}"
    [failed] = records(f"SELECT deck_id, '{SECRET}' FROM cards WHERE metadata = 'x'", "--session", "s1")
    yield from different("failure", [failed["succeeded"], failed["error_code"], failed["reason"], failed["statement_type"]],
                         [False, "not-filterable", "unknown-column", "rejected"])
    if SECRET in json.dumps(failed) or "deck_id" in json.dumps(failed):
        yield f"the log has names or texts of the statement: {failed}"


def test_since_takes_periods_and_times_and_nothing_else(place):
    for good in ("7d", "24h", "30m", "2026-01-01", "2026-01-01T00:00:00Z"):
        yield from different(good, place.run("stats", "--since", good).code, 0)
    for bad in ("7", "soon", "2026-02-30", "-7d", ""):
        reply = place.run("stats", "--since", bad)
        yield from different(bad, [reply.code, reply.document.get("code")], [USAGE, "usage"])
        if "7d" not in reply.document.get("hint", ""):
            yield f"{bad}: no accepted form in {reply.document}"


# What only the data tells is accepted here.
AT_RUN_TIME = {"too-many-rows", "result-too-large", "type-mismatch", "number-overflow", "bad-stored-value"}
# Told by the text of a literal, or by what is reckoned.
EITHER = {"bad-argument", "integer-overflow"}


def test_the_dialects_cases_are_judged_as_they_say(place):
    cases = [case for path in sorted(FOLDER.glob("*.test")) for case in cases_of(path) if case.error not in EITHER]
    log = place.write("cases.ndjson", "".join(json.dumps({"sql": case.sql, "turn": case.path}) + "\n" for case in cases))
    by_place = {f"{log}:{number}": case for number, case in enumerate(cases, 1)}
    wanted = [case for case in cases if case.error and case.error not in AT_RUN_TIME]
    reply = place.run("replay", log, "--contract", CONTRACT)
    document = reply.document
    yield from different("code", reply.code, 0)
    yield from different("calls", [document["calls"]["total"], document["calls"]["rejected"]], [len(cases), len(wanted)])
    yield from different("turns", document["turns"]["total"], len({case.path for case in cases}))
    for item in document["rejections"]["list"]:
        yield from different("examples of " + item["code"], len(item["examples"]), min(3, item["calls"]))
        for example in item["examples"]:
            case = by_place[example["place"]]
            if case.error is None or case.error in AT_RUN_TIME:
                yield f"{case.path}: {case.title}: rejected: {example['message']}"
    codes = {item["code"] for item in document["rejections"]["list"]}
    for case in wanted:
        if case.error not in codes:
            yield f"{case.path}: {case.title}: no class {case.error}"
    # Each case by itself, so that none is rejected in the place of another.
    for case in cases:
        one = place.run("replay", "-", "--format", "ndjson", "--contract", CONTRACT,
                        given=json.dumps({"sql": case.sql}).encode()).document
        rejected = case.error is not None and case.error not in AT_RUN_TIME
        if one["calls"]["rejected"] != int(rejected):
            yield f"{case.path}: {case.title}: {one['rejections']['list'] or 'accepted'}"
        if case.fix and one["repairs"]["accepted"] != 1:
            yield f"{case.path}: {case.title}: the repair is not accepted: {one['repairs']}"


LOG = """-- what agents sent in May
SELECT COUNT(*) FROM cards;

SELECT card_nr
FROM cards;
SELECT deck_id FROM cards
WHERE reps > 1

SELECT deck_id FROM cards; SELECT COUNT(*) FROM decks
SELECT `card_no` FROM cards;
"""


def test_a_log_of_sql_is_replayed_without_a_database(place):
    log = place.write("may.sql", LOG)
    reply = place.run("replay", log, "--contract", CONTRACT)
    document = reply.document
    yield from different("code", reply.code, 0)
    yield from different("depth", document["depth"], "parsed and bound, nothing was run")
    # Line 9 does not end in a semicolon: it and line 10 are one call, which lacks one between.
    yield from different("calls", [document["calls"][name] for name in ("total", "accepted", "rejected")], [4, 1, 3])
    yield from different("repairs", [document["repairs"]["repairable"], document["repairs"]["accepted"],
                                     document["repairs"]["accepted_share_with_them"]], [1, 1, 0.5])
    yield from different("absent", listed(document, "absent_columns", "resource", "column", "calls", "fixes_offered", "explained"),
                         [["cards", "deck_id", 2, 0, True], ["cards", "card_nr", 1, 1, False]])
    unknown = next(item for item in document["rejections"]["list"] if item["code"] == "unknown-column")
    yield from different("places", [example["place"].rsplit(":", 1)[1] for example in unknown["examples"]], ["4", "6", "9"])
    yield from different("fix", unknown["examples"][0].get("fix"), "SELECT card_no FROM cards")
    if "turns" in document:
        yield "turns without a turn in the log"
    if list(place.home.iterdir()):
        yield f"a replay of a file made {list(place.home.iterdir())}"
    yield from different("enough", place.run("replay", log, "--contract", CONTRACT, "--fail-under", "0.25").code, 0)
    yield from different("too little", place.run("replay", log, "--contract", CONTRACT, "--fail-under", "0.26").code, REJECTED)
    yield from different("no share", place.run("replay", log, "--contract", CONTRACT, "--fail-under", "26").code, USAGE)
    lines = place.run("replay", log, "--contract", CONTRACT, "--format", "lines").document["calls"]["total"]
    yield from different("lines", lines, 7)


def test_what_is_no_log_is_told_with_file_and_line(place):
    def replayed(name, content, *more):
        return place.run("replay", place.write(name, content), "--contract", CONTRACT, *more)

    broken = replayed("b.ndjson", '{"sql":"SELECT COUNT(*) FROM cards"}\n{"sql":\n{"query":"x"}\n')
    yield from different("broken", [broken.code, broken.document["calls"]["total"], broken.document["broken_lines"]["total"]],
                         [0, 1, 2])
    yield from different("places", [one["place"].rsplit("/", 1)[1] for one in broken.document["broken_lines"]["examples"]],
                         ["b.ndjson:2", "b.ndjson:3"])
    yield from different("broken and CI", replayed("b.ndjson", '{"sql":"SHOW TABLES"}\n{\n', "--fail-under", "0.1").code, REJECTED)
    for name, content, said in (("empty", "", "holds no statement"), ("blank", "\n -- nothing\n\n", "holds no statement"),
                                ("latin", b"SELECT 1;\nSELECT '\xe9';\n", "latin:2 is not valid UTF-8"),
                                ("wide", "SELECT 1".encode("utf-16"), "wide:1 is not valid UTF-8"),
                                ("array", '[{"sql":"x"}]', "array:1 begins a JSON array"),
                                ("none", "{}\n{}\n", "none:1 is no object with a text")):
        reply = replayed(name, content)
        yield from different(name, [reply.code, reply.document.get("code")], [FILE, "unreadable-input"])
        if said not in reply.document.get("message", ""):
            yield f"{name}: {reply.document.get('message')!r} does not say {said!r}"
    for words, code in ((["/no/such/file"], FILE), ([place.work], FILE), ([], USAGE), (["--ledger", "x"], USAGE),
                        (["x", "--since", "7d"], USAGE)):
        yield from different(words, place.run("replay", *words, "--contract", CONTRACT).code, code)
    yield from different("no contract", place.run("replay", place.work / "none").code, USAGE)
    yield from different("bad contract", place.run("replay", place.work / "none", "--contract", place.work / "none").code, SETTINGS)


def test_the_ledger_is_replayed_call_by_call(place):
    source = app(place)
    place.run("sql", "SELECT COUNT(*) FROM cards; SELECT COUNT(*) FROM decks", "--turn", "t1", *source)
    place.run("sql", "SELECT deck_id FROM cards", "--turn", "t1", *source)
    place.run("sql", "SELECT reps FROM cards LIMIT 1", "--turn", "t2", *source)
    narrow = place.write("narrow.yaml", CONTRACT.read_text().replace("      reps:", "      repetitions:"))
    for contract, accepted in ((CONTRACT, 2), (narrow, 1)):
        reply = place.run("replay", "--ledger", "--in", "app", "--since", "1h", "--contract", contract)
        if "calls" not in (reply.document or {}):
            yield f"{contract.name}: {reply.said}"
            continue
        yield from different(contract.name, [reply.document["calls"][name] for name in ("total", "accepted")], [3, accepted])
        yield from different("turns", reply.document["turns"]["total"], 2)
        place_of = reply.document["rejections"]["list"][0]["examples"][0]["place"]
        yield from different("place", place_of, "q3")


def resident_kb(place, lines):
    log = place.work / "long.ndjson"
    texts = ["SELECT COUNT(*) FROM cards", "SELECT deck_id FROM cards", "SELECT card_nr FROM cards", "SELECT FROM"]
    with open(log, "w") as out:
        for i in range(lines):
            out.write(json.dumps({"sql": texts[i % 4] + f" -- {random.random()}"}) + "\n")
    process = place.start("replay", log, "--contract", CONTRACT, "--json")
    document = json.loads(process.stdout.read())
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = status
    return usage.ru_maxrss, document["calls"]["total"]


def test_a_long_log_takes_no_more_memory_than_a_short_one(place):
    short, _ = resident_kb(place, 2_000)
    long, calls = resident_kb(place, 100_000)
    yield from different("calls", calls, 100_000)
    if long > short + 8_000:
        yield f"{long} kB for 100,000 calls, {short} kB for 2,000"


def on_terminal(place, *words):
    primary, secondary = pty.openpty()
    process = subprocess.Popen([BIN, *map(str, words), "--home", str(place.home)], stdout=secondary, stderr=secondary,
                               stdin=subprocess.DEVNULL, cwd=place.work,
                               env=place.environment() | {"TERM": "xterm", "COLUMNS": "100"})
    os.close(secondary)
    said = b""
    while True:
        try:
            part = os.read(primary, 65536)
        except OSError:
            break
        if not part:
            break
        said += part
    process.wait()
    os.close(primary)
    return said.decode()


def test_on_a_terminal_both_are_pages_for_people(place):
    none = on_terminal(place, "stats")
    if "no call is recorded" not in none:
        yield none
    source = app(place)
    place.run("sql", "SELECT deck_id FROM cards", *source)
    page = on_terminal(place, "stats")
    for text in ("100 %", "cards.deck_id", "unknown-column", "median 1 call"):
        if text not in page:
            yield f"no {text!r} in {page}"
    page = on_terminal(place, "replay", place.write("may.sql", LOG), "--contract", CONTRACT)
    for text in ("parsed and bound, nothing was run", "may.sql:4", "cards.deck_id", "fix: SELECT card_no FROM cards"):
        if text not in page:
            yield f"no {text!r} in {page}"


if __name__ == "__main__":
    sys.exit(run_cases(globals(), __file__))
