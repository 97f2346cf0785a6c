#!/usr/bin/env python3
"""Writes the files of this folder: make.py [RECORDING]. Each of them is made from the calls below; chrome.pftrace is a part of a
recording of Chromium:

    chromium --headless --no-sandbox --disable-gpu --trace-startup=toplevel,blink,blink.user_timing,v8,loading,ipc,cc \\
        --trace-startup-format=proto --trace-startup-file=RECORDING --trace-startup-duration=3 FILE.html

The encoder is independent of the reader. Field numbers: protos/perfetto/trace of Perfetto.
"""

import pathlib
import struct
import sys
import zlib

HERE = pathlib.Path(__file__).parent


# -- the wire format --


def varint(value):
    value &= (1 << 64) - 1
    out = b""
    while value >= 0x80:
        out += bytes([value & 0x7F | 0x80])
        value >>= 7
    return out + bytes([value])


def field(number, value):
    """An int is a varint, a float a double, bytes and str are themselves."""
    if isinstance(value, str):
        value = value.encode()
    if isinstance(value, bytes):
        return varint(number << 3 | 2) + varint(len(value)) + value
    if isinstance(value, float):
        return varint(number << 3 | 1) + struct.pack("<d", value)
    return varint(number << 3) + varint(value)


def fixed64(number, value):
    return varint(number << 3 | 1) + struct.pack("<Q", value)


def packed(number, values):
    return field(number, b"".join(varint(value) for value in values))


def message(*fields):
    """Fields as (number, value), or bytes of encoded ones."""
    return b"".join(f if isinstance(f, bytes) else field(*f) for f in fields)


def packet(*fields):
    return field(1, message(*fields))


# -- packets --

CLEARED, NEEDS = 1, 2


def sequence(number, flags=NEEDS):
    return message((10, number), (13, flags))


def event(seq, time, *fields, flags=NEEDS, data=b""):
    return packet((8, time), (11, message(*fields)), sequence(seq, flags), data)


def clocks(*values, primary=None, seq=1, flags=0, data=b""):
    """Each value: (id, time) or (id, time, incremental, unit)."""
    made = []
    for value in values:
        parts = [(1, value[0]), (2, value[1])]
        if len(value) > 2:
            parts += [(3, value[2]), (4, value[3])]
        made.append((1, message(*parts)))
    if primary is not None:
        made.append((2, primary))
    return packet((6, message(*made)), sequence(seq, flags), data)


def track(uuid, *fields, seq=1):
    return packet((60, message((1, uuid), *fields)), sequence(seq, 0))


def process(uuid, pid, name, *more):
    return track(uuid, (3, message((1, pid), (6, name), *more)))


def thread(uuid, parent, pid, tid, name, *more):
    return track(uuid, (5, parent), (4, message((1, pid), (2, tid), (5, name), *more)))


def begin(name=None):
    return message((9, 1)) + (b"" if name is None else field(23, name))


END = message((9, 2))
INSTANT = message((9, 3))
COUNTER = message((9, 4))


def annotation(name, *value):
    return field(4, message((10, name), *value))


def interned(kind, iid, text):
    return field(12, message((kind, message((1, iid), (2, text)))))


# -- files --


def threads():
    """Two processes and three threads: slices, instants, CPU time, sort indices, labels, an end without a begin, no end."""
    return b"".join(
        [
            process(10, 100, "server", (8, "blue"), (8, "green"), (3, -2)),
            thread(11, 10, 100, 100, "main"),
            thread(12, 10, 100, 101, "worker", (3, 7)),
            track(20, (3, message((1, 200), (2, "/usr/bin/client --fast")))),
            thread(21, 20, 200, 200, "ui"),
            event(1, 1000, begin("outer"), (22, "net"), (11, 11), flags=CLEARED),
            event(1, 1500, begin("inner"), (22, "net"), (22, "io"), (11, 11)),
            event(1, 1600, INSTANT, (23, "mark"), (11, 11)),
            event(1, 2500, END, (11, 11)),
            event(1, 4000, END, (11, 11), annotation("result", (4, -5))),
            event(1, 1000, begin("work"), (11, 12)),
            event(1, 900, END, (11, 12)),
            event(1, 5000, begin(), (11, 12)),
            event(2, 700, begin("draw"), (11, 21), flags=CLEARED),
            event(2, 9000, END, (11, 21)),
        ]
    )


