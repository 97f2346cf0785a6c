#!/usr/bin/env python3
"""Files of speedscope: recognised in every form, the same slices as the file from which they were converted, and times and
places as a second reader in Python has them.

usage: speedscope_cli_test.py VARVE SOURCE_ROOT
"""

import gzip
import json
import os
import subprocess
import sys
import zipfile
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import tap  # noqa: E402

VARVE, ROOT = os.path.abspath(sys.argv[1]), Path(sys.argv[2]).resolve()
DATA = ROOT / "test" / "data"
PY_SPY, EVENTED = (DATA / "speedscope" / f"{name}.speedscope.json" for name in ("py_spy", "evented"))
SCRATCH = tap.scratch_folder("speedscope")
SCHEMA = {"$schema": "https://www.speedscope.app/file-format-schema.json"}


def output(*arguments):
    done = subprocess.run([VARVE, *map(str, arguments)], capture_output=True, timeout=300)
    assert done.returncode == 0, (arguments, done.returncode, done.stderr)
    return done.stdout.decode()


def lines(path):
    return [json.loads(line) for line in output("dump", "--json", "--quiet", path).splitlines()]


def format_of(path):
    return json.loads(output("info", "--json", "--quiet", path))["format"]["name"]


def made(name, value):
    path = SCRATCH / name
    path.write_text(value if isinstance(value, str) else json.dumps(value))
    return path


def profile(**members):
    return {"type": "evented", "name": "p", "unit": "seconds", "startValue": 0, "endValue": 3,
            "events": [{"type": "O", "frame": 0, "at": 1}, {"type": "C", "frame": 0, "at": 2}], **members}


def files_are_recognised():
    shared = {"shared": {"frames": [{"name": "a"}]}}
    for value in ({**SCHEMA, **shared, "profiles": [profile()]}, {**shared, "profiles": [profile()]}, {"profiles": [profile()], **shared},
                  {"exporter": "x", "version": "1", "profiles": [profile()], **shared, **SCHEMA}, {"profiles": [], **shared}):
        for indent in (None, 2):
            assert format_of(made("any.json", json.dumps(value, indent=indent))) == "speedscope", value
    packed = SCRATCH / "py.speedscope.json.gz"
    packed.write_bytes(gzip.compress(PY_SPY.read_bytes()))
    assert format_of(packed) == "speedscope"
    with zipfile.ZipFile(SCRATCH / "py.zip", "w") as archive:
        archive.write(PY_SPY, "py.json")
    assert format_of(SCRATCH / "py.zip") == "speedscope"
    (SCRATCH / "wide.json").write_bytes(PY_SPY.read_text().encode("utf-16"))
    assert format_of(SCRATCH / "wide.json") == "speedscope"


def traces_in_json_stay_traces():
    event = {"ph": "X", "pid": 1, "tid": 1, "ts": 0, "dur": 1, "name": "a", "args": {**SCHEMA, "profiles": [profile()], "shared": {"frames": []}}}
    for value in ([event], {"traceEvents": [event]}, {"profiles": [], "traceEvents": [event]}, {**event["args"], "traceEvents": [event]},
                  {"shared": 1, "traceEvents": [event]}):
        assert format_of(made("trace.json", value)) == "trace-event", value
    assert format_of(DATA / "cpuprofile" / "node_fib.cpuprofile") == "cpuprofile"


def traces_come_back():
    """A trace that is converted and read again has the same table of slices."""
    columns = "SELECT name, depth, begin_ns - (SELECT min(begin_ns) FROM slice), duration_ns, self_ns FROM slice ORDER BY ALL"
    compared = 0
    for path in (*sorted((DATA / "spall").glob("v*.spall")), ROOT / "examples" / "record" / "sort.spall", DATA / "cli" / "ok_small.json"):
        out = SCRATCH / "back.speedscope.json"
        output("convert", "--quiet", path, "-o", out)
        before, after = (output("query", "--quiet", "--csv", file, columns) for file in (path, out))
        assert before == after, path
        assert json.loads(output("stats", "--json", "--quiet", path))["slices"] == json.loads(output("stats", "--json", "--quiet", out))["slices"], path
        compared += before.count("\n")
    assert compared > 500, compared


def samples_have_their_weights():
    """The folded stacks of a recording are the sums of its weights, by a reader in a few lines."""
    file = json.loads(PY_SPY.read_text())
    frames, sums, count = file["shared"]["frames"], Counter(), 0
    for one in file["profiles"]:
        count += len(one["samples"])
        for sample, weight in zip(one["samples"], one["weights"]):
            if sample:
                sums[";".join(frames[i]["name"] for i in sample)] += round(weight * 1e9)
    folded = output("flame", "--quiet", "--folded", PY_SPY)
    assert dict((line.rsplit(" ", 1)[0], int(line.rsplit(" ", 1)[1])) for line in folded.splitlines()) == dict(sums)
    assert json.loads(output("info", "--json", PY_SPY))["counts"]["samples"] == count == 70


def places_are_in_sql_and_details():
    rows = output("query", "--quiet", "--csv", EVENTED,
                  "SELECT s.name, f.file, f.line FROM slice s JOIN stack_frame f USING (stack_id) ORDER BY s.begin_ns")
    assert rows.splitlines()[1:] == ["main,/src/main.c,12", "read\tline,/src/read.c,40"], rows
    found = [line for line in lines(EVENTED) if line["kind"] == "slice" and line["name"] == "free" and "other" in line]
    assert [line["other"] for line in found] == [{"note": {"size": 3}, "end": {"note": "end"}}], found


tap.run([files_are_recognised, traces_in_json_stay_traces, traces_come_back, samples_have_their_weights, places_are_in_sql_and_details])
