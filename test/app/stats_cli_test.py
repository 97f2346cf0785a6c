#!/usr/bin/env python3
"""`varve stats` end to end: its counts equal those computed from `varve dump --json`.

usage: stats_cli_test.py VARVE DATA_DIR   (DATA_DIR: test/data)
"""

import csv
import io
import json
import math
import sys
from collections import defaultdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import brute_force  # noqa: E402
import tap  # noqa: E402
from command import dump, fails, info, succeeds, varve  # noqa: E402

DATA = Path(sys.argv[2]).resolve()
SCRATCH = tap.scratch_folder("stats")
SPALL, CAPTURE = DATA / "spall" / "v3_threads.spall", DATA / "apitrace" / "groups_threads.trace"
TABLE = ("count", "total", "self", "average", "min", "max", "p50", "p95", "p99")
LENGTHS = (*TABLE, "p90", "deviation")
COLUMNS = (*LENGTHS, "share")


def stats(path, *options):
    return json.loads(succeeds("stats", "--json", path, *options), parse_float=str)


def slices_of(path):
    """Returns the slices on threads; the frames of a capture are on a separate track."""
    return brute_force.slices_of(dump(path))


def expected_rows(slices, key):
    return {name: brute_force.measures(each) for name, each in brute_force.groups(slices, key).items()}


def rows_are_those_of_the_dump():
    for path in (SPALL, CAPTURE, DATA / "cli" / "ok_small.json"):
        slices = slices_of(path)
        assert slices, path
        time = info(path)["time"]
        num, den = time["ns_per_tick"]
        has_time = time["clock"] not in ("events", "calls")
        for by, key in (("name", lambda s: s.name), ("category", lambda s: s.line.get("cat", "")), ("process", lambda s: s.line.get("pid"))):
            found = stats(path, f"--by={by}")
            expected = expected_rows(slices, key)
            rows = {row["name"]: row for row in found["rows"]}
            if by == "process":  # its title contains the process id; a capture has one process without an id
                rows = {pid: row for pid in expected for name, row in rows.items() if pid is None or str(pid) in name}
            assert found["unit"] == ("ns" if has_time else "ticks") and found["by"] == by, found
            assert found["slices"] == len(slices) and found["names"] == len(expected) == len(rows), path
            for name, row in expected.items():
                share = row["self"] / sum(other["self"] for other in expected.values())
                assert abs(float(rows[name]["share"]) - share) < 1e-6, (path, name, rows[name], share)
                for column in LENGTHS:
                    factor = num / den if has_time and column != "count" else 1
                    assert float(rows[name][column]) == row[column] * factor, (path, name, column, rows[name], row)


def rows_come_in_the_order_that_is_asked_for():
    for sort in COLUMNS:
        values = [float(row[sort]) for row in stats(SPALL, f"--sort={sort}")["rows"]]
        assert values == sorted(values, reverse=True) and len(set(values)) > 2, (sort, values)
    names = [row["name"].encode() for row in stats(SPALL, "--sort=name")["rows"]]
    assert names == sorted(names), names
    assert stats(SPALL)["rows"] == stats(SPALL, "--sort=total")["rows"]
    assert stats(SPALL, "--top=2")["rows"] == stats(SPALL)["rows"][:2]
    assert stats(SPALL, "--top=2")["names"] == len(names)


def threads_can_be_chosen_and_counted():
    tracks = {row["name"]: row for row in stats(SPALL, "--by=thread")["rows"]}
    assert len(tracks) == 3 and all("worker thread" in name for name in tracks), tracks
    for title, row in tracks.items():
        alone = [dict(row, share="1.000000")]
        assert stats(SPALL, f"--thread={title}", "--by=thread")["rows"] == alone, title
        name = title.rsplit(" (", 1)[0]
        assert stats(SPALL, f"--thread={name}", "--by=thread")["rows"] == alone, name
    all_of_them = stats(SPALL, "--thread=worker")
    assert all_of_them["slices"] == stats(SPALL)["slices"] == sum(row["count"] for row in tracks.values())
    one = stats(SPALL, "--thread=101", "--by=thread")["rows"]
    assert len(one) == 1 and one[0]["total"] in [row["total"] for row in tracks.values()], one
    fails("stats", "--quiet", "--thread=absent", SPALL, says="--thread=absent: no thread has this name or id")