def tracks():
    """Tracks of a process, of a thread and of none; counters; states; a track that is described late, and one that never is."""
    counter = message((3, 3), (4, 1024))
    return b"".join(
        [
            process(10, 100, "server"),
            thread(11, 10, 100, 101, "worker"),
            track(30, (5, 10), (2, "requests")),
            track(31, (5, 10), (2, "requests")),
            track(32, (5, 11), (10, "of the thread")),
            track(40, (2, "network")),
            track(41, (5, 40), (2, "wire")),
            track(42, (2, "alone")),
            track(50, (5, 10), (2, "memory"), (8, counter)),
            track(51, (5, 11), (2, "queue"), (8, message((2, "cat"), (5, 1)))),
            track(52, (2, "temperature"), (8, b"")),
            event(1, 100, begin("a"), (11, 30), flags=CLEARED),
            event(1, 150, begin("b"), (11, 31)),
            event(1, 160, begin("inside"), (11, 30)),
            event(1, 180, END, (11, 30)),
            event(1, 200, END, (11, 30)),
            event(1, 300, END, (11, 31)),
            event(1, 210, begin("of thread"), (11, 32)),
            event(1, 220, END, (11, 32)),
            event(1, 230, INSTANT, (23, "of process"), (11, 10)),
            event(1, 240, begin("of process, too"), (11, 10)),
            event(1, 250, END, (11, 10)),
            event(1, 260, begin("packet"), (11, 41)),
            event(1, 270, END, (11, 41)),
            event(1, 280, begin("single"), (11, 42)),
            event(1, 290, END, (11, 42)),
            event(1, 100, COUNTER, (11, 50), (30, 2)),
            event(1, 300, COUNTER, (11, 50), (30, 5)),
            event(1, 100, COUNTER, (11, 51), (30, 3)),
            event(1, 200, COUNTER, (11, 51), (30, -1)),
            event(1, 100, COUNTER, (11, 52), (44, 20.5)),
            event(1, 120, COUNTER, (11, 52)),
            event(1, 120, COUNTER, (11, 99), (30, 1)),
            event(1, 310, begin("later"), (11, 60)),
            track(60, (5, 10), (2, "described later")),
            event(1, 320, END, (11, 60)),
            event(1, 330, begin("nowhere"), (11, 70)),
            event(1, 340, END, (11, 70)),
            event(1, 350, INSTANT, (23, "default")),
            track(80, (5, 10), (2, "state of a page")),
            event(1, 400, message((9, 5)), (23, "hidden"), (11, 80)),
            event(1, 430, message((9, 5)), (23, "visible"), (11, 80)),
            event(1, 450, message((9, 5)), (11, 80)),
            event(1, 460, message((9, 5)), (23, "hidden"), (11, 80)),
            event(1, 470, END, (11, 80)),
        ]
    )


