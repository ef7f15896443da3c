"""Servers under measurement: started, asked over their standard streams one call at a time, and weighed."""

import contextlib
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import time

BIN = pathlib.Path(os.environ.get("CANDOR_BIN", "build/release/bin/candor")).resolve()
BUILD = pathlib.Path(os.environ.get("CANDOR_BUILD_DIR", "build/release")).resolve()


@contextlib.contextmanager
def folder(settings=""):
    """A working folder with a home in it and, where there are settings, a candor.yaml."""
    path = pathlib.Path(tempfile.mkdtemp(prefix="candor-bench-"))
    try:
        if settings:
            (path / "candor.yaml").write_text(settings, encoding="utf-8")
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)


class Server:
    """A server of the protocol's era with a handshake. Times are from before the request to after its answer's last byte."""

    def __init__(self, command, where):
        self.began = time.perf_counter()
        self.process = subprocess.Popen(list(map(str, command)), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, cwd=where, bufsize=1 << 20)
        self.last_id = 0
        self.answer = b""

    def send(self, method, parameters, **more):
        message = {"jsonrpc": "2.0", "method": method, "params": parameters} | more
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def ask(self, method, parameters):
        """Milliseconds; the answer's bytes stay in `answer`."""
        self.last_id += 1
        began = time.perf_counter()
        self.send(method, parameters, id=self.last_id)
        wanted = b'"id":%d' % self.last_id
        while True:
            self.answer = self.process.stdout.readline()
            if not self.answer:
                raise EOFError(f"{self.process.args[0]} ended with {self.process.wait()}")
            if wanted in self.answer[:60].replace(b" ", b"") or wanted in self.answer[-60:].replace(b" ", b""):
                return (time.perf_counter() - began) * 1000

    def handshake(self):
        self.ask("initialize", {"protocolVersion": "2025-06-18", "capabilities": {},
                                "clientInfo": {"name": "bench", "version": "1"}})
        self.send("notifications/initialized", {})
        return self

    def call(self, tool, **arguments):
        return self.ask("tools/call", {"name": tool, "arguments": arguments})

    def document(self):
        """What the last call gave."""
        result = json.loads(self.answer)["result"]
        if "structuredContent" in result:
            return result["structuredContent"]
        return json.loads(result["content"][0]["text"])

    def close(self):
        self.process.stdin.close()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def candor(where, *words):
    return Server([BIN, "mcp", *words, "--home", where / "home"], where)


def tree(root):
    """The process and all below it."""
    found, waiting = [], [root]
    while waiting:
        process = waiting.pop()
        found.append(process)
        with contextlib.suppress(OSError):
            for thread in os.listdir(f"/proc/{process}/task"):
                children = pathlib.Path(f"/proc/{process}/task/{thread}/children").read_text()
                waiting += [int(child) for child in children.split()]
    return found


def memory_mb(root, name, file="smaps_rollup"):
    """A line of /proc summed over the tree: Pss and Rss of smaps_rollup, VmHWM of status."""
    total = 0
    for process in tree(root):
        with contextlib.suppress(OSError):
            for line in pathlib.Path(f"/proc/{process}/{file}").read_text().splitlines():
                if line.startswith(name + ":"):
                    total += int(line.split()[1])
    return total / 1024
