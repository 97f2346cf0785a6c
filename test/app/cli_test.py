#!/usr/bin/env python3
"""The command line end to end: outputs, messages, exit statuses.

usage: cli_test.py VARVE DATA_DIR VERSION STEP [--update-golden]

Each STEP-th trace is converted to other formats and back. Golden files are beside the fixtures, NAME.COMMAND.txt; --update-golden rewrites them.
"""

import base64
import fcntl
import functools
import gzip
import json
import os
import pty
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import tap  # noqa: E402

for ignored in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT):
    signal.signal(ignored, signal.SIG_DFL)  # nohup and background jobs ignore these

VARVE, DATA, VERSION, STEP = os.path.abspath(sys.argv[1]), Path(sys.argv[2]), sys.argv[3], int(sys.argv[4])
UPDATE = "--update-golden" in sys.argv
SPALL = DATA.parent / "spall" / "syn_v3_odd_times.spall"
SCRATCH = tap.scratch_folder("cli")


def varve(*arguments, stdin=None, cwd=DATA):
    """Returns the finished process; outputs are bytes."""
    return subprocess.run([VARVE, *map(str, arguments)], input=stdin, capture_output=True, cwd=cwd, timeout=60)


def succeeds(*arguments, **settings):
    done = varve(*arguments, **settings)
    assert done.returncode == 0, (arguments, done.returncode, done.stderr)
    return done.stdout


def fails(status, *arguments, says="", **settings):
    """Returns stderr of a command that must exit with this status and print nothing on stdout."""
    done = varve(*arguments, **settings)
    errors = done.stderr.decode()
    assert done.returncode == status, (arguments, done.returncode, errors)
    assert done.stdout == b"", (arguments, done.stdout)
    assert all(line.startswith("varve: ") for line in errors.splitlines()), errors
    assert says in errors, (says, errors)
    return errors


def golden(name, actual):
    path = DATA / name
    if UPDATE:
        path.write_bytes(actual)
    expected = path.read_bytes()
    assert actual == expected, f"{name} differs:\n{actual.decode(errors='replace')}"


def lines_of(*arguments, **settings):
    return [json.loads(line) for line in succeeds("dump", "--json", *arguments, **settings).splitlines()]


# -- output --


def outputs_are_as_they_were():
    for fixture in ("ok_small.json", "odd_kinds.json"):
        golden(f"{fixture}.info.txt", succeeds("info", fixture))
        golden(f"{fixture}.info_json.txt", succeeds("info", "--json", "--quiet", fixture))
        golden(f"{fixture}.dump.txt", succeeds("dump", "--quiet", fixture))
        golden(f"{fixture}.dump_json.txt", succeeds("dump", "--json", "--quiet", fixture))
    golden("odd_kinds.json.warnings.txt", varve("dump", "--json", "odd_kinds.json").stderr)
    golden("odd_kinds.json.check.txt", varve("check", "odd_kinds.json").stdout)


def info_has_every_key_of_the_contract():
    for fixture in ("ok_small.json", "odd_kinds.json", SPALL):
        info = json.loads(succeeds("info", "--json", fixture))
        assert list(info)[:7] == ["file", "format", "complete", "time", "counts", "source_events", "warnings"], list(info)
        assert list(info["file"]) == ["name", "bytes", "compression"]
        assert list(info["format"]) == ["name", "version"]
        assert list(info["time"]) == ["clock", "ns_per_tick", "begin_tick", "end_tick", "begin_ns", "end_ns", "epoch_unix_ns"]
        assert list(info["counts"]) == [
            "processes", "threads", "tracks", "slices", "unfinished_slices", "instants", "counters", "counter_samples",
            "flows", "async_slices", "objects", "object_snapshots", "states", "samples", "stacks", "strings", "max_depth"]
        for warning in info["warnings"]:
            assert list(warning) == ["kind", "count", "first"], warning
            assert list(warning["first"]) == ["offset", "event", "message"], warning


def info_prints_facts():
    info = json.loads(succeeds("info", "--json", "ok_small.json"))
    assert info["file"] == {"name": "ok_small.json", "bytes": (DATA / "ok_small.json").stat().st_size, "compression": "none"}
    assert info["format"] == {"name": "trace-event", "version": "object"}
    assert info["time"]["begin_ns"] == 10000 and info["time"]["end_ns"] == 30000
    assert info["counts"]["slices"] == 3 and info["counts"]["threads"] == 2
    assert info["source_events"] == {"M": 2, "X": 2, "B": 1, "E": 1, "i": 1}
    assert info["properties"] == {"displayTimeUnit": "ns"}


def dump_stands_in_order():
    for fixture in ("ok_small.json", "odd_kinds.json", SPALL):
        ticks = [event.get("begin_tick", event.get("tick", -1)) for event in lines_of(fixture)]
        assert ticks == sorted(ticks), ticks
    order = ["kind", "pid", "tid", "track", "name", "cat", "begin_tick", "end_tick", "depth", "self_ticks", "unfinished", "args"]
    for event in lines_of("odd_kinds.json"):
        keys = [key for key in event if key in order]
        assert keys == sorted(keys, key=order.index), keys


def dump_keeps_numbers_exactly_and_every_kind():
    raw = succeeds("dump", "--json", "ok_small.json").decode()
    assert '"bytes":12345678901234567890' in raw, raw
    kinds = {event["kind"] for event in lines_of("odd_kinds.json")}
    assert kinds == {"slice", "counter", "async", "flow", "object", "snapshot", "memory-dump", "event"}, kinds


LINE_PART = re.compile(r' ([a-z_]+)=("(?:[^"\\]|\\.)*"|\{.*?\}(?= |$)|[^ ]+)')


