"""`candor mcp` over real pipes: what a client's library would never send, and how the process begins and ends."""

import contextlib
import json
import os
import pathlib
import queue
import signal
import subprocess
import tempfile
import threading
import time
import unittest

BIN = os.environ["CANDOR_BIN"]
# Would run for hours; it can only end by its cancellation.
ENDLESS = "SELECT sum(range % 7) FROM range(100000000000000)"
MODERN = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}
PATIENCE = 60  # seconds until a reply that does not come is a failure


class Server:
    """One process. Lines of its output are read by a thread, so that a test can wait for them with a bound."""

    def __init__(self, home, *arguments):
        self.process = subprocess.Popen([BIN, "mcp", "--home", str(home), *arguments], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE)
        self.lines = queue.Queue()
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()
        self.next_id = 0

    def _read(self):
        with self.process.stdout as output:
            for line in output:
                self.lines.put(line)
        self.lines.put(None)

    def send(self, text):
        data = text if isinstance(text, bytes) else text.encode()
        self.process.stdin.write(data + b"\n")
        self.process.stdin.flush()

    def receive(self):
        line = self.lines.get(timeout=PATIENCE)
        return None if line is None else json.loads(line)

    def begin(self, method, params=None, meta=MODERN, request_id=None):
        self.next_id += 1
        request_id = self.next_id if request_id is None else request_id
        self.send(json.dumps({"jsonrpc": "2.0", "id": request_id, "method": method,
                              "params": {**({"_meta": meta} if meta else {}), **(params or {})}}))
        return request_id

    def ask(self, method, params=None, meta=MODERN):
        request_id = self.begin(method, params, meta)
        reply = self.receive()
        assert reply["id"] == request_id, reply
        return reply

    def call(self, tool, arguments=None, meta=MODERN):
        return self.ask("tools/call", {"name": tool, "arguments": arguments or {}}, meta)["result"]

    def document(self, tool, arguments=None):
        return self.call(tool, arguments)["structuredContent"]

    def leave(self):
        self.process.stdin.close()
        return self.process.wait(timeout=PATIENCE)


def problems(value, schema, where="result"):
    """Where the value does not fit: the part of JSON Schema that the tools' schemas use; anything else fails."""
    known = {"type", "properties", "required", "items", "anyOf", "enum", "const", "minimum", "description",
             "additionalProperties"}
    for word in schema.keys() - known:
        yield f"{where}: the test does not know {word}"
    kinds = {"object": dict, "array": list, "string": str, "integer": int, "boolean": bool}
    if "type" in schema and not isinstance(value, kinds[schema["type"]]):
        yield f"{where} is no {schema['type']}"
        return
    if "const" in schema and value != schema["const"] or "enum" in schema and value not in schema["enum"]:
        yield f"{where} is {value!r}"
    for name in schema.get("required", []):
        if name not in value:
            yield f"{where} has no {name}"
    for name, inner in schema.get("properties", {}).items():
        if isinstance(value, dict) and name in value:
            yield from problems(value[name], inner, f"{where}.{name}")
    for index, item in enumerate(value if "items" in schema else []):
        yield from problems(item, schema["items"], f"{where}[{index}]")
    if "anyOf" in schema and all(list(problems(value, one, where)) for one in schema["anyOf"]):
        yield f"{where} fits none of the alternatives"


def worker_processes(parent):
    """Process ids of the living children."""
    found = []
    for task in pathlib.Path(f"/proc/{parent}/task").iterdir():
        found += [int(pid) for pid in (task / "children").read_text().split()]
    return found


