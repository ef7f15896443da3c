"""Runs the functions of a test script as single tests: each gets a place of its own and yields what is wrong, in words.

    if __name__ == "__main__":
        sys.exit(run_cases(globals(), __file__))

With arguments, only those are run whose name holds one of them. Each ends with a line, the whole with `N passed, N failed`,
and the test summary counts them singly.
"""

import concurrent.futures
import os
import pathlib
import re
import sys
import traceback
import xml.etree.ElementTree as xml

from program import Place


class Skip(Exception):
    """This machine can't run the case, for the reason given."""


def run_case(function):
    """Faults, or None when it was skipped."""
    try:
        with Place() as place:
            return list(function(place) or [])
    except Skip as reason:
        print(f"skipped: {function.__name__}: {reason}")
        return None
    except Exception:  # A test that breaks has failed; the others still run.
        return [traceback.format_exc().strip()]


def write_report(script, outcomes):
    where = re.fullmatch(r"xml:(.*/)", os.environ.get("GTEST_OUTPUT", ""))
    if not where:
        return
    name = pathlib.Path(script).stem.removesuffix("_test")
    suite = xml.Element("testsuite", name=name)
    for case, faults in outcomes:
        element = xml.SubElement(suite, "testcase", classname=name, name=case, status="run")
        if faults is None:
            xml.SubElement(element, "skipped")
        for fault in faults or []:
            xml.SubElement(element, "failure", message=fault)
    xml.ElementTree(suite).write(f"{where[1]}e2e_{name}_tests.xml")


def run_cases(names, script, jobs=1):
    wanted = sys.argv[1:]
    functions = [function for name, function in names.items() if name.startswith("test_")
                 and (not wanted or any(word in name for word in wanted))]
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        outcomes = list(zip([function.__name__ for function in functions], pool.map(run_case, functions)))
    for name, faults in outcomes:
        if faults is not None:
            print(f"{'failed' if faults else 'passed'}: {name}")
        for fault in faults or []:
            print(f"  {fault}")
    write_report(script, outcomes)
    failed = sum(1 for _, faults in outcomes if faults)
    passed = sum(1 for _, faults in outcomes if faults == [])
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or passed + failed == 0 else 0
