#!/usr/bin/env python3
"""`varve convert` to profiles and tables: their numbers are those of `varve dump --json`, and other programs read them.

usage: export_cli_test.py VARVE DATA_DIR EXAMPLES_DIR   (DATA_DIR: test/data)
"""

import csv
import functools
import gzip
import io
import json
import re
import shutil
import struct
import subprocess
import sys
import tempfile
from collections import Counter
from fractions import Fraction
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import duckdb  # noqa: E402
import tap  # noqa: E402
from command import dump, fails, info, succeeds, varve  # noqa: E402
from viewer import Viewer  # noqa: E402

DATA, EXAMPLES = Path(sys.argv[2]).resolve(), Path(sys.argv[3]).resolve()
SCRATCH = tap.scratch_folder("export")
SPALL, CAPTURE = DATA / "spall" / "v3_threads.spall", DATA / "apitrace" / "groups_threads.trace"
PROFILE, PAGE = DATA / "cpuprofile" / "node_fib.cpuprofile", EXAMPLES / "page-load.json.gz"
EVENTS = [DATA / "trace_event" / f"{name}.json" for name in ("args_types", "async_nestable", "be_unfinished", "counters", "flows", "instants",
                                                            "names_unicode", "objects", "thread_states", "ts_decimals", "x_overlap")]
PATHS = [SPALL, CAPTURE, PROFILE, *EVENTS, *sorted((DATA / "heph").glob("ok_*.bin"))[:2]]
RANGES = (None, "1us..2us", "3us..", "..50ns")


@functools.cache
def converted(path, to, *options):
    """Returns the file that `varve convert` writes. The files of this test do not change."""
    return succeeds("convert", "--quiet", f"--to={to}", "-o", "-", *options, path)


@functools.cache
def in_range(path, spec):
    """Returns the options of a range of the trace; None = the trace cannot have this range."""
    options = () if spec is None else (f"--range={spec}",)
    return options if varve("stats", "--json", "--quiet", *options, path).returncode == 0 else None


@functools.cache
def tables():
    return [table["table"] for table in json.loads(succeeds("query", "--schema", "--json"))]


@functools.cache
def all_tables(path, to):
    """Returns the bytes of every table, which one command writes into a folder."""
    with tempfile.TemporaryDirectory(dir=SCRATCH) as folder:
        succeeds("convert", "--quiet", f"--to={to}", "-o", f"{folder}/", path)
        return {file.stem: file.read_bytes() for file in Path(folder).iterdir()}


def of_csv(text):
    """Returns rows of CSV; the csv module does not distinguish an empty field from an empty text."""
    lines = list(csv.reader(io.StringIO(text.decode(), newline="")))
    return lines[0], lines[1:]


def as_csv(value):
    return "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


# -- tables --


def csv_and_json_lines_have_the_same_rows():
    compared = 0
    for path in PATHS:
        in_csv, in_json_lines = all_tables(path, "csv"), all_tables(path, "jsonl")
        for table in tables():
            heading, rows = of_csv(in_csv[table])
            lines = [json.loads(line) for line in in_json_lines[table].decode().split("\n")[:-1]]
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
            lines = [line for line in dump(path) if "end_tick" in line]
            rows = [json.loads(line) for line in converted(path, "jsonl", *options).splitlines()]
            ids = {row["id"] for row in map(json.loads, converted(path, "jsonl", "--table=track").splitlines())
                   if row["kind"] in ("thread", "async", "states")}
            begin, end = -(1 << 63), 1 << 63
            if options:
                begin, end = info(path, *options)["time"]["window_ticks"]
                end = 1 << 63 if spec.endswith("..") else end  # an open range has the slices at the last tick
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
        in_csv = all_tables(path, "csv")
        for table in tables():
            assert in_csv[table] == succeeds("query", "--quiet", "--csv", path, f"FROM {table}"), (path, table)
            if table in ("slice", "counter", "instant") and path != CAPTURE:
                expected = succeeds("query", "--quiet", "--csv", "--range=1us..5us", path, f"FROM {table}")
                assert converted(path, "csv", f"--table={table}", "--range=1us..5us") == expected, (path, table)


