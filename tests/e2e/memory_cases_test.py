#!/usr/bin/env python3
"""Plays the cases of tests/memory; their format is told in tests/memory/README.md.

    memory_cases_test.py [--only TEXT] [--jobs N]

Prints a line for each case that did not go as expected, and `N passed, N failed`.
"""

import argparse
import concurrent.futures
import json
import pathlib
import re
import shlex
import shutil
import sys
import threading

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "memory"
sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent), str(FOLDER)]

import data  # noqa: E402
from program import Place  # noqa: E402

ABSENT = object()
BEFORE_A_COMMAND = {"each"}
OF_A_CASE = {"data", "see"}


class Step:
    def __init__(self, command, before):
        self.command, self.each = command, before.get("each", "[null]")
        self.given, self.checks = [], []


class Case:
    def __init__(self, title, defaults):
        self.title, self.settings, self.steps = title, dict(defaults), []


def cases_of(path):
    cases, defaults, before = [], {"data": "empty"}, {}
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        if line.startswith("$ "):
            cases[-1].steps.append(Step(line[2:], before))
            before = {}
        elif line.startswith("< "):
            cases[-1].steps[-1].given.append(line[2:])
        else:
            word, _, value = line.partition(":")
            value = value.strip()
            if word == "case":
                cases.append(Case(f"{path.stem}: {value}", defaults))
            elif word in OF_A_CASE:
                (cases[-1].settings if cases else defaults)[word] = value
            elif word in BEFORE_A_COMMAND:
                before[word] = value
            elif word in CHECKS or word in ("by", "keep"):
                cases[-1].steps[-1].checks.append((word, value, number))
            else:
                raise SystemExit(f"{path}:{number}: a line that means nothing: {line}")
    return cases


# ---- the answer ----

def answer_of(text):
    """One document; lines of JSON as {"results": …} with the members of the lines that sum them up."""
    try:
        return json.loads(text)
    except ValueError:
        pass
    try:
        lines = [json.loads(line) for line in text.splitlines() if line.strip()]
    except ValueError:
        return ABSENT
    rows = [line for line in lines if not {"summary", "agent_surface"} & set(line)]
    document = {"results": rows}
    for line in lines:
        if line not in rows:
            document |= line
    return document if lines else ABSENT


def main_list(document):
    if not isinstance(document, dict):
        return ABSENT
    names = ["results", "items", "nodes", "entities", "memories", "rows", "versions", "hops"]
    for name in [*names, *document]:
        rows = document.get(name)
        if not isinstance(rows, list):
            continue
        if rows and isinstance(rows[0], list) and document.get("columns"):
            columns = [column["name"] for column in document["columns"]]
            return [dict(zip(columns, row)) for row in rows]
        return rows
    return ABSENT


def at(document, path):
    spread = False
    for part in re.findall(r'"[^"]*"|\[\d*\]|[@#]|[^.\[\]@#"]+', path):
        if part == "@":
            document = main_list(document)
        elif part == "#":
            document = len(document) if isinstance(document, (list, str, dict)) else ABSENT
        elif part == "[]":
            spread = True
            document = document if isinstance(document, list) else ABSENT
        elif part.startswith("["):
            place = int(part[1:-1])
            document = document[place] if isinstance(document, list) and place < len(document) else ABSENT
        else:
            key = part.strip('"')
            if spread:
                document = [row.get(key) if isinstance(row, dict) else None for row in document]
            else:
                document = document.get(key, ABSENT) if isinstance(document, dict) else ABSENT
        if document is ABSENT:
            return ABSENT
    return document


def texts_in(value):
    if isinstance(value, dict):
        return "\n".join(texts_in(inner) for inner in value.values())
    if isinstance(value, list):
        return "\n".join(texts_in(inner) for inner in value)
    return "" if value is ABSENT else str(value)


# ---- judging ----

def equal(a, b):
    if isinstance(a, bool) or isinstance(b, bool):
        return a is b
    if isinstance(a, (int, float)) and isinstance(b, (int, float)):
        return abs(a - b) < 1e-9
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(equal, a, b))
    return a == b


def each_is(compare):
    def judge(found, wanted):
        values = found if isinstance(found, list) else [found]
        return all(isinstance(value, (int, float)) and compare(value, wanted) for value in values)
    return judge


def listed(judge):
    return lambda found, wanted: isinstance(found, list) and judge(found, wanted)


def written(value):
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


OPERATORS = {
    "=": equal,
    "!=": lambda found, wanted: not equal(found, wanted),
    "<": each_is(lambda a, b: a < b), "<=": each_is(lambda a, b: a <= b),
    ">": each_is(lambda a, b: a > b), ">=": each_is(lambda a, b: a >= b),
    "~": lambda found, wanted: wanted in (found if isinstance(found, str) else written(found)),
    "has": listed(lambda found, wanted: any(equal(one, wanted) for one in found)),
    "lacks": listed(lambda found, wanted: not any(equal(one, wanted) for one in found)),
    "all": listed(lambda found, wanted: bool(found) and all(equal(one, wanted) for one in found)),
    "set": listed(lambda found, wanted: sorted(map(written, found)) == sorted(map(written, wanted))),
    "within": lambda found, wanted: all(any(equal(one, other) for other in wanted)
                                        for one in (found if isinstance(found, list) else [found])),
    "starts": listed(lambda found, wanted: equal(found[:len(wanted)], wanted)),
    "falsy": lambda found, _: found is None or found is False,
    "unique": listed(lambda found, _: len(set(map(written, found))) == len(found)),
    "ascending": lambda found, _: found == sorted(found),
    "descending": lambda found, _: found == sorted(found, reverse=True),
    "exists": lambda _found, _wanted: True,
}
CHECK = re.compile(r"(\S+) (?:(?:is )?(falsy|unique|ascending|descending|exists)$|"
                   r"(!=|<=|>=|=|<|>|~|has|lacks|all|set|within|starts) (.*))")


