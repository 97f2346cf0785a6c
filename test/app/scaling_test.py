"""Counts instructions of commands on traces of every shape at two sizes: four times the events must cost at most five
times the instructions. So no loop is quadratic in events, depth, ids, equal times or names.

usage: scaling_test.py VARVE FORK_SERVER [--exports] [SHAPE...]   (--exports: the commands that search and export)

Needs valgrind; the instructions of the same program on the same input are the same on each run. FORK_SERVER is the
library of test/support/fork_server.c: the program starts once under valgrind and forks a child for each command.
The instructions for a trace of one event, which are the start of a command, are subtracted. If the output grows
faster than the input, such as the frames of ever deeper stacks, the cost may grow in the same proportion.
"""

import concurrent.futures
import contextlib
import functools
import gzip
import json
import os
import queue
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "support"))
import tap  # noqa: E402

VARVE = Path(sys.argv[1]).resolve()
FORK_SERVER = Path(sys.argv[2]).resolve()
EXPORTS = "--exports" in sys.argv
FEW = 8
SMALL = 500
GROWTH = 4
MOST = 5.0
# A loop over all pairs of 2000 events takes more instructions than this. Work with a limit that does not
# depend on the number of events, such as the tiles of a picture, takes less.
BOUNDED = 4_000_000

COMMANDS = {
    "info": ["info", "IN"],
    "dump": ["dump", "IN"],
    "dump-json": ["dump", "--json", "IN"],
    "stats": ["stats", "IN"],
    "flame": ["flame", "IN", "-o", "OUT.svg"],
    "flame-inverted": ["flame", "IN", "--folded", "--inverted"],
    "compare": ["diff", "--by=name", "IN", "IN"],
    "compare-paths": ["diff", "--by=path", "--json", "IN", "IN"],
    "to-json": ["convert", "IN", "-o", "OUT.json"],
    "to-spall": ["convert", "IN", "-o", "OUT.spall"],
    "to-heph": ["convert", "--to=heph", "IN", "-o", "OUT.heph"],
    "render": ["render", "IN", "-o", "OUT.svg", "--size=200x120"],
}

# For formats whose traces have the same kinds of data as JSON: the commands whose work depends on the reader.
READ_COMMANDS = {command: COMMANDS[command] for command in ("info", "dump", "dump-json", "stats")}

# Commands that read the input as a stream, from standard input.
STREAM_COMMANDS = {"listen": ["listen", "-", "--once", "--no-browser"]}

# The folder of a table format has every table. folded aggregates like pprof, and jsonl reads like csv.
EXPORT_COMMANDS = {
    "find": ["find", "IN", "a", "--json"],
    "find-value": ["find", "IN", "v>=0", "--json"],
    "to-pprof": ["convert", "IN", "-o", "OUT.pb.gz"],
    "to-speedscope": ["convert", "--to=speedscope", "IN", "-o", "OUT.json"],
    "to-csv": ["convert", "--to=csv", "IN", "-o", "OUT/"],
    "to-arrow": ["convert", "--to=arrow", "IN", "-o", "OUT/"],
}

# zlib searches ever longer lists of matches until its window of 32 KiB is full: its growth is measured above
# that size.
SCALES = {"to-pprof": 4}

GO_COMMANDS = {f"go-{what}": ["go", "IN", what] for what in ("functions", "goroutines", "sync", "sched", "mmu")}
GO_COMMANDS["go-mmu-processors"] = ["go", "IN", "mmu", "--per-processor"]

CAPTURE_COMMANDS = {
    "frames": ["frames", "IN"],
    "dump-calls": ["dump", "IN"],
    "trim": ["trim", "IN", "--calls=*", "-o", "OUT.trace"],
    "repack": ["repack", "IN", "-o", "OUT.trace"],
    "diff": ["diff", "IN", "IN"],
}


def event(ph, ts, **rest):
    return {"ph": ph, "ts": ts, "pid": 1, "tid": 1, "name": "a", **rest}


def spread(i, n):
    """Returns a fixed permutation of 0..n-1, n not a multiple of 7919."""
    return i * 7919 % n