def a_folder_gets_every_table():
    for to, suffix in (("csv", "csv"), ("jsonl", "jsonl"), ("arrow", "arrows")):
        folder = SCRATCH / f"all-{to}"
        for _ in range(2):  # the second time into the existing folder
            succeeds("convert", "--quiet", f"--to={to}", "-o", f"{folder}/" if not folder.exists() else folder, EVENTS[0])
        assert sorted(path.name for path in folder.iterdir()) == sorted(f"{table}.{suffix}" for table in tables())
        for table in tables():
            assert (folder / f"{table}.{suffix}").read_bytes() == converted(EVENTS[0], to, f"--table={table}")
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
        in_json_lines = all_tables(path, "jsonl")
        for table in tables():
            succeeds("convert", "--quiet", f"--table={table}", "-o", out, path)
            before = out.read_bytes()
            succeeds("convert", "--quiet", f"--table={table}", "-o", out, path)
            assert out.read_bytes() == before, "the same bytes again"
            rows = duckdb.read_back(f"SELECT * FROM '{out}'")
            lines = [json.loads(line) for line in in_json_lines[table].decode().split("\n")[:-1]]
            texts = [tuple(None if value is None else as_csv(value) for value in line.values()) for line in lines]
            assert len(rows) == len(texts), (path, table)
            for row, text in zip(rows, texts):
                assert all(a == b or float(a) == float(b) for a, b in zip(row, text)), (path, table, row, text)
    fails("convert", "--to=parquet", "-o", "-", SPALL, says="parquet needs -o FILE")


def messages_of_arrow(stream):
    """Returns (kind of the header, rows of a record batch or None) for the messages of an IPC stream."""
    def number(at, form):
        return struct.unpack_from(form, metadata, at)[0]

    def field(table, index):
        vtable = table - number(table, "<i")
        offset = number(vtable + 4 + 2 * index, "<H") if 4 + 2 * index < number(vtable, "<H") else 0
        return table + offset if offset else None

    at = 0
    while True:
        mark, size = struct.unpack_from("<Ii", stream, at)
        assert mark == 0xFFFFFFFF and size % 8 == 0, (at, mark, size)
        if size == 0:
            assert at + 8 == len(stream)
            return
        metadata = stream[at + 8:at + 8 + size]
        message = number(0, "<I")
        kind, body, header = number(field(message, 1), "<B"), number(field(message, 3), "<q"), field(message, 2)
        assert number(field(message, 0), "<h") == 4 and body % 8 == 0
        record = header + number(header, "<I")
        yield kind, number(field(record, 0), "<q") if kind == 3 else None
        at += 8 + size + body


def arrow_has_the_rows_of_the_tables():
    for path in (SPALL, CAPTURE, PROFILE, *EVENTS):
        in_arrow, in_json_lines = all_tables(path, "arrow"), all_tables(path, "jsonl")
        for table in tables():
            kinds = list(messages_of_arrow(in_arrow[table]))
            assert kinds[0][0] == 1 and [kind for kind, _ in kinds] == sorted(kind for kind, _ in kinds), kinds
            assert sum(rows for kind, rows in kinds if kind == 3) == in_json_lines[table].count(b"\n"), (path, table)


def check_reader(rows_of):
    """Compares the rows that a library reads from an Arrow stream with those of JSON Lines."""
    compared = 0
    for path in PATHS:
        for table in tables():
            for options in ([], ["--range=1us..5us"]) if table == "slice" and in_range(path, "1us..5us") else ([],):
                lines = [json.loads(line) for line in converted(path, "jsonl", f"--table={table}", *options).decode().split("\n")[:-1]]
                assert rows_of(converted(path, "arrow", f"--table={table}", *options)) == lines, (path, table)
                compared += len(lines)
    assert compared > 3000, compared


def pyarrow_reads_every_table():
    try:
        import pyarrow.ipc
    except ImportError:
        raise tap.Skip("pyarrow is not installed") from None

    def rows_of(stream):
        arrow = pyarrow.ipc.open_stream(stream).read_all()
        arrow.validate(full=True)
        return arrow.to_pylist()

    check_reader(rows_of)


def polars_reads_every_table():
    try:
        import polars
    except ImportError:
        raise tap.Skip("polars is not installed") from None
    check_reader(lambda stream: polars.read_ipc_stream(stream).to_dicts())


def wrong_tables_are_said():
    fails("convert", "--to=csv", "--table=slices", "-o", "-", SPALL, says="--table=slices")
    fails("convert", "--to=json", "--table=slice", "-o", "-", SPALL, says="--table is for csv")
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


@functools.cache
def window_of(path, options):
    """Returns the range in ticks, or the whole trace; and the nanoseconds of a tick, None without time."""
    time = info(path, *options)["time"]
    begin, end = time["window_ticks"] if options else (time["begin_tick"], time["end_tick"])
    return begin, end, time["begin_tick"], Fraction(*time["ns_per_tick"]) if time["clock"] in ("ns", "ticks") else None


