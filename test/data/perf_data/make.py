#!/usr/bin/env python3
"""Writes the files of this folder, except for the recordings (README.md): make.py. Each of them is made from the calls below.

The encoder is independent of the reader. Sources: perf_event.h and perf.data-file-format.txt of
Linux 6.1.
"""

import pathlib
import struct
import subprocess

HERE = pathlib.Path(__file__).parent

IP, TID, TIME, ADDR, READ, CALLCHAIN, ID, CPU, PERIOD, STREAM_ID, RAW, BRANCHES, REGS_USER, STACK_USER = (1 << i for i in range(14))
IDENTIFIER = 1 << 16
SAMPLE_ID_ALL = 1 << 18
KERNEL, USER = 1, 2
TO_KERNEL, TO_USER = 2**64 - 128, 2**64 - 512
MMAP, LOST, COMM, EXIT, FORK, SAMPLE, MMAP2, LOST_SAMPLES = 1, 2, 3, 4, 7, 9, 10, 13
ATTR, TRACING_DATA, BUILD_ID, FINISHED_ROUND, AUXTRACE, EVENT_UPDATE, FEATURE, COMPRESSED = 64, 66, 67, 68, 71, 78, 80, 81


def u32(*values):
    return struct.pack(f"<{len(values)}I", *(value & 0xFFFFFFFF for value in values))


def u64(*values):
    return struct.pack(f"<{len(values)}Q", *(value & (2**64 - 1) for value in values))


def text(value, multiple=8):
    value = value.encode() if isinstance(value, str) else value
    return value + b"\0" * (multiple - len(value) % multiple)


def record(kind, body, misc=0):
    return struct.pack("<IHH", kind, misc, 8 + len(body)) + body


class Event:
    """An event: its attribute, its id, and its samples."""

    def __init__(self, kind, config, number, sample_type, name="", flags=SAMPLE_ID_ALL, period=0, read_format=0, branch_type=0, regs=0):
        self.number, self.sample_type, self.name, self.config, self.regs, self.branch_type, self.read_format = \
            number, sample_type, name, config, regs, branch_type, read_format
        self.attr = (u32(kind, 128) + u64(config, period, sample_type, read_format, flags) + u32(0, 0) + u64(0, 0) + u64(branch_type, regs)).ljust(128, b"\0")

    def end(self, pid=0, tid=0, time=0, cpu=0):
        """The fields at the end of other records."""
        t = self.sample_type
        return ((u32(pid, tid) if t & TID else b"") + (u64(time) if t & TIME else b"") + (u64(self.number) if t & ID else b"") +
                (u64(self.number) if t & STREAM_ID else b"") + (u32(cpu, 0) if t & CPU else b"") + (u64(self.number) if t & IDENTIFIER else b""))

    def sample(self, time, tid, chain=(), pid=None, cpu=0, period=1000000, mode=USER, raw=None, ip=None, stack=None, registers=None):
        t = self.sample_type
        pid = tid if pid is None else pid
        ip = ip if ip is not None else next((a for a in chain if a < 2**64 - 4096), 0)
        out = u64(self.number) if t & IDENTIFIER else b""
        out += u64(ip) if t & IP else b""
        out += u32(pid, tid) if t & TID else b""
        out += u64(time) if t & TIME else b""
        out += u64(0x77) if t & ADDR else b""
        out += u64(self.number) if t & ID else b""
        out += u64(self.number) if t & STREAM_ID else b""
        out += u32(cpu, 0) if t & CPU else b""
        out += u64(period) if t & PERIOD else b""
        if t & READ:
            out += u64(2, 5, 6, 1, 10, 2, 20) if self.read_format & 8 else u64(5, 1, 2)
        out += u64(len(chain), *chain) if t & CALLCHAIN else b""
        if t & RAW:
            raw = raw or b""
            raw += b"\0" * (-(len(raw) + 4) % 8)
            out += u32(len(raw)) + raw
        out += u64(1) + (u64(0) if self.branch_type & 1 << 17 else b"") + u64(1, 2, 3) if t & BRANCHES else b""
        if t & REGS_USER:
            values = {8: 0x401234, **(registers or {})}
            out += u64(2) + u64(*(values.get(bit, bit) for bit in range(64) if self.regs >> bit & 1))
        if t & STACK_USER:
            out += u64(len(stack)) + stack + u64(len(stack))
        return record(SAMPLE, out, mode)


def comm(event, pid, tid, name, time=0, is_exec=False):
    return record(COMM, u32(pid, tid) + text(name) + event.end(pid, tid, time), 1 << 13 if is_exec else 0)


def fork(event, pid, tid, parent_pid, parent_tid, time):
    return record(FORK, u32(pid, parent_pid, tid, parent_tid) + u64(time) + event.end(pid, tid, time))