# Each shape: n -> list of events.
SHAPES = {
    "flat": lambda n: [event("X", 10 * i, dur=5) for i in range(n)],
    "deep": lambda n: [event("B", i) for i in range(n)] + [event("E", n + i) for i in range(n)],
    "deep_complete": lambda n: [event("X", i, dur=2 * (n - i)) for i in range(n)],
    "deep_unfinished": lambda n: [event("B", i) for i in range(n)],
    "same_begin": lambda n: [event("X", 1, dur=n - i) for i in range(n)],
    "same_time_complete": lambda n: [event("X", 1, dur=0) for i in range(n)],
    "same_time_begin": lambda n: [event("B", 1) for i in range(n)] + [event("E", 1) for i in range(n)],
    "same_time_unfinished": lambda n: [event("B", 1) for i in range(n)],
    "same_end": lambda n: [event("X", i, dur=n - i) for i in range(n)],
    "overlapping": lambda n: [event("X", i, dur=n) for i in range(n)],
    "reverse": lambda n: [event("X", 10 * (n - i), dur=5) for i in range(n)],
    "shuffled": lambda n: [event("X", 10 * spread(i, n), dur=5) for i in range(n)],
    "unmatched_ends": lambda n: [event("E", i) for i in range(n)],
    "wrong_names": lambda n: [event("B", i, name=f"b{i}") for i in range(n)]
    + [event("E", n + i, name=f"b{i}") for i in range(n)],
    "stray_names": lambda n: [event("B", i) for i in range(n)] + [event("E", n + i, name=f"e{i}") for i in range(n)],
    "other_categories": lambda n: [event("B", i, cat="b") for i in range(n)]
    + [event("E", n + i, cat="e") for i in range(n)],
    "exchanged_ends": lambda n: [event("B", 0), *(event("B", 1 + i, name=f"b{i}") for i in range(n))]
    + [event("E", n + 1), *(event("E", 2 * n + 1 - i, name=f"b{i}") for i in reversed(range(n)))],
    "many_names": lambda n: [event("X", 10 * i, dur=5, name=f"name {i}") for i in range(n)],
    "many_categories": lambda n: [event("X", 10 * i, dur=5, cat=f"category{i}") for i in range(n)],
    "many_threads": lambda n: [event("X", 10 * i, dur=5, tid=i + 1) for i in range(n)],
    "many_processes": lambda n: [event("X", 10 * i, dur=5, pid=i + 1) for i in range(n)],
    "colliding_ids": lambda n: [event("X", 10 * i, dur=5, tid=(i + 1) << 20) for i in range(n)],
    "instants_same_time": lambda n: [event("i", 1, s="t") for i in range(n)],
    "instants_process": lambda n: [event("i", i, s="p") for i in range(n)],
    "async_one_id": lambda n: [event("b", i, id=1, cat="c") for i in range(n)]
    + [event("e", n + i, id=1, cat="c") for i in range(n)],
    "async_many_names": lambda n: [event("b", i, id=1, cat="c", name=f"b{i}") for i in range(n)]
    + [event("e", n + i, id=1, cat="c", name=f"b{i}") for i in range(n)],
    "async_stray_names": lambda n: [event("b", i, id=1, cat="c") for i in range(n)]
    + [event("e", n + i, id=1, cat="c", name=f"e{i}") for i in range(n)],
    "async_one_id_same_time": lambda n: [event("b", 1, id=1, cat="c") for i in range(n)]
    + [event("e", 1, id=1, cat="c") for i in range(n)],
    "async_many_ids": lambda n: [event("b", i, id=i, cat="c") for i in range(n)]
    + [event("e", n + i, id=i, cat="c") for i in range(n)],
    "async_old_style": lambda n: [event(ph, 3 * i + k, id=i, cat="c") for i in range(n) for k, ph in enumerate("STF")],
    "flows_one_id": lambda n: [event("X", 10 * i, dur=5) for i in range(n)]
    + [event("t", 10 * i + 1, id=1, cat="c") for i in range(n)],
    "flows_many_ids": lambda n: [event("X", 10 * i, dur=5) for i in range(n)]
    + [event(ph, 10 * i + 1, id=i, cat="c") for i in range(n) for ph in "sf"],
    "flows_same_time": lambda n: [event("X", 1, dur=5), event("X", 1, dur=5, tid=2)]
    + [event(ph, 1, tid=1 + k, id=i, cat="c") for i in range(n) for k, ph in enumerate("sf")],
    "flows_same_time_without_slices": lambda n: [event(ph, 1, id=i, cat="c") for i in range(n) for ph in "sf"],
    "flows_one_id_same_time": lambda n: [event("X", 1, dur=5), event("X", 1, dur=5, tid=2)]
    + [event("t", 1, tid=1 + i % 2, id=1, cat="c") for i in range(n)],
    "counter": lambda n: [event("C", i, args={"v": i}) for i in range(n)],
    "counter_same_time": lambda n: [event("C", 1, args={"v": i}) for i in range(n)],
    "counter_many_series": lambda n: [event("C", i, name=f"c{i}", args={"v": i}) for i in range(n)],
    "object_one_id": lambda n: [event(ph, 2 * i + k, id=1) for i in range(n) for k, ph in enumerate("ND")],
    "object_many_ids": lambda n: [event("N", i, id=i) for i in range(n)] + [event("D", n + i, id=i) for i in range(n)],
    "object_snapshots": lambda n: [event("N", 0, id=1)]
    + [event("O", 1 + i, id=1, args={"snapshot": {"v": i}}) for i in range(n)],
    "contexts": lambda n: [event("(", i, id=i) for i in range(n)] + [event(")", n + i, id=i) for i in range(n)],
    "contexts_one_id": lambda n: [event("(", i, id=1) for i in range(n)] + [event(")", n + i, id=1) for i in range(n)],
    "samples": lambda n: [event("P", i) for i in range(n)],
    "metadata": lambda n: [event("M", 0, name="thread_name", args={"name": f"t{i}"}) for i in range(n)],
    "arguments": lambda n: [event("X", 10 * i, dur=5, args={f"k{i}": i, "same": "v"}) for i in range(n)],
    "one_large_argument": lambda n: [event("X", 1, dur=5, args={f"k{i}": [i] for i in range(n)})],
}


