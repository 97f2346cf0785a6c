#!/usr/bin/env python3
"""Every warning about a recording of Chromium is explained and correct.

usage: chromium_warnings_test.py VARVE SOURCE_ROOT

This test counts the warnings again in the file, by the rules of docs/formats/trace-event.md and without Varve's
code. The numbers below are those counts; each kind has its reason.
"""

import bisect
import gzip
import json
import subprocess
import sys
from collections import defaultdict
from decimal import Decimal
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import tap  # noqa: E402

VARVE, ROOT = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
DATA = ROOT / "test" / "data" / "trace_event"

# The reasons for the warnings about recordings of Chromium. A recording must not have warnings of other
# kinds.
REASONS = {
    "unfinished-slice": "a task that still ran when recording stopped: Chromium writes its B, and there is no E",
    "unfinished-async": "still active when recording stopped: animations, sockets, requests, frames in progress",
    "unmatched-async-end": "begun before the recording",
    "unmatched-flow": "the other end of a message is in a part of the recording that was cut away, or before or after it",
    "flow-without-slice": "a message left or reached a thread of which no slice was recorded around it, or after it",
}

# path: warnings. A recording of Chromium's start, and others.
RECORDINGS = {
    DATA / "recordings" / "chromium_startup.json.gz": {"unfinished-slice": 33, "unfinished-async": 815},
    DATA / "recordings" / "chromium_devtools.json.gz": {"unfinished-slice": 27, "unfinished-async": 400, "flow-without-slice": 4},
    ROOT / "examples" / "page-load.json.gz": {"unfinished-slice": 24, "unfinished-async": 2, "flow-without-slice": 85},
    DATA / "producers" / "chromium_startup.json": {
        "unfinished-slice": 36, "unfinished-async": 1, "unmatched-async-end": 4, "unmatched-flow": 21},
    DATA / "producers" / "chromium_devtools.json": {},
    DATA / "v8_chromium.json": {},
    DATA / "memory_dumps_chromium.json": {},
    DATA / "pictures" / "async.json": {},
    DATA / "pictures" / "flows.json": {},
}


def warnings_of(path):
    done = subprocess.run([VARVE, "info", "--json", "--quiet", path], capture_output=True, timeout=300, check=True)
    return {warning["kind"]: warning["count"] for warning in json.loads(done.stdout)["warnings"]}


def events_of(path):
    data = path.read_bytes()
    whole = json.loads(gzip.decompress(data) if path.suffix == ".gz" else data, parse_float=Decimal)
    events = whole["traceEvents"] if isinstance(whole, dict) else whole
    return sorted((e for e in events if e["ph"] != "M"), key=lambda e: e["ts"])  # stable: ties as in the file


def thread(event):
    return event["pid"], event["tid"]


def slices_of(events):
    """Begin and end of the slices of each thread, None for a missing end; and the number of unmatched B and E events."""
    slices, opened, lonely = defaultdict(list), defaultdict(list), 0
    for e in events:
        if e["ph"] == "X":
            slices[thread(e)].append([e["ts"], e["ts"] + e.get("dur", 0)])
        elif e["ph"] == "B":
            slices[thread(e)].append([e["ts"], None])
            opened[thread(e)].append(slices[thread(e)][-1])
        elif e["ph"] == "E":
            if opened[thread(e)]:
                opened[thread(e)].pop()[1] = e["ts"]
            else:
                lonely += 1
    return slices, sum(map(len, opened.values())), lonely


def identity(event):
    """Returns the process of an id: that of the event with id2.local, otherwise None for all processes."""
    id2 = event.get("id2", {})
    if "local" in id2:
        return event["pid"], id2["local"]
    return None, id2.get("global", event.get("id"))


def async_left_over(events):
    opened, lonely = defaultdict(list), 0
    for e in events:
        key = (e.get("cat"), e.get("scope"), *identity(e)) if e["ph"] in "be" else None
        if e["ph"] == "b":
            opened[key].append(e["name"])
        elif e["ph"] == "e":
            names = opened[key]
            if e["name"] in names:
                del names[len(names) - 1 - names[::-1].index(e["name"])]
            else:
                lonely += 1
    return sum(map(len, opened.values())), lonely


def has_slice(event, slices):
    spans = slices[thread(event)]
    encloses = event["ph"] != "f" or event.get("bp") == "e" or "input" in event["cat"] or "ipc.flow" in event["cat"]
    if encloses:
        return any(begin <= event["ts"] and (end is None or event["ts"] <= end) for begin, end in spans)
    begins = sorted(begin for begin, _ in spans)
    return bisect.bisect_left(begins, event["ts"]) < len(begins)


def flows_left_over(events, slices):
    """Events of flows without a matching event, and those without a slice."""
    flows = defaultdict(list)
    for e in events:
        if e["ph"] in "stf":
            flows[e["cat"], e["name"], e.get("scope"), *identity(e)].append(e)
    alone = homeless = 0
    for members in flows.values():
        phases = [e["ph"] for e in members]
        for i, e in enumerate(members):
            is_joined = any(p in "st" for p in phases[:i]) if e["ph"] == "f" else len(members) > 1
            alone += not is_joined
            homeless += is_joined and not has_slice(e, slices)
    return alone, homeless


def counted(path):
    events = events_of(path)
    slices, unfinished, lonely = slices_of(events)
    unfinished_async, lonely_async = async_left_over(events)
    alone, homeless = flows_left_over(events, slices)
    counts = {
        "unfinished-slice": unfinished, "unmatched-end": lonely, "unfinished-async": unfinished_async,
        "unmatched-async-end": lonely_async, "unmatched-flow": alone, "flow-without-slice": homeless}
    return {kind: count for kind, count in counts.items() if count > 0}


def every_warning_has_a_reason():
    for path in RECORDINGS:
        for kind in warnings_of(path):
            assert kind in REASONS, f"{path.name}: {kind}"


def recordings_have_these_warnings_and_no_others():
    for path in RECORDINGS:
        assert warnings_of(path) == RECORDINGS[path], f"{path.name}: {warnings_of(path)}"


def every_warning_is_true():
    for path in RECORDINGS:
        assert counted(path) == RECORDINGS[path], f"{path.name}: {counted(path)}"


def reasons_are_needed():
    kinds = {kind for warnings in RECORDINGS.values() for kind in warnings}
    assert kinds == set(REASONS), kinds ^ set(REASONS)


def every_begin_is_of_a_task_that_still_ran():
    """The first reason: tasks that ended were written as X, so that there is no E in them."""
    for path in RECORDINGS:
        phases = [e["ph"] for e in events_of(path)]
        assert phases.count("E") == 0 and phases.count("B") == RECORDINGS[path].get("unfinished-slice", 0), path.name


if __name__ == "__main__":
    tap.run([
        every_warning_has_a_reason,
        recordings_have_these_warnings_and_no_others,
        every_warning_is_true,
        reasons_are_needed,
        every_begin_is_of_a_task_that_still_ran,
    ])
