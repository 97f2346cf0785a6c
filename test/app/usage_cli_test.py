#!/usr/bin/env python3
"""Mistyped words end to end: unknown commands, files and options, and input that is not a trace.

usage: usage_cli_test.py VARVE
"""

import os
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import tap  # noqa: E402

VARVE = os.path.abspath(sys.argv[1])
SCRATCH = tap.scratch_folder("usage")


def varve(*arguments, stdin=b""):
    return subprocess.run([VARVE, *arguments], input=stdin, capture_output=True, cwd=SCRATCH, timeout=60)


def fails(status, message, *arguments, stdin=b""):
    done = varve(*arguments, stdin=stdin)
    assert done.returncode == status and done.stdout == b"", (arguments, done)
    assert done.stderr.decode() == f"varve: {message}\n", (arguments, done.stderr.decode())


def neither_a_command_nor_a_file_is_wrong_usage():
    neither = "'{}' is neither a command nor a file"
    fails(1, neither.format("zzz") + " (see varve --help)", "zzz")
    for typed, meant in (("infoo", "info"), ("nifo", "info"), ("statss", "stats"), ("conv", "convert")):
        fails(1, neither.format(typed) + f"; did you mean `varve {meant}`? (see varve --help)", typed, "x.json")
    for typed, meant in (("tarce.json", "trace.json"), ("trace", "trace.json"), ("./tracee.json", "./trace.json"),
                         ("folder/othr", "folder/other")):
        fails(1, neither.format(typed) + f"; did you mean the file {meant}? (see varve --help)", typed)
    fails(1, neither.format("no/folder") + " (see varve --help)", "no/folder")
    fails(1, neither.format("folde") + " (see varve --help)", "folde")  # a folder is not offered for a file


def a_file_called_like_a_command_is_opened_by_its_path():
    (SCRATCH / "infoo").write_text("[1]")
    fails(2, "infoo: a JSON list, but no trace: it has no events", "infoo")
    (SCRATCH / "infoo").unlink()


def a_missing_file_names_a_similar_one():
    missing = "No such file or directory"
    fails(2, f"tracee.json: {missing}; did you mean trace.json?", "info", "tracee.json")
    fails(2, f"tracee.json: {missing}; did you mean trace.json?", "dump", "tracee.json")
    fails(2, f"tracee.json: {missing}; did you mean trace.json?", "open", "--no-browser", "tracee.json")
    fails(2, f"nothing.like.it: {missing}", "info", "nothing.like.it")
    (SCRATCH / "tracee\x1b.json").write_text("[]")  # its name would change the terminal
    fails(2, f"tracee.json: {missing}; did you mean trace.json?", "info", "tracee.json")


def a_mistyped_option_names_the_nearest():
    fails(1, "unknown option --jsn; did you mean --json? (see varve info --help)", "info", "--jsn", "trace.json")
    fails(1, "unknown option --rnage; did you mean --range? (see varve stats --help)", "stats", "--rnage=1..2", "x")
    fails(1, "unknown option --wrong (see varve info --help)", "info", "--wrong", "trace.json")


def a_list_without_events_is_not_recognised():
    for text in ("[1,2,3]", "[1]", '["a", true]', "[[1], 2]", "[2026-01-01 12:00] started\n[2026-01-01 12:01] ended\n", "[1,2,3] [4]"):
        fails(2, "standard input: a JSON list, but no trace: it has no events", "info", "-", stdin=text.encode())
    for text in ("[]", "[null]", '[1,{"ph":"i","ts":1}]', '{"traceEvents":[1]}', '[1] [{"ph":"i","ts":1}]'):
        assert varve("info", "-", stdin=text.encode()).returncode == 0, text


def another_file_is_described():
    unknown = "standard input: not a trace of a known format: it is a text that begins with \"//!tri\"; expected JSON, " \
              ".spall, Heph, Go, apitrace, perf, ftrace, strace, Perfetto, pprof, folded or .varve (byte 0)"
    fails(2, unknown, "info", "-", stdin=b"//!tri\nglViewport(x = 0)\n")
    fails(2, unknown, "info", "-", stdin=b"//!tri\n/* */ glViewport(x = 0)\n")
    assert varve("info", "-", stdin=b"//!tri\n/* */ [\n]").returncode == 0
    fails(2, "standard input: a JSON list, but no trace: its objects have no \"ph\"", "info", "-", stdin=b'[{"name":"a"},{"ts":1}]')
    fails(2, "standard input: JSON, but no trace: perhaps a profile of speedscope; expected a list of events or \"traceEvents\"",
          "info", "--format=trace-event", "-", stdin=b'{"profiles":[],"shared":{"frames":[]}}')


(SCRATCH / "trace.json").write_text("[]")
(SCRATCH / "folder").mkdir()
(SCRATCH / "folder" / "other").write_text("[]")
tap.run([neither_a_command_nor_a_file_is_wrong_usage, a_file_called_like_a_command_is_opened_by_its_path,
         a_missing_file_names_a_similar_one, a_mistyped_option_names_the_nearest,
         a_list_without_events_is_not_recognised, another_file_is_described])
