#!/usr/bin/env python3
"""Every command counts the events of a Go trace once, and gives the same counts as the file.

usage: go_counts_test.py VARVE DATA_DIR
"""

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import tap  # noqa: E402
from viewer import Viewer  # noqa: E402

VARVE, DATA = os.path.abspath(sys.argv[1]), Path(sys.argv[2]).resolve()
SCRATCH = tap.scratch_folder("go-counts")
TRACES = [path for path in sorted(DATA.glob("*.trace")) + sorted(DATA.glob("v2tests/*stress.trace")) if not path.name.startswith(("odd_", "bad_"))]
# Small ones too: single events of each kind, and files that a fuzzer has found.
EVERY = [path for path in sorted(DATA.rglob("*.trace")) if not path.name.startswith(("odd_", "bad_"))]
MIXED = DATA / "go126_mixed.trace"
GROUPS = {"assist": "GC mark assist", "mark": "GC concurrent mark phase", "stop": "STW (", "worker": ("GC (dedicated)", "GC (fractional)", "GC (idle)")}


def varve(*arguments):
    return subprocess.run([VARVE, *map(str, arguments)], capture_output=True, timeout=120)


def answer(*arguments):
    done = varve(*arguments)
    assert done.returncode == 0, (arguments, done.returncode, done.stderr)
    return done.stdout.decode()


def dumped(*arguments):
    return [json.loads(line) for line in answer("dump", "--json", *arguments).splitlines()]


def of_group(name):
    found = [group for group, start in GROUPS.items() if name.startswith(start)]
    return found[0] if found and name != "GC mark assist wait for work" else None


def by_stats(*arguments):
    """Returns count and total of each group, and of the names of tasks and regions."""
    sums = Counter()
    for row in json.loads(answer("stats", "--json", *arguments))["rows"]:
        group = of_group(row["name"])
        sums[group, "count"] += row["count"]
        sums[group, "ns"] += row["total"]
    return {key: sums[key] for key in ((group, unit) for group in GROUPS for unit in ("count", "ns"))}


def by_dump(*arguments):
    sums = Counter()
    for line in dumped(*arguments):
        if line["kind"] in ("slice", "async", "state"):
            group = of_group(line.get("name", ""))
            sums[group, "count"] += 1
            sums[group, "ns"] += line["end_tick"] - line["begin_tick"]
    return {key: sums[key] for key in ((group, unit) for group in GROUPS for unit in ("count", "ns"))}


def is_readable(path):
    return varve("info", path).returncode == 0


def commands_agree():
    """stats, dump, a converted file and `varve go` have the same counts and times."""
    seen = Counter()
    for path in filter(is_readable, EVERY):
        stats, gc = by_stats(path), json.loads(answer("go", path, "gc", "--json"))
        assert by_dump(path) == stats, path.name
        out = SCRATCH / "converted.json"
        assert varve("convert", path, "-o", out).returncode == 0
        assert by_stats(out) == stats, path.name
        finished = sum(cycle["end_ns"] - cycle["begin_ns"] for cycle in gc["cycles"] if None not in (cycle["begin_ns"], cycle["end_ns"]))
        workers = sum(gc[f"{kind}_worker_ns"] for kind in ("dedicated", "fractional", "idle"))
        assert (stats["assist", "count"], stats["assist", "ns"]) == (gc["assist_count"], gc["assist_ns"]), path.name
        assert (stats["stop", "count"], stats["stop", "ns"]) == (gc["stw_count"], gc["stw_ns"]), path.name
        assert stats["mark", "count"] == len(gc["cycles"]) and gc["mark_ns"] == finished <= stats["mark", "ns"], path.name
        assert stats["worker", "ns"] == workers, path.name
        functions = json.loads(answer("go", path, "--json"))["functions"]
        assert sum(row["gc_assist_ns"] for row in functions) == gc["assist_ns"], path.name
        seen.update({key: value for key, value in stats.items() if value > 0})
    assert all(seen[group, "count"] > 3 for group in GROUPS), seen


