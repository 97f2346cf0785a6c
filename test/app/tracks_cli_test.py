#!/usr/bin/env python3
"""`convert --tracks`: the chosen tracks in every format, compared with a filter over `dump --json` and over the tables of
the whole trace.

usage: tracks_cli_test.py VARVE DATA_DIR   (DATA_DIR: test/data)
"""

import gzip
import json
import os
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import tap  # noqa: E402

VARVE, DATA = os.path.abspath(sys.argv[1]), Path(sys.argv[2]).resolve()
SCRATCH = tap.scratch_folder("tracks")
RANGE = "--range=30us..50us"


def varve(*arguments):
    return subprocess.run([VARVE, *map(str, arguments)], capture_output=True, timeout=120)


def succeeds(*arguments):
    done = varve(*arguments)
    assert done.returncode == 0, (arguments, done.returncode, done.stderr)
    return done.stdout


def events_of_every_kind():
    """Ten rounds of events, one every 10 us, on two threads of one process and one of another."""
    for t in range(100, 200, 10):
        main, other = {"pid": 1, "tid": 11 + t // 10 % 2}, {"pid": 2, "tid": 21}
        yield {"ph": "B", **main, "ts": t, "name": f"pair{t}"}
        yield {"ph": "E", **main, "ts": t + 9}
        yield {"ph": "X", **other, "ts": t, "dur": 5, "name": f"whole{t}"}
        yield {"ph": "i", "s": "t", **other, "ts": t + 1, "name": f"instant{t}"}
        yield {"ph": "C", **main, "ts": t + 2, "name": "mem", "args": {"a": t, "b": -t}}
        yield {"ph": "C", **main, "ts": t + 2, "name": "cpu", "id": "0x1", "args": {"a": t}}
        yield {"ph": "C", **main, "ts": t + 2, "name": "cpu", "id": "0x2", "args": {"a": t}}
        yield {"ph": "N", **main, "ts": t + 3, "name": "Obj", "id": f"0x{t}"}
        yield {"ph": "O", **main, "ts": t + 4, "name": "Obj", "id": f"0x{t}", "args": {"snapshot": {"v": t}}}
        yield {"ph": "D", **main, "ts": t + 25, "name": "Obj", "id": f"0x{t}"}
        yield {"ph": "b", "cat": "c", **main, "ts": t + 1, "name": "request", "id": t}
        yield {"ph": "e", "cat": "c", **main, "ts": t + 18, "name": "request", "id": t}
        yield {"ph": "s", "cat": "f", **main, "ts": t + 4, "name": "flow", "id": t}
        yield {"ph": "f", "cat": "f", "bp": "e", **other, "ts": t + 13, "name": "flow", "id": t}
        yield {"ph": "(", **main, "ts": t + 5, "name": "ctx", "id": f"c{t}"}
        yield {"ph": ")", **main, "ts": t + 22, "name": "ctx", "id": f"c{t}"}
        yield {"ph": "P", **other, "ts": t + 6, "name": "sampler", "stack": ["main", f"f{t}"]}
        yield {"ph": "v", **other, "ts": t + 7, "name": "periodic", "id": f"d{t}", "args": {"dumps": {}}}


def a_file_of_every_kind():
    path = SCRATCH / "kinds.json"
    path.write_text(json.dumps(sorted(events_of_every_kind(), key=lambda event: event["ts"])))
    return path


OWN_TRACKS = ("counter", "object", "snapshot", "async", "memory-dump")


def is_of_thread(*tids):
    return lambda line: line["kind"] not in OWN_TRACKS and line["tid"] in tids


def is_counter(name, **ids):
    return lambda line: line["kind"] == "counter" and line["name"] == name and line.get("other", {}) == ids


CHOICES = {  # --tracks: the lines of `dump --json` that it keeps
    "11": is_of_thread(11),
    "Thread 12": is_of_thread(12),
    "21": is_of_thread(21),
    "Thread 1": is_of_thread(11, 12),
    "mem": is_counter("mem"),
    "cpu [0x1]": is_counter("cpu", id="0x1"),
    "Obj": lambda line: line["kind"] in ("object", "snapshot"),
    "request": lambda line: line["kind"] == "async",
    "Memory dumps": lambda line: line["kind"] == "memory-dump",
    "Process 2": lambda line: line["pid"] == 2,
}


def lines(*arguments):
    return [json.loads(line) for line in succeeds("dump", "--json", "--quiet", *arguments).splitlines()]


def json_has_every_kind_of_the_tracks():
    path, out = a_file_of_every_kind(), SCRATCH / "cut.json"
    for options in ((), (RANGE,)):
        whole = lines(path, *options)
        for tracks, is_kept in CHOICES.items():
            succeeds("convert", "--quiet", path, "-o", out, f"--tracks={tracks}", *options)
            expected = [line for line in whole if is_kept(line)]
            found = lines(out)
            assert 0 < len(expected) < len(whole) and found == expected, (tracks, options, found, expected)


def names_of(kind, path):
    if kind == "speedscope":
        return sorted(frame["name"] for frame in json.loads(path.read_text())["shared"]["frames"])
    if kind == "folded":
        return sorted(line.split(" ")[0] for line in path.read_text().splitlines())
    if kind == "pprof":
        content = gzip.decompress(path.read_bytes())
        return sorted(line["name"] for line in lines(SCRATCH / "kinds.json") if line["name"].encode() in content)
    return sorted(line["name"] for line in lines(path) if line["kind"] == "slice")


def profiles_and_slices_have_the_tracks():
    path, out = a_file_of_every_kind(), SCRATCH / "cut.out"
    for options in ((), (RANGE,)):
        expected = sorted(line["name"] for line in lines(path, *options) if line["kind"] == "slice" and line["tid"] in (11, 12))
        expected = [name for name in expected if not options or name not in ("pair150",)]  # it only touches the range
        for kind in ("spall", "spall1", "heph", "folded", "speedscope", "pprof"):
            succeeds("convert", "--quiet", f"--to={kind}", path, "-o", out, "--tracks=Thread 1", *options)
            found = [name for name in names_of(kind, out) if name != "pair150" or not options]
            assert found == expected, (kind, options, found, expected)


def rows(folder):
    return {table.name: [json.loads(line) for line in table.read_text().splitlines()] for table in folder.iterdir()}


def tables_have_the_tracks():
    path = a_file_of_every_kind()
    for options in ((), (RANGE,)):
        succeeds("convert", "--quiet", "--to=jsonl", path, "-o", f"{SCRATCH}/whole/", *options)
        whole = rows(SCRATCH / "whole")
        track_ids = {row["title"]: row["id"] for row in whole["track.jsonl"]}
        for tracks, titles in (("Thread 11", ["Thread 11"]), ("cpu", ["cpu [0x1]", "cpu [0x2]"]), ("Obj", ["Obj"]),
                               ("21", ["Thread 21", "Samples of Thread 21"])):
            succeeds("convert", "--quiet", "--to=jsonl", path, "-o", f"{SCRATCH}/part/", f"--tracks={tracks}", *options)
            part, chosen = rows(SCRATCH / "part"), {track_ids[title] for title in titles}
            for table in ("counter.jsonl", "instant.jsonl", "sample.jsonl"):
                assert part[table] == [row for row in whole[table] if row["track_id"] in chosen], (tracks, table)
            assert [row["id"] for row in part["track.jsonl"]] == sorted(chosen), tracks
            # slices of samples count where no other slices do
            slices = [row["id"] for row in whole["slice.jsonl"] if row["track_id"] in chosen]
            assert [row["id"] for row in part["slice.jsonl"]] == slices, tracks
            assert part["flow.jsonl"] == [], tracks
            assert len(part["object.jsonl"]) == (len(whole["object.jsonl"]) if tracks == "Obj" else 0), tracks
            assert len(part["snapshot.jsonl"]) == (len(whole["snapshot.jsonl"]) if tracks == "Obj" else 0), tracks


def arrows_have_both_ends_on_the_tracks():
    path = SCRATCH / "arrows.json"
    path.write_text(json.dumps([
        {"ph": ph, "pid": 1, "tid": tid, "ts": ts, "name": name, **more}
        for i, (a, b) in enumerate(((1, 2), (2, 3), (3, 1), (2, 2)))
        for ph, tid, ts, name, more in (
            ("X", a, 100 * i, "from", {"dur": 10}), ("X", b, 100 * i + 50, "to", {"dur": 10}),
            ("s", a, 100 * i + 5, f"{a}{b}", {"id": i, "cat": "f"}), ("f", b, 100 * i + 55, f"{a}{b}", {"id": i, "cat": "f", "bp": "e"}))]))
    for tracks, expected in (("1", []), ("2", ["22"]), ("Thread", ["12", "23", "31", "22"])):
        succeeds("convert", "--quiet", "--to=jsonl", path, "-o", f"{SCRATCH}/part/", f"--tracks={tracks}")
        found = [row["name"] for row in rows(SCRATCH / "part")["flow.jsonl"]]
        assert sorted(found) == sorted(expected), (tracks, found)
        losses = varve("convert", path, "--to=spall", "-o", os.devnull, f"--tracks={tracks}").stderr.decode()
        assert (f"arrows between slices are left out ({len(expected)})" in losses) == bool(expected), losses


def a_heph_trace_keeps_the_packets_of_the_tracks():
    path, out = DATA / "heph" / "heph_plain.bin", SCRATCH / "cut.heph"
    whole = lines(path)
    for tid in sorted({line["tid"] for line in whole if line["kind"] == "slice"})[:3]:
        succeeds("convert", "--quiet", path, "-o", out, f"--tracks={tid}")
        expected = [line for line in whole if line["kind"] == "slice" and line["tid"] == tid]
        assert expected and [line for line in lines(out) if line["kind"] == "slice"] == expected, tid


def a_go_trace_keeps_the_counters_of_the_tracks():
    path, out = DATA / "go" / "go126_mixed.trace", SCRATCH / "go.json"
    whole = lines(path)
    names = {line["name"] for line in whole if line["kind"] == "counter"}
    assert names
    for name in names:
        succeeds("convert", "--quiet", path, "-o", out, f"--tracks={name}")
        expected = [line["tick"] for line in whole if line["kind"] == "counter" and line["name"] == name]
        found = lines(out)
        ticks = {line["tick"] for line in found if line["kind"] == "counter"}
        assert ticks == set(expected) and not [line for line in found if line["kind"] == "slice"], name


def a_name_without_tracks_is_said():
    done = varve("convert", a_file_of_every_kind(), "-o", SCRATCH / "cut.json", "--tracks=nothing")
    assert done.returncode == 1 and b"--tracks=nothing: no track has this name or id, and no title contains it" in done.stderr, done


tap.run([json_has_every_kind_of_the_tracks, profiles_and_slices_have_the_tracks, tables_have_the_tracks,
         arrows_have_both_ends_on_the_tracks, a_heph_trace_keeps_the_packets_of_the_tracks,
         a_go_trace_keeps_the_counters_of_the_tracks, a_name_without_tracks_is_said])
