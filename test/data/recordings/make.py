#!/usr/bin/env python3
"""Writes run-01.json.gz to run-12.json.gz: 40 requests of one server each.

In run-07.json.gz each call of `query` takes twice as long. Times are drawn from log-normal distributions with fixed seeds.
"""

import gzip
import json
import random
from pathlib import Path

RUNS, REQUESTS, ODD_RUN = 12, 40, 7


def requests(run):
    """Returns the events of one recording."""
    chance, events, ts = random.Random(run), [], 1000
    for _ in range(REQUESTS):
        query_factor = 2 if run == ODD_RUN else 1
        steps = [("parse", chance.lognormvariate(5, 0.3)), ("query", query_factor * chance.lognormvariate(6, 0.3)),
                 ("render", chance.lognormvariate(5.5, 0.3))]
        begin, ts = ts, ts + 5
        for name, duration in steps:
            events.append({"ph": "X", "pid": 1, "tid": 1, "ts": ts, "dur": int(duration), "name": name})
            ts += int(duration) + 3
        events.append({"ph": "X", "pid": 1, "tid": 1, "ts": begin, "dur": ts - begin, "name": "request"})
        ts += 100
    return events


for run in range(1, RUNS + 1):
    text = "[" + ",\n".join(json.dumps(event, separators=(",", ":")) for event in requests(run)) + "]\n"
    Path(__file__).with_name(f"run-{run:02}.json.gz").write_bytes(gzip.compress(text.encode(), mtime=0))
