"""Texts that no program should take well: huge, deep and broken statements, answers and protocol messages.

Each must end in an error that says what is wrong, or in the right result; the session must be of use afterwards.
"""

import json
import subprocess
import sys

from cases import run_cases
from program import Mcp, finish


def code_of(reply):
    return (reply.document or {}).get("code")


def still_works(mcp):
    reply = mcp.tool("sql_query", sql="SELECT 41 + 1 AS n")
    if (reply.document or {}).get("rows") != [[42]]:
        yield f"afterwards the session is of no use: {reply.said}"


def sql_file(place, text):
    path = place.write("q.sql", text)
    return place.run("sql", "-f", path)


def must_fail(reply, codes, what):
    if reply.code in (0, None) or code_of(reply) not in codes:
        yield f"{what}: exit code {reply.code}, code {code_of(reply)}, must be one of {codes}: {reply.said[:300]}"


# ---- statements ----

def test_ten_megabytes_of_sql(place):
    text = "SELECT '" + "x" * 10_000_000 + "' AS x"
    yield from must_fail(sql_file(place, text), ("over-limit",), "10 MB")
    mcp = Mcp(place)
    reply = mcp.tool("sql_query", sql=text)
    yield from must_fail(reply, ("over-limit",), "10 MB over MCP")
    yield from still_works(mcp)
    mcp.close()


def test_a_hundred_thousand_ors(place):
    mcp = Mcp(place)
    text = "SELECT count(*) FROM range(10) t(i) WHERE " + " OR ".join(f"i = {n}" for n in range(100_000))
    reply = mcp.tool("sql_query", sql=text)
    right = (reply.document or {}).get("rows") == [[10]]
    if not right:
        yield from must_fail(reply, ("over-limit", "statement-timeout", "engine-died", "engine-error", "syntax"), "ORs")
    yield from still_works(mcp)
    mcp.close()


def test_nested_ten_thousand_deep(place):
    mcp = Mcp(place)
    depth = 10_000
    texts = {"parentheses": "SELECT " + "(" * depth + "1" + ")" * depth,
             "subqueries": "SELECT * FROM " + "(SELECT * FROM " * depth + "range(3)" + ")" * depth,
             "cases": "SELECT " + "CASE WHEN true THEN " * depth + "1" + " END" * depth,
             "lists": "SELECT " + "[" * depth + "1" + "]" * depth,
             "negations": "SELECT " + "- " * depth + "1",
             "open comments": "SELECT 1 " + "/*" * depth}
    for name, text in texts.items():
        reply = mcp.tool("sql_query", sql=text)
        if reply.code == 0 and (reply.document or {}).get("row_count") is None:
            yield f"{name}: neither an error nor a result: {reply.said}"
        elif reply.code != 0 and code_of(reply) in (None, "internal"):
            yield f"{name}: {reply.said}"
        yield from still_works(mcp)
    mcp.close()


def test_nul_in_a_statement(place):
    yield from must_fail(sql_file(place, b"SELECT 1\0; SELECT 2"), ("invalid-text",), "NUL in a file")
    mcp = Mcp(place)
    yield from must_fail(mcp.tool("sql_query", sql="SELECT '\0'"), ("invalid-text",), "NUL over MCP")
    yield from still_works(mcp)
    mcp.close()


