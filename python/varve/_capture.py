"""apitrace captures as files: statistics of frames, parts, other compressions, differences."""

from __future__ import annotations

import os
from ctypes import byref, c_uint64
from typing import Any, Literal

from varve import _native
from varve._errors import Error
from varve._handle import check
from varve._native import decode, encode, encode_path, library, text_of
from varve._results import CallDiff, Frame

FAMILIES = [decode(library.family_name(family)) for family in range(9)]
CONTAINERS = ("snappy", "zstd", "gzip", "brotli")


def _fault(fault: _native.VarveError) -> Error | None:
    """The first fault of a damaged capture."""
    return None if fault.code == 0 else _native.error_of(fault)


def capture_frames(path: str | os.PathLike[str], *, threads: int = 1) -> tuple[list[Frame], Error | None]:
    """Returns the statistics of each frame of a capture, in order, and the first fault of a damaged capture, whose part before it is used."""
    frames: list[Frame] = []
    fault, error = _native.VarveError(), _native.VarveError()

    def add(_context: object, from_library: Any) -> bool:
        frame = from_library[0]
        families = dict(zip(FAMILIES, frame.family_counts))
        frames.append(Frame(frame.index, frame.first_call, frame.call_count, frame.incomplete_call_count, families, frame.redundant_count,
                            frame.upload_bytes, frame.is_ended))
        return True

    check(library.capture_frames(encode_path(path), threads, _native.FrameFunction(add), None, byref(fault), byref(error)), error)
    return frames, _fault(fault)


def capture_trim(path: str | os.PathLike[str], out_path: str | os.PathLike[str], *, calls: str | None = None, frames: str | None = None,
                 thread: int | None = None, threads: int = 1) -> Error | None:
    """Writes some calls of a capture as a capture. Returns the first fault of a damaged capture, whose part before it is used.

    calls, frames: sets, "10-20,99,draw", as in docs/trim.md; None: all. thread: only calls of this thread.
    """
    trim = _native.VarveTrim(encode(calls), encode(frames), thread is not None, thread or 0)
    fault, error = _native.VarveError(), _native.VarveError()
    check(library.capture_trim(encode_path(path), byref(trim), encode_path(out_path), threads, byref(fault), byref(error)), error)
    return _fault(fault)


def capture_repack(path: str | os.PathLike[str], out_path: str | os.PathLike[str], container: Literal["snappy", "zstd", "gzip", "brotli"] = "snappy", *,
                   level: int = -1, threads: int = 1) -> Error | None:
    """Writes the calls of a capture with another compression. Returns the first fault of a damaged capture, whose part before it is used.

    level: of the compression; -1: the usual one.
    """
    fault, error = _native.VarveError(), _native.VarveError()
    check(library.capture_repack(encode_path(path), CONTAINERS.index(container), level, encode_path(out_path), threads, byref(fault), byref(error)), error)
    return _fault(fault)


def capture_diff(a: str | os.PathLike[str], b: str | os.PathLike[str], *, calls: str | None = None, addresses: bool = True, all_calls: bool = False,
                 threads: int = 1) -> CallDiff:
    """Compares two captures call by call.

    calls: a set of both captures, as of `capture_trim`. addresses: False: all pointers and handles count as equal. all_calls: also calls of little interest.
    """
    lines: list[tuple[str, str]] = []

    def add(_context: object, mark: bytes, text: _native.VarveText) -> bool:
        lines.append((mark.decode(), text_of(text)))
        return True

    diff = _native.VarveCallDiff(int(not addresses), int(all_calls), encode(calls), _native.CallLineFunction(add))
    count, faults, error = c_uint64(), (_native.VarveError * 2)(), _native.VarveError()
    check(library.capture_diff(encode_path(a), encode_path(b), byref(diff), threads, byref(count), faults, byref(error)), error)
    return CallDiff(count.value, lines, (_fault(faults[0]), _fault(faults[1])))
