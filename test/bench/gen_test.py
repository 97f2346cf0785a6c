#!/usr/bin/env python3
"""varve-gen: the same bytes everywhere, facts that are true, options that are checked. Speaks TAP.

usage: gen_test.py PATH_OF_VARVE_GEN
"""

import hashlib
import json
import struct
import subprocess
import sys

import tap

GENERATOR = sys.argv[1]
SMALL = ("--events", "3000", "--threads", "3", "--names", "50", "--seed", "7")

# The bytes are a promise: figures of different machines and days are about the same file.
DIGESTS = {
    "json": "9717acf89b7fd84118a5706799ef0ba718a9d3ff1cf3a8cc6f3f11058572e950",
    "spall1": "c55f0da9b4b7f1b5d9ec1dc87b4b58716f03cf2020a77903932769a58b27cbe4",
    "spall3": "05192db5428a6cf3af098bfc746386a9c70b9c5709939a82ca84e096a7f54d9f",
}


def generate(*options):
    done = subprocess.run([GENERATOR, *options], capture_output=True)
    assert done.returncode == 0, done.stderr
    return done.stdout, json.loads(done.stderr)


def refuses(status, words, *options):
    done = subprocess.run([GENERATOR, *options], capture_output=True, text=True)
    assert done.returncode == status and words in done.stderr, f"{done.returncode}: {done.stderr}"


def the_same_options_give_the_same_bytes():
    for name, digest in DIGESTS.items():
        data, _ = generate("--format", name, *SMALL)
        assert hashlib.sha256(data).hexdigest() == digest, f"{name}: {hashlib.sha256(data).hexdigest()}"


def another_seed_gives_another_trace():
    assert generate(*SMALL)[0] != generate(*SMALL[:-1], "8")[0]


def replay_thread(events):
    """Depth reached by one thread's [(phase, ts, dur)] when its slices nest strictly."""
    edges = []
    for phase, begin, duration in events:
        if phase == "X":
            edges += [(begin, 1), (begin + duration, -1)]
        else:
            edges.append((begin, 1 if phase == "B" else -1))
    assert len({time for time, _ in edges}) == len(edges), "two edges at one time"
    depth = deepest = 0
    for _, change in sorted(edges):
        depth += change
        deepest = max(deepest, depth)
        assert depth >= 0, "an end without a begin"
    assert depth == 0, "a begin without an end"
    return deepest


def json_has_the_facts_it_claims():
    data, facts = generate(*SMALL)
    document = json.loads(data, parse_float=lambda text: int(text.replace(".", "")))
    events = document["traceEvents"]
    assert facts["bytes"] == len(data) and facts["records"] == len(events)
    for phase in "BEXM":
        assert facts[phase] == sum(event["ph"] == phase for event in events), phase
    timed = [event for event in events if event["ph"] != "M"]
    threads = {}
    for event in timed:
        threads.setdefault(event["tid"], []).append((event["ph"], event["ts"], event.get("dur", 0)))
    assert len(threads) == facts["threads"] == 3
    assert max(replay_thread(events) for events in threads.values()) == facts["max_depth"]
    assert min(event["ts"] for event in timed) == facts["first_ns"]
    assert max(event["ts"] + event.get("dur", 0) for event in timed) == facts["last_ns"]
    assert len({event["name"] for event in timed if "name" in event}) == facts["names_used"]
    assert facts["calls"] == 3000 == facts["X"] + facts["B"]


def every_format_holds_the_same_calls():
    facts = [generate("--format", name, *SMALL)[1] for name in DIGESTS]
    for key in ("calls", "threads", "names_used", "max_depth", "first_ns", "last_ns"):
        assert len({fact[key] for fact in facts}) == 1, key


def spall3_buffers_say_where_they_end():
    data, facts = generate("--format", "spall3", "--buffer", "4096", *SMALL)
    assert struct.unpack_from("<QQdQ", data) == (0x0BADF00D, 3, 1.0, 0)
    at, buffers = 32, 0
    while at < len(data):
        size, tid, pid, _ = struct.unpack_from("<IIIQ", data, at)
        assert pid == 4242 and 5001 <= tid <= 5003
        at += 20 + size
        buffers += 1
    assert at == len(data) == facts["bytes"] and buffers > 3


def no_events_make_an_empty_trace():
    data, facts = generate("--events", "0", "--threads", "2")
    assert facts["records"] == facts["M"] == 3 and len(json.loads(data)["traceEvents"]) == 3


def bad_options_are_refused():
    refuses(1, "--events takes a number from 0 to", "--events", "-1")
    refuses(1, "--threads takes a number from 1 to 1024", "--threads", "0")
    refuses(1, "--seed takes a number", "--seed", "1x")
    refuses(1, "there is no format 'xml'", "--format", "xml")
    refuses(1, "unknown option --frobnicate", "--frobnicate", "1")
    refuses(1, "--events wants a value", "--events")
    refuses(4, "no/such/folder", "--output", "no/such/folder/x")


CASES = [the_same_options_give_the_same_bytes, another_seed_gives_another_trace, json_has_the_facts_it_claims,
         every_format_holds_the_same_calls, spall3_buffers_say_where_they_end, no_events_make_an_empty_trace,
         bad_options_are_refused]

if __name__ == "__main__":
    tap.run(CASES)
