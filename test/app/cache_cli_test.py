#!/usr/bin/env python3
"""The cache of loaded traces end to end: every command prints the same with and without it, `varve cache`, and `varve open`.

usage: cache_cli_test.py VARVE CACHE_FILL DATA_DIR STEP   (DATA_DIR: test/data; each STEP-th trace of it)
"""

import gzip
import json
import os
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import tap  # noqa: E402

VARVE, FILL, DATA, STEP = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve(), Path(sys.argv[3]).resolve(), int(sys.argv[4])
FOLDER = tempfile.TemporaryDirectory(prefix="varve-cache-")
SCRATCH = Path(FOLDER.name)
CACHE = SCRATCH / "cache" / "varve"
ENVIRONMENT = {**os.environ, "XDG_CACHE_HOME": str(SCRATCH / "cache")}
COMMANDS = (["info"], ["info", "--json"], ["dump"], ["dump", "--json"], ["stats", "--json"], ["check"],
            ["dump", "--json", "--range=1us..5ms"], ["stats", "--tracks=1"], ["render", "--size=300x200", "-o", "-"])


def run(*words, environment=None):
    return subprocess.run([VARVE, *map(str, words)], capture_output=True, env=environment or ENVIRONMENT, timeout=120)


def fill(*paths):
    done = subprocess.run([FILL, *map(str, paths)], capture_output=True, env=ENVIRONMENT, timeout=120)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode().splitlines()


def empty():
    shutil.rmtree(CACHE, ignore_errors=True)


def uses(path, *words):
    """True if a command takes the trace of `path` out of the cache: the time of change of the only entry is that of its last use."""
    (entry,) = CACHE.iterdir()
    os.utime(entry, (5, 5))
    assert run(*words, path).returncode == 0
    return entry.stat().st_mtime > 5


def traces():
    """Returns traces of every format, damaged ones included."""
    folders = ("archives", "cpuprofile", "firefox", "folded", "ftrace", "go", "heph", "perf", "perfetto", "pprof", "spall", "speedscope", "strace", "trace_event")
    files = [path for folder in folders for path in sorted((DATA / folder).rglob("*")) if path.is_file() and path.suffix != ".md"]
    return [path for path in files[::STEP] if path.stat().st_size < 300_000 and run("info", "--no-cache", path).returncode == 0]


def every_command_prints_the_same_with_and_without_the_cache():
    """Every command prints the same bytes, warnings included, with and without the cache."""
    kept = 0
    for path in traces():
        empty()
        if fill(path) != ["kept"]:
            continue
        assert fill(path) == ["found"] and uses(path, "info"), path
        kept += 1
        for command in COMMANDS:
            cached, loaded = run(*command, path), run(*command, "--no-cache", path)
            same = (cached.returncode, cached.stdout, cached.stderr) == (loaded.returncode, loaded.stdout, loaded.stderr)
            assert same, (path, command, cached.stdout[-300:], loaded.stdout[-300:], cached.stderr, loaded.stderr)
    assert kept > 3, kept


def compressed_input_and_archives_are_kept_with_their_bytes():
    """The arguments of a compressed source are in the cache; facts about the file are those of the source."""
    empty()
    packed = SCRATCH / "packed.json.gz"
    packed.write_bytes(gzip.compress((DATA / "trace_event" / "args_types.json").read_bytes()))
    assert fill(packed) == ["kept"] and uses(packed, "info")
    for command in (["dump", "--json"], ["info", "--json"]):
        assert run(*command, packed).stdout == run(*command, "--no-cache", packed).stdout, command
    assert json.loads(run("info", "--json", packed).stdout)["file"]["compression"] == "gzip"


def formats_that_need_their_input_are_not_kept():
    """Go traces and apitrace captures are made of their input each time."""
    empty()
    go, capture = (sorted((DATA / folder).rglob("*.trace"))[0] for folder in ("go", "apitrace"))
    assert fill(go, capture) == ["not kept", "not kept"]


def a_damaged_entry_is_removed_without_a_message():
    """A damaged entry is removed, and the output is that of a load."""
    empty()
    path = DATA / "trace_event" / "args_types.json"
    assert fill(path) == ["kept"]
    (entry,) = CACHE.iterdir()
    entry.write_bytes(entry.read_bytes()[:-100])
    cached, loaded = run("info", path), run("info", "--no-cache", path)
    assert (cached.stdout, cached.stderr) == (loaded.stdout, loaded.stderr)
    assert not entry.exists()


