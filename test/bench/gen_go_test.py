#!/usr/bin/env python3
"""varve-gen-go: the same bytes everywhere, traces that break no rule. Speaks TAP.

usage: gen_go_test.py PATH_OF_VARVE_GEN_GO PATH_OF_VARVE
"""

import hashlib
import json
import os
import subprocess
import sys
import tempfile

import tap

GENERATOR, VARVE = sys.argv[1:3]

# The bytes are a promise: figures of different machines and days are about the same file.
DIGESTS = {
    "1.19": "9240b68ff41eb1d5a16daa18f90e2f3020918ba7545f2c284af69694bed3e9ce",
    "1.26": "a43423f22627dd8e7eb8c5a0d55cc5dcb3e82d6e3347f31fad7ac4013bf3ba0a",
}


def generated(version, events, goroutines, then):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "x.trace")
        subprocess.run([GENERATOR, version, str(events), str(goroutines), path], check=True)
        return then(path)


def digest(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def info(path):
    done = subprocess.run([VARVE, "info", "--json", path], capture_output=True, check=True)
    return json.loads(done.stdout)


def the_same_arguments_give_the_same_bytes():
    for version, wanted in DIGESTS.items():
        got = generated(version, 5000, 50, digest)
        assert got == wanted, f"{version}: {got}"


def traces_break_no_rule():
    for version in DIGESTS:
        # many more ticks than one generation has
        facts = generated(version, 600000 if version == "1.26" else 50000, 60, info)
        assert facts["complete"] and not facts["warnings"], facts["warnings"]


def a_wrong_version_is_refused():
    done = subprocess.run([GENERATOR, "1.4", "1", "1", "x"], capture_output=True, text=True)
    assert done.returncode == 1 and "usage" in done.stderr


CASES = [the_same_arguments_give_the_same_bytes, traces_break_no_rule, a_wrong_version_is_refused]

if __name__ == "__main__":
    tap.run(CASES)
