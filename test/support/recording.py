"""Writes recordings of a server for tests and pages: requests one after the other, each with its steps."""

import gzip
import json
import random


def write(path, seed, requests, steps_of):
    """Writes a gzipped Trace Event JSON file. `steps_of(chance)` returns the (name, microseconds) of one request's steps."""
    chance, events, ts = random.Random(seed), [], 1000
    for _ in range(requests):
        begin, ts = ts, ts + 5
        for name, duration in steps_of(chance):
            events.append({"ph": "X", "pid": 1, "tid": 1, "ts": ts, "dur": int(duration), "name": name})
            ts += int(duration) + 3
        events.append({"ph": "X", "pid": 1, "tid": 1, "ts": begin, "dur": ts - begin, "name": "request"})
        ts += 100
    text = "[" + ",\n".join(json.dumps(event, separators=(",", ":")) for event in events) + "]\n"
    path.write_bytes(gzip.compress(text.encode(), mtime=0))
