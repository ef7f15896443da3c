"""Drives the real program from a test: its command line, a process a call, or one MCP process with many calls in flight.

Both work in a folder of their own, with a plain environment: nothing of the caller's settings reaches the program.
"""

import concurrent.futures
import dataclasses
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import threading

BIN = str(pathlib.Path(os.environ.get("CANDOR_BIN", "build/release/bin/candor")).resolve())


@dataclasses.dataclass
class Reply:
    code: object      # the exit code; None: it did not end in time
    document: object  # the JSON of standard output; None: there was no single document
    said: str         # what it said for people
    out: bytes = b""


class Place:
    """A folder with a home and a working folder, removed at the end."""

    def __init__(self, variables=None):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="candor-test-"))
        self.home = self.folder / "home"
        self.work = self.folder / "work"
        self.home.mkdir()
        self.work.mkdir()
        self.variables = dict(variables or {})

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.folder, ignore_errors=True)

    def environment(self):
        kept = {name: value for name, value in os.environ.items()
                if not name.startswith(("CANDOR", "XDG")) or name == "CANDOR_WORKER"}
        return kept | {"NO_COLOR": "1", "HOME": str(self.home), "LC_ALL": "C.UTF-8", "TZ": "UTC"} | self.variables

    def write(self, name, content):
        path = self.work / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    def start(self, *words, stdin=subprocess.DEVNULL, **more):
        return subprocess.Popen([BIN, *map(str, words)], stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                cwd=self.work, env=self.environment(), **more)

    def run(self, *words, given=None, timeout=120, **more):
        """One call with --json and this place's home."""
        stdin = subprocess.DEVNULL if given is None else subprocess.PIPE
        return finish(self.start(*words, "--json", "--home", self.home, stdin=stdin, **more), given, timeout)


def finish(process, given=None, timeout=120):
    try:
        out, err = process.communicate(given, timeout=timeout)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return Reply(None, None, f"no answer in {timeout} s")
    try:
        document = json.loads(out)
    except ValueError:
        document = None
    said = " ".join((err or out).decode("utf-8", "replace").split())
    return Reply(process.returncode, document, said[:600], out)


class Mcp:
    """One `candor mcp`, spoken to as a client of the era with a handshake does."""

    def __init__(self, place, *words):
        self.process = place.start("mcp", *words, "--home", place.home, stdin=subprocess.PIPE)
        self.lock = threading.Lock()
        self.waiting = {}
        self.strays = []     # messages that answer nothing that was asked
        self.last_id = 0
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()
        threading.Thread(target=self.process.stderr.read, daemon=True).start()
        self.server = self.ask("initialize", {"protocolVersion": "2025-11-25", "capabilities": {},
                                              "clientInfo": {"name": "test", "version": "1"}})
        self.tell("notifications/initialized")

    def read(self):
        for line in self.process.stdout:
            message = json.loads(line)
            future = self.waiting.pop(message.get("id"), None) if "method" not in message else None
            if future is None:
                self.strays.append(message)
            else:
                future.set_result(message)
        for future in list(self.waiting.values()):
            future.set_exception(EOFError("candor mcp ended"))

    def send(self, message):
        with self.lock:
            self.process.stdin.write(json.dumps(message).encode() + b"\n")
            self.process.stdin.flush()

    def tell(self, method, **parameters):
        self.send({"jsonrpc": "2.0", "method": method, "params": parameters})

    def begin(self, method, parameters=None):
        """Sends a request; a future of its answer, with the request's id as `.id`."""
        future = concurrent.futures.Future()
        with self.lock:
            self.last_id += 1
            future.id = self.last_id
        self.waiting[future.id] = future
        self.send({"jsonrpc": "2.0", "id": future.id, "method": method, "params": parameters or {}})
        return future

    def ask(self, method, parameters=None, timeout=120):
        return self.begin(method, parameters).result(timeout)

    def begin_tool(self, name, **arguments):
        return self.begin("tools/call", {"name": name, "arguments": arguments})

    def tool(self, name, **arguments):
        return self.reply_of(self.begin_tool(name, **arguments))

    @staticmethod
    def reply_of(future, timeout=120):
        """As a Reply: exit code 0, 7 for a hold, 1 for any other error."""
        message = future.result(timeout)
        if "error" in message:
            return Reply(1, None, json.dumps(message["error"]))
        result = message["result"]
        document = result.get("structuredContent")
        code = 0
        if result.get("isError"):
            code = 7 if isinstance(document, dict) and document.get("status") == "error" else 1
        return Reply(code, document, json.dumps(document)[:600])

    def close(self, timeout=30):
        """Ends the input; the exit code."""
        self.process.stdin.close()
        try:
            return self.process.wait(timeout)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return self.process.wait()