def arguments():
    """Interned names, all kinds of annotations and other messages of an event, defaults, a cleared state."""
    location = field(12, message((4, message((1, 5), (2, "a.cc"), (3, "Run"), (4, 12)))))
    nested = message((10, "dict"), (11, message((10, "x"), (4, 1))), (11, message((10, "y"), (12, message((6, "p"))), (12, message((2, 1))))))
    old = message((10, "old"), (8, message((2, "k"), (3, message((5, 3))), (2, "l"), (3, message((4, message((8, "s"))), (4, message((7, 1))))))))
    values = [
        annotation("bool", (2, 1)),
        annotation("uint", (3, 2**64 - 1)),
        annotation("int", (4, -2**63)),
        annotation("double", (5, 1.5)),
        annotation("nan", (5, float("nan"))),
        annotation("text", (6, "grün\n")),
        annotation("pointer", (7, 0xABCDEF)),
        annotation("json", (9, '{"a":[1,2]}')),
        annotation("proto", (14, message((1, 7), (2, "text"), (3, message((1, 2.5))), (3, b"\xff\x00")))),
        annotation("none"),
        field(4, nested),
        field(4, old),
        field(4, message((1, 3), (17, 4))),
        field(4, message((1, 99), (17, 99))),
    ]
    names = [interned(1, 1, "first"), interned(1, 2, "second"), interned(2, 1, "one"), interned(3, 3, "name of an argument"),
             interned(29, 4, "interned text"), interned(20, 6, "a line"), interned(43, 7, "request 12"), location]
    defaults = field(59, message((58, 6), (11, message((11, 11)))))
    return b"".join(
        [
            process(10, 100, "server"),
            thread(11, 10, 100, 101, "worker"),
            event(1, 1000, begin(), (10, 1), packed(3, [1, 2]), *values, flags=CLEARED, data=b"".join(names) + defaults),
            event(1, 1100, begin(), (10, 1), (3, 1), (5, message((1, 5))), (34, 5), (21, message((1, 5), (2, 6), (3, 6)))),
            event(1, 1150, INSTANT, (10, 1), (52, 77), (53, "text"), (54, 7), (33, message((2, "b.cc"), (4, 3)))),
            event(1, 1160, INSTANT, (10, 9), (3, 9), (24, message((1, 5))), (9901, message((4, "unknown"))), (9902, 3)),
            event(1, 1200, END, annotation("at the end", (2, 0))),
            event(1, 1300, END),
            event(1, 1400, begin(), (10, 1), (11, 11), flags=CLEARED, data=interned(2, 1, "another one")),
            event(1, 1500, END, (11, 11)),
            event(1, 1600, begin(b"\xffbad"), (11, 11)),
            event(1, 1700, END, (11, 11)),
        ]
    )


def clock_units():
    """Times of clocks that snapshots relate: of the trace (monotonic), boottime, a custom one, and those of a sequence, in µs,
    as differences and not; CPU time as differences; a clock without a snapshot; times that do not fit."""
    defaults = field(59, message((58, 64), (11, message((11, 11), (31, 12)))))
    cpu = message((1, 1), (4, 1000), (5, 1))
    big = message((8, 2**63), (11, message(begin("too late"), (11, 11))), sequence(3, 0))
    return b"".join(
        [
            clocks((6, 5_000_000), (3, 4_000_000), (200, 70_000_000), primary=3),
            clocks((6, 9_000_000), (3, 7_000_000)),
            process(10, 100, "server"),
            thread(11, 10, 100, 101, "worker"),
            track(12, (5, 11), (10, "thread_time"), (8, cpu)),
            clocks((3, 4_500_000), (64, 4_500, 1, 1000), (65, 4_500, 0, 1000), seq=2, flags=CLEARED, data=defaults),
            event(2, 100, begin("µs"), packed(12, [40])),
            event(2, 50, begin("more"), (12, 7)),
            event(2, 50, END, (12, 5)),
            packet((8, 4_800), (58, 65), (11, END + field(12, 20)), sequence(2)),
            packet((8, 6_000_000), (58, 6), (11, message(begin("boottime"), (11, 11))), sequence(3, CLEARED)),
            packet((8, 9_500_000), (58, 6), (11, message(END, (11, 11))), sequence(3)),
            packet((8, 70_500_000), (58, 200), (11, message(INSTANT, (23, "custom"), (11, 11))), sequence(3)),
            packet((8, 5_000_000), (58, 99), (11, message(INSTANT, (23, "of no snapshot"), (11, 11))), sequence(3)),
            packet((8, 1_000), (58, 300), (11, message(INSTANT, (23, "of another"), (11, 11))), sequence(3)),
            packet(big),
            packet((11, message(INSTANT, (23, "without a time"), (11, 11))), sequence(3)),
        ]
    )