class Outcome:
    def __init__(self, code, out, said):
        self.code, self.out, self.said = code, out, said
        self.document = answer_of(out)
        if code and self.document is ABSENT:
            self.document = answer_of(said)
        self.everything = out + said + texts_in(self.document)


def check_json(outcome, value):
    match = CHECK.match(value)
    if match is None:
        return f"a check that means nothing: {value}"
    path, bare, operator, text = match.groups()
    found = at(outcome.document, path)
    wanted = None if bare else text if operator == "~" else json.loads(text)
    good = bare == "falsy" if found is ABSENT else OPERATORS[bare or operator](found, wanted)
    return None if good else f"{path} is {'absent' if found is ABSENT else written(found)[:300]}, wanted {value[len(path):]}"


def check_pair(outcome, value):
    paths, _, allowed = value.partition(" one-of ")
    found = [at(outcome.document, path.strip()) for path in paths.split(",")]
    if ABSENT not in found and any(equal(found, pair) for pair in json.loads(allowed)):
        return None
    return f"({paths}) is {[None if one is ABSENT else one for one in found]}, wanted one of {allowed}"


def check_error(outcome, value):
    found = at(outcome.document, "error"), at(outcome.document, "code")
    return None if found == (True, value) else f"error and code are {found}, wanted {value}"


CHECKS = {
    "exit": lambda outcome, value: None if value == "any" or str(outcome.code) in value.split("|")
    else f"exit code {outcome.code}, wanted {value}: {outcome.everything[:300]}",
    "json": check_json,
    "any": lambda outcome, value: None if not all(check_json(outcome, part) for part in value.split(" || "))
    else f"none of {value}",
    "pair": check_pair,
    "error": check_error,
    "mentions": lambda outcome, value: None if value in outcome.everything
    else f"does not mention {value!r}: {outcome.everything[:300]}",
    "mentions-any": lambda outcome, value: None if any(part.strip() in outcome.everything for part in value.split(" | "))
    else f"mentions none of {value}",
    "absent": lambda outcome, value: None if at(outcome.document, value) is ABSENT else f"{value} is there",
}


# ---- running ----

class Homes:
    """A home for each data set, made when it is first asked for."""

    def __init__(self, place):
        self.place, self.made, self.lock, self.copies = place, {}, threading.Lock(), 0

    def run(self, home, words, given=None):
        process = self.place.start(*words, "--home", home, stdin=-3 if given is None else -1)
        out, said = process.communicate(given, timeout=600)
        return Outcome(process.returncode, out.decode("utf-8", "replace"), said.decode("utf-8", "replace"))

    def expect(self, home, words, given=None):
        outcome = self.run(home, words, given)
        if outcome.code != 0:
            raise RuntimeError(f"making the data: {words} ends with {outcome.code}: {outcome.everything[-300:]}")

    def make(self, name):
        home = self.place.folder / f"set-{name}"
        home.mkdir()
        if name == "sql-rows":
            data.write_rows(home / "rows.sqlite")
            return home
        self.expect(home, ["memory", "init", "--model", "none"])
        records, spaces = data.SETS[name]
        for space in spaces:
            lines = "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records(space))
            self.expect(home, ["memory", "remember-batch", "--namespace", space], lines.encode())
        for source, target, relation, weight in data.GRAPH if name == "graph-small" else []:
            self.expect(home, ["memory", "link", "--from", f"node-{source}", "--to", f"node-{target}",
                               "--relation", relation, "--weight", weight])
        return home

    def of(self, setting):
        name, _, fresh = setting.partition(" ")
        with self.lock:
            if name not in self.made:
                self.made[name] = self.make(name)
            if not fresh:
                return self.made[name]
            self.copies += 1
            return pathlib.Path(shutil.copytree(self.made[name], self.place.folder / f"copy-{self.copies}"))


def filled(text, names):
    for name, value in names.items():
        text = text.replace("{" + name + "}", value)
    return text


def play(case, homes):
    faults, kept = [], {}
    home = homes.of(case.settings["data"])
    for step in case.steps:
        for value in json.loads(step.each):
            written_value = value if isinstance(value, str) else json.dumps(value)
            words = json.loads(step.command) if step.command.startswith("[") else shlex.split(step.command)
            words = [filled(word, kept | {"each": written_value}).replace("rows.sqlite", str(home / "rows.sqlite"))
                     for word in words[1:]]
            given = "".join(line + "\n" for line in step.given).encode() if step.given else None
            outcome = homes.run(home, words, given)
            for word, wanted, number in step.checks:
                if word == "keep":
                    name, _, path = wanted.partition(" = ")
                    kept[name] = written(at(outcome.document, path))
                    continue
                wanted = filled(wanted, kept | {"each": written_value})
                fault = CHECKS[word](outcome, wanted) if word in CHECKS else None
                if fault:
                    faults.append(f"line {number}: {fault}")
    return faults


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="")
    parser.add_argument("--jobs", type=int, default=2)
    arguments = parser.parse_args()
    cases = [case for path in sorted(FOLDER.glob("*/*.cmd")) for case in cases_of(path) if arguments.only in case.title]
    with Place() as place, concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        homes = Homes(place)
        outcomes = list(pool.map(lambda case: play(case, homes), cases))
    for case, faults in zip(cases, outcomes):
        if faults:
            print("\n  ".join([f"failed: {case.title}", *faults]))
    failed = sum(1 for faults in outcomes if faults)
    print(f"{len(cases) - failed} passed, {failed} failed")
    return 1 if failed or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
