#!/usr/bin/env python3
"""Writes before.json.gz and after.json.gz: 200 requests of one server, before and after a change.

In after.json.gz each call of `parse` takes 20 % longer, `write_log` is new, `check_cookie` is gone, and `render` is called as
often as before with times of the same distribution. Times are drawn from log-normal distributions with fixed seeds.
"""

import gzip
import json
import random
from pathlib import Path

REQUESTS = 200


def requests(seed, parse_factor, last):
    """Events of one recording. `last` is the name of the function that ends each request."""
    chance, events, ts = random.Random(seed), [], 1000
    for _ in range(REQUESTS):
        steps = [("parse", parse_factor * chance.lognormvariate(5, 0.4)), ("query", chance.lognormvariate(6, 0.6)),
                 ("render", chance.lognormvariate(5.5, 0.8)), (last, 15)]
        begin, ts = ts, ts + 5
        for name, duration in steps:
            events.append({"ph": "X", "pid": 1, "tid": 1, "ts": ts, "dur": int(duration), "name": name})
            ts += int(duration) + 3
        events.append({"ph": "X", "pid": 1, "tid": 1, "ts": begin, "dur": ts - begin, "name": "request"})
        ts += 100
    return events


for name, events in (("before", requests(1, 1.0, "check_cookie")), ("after", requests(2, 1.2, "write_log"))):
    text = "[" + ",\n".join(json.dumps(event, separators=(",", ":")) for event in events) + "]\n"
    Path(__file__).with_name(f"{name}.json.gz").write_bytes(gzip.compress(text.encode(), mtime=0))
