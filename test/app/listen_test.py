#!/usr/bin/env python3
"""`varve listen` with real sockets, pipes, files, processes and kills.

usage: listen_test.py VARVE LIVE_SEND [SANITIZERS]

The test does not depend on durations: it waits for lines on stderr, sizes of recordings, or the fill level of
sockets as reported by the kernel.
"""

import contextlib
import json
import os
import random
import resource
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import tap  # noqa: E402
from listener import (VARVE, Listener, connect, epoch, event, events, info, json_event, listen, listen_and_show,  # noqa: E402
                      send_tcp, text, udp, until, watch)

SEND = os.path.abspath(sys.argv[2])
SANITIZERS = "".join(sys.argv[3:])  # meson's b_sanitize; sanitizers have no limit on memory
FOLDER = tempfile.TemporaryDirectory(prefix="varve-listen-")
SCRATCH = Path(FOLDER.name)
EVENTS = 2_000_000


def statistics(path):
    return info(path)["properties"]["statistics"]


def fails(status, *arguments, says, **settings):
    done = subprocess.run([VARVE, "listen", *map(str, arguments)], capture_output=True, text=True, **settings)
    assert done.returncode == status, (done.returncode, done.stderr)
    assert says in done.stderr, done.stderr
    assert done.stdout == "", done.stdout


def path(name):
    return SCRATCH / name


# -- every kind of address --


def connections_are_kept_byte_for_byte():
    data = events(5000)
    with listen("--once", "tcp:127.0.0.1:0", "-o", path("tcp.bin")) as listener:
        assert listener.addresses[0].startswith("tcp:127.0.0.1:"), listener.addresses
        send_tcp(listener.port(), data)
        result = listener.finish(send=None)
    assert path("tcp.bin").read_bytes() == data
    assert result["events"] == 5000 and result["bytes"] == len(data) and result["missing"] == 0, result
    sender = result["senders"][0]
    assert sender["format"] == "heph" and sender["state"] == "ended" and sender["file"] == str(path("tcp.bin")), sender
    assert info(path("tcp.bin"))["counts"]["slices"] == 5000


def unix_sockets_are_made_and_removed():
    address = path("varve.sock")
    with listen(f"unix:{address}", "-o", path("unix.bin")) as listener:
        with socket.socket(socket.AF_UNIX) as sender:
            sender.connect(str(address))
            sender.sendall(events(10))
        listener.wait_for("ended")
        result = listener.finish()
    assert result["events"] == 10, result
    assert not address.exists()
    assert path("unix.bin").read_bytes() == events(10)


def a_socket_that_was_left_behind_is_replaced_and_one_in_use_is_not():
    address = path("left.sock")
    with listen(f"unix:{address}") as listener:
        fails(2, f"unix:{address}", says="Address already in use")
        listener.kill()
    assert address.exists()
    with listen(f"unix:{address}") as listener:
        listener.finish()
    address.write_text("a file of the user")
    fails(2, f"unix:{address}", says="Address already in use")
    assert address.read_text() == "a file of the user"


def each_writer_of_a_pipe_is_a_sender():
    pipe = path("pipe")
    os.mkfifo(pipe)
    with listen(f"pipe:{pipe}", "-o", path("pipe.bin")) as listener:
        for life in range(2):
            with open(pipe, "wb") as sender:
                sender.write(events(100 + life))
            listener.wait_for("ended", life + 1)
        result = listener.finish()
    assert [sender["events"] for sender in result["senders"]] == [100, 101], result
    assert path("pipe.bin").read_bytes() == events(100)
    assert path("pipe.bin.2").read_bytes() == events(101)


def standard_input_ends_it():
    with listen("-", "-o", path("stdin.bin"), stdin=subprocess.PIPE) as listener:
        listener.process.stdin.buffer.write(events(20))
        listener.process.stdin.close()
        result = listener.finish(send=None)
    assert result["events"] == 20, result
    assert path("stdin.bin").read_bytes() == events(20)


def other_formats_come_through_connections():
    document = b'[{"name":"a","ph":"X","ts":1,"dur":2,"pid":1,"tid":1},\n{"name":"b","ph":"X","ts":4,"dur":2,"pid":1,"tid":1},\n'
    with listen("--once", "tcp:0", "-o", path("json.bin")) as listener:
        send_tcp(listener.port(), document)
        result = listener.finish(send=None)
    assert result["senders"][0]["format"] == "trace-event" and result["events"] == 2, result
    assert path("json.bin").read_bytes() == document


def datagrams_of_each_source_are_a_trace():
    with listen("udp:127.0.0.1:0", "-o", path("udp.bin")) as listener:
        with udp() as one, udp() as two:
            for i in range(50):
                one.sendto(event(i), ("127.0.0.1", listener.port()))
                two.sendto(event(i, name="other") + event(1000 + i, stream=2), ("127.0.0.1", listener.port()))
            result = listener.finish()  # at once: data that has arrived is processed
    assert sorted(sender["events"] for sender in result["senders"]) == [50, 100], result
    assert [sender["datagrams"] for sender in result["senders"]] == [50, 50], result
    assert result["missing"] == result["late"] == result["dropped_datagrams"] == 0, result
    files = {sender["events"]: Path(sender["file"]).read_bytes() for sender in result["senders"]}
    assert files[50] == b"".join(event(i) for i in range(50))
    assert files[100] == b"".join(event(i, name="other") + event(1000 + i, stream=2) for i in range(50))