def an_entry_of_another_version_is_removed_without_a_message():
    """An entry that another version of the program wrote is removed, and the output is that of a load."""
    empty()
    path = DATA / "trace_event" / "args_types.json"
    assert fill(path) == ["kept"]
    (entry,) = CACHE.iterdir()
    newest = entry.read_bytes()
    entry.write_bytes(newest[:8] + (1).to_bytes(4, "little") + newest[12:])
    assert b"a .varve file of version 1: this program reads version 2" in run("info", entry).stderr
    cached, loaded = run("info", path), run("info", "--no-cache", path)
    assert (cached.returncode, cached.stdout, cached.stderr) == (0, loaded.stdout, loaded.stderr)
    assert not entry.exists() and fill(path) == ["kept"] and uses(path, "info")


def cache_lists_and_clears():
    """`varve cache` lists the kept traces, the latest use first, and removes them."""
    empty()
    listed = run("cache")
    assert listed.returncode == 0 and listed.stdout.startswith(b"0 traces, 0 bytes of at most "), listed
    first, second = DATA / "trace_event" / "args_types.json", SCRATCH / "b.json"
    second.write_text('[{"ph":"X","pid":1,"tid":1,"ts":1,"dur":1,"name":"a"}]')
    assert fill(first, second) == ["kept", "kept"]
    lines = run("cache").stdout.decode().splitlines()
    assert lines[0].split()[-1] == "source" and lines[1].endswith("  b.json") and lines[2].endswith("  args_types.json"), lines
    assert lines[3].startswith("2 traces, ") and lines[3].endswith(f"in {CACHE}"), lines
    facts = json.loads(run("cache", "--json").stdout)
    assert facts["folder"] == str(CACHE) and facts["most_bytes"] == 10 << 30
    assert [entry["source"] for entry in facts["entries"]] == ["b.json", "args_types.json"]
    assert facts["bytes"] == sum(entry["bytes"] for entry in facts["entries"]) == sum(path.stat().st_size for path in CACHE.iterdir())
    assert facts["entries"][1]["source_bytes"] == first.stat().st_size
    (CACHE / "notes.txt").write_text("of the user")
    assert run("cache", "--clear").stdout.startswith(b"removed 2 traces, ")
    assert [path.name for path in CACHE.iterdir()] == ["notes.txt"]
    assert run("cache", "file").returncode == 1


def without_a_folder_everything_works():
    """Without a folder for the cache every command works, and `varve cache` says so."""
    path = DATA / "trace_event" / "args_types.json"
    bare = {key: value for key, value in ENVIRONMENT.items() if key not in ("HOME", "XDG_CACHE_HOME")}
    assert run("info", path, environment=bare).stdout == run("info", "--no-cache", path).stdout
    assert run("cache", environment=bare).returncode == 4
    closed = {**ENVIRONMENT, "XDG_CACHE_HOME": "/dev/null"}
    assert run("info", path, environment=closed).stdout == run("info", "--no-cache", path).stdout
    assert run("cache", environment=closed).stdout.startswith(b"0 traces")


def info_time(path):
    begin = time.monotonic()
    assert run("info", "--no-cache", path).returncode == 0
    return time.monotonic() - begin


def slow_trace():
    """Returns a trace whose load takes more than a second."""
    path, events = SCRATCH / "slow.json", 400_000
    while True:
        with path.open("w") as out:
            out.write("[")
            out.writelines(f'{{"ph":"X","pid":1,"tid":{i % 50},"ts":{i},"dur":{i % 9},"name":"n{i % 99}","args":{{"i":{i}}}}},\n'
                           for i in range(events))
        if all(info_time(path) > 2 for _ in range(2)):  # one run alone can be slow because of other programs
            return path
        events *= 3


def open_for(path, seconds, *options):
    """Opens a file until the folder has an entry, at most for a time. Returns the time to its end after Ctrl-C."""
    server = subprocess.Popen([VARVE, "open", "--no-browser", *options, path], stdout=subprocess.PIPE, env=ENVIRONMENT)
    assert server.stdout.readline().startswith(b"http://")
    limit = time.monotonic() + seconds
    while time.monotonic() < limit and not (CACHE.exists() and any(file.suffix == ".varve" for file in CACHE.iterdir())):
        time.sleep(0.05)
    server.send_signal(signal.SIGINT)
    begin = time.monotonic()
    assert server.wait(timeout=60) == 0
    server.stdout.close()
    return time.monotonic() - begin


def open_keeps_a_slow_load():
    """`varve open` keeps a load of more than a second, unless it ends before or has --no-cache; no file is left unfinished."""
    empty()
    path = slow_trace()
    open_for(path, 1, "--no-cache")
    assert not CACHE.exists()
    for seconds in (0.5, 2, 3):
        open_for(path, seconds)
        assert not CACHE.exists() or all(file.suffix == ".varve" for file in CACHE.iterdir()), list(CACHE.iterdir())
    open_for(path, 60)
    assert uses(path, "stats") and not uses(path, "stats", "--no-cache")
    for command in (["stats", "--json"], ["info"]):
        assert run(*command, path).stdout == run(*command, "--no-cache", path).stdout


