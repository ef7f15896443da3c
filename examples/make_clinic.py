#!/usr/bin/env python3
"""Writes the clinic's four tables into clinic/: the same bytes each time, from formulas, without a person behind any number.

513 patients have ids such as P-00037. The laboratory rows of labs.csv come from another system, which writes p37
and a blank; only 23 patients are written alike in both. lab_results.csv has the same kind of rows under the proper
id, and covers 497 of the 513.
"""

import csv
import datetime
import pathlib

SITES = ["Aberdeen", "Bergen", "Cork", "Delft", "Essen", "Fano"]
TESTS = ["HbA1c", "LDL", "CRP"]
PATIENTS = range(1, 514)


def patient_id(i):
    return f"P-{i * 37:05}"


def value(i, j):
    return (40 + (i * 17 + j * 29) % 97) / 10


def patients():
    yield "patient_id", "site", "sex", "born", "height"
    for i in PATIENTS:
        yield patient_id(i), SITES[i % 6], "FM"[i % 2], 1930 + i * 11 % 70, 150.5 + i * 13 % 45


def labs():
    yield "lab_id", "patient_id", "test", "value", "taken"
    lab_id = 0
    for i in PATIENTS:
        for j in range(2 + i % 3 if i % 16 != 2 else 0):
            lab_id += 1
            written = patient_id(i) if i % 22 == 1 and i <= 485 else f"p{i * 37} "
            taken = datetime.date(2024, 1, 1) + datetime.timedelta((i * 3 + j * 41) % 360)
            yield lab_id, written, TESTS[(i + j) % 3], value(i, j), taken


def lab_results():
    yield "patient_id", "test", "value"
    for i in PATIENTS:
        for j in range(1 + i % 3 if i % 32 != 5 else 0):
            yield patient_id(i), TESTS[(i + j) % 3], value(i, j)


def sites():
    yield "site", "region", "beds"
    yield from zip(SITES, ["North", "North", "West", "West", "South", "South"], [410, 380, 215, 190, 520, 75])


def main():
    for table in (patients, labs, lab_results, sites):
        path = pathlib.Path(__file__).parent / "clinic" / f"{table.__name__}.csv"
        with path.open("w", encoding="utf-8", newline="") as out:
            csv.writer(out, lineterminator="\n").writerows(table())


if __name__ == "__main__":
    main()
