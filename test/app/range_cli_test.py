#!/usr/bin/env python3
"""`--range` end to end: the events that every command omits and keeps.

usage: range_cli_test.py VARVE DATA_DIR   (DATA_DIR: test/data)
"""

import datetime
import gzip
import json
import os
import re
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import tap  # noqa: E402

VARVE, DATA = os.path.abspath(sys.argv[1]), Path(sys.argv[2]).resolve()
SCRATCH = tap.scratch_folder("range")
GO = [DATA / "go" / name for name in ("go119_net.trace", "go119_syscalls.trace", "go126_mixed.trace")]


def varve(*arguments, stdin=None):
    return subprocess.run([VARVE, *map(str, arguments)], input=stdin, capture_output=True, timeout=120)


def succeeds(*arguments, **settings):
    done = varve(*arguments, **settings)
    assert done.returncode == 0, (arguments, done.returncode, done.stderr)
    return done.stdout


def fails(*arguments, says):
    done = varve(*arguments)
    assert done.returncode == 1 and done.stdout == b"" and says in done.stderr.decode(), (arguments, done)


def info(path, *options):
    return json.loads(succeeds("info", "--json", path, *options))


def slices(*arguments, **settings):
    lines = [json.loads(line) for line in succeeds("dump", "--json", *arguments, **settings).splitlines()]
    return [line for line in lines if line["kind"] == "slice"]


def a_file_of_slices():
    path = SCRATCH / "slices.json"
    events = [{"ph": "X", "pid": 1, "tid": 1 + i % 3, "name": f"s{i}", "ts": 100 + i, "dur": 0.5 + i % 3} for i in range(200)]
    events += [{"ph": "i", "s": "t", "pid": 1, "tid": 1, "name": f"i{i}", "ts": 100 + i} for i in range(200)]
    path.write_text(json.dumps(events))
    return path


def other_formats_are_filtered():
    path = a_file_of_slices()
    whole, part = slices(path), slices(path, "--range=50us..60us")
    expected = [s for s in whole if s["begin_tick"] <= 160000 and s["end_tick"] >= 150000]
    assert 0 < len(part) < len(whole) and part == expected, (len(part), len(expected))
    said = info(path, "--range=50us..60us")
    assert said["counts"]["slices"] == len(part) and said["counts"]["instants"] == 11, said["counts"]
    assert said["time"]["window_ticks"] == [150000, 160000] and said["time"]["begin_tick"] == 100000
    text = succeeds("dump", path, "--range=50us..60us").decode().splitlines()
    names = re.findall(r'name="(\w+)"', "\n".join(text))
    assert sorted(names) == sorted([s["name"] for s in part] + [f"i{i}" for i in range(50, 61)]), names
    for kind, suffix in (("json", "json"), ("spall", "spall"), ("heph", "heph")):
        out = SCRATCH / f"part.{suffix}"
        succeeds("convert", path, "-o", out, f"--to={kind}", "--range=50us..60us")
        # an instant of Heph is a slice of length 0
        assert info(out)["counts"]["slices"] == len(part) + (11 if kind == "heph" else 0), kind


# -- every kind of data in every command: one trace, the events that a range must contain, and their sources
# --

FIRST, LAST = 130, 150  # of the range, in microseconds of the file; the file begins at 100
RANGE = "--range=30us..50us"


