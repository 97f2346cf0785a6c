"""SQL."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import threading
from collections.abc import Iterator
from ctypes import byref, c_uint32
from typing import Any

from varve import _native
from varve._arrow import ArrowStreamable, capsule_of
from varve._handle import Handle, check, interruptible, pointers
from varve._native import decode, encode, library, text_of

NULL, BOOL, INTEGER, UNSIGNED, REAL = range(5)  # VarveCellKind; the others are texts


@contextlib.contextmanager
def all_of(handles: list[Handle]) -> Iterator[list[int]]:
    """Uses several traces."""
    with contextlib.ExitStack() as stack:
        yield [stack.enter_context(handle) for handle in handles]


class Result(ArrowStreamable):
    """The rows of a statement, which can be read once: by an Arrow library, or in a loop that gives tuples.

    Lists, structures and maps are JSON; numbers that fit no other type are text. One thread at a time uses a result.
    """

    def __init__(self, pointer: int) -> None:
        self._pointer: int | None = pointer
        self._lock = threading.Lock()
        self.columns = [decode(library.query_column_name(pointer, i)) for i in range(library.query_column_count(pointer))]

    def __repr__(self) -> str:
        return f"<varve.Result: {', '.join(self.columns)}>"

    def __enter__(self) -> Result:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Releases the rows that were not read."""
        with self._lock:
            pointer, self._pointer = self._pointer, None
        if pointer is not None:
            library.query_close(pointer)

    def __del__(self) -> None:
        self.close()

    def _open(self) -> int:
        if self._pointer is None:
            raise ValueError("the result is closed")
        return self._pointer

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Moves the rows into an Arrow C stream."""
        stream, error = _native.ArrowArrayStream(), _native.VarveError()
        with self._lock:
            check(library.query_arrow(self._open(), byref(stream), byref(error)), error)
        return capsule_of(stream)

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        """Yields the rows; None is NULL."""
        while rows := self._batch():
            yield from rows

    def _batch(self) -> list[tuple[Any, ...]]:
        count, error = c_uint32(), _native.VarveError()
        with self._lock:
            pointer = self._open()
            check(library.query_next(pointer, byref(count), byref(error)), error)
            return [tuple(_cell(pointer, column, row) for column in range(len(self.columns))) for row in range(count.value)]


def _cell(pointer: int, column: int, row: int) -> Any:
    cell = _native.VarveCell()
    library.query_cell(pointer, column, row, byref(cell))
    if cell.kind == NULL:
        return None
    if cell.kind == BOOL:
        return cell.integer != 0
    if cell.kind == INTEGER:
        return cell.integer
    if cell.kind == UNSIGNED:
        return cell.unsigned_integer
    return cell.real if cell.kind == REAL else text_of(cell.text)


# -- DuckDB --

_choice = threading.Lock()


def _choose_duckdb() -> None:
    """Names the library in the package `duckdb` to the engine, unless the user has named one: it exports DuckDB's C functions."""
    with _choice:
        if os.environ.get("VARVE_DUCKDB"):
            return
        for module in ("_duckdb", "duckdb.duckdb"):
            with contextlib.suppress(ImportError, ValueError):
                found = importlib.util.find_spec(module)
                if found is not None and found.origin is not None:
                    os.environ["VARVE_DUCKDB"] = found.origin
                    return


def run(sql: str, handles: list[Handle], threads: int, memory_bytes: int) -> Result:
    """Runs statements over traces."""
    _choose_duckdb()
    options = _native.VarveQueryOptions(memory_bytes, threads)
    text = encode(sql)

    def call(progress: int) -> int:
        error = _native.VarveError()
        with all_of(handles) as used:
            query = check(int(library.query_open(pointers(used), len(used), byref(options), byref(error)) or 0), error)
        if not library.query_run(query, text, progress, byref(error)):
            library.query_close(query)
            raise _native.error_of(error)
        return query

    return Result(interruptible(call, drop=library.query_close))
