"""Computes numbers of a trace from the lines of `varve dump --json`, in the simplest way: the expected values of tests.

Times are ticks, ranges are half-open. A range is (begin, end); EVERYTHING is the whole trace.
"""

import math
from collections import Counter, defaultdict
from fractions import Fraction

EVERYTHING = (-(1 << 70), 1 << 70)
SLICES = ("slice", "async", "state")
INSTANTS = ("instant", "snapshot", "memory-dump", "clock-sync")
PERCENTS = (50, 90, 95, 99)


class Slice:
    """A slice in a range: `inside` is the part of its duration there, `path` has the names of the slices around it."""

    def __init__(self, line, begin, end):
        self.line, self.name, self.begin, self.end = line, line.get("name", ""), line["begin_tick"], line["end_tick"]
        self.inside = max(0, min(end, self.end) - max(begin, self.begin))
        self.counts = self.begin < end and (self.end > begin or self.begin >= begin)
        self.track = (line["kind"], line.get("pid"), line.get("tid"), line.get("track"))
        self.path, self.around, self.children = (), (), 0

    @property
    def own(self):
        return self.inside - self.children


def row_of(one):
    """Returns a key of the row in which a slice is nested. Slices of an asynchronous id may be of several threads."""
    line = one.line
    is_async = line["kind"] == "async"
    return (line["kind"], line.get("pid"), line.get("track"), line.get("lane"),
            repr(line.get("other", {}).get("id")) if is_async else line.get("tid"))


def slices_of(lines, within=EVERYTHING, kinds=("slice",)):
    """Returns the slices with a part in the range, in the order of the dump. The frames of a capture do not count."""
    last, found = defaultdict(dict), []
    for line in lines:
        if line["kind"] not in kinds or "end_tick" not in line or line.get("track") == "Frames":
            continue
        one, depth = Slice(line, *within), line["depth"]
        row = last[row_of(one)]
        above = row.get(depth - 1) if depth else None
        assert depth == 0 or (above is not None and above.begin <= one.begin and one.end <= above.end), line
        row[depth] = one
        if above is not None and above.counts:
            one.path, one.around = above.path, above.around
            above.children += one.inside
        one.path, one.around = (*one.path, one.name or "(none)"), (*one.around, one)
        if one.counts:
            found.append(one)
    return found


def nearest_rank(values, percent):
    """Returns the least value that at least this percentage of the sorted values does not exceed."""
    return values[math.ceil(Fraction(len(values) * percent, 100)) - 1]


def measures(slices):
    """Returns the columns of `varve stats` for slices, in ticks; not `share`."""
    lengths = sorted(one.inside for one in slices)
    count, total = len(lengths), sum(lengths)
    variance = sum((length - Fraction(total, count)) ** 2 for length in lengths) / count
    return {"count": count, "total": total, "self": sum(one.own for one in slices), "average": total // count, "min": lengths[0],
            "max": lengths[-1], "deviation": math.floor(math.sqrt(variance) + 0.5),
            **{f"p{percent}": nearest_rank(lengths, percent) for percent in PERCENTS}}


def groups(slices, key):
    rows = defaultdict(list)
    for one in slices:
        rows[key(one)].append(one)
    return rows


def folded_path(names):
    """Returns a call path as `varve flame --folded` prints it."""
    return ";".join("".join(":" if c == ";" else " " if c < " " or c == "\x7f" else c for c in name) for name in names)


def folded(slices, weight=lambda one: one.own, path=lambda one: one.path):
    """Returns {printed call path: the sum of the weights}, without zeros."""
    rows = Counter()
    for one in slices:
        rows[folded_path(path(one))] += weight(one)
    return Counter({text: total for text, total in rows.items() if total > 0})


def instants(lines, within=EVERYTHING):
    begin, end = within
    return Counter(line.get("name", "") for line in lines if line["kind"] in INSTANTS and begin <= line.get("tick", end) < end)


def number_of(value):
    """Returns the value of a counter as a number; None for a gap."""
    try:
        return float(value)
    except (TypeError, ValueError):
        return None


def counters(lines, within=EVERYTHING, ends_with_process=False):
    """Returns {(pid, name, series): (values, min, max, average, last)} of the values that hold in the range.

    The last value of a series holds until the last event of the trace, or of its process."""
    begin, end = within
    values, last_of = defaultdict(list), defaultdict(lambda: -(1 << 70))
    for line in lines:
        for key in (line.get("pid"), "whole trace"):
            last_of[key] = max(last_of[key], line.get("end_tick", line.get("tick", last_of[key])))
        if line["kind"] == "counter" and "series" in line:
            title = line["name"] + (f" [{line['other']['id']}]" if "id" in line.get("other", {}) else "")
            values[line.get("pid"), title, line.get("series", "")].append((line["tick"], number_of(line.get("value"))))
    table = {}
    for key, series in values.items():
        ends = [tick for tick, _ in series[1:]] + [last_of[key[0] if ends_with_process else "whole trace"]]
        held = [(value, max(0, min(stop, end) - max(tick, begin))) for (tick, value), stop in zip(series, ends)
                if (tick < end and stop > begin if stop > tick else begin <= tick < end)]
        if held:
            held = [(value, ticks) for value, ticks in held if value is not None]
            known, time = [value for value, _ in held], sum(ticks for _, ticks in held)
            average = sum(value * ticks for value, ticks in held) / time if time else None
            table[key] = (len(held), min(known, default=None), max(known, default=None), average, known[-1] if known else None)
    return table