def threads_of_several_processes_are_distinguished():
    (SCRATCH / "two.json").write_text(json.dumps(
        [{"ph": "M", "name": "process_name", "pid": pid, "args": {"name": name}} for pid, name in ((1, "client"), (2, "server"))]
        + [{"ph": "M", "name": "thread_name", "pid": pid, "tid": 7, "args": {"name": "main"}} for pid in (1, 2)]
        + [{"ph": "X", "name": "f", "pid": pid, "tid": 7, "ts": 1, "dur": dur} for pid, dur in ((1, 1), (2, 2))]))
    rows = stats(SCRATCH / "two.json", "--by=thread")["rows"]
    assert [(row["name"], row["process"], row["total"]) for row in rows] == [
        ("main (7)", "server (2)", 2000), ("main (7)", "client (1)", 1000)], rows
    table = list(csv.reader(io.StringIO(succeeds("stats", "--csv", "--by=thread", SCRATCH / "two.json").decode(), newline="")))
    assert table[0][0] == "thread" and table[0][-1] == "process", table
    assert [row[-1] for row in table[1:]] == ["server (2)", "client (1)"] and len(set(map(len, table))) == 1, table
    lines = succeeds("stats", "--by=thread", SCRATCH / "two.json").decode().splitlines()
    assert lines[0].endswith("  process / thread") and lines[1].endswith("  server (2) / main (7)"), lines
    assert lines[2].endswith("  client (1) / main (7)"), lines
    assert "process" not in stats(SCRATCH / "two.json")["rows"][0]


def totals_of_neighbouring_ranges_add_up():
    whole = stats(SPALL)["rows"]
    halves = [stats(SPALL, f"--range={part}")["rows"] for part in ("..40us", "40us..")]
    for row in whole:
        parts = [half_row for half in halves for half_row in half if half_row["name"] == row["name"]]
        assert sum(float(part["total"]) for part in parts) == float(row["total"]), (row, parts)
        assert sum(float(part["self"]) for part in parts) == float(row["self"]), (row, parts)
    assert all(halves), halves
    (SCRATCH / "last.json").write_text(json.dumps([{"ph": "X", "name": "f", "pid": 1, "tid": 1, "ts": t, "dur": 0} for t in (1, 5)]))
    for part, count in (("0us..", 2), ("..4us", 1), ("..5us", 2), ("4us..", 1)):
        assert stats(SCRATCH / "last.json", f"--range={part}")["slices"] == count, f"{part}: a slice at the last tick counts"


def frames_of_a_capture_count_when_asked_for():
    names = [row["name"] for row in stats(CAPTURE)["rows"]]
    frames = [row["name"] for row in stats(CAPTURE, "--thread=Frames")["rows"]]
    assert sorted(frames) == [f"Frame {i}" for i in range(7)], frames
    assert "Frame 6" not in names and "glDrawArrays" in names, names
    assert b"a length is a number of events" in succeeds("stats", CAPTURE)
    assert b"a length is a number of calls" in succeeds("stats", "--axis=calls", CAPTURE)


def csv_says_what_json_says():
    text = succeeds("stats", "--csv", SPALL).decode()
    rows = list(csv.reader(io.StringIO(text, newline="")))
    assert rows[0] == ["name", "count"] + [f"{column}_ns" for column in LENGTHS[1:]] + ["share"], rows[0]
    expected = [[row["name"]] + [str(row[column]) for column in COLUMNS] for row in stats(SPALL)["rows"]]
    assert rows[1:] == expected, (rows, expected)
    assert any('"' in row[0] for row in rows), "the fixture has a name that must be quoted"
    assert succeeds("stats", "--csv", "--by=category", CAPTURE).startswith(b"category,count,total_ticks,")


def the_table_is_for_people():
    (SCRATCH / "evil.json").write_text(json.dumps(
        [{"ph": "X", "name": "\x1b[2J", "pid": 1, "tid": 1, "ts": 1, "dur": 1}]
        + [{"ph": "X", "name": f"n{i}", "pid": 1, "tid": 1, "ts": 10 + i, "dur": 0.5} for i in range(60)]))
    text = succeeds("stats", SCRATCH / "evil.json").decode()
    lines = text.splitlines()
    assert "\x1b" not in text and lines[1].endswith("  ?[2J") and len(lines) == 1 + 40 + 1, text
    assert lines[0].split() == [*TABLE, "name"] and "1 µs" in lines[1], lines[:2]
    assert lines[-1] == "and 21 more: --top=61 shows all", lines[-1]
    assert len(succeeds("stats", "--top=61", SCRATCH / "evil.json").splitlines()) == 62