def flows():
    """Flows between threads, ended ones, also twice and before their start, old ids, one that is alone, one through an asynchronous track."""
    return b"".join(
        [
            process(10, 100, "server"),
            thread(11, 10, 100, 101, "a"),
            thread(12, 10, 100, 102, "b"),
            track(30, (5, 10), (2, "requests")),
            event(1, 200, begin("receive"), (11, 12), fixed64(47, 7), flags=CLEARED),
            event(1, 300, END, (11, 12)),
            event(1, 100, begin("send"), (11, 11), fixed64(47, 7), (36, 8)),
            event(1, 150, END, (11, 11)),
            event(1, 400, begin("reply"), (11, 11), fixed64(48, 7), (42, 8)),
            event(1, 450, END, (11, 11)),
            event(1, 460, INSTANT, (23, "ended again"), (11, 12), fixed64(48, 7)),
            event(1, 90, INSTANT, (23, "ended before"), (11, 12), fixed64(48, 9)),
            event(1, 500, begin("again"), (11, 11), field(47, struct.pack("<2Q", 7, 9))),
            event(1, 520, END, (11, 11)),
            event(1, 530, begin("request"), (11, 30), fixed64(47, 9)),
            event(1, 560, END, (11, 30)),
            event(1, 570, INSTANT, (23, "done"), (11, 12), fixed64(48, 9), fixed64(48, 55)),
        ]
    )


def legacy():
    """Events with the phases of Trace Event JSON, and the descriptions of threads of older traces."""

    def old(phase, *fields):
        return field(6, message((2, ord(phase)), *fields))

    return b"".join(
        [
            packet((44, message((1, 100), (2, 101), (5, "worker"), (6, 1000), (7, 50))), sequence(1, CLEARED),
                   interned(1, 1, "cat") + interned(2, 1, "name")),
            packet((43, message((1, 100), (6, "server"))), sequence(1)),
            packet((11, message((1, 10), (2, 5), (10, 1), (3, 1), old("B"))), sequence(1)),
            packet((11, message((1, 20), (2, 6), (3, 1), old("E"))), sequence(1)),
            packet((11, message((16, 1100), (17, 90), (10, 1), (3, 1), old("X", (3, 15), (4, 8)))), sequence(1)),
            packet((11, message((1, 5), (10, 1), (3, 1), old("X"))), sequence(1)),
            packet((11, message((1, 5), (10, 1), (3, 1), old("I", (14, 2)))), sequence(1)),
            packet((11, message((1, 5), (10, 1), (3, 1), old("R"))), sequence(1)),
            packet((11, message((1, 5), (10, 1), (3, 1), old("b", (6, 0x1234)))), sequence(1)),
            packet((11, message((1, 5), (10, 1), (3, 1), old("n", (6, 0x1234), (7, "scope")))), sequence(1)),
            packet((11, message((1, 5), (10, 1), (3, 1), old("e", (6, 0x1234)))), sequence(1)),
            packet((11, message((1, 5), (10, 1), (3, 1), old("S", (10, 7)))), sequence(1)),
            packet((11, message((1, 5), (10, 1), (3, 1), old("F", (10, 7)))), sequence(1)),
            packet((11, message((1, 5), (10, 1), (3, 1), old("b"))), sequence(1)),
            packet((11, message((1, 5), (10, 1), (3, 1), old("s", (11, 3)))), sequence(1)),
            packet((11, message((1, 5), (10, 1), (3, 1), old("X", (3, 4), (8, 77), (13, 2), (18, 300), (19, 301)))), sequence(1)),
            packet((11, message((1, 5), (10, 1), (3, 1), old("X", (3, 4), (8, 77), (13, 1)))), sequence(1)),
            packet((11, message((1, 5), (10, 1), (3, 1), old("f", (11, 3), (12, 1)))), sequence(1)),
            packet((11, message((1, 5), (10, 1), (3, 1), old("M"))), sequence(1)),
            packet((11, message((1, 5), (10, 1), (3, 1), old("C"), annotation("hits", (4, -3)), annotation("rate", (5, 0.5)), annotation("text", (6, "x")))), sequence(1)),
            packet((11, message((1, 5), (10, 1), (3, 1), old("C", (6, 0x77)), annotation("hits", (3, 9)), annotation("on", (2, 1)))), sequence(1)),
            packet((11, message((1, 5), (10, 1), (3, 1), old("C"))), sequence(1)),
        ]
    )


