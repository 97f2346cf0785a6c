"""Traces and their tables."""

from __future__ import annotations

import collections
import contextlib
import ctypes
import json
import os
from collections.abc import Iterator, Sequence
from ctypes import byref, c_bool, c_double, c_int64, c_size_t, c_uint8, c_uint32
from typing import Any, Callable, Literal

from varve import _native, _query
from varve._arrow import ArrowStreamable, capsule_of
from varve._handle import Handle, check, interruptible, pointers
from varve._native import decode, encode, encode_path, library, place_of, text_of
from varve._results import (Bin, Column, CounterRow, Details, DiffRow, DiffSide, EventKind, FlameNode, Format, Goroutine, InstantRow, Loss, Match, Measure,
                            OutputFormat, Picture, PictureKind, StatsRow, Summary, Verdict, Warning)

EVENT_KINDS: tuple[EventKind, ...] = ("slice", "instant", "value", "track")
GROUPS = ("name", "category", "track", "process", "argument")
FlameWeight = Literal["total", "self", "count", "cpu"]
FlameSource = Literal["slices", "samples", "waits_network", "waits_sync", "waits_syscall", "waits_scheduler"]
FLAME_WEIGHTS = ("total", "self", "count", "cpu")
FLAME_SOURCES = ("slices", "samples", "waits_network", "waits_sync", "waits_syscall", "waits_scheduler")
GoReport = Literal["functions", "goroutines", "net", "sync", "syscall", "sched", "tasks", "regions", "mmu", "gc"]
GoProfile = Literal["net", "sync", "syscall", "sched"]
GO_REPORTS: tuple[GoReport, ...] = ("functions", "goroutines", "net", "sync", "syscall", "sched", "tasks", "regions", "mmu", "gc")
GO_RULES = ("exact", "go")
GO_JSON, GO_PPROF = 1, 3
MEASURES: tuple[Measure, ...] = ("self", "total", "count", "average", "self_average", "p50", "p99")
VERDICTS: tuple[Verdict, ...] = ("slower", "faster", "noise", "few", "new", "gone")
OUTPUT_KINDS: tuple[Literal["trace", "table"], ...] = ("trace", "table")
TYPES: tuple[Literal["bool", "integer", "real", "text"], ...] = ("bool", "integer", "real", "text")
C_TYPES: tuple[Any, ...] = (c_uint8, c_int64, c_double, c_uint32)  # of TYPES
TEXT = 3


def _index(choices: Sequence[str], choice: str) -> int:
    if choice not in choices:
        raise ValueError(f"{choice!r}: expected one of {', '.join(choices)}")
    return choices.index(choice)


# -- formats and the schema --


def formats() -> list[Format]:
    """Returns the formats that `varve.open` reads."""
    found: list[Format] = []
    format = _native.VarveFormat()
    while library.format(len(found), byref(format)):
        found.append(Format(*_members(format)))
    return found


def output_formats() -> list[OutputFormat]:
    """Returns the formats that `Trace.convert` writes."""
    found: list[OutputFormat] = []
    format = _native.VarveOutputFormat()
    while library.output_format(len(found), byref(format)):
        name, suffix, about, kind = _members(format)
        found.append(OutputFormat(name, suffix, about, OUTPUT_KINDS[kind]))
    return found


def tables() -> list[str]:
    """Returns the names of the tables of each trace: slice, instant, counter, ..."""
    names: list[str] = []
    while (name := library.table_name(len(names))) is not None:
        names.append(name.decode())
    return names


def columns(table: str) -> list[Column]:
    """Returns the columns of a table. Raises KeyError if there is no such table."""
    found: list[Column] = []
    info = _native.VarveColumnInfo()
    while library.table_column(encode(table), len(found), byref(info)):
        found.append(Column(decode(info.name), TYPES[info.type], decode(info.unit), decode(info.help)))
    if not found:
        raise KeyError(table)
    return found