def stacks(n, deep):
    """Returns a list with stackFrames: one chain of depth n, or n stacks of two frames."""
    frames = {str(i): {"name": f"f{i}", **({"parent": str(i - 1)} if deep and i else {})} for i in range(n)}
    events = [event("X", 10 * i, dur=5, sf=i) for i in range(n)]
    return json.dumps({"traceEvents": events, "stackFrames": frames}).encode()


def cpu_profile(n):
    """Returns a V8 profile whose tree is one chain of n nodes, every node sampled once."""
    nodes = [{"id": i + 1, "callFrame": {"functionName": f"f{i}", "scriptId": "0", "url": "", "lineNumber": 0,
                                         "columnNumber": 0}, "hitCount": 1, "children": [i + 2] if i + 1 < n else []}
             for i in range(n)]
    return json.dumps({"nodes": nodes, "startTime": 0, "endTime": n, "samples": list(range(1, n + 1)),
                       "timeDeltas": [1] * n}).encode()


def speedscope(n, shape):
    """Returns a file of speedscope. late: n slices, before their frames; crossing: each slice ends when the one before it does, which closes
    all later ones; stacks: samples of one frame between those of n frames."""
    frames = {"shared": {"frames": [{"name": f"f{i}", "file": "a", "line": i + 1} for i in range(max(n, 7))]}}
    one = {"name": "p", "unit": "microseconds", "startValue": 0, "endValue": 2 * n}
    if shape == "stacks":
        one |= {"type": "sampled", "samples": [[i % 7 for i in range(n)], *([i % 2] for i in range(n)), [i % 7 for i in range(n)]], "weights": [1] * (n + 2)}
    elif shape == "late":
        one |= {"type": "evented", "events": [{"type": t, "frame": i, "at": 2 * i + (t == "C")} for i in range(n) for t in "OC"]}
    else:
        one |= {"type": "evented", "events": [{"type": "O", "frame": i, "at": i} for i in range(n)]
                + [{"type": "C", "frame": i, "at": n + i} for i in range(n)]}
    return json.dumps({"profiles": [one], **frames} if shape == "late" else {**frames, "profiles": [one]}).encode()


