#!/usr/bin/env python3
"""bench/peers/peers.py: each row of a table is a measurement, or names the missing part. Speaks TAP.

usage: peers_test.py PEERS BUILD
"""

import os
import re
import subprocess
import sys

import tap

PEERS, BUILD = sys.argv[1:3]
ROW = re.compile(r"^(.{40}) +(-?\d+\.\d\d) +(-?\d+\.\d\d) +(-?\d+\.\d\d) +(\d+) ")


def measured(*options):
    environment = {**os.environ, "EVENTS": "20000"}
    return subprocess.run([sys.executable, PEERS, BUILD, "--runs=1", *options], capture_output=True, text=True, env=environment)


def rows(output):
    """Returns the rows of each table: name and wall, cpu, share, peak; None: not measured."""
    tables = []
    for line in output.splitlines():
        if line.endswith("events"):
            tables.append([])
        elif tables and (found := ROW.match(line)):
            tables[-1].append((found[1].strip(), tuple(map(float, found.groups()[1:]))))
        elif tables and "not found" in line:
            tables[-1].append((line.split("  ")[0], None))
    return tables


def each_program_is_measured_or_missing():
    done = measured("--only=spall1,capture")
    assert done.returncode == 0, done.stderr
    spall, capture = rows(done.stdout)
    names = [name for name, _ in spall]
    assert names[0] == "varve info, 1 thread" and "columns alone, 1 thread" in names, names
    assert [name for name, values in spall if values is None] == ["Spall in Chromium"], spall
    assert all(values[3] > 10 for _, values in spall if values is not None), spall
    assert [name.split(",")[0] for name, _ in capture] == ["varve info", "libsnappy alone"], capture
    assert re.search(r"\d+ cores; load .* the fixed computation took \d+ to \d+ ms", done.stdout), done.stdout


def a_missing_program_is_named():
    done = measured("--only=json", "--perfetto=/nonexistent")
    assert done.returncode == 0, done.stderr
    assert re.search(r"^Perfetto trace_processor +failed$", done.stdout, re.MULTILINE), done.stdout
    done = measured("--only=json")
    assert re.search(r"^Perfetto trace_processor +not found: --perfetto=PATH$", done.stdout, re.MULTILINE), done.stdout


def wrong_options_are_refused():
    assert "usage:" in measured("--runs=0").stderr
    assert "there is no task nothing" in measured("--only=nothing").stderr


CASES = [each_program_is_measured_or_missing, a_missing_program_is_named, wrong_options_are_refused]

if __name__ == "__main__":
    tap.run(CASES)
