#!/usr/bin/env python3
"""`varve diff` of two traces end to end: its numbers and verdicts equal those computed from `varve dump --json`.

usage: diff_cli_test.py VARVE DATA_DIR EXAMPLES_DIR   (DATA_DIR: test/data)
"""

import bisect
import csv
import gzip
import io
import json
import math
import random
import sys
from collections import Counter, defaultdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import brute_force  # noqa: E402
import tap  # noqa: E402
from command import dump, fails, info, succeeds, varve  # noqa: E402

DATA, EXAMPLES = Path(sys.argv[2]).resolve(), Path(sys.argv[3]).resolve()
SCRATCH = tap.scratch_folder("diff")
BEFORE, AFTER = DATA / "compare" / "before.json.gz", DATA / "compare" / "after.json.gz"
SPALL, CAPTURE = DATA / "spall" / "v3_threads.spall", DATA / "apitrace" / "groups_threads.trace"
MEASURES = ("self", "total", "count", "average", "self_average", "p50", "p99")
LEAST, MOST = 8, 64


def diff(a, b, *options):
    return json.loads(succeeds("diff", "--json", "--quiet", a, b, *options))


def write(name, events):
    path = SCRATCH / name
    path.write_text(json.dumps(events))
    return path


def calls(name, durations, tid=1, ts=1000):
    """Returns adjacent complete events."""
    events = []
    for duration in durations:
        events.append({"ph": "X", "pid": 1, "tid": tid, "ts": ts, "dur": duration, "name": name})
        ts += duration + 10
    return events


# -- the same numbers, computed from the dump --


def slices_of(path, begin=-(1 << 70), end=1 << 70):
    """Returns the slices of threads in the range, with the names around them, in the order of depths and begins."""
    return sorted(brute_force.slices_of(dump(path), (begin, end)), key=lambda one: (one.line["depth"], one.begin))


def ns_per_tick(path):
    time = info(path)["time"]
    return 1 if time["clock"] in ("events", "calls") else time["ns_per_tick"][0] / time["ns_per_tick"][1]


def numbers(slices, factor):
    lengths = sorted(one.inside for one in slices)
    total, own, count = sum(lengths), sum(one.own for one in slices), len(slices)

    def percentile(percent):
        return lengths[math.ceil(count * percent / 100) - 1]

    ticks = dict(zip(MEASURES, (own, total, count, total / count, own / count, percentile(50), percentile(99))))
    return {key: value if key == "count" else value * factor for key, value in ticks.items()}


