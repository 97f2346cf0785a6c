#!/usr/bin/env python3
"""Every command reads every existing trace without a report of a sanitizer and without a signal.

usage: every_trace_test.py VARVE FOLDER...

A folder that does not exist is skipped; files above MOST_BYTES are omitted. Files with the same bytes and suffix, also in different
folders, are read once.
"""

import hashlib
import os
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import tap  # noqa: E402

VARVE = os.path.abspath(sys.argv[1])
FOLDERS = [Path(folder).resolve() for folder in sys.argv[2:]]
SCRATCH = tap.scratch_folder("every")
MOST_BYTES = 256 << 10
NO_TRACES = {".txt", ".md", ".py", ".go", ".c", ".like", ".golden"}
STATUSES = {0, 1, 2, 3, 4, 5}  # docs/options.md
IS_RECOGNISED = {}  # the suffix and the hash of each file that was read

COMMANDS = (
    ("info", "--json"), ("dump", "--json"), ("stats", "--json", "--range=1us..3ms"), ("flame", "--folded"),
    ("convert", "--to=json", "-o", "OUT"), ("convert", "--to=heph", "-o", "OUT"), ("render", "--size=400x300", "-o", "OUT.svg"),
)


def traces(folder):
    return [path for path in sorted(folder.rglob("*"))
            if path.is_file() and path.suffix not in NO_TRACES and path.stat().st_size <= MOST_BYTES]


def run(command, path):
    words = [word.replace("OUT", str(SCRATCH / "out")) for word in command]
    return subprocess.run([VARVE, *words, str(path)], capture_output=True, timeout=120)


def faults_of(path):
    """Runs the commands on a file. Returns the failed ones, and whether its content is recognised."""
    faults = []
    for command in COMMANDS:
        done = run(command, path)
        if done.returncode not in STATUSES or b"runtime error" in done.stderr or b"Sanitizer" in done.stderr:
            faults.append((str(path), command, done.returncode, done.stderr[-600:]))
        if command[0] == "info" and done.returncode != 0:
            return faults, False
    return faults, True


def case_of(folder):
    def every_command_reads_every_trace():
        if not folder.is_dir():
            raise tap.Skip(f"no folder {folder.name}")
        faults, recognised = [], 0
        for path in traces(folder):
            key = path.suffix, hashlib.sha256(path.read_bytes()).digest()
            if key not in IS_RECOGNISED:
                more, IS_RECOGNISED[key] = faults_of(path)
                faults += more
            recognised += IS_RECOGNISED[key]
        assert not faults, faults[:10]
        assert recognised > 0
    every_command_reads_every_trace.__name__ = f"every_command_reads_every_trace_of_{folder.parent.name}_{folder.name}"
    return every_command_reads_every_trace


tap.run([case_of(folder) for folder in FOLDERS])
