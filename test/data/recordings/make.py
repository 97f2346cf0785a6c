#!/usr/bin/env python3
"""Writes run-01.json.gz to run-12.json.gz: 40 requests of one server each.

In run-07.json.gz each call of `query` takes twice as long. Times are drawn from log-normal distributions with fixed seeds.
"""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "support"))
import recording  # noqa: E402

RUNS, REQUESTS, ODD_RUN = 12, 40, 7


def steps(query_factor):
    """Returns the function that draws the steps of a request."""
    return lambda chance: [("parse", chance.lognormvariate(5, 0.3)), ("query", query_factor * chance.lognormvariate(6, 0.3)),
                           ("render", chance.lognormvariate(5.5, 0.3))]


for run in range(1, RUNS + 1):
    recording.write(HERE / f"run-{run:02}.json.gz", run, REQUESTS, steps(2 if run == ODD_RUN else 1))
