#!/usr/bin/env python3
"""Builds programs whose functions record themselves with varve/instrument.c, and reads their files. Speaks TAP.

usage: instrument_test.py VARVE ROOT
"""

import collections
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import tap

VARVE, ROOT = sys.argv[1], Path(sys.argv[2])
FOLDER = tempfile.TemporaryDirectory()
FILE = os.path.join(FOLDER.name, "functions.spall")
PROGRAM = ROOT / "test" / "record" / "functions.c"
RECORDER = ROOT / "include" / "varve" / "instrument.c"
WARNINGS = ["-Wall", "-Wextra", "-pedantic", "-Wshadow", "-Wconversion", "-Wsign-conversion", "-Wcast-qual", "-Werror"]
THREADS, CALLS = 4, 20000
COMPILERS = [(compiler, language) for compiler, language in
             [("gcc", ["-std=c11"]), ("clang-19", ["-std=c11"]), ("g++", ["-x", "c++", "-std=c++11"]), ("clang++-19", ["-x", "c++", "-std=c++11"])]
             if shutil.which(compiler)]


def run(*command, **settings):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=100, **settings)
    assert done.returncode == 0, (command, done.stderr)
    return done.stdout


def build(compiler, language, instrument=("-finstrument-functions",), link=()):
    """Returns a program with the recorder."""
    name = os.path.join(FOLDER.name, compiler + "-" + instrument[0].strip("-"))
    run(compiler, *language, *WARNINGS, "-O2", "-pthread", "-c", RECORDER, "-o", name + "-recorder.o")
    run(compiler, *language, *WARNINGS, "-O1", "-g", *instrument, "-pthread", "-c", PROGRAM, "-o", name + ".o")
    run(compiler, name + ".o", name + "-recorder.o", "-pthread", *link, "-o", name)
    return name


def record(program, mode):
    Path(FILE).unlink(missing_ok=True)
    run(program, mode, env={**os.environ, "VARVE_INSTRUMENT": FILE})
    done = subprocess.run([VARVE, "dump", "--json", FILE], capture_output=True, text=True, timeout=100)
    # exit() leaves main() open
    assert done.returncode == 0 and (done.stderr == "" or mode == "exit" and "a begin without an end" in done.stderr), done.stderr
    return [event for event in map(json.loads, done.stdout.splitlines()) if event["kind"] == "slice"]


def counts(events):
    return collections.Counter((event["name"].removesuffix("()").removesuffix("(void*)").removesuffix("(int)"), event["depth"]) for event in events)


THREAD_COUNTS = {("run_thread", 0): THREADS, ("parent", 1): THREADS * CALLS, ("leaf", 2): 2 * THREADS * CALLS}


def check_threads(program, mode):
    found = counts(record(program, mode))
    assert {key: found[key] for key in THREAD_COUNTS} == THREAD_COUNTS, found
    names = {name.split("(")[0] for name, _ in found}
    assert names == {"main", "run_threads", "run_thread", "parent", "leaf"}, names


def every_compiler_records_every_function():
    if not COMPILERS:
        raise tap.Skip("no compiler")
    for compiler, language in COMPILERS:
        for mode in ["return", "exit"]:
            check_threads(build(compiler, language), mode)


def nothing_is_recorded_without_the_variable():
    program = build(*COMPILERS[0])
    Path(FILE).unlink(missing_ok=True)
    run(program, "return", env={**os.environ, "VARVE_INSTRUMENT": ""})
    assert not Path(FILE).exists()


def a_file_that_cannot_be_written_is_an_error_message():
    done = subprocess.run([build(*COMPILERS[0]), "return"], env={**os.environ, "VARVE_INSTRUMENT": "/nowhere/x"}, capture_output=True, text=True)
    assert done.returncode == 0 and done.stderr == "VARVE_INSTRUMENT: /nowhere/x: No such file or directory\n", done


def threads_that_exit_are_complete():
    found = counts(record(build(*COMPILERS[0]), "many"))
    assert found[("run_short", 0)] == found[("leaf", 1)] == 300, found


def a_child_process_records_its_own_events():
    found = record(build(*COMPILERS[0]), "fork")
    assert len({event["tid"] for event in found}) == 2, found
    assert sum(event["name"].startswith("parent") for event in found) == 1, found


def signal_handlers_leave_calls_matched():
    found = counts(record(build(*COMPILERS[0]), "signal"))
    assert sum(count for (name, _), count in found.items() if name == "parent") == CALLS, found
    deepest = max(depth for _, depth in found)
    assert deepest <= 8, f"depth {deepest}: calls of the handler have no ends"


def xray_records_every_function():
    if not shutil.which("clang-19"):
        raise tap.Skip("no clang-19")
    flags = ("-fxray-instrument", "-fxray-instruction-threshold=1")
    try:
        program = build("clang-19", ["-std=c11"], flags, ["-fxray-instrument"])
    except AssertionError as failure:
        if "xray" in str(failure) and "cannot find" in str(failure):
            raise tap.Skip("no runtime of XRay") from failure
        raise
    check_threads(program, "return")


def the_lines_of_a_function_are_found():
    event = next(event for event in record(build(*COMPILERS[0]), "return") if event["name"].startswith("parent"))
    assert event["other"]["file"].endswith("functions.c") and event["other"]["line"] == 27, event


tap.run([
    every_compiler_records_every_function,
    nothing_is_recorded_without_the_variable,
    a_file_that_cannot_be_written_is_an_error_message,
    threads_that_exit_are_complete,
    a_child_process_records_its_own_events,
    signal_handlers_leave_calls_matched,
    xray_records_every_function,
    the_lines_of_a_function_are_found,
])
