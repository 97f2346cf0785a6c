#!/usr/bin/env python3
"""`varve flame` and the viewer's request `flame` end to end: their graphs equal those computed from `varve dump
--json`.

usage: flame_cli_test.py VARVE DATA_DIR EXAMPLES_DIR   (DATA_DIR: test/data)
"""

import contextlib
import json
import struct
import sys
import urllib.parse
import xml.etree.ElementTree
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import brute_force  # noqa: E402
import tap  # noqa: E402
from command import dump, fails, info, succeeds, varve  # noqa: E402
from viewer import Viewer  # noqa: E402

DATA, EXAMPLES = Path(sys.argv[2]).resolve(), Path(sys.argv[3]).resolve()
SCRATCH = tap.scratch_folder("flame")
SPALL, SMALL = DATA / "spall" / "v3_threads.spall", DATA / "cli" / "ok_small.json"
PAGE, PROFILE = EXAMPLES / "page-load.json.gz", DATA / "cpuprofile" / "node_fib.cpuprofile"
MADE = SCRATCH / "made.json"


def write_made():
    """Recursion, siblings of one name, a name with a semicolon, CPU times, two threads."""
    events, ts = [], 0

    def call(name, tid, *inner):
        nonlocal ts
        events.append({"ph": "B", "pid": 1, "tid": tid, "ts": ts, "name": name})
        ts += 3
        for each in inner:
            call(each[0], tid, *each[1:])
        ts += 4
        events.append({"ph": "E", "pid": 1, "tid": tid, "ts": ts})
        ts += 1

    for tid in (1, 2):
        for _ in range(3):
            call("main", tid, ("f", ("f", ("g",)), ("g", ("f",))), ("a;b",), ("g",))
    MADE.write_text(json.dumps(events))


def slices_of(path, begin=-(1 << 70), end=1 << 70, thread=None):
    """Returns the slices of threads in the range, with the slices in the range around them."""
    lines = [line for line in dump(path) if thread is None or line.get("tid") == thread]
    return brute_force.slices_of(lines, (begin, end))


def folded(*arguments):
    rows = Counter()
    for line in succeeds("flame", "--quiet", "--folded", *arguments).decode().splitlines():
        path, weight = line.rsplit(" ", 1)
        assert path not in rows, line
        rows[path] = int(weight)
    return rows


def text_of(path):
    return brute_force.folded_path(path)


def sums(slices, weight, path=lambda one: one.path):
    return brute_force.folded(slices, weight, path)


def ticks_are_ns(path):
    return info(path)["time"]["ns_per_tick"]


