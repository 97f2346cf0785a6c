#!/usr/bin/env python3
"""Writes the profiles of this folder that are made by hand."""

from pathlib import Path


def varint(value):
    value &= (1 << 64) - 1
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes(out + bytes([value]))


def field(number, value):
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    return varint(number << 3 | 2) + varint(len(value)) + value


def message(*fields):
    return b"".join(field(*one) for one in fields)


def packed(*values):
    return b"".join(map(varint, values))


def sample(locations, values, *labels):
    return field(2, message((1, packed(*locations)), (2, packed(*values)), *((3, one) for one in labels)))


def strings(*texts):
    return b"".join(field(6, text if isinstance(text, bytes) else text.encode()) for text in texts)


KINDS = field(1, message((1, 1), (2, 2))) + field(1, message((1, 3), (2, 4)))
TEXTS = strings("", "samples", "count", "cpu", "nanoseconds", "main", "parse", "read", "/app/prog", "src/parse.c", "/usr/lib/libc.so.6")
MAPPINGS = field(3, message((1, 1), (2, 4096), (3, 8192), (5, 8))) + field(3, message((1, 2), (5, 10)))
FUNCTIONS = field(5, message((1, 1), (2, 5), (3, 5))) + field(5, message((1, 2), (2, 6), (4, 9), (5, 10))) + field(5, message((1, 3), (3, 7)))
LOCATIONS = (field(4, message((1, 1), (2, 1), (3, 4100), (4, message((1, 1), (2, 3)))))
             + field(4, message((1, 2), (2, 1), (3, 4200), (4, message((1, 2), (2, 12))), (4, message((1, 1), (2, 4)))))
             + field(4, message((1, 3), (2, 2), (3, 0x5000), (4, message((1, 3)))))
             + field(4, message((1, 4), (2, 2), (3, 0x6000))))
FIELDS = field(9, 1700000000000000000) + field(10, 3000000000) + field(11, message((1, 3), (2, 4))) + field(12, 10000000) + field(13, 2)
SAMPLES = sample([3, 1], [2, 20]) + sample([2], [5, 50], message((1, 1), (2, 2))) + sample([4, 2], [1, 10]) + sample([3, 1], [1, 10]) + sample([1], [3, 30])


def unpacked(locations, values):
    return field(2, b"".join([field(1, one) for one in locations] + [field(2, one) for one in values]))


FILES = {
    "inline": KINDS + SAMPLES + MAPPINGS + LOCATIONS + FUNCTIONS + TEXTS + FIELDS,
    "order_any": TEXTS + FIELDS + FUNCTIONS + LOCATIONS + MAPPINGS + unpacked([3, 1], [2, 20]) + unpacked([2], [5, 50]) + KINDS,
    "units": field(14, 5) + b"".join(field(1, message((1, i + 1), (2, i + 1))) for i in range(6)) + sample([1], [1, 2, 3, 4, 5, 6]) + sample([2], [1, 1, 1, 1, 1, 0])
             + field(4, message((1, 1), (4, message((1, 1))))) + field(4, message((1, 2), (4, message((1, 2))))) + field(5, message((1, 1), (2, 7)))
             + field(5, message((1, 2), (2, 8))) + strings("", "nanoseconds", "microseconds", "milliseconds", "seconds", "bytes", "objects", "a", "b"),
    "odd": KINDS + sample([], [1, 10]) + sample([9, 1], [2]) + sample([1], [-3, 5, 7]) + sample([5], [1 << 62, 1]) + sample([6, 2, 0], [1, 1]) + sample([1], [])
           + MAPPINGS + LOCATIONS + field(4, message((1, 5), (2, 77), (4, message((1, 99))))) + field(4, message((1, 6)))
           + field(4, message((1, 1), (3, 1))) + FUNCTIONS + TEXTS + strings(b"\xff\xfe") + field(8, 3) + field(14, 99),
    "bad_middle": KINDS + SAMPLES + MAPPINGS + LOCATIONS + FUNCTIONS + TEXTS + b"\x0b\x0c" + SAMPLES,
    "bad_message": KINDS + SAMPLES + LOCATIONS + FUNCTIONS + TEXTS + field(2, b"\x0a\x7f") + SAMPLES,
    "empty": field(1, message((1, 1), (2, 2))) + strings("", "goroutine", "count"),
}

if __name__ == "__main__":
    for name, data in FILES.items():
        (Path(__file__).parent / f"{name}.pprof").write_bytes(data)
