#!/usr/bin/env python3
"""The numbers of each trace of a folder, in each command, are those of a brute-force count over `varve dump --json`.

usage: numbers_test.py VARVE FOLDER [STEP]

With STEP only every STEP-th trace of at most MOST_BYTES is read, to save time: all of them take minutes. A folder that
does not exist is skipped. SQL is compared if DuckDB's library exists.
"""

import json
import math
import re
import sys
from collections import Counter
from fractions import Fraction
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import brute_force  # noqa: E402
import duckdb  # noqa: E402
import tap  # noqa: E402
from brute_force import EVERYTHING, SLICES  # noqa: E402
from command import dump, succeeds, varve  # noqa: E402

FOLDER, STEP = Path(sys.argv[2]).resolve(), int(sys.argv[3]) if len(sys.argv) > 3 else 1
MOST_BYTES = 128 << 10 if STEP > 1 else math.inf
HAS_SQL = duckdb.is_there()
MOST_TICKS = 2**64 - 1  # sums stop there


class Part:
    """A range of a trace: its option, its lines of the dump and its slices."""

    def __init__(self, trace, option, within):
        self.options, self.within, self.is_whole = option, within, not option
        # A range of a Go trace is read without the rest of the file: regions and assists that began before the trace and
        # end after the range are unknown.
        self.lines = dump(trace.path, *option) if trace.format == "go" and option else trace.lines
        self.slices = brute_force.slices_of(self.lines, within, SLICES)
        self.calls = [one for one in self.slices if one.line["kind"] == "slice"]


