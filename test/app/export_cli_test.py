#!/usr/bin/env python3
"""`varve convert` to profiles and tables: their numbers are those of `varve dump --json`, and other programs read them.

usage: export_cli_test.py VARVE DATA_DIR EXAMPLES_DIR   (DATA_DIR: test/data)
"""

import csv
import io
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import duckdb  # noqa: E402
import tap  # noqa: E402

VARVE, DATA, EXAMPLES = os.path.abspath(sys.argv[1]), Path(sys.argv[2]).resolve(), Path(sys.argv[3]).resolve()
SCRATCH = Path(tempfile.mkdtemp(prefix="varve-export-"))
SPALL, CAPTURE = DATA / "spall" / "v3_threads.spall", DATA / "apitrace" / "groups_threads.trace"
PROFILE, PAGE = DATA / "cpuprofile" / "node_fib.cpuprofile", EXAMPLES / "page-load.json.gz"
EVENTS = [DATA / "trace_event" / f"{name}.json" for name in ("args_types", "async_nestable", "be_unfinished", "counters", "flows", "instants",
                                                            "names_unicode", "objects", "thread_states", "ts_decimals", "x_overlap")]
PATHS = [SPALL, CAPTURE, PROFILE, *EVENTS, *sorted((DATA / "heph").glob("ok_*.bin"))[:2]]
RANGES = (None, "1us..2us", "3us..", "..50ns")


def varve(*arguments):
    return subprocess.run([VARVE, *map(str, arguments)], capture_output=True, timeout=300)


def succeeds(*arguments):
    done = varve(*arguments)
    assert done.returncode == 0, (arguments, done.returncode, done.stderr)
    return done.stdout


def fails(*arguments, says, status=1):
    done = varve(*arguments)
    assert done.returncode == status and says in done.stderr.decode(), (arguments, done)


def converted(path, to, *options):
    return succeeds("convert", "--quiet", f"--to={to}", "-o", "-", *options, path)


def in_range(path, spec):
    """The options of a range that the trace has; None = it has none such."""
    options = [] if spec is None else [f"--range={spec}"]
    return options if varve("stats", "--json", "--quiet", *options, path).returncode == 0 else None


def tables():
    return [table["table"] for table in json.loads(succeeds("query", "--schema", "--json"))]


def of_csv(text):
    """Rows of CSV; the csv module cannot tell an empty field from an empty text."""
    lines = list(csv.reader(io.StringIO(text.decode(), newline="")))
    return lines[0], lines[1:]


def as_csv(value):
    return "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


# -- tables --


def csv_and_json_lines_have_the_same_rows():
    compared = 0
    for path in PATHS:
        for table in tables():
            heading, rows = of_csv(converted(path, "csv", f"--table={table}"))
            lines = [json.loads(line) for line in converted(path, "jsonl", f"--table={table}").decode().split("\n")[:-1]]
            assert len(rows) == len(lines), (path, table)
            for row, line in zip(rows, lines):
                assert heading == list(line), (path, table)
                same = [text == as_csv(value) or isinstance(value, float) and float(text) == value for text, value in zip(row, line.values())]
                assert all(same), (path, table, row, line)
            compared += len(rows)
    assert compared > 3000, compared


def slices_are_those_of_the_dump():
    compared = 0
    for path in PATHS:
        for spec in RANGES:
            options = in_range(path, spec)
            if options is None:
                continue
            lines = [line for line in map(json.loads, succeeds("dump", "--json", "--quiet", path).splitlines()) if "end_tick" in line]
            rows = [json.loads(line) for line in converted(path, "jsonl", *options).splitlines()]
            ids = {row["id"] for row in map(json.loads, converted(path, "jsonl", "--table=track").splitlines())
                   if row["kind"] in ("thread", "async", "states")}
            begin, end = -(1 << 63), 1 << 63
            if options:
                begin, end = json.loads(succeeds("info", "--json", "--quiet", *options, path))["time"]["window_ticks"]
            expected = Counter((line.get("name") or None, line["begin_tick"], line["end_tick"] - line["begin_tick"]) for line in lines
                               if line["kind"] in ("slice", "async", "state") and line.get("track") != "Frames" and line["begin_tick"] < end
                               and (line["end_tick"] > begin or line["begin_tick"] == line["end_tick"] == begin))
            found = Counter((row["name"], row["begin_tick"], row["duration_ticks"]) for row in rows if row["track_id"] in ids)
            assert expected == found, (path, spec, list((expected - found).items())[:3], list((found - expected).items())[:3])
            compared += len(rows)
    assert compared > 1000, compared


