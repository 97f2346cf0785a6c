#!/usr/bin/env python3
"""Writes before.json.gz and after.json.gz: 200 requests of one server, before and after a change.

In after.json.gz each call of `parse` takes 20 % longer, `write_log` is new, `check_cookie` is gone, and `render` is called as
often as before with times of the same distribution. Times are drawn from log-normal distributions with fixed seeds.
"""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "support"))
import recording  # noqa: E402

REQUESTS = 200


def steps(parse_factor, last):
    """Returns the function that draws the steps of a request. `last` is the name of its last step."""
    return lambda chance: [("parse", parse_factor * chance.lognormvariate(5, 0.4)), ("query", chance.lognormvariate(6, 0.6)),
                           ("render", chance.lognormvariate(5.5, 0.8)), (last, 15)]


recording.write(HERE / "before.json.gz", 1, REQUESTS, steps(1.0, "check_cookie"))
recording.write(HERE / "after.json.gz", 2, REQUESTS, steps(1.2, "write_log"))