def deep_paths_are_cut_and_counted():
    made, depth = SCRATCH / "deep.json", 50000
    events = [{"ph": ph, "pid": 1, "tid": 1, "ts": i, "name": "f"} for i, ph in enumerate("B" * depth + "E" * depth)]
    made.write_text(json.dumps(events))
    for to in ("folded", "pprof"):
        done = varve("convert", f"--to={to}", "-o", "-", made)
        assert f"call paths of more than 1000 frames lose the outermost ({depth - 1000})" in done.stderr.decode(), done.stderr
        if to == "folded":
            frames = sorted(line.count(b";") + 1 for line in done.stdout.splitlines())
            assert frames == [*range(1, 1001), *[1000] * (depth - 1000)], frames[:10]
    assert len(json.loads(converted(made, "speedscope"))["profiles"][0]["events"]) == 2 * depth


def speedscope_has_the_slices_of_the_dump():
    """The requirements of speedscope's importer: ends match begins, times ascend; and it contains every slice of the
    dump, with exact times. test/web/speedscope_test.mjs runs speedscope itself."""
    compared = 0
    for path in (SPALL, CAPTURE, PROFILE, *EVENTS):
        for spec in RANGES:
            options = in_range(path, spec)
            if options is None:
                continue
            file = json.loads(converted(path, "speedscope", *options))
            begin, end, origin, scale = window_of(path, options)
            frames, found = file["shared"]["frames"], Counter()
            for profile in file["profiles"]:
                assert profile["type"] == "evented" and profile["unit"] == ("none" if scale is None else "nanoseconds"), path
                last, stack = profile["startValue"], []
                for event in profile["events"]:
                    assert last <= event["at"] <= profile["endValue"], (path, spec, event)
                    last = event["at"]
                    if event["type"] == "O":
                        stack.append(event)
                    else:
                        opened = stack.pop()
                        assert opened["frame"] == event["frame"], (path, spec)
                        found[(frames[event["frame"]]["name"], opened["at"], event["at"])] += 1
                assert not stack, (path, spec)
            assert len({frame["name"] for frame in frames}) == len(frames)
            assert 0 <= file["activeProfileIndex"] < max(1, len(file["profiles"]))

            def at(tick):
                ticks = min(max(tick, begin, origin), end) - origin
                return ticks if scale is None else float(ticks * scale)

            # A slice that touches the range is in the range of `dump`, and of a profile.
            lines = [line for line in dump(path, *options) if line["kind"] in ("slice", "async", "state") and "end_tick" in line]
            expected = Counter((line.get("name") or "(none)", at(line["begin_tick"]), at(line["end_tick"])) for line in lines)
            missing = expected - found
            assert not missing, (path, spec, list(missing.items())[:3], list((found - expected).items())[:3])
            compared += sum(expected.values())
    assert compared > 1000, compared


GO = shutil.which("go") or "/usr/local/go/bin/go"


