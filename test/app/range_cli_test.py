#!/usr/bin/env python3
"""`--range` end to end: what every command leaves out, and what it keeps.

usage: range_cli_test.py VARVE DATA_DIR   (DATA_DIR: test/data)
"""

import gzip
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import tap  # noqa: E402

VARVE, DATA = os.path.abspath(sys.argv[1]), Path(sys.argv[2]).resolve()
SCRATCH = Path(tempfile.mkdtemp(prefix="varve-range-"))
GO = [DATA / "go" / name for name in ("go119_net.trace", "go119_syscalls.trace", "go126_mixed.trace")]


def varve(*arguments, stdin=None):
    return subprocess.run([VARVE, *map(str, arguments)], input=stdin, capture_output=True, timeout=120)


def succeeds(*arguments, **settings):
    done = varve(*arguments, **settings)
    assert done.returncode == 0, (arguments, done.returncode, done.stderr)
    return done.stdout


def fails(*arguments, says):
    done = varve(*arguments)
    assert done.returncode == 1 and done.stdout == b"" and says in done.stderr.decode(), (arguments, done)


def info(path, *options):
    return json.loads(succeeds("info", "--json", path, *options))


def slices(*arguments, **settings):
    lines = [json.loads(line) for line in succeeds("dump", "--json", *arguments, **settings).splitlines()]
    return [line for line in lines if line["kind"] == "slice"]


def a_file_of_slices():
    path = SCRATCH / "slices.json"
    events = [{"ph": "X", "pid": 1, "tid": 1 + i % 3, "name": f"s{i}", "ts": 100 + i, "dur": 0.5 + i % 3} for i in range(200)]
    events += [{"ph": "i", "s": "t", "pid": 1, "tid": 1, "name": f"i{i}", "ts": 100 + i} for i in range(200)]
    path.write_text(json.dumps(events))
    return path


def other_formats_are_filtered():
    path = a_file_of_slices()
    whole, part = slices(path), slices(path, "--range=50us..60us")
    expected = [s for s in whole if s["begin_tick"] <= 160000 and s["end_tick"] >= 150000]
    assert 0 < len(part) < len(whole) and part == expected, (len(part), len(expected))
    said = info(path, "--range=50us..60us")
    assert said["counts"]["slices"] == len(part) and said["counts"]["instants"] == 11, said["counts"]
    assert said["time"]["window_ticks"] == [150000, 160000] and said["time"]["begin_tick"] == 100000
    text = succeeds("dump", path, "--range=50us..60us").decode().splitlines()
    assert [line for line in text if "s49" in line] == [] and len([line for line in text if '"i' in line or " i" in line]) >= 11
    for kind, suffix in (("json", "json"), ("spall", "spall"), ("heph", "heph")):
        out = SCRATCH / f"part.{suffix}"
        succeeds("convert", path, "-o", out, f"--to={kind}", "--range=50us..60us")
        # an instant of Heph is a slice of no length
        assert info(out)["counts"]["slices"] == len(part) + (11 if kind == "heph" else 0), kind


def text_of_go_is_a_part_of_the_whole():
    for path in GO:
        for like in ((), ("--like=go",)):
            whole, part = succeeds("dump", path, *like), succeeds("dump", path, *like, "--range=1ms..3ms")
            assert part and len(part) < len(whole) and part in whole, (path, like)


def compressed_and_piped_go_is_the_same():
    for path in GO:
        plain = slices(path, "--range=1ms..3ms")
        packed = SCRATCH / (path.name + ".gz")
        packed.write_bytes(gzip.compress(path.read_bytes()))
        assert plain and plain == slices(packed, "--range=1ms..3ms")
        assert plain == slices("-", "--range=1ms..3ms", stdin=path.read_bytes())


def statistics_do_not_depend_on_how_they_are_read():
    for path in GO:
        plain = succeeds("go", path, "goroutines", "--json", "--range=1ms..3ms")
        whole = json.loads(succeeds("go", path, "goroutines", "--json", "--range=0s..1000s"))
        assert plain == succeeds("go", "-", "goroutines", "--json", "--range=1ms..3ms", stdin=path.read_bytes())
        assert whole["goroutines"] == json.loads(succeeds("go", path, "goroutines", "--json"))["goroutines"]


def every_command_that_goes_by_time_takes_it():
    for path in (GO[0], a_file_of_slices()):
        for command in (("info",), ("check",), ("dump",), ("convert", "--to=json", "-o", SCRATCH / "o.json"),
                        ("render", "-o", SCRATCH / "o.png")):
            done = varve(*command, path, "--range=10us..20us")
            assert done.returncode == 0 and (done.stdout or len(command) > 1), (command, done)


def what_is_no_range_is_said():
    fails("info", GO[0], "--range=1s", says="--range must be BEGIN..END")
    fails("info", GO[0], "--range=2s..1s", says="--range must be BEGIN..END")
    fails("info", GO[0], "--range=100s..101s", says="begins behind the trace's end")
    fails("info", a_file_of_slices(), "--range=100s..101s", says="begins behind the trace's end")
    fails("diff", GO[0], GO[0], "--range=1s..2s", says="--calls")


try:
    tap.run([other_formats_are_filtered, text_of_go_is_a_part_of_the_whole, compressed_and_piped_go_is_the_same,
             statistics_do_not_depend_on_how_they_are_read, every_command_that_goes_by_time_takes_it, what_is_no_range_is_said])
finally:
    shutil.rmtree(SCRATCH)