class Table(ArrowStreamable):
    """Rows of a table of a trace, or of a part of it. Each use reads the rows again.

    Arrow libraries read it by the method `__arrow_c_stream__`; a loop over it gives named tuples.
    """

    def __init__(self, handle: Handle, name: str, part: _native.VarvePart) -> None:
        self._handle = handle
        self._part = part
        self.name = name
        self.columns = columns(name)

    def __repr__(self) -> str:
        return f"<varve.Table {self.name}: {', '.join(column.name for column in self.columns)}>"

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Returns the rows as an Arrow C stream, which keeps the trace in memory until it is released."""
        stream, error = _native.ArrowArrayStream(), _native.VarveError()
        with self._handle as trace:
            check(library.arrow_open(trace, encode(self.name), byref(self._part), byref(stream), byref(error)), error)
        return capsule_of(stream)

    def __iter__(self) -> Iterator[Any]:
        """Yields a named tuple for each row; None is NULL."""
        row = collections.namedtuple(self.name, [column.name for column in self.columns])  # type: ignore[misc]
        batch, error = _native.VarveBatch(), _native.VarveError()
        with self._handle as trace:
            rows = check(library.rows_open(trace, encode(self.name), byref(self._part), byref(error)), error)
            try:
                while True:
                    check(library.rows_next(rows, byref(batch), byref(error)), error)
                    if batch.row_count == 0:
                        return
                    yield from map(row._make, zip(*(_values(rows, batch, i) for i in range(batch.column_count))))
            finally:
                library.rows_close(rows)


def _values(rows: int, batch: _native.VarveBatch, index: int) -> list[Any]:
    """Returns the values of a column in a batch."""
    column, count = batch.columns[index], batch.row_count
    values: list[Any] = list((C_TYPES[column.type] * count).from_address(column.values))
    if column.type == TEXT:
        texts = {value: text_of(library.rows_text(rows, index, value)) for value in set(values)}
        values = [texts[value] for value in values]
    elif TYPES[column.type] == "bool":
        values = [value != 0 for value in values]
    if column.valid_bits:
        valid = column.valid_bits[:(count + 63) // 64]
        values = [value if valid[i // 64] >> i % 64 & 1 else None for i, value in enumerate(values)]
    return values


# -- traces --


def _part(range: str | None, thread: str | None, track_id: int | None, name: str | None = None) -> _native.VarvePart:
    if track_id is not None and not 0 < track_id < 2**32:
        raise ValueError(f"there is no track {track_id}")
    if track_id is not None and thread is not None:
        raise ValueError("give either thread or track_id, not both")
    return _native.VarvePart(encode(range), encode(thread), encode(name), track_id or 0, 0)


class Trace:
    """A trace. Make one with `varve.open`; end it with `close` or a `with` statement.

    Any number of threads may use a trace. Results do not need it, except iterators over tables and matches, which keep
    it open. A range is a text, "1.2s..1.5s": times from the begin of the trace, as 1.25s, 3ms, 10us, 7ns, or UTC dates. A
    thread is a name or thread id, or a part of the title of a track.
    """

    def __init__(self, handle: Handle, source: str) -> None:
        self._handle = handle
        self._source = source
        self.summary = _summary(handle)

    def __repr__(self) -> str:
        state = "closed" if self._handle.is_closed else f"{self.summary.slice_count} slices"
        return f"<varve.Trace {self._source}: {self.summary.format}, {state}>"

    def __enter__(self) -> Trace:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Releases the memory, once running calls, iterators and Arrow streams have ended."""
        self._handle.close()

    # -- contents --

    def info(self) -> dict[str, Any]:
        """The summary with all tracks, properties and warnings, as `varve info --json` prints it."""
        made, error = _native.VarveBytes(), _native.VarveError()
        with self._handle as trace:
            check(library.info_json(trace, byref(made), byref(error)), error)
        info: dict[str, Any] = json.loads(_native.take_bytes(made))
        return info

    @property
    def warnings(self) -> list[Warning]:
        """The kinds of damage and repair that the load found."""
        found: list[Warning] = []
        from_library = _native.VarveWarning()
        with self._handle as trace:
            while library.warning(trace, len(found), byref(from_library)):
                found.append(Warning(decode(from_library.kind), from_library.count, place_of(from_library.byte_offset),
                                     place_of(from_library.event_index), decode(from_library.message)))
        return found

    @property
    def properties(self) -> dict[str, Any]:
        """Values about the whole trace, as the input has them."""
        found: dict[str, Any] = {}
        from_library, index = _native.VarveProperty(), 0
        with self._handle as trace:
            while library.property(trace, index, byref(from_library)):
                found[text_of(from_library.key)] = _json(text_of(from_library.json))
                index += 1
        return found

    def table(self, table: str = "slice", *, range: str | None = None, thread: str | None = None, track_id: int | None = None,
              name: str | None = None) -> Table:
        """Returns the rows of a table. `varve.tables()` lists the tables, `varve.columns(table)` their columns.

        name: only slices, instants or counters of exactly this name.
        """
        return Table(self._handle, table, _part(range, thread, track_id, name))

    def details(self, kind: Literal["slice", "instant"], id: int) -> Details:
        """Reads the arguments and the other members of a slice or an instant from the input. id: column `id` of its table."""
        args, other, error = _native.VarveBytes(), _native.VarveBytes(), _native.VarveError()
        if id < 0:
            raise ValueError(f"there is no {kind} {id}")
        with self._handle as trace:
            check(library.details(trace, _index(EVENT_KINDS, kind), id, byref(args), byref(other), byref(error)), error)
        return Details(*(_json(decode(_native.take_bytes(made))) for made in (args, other)))

    def find(self, text: str, *, thread: str | None = None, track_id: int | None = None, threads: int = 1) -> Iterator[Match]:
        """Yields the matches of a search, in the language of docs/search.md: words, key=value, key>3, /regex/, >5ms, name:x.

        First tracks and values of counters, then slices and instants by time.
        """
        part, options, error = _part(None, thread, track_id), _native.VarveFindOptions(0, threads), _native.VarveError()
        match, is_found = _native.VarveMatch(), c_bool()
        with self._handle as trace:
            find = check(library.find_open(trace, encode(text), byref(part), byref(options), byref(error)), error)
            try:
                while True:
                    check(library.find_next(find, byref(match), byref(is_found), byref(error)), error)
                    if not is_found.value:
                        return
                    yield Match(EVENT_KINDS[match.kind], match.id, match.track_id, match.begin_ns, match.duration_ns,
                                *(text_of(text) for text in (match.name, match.category, match.key, match.value)))
            finally:
                library.find_close(find)

    # -- analysis --

    def stats(self, by: Literal["name", "category", "track", "process", "argument"] = "name", *, argument: str | None = None, range: str | None = None,
              thread: str | None = None, track_id: int | None = None, name: str | None = None, find: str | None = None) -> list[StatsRow]:
        """Adds up the slices by group. Returns the groups, greatest total first.

        argument: with by="argument" its key. name: only slices of exactly this name. find: only slices that match this search.
        """
        if (by == "argument") != (argument is not None):
            raise ValueError("argument= is for by='argument'")
        options, count = _native.VarveStatsOptions(_index(GROUPS, by), 0, encode(argument)), c_uint32()
        with self._counted("stats", _part(range, thread, track_id, name), find, options) as stats:
            rows = library.stats_rows(stats, byref(count))[:count.value]
            return [StatsRow(*[*_members(row)[:3], *_members(row.ns), *_members(row)[5:]]) for row in rows]

    def histogram(self, scale: Literal["log", "linear"] = "log", *, range: str | None = None, thread: str | None = None, track_id: int | None = None,
                  name: str | None = None, find: str | None = None) -> list[Bin]:
        """Counts the slices by duration. Returns the bins, ascending, without gaps. See `stats` for the choice of slices."""
        options, count = _native.VarveStatsOptions(0, 1 + _index(("log", "linear"), scale)), c_uint32()
        with self._counted("stats", _part(range, thread, track_id, name), find, options) as stats:
            return [Bin(row.count, row.least_ns, row.most_ns, row.total_ns) for row in library.stats_bins(stats, byref(count))[:count.value]]

    @contextlib.contextmanager
    def _counted(self, kind: Literal["stats", "flame"], part: _native.VarvePart, find: str | None, options: ctypes.Structure) -> Iterator[Any]:
        """The handle of varve_KIND_open, of the slices that match `find`."""
        error = _native.VarveError()
        with self._handle as trace:
            part.slices = None if find is None else check(library.slice_set_find(trace, encode(find), 1, byref(error)), error)
            try:
                counted = check(getattr(library, f"{kind}_open")(trace, byref(part), byref(options), byref(error)), error)
            finally:
                library.slice_set_close(part.slices)
            try:
                yield counted
            finally:
                getattr(library, f"{kind}_close")(counted)

    def area(self, *, range: str | None = None, thread: str | None = None, track_id: int | None = None) -> tuple[list[InstantRow], list[CounterRow]]:
        """Adds up the instants by name, greatest count first, and the values of each counter, by track."""
        part, error, count = _part(range, thread, track_id), _native.VarveError(), c_uint32()
        with self._handle as trace:
            area = check(library.area_open(trace, byref(part), byref(error)), error)
            try:
                instants = [InstantRow(*_members(row)) for row in library.area_instants(area, byref(count))[:count.value]]
                counters = [CounterRow(*_members(row)[:-1]) for row in library.area_counters(area, byref(count))[:count.value]]
                return instants, counters
            finally:
                library.area_close(area)

    def flame(self, *, inverted: bool = False, by: FlameWeight = "total", source: FlameSource = "slices", collapse: bool = False,
              hide: Sequence[str] = (), range: str | None = None, thread: str | None = None, track_id: int | None = None, name: str | None = None,
              find: str | None = None) -> list[FlameNode]:
        """Adds up equal call paths of the slices. Returns the nodes of the flame graph, parents first, heaviest siblings first.

        inverted: callees above callers. by: the measure of the order. source: also "samples", and waits of goroutines. collapse: direct recursion is one
        node. hide: slices of these names have no nodes, and their callees are below their callers. name: only slices of this name and those below, inverted its callers. find: only slices that match this search and those below.
        """
        count = c_uint32()
        with self._counted("flame", _part(range, thread, track_id, name), find, _flame_options(inverted, by, source, collapse, hide)) as flame:
            nodes = library.flame_nodes(flame, byref(count))
            if not nodes:
                raise MemoryError
            return [FlameNode(text_of(node.name), None if node.parent == 2**32 - 1 else node.parent, node.depth, node.count, node.total_ns,
                              node.self_ns) for node in nodes[:count.value]]

    def flame_picture(self, kind: Literal["svg", "png"] = "svg", *, theme: Literal["light", "dark"] = "light", inverted: bool = False,
                      by: FlameWeight = "total", source: FlameSource = "slices", collapse: bool = False, hide: Sequence[str] = (),
                      range: str | None = None, thread: str | None = None, track_id: int | None = None, name: str | None = None, find: str | None = None) -> Picture:
        """Draws a flame graph. See `flame`."""
        made, error = _native.VarveBytes(), _native.VarveError()
        picture = _native.VarveFlamePicture(2 * _index(("svg", "png"), kind), _index(("light", "dark"), theme))
        with self._counted("flame", _part(range, thread, track_id, name), find, _flame_options(inverted, by, source, collapse, hide)) as flame:
            check(library.flame_draw(flame, byref(picture), byref(made), byref(error)), error)
        return Picture(kind, _native.take_bytes(made))

    def diff(self, other: Trace, by: Literal["name", "path", "argument"] = "name", *, argument: str | None = None, range: str | None = None, other_range: str | None = None,
             thread: str | None = None, sort: Measure = "self", align: str | None = None) -> list[DiffRow]:
        """Compares the slices of this trace, A, with those of `other`, B. Returns the rows, those with the largest change of `sort` first.

        argument: with by="argument" its key. align: the times of both ranges count from the first slice of this name in each trace.
        """
        if (by == "argument") != (argument is not None):
            raise ValueError("argument= is for by='argument'")
        part, other_part = _part(range, thread, None), _part(other_range, thread, None)
        options = _native.VarveDiffOptions(_index(("name", "path", "argument"), by), _index(MEASURES, sort), encode(align), encode(argument))
        error, count, path = _native.VarveError(), c_uint32(), _native.VarveBytes()
        found: list[DiffRow] = []
        with self._handle as a, other._handle as b:
            diff = check(library.diff_open(a, byref(part), b, byref(other_part), byref(options), byref(error)), error)
            try:
                rows = library.diff_rows(diff, byref(count))
                if not rows:
                    raise MemoryError
                for index, row in enumerate(rows[:count.value]):
                    check(library.diff_path(diff, index, byref(path), byref(error)), error)
                    found.append(DiffRow(decode(_native.take_bytes(path)), VERDICTS[row.verdict], DiffSide(*_members(row.a)),
                                         DiffSide(*_members(row.b)), row.self_change_ns, row.p, row.p_adjusted))
                return found
            finally:
                library.diff_close(diff)

    def goroutines(self, *, rules: Literal["exact", "go"] = "exact") -> list[Goroutine]:
        """Returns the times of the goroutines of a Go execution trace, in order of appearance. rules: see `go_report`."""
        count = c_uint32()
        with self._go(_native.VarveGoOptions(_index(GO_RULES, rules))) as go:
            return [Goroutine(*_members(row)) for row in library.go_routines(go, byref(count))[:count.value]]

    def go_report(self, report: GoReport = "functions", *, rules: Literal["exact", "go"] = "exact", processors: Literal["mean", "worst"] = "mean",
                  counts: str | None = None, top: int = 0) -> dict[str, Any]:
        """Returns statistics of a Go execution trace, in the loaded range: the object that `varve go --json` prints (docs/go.md).

        rules: "go": the numbers of `go tool trace`, including its errors. top: limit on the rows; 0: all. Of "mmu": processors: the mean of them, or the
        worst one; counts: activities of the collector that count, of "stw,background,assist,sweep"; None: the first three.
        """
        options = _native.VarveGoOptions(_index(GO_RULES, rules), _index(("mean", "worst"), processors), None, encode(counts))
        statistics: dict[str, Any] = json.loads(self._go_print(options, report, GO_JSON, top))
        return statistics

    def go_pprof(self, report: GoProfile, *, rules: Literal["exact", "go"] = "exact") -> bytes:
        """Returns the stacks of waits as a file for `go tool pprof`. As a flame graph they are those of `flame`."""
        return self._go_print(_native.VarveGoOptions(_index(GO_RULES, rules)), report, GO_PPROF, 0)

    def _go_print(self, options: _native.VarveGoOptions, report: str, form: int, top: int) -> bytes:
        output = _native.VarveGoOutput(_index(GO_REPORTS, report), form, 0, 0, None, top)
        made, error = _native.VarveBytes(), _native.VarveError()
        with self._go(options) as go:
            check(library.go_print(go, byref(output), byref(made), byref(error)), error)
        return _native.take_bytes(made)

    @contextlib.contextmanager
    def _go(self, options: _native.VarveGoOptions) -> Iterator[int]:
        """The handle of varve_go_open."""
        error = _native.VarveError()
        with self._handle as trace:
            go = check(library.go_open(trace, byref(options), byref(error)), error)
            try:
                yield go
            finally:
                library.go_close(go)

    def query(self, sql: str, *, threads: int = 1, memory_bytes: int = 0) -> _query.Result:
        """Runs SQL over the tables of this trace. See `varve.query`."""
        return query(sql, self, threads=threads, memory_bytes=memory_bytes)

    # -- output --

    def render(self, kind: PictureKind = "png", *, theme: Literal["light", "dark"] = "light", width: float = 1600, height: float = 0, scale: float = 1,
               range: str | None = None, tracks: str | None = None, select_name: str | None = None) -> Picture:
        """Draws the timeline. See `varve.render`."""
        return render(self, kind=kind, theme=theme, width=width, height=height, scale=scale, range=range, tracks=tracks, select_name=select_name)

    def convert(self, path: str | os.PathLike[str], *, format: str | None = None, table: str | None = None) -> list[Loss]:
        """Writes the trace to a file in another format, and returns the kinds of data that the format cannot hold.

        format: one of `varve.output_formats()`; None: by the suffix of the path. table: of the formats of tables; None: slice.
        """
        losses: list[Loss] = []

        def add(_context: object, what: _native.VarveText, count: int) -> None:
            losses.append(Loss(text_of(what), count))

        conversion, error = _native.VarveConversion(encode(format), encode(table), _native.LossFunction(add)), _native.VarveError()
        with self._handle as trace:
            check(library.convert_file(trace, byref(conversion), encode_path(path), byref(error)), error)
        return losses


