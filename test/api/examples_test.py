#!/usr/bin/env python3
"""The programs of examples/c, with traces of test/data.

usage: examples_test.py FOLDER_OF_PROGRAMS TEST_DATA. Reports in TAP.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

PROGRAMS, DATA = Path(sys.argv[1]), Path(sys.argv[2])
BEFORE, AFTER = DATA / "compare/before.json.gz", DATA / "compare/after.json.gz"
HAS_DUCKDB = Path(os.environ.get("VARVE_DUCKDB", "")).is_file()


def run(name, *arguments, status=0, stdin=None):
    done = subprocess.run([PROGRAMS / f"example_{name}", *arguments], input=stdin, capture_output=True, timeout=120)
    assert done.returncode == status, f"{name}: status {done.returncode}: {done.stderr.decode()}"
    assert (status == 0) == (done.stderr == b""), done.stderr
    return done.stdout


def count_slices(_folder):
    lines = run("count_slices", BEFORE).decode().splitlines()
    assert lines[0] == "1000 slices" and sorted(lines[1:]) == sorted(
        f"{200:8}  {name}" for name in ("request", "parse", "query", "render", "check_cookie")), lines


def find_longest(_folder):
    text = run("find_longest", DATA / "trace_event/args_types.json").decode()
    assert text.startswith("slice ") and "arguments: {" in text, text


def flame_graph(_folder):
    lines = run("flame_graph", BEFORE).decode().splitlines()
    assert lines[0] == "100.0 %  request" and lines[1].endswith("%    query") and len(lines) == 5, lines


def convert(folder):
    run("convert", BEFORE, folder / "x.spall")
    assert run("count_slices", folder / "x.spall") == run("count_slices", BEFORE)
    assert b"(" in run("convert", DATA / "trace_event/async_nestable.json", folder / "y.spall")


def follow(_folder):
    lines = run("follow", stdin=(DATA / "trace_event/be_unfinished.json").read_bytes()).decode().splitlines()
    assert lines[-1].endswith("unfinished") and not lines[-1].endswith(" 0 unfinished"), lines
    run("follow", stdin=b"hello", status=1)


def query(_folder):
    sql = "SELECT name, count(*) FROM slice GROUP BY name ORDER BY name LIMIT 1"
    if HAS_DUCKDB:
        assert run("query", sql, BEFORE, AFTER) == b"check_cookie\t200\n"
    else:
        run("query", sql, BEFORE, status=1)


def goroutines(_folder):
    lines = run("goroutines", DATA / "go/go126_annot_cpuprofile.trace").decode().splitlines()
    assert len(lines) > 5 and any("main.main" in line for line in lines), lines
    run("goroutines", BEFORE, status=1)


def walk_capture(_folder):
    lines = run("walk_capture", DATA / "apitrace/synthetic_v5.trace").decode().splitlines()
    assert len(lines) > 3 and all("{" in line for line in lines), lines


def write_parquet(folder):
    out = folder / "x.parquet"
    if HAS_DUCKDB:
        assert b"duration_ns" in run("write_parquet", BEFORE, "slice", out)
        assert out.read_bytes().startswith(b"PAR1")
    else:
        run("write_parquet", BEFORE, "slice", out, status=1)
        assert not out.exists()


def draw_png(folder):
    run("draw_png", folder / "x.png", BEFORE, AFTER)
    head = (folder / "x.png").read_bytes()[:24]
    assert head.startswith(b"\x89PNG") and int.from_bytes(head[16:20], "big") == 2400


def wrong_arguments_fail(_folder):
    for name in ("count_slices", "find_longest", "flame_graph", "convert", "query", "goroutines", "walk_capture", "write_parquet", "draw_png"):
        run(name, status=1)
    for name in ("count_slices", "find_longest", "flame_graph", "goroutines", "walk_capture"):
        run(name, "/no/such/file", status=1)


def main():
    cases = [count_slices, find_longest, flame_graph, convert, follow, query, goroutines, walk_capture, write_parquet, draw_png, wrong_arguments_fail]
    print(f"1..{len(cases)}")
    failed = 0
    for number, case in enumerate(cases, 1):
        with tempfile.TemporaryDirectory() as folder:
            try:
                case(Path(folder))
                print(f"ok {number} - {case.__name__}")
            except AssertionError as fault:
                failed += 1
                print(f"# {fault}\nnot ok {number} - {case.__name__}")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
