#!/usr/bin/env python3
"""`.varve` files: every command answers as for the file of which they were made; damaged ones open as far as they can.

usage: varve_file_test.py VARVE DATA_DIR STEP   (DATA_DIR: test/data; each STEP-th trace of it)
"""

import json
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import tap  # noqa: E402

VARVE, DATA, STEP = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve(), int(sys.argv[3])
FOLDER = tempfile.TemporaryDirectory(prefix="varve-file-")
SCRATCH = Path(FOLDER.name)
SMALL = DATA / "trace_event" / "args_types.json"
HEADER, FOOTER, VERSION = 64, 32, 2


def expect(holds, what, *details):
    assert holds, " ".join([what, *details])


def run(*words):
    return subprocess.run([VARVE, *map(str, words)], capture_output=True, timeout=120)


def traces():
    """Returns traces of every format, damaged ones included."""
    folders = ("apitrace", "archives", "cpuprofile", "firefox", "folded", "ftrace", "go", "heph", "perf", "perfetto", "pprof", "spall", "speedscope", "strace", "trace_event")
    files = [path for folder in folders for path in sorted((DATA / folder).rglob("*")) if path.is_file() and path.suffix != ".md"]
    return [path for path in files[::STEP] if path.stat().st_size < 300_000 and run("info", path).returncode == 0]


def made(path, *options):
    out = SCRATCH / "made.varve"
    done = run("convert", "--quiet", *options, path, "-o", out)
    expect(done.returncode == 0, f"{path.name} is converted", done.stderr.decode())
    return out


def info(path):
    facts = json.loads(run("info", "--json", "--exe=none", path).stdout)  # else the message names the folder
    del facts["file"]
    return facts, facts.pop("source", None)


def answers(path):
    """Returns the output of every command that does not name the file."""
    commands = (["dump", "--json"], ["dump"], ["stats", "--json"], ["render", "--size=300x200", "-o", "-"])
    return [run(*command, path).stdout for command in commands]


def every_command_prints_the_same_for_a_trace_and_its_file():
    """Every command prints the same bytes for a trace and for its file."""
    for path in traces():
        file = made(path)
        (facts, _), (again, source) = info(path), info(file)
        expect(facts == again, f"{path.name}: the same facts and warnings")
        expect(source["name"] == path.name and source["details"] == "stored", f"{path.name}: the file names its source")
        expect(answers(path) == answers(file), f"{path.name}: the same events, statistics and picture")


def arguments_are_read_from_the_source():
    """With --details=source the arguments are in the source; without it the rest still opens."""
    source = SCRATCH / "source.json"
    source.write_bytes(SMALL.read_bytes())
    file = made(source, "--details=source")
    expect(file.stat().st_size > 0 and info(file)[1]["details"] == "source", "the file says where the arguments are")
    expect(run("dump", "--json", file).stdout == run("dump", "--json", SMALL).stdout, "arguments are read from the source")
    source.write_bytes(SMALL.read_bytes().replace(b"1", b"2"))
    expect(run("stats", "--json", file).stdout == run("stats", "--json", SMALL).stdout, "statistics need no source")
    expect(b"source.json" in run("dump", "--json", file).stderr, "a changed source is refused by name")


def every_prefix_opens_or_is_refused_with_an_offset():
    """Every prefix opens as far as its input is there, or is refused with an offset."""
    file = made(SMALL).read_bytes()
    part = SCRATCH / "part.varve"
    opened = 0
    for size in [*range(1, len(file), max(1, len(file) // 200)), len(file) - 1]:
        part.write_bytes(file[:size])
        done = run("info", "--json", part)
        opened += done.returncode == 0
        if done.returncode == 0:
            facts = json.loads(done.stdout)
            good = not facts["complete"] and any(w["kind"] == "varve-cut-short" for w in facts["warnings"])
        else:
            good = done.returncode == 2 and (size < 8 or b"(byte " in done.stderr)
        if not good:
            expect(False, f"the first {size} bytes: a warning or a refusal with an offset", done.stderr.decode())
    expect(opened > 100, f"a prefix with the input opens ({opened})")
    part.write_bytes(file[: len(file) * 3 // 4])
    expect(b"\nsource    unknown, arguments stored\n" in run("info", part).stdout, "the directory has the name of the source")
    part.write_bytes(file[:-1])
    expect(run("dump", "--json", part).stdout == run("dump", "--json", SMALL).stdout, "all events are in a file without its footer")


def a_damaged_block_is_found_and_no_event_is_lost():
    """A damaged block is found by its checksum; the trace is then made of the input."""
    file = bytearray(made(SMALL).read_bytes())
    at, size = struct.unpack_from("<QQ", file, len(file) - FOOTER)
    arrays, blocks = struct.unpack_from("<IQ", file, at + 4)
    names = [file[at + 32 + 64 * i : at + 72 + 64 * i].rstrip(b"\0").decode() for i in range(arrays)]
    first = struct.unpack_from("<Q", file, at + 32 + 64 * names.index("slice.label") + 56)[0]
    offset = struct.unpack_from("<Q", file, at + 32 + 64 * arrays + 32 * first)[0]
    file[offset] ^= 1
    damaged = SCRATCH / "damaged.varve"
    damaged.write_bytes(file)
    warnings = json.loads(run("info", "--json", damaged).stdout)["warnings"]
    expect([(w["kind"], w["first"]["offset"]) for w in warnings][-1] == ("varve-damaged", offset), "the damage has an offset")
    expect(run("dump", "--json", damaged).stdout == run("dump", "--json", SMALL).stdout, "no event is lost")
    newer = bytearray(made(SMALL).read_bytes())
    newer[8:12] = struct.pack("<I", VERSION + 1)
    damaged.write_bytes(newer)
    refused = run("info", damaged)
    expect(refused.returncode == 2 and b"version 3" in refused.stderr and b"byte 8" in refused.stderr, "a newer version is refused")


def a_part_of_a_trace_is_refused_with_the_remedy():
    """A part of a trace is refused with the remedy."""
    refused = run("convert", SMALL, "--range=0s..1us", "-o", SCRATCH / "part.varve")
    expect(refused.returncode == 1 and b"as json first" in refused.stderr, "a range is refused")


tap.run([every_command_prints_the_same_for_a_trace_and_its_file, arguments_are_read_from_the_source, every_prefix_opens_or_is_refused_with_an_offset, a_damaged_block_is_found_and_no_event_is_lost, a_part_of_a_trace_is_refused_with_the_remedy])