def bins_have_the_slices_of_the_dump():
    slices = slices_of(SPALL)
    whole = {one.name for one in slices}
    for options, chosen in (([], None), (["--name=fibt"], {"fibt"}), (["--range=10us..60us"], None)):
        for scale in ("log", "linear"):
            found = json.loads(succeeds("stats", "--json", f"--histogram={scale}", *options, SPALL), parse_float=float)
            durations = []
            begin, end = (10000, 60000) if "--range" in "".join(options) else (-1, 10**12)
            first = min(one.begin for one in slices)
            num, den = info(SPALL)["time"]["ns_per_tick"]
            for one in slices:
                low, high = ((tick - first) * num / den for tick in (one.begin, one.end))
                if one.name in (chosen or whole) and low < end and high > begin:
                    durations.append(min(high, end) - max(low, begin))
            bins = found["bins"]
            assert found["unit"] == "ns" and found["scale"] == scale and found["slices"] == len(durations), (options, found)
            assert sum(row["count"] for row in bins) == len(durations) and len(bins) > 3, (options, bins)
            for row in bins:
                inside = [d for d in durations if row["least"] <= d <= row["most"]]
                assert row["count"] == len(inside) and abs(row["total"] - sum(inside)) < 1e-3, (options, row, inside)
    lines = succeeds("stats", "--quiet", "--histogram=log", "--name=fibt", SPALL).decode().splitlines()
    assert lines[0].split() == ["from", "below", "count", "share"] and "#" in lines[1], lines
    counts = [int(line.split("ns" if "ns" in line.split()[3] else "µs")[-1].split()[0]) for line in lines[1:]]
    assert sum(counts) == 285, (counts, lines)
    fails("stats", "--histogram=cubic", SPALL, says="--histogram must be log or linear")
    fails("stats", "--histogram=log", "--csv", SPALL, says="--histogram gives a table or --json")
    fails("stats", "--quiet", "--name=nothing", SPALL, says="--name=nothing: no slice has this name")
    assert [row["name"] for row in stats(SPALL, "--name=fibt")["rows"]] == ["fibt"]


