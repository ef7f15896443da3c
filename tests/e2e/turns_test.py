#!/usr/bin/env python3
"""Plays the turn scripts of tests/turns against the real program; their format is told in tests/turns/README.md.

    turns_test.py [--mcp] [--only TEXT] [--jobs N] [-v]

Prints a line for each script that did not go as expected, and `N passed, N failed`.
"""

import argparse
import concurrent.futures
import os
import pathlib
import re
import sys
import xml.etree.ElementTree as xml

TURNS = pathlib.Path(__file__).resolve().parent.parent / "turns"
sys.path[:0] = [str(TURNS), str(TURNS.parent / "e2e")]

from judge import judge, judge_ledger, state_of  # noqa: E402
from players import UNKNOWN_QUERY, CommandLine, OneProcess  # noqa: E402
from program import Place  # noqa: E402
from turn_script import ScriptError, read_script  # noqa: E402


class Stop(Exception):
    """The script can't go on."""


class Run:
    """One script, played once."""

    def __init__(self, path, player, verbose):
        self.path, self.name = path, path.stem
        self.player_of, self.verbose = player, verbose
        self.ids = {}       # of the statements: number -> query id
        self.turn = 1
        self.hold = None    # of this turn
        self.settings = {}
        self.faults = []
        self.broken = False  # the script did not get to its end

    def fault(self, step, text):
        self.faults.append(f"line {step.line}: {text}")

    def play(self):
        try:
            steps = read_script(self.path)
            with Place() as self.place:
                self.player = self.player_of(self.place)
                try:
                    for step in steps:
                        self.take(step)
                finally:
                    self.player.close()
        except (Stop, ScriptError, EOFError, TimeoutError, concurrent.futures.TimeoutError) as fault:
            self.faults.append(f"{fault}" or type(fault).__name__)
            self.broken = True
        return self

    def take(self, step):
        if step.kind == "set":
            self.set(*step.body.split(" = ", 1))
        elif step.kind == "data":
            reply = self.player.load(TURNS / "data" / f"{step.body}.sql")
            if reply.code != 0:
                raise Stop(f"line {step.line}: the data set can't be loaded: exit code {reply.code}, {reply.said}")
        elif step.kind.startswith("sql"):
            self.run_statements(step)
        elif step.kind == "new turn":
            self.turn += 1
            self.hold = None
        elif step.kind == "restart":
            self.player.restart()
        else:
            self.commit(step)

    def set(self, name, value):
        if name.isupper():
            self.place.variables[name] = value
            return
        section, _, key = name.rpartition(".")
        self.settings.setdefault(section or "limits", []).append(f"  {key}: {value}\n")
        self.place.write("candor.yaml", "".join(f"{section}:\n{''.join(lines)}"
                                                for section, lines in self.settings.items()))

    def run_statements(self, step):
        statements = step.statements()
        replies = self.player.run(statements, str(self.turn))
        if len(replies) != len(statements):
            raise Stop(f"line {step.line}: {len(replies)} of {len(statements)} statements were run")
        for reply, query_id in replies:
            number = len(self.ids) + 1
            self.ids[number] = query_id
            if "fails" in step.kind:
                if reply.code == 0:
                    self.fault(step, f"Q{number} must be refused, and was run")
            elif reply.code != 0 or query_id is None:
                raise Stop(f"line {step.line}: Q{number}: exit code {reply.code}, {reply.said}")

    def commit(self, step):
        answers = step.answers()
        for answer in answers:
            if "query_id" in answer:
                answer["query_id"] = self.ids.get(int(answer["query_id"][1:])) or UNKNOWN_QUERY
        replies = self.player.commit(answers, str(self.turn))
        wanted = step.expected.outcomes
        states = [state_of(reply) for reply in replies]
        if states == wanted[::-1]:
            states, replies = states[::-1], replies[::-1]
        if self.verbose:
            print(f"{self.name}:{step.line}: {', '.join(states)}\n  {replies[0].out.decode() or replies[0].said}")
        if states == ["held"] and wanted == ["committed"] and self.was_written_out(step):
            wanted = states
        if states != wanted:
            findings = [check.get("message") for check in (replies[0].document or {}).get("findings", [])]
            self.fault(step, f"must be {', '.join(wanted)}; was {', '.join(states)} {findings or replies[0].said}")
        if states[0] != step.expected.outcomes[0]:
            return
        document = replies[0].document
        for fault in judge(step.expected, states[0], document, self.ids, self.hold):
            self.fault(step, fault)
        if states[0] == "held":
            self.hold = document
        elif states[0] == "committed":
            answer_id = document.get("answer_id", "")
            for fault in judge_ledger(document, self.player.answer(answer_id), self.player.verify(answer_id)):
                self.fault(step, fault)

    @staticmethod
    def was_written_out(step):
        """Whether a hold is right too: the scratch database's pending updates may be written out before they are measured."""
        return any(reason == "pending-updates" for _, _, reason in step.expected.verdicts)


def expected_failures():
    """{name: reason}"""
    lines = (TURNS / "expected_failures.txt").read_text(encoding="utf-8").splitlines()
    return dict(line.split(": ", 1) for line in lines if line and not line.startswith("#"))


def verdict_of(run, expected):
    """What is wrong with a script's run, in view of what is expected to fail; an empty list when nothing is."""
    if run.name in expected and not run.broken:
        return [] if run.faults else [f"passes, and expected_failures.txt says: {expected[run.name]}"]
    return run.faults


def write_report(outcomes, report):
    """Where the test summary looks for single results."""
    where = re.fullmatch(r"xml:(.*/)", os.environ.get("GTEST_OUTPUT", ""))
    if not where:
        return
    suite = xml.Element("testsuite", name="Turns")
    for name, faults in outcomes:
        case = xml.SubElement(suite, "testcase", classname="Turns", name=name, status="run")
        for fault in faults:
            xml.SubElement(case, "failure", message=fault)
    xml.ElementTree(suite).write(pathlib.Path(where[1]) / report)


def main(arguments=None, report="e2e_turns_tests.xml"):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mcp", action="store_true", help="through one MCP process instead of the command line")
    parser.add_argument("--only", default="", help="scripts whose name holds this text, or one of several with commas")
    parser.add_argument("--jobs", type=int, default=2, help="scripts at a time")
    parser.add_argument("-v", action="store_true", help="print each commit's reply")
    options = parser.parse_args(arguments)
    paths = [path for path in sorted(TURNS.glob("*/*.turn"))
             if any(text in path.stem for text in options.only.split(","))]
    player = OneProcess if options.mcp else CommandLine
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        runs = list(pool.map(lambda path: Run(path, player, options.v).play(), paths))
    expected = expected_failures()
    outcomes = [(run.name, verdict_of(run, expected)) for run in runs]
    for name, faults in outcomes:
        for fault in faults:
            print(f"failed: {name}: {fault}")
    write_report(outcomes, report)
    failed = sum(1 for _, faults in outcomes if faults)
    print(f"{len(outcomes) - failed} passed, {failed} failed")
    return 1 if failed or not outcomes else 0


if __name__ == "__main__":
    sys.exit(main())