def leave(event, pid, tid, time):
    return record(EXIT, u32(pid, pid, tid, tid) + u64(time) + event.end(pid, tid, time))


def mmap(event, pid, begin, size, offset, path, time=0, mode=USER):
    return record(MMAP, u32(pid, pid) + u64(begin, size, offset) + text(path) + event.end(pid, pid, time), mode)


def mmap2(event, pid, begin, size, offset, path, time=0, build_id=None):
    middle = bytes([len(build_id), 0, 0, 0]) + build_id.ljust(20, b"\0") if build_id else u32(8, 1) + u64(77, 1)
    return record(MMAP2, u32(pid, pid) + u64(begin, size, offset) + middle + u32(5, 2) + text(path) + event.end(pid, pid, time),
                  USER | (1 << 14 if build_id else 0))


def string(value):
    return u32(len(value.encode()) + 1) + value.encode() + b"\0"


def features(events, more=()):
    return {3: string("host"), 4: string("6.1.0"), 11: u32(3) + string("perf") + string("record") + string("-g"),
            12: u32(len(events), 128) + b"".join(event.attr + u32(1) + string(event.name) + u64(event.number) for event in events), **dict(more)}


def file(events, records, sections=None, data_size=None):
    """Header, ids, attributes, records, table of the features, features."""
    sections = features(events) if sections is None else sections
    ids_at = 104
    attrs_at = ids_at + 8 * len(events)
    data_at = attrs_at + 144 * len(events)
    data = b"".join(records)
    attrs = b"".join(event.attr + u64(ids_at + 8 * i, 8) for i, event in enumerate(events))
    bits = sum(1 << number for number in sections)
    header = b"PERFILE2" + u64(104, 144, attrs_at, len(attrs), data_at, len(data) if data_size is None else data_size, 0, 0)
    header += b"".join(u64(bits >> 64 * i) for i in range(4))
    at = data_at + len(data) + 16 * len(sections)
    table, rest = b"", b""
    for number in sorted(sections):
        table += u64(at + len(rest), len(sections[number]))
        rest += sections[number]
    return header + u64(*(event.number for event in events)) + attrs + data + (table + rest if data_size is None else b"")


# -- the files --

PLAIN = IP | TID | TIME | CPU | PERIOD | CALLCHAIN
CODE, LIBRARY, TEXT = 0x401000, 0x7F0000001000, 0xFFFFFFFF81000000


def program(event, pid, name, time=0):
    """The records of a program that is there from the begin."""
    return [comm(event, pid, pid, name, time), mmap2(event, pid, CODE, 0x1000, 0x1000, f"/usr/bin/{name}", time),
            mmap2(event, pid, LIBRARY, 0x1000, 0x1000, "/usr/lib/libx.so.1", time), mmap(event, pid, 0x7FFF0000, 0x1000, 0, "[vdso]", time)]


def stacks():
    """Two events, rounds out of order, a fork, an exec, a thread, the kernel, a lost event."""
    clock = Event(1, 0, 11, PLAIN | IDENTIFIER, "cpu-clock")
    cycles = Event(0, 0, 12, PLAIN | IDENTIFIER, "cycles:u", SAMPLE_ID_ALL | 1 << 5, 5000)
    e = clock
    return file([clock, cycles], [
        mmap(e, -1, TEXT, 0x1000000, TEXT, "[kernel.kallsyms]_text", 0, KERNEL), *program(e, 100, "main"),
        e.sample(3000000, 100, [TO_USER, CODE + 0x30, CODE + 0x10]),
        e.sample(1000000, 100, [TO_USER, CODE + 0x20, CODE + 0x10]),
        record(FINISHED_ROUND, b""),
        comm(e, 100, 101, "worker", 1500000),
        e.sample(2000000, 101, [TO_KERNEL, TEXT + 0x50, TEXT + 0x40, TO_USER, LIBRARY + 5, CODE + 0x60], pid=100, cpu=1, mode=KERNEL),
        fork(e, 200, 200, 100, 100, 2500000),
        e.sample(2600000, 200, [TO_USER, CODE + 0x30]),
        record(FINISHED_ROUND, b""),
        comm(e, 200, 200, "other", 2700000, True), mmap2(e, 200, CODE, 0x1000, 0, "/usr/bin/other", 2700001, bytes(range(20))),
        e.sample(4000000, 200, [TO_USER, CODE + 0x30, 5]),
        cycles.sample(4100000, 200, [TO_USER, CODE + 0x31], period=5000),
        e.sample(4200000, 0, [TO_KERNEL, TEXT + 0x99], cpu=1, mode=KERNEL),
        record(LOST, u64(11, 7) + e.end(100, 100, 4300000)), record(LOST_SAMPLES, u64(3) + e.end(100, 100, 4300000)),
        leave(e, 200, 200, 4400000), record(FINISHED_ROUND, b""),
    ])