def _json(text: str) -> Any:
    return json.loads(text) if text else None


def _flame_options(inverted: bool, by: str, source: str, collapse: bool, hide: Sequence[str]) -> _native.VarveFlameOptions:
    names = (ctypes.c_char_p * len(hide))(*map(encode, hide))
    return _native.VarveFlameOptions(int(inverted), _index(FLAME_WEIGHTS, by), _index(FLAME_SOURCES, source), int(collapse), names, len(hide))


def _members(struct: ctypes.Structure) -> list[Any]:
    """Returns the members of a struct, texts as str."""
    values = [getattr(struct, field[0]) for field in struct._fields_]
    values = [decode(value) if isinstance(value, bytes) else value for value in values]
    return [text_of(value) if isinstance(value, _native.VarveText) else value for value in values]


def _summary(handle: Handle) -> Summary:
    summary = _native.VarveSummary()
    with handle as trace:
        library.summary(trace, byref(summary))
        names = [field[0] for field in summary._fields_]
        members = dict(zip(names, _members(summary)))
    if not members.pop("has_epoch"):
        members["epoch_unix_ns"] = None
    for name in ("warning_count", "property_count", "reserved"):
        del members[name]
    return Summary(**members)


def open(source: str | os.PathLike[str] | bytes | bytearray | memoryview, *, format: str | None = None, range: str | None = None,
         tracks: str | None = None, perspective: str | None = None, axis: Literal["events", "calls"] = "events",
         executable: str | os.PathLike[str] | None = None, threads: int = 1, arguments: bool = True, name: str | None = None,
         progress: Callable[[float], object] | None = None) -> Trace:
    """Opens a trace: a path, "-" for standard input, or the bytes of a file. Compressed input is unpacked.

    A damaged trace opens as far as possible: see `Trace.warnings` and `summary.is_complete`.

    format: name of the format; None: recognised by content.
    range: the part to load, "1.2s..1.5s".
    tracks: only tracks of this name or thread id, or with it in their title.
    perspective: for formats with several; "all".
    axis: of captures, which have no time: "calls": all calls have one width.
    executable: the program that was recorded, for the names of addresses; "" is the path in the trace; None: no file is opened.
    threads: limit on the number of threads of the load.
    arguments: False: arguments of events are not needed later, so a compressed input is not stored in a temporary file.
    name: of bytes, for messages and the column `trace`.
    progress: receives the finished share of the current phase, 0 to 1, some times a second. If it raises, the load ends.
    """
    options = _native.VarveOptions(encode(format), encode(range), encode(tracks), encode(perspective),
                                   None if executable is None else encode_path(executable), None, threads, 0 if arguments else 1, 1,
                                   _index(("events", "calls"), axis))
    is_path = isinstance(source, (str, os.PathLike))
    path = encode_path(source) if isinstance(source, (str, os.PathLike)) else b""
    held = b"" if isinstance(source, (str, os.PathLike)) else bytes(source)
    title = os.fsdecode(path) if is_path else name or "bytes"

    def load(progress_handle: int) -> int:
        error = _native.VarveError()
        options.progress = progress_handle
        if is_path:
            return check(int(library.open(path, byref(options), byref(error)) or 0), error)
        return check(int(library.open_bytes(held, c_size_t(len(held)), encode(title), byref(options), byref(error)) or 0), error)

    return Trace(Handle(interruptible(load, progress, drop=library.close)), title)