def spall(n, deep):
    """Version 1: begins (type 3) and ends (type 4) on one thread, nested or one after the other."""
    out = [struct.pack("<QQdQ", 0x0BADF00D, 1, 1.0, 0)]

    def begin(time):
        out.append(struct.pack("<BBIIdBB", 3, 0, 1, 1, time, 1, 0) + b"a")

    def end(time):
        out.append(struct.pack("<BIId", 4, 1, 1, time))

    for i in range(n):
        begin(2.0 * i)
        if not deep:
            end(2.0 * i + 1)
    for i in range(n if deep else 0):
        end(2.0 * (n + i))
    return b"".join(out)


def varint(value):
    """Returns the value in groups of seven bits, the lowest first."""
    out = bytearray()
    while value >= 128:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes(out) + bytes([value])


def go_trace(bodies):
    """Returns a trace of Go 1.11 with one processor. Each body is a list of events: a type and its values."""

    def event(kind, *values):
        text = b"".join(map(varint, values))
        prefix = bytes([kind | (len(values) - 1) << 6]) if len(values) < 4 else bytes([kind | 3 << 6, len(text)])
        return prefix + text

    events = [(1, 0, 1000), (5, 1, 0), *(one for body in bodies for one in body), (2, 1000000000)]
    return b"go 1.11 trace\0\0\0" + b"".join(event(*one) for one in events)


def go_short(g):
    """A goroutine is created, runs and ends."""
    return [(13, 1, g, 0, 0), (38, 1, g), (15, 1)]


def go_alternating(n):
    """One goroutine blocks on a channel, another one wakes it."""
    start = [(13, 1, 1, 0, 0), (13, 1, 2, 0, 0)]
    turn = [(38, 1, 1), (23, 1, 0), (38, 1, 2), (39, 1, 1, 0), (17, 1, 0)]
    return go_trace([start] + [turn] * n)


def go_processors(n):
    """Returns a batch of one goroutine on each of n processors."""
    return go_trace([[(4, 1, n, 0)], *([(1, p, 1000 + p), (5, 1, p + 1), *go_short(p + 1)] for p in range(1, n))])


def capture(n, nested):
    """Returns an apitrace capture: calls of one function one after the other, or each inside the previous one."""

    def enter(i):
        return b"\0" + varint(0) + varint(0) + (varint(1) + b"f" + varint(0) if i == 0 else b"") + b"\0"

    def leave(i):
        return b"\1" + varint(i) + b"\0"

    if nested:
        calls = [enter(i) for i in range(n)] + [leave(i) for i in reversed(range(n))]
    else:
        calls = [part for i in range(n) for part in (enter(i), leave(i))]
    return gzip.compress(varint(4) + b"".join(calls), mtime=0)


