"""The values that functions return. Times are in nanoseconds; see varve/varve.h for details."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from varve._errors import Error

EventKind = Literal["slice", "instant", "value", "track"]
Verdict = Literal["slower", "faster", "noise", "few", "new", "gone"]
Measure = Literal["self", "total", "count", "average", "self_average", "p50", "p99"]
PictureKind = Literal["png", "svg", "pdf"]


@dataclass(frozen=True, slots=True)
class Format:
    """A format that can be read."""

    name: str  # as in `varve.open`
    about: str  # title, producers and usual suffixes: lines
    spec: str  # the definition, with version or date
    is_live: bool  # it can be read while it is written


@dataclass(frozen=True, slots=True)
class OutputFormat:
    """A format that can be written."""

    name: str  # as in `Trace.convert`
    suffix: str | None  # of files, without the point
    about: str  # a line
    kind: Literal["trace", "table"]


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table."""

    name: str
    type: Literal["bool", "integer", "real", "text"]
    unit: str  # "ns", "tick", "bytes", "slice" (an id in that table), ...; "" = none
    help: str


@dataclass(frozen=True, slots=True)
class Warning:
    """A kind of damage or repair, with the place of the first one."""

    kind: str  # stable: "unmatched-end"
    count: int
    byte_offset: int | None
    event_index: int | None
    message: str


@dataclass(frozen=True, slots=True)
class Summary:
    """The facts of a trace."""

    name: str
    format: str  # "trace-event", "spall", "heph", "apitrace", "go", ...
    format_version: str  # "" = none
    input_bytes: int  # before decompression; 0 = not known
    is_complete: bool  # False: the input ended early, or a part was not decoded
    has_time: bool  # False: times count calls or events
    begin_tick: int
    end_tick: int
    tick_ns_numerator: int  # nanoseconds per tick = numerator / denominator
    tick_ns_denominator: int
    epoch_unix_ns: int | None  # wall-clock time of tick 0, since 1970
    duration_ns: int
    process_count: int
    thread_count: int
    track_count: int
    slice_count: int
    unfinished_slice_count: int
    async_slice_count: int
    instant_count: int
    flow_count: int
    object_count: int
    counter_count: int
    counter_sample_count: int
    stack_sample_count: int
    depth_most: int  # of nested slices; 1 = none is nested


@dataclass(frozen=True, slots=True)
class Details:
    """The arguments and the other members of an event; None if it has none."""

    args: Any
    other: Any


@dataclass(frozen=True, slots=True)
class Match:
    """A result of a search."""

    kind: EventKind
    id: int  # of a slice or an instant: column `id`; else 0
    track_id: int
    begin_ns: int
    duration_ns: int
    name: str
    category: str
    key: str  # of the first argument that matches; "" if the name or the track does
    value: str


@dataclass(frozen=True, slots=True)
class StatsRow:
    """The slices of a group."""

    name: str
    process: str  # by track: the title of its process; else ""
    count: int
    total_ns: int
    self_ns: int  # without direct children
    average_ns: int
    least_ns: int
    most_ns: int
    p50_ns: int  # duration that 50 percent do not exceed
    p90_ns: int
    p95_ns: int
    p99_ns: int
    deviation_ns: int  # standard deviation
    longest_slice_id: int
    track_id: int  # by track; else 0
    process_id: int  # by process; else 0


@dataclass(frozen=True, slots=True)
class Bin:
    """The slices whose durations are from least_ns to most_ns, both included."""

    count: int
    least_ns: int
    most_ns: int
    total_ns: int


@dataclass(frozen=True, slots=True)
class InstantRow:
    """The instants of a name."""

    name: str
    count: int
    first_instant_id: int


@dataclass(frozen=True, slots=True)
class CounterRow:
    """The values of a counter, or of one of its series, that hold at some time of the range."""

    name: str
    series: str  # "" = the counter has one
    title: str  # of both: "heap / used"
    process: str
    unit: str  # "B", or ""
    count: int  # 0 = all are unknown: least, most and last are NaN
    least: float
    most: float
    last: float
    average: float  # weighted by time; NaN = no time
    track_id: int


@dataclass(frozen=True, slots=True)
class FlameNode:
    """A call path: a node of a flame graph."""

    name: str
    parent: int | None  # index of the caller's node, less than this one's; None = outermost
    depth: int  # 0 = outermost
    count: int  # calls
    total_ns: int
    self_ns: int


@dataclass(frozen=True, slots=True)
class DiffSide:
    """One side of a row of a comparison."""

    count: int
    total_ns: float
    self_ns: float
    average_ns: float
    self_average_ns: float
    p50_ns: float
    p99_ns: float


@dataclass(frozen=True, slots=True)
class DiffRow:
    """The slices of a name, or of a call path, in both traces."""

    name: str  # by path: names from the outermost on, with ";" between
    verdict: Verdict
    a: DiffSide
    b: DiffSide
    self_change_ns: float  # b.self_ns - a.self_ns
    p: float  # p-value of the test; 1 without a test
    p_adjusted: float  # false discovery rate at which the verdict holds; 1 without a test


@dataclass(frozen=True, slots=True)
class Goroutine:
    """The times of a goroutine: exclusive parts of total_ns."""

    id: int
    function: str  # with which it began; "" = not known
    total_ns: int
    execution_ns: int
    network_ns: int
    sync_ns: int
    other_ns: int
    syscall_ns: int
    scheduler_ns: int
    start_count: int  # times that it got a processor


@dataclass(frozen=True, slots=True)
class Frame:
    """A frame of an apitrace capture."""

    index: int  # from 0
    first_call: int  # its number
    call_count: int
    incomplete_call_count: int
    families: dict[str, int]  # calls by purpose: state, draw, upload, query, sync, frame end, marker, context, memory
    redundant_count: int  # calls that set a state again
    upload_bytes: int  # in arguments
    is_ended: bool  # False: the last one, which no call ended


@dataclass(frozen=True, slots=True)
class CallDiff:
    """The differences of two captures, A and B."""

    differing_count: int  # calls that one has alone
    lines: list[tuple[str, str]]  # "-" and a call of A only, "+" and a call of B only, "@" and the position: "10,2 12,1"
    faults: tuple[Error | None, Error | None]  # the first fault of A and of B, whose parts before them are compared


@dataclass(frozen=True, slots=True)
class Loss:
    """A kind of data that a format cannot hold, with its number."""

    what: str
    count: int


class Picture:
    """A timeline as PNG, SVG or PDF. Notebooks show PNG and SVG."""

    def __init__(self, kind: PictureKind, data: bytes) -> None:
        self.kind = kind
        self.data = data

    def __bytes__(self) -> bytes:
        return self.data

    def __repr__(self) -> str:
        return f"<varve.Picture {self.kind}, {len(self.data)} bytes>"

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the picture to a file."""
        Path(path).write_bytes(self.data)

    def _repr_png_(self) -> bytes | None:
        return self.data if self.kind == "png" else None

    def _repr_svg_(self) -> str | None:
        return self.data.decode() if self.kind == "svg" else None
