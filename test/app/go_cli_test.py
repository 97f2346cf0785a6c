#!/usr/bin/env python3
"""`varve go` end to end: tables, JSON, folded stacks, profiles, ranges, messages.

usage: go_cli_test.py VARVE DATA_DIR [--update-golden]

Golden files are beside the fixtures, NAME.go_WHAT.txt; --update-golden rewrites them.
"""

import gzip
import json
import os
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import tap  # noqa: E402

VARVE, DATA = os.path.abspath(sys.argv[1]), Path(sys.argv[2]).resolve()
UPDATE = "--update-golden" in sys.argv
SCRATCH = tap.scratch_folder("go")
WHATS = ["functions", "goroutines", "net", "sync", "syscall", "sched", "tasks", "regions", "mmu", "gc"]
NEW, OLD, BUSY = "go126_annot_cpuprofile.trace", "go119_annot_cpuprofile.trace", "go126_mixed.trace"


def go(*arguments, stdin=None):
    return subprocess.run([VARVE, "go", *map(str, arguments)], input=stdin, capture_output=True, cwd=DATA, timeout=60)


def succeeds(*arguments, **settings):
    done = go(*arguments, **settings)
    assert done.returncode == 0, (arguments, done.returncode, done.stderr)
    return done.stdout


def answer(*arguments):
    return json.loads(succeeds(*arguments, "--json"))


def fails(status, *arguments, says):
    done = go(*arguments)
    assert done.returncode == status and done.stdout == b"" and says in done.stderr.decode(), (arguments, done)


def golden(name, actual):
    path = DATA / name
    if UPDATE:
        path.write_bytes(actual)
    assert actual == path.read_bytes(), f"{name} differs:\n{actual.decode(errors='replace')}"


def tables_are_as_they_were():
    for what in WHATS:
        golden(f"{NEW}.go_{what}.txt", succeeds(NEW, what, "--top=6"))
    for what in ("functions", "sched", "mmu", "gc"):
        golden(f"{BUSY}.go_{what}.txt", succeeds(BUSY, what, "--top=6"))
    golden(f"{OLD}.go_like.txt", succeeds(OLD, "goroutines", "--like=go", "--sort=id"))


def objects_are_as_they_were():
    golden(f"{NEW}.go_json.txt", b"".join(succeeds(NEW, what, "--json", "--top=3") for what in WHATS))


def without_options_it_prints_functions():
    assert succeeds(NEW) == succeeds(NEW, "functions") == succeeds("-", stdin=(DATA / NEW).read_bytes())
    packed = SCRATCH / "packed.gz"
    packed.write_bytes(gzip.compress((DATA / NEW).read_bytes()))
    assert succeeds(packed) == succeeds(NEW)


def rows_are_counted_as_what_they_are():
    def info(*options):
        return subprocess.run([VARVE, "info", BUSY, *options], capture_output=True, cwd=DATA, timeout=60).stdout

    printed = json.loads(info("--json", "--perspective=all"))
    assert printed["threads_by_noun"] == {"track": 3, "processor": 4, "thread": 6, "goroutine": 113}, printed["threads_by_noun"]
    assert sum(printed["threads_by_noun"].values()) == printed["counts"]["threads"]
    text = info("--perspective=all").decode()
    assert "3 tracks, 4 processors, 6 threads, 113 goroutines in" in text
    assert "3 tracks, 113 goroutines in" in info().decode()
    assert "UserTask 0" not in text and "UserTaskBegin 41" in text


def sorted_as_asked():
    rows = succeeds(BUSY, "goroutines", "--sort=id", "--top=500").decode().splitlines()[2:]
    ids = [int(row.split()[0]) for row in rows]
    assert ids == sorted(ids) and len(ids) == len(answer(BUSY, "goroutines")["goroutines"])
    counts = [int(row.split()[0]) for row in succeeds(BUSY, "--sort=count").decode().splitlines()[2:] if row[0] == " "]
    assert counts == sorted(counts, reverse=True)
    only = succeeds(BUSY, "goroutines", "--function=net/http", "--top=500").decode().splitlines()[2:]
    assert only and all("net/http" in row for row in only)


def every_form_of_a_profile_has_the_same_sums():
    for profile in ("net", "sync", "syscall", "sched"):
        stacks = answer(BUSY, profile)["stacks"]
        lines = succeeds(BUSY, profile, "--folded").decode().splitlines()
        paths = Counter()
        for stack in stacks:
            paths[";".join(frame["function"] for frame in reversed(stack["frames"])) or "(no stack)"] += stack["ns"]
        folded = {path: int(ns) for path, ns in (line.rsplit(" ", 1) for line in lines)}
        assert len(folded) == len(lines) > 0 and folded == {path: ns for path, ns in paths.items() if ns > 0}, profile
        first = stacks[0]
        assert [stack["ns"] for stack in stacks] == sorted((stack["ns"] for stack in stacks), reverse=True)
        written = SCRATCH / f"{profile}.pb.gz"
        succeeds(BUSY, f"--pprof={profile}", "-o", written)
        plain = gzip.decompress(written.read_bytes())
        assert first["frames"][0]["function"].encode() in plain and b"nanoseconds" in plain
    if shutil.which("go"):
        # Go builds the tool on its first use, and keeps it in the cache below HOME.
        environment = {"HOME": str(SCRATCH), **os.environ, "XDG_CONFIG_HOME": str(SCRATCH)}
        done = subprocess.run(["go", "tool", "pprof", "-top", "-unit=ns", SCRATCH / "net.pb.gz"], capture_output=True, env=environment, timeout=300)
        assert f"of {sum(stack['ns'] for stack in answer(BUSY, 'net')['stacks'])}ns total" in done.stdout.decode(), done