def events_of_every_kind():
    """Ten rounds of events, one every 10 us; most events last longer than that, so that some begin before any range."""
    for t in range(100, 200, 10):
        main, other = {"pid": 1, "tid": 1 + t // 10 % 2}, {"pid": 2, "tid": 1}
        yield {"ph": "B", **main, "ts": t, "name": f"pair{t}"}
        yield {"ph": "E", **main, "ts": t + 15}
        yield {"ph": "X", **other, "ts": t, "dur": 5, "name": f"whole{t}", "stack": ["main", "work"]}
        yield {"ph": "i", "s": "t", **other, "ts": t + 1, "name": f"instant{t}"}
        yield {"ph": "C", **main, "ts": t + 2, "name": "mem", "args": {"a": t, "b": -t}}
        yield {"ph": "C", **main, "ts": t + 2, "name": "cpu", "id": "0x1", "args": {"a": t}}
        yield {"ph": "N", **main, "ts": t + 3, "name": "Obj", "id": f"0x{t}"}
        yield {"ph": "O", **main, "ts": t + 4, "name": "Obj", "id": f"0x{t}", "args": {"snapshot": {"v": t}}}
        yield {"ph": "D", **main, "ts": t + 25, "name": "Obj", "id": f"0x{t}"}
        yield {"ph": "b", "cat": "c", **main, "ts": t + 1, "name": "async", "id": t}
        yield {"ph": "e", "cat": "c", **main, "ts": t + 18, "name": "async", "id": t}
        yield {"ph": "s", "cat": "f", **main, "ts": t + 4, "name": "flow", "id": t}
        yield {"ph": "f", "cat": "f", "bp": "e", **other, "ts": t + 13, "name": "flow", "id": t}
        yield {"ph": "(", **main, "ts": t + 5, "name": "ctx", "id": f"c{t}"}
        yield {"ph": ")", **main, "ts": t + 22, "name": "ctx", "id": f"c{t}"}
        yield {"ph": "P", **other, "ts": t + 6, "name": "sampler", "stack": ["main", f"f{t}"]}
        yield {"ph": "v", **other, "ts": t + 7, "name": "periodic", "id": f"d{t}", "args": {"dumps": {}}}
    yield {"ph": "X", "pid": 2, "tid": 1, "ts": 200, "dur": 15, "name": "whole200"}


ROUNDS = range(100, 200, 10)


def moments(after):
    return [t + after for t in ROUNDS if FIRST <= t + after <= LAST]


def lasting(begin, end):
    """Returns the begins of the events with a part in the range."""
    return [t + begin for t in ROUNDS if t + begin <= LAST and t + end >= FIRST]


def closed(begins, after):
    """Returns the times of begin events, and of end events, as raw events have them."""
    return sorted(begins + moments(after))


LATEST = max(t + 2 for t in ROUNDS if t + 2 <= FIRST)  # the values that are valid at the begin of the range
ARROWS = [t + 4 for t in ROUNDS if FIRST <= t + 13 <= LAST]
KINDS = {  # kind of line of `dump`: the times of its events in the range
    "slice": sorted(lasting(0, 15) + lasting(0, 5)),
    "async": lasting(1, 18),
    "instant": moments(1),
    "counter": sorted([LATEST, *moments(2)] * 2),
    "object": closed(lasting(3, 25), 25),
    "snapshot": moments(4),
    "flow": sorted([*{*ARROWS, *moments(4)}, *moments(13)]),
    "context": closed(lasting(5, 22), 22),
    "event": moments(6),
    "memory-dump": moments(7),
}
COUNTS = {  # key of `info --json`: the number in the range
    "slices": len(KINDS["slice"]), "async_slices": len(KINDS["async"]), "instants": len(KINDS["instant"]), "counters": 2,
    "counter_samples": len(KINDS["counter"]) // 2 * 3, "flows": len(ARROWS), "objects": len(lasting(3, 25)),
    "object_snapshots": len(KINDS["snapshot"]), "samples": len(KINDS["event"]), "max_depth": 1,
}


def a_file_of_every_kind():
    path = SCRATCH / "kinds.json"
    path.write_text(json.dumps(sorted(events_of_every_kind(), key=lambda event: event["ts"])))
    return path


def times_by_kind(lines):
    """Returns {kind: the sorted times in us} from (kind, time in ns)."""
    times = {}
    for kind, ns in lines:
        times.setdefault(kind, []).append(ns // 1000)
    return {kind: sorted(found) for kind, found in times.items()}


def lines_of_json(*arguments):
    """From `dump --json`; an event of a counter has a line for each series and counts once."""
    seen = set()
    for line in map(json.loads, succeeds("dump", "--json", "--quiet", *arguments).splitlines()):
        tick = line.get("begin_tick", line.get("tick"))
        if line["kind"] == "metadata" or (line["kind"] == "counter" and (line["name"], tick) in seen):
            continue
        seen.add((line.get("name"), tick))
        yield line["kind"], tick


def lines_of_text(*arguments):
    """From `dump`: without end events, except if these have their own kind."""
    words = {"begin": "slice", "complete": "slice"}
    for line in succeeds("dump", "--quiet", *arguments).decode().splitlines():
        kind, time = line.split()[0], re.search(r" ns=(\d+)", line)
        if time and kind != "end" and 'type="e"' not in line:
            yield words.get(kind, kind), int(time[1])


def every_dump_has_every_kind_of_the_range():
    path = a_file_of_every_kind()
    assert times_by_kind(lines_of_json(path, RANGE)) == KINDS, times_by_kind(lines_of_json(path, RANGE))
    assert times_by_kind(lines_of_text(path, RANGE)) == KINDS, times_by_kind(lines_of_text(path, RANGE))


def every_conversion_has_every_kind_of_the_range():
    path, out = a_file_of_every_kind(), SCRATCH / "kinds.out"
    succeeds("convert", "--quiet", "--to=json", path, "-o", out, RANGE)
    assert times_by_kind(lines_of_json(out)) == KINDS, times_by_kind(lines_of_json(out))
    for to in ("spall", "spall1", "heph"):
        losses = varve("convert", f"--to={to}", path, "-o", out, RANGE).stderr.decode()
        names = sorted(line["name"] for line in slices(out, "--quiet") if re.match("(pair|whole)", line["name"]))
        assert len(names) == len(KINDS["slice"]), (to, names)
        assert f"arrows between slices are left out ({len(ARROWS)})" in losses, losses
        assert f"stacks of slices and instants are left out ({len(lasting(0, 5))})" in losses, losses
        for kind, count in (("C", len(KINDS["counter"])), ("O", len(KINDS["snapshot"])), ("v", len(KINDS["memory-dump"]))):
            assert f"events that are not slices are left out: {kind} ({count})\n" in losses, (to, losses)


TABLES = {  # table: its column of times, and the times in the range
    "slice": ("begin_tick", sorted([*lasting(0, 15), *lasting(0, 5), *lasting(1, 18), *lasting(3, 25)])),
    "counter": ("time_tick", sorted([LATEST, *moments(2)] * 3)),
    "object": ("begin_tick", lasting(3, 25)),
    "snapshot": ("time_tick", moments(4)),
    "flow": ("from_tick", ARROWS),
    "sample": ("time_tick", moments(6)),
    "instant": ("time_tick", sorted(moments(1) + moments(4) + moments(7))),
}


def every_table_has_every_kind_of_the_range():
    path = a_file_of_every_kind()
    succeeds("convert", "--quiet", "--to=jsonl", path, "-o", f"{SCRATCH}/tables/", RANGE)
    for table, (column, expected) in TABLES.items():
        rows = map(json.loads, (SCRATCH / "tables" / f"{table}.jsonl").read_text().splitlines())
        found = sorted(row[column] // 1000 for row in rows)
        # half-open: a slice that only touches the range has no time in it
        if table == "slice":
            expected = [time for time in expected if time < LAST]
        assert found == expected, (table, found, expected)


def every_count_is_of_the_range():
    path = a_file_of_every_kind()
    counts = info(path, RANGE)["counts"]
    assert {key: counts[key] for key in COUNTS} == COUNTS, counts
    text = succeeds("info", path, RANGE).decode()
    for line in (f"slices    {COUNTS['slices']}, up to 1 deep", f"instants  {COUNTS['instants']}", f"flows     {COUNTS['flows']} arrows",
                 f"async     {COUNTS['async_slices']} slices, 0 instants", f"samples   {COUNTS['samples']} of threads",
                 f"objects   {COUNTS['objects']}, {COUNTS['object_snapshots']} snapshots", f"dumps     {len(KINDS['memory-dump'])} of memory",
                 f"    Memory dumps: {len(KINDS['memory-dump'])} dumps", f"    async: {COUNTS['async_slices']} slices"):
        assert line in text.splitlines(), (line, text)
    rows = json.loads(succeeds("stats", "--json", path, RANGE))["rows"]  # half-open
    counted = sum(row["count"] for row in rows if re.match("(pair|whole)", row["name"]))
    assert counted == len([time for time in KINDS["slice"] if time < LAST]), rows
    one = succeeds("info", path, "--range=110us..114us").decode()  # tracks without a part in the range are not listed
    assert "    Thread 1: 1 slice\n" in one and "Thread 2" not in one, one


def counters_and_arrows_of_other_formats_are_cut():
    """A Go trace is cut when it is read. Its JSON is cut when it is written."""
    whole, out = SCRATCH / "go.json", SCRATCH / "part.json"
    for path in GO:
        succeeds("convert", "--quiet", path, "-o", out, "--range=1ms..3ms")
        counts, found = info(path, "--range=1ms..3ms")["counts"], info(out, "--quiet")["counts"]
        for key in ("instants", "counters", "counter_samples", "flows", "async_slices"):
            assert counts[key] == found[key], (path, key, counts, found)
        losses = varve("convert", path, "--to=spall", "-o", os.devnull, "--range=1ms..3ms").stderr.decode()
        assert f"values of counters are left out ({counts['counter_samples']})\n" in losses, losses
        succeeds("convert", "--quiet", path, "-o", whole)
        assert info(whole, "--quiet")["counts"]["counter_samples"] > found["counter_samples"] or not found["counter_samples"]


def dump_prints_counters_and_arrows_of_every_format():
    """Go traces have no raw events for these: they are made from the columns, in order of time with all others."""
    for path in GO:
        for options in ((), ("--range=1ms..3ms",)):
            lines = [json.loads(line) for line in succeeds("dump", "--json", "--quiet", path, *options).splitlines()]
            counts = info(path, "--quiet", *options)["counts"]
            assert sum(line["kind"] == "counter" for line in lines) == counts["counter_samples"], (path, options)
            arrows = {side: {line["other"]["id"]: line["tick"] for line in lines if line["kind"] == "flow" and line["event"] == side}
                      for side in "sf"}
            assert len(arrows["s"]) == counts["flows"] and arrows["s"].keys() == arrows["f"].keys(), (path, options)
            ticks = [line.get("begin_tick", line.get("tick")) for line in lines if line["kind"] != "metadata"]
            assert ticks == sorted(ticks), (path, options)


def a_profile_in_chunks_keeps_its_times():
    """The times of its samples are sums of differences: without one chunk all later ones would move."""
    path, out = DATA / "trace_event" / "profile_chunks.json", SCRATCH / "chunks.json"
    succeeds("convert", "--quiet", path, "-o", out, "--range=400us..600us")
    for window in ("0us..", "400us..600us", "5us..100us"):
        assert info(out, "--quiet", f"--range={window}")["counts"]["samples"] == info(path, "--quiet", f"--range={window}")["counts"]["samples"], window
    assert succeeds("dump", "--quiet", path, "--range=400us..600us").count(b"ProfileChunk") == 5


def a_heph_trace_is_cut_packet_by_packet():
    path, out = DATA / "heph" / "heph_plain.bin", SCRATCH / "part.heph"
    span = info(path, "--quiet")["time"]
    middle = (span["end_tick"] - span["begin_tick"]) // 2
    whole, part = slices(path), slices(path, f"--range=..{middle}")
    succeeds("convert", "--quiet", path, "-o", out, f"--range=..{middle}")
    copied = slices(out, "--quiet")
    for line in part + copied:
        del line["self_ticks"]  # children after the range are missing in the copy
    assert 0 < len(part) < len(whole) and copied == part, (len(whole), len(part))


def text_of_go_is_a_part_of_the_whole():
    for path in GO:
        for like in ((), ("--like=go",)):
            whole, part = succeeds("dump", path, *like), succeeds("dump", path, *like, "--range=1ms..3ms")
            assert part and len(part) < len(whole) and part in whole, (path, like)


def compressed_and_piped_go_is_the_same():
    for path in GO:
        plain = succeeds("dump", "--json", path, "--range=1ms..3ms")
        packed = SCRATCH / (path.name + ".gz")
        packed.write_bytes(gzip.compress(path.read_bytes()))
        assert plain and plain == succeeds("dump", "--json", packed, "--range=1ms..3ms")
        assert plain == succeeds("dump", "--json", "-", "--range=1ms..3ms", stdin=path.read_bytes())


def statistics_do_not_depend_on_how_they_are_read():
    for path in GO:
        plain = succeeds("go", path, "goroutines", "--json", "--range=1ms..3ms")
        whole = json.loads(succeeds("go", path, "goroutines", "--json", "--range=0s..1000s"))
        assert plain == succeeds("go", "-", "goroutines", "--json", "--range=1ms..3ms", stdin=path.read_bytes())
        assert whole["goroutines"] == json.loads(succeeds("go", path, "goroutines", "--json"))["goroutines"]


def time_of_day(path, offset_ns):
    """Returns the time that is this number of ns after the begin of a trace in ns, as users type it."""
    time = info(path, "--quiet")["time"]
    ns = time["epoch_unix_ns"] + time["begin_ns"] + offset_ns
    date = datetime.datetime.fromtimestamp(ns // 10**9, datetime.timezone.utc)
    return f"{date:%Y-%m-%dT%H:%M:%S}.{ns % 10**9:09}Z"


def a_range_may_be_of_times_of_day():
    heph, go = DATA / "heph" / "heph_plain.bin", GO[2]
    for path in (heph, go):
        begin, end = time_of_day(path, 1_000_000), time_of_day(path, 3_000_000)
        for command in (["dump"], ["dump", "--json"], ["info"], ["render", "-o", SCRATCH / "o.svg"]):
            ours, theirs = [], []
            for made, given in ((ours, f"--range={begin}..{end}"), (theirs, "--range=1ms..3ms")):
                made.append(succeeds(*command, path, given))
                if command[0] == "render":
                    made.append((SCRATCH / "o.svg").read_bytes())
            assert any(ours) and ours == theirs, (path, command)
        assert slices(path, f"--range=..{end}") == slices(path, "--range=..3ms"), path
        assert slices(path, f"--range={begin}..3ms") == slices(path, "--range=1ms..3ms"), path
    given = f"--range={begin}..{end}"
    assert succeeds("go", go, "goroutines", "--json", given) == succeeds("go", go, "goroutines", "--json", "--range=1ms..3ms")
    assert succeeds("dump", go, "--like=go", given) == succeeds("dump", go, "--like=go", "--range=1ms..3ms")


def a_time_of_day_that_is_not_known_is_said():
    heph = DATA / "heph" / "heph_plain.bin"
    fails("info", a_file_of_slices(), "--range=2026-11-22T10:00Z..", says="the trace has no wall-clock time")
    fails("info", heph, "--range=..2001-01-01T00:00Z", says="ends before the trace begins")
    fails("info", heph, "--range=2100-01-01T00:00Z..", says="begins after the trace's end")
    fails("info", heph, "--range=2026-02-30T00:00Z..", says="--range must be BEGIN..END")
    begins = succeeds("info", heph).decode().splitlines()[3]
    assert begins == "begins    2026-11-21 01:34:54.464422049 UTC", begins


def every_command_that_goes_by_time_takes_it():
    for path in (GO[0], a_file_of_slices()):
        for command in (("info",), ("check",), ("dump",), ("convert", "--to=json", "-o", SCRATCH / "o.json"),
                        ("render", "-o", SCRATCH / "o.png")):
            done = varve(*command, path, "--range=10us..20us")
            assert done.returncode == 0 and (done.stdout or len(command) > 1), (command, done)


def what_is_no_range_is_said():
    fails("info", GO[0], "--range=1s", says="--range must be BEGIN..END")
    fails("info", GO[0], "--range=2s..1s", says="is empty: its end must be after its begin")
    fails("info", GO[0], "--range=100s..101s", says="begins after the trace's end")
    fails("info", a_file_of_slices(), "--range=100s..101s", says="begins after the trace's end")
    fails("diff", GO[0], GO[0], "--range=1s..2s", says="begins after the trace's end")


tap.run([other_formats_are_filtered, every_dump_has_every_kind_of_the_range, every_conversion_has_every_kind_of_the_range,
         every_table_has_every_kind_of_the_range,
         every_count_is_of_the_range, counters_and_arrows_of_other_formats_are_cut, dump_prints_counters_and_arrows_of_every_format,
         a_profile_in_chunks_keeps_its_times,
         a_heph_trace_is_cut_packet_by_packet,
         text_of_go_is_a_part_of_the_whole, compressed_and_piped_go_is_the_same,
         a_range_may_be_of_times_of_day, a_time_of_day_that_is_not_known_is_said,
         statistics_do_not_depend_on_how_they_are_read, every_command_that_goes_by_time_takes_it, what_is_no_range_is_said])
