"""The two ways of playing a script: the command line, a process a call, and one MCP process."""

import json
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "e2e"))
from program import Mcp, finish  # noqa: E402

SESSION = "script"
UNKNOWN_QUERY = "q987654321"


class CommandLine:
    """A process a call; only a block with a temporary object is one call, for it does not outlive its process."""

    def __init__(self, place):
        self.place = place
        self.files = 0

    def file(self, text, ending):
        self.files += 1
        return self.place.write(f"{self.files}.{ending}", text)

    def in_turn(self, turn):
        return ("--session", SESSION, "--turn", turn)

    def load(self, path):
        return self.place.run("sql", "-f", path, *self.in_turn("load"))

    def run(self, statements, turn):
        """A reply for each statement."""
        if re.search(r"(?i)\bCREATE\s+(OR\s+REPLACE\s+)?TEMP", " ".join(statements)):
            reply = self.place.run("sql", "-f", self.file(";\n".join(statements), "sql"), *self.in_turn(turn))
            parts = (reply.document or {}).get("statements", [])
            return [(reply, part.get("query_id")) for part in parts]
        replies = [self.place.run("sql", "-f", self.file(text, "sql"), *self.in_turn(turn)) for text in statements]
        return [(reply, (reply.document or {}).get("query_id")) for reply in replies]

    def commit(self, answers, turn):
        """All of them are under way before any is waited for."""
        files = [self.file(json.dumps(answer, ensure_ascii=False), "json") for answer in answers]
        words = ("--json", "--home", self.place.home, *self.in_turn(turn))
        return [finish(process) for process in [self.place.start("commit", "-f", file, *words) for file in files]]

    def answer(self, answer_id):
        return self.place.run("answers", answer_id)

    def verify(self, answer_id):
        return self.place.run("answers", answer_id, "--verify")

    def restart(self):
        pass

    def close(self):
        pass


class OneProcess:
    """`candor mcp`; the ledger is read with the command line, as there is no tool for it."""

    def __init__(self, place):
        self.place = place
        self.mcp = None

    def server(self):
        # Not before the first call: settings are written first.
        if self.mcp is None:
            self.mcp = Mcp(self.place, "--session", SESSION)
        return self.mcp

    def load(self, path):
        return self.server().tool("sql_execute", sql=path.read_text(encoding="utf-8"), turn_id="load")

    def run(self, statements, turn):
        replies = []
        for text in statements:
            tool = "sql_query" if re.match(r"(?i)SELECT|WITH|FROM", text) else "sql_execute"
            reply = self.server().tool(tool, sql=text, turn_id=turn)
            replies.append((reply, (reply.document or {}).get("query_id")))
        return replies

    def commit(self, answers, turn):
        bodies = [dict(answer) for answer in answers]
        for body in bodies:
            if isinstance(body.get("unresolved"), str):
                body["unresolved"] = {"reason": body["unresolved"]}
        futures = [self.server().begin_tool("answer_commit", **body, turn_id=turn) for body in bodies]
        return [self.mcp.reply_of(future) for future in futures]

    def answer(self, answer_id):
        return self.place.run("answers", answer_id)

    def verify(self, answer_id):
        # The session's scratch database belongs to the server until it ends.
        self.close()
        return self.place.run("answers", answer_id, "--verify")

    def restart(self):
        self.close()

    def close(self):
        if self.mcp is not None:
            self.mcp.close()
            self.mcp = None