def test_invalid_utf8_in_a_statement(place):
    for bad in (b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xc0\xaf"):
        yield from must_fail(sql_file(place, b"SELECT '" + bad + b"' AS x"), ("invalid-text",), repr(bad))


def test_no_statement_at_all(place):
    for text in ("", "   \n", ";;;", "-- nothing\n", "/* nothing */"):
        yield from must_fail(sql_file(place, text), ("syntax",), repr(text))
    yield from must_fail(sql_file(place, "SELECT 'open"), ("syntax",), "an open literal")


def test_too_many_statements(place):
    yield from must_fail(sql_file(place, "SELECT 1;" * 51), ("over-limit",), "51 statements")
    reply = sql_file(place, "SELECT 1;" * 50)
    if (reply.document or {}).get("statement_count") != 50:
        yield f"50 statements: {reply.said}"


# ---- answers ----

def commit(place, text):
    path = place.write("a.json", text)
    return place.run("commit", "-f", path)


def test_answers_that_are_no_answers(place):
    bodies = {
        "no JSON": "{", "two documents": '{"fields":{"a":1}} {}', "an array": "[]", "a number": "17",
        "a lone surrogate": '{"fields":{"a":"\\ud800"}}', "a lone low surrogate": '{"basis":"\\udc00","fields":{"a":12}}',
        "invalid UTF-8": b'{"fields":{"a":"\xff"}}', "a duplicate member": '{"fields":{"a":1},"fields":{"a":2}}',
        "an unknown member": '{"fields":{"a":1},"fiels":{}}', "NaN": '{"fields":{"a":NaN}}',
        "a number beyond a double": '{"fields":{"a":1e999}}', "two kinds": '{"fields":{"a":1},"unresolved":"no"}',
        "none of the kinds": '{"question":"?"}', "no fields": '{"fields":{}}',
        "a ragged table": '{"rows":{"columns":["a","b"],"values":[[1]]}}', "a control character": '{"basis":"\n"}',
        "nested deep": "[" * 100_000 + "]" * 100_000,
    }
    for name, body in bodies.items():
        yield from must_fail(commit(place, body), ("bad-request", "over-limit"), name)
    answers = place.run("answers")
    if (answers.document or {}).get("answers") != []:
        yield f"an answer was recorded: {answers.said}"


def test_digits_survive_in_an_answer(place):
    body = '{"fields":{"big":12345678901234567890123456789,"small":0.1000000000000000055511151231257827}}'
    reply = commit(place, body)
    if reply.code != 0:
        yield f"refused: {reply.said}"
        return
    shown = place.run("answers", reply.document["answer_id"])
    if b"12345678901234567890123456789" not in shown.out or b"0.1000000000000000055511151231257827" not in shown.out:
        yield f"the digits are not those that were committed: {shown.out[:300]}"


# ---- the protocol ----

def exchange(place, *messages):
    """Sends raw lines to `candor mcp` and ends its input: (exit code, the messages it sent)."""
    process = place.start("mcp", "--home", place.home, stdin=subprocess.PIPE)
    reply = finish(process, b"".join(messages), timeout=60)
    sent = [json.loads(line) for line in reply.out.splitlines() if line.strip()]
    return reply.code, sent


def line(**message):
    return json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n"


HELLO = line(id=0, method="initialize", params={"protocolVersion": "2025-06-18", "capabilities": {},
                                                "clientInfo": {"name": "t", "version": "1"}})
PING = line(id=99, method="ping")


def error_code(message):
    return message.get("error", {}).get("code")


def test_messages_that_are_no_messages(place):
    bad = [b"{\n", b"nonsense\n", b"\n", b"\xff\xfe\n", b'{"jsonrpc":"2.0","id":1,"method":"\\ud800"}\n', b"null\n", b"17\n",
           b'{"jsonrpc":"1.0","id":1,"method":"ping"}\n', b'{"id":1}\n', b"[" * 50_000 + b"\n"]
    for text in bad:
        code, sent = exchange(place, HELLO, text, PING)
        if code != 0:
            yield f"{text[:40]}: exit code {code}"
        if not any(message.get("id") == 99 and "result" in message for message in sent):
            yield f"{text[:40]}: the ping after it got no answer: {sent}"
        if text.strip() and not any(error_code(message) in (-32700, -32600) for message in sent):
            yield f"{text[:40]}: no error was sent: {sent}"


def test_ids_and_numbers_of_every_size(place):
    for text in ("9007199254740993", '"text"', "-1", "1.5", "1e3"):
        code, sent = exchange(place, HELLO, b'{"jsonrpc":"2.0","id":%s,"method":"ping"}\n' % text.encode(), PING)
        mine = [message for message in sent if message.get("id") not in (0, 99)]
        if code != 0 or len(mine) != 1:
            yield f"id {text}: exit code {code}, {sent}"
        elif "result" in mine[0] and mine[0]["id"] != json.loads(text):
            yield f"id {text} came back as {mine[0]['id']}"
    code, sent = exchange(place, HELLO, line(id=1, method="tools/call", params={
        "name": "sql_query", "arguments": {"sql": "SELECT 1", "max_rows": 10 ** 30}}), PING)
    if not any(message.get("id") == 1 for message in sent):
        yield f"a huge max_rows got no answer: {sent}"


def test_duplicate_ids_are_both_answered(place):
    _, sent = exchange(place, HELLO, line(id=7, method="ping"), line(id=7, method="ping"), PING)
    if sum(1 for message in sent if message.get("id") == 7) != 2:
        yield f"{sent}"


def test_unknown_fields_are_passed_over(place):
    _, sent = exchange(place, HELLO, line(id=1, method="ping", extra={"a": [1]}, params={"unheard": 1}), PING)
    if not any(message.get("id") == 1 and "result" in message for message in sent):
        yield f"{sent}"


def test_a_pipe_closed_inside_a_message(place):
    for cut in (b'{"jsonrpc":"2.0","id":1,"meth', b'{"jsonrpc":"2.0","id":1,"method":"ping"}'):
        code, sent = exchange(place, HELLO, cut)
        if code != 0:
            yield f"exit code {code} after {cut}: {sent}"


def test_a_reader_that_goes_away(place):
    place.write("candor.yaml", "limits: {rows_per_result: 2000000, result_chars: 1000000000}\n")
    process = place.start("sql", "SELECT i, 'text ' || i FROM range(2000000) t(i)", "--json", "--home", place.home,
                          stdin=subprocess.DEVNULL)
    process.stdout.close()
    code = process.wait(60)
    if code < 0 and code != -13:
        yield f"ended by signal {-code}"


def test_usage_errors_are_documents_too(place):
    for words in (("nonsense",), ("sql", "--no-such-flag"), ("commit",), ("answers", "a99999"), ("explain", "no-such-code")):
        reply = place.run(*words)
        if reply.code not in (2, 4) or (reply.document or {}).get("error") is not True:
            yield f"{words}: exit code {reply.code}, {reply.said[:200]}"


if __name__ == "__main__":
    sys.exit(run_cases(globals(), __file__, jobs=2))
