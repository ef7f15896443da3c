"""Reads turn scripts: the format is told in README.md, beside this file."""

import dataclasses
import json
import pathlib
import re

STEP = re.compile(r"(set|data|sql \(fails\)|sql|commit|together|new turn|restart)(?::\s*|\s*$)(.*)", re.S)

# Expectations of one commit, by how their line begins.
READ = ("expect", "also", "located", "grouped", "measured", "finding", "stated", "acknowledged")
SIDE = re.compile(r"side (.+): (\d+) rows, (\d+) matched")
VERDICT = re.compile(r"verdict ([\w-]+): (clean|finding|undetermined)(?: \(([\w-]+)\))?")
# What explains a number to the reader, or speaks of repairs.
READ_OVER = re.compile(r"(count .+?|repair|pair|as written|predicate|decoy|by|stratum .+?|groups (?:lost|regained)): ", re.S)


class ScriptError(Exception):
    """A line that means nothing."""


@dataclasses.dataclass
class Side:
    name: str
    other: str      # of the pair; empty: any
    rows: int
    matched: int


@dataclasses.dataclass
class Expectations:
    line: int = 0
    outcomes: list = dataclasses.field(default_factory=list)   # of each commit
    no_repair: bool = False
    located: str = ""
    grouped: list = dataclasses.field(default_factory=list)
    sides: list = dataclasses.field(default_factory=list)
    sample: bool = False
    findings: list = dataclasses.field(default_factory=list)
    verdicts: list = dataclasses.field(default_factory=list)   # (check, verdict, reason or None)
    stated: str = ""
    acknowledged: list = dataclasses.field(default_factory=list)


@dataclasses.dataclass
class Step:
    kind: str
    line: int
    body: str
    expected: Expectations = None

    def statements(self):
        return [s.strip() for s in re.split(r";[ \t]*(?:\n|$)", self.body) if s.strip()]

    def answers(self):
        return [json.loads(line) for line in self.body.splitlines() if line.strip()]


def logical_lines(text):
    """(number, line): an indented line belongs to the one above; comments and blank lines belong to none."""
    held, number = None, 0
    for at, line in enumerate(text.splitlines(), 1):
        if line.startswith("#") or not line.strip():
            continue
        if line[0].isspace():
            if held is None:
                raise ScriptError(f"line {at}: nothing stands above this indented line")
            held += "\n" + line.strip()
            continue
        if held is not None:
            yield number, held
        held, number = line, at
    if held is not None:
        yield number, held


def read_expectation(expected, line, is_fact):
    name, _, value = line.partition(": ")
    if side := SIDE.fullmatch(line):
        first, _, second = side[1].partition(" with ")
        expected.sides.append(Side(first, second, int(side[2]), int(side[3])))
    elif verdict := VERDICT.fullmatch(line):
        expected.verdicts.append(verdict.groups())
    elif line == "expect: no repair":
        expected.no_repair = True
    elif name in ("expect", "also"):
        expected.outcomes.append(value)
    elif line == "measured: sample":
        expected.sample = True
    elif name == "grouped":
        expected.grouped = value.split(", ")
    elif name == "finding":
        expected.findings.append(value)
    elif name == "acknowledged":
        expected.acknowledged.append(value)
    elif name in ("located", "stated"):
        setattr(expected, name, value)
    elif not READ_OVER.match(line) and not is_fact and not line.startswith("rows of "):
        raise ScriptError(f"not understood: {line}")


def read_script(path):
    """The steps of a script, from top to bottom."""
    steps = []
    lines = list(logical_lines(pathlib.Path(path).read_text(encoding="utf-8")))
    for at, (number, line) in enumerate(lines):
        if step := STEP.fullmatch(line):
            steps.append(Step(step[1], number, step[2].strip()))
            continue
        if not steps or steps[-1].kind not in ("commit", "together"):
            raise ScriptError(f"line {number}: no commit that this could speak of: {line}")
        steps[-1].expected = steps[-1].expected or Expectations(number)
        is_fact = at + 1 < len(lines) and lines[at + 1][1].startswith("by: ")
        try:
            read_expectation(steps[-1].expected, line, is_fact)
        except ScriptError as fault:
            raise ScriptError(f"line {number}: {fault}") from None
    for step in steps:
        if step.expected is not None and len(step.expected.outcomes) != len(step.answers()):
            raise ScriptError(f"line {step.line}: one outcome is expected of each commit")
        if step.kind in ("commit", "together") and step.expected is None:
            raise ScriptError(f"line {step.line}: nothing is expected of this commit")
    return steps