def ipv6_is_heard():
    try:
        with socket.socket(socket.AF_INET6) as probe:
            probe.bind(("::1", 0))
    except OSError:
        return  # not available on this machine
    with listen("udp:[::1]:0", "tcp:[::1]:0") as listener:
        with socket.socket(socket.AF_INET6, socket.SOCK_DGRAM) as sender:
            sender.sendto(event(0), ("::1", listener.port(0)))
            sender.sendto(event(1), ("::1", listener.port(0)))
        with socket.create_connection(("::1", listener.port(1))) as sender:
            sender.sendall(events(3))
        listener.wait_for("ended")
        result = listener.finish()
    assert sorted(sender["events"] for sender in result["senders"]) == [2, 3], result


# -- growing files --


def a_file_is_followed_cut_and_replaced():
    file = path("growing.bin")
    file.write_bytes(epoch())
    with listen(f"file:{file}", "-o", path("followed.bin")) as listener:
        kept = [epoch(), b"", b""]
        with open(file, "ab", buffering=0) as writer:
            for i in range(30):
                packet = event(i)
                writer.write(packet[:20])
                writer.write(packet[20:])
                kept[0] += packet
                if i % 10 == 9:
                    until(lambda: path("followed.bin").exists() and path("followed.bin").read_bytes() == kept[0])
        os.truncate(file, 0)
        listener.wait_for("ended")
        kept[1] = events(5)
        with open(file, "ab", buffering=0) as writer:
            writer.write(kept[1])
        until(lambda: path("followed.bin.2").exists() and path("followed.bin.2").read_bytes() == kept[1])
        kept[2] = events(7)
        path("new.bin").write_bytes(kept[2])
        os.rename(path("new.bin"), file)
        until(lambda: path("followed.bin.3").exists() and path("followed.bin.3").read_bytes() == kept[2])
        result = listener.finish()
    assert [sender["events"] for sender in result["senders"]] == [30, 5, 7], result
    assert [sender["name"] for sender in result["senders"]] == [str(file), f"{file} (2)", f"{file} (3)"], result


def a_file_with_half_a_record_waits_for_the_rest():
    file = path("half.json")
    whole = '[{"name":"a","ph":"X","ts":1,"dur":2,"pid":1,"tid":1},{"name":"b","ph":"X","ts":3,"dur":1,"pid":1,"tid":1}'
    file.write_text(whole[:70])
    with listen(f"file:{file}", "-o", path("half.kept")) as listener:
        listener.wait_for("receiving trace-event")
        with open(file, "a") as writer:
            writer.write(whole[70:])
        until(lambda: path("half.kept").read_text() == whole)
        result = listener.finish()
    assert result["events"] == 2, result


# -- faulty senders affect only themselves --


def garbage_costs_its_own_sender_alone():
    noise = random.Random(7)
    good = events(20000)
    with listen("tcp:0", "udp:0", "-o", path("garbage.bin")) as listener:
        stop = threading.Event()

        def make_noise():
            while not stop.is_set():
                with contextlib.suppress(OSError), connect(listener.port(0)) as sender:
                    sender.sendall(noise.randbytes(noise.randrange(1, 200_000)))
                with udp() as sender:
                    sender.sendto(noise.randbytes(noise.randrange(1, 2000)), ("127.0.0.1", listener.port(1)))

        noisy = threading.Thread(target=make_noise)
        noisy.start()
        with udp() as steady:
            for i in range(200):
                steady.sendto(event(i), ("127.0.0.1", listener.port(1)))
            for _ in range(3):
                send_tcp(listener.port(0), good)
            listener.wait_for("ended: 20\u202f000 events", 3)
            stop.set()
            noisy.join()
            result = listener.finish()
    whole = [sender for sender in result["senders"] if sender["format"] == "heph"]
    assert sorted(sender["events"] for sender in whole) == [200, 20000, 20000, 20000], whole
    assert all(sender["missing"] == sender["skipped_bytes"] == 0 for sender in whole), whole
    assert all(sender["error"] for sender in result["senders"] if sender["format"] is None), result
    for sender in whole:
        assert Path(sender["file"]).read_bytes() == (good if sender["events"] == 20000 else good[23:23 + 200 * 46])


def garbage_inside_a_stream_is_skipped_and_kept():
    noise = random.Random(8).randbytes(50_000)
    data = events(100) + noise + b"".join(event(i) for i in range(100, 200))
    with listen("--once", "tcp:0", "-o", path("inside.bin")) as listener:
        send_tcp(listener.port(), data)
        result = listener.finish(send=None)
    assert result["events"] == 200 and result["skipped_bytes"] == len(noise) and result["missing"] == 0, result
    assert path("inside.bin").read_bytes() == data