def compressed():
    """The packets of `threads` in two compressed ones, plain ones between them, damaged and nested ones."""
    body = threads()
    cut = len(process(10, 100, "server", (8, "blue"), (8, "green"), (3, -2)))
    first, second = body[:cut], body[cut:]
    damaged = bytearray(zlib.compress(second))
    damaged[len(damaged) // 2] ^= 0xFF
    return b"".join(
        [
            packet((50, zlib.compress(first))),
            event(5, 100, begin("plain"), (11, 11), flags=CLEARED),
            packet((50, zlib.compress(second))),
            event(5, 200, END, (11, 11)),
            packet((50, b"x")),
            packet((50, bytes(damaged))),
            packet((50, zlib.compress(packet((50, zlib.compress(first)))))),
        ]
    )


def lost():
    """Lost packets, packets that need a missing state, packets of unknown kinds, a record that is no packet."""
    return b"".join(
        [
            process(10, 100, "server"),
            thread(11, 10, 100, 101, "worker"),
            event(1, 100, begin("left out"), (11, 11)),
            event(1, 200, begin("kept"), (11, 11), flags=CLEARED),
            packet((8, 300), (11, message(END, (11, 11))), sequence(1), (42, 1)),
            event(1, 400, begin("left out, too"), (11, 11)),
            packet((8, 500), (11, message(END, (11, 11))), sequence(1, CLEARED), (42, 1)),
            packet((33, message((1, message((1, 64))))), sequence(1, 0)),
            packet((777, message((1, 64))), sequence(1, 0)),
            packet(sequence(1, 0)),
            field(2, b"another record"),
            packet((11, b"\x0b"), sequence(1, 0)),
            packet((60, b"\x0b"), sequence(1, 0)),
        ]
    )


def bad_middle():
    """Bytes that are no packets, a packet with a wrong size, and a cut end."""
    good = [event(1, t, INSTANT, (23, "good"), (11, 11), flags=CLEARED if t == 100 else NEEDS) for t in range(100, 900, 100)]
    wrong = bytearray(good[3])
    wrong[1] = 0x7F
    return b"".join(
        [thread(11, 0, 100, 101, "worker"), good[0], b"\n\xff\xff\xff\xff\xff\xff\n\nnoise", good[1], good[2], bytes(wrong), good[4], good[5],
         b"\x00", good[6], good[7][:-3]]
    )


def kernel(time, pid, number, *fields, flags=0):
    """An event of ftrace: its field in FtraceEvent, and those of its message."""
    return field(2, message((1, time), (2, pid), (number, message(*fields)), *([(5, flags)] if flags else [])))


def bundle(cpu, *parts, seq=9, more=b""):
    return packet((1, message((1, cpu), *parts)), sequence(seq, 0), more)


def switch(time, prev, state, following):
    """`prev` and `following`: (tid, name)."""
    return kernel(time, prev[0], 4, (1, prev[1]), (2, prev[0]), (3, 120), (4, state), (5, following[1]), (6, following[0]), (7, 110))


def print_text(time, pid, text):
    return kernel(time, pid, 3, (1, 0xFFFF), (2, text + "\n"))


IDLE, MAIN, WORKER = (0, "swapper"), (500, "main"), (501, "worker")


def system(machine="x86_64", release="6.18.44"):
    """Events of ftrace of two CPUs, processes and threads, statistics of processes and of the system."""
    tree = message(
        (1, message((1, 500), (2, 1), (3, "/usr/bin/server"), (3, "--fast"))),
        (1, message((1, 60), (2, 2), (3, "kworker/0:1"))),
        (2, message((1, 501), (2, "old name"), (3, 500))),
        (2, message((1, 502), (2, "never runs"), (3, 500))),
    )
    memory = message((1, 500), (2, 9000), (3, 4000), (4, 3000), (10, -900))
    stats = message(
        (1, message((1, 2), (2, 70000))), (2, message((1, 49), (2, 1234))), (3, message((1, 0), (2, 10**9), (5, 5 * 10**9))),
        (4, 12), (5, 99), (7, 77), (10, message((1, "ddr"), (2, 800))), (14, message((1, 5), (2, 4000))), (15, message((1, "zone0"), (2, 41), (3, "cpu-thermal"))),
    )
    return b"".join(
        [
            clocks((6, 1_000), (3, 900), primary=6, seq=8),
            packet((45, message((1, message((1, "Linux"), (3, release), (4, machine))))), sequence(8, 0)),
            packet((8, 1000), (9, message((1, memory))), sequence(8, 0)),
            packet((8, 1100), (7, stats), sequence(8, 0)),
            bundle(
                1,
                switch(10_000, IDLE, 0, WORKER),
                print_text(10_100, 501, "B|500|draw"),
                print_text(10_200, 501, "C|500|queue|3"),
                kernel(10_250, 501, 36, (1, 12), (2, "eth0")),
                kernel(10_260, 501, 20, (1, "main"), (2, 500), (3, 110), (4, 1), (5, 0), flags=0x08),
                print_text(10_300, 501, "E|500"),
                kernel(10_400, 501, 329, (1, 257), (2, 3), (2, 0x7FFD00)),
                kernel(10_500, 501, 330, (1, 257), (2, -2)),
                switch(11_000, WORKER, 1, IDLE),
                kernel(11_100, 0, 13, (1, 2**32 - 1), (2, 1)),
                kernel(11_200, 0, 11, (1, 1_700_000), (2, 1)),
            ),
            bundle(
                0,
                switch(10_050, MAIN, 2, (60, "kworker/0:1")),
                kernel(10_150, 60, 17, (1, "worker"), (2, 501), (3, 110), (5, 1)),
                kernel(10_160, 60, 17, (1, "main"), (2, 500), (3, 110), (5, 0)),
                switch(10_350, (60, "kworker/0:1"), 0x80, MAIN),
                kernel(10_360, 500, 235, (1, 503), (2, "main"), (3, 0x3D0F00)),
                kernel(10_370, 500, 236, (1, 503), (2, "main"), (3, "helper")),
                kernel(10_380, 500, 114, (1, "helper"), (2, 503), (3, 110), (5, 0)),
                print_text(10_400, 500, "S|500|request|7"),
                switch(10_500, MAIN, 0x100, (503, "helper")),
                print_text(10_600, 503, "F|500|request|7"),
                kernel(10_620, 503, 329, (1, 9999)),
                kernel(10_650, 503, 327, (1, "vendor_event"), (2, message((1, "speed"), (5, 7))), (2, message((1, "who"), (3, "me")))),
                kernel(10_660, 503, 9990, (1, 5)),
                kernel(10_670, 503, 238, (1, "helper"), (2, 503), (3, 500), (4, 120)),
                switch(10_700, (503, "helper"), 0x10, MAIN),
                (3, 1),
            ),
            bundle(0, switch(11_300, MAIN, 1 | 0x80, IDLE), print_text(11_400, 500, "E|500"), print_text(11_500, 0, "a text")),
            bundle(0, switch(11_400, MAIN, 1, IDLE), more=field(98, 7)),
            bundle(0),
            packet((8, 12_000), (2, tree), sequence(8, 0)),
        ]
    )


def compact_bundle(cpu, switches, wakings, names, *parts):
    """Switches: (time, state, tid, priority, index of the name); wake-ups: (time, tid, CPU, priority, index, flags)."""

    def column(number, rows, at):
        values = [row[at] for row in rows]
        if at == 0:
            values = [value - before for value, before in zip(values, [0] + values)]
        return packed(number, values) if rows else b""

    columns = [column(n, switches, at) for n, at in ((1, 0), (2, 1), (3, 2), (4, 3), (6, 4))]
    columns += [column(n, wakings, at) for n, at in ((7, 0), (8, 1), (9, 2), (10, 3), (11, 4), (12, 5))]
    return bundle(cpu, (4, message(*[(5, name) for name in names], *columns)), *parts)


def compact():
    """Compact switches and wake-ups, also in compressed packets; events of one CPU in several bundles, and many in one; clocks of ftrace."""
    first = compact_bundle(
        0,
        [(1_000, 1, 11, 120, 0), (3_000, 0, 12, 100, 1), (5_000, 2, 0, 120, 2)],
        [(2_000, 12, 0, 100, 1, 0), (2_500, 13, 1, 100, 3, 0x10)],
        ["first", "second", "swapper", "third"],
        print_text(1_500, 11, "B|11|inside"),
    )
    second = compact_bundle(0, [(7_000, 0, 11, 120, 9)], [(8_000, 13, 1, 100, 0, 0)], ["third"], print_text(7_500, 11, "E|11"))
    third = compact_bundle(1, [(2_600, 0, 13, 100, 0), (9_000, 1, 0, 120, 1)], [], ["third", "swapper"])
    raw = compact_bundle(2, [(100, 0, 14, 120, 0), (900, 1, 0, 120, 1)], [], ["raw", "swapper"], (5, 4))
    globally = compact_bundle(3, [(50_100, 0, 15, 120, 0)], [], ["global"], (5, 2), (6, 50_000), (7, 3_000))
    nested = bundle(5, *[print_text(20_000 + i, 21, f"S|21|nested|{i}") for i in range(20)], *[print_text(21_000 + i, 21, f"F|21|nested|{19 - i}") for i in range(20)])
    unknown = compact_bundle(4, [(60_000, 0, 16, 120, 0)], [], ["local"], (5, 3))
    return b"".join([clocks((6, 1_000), (5, 100), primary=6), third, packet((50, zlib.compress(first + second))), raw, globally, nested, unknown])


def bad_ftrace():
    """Damaged bundles and events, states of tasks of an old kernel, system calls of an unknown machine, times out of range."""
    old = switch(2_000, MAIN, 0x1000, WORKER) + switch(2_100, WORKER, 2 | 0x80, MAIN)
    return b"".join(
        [
            system("riscv64", "4.9.1"),
            bundle(0, old, field(2, b"\x0b"), field(2, message((1, 2_200), (4, b"\xff"))), kernel(2**63, 500, 17), kernel(2_300, 500, 4)),
            bundle(0, field(4, b"\x0b")),
            bundle(0, field(4, message(packed(1, [9_000, 1]), field(2, b"\xff"), packed(3, [5])))),
            bundle(2**32 - 1, kernel(2_400, -5, 20, (2, -7))),
            packet((2, message((1, b"\x0b"))), sequence(8, 0)),
            packet((9, message((1, message((1, 5), (3, 7))))), sequence(8, 0)),
            packet((7, message((1, b"\x0b"))), (8, 5), sequence(8, 0)),
        ]
    )


def samples():
    """Samples of Chromium's sampler and of traced_perf: names of functions, modules and files, and without them."""

    def names(kind, *texts):
        return b"".join(field(kind, message((1, i + 1), (2, text))) for i, text in enumerate(texts))

    stacks = b"".join(
        [
            names(5, "main", "work()", ""),
            names(17, "system", "lib64", "libc.so", "[vdso]"),
            names(18, "src/work.cc"),
            field(19, message((1, 1), (7, 1), (7, 2), (7, 3))),
            field(19, message((1, 2), (7, 4))),
            field(6, message((1, 1), (2, 1), (3, 1), (4, 0x1000))),
            field(6, message((1, 2), (2, 2), (3, 1), (4, 0x2000), (5, 1), (6, 12))),
            field(6, message((1, 3), (2, 3), (3, 1), (4, 0x3000))),
            field(6, message((1, 4), (3, 2), (4, 0x10))),
            field(6, message((1, 5), (4, 0x20))),
            field(7, message((1, 1), (2, 1), (2, 2))),
            field(7, message((1, 2), packed(2, [1, 2, 3]))),
            field(7, message((1, 3), (2, 1), (2, 4))),
            field(7, message((1, 4), (2, 1), (2, 5), (2, 99))),
        ]
    )
    perf = [packet((8, 20_000 + 1_000 * i), (66, message((1, 0), (2, 300), (3, 301), (4, stack), (6, 5))), sequence(2)) for i, stack in enumerate([1, 2, 2, 3, 77])]
    return b"".join(
        [
            packet((44, message((1, 100), (2, 101), (5, "sampled"), (6, 10))), sequence(1, CLEARED), field(12, stacks)),
            packet((54, message((1, 1), (1, 1), (2, 0), (2, 1), (3, 4))), sequence(1)),
            packet((54, message(packed(1, [2, 3, 4]), packed(2, [1, 1, 1, 1]))), sequence(1)),
            packet((54, message((1, 9), (2, 1))), sequence(1)),
            packet((8, 19_000), (66, message((2, 300), (3, 301))), sequence(2, CLEARED), field(12, stacks)),
            *perf,
            packet((8, 26_000), (66, message((1, 0), (17, 4))), sequence(2)),
            packet((8, 40_000), (66, message((2, 300), (3, 301), (4, 2))), sequence(2)),
            packet((66, message((2, 300), (3, 301), (4, 2))), sequence(2)),
            packet((54, message((1, 1), (2, 5))), sequence(3, CLEARED)),
            packet((8, 50_000), (2, message((1, message((1, 300), (3, "/bin/app"))), (2, message((1, 301), (2, "worker"), (3, 300))))), sequence(4, 0)),
        ]
    )


def without(body, path):
    """Returns a message without the fields at a path of numbers."""
    out, at = b"", 0
    while at < len(body):
        start = at
        tag, at = read_varint(body, at)
        if tag & 7 == 2:
            size, at = read_varint(body, at)
            at += size
        elif tag & 7 == 0:
            _, at = read_varint(body, at)
        else:
            at += 8 if tag & 7 == 1 else 4
        if tag >> 3 != path[0]:
            out += body[start:at]
        elif len(path) > 1:
            out += field(tag >> 3, without(body[at - size : at], path[1:]))
    return out


def reduce_recording(path):
    """The packets of the first sequences, up to a size, without the configuration, the machine and the command lines."""
    data = pathlib.Path(path).read_bytes()
    out, at, room = [], 0, {}
    while at < len(data):
        start, at = at, at + 1
        size = shift = 0
        while True:
            byte = data[at]
            size |= (byte & 0x7F) << shift
            at, shift = at + 1, shift + 7
            if byte < 0x80:
                break
        body = data[at : at + size]
        at += size
        seq, kinds = parse(body)
        room.setdefault(seq, 3200 if len(room) < 9 else 0)
        if room[seq] < 0 or kinds & {33, 35, 72, 5, 51, 45}:
            continue
        room[seq] -= at - start
        if room[seq] > 0 or seq == 1:
            out.append(field(1, without(body, (60, 3, 2))))
    return b"".join(out)


def parse(body):
    """Returns the sequence and the numbers of the fields of a packet."""
    at, seq, kinds = 0, 0, set()
    while at < len(body):
        number, at = read_varint(body, at)
        kinds.add(number >> 3)
        if number & 7 == 0:
            value, at = read_varint(body, at)
            if number >> 3 == 10:
                seq = value
        elif number & 7 == 2:
            size, at = read_varint(body, at)
            at += size
        else:
            at += 8 if number & 7 == 1 else 4
    return seq, kinds


def read_varint(body, at):
    value = shift = 0
    while True:
        byte = body[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at


def main():
    for make in (threads, tracks, arguments, clock_units, flows, legacy, compressed, lost, bad_middle, system, compact, bad_ftrace, samples):
        (HERE / f"{make.__name__}.pftrace").write_bytes(make())
    if len(sys.argv) > 1:
        (HERE / "chrome.pftrace").write_bytes(reduce_recording(sys.argv[1]))


main()
