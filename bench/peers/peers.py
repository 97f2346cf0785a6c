#!/usr/bin/env python3
"""Measures Varve beside the programs that people use for the same files, in turns, in one run.

usage: bench/run.sh BUILD --peers [--runs=N] [--only=TASK,...] [--perfetto=PATH] [--spall=FOLDER]

  --runs=N         measurements of each program, whose medians are printed (3)
  --only=TASK,...  only these tasks: json, json-page, spall1, spall3, go1.19, go1.26, capture, capture-dump
  --perfetto=PATH  Perfetto's trace_processor_shell
  --spall=FOLDER   the folder build/dist of spall-web

EVENTS=N is the number of events of each trace (2 million). `tools/deps.sh peers` installs simdjson and apitrace. speedscope is
one of the npm packages of the tests; it and Spall need Chromium. A Go of 1.23 or later has Go's reader.

Each row is a program. `wall` and `cpu` are seconds, of all threads, and of all processes that it waited for; the same program
with a trace of 1,000 events is measured in the same turn, and taken off. `share` is the processor time of the first row,
divided by that of the program. `peak` is the resident memory of the largest process, at least the 18 MB of this script.
`instructions` are those of user code for a byte of the input, from `perf`, or else for a fiftieth of the events from valgrind.
The last line shows how evenly the machine ran: its load, and a fixed computation that was timed before each turn.
"""

import os
import re
import shutil
import statistics
import subprocess
import sys
import time
import zlib
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
PEERS = ROOT / "bench" / "peers"
TINY = 1000
SMALL = 50  # the events of the trace, divided by this, for valgrind
NOWHERE = ((os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0), (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0))


@dataclass
class Program:
    """A program to measure. `command` returns its words for the path of a trace. None: `missing` names the missing part."""

    name: str
    command: object
    missing: str = ""
    counts_instructions: bool = True


@dataclass
class Task:
    """Programs for one kind of trace, Varve first. `generate` makes it with a number of events, at a path."""

    name: str
    title: str
    generate: object
    programs: list
    divisor: int = 1  # of the number of events


@dataclass
class Cost:
    wall: float
    cpu: float
    peak: int = 0  # bytes


def run(*words):
    subprocess.run([str(word) for word in words], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def cost_of(words):
    """Runs a program to its end. None: it failed."""
    start = time.monotonic()
    try:
        child = os.posix_spawnp(words[0], words, os.environ, file_actions=NOWHERE)
    except OSError:
        return None
    _, status, usage = os.wait4(child, 0)
    wall = time.monotonic() - start
    return None if status != 0 else Cost(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024)


def count_by_perf(words):
    done = subprocess.run(["perf", "stat", "-x,", "-e", "instructions:u", *words], capture_output=True, text=True)
    found = re.search(r"^(\d+),,instructions", done.stderr, re.MULTILINE)
    return int(found[1]) if done.returncode == 0 and found else None


def count_by_valgrind(words):
    command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", *words]
    done = subprocess.run(command, capture_output=True, text=True, errors="replace")
    found = re.search(r"Collected : (\d+)", done.stderr)
    return int(found[1]) if done.returncode == 0 and found else None


def instruction_counter():
    """Returns a function that counts, and true if it can count a whole trace; (None, False) without perf and valgrind."""
    if shutil.which("perf") and count_by_perf(["true"]) is not None:
        return count_by_perf, True
    return (count_by_valgrind, False) if shutil.which("valgrind") else (None, False)


def fixed_work():
    """Returns the processor time of a computation that is always the same."""
    block = bytes(1 << 20)
    start = time.process_time()
    for _ in range(300):
        zlib.crc32(block)
    return time.process_time() - start


class Traces:
    """The generated traces, in a folder of the build."""

    def __init__(self, folder):
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)

    def path(self, task, events):
        path = self.folder / f"{task.name.split('-')[0]}-{events}"
        if not path.exists():
            part = path.with_suffix(".part")
            task.generate(events, part)
            part.rename(path)
        return path


def built(target, source, *words):
    """Compiles a program unless it is there; returns its path, None if that fails."""
    target.parent.mkdir(parents=True, exist_ok=True)
    if target.exists() and target.stat().st_mtime > source.stat().st_mtime:
        return target
    done = subprocess.run([str(word) for word in words], capture_output=True)
    return target if done.returncode == 0 else None