class McpStdio(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.home = self.folder / "home"
        data = self.folder / "shop"
        data.mkdir()
        (data / "orders.csv").write_text("id,amount\n1,12.50\n2,7.25\n")
        self.source = f"shop={data}"

    def start(self, *arguments):
        server = Server(self.home, "--source", self.source, *arguments)
        self.addCleanup(self.end, server)
        return server

    def end(self, server):
        server.process.kill()
        server.process.wait()
        with contextlib.suppress(BrokenPipeError):
            server.process.stdin.close()
        server.reader.join()

    def scratch_folders(self):
        return sorted(path.name for path in self.home.glob("sessions/*")) if self.home.exists() else []

    def test_outputs_fit_the_schemas_that_are_listed(self):
        server = self.start()
        listed = server.ask("tools/list")["result"]["tools"]
        self.assertLess(len(json.dumps(listed, separators=(",", ":"))), 6000)
        schemas = {tool["name"]: tool["outputSchema"] for tool in listed}
        # Tool, arguments, whether the call fails.
        calls = [
            ("schema", {}, False),
            ("schema", {"resource": "shop.orders"}, False),
            ("schema", {"resource": "shop.odrers"}, True),
            ("sql_query", {"sql": "SELECT * FROM shop.orders"}, False),
            ("sql_query", {"sql": "SELECT 1; SELECT 2"}, False),
            ("sql_query", {"sql": "SELECT 1; SELECT nothing"}, True),
            ("sql_query", {"sql": "SELECT"}, True),
            ("sql_query", {"sql": ""}, True),
            ("sql_query", {}, True),
            ("sql_query", {"sql": "EXPLAIN SELECT 1"}, False),
            ("sql_query", {"sql": "DESCRIBE shop.orders"}, False),
            ("sql_query", {"sql": "CREATE TABLE t AS SELECT 1 AS a"}, True),
            ("sql_execute", {"sql": "CREATE TABLE t AS SELECT 1 AS a"}, False),
            ("sql_execute", {"sql": "INSERT INTO t VALUES (2); DELETE FROM t WHERE a = 2"}, False),
            ("sql_execute", {"sql": "SELECT a FROM t"}, False),
            ("sql_execute", {"sql": "DROP TABLE shop.orders"}, True),
            ("materialize", {"sql": "SELECT * FROM shop.orders", "table": "o"}, False),
            ("materialize", {"sql": "SELECT * FROM shop.orders", "table": "o"}, True),
            ("materialize", {"sql": "SELECT * FROM shop.orders", "table": "o", "replace": True}, False),
            ("answer_commit", {"fields": {"total": 19.75}}, False),
            ("answer_commit", {}, True),
            ("answer_commit", {"unresolved": {"reason": "not in the data"}}, False),
            ("answer_commit", {"fields": {"n": 1}, "query_id": "q999"}, True),
        ]
        for tool, arguments, fails in calls:
            result = server.call(tool, arguments)
            document = result["structuredContent"]
            self.assertEqual(list(problems(document, schemas[tool])), [], (tool, arguments, document))
            self.assertEqual(json.loads(result["content"][0]["text"]), document)
            self.assertEqual(result.get("isError", False), fails, (tool, arguments, document))
            self.assertEqual(document.get("error") is True or document.get("status") == "error", fails, document)
        self.assertEqual(server.leave(), 0)

    def test_the_oldest_revision_gets_text_and_batches(self):
        server = self.start()
        agreed = server.ask("initialize", {"protocolVersion": "2025-03-26", "capabilities": {},
                                           "clientInfo": {"name": "t", "version": "1"}}, meta=None)["result"]
        self.assertEqual(agreed["protocolVersion"], "2025-03-26")
        result = server.call("sql_query", {"sql": "SELECT 1 AS a"}, meta=None)
        self.assertNotIn("structuredContent", result)
        self.assertEqual(json.loads(result["content"][0]["text"])["rows"], [[1]])
        call = {"jsonrpc": "2.0", "id": "c", "method": "tools/call",
                "params": {"name": "sql_query", "arguments": {"sql": "SELECT 2 AS a"}}}
        server.send(json.dumps([call, {"jsonrpc": "2.0", "id": "p", "method": "ping"}]))
        self.assertEqual({reply["id"] for reply in server.receive()}, {"c", "p"})

    def test_malformed_messages_are_answered_and_the_stream_goes_on(self):
        server = self.start()
        # A client waits for the answer to its id, so it gets one wherever the id can be found.
        for text, code, found in [
            (b"{", -32700, None), (b"\xff\xfe", -32700, None), (b'{"jsonrpc":"2.0",\x00"id":1}', -32700, None),
            (b"[" * 200000, -32700, None), (rb'{"jsonrpc":"2.0","id":1,"method":"\ud800"}', -32700, 1),
            (b'{"jsonrpc":"2.0","id":2,"method":"ping","params":{"a":1e400}}', -32700, 2), (b'"text"', -32600, None),
            (b"[]", -32600, None), (b'{"jsonrpc":"2.0","id":{},"method":"ping"}', -32600, None),
            (b"x" * (17 << 20), -32600, None),
            (b'{"method":"ping","params":{"a":"' + b"x" * (17 << 20) + b'"},"jsonrpc":"2.0","id":"long"}', -32600, "long"),
        ]:
            server.send(text)
            reply = server.receive()
            self.assertEqual((reply["id"], reply["error"]["code"]), (found, code), text[:40])
        huge = 123456789012345678901234567890
        server.send(json.dumps({"jsonrpc": "2.0", "id": huge, "method": "ping", "params": {}, "unknown": [1]}))
        self.assertEqual(server.receive()["id"], huge)
        self.assertEqual(server.document("sql_query", {"sql": "SELECT 1 AS a"})["rows"], [[1]])

    def test_texts_that_no_statement_can_have_are_refused(self):
        server = self.start()
        self.assertEqual(server.document("sql_query", {"sql": "SELECT 'a\0b'"})["code"], "invalid-text")
        self.assertTrue(server.document("sql_query", {"sql": "SELECT " + "(" * 20000 + "1" + ")" * 20000})["error"])
        self.assertIn("rows", server.document("sql_query", {"sql": "SELECT 1 /*" + "x" * 10_000_000 + "*/"}) |
                      {"rows": None})
        self.assertEqual(server.document("sql_query", {"sql": "SELECT 1 AS a"})["rows"], [[1]])

    def test_a_long_query_blocks_no_other_and_a_cancel_stops_it_in_the_engine(self):
        server = self.start()
        self.assertEqual(server.document("sql_query", {"sql": "SELECT 1 AS a"})["rows"], [[1]])
        endless = server.begin("tools/call", {"name": "sql_query", "arguments": {"sql": ENDLESS}})
        self.assertEqual(server.document("sql_query", {"sql": "SELECT 2 AS a"})["rows"], [[2]])
        # The id is taken as long as the call runs.
        server.begin("ping", meta=None, request_id=endless)
        self.assertEqual(server.receive()["error"]["code"], -32600)
        server.send(json.dumps({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": endless}}))
        # It gets no answer; the id is free again once the engine has stopped.
        patience = time.monotonic() + PATIENCE
        while time.monotonic() < patience:
            time.sleep(0.01)
            server.begin("ping", meta=None, request_id=endless)
            reply = server.receive()
            self.assertEqual(reply["id"], endless)
            if "result" in reply:
                break
        self.assertEqual(reply["result"], {})
        self.assertEqual(server.document("sql_query", {"sql": "SELECT 3 AS a"})["rows"], [[3]])

    def test_progress_is_told_while_a_call_runs(self):
        server = self.start()
        endless = server.begin("tools/call", {"name": "sql_query", "arguments": {"sql": ENDLESS}},
                               meta={**MODERN, "progressToken": "p1"})
        seen = [server.receive()["params"] for _ in range(2)]
        self.assertEqual({params["progressToken"] for params in seen}, {"p1"})
        self.assertLess(seen[0]["progress"], seen[1]["progress"])
        server.send(json.dumps({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": endless}}))

    def test_a_session_without_a_name_leaves_nothing_behind(self):
        server = self.start()
        self.assertIn("query_id", server.document("sql_execute", {"sql": "CREATE TABLE mine AS SELECT 1 AS a"}))
        self.assertEqual(len(self.scratch_folders()), 1)
        workers = worker_processes(server.process.pid)
        self.assertTrue(workers)
        self.assertEqual(server.leave(), 0)
        self.assertEqual(self.scratch_folders(), [])
        for worker in workers:
            self.assertFalse(pathlib.Path(f"/proc/{worker}").exists(), "a worker outlived the server")

    def test_a_session_with_a_name_is_there_again(self):
        first = self.start("--session", "work")
        first.document("sql_execute", {"sql": "CREATE TABLE mine AS SELECT 41 + 1 AS a"})
        self.assertEqual(first.leave(), 0)
        second = self.start("--session", "work")
        self.assertEqual(second.document("sql_query", {"sql": "SELECT a FROM mine"})["rows"], [[42]])
        other = second.document("sql_query", {"sql": "SELECT a FROM mine", "session": "elsewhere"})
        self.assertEqual(other["code"], "unknown-table")

    def test_listing_tools_opens_no_engine(self):
        server = self.start()
        server.ask("tools/list")
        self.assertEqual(worker_processes(server.process.pid), [])
        self.assertEqual(self.scratch_folders(), [])

    def test_calls_sent_before_the_end_of_input_are_answered(self):
        server = self.start()
        server.document("sql_query", {"sql": "SELECT 1 AS a"})
        server.begin("tools/call", {"name": "sql_query", "arguments": {"sql": "SELECT 5 AS a"}})
        server.process.stdin.close()
        self.assertEqual(server.receive()["result"]["structuredContent"]["rows"], [[5]])
        self.assertIsNone(server.receive())
        self.assertEqual(server.process.wait(timeout=PATIENCE), 0)

    def test_a_pipe_that_closes_in_the_middle_of_a_message_ends_the_server(self):
        server = self.start()
        server.begin("tools/call", {"name": "sql_query", "arguments": {"sql": ENDLESS}})
        server.process.stdin.write(b'{"jsonrpc":"2.0","id":9,"meth')
        server.process.stdin.flush()
        self.assertEqual(server.leave(), 0)
        replies = [server.receive(), server.receive()]
        self.assertEqual(replies[0]["error"]["code"], -32700)
        self.assertEqual(replies[1]["result"]["structuredContent"]["code"], "cancelled")

    def test_a_signal_and_a_reader_that_is_gone_end_the_server(self):
        server = self.start()
        server.document("sql_query", {"sql": "SELECT 1 AS a"})
        server.begin("tools/call", {"name": "sql_query", "arguments": {"sql": ENDLESS}})
        server.process.send_signal(signal.SIGTERM)
        self.assertEqual(server.process.wait(timeout=PATIENCE), 0)

        command = [BIN, "mcp", "--home", str(self.home), "--source", self.source]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
            process.stdout.close()
            process.stdin.write(b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n')
            process.stdin.flush()
            self.assertEqual(process.wait(timeout=PATIENCE), 0)

    def test_several_calls_in_flight_have_an_answer_each(self):
        server = self.start()
        ids = {server.begin("tools/call", {"name": "sql_query", "arguments": {"sql": f"SELECT {n} AS n"}}): n
               for n in range(100, 140)}
        for _ in range(len(ids)):
            reply = server.receive()
            self.assertEqual(reply["result"]["structuredContent"]["rows"], [[ids.pop(reply["id"])]])
        self.assertEqual(ids, {})


if __name__ == "__main__":
    unittest.main()
