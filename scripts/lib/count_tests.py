"""Prints how many tests passed, failed and were skipped: of a report of pytest; or CTest's, and in their place the cases of those
that are many.

usage: count_tests.py JUNIT [FOLDER]   (FOLDER: of the reports of GoogleTest and pytest, each named as CTest names the test)
"""

import pathlib
import sys
import xml.etree.ElementTree as xml


def cases_of(path):
    """The cases of a report; none if it is cut off."""
    try:
        return list(xml.parse(path).getroot().iter("testcase"))
    except (OSError, xml.ParseError):
        return []


def kind_of(case):
    kinds = {"failure": "failed", "error": "failed", "skipped": "skipped"}
    return next((kind for name, kind in kinds.items() if case.find(name) is not None), "passed")


def main():
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    junit = pathlib.Path(sys.argv[1])
    folder = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else junit.parent
    tests = xml.parse(junit).getroot().iter("testcase") if junit.exists() else []
    for test in tests:
        if test.get("status") is None:  # pytest's
            counts[kind_of(test)] += 1
            continue
        status = {"run": "passed", "fail": "failed"}.get(test.get("status"), "skipped")
        cases = cases_of(folder / (test.get("name") + ".xml"))
        failed = 0
        for case in cases:
            kind = kind_of(case)
            failed += kind == "failed"
            counts[kind] += 1
        # A process may fail though its cases pass: a leak, a crash behind the last of them.
        if not cases or (status == "failed" and failed == 0):
            counts[status] += 1
    print(*counts.values())


if __name__ == "__main__":
    main()
