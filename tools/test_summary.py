"""Adds up what CTest and the GoogleTest programs wrote into the folders given; fails if anything failed.

A GoogleTest program counts as its single tests; any other test counts as one.
"""

import pathlib
import sys
import xml.etree.ElementTree as xml


def gtest_counts(path):
    """(passed, failed, skipped, names of the failed) of one GoogleTest report."""
    passed, skipped, failures = 0, 0, []
    for case in xml.parse(path).getroot().iter("testcase"):
        if case.find("failure") is not None:
            failures.append(f"{case.get('classname')}.{case.get('name')}")
        elif case.find("skipped") is not None or case.get("status") == "notrun":
            skipped += 1
        else:
            passed += 1
    return passed, failures, skipped


def folder_counts(folder):
    passed, failures, skipped = 0, [], 0
    for test in xml.parse(folder / "ctest.xml").getroot().iter("testcase"):
        name, status = test.get("name"), test.get("status")
        report = folder / f"{name}_tests.xml"
        if report.is_file():
            more_passed, more_failures, more_skipped = gtest_counts(report)
            passed += more_passed
            skipped += more_skipped
            failures += more_failures
            if status != "run" and not more_failures:
                failures.append(f"{name} (its tests passed; the program failed)")
        elif status == "run":
            passed += 1
        elif test.find("skipped") is not None or status in ("notrun", "disabled"):
            skipped += 1
        else:
            failures.append(name)
    return passed, failures, skipped


def main(folders):
    passed, failures, skipped = 0, [], 0
    for folder in folders:
        more = folder_counts(pathlib.Path(folder))
        passed += more[0]
        failures += [f"{folder}: {failure}" for failure in more[1]]
        skipped += more[2]
    for failure in failures:
        print(f"failed: {failure}")
    print(f"{passed} passed, {len(failures)} failed, {skipped} skipped")
    return 1 if failures or passed == 0 else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