def samples_of_pprof(path, *options):
    """Returns (names of the values, [(values, thread)] of the samples), from `go tool pprof -raw`."""
    out = SCRATCH / "x.pb.gz"
    succeeds("convert", "--quiet", "-o", out, *options, path)
    first = out.read_bytes()
    succeeds("convert", "--quiet", "-o", out, *options, path)
    assert first == out.read_bytes(), "the same bytes again"
    done = subprocess.run([GO, "tool", "pprof", "-raw", out], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.split("\nSamples:\n")[1].split("\nLocations\n")[0].splitlines()
    samples, names, frames = [], lines[0].replace("[dflt]", "").split(), {}
    for line in lines[1:]:
        values = re.match(r"^ +(-?\d[-\d ]*): ([\d ]*)$", line)
        if values:
            samples.append([[int(value) for value in values[1].split()], values[2].split(), None])
        else:
            samples[-1][2] = re.match(r"^ +thread:\[(.*)\]$", line)[1]
    for line in done.stdout.split("\nLocations\n")[1].split("\nMappings")[0].splitlines():
        found = re.match(r"^ +(\d+): 0x[0-9a-f]+ (?:M=\d+ )?(.*?) \S*:\d+:\d+ s=0$", line)
        if found:  # the name may have line breaks
            frames[found[1]] = found[2]
    return names, [(values, [frames.get(frame) for frame in reversed(stack)], thread) for values, stack, thread in samples]


def needs_go(case):
    """Returns the case, skipped without Go."""
    def checked():
        if not Path(GO).exists():
            raise tap.Skip("Go is not installed")
        case()
    checked.__name__ = case.__name__
    return checked


def calls_of_pprof_are_those_of_flame():
    for path in (SPALL, CAPTURE, PAGE, EVENTS[2], EVENTS[6], EVENTS[10]):
        for spec in RANGES if path != PAGE else (None, "1s..1.1s"):
            options = in_range(path, spec)
            if options is None:
                continue
            names, samples = samples_of_pprof(path, *options)
            unit = "nanoseconds" if window_of(path, options)[3] is not None else "event"
            assert names == ["calls/count", f"time/{unit}"], (path, names)
            for weight, by in ((0, "count"), (1, "total")):
                lines = succeeds("flame", "--quiet", "--folded", f"--by={by}", *options, path).decode().splitlines()
                total = sum(int(line.rsplit(" ", 1)[1]) for line in lines)
                # Each path of each thread is rounded to nanoseconds separately.
                assert abs(sum(values[weight] for values, _, _ in samples) - total) <= weight * len(samples), (path, spec, by)
            threads = {row["thread"] for row in map(json.loads, converted(path, "jsonl", *options).splitlines()) if row["self_ticks"] > 0}
            assert {thread for values, _, thread in samples if values[1] > 0} <= threads, (path, spec)


def samples_of_pprof_are_those_of_the_profile():
    names, samples = samples_of_pprof(PROFILE)
    assert names == ["samples/count", "sampled/nanoseconds"], names
    folded = Counter()
    for values, stack, thread in samples:
        folded[";".join(stack)] += values[1]
        assert thread.startswith("V8 samples"), thread
    lines = converted(PROFILE, "folded").decode().splitlines()
    assert {path: ns for path, ns in folded.items() if ns > 0} == {line.rsplit(" ", 1)[0]: int(line.rsplit(" ", 1)[1]) for line in lines}
    rows = [json.loads(line) for line in converted(PROFILE, "jsonl", "--table=sample").splitlines()]
    frames = {row["stack_id"]: row["function"] for row in map(json.loads, converted(PROFILE, "jsonl", "--table=stack_frame").splitlines())}
    assert sum(values[0] for values, _, _ in samples) == sum(frames[row["stack_id"]] != "(idle)" for row in rows)


def the_viewer_saves_the_bytes_of_the_command():
    ranges = ((None, ""), ("1us..2us", "&begin=1000&end=2000"), ("3us..", "&begin=3000"))
    compared = 0
    for path in (SPALL, CAPTURE, PROFILE, *EVENTS, PAGE):
        is_ns = info(path)["time"]["ns_per_tick"] == [1, 1]
        with Viewer("--port=0", path) as viewer:
            viewer.wait_until_ready()
            for spec, parameters in ranges:
                options = in_range(path, spec)
                if options is None or (spec is not None and not is_ns):
                    continue
                for to in ("json", "spall", "spall1", "heph", "folded", "speedscope", "csv", "jsonl", "arrow", "pprof"):
                    for table in ("", "counter", "arg") if to in ("csv", "jsonl", "arrow") and path != PAGE else ("",):
                        named = [f"--table={table}"] if table else []
                        status, _, body = viewer.ask(f"api/save?trace=0&to={to}{parameters}" + (f"&table={table}" if table else ""))
                        expected = converted(path, to, *options, *named)
                        file, _, losses = body.rpartition(b"\n")
                        assert status == 200 and file == (gzip.decompress(expected) if to == "pprof" else expected), (path, to, spec, table)
                        assert all(loss["count"] > 0 for loss in json.loads(losses)), (path, to, losses)
                        compared += 1
    assert compared > 200, compared
    with Viewer("--port=0", SPALL) as viewer:
        viewer.wait_until_ready()
        for wrong in ("", "&to=parquet", "&to=csv&table=nothing", "&to=csv&begin=5&end=4", "&to=csv&begin=x"):
            assert viewer.ask(f"api/save?trace=0{wrong}")[0] == 400, wrong


tap.run([csv_and_json_lines_have_the_same_rows, slices_are_those_of_the_dump, tables_are_those_of_sql, a_folder_gets_every_table,
         duckdb_reads_every_table, parquet_has_the_rows_of_json_lines, arrow_has_the_rows_of_the_tables, pyarrow_reads_every_table,
         polars_reads_every_table, wrong_tables_are_said,
         folded_is_that_of_flame, the_viewer_saves_the_bytes_of_the_command, deep_paths_are_cut_and_counted,
         speedscope_has_the_slices_of_the_dump, needs_go(calls_of_pprof_are_those_of_flame),
         needs_go(samples_of_pprof_are_those_of_the_profile)])