def batches(slices, size, factor):
    """Returns sums of self times of up to MOST batches of adjacent slices, spread evenly."""
    count = min(MOST, len(slices) // size)
    begins = [i * len(slices) // count for i in range(count)]
    return [sum(one.own for one in slices[at:at + size]) * factor for at in begins]


def u_test(a, b):
    """Returns the two-sided p-value and the share of pairs with b > a, by counting pairs."""
    above = sum((y > x) + (y == x) / 2 for x in a for y in b)
    n = len(a) + len(b)
    ties = sum(t ** 3 - t for t in Counter(a + b).values())
    variance = len(a) * len(b) / 12 * (n + 1 - ties / (n * (n - 1)))
    distance = max(0, abs(above - len(a) * len(b) / 2) - 0.5)
    p = math.erfc(distance / math.sqrt(variance) / math.sqrt(2)) if variance > 0 else 1
    return p, above / len(a) / len(b)


def expected_rows(a, b, factors, key):
    groups = [defaultdict(list), defaultdict(list)]
    for side, slices in enumerate((a, b)):
        for one in slices:
            groups[side][key(one)].append(one)
    rows, tested = {}, {}
    for name in {**groups[0], **groups[1]}:
        both = [groups[side].get(name, []) for side in (0, 1)]
        sides = [numbers(slices, factors[side]) if slices else None for side, slices in enumerate(both)]
        rows[name] = {"a": sides[0], "b": sides[1], "p": None, "q": None,
                      "verdict": "gone" if not both[1] else "new" if not both[0] else "few"}
        fewer = min(map(len, both))
        if fewer >= LEAST:
            size = 1 << max(1, fewer // MOST).bit_length() - 1
            rows[name]["p"], above = u_test(*(batches(both[side], size, factors[side]) for side in (0, 1)))
            rows[name]["verdict"] = "slower" if above > 0.5 else "faster"
            tested[name] = rows[name]["p"]
    for name, p in tested.items():
        # Returns the least rate of all thresholds that include this test.
        rates = [other * len(tested) / sum(each <= other for each in tested.values())
                 for other in tested.values() if other >= p]
        rows[name]["q"] = min([1, *rates])
        if rows[name]["q"] >= 0.05:
            rows[name]["verdict"] = "noise"
    return rows


def close(a, b):
    return a is b or (a is not None and b is not None and math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-9))


def check_row(row, wanted, context, has_batches):
    for side in "ab":
        assert (row[side] is None) == (wanted[side] is None), (context, row)
        for measure in MEASURES if wanted[side] else ():
            assert close(row[side][measure], wanted[side][measure]), (context, side, measure, row, wanted)
    for measure in MEASURES:
        a, b = ((wanted[side] or Counter())[measure] for side in "ab")
        assert close(row["change"][measure], b - a), (context, measure, row)
        percent = 100 * (b - a) / a if wanted["a"] and wanted["b"] and a else None
        assert close(row["percent"][measure], percent), (context, measure, row, percent)
    if has_batches:
        assert row["verdict"] == wanted["verdict"], (context, row, wanted)
        assert close(row["p"], wanted["p"]) and close(row["q"], wanted["q"]), (context, row, wanted)


def check_rows(a, b, found, slices):
    """`slices` are those of each trace. Batches depend on the order of the tracks, which is not in the dump."""
    key = (lambda one: ";".join(one.path)) if found["by"] == "path" else lambda one: one.name
    rows = {row[found["by"]]: row for row in found["rows"]}
    wanted = expected_rows(*slices, (ns_per_tick(a), ns_per_tick(b)), key)
    assert set(rows) == set(wanted) and len(rows) == len(found["rows"]), (a, b, set(rows) ^ set(wanted))
    has_batches = all(len({one.track for one in side}) == 1 for side in slices)
    for name, row in rows.items():
        check_row(row, wanted[name], (a, b, name), has_batches)
    assert [found[side]["slices"] for side in "ab"] == [len(side) for side in slices]
    assert found["verdicts"] == {**dict.fromkeys(found["verdicts"], 0), **Counter(row["verdict"] for row in found["rows"])}
    effects = [abs(row["change"]["self"]) for row in found["rows"]]
    assert effects == sorted(effects, reverse=True), effects


def made_pair():
    """Several depths, recursion, many calls, equal times, names in only one trace, and events without a name."""
    paths = []
    for seed in (1, 2):
        chance, events, ts = random.Random(seed), [], 0

        def call(name, depth):
            nonlocal ts
            events.append({"ph": "B", "pid": 1, "tid": 1, "ts": ts, "name": name})
            ts += chance.randrange(1, 30) * (seed if name == "c" else 1)
            for _ in range(chance.randrange(3) if depth else 0):
                call(chance.choice(["a", "b", "c", "" if seed == 1 else "d;e", "equal"]), depth - 1)
            events.append({"ph": "E", "pid": 1, "tid": 1, "ts": ts})

        for _ in range(400 * seed):
            call("main", 4)
            ts += 1
        paths.append(write(f"made{seed}.json", events))
    return paths


def numbers_and_verdicts_are_those_of_the_dump():
    pairs = (tuple(made_pair()), (BEFORE, AFTER), (SPALL, DATA / "cli" / "ok_small.json"), (BEFORE, SPALL))
    for a, b in pairs:
        slices = slices_of(a), slices_of(b)
        assert all(slices), (a, b)
        for by in ("name", "path"):
            check_rows(a, b, diff(a, b, f"--by={by}"), slices)


def ranges_cut_both():
    a, b = made_pair()
    for first, last in ((500_000, 900_000), (0, 77_000)):
        slices = []
        for path in (a, b):
            zero = info(path)["time"]["begin_tick"]
            slices.append(slices_of(path, zero + first, zero + last))
        assert all(slices)
        for by in ("name", "path"):
            check_rows(a, b, diff(a, b, f"--by={by}", f"--range={first}ns..{last}ns"), slices)


def each_trace_has_a_range_of_its_own():
    a, b = made_pair()
    for by in ("name", "path"):
        times = [info(path)["time"] for path in (a, b)]
        spans = [(time["begin_tick"], time["end_tick"]) for time in times]
        ranges = [(begin + (end - begin) * low // 10, begin + (end - begin) * high // 10) for (begin, end), (low, high) in zip(spans, ((1, 4), (5, 9)))]
        options = [f"--range-{side}={low - begin}ns..{high - begin}ns" for side, (low, high), (begin, _) in zip("ab", ranges, spans)]
        slices = [slices_of(path, *area) for path, area in zip((a, b), ranges)]
        found = diff(a, b, f"--by={by}", *options)
        check_rows(a, b, found, slices)
        assert found == diff(a, b, f"--by={by}", options[0].replace("-a", "", 1), options[1]), "--range is of the other trace"
    fails("diff", "--quiet", "--range-b=5", a, b, says="--range must be BEGIN..END")
    fails("diff", "--quiet", "--range-b=1s..2s", "--calls=1", a, b, says="--range-b times of traces")


def ranges_count_from_the_aligned_slices():
    a = write("align1.json", calls("boot", [500]) + calls("go", [7], ts=3000) + calls("work", [5, 6, 7], ts=3010))
    b = write("align2.json", calls("boot", [900]) + calls("go", [7], ts=9000) + calls("work", [5, 6, 9], ts=9010))
    found = {row["name"]: row for row in diff(a, b, "--align=go", "--range=0..41us")["rows"]}
    assert set(found) == {"go", "work"} and found["work"]["a"]["total"] == found["work"]["b"]["total"] == 11000, found
    assert len(diff(a, b, "--align=go")["rows"]) == 3
    fails("diff", "--quiet", "--align=none", a, b, says="--align=none: no slice of")
    fails("diff", "--quiet", "--align=go", "--range=1s..2s", a, b, says="range")


def threads_are_chosen():
    a = write("thread1.json", calls("f", [5] * 9, 1) + calls("g", [5] * 9, 2))
    b = write("thread2.json", calls("f", [9] * 9, 1))
    assert [row["name"] for row in diff(a, b, "--thread=1")["rows"]] == ["f"]
    fails("diff", "--quiet", "--thread=2", a, b, says="--thread=2: no thread has this name")


def a_function_that_got_slower_is_found():
    found = {row["name"]: row for row in diff(BEFORE, AFTER)["rows"]}
    verdicts = {name: row["verdict"] for name, row in found.items()}
    assert verdicts == {"parse": "slower", "query": "noise", "render": "noise", "request": "noise",
                        "check_cookie": "gone", "write_log": "new"}, verdicts
    assert 10 < found["parse"]["percent"]["self"] < 30, found["parse"]
    back = {row["name"]: row["verdict"] for row in diff(AFTER, BEFORE)["rows"]}
    assert back["parse"] == "faster" and back["write_log"] == "gone" and back["query"] == "noise", back


def chance_is_noise():
    """Of 40 names with equal distributions in both traces, at most one is reported as different, and usually none."""
    discoveries = 0
    for seed in range(6):
        paths = []
        for side in (0, 1):
            chance = random.Random(100 * seed + side)
            paths.append(write(f"noise{side}.json", [event for name in range(40) for event in calls(
                f"f{name}", [int(chance.lognormvariate(6, 1)) for _ in range(chance.choice([8, 30, 300]))], tid=name)]))
        verdicts = diff(*paths)["verdicts"]
        discoveries += verdicts["slower"] + verdicts["faster"]
        assert verdicts["noise"] >= 39, verdicts
    assert discoveries <= 1, discoveries


def fast_u_test(a, b):
    """As u_test, for many values with few ties."""
    ordered = sorted(a)
    above = sum((bisect.bisect_left(ordered, y) + bisect.bisect_right(ordered, y)) / 2 for y in b)
    spread = math.sqrt(len(a) * len(b) * (len(a) + len(b) + 1) / 12)
    return math.erfc(abs(above - len(a) * len(b) / 2) / spread / math.sqrt(2))


def phases_of_the_machine_are_noise():
    """Adjacent calls resemble each other, so that a test of single calls reports differences that do not exist."""
    single = []
    for seed in range(4):
        paths, durations = [], []
        for side in (0, 1):
            chance = random.Random(10 * seed + side)
            durations.append([int(level + chance.uniform(0, 50)) for level in
                              [chance.uniform(1000, 2000) for _ in range(200)] for _ in range(50)])
            paths.append(write(f"phases{side}.json", calls("f", durations[side])))
        single.append(fast_u_test(*durations))
        row = diff(*paths)["rows"][0]
        assert row["verdict"] == "noise", row
    assert sum(p < 0.001 for p in single) >= 2, single


def the_limit_sets_the_status():
    done = varve("diff", "--fail-above=10", BEFORE, AFTER)
    assert done.returncode == 5 and done.stdout and "parse: a call takes" in done.stderr.decode(), done
    assert "limit 10 %" in done.stderr.decode(), done.stderr
    assert varve("diff", "--quiet", "--fail-above=10", BEFORE, AFTER).stderr == b""
    for limit, a, b in (("50", BEFORE, AFTER), ("10%", AFTER, BEFORE), ("0", BEFORE, BEFORE), ("10", SPALL, BEFORE)):
        succeeds("diff", "--quiet", f"--fail-above={limit}", a, b)
    done = varve("diff", "--quiet", "--json", "--fail-above=2.5", BEFORE, AFTER)
    assert done.returncode == 5 and json.loads(done.stdout)["failing"] == 1 and json.loads(done.stdout)["fail_above"] == 2.5
    few = [write(f"few{side}.json", calls("f", [5 * (1 + side)] * 7)) for side in (0, 1)]
    succeeds("diff", "--quiet", "--fail-above=1", *few)


def csv_has_the_numbers_of_json():
    for by in ("name", "path"):
        rows = list(csv.DictReader(io.StringIO(succeeds("diff", "--csv", "--quiet", f"--by={by}", BEFORE, AFTER).decode(),
                                               newline="")))
        found = diff(BEFORE, AFTER, f"--by={by}")["rows"]
        assert [row[by] for row in rows] == [row[by] for row in found]
        for line, row in zip(rows, found):
            assert line["verdict"] == row["verdict"] and line["p"] == ("" if row["p"] is None else f"{row['p']!r}"), line
            for measure in MEASURES:
                unit = "" if measure == "count" else "_ns"
                for side in "ab":
                    text = line[f"{measure}_{side}{unit}"]
                    assert (text == "") == (row[side] is None) and (text == "" or float(text) == row[side][measure]), line
                assert float(line[f"{measure}_change{unit}"]) == row["change"][measure], (measure, line)


def the_table_shows_the_largest_changes():
    lines = succeeds("diff", "--quiet", BEFORE, AFTER).decode().splitlines()
    assert lines[0].startswith("A  ") and lines[1].startswith("B  ") and lines[2].split()[0] == "verdict", lines
    assert [line.split("  ")[-1] for line in lines[3:9]] == [row["name"] for row in diff(BEFORE, AFTER)["rows"]], lines
    assert lines[9] == "1 slower, 3 noise, 1 new, 1 gone", lines
    short = succeeds("diff", "--quiet", "--top=2", BEFORE, AFTER).decode().splitlines()
    assert short[:5] == lines[:5] and short[5] == "and 4 more: --top=6 shows all", short
    assert "\x1b[31m slower\x1b[0m" in succeeds("diff", "--color=always", "--quiet", BEFORE, AFTER).decode()
    for sort in MEASURES:
        changes = [abs(row["change"][sort]) for row in diff(BEFORE, AFTER, f"--sort={sort}")["rows"]]
        assert changes == sorted(changes, reverse=True), (sort, changes)


def names_are_printed_safely():
    a, b = (write(f"hostile{i}.json", calls("\x1b[31m\n\"x,y", [5 + i])) for i in (0, 1))
    assert b"\x1b" not in succeeds("diff", "--quiet", "--color=never", a, b)
    rows = list(csv.reader(io.StringIO(succeeds("diff", "--csv", "--quiet", a, b).decode(), newline="")))
    assert rows[1][0] == "\x1b[31m\n\"x,y" and len(rows[0]) == len(rows[1]), rows


def every_format_compares():
    paths = [BEFORE, SPALL, DATA / "cpuprofile" / "node_fib.cpuprofile", EXAMPLES / "page-load.json.gz",
             *sorted((DATA / "heph").glob("ok_*"))[:1], *sorted((DATA / "go").glob("**/*.trace"))[:1]]
    assert len(paths) >= 5, paths
    for path in paths:
        for by in ("name", "path"):
            found = diff(path, path, f"--by={by}")
            assert all(row["verdict"] in ("noise", "few") and not any(row["change"].values()) for row in found["rows"]), path
            assert found["a"]["slices"] == found["b"]["slices"] == sum(row["a"]["count"] for row in found["rows"])
        assert diff(path, BEFORE)["b"]["slices"] == 1000
    stats = {row["name"]: row for row in json.loads(succeeds("stats", "--json", "--quiet", paths[3]))["rows"]}
    for row in diff(paths[3], paths[3])["rows"]:
        for measure in ("count", "self", "total", "p50", "p99"):
            assert float(stats[row["name"]][measure]) == row["a"][measure], (measure, row)


def captures_compare_by_names_when_asked():
    found = diff(CAPTURE, CAPTURE, "--by=name")
    assert found["unit"] == "ticks" and found["rows"], found
    slices = slices_of(CAPTURE)
    check_rows(CAPTURE, CAPTURE, found, (slices, slices))
    assert succeeds("diff", "--quiet", CAPTURE, CAPTURE) == b"", "two captures are compared call by call"
    fails("diff", "--quiet", CAPTURE, BEFORE, says="one trace has times and the other does not")
    fails("diff", "--quiet", "--calls=1-3", "--by=path", CAPTURE, CAPTURE, says="use one of them")


def values_of_an_argument_are_compared():
    def requests(name, lengths, url):
        return [dict(event, args={"url": url, "n": 1}) for event in calls(name, lengths)]

    def shifted(events, tid):
        return [dict(event, tid=tid) for event in events]

    rest = calls("other", [7] * 20, tid=3)  # without the argument
    before = write("urls_a.json", [*requests("get", [10 + i % 5 for i in range(40)], "/a"), *shifted(requests("put", [20] * 30, "/b"), 2), *rest])
    after = write("urls_b.json", [*requests("get", [30 + i % 5 for i in range(40)], "/a"), *shifted(requests("put", [20] * 30, "/c"), 2), *rest])
    found = diff(before, after, "--by=arg:url")
    assert found["by"] == "arg:url" and (found["a"]["slices"], found["b"]["slices"]) == (70, 70), found
    assert {row["name"]: row["verdict"] for row in found["rows"]} == {"/a": "slower", "/b": "gone", "/c": "new"}, found
    by_name = {row["name"]: row for row in diff(before, after)["rows"]}
    row = next(row for row in found["rows"] if row["name"] == "/a")
    for key in ("p", "a", "b", "change", "percent"):
        assert row[key] == by_name["get"][key], key
    assert [row["name"] for row in diff(before, after, "--by=arg:n")["rows"]] == ["1"]
    assert succeeds("diff", "--quiet", "--by=arg:url", before, before).decode().splitlines()[2] == "A and B are equal: 2 values with the same counts and times"
    table = succeeds("diff", "--quiet", "--by=arg:url", before, after).decode().splitlines()
    assert table[2].endswith("  arg:url") and table[3].split()[0] == "slower" and table[3].endswith("  /a"), table
    assert succeeds("diff", "--quiet", "--csv", "--by=arg:url", before, after).startswith(b"arg:url,verdict,")
    packed = SCRATCH / "urls_b.json.gz"
    packed.write_bytes(gzip.compress(after.read_bytes()))
    assert diff(before, packed, "--by=arg:url")["rows"] == found["rows"]
    fails("diff", "--by=arg:none", before, after, says="--by=arg:none: no slice has this argument")
    fails("diff", "--by=arg:", before, after, says="--by must be name, path or arg:KEY, not 'arg:'")


def equal_traces_are_called_equal():
    one, longer = write("f5.json", calls("f", [5] * 9)), write("f6.json", calls("f", [5] * 8 + [6]))
    later = write("f5_later.json", calls("f", [5] * 9, ts=9000))
    other = write("g5.json", calls("g", [5] * 9))
    for a, b, is_equal in ((one, one, True), (one, later, True), (one, longer, False), (one, other, False), (BEFORE, BEFORE, True), (BEFORE, AFTER, False)):
        for by, noun in (("name", "name"), ("path", "path")):
            found = diff(a, b, f"--by={by}")
            assert found["equal"] is is_equal, (a, b, by)
            lines = succeeds("diff", "--quiet", f"--by={by}", a, b).decode().splitlines()
            count = len(found["rows"])
            line = f"A and B are equal: {count} {noun}{'s' if count != 1 else ''} with the same counts and times"
            assert (lines[2:] == [line]) is is_equal, lines


def traces_may_be_empty_or_extreme():
    none = write("none.json", [{"ph": "i", "pid": 1, "tid": 1, "ts": 1, "name": "x"}])
    one = write("one.json", calls("f", [5]))
    equal = write("equal.json", calls("f", [5] * 100))
    zero = write("zero.json", [{"ph": "X", "pid": 1, "tid": 1, "ts": 5, "dur": 0, "name": "f"}] * 100)
    huge = write("huge.json", [{"ph": "X", "pid": 1, "tid": i, "ts": 0, "dur": 9e15, "name": "f"} for i in range(2000)])
    many = write("many.json", calls("f", [1 + i % 7 for i in range(30000)]))
    files = (none, one, equal, zero, huge, many)
    for a in files:
        for b in files:
            for by in ("name", "path"):
                found = diff(a, b, f"--by={by}")
                for row in found["rows"]:
                    assert row["p"] is None or 0 <= row["p"] <= row["q"] <= 1, row
                    assert a is not b or row["verdict"] in ("noise", "few"), row
    assert succeeds("diff", "--quiet", none, none).endswith(b"no slices in either trace\n")
    assert diff(none, none)["equal"] is True and diff(none, one)["equal"] is False
    assert diff(none, one)["rows"][0]["verdict"] == "new" and diff(one, none)["rows"][0]["verdict"] == "gone"
    assert diff(equal, zero)["rows"][0]["verdict"] == "faster" and diff(one, many)["rows"][0]["verdict"] == "few"
    deep = write("deep.json", [{"ph": "B", "pid": 1, "tid": 1, "ts": i, "name": f"f{i % 3}"} for i in range(3000)])
    assert len(diff(deep, deep, "--by=path")["rows"]) == 3000


def the_same_input_gives_the_same_bytes():
    a, b = made_pair()
    for options in ((), ("--json",), ("--csv", "--by=path")):
        first = succeeds("diff", "--quiet", *options, a, b)
        assert first == succeeds("diff", "--quiet", "--threads=1", *options, a, b), options
        assert first == succeeds("diff", "--quiet", *options, a, b), options


def standard_input_is_a_trace():
    with open(AFTER, "rb") as after:
        done = varve("diff", "--quiet", "--json", BEFORE, "-", stdin=after)
    assert done.returncode == 0 and json.loads(done.stdout)["rows"] == diff(BEFORE, AFTER)["rows"], done.stderr
    fails("diff", "-", "-", says="only one of the two traces")


def usage_is_checked():
    fails("diff", BEFORE, says="diff needs two FILEs")
    fails("diff", BEFORE, AFTER, "--by=size", says="--by must be name, path or arg:KEY")
    fails("diff", BEFORE, AFTER, "--sort=size", says="--sort must be self, total, count, average, self_average, p50 or p99, not 'size'")
    fails("diff", BEFORE, AFTER, "--top=0", says="--top must be a number of at least 1, not '0'")
    fails("diff", BEFORE, AFTER, "--json", "--csv", says="only one of --json and --csv")
    for text in ("x", "-5", "nan", "1e3", ".", "5%%", "0x10"):
        fails("diff", BEFORE, AFTER, f"--fail-above={text}", says="--fail-above must be a percentage")
    fails("diff", BEFORE, SCRATCH / "missing.json", says="missing.json", status=2)


tap.run([numbers_and_verdicts_are_those_of_the_dump, ranges_cut_both, each_trace_has_a_range_of_its_own, ranges_count_from_the_aligned_slices,
         threads_are_chosen, a_function_that_got_slower_is_found, chance_is_noise, phases_of_the_machine_are_noise,
         the_limit_sets_the_status, csv_has_the_numbers_of_json, the_table_shows_the_largest_changes,
         names_are_printed_safely, every_format_compares, captures_compare_by_names_when_asked,
         values_of_an_argument_are_compared, equal_traces_are_called_equal, traces_may_be_empty_or_extreme, the_same_input_gives_the_same_bytes, standard_input_is_a_trace,
         usage_is_checked])
