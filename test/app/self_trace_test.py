#!/usr/bin/env python3
"""`--self-trace=FILE`: a recording of the command itself, which Varve reads without a warning.

usage: self_trace_test.py VARVE EXAMPLES_DIR
"""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import tap  # noqa: E402
from command import fails, succeeds, varve  # noqa: E402

SCRATCH = tap.scratch_folder("self-trace")
PAGE = Path(sys.argv[2]) / "page-load.json.gz"


def recorded(name, *arguments):
    """Runs a command with --self-trace. Returns its output and the slices of its recording by name."""
    path = SCRATCH / f"{name}.spall"
    output = succeeds(*arguments, f"--self-trace={path}")
    succeeds("info", "--strict", path)
    return output, {row["name"]: row for row in json.loads(succeeds("stats", "--json", path))["rows"]}


def a_load_is_recorded_from_the_input_to_the_index():
    output, slices = recorded("info", "info", "--json", PAGE)
    assert output == succeeds("info", "--json", PAGE)
    for name in ("info", "load", "read the input", "decode", "make the trace", "make a track", "level of detail"):
        assert name in slices, (name, slices)
    assert slices["info"]["count"] == slices["load"]["count"] == 1
    assert slices["info"]["total"] >= slices["load"]["total"] >= slices["read the input"]["total"]


def a_picture_is_recorded():
    path = SCRATCH / "picture.png"
    _, slices = recorded("render", "render", PAGE, "-o", path)
    assert path.exists() and {"render", "lay out the picture", "write PNG"} <= slices.keys(), slices


def a_failed_command_is_recorded_too():
    path, missing = SCRATCH / "failed.spall", SCRATCH / "missing.json"
    fails("info", f"--self-trace={path}", missing, says="missing.json", status=2)
    names = {row["name"] for row in json.loads(succeeds("stats", "--json", path))["rows"]}
    assert names == {"info", "load"} or names == {"info"}, names


def a_file_that_cannot_be_written_is_an_error():
    path = SCRATCH / "no folder" / "x.spall"
    done = varve("info", f"--self-trace={path}", PAGE)
    assert done.returncode == 4 and done.stdout == b"", done
    assert done.stderr.decode() == f"varve: --self-trace: {path}: No such file or directory\n", done.stderr


tap.run([a_load_is_recorded_from_the_input_to_the_index, a_picture_is_recorded, a_failed_command_is_recorded_too,
         a_file_that_cannot_be_written_is_an_error])
