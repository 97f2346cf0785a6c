#!/usr/bin/env python3
"""A Heph trace as JSON, compared with the output of Heph's own converter for the same file.

usage: heph_json_test.py VARVE DATA_DIR

The test repeats the work of that converter on the packets, as docs/formats/heph.md describes it, to know the times
that it moved: events that begin in one microsecond on one thread.
"""

import json
import re
import struct
import subprocess
import sys
from decimal import Decimal
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import tap  # noqa: E402

VARVE, DATA = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()


def converted(name):
    done = subprocess.run([VARVE, "convert", "--quiet", "--to=json", "-o", "-", DATA / name], capture_output=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout, parse_float=Decimal)


def places_in_file(name):
    """Returns (stream, counter) of every event, in file order."""
    data, at, places = (DATA / name).read_bytes(), 0, []
    while at < len(data):
        magic, size = struct.unpack_from(">II", data, at)
        if magic == 0xC1FC1FB7:
            places.append(struct.unpack_from(">II", data, at + 8))
        at += size
    return places


def moved_apart(events):
    """Whole microseconds, and different times for the events of a thread."""
    taken = {}
    for event in events:
        ts, dur = int(event["ts"]), int(event["dur"])
        times = taken.setdefault((event["pid"], event["tid"]), {})
        while ts in times:
            if times[ts] > dur:
                ts, dur = ts + 1, max(dur - 1, 0)
            else:
                ts, dur = ts - 1, dur + 1
        times[ts] = dur
        yield {**event, "ts": ts, "dur": dur}


def events_of(name):
    events = {(e["pid"], e["other"]["counter"]): e for e in converted(name)["traceEvents"] if e["ph"] == "X"}
    places = places_in_file(name)
    assert len(events) == len(places)
    return [events[place] for place in places]


def fields(event):
    return [event.get(key) for key in ("pid", "tid", "ts", "dur", "name", "args")]


def every_field_is_that_of_the_official_converter():
    reference = (DATA / "heph_convert_trace_badescape.json").read_text().splitlines()[3:-2]
    ours = list(moved_apart(events_of("heph_plain.bin")))
    assert len(reference) == len(ours) == 821, (len(reference), len(ours))
    unescaped = 0
    for line, event in zip(reference, ours):
        line = line.strip().rstrip(",")
        try:
            theirs = json.loads(line)
        except ValueError:  # its strings are not escaped: the bytes between the quotes are the text
            unescaped += 1
            text = re.match(r'(.*"args": )\{(.*)\}(, "ph.*)$', line)
            theirs = json.loads(text[1] + "{}" + text[3])
            written = ", ".join('"%s": %s' % (k, v if isinstance(v, int) else '"%s"' % v) for k, v in event["args"].items())
            assert written == text[2], (written, text[2])
            theirs["args"] = event["args"]
        assert fields(theirs) == fields(event), (theirs, event)
        assert theirs["ph"] == "X" and theirs["cat"] == ""
    assert unescaped == 12, unescaped


def what_the_official_converter_has_wrong_is_right():
    trace = converted("syn_all_types.bin")
    scalars, arrays = trace["traceEvents"][-4:-2]
    assert str(scalars["ts"]) == "1610113734118010.010" and str(scalars["dur"]) == "0.010", scalars
    assert scalars["args"]["sjson"] == '"\\\n\t' and scalars["args"]["snul"] == "a\0b", scalars
    assert [scalars["args"][key] for key in ("finf", "fninf", "fnan")] == ["Infinity", "-Infinity", "NaN"], scalars
    assert scalars["args"]["umax"] == 2**64 - 1 and scalars["args"]["imin"] == -(2**63), scalars
    assert arrays["args"]["au"] == [1, 2, 3] and arrays["args"]["as"] == ["a", "", "☃"] and arrays["args"]["es"] == [], arrays
    assert trace["baseTimeNanoseconds"] == 0 and trace["epoch"] == 1610113734118010000
    names = [e["args"]["name"] for e in trace["traceEvents"] if e["ph"] == "M"]
    assert names == ["Stream 1", "Substream 0"], names


def times_without_an_epoch_count_from_the_trace():
    trace = converted("syn_no_metadata.bin")
    assert str(trace["traceEvents"][-1]["ts"]) == "0.100" and "baseTimeNanoseconds" not in trace, trace


tap.run([every_field_is_that_of_the_official_converter, what_the_official_converter_has_wrong_is_right,
         times_without_an_epoch_count_from_the_trace])
