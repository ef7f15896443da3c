"""Figures of one run of the benchmarks: each is a measure of Candor's, a named alternative's, and the limit it is held to.

A benchmark records its figures; bench/run prints them all as one table with `figures.py FILE`.
"""

import dataclasses
import json
import os
import statistics
import sys


@dataclasses.dataclass
class Figure:
    what: str
    ours: float
    unit: str               # ms, MB, kB, x
    against: str = ""       # the alternative's name
    theirs: float = None
    limit: float = None     # of `judged`: at most
    judged: str = "ours"    # ours, ratio (ours / theirs) or extra (ours - theirs)

    def ratio(self):
        return self.ours / self.theirs if self.theirs else None

    def value(self):
        return {"ours": self.ours, "ratio": self.ratio(), "extra": self.ours - (self.theirs or 0)}[self.judged]

    def met(self):
        return None if self.limit is None else self.value() <= self.limit


def record(*arguments, **more):
    """Records a figure where bench/run collects them, else prints its line."""
    figure = Figure(*arguments, **more)
    where = os.environ.get("CANDOR_BENCH_RESULTS")
    if where:
        with open(where, "a", encoding="utf-8") as out:
            out.write(json.dumps(dataclasses.asdict(figure)) + "\n")
    else:
        print("  ".join(line(figure)))


def median(values):
    return statistics.median(values)


def number(value, unit):
    if value is None:
        return ""
    digits = 3 if abs(value) < 1 else 2 if abs(value) < 10 else 1 if abs(value) < 1000 else 0
    return f"{value:,.{digits}f} {unit}"


def line(figure):
    limit = ""
    if figure.limit is not None:
        unit = {"ours": " " + figure.unit, "ratio": " ×", "extra": " " + figure.unit + " beyond it"}[figure.judged]
        limit = f"≤ {figure.limit:g}{unit}"
    ratio = figure.ratio()
    return [figure.what, number(figure.ours, figure.unit), figure.against, number(figure.theirs, figure.unit),
            "" if ratio is None else f"{ratio:.2f} ×", limit,
            {None: "", True: "met", False: "MISSED"}[figure.met()]]


def table(figures):
    head = ["what", "Candor", "against", "its figure", "ratio", "limit", ""]
    rows = [head] + [line(figure) for figure in figures]
    widths = [max(len(row[i]) for row in rows) for i in range(len(head))]
    right = (1, 3, 4)
    for row in rows:
        cells = [cell.rjust(width) if i in right else cell.ljust(width) for i, (cell, width) in enumerate(zip(row, widths))]
        yield "  ".join(cells).rstrip()
        if row is head:
            yield "  ".join("-" * width for width in widths)


def main(path):
    with open(path, encoding="utf-8") as given:
        figures = [Figure(**json.loads(text)) for text in given]
    for text in table(figures):
        print(text)
    judged = [figure for figure in figures if figure.limit is not None]
    print(f"\n{sum(figure.met() for figure in judged)} of {len(judged)} limits met")


if __name__ == "__main__":
    main(sys.argv[1])