def a_packet_that_never_comes_is_not_waited_for():
    """Its size is impossible for a live stream; the events after it are processed at once."""
    huge = struct.pack(">II", 0xC1FC1FB7, 1 << 30)
    with listen("tcp:0", "-o", path("huge.bin")) as listener:
        with connect(listener.port()) as sender:
            sender.sendall(events(10) + huge + b"".join(event(i) for i in range(10, 20)))
            until(lambda: path("huge.bin").stat().st_size == len(events(20)) + 8)
            result = listener.finish()
    assert result["events"] == 20 and result["skipped_bytes"] == 8, result


def one_that_floods_does_not_stop_the_others():
    flood_done = threading.Event()
    block = b"".join(event(i & 0xFFFFFFFF) for i in range(20000))
    with listen("tcp:0", "udp:0") as listener:

        def flood():
            with connect(listener.port(0)) as sender:
                sender.sendall(epoch())
                while not flood_done.is_set():
                    sender.sendall(block)

        def flood_datagrams(sender):
            while not flood_done.is_set():
                sender.sendto(block[:46 * 1000], ("127.0.0.1", listener.port(1)))

        with udp() as steady, udp() as wild:
            wild.sendto(event(0), ("127.0.0.1", listener.port(1)))
            listener.wait_for("receiving heph")  # from now on it has its own socket
            floods = [threading.Thread(target=flood), threading.Thread(target=flood_datagrams, args=[wild])]
            for thread in floods:
                thread.start()
            for i in range(100):
                steady.sendto(event(i, name="steady"), ("127.0.0.1", listener.port(1)))
            for _ in range(20):
                send_tcp(listener.port(0), events(1000))
            listener.wait_for("ended: 1\u202f000 events", 20)
            flood_done.set()
            for thread in floods:
                thread.join()
            name = f"udp:127.0.0.1:{steady.getsockname()[1]}"
            result = listener.finish()
    quiet = next(sender for sender in result["senders"] if sender["name"] == name)
    assert quiet["events"] == 100 and quiet["missing"] == quiet["late"] == 0, quiet
    connections = [sender for sender in result["senders"] if sender["name"].startswith("tcp:")]
    assert sorted(sender["events"] for sender in connections)[:20] == [1000] * 20 and len(connections) == 21, connections


def many_senders_at_once():
    count = 100
    with listen("tcp:0", "-o", path("many.bin")) as listener:
        senders = [connect(listener.port()) for _ in range(count)]
        data = [events(50 + i, name=f"sender {i}") for i in range(count)]
        for part in range(4):  # alternating, cut anywhere
            for i, sender in enumerate(senders):
                size = len(data[i]) // 4
                sender.sendall(data[i][part * size:] if part == 3 else data[i][part * size:(part + 1) * size])
        for sender in senders:
            sender.close()
        listener.wait_for("ended", count)
        result = listener.finish()
    assert sorted(Path(sender["file"]).read_bytes() for sender in result["senders"]) == sorted(data)
    assert sorted(sender["events"] for sender in result["senders"]) == [50 + i for i in range(count)]


def more_than_there_is_place_for_are_turned_away_and_counted():
    with listen("tcp:0") as listener:
        senders = [connect(listener.port()) for _ in range(300)]
        turned_away = 0
        for sender in senders[256:]:
            turned_away += sender.recv(1) == b""  # closed by the other side
        for sender in senders[:256]:
            sender.sendall(events(1))
            sender.close()
        listener.wait_for("ended", 256)
        send_tcp(listener.port(), events(2))  # places are free again
        listener.wait_for("ended: 2 events")
        for sender in senders[256:]:
            sender.close()
        result = listener.finish()
    assert turned_away == 44 and result["turned_away"] == 44, result["turned_away"]
    assert result["events"] == 258, result["events"]


def active_sources_keep_their_places():
    """However many other sources send continuously."""
    for count in (257, 300):
        with listen("udp:0", "-o", path(f"crowd{count}.bin")) as listener, contextlib.ExitStack() as stack:
            senders = [stack.enter_context(udp()) for _ in range(count)]
            for i in range(10):
                for sender in senders:
                    sender.sendto(event(i), ("127.0.0.1", listener.port()))
            result = listener.finish()
        assert len(result["senders"]) == len(list(SCRATCH.glob(f"crowd{count}.bin*"))) == 256, len(result["senders"])
        assert all(sender["events"] == 10 for sender in result["senders"]), result["senders"]
        assert result["turned_away"] == 10 * (count - 256), result["turned_away"]


def a_burst_of_new_sources_finds_all_places():
    """Datagrams of several new sources arrive while one of them gets its own socket."""
    for _ in range(8):
        with listen("udp:0") as listener, contextlib.ExitStack() as stack:
            for sender in [stack.enter_context(udp()) for _ in range(256)]:
                sender.sendto(event(0), ("127.0.0.1", listener.port()))
            result = listener.finish()
        assert (len(result["senders"]), result["turned_away"]) == (256, 0), result["turned_away"]


def a_silent_source_gives_its_place_and_is_named():
    with listen("udp:0") as listener, contextlib.ExitStack() as stack:
        senders = [stack.enter_context(udp()) for _ in range(257)]
        for i in range(12):  # seconds
            for sender in senders[i > 0:256]:
                sender.sendto(event(i), ("127.0.0.1", listener.port()))
            time.sleep(1)
        name = f"udp:127.0.0.1:{senders[0].getsockname()[1]}"
        senders[256].sendto(event(0), ("127.0.0.1", listener.port()))
        listener.wait_for(f"{name}: silent for 10 s, a new sender takes its place: 1 event")
        result = listener.finish()
    assert len(result["senders"]) == 257, len(result["senders"])


