"""Counts the instructions of ten loads and compares them with the figures of bench/instructions.txt.

usage: check.py VARVE GENERATORS COMPILER FIGURES

GENERATORS is the directory of varve-gen, varve-gen-go and varve-gen-capture, COMPILER a text such as "gcc 12.2.0 release".
A load that takes 2 % more instructions than its figure fails. With UPDATE_FIGURES=1 in the environment the figures are
written instead. They hold for one compiler and one C library, which the first line of the file names; elsewhere the test
is skipped. Needs valgrind, which counts the same instructions on each run and shows each program the same processor. The
instructions of a start of the program are subtracted.
"""

import gzip
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import tap

VARVE, GENERATORS = (Path(word).absolute() for word in sys.argv[1:3])
FIGURES = Path(sys.argv[4])
SETUP = f"# {sys.argv[3]} {platform.machine()} {' '.join(platform.libc_ver())}"
ROOT = Path(__file__).resolve().parent.parent
TOLERANCE = 0.02
ENVIRONMENT = {"PATH": os.environ["PATH"], "LC_ALL": "C"}  # its size and MALLOC_PERTURB_ change the count


def generated(*options):
    """Makes a trace by varve-gen."""
    return lambda path: run([GENERATORS / "varve-gen", *options, "--output", path])


def go(version):
    return lambda path: run([GENERATORS / "varve-gen-go", version, "200000", "200", path])


def unpacked(name):
    """Copies a file of the repository without its compression: the count does not depend on the library."""
    return lambda path: path.write_bytes(gzip.decompress((ROOT / name).read_bytes()))


LOADS = {
    "json": generated("--format", "json", "--events", "20000"),
    "json_complete": generated("--format", "json", "--events", "20000", "--x-percent", "100"),
    "json_arguments": generated("--format", "json", "--events", "20000", "--args-percent", "100"),
    "json_many_names": generated("--format", "json", "--events", "20000", "--names", "1000000"),
    "spall_1": generated("--format", "spall1", "--events", "100000"),
    "spall_3": generated("--format", "spall3", "--events", "100000"),
    "go_1.19": go("1.19"),
    "go_1.26": go("1.26"),
    "apitrace": lambda path: run([GENERATORS / "varve-gen-capture", "50000", path]),
    "chromium": unpacked("examples/page-load.json.gz"),
}


def run(command):
    return subprocess.run(command, env=ENVIRONMENT, check=True, capture_output=True, text=True, timeout=300)


def instructions(*words):
    """Returns the instructions of one command on one thread."""
    counted = run(["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null", VARVE, *words])
    return int(re.search(r"I\s+refs:\s+([\d,]+)", counted.stderr)[1].replace(",", ""))


def count_loads():
    """Returns the instructions of each load, without those of a start."""
    with tempfile.TemporaryDirectory() as folder:
        start = instructions("--version")
        counts = {}
        for name, make in LOADS.items():
            path = Path(folder) / name
            make(path)
            counts[name] = instructions("info", "--json", "--threads=1", path) - start
        return counts


def read_figures():
    """Returns the first line of the file and the figures by name."""
    lines = FIGURES.read_text().splitlines()
    return lines[0], {name: int(count) for name, count in (line.split() for line in lines[1:])}


def loads_take_no_more_instructions():
    setup, figures = read_figures()
    if setup != SETUP:
        raise tap.Skip(f"the figures are for {setup[2:]}, this is {SETUP[2:]}")
    counts = count_loads()
    assert list(figures) == list(counts), "the figures are of other loads: make bench-check UPDATE=1"
    slower = []
    for name, count in counts.items():
        change = count / figures[name] - 1
        print(f"# {name:16} {count:>12} instructions, {change:+.1%}")
        if change > TOLERANCE:
            slower.append(f"{name} {change:+.1%}")
    assert not slower, f"more instructions than before: {', '.join(slower)}. If that is intended: make bench-check UPDATE=1"


def update():
    lines = [SETUP, *(f"{name} {count}" for name, count in count_loads().items())]
    FIGURES.write_text("\n".join(lines) + "\n")


if shutil.which("valgrind") is None:
    print("1..0 # SKIP no valgrind")
elif os.environ.get("UPDATE_FIGURES"):
    update()
    print(f"1..0 # SKIP {FIGURES} is written")
else:
    tap.run([loads_take_no_more_instructions])
