#!/usr/bin/env python3
"""The memory of `varve listen`: all senders together stay within `--mem`.

usage: listen_memory_test.py VARVE [SANITIZERS]
"""

import contextlib
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import tap  # noqa: E402
from listener import connect, epoch, event, events, info, json_event, listen, listen_and_show, resident_kib, until  # noqa: E402

SANITIZERS = "".join(sys.argv[2:])  # meson's b_sanitize; sanitizers have no limit on memory
FOLDER = tempfile.TemporaryDirectory(prefix="varve-listen-")
PROGRAM_KIB = 10 << 10  # docs/listen.md: for the program itself


def path(name):
    return Path(FOLDER.name) / name


# Shapes that keep memory for each event.
SHAPES = {
    "nested begins without end": lambda i: json_event(name="a", ph="B", ts=10 * i),
    "new processes": lambda i: json_event(name="a", ph="X", ts=10 * i, dur=5, pid=i),
    "asynchronous events without end": lambda i: json_event(name="a", cat="c", ph="b", ts=10 * i, id=i),
    "asynchronous events of one id without end": lambda i: json_event(name="a", cat="c", ph="b", ts=10 * i, id=1),
    "new series of a counter": lambda i: json_event(name="a", ph="C", ts=10 * i, args={f"v{i}": i}),
    "objects without end": lambda i: json_event(name="a", ph="N", ts=10 * i, id=hex(i)),
}


def json_events(shape, count):
    return b"[" + "".join(SHAPES[shape](i) for i in range(count)).encode()


def send(listener, data):
    """Sends all data on a connection of its own. The connection of a sender that was stopped is closed early."""
    with contextlib.suppress(OSError), connect(listener.port()) as sender:
        sender.sendall(data)


def assert_bounded(listener, before_kib, mem_mib):
    peak = resident_kib(listener)
    assert SANITIZERS or peak < before_kib + mem_mib * 1024 + PROGRAM_KIB, (before_kib, peak)


def every_shape_stays_within_the_bound():
    count, mem = 40_000, 40
    for shape in SHAPES:
        data = json_events(shape, count)
        with listen_and_show("tcp:0", f"--mem={mem}M") as listener:
            before = resident_kib(listener)
            for _ in range(6):
                send(listener, data)
            listener.wait_for("ended", 6)
            assert_bounded(listener, before, mem)
            # A sender fails if the others have taken all memory when it begins.
            listener.finish(status=(0, 4))
            assert all("--mem=SIZE allows more" in line for line in listener.lines if "out of memory" in line), listener.lines


def a_small_sender_is_complete_beside_senders_that_were_stopped():
    large, small, mem = 100_000, 1000, 64
    data = json_events("nested begins without end", large)
    with listen_and_show("tcp:0", f"--mem={mem}M") as listener:
        before = resident_kib(listener)
        with connect(listener.port()) as early:
            early.sendall(events(small // 2))
            for _ in range(8):
                send(listener, data)
            listener.wait_for("ended", 8)
            send(listener, events(small))
            listener.wait_for("ended", 9)
            early.sendall(b"".join(event(i) for i in range(small // 2, small)))
            until(lambda: listener.live()["events"] == small)
        assert_bounded(listener, before, mem)
        lives = [trace["live"] for trace in listener.ask("status")["traces"]]
        assert [live["dropped"] for live in (lives[0], lives[9])] == [0, 0], lives
        assert all(0 < live["events"] < large for live in lives[1:9]), lives  # the part before the stop is shown
        result = listener.finish()
    senders = sorted(result["senders"], key=lambda sender: sender["bytes"])
    assert [sender["error"] for sender in senders[:2]] == [None, None], senders
    assert [sender["events"] for sender in senders[:2]] == [small, small], senders
    assert all("the memory for all senders is used up" in sender["error"] for sender in senders[2:]), senders
    lines = [line for line in listener.lines if "the memory for all senders is used up" in line]
    assert len(lines) == 8 and all(line.startswith("varve: tcp:127.0.0.1:") for line in lines), listener.lines


def the_largest_traces_are_cut_alike_and_a_small_one_is_complete():
    count, big, part = 8, 300_000, 60_000
    with listen_and_show("tcp:0", "--mem=96M") as listener:
        before = resident_kib(listener)
        with contextlib.ExitStack() as stack:
            small = stack.enter_context(connect(listener.port()))
            small.sendall(events(1000))
            senders = [stack.enter_context(connect(listener.port())) for _ in range(count)]
            for first in range(0, big, part):
                data = b"".join(event(i) for i in range(first, first + part))
                for sender in senders:
                    sender.sendall(data)
            until(lambda: sum(trace["live"]["events"] for trace in listener.ask("status")["traces"]) == count * big + 1000)
            lives = sorted((trace["live"] for trace in listener.ask("status")["traces"]), key=lambda live: live["events"])
            assert lives[0]["events"] == 1000 and lives[0]["dropped"] == 0, lives[0]
            assert sum(live["dropped"] for live in lives) > big, lives
            assert_bounded(listener, before, 96)
        result = listener.finish()
    assert result["events"] == count * big + 1000 and all(sender["error"] is None for sender in result["senders"]), result


def the_sender_with_the_largest_state_is_stopped_first():
    steady_count, names = 2000, 400_000
    with listen("tcp:0", "--mem=64M", "-o", path("greedy.bin")) as listener:
        with connect(listener.port()) as steady, connect(listener.port()) as greedy:
            steady.sendall(events(steady_count // 2))
            greedy.sendall(epoch() + b"".join(event(i, name=f"a name that comes once, number {i}") for i in range(names)))
            steady.sendall(b"".join(event(i) for i in range(steady_count // 2, steady_count)))
        listener.wait_for("ended", 2)
        result = listener.finish()
    by_size = sorted(result["senders"], key=lambda sender: sender["bytes"])
    assert by_size[0]["events"] == steady_count and by_size[0]["error"] is None, by_size[0]
    assert "the memory for all senders" in by_size[1]["error"] and 0 < by_size[1]["events"] < names, by_size[1]
    assert info(by_size[1]["file"])["counts"]["slices"] == names  # the recording has them all


tap.run([
    every_shape_stays_within_the_bound,
    a_small_sender_is_complete_beside_senders_that_were_stopped,
    the_largest_traces_are_cut_alike_and_a_small_one_is_complete,
    the_sender_with_the_largest_state_is_stopped_first,
])