def later_recordings_touch_nothing_that_exists():
    """The file of -o is the one that the user named; the numbered ones are new files, readable only by the user."""
    victim, kept = path("victim"), path("rec.bin")
    victim.write_text("precious")
    path("rec.bin.2").symlink_to(victim)
    path("rec.bin.3").write_text("an older recording")
    path("rec.bin.5").symlink_to(path("nothing"))
    mask = os.umask(0)
    with listen("tcp:0", "-o", kept) as listener:
        os.umask(mask)
        for life in range(3):
            send_tcp(listener.port(), events(5 + life))
            listener.wait_for("ended", life + 1)
        result = listener.finish()
    files = [kept, path("rec.bin.4"), path("rec.bin.6")]
    assert [sender["file"] for sender in result["senders"]] == [str(file) for file in files], result
    assert [file.read_bytes() for file in files] == [events(5 + life) for life in range(3)]
    assert [file.stat().st_mode & 0o777 for file in files] == [0o600] * 3
    assert victim.read_text() == "precious" and path("rec.bin.3").read_text() == "an older recording"
    assert not path("nothing").exists()
    listener.wait_for("kept in " + str(files[1]) + " (2 files with lower numbers existed already)")
    listener.wait_for("kept in " + str(files[2]) + " (1 file with lower numbers existed already)")


def one_that_restarts_is_another_sender():
    with listen("tcp:0", "-o", path("restart.bin")) as listener:
        for life in range(3):
            with connect(listener.port()) as sender:
                sender.sendall(events(10 + life)[:-5])  # it is killed in the middle of a packet
            listener.wait_for("ended", life + 1)
        result = listener.finish()
    assert [sender["events"] for sender in result["senders"]] == [9, 10, 11], result
    assert all(sender["skipped_bytes"] == 41 for sender in result["senders"]), result
    names = [path("restart.bin"), path("restart.bin.2"), path("restart.bin.3")]
    assert [name.stat().st_size for name in names] == [len(events(10 + life)) - 5 for life in range(3)]
    assert "cut short" in "".join(listener.lines), listener.lines


# -- losses --


def what_is_lost_is_reported_exactly():
    lost = {3, 4, 5, 20, 77}
    with listen("udp:0") as listener:
        with udp() as sender:
            for i in range(100):
                if i not in lost:
                    sender.sendto(event((2**32 - 50 + i) % 2**32, start=i), ("127.0.0.1", listener.port()))
                if i == 30:
                    sender.sendto(event((2**32 - 50 + i) % 2**32, start=i), ("127.0.0.1", listener.port()))
            result = listener.finish()
    assert result["events"] == 95 and result["missing"] == len(lost) and result["duplicates"] == 1, result
    assert "5 events missing" in "".join(listener.lines), listener.lines


