"""The exception of the package."""

from __future__ import annotations

import enum


class ErrorCode(enum.IntEnum):
    """The kind of an error, as VarveCode of varve/varve.h."""

    INPUT = 1  # an input cannot be opened or read
    OUTPUT = 2  # an output cannot be written
    MEMORY = 3  # out of memory
    TRUNCATED = 4  # the input ends inside a record
    CORRUPT = 5  # the input contradicts its format
    VERSION = 6  # a known format in an unknown version
    LIMIT = 7  # more items than can be counted
    UNKNOWN = 8  # no known format; or DuckDB was not found, or the library was built without this function
    CANCELLED = 9
    USAGE = 10  # an argument is invalid


class Error(Exception):
    """A failed call.

    code: the kind of the error.
    message: one line.
    byte_offset: of the bad record in the decompressed input; None if the error has no place.
    event_index: number of the bad event from 0; None if the error has no place.
    """

    def __init__(self, code: ErrorCode, message: str, byte_offset: int | None = None, event_index: int | None = None) -> None:
        super().__init__(code, message, byte_offset, event_index)
        self.code = code
        self.message = message
        self.byte_offset = byte_offset
        self.event_index = event_index

    def __str__(self) -> str:
        return self.message if self.byte_offset is None else f"{self.message} (byte {self.byte_offset})"