def diff(a: Trace, b: Trace, by: Literal["name", "path"] = "name") -> list[DiffRow]:
    """Compares two traces: which calls take longer in `b`, and does chance explain it? See `Trace.diff`."""
    return a.diff(b, by)


def query(sql: str, *traces: Trace, threads: int = 1, memory_bytes: int = 0) -> _query.Result:
    """Runs SQL statements over the tables of traces by DuckDB, and returns the rows of the last one.

    DuckDB's library is that of $VARVE_DUCKDB, of the package `duckdb` (`pip install varve[sql]`), or of the system.

    threads: limit on the number of DuckDB's threads. memory_bytes: limit on its memory; 0: a quarter of the machine's.
    """
    return _query.run(sql, [trace._handle for trace in traces], threads, memory_bytes)


def render(*traces: Trace, kind: PictureKind = "png", theme: Literal["light", "dark"] = "light", width: float = 1600, height: float = 0,
           scale: float = 1, range: str | None = None, tracks: str | None = None, select_name: str | None = None) -> Picture:
    """Draws the timeline of traces, each below the other on one time axis.

    width, height: in px; height 0 is as high as the content. scale: device pixels per px. range: of the first trace.
    tracks: only tracks with this text. select_name: highlights the slices of this name.
    """
    picture = _native.VarvePicture(_index(("png", "svg", "pdf"), kind), _index(("light", "dark"), theme), width, height, scale, encode(range),
                                   encode(tracks), encode(select_name))
    made, error = _native.VarveBytes(), _native.VarveError()
    handles = [trace._handle for trace in traces]
    with _query.all_of(handles) as used:
        check(library.render(pointers(used), len(used), byref(picture), byref(made), byref(error)), error)
    return Picture(kind, _native.take_bytes(made))