def events_for_an_area():
    """Counters of two processes, one of which ends early, with gaps and equal ticks; instants of each scope, slices."""
    for t in range(0, 300, 7):
        yield {"ph": "C", "pid": 1, "tid": 1, "ts": t, "name": "mem", "args": {"used": t * 3 % 40, "free": -t / 8}}
        yield {"ph": "C", "pid": 1, "tid": 1, "ts": t // 2, "name": "mem", "id": "0x1", "args": {"used": t % 5}}
        yield {"ph": "C", "pid": 2, "tid": 1, "ts": t // 3, "name": "load", "args": {"all": 7 if t % 2 else 2.5}}
        yield {"ph": "i", "s": "tpg"[t % 3], "pid": 1 + t % 2, "tid": 1, "ts": t, "name": f"i{t % 4}"}
        yield {"ph": "X", "pid": 1, "tid": 1, "ts": t, "dur": 3, "name": "f"}
    yield {"ph": "C", "pid": 1, "tid": 1, "ts": 301, "name": "constant", "args": {"v": 0.1}}
    yield {"ph": "X", "pid": 1, "tid": 1, "ts": 310, "dur": 5, "name": "f"}


def is_close(a, b):
    return a == b if a is None or b is None else math.isclose(a, b, rel_tol=1e-12, abs_tol=1e-12)


def instants_and_counters_are_those_of_the_dump():
    (SCRATCH / "area.json").write_text(json.dumps(list(events_for_an_area())))
    files = [SCRATCH / "area.json", DATA / "go" / "go126_mixed.trace", DATA / "go" / "go119_net.trace",
             *(DATA / "trace_event" / name for name in ("counters.json", "instants.json"))]
    for path in files:
        time = info(path)["time"]
        first, span = time["begin_tick"], time["end_tick"] - time["begin_tick"]
        ranges = [(None, None), (span // 9, span // 3), (span // 2, span // 2 + 1), (0, 10**12)]
        for begin, end in ranges:
            options = [] if begin is None else [f"--range={begin}..{end}"]
            low, high = (-(2**63), 2**63) if begin is None else (first + begin, first + end)
            found = json.loads(succeeds("stats", "--json", "--quiet", path, *options))
            names = brute_force.instants(dump(path), (low, high))
            assert {row["name"]: row["count"] for row in found["instants"]} == names, (path, options, names, found["instants"])
            counts = [row["count"] for row in found["instants"]]
            assert counts == sorted(counts, reverse=True), counts
            expected = brute_force.counters(dump(path), (low, high), path.suffix == ".json")
            assert len(found["counters"]) == len(expected), (path, options, expected, found["counters"])
            for row in found["counters"]:
                key = next(key for key in expected if key[1:] == (row["name"], row["series"]) and (key[0] is None or str(key[0]) in row["process"]))
                values = tuple(row[column] for column in ("values", "min", "max", "average", "last"))
                assert all(map(is_close, values, expected[key])), (path, options, row, expected[key])
    whole = json.loads(succeeds("stats", "--json", files[0]))
    assert [row["average"] for row in whole["counters"] if row["name"] == "constant"] == [0.1], "rounding stays within the values"
    assert stats(files[0], "--thread=1")["counters"] == [], "a counter is not of a thread"
    assert "instants" not in stats(files[0], "--name=f"), "other events have other names"
    text = succeeds("stats", "--quiet", files[0]).decode()
    assert "     instant\n" not in text and "  instant\n" in text and "  Process 2 / load / all\n" in text, text
    assert b"instant" not in succeeds("stats", "--csv", files[0])
    assert "and 3 more: --top=4 shows all" in succeeds("stats", "--quiet", "--top=1", files[0]).decode()


def matches_of_a_search_are_counted():
    lines = slices_of(SPALL)
    for text, chosen in (("iteration", lambda s: "iteration" in s.name), ("fibt >1us", lambda s: "fibt" in s.name and s.inside > 1000)):
        expected = expected_rows([line for line in lines if chosen(line)], lambda s: s.name)
        found = stats(SPALL, f"--find={text}")
        assert expected and {row["name"]: row["count"] for row in found["rows"]} == {name: row["count"] for name, row in expected.items()}, text
        for row in found["rows"]:
            assert all(float(row[key]) == expected[row["name"]][key] for key in ("total", "self", "min", "max", "p50")), row
    (SCRATCH / "args.json").write_text(json.dumps(
        [{"ph": "X", "name": f"r{i % 3}", "pid": 1, "tid": 1, "ts": 10 * i, "dur": 1 + i, "args": {"url": f"/u{i % 2}"}} for i in range(9)]))
    rows = {row["name"]: (row["count"], row["total"]) for row in stats(SCRATCH / "args.json", "--find=url=/u1")["rows"]}
    assert rows == {"r0": (1, 4000), "r1": (2, 10000), "r2": (1, 6000)}, rows
    rows = stats(SCRATCH / "args.json", "--find=url=/u1", "--range=0us..35us", "--name=r0")["rows"]
    assert [row["count"] for row in rows] == [1], rows
    bins = json.loads(succeeds("stats", "--json", "--histogram=log", "--find=url=/u1", SCRATCH / "args.json"))
    assert bins["slices"] == 4 and "instants" not in stats(SCRATCH / "args.json", "--find=url=/u1"), bins
    fails("stats", "--quiet", "--find=nothing", SPALL, says="--find=nothing: no slice matches")
    fails("stats", "--quiet", "--find=/(/", SPALL, says="(")


def rows_of_an_argument_are_those_of_the_table():
    """The values are those of the table `arg`, which SQL has, too."""
    (SCRATCH / "values.json").write_text(json.dumps(
        [{"ph": "X", "name": f"r{i % 3}", "pid": 1, "tid": i % 2, "ts": 10 * i, "dur": 1 + i % 7,
          "args": [{"url": f"/u{i % 5}"}, {"url": i % 4, "a": {"url": 1}}, {"url": [1, "x"]}, {"other": 2}, {"url": ""}, {"url": 'q"\u00e9'}][i % 6]}
         for i in range(90)] + [{"ph": "X", "name": "bare", "pid": 1, "tid": 1, "ts": 5, "dur": 1}]))
    for path, key in ((SCRATCH / "values.json", "url"), (SCRATCH / "values.json", "other"), (DATA / "cli" / "ok_small.json", "n"),
                      (DATA / "go" / "go126_mixed.trace", "task"), (CAPTURE, "mode")):
        table = [json.loads(line) for line in succeeds("convert", "--quiet", "--to=jsonl", "--table=arg", "-o", "-", path).splitlines()]
        value_of = {row["slice_id"]: row["value"] for row in reversed(table) if row["key"] == key and row["slice_id"] is not None}
        slices = [json.loads(line) for line in succeeds("convert", "--quiet", "--to=jsonl", "-o", "-", path).splitlines()]
        expected = defaultdict(list)
        for line in slices:
            if line["id"] in value_of:
                expected[value_of[line["id"]]].append((line["duration_ticks"], line["self_ticks"]))
        found = json.loads(succeeds("stats", "--json", "--quiet", f"--by=arg:{key}", "--perspective=all", path))
        num, den = info(path)["time"]["ns_per_tick"] if found["unit"] == "ns" else (1, 1)
        assert found["by"] == f"arg:{key}", found["by"]
        rows = {row["name"]: (row["count"], row["total"], row["self"], row["max"]) for row in found["rows"]}
        wanted = {name: (len(lengths), sum(d for d, _ in lengths) * num / den, sum(s for _, s in lengths) * num / den, max(d for d, _ in lengths) * num / den)
                  for name, lengths in expected.items()}
        assert rows == wanted, (path, key, rows, wanted)
    values = SCRATCH / "values.json"
    assert len(rows_of := stats(values, "--by=arg:url")["rows"]) == 10 and sum(row["count"] for row in rows_of) == 75, rows_of
    assert [row["name"] for row in stats(values, "--by=arg:url", "--find=name:r1")["rows"]], "a search and an argument"
    for options in ((), ("--json",), ("--histogram=log",)):
        fails("stats", "--quiet", "--by=arg:none", *options, values, says="--by=arg:none: no slice has this argument")
    assert succeeds("stats", "--csv", "--by=arg:url", values).startswith(b"arg:url,count,total_ns,")
    assert succeeds("stats", "--by=arg:url", values).splitlines()[0].endswith(b"  arg:url")
    fails("stats", "--by=arg:", SPALL, says="process or arg:KEY")


def columns_can_be_chosen():
    lines = succeeds("stats", "--quiet", "--columns=count,p90,deviation,share", "--top=1", SPALL).decode().splitlines()
    row = next(row for row in stats(SPALL)["rows"] if row["name"] == "fibt")
    assert lines[0].split() == ["count", "p90", "deviation", "share", "name"], lines
    cells = lines[1].split()
    assert cells[0] == "285" and cells[-3:] == [f"{100 * float(row['share']):.2f}", "%", "fibt"], lines
    heads = succeeds("stats", "--quiet", "--columns=all", SPALL).decode().splitlines()[0].split()
    assert heads == [*COLUMNS, "name"], heads
    fails("stats", "--columns=count,mode", SPALL, says="expected names of columns, for example count,p90,share")


def an_empty_name_is_a_missing_name():
    """The rows would look the same."""
    (SCRATCH / "names.json").write_text(json.dumps(
        [{"ph": "X", "pid": 1, "tid": 1, "ts": 10 * i, "dur": 5, **name} for i, name in enumerate([{}, {"name": ""}, {"name": "", "cat": "c"}, {"name": "f"}])]))
    assert [(row["name"], row["count"]) for row in stats(SCRATCH / "names.json")["rows"]] == [("", 3), ("f", 1)]
    assert succeeds("flame", "--quiet", "--folded", SCRATCH / "names.json") == b"(none) 15000\nf 5000\n"


def deviations_of_long_slices_are_exact():
    """The durations differ less than neighbouring floating-point numbers of their size."""
    (SCRATCH / "long.json").write_text(json.dumps([{"ph": "X", "pid": 1, "tid": tid, "ts": 0, "dur": 9 * 10**15 + tid, "name": "f"} for tid in (1, 2)]))
    assert [row["deviation"] for row in stats(SCRATCH / "long.json")["rows"]] == [500]


def nothing_gives_an_empty_table():
    (SCRATCH / "empty.json").write_text('[{"ph":"i","name":"x","pid":1,"tid":1,"ts":1}]')
    assert stats(SCRATCH / "empty.json")["rows"] == []
    assert len(succeeds("stats", "--csv", SCRATCH / "empty.json").splitlines()) == 1


def wrong_usage_is_said():
    fails("stats", says="stats needs one FILE")
    fails("stats", SPALL, CAPTURE, says="stats needs one FILE")
    fails("stats", "--by=colour", SPALL, says="--by must be name, category, thread, process or arg:KEY")
    fails("stats", "--sort=mode", SPALL, says="--sort must be count, total, self, average, min, max, p50, p95, p99, p90, deviation, share or name, not 'mode'")
    fails("stats", "--top=0", SPALL, says="--top must be a number of at least 1, not '0'")
    fails("stats", "--json", "--csv", SPALL, says="only one of --json and --csv")


tap.run([
    rows_are_those_of_the_dump, rows_come_in_the_order_that_is_asked_for, threads_can_be_chosen_and_counted,
    threads_of_several_processes_are_distinguished,
    totals_of_neighbouring_ranges_add_up, frames_of_a_capture_count_when_asked_for, csv_says_what_json_says, bins_have_the_slices_of_the_dump,
    instants_and_counters_are_those_of_the_dump, matches_of_a_search_are_counted, rows_of_an_argument_are_those_of_the_table, columns_can_be_chosen,
    the_table_is_for_people, an_empty_name_is_a_missing_name, deviations_of_long_slices_are_exact, nothing_gives_an_empty_table, wrong_usage_is_said,
])
