#!/usr/bin/env python3
"""Counts test cases over build directories and ends with one line, `N passed, N failed, N skipped`.

usage: count-tests.py BUILD_DIR...

Reads the results of `meson test` in meson-logs: testlog.junit.xml, which has each case of a TAP
program, and testlog.json, which also has the programs that died between two cases. Exits with 1 if
a test failed, if a directory has no results, or if no test was run. The failed tests are listed
above that line, with their output.
"""

import json
import re
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

GOOD_RESULTS = {"OK", "EXPECTEDFAIL", "SKIP"}

# Limit on the shown output of a failed program.
MOST_LINES = 40


def test_of(suite, case):
    """Returns meson's name of the program of a case: a suite "project.test" has the cases of one program,
    a suite "project" has the programs that are a single case."""
    _, dot, test = suite.get("name").partition(".")
    return test if dot else case.get("name")


def count_junit(path):
    """Returns (passed, failed, skipped, names of the programs with a failed case), counted by test case."""
    passed = failed = skipped = 0
    with_failures = set()
    # The output of a program may contain characters that are invalid in XML.
    text = re.sub(r"[\x00-\x08\x0b\x0c\x0e-\x1f]", "?", path.read_text(encoding="utf-8", errors="replace"))
    for suite in ElementTree.fromstring(text.encode()).iter("testsuite"):
        for case in suite.iter("testcase"):
            if case.find("failure") is not None or case.find("error") is not None:
                failed += 1
                with_failures.add(test_of(suite, case))
            elif case.find("skipped") is not None:
                skipped += 1
                print(f"skipped: {test_of(suite, case)}")
            else:
                passed += 1
    return passed, failed, skipped, with_failures


def why(test):
    """Returns the output about the failed cases; without failed cases, the end of the output."""
    said = (test.get("stdout") or "").splitlines()
    lines, in_failure = [], False
    for line in said:
        in_failure = line.startswith("not ok") or (in_failure and line.startswith("#"))
        if in_failure:
            lines.append(line)
    if not lines:
        lines = (said + (test.get("stderr") or "").splitlines())[-MOST_LINES:]
    return [re.sub(r"[\x00-\x1f]", " ", line) for line in lines[:MOST_LINES]]


def count_silent_failures(path, with_failures):
    """Returns the number of programs that failed as a whole (a crash, a time-out) without a failed case. Prints the reasons."""
    count = 0
    for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
        test = json.loads(line)
        if test["result"] in GOOD_RESULTS:
            continue
        name = test["name"]
        print(f"{name}: {test['result']}, exit status {test.get('returncode')}")
        for said in why(test):
            print(f"    {said}")
        count += name not in with_failures
    return count


def main(directories):
    passed = failed = skipped = 0
    for directory in directories:
        logs = Path(directory) / "meson-logs"
        junit, log = logs / "testlog.junit.xml", logs / "testlog.json"
        if not junit.exists() or not log.exists():
            print(f"{directory}: no test results")
            failed += 1
            continue
        counts = count_junit(junit)
        passed += counts[0]
        failed += counts[1] + count_silent_failures(log, counts[3])
        skipped += counts[2]
    if passed + failed == 0:
        print("no test was run")
        failed = 1
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1:]))
