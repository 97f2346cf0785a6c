#!/usr/bin/env python3
"""`varve convert --to=parquet`: the tables of many traces in one folder, partitioned by trace.

usage: dataset_cli_test.py VARVE DATA_DIR   (DATA_DIR: test/data)

Skipped without DuckDB's library, except for wrong usage.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import duckdb  # noqa: E402
import tap  # noqa: E402

VARVE, DATA = os.path.abspath(sys.argv[1]), Path(sys.argv[2]).resolve()
SCRATCH = tap.scratch_folder("dataset")
SPALL = DATA / "spall" / "v3_threads.spall"
PATHS = [SPALL, DATA / "apitrace" / "groups_threads.trace", sorted((DATA / "heph").glob("*.bin"))[0],
         *(DATA / "trace_event" / f"{name}.json" for name in ("args_types", "counters", "flows", "objects", "samples_list", "x_overlap"))]


def varve(*arguments):
    return subprocess.run([VARVE, *map(str, arguments)], capture_output=True, timeout=120)


def convert(folder, *paths, status=0):
    """Adds the traces and returns their names in the dataset."""
    done = varve("convert", "--quiet", "--to=parquet", "-o", folder, *paths)
    assert done.returncode == status, done
    lines = [line.split("\t") for line in done.stdout.decode().splitlines()]
    return {path: name for path, name in lines}


def contents(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def query(path, sql):
    done = varve("query", "--quiet", "--json", path, sql)
    assert done.returncode == 0, done
    return json.loads(done.stdout)


def table_files(folder, table):
    return f"read_parquet('{folder}/{table}/*/*.parquet', hive_partitioning = true)"


def every_table_of_every_trace_is_there():
    folder = SCRATCH / "all"
    names = convert(folder, *PATHS)
    tables = [table["table"] for table in json.loads(varve("query", "--schema", "--json").stdout)]
    written = {str(Path(name).parent): data for name, data in contents(folder).items()}
    reference = SCRATCH / "reference.parquet"
    for path in PATHS:
        for table in tables:
            sql = f"SELECT * EXCLUDE (trace) FROM {table}"
            data = written.pop(f"{table}/trace={names[str(path)]}", None)
            if not query(path, sql + " LIMIT 1"):
                assert data is None, (path, table)
                continue
            done = varve("query", "--quiet", "--threads=1", "--parquet", "-o", reference, path, sql)
            assert done.returncode == 0 and data == reference.read_bytes(), (path, table)
    assert not written, sorted(written)


def the_rows_have_their_trace():
    folder = SCRATCH / "rows"
    names = convert(folder, *PATHS)
    counted = dict(duckdb.read_back(f"SELECT trace, count(*) FROM {table_files(folder, 'slice')} GROUP BY trace"))
    for path in (SPALL, DATA / "trace_event" / "x_overlap.json"):
        lines = varve("dump", "--json", "--quiet", path).stdout.splitlines()
        assert int(counted[names[str(path)]]) == sum(json.loads(line)["kind"] == "slice" for line in lines) > 0, path
    assert len(duckdb.read_back(f"SELECT trace FROM {table_files(folder, 'trace')}")) == len(PATHS)


def a_name_has_the_hash_of_the_bytes():
    (name,) = convert(SCRATCH / "hash", SPALL).values()
    assert name == "v3_threads.spall-3d49bd7303d7adc2", name  # from xxhsum -H64
    copy = SCRATCH / "copy" / SPALL.name
    copy.parent.mkdir()
    shutil.copyfile(SPALL, copy)
    assert list(convert(SCRATCH / "hash", copy).values()) == [name]
    copy.write_bytes(copy.read_bytes() + b"\0")
    assert list(convert(SCRATCH / "hash", copy).values()) != [name]


def a_name_of_any_bytes_is_kept():
    odd = SCRATCH / "a b=c%d'\u00e9.json"
    odd.write_text('[{"ph":"X","name":"n","pid":1,"tid":1,"ts":1,"dur":2}]')
    folder = SCRATCH / "odd"
    (name,) = convert(folder, odd).values()
    assert name.startswith("a%20b%3Dc%25d%27%C3%A9.json-"), name
    ((trace,),) = duckdb.read_back(f"SELECT trace FROM {table_files(folder, 'slice')}")
    assert trace.startswith(odd.name + "-"), trace


def again_and_at_once_gives_the_same_bytes():
    alone, shared = SCRATCH / "alone", SCRATCH / "shared"
    convert(alone, *PATHS)
    expected = contents(alone)
    convert(alone, *PATHS)
    assert contents(alone) == expected
    command = [VARVE, "convert", "--quiet", "--to=parquet", "-o", str(shared)]
    processes = [subprocess.Popen([*command, *map(str, paths)], stdout=subprocess.DEVNULL) for paths in (PATHS, PATHS[::-1], PATHS[:3])]
    assert [process.wait(timeout=120) for process in processes] == [0, 0, 0]
    assert contents(shared) == expected


def a_bad_trace_leaves_the_others():
    bad = SCRATCH / "bad.json"
    bad.write_text("no trace")
    folder = SCRATCH / "bad"
    assert list(convert(folder, bad, SCRATCH / "absent", SPALL, status=2)) == [str(SPALL)]
    assert all("v3_threads" in name for name in contents(folder)) and contents(folder)


def a_folder_that_cannot_be_written_is_named():
    occupied = SCRATCH / "occupied"
    occupied.write_text("")
    done = varve("convert", "--quiet", "--to=parquet", "-o", occupied, SPALL)
    assert done.returncode == 4 and b"occupied" in done.stderr, done
    folder = SCRATCH / "halfway"
    folder.mkdir()
    (folder / "trace").write_text("")
    done = varve("convert", "--quiet", "--to=parquet", "-o", folder, SPALL)
    assert done.returncode == 4 and done.stdout == b"", done
    assert list(contents(folder)) == ["trace"], "a trace is added as a whole"


def wrong_usage_is_reported():
    for arguments, says in [(("-o", SCRATCH / "x"), b"needs one FILE"), ((SPALL,), b"needs -o OUT"),
                            (("-o", SCRATCH / "x.parquet", SPALL, SPALL), b"needs one FILE"),
                            (("-o", SCRATCH / "x", "--table=slice", SPALL), b"gets every table")]:
        done = varve("convert", "--to=parquet", *arguments)
        assert done.returncode == 1 and says in done.stderr, done


def needs_library(case):
    """Returns the case, skipped without DuckDB's library."""
    def checked():
        if not duckdb.is_there():
            raise tap.Skip("DuckDB's library is missing")
        case()
    checked.__name__ = case.__name__
    return checked


tap.run([
    *map(needs_library, [
        every_table_of_every_trace_is_there, the_rows_have_their_trace, a_name_has_the_hash_of_the_bytes, a_name_of_any_bytes_is_kept,
        again_and_at_once_gives_the_same_bytes, a_bad_trace_leaves_the_others, a_folder_that_cannot_be_written_is_named,
    ]),
    wrong_usage_is_reported,
])