def ranges_agree():
    seen = Counter()
    for path in TRACES:
        time = json.loads(answer("info", "--json", path))["time"]
        span = time["end_tick"] - time["begin_tick"]
        for part in ("..20ms", "20ms..40ms", "40ms..") if path == MIXED else (f"{span // 4}..{span // 2}",):
            stats, gc = by_stats(path, f"--range={part}"), json.loads(answer("go", path, "gc", "--json", f"--range={part}"))
            assert (stats["assist", "count"], stats["assist", "ns"]) == (gc["assist_count"], gc["assist_ns"]), (path.name, part)
            assert stats["stop", "count"] == gc["stw_count"], (path.name, part)  # `varve go` counts a stop whole
            seen.update({key: value for key, value in stats.items() if value > 0})
    assert seen["assist", "count"] > 200 and seen["stop", "count"] > 30, seen


def by_area(viewer, unit, **area):
    """Returns the same from the viewer's area: its request `stats`, of all tracks. Also the perspective that counts."""
    parameters = "".join(f"&{key}={value}" for key, value in area.items())
    status, _, body = viewer.ask(f"api/stats?trace=0{parameters}")
    assert status == 200, body
    sums = Counter()
    for row in json.loads(body)["rows"]:
        group = of_group(row["name"])
        sums[group, "count"] += row["count"]
        sums[group, "ns"] += int(row["total"][unit])
    perspective = (json.loads(body)["perspective"] or "Goroutines").lower()
    return perspective, {key: sums[key] for key in ((group, unit) for group in GROUPS for unit in ("count", "ns"))}