def ns(rows, path):
    num, den = ticks_are_ns(path)
    return Counter({key: (2 * value * num + den) // (2 * den) for key, value in rows.items()})


def own(one):
    return one.own


def self_times_and_counts_are_those_of_the_dump():
    for path in (MADE, SMALL, SPALL, PAGE):
        slices = slices_of(path)
        assert slices, path
        assert folded(path) == ns(sums(slices, own), path), path
        assert folded(path, "--by=count") == sums(slices, lambda one: 1), path


def ranges_clip():
    for path in (MADE, SPALL, PAGE):
        time = info(path)["time"]
        num, den = time["ns_per_tick"]
        span = time["end_ns"] - time["begin_ns"]
        for first, last in ((span // 3, span // 2), (0, span // 7), (span // 5, span - 1)):
            if (num, den) != (1, 1):  # a range in ns is rounded to ticks; these are whole ones
                first, last = (ns_ // 1000 * 1000 for ns_ in (first, last))
            begin, end = (time["begin_tick"] + at * den // num for at in (first, last))
            if any((at * den) % num for at in (first, last)):
                continue
            expected = ns(sums(slices_of(path, begin, end), own), path)
            assert folded(path, f"--range={first}ns..{last}ns") == expected, (path, first, last)


def threads_are_chosen():
    assert folded(MADE, "--thread=2") == ns(sums(slices_of(MADE, thread=2), own), MADE)
    fails("flame", "--quiet", "--folded", "--thread=missing", MADE, says="--thread=missing: no thread")


def inverted_graphs_weigh_self_times():
    for path in (MADE, SPALL):
        slices = slices_of(path)
        expected = ns(sums(slices, own, lambda one: one.path[::-1]), path)
        assert folded(path, "--inverted", "--by=self") == folded(path, "--inverted") == expected, path
        counts = sums(slices, lambda one: 1, lambda one: one.path[::-1])
        assert folded(path, "--inverted", "--by=count") == counts, path


def whole_times_of_recursive_frames_count_once():
    slices = [one for one in slices_of(MADE) if one.name not in one.path[:-1]]
    assert folded(MADE, "--inverted", "--by=total") == ns(sums(slices, lambda one: one.inside, lambda one: one.path[::-1]), MADE)


def one_name_has_callers_and_callees():
    slices = [one for one in slices_of(MADE) if "f" in one.path]
    assert folded(MADE, "--name=f") == ns(sums(slices, own, lambda one: one.path[one.path.index("f"):]), MADE)
    outermost = [one for one in slices if one.name == "f" and "f" not in one.path[:-1]]
    assert folded(MADE, "--name=f", "--inverted") == ns(
        sums(outermost, lambda one: one.inside, lambda one: one.path[::-1]), MADE)
    fails("flame", "--quiet", "--folded", "--name=nothing", MADE, says="--name=nothing: no slice")


def found(path, text, *options):
    """Returns the slices that `varve find` lists, as (thread, begin, name)."""
    lines = [json.loads(line) for line in succeeds("find", "--quiet", "--json", *options, path, text).splitlines()]
    return {(line.get("tid"), line["begin_tick"], line["name"]) for line in lines if line["kind"] == "slice"}


def searches_have_the_matches_and_their_callees():
    for path, text in ((MADE, "name:=g"), (MADE, ">10us"), (MADE, "f thread:2"), (SPALL, ">1us"), (PAGE, "name:EvaluateScript"),
                       (PAGE, "url=http"), (PAGE, "name:RunTask >5ms")):
        matches, slices = found(path, text), slices_of(path)
        assert 0 < len(matches) < len(slices), (path, text)
        expected = []
        for one in slices:
            first = next((i for i, around in enumerate(one.around) if (around.line.get("tid"), around.begin, around.name) in matches), None)
            if first is not None:
                one.path = one.path[first:]
                expected.append(one)
        assert folded(path, f"--find={text}") == ns(sums(expected, own), path), (path, text)
        assert folded(path, f"--find={text}", "--by=count", "--inverted") == sums(expected, lambda one: 1, lambda one: one.path[::-1])
    assert folded(MADE, "--find=name:=f", "--thread=2") == folded(MADE, "--name=f", "--thread=2")
    fails("flame", "--quiet", "--folded", "--find=nothing", MADE, says="--find=nothing: no slice matches")
    fails("flame", "--quiet", "--folded", "--find=/(/", MADE, says="regular expression, byte 1: missing closing parenthesis")
    fails("flame", "--folded", "--find=x", "--waits=sync", MADE, says="--find is for slices, not for --waits")


def recursion_collapses():
    def collapsed(one):
        return tuple(name for i, name in enumerate(one.path) if i == 0 or one.path[i - 1] != name)
    assert folded(MADE, "--collapse") == ns(sums(slices_of(MADE), own, collapsed), MADE)
    assert any("f;f" in path for path in folded(MADE)) and not any("f;f" in path for path in folded(MADE, "--collapse"))


def without(path, names):
    return tuple(name for name in path if name not in names)


def frames_of_a_name_are_hidden():
    for path, names in ((MADE, ("f",)), (MADE, ("main", "f")), (MADE, ("main", "f", "g", "a;b")), (PAGE, ("ThreadControllerImpl::RunTask", "FunctionCall"))):
        slices, hide = slices_of(path), [f"--hide={name}" for name in names]
        assert {one.name for one in slices}.issuperset(names)
        expected = ns(sums(slices, own, lambda one: without(one.path, names)), path)
        expected.pop("", None)  # the time of hidden frames that are outermost
        assert folded(path, *hide) == expected, (path, names)
        shown = [one for one in slices if one.name not in names]
        counts = sums(shown, lambda one: 1, lambda one: without(one.path, names))
        assert folded(path, "--by=count", *hide) == counts, (path, names)
        assert folded(path, "--by=count", "--inverted", *hide) == sums(shown, lambda one: 1, lambda one: without(one.path, names)[::-1])
    assert folded(MADE, "--hide=nothing") == folded(MADE)
    drawn = succeeds("flame", "--quiet", MADE, "-o", "-", "--to=svg", "--hide=f", "--hide=nothing", "--hide=g")
    assert b"made.json: total, without f, g<" in drawn
    fails("flame", "--folded", MADE, *["--hide=f"] * 65, says="--hide: 64 names at most")
    fails("flame", "--folded", "--hide=f", "--waits=sync", MADE, says="--hide is for slices, not for --waits")


def requests_hide_frames():
    with served(MADE) as ask:
        labels = {each["name"]: each["label"] for each in json.loads(ask())["names"]}
        for names in (("f",), ("main", "g")):
            hidden = ",".join(str(labels[name]) for name in names)
            for kind in ("folded", "svg", "json"):
                command = succeeds("flame", "--quiet", MADE, "-o", "-", f"--to={kind}", *(f"--hide={name}" for name in names))
                assert ask(to=kind, theme="light", without=hidden) == command, (names, kind)
            for path, (*_, key) in all_rows(ask, without=hidden)[0].items():
                if path:
                    expected = [one for one in slices_of(MADE) if one.name not in names and without(one.path, names) == path]
                    assert json.loads(ask(to="slices", at=key, without=hidden))["count"] == len(expected) > 0, (names, path)
    with Viewer("--port=0", MADE) as viewer:
        viewer.wait_until_ready()
        for wrong in ("f", "1,", "99999", ",".join(["1"] * 65)):
            assert viewer.ask(f"api/flame?trace=0&without={wrong}")[0] == 400, wrong


def json_has_every_frame():
    for path, options in ((MADE, ()), (PAGE, ()), (MADE, ("--inverted", "--by=self"))):
        found = json.loads(succeeds("flame", "--quiet", path, "-o", "-", "--to=json", *options))
        frames, paths = found["frames"], []
        assert found["unit"] == "ns" and frames, found
        for i, frame in enumerate(frames):
            assert frame["parent"] is None or frame["parent"] < i, frame
            above = () if frame["parent"] is None else paths[frame["parent"]]
            paths.append((*above, frame["name"] or "(none)"))
        selves = Counter({text_of(at): frame["self"] for at, frame in zip(paths, frames) if frame["self"] > 0})
        assert selves == folded(path, *options), (path, options)
        for i, frame in enumerate(frames):
            inner = sum(other["total"] for other in frames if other["parent"] == i)
            assert abs(frame["total"] - frame["self"] - inner) <= len(frames), (path, frame)


def cpu_times_are_added_up():
    known = Counter()
    for line in succeeds("dump", "--json", "--quiet", PAGE).splitlines():
        line = json.loads(line)
        if line["kind"] == "slice" and line["depth"] == 0 and "tdur" in line.get("other", {}):
            known[line["name"]] += round(line["other"]["tdur"] * 1000)
    frames = json.loads(succeeds("flame", "--quiet", PAGE, "-o", "-", "--to=json", "--by=cpu"))["frames"]
    found = {frame["name"]: frame.get("cpu_ns", 0) for frame in frames if frame["parent"] is None}
    assert known and all(found[name] >= ns_ for name, ns_ in known.items()), (known, found)


def samples_are_a_graph_too():
    rows = folded(PROFILE)
    assert rows and any(path.count(";") > 2 for path in rows), rows
    assert rows == folded(PROFILE, "--samples")


def changes_are_those_of_both_traces():
    before, after = DATA / "compare" / "before.json.gz", DATA / "compare" / "after.json.gz"
    for options, weight in (((), own), (("--by=count",), lambda one: 1)):
        old, new = (sums(slices_of(path), weight) for path in (before, after))
        factor = 1 if options else ns_factor(after)
        for trace, other, a, b in ((after, before, old, new), (before, after, new, old)):
            frames = json.loads(succeeds("flame", trace, f"--against={other}", "--quiet", "-o", "-", "--to=json", *options))["frames"]
            paths = []
            for frame in frames:
                paths.append((*(() if frame["parent"] is None else paths[frame["parent"]]), frame["name"]))
                path = text_of(paths[-1])
                assert frame["before"] == a[path] * factor and frame["change"] == (b[path] - a[path]) * factor, frame
            assert {text_of(path) for path in paths} >= set(b), paths


def ns_factor(path):
    num, den = ticks_are_ns(path)
    return num / den


def changes_are_red_and_blue():
    before, after = DATA / "compare" / "before.json.gz", DATA / "compare" / "after.json.gz"

    def fills(*arguments):
        root = xml.etree.ElementTree.fromstring(succeeds("flame", "--quiet", "-o", "-", "--to=svg", *arguments))
        space = "{http://www.w3.org/2000/svg}"
        boxes = [box for box in root.iter(space + "g") if box.get("class") == "f"]
        return {box.find(space + "title").text.split("\n")[0]: (box.find(space + "rect").get("fill"),
                                                               box.find(space + "title").text) for box in boxes}

    def redness(fill):
        return int(fill[1:3], 16) - int(fill[5:7], 16)

    slower, faster = fills(after, f"--against={before}"), fills(before, f"--against={after}")
    assert redness(slower["parse"][0]) > 80 and "self before 32.82 ms (+18.1 %)" in slower["parse"][1], slower
    assert redness(faster["parse"][0]) < -80, faster
    assert slower["write_log"][1].endswith(", new") and redness(slower["write_log"][0]) > 40, slower
    assert abs(redness(slower["request"][0])) < 20, "the self time of request is the same"
    same = {fill for fill, _ in fills(after, f"--against={after}").values()}
    assert len(same) == 1, same
    assert len({fill for fill, _ in fills(after, "--inverted", f"--against={before}").values()}) > 2
    for kind in ("png", "html"):
        assert succeeds("flame", "--quiet", after, f"--against={before}", "-o", "-", f"--to={kind}")
    assert succeeds("flame", "--quiet", after, f"--against={before}", "--name=write_log", "-o", "-", "--to=json")
    fails("flame", after, "--folded", f"--against={before}", says="folded lines have no changes")
    capture = DATA / "apitrace" / "groups_threads.trace"
    fails("flame", "--quiet", after, "-o", "x.svg", f"--against={capture}", says="one trace has times")
    fails("flame", after, "-o", "x.svg", "--waits=sync", f"--against={before}", says="--against is for slices")
    fails("flame", "--quiet", after, "-o", "x.svg", "--against=missing.json", says="missing.json", status=2)


def pages_need_no_other_file():
    for kind in ("svg", "html"):
        out = SCRATCH / f"out.{kind}"
        succeeds("flame", "--quiet", PAGE, "-o", out)
        text = out.read_text()
        assert "<script>" in text and "http" not in text.replace("http://www.w3.org/2000/svg", ""), kind
    root = xml.etree.ElementTree.parse(SCRATCH / "out.svg").getroot()
    boxes = [g for g in root.iter("{http://www.w3.org/2000/svg}g") if g.get("class") == "f"]
    assert len(boxes) > 100, len(boxes)
    for box in boxes:
        assert 0 <= float(box.get("data-x")) and float(box.get("data-x")) + float(box.get("data-w")) <= 1 + 1e-6
    first = succeeds("flame", "--quiet", PAGE, "-o", "-", "--to=svg")
    assert first == succeeds("flame", "--quiet", "--threads=1", PAGE, "-o", "-", "--to=svg"), "same input, same bytes"


def hostile_names_stay_text():
    names = ["</title><script>alert(1)</script>", "]]>", "\u0001\ufffe&\"<>", "x" * 5000, ""]
    path = SCRATCH / "hostile.json"
    path.write_text(json.dumps([{"ph": "X", "pid": 1, "tid": 1, "ts": 10 * i, "dur": 5, "name": name}
                                for i, name in enumerate(names)]))
    for theme in ("light", "dark"):
        svg = succeeds("flame", "--quiet", path, "-o", "-", "--to=svg", f"--theme={theme}")
        root = xml.etree.ElementTree.fromstring(svg)
        assert len(list(root.iter("{http://www.w3.org/2000/svg}script"))) == 1
    assert len(folded(path)) == len(names)


def names_have_the_colours_of_the_trace():
    path = SCRATCH / "coloured.json"
    path.write_text(json.dumps([{"ph": "X", "pid": 1, "tid": 1, "ts": 10 * i, "dur": 5, "name": name, **more}
                                for i, (name, more) in enumerate((("a", {}), ("b", {"cname": "#3060f0"}), ("b", {})))]))
    root = xml.etree.ElementTree.fromstring(succeeds("flame", "--quiet", path, "-o", "-", "--to=svg", "--theme=light"))
    space = "{http://www.w3.org/2000/svg}"
    fills = {g.find(f"{space}title").text.split("\n")[0]: g.find(f"{space}rect").get("fill") for g in root.iter(f"{space}g") if g.get("class") == "f"}
    assert fills["b"] == "#3060f0" and fills["a"] != fills["b"], fills


def pictures_have_a_size():
    out = SCRATCH / "out.png"
    succeeds("flame", "--quiet", PAGE, "-o", out)
    head = out.read_bytes()[:24]
    assert head[:8] == b"\x89PNG\r\n\x1a\n" and struct.unpack(">II", head[16:24])[0] == 1600, head
    again = SCRATCH / "again.png"
    succeeds("flame", "--quiet", PAGE, "-o", again)
    assert out.read_bytes() == again.read_bytes()


def nothing_is_an_empty_graph():
    path = SCRATCH / "empty.json"
    path.write_text('[{"ph":"i","name":"x","pid":1,"tid":1,"ts":1}]')
    assert succeeds("flame", "--quiet", "--folded", path) == b""
    for kind in ("svg", "html", "png", "json"):
        assert succeeds("flame", "--quiet", path, "-o", "-", f"--to={kind}"), kind


@contextlib.contextmanager
def served(path):
    """Returns a function that requests a flame graph from `varve open` on a file."""
    with Viewer("--port=0", path) as viewer:
        viewer.wait_until_ready()

        def ask(**parameters):
            return in_steps(viewer, f"flame?{urllib.parse.urlencode({'trace': 0, **parameters})}")[1]
        yield ask


def all_rows(ask, **parameters):
    """Returns the frames of all pages, by path: (count, total, self, flags), and the last page."""
    paths, row, columns = {}, 0, []
    while True:
        page = json.loads(ask(row=row, parts=4096, **parameters))
        assert len(page["frames"]) <= 4096, "an answer is bounded"
        for depth, name, begin, share, count, total, self_, _, marks, key in page["frames"]:
            above = next((path for at, end, path in reversed(columns)
                          if len(path) == depth - 1 and at - 1e-9 <= begin and begin + share <= end + 1e-9), ())
            path = (*above, page["names"][name]["name"] or "(none)") if depth else ()
            assert path not in paths, path
            paths[path] = (count, int(total), int(self_), marks, key)
            columns.append((begin, begin + share, path))
        row = page["next_row"]
        if row >= page["rows"]:
            return paths, page


def wide(rows, least):
    return {path: weight for path, weight in rows.items() if weight >= least}


def requests_have_the_numbers_of_the_dump():
    for path in (MADE, SPALL, PAGE):
        num, den = ticks_are_ns(path)
        slices = slices_of(path)
        whole = sums(slices, lambda one: one.inside)
        selves, counts = sums(slices, own), sums(slices, lambda one: 1)
        every = sum(weight for name, weight in whole.items() if ";" not in name)
        with served(path) as ask:
            found, page = all_rows(ask)
            assert int(page["all"]["total"]) == (2 * every * num + den) // (2 * den), page["all"]
            frames = {text_of(at): numbers for at, numbers in found.items() if at}
            expected = wide(whole, every / 4096)
            assert set(expected) - set(frames) <= set(wide(expected, every / 4096 * 1.001)) - set(frames), path
            assert len(frames) >= len(wide(whole, every / 4096 * 1.001)) > 5, path
            for name, (count, total, self_, _, _) in frames.items():
                assert count == counts[name], (path, name)
                assert total == (2 * whole[name] * num + den) // (2 * den), (path, name)
                assert self_ == (2 * selves[name] * num + den) // (2 * den), (path, name)


def requests_cut_time_and_turn_upside_down():
    with served(MADE) as ask:
        slices = slices_of(MADE, 20000, 90000)
        assert {text_of(at): n[2] for at, n in all_rows(ask, begin=20000, end=90000)[0].items() if at and n[2]} == sums(slices, own)
        slices = slices_of(MADE)
        upside = {text_of(at): n[0] for at, n in all_rows(ask, tree="inverted", by="self")[0].items() if at}
        first = Counter(one.name.replace(";", ":") for one in slices)
        assert {name: n for name, n in upside.items() if ";" not in name} == first
        callers = all_rows(ask, tree="callers", name="g")[0]
        assert callers[("g",)][0] == first["g"] and ("g", "f") in callers
        assert all(at[0] == "f" for at in all_rows(ask, tree="callees", name="f", recursion="collapsed")[0] if at)
        assert not any("f;f" in text_of(at) for at in all_rows(ask, recursion="collapsed")[0])


def requests_zoom_search_and_mark():
    with served(MADE) as ask:
        frames, _ = all_rows(ask)
        inner, page = all_rows(ask, at=frames[("main", "f")][4], find="G")
        assert [each["name"] for each in page["path"]] == ["main", "f"] and 0 < page["share"] < 1
        assert sum(marks & 1 for at, (*_, marks, _) in inner.items()) == page["found"]["frames"] > 0
        outermost = [one for one in slices_of(MADE) if one.path[:2] == ("main", "f") and one.name == "g"]
        whole = sum(one.inside for one in slices_of(MADE) if one.path == ("main", "f"))
        assert abs(page["found"]["share"] - sum(one.inside for one in outermost) / whole) < 1e-9
        dumped = [json.loads(line) for line in succeeds("dump", "--json", "--quiet", MADE).splitlines()]
        assert any(line["name"] == "g" for line in dumped)
        for slice_ in range(3):
            marked, page = all_rows(ask, slice=slice_)
            path = [at for at, (*_, marks, _) in marked.items() if marks & 4]
            assert len(path) == 1 and page["selected"] == marked[path[0]][4], (slice_, path)
            assert all(marked[path[0][:i + 1]][3] & 2 for i in range(len(path[0]))), path


LONG = SCRATCH / "long.spall"
LONG_PAIRS = 700_000


def write_long():
    """Slices of two names, "outer" around "inner", more than a step of a count reads."""
    def begin(name, when):
        return struct.pack("<BBIIdBB", 3, 0, 1, 1, when, len(name), 0) + name

    pairs = (begin(b"outer", 10 * i) + begin(b"inner", 10 * i + 2) + struct.pack("<BIId", 4, 1, 1, 10 * i + 5)
             + struct.pack("<BIId", 4, 1, 1, 10 * i + 9) for i in range(LONG_PAIRS))
    LONG.write_bytes(struct.pack("<QQdQ", 0x0BADF00D, 1, 1.0, 0) + b"".join(pairs))


def in_steps(viewer, request, most=200):
    """Returns the shares that the steps of a request report, and its answer."""
    shares = []
    for _ in range(most):
        status, headers, body = viewer.ask(f"api/{request}")
        if status == 200:
            return shares, body
        assert status == 202 and headers["content-type"] == "application/json" and "etag" not in headers, (status, headers)
        assert headers["cache-control"] == "no-store", headers
        shares.append(json.loads(body)["share"])
    raise AssertionError((request, shares))


def long_requests_go_on_in_steps():
    write_long()
    with Viewer("--port=0", LONG) as viewer:
        viewer.wait_until_ready()
        for request in ("flame?trace=0", "stats?trace=0", "flame?trace=0&search=name:inner&in=names", "stats?trace=0&by=thread"):
            shares, _ = in_steps(viewer, request)
            assert len(shares) > 1 and shares == sorted(shares) and 0 < shares[0] and shares[-1] < 1, (request, shares)
            assert in_steps(viewer, request)[0] == [], "an answer that is there is kept"
        for request in ("find?trace=0&text=inner", "profile?trace=0&by=path"):
            shares, body = in_steps(viewer, request)
            assert len(shares) > 0 and shares == sorted(shares) and 0 < shares[0] and shares[-1] < 1, (request, shares)
        assert json.loads(in_steps(viewer, "find?trace=0&text=inner&move=previous")[1])["count"] == LONG_PAIRS
        for _ in range(200):  # the profile of the request "compare" is made in steps, too, which need no body
            status, _, answer = viewer.ask("api/compare?trace=0&by=path", method="POST", body=b"")
            if status == 200:
                break
            assert status == 202, (status, answer)
        assert answer == b"null", answer
        status, _, answer = viewer.ask("api/compare?trace=0&by=path", method="POST", body=body)
        assert status == 200, (status, answer)
        rows = json.loads(answer)["rows"]
        assert sorted(row["a"]["count"] for row in rows) == [LONG_PAIRS] * 2 and all(row["a"] == row["b"] for row in rows), rows
        # Steps of several requests alternate: each continues from its last step.
        requests = [f"flame?trace=0&begin=0&end={end}" for end in (6_000_000, 6_500_000)] + ["stats?trace=0&begin=5"]
        first = [viewer.ask(f"api/{request}") for request in requests]
        assert [status for status, *_ in first] == [202] * 3
        for request, (_, _, body) in zip(requests, first):
            shares, _ = in_steps(viewer, request)
            assert all(share > json.loads(body)["share"] for share in shares), (request, shares)
        body = in_steps(viewer, "flame?trace=0&to=folded")[1]
        assert body == succeeds("flame", "--quiet", "--folded", LONG)
        rows = {row["name"]: row for row in json.loads(in_steps(viewer, "stats?trace=0")[1])["rows"]}
        lines = json.loads(succeeds("stats", "--quiet", "--json", LONG))["rows"]
        assert len(lines) == 2 and all(rows[line["name"]]["count"] == LONG_PAIRS == line["count"] for line in lines), lines
        assert all(int(rows[line["name"]]["p50"]["ns"]) == line["p50"] for line in lines), (rows, lines)


def frames_have_the_slices_with_their_path():
    with served(MADE) as ask:
        dumped = [json.loads(line) for line in succeeds("dump", "--json", "--quiet", MADE).splitlines()]
        assert dumped
        slices = slices_of(MADE)

        def collapsed(path):
            return tuple(name for i, name in enumerate(path) if i == 0 or path[i - 1] != name)

        def from_f(path):
            return path[path.index("f"):] if "f" in path else None
        for parameters, path_of in (({}, lambda path: path), ({"recursion": "collapsed"}, collapsed), ({"tree": "callees", "name": "f"}, from_f),
                                    ({"begin": 20000, "end": 90000}, None)):
            if path_of is None:
                slices, path_of = slices_of(MADE, 20000, 90000), lambda path: path
            for path, (*_, key) in all_rows(ask, **parameters)[0].items():
                if path:
                    found = json.loads(ask(to="slices", at=key, **parameters))
                    expected = [one for one in slices if path_of(one.path) == path]
                    assert found["count"] == len(expected) == len(found["slices"]) > 0, (parameters, path, found)
                    assert sorted(int(place["extent"]) for place in found["slices"]) == sorted(one.end - one.begin for one in expected)
        slices = slices_of(MADE)
        for tree in ({"tree": "inverted"}, {"tree": "callers", "name": "g"}):
            for path, (*_, key) in all_rows(ask, **tree)[0].items():
                if path:
                    expected = [one for one in slices if one.path[::-1][:len(path)] == path]
                    assert json.loads(ask(to="slices", at=key, **tree))["count"] == len(expected), (tree, path)
        slices = [one for one in slices if one.name == "g"]
        assert json.loads(ask(to="slices", at=all_rows(ask, search="name:=g")[0][("g",)][4], search="name:=g"))["count"] == len(slices)
    with Viewer("--port=0", DATA / "go" / "go126_mixed.trace") as viewer:
        viewer.wait_until_ready()
        assert viewer.ask("api/flame?trace=0&source=sync&to=slices&at=1")[0] == 400


def requests_take_the_matches_of_a_search():
    for path, text in ((MADE, "name:=g"), (PAGE, "name:RunTask >5ms"), (PAGE, "url=http")):
        with served(path) as ask:
            assert ask(to="folded", search=text) == succeeds("flame", "--quiet", "--folded", f"--find={text}", path), (path, text)
    with Viewer("--port=0", MADE) as viewer:
        viewer.wait_until_ready()
        assert viewer.ask("api/flame?trace=0&search=%3E5")[0] == 400
        assert viewer.ask("api/flame?trace=0&search=g&in=words")[0] == 400


def requests_save_the_bytes_of_the_command():
    for path, options, parameters in ((MADE, (), {}), (PAGE, ("--inverted", "--by=self"), {"tree": "inverted", "by": "self"}),
                                      (MADE, ("--name=f", "--collapse"), {"tree": "callees", "name": "f", "recursion": "collapsed"})):
        with served(path) as ask:
            for kind in ("folded", "svg", "html", "json"):
                command = succeeds("flame", "--quiet", path, "-o", "-", f"--to={kind}", *options)
                assert command == ask(to=kind, theme="light", **parameters), (path, kind)


def waits_are_a_graph_too():
    trace = DATA / "go" / "go126_mixed.trace"
    for kind in ("net", "sync", "syscall", "sched"):
        lines = succeeds("go", trace, kind, "--folded")
        assert lines == succeeds("flame", "--quiet", f"--waits={kind}", "--folded", trace), kind
        with served(trace) as ask:
            assert lines == ask(source=kind, to="folded"), kind
            command = succeeds("flame", "--quiet", trace, f"--waits={kind}", "-o", "-", "--to=svg")
            assert command == ask(source=kind, to="svg", theme="light") and b" wait" in command, kind
    counts = folded("--waits=sync", trace, "--by=count")
    assert sum(counts.values()) == sum(folded("--waits=sync", trace, "--by=count", "--inverted").values()) == 722, counts
    frames = json.loads(succeeds("flame", "--quiet", trace, "--waits=sync", "-o", "-", "--to=json"))["frames"]
    assert sum(frame["count"] for frame in frames if frame["parent"] is None) == 722
    fails("flame", "--folded", "--waits=lunch", trace, says="--waits must be net, sync, syscall or sched")
    fails("flame", "--quiet", "--folded", "--waits=sync", MADE, says="--waits is for Go traces")
    fails("flame", "--folded", "--waits=sync", "--thread=1", trace, says="--waits covers all goroutines")


def usage_is_checked():
    fails("flame", MADE, says="flame needs -o OUT")
    fails("flame", MADE, "-o", "out.txt", says="must be svg, html, png, json or folded")
    fails("flame", MADE, "--folded", "--by=size", says="--by must be total, self, count or cpu")
    fails("flame", MADE, "--folded", "--to=svg", says="not both")


write_made()
tap.run([self_times_and_counts_are_those_of_the_dump, ranges_clip, threads_are_chosen,
         inverted_graphs_weigh_self_times, whole_times_of_recursive_frames_count_once,
         one_name_has_callers_and_callees, searches_have_the_matches_and_their_callees, recursion_collapses, frames_of_a_name_are_hidden, requests_hide_frames, json_has_every_frame, cpu_times_are_added_up,
         samples_are_a_graph_too, changes_are_those_of_both_traces, changes_are_red_and_blue,
         pages_need_no_other_file, hostile_names_stay_text, names_have_the_colours_of_the_trace, pictures_have_a_size,
         nothing_is_an_empty_graph, requests_have_the_numbers_of_the_dump, requests_cut_time_and_turn_upside_down,
         requests_zoom_search_and_mark,
         requests_take_the_matches_of_a_search, frames_have_the_slices_with_their_path, long_requests_go_on_in_steps, requests_save_the_bytes_of_the_command, waits_are_a_graph_too, usage_is_checked])