class Trace:
    def __init__(self, path, info):
        self.path, self.format, time = path, info["format"]["name"], info["time"]
        self.counts = info["counts"]
        self.has_time = time["clock"] not in ("events", "calls")
        self.tick = Fraction(*time["ns_per_tick"]) if self.has_time else Fraction(1)
        self.lines = dump(path)
        self.has_slices = any(line["kind"] in SLICES for line in self.lines)
        # The regions of a Go task are its children, but the dump has them only on their goroutines.
        self.has_own_times = not (self.format == "go" and any(line.get("cat") == "task" for line in self.lines))
        self.first, span = time["begin_tick"], (time["end_tick"] or 0) - (time["begin_tick"] or 0)
        self.parts = [Part(self, [], EVERYTHING)]
        for begin, end in ((span // 5, span // 2), (0, span // 7)):
            if begin < end:
                self.parts.append(Part(self, [f"--range={begin}..{end}"], (self.first + begin, self.first + end)))


# -- the questions --


def check_row(row, wanted, trace, factor, about):
    """Compares a row of `varve stats` with measures in ticks."""
    if wanted["total"] > MOST_TICKS:
        return
    for column, ticks in wanted.items():
        if column == "deviation":  # of floating-point numbers
            assert abs(row[column] - ticks * factor) <= max(factor, ticks * factor / 10**9), (*about, column, float(row[column]), ticks)
        elif column == "count" or column != "self" or trace.has_own_times:
            assert row[column] == ticks * (1 if column == "count" else factor), (*about, column, float(row[column]), ticks)


def statistics(trace, part):
    columns = ("count", "total", "average", "min", "max", "p50", "p90", "p95", "p99", *(["self"] if trace.has_own_times else []))
    for by, key in (("name", lambda one: one.name), ("category", lambda one: one.line.get("cat", "")),
                    ("process", lambda one: one.line.get("pid")), ("thread", lambda one: one.track)):
        if trace.counts["objects"] and by != "name":
            continue  # the dump has the begins and ends of objects instead of their lives
        found = json.loads(succeeds("stats", "--quiet", "--json", f"--by={by}", *part.options, trace.path), parse_float=Fraction)
        factor = trace.tick if found["unit"] == "ns" else 1
        wanted = {name: brute_force.measures(slices) for name, slices in brute_force.groups(part.slices, key).items()}
        all_self = min(sum(row["self"] for row in found["rows"]), MOST_TICKS * factor)
        assert len(found["rows"]) == found["names"] and sum(row["count"] for row in found["rows"]) == found["slices"], by
        assert all(abs(row["share"] * all_self - row["self"]) <= all_self / 10**6 for row in found["rows"]), by
        if not trace.counts["objects"]:
            assert (found["slices"], found["names"]) == (len(part.slices), len(wanted)) or by == "thread", (by, found["slices"], len(part.slices))
        if by in ("name", "category"):
            rows = {row["name"]: row for row in found["rows"]}
            assert len(rows) == len(found["rows"]) and (trace.counts["objects"] or rows.keys() == wanted.keys()), (by, rows.keys() ^ wanted.keys())
            for name, row in wanted.items():
                check_row(rows[name], row, trace, factor, (by, name))
        else:  # the dump has no titles
            rows = Counter(tuple(row[column] for column in columns) for row in found["rows"])
            missing = Counter(tuple(row[column] * (1 if column == "count" else factor) for column in columns)
                              for key, row in wanted.items() if row["total"] <= MOST_TICKS and (by == "process" or key[0] != "async")) - rows
            assert not missing, (by, missing, rows)


def histograms(trace, part):
    found = json.loads(succeeds("stats", "--quiet", "--json", "--histogram=log", *part.options, trace.path), parse_float=Fraction)
    factor = trace.tick if found["unit"] == "ns" else 1
    if trace.counts["objects"]:
        return  # their lives count, too
    lengths = [one.inside * factor for one in part.slices]
    assert found["slices"] == len(lengths) == sum(row["count"] for row in found["bins"]), (found["slices"], len(lengths))
    for row in found["bins"]:
        inside = [length for length in lengths if row["least"] <= length <= row["most"]]
        assert row["count"] == len(inside) and row["total"] == min(sum(inside), MOST_TICKS * factor), row


def instants_and_counters(trace, part):
    found = json.loads(succeeds("stats", "--quiet", "--json", *part.options, trace.path))
    names = brute_force.instants(trace.lines, part.within)
    # metadata with a time of its own: an instant of the whole trace, but no event with a time in the dump
    told = {line.get("name") for line in trace.lines if line["kind"] == "metadata"} & {"trace_buffer_overflowed"}
    assert {row["name"]: row["count"] for row in found["instants"] if row["name"] not in told} == names, (found["instants"], names)
    wanted = brute_force.counters(trace.lines, part.within, trace.format == "trace-event")
    if any(line["kind"] == "memory-dump" for line in trace.lines):
        return  # a dump has counters that the file does not have
    rows = Counter((row["name"], row["series"], row["values"], row["min"], row["max"], row["last"]) for row in found["counters"])
    assert rows == Counter((*key[1:], row[0], row[1], row[2], row[4]) for key, row in wanted.items()), (rows, wanted)
    averages = [sorted(side) for side in (
        [(row["name"], row["series"], row["values"], row["last"], row["average"] or 0) for row in found["counters"]],
        [(*key[1:], row[0], row[4], row[3] or 0) for key, row in wanted.items()])]
    assert all(math.isclose(a[-1], b[-1], rel_tol=1e-9, abs_tol=1e-9) for a, b in zip(*averages)), averages


def flame_graphs(trace, part):
    if not part.calls:
        return
    for option, weight in ((), lambda one: one.own), (("--by=count",), lambda one: 1):
        found = Counter()
        for line in succeeds("flame", "--quiet", "--folded", *option, *part.options, trace.path).decode().split("\n")[:-1]:
            path, number = line.rsplit(" ", 1)
            assert path not in found, line
            found[path] = int(number)
        wanted = brute_force.folded(part.calls, weight, lambda one: one.path[-1000:])
        factor = 1 if option else trace.tick
        wanted = {path: math.floor(number * factor + Fraction(1, 2)) for path, number in wanted.items()}
        assert found == wanted, [(path, found[path], wanted.get(path)) for path in found.keys() | wanted.keys() if found[path] != wanted.get(path)][:3]


def texts_of(line):
    """Returns the name, the category and the values of the arguments and other fields, as `varve find` searches them."""
    def walk(value, texts_only):
        if isinstance(value, (dict, list)):
            for member in value.values() if isinstance(value, dict) else value:
                yield from walk(member, texts_only)
        elif isinstance(value, str):
            yield value
        elif not texts_only:
            yield json.dumps(value)

    return [line.get("name", ""), line.get("cat", ""), *walk(line.get("args", {}), False), *walk(line.get("other", {}), True)]


def searches(trace, part):
    begin, end = part.within
    # an asynchronous end without a begin is an event of the file, not of the timeline
    lines = [line for line in part.lines if line["kind"] in (*SLICES, "instant") and not (line.get("event") == "e" and "end_tick" not in line)
             and line.get("begin_tick", line.get("tick", end + 1)) <= end and line.get("end_tick", line.get("tick", begin)) >= begin]
    names = Counter(line["name"] for line in lines if re.fullmatch(r"[A-Za-z][\w.:]{2,40}", line.get("name", ""), re.ASCII))
    if not names or trace.counts["objects"]:  # lives of objects are found, too
        return
    name = names.most_common(1)[0][0]
    word = re.match(r"\w{1,5}", min(names)).group().lower()
    terms = [(f'name:="{name}"', lambda line: line.get("name") == name), (word, lambda line: any(word in text.lower() for text in texts_of(line)))]
    lengths = sorted(line["end_tick"] - line["begin_tick"] for line in lines if "end_tick" in line)
    if lengths and trace.tick.denominator == 1 and lengths[-1] * trace.tick < 2**53:  # a search counts in picoseconds
        middle = lengths[len(lengths) // 2]
        terms.append((f">={middle * trace.tick}{'ns' if trace.has_time else ''}", lambda line: "end_tick" in line and line["end_tick"] - line["begin_tick"] >= middle))
    for text, test in terms:
        found = [json.loads(line) for line in succeeds("find", "--json", "--quiet", *part.options, trace.path, text).splitlines()]
        found = Counter((line["kind"], line.get("name", ""), line.get("begin_tick", line.get("tick"))) for line in found
                        if line["kind"] in (*SLICES, "instant") and not line.get("track", "").endswith("samples"))  # `dump` has the samples themselves
        wanted = Counter((line["kind"], line.get("name", ""), line.get("begin_tick", line.get("tick"))) for line in lines if test(line))
        assert found == wanted, (text, sum(found.values()), sum(wanted.values()), list((found - wanted).items())[:3], list((wanted - found).items())[:3])


def comparisons(trace, part, before):
    """Compares with a part of the trace before this one."""
    if before is None or before.has_time != trace.has_time:
        return
    other = before.parts[-1]
    has_own_times = trace.has_own_times and before.has_own_times
    if trace.counts["objects"] or before.counts["objects"]:
        return
    options = [option.replace("--range", side) for side, each in (("--range-a", other), ("--range-b", part)) for option in each.options]
    found = json.loads(succeeds("diff", "--quiet", "--json", "--by=name", *options, before.path, trace.path))
    rows = {row["name"]: row for row in found["rows"]}
    for side, tick, slices in (("a", before.tick, other.slices), ("b", trace.tick, part.slices)):
        wanted = brute_force.groups(slices, lambda one: one.name)
        assert {name for name, row in rows.items() if row[side]} == wanted.keys() and found[side]["slices"] == len(slices), (side, rows.keys() ^ wanted.keys())
        for name, ones in wanted.items():
            row = brute_force.measures(ones)
            if row["total"] > MOST_TICKS:
                continue
            row = {"count": row["count"], **{column: float(ticks * tick) for column, ticks in (
                ("total", row["total"]), ("self", row["self"]), ("average", Fraction(row["total"], row["count"])),
                ("self_average", Fraction(row["self"], row["count"])), ("p50", row["p50"]), ("p99", row["p99"]))}}
            for column in row if has_own_times else row.keys() - {"self", "self_average"}:
                number = row[column]
                assert math.isclose(rows[name][side][column], number, rel_tol=1e-9), (side, name, column, rows[name][side], row)
    for name, row in rows.items():
        for column, change in row["change"].items():
            a, b = ((row[side] or {}).get(column, 0) for side in "ab")
            assert math.isclose(change, b - a, rel_tol=1e-9, abs_tol=1e-6 * max(a, b)), (name, column, row)


SQL = """WITH each AS (SELECT 'name' AS key, coalesce(name, '') AS name, clipped_ticks AS ticks, self_ticks FROM slice UNION ALL
                       SELECT 'category', coalesce(category, ''), clipped_ticks, self_ticks FROM slice)
         SELECT key, name, count(*) AS count, sum(ticks) AS total, min(ticks) AS min, max(ticks) AS max,
                quantile_disc(ticks, [0.5, 0.9, 0.95, 0.99]) AS percentiles, stddev_pop(ticks) AS deviation, sum(self_ticks) AS self
         FROM each GROUP BY ALL"""
COLUMNS = ("count", "total", "min", "max", "p50", "p90", "p95", "p99", "self")


def sql(trace, part):
    if not HAS_SQL or trace.counts["objects"]:
        return
    wanted = {(key, name): brute_force.measures(slices) for key, each in (("name", lambda one: one.name), ("category", lambda one: one.line.get("cat", "")))
              for name, slices in brute_force.groups(part.slices, each).items()}
    if any(row["max"] >= 2**53 for row in wanted.values()):
        return  # more than a BIGINT, or than DuckDB's deviation has digits
    found = {(row["key"], row["name"]): row for row in json.loads(succeeds("query", "--quiet", "--json", *part.options, trace.path, SQL))}
    assert found.keys() == wanted.keys(), found.keys() ^ wanted.keys()
    columns = COLUMNS if trace.has_own_times else COLUMNS[:-1]
    for key, row in found.items():
        numbers = dict(zip(("p50", "p90", "p95", "p99"), row["percentiles"])) | row
        assert all(numbers[column] == wanted[key][column] for column in columns), (key, row, wanted[key])
        assert math.isclose(row["deviation"], wanted[key]["deviation"], rel_tol=1e-6, abs_tol=1), (key, row, wanted[key])


QUESTIONS = (statistics, histograms, instants_and_counters, flame_graphs, searches, comparisons, sql)


before = None  # the trace of the case before


def case_of(path, info):
    def case():
        global before
        trace = Trace(path, info)
        if trace.counts["samples"] and not trace.has_slices:
            raise tap.Skip("the dump of a profile has no slices")
        for part in trace.parts:
            for question in QUESTIONS:
                try:
                    question(trace, part, *([before] if question is comparisons else []))
                except Exception as reason:
                    raise AssertionError(f"{question.__name__} {part.options}: {str(reason)[:2000]}") from reason
        before = trace
    case.__name__ = str(path.relative_to(FOLDER))
    return case


def readable():
    """Returns (path, `varve info`) of the chosen files that are traces."""
    for path in [path for path in sorted(FOLDER.rglob("*")) if path.is_file() and path.stat().st_size <= MOST_BYTES][::STEP]:
        info = varve("info", "--quiet", "--json", path)
        if info.returncode == 0:
            yield path, json.loads(info.stdout)


def every_trace():
    raise tap.Skip(f"there is no folder {FOLDER.name}")


tap.run([case_of(*each) for each in readable()] if FOLDER.is_dir() else [every_trace])
