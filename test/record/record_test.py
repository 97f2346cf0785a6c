#!/usr/bin/env python3
"""Runs programs that record themselves with varve/record.h, and reads their files with Varve. Speaks TAP.

usage: record_test.py VARVE PROGRAM ROOT SANITIZERS

The environment variable RECORD_KILLS sets the number of random moments at which the recording is killed (default 50).
"""

import collections
import json
import os
import random
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import tap

VARVE, PROGRAM, ROOT, SANITIZERS = sys.argv[1], sys.argv[2], Path(sys.argv[3]), sys.argv[4]
KILLS = int(os.environ.get("RECORD_KILLS", "50"))
WARNINGS = ["-Wall", "-Wextra", "-pedantic", "-Wshadow", "-Wconversion", "-Wsign-conversion", "-Wcast-qual", "-Werror"]
THREADS, SLICES_PER_THREAD = 4, 6000
FOLDER = tempfile.TemporaryDirectory()
FILE = os.path.join(FOLDER.name, "recording.spall")
PAD_SKIP = 7


def record(mode, path=FILE):
    """Runs a mode of the program. Returns its output."""
    done = subprocess.run([PROGRAM, mode, path], capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, f"exit status {done.returncode}: {done.stderr}"
    return done.stdout


def dump(accept_warnings=False):
    """Returns the events of the recording, by Varve."""
    done = subprocess.run([VARVE, "dump", "--json", FILE], capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stderr
    assert accept_warnings or done.stderr == "", done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def slices(events):
    return [event for event in events if event["kind"] == "slice"]


def buffers():
    """Yields the records of each buffer of the file."""
    data = Path(FILE).read_bytes()
    assert struct.unpack_from("<QQ", data) == (0x0BADF00D, 3)
    at = 32
    while at < len(data):
        size = struct.unpack_from("<I", data, at)[0]
        yield data[at + 20:at + 20 + size]
        at += 20 + size
    assert at == len(data)


def record_types():
    """Returns the types of all records."""
    types = set()
    for records in buffers():
        at = 0
        while at < len(records):
            kind = records[at]
            types.add(kind)
            at += {3: lambda: 11 + records[at + 9] + records[at + 10], 4: lambda: 9, 8: lambda: 2 + records[at + 1],
                   9: lambda: 2 + records[at + 1], 7: lambda: 5 + struct.unpack_from("<I", records, at + 1)[0]}[kind]()
        assert at == len(records)
    return types


def the_recording_has_every_slice_with_its_texts():
    record("slices")
    check_events(dump(accept_warnings=True))


def check_events(events, is_json=False):
    found = slices(events)
    for size, event in enumerate(found[:300]):
        assert event.get("name", "") == "a" * min(size, 255), event
    assert found[301]["name"] == "\u00e9" * 127, found[301]
    assert [(event["name"], event["depth"]) for event in found[302:]] == \
        [("scope", 0), ("inner", 1), ("inner", 1), ("inner", 1), ("complete", 0), ("complete", 1), ("from", 2), ("from", 2), ("to", 2),
         ("to", 2), ("not ended", 0)], found[302:]
    assert {event.get("args", {}).get("part") for event in found[306:308]} == {None, 2}
    assert all(found[306]["begin_tick"] <= event["begin_tick"] <= event["end_tick"] <= found[306]["end_tick"] for event in found[306:312])
    assert found[302]["args"] == {"rows": 12}
    assert {event["track"] for event in found} == {"the last name counts"}
    instants = [event for event in events if event["kind"] == "instant"]
    assert [(event["name"], event.get("args")) for event in instants[:3]] == \
        [("moment", None), ("moment", {"reason": "test"}), ("\u00e9" * 127, None)], instants
    assert [event["name"] for event in instants[3:5]] == ["half", "half"], instants
    asynchronous = [(id_of(event), event["name"]) for event in events if event["kind"] == "async"]
    assert asynchronous == [("1", "request"), ("2", "request")], asynchronous
    arrows = [event["event"] for event in events if event["kind"] == "flow"]
    assert arrows.count("s") == arrows.count("f") == (2 if is_json else 4), arrows
    counters = [event["value"] for event in events if event.get("name") == "queue" and event["kind"] == "counter"]
    assert counters == [0, 0.5, 1], counters


def id_of(event):
    """Returns the id of an asynchronous event of .spall or JSON."""
    return str(event["args"]["id"] if "id" in event.get("args", {}) else event["other"]["id"])


ARGUMENTS = {
    "scope": {"int": -1, "least": -2 ** 63, "most": 2 ** 64 - 1},
    "begin": {"half": 0.5, "third": struct.unpack("f", struct.pack("f", 1 / 3))[0], "yes": True, "no": False},
    "instant": {"text": 'a "quoted" text\n', "empty": "", "": 7},
    "complete": {"short": -3, "char": 200, "infinite": "inf"},
    "cut": {"first": "t" * 255, "last": 1},
}


def arguments_of(events, names=ARGUMENTS):
    return {event["name"]: event.get("args") for event in events if event.get("name") in names and event["kind"] in ("slice", "instant")
            and event.get("args", {}).keys() != {"part"} and event.get("args") is not None}


def arguments_have_their_types():
    record("arguments")
    events = dump()
    assert arguments_of(events) == ARGUMENTS, arguments_of(events)
    many = [event["args"] for event in slices(events) if event["name"] == "many"]
    assert many == [{"n": i, "text": "t" * 255} for i in range(2000)]
    assert {event["track"] for event in slices(events)} == {"arguments"}


def a_writer_of_spall_keeps_arguments_with_types():
    record("arguments")
    plain = os.path.join(FOLDER.name, "plain.spall")
    done = subprocess.run([VARVE, "convert", FILE, "-o", plain], capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stderr
    done = subprocess.run([VARVE, "dump", "--json", plain], capture_output=True, text=True, timeout=100)
    found = arguments_of(map(json.loads, done.stdout.splitlines()))
    assert found["scope"] == ARGUMENTS["scope"] and found["begin"] == ARGUMENTS["begin"], found


def threads_of(events):
    return collections.Counter((event.get("track"), event["name"]) for event in slices(events)
                               if str(event.get("track")).startswith("worker"))


ALL_THREADS = {(f"worker {i}", name): SLICES_PER_THREAD for i in range(THREADS) for name in ["outer", "a name of twenty-six bytes"]}


def a_stream_of_spall_or_json_has_every_event():
    for mode in ["stream-spall", "stream-json"]:
        record(mode, "file:" + FILE)
        events = dump(accept_warnings=True)
        with_arguments = [event for event in events if event.get("args", {}).keys() & {"int", "half", "text", "short", "first"}]
        check_events([event for event in events if event not in with_arguments and not str(event.get("track")).startswith("worker")],
                     mode == "stream-json")
        expected = dict(ARGUMENTS, complete=dict(ARGUMENTS["complete"], infinite="inf" if mode == "stream-spall" else None))
        found = arguments_of(event for event in events if event.get("args") != {"rows": 12})
        assert found == expected, (mode, found)
        assert threads_of(events) == ALL_THREADS, mode


def a_stream_of_heph_has_every_slice_and_value():
    record("stream-heph", "file:" + FILE)
    events = dump(accept_warnings=True)
    assert threads_of(events) == ALL_THREADS
    found = arguments_of(event for event in events if event.get("args") != {"rows": 12})
    texts = {key: "true" if value is True else "false" if value is False else value for key, value in ARGUMENTS["begin"].items()}
    assert found["scope"] == ARGUMENTS["scope"] and found["begin"] == texts and found["cut"] == ARGUMENTS["cut"], found
    counters = [event["args"] for event in events if event.get("name") == "queue"]
    assert counters == [{"value": 0.0}, {"value": 0.5}, {"value": 1.0}], counters
    nested = {event["name"]: event["depth"] for event in slices(events) if event.get("name") in ("not ended", "begin")}
    assert nested == {"not ended": 0, "begin": 2}, nested
    assert {event["args"]["args"] for event in slices(events) if event.get("name") == "a name of twenty-six bytes"} == {'{"thread":true}'}


def streams_are_received_while_they_are_recorded():
    socket_path = os.path.join(FOLDER.name, "socket")
    for mode, listened in [("stream-json", "tcp:127.0.0.1:0"), ("stream-spall", "unix:" + socket_path), ("stream-heph", "tcp:[::1]:0"),
                           ("stream-heph", "udp:127.0.0.1:0")]:
        Path(FILE).unlink(missing_ok=True)
        command = [VARVE, "listen", "--no-viewer", "--json", "-o", FILE, listened]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as listener:
            address = listener.stdout.readline().strip()
            record(mode, address)
            time.sleep(0.3)
            listener.send_signal(signal.SIGINT)
            report = json.loads(listener.communicate(timeout=60)[0])
        assert report["senders"][0]["format"] == {"stream-json": "trace-event", "stream-spall": "spall", "stream-heph": "heph"}[mode], report
        events = dump(accept_warnings=True)
        if listened.startswith("udp"):  # the kernel may drop datagrams
            assert report["skipped_bytes"] == 0 and len(slices(events)) + report["missing"] >= 2 * THREADS * SLICES_PER_THREAD, report
        else:
            assert threads_of(events) == ALL_THREADS, (mode, report)


def a_stream_can_end_while_threads_record():
    record("stream-twice", "file:" + FILE)
    assert {event["name"] for event in slices(dump(accept_warnings=True))} == {"busy", "main"}


def a_stream_ends_when_its_receiver_goes_away():
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"tcp:127.0.0.1:{server.getsockname()[1]}"
        with subprocess.Popen([PROGRAM, "stream-broken", address], stdout=subprocess.PIPE, text=True) as program:
            connection, _ = server.accept()
            connection.recv(100)
            connection.close()
            assert program.communicate(timeout=60)[0] == "broken\n" and program.returncode == 0


def wrong_addresses_are_errors():
    record("addresses")


def trace_event_json_has_every_event():
    record("slices")
    path = os.path.join(FOLDER.name, "recording.json")
    done = subprocess.run([VARVE, "convert", FILE, "-o", path], capture_output=True, text=True, timeout=100)
    assert done.returncode == 0 and "left out" not in done.stderr, done.stderr
    phases = collections.Counter(event["ph"] for event in json.loads(Path(path).read_text())["traceEvents"])
    expected = {"C": 3, "i": 3, "b": 2, "n": 2, "e": 2, "s": 4, "f": 4}
    assert {phase: phases[phase] for phase in expected} == expected, phases


def the_recording_has_every_thread():
    record("threads")
    events = dump()
    counts = collections.Counter((event.get("track"), event["name"], event["depth"]) for event in slices(events))
    expected = {(f"worker {i}", name, depth): SLICES_PER_THREAD for i in range(THREADS)
                for depth, name in enumerate(["outer", "a name of twenty-six bytes"])}
    expected[(None, "all", 0)] = 1
    assert counts == expected, counts


def a_finished_recording_has_no_padding():
    for mode in ["threads", "exit"]:
        record(mode)
        assert record_types() == {3, 4, 8, 9}, f"{mode}: {record_types()}"


def the_clock_agrees_with_the_monotonic_clock():
    errors = []
    for _ in range(10):  # a pause between the two measurements is an error of this test
        measured = int(record("clock"))
        unit = struct.unpack_from("<d", Path(FILE).read_bytes(), 16)[0]
        found = slices(dump())[1]
        errors.append(abs((found["end_tick"] - found["begin_tick"]) * unit - measured))
        if errors[-1] < 20000:
            return
    raise AssertionError(f"errors of a slice of 20 ms, in ns: {errors}")


def a_recording_can_end_while_threads_record():
    record("twice")
    found = slices(dump(accept_warnings=True))
    assert {event["name"] for event in found} == {"busy", "main"}
    assert not Path(FILE + ".part").exists()


def events_of_signal_handlers_are_recorded_or_counted():
    if "thread" in SANITIZERS:
        raise tap.Skip("ThreadSanitizer delays signals until system calls, which only the recorder has")
    runs, lost = map(int, record("signals").split())
    found = collections.Counter(event["name"] for event in slices(dump()))
    assert runs > lost // 2 and lost % 2 == 0 and found["main"] == 100000, f"{found}, {runs} runs, {lost} lost events"
    assert found["handler"] == runs - lost // 2, f"{found}, {runs} runs, {lost} lost events"


def a_child_process_records_under_its_own_id():
    record("fork")
    found = slices(dump())
    processes = {event["name"]: event["pid"] for event in found}
    assert processes["parent"] != processes["in the child"] == processes["outer"]
    assert len(found) == 2 + 2 * THREADS * SLICES_PER_THREAD


def a_full_disk_ends_the_recording():
    assert record("full") == "EFBIG\n"
    found = slices(dump(accept_warnings=True))
    assert len(found) > 20000 and {event["name"] for event in found} == {"until the disk is full"}


def check_killed(limit):
    """Kills a recording at a random moment after `limit` slices of its first thread."""
    process = subprocess.Popen([PROGRAM, "kill", FILE], stdout=subprocess.PIPE)
    process.stdout.readline()
    with open(FILE + ".counts", "rb") as counts:
        while struct.unpack("<Q", os.pread(counts.fileno(), 8, 0))[0] < limit:
            time.sleep(0.0002)
    time.sleep(random.uniform(0, 0.001))
    process.kill()
    process.communicate()
    recorded = struct.unpack_from("<Q56xQ", Path(FILE + ".counts").read_bytes())
    numbers = collections.defaultdict(list)
    for event in slices(dump(accept_warnings=True)):
        numbers[event["tid"]].append(event["args"]["n"])
    for tid, found in numbers.items():
        assert found == list(range(len(found))), f"thread {tid}: not in sequence"
        count = recorded[0 if tid == process.pid else 1]
        assert count <= len(found) <= count + 1, f"thread {tid}: {len(found)} slices, {count} were recorded"
    for tid, count in enumerate(recorded):
        assert count == 0 or len(numbers) > tid, "a thread without slices"


def no_recorded_event_is_lost_when_the_program_is_killed():
    for _ in range(KILLS):
        check_killed(random.randrange(3000))


def a_ring_keeps_the_latest_slices():
    record("ring")
    events = dump(accept_warnings=True)
    numbers = [event["args"]["n"] for event in slices(events) if event["name"] == "slice"]
    assert Path(FILE).stat().st_size <= 2 << 20
    assert numbers == list(range(numbers[0], 100000)) and 20000 < len(numbers) < 100000, (numbers[0], numbers[-1])
    assert {event.get("track") for event in slices(events)} == {None, "numbers"}
    assert [event["name"] for event in slices(events) if "track" not in event] == ["open"]
    assert record_types() == {3, 4, 8, 9}


def a_ring_is_written_while_threads_record():
    record("dumps")
    done = subprocess.run([VARVE, "check", FILE], capture_output=True, text=True, timeout=100)
    assert "invalid" not in done.stdout and "backwards" not in done.stdout, done.stdout
    assert {event["name"] for event in slices(dump(accept_warnings=True))} == {"busy"}


def a_ring_counts_the_events_of_threads_without_a_part():
    lost = int(record("small"))
    names = {event["name"] for event in slices(dump(accept_warnings=True))}
    assert "after the threads" in names and ("main" in names) == (lost == 0), (lost, names)


def a_crash_writes_the_ring():
    for mode, signals in [("crash", signal.SIGSEGV), ("abort", signal.SIGABRT)]:
        Path(FILE).unlink(missing_ok=True)
        done = subprocess.run([PROGRAM, mode, FILE], capture_output=True, text=True, timeout=100)
        assert done.returncode == -signals or SANITIZERS != "none", done
        found = slices(dump(accept_warnings=True))
        assert found[-1]["name"] == "crash", found[-1]
        assert mode == "abort" or found[-2]["args"] == {"n": 99999}, found[-2]


def compiles(compiler, standard, source):
    program = os.path.join(FOLDER.name, "program")
    done = subprocess.run([compiler, f"-std={standard}", *WARNINGS, f"-I{ROOT / 'include'}", "-O2", "-pthread", source, "-o", program],
                          capture_output=True, text=True)
    assert done.returncode == 0, f"{compiler} {standard}: {done.stderr}"
    return program


def strict_c11_compiles_without_warnings():
    found = [compiler for compiler in ["gcc", "clang-19"] if shutil.which(compiler)]
    if not found:
        raise tap.Skip("no compiler")
    for compiler in found:
        compiles(compiler, "c11", ROOT / "examples" / "record" / "sort.c")


def strict_cpp_compiles_without_warnings_and_records():
    found = [compiler for compiler in ["g++", "clang++-19"] if shutil.which(compiler)]
    if not found:
        raise tap.Skip("no C++ compiler")
    for compiler in found:
        for standard in ["c++11", "c++20"]:
            program = compiles(compiler, standard, ROOT / "test" / "record" / "scopes.cpp")
            subprocess.run([program, FILE], check=True)
            found_slices = slices(dump())
            assert [(event["name"], event["depth"]) for event in found_slices] == \
                [("outer", 0), ("inner", 1), ("thrown", 2), ("caught", 2), ("in a thread", 0)], found_slices
            assert found_slices[0]["args"] == {"rows": 12, "half": 0.5, "is": True, "text": "C++"}, found_slices[0]
            assert [event["args"] for event in dump() if event["kind"] == "instant"] == [{"size": 3}, {"part": 1}]
            assert found_slices[4]["track"] == "a C++ thread"


tap.run([
    the_recording_has_every_slice_with_its_texts,
    trace_event_json_has_every_event,
    arguments_have_their_types,
    a_writer_of_spall_keeps_arguments_with_types,
    a_stream_of_spall_or_json_has_every_event,
    a_stream_of_heph_has_every_slice_and_value,
    streams_are_received_while_they_are_recorded,
    a_stream_can_end_while_threads_record,
    a_stream_ends_when_its_receiver_goes_away,
    wrong_addresses_are_errors,
    the_recording_has_every_thread,
    a_finished_recording_has_no_padding,
    the_clock_agrees_with_the_monotonic_clock,
    a_recording_can_end_while_threads_record,
    events_of_signal_handlers_are_recorded_or_counted,
    a_child_process_records_under_its_own_id,
    a_full_disk_ends_the_recording,
    no_recorded_event_is_lost_when_the_program_is_killed,
    a_ring_keeps_the_latest_slices,
    a_ring_is_written_while_threads_record,
    a_ring_counts_the_events_of_threads_without_a_part,
    a_crash_writes_the_ring,
    strict_c11_compiles_without_warnings,
    strict_cpp_compiles_without_warnings_and_records,
])