def perf_script(n):
    """Returns events with one stack of n / 4 frames, n short ones of 5 events on 20 threads, n names, and a line of another form for each of them."""
    deep = "".join(f"\t{i:x} f{i % 7} (/m)\n" for i in range(n // 4))
    short = "".join(f"t{i} {i % 20} [000] 1.{i:09}: e{i % 5}: \n\t1 f{i} (/m)\n\t2 main (/m)\n\nnone\n" for i in range(n))
    return f"t 1 1.0: e: \n{deep}\n{short}".encode()


def perf_data(n):
    """Returns a recording with n maps of one process, n forks that change them, n threads with names, n samples of other addresses, rounds out of order, and a
    deep stack."""
    def record(kind, body, misc=2):
        return struct.pack("<IHH", kind, misc, 8 + len(body)) + body

    def end(time):
        return struct.pack("<IIQ", 1, 1, time)

    attr = struct.pack("<IIQQQQQ", 1, 128, 0, 1000000, 1 | 2 | 4 | 32, 0, 1 << 18).ljust(128, b"\0")
    records = []
    for i in range(n):
        path = f"/lib{i}".encode().ljust(16, b"\0")
        records.append(record(1, struct.pack("<IIQQQ", 1, 1, i * 64, 40 + i % 60, 0) + path + end(2 * i)))
        records.append(record(7, struct.pack("<IIIIQ", i + 2, 1, i + 2, 1, 0) + end(2 * i)))
        records.append(record(1, struct.pack("<IIQQQ", i + 2, i + 2, i, 40, 0) + path + end(2 * i)))
        records.append(record(3, struct.pack("<II", i + 2, i + 2) + f"t{i}".encode().ljust(8, b"\0") + end(2 * i)))
        records.append(record(9, struct.pack("<QIIQQ3Q", i, i + 2, i + 2, (n - i) * 3, 3, 2**64 - 512, i * 64, i)))
        if i % 50 == 0:
            records.append(record(68, b""))
    deep = [i * 7 for i in range(min(n, 8000))]
    records.append(record(9, struct.pack(f"<QIIQQ{len(deep)}Q", 0, 1, 1, n, len(deep), *deep)))
    data = b"".join(records)
    header = b"PERFILE2" + struct.pack("<8Q", 104, 144, 104, 144, 248, len(data), 0, 0) + b"\0" * 32
    return header + attr + struct.pack("<QQ", 0, 0) + data


def ftrace(n):
    """Returns n tasks that wake the next one and stop, n open texts and n calls of one task, and n lines of another form."""
    lines = []
    for i in range(n):
        head = f"t{i}-{i + 1} ({i // 7 + 1:5}) [000] d..2. {i // 1000}.{i % 1000:03}000: "
        lines += [f"{head}sched_waking: comm=t{i + 1} pid={i + 2} prio=120 target_cpu=000",
                  f"{head}sched_switch: prev_comm=t{i} prev_pid={i + 1} prev_prio=120 prev_state=S ==> next_comm=t{i + 1} next_pid={i + 2} next_prio=120",
                  f"t-1 (    1) [001] ..... {i // 1000}.{i % 1000:03}500: tracing_mark_write: B|1|m{i}",
                  f"u-2 (    1) [{i % 50:03}] ..... {i // 1000}.{i % 1000:03}500: sys_read(fd: {i})",
                  "none"]
    return ("# tracer: nop\n" + "\n".join(lines) + "\n").encode()


def strace(n):
    """Returns n threads that make the next one, n calls of one thread, n that do not end, and n lines of another form."""
    return "".join(f"{i + 1} {i}.1 clone({{flags=CLONE_THREAD}}) = {i + 2} <0.1>\n{i + 1} {i}.1 <... pause resumed>) = 0\n"
                   f"1 {i}.2 read({i}) = 0 <0.1>\n2 {i}.2 f{i}( <unfinished ...>\nnone\n" for i in range(n)).encode()


def firefox(n):
    """Returns a Firefox profile with n threads of the same id, n samples of a chain of calls, begins of n names that do not end, ends of one name,
    n counters, rows before their schema, and shared tables behind the threads."""
    chain = list(range(n))
    short = {"tid": 1, "pid": 1, "samples": {"data": [[0, 1.5]], "schema": {"stack": 0, "time": 1}}}
    long = {"tid": 2, "pid": 1, "samples": {"stack": [n - 1 if i == 0 else i * 7919 % min(n, 50) for i in chain], "timeDeltas": [1] * n, "threadCPUDelta": chain},
            "markers": {"name": chain + [0] * n, "startTime": chain * 2, "endTime": chain * 2, "phase": [2] * n + [3] * n, "data": [{}] * (2 * n)}}
    shared = {"stringArray": [f"f{i}" for i in chain], "frameTable": {"func": chain}, "funcTable": {"name": chain},
              "stackTable": {"prefixOffset": [0] + [1] * (n - 1), "frame": chain}}
    counters = [{"name": f"c{i}", "samples": {"time": [i], "count": [i]}} for i in chain]
    profile = {"meta": {"interval": 1, "preprocessedProfileVersion": 66}, "threads": [short] * n + [long], "libs": [], "counters": counters, "shared": shared}
    return json.dumps(profile).encode()


def pprof(n):
    """Returns a profile of n locations in one stack, n functions, and n samples: of each location alone, and of one stack."""
    def field(number, value):
        return varint(number << 3) + varint(value) if isinstance(value, int) else varint(number << 3 | 2) + varint(len(value)) + value

    def message(*fields):
        return b"".join(field(*one) for one in fields)

    ids = [i + 1 for i in range(n)]
    samples = [[i] for i in ids] + [ids] + [[1, 2]] * n
    return (field(1, message((1, 1), (2, 2))) + b"".join(field(2, message((1, b"".join(map(varint, one))), (2, varint(len(one))))) for one in samples)
            + b"".join(field(4, message((1, i), (2, i), (4, message((1, i))))) + field(5, message((1, i), (2, i % 50 + 3))) + field(3, message((1, i), (5, 2))) for i in ids)
            + b"".join(field(6, b"s%d" % i if i > 0 else b"") for i in range(n)))


def folded(n):
    """Returns n stacks of other frames, n equal ones, one of n frames, and n lines of another form behind the first KiB."""
    head = "a;b 1\n" * 200
    return (head + "".join(f"main;f{i};g 1\nmain;f 2\nnone\n" for i in range(n)) + ";".join(f"d{i}" for i in range(n)) + " 5\n").encode()


def perfetto(n, shape):
    """Returns a trace of Perfetto. many: sequences, tracks, interned names, flows and counters. deep: nested tracks, slices and dictionaries of
    arguments. late: snapshots of clocks in the wrong order, packets that need a missing state, and noise between packets."""

    def field(number, value):
        return varint(number << 3) + varint(value) if isinstance(value, int) else varint(number << 3 | 2) + varint(len(value)) + value

    def message(*fields):
        return b"".join(field(*one) for one in fields)

    def event(sequence, time, flags, *fields, data=()):
        return field(1, message((8, time), (10, sequence), (13, flags), (11, message(*fields)), *data))

    def track(uuid, *fields):
        return field(1, message((10, 1), (60, message((1, uuid), *fields))))

    thread = track(5, (4, message((1, 1), (2, 2))))
    if shape == "many":
        return thread + b"".join(
            track(10 + i, (2, b"t%d" % (i % 50)), (5, 5)) + track(10 + n + i, (2, b"c%d" % i), (5, 5), (8, b""))
            + event(i + 1, 10 * i, 1, (9, 1), (10, i + 1), (11, 10 + i), (36, i // 2), data=((12, message((2, message((1, i + 1), (2, b"n%d" % i))))),))
            + event(i + 1, 10 * i + 5, 2, (9, 2), (11, 10 + i)) + event(i + 1, 10 * i, 2, (9, 4), (11, 10 + n + i), (30, i)) for i in range(n))
    if shape == "deep":
        argument = message((10, b"a"), (4, 1))
        for _ in range(60):
            argument = message((10, b"a"), (11, argument))
        return thread + b"".join(track(10 + i, (2, b"t"), (5, 9 + i if i > 0 else 5)) for i in range(n)) + event(1, 0, 1, (9, 1), (23, b"s"), (11, 9 + n)) + b"".join(
            event(1, i, 2, (9, 1), (23, b"s"), (11, 5), (4, argument if i % 8 == 0 else b"")) for i in range(n)) + b"".join(event(1, n + i, 2, (9, 2), (11, 5)) for i in range(n))
    return thread + b"".join(
        field(1, message((10, 1), (6, message((1, message((1, 6), (2, 10 * (n - i)))), (1, message((1, 200), (2, 20 * (n - i))))))))
        + event(i + 2, i, 2, (9, 3), (23, b"x"), (11, 5)) + b"\x0a\x7f\x00\x0a" + field(1, message((8, 10 * i), (58, 200), (10, 1), (11, message((9, 3), (23, b"x"), (11, 5)))))
        for i in range(n))


FILES = {
    "go_many": ("go", lambda n: go_trace([go_short(i + 1) for i in range(n)])),
    "go_alternating": ("go", go_alternating),
    "go_processors": ("go", go_processors),
    "calls_flat": ("trace", lambda n: capture(n, False)),
    "calls_nested": ("trace", lambda n: capture(n, True)),
    "stacks_many": ("json", lambda n: stacks(n, False)),
    "stacks_one_chain": ("json", lambda n: stacks(n, True)),
    "cpuprofile_chain": ("cpuprofile", cpu_profile),
    **{f"speedscope_{shape}": ("speedscope", lambda n, shape=shape: speedscope(n, shape)) for shape in ("crossing", "late", "stacks")},
    "firefox": ("firefox", firefox),
    "pprof": ("pprof", pprof),
    "folded": ("folded", folded),
    "perf": ("perf", perf_script),
    "perf_data": ("perf.data", perf_data),
    "ftrace": ("ftrace", ftrace),
    "strace": ("strace", strace),
    **{f"perfetto_{shape}": ("pftrace", lambda n, shape=shape: perfetto(n, shape)) for shape in ("many", "deep", "late")},
    "spall_flat": ("spall", lambda n: spall(n, False)),
    "spall_deep": ("spall", lambda n: spall(n, True)),
}
STREAMED = {**COMMANDS, **STREAM_COMMANDS}
WORDS = {**STREAMED, **EXPORT_COMMANDS, **GO_COMMANDS, **CAPTURE_COMMANDS}
COMMANDS_BY_SUFFIX = {
    "go": GO_COMMANDS,
    "trace": CAPTURE_COMMANDS,
    "cpuprofile": READ_COMMANDS,
    "speedscope": READ_COMMANDS,
    "firefox": READ_COMMANDS,
    "pprof": READ_COMMANDS,
    "folded": READ_COMMANDS,
    "perf": READ_COMMANDS,
    "perf.data": READ_COMMANDS,
    "ftrace": READ_COMMANDS,
    "strace": READ_COMMANDS,
    "pftrace": READ_COMMANDS,
    "json": STREAMED,
    "spall": STREAMED,
}
for shape, make in SHAPES.items():
    FILES[shape] = ("json", lambda n, make=make: json.dumps(make(n)).encode())
ALL_EVENTS = ("json", lambda n: json.dumps([one for make in SHAPES.values() for one in make(n)]).encode())


class Counter:
    """The program under valgrind, started once. One thread at a time may use it."""

    def __init__(self, folder):
        self.log = folder / "valgrind"
        self.log_bytes = 0  # read from the log
        self.translated = set()
        environment = {**os.environ, "LD_PRELOAD": str(FORK_SERVER), "FORK_SERVER": str(VARVE)}
        self.server = subprocess.Popen(
            ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null", f"--log-file={self.log}", str(VARVE)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment)
        self.run([])  # binds the functions that the server itself calls

    def ask(self, line):
        """Returns the process and the status of a run."""
        watchdog = threading.Timer(300, self.server.kill)
        watchdog.start()
        self.server.stdin.write(f"{line}\n")
        self.server.stdin.flush()
        answer = self.server.stdout.readline().split()
        watchdog.cancel()
        assert answer, f"valgrind ended, or the command took 300 s: {line}"
        return answer

    def run(self, words):
        """Returns the instructions of one child, including its parent's, and its status."""
        answer = self.ask("\t".join(words))
        with self.log.open("rb") as log:
            log.seek(self.log_bytes)
            said = log.read()
        self.log_bytes += len(said)
        refs = re.findall(rf"^=={answer[0]}== I +refs: +([\d,]+)", said.decode(), re.MULTILINE)
        assert refs, f"valgrind counted nothing: {' '.join(words)}"
        return int(refs[-1].replace(",", "")), int(answer[1])

    def line(self, command, path, folder):
        """Returns the line for the server that runs a command on a file."""
        words = [w.replace("IN", str(path)).replace("OUT", str(folder / "out")) for w in WORDS[command]]
        return [str(path), str(folder / "stdout"), str(folder / "stderr"), *words, "--threads=1", "--quiet"]

    def translate(self, command, shape, folder):
        """Runs a command in the server itself on a few events of the shape: its children then run several times as fast.
        The shapes of JSON events have one file together, which has the code for all of them translated at once."""
        shape = "events" if shape in SHAPES else shape
        if (command, shape) in self.translated:
            return
        self.translated.add((command, shape))
        suffix, data = file_of(shape, FEW)
        path = folder / f"in.{suffix}"
        path.write_bytes(data)
        words = self.line(command, path, folder)
        status = int(self.ask("+" + "\t".join(words))[1])
        assert status == 0, f"{' '.join(words)}: status {status}"
        self.parent, _ = self.run([])  # a child starts with the instructions of its parent

    def instructions(self, command, path, folder):
        """Returns the instructions of one command on one file, and the bytes that it wrote. The command may warn, but
        must not fail."""
        words = self.line(command, path, folder)
        problems = folder / "stderr"
        child, status = self.run(words)
        assert status == 0, f"{' '.join(words)}: status {status}: {problems.read_text()[-500:]}"
        problems.unlink()
        return child - self.parent, sum(file.stat().st_size for file in folder.rglob("*") if file.is_file() and file != path)

    def close(self):
        self.server.stdin.close()
        self.server.wait()
        self.server.stdout.close()


@functools.lru_cache(8)
def file_of(shape, n):
    """Returns the suffix and the bytes of the file of a shape with n events."""
    suffix, make = ALL_EVENTS if shape == "events" else FILES[shape]
    return suffix, make(n)


def counts(shape, command, sizes, is_enough=lambda _: False):
    """Returns the instructions of a command on n events of a shape and the bytes that it wrote, for each of the sizes n
    up to the first whose instructions are enough."""
    found = []
    counter = COUNTERS.get()
    try:
        with tempfile.TemporaryDirectory() as name:
            counter.translate(command, shape, Path(name))
        for n in sizes:
            with tempfile.TemporaryDirectory() as name:
                suffix, data = file_of(shape, n)
                path = Path(name) / f"in.{suffix}"
                path.write_bytes(data)
                found.append(counter.instructions(command, path, Path(name)))
                if is_enough(found[-1][0]):
                    break
    finally:
        COUNTERS.put(counter)
    return found


@functools.cache
def start_of(shape, command):
    """Returns the instructions of a command on one event of a shape."""
    [(start, _)] = counts(shape, command, [1])
    return start


def excess(shape, command):
    """Returns the instructions at both sizes, as text, if the larger size costs too much; otherwise None.

    The start depends on the shape, because a picture of one event has different texts. For commands of all formats,
    and for streams, the start of the shape itself is counted only if the result with the start of `flat` is too large.
    """
    few = SMALL * SCALES.get(command, 1)
    starts = ("flat", shape) if command in STREAMED or command in EXPORT_COMMANDS else (shape,)
    start = start_of(starts[0], command)
    (large, large_bytes), *rest = counts(shape, command, (few * GROWTH, few), lambda count: count - start <= BOUNDED)
    if not rest:
        return None
    [(small, small_bytes)] = rest
    most = MOST * max(1, large_bytes / max(small_bytes, 1) / GROWTH)
    for start_shape in starts:
        start = start_of(start_shape, command)
        if large - start <= max(BOUNDED, most * (small - start)):
            return None
    return f"{command}: {small - start} instructions for {few}, {large - start} for {few * GROWTH} events"


def judge(shape):
    """Fails with all commands that cost too much on the shape."""
    commands = EXPORT_COMMANDS if EXPORTS else COMMANDS_BY_SUFFIX[FILES[shape][0]]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        costly = [text for text in pool.map(lambda command: excess(shape, command), commands) if text is not None]
    assert not costly, "; ".join(costly)


def case_of(shape):
    """Returns a test case for one shape, with its name."""

    def case():
        judge(shape)

    case.__name__ = shape
    return case


if shutil.which("valgrind") is None:
    print("1..0 # SKIP no valgrind")
else:
    COUNTERS = queue.SimpleQueue()
    with contextlib.ExitStack() as stack:
        for _ in range(os.cpu_count()):
            counter = Counter(Path(stack.enter_context(tempfile.TemporaryDirectory())))
            stack.callback(counter.close)
            COUNTERS.put(counter)
        tap.run([case_of(shape) for shape in [word for word in sys.argv[3:] if word != "--exports"] or FILES])