def ranges_are_part_of_the_whole():
    whole = answer(BUSY, "functions")
    parts = [answer(BUSY, "functions", f"--range={part}") for part in ("..20ms", "20ms..")]
    for key in ("execution_ns", "scheduler_wait_ns", "sync_block_ns", "gc_ns", "total_ns"):
        assert sum(row[key] for part in parts for row in part["functions"]) == sum(row[key] for row in whole["functions"])
    assert parts[0]["end_ns"] == parts[1]["begin_ns"] == 20_000_000
    cycles = answer(BUSY, "gc", "--range=30ms..36ms")["cycles"]
    assert 1 <= len(cycles) < len(answer(BUSY, "gc")["cycles"])
    assert all(cycle["begin_ns"] < 36e6 and cycle["end_ns"] > 30e6 for cycle in cycles)
    curve = answer(BUSY, "mmu", "--range=0s..3ms")["curve"]
    assert curve[-1]["window_ns"] <= 3_000_000 and curve[-1]["share"] == 1  # before the first collection


def utilisation_depends_on_what_counts():
    def share(*options):
        return {point["window_ns"]: point["share"] for point in answer(BUSY, "mmu", *options)["curve"]}[10_000_000]
    assert share("--counts=stw") > share("--counts=stw,background,assist") >= share("--counts=stw,background,assist,sweep")
    assert share("--per-processor") <= share()


def wrong_questions_are_said():
    fails(1, says="go needs one FILE")
    fails(1, NEW, "lunch", says='unknown report "lunch"')
    fails(1, NEW, "--range=5", says="--range must be BEGIN..END")
    fails(1, NEW, "--sort=lunch", says="--sort must be execution, total, network, sync, other, syscall, blocking, scheduler, assist, sweep, gc, count, name or id, not 'lunch'")
    fails(1, NEW, "--top=none", says="--top must be a number of at least 1, not 'none'")
    fails(1, NEW, "--counts=tea", says="--counts=tea")
    fails(1, NEW, "--like=perfetto", says="--like must be go")
    fails(1, NEW, "--pprof=net", says="need each other")
    fails(1, NEW, "--pprof=cpu", "-o", SCRATCH / "x", says="--pprof must be net, sync, syscall or sched")
    fails(1, NEW, "gc", "--folded", says="--folded is for")
    fails(1, NEW, "gc", "--function=x", says="--function is for")
    fails(2, DATA.parent / "cli" / "odd_kinds.json", says='not a Go trace: it does not begin with "go 1.N trace"')
    fails(2, "missing.trace", says="missing.trace")
    fails(4, NEW, "--pprof=net", "-o", SCRATCH / "no" / "folder", says="folder")


def damage_is_said_and_the_rest_shown():
    cut = SCRATCH / "cut.trace"
    cut.write_bytes((DATA / BUSY).read_bytes()[:60_000])
    done = go(cut, "--json")
    assert done.returncode == 0 and b"cut.trace" in done.stderr
    printed = json.loads(done.stdout)
    assert printed["complete"] is False and sum(row["count"] for row in printed["functions"]) > 50  # its stacks are lost
    assert go("--strict", cut).returncode == 3 and go("--quiet", cut).stderr == b""


def events_have_their_stacks():
    """Returns the stacks of CPU samples in the output of Go's trace command."""
    def dump(*options):
        return subprocess.run([VARVE, "dump", *options, NEW], capture_output=True, cwd=DATA, timeout=60, check=True).stdout.decode()

    lines = [json.loads(line) for line in dump("--json").splitlines()]
    printed = {line["tick"]: [(f["function"], f["file"], f["line"]) for f in line["stack"]]
            for line in lines if line.get("name") == "CPU sample"}
    expected, text = {}, dump("--like=go").splitlines()
    for i, line in enumerate(text):
        if "StackSample" not in line:
            continue
        time, frames, at = int(line.split("Time=")[1].split()[0]), [], i + 2
        while text[at].startswith("\t"):
            file, number = text[at + 1].strip().rsplit(":", 1)
            frames.append((text[at].strip().split(" @ ")[0], file, int(number)))
            at += 2
        expected[time] = frames
    assert printed == expected and len(printed) == 2, (printed, expected)
    running = [line for line in lines if line["kind"] == "state" and line["name"] == "running"]
    assert any(line["end_stack"][-1]["function"] == "main.main" for line in running if "end_stack" in line)


def names_cannot_drive_the_terminal():
    evil = (DATA / NEW).read_bytes().replace(b"order", b"\x1b[2Jx")
    (SCRATCH / "evil.trace").write_bytes(evil)
    assert b"\x1b" not in succeeds(SCRATCH / "evil.trace", "tasks") and b"?[2Jx" in succeeds(SCRATCH / "evil.trace", "tasks")


tap.run([
    tables_are_as_they_were, objects_are_as_they_were, without_options_it_prints_functions,
    rows_are_counted_as_what_they_are, sorted_as_asked, every_form_of_a_profile_has_the_same_sums,
    ranges_are_part_of_the_whole, utilisation_depends_on_what_counts,
    wrong_questions_are_said, damage_is_said_and_the_rest_shown, events_have_their_stacks, names_cannot_drive_the_terminal,
])
