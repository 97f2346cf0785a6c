#!/usr/bin/env python3
"""Recordings of perf: names of functions from executables, arguments of tracepoints, pipes, and the same answers with any number of threads.

usage: perf_data_cli_test.py VARVE SOURCE_ROOT; the environment has the executables of test/support/native (NATIVE_...)
"""

import json
import os
import struct
import subprocess
import sys
from pathlib import Path

VARVE, ROOT = os.path.abspath(sys.argv[1]), Path(sys.argv[2]).resolve()
DATA = ROOT / "test" / "data" / "perf_data"
sys.path[:0] = [str(ROOT / "test" / "support"), str(DATA)]
import make  # noqa: E402
import tap  # noqa: E402

SCRATCH = tap.scratch_folder("perf_data")
FIXTURES = sorted(DATA.glob("*.data"))
WHOLE = [path for path in FIXTURES if path.stem != "bad_header"]
LOADED_AT = 0x550000000000
FUNCTIONS = ("main", "outer", "inner", "_ZN4demo5twiceIiEET_S1_")


def run(*arguments, **options):
    return subprocess.run([VARVE, *map(str, arguments)], capture_output=True, timeout=300, **options)


def output(*arguments, **options):
    done = run(*arguments, **options)
    assert done.returncode == 0, (arguments, done.returncode, done.stderr)
    return done.stdout


def native():
    return next(path for name, path in sorted(os.environ.items()) if name.startswith("NATIVE_") and name != "NATIVE_SOURCE" and Path(path).is_file())


class Elf:
    """The code segment and the symbols of a 64-bit little-endian executable."""

    def __init__(self, path):
        self.bytes = Path(path).read_bytes()
        assert self.bytes[:6] == b"\x7fELF\x02\x01"
        segments, sections = struct.unpack_from("<QQ", self.bytes, 32)
        segment_size, segment_count, section_size, section_count = struct.unpack_from("<HHHH", self.bytes, 54)
        for i in range(segment_count):
            kind, flags, offset, address, _, size = struct.unpack_from("<IIQQQQ", self.bytes, segments + i * segment_size)
            if kind == 1 and flags & 1:
                self.code, self.address, self.size = offset, address, size
        headers = [struct.unpack_from("<IIQQQQIIQQ", self.bytes, sections + i * section_size) for i in range(section_count)]
        self.symbols = {}
        for header in headers:
            if header[1] != 2:
                continue
            names = headers[header[6]][4]
            for at in range(header[4], header[4] + header[5], 24):
                name, _, _, _, value, _ = struct.unpack_from("<IBBHQQ", self.bytes, at)
                self.symbols[self.bytes[names + name:self.bytes.index(b"\0", names + name)].decode()] = value

    def loaded_at(self, name, behind=0):
        """Returns the address of a function, or one behind it, in a process that has the code at LOADED_AT."""
        return LOADED_AT + self.symbols[name] - self.address + behind


def recording(path, build_id=None, suffix=b""):
    """Writes a recording of the functions of an executable."""
    elf = Elf(path)
    clock = make.Event(1, 0, 11, make.PLAIN, "cpu-clock")
    chain = [make.TO_USER, *(elf.loaded_at(name, 1) for name in reversed(FUNCTIONS))]
    records = [make.comm(clock, 7, 7, "native"), make.mmap2(clock, 7, LOADED_AT, elf.size, elf.code, path, 0, build_id),
               *(clock.sample(1000000 * i, 7, chain) for i in range(1, 4))]
    out = SCRATCH / "native.data"
    out.write_bytes(make.file([clock], records) + suffix)
    return out


def folded(path, *options):
    return output("flame", "--quiet", "--no-cache", *options, path, "-o", "-", "--to=folded").decode()


def functions_have_the_names_of_the_executable():
    path = recording(native())
    assert folded(path) == "main;outer;inner;int demo::twice<int>(int) 3000000\n", folded(path)
    name = Path(native()).name
    for options in (["--exe=none"], ["--exe=/bin/true"]):
        assert folded(path, *options) == ";".join([f"[{name}]"] * len(FUNCTIONS)) + " 3000000\n", options
    warned = run("info", "--json", "--quiet", "--exe=none", path)
    assert [w["kind"] for w in json.loads(warned.stdout)["warnings"]] == ["no-symbols"]