def text_events(*arguments, **settings):
    """Returns the parsed lines of a text dump: (kind, {key: text of the value})."""
    for line in succeeds("dump", "--quiet", *arguments, **settings).decode().splitlines():
        kind = line.split(" ")[0]
        yield kind, dict(LINE_PART.findall(line[len(kind):]))


def dump_as_text_is_the_file_line_by_line():
    source = (DATA / "odd_kinds.json").read_bytes()
    events = list(text_events("odd_kinds.json"))
    written = [json.loads(line.strip(b"[],\r ")) for line in source.splitlines() if b"{" in line]
    assert len(events) == len(written), events
    at = -1
    for number, ((kind, keys), event) in enumerate(zip(events, written)):
        at = source.index(b"{\"", at + 1) if number == 0 else source.index(b"\n{", at) + 1
        assert keys["offset"] == str(at) and keys["event"] == str(number), (keys, at)
        assert json.loads(keys["name"]) == event["name"]
        assert all(keys[key] == str(event[key]) for key in ("pid", "tid") if key in event), (keys, event)
        assert float(keys["ns"]) == event["ts"] * 1000, keys
        assert keys.get("args") == (json.dumps(event["args"], separators=(",", ":")) if "args" in event else None), keys
    assert [kind for kind, _ in events] == [
        "complete", "begin", "end", "counter", "async", "async", "flow", "object", "snapshot", "memory-dump"], events


def dump_has_each_old_style_asynchronous_event_as_it_is():
    common = {"name": "op", "cat": "c", "pid": 1, "tid": 2, "id": 1}
    events = [{**common, "ph": "S", "ts": 1}, {**common, "ph": "T", "ts": 2, "args": {"step": "one"}},
              {**common, "ph": "T", "ts": 3, "args": {"step": "two"}}, {**common, "ph": "F", "ts": 4}]
    data = json.dumps(events).encode()
    printed = [(kind, keys["type"], keys["name"], keys["cat"], keys["ns"]) for kind, keys in text_events("-", stdin=data)]
    assert printed == [("async", json.dumps(event["ph"]), '"op"', '"c"', str(event["ts"] * 1000)) for event in events], printed
    paired = [(event["name"], event["event"]) for event in lines_of("-", stdin=data)]
    assert paired == [("op", "S"), ("one", "T"), ("two", "T")], paired


def dump_has_the_items_of_the_list_of_samples():
    file = DATA.parent / "trace_event" / "samples_list.json"
    items = [item for item in json.loads(file.read_bytes())["samples"] if isinstance(item, dict)]
    printed = [keys for kind, keys in text_events(file) if keys.get("type") == '"sample"']
    assert len(printed) == len(items), printed
    source = file.read_bytes()
    for keys, item in zip(printed, items):
        at = int(keys["offset"])
        assert json.JSONDecoder().raw_decode(source[at:].decode())[0] == item, (at, item)
        assert keys.get("ns") == (str(int(item["ts"]) * 1000) if "ts" in item else None), (keys, item)
        assert keys["tid"] == str(item["tid"]) and keys.get("pid") == (str(item["pid"]) if "pid" in item else None), keys
        rest = {key: value for key, value in item.items() if key not in ("pid", "tid", "ts", "name")}
        assert keys.get("other") == (json.dumps(rest, separators=(",", ":")) if rest else None), (keys, item)
    listed = [event for event in lines_of("--quiet", file) if event["kind"] == "event"]
    assert [event["event"] for event in listed] == ["sample"] * len(items), listed
    assert sorted(event.get("tick", -1) for event in listed) == [-1, 10000, 15000, 20000, 20000, 20000, 30000], listed
    assert [event["other"]["weight"] for event in listed if event["pid"] == 2] == [0.5], listed


def dump_has_the_duration_of_a_slice_without_a_time():
    event = {"ph": "X", "name": "f", "pid": 1, "tid": 2, "ts": "soon", "dur": 0, "tdur": 0}
    instant = {"ph": "i", "name": "g", "pid": 1, "tid": 2, "s": "p"}
    data = json.dumps([event, instant]).encode()
    others = [json.loads(keys["other"]) for _, keys in text_events("-", stdin=data)]
    assert others == [{"ts": "soon", "dur": 0, "tdur": 0}, {"s": "p"}], others
    assert [line["other"] for line in lines_of("--quiet", "-", stdin=data)] == others


def dump_as_text_keeps_the_unit_of_time():
    fine = [{"ph": "B", "pid": 1, "tid": 1, "ts": 1, "name": "a"}, {"ph": "E", "pid": 1, "tid": 1, "ts": 1.0005, "name": "a"},
            {"ph": "X", "pid": 1, "tid": 1, "ts": 2, "dur": 0.000125, "name": "b"},
            {"ph": "i", "pid": 1, "tid": 1, "ts": 9e12, "name": "far"}, {"ph": "i", "pid": 1, "tid": 1, "ts": -0.25, "name": "c"}]
    times = [(keys["ns"], keys.get("dur_ns")) for _, keys in text_events("-", stdin=json.dumps(fine).encode())]
    assert times == [("1000", None), ("1000.5", None), ("2000", "0.125"), ("9000000000000000", None), ("-250", None)], times
    spall = list(text_events(SPALL))
    assert [int(keys["offset"]) for _, keys in spall] == sorted(int(keys["offset"]) for _, keys in spall)
    assert [kind for kind, _ in spall].count("begin") == 7, spall