def tables_are_those_of_sql():
    if not duckdb.is_there():
        raise tap.Skip("DuckDB is not installed")
    for path in (SPALL, CAPTURE, EVENTS[0], EVENTS[6], PAGE):
        for table in tables():
            for options in ([], ["--range=1us..5us"]) if table in ("slice", "counter", "instant") and path != CAPTURE else ([],):
                expected = succeeds("query", "--quiet", "--csv", *options, path, f"FROM {table}")
                assert converted(path, "csv", f"--table={table}", *options) == expected, (path, table, options)


def a_folder_gets_every_table():
    for to in ("csv", "jsonl"):
        folder = SCRATCH / f"all-{to}"
        for _ in range(2):  # the second time into the folder that is there
            succeeds("convert", "--quiet", f"--to={to}", "-o", f"{folder}/" if not folder.exists() else folder, EVENTS[0])
        assert sorted(path.name for path in folder.iterdir()) == sorted(f"{table}.{to}" for table in tables())
        for table in tables():
            assert (folder / f"{table}.{to}").read_bytes() == converted(EVENTS[0], to, f"--table={table}")
    (SCRATCH / "file").write_text("")
    fails("convert", "--to=csv", "-o", f"{SCRATCH}/file/", SPALL, says="Not a directory", status=4)
    fails("convert", "--to=csv", "-o", f"{SCRATCH}/none/none/", SPALL, says="No such file", status=4)


def duckdb_reads_every_table():
    if not duckdb.is_there():
        raise tap.Skip("DuckDB is not installed")
    for path in (SPALL, EVENTS[2], EVENTS[6], PAGE):
        expected = [json.loads(line) for line in converted(path, "jsonl").splitlines()]
        sums = (str(len(expected)), str(sum(row["duration_ns"] for row in expected)), str(sum(row["self_ns"] for row in expected)),
                str(len({row["name"] for row in expected if row["name"] is not None})))
        for to, reader in (("csv", "read_csv('{}', header = true, all_varchar = true)"), ("jsonl", "read_json('{}', format = 'newline_delimited')"),
                           ("parquet", "'{}'")):
            out = SCRATCH / f"slices.{to}"
            succeeds("convert", "--quiet", "-o", out, path)
            (found,) = duckdb.read_back("SELECT count(*), CAST(sum(CAST(duration_ns AS BIGINT)) AS VARCHAR), "
                                        "CAST(sum(CAST(self_ns AS BIGINT)) AS VARCHAR), count(DISTINCT name) "
                                        f"FROM {reader.format(out)}")
            assert found == sums, (path, to, found, sums)


def parquet_has_the_rows_of_json_lines():
    if not duckdb.is_there():
        raise tap.Skip("DuckDB is not installed")
    out = SCRATCH / "rows.parquet"
    for path in (EVENTS[0], CAPTURE):
        for table in tables():
            succeeds("convert", "--quiet", f"--table={table}", "-o", out, path)
            before = out.read_bytes()
            succeeds("convert", "--quiet", f"--table={table}", "-o", out, path)
            assert out.read_bytes() == before, "the same bytes again"
            rows = duckdb.read_back(f"SELECT * FROM '{out}'")
            lines = [json.loads(line) for line in converted(path, "jsonl", f"--table={table}").decode().split("\n")[:-1]]
            texts = [tuple(None if value is None else as_csv(value) for value in line.values()) for line in lines]
            assert len(rows) == len(texts), (path, table)
            for row, text in zip(rows, texts):
                assert all(a == b or float(a) == float(b) for a, b in zip(row, text)), (path, table, row, text)
    fails("convert", "--to=parquet", "-o", "-", SPALL, says="parquet needs -o FILE")


def wrong_tables_are_said():
    fails("convert", "--to=csv", "--table=slices", "-o", "-", SPALL, says="--table=slices")
    fails("convert", "--to=json", "--table=slice", "-o", "-", SPALL, says="--table is of csv")
    fails("convert", "--to=csv", "--table=slice", "-o", f"{SCRATCH}/", SPALL, says="give no --table")
    fails("convert", "--to=csv", "-o", SCRATCH / "no" / "x.csv", SPALL, says="No such file", status=4)


# -- profiles --


def folded_is_that_of_flame():
    for path in (SPALL, CAPTURE, PROFILE, PAGE, EVENTS[2], EVENTS[10]):
        for spec in RANGES:
            options = in_range(path, spec)
            if options is not None:
                assert converted(path, "folded", *options) == succeeds("flame", "--quiet", "--folded", *options, path), (path, spec)
    said = varve("convert", "--to=folded", "-o", "-", EVENTS[5]).stderr.decode()
    assert "instants are left out (" in said, said


try:
    tap.run([csv_and_json_lines_have_the_same_rows, slices_are_those_of_the_dump, tables_are_those_of_sql, a_folder_gets_every_table,
             duckdb_reads_every_table, parquet_has_the_rows_of_json_lines, wrong_tables_are_said, folded_is_that_of_flame])
finally:
    shutil.rmtree(SCRATCH)