def c_program(folder, name, *libraries):
    source, target = PEERS / f"{name}.c", folder / name
    return built(target, source, os.environ.get("CC", "cc"), "-O3", "-march=native", "-pthread", source, "-o", target, *libraries)


def simdjson_program(folder):
    source, target = PEERS / "simdjson.cpp", folder / "simdjson"
    return built(target, source, os.environ.get("CXX", "c++"), "-O3", "-std=c++17", source, "-o", target, "-lsimdjson")


def go_reader(folder):
    """Go's reader is internal to its library: the source gets a place among its commands."""
    source, target, overlay = PEERS / "go_reader.go", folder / "go-reader", folder / "go-overlay.json"
    if shutil.which("go") is None:
        return None
    folder.mkdir(parents=True, exist_ok=True)
    root = subprocess.run(["go", "env", "GOROOT"], capture_output=True, text=True).stdout.strip()
    overlay.write_text(f'{{"Replace":{{"{root}/src/cmd/varve-reader/main.go":"{source}"}}}}\n')
    return built(target, source, "go", "build", "-overlay", overlay, "-o", target, "cmd/varve-reader")


def of(program, *options):
    """Returns the command of a program whose first argument is the trace; None without the program."""
    return None if program is None else lambda path: [str(program), str(path), *options]


def all_tasks(build, perfetto, spall):
    folder = build / "bench" / "peers"
    generator = build / "bench" / "gen"
    modules = ROOT / "web" / "node_modules"
    cores = str(os.cpu_count())

    def varve(*options):
        return lambda path: [str(build / "varve"), options[0], "--no-cache", "--quiet", *options[1:], str(path)]

    def generated(form):
        return lambda events, path: run(generator / "varve-gen", "--format", form, "--events", events, "--output", path)

    def go(version):
        return lambda events, path: run(generator / "varve-gen-go", version, events, 200, path)

    def capture(events, path):
        run(generator / "varve-gen-capture", events, path)

    apitrace, browser = shutil.which("apitrace"), shutil.which(os.environ.get("CHROMIUM", "chromium"))
    release = modules / "speedscope" / "dist" / "release"

    def page(name, files):
        """Returns the command of a viewer that is a page; None without its files or Chromium."""
        if files is None or browser is None:
            return None
        return lambda path: ["node", str(PEERS / "page.mjs"), name, str(files), str(modules), str(path)]

    spall_page = Program("Spall in Chromium", page("spall", spall), "--spall=FOLDER and Chromium", False)
    info = Program("varve info, 1 thread", varve("info", "--threads=1"))
    info_all = Program(f"varve info, {cores} threads", varve("info"), counts_instructions=False)
    bound = Program("columns alone, 1 thread", of(c_program(folder, "spall_bound")), "a C compiler")

    def task_go(version):
        return Task(f"go{version}", f"Go {version} trace", go(version), [
            Program("varve info, by processor, 1 thread", varve("info", "--threads=1", "--perspective=processors")),
            Program("varve info, by goroutine, 1 thread", varve("info", "--threads=1", "--perspective=goroutines")),
            Program("varve info, all perspectives, 1 thread", varve("info", "--threads=1", "--perspective=all")),
            Program("Go's reader, keeps nothing", of(go_reader(folder)), "Go 1.23 or later", False),
            Program("go tool trace -pprof=sched", shutil.which("go") and (lambda path: ["go", "tool", "trace", "-pprof=sched", str(path)]),
                    "Go", False)])

    return [
        Task("json", "Trace Event JSON", generated("json"), [
            info, info_all,
            Program("simdjson, six fields of each event", of(simdjson_program(folder)), "libsimdjson-dev and a C++ compiler"),
            Program("Perfetto trace_processor", perfetto and (lambda path: [perfetto, "-q", os.devnull, str(path)]), "--perfetto=PATH"),
            spall_page]),
        Task("json-page", "Trace Event JSON, a tenth of the events", generated("json"), [
            info,
            Program("speedscope in Chromium", page("speedscope", release), "Chromium", False)], 10),
        Task("spall1", ".spall version 1", generated("spall1"), [info, info_all, bound, spall_page]),
        Task("spall3", ".spall version 3", generated("spall3"), [info, info_all, bound, spall_page]),
        task_go("1.19"), task_go("1.26"),
        Task("capture", "apitrace capture, opened", capture, [
            Program(f"varve info, {cores} threads", varve("info")),
            Program(f"libsnappy alone, {cores} threads", of(c_program(folder, "snappy", "-lsnappy"), cores), "libsnappy-dev")]),
        Task("capture-dump", "apitrace capture, all calls printed", capture, [
            Program(f"varve dump, {cores} threads", varve("dump")),
            Program(f"libsnappy alone, {cores} threads", of(c_program(folder, "snappy", "-lsnappy"), cores), "libsnappy-dev"),
            Program("apitrace dump", apitrace and (lambda path: [apitrace, "dump", "--color=never", str(path)]), "apitrace")]),
    ]