FORMATS = {
    "sched_switch": (316, "char prev_comm[16] 8 16 0,pid_t prev_pid 24 4 1,int prev_prio 28 4 1,long prev_state 32 8 1,"
                          "char next_comm[16] 40 16 0,pid_t next_pid 56 4 1,int next_prio 60 4 1"),
    "sched_wakeup": (318, "char comm[16] 8 16 0,pid_t pid 24 4 1,int prio 28 4 1,int target_cpu 32 4 1"),
}
OPEN = (600, "int dfd 8 4 1,unsigned long flags 16 8 0,__data_loc char[] name 24 4 0,u8 mode 28 1 0,s16 x 30 2 1,int list[2] 32 8 1")


def format_text(name, number, fields):
    lines = [f"name: {name}", f"ID: {number}", "format:", "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;", ""]
    for item in fields.split(","):
        declaration, offset, size, signed = item.rsplit(" ", 3)
        lines.append(f"\tfield:{declaration};\toffset:{offset};\tsize:{size};\tsigned:{signed};")
    return ("\n".join(lines) + '\n\nprint fmt: "x"\n').encode()


def tracing_data():
    def sized(value):
        return u64(len(value)) + value

    systems = {"sched": FORMATS, "fs": {"open": OPEN}}
    out = bytes([23, 8, 68]) + b"tracing" + b"0.6\0" + bytes([0, 8]) + u32(4096)
    out += b"header_page\0" + sized(b"x") + b"header_event\0" + sized(b"y") + u32(1) + sized(b"name: function\nID: 1\n")
    out += u32(len(systems))
    for system, events in systems.items():
        out += system.encode() + b"\0" + u32(len(events)) + b"".join(sized(format_text(name, *event)) for name, event in events.items())
    return out + u32(0) + u32(0) + u64(0)


def switch(previous, state, following):
    return (struct.pack("<HBBi", 316, 0, 0, previous[1]) + text(previous[0], 16)[:16] + u32(previous[1], 120) + u64(state) +
            text(following[0], 16)[:16] + u32(following[1], 120))


def tracepoint_events():
    kind = PLAIN | RAW | IDENTIFIER
    return [Event(2, number, 20 + i, kind, name) for i, (name, number) in
            enumerate([("sched:sched_switch", 316), ("sched:sched_wakeup", 318), ("fs:open", 600)])]


def tracepoint_records(events):
    switched, woken, opened = events
    wakeup = struct.pack("<HBBi", 318, 0, 0, 1) + text("b", 16)[:16] + u32(2, 120, 0)
    name = b"/etc/\xc3\xa4\xff\0"
    open_event = struct.pack("<HBBi", 600, 0, 0, 1) + u32(-100, 0) + u64(2**63) + u32(len(name) << 16 | 40) + bytes([7, 0]) + struct.pack("<h", -3) + u32(1, 2) + name
    return [comm(switched, 1, 1, "a"), comm(switched, 2, 2, "b"),
            woken.sample(1000000, 1, [TO_KERNEL, TEXT + 1], raw=wakeup, mode=KERNEL),
            switched.sample(2000000, 1, [TO_KERNEL, TEXT + 2], raw=switch(("a", 1), 1, ("b", 2)), mode=KERNEL),
            opened.sample(2500000, 2, [TO_USER, CODE], raw=open_event),
            switched.sample(3000000, 2, [TO_KERNEL, TEXT + 2], raw=switch(("b", 2), 256, ("a", 1)), mode=KERNEL),
            opened.sample(3500000, 1, [TO_USER, CODE], raw=b"short"),
            switched.sample(4000000, 1, [], raw=switch(("a", 1), 2, ("swapper/0", 0)), mode=KERNEL)]


def tracepoints():
    """Switches of tasks, a wake-up, and an event with fields of all kinds."""
    events = tracepoint_events()
    return file(events, tracepoint_records(events), features(events, {1: tracing_data()}))


def pipe():
    """The records of a pipe: attributes, descriptions and features are records."""
    events = tracepoint_events()
    clock = Event(1, 0, 30, PLAIN | RAW | IDENTIFIER)
    other = Event(4, 0x1B7, 31, PLAIN | RAW | IDENTIFIER, flags=SAMPLE_ID_ALL | 1 << 5)
    data = tracing_data()
    return b"PERFILE2" + u64(16) + b"".join([
        *(record(ATTR, event.attr + u64(event.number)) for event in [*events, clock, other]),
        record(EVENT_UPDATE, u64(2, 30) + text("my clock")), record(FEATURE, u64(3) + string("host")),
        record(TRACING_DATA, u32(len(data))) + data + b"\0" * (-len(data) % 8),
        record(BUILD_ID, u32(-1) + bytes(range(24)) + text("[kernel.kallsyms]"), KERNEL),
        mmap(clock, -1, TEXT, 0x1000000, TEXT, "[kernel.kallsyms]_text", 0, KERNEL), *tracepoint_records(events),
        clock.sample(5000000, 2, [TO_USER, CODE]), other.sample(5000001, 2, [TO_USER, CODE]), record(FINISHED_ROUND, b"")])


