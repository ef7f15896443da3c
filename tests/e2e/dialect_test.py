#!/usr/bin/env python3
"""Plays the cases of tests/dialect on each engine; their format is told in tests/dialect/README.md.

    dialect_test.py [--engine NAME] [--only TEXT] [--jobs N]

Prints a line for each case that did not go as expected, and `N passed, N failed`.
"""

import argparse
import collections
import concurrent.futures
import contextlib
import json
import pathlib
import re
import subprocess
import sys

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "dialect"
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from databases import ENGINES  # noqa: E402
from program import Place  # noqa: E402


class Case:
    def __init__(self, path, text):
        self.path, self.workspace = path, "A"
        self.rows, self.affected, self.mentions, self.warnings, self.quiet = {}, {}, [], [], []
        self.error = self.fix = self.order = None
        head, _, tail = text.partition("\n----\n")
        lines = head.split("\n")
        prose = [line for line in lines if line.startswith("#")]
        self.title = prose[0].lstrip("# ")
        lines = [line for line in lines if not line.startswith("#")]
        if lines[0].startswith("caller: workspace="):
            self.workspace = lines.pop(0).split("=")[1]
        self.sql = "\n".join(lines).strip()
        self.expect(tail)

    def expect(self, tail):
        # A line that begins with a key begins an expectation; what follows belongs to it.
        for entry in re.split(r"\n(?=(?:rows|affected|error|mentions|warning|quiet|order|fix)\b)", tail.strip()):
            key, _, value = entry.partition(":")
            word, *more = key.split()
            number = next((int(part) for part in more if part.isdigit()), 1)
            value = value.strip()
            if word == "rows":
                mode = next((part for part in more if not part.isdigit()), "")
                self.rows[number] = (mode, json.loads(value))
            elif word == "affected":
                self.affected[number] = int(value)
            elif word in ("mentions", "warning", "quiet"):
                {"mentions": self.mentions, "warning": self.warnings, "quiet": self.quiet}[word].append(value)
            else:
                setattr(self, word, value)


def cases_of(path):
    return [Case(path.stem, block) for block in re.split(r"\n\s*\n(?=# )", path.read_text().strip())]


# ---- the data ----

class Copy:
    def __init__(self, engine, made, place):
        self.engine, self.source = engine, engine.copy(made, place)

    def close(self):
        self.engine.drop(self.source)


class Data:
    """The data of one engine: built once, copied for each case."""

    def __init__(self, engine, place):
        self.engine = engine
        setup = (FOLDER / f"setup.{engine.name}.sql").read_text()
        self.tables = {name: "workspace_id" in body
                       for name, body in re.findall(r"(?ms)^CREATE TABLE (\w+) \((.*?)\);$", setup)}
        self.made = engine.make(place, setup)
        self.before = self.read(self.made)

    def read(self, source):
        return collections.Counter((table, *row) for table, scoped in self.tables.items()
                                   for row in self.engine.rows(source, self.all_rows(table, scoped)))

    def all_rows(self, table, scoped):
        scope = "workspace_id" if scoped else "''"
        whole = {"sqlite": "*", "duckdb": "t::VARCHAR", "postgres": "t::text"}[self.engine.name]
        return f"SELECT {scope}, {whole} FROM {table} t"


# ---- judging ----

def number_of(value):
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, str):
        try:
            return float(value)
        except ValueError:
            return None
    return value if isinstance(value, (int, float)) else None


def same(want, got):
    if isinstance(want, bool) or want is None:
        return got is want
    if isinstance(want, (int, float)):
        found = number_of(got)
        return found is not None and abs(found - want) <= 1e-9 * max(1.0, abs(want), abs(found))
    if isinstance(want, list):
        return isinstance(got, list) and len(want) == len(got) and all(map(same, want, got))
    if isinstance(want, dict):
        return isinstance(got, dict) and want.keys() == got.keys() and all(same(want[key], got[key]) for key in want)
    return isinstance(got, str) and got == want


def same_rows(mode, want, got):
    if not isinstance(got, list) or len(want) != len(got):
        return False
    if mode == "prefix":
        got = [row[:len(expected)] for expected, row in zip(want, got)]
    if mode != "unordered":
        return all(map(same, want, got))
    left = list(got)
    for row in want:
        hit = next((i for i, one in enumerate(left) if same(row, one)), None)
        if hit is None:
            return False
        left.pop(hit)
    return True


def flat(sql):
    return " ".join(sql.split()).rstrip("; ")