def send_from_processes(transport, port, *more):
    done = subprocess.run([SEND, transport, str(port), "4", str(EVENTS), *more], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def two_million_events_over_tcp_and_none_is_lost():
    with listen("--once", "tcp:0", "-o", path("million.bin")) as listener:
        sent = send_from_processes("tcp", listener.port())
        result = listener.finish(send=None)
    assert sent["events"] == result["events"] == EVENTS, result
    assert result["missing"] == result["late"] == result["duplicates"] == result["skipped_bytes"] == 0, result
    assert [sender["events"] for sender in result["senders"]] == [EVENTS // 4] * 4
    for sender in result["senders"]:
        facts = info(sender["file"])
        assert facts["counts"]["slices"] == EVENTS // 4 and facts["complete"] and facts["warnings"] == [], facts
        os.unlink(sender["file"])


def two_million_events_over_udp_and_the_lost_ones_are_counted():
    """Compared with two other counts: the datagrams skipped by the sender, and those dropped by the kernel."""
    with listen("udp:0", "-o", path("million.bin")) as listener:
        sent = send_from_processes("udp", listener.port(), "1000")
        result = listener.finish()
    assert sent["skipped_events"] > 0 and sent["events"] + sent["skipped_events"] == EVENTS, sent
    assert result["missing"] == sent["skipped_events"] + result["dropped_datagrams"] * sent["per_datagram"], result
    assert result["events"] + result["missing"] == EVENTS, result
    assert result["late"] == result["duplicates"] == result["skipped_bytes"] == 0, result
    for sender in result["senders"]:
        facts = info(sender["file"])
        assert facts["counts"]["slices"] == sender["events"], (facts["counts"], sender)
        streams = facts["properties"]["statistics"]["streams"]
        assert sum(stream.get("missing", 0) for stream in streams) == sender["missing"], (streams, sender)
        os.unlink(sender["file"])


# -- the viewer --


def a_trace_grows_while_it_is_looked_at():
    with listen_and_show("tcp:0", "-o", path("shown.bin")) as listener:
        assert listener.ask("status")["traces"] == [] and listener.ask("status")["listens"], listener.ask("status")
        with connect(listener.port()) as sender:
            sender.sendall(epoch())
            for part in range(5):
                sender.sendall(b"".join(event(i) for i in range(part * 1000, part * 1000 + 1000)))
                until(lambda: listener.live().get("events") == (part + 1) * 1000)
                stats = listener.ask("stats?trace=0")
                assert [row["count"] for row in stats["rows"]] == [(part + 1) * 1000], stats
            assert listener.live()["state"] == "receiving"
            before = listener.live()["generation"]
            sender.sendall(event(5002))
            until(lambda: listener.live()["events"] == 5001)
            changes = listener.ask(f"changes?trace=0&since={before}")
            assert changes["from"] is not None and int(changes["from"]) <= 5002 * 100, changes
            assert listener.live()["lost"] == 2
        until(lambda: listener.live()["state"] == "ended")
        result = listener.finish()
    assert result["events"] == 5001 and result["missing"] == 2, result
    assert info(path("shown.bin"))["counts"]["slices"] == 5001


def the_viewer_names_every_address():
    with listen_and_show("tcp:0", "udp:0") as listener:
        assert listener.ask("status")["listens"] == ", ".join(listener.addresses), listener.ask("status")
        listener.finish()


def details_are_read_from_what_was_kept():
    for kept in (["-o", path("details.bin")], []):  # with a recording, or with a temporary file
        with listen_and_show("tcp:0", *kept) as listener:
            with connect(listener.port()) as sender:
                for i in range(200):
                    sender.sendall(event(i, name=f"name {i % 2}", attributes=text("n") + b"\x01" + struct.pack(">Q", i)))
                until(lambda: listener.live().get("events") == 200)
                for row in listener.ask("stats?trace=0")["rows"]:
                    slice_ = listener.ask(f"slice?trace=0&id={row['longest']['slice']}")
                    assert slice_["args"]["n"] == int(slice_["place"]["begin"]) // 100, slice_
            listener.finish()


def a_trace_is_saved_while_more_arrives():
    with listen_and_show("tcp:0") as listener, connect(listener.port()) as sender:
        def send():
            for i in range(2000, 40_000, 100):
                sender.sendall(b"".join(event(n, name=f"name {n // 1000}") for n in range(i, i + 100)))

        sender.sendall(epoch() + b"".join(event(n) for n in range(2000)))
        until(lambda: listener.live().get("events") == 2000)
        thread, before = threading.Thread(target=send), 2000
        thread.start()
        for _ in range(5):
            with urllib.request.urlopen(f"{listener.url}api/save?trace=0&to=json") as answer:
                saved = json.loads(answer.read().rsplit(b"\n", 1)[0])
            slices = sum(one["ph"] == "X" for one in saved["traceEvents"])
            assert before <= slices <= 40_000, (before, slices)
            before = slices
        thread.join()
        until(lambda: listener.live()["events"] == 40_000)
        listener.finish()


def datagrams_are_shown_and_their_losses():
    with listen_and_show("udp:0") as listener:
        with udp() as sender:
            for i in range(100):
                if i != 50:
                    sender.sendto(event(i), ("127.0.0.1", listener.port()))
            until(lambda: listener.live().get("events") == 99)
            assert listener.live()["lost"] == 1
            listener.finish()


def garbage_does_not_end_what_is_shown():
    noise = random.Random(3).randbytes(10_000)
    with listen_and_show("tcp:0") as listener:
        with connect(listener.port()) as sender:
            sender.sendall(events(10) + noise + event(10))
            until(lambda: listener.live().get("events") == 11)
            assert listener.live()["skipped"] == len(noise)
        listener.finish()


def a_watched_file_grows_in_the_viewer():
    file = path("watched.json")
    file.write_text('[{"name":"a","ph":"X","ts":1,"dur":2,"pid":1,"tid":1,"args":{"x":1}},\n')
    with watch(file) as viewer:
        until(lambda: viewer.live().get("events") == 1)
        with open(file, "a") as writer:
            writer.write('{"name":"b","ph":"X","ts":5,"dur":1,"pid":1,"tid":1,"args":{"x":2}},\n')
        until(lambda: viewer.live().get("events") == 2)
        rows = {row["name"]: row for row in viewer.ask("stats?trace=0")["rows"]}
        slice_ = viewer.ask(f"slice?trace=0&id={rows['b']['longest']['slice']}")
        assert slice_["args"] == {"x": 2}, slice_
        os.truncate(file, 0)
        until(lambda: viewer.live()["state"] == "ended")
        with open(file, "a") as writer:
            writer.write('[{"name":"c","ph":"X","ts":5,"dur":1,"pid":1,"tid":1}')
        until(lambda: viewer.live(1).get("events") == 1)
        viewer.finish()


def every_kind(i):
    """Some events of each kind, each at its own time."""
    ts = 10 * i
    lines = [json_event(name="Page", ph=")" if i % 3 == 2 else "(", id=i // 3 % 4, ts=ts)]
    lines += [json_event(name="request", cat="net", ph=ph, id=i % 7, ts=ts + at) for ph, at in (("b", 1), ("n", 2), ("e", 9))]
    lines += [json_event(name="work", ph="X", ts=ts + 3, dur=5, args={"n": i}), json_event(name="mark", ph="i", s="p", ts=ts + 4)]
    lines += [json_event(name="then", cat="net", ph=ph, id=i, ts=ts + 4 + at, bp="e") for ph, at in (("s", 0), ("f", 1))]
    totals = {"dumps": {"process_totals": {"resident_set_bytes": f"{4096 * (i + 1):x}"}}}
    lines += [json_event(name="periodic", ph="v", id=hex(i), ts=ts + 6, pid=pid, args=totals) for pid in (1, 2)]
    lines += [json_event(name="clock_sync", ph="c", ts=ts + 7, args={"sync_id": f"s{i}", "issue_ts": ts})]
    return lines


def bare(answer):
    """Removes the ids of slices and instants, which change when a trace grows."""
    if isinstance(answer, list):
        return [bare(one) for one in answer]
    if isinstance(answer, dict):
        return {key: bare(value) for key, value in answer.items() if key not in ("slice", "instant", "file")}
    return answer


def ask_tiles(viewer, keys):
    """Returns the bytes of tiles without the first slice, instant and sample of each row, and without the ids of
    single instants (trace/wire/tile.h)."""
    with urllib.request.urlopen(f"{viewer.url}api/tiles?trace=0&keys={','.join(keys)}") as answer:
        rest, tiles, instants = answer.read(), [], []
    while rest:
        size = struct.unpack_from("<I", rest)[0]
        tile, rest = bytearray(rest[4:4 + size]), rest[4 + size:]
        for row in range(struct.unpack_from("<I", tile, 24)[0] if size > 0 else 0):
            at = 40 + 56 * row
            offset, count, _, first_instant = struct.unpack_from("<IIQQ", tile, at + 16)
            entries = [struct.unpack_from("<II", tile, offset + 24 * i) for i in range(count)]
            instants += [first_instant + first for first, alike in entries if alike == 1]
            tile[at + 24:at + 40], tile[at + 48:at + 56] = bytes(16), bytes(8)
        tiles.append(bytes(tile))
    return tiles, instants


def ask_outline(viewer):
    """Returns the outline without the versions of tracks and the time of arrival (trace/wire/outline.c)."""
    with urllib.request.urlopen(f"{viewer.url}api/outline?trace=0") as answer:
        outline = bytearray(answer.read())
    outline[152:160] = bytes(8)
    processes, tracks = struct.unpack_from("<II", outline, 72)
    for track in range(tracks):
        at = 160 + 48 * processes + 112 * track + 80
        outline[at:at + 8] = bytes(8)
    return outline


def check_same_answers(grown, opened, count):
    """The requests of a viewer have the same answers for both."""
    both = (grown, opened)
    outlines = [ask_outline(viewer) for viewer in both]
    assert outlines[0] == outlines[1], outlines
    for request in ("overview?buckets=256&", "labels?page=0&"):
        of = [urllib.request.urlopen(f"{viewer.url}api/{request}trace=0").read() for viewer in both]
        assert of[0] == of[1], (request, of)
    for request in ("info?", "stats?", "categories?", "properties?", "process?id=0&", "thread?id=6&"):
        of = [bare(viewer.ask(f"{request}trace=0")) for viewer in both]
        assert of[0] == of[1], (request, of)
    tracks = grown.ask("info?trace=0")["counts"]["tracks"]
    keys = [f"{track}.0.{level}.{index}" for track in range(1, tracks + 1) for level in (5, 10) for index in range(2)]
    (tiles, instants), (tiles_opened, instants_opened) = [ask_tiles(viewer, keys) for viewer in both]
    assert tiles == tiles_opened and len(instants) == len(instants_opened) > 2 * count, (instants, instants_opened)
    asked = [(f"instant?trace=0&id={one}", f"instant?trace=0&id={other}") for one, other in zip(instants, instants_opened)]
    for text in ("work", "request"):
        found = [viewer.ask(f"search?trace=0&text={text}&in=names")["matches"] for viewer in both]
        places = [[match["place"]["slice"] for match in matches if match["place"]] for matches in found]
        assert len(places[0]) == len(places[1]) == count, found
        asked += [(f"slice?trace=0&id={one}", f"slice?trace=0&id={other}") for one, other in zip(*places)]
    for requests in asked:
        of = [bare(viewer.ask(request)) for viewer, request in zip(both, requests)]
        assert of[0] == of[1], (requests, of)


def every_kind_of_event_grows():
    """A growing file is always shown as the same file when it is opened, without missing events."""
    path("copy").mkdir()
    file, copy = path("kinds.json"), path("copy") / "kinds.json"
    lines = [every_kind(i) for i in range(60)]
    lines[0] += [json_event(name="trace_buffer_overflowed", ph="M", ts=0, args={"overflowed_at_ts": 50})]
    for i in range(1, 60):  # their labels are created last when a trace is opened: all others are known before
        lines[i] += [json_event(name="Page", ph="N" if i < 5 else "O", id=i % 4, ts=10 * i, args={"snapshot": {"n": i}})]
    file.write_text("[\n")
    with watch(file) as viewer:
        for begin, end in (0, 1), (1, 20), (20, 40), (40, 60):
            with open(file, "a") as writer:
                writer.writelines(line for one in lines[begin:end] for line in one)
            until(lambda: (viewer.live() or {}).get("bytes") == file.stat().st_size)
            assert viewer.live()["unshown"] == 0
            copy.write_bytes(file.read_bytes())
            with Listener(copy, command=("open", "--no-browser")) as opened:
                until(lambda: opened.ask("status")["traces"][0]["state"] == "ready")
                check_same_answers(viewer, opened, end)
                opened.finish()
        counts = viewer.ask("info?trace=0")["counts"]
        viewer.finish()
    assert counts["flows"] == counts["async_slices"] == counts["slices"] == 60, counts
    assert counts["objects"] > 0 and counts["object_snapshots"] > 0 and counts["counter_samples"] == 120, counts


def names_that_are_ever_new_do_not_fill_the_memory():
    """With --keep their number is limited; the recording on disk has them all, and so have the details."""
    count = 150_000
    with listen_and_show("tcp:0", "--keep=1M", "-o", path("names.bin")) as listener:
        with connect(listener.port()) as sender:
            sender.sendall(epoch() + b"".join(event(i, name=f"request number {i}") for i in range(count)))
        until(lambda: listener.live().get("state") == "ended")
        warnings = {warning["kind"]: warning for warning in listener.ask("info?trace=0")["warnings"]}
        assert warnings["names-not-kept"]["count"] > count // 2, warnings
        names = [row["name"] for row in listener.ask("stats?trace=0")["rows"]]
        assert names == ["(a name that was not kept)"], names[:10]
        listener.finish()
    assert info(path("names.bin"))["counts"]["strings"] >= count


def keep_lets_the_oldest_go_and_says_so():
    with listen_and_show("tcp:0", "--keep=1M", "-o", path("all.bin")) as listener:
        with connect(listener.port()) as sender:
            sender.sendall(events(200_000))
        until(lambda: listener.live().get("state") == "ended")
        live = listener.live()
        assert live["events"] == 200_000 and live["dropped"] > 100_000, live
        rows = listener.ask("stats?trace=0")["rows"]
        assert rows[0]["count"] == live["events"] - live["dropped"], (rows, live)
        listener.finish()
    assert info(path("all.bin"))["counts"]["slices"] == 200_000
    for wrong in ("", "0M", "5", "M", "5 M", "-5M", "5x", "99999999999999999999h"):
        fails(1, "--no-viewer", "udp:0", f"--keep={wrong}", says="--keep")


def more_senders_than_can_be_shown_are_received_all_the_same():
    count = 70
    with listen_and_show("tcp:0", "-o", path("more.bin")) as listener:
        for i in range(count):
            send_tcp(listener.port(), events(10))
        listener.wait_for("ended", count)
        # ThreadSanitizer leaves address space for some 20 growing traces.
        assert len(listener.ask("status")["traces"]) == 64 or SANITIZERS == "thread"
        result = listener.finish()
    assert [sender["events"] for sender in result["senders"]] == [10] * count, result


def two_million_events_while_somebody_looks():
    with listen_and_show("tcp:0", "-o", path("looked.bin")) as listener:
        looked = []
        done = threading.Event()

        def look():
            while not done.is_set():
                for trace in listener.ask("status")["traces"]:
                    looked.append(len(listener.ask(f"stats?trace={trace['trace']}&top=3")["rows"]))

        looker = threading.Thread(target=look)
        looker.start()
        sent = send_from_processes("tcp", listener.port())
        listener.wait_for("ended", 4)
        done.set()
        looker.join()
        shown = [trace["live"]["events"] for trace in listener.ask("status")["traces"]]
        result = listener.finish()
    assert sent["events"] == result["events"] == sum(shown) == EVENTS, (result, shown)
    assert len(looked) > 0 and result["missing"] == result["skipped_bytes"] == 0, result
    for sender in result["senders"]:
        assert info(sender["file"])["counts"]["slices"] == EVENTS // 4
        os.unlink(sender["file"])


# -- kill -9 --


def after_a_kill_everything_that_was_flushed_is_there():
    with listen("tcp:0", "udp:0", "-o", path("killed.bin")) as listener:
        with connect(listener.port(0)) as sender:
            sender.sendall(events(1000))
            until(lambda: path("killed.bin").exists() and path("killed.bin").stat().st_size == len(events(1000)))
            with udp() as other:
                other.sendto(event(0), ("127.0.0.1", listener.port(1)))
                until(lambda: path("killed.bin.2").exists() and path("killed.bin.2").stat().st_size == len(event(0)))
                listener.kill()
    assert path("killed.bin").read_bytes() == events(1000)
    assert info(path("killed.bin"))["counts"]["slices"] == 1000
    assert info(path("killed.bin.2"))["counts"]["slices"] == 1


def a_kill_at_any_moment_leaves_a_file_that_opens():
    data = events(60_000)
    chance = random.Random(9)
    for round_ in range(12):
        enough = chance.randrange(1, len(data) // 2)
        file = path("moment.bin")
        file.unlink(missing_ok=True)
        with listen("tcp:0", "-o", file) as listener:
            sender = connect(listener.port())

            def send():
                with contextlib.suppress(OSError):
                    sender.sendall(data)

            thread = threading.Thread(target=send)
            thread.start()
            until(lambda: file.stat().st_size >= enough)
            listener.kill()
            thread.join()
            sender.close()
        kept = file.read_bytes()
        assert data.startswith(kept) and len(kept) >= enough, (round_, len(kept))
        facts = info(file)
        assert facts["counts"]["slices"] == max(0, len(kept) - 23) // 46, (facts["counts"], len(kept))


# -- rules --


def only_this_machine_is_heard_unless_asked():
    for address in ("udp:0.0.0.0:0", "tcp:0.0.0.0:0", "udp:[::]:0"):
        fails(1, address, says="--bind")
    with listen("--bind", "udp:0.0.0.0:0") as listener:
        listener.wait_for("other machines can send to this address")
        listener.finish()


def odd_arguments_are_refused():
    fails(1, says="needs an ADDRESS")
    fails(1, "udp:0", "-o", "-", says="--output=-: standard output has the addresses")
    for address in ("udp:", "udp:x", "udp:127.0.0.1:70000", "tcp:127.0.0.1:-1", "nothing:1", "4711", "unix:", "unix:" + "x" * 200):
        fails(1, address, says=f"varve: {address[:20]}")
    fails(1, "--once", "udp:0", says="--once")
    fails(2, f"pipe:{path('none')}", says="No such file")
    fails(2, f"file:{path('none')}", says="No such file")
    fails(2, f"file:{SCRATCH}", says="not a regular file")
    fails(4, "tcp:0", "-o", path("none") / "file", says="No such file")
    fails(4, "tcp:0", "-o", SCRATCH, says="is a directory")
    with listen("udp:0", "tcp:0") as listener:
        fails(2, f"udp:{listener.port(0)}", says="Address already in use")
        fails(2, f"tcp:{listener.port(1)}", says="Address already in use")
        listener.finish()


def a_forced_format_is_believed():
    with listen("--once", "--format=heph", "tcp:0", "-o", path("forced.bin")) as listener:
        send_tcp(listener.port(), b"x" + events(5))
        result = listener.finish(send=None)
    assert result["events"] == 5 and result["skipped_bytes"] == 1, result


def a_recording_that_cannot_grow_is_reported_and_receiving_goes_on():
    limit = 20_000

    def limited():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    data = events(5000)
    with listen("--once", "tcp:0", "-o", path("limited.bin"), preexec_fn=limited, restore_signals=False) as listener:
        send_tcp(listener.port(), data)
        result = listener.finish(send=None, status=4)
    assert result["events"] == 5000 and result["senders"][0]["file_error"], result
    assert path("limited.bin").read_bytes() == data[:limit]


def nothing_recognised_is_a_failure():
    with listen("--once", "tcp:0") as listener:
        send_tcp(listener.port(), b"hello")
        result = listener.finish(send=None, status=2)
    assert result["senders"][0]["format"] is None, result


tap.run([
    connections_are_kept_byte_for_byte,
    unix_sockets_are_made_and_removed,
    a_socket_that_was_left_behind_is_replaced_and_one_in_use_is_not,
    each_writer_of_a_pipe_is_a_sender,
    standard_input_ends_it,
    other_formats_come_through_connections,
    datagrams_of_each_source_are_a_trace,
    ipv6_is_heard,
    a_file_is_followed_cut_and_replaced,
    a_file_with_half_a_record_waits_for_the_rest,
    garbage_costs_its_own_sender_alone,
    garbage_inside_a_stream_is_skipped_and_kept,
    a_packet_that_never_comes_is_not_waited_for,
    one_that_floods_does_not_stop_the_others,
    many_senders_at_once,
    more_than_there_is_place_for_are_turned_away_and_counted,
    a_burst_of_new_sources_finds_all_places, active_sources_keep_their_places,
    a_silent_source_gives_its_place_and_is_named,
    later_recordings_touch_nothing_that_exists,
    one_that_restarts_is_another_sender,
    what_is_lost_is_reported_exactly,
    two_million_events_over_tcp_and_none_is_lost,
    two_million_events_over_udp_and_the_lost_ones_are_counted,
    a_trace_grows_while_it_is_looked_at,
    the_viewer_names_every_address,
    details_are_read_from_what_was_kept,
    a_trace_is_saved_while_more_arrives,
    datagrams_are_shown_and_their_losses,
    garbage_does_not_end_what_is_shown,
    a_watched_file_grows_in_the_viewer,
    every_kind_of_event_grows,
    names_that_are_ever_new_do_not_fill_the_memory,
    keep_lets_the_oldest_go_and_says_so,
    more_senders_than_can_be_shown_are_received_all_the_same,
    two_million_events_while_somebody_looks,
    after_a_kill_everything_that_was_flushed_is_there,
    a_kill_at_any_moment_leaves_a_file_that_opens,
    only_this_machine_is_heard_unless_asked,
    odd_arguments_are_refused,
    a_forced_format_is_believed,
    a_recording_that_cannot_grow_is_reported_and_receiving_goes_on,
    nothing_recognised_is_a_failure,
])