def dump_as_text_comes_while_the_input_does():
    process = subprocess.Popen([VARVE, "dump", "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    event = b'{"ph":"i","name":"n","pid":1,"tid":1,"ts":1},\n'
    more = threading.Event()

    def feed():
        process.stdin.write(b"[" + event * 60000)
        process.stdin.flush()
        more.wait(60)
        process.stdin.close()

    feeder = threading.Thread(target=feed)
    feeder.start()
    first = process.stdout.readline()
    more.set()
    rest = process.stdout.read()
    feeder.join()
    assert first.startswith(b"instant offset=1 event=0 "), first
    assert rest.count(b"\n") == 59999 and process.wait(timeout=60) == 0
    process.stdout.close()
    process.stderr.close()


def an_end_without_a_begin_is_in_every_dump():
    stray = b'[{"ph":"E","name":"s","cat":"k","pid":3,"tid":4,"ts":5,"args":{"a":1},"z":2},{"ph":"B","name":"b","pid":3,"tid":4,"ts":6}]'
    ends = [event for event in lines_of("-", stdin=stray) if event["kind"] == "event"]
    assert ends == [{"kind": "event", "pid": 3, "tid": 4, "name": "s", "cat": "k", "event": "E", "tick": 5000,
                     "args": {"a": 1}, "other": {"z": 2}}], ends
    kind, keys = next(text_events("-", stdin=stray))
    assert kind == "end" and keys["other"] == '{"z":2}' and keys["args"] == '{"a":1}', keys
    ends = [event for event in lines_of(SPALL) if event["kind"] == "event"]
    assert ends == [{"kind": "event", "pid": 1, "tid": 1, "event": "End", "tick": 131, "other": ends[0]["other"]}], ends


def arguments_of_any_size_come_back():
    events, order = [], []
    for i, size in enumerate([10, 3000, 5000, 70_000, 61_000, 3_000_000, 10, 200_000]):
        begin = {"ph": "B", "pid": 1, "tid": i, "ts": 10 - i, "name": "n", "args": {"a": "x" * size, "i": i}}
        events += [begin, {"ph": "E", "pid": 1, "tid": i, "ts": 20, "args": {"b": "y" * (size // 2)}}]
        order.insert(0, {**begin["args"], **events[-1]["args"]})
    (SCRATCH / "sizes.json").write_text(json.dumps(events))
    assert [event["args"] for event in lines_of(SCRATCH / "sizes.json")] == order
    packed = gzip.compress((SCRATCH / "sizes.json").read_bytes(), 1)
    assert [event["args"] for event in lines_of("-", stdin=packed)] == order
    text = succeeds("dump", SCRATCH / "sizes.json").decode().splitlines()
    assert [json.loads(line.split(" args=")[1]) for line in text] == [event["args"] for event in events]


def the_same_bytes_every_time():
    for arguments in (("dump", "--json", "odd_kinds.json"), ("info", "--json", SPALL), ("dump", SPALL)):
        assert succeeds(*arguments) == succeeds(*arguments)
        assert succeeds(*arguments) == succeeds(*arguments, "--threads=1") == succeeds(*arguments, "--threads", "7")


# -- inputs --


def compressed_and_piped_input_gives_the_same():
    plain = (DATA / "ok_small.json").read_bytes()
    expected = succeeds("dump", "--json", "ok_small.json")
    (SCRATCH / "a.bin").write_bytes(gzip.compress(plain))
    assert succeeds("dump", "--json", SCRATCH / "a.bin") == expected
    assert json.loads(succeeds("info", "--json", SCRATCH / "a.bin"))["file"]["compression"] == "gzip"
    assert succeeds("dump", "--json", "-", stdin=plain) == expected
    assert succeeds("dump", "--json", "-", stdin=gzip.compress(plain)) == expected
    zstd = shutil.which("zstd")
    if zstd:
        packed = subprocess.run([zstd, "-q", "-c"], input=plain, capture_output=True, check=True).stdout
        assert succeeds("dump", "--json", "-", stdin=packed) == expected
        info = json.loads(succeeds("info", "--json", "-", stdin=packed))
        assert info["file"] == {"name": "-", "bytes": len(packed), "compression": "zstd"}, info["file"]


def a_native_stream_is_what_its_golden_files_say():
    spall = DATA.parent / "spall"
    for fixture in ["syn_auto_v1.spall", "syn_auto_v2.spall", "syn_auto_v3_records.spall"]:
        golden(f"{fixture}.info.txt", succeeds("info", "--exe=none", fixture, cwd=spall))
        golden(f"{fixture}.info_json.txt", succeeds("info", "--exe=none", "--json", "--quiet", fixture, cwd=spall))
        golden(f"{fixture}.dump.txt", succeeds("dump", "--exe=none", "--quiet", fixture, cwd=spall))
        golden(f"{fixture}.dump_json.txt", succeeds("dump", "--exe=none", "--json", "--quiet", fixture, cwd=spall))


def names_of_addresses_come_from_the_executable():
    program, trace = os.environ["NATIVE_PIE"], SCRATCH / "native.spall"
    subprocess.run([program, trace, "3"], check=True)
    assert f"symbols   {program}: names for 4 of 4 functions\n" in succeeds("info", trace).decode()
    assert json.loads(succeeds("info", "--json", trace))["properties"]["executable"]["path"] == program
    assert varve("check", trace).returncode == 0
    for command in [("dump",), ("dump", "--json"), ("dump", "--strict"), ("dump", "--exe=" + program)]:
        text = succeeds(*command, trace).decode()
        assert '"int demo::twice<int>(int)"' in text and '"caller_function":"main"' in text, text[:300]
        assert '"line":' in text and varve(*command, trace).stderr == b"", text[:300]
    piped = succeeds("dump", "-", stdin=trace.read_bytes())
    assert piped == succeeds("dump", trace)

    for how, why in [("--exe=none", "no executable was looked for"), ("--exe=absent", "absent: No such file"),
                     (f"--exe={trace}", "is not an ELF executable"), ("--exe=.", "is not a regular file")]:
        done = varve("dump", how, trace)
        lines = done.stderr.decode().splitlines()
        assert done.returncode == 0 and len(lines) == 1 and why in lines[0], (how, lines)
        assert b'name="0x' in done.stdout and b"outer" not in done.stdout
        assert b"symbols" not in succeeds("info", how, trace).split(b"warnings")[0]
    fails(3, "dump", "--strict", "--exe=none", trace, says="shown by address")
    mismatch = varve("check", "--exe=" + os.environ["NATIVE_PADDED"], trace)
    assert mismatch.returncode == 3 and b"executable-mismatch" in mismatch.stdout, mismatch


def several_files_are_printed_one_after_the_other():
    text = succeeds("info", "ok_small.json", SPALL).decode()
    assert text.count("format    ") == 2 and text.index("trace-event") < text.index("spall")
    fails(1, "dump", "ok_small.json", "odd_kinds.json", says="dump needs one FILE")


def a_prefix_of_a_file_is_still_shown():
    plain = (DATA / "ok_small.json").read_bytes()
    for size in range(60, len(plain), 37):
        done = varve("info", "--json", "-", stdin=plain[:size])
        assert done.returncode == 0, (size, done.stderr)
        info = json.loads(done.stdout)
        assert info["complete"] is False or size >= len(plain) - 3, (size, info)


def input_that_is_none_is_refused():
    fails(2, "info", "bad_text.json", says="varve: bad_text.json: not a trace")
    fails(2, "dump", "bad_text.json", says='it is a text that begins with "hello, I am no trace"')
    fails(2, "dump", "bad_text.json", says="or .varve (byte 0)")
    fails(2, "check", "bad_text.json", says="expected JSON, .spall")
    fails(2, "open", "--no-browser", "bad_text.json", says="not a trace")
    fails(2, "info", "absent.json", says="varve: absent.json: ")
    fails(2, "open", "absent.json", "--no-browser", says="absent.json")
    fails(2, "info", ".", says="varve: .: ")
    fails(2, "info", "-", stdin=b"", says="standard input")
    fails(2, "info", "--format=spall", "ok_small.json", says="ok_small.json")


def a_forced_format_is_used():
    (SCRATCH / "odd.txt").write_bytes(b"   \n" + (DATA / "ok_small.json").read_bytes())
    info = json.loads(succeeds("info", "--json", "--format=trace-event", SCRATCH / "odd.txt"))
    assert info["counts"]["slices"] == 3


# -- exit statuses --


def wrong_usage_is_said():
    fails(1, "info", says="info needs a FILE")
    fails(1, "dump", says="dump needs one FILE")
    fails(1, "open", says="open needs a FILE")
    fails(1, "info", "--wrong", "ok_small.json", says="unknown option --wrong (see varve info --help)")
    fails(1, "info", "-x", "ok_small.json", says="unknown option -x")
    fails(1, "info", "--json=1", "ok_small.json", says="--json takes no value")
    fails(1, "info", "ok_small.json", "--format", says="--format needs a value")
    fails(1, "info", "--format=nope", "ok_small.json", says="unknown format 'nope': expected one of ")
    fails(1, "info", "--threads=0", "ok_small.json", says="--threads")
    fails(1, "info", "--threads=many", "ok_small.json", says="--threads")
    fails(1, "info", "--color=blue", "ok_small.json", says="--color")
    fails(1, "open", "--port=70000", "ok_small.json", says="--port")
    assert varve().returncode == 1


def strict_makes_warnings_errors():
    assert varve("info", "--strict", "ok_small.json").returncode == 0
    done = varve("info", "--strict", "odd_kinds.json")
    assert done.returncode == 3 and b"warnings" in done.stdout
    fails(3, "dump", "--strict", "odd_kinds.json", says="stopped because of --strict")
    fails(3, "dump", "--strict", "--quiet", "odd_kinds.json")
    assert varve("dump", "odd_kinds.json").returncode == 0
    fails(3, "dump", "--strict", "-", stdin=(DATA / "odd_kinds.json").read_bytes(), says="without an open begin")
    plain = (DATA / "ok_small.json").read_bytes()
    assert succeeds("dump", "--strict", "-", stdin=plain) == succeeds("dump", "ok_small.json")


def the_status_of_check_shows_anomalies():
    assert succeeds("check", "ok_small.json") == b"ok_small.json: no anomalies\n"
    done = varve("check", "odd_kinds.json")
    assert done.returncode == 3 and b"unfinished-slice, 1 time" in done.stdout, done.stdout
    assert varve("check", "ok_small.json", "odd_kinds.json").returncode == 3
    assert varve("check", "odd_kinds.json", "absent.json").returncode == 2


# Kinds of warnings without a position in the input, and the reasons.
PLACELESS = {
    "deep-stacks": "all stacks together are too many",
    "arrows-thinned": "all wake-ups together are too many",
}


def every_warning_has_an_offset():
    kinds = set()
    for file in readable(sorted(folder for folder in DATA.parent.iterdir() if folder.is_dir())):
        info = json.loads(succeeds("info", "--json", "--quiet", file))
        for warning in info["warnings"]:
            kinds.add(warning["kind"])
            assert warning["kind"] in PLACELESS or warning["first"].get("offset") is not None, (file, warning)
    assert len(kinds) > 60, len(kinds)


def a_trace_that_is_not_shown_is_named():
    for key in ["androidProcessDump", "cgroupDump"]:
        data = b'{"traceEvents":[],"%s":"text"}' % key.encode()
        [warning] = json.loads(succeeds("info", "--json", "--quiet", "-", stdin=data))["warnings"]
        assert warning["kind"] == "sub-trace-not-shown" and f'"{key}"' in warning["first"]["message"], warning
        assert warning["first"]["offset"] == data.index(b'"' + key.encode()), warning


def warnings_go_to_stderr_once_per_kind():
    errors = varve("dump", "--json", "odd_kinds.json").stderr.decode().splitlines()
    assert len(errors) == 3, errors
    assert all(re.match(r"varve: odd_kinds.json: warning: .* \(byte \d+, event \d+\)(, and \d+ more of this kind)?$", line)
               for line in errors), errors
    assert varve("dump", "--quiet", "odd_kinds.json").stderr == b""


def output_that_cannot_be_written_is_said():
    if not Path("/dev/full").exists():
        return
    with open("/dev/full", "wb") as full:
        for arguments in (("info", "ok_small.json"), ("dump", "ok_small.json"), ("check", "ok_small.json"), ("--help",),
                          ("flame", "ok_small.json", "--to=svg", "-o", "-"), ("render", "ok_small.json", "--to=png", "-o", "-")):
            done = subprocess.run([VARVE, *arguments], stdout=full, stderr=subprocess.PIPE, cwd=DATA, timeout=60)
            assert done.returncode == 4 and b"standard output" in done.stderr, (arguments, done)


def a_reader_that_goes_away_is_no_error():
    events = ",\n".join(f'{{"ph":"X","name":"n{i}","pid":1,"tid":1,"ts":{i},"dur":1}}' for i in range(50000))
    (SCRATCH / "many.json").write_text(f"[{events}]")
    process = subprocess.Popen([VARVE, "dump", SCRATCH / "many.json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    process.stdout.readline()
    process.stdout.close()
    errors = process.stderr.read()
    assert process.wait(timeout=60) in (0, -signal.SIGPIPE) and errors == b"", (process.returncode, errors)
    process.stderr.close()


# -- pictures --


def png_size(path):
    data = path.read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n", data[:8]
    return int.from_bytes(data[16:20], "big"), int.from_bytes(data[20:24], "big")


def pictures_have_the_size_asked_for():
    out = SCRATCH / "a.png"
    succeeds("render", "ok_small.json", "-o", out, "--size=640x300")
    assert png_size(out) == (640, 300)
    succeeds("render", "ok_small.json", f"--output={out}", "--size=320x200", "--scale=2")
    assert png_size(out) == (640, 400)
    succeeds("render", "ok_small.json", "-o", out)
    width, height = png_size(out)
    assert width == 1600 and 120 <= height < 1000, height
    succeeds("render", "ok_small.json", SPALL, "-o", out, "--quiet")
    assert png_size(out)[1] > height


def pictures_are_the_same_bytes_every_time():
    for kind, start in (("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF")):
        first = succeeds("render", "odd_kinds.json", "-o", "-", f"--to={kind}", "--quiet")
        assert first.startswith(start), first[:20]
        assert succeeds("render", "odd_kinds.json", "-o", "-", f"--to={kind}", "--quiet") == first
        out = SCRATCH / f"same.{kind}"
        succeeds("render", "odd_kinds.json", "-o", out, "--quiet", "--threads=1")
        assert out.read_bytes() == first


def picture_options_change_the_picture():
    plain = succeeds("render", "ok_small.json", "-o", "-", "--to=svg")
    for option in ("--theme=dark", "--range=1us..4us", "--range=..500ns", "--range=2.5us..", "--range=100..200", "--tracks=flush",
                   "--select=parse", "--size=800"):
        assert succeeds("render", "ok_small.json", "-o", "-", "--to=svg", option) != plain, option
    flows = DATA.parent / "trace_event" / "flows_rules.json"
    for option in ("--color-by=thread", "--color-by=duration", "--palette=safe", "--rows=compact", "--rows=roomy"):
        assert succeeds("render", "ok_small.json", "-o", "-", "--to=svg", option) != plain, option
    for option in ("--color-by=name", "--palette=standard", "--rows=normal"):
        assert succeeds("render", "ok_small.json", "-o", "-", "--to=svg", option) == plain, option
    some, none, few = (succeeds("render", flows, "-o", "-", "--to=svg", "--quiet", f"--flows={which}") for which in ("all", "none", "few"))
    assert few == some != none and len(some) > len(none)
    ticks = succeeds("render", "ok_small.json", "-o", "-", "--to=svg", "--range=1000..4000")
    for same in ("1us..4us", "1µs..4000ns", "0.001ms..0.000004s", "1000000ps..4us"):
        assert succeeds("render", "ok_small.json", "-o", "-", "--to=svg", f"--range={same}") == ticks, same


def view_of(file_name, shared="", **trace):
    """Writes a view file with a state and returns its path."""
    path = SCRATCH / file_name
    body = ", ".join(f'"{key}": {json.dumps(value)}' for key, value in trace.items())
    path.write_text(f'{{"varve_view": 1, {shared} "traces": [{{{body}}}]}}', encoding="utf-8")
    return path


def a_view_file_sets_the_picture():
    svg = ("-o", "-", "--to=svg")
    trace = DATA / "ok_small.json"
    everything = {"begin": 1000, "end": 4000}
    ranged = view_of("range.varve-view", range=everything)
    assert succeeds("render", trace, ranged, *svg) == succeeds("render", trace, *svg, "--range=1us..4us")
    assert succeeds("render", ranged, trace, *svg, "--range=1us..2us") == succeeds("render", trace, *svg, "--range=1us..2us")
    filtered = view_of("filter.varve-view", '"filter": "flush", "flows": "none",', range=everything)
    assert succeeds("render", trace, filtered, *svg) == succeeds("render", trace, *svg, "--range=1us..4us", "--tracks=flush", "--flows=none")
    plain = succeeds("render", trace, *svg, "--range=1us..4us")
    marked = view_of("mark.varve-view", range=everything, marks=[{"begin": 2000, "end": 3000, "text": "look here", "colour": "pink"}])
    assert succeeds("render", trace, marked, *svg) != plain
    compact = view_of("compact.varve-view", '"rows": "compact",', range=everything)
    assert len(succeeds("render", trace, compact, *svg)) < len(plain)
    code = base64.urlsafe_b64encode(ranged.read_bytes()).decode().rstrip("=")
    for link in (f"http://127.0.0.1:8200/#view={code}", f"https://varve.example/?url=x#view={code}&slice=1"):
        assert succeeds("render", trace, link, *svg) == plain


def a_view_of_other_content_is_said():
    trace, out = DATA / "ok_small.json", SCRATCH / "view.svg"
    other = view_of("other.varve-view", '"odd": 1,', name="old.json", identity="0123456789abcdef",
                    range={"begin": 1000, "end": 4000}, pinned=[{"process": "none"}])
    errors = varve("render", trace, other, "-o", out).stderr.decode()
    for part in ("of other content (old.json)", "does not have 1 rows", "unknown member 'odd'"):
        assert part in errors, errors
    assert varve("render", trace, other, "-o", out, "--quiet").stderr == b""
    wrong = view_of("wrong.varve-view", '"rows": "tall",', range={"begin": 0, "end": 9})
    fails(2, "render", trace, wrong, "-o", out, says="(byte 26)")
    fails(2, "render", trace, SCRATCH / "absent.varve-view", "-o", out, says="absent.varve-view")
    fails(2, "render", trace, "http://127.0.0.1:1/#view=e!", "-o", out, says="the link: damaged at character 27")
    fails(1, "render", trace, other, other, "-o", out, says="there can be only one view")
    fails(1, "render", other, "-o", out, says="render needs a FILE")
    fails(1, "open", other, says="open needs a FILE")


def wrong_picture_options_are_said():
    render = ("render", "ok_small.json")
    fails(1, *render, says="render needs -o")
    fails(1, "render", "-o", "a.png", says="render needs a FILE")
    fails(1, *render, "-o", "a.gif", says="must be png, svg or pdf")
    fails(1, *render, "-o", "a", says="must be png, svg or pdf")
    fails(1, *render, "-o", "a.png", "--to=gif", says="--to=gif")
    for size in ("0x5", "5x0", "x", "5x", "5x5x5", "-5x5", "99999x5", "5x5px", "1e3x5", "nan", "0x10"):
        fails(1, *render, "-o", "a.png", f"--size={size}", says="--size must be")
    for scale in ("0", "-1", "17", "two", "inf", "0.01"):
        fails(1, *render, "-o", "a.png", f"--scale={scale}", says="--scale must be")
    for time_range in ("", "1", "a..b", "1.5..2", "1h..2h", "99999999999999999999..", "-1..5", "1e3..",
                       "9999999999999s..99999999999999s"):
        fails(1, *render, "-o", "a.png", f"--range={time_range}", says="--range must be")
    for time_range in ("2..1", "1..1", "2us..1us"):
        fails(1, *render, "-o", "a.png", f"--range={time_range}", says="is empty: its end must be after its begin")
    fails(1, *render, "-o", "a.png", "--range=1s..2", says="begins after the trace's end")
    fails(1, *render, "-o", "a.png", "--range=2026-11-22T10:00Z..", says="has no wall-clock time")
    fails(1, *render, "-o", "a.png", "--theme=pink", says="--theme must be")
    fails(1, *render, "-o", "a.png", "--flows=some", says="--flows must be few, all or none")
    fails(1, *render, "-o", "a.png", "--select=absent", says="no event has the name 'absent'")
    fails(1, *render, "-o", "a.png", "--tracks=absent", says="--tracks=absent: no title of a track or process contains it")
    assert not (DATA / "a.png").exists()


def a_picture_is_written_whole_or_not_at_all():
    out = SCRATCH / "whole.png"
    out.write_bytes(b"old")
    fails(2, "render", "bad_text.json", "-o", out)
    fails(3, "render", "--strict", "odd_kinds.json", "-o", out)
    assert out.read_bytes() == b"old"
    fails(4, "render", "ok_small.json", "-o", SCRATCH / "no" / "folder.png", says="folder.png")
    folder = SCRATCH / "folder.png"
    folder.mkdir()
    fails(4, "render", "ok_small.json", "-o", folder, says="folder.png")
    if Path("/dev/full").exists():
        fails(4, "render", "ok_small.json", "-o", "/dev/full", "--to=png", says="/dev/full")
    succeeds("render", "ok_small.json", "-o", out)
    assert png_size(out)[0] == 1600
    assert [path.name for path in SCRATCH.iterdir() if "whole" in path.name] == ["whole.png"]


# -- help and the terminal --


# -- convert --


def strict_json(data):
    def refuse(constant):
        raise ValueError(constant)

    return json.loads(data.decode("utf-8"), parse_constant=refuse)


def readable(folders):
    """Returns the traces of the folders, without the largest recordings, which would take minutes."""
    files = [file for folder in folders for file in sorted(folder.glob("**/*")) if file.suffix not in (".txt", ".md")]
    small = [file for file in files if file.is_file() and file.stat().st_size <= 150_000]
    return [file for file in small if is_readable(file)]


@functools.cache
def is_readable(file):
    return varve("info", "--quiet", file).returncode == 0


def converted(file, to):
    """Returns the bytes, and the lines about losses."""
    done = varve("convert", "--to=" + to, "-o", "-", file)
    assert done.returncode == 0, (file, done.stderr)
    return done.stdout, [line for line in done.stderr.splitlines() if line.startswith(b"varve: standard output: ")]


def json_gives_the_same_trace_again():
    exact = 0
    for file in readable([DATA, DATA.parent / "trace_event"])[::STEP]:
        if json.loads(succeeds("info", "--json", "--quiet", file))["format"]["name"] != "trace-event":
            continue
        first, losses = converted(file, "json")
        strict_json(first)
        if losses:
            continue  # the command reports the difference
        exact += 1
        before, after = succeeds("dump", "--json", file), succeeds("dump", "--json", "-", stdin=first)
        assert before == after, (file, first[:2000])
        assert varve("convert", "--to=json", "-o", "-", "-", stdin=first).stdout == first, file
    assert exact > 40 / STEP, exact


def slices_of(data):
    """Returns every slice of a .spall file, to the tick."""
    events = [json.loads(line) for line in succeeds("dump", "--json", "--quiet", "-", stdin=data).splitlines()]
    keys = ("pid", "tid", "name", "begin_tick", "end_tick", "depth", "unfinished")
    return [[event.get(key) for key in keys] for event in events if event["kind"] == "slice"]


def spall_through_json_is_the_same_to_the_tick():
    for file in readable([DATA.parent / "spall"])[::STEP]:
        info = json.loads(succeeds("info", "--json", "--quiet", file))
        first, _ = converted(file, "json")
        strict_json(first)
        ticks = info["time"]["ns_per_tick"]
        if ticks[0] * 1000 < ticks[1] or (info["time"]["end_ns"] or 0) >= 2**61 or not info["complete"]:
            continue  # times finer or larger than JSON can represent
        second = varve("convert", "--to=spall", "-o", "-", "-", stdin=first).stdout
        assert slices_of(second) == slices_of(file.read_bytes()), file


def spall_of_anything_is_read_without_complaint():
    kinds = (b"unfinished-slice", b"empty-trace", b"suspicious-unit", b"no anomalies")
    for file in readable([DATA, DATA.parent / "trace_event", DATA.parent / "spall", DATA.parent / "heph"])[::STEP]:
        for version in ("spall", "spall1"):
            report = varve("check", "-", stdin=converted(file, version)[0]).stdout
            assert all(any(kind in line for kind in kinds) for line in report.splitlines()[1:]), (file, report)


def convert_says_what_is_lost():
    lines = varve("convert", "odd_kinds.json", "-o", SCRATCH / "odd.spall").stderr.decode()
    for what in ("events that are not slices are left out: C (1)", "slices lose their category (1)"):
        assert f"varve: {SCRATCH}/odd.spall: {what}\n" in lines, lines
    assert varve("convert", "--quiet", "odd_kinds.json", "-o", SCRATCH / "odd.spall").stderr == b""


def a_conversion_has_the_suffixes_of_other_programs():
    for usual, *others in (("pb.gz", "pprof", "pb"), ("folded", "collapsed"), ("jsonl", "ndjson")):
        outputs = [SCRATCH / f"suffix.{suffix}" for suffix in (usual, *others)]
        for output in outputs:
            varve("convert", "--quiet", "ok_small.json", "-o", output)
        assert len({output.read_bytes() for output in outputs}) == 1, usual
    varve("flame", "--quiet", "ok_small.json", "-o", SCRATCH / "flame.collapsed")
    assert (SCRATCH / "flame.collapsed").read_bytes() == (SCRATCH / "suffix.folded").read_bytes()


def wrong_conversions_are_said():
    fails(1, "convert", "ok_small.json", says="-o OUT")
    fails(1, "convert", "-o", "x.json", says="one FILE")
    fails(1, "convert", "ok_small.json", "-o", "x.xml", says="x.xml: unknown suffix")
    for name, says in (("x.svg", "pictures are drawn by `varve render` and `varve flame`"), ("x.pdf", "`varve render`"), ("x.arrow", "use .arrows"),
                       ("x.json.gz", "--to=FORMAT -o - | gzip"), ("x.zst", "| zstd")):
        fails(1, "convert", "ok_small.json", "-o", SCRATCH / name, says=f"{name}: ")
        fails(1, "convert", "ok_small.json", "-o", SCRATCH / name, says=says)
    fails(1, "convert", "ok_small.json", "-o", "-", says="json, spall, spall1, heph, folded, pprof, speedscope, varve, csv")
    fails(1, "convert", "--to=go", "ok_small.json", "-o", "x.json", says="--to=go")
    fails(2, "convert", "missing.json", "-o", SCRATCH / "x.json", says="missing.json")
    assert not (SCRATCH / "x.json").exists()


def a_conversion_is_written_whole_or_not_at_all():
    where = SCRATCH / "whole"
    where.mkdir()
    missing = where / "missing"
    fails(4, "convert", "--quiet", "ok_small.json", "-o", missing / "x.json", says=f"x.json: cannot be created in {missing}: No such file or directory\n")
    fails(4, "convert", "--quiet", "not-read.json", "-o", missing / "x.json", says="cannot be created")
    fails(4, "query", "not-read.json", "SELECT 1", "-o", f"{missing}/a/", says=f"cannot be created in {missing}: No such")
    big = where / "big.json"
    big.write_text("[" + ",".join(
        f'{{"ph":"X","name":"f{i}","ts":{i},"dur":1,"pid":1,"tid":1}}' for i in range(60000)) + "]")
    out = where / "out.json"
    out.write_text("old")
    limited = subprocess.run(["sh", "-c", 'ulimit -f 2000; trap "" XFSZ; exec "$@"', "sh", VARVE, "convert", "--quiet", big,
                              "-o", out], capture_output=True, timeout=60)
    assert limited.returncode == 4, limited
    assert out.read_text() == "old"
    assert sorted(path.name for path in where.iterdir()) == ["big.json", "out.json"]
    succeeds("convert", big, "-o", out)
    assert len(strict_json(out.read_bytes())["traceEvents"]) == 60000
    if os.path.exists("/dev/full"):
        fails(4, "convert", "--quiet", "--to=json", "ok_small.json", "-o", "/dev/full", says="No space left")


def an_interrupted_conversion_leaves_nothing():
    where = SCRATCH / "interrupted"
    where.mkdir()
    os.mkfifo(where / "pipe")
    big = SCRATCH / "whole" / "big.json"
    process = subprocess.Popen([VARVE, "convert", "--quiet", "--to=json", big, "-o", where / "pipe"], stderr=subprocess.PIPE)
    with open(where / "pipe", "rb") as pipe:
        pipe.read(1)  # the command is writing, and blocks until this side reads on
        process.send_signal(signal.SIGINT)
        pipe.read()
    assert process.wait(timeout=20) == -signal.SIGINT, process.stderr.read()
    assert [path.name for path in where.iterdir()] == ["pipe"]


def a_signal_ends_a_command_whose_reader_stalls():
    big = SCRATCH / "whole" / "big.json"
    for command in (("convert", "--to=json"), ("render", "--to=svg")):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            reader, writer = os.pipe()
            fcntl.fcntl(writer, fcntl.F_SETPIPE_SZ, 4096)
            process = subprocess.Popen([VARVE, *command, "--quiet", big, "-o", "-"], stdout=writer, stderr=subprocess.PIPE)
            os.close(writer)
            os.read(reader, 1)  # the command is writing, and the pipe is full
            process.send_signal(number)
            assert process.wait(timeout=20) == -number, (command, number, process.stderr.read())
            os.close(reader)


def help_is_there_for_every_command():
    overview = succeeds("--help").decode()
    assert overview == succeeds("help").decode() == succeeds("-h").decode()
    commands = re.findall(r"^  ([a-z]+) +[A-Z]", overview, re.M)
    assert {"open", "info", "dump", "render", "check"} <= set(commands), commands
    for command in commands:
        text = succeeds(command, "--help").decode()
        assert text.startswith(f"usage: varve {command} ") and "examples:\n  varve " in text, text
        for option in ("--format=NAME", "--strict", "--color=WHEN", "--quiet", "--threads=N", "--help", "--version"):
            assert option in text, (command, option)


def the_version_is_the_builds():
    assert succeeds("--version").decode() == f"varve {VERSION}\n"
    assert succeeds("info", "--version").decode() == f"varve {VERSION}\n"


def colour_is_for_terminals_and_on_demand():
    assert b"\033" not in succeeds("info", "odd_kinds.json")
    assert b"\033[1m" in succeeds("info", "--color=always", "odd_kinds.json")
    assert b"\033" not in succeeds("info", "--color=never", "odd_kinds.json")


def names_cannot_drive_the_terminal():
    evil = '[{"ph":"X","name":"\\u001b[2J","pid":"\\u001b]0;x\\u0007","tid":1,"ts":1,"dur":1}]'
    (SCRATCH / "evil.json").write_text(evil)
    for arguments in (("info",), ("dump",), ("dump", "--json"), ("check",)):
        assert b"\033" not in varve(*arguments, SCRATCH / "evil.json").stdout, arguments


def a_slow_load_shows_a_bar_and_stops_at_ctrl_c():
    master, terminal = pty.openpty()
    process = subprocess.Popen([VARVE, "info", "-"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=terminal)
    os.close(terminal)
    process.stdin.write(b"[\n")
    process.stdin.flush()
    seen, until = b"", time.monotonic() + 20
    while b"reading" not in seen and time.monotonic() < until:
        seen += os.read(master, 4096)
    assert b"standard input: reading" in seen, seen
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=20) == -signal.SIGINT
    process.stdin.close()
    os.close(master)


tap.run([
    outputs_are_as_they_were, info_has_every_key_of_the_contract, info_prints_facts, dump_stands_in_order,
    dump_keeps_numbers_exactly_and_every_kind, dump_as_text_is_the_file_line_by_line,
    dump_has_each_old_style_asynchronous_event_as_it_is, dump_has_the_items_of_the_list_of_samples,
    dump_has_the_duration_of_a_slice_without_a_time, dump_as_text_keeps_the_unit_of_time, dump_as_text_comes_while_the_input_does,
    an_end_without_a_begin_is_in_every_dump, arguments_of_any_size_come_back, the_same_bytes_every_time,
    compressed_and_piped_input_gives_the_same, a_native_stream_is_what_its_golden_files_say,
    names_of_addresses_come_from_the_executable, several_files_are_printed_one_after_the_other,
    a_prefix_of_a_file_is_still_shown, input_that_is_none_is_refused, a_forced_format_is_used, wrong_usage_is_said,
    strict_makes_warnings_errors, the_status_of_check_shows_anomalies, warnings_go_to_stderr_once_per_kind,
    every_warning_has_an_offset, a_trace_that_is_not_shown_is_named,
    output_that_cannot_be_written_is_said, a_reader_that_goes_away_is_no_error,
    pictures_have_the_size_asked_for, pictures_are_the_same_bytes_every_time, picture_options_change_the_picture,
    a_view_file_sets_the_picture, a_view_of_other_content_is_said,
    wrong_picture_options_are_said, a_picture_is_written_whole_or_not_at_all,
    json_gives_the_same_trace_again, spall_through_json_is_the_same_to_the_tick,
    spall_of_anything_is_read_without_complaint, convert_says_what_is_lost, a_conversion_has_the_suffixes_of_other_programs, wrong_conversions_are_said,
    a_conversion_is_written_whole_or_not_at_all, an_interrupted_conversion_leaves_nothing, a_signal_ends_a_command_whose_reader_stalls,
    help_is_there_for_every_command,
    the_version_is_the_builds, colour_is_for_terminals_and_on_demand, names_cannot_drive_the_terminal,
    a_slow_load_shows_a_bar_and_stops_at_ctrl_c,
])