def measure(task, traces, events, runs, drift):
    """Returns the costs of each program, in the order of the runs."""
    path, tiny = traces.path(task, events // task.divisor), traces.path(task, TINY)
    programs = [program for program in task.programs if program.command]
    costs = {program.name: [] for program in programs}
    for program in programs:
        cost_of(program.command(tiny))  # the first call of `go tool trace` builds it
    for _ in range(runs):
        for program in programs:
            drift.append(fixed_work())
            start, whole = cost_of(program.command(tiny)), cost_of(program.command(path))
            if start is not None and whole is not None:
                costs[program.name].append(Cost(whole.wall - start.wall, whole.cpu - start.cpu, whole.peak))
    return costs


def instructions_of(program, task, traces, events, counter):
    """Returns the instructions for a byte as text, empty if they cannot be counted."""
    count, is_whole = counter
    if count is None or not program.counts_instructions:
        return ""
    events //= task.divisor
    path, tiny = traces.path(task, events if is_whole else max(events // SMALL, 2 * TINY)), traces.path(task, TINY)
    whole, start = count(program.command(path)), count(program.command(tiny))
    if whole is None or start is None:
        return ""
    return f"{(whole - start) / (path.stat().st_size - tiny.stat().st_size):.1f}"


def print_task(task, traces, events, runs, drift, counter):
    size = traces.path(task, events // task.divisor).stat().st_size
    costs = measure(task, traces, events, runs, drift)
    print(f"\n{task.title}: {size / 1e6:.0f} MB, {events // task.divisor:,} events")
    print(f"{'':40} {'wall s':>8} {'cpu s':>8} {'share':>6} {'peak MB':>8} {'instructions':>13}")
    ours = None
    for program in task.programs:
        taken = costs.get(program.name, [])
        if not taken:
            print(f"{program.name:40} {'failed' if program.command else f'not found: {program.missing}'}")
            continue
        wall, cpu, peak = (statistics.median(getattr(cost, part) for cost in taken) for part in ("wall", "cpu", "peak"))
        ours = ours or cpu
        counted = instructions_of(program, task, traces, events, counter)
        print(f"{program.name:40} {wall:8.2f} {cpu:8.2f} {ours / cpu if cpu > 0 else 0:6.2f} {peak / 1e6:8.0f} {counted:>13}", flush=True)


def main(arguments):
    build, runs, only, perfetto, spall = Path(arguments[0]).resolve(), 3, None, None, None
    for word in arguments[1:]:
        key, _, value = word.partition("=")
        if key == "--runs" and value.isdigit() and int(value) > 0:
            runs = int(value)
        elif key == "--only" and value:
            only = value.split(",")
        elif key == "--perfetto" and value:
            perfetto = str(Path(value).resolve())
        elif key == "--spall" and value:
            spall = Path(value).resolve()
        else:
            sys.exit(__doc__)
    tasks = all_tasks(build, perfetto, spall)
    if only and (unknown := set(only) - {task.name for task in tasks}):
        sys.exit(f"peers.py: there is no task {', '.join(sorted(unknown))}")
    events = int(os.environ.get("EVENTS", "2000000"))
    traces, drift, load = Traces(build / "bench" / "data" / "peers"), [], os.getloadavg()[0]
    counter = instruction_counter()
    for task in tasks:
        if only is None or task.name in only:
            print_task(task, traces, events, runs, drift, counter)
    print(f"\n{os.cpu_count()} cores; load {load:.1f} at the begin, {os.getloadavg()[0]:.1f} at the end; the fixed computation took "
          f"{min(drift) * 1e3:.0f} to {max(drift) * 1e3:.0f} ms, median {statistics.median(drift) * 1e3:.0f} ms")


if __name__ == "__main__":
    main(sys.argv[1:])
