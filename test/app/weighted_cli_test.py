#!/usr/bin/env python3
"""Profiles without times: pprof profiles and folded stacks that the program itself wrote have the sums of the trace from which they were
made, and are recognised in every form.

usage: weighted_cli_test.py VARVE SOURCE_ROOT
"""

import gzip
import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import tap  # noqa: E402

VARVE, ROOT = os.path.abspath(sys.argv[1]), Path(sys.argv[2]).resolve()
DATA = ROOT / "test" / "data"
SCRATCH = tap.scratch_folder("weighted")
TRACES = ("trace_event/be_unmatched_end.json", "speedscope/py_spy.speedscope.json", "cpuprofile/node_fib.cpuprofile")
NS_OF_COUNT = 1000  # 1 of a count is drawn as 1 µs


def output(*arguments):
    done = subprocess.run([VARVE, *map(str, arguments)], capture_output=True, timeout=300)
    assert done.returncode == 0, (arguments, done.returncode, done.stderr)
    return done.stdout.decode()


def self_times(path, *options, thread=None):
    """Returns the sum of self times in ns by path of frames; of one thread only, if its name begins with `thread`."""
    names = {}
    sums = Counter()
    for row in json.loads(output("query", "--quiet", "--json", *options, path, "SELECT id, parent_id, name, self_ns, thread FROM slice ORDER BY depth")):
        if thread is None or row["thread"].startswith(thread):
            names[row["id"]] = names.get(row["parent_id"], ()) + (row["name"],)
            sums[names[row["id"]]] += row["self_ns"]
    return +sums


def written(path, kind):
    out = SCRATCH / f"{path.name}.{kind}"
    output("convert", "--quiet", f"--to={kind}", path, "-o", out)
    return out


def a_profile_of_pprof_has_the_sums_of_the_trace():
    for name in TRACES:
        path = DATA / name
        wanted = self_times(path)
        found = Counter()
        for kind in ("time (nanoseconds)", "sampled (nanoseconds)"):
            found += self_times(written(path, "pprof"), thread=kind)
        assert found == wanted, (name, found - wanted, wanted - found)


def folded_stacks_have_the_sums_of_the_trace():
    for name in TRACES:
        path = DATA / name
        out = written(path, "folded")
        wanted = Counter()
        for line in out.read_text().splitlines():
            stack, _, count = line.rpartition(" ")
            wanted[tuple(frame for frame in stack.split(";") if frame)] += int(count) * NS_OF_COUNT
        assert self_times(out, "--format=folded") == +wanted, name


def every_form_is_recognised():
    for name, kind in (("pprof/go_block.pprof", "pprof"), ("folded/perf.folded", "folded"), ("folded/difference.folded", "folded")):
        plain = (DATA / name).read_bytes()
        for suffix, data in ((".txt", plain), (".gz", gzip.compress(plain))):
            path = SCRATCH / f"form{suffix}"
            path.write_bytes(data)
            assert json.loads(output("info", "--json", "--quiet", path))["format"]["name"] == kind, (name, suffix)


def other_texts_are_not_folded_stacks():
    for text in ("one 1\ntwo 2\n", "a;b;c\nd;e 5\n", "int x = 1;\nreturn 5\n", "a;b 1 x\n", "time;value\n1;2\n", "a;b \x01c 5\n", "a;b 12\nnone\n"):
        done = subprocess.run([VARVE, "info", "-"], input=text.encode(), capture_output=True, timeout=60)
        assert done.returncode == 2, text


tap.run([a_profile_of_pprof_has_the_sums_of_the_trace, folded_stacks_have_the_sums_of_the_trace, every_form_is_recognised, other_texts_are_not_folded_stacks])