def the_viewer_agrees():
    """The area has the numbers of `varve stats` for its perspective, of the whole trace and of a range."""
    for path in TRACES:
        unit = json.loads(answer("stats", "--json", path))["unit"]
        for options in ((), ("--perspective=goroutines",)):
            with Viewer(path, options=("--no-browser", *options)) as viewer:
                viewer.wait_until_ready()
                perspective, sums = by_area(viewer, unit)
                assert not options or perspective == "goroutines", (path.name, perspective)
                assert sums == by_stats(path, f"--perspective={perspective}"), (path.name, perspective)
                if path != MIXED:
                    continue
                num, den = json.loads(answer("info", "--json", path))["time"]["ns_per_tick"]
                begin, end = (ms * 1000000 * den // num for ms in (20, 40))
                _, sums = by_area(viewer, unit, begin=begin, end=end)
                assert sums == by_stats(path, f"--perspective={perspective}", "--range=20ms..40ms")


def events_count_once():
    """Assists, tasks, regions and logs: the same number as their begins in the file."""
    for path in TRACES:
        events = json.loads(answer("info", "--json", path))["source_events"]
        lines = dumped(path)
        counts = json.loads(answer("info", "--json", path))["counts"]
        assert counts["async_slices"] == sum(line["kind"] == "async" for line in lines), path.name
        count = Counter((line["kind"], line.get("cat")) for line in lines)
        assert count["slice", "region"] + count["async", "region"] >= events.get("UserRegionBegin", 0) + events.get("UserRegion", 0) // 2
        assert count["slice", "region"] == 0 or count["async", "region"] == 0, path.name
        assert sum(line["kind"] == "instant" and line.get("cat") != "sample" for line in lines) == events.get("UserLog", 0), path.name
    regions = json.loads(answer("go", MIXED, "regions", "--json"))["regions"]
    rows = {row["name"]: row for row in json.loads(answer("stats", "--json", MIXED))["rows"]}
    for region in regions:
        assert rows[region["name"]]["count"] == region["count"] + region["open"], region


def source_events_are_those_of_the_file():
    """Numbers from Go's own readers. Ordering makes several events of some records; the extra ones do not count."""
    expected = {
        "go123_iter": {"GoSwitch": 363, "GoSwitchDestroy": 3, "GoStart": 11, "GoBlock": 8, "GoDestroy": 3},
        "go126_mixed": {"GoSwitch": 183, "GoSwitchDestroy": 3, "GoStart": 2840, "GoBlock": 1093, "GoDestroy": 96},
        "go126_cgo": {"ProcSteal": 15, "GoDestroySyscall": 12},
    }
    facts, trace = {}, None
    for line in (DATA / "facts.txt").read_text().splitlines():
        if not line.startswith(" "):
            trace = facts.setdefault(line, {})
        elif line.startswith(" raw_by_type."):
            name, count = line.removeprefix(" raw_by_type.").split()
            trace[name] = int(count)
    expected.update({path.stem: facts[path.name] for path in TRACES if facts.get(path.name)})
    assert len(expected) > 15, expected
    for name, events in expected.items():
        for options in ((), ("--perspective=processors",)):
            printed = json.loads(answer("info", "--json", DATA / f"{name}.trace", *options))["source_events"]
            assert {key: printed.get(key) for key in events} == events, (name, options, printed)


def info_prints_the_facts_of_the_file():
    def facts(*arguments):
        return json.loads(answer("info", "--json", *arguments))["properties"]["go"]
    assert facts(MIXED) == {"ticks_per_second": 15625000, "batches": 12, "generations": 1}
    assert facts(DATA / "go119_gc_cpuprofile.trace") == {"ticks_per_second": 35156452, "batches": 8}
    part = facts(MIXED, "--range=20ms..30ms")
    begin = json.loads(answer("info", "--json", MIXED, "--range=20ms..30ms"))["time"]["window_ticks"][0]
    carried = sum(line["begin_tick"] < begin for line in dumped(MIXED, "--range=20ms..30ms") if "begin_tick" in line)
    # Three values of counters; four goroutines whose first event, in the range, gives their state since the
    # trace's begin.
    assert part["range_prefixed"] == carried + 3 - 4, (part, carried)
    assert part["range_added"] == 0 and part["range_ignored"] == 11175, part
    assert "go.range_prefixed" in answer("info", MIXED, "--range=20ms..30ms") and "ticks_per_second: 15625000" in answer("info", MIXED)


def garbage_behind_the_end_makes_a_trace_incomplete():
    for name in ("go119_chans", "go122_chans", "go126_chans"):
        for garbage in (b"\0\0\0\0", b"\x01\x02", b"\xff", b"hello, not a batch"):
            path = SCRATCH / "garbage.trace"
            path.write_bytes((DATA / f"{name}.trace").read_bytes() + garbage)
            printed = json.loads(answer("info", "--json", path))
            assert printed["complete"] is False and printed["warnings"], (name, garbage)
            assert json.loads(answer("go", path, "--json"))["complete"] is False, (name, garbage)


def losses_are_listed():
    out = SCRATCH / "converted.spall"
    said = varve("convert", MIXED, "-o", out).stderr.decode()
    for loss in ("instants are left out (41)", "arrows between slices are left out (1110)", "values of counters are left out (12685)",
                 "states of threads are written to separate threads (9836)", "stacks of slices and instants are left out",
                 "asynchronous slices are written to separate threads (41)", "perspective of the same events is left out: Processors",
                 "perspective of the same events is left out: Threads", "slices lose their category",
                 "regions and logs in the rows of their tasks are left out: their goroutines have them (88)"):
        assert loss in said, (loss, said)
    kinds = Counter(line["kind"] for line in dumped(MIXED))
    assert json.loads(answer("info", "--json", out))["counts"]["slices"] == kinds["slice"] + kinds["state"] + kinds["async"]
    everything = varve("convert", MIXED, "-o", out, "--perspective=all").stderr.decode()
    assert "perspective" not in everything, everything


def the_perspective_is_chosen_and_named():
    assert answer("stats", MIXED).startswith("perspective: Goroutines\n")
    assert answer("go", MIXED).startswith("perspective: Goroutines\n")
    assert json.loads(answer("stats", MIXED, "--json"))["perspective"] == "Goroutines"
    assert answer("stats", MIXED, "--perspective=all") == answer("stats", MIXED)
    by_processor = json.loads(answer("stats", MIXED, "--json", "--perspective=processors"))
    assert by_processor["perspective"] == "Processors"
    assert {row["name"]: row["count"] for row in by_processor["rows"]}["GC mark assist"] == 233  # one for each stretch
    groups = {line.get("pid") for line in dumped(MIXED, "--perspective=threads")}
    assert "Threads" in groups and "Processors" not in groups and "main.gcw.func1" not in groups
    for arguments, says in ((("stats", MIXED), "unknown perspective 'lunch': expected one of Processors, Goroutines, Threads, all"),
                            (("go", MIXED), "--perspective=lunch: varve go counts by goroutines only")):
        done = varve(*arguments, "--perspective=lunch")
        assert done.returncode == 1 and says in done.stderr.decode(), done
    plain = DATA.parent / "spall" / "v3_threads.spall"
    assert answer("stats", plain, "--perspective=goroutines") == answer("stats", plain)


tap.run([commands_agree, ranges_agree, the_viewer_agrees, events_count_once, source_events_are_those_of_the_file,
         info_prints_the_facts_of_the_file, garbage_behind_the_end_makes_a_trace_incomplete, losses_are_listed, the_perspective_is_chosen_and_named])