def judge_error(case, document, code):
    diagnostics = [document, *document.get("diagnostics", [])]
    said = [str(one.get(part)) for one in diagnostics for part in ("message", "detail", "hint") if one.get(part)]
    if code == 0:
        yield "an error with exit code 0"
    if case.error is None:
        yield f"rejected: {document.get('code')}: {document.get('message')}"
        return
    if case.error not in [one.get("code") for one in diagnostics]:
        yield f"code {document.get('code')}, not {case.error}: {document.get('message')}"
    for text in case.mentions:
        if not any(text in one for one in said):
            yield f"no {text!r} in {said}"
    if case.fix and flat(case.fix) not in [flat(one.get("fix") or "") for one in diagnostics]:
        yield f"fix {document.get('fix')!r}, not {case.fix!r}"


def judge_result(case, document, code):
    if code != 0:
        yield f"exit code {code} with a result"
    statements = document.get("statements", [document])
    if case.error:
        yield f"accepted, and must be {case.error}"
        return
    for number, (mode, want) in case.rows.items():
        got = statements[number - 1].get("rows") if number <= len(statements) else None
        if not same_rows(mode, want, got):
            yield f"rows {number}: {json.dumps(got, ensure_ascii=False)[:300]}, not {json.dumps(want, ensure_ascii=False)[:300]}"
    for number, want in case.affected.items():
        got = statements[number - 1].get("affected_count") if number <= len(statements) else None
        if got != want:
            yield f"affected {number}: {got}, not {want}"
    warnings = [warning for one in statements for warning in one.get("warnings", [])]
    warned = [warning["code"] for warning in warnings]
    for code_ in case.warnings:
        if code_ not in warned:
            yield f"no warning {code_} in {warned}"
    for code_ in case.quiet:
        if code_ in warned:
            yield f"a warning {code_}: {warnings}"
    said = [f"{warning['message']} {warning.get('hint', '')}" for warning in warnings]
    for text in case.mentions:
        if not any(text in one for one in said):
            yield f"no {text!r} in {said}"
    surface = statements[0].get("agent_surface", {})
    order = " ".join(str(surface[key]) for key in ("order", "ties_at_border", "order_reason") if key in surface)
    if case.order and case.order != order:
        yield f"order {order!r}, not {case.order!r}"


def judge_data(case, rejected, before, after):
    gone, come = before - after, after - before
    changed = max(sum(gone.values()), sum(come.values()))
    if rejected or case.error:
        if changed:
            yield f"{changed} rows of the data changed"
        return
    claimed = sum(case.affected.values())
    foreign = [row for row in [*gone, *come] if row[1] not in ("", case.workspace)]
    if foreign:
        yield f"rows of another workspace changed: {foreign[0]}"
    if changed > claimed or (claimed and not changed):
        yield f"{changed} rows of the data changed, {claimed} are claimed"


def play(case, data):
    with Place() as place, contextlib.closing(Copy(data.engine, data.made, place)) as copy:
        script = place.write("case.sql", case.sql)
        reply = place.run("sql", "--source", f"app={copy.source}", "--contract", FOLDER / "contract.yaml",
                          "--claim", f"workspace={case.workspace}", "-f", script)
        document = reply.document
        if not isinstance(document, dict) or reply.code is None or reply.code < 0 or reply.code == 20:
            return [f"exit code {reply.code}: {reply.said}"]
        rejected = document.get("error") is True
        faults = list(judge_error(case, document, reply.code) if rejected else judge_result(case, document, reply.code))
        return faults + list(judge_data(case, rejected, data.before, data.read(copy.source)))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engine", choices=["sqlite", "duckdb", "postgres"])
    parser.add_argument("--only", default="")
    parser.add_argument("--jobs", type=int, default=2)
    given = parser.parse_args()
    cases = [case for path in sorted(FOLDER.glob("*.test")) for case in cases_of(path) if given.only in case.title]
    passed = failed = 0
    page = subprocess.run([str(FOLDER.parent.parent / "tools" / "document_dialect"), "--check"], capture_output=True, text=True)
    if page.returncode != 0:
        print(page.stderr)
        failed += 1
    with Place() as place, concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
        for engine in ENGINES:
            if given.engine not in (None, engine.name):
                continue
            with contextlib.closing(engine):
                data = Data(engine, place)
                for case, faults in zip(cases, pool.map(lambda case: play(case, data), cases)):
                    passed += not faults
                    failed += bool(faults)
                    for fault in faults:
                        print(f"{engine.name}: {case.path}: {case.title}: {fault}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