class Opened:
    """`varve open` of a file, and its answers."""

    def __init__(self, path, *options):
        self.process = subprocess.Popen([VARVE, "open", "--no-browser", *options, path], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=ENVIRONMENT)
        self.url = self.process.stdout.readline().decode().strip()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        self.process.communicate(timeout=60)

    def get(self, request):
        """Returns the status and the body of an answer. Sends the request again while the trace is loading or being checked."""
        while True:
            try:
                with urllib.request.urlopen(f"{self.url}{request}", timeout=60) as answer:
                    status, body = answer.status, answer.read()
            except urllib.error.HTTPError as error:
                status, body = error.code, error.read()
            if status not in (202, 503):
                return status, body
            time.sleep(0.01)

    def is_shown(self):
        """True while only the tiles of the trace are shown."""
        (status,) = json.loads(self.get("api/status")[1])["traces"]
        return status["state"] == "ready" and status["tag"] is None


def damage(entry, column):
    """Changes the first byte of a column: docs/formats/varve.md."""
    file = bytearray(entry.read_bytes())
    (directory,) = struct.unpack_from("<Q", file, len(file) - 32)
    (arrays,) = struct.unpack_from("<I", file, directory + 4)
    (block,) = struct.unpack_from("<Q", file, file.index(column + b"\0", directory) + 56)
    (at,) = struct.unpack_from("<Q", file, directory + 32 + 64 * arrays + 32 * block)
    file[at] ^= 1
    entry.write_bytes(file)


def answers_of(opened):
    return [opened.get(f"api/{request}") for request in ("outline?trace=0", "info?trace=0", "labels?trace=0&page=0", "stats?trace=0")]


def open_shows_a_kept_trace_before_it_is_checked():
    """`varve open` answers the first requests from the tiles of an entry, others when the trace is checked; the answers are those of a load."""
    empty()
    path = DATA / "trace_event" / "args_types.json"
    assert fill(path) == ["kept"]
    with Opened(path, "--no-cache") as loaded, Opened(path) as kept:
        assert kept.is_shown() and kept.get("first")[0] == 200
        assert answers_of(kept) == answers_of(loaded)
        assert not kept.is_shown()


def a_kept_trace_is_checked_without_a_request():
    """The trace of an entry is checked, and its warnings are printed, if no request needs it."""
    empty()
    path = SCRATCH / "warned.json"
    path.write_text('[{"ph":"E","pid":1,"tid":1,"ts":5},{"ph":"X","pid":1,"tid":1,"ts":1,"dur":3,"name":"a"}]')
    assert fill(path) == ["kept"]
    with Opened(path) as kept:
        limit = time.monotonic() + 60
        while kept.is_shown() and time.monotonic() < limit:
            time.sleep(0.05)
        assert not kept.is_shown()
        assert b"an end without an open begin" in kept.process.stderr.readline()


def open_loads_the_source_of_an_entry_with_a_damaged_column():
    """If a column of an entry is damaged, the tiles are shown, the entry is removed and the source is loaded."""
    empty()
    path = DATA / "trace_event" / "args_types.json"
    assert fill(path) == ["kept"]
    (entry,) = CACHE.iterdir()
    with Opened(path, "--no-cache") as loaded:
        expected = answers_of(loaded)
    damage(entry, b"slice.duration")
    with Opened(path) as kept:
        assert kept.is_shown()
        assert answers_of(kept) == expected
        assert not entry.exists()


def open_refuses_tiles_of_another_trace():
    """If the tiles of an entry are not those of the trace of the file, `varve open` ends with a message, and the entry is removed."""
    path, events = SCRATCH / "tiles.json", '[{"ph":"X","pid":1,"tid":1,"ts":1,"dur":%d,"name":"%s"}]'
    entries = []
    for text in (events % (1, "a"), events % (2, "b")):
        empty()
        path.write_text(text)
        assert fill(path) == ["kept"]
        (entry,) = CACHE.iterdir()
        entries.append((entry, entry.read_bytes()))
    entry.write_bytes(entries[0][1])
    with Opened(path) as kept:
        assert kept.process.wait(timeout=60) == 2
        assert b"tiles.json: the cache has another picture of the file than its trace: open it again" in kept.process.stderr.read()
    assert not entry.exists() and run("info", path).returncode == 0


tap.run([every_command_prints_the_same_with_and_without_the_cache, compressed_input_and_archives_are_kept_with_their_bytes,
         formats_that_need_their_input_are_not_kept, a_damaged_entry_is_removed_without_a_message,
         an_entry_of_another_version_is_removed_without_a_message, cache_lists_and_clears,
         without_a_folder_everything_works, open_keeps_a_slow_load, open_shows_a_kept_trace_before_it_is_checked,
         a_kept_trace_is_checked_without_a_request, open_loads_the_source_of_an_entry_with_a_damaged_column, open_refuses_tiles_of_another_trace])