def callers_are_found_in_a_copy_of_the_stack():
    """At the begin of a function, the address of its caller is on top of the stack."""
    elf = Elf(native())
    if struct.unpack_from("<H", elf.bytes, 18)[0] != 62:  # x86-64
        return
    stack = make.u64(elf.loaded_at("outer", 1), elf.loaded_at("main", 1), 0, 0)
    clock = make.Event(1, 0, 11, make.PLAIN | make.REGS_USER | make.STACK_USER, "cpu-clock", regs=0xFF0FFF)
    records = [make.comm(clock, 7, 7, "native"), make.mmap2(clock, 7, LOADED_AT, elf.size, elf.code, native())]
    for i in (1, 2):
        records.append(clock.sample(1000000 * i, 7, stack=stack, registers={7: 0x7000, 8: elf.loaded_at("inner")}, ip=elf.loaded_at("inner")))
    records.append(clock.sample(3000000, 7, stack=b"", registers={8: elf.loaded_at("inner")}, ip=elf.loaded_at("inner")))
    records.append(clock.sample(4000000, 7, stack=stack, registers={8: 0x10}, ip=0x10))
    path = SCRATCH / "stack.data"
    path.write_bytes(make.file([clock], records))
    assert folded(path) == "main;outer;inner 2000000\n[unknown] 1000000\ninner 1000000\n", folded(path)
    warnings = json.loads(output("info", "--json", "--quiet", path))["warnings"]
    assert [(w["kind"], w["count"]) for w in warnings if w["kind"] == "dwarf-stacks"] == [("dwarf-stacks", 1)], warnings


def a_changed_executable_gives_no_names():
    warnings = json.loads(output("info", "--json", "--quiet", recording(native(), bytes(range(20)))))["warnings"]
    kinds = [w["kind"] for w in warnings]
    assert kinds in (["executable-mismatch", "no-symbols"], []), kinds  # [] = the executable was linked without a build id


def tracepoints_have_their_fields():
    for name in ("tracepoints", "pipe"):
        events = [json.loads(line) for line in output("dump", "--json", "--quiet", DATA / f"{name}.data").splitlines()]
        args = [event["args"] for event in events if event.get("name") == "fs:open"]
        assert {"dfd": -100, "flags": 2**63, "name": "/etc/ä\ufffd", "mode": 7, "x": -3} in args, args
        assert len(args) == 2 and len([e for e in events if e.get("name") == "sched:sched_switch"]) == 3


def a_pipe_gives_the_events_of_the_file():
    for path in WHOLE:
        from_file, from_pipe = (json.loads(output("info", "--json", "--quiet", "--exe=none", name, input=path.read_bytes())) for name in (path, "-"))
        for key in ("time", "counts") if path.stem != "tracepoints" else ():  # the fields of its events are behind them
            wanted, found = ({k: v for k, v in info[key].items() if k != "strings"} for info in (from_file, from_pipe))
            assert wanted == found, (path.stem, key, wanted, found)
        assert from_file["format"]["name"] == from_pipe["format"]["name"] == "perf-data"


def every_number_of_threads_gives_the_same_bytes():
    for path in FIXTURES:
        outputs = {run("dump", "--json", f"--threads={n}", "--exe=none", path).stdout for n in (1, 2, 5)}
        assert len(outputs) == 1, path.stem


def the_text_of_a_big_endian_recording_says_so():
    done = run("info", "-", input=b"2ELIFREP" + b"\0" * 200)
    assert done.returncode == 2 and b"perf.data of a big-endian machine" in done.stderr


tap.run([functions_have_the_names_of_the_executable, callers_are_found_in_a_copy_of_the_stack, a_changed_executable_gives_no_names, tracepoints_have_their_fields, a_pipe_gives_the_events_of_the_file,
         every_number_of_threads_gives_the_same_bytes, the_text_of_a_big_endian_recording_says_so])