def compressed():
    """Records in one stream of zstd, which is cut anywhere."""
    clock = Event(1, 0, 11, PLAIN, "cpu-clock")
    plain = b"".join([*program(clock, 100, "main"), *(clock.sample(1000000 * i, 100, [TO_USER, CODE + i % 3]) for i in range(1, 40))])
    packed = subprocess.run(["zstd", "-q", "-c", "--no-check"], input=plain, stdout=subprocess.PIPE, check=True).stdout
    third = len(packed) // 3
    parts = [record(COMPRESSED, packed[:third]), record(COMPRESSED, packed[third:2 * third]), record(COMPRESSED, packed[2 * third:])]
    return file([clock], [*parts, record(COMPRESSED, b"no zstd here"), record(FINISHED_ROUND, b"")])


def no_times():
    clock = Event(1, 0, 11, IP | TID, "cpu-clock")
    return file([clock], [comm(clock, 100, 100, "main"), mmap(clock, 100, CODE, 0x1000, 0, "/usr/bin/main"), *(clock.sample(0, 100, ip=CODE + i) for i in range(5))])


def all_fields():
    """Samples with every field before those that are read, and a copy of the stack."""
    kind = PLAIN | IDENTIFIER | ADDR | ID | STREAM_ID | READ | RAW | BRANCHES | REGS_USER | STACK_USER
    clock = Event(1, 0, 11, kind, "cpu-clock", read_format=8 | 1 | 2 | 4, branch_type=1 << 17, regs=0xFF0FFF)
    return file([clock], [*program(clock, 100, "main"), clock.sample(1000000, 100, [TO_KERNEL, TEXT], mode=KERNEL, stack=b"s" * 64),
                          clock.sample(2000000, 100, [TO_USER, CODE], stack=b"s" * 64)])


def odd():
    """Damaged samples and records, unknown ones, data behind a record, texts that are not UTF-8, and the end inside a record."""
    clock = Event(1, 0, 11, PLAIN, "cpu-clock")
    return file([clock], [
        comm(clock, 100, 100, b"\xffname"), comm(clock, 0xFFFFFFFF, 0xFFFFFFFF, "gone"), mmap(clock, 100, CODE, 0, 0, "/empty"),
        mmap(clock, 100, 2**64 - 16, 2**64 - 1, 0, "/usr/bin/high"), mmap2(clock, 100, CODE, 0x100, 0, "a" * 300),
        mmap2(clock, 100, CODE + 0x10, 0x10, 0x90, "//anon"), record(SAMPLE, b"short"), record(MMAP, b"shrt"), record(FORK, b""),
        record(AUXTRACE, u64(16) + b"\0" * 32) + b"0123456789abcdef", record(99, b"unknown "), record(18, b"bpf"), record(COMPRESSED, b""),
        clock.sample(1000000, 100, [TO_USER, CODE + 0x15, 2**64 - 4096, CODE + 0x25, 0]),
        clock.sample(2000000, 100, []), clock.sample(2**63, 100, [TO_USER, CODE]), clock.sample(3000000, -1, [CODE + 1], pid=-1),
        fork(clock, 100, 100, 100, 100, 1), fork(clock, 300, 300, 999, 999, 2), record(FINISHED_ROUND, b""), record(FINISHED_ROUND, b""),
        struct.pack("<IHH", 9, 0, 4), clock.sample(4000000, 100, [TO_USER, CODE])])


def unfinished():
    """The header of a recording that was killed: the size of the records is 0."""
    clock = Event(1, 0, 11, PLAIN, "cpu-clock", SAMPLE_ID_ALL | 1 << 4)
    return file([clock], [*program(clock, 100, "main"), clock.sample(1000000, 100, [TO_USER, CODE]), clock.sample(2000000, 100, [TO_USER, CODE])[:40]], data_size=0)


def bad_header():
    return b"PERFILE2" + u64(104, 144, 104, 144, 2**40, 8, 0, 0) + b"\0" * 64


if __name__ == "__main__":
    for make in (stacks, tracepoints, pipe, compressed, no_times, all_fields, odd, unfinished, bad_header):
        (HERE / f"{make.__name__}.data").write_bytes(make())
