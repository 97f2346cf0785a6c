"""The functions and structs of varve/varve.h, through ctypes.

test/python/test_native.py compares the structs with the header.
"""

from __future__ import annotations

import ctypes
import os
from ctypes import POINTER, Structure, c_bool, c_char, c_char_p, c_double, c_int, c_int64, c_size_t, c_uint32, c_uint64, c_void_p
from pathlib import Path
from typing import Any

from varve._errors import Error, ErrorCode

NOWHERE = 2**64 - 1
WHOLE_VERSION = "0.1"  # of the header that this file follows: major and minor


class VarveError(Structure):
    _fields_ = [("code", c_int), ("byte_offset", c_uint64), ("event_index", c_uint64), ("message", c_char * 256)]


class VarveText(Structure):
    _fields_ = [("bytes", c_void_p), ("size_bytes", c_size_t)]


class VarveBytes(Structure):
    _fields_ = [("bytes", c_void_p), ("size_bytes", c_size_t), ("capacity_bytes", c_size_t)]


class VarveOptions(Structure):
    _fields_ = [("format", c_char_p), ("range", c_char_p), ("tracks", c_char_p), ("perspective", c_char_p), ("executable", c_char_p),
                ("progress", c_void_p), ("thread_count", c_uint32), ("details", c_int), ("bytes", c_int), ("axis", c_int),
                ("reserved", c_uint64 * 5)]


class VarveFormat(Structure):
    _fields_ = [("name", c_char_p), ("about", c_char_p), ("spec", c_char_p), ("is_live", c_bool)]


class VarveSummary(Structure):
    _fields_ = [("name", VarveText), ("format", VarveText), ("format_version", VarveText), ("input_bytes", c_uint64), ("is_complete", c_bool),
                ("has_time", c_bool), ("has_epoch", c_bool), ("begin_tick", c_int64), ("end_tick", c_int64), ("tick_ns_numerator", c_uint64),
                ("tick_ns_denominator", c_uint64), ("epoch_unix_ns", c_int64), ("duration_ns", c_uint64), ("process_count", c_uint32),
                ("thread_count", c_uint32), ("track_count", c_uint32), ("slice_count", c_uint64), ("unfinished_slice_count", c_uint64),
                ("async_slice_count", c_uint64), ("instant_count", c_uint64), ("flow_count", c_uint64), ("object_count", c_uint64),
                ("counter_count", c_uint64), ("counter_sample_count", c_uint64), ("stack_sample_count", c_uint64), ("depth_most", c_uint32),
                ("warning_count", c_uint32), ("property_count", c_uint32), ("reserved", c_uint64 * 8)]


class VarveWarning(Structure):
    _fields_ = [("kind", c_char_p), ("count", c_uint64), ("byte_offset", c_uint64), ("event_index", c_uint64), ("message", c_char_p)]


class VarveProperty(Structure):
    _fields_ = [("key", VarveText), ("json", VarveText)]


class VarvePart(Structure):
    _fields_ = [("range", c_char_p), ("thread", c_char_p), ("name", c_char_p), ("track_id", c_uint32), ("reserved_flags", c_uint32),
                ("slices", c_void_p), ("reserved", c_uint64 * 2)]


class VarveColumnInfo(Structure):
    _fields_ = [("name", c_char_p), ("type", c_int), ("unit", c_char_p), ("help", c_char_p)]


class VarveColumn(Structure):
    _fields_ = [("type", c_int), ("values", c_void_p), ("valid_bits", POINTER(c_uint64))]


class VarveBatch(Structure):
    _fields_ = [("row_count", c_uint32), ("column_count", c_uint32), ("columns", POINTER(VarveColumn))]


class VarveMatch(Structure):
    _fields_ = [("kind", c_int), ("track_id", c_uint32), ("id", c_uint64), ("type", c_char_p), ("begin_ns", c_int64), ("begin_ticks", c_uint64),
                ("duration_ns", c_uint64), ("duration_ticks", c_uint64), ("name", VarveText), ("category", VarveText), ("key", VarveText),
                ("value", VarveText)]


class VarveFindOptions(Structure):
    _fields_ = [("where", c_int), ("thread_count", c_uint32), ("most", c_uint64), ("reserved", c_uint64 * 4)]


class VarveStatsOptions(Structure):
    _fields_ = [("by", c_int), ("histogram", c_int), ("argument", c_char_p), ("reserved", c_uint64 * 4)]


class VarveStatsTimes(Structure):
    _fields_ = [("total", c_uint64), ("self", c_uint64), ("average", c_uint64), ("least", c_uint64), ("most", c_uint64), ("p50", c_uint64),
                ("p90", c_uint64), ("p95", c_uint64), ("p99", c_uint64), ("deviation", c_uint64)]


class VarveStatsRow(Structure):
    _fields_ = [("name", VarveText), ("process", VarveText), ("count", c_uint64), ("ns", VarveStatsTimes), ("ticks", VarveStatsTimes),
                ("longest_slice_id", c_uint64), ("track_id", c_uint32), ("process_id", c_uint32)]


class VarveBin(Structure):
    _fields_ = [("count", c_uint64), ("least_ns", c_uint64), ("most_ns", c_uint64), ("total_ns", c_uint64), ("least_ticks", c_uint64),
                ("most_ticks", c_uint64), ("total_ticks", c_uint64)]


class VarveInstantRow(Structure):
    _fields_ = [("name", VarveText), ("count", c_uint64), ("first_instant_id", c_uint64)]


class VarveCounterRow(Structure):
    _fields_ = [("name", VarveText), ("series", VarveText), ("title", VarveText), ("process", VarveText), ("unit", c_char_p), ("count", c_uint64),
                ("least", c_double), ("most", c_double), ("last", c_double), ("average", c_double), ("track_id", c_uint32), ("reserved", c_uint32)]


class VarveFlameNode(Structure):
    _fields_ = [("name", VarveText), ("parent", c_uint32), ("depth", c_uint32), ("count", c_uint64), ("total_ns", c_uint64), ("self_ns", c_uint64)]


class VarveFlameOptions(Structure):
    _fields_ = [("order", c_int), ("weight", c_int), ("source", c_int), ("recursion", c_int), ("hidden_names", POINTER(c_char_p)),
                ("hidden_count", c_uint64), ("reserved", c_uint64 * 2)]


class VarveFlamePicture(Structure):
    _fields_ = [("kind", c_int), ("theme", c_int), ("range", c_char_p), ("against", c_void_p), ("reserved", c_uint64 * 4)]


class VarveDiffSide(Structure):
    _fields_ = [("count", c_uint64), ("total_ns", c_double), ("self_ns", c_double), ("average_ns", c_double), ("self_average_ns", c_double),
                ("p50_ns", c_double), ("p99_ns", c_double)]


class VarveDiffRow(Structure):
    _fields_ = [("name", VarveText), ("verdict", c_int), ("a", VarveDiffSide), ("b", VarveDiffSide), ("self_change_ns", c_double),
                ("p", c_double), ("p_adjusted", c_double)]


class VarveDiffOptions(Structure):
    _fields_ = [("by", c_int), ("sort", c_int), ("align", c_char_p), ("argument", c_char_p), ("reserved", c_uint64 * 3)]


class VarveGoroutine(Structure):
    _fields_ = [("id", c_uint64), ("function", VarveText), ("total_ns", c_int64), ("execution_ns", c_int64), ("network_ns", c_int64),
                ("sync_ns", c_int64), ("other_ns", c_int64), ("syscall_ns", c_int64), ("scheduler_ns", c_int64), ("start_count", c_uint64)]


class VarveGoOptions(Structure):
    _fields_ = [("rules", c_int), ("processors", c_int), ("range", c_char_p), ("counts", c_char_p), ("reserved", c_uint64 * 4)]


class VarveGoOutput(Structure):
    _fields_ = [("report", c_int), ("form", c_int), ("style", c_int), ("sort", c_int), ("function", c_char_p), ("row_most", c_uint64),
                ("reserved", c_uint64 * 4)]


class VarveFrame(Structure):
    _fields_ = [("index", c_uint64), ("first_call", c_uint64), ("call_count", c_uint64), ("incomplete_call_count", c_uint64),
                ("family_counts", c_uint64 * 9), ("redundant_count", c_uint64), ("upload_bytes", c_uint64), ("is_ended", c_bool)]


class VarveTrim(Structure):
    _fields_ = [("calls", c_char_p), ("frames", c_char_p), ("has_thread", c_bool), ("thread", c_uint32), ("reserved", c_uint64 * 4)]


FrameFunction = ctypes.CFUNCTYPE(c_bool, c_void_p, POINTER(VarveFrame))
CallLineFunction = ctypes.CFUNCTYPE(c_bool, c_void_p, c_char, VarveText)


class VarveCallDiff(Structure):
    _fields_ = [("addresses", c_int), ("choice", c_int), ("calls", c_char_p), ("line", CallLineFunction), ("context", c_void_p),
                ("reserved", c_uint64 * 4)]


class VarveQueryOptions(Structure):
    _fields_ = [("memory_bytes", c_uint64), ("thread_count", c_uint32), ("reserved_flags", c_uint32), ("output_path", c_char_p),
                ("output_folder", c_char_p), ("progress", c_void_p), ("reserved", c_uint64 * 2)]


class VarveCell(Structure):
    _fields_ = [("kind", c_int), ("integer", c_int64), ("unsigned_integer", c_uint64), ("real", c_double), ("text", VarveText)]


class VarvePicture(Structure):
    _fields_ = [("kind", c_int), ("theme", c_int), ("width_px", c_double), ("height_px", c_double), ("scale", c_double), ("range", c_char_p),
                ("tracks", c_char_p), ("select_name", c_char_p), ("categories", c_char_p), ("hidden_categories", c_char_p), ("flows", c_char_p),
                ("sort", c_char_p), ("overlay", c_char_p), ("groups", c_char_p), ("color_by", c_char_p), ("palette", c_char_p),
                ("row_heights", c_char_p), ("view_json", c_char_p), ("view_bytes", c_size_t), ("difference", c_void_p), ("context", c_void_p),
                ("thread_count", c_uint32), ("reserved_flags", c_uint32), ("reserved", c_uint64 * 5)]


LossFunction = ctypes.CFUNCTYPE(None, c_void_p, VarveText, c_uint64)


class VarveConversion(Structure):
    _fields_ = [("format", c_char_p), ("table", c_char_p), ("loss", LossFunction), ("context", c_void_p), ("memory_bytes", c_uint64),
                ("thread_count", c_uint32), ("arguments", c_int), ("reserved", c_uint64 * 4)]


class VarveOutputFormat(Structure):
    _fields_ = [("name", c_char_p), ("suffix", c_char_p), ("about", c_char_p), ("kind", c_int)]


class ArrowArrayStream(Structure):
    """https://arrow.apache.org/docs/format/CStreamInterface.html"""

    _fields_ = [("get_schema", c_void_p), ("get_next", c_void_p), ("get_last_error", c_void_p),
                ("release", ctypes.CFUNCTYPE(None, c_void_p)), ("private_data", c_void_p)]


HANDLE = c_void_p
_HANDLES = POINTER(c_void_p)
_ERROR = POINTER(VarveError)
_COUNT = POINTER(c_uint32)

# name: (result, arguments)
FUNCTIONS: dict[str, tuple[Any, list[Any]]] = {
    "version": (c_char_p, []),
    "bytes_release": (None, [POINTER(VarveBytes)]),
    "progress_open": (HANDLE, []),
    "progress_close": (None, [HANDLE]),
    "progress_cancel": (None, [HANDLE]),
    "progress_share": (c_double, [HANDLE]),
    "format": (c_bool, [c_uint32, POINTER(VarveFormat)]),
    "open": (HANDLE, [c_char_p, POINTER(VarveOptions), _ERROR]),
    "open_bytes": (HANDLE, [c_void_p, c_size_t, c_char_p, POINTER(VarveOptions), _ERROR]),
    "close": (None, [HANDLE]),
    "summary": (None, [HANDLE, POINTER(VarveSummary)]),
    "info_json": (c_bool, [HANDLE, POINTER(VarveBytes), _ERROR]),
    "warning": (c_bool, [HANDLE, c_uint32, POINTER(VarveWarning)]),
    "property": (c_bool, [HANDLE, c_uint32, POINTER(VarveProperty)]),
    "table_name": (c_char_p, [c_uint32]),
    "table_column": (c_bool, [c_char_p, c_uint32, POINTER(VarveColumnInfo)]),
    "rows_open": (HANDLE, [HANDLE, c_char_p, POINTER(VarvePart), _ERROR]),
    "rows_close": (None, [HANDLE]),
    "rows_next": (c_bool, [HANDLE, POINTER(VarveBatch), _ERROR]),
    "rows_text": (VarveText, [HANDLE, c_uint32, c_uint32]),
    "arrow_open": (c_bool, [HANDLE, c_char_p, POINTER(VarvePart), POINTER(ArrowArrayStream), _ERROR]),
    "details": (c_bool, [HANDLE, c_int, c_uint64, POINTER(VarveBytes), POINTER(VarveBytes), _ERROR]),
    "find_open": (HANDLE, [HANDLE, c_char_p, POINTER(VarvePart), POINTER(VarveFindOptions), _ERROR]),
    "find_close": (None, [HANDLE]),
    "find_next": (c_bool, [HANDLE, POINTER(VarveMatch), POINTER(c_bool), _ERROR]),
    "slice_set_find": (HANDLE, [HANDLE, c_char_p, c_uint32, _ERROR]),
    "slice_set_close": (None, [HANDLE]),
    "stats_open": (HANDLE, [HANDLE, POINTER(VarvePart), POINTER(VarveStatsOptions), _ERROR]),
    "stats_close": (None, [HANDLE]),
    "stats_rows": (POINTER(VarveStatsRow), [HANDLE, _COUNT]),
    "stats_bins": (POINTER(VarveBin), [HANDLE, _COUNT]),
    "area_open": (HANDLE, [HANDLE, POINTER(VarvePart), _ERROR]),
    "area_close": (None, [HANDLE]),
    "area_instants": (POINTER(VarveInstantRow), [HANDLE, _COUNT]),
    "area_counters": (POINTER(VarveCounterRow), [HANDLE, _COUNT]),
    "flame_open": (HANDLE, [HANDLE, POINTER(VarvePart), POINTER(VarveFlameOptions), _ERROR]),
    "flame_close": (None, [HANDLE]),
    "flame_nodes": (POINTER(VarveFlameNode), [HANDLE, _COUNT]),
    "flame_draw": (c_bool, [HANDLE, POINTER(VarveFlamePicture), POINTER(VarveBytes), _ERROR]),
    "diff_open": (HANDLE, [HANDLE, POINTER(VarvePart), HANDLE, POINTER(VarvePart), POINTER(VarveDiffOptions), _ERROR]),
    "diff_close": (None, [HANDLE]),
    "diff_rows": (POINTER(VarveDiffRow), [HANDLE, _COUNT]),
    "diff_path": (c_bool, [HANDLE, c_uint32, POINTER(VarveBytes), _ERROR]),
    "go_open": (HANDLE, [HANDLE, POINTER(VarveGoOptions), _ERROR]),
    "go_close": (None, [HANDLE]),
    "go_routines": (POINTER(VarveGoroutine), [HANDLE, _COUNT]),
    "go_print": (c_bool, [HANDLE, POINTER(VarveGoOutput), POINTER(VarveBytes), _ERROR]),
    "go_report_name": (c_char_p, [c_int]),
    "family_name": (c_char_p, [c_int]),
    "container_name": (c_char_p, [c_int]),
    "capture_frames": (c_bool, [c_char_p, c_uint32, FrameFunction, c_void_p, _ERROR, _ERROR]),
    "capture_trim": (c_bool, [c_char_p, POINTER(VarveTrim), c_char_p, c_uint32, _ERROR, _ERROR]),
    "capture_repack": (c_bool, [c_char_p, c_int, c_int, c_char_p, c_uint32, _ERROR, _ERROR]),
    "capture_diff": (c_bool, [c_char_p, c_char_p, POINTER(VarveCallDiff), c_uint32, POINTER(c_uint64), _ERROR, _ERROR]),
    "query_open": (HANDLE, [_HANDLES, c_uint32, POINTER(VarveQueryOptions), _ERROR]),
    "query_close": (None, [HANDLE]),
    "query_run": (c_bool, [HANDLE, c_char_p, HANDLE, _ERROR]),
    "query_column_count": (c_uint32, [HANDLE]),
    "query_column_name": (c_char_p, [HANDLE, c_uint32]),
    "query_next": (c_bool, [HANDLE, _COUNT, _ERROR]),
    "query_cell": (c_bool, [HANDLE, c_uint32, c_uint32, POINTER(VarveCell)]),
    "query_arrow": (c_bool, [HANDLE, POINTER(ArrowArrayStream), _ERROR]),
    "render": (c_bool, [_HANDLES, c_uint32, POINTER(VarvePicture), POINTER(VarveBytes), _ERROR]),
    "output_format": (c_bool, [c_uint32, POINTER(VarveOutputFormat)]),
    "convert_file": (c_bool, [HANDLE, POINTER(VarveConversion), c_char_p, _ERROR]),
}


class Library:
    """Calls varve_NAME as `library.NAME(...)`. A call releases the interpreter's lock."""

    def __init__(self, path: str) -> None:
        loaded = ctypes.CDLL(path)
        for name, (result, arguments) in FUNCTIONS.items():
            function = getattr(loaded, f"varve_{name}")
            function.restype, function.argtypes = result, arguments
            setattr(self, name, function)

    def __getattr__(self, name: str) -> Any:  # for type checkers
        raise AttributeError(name)


def _path() -> str:
    """The library: $VARVE_LIBRARY, the one in a wheel, or that of the system."""
    in_wheel = Path(__file__).parent.parent / ".varve.mesonpy.libs" / "libvarve.so"
    return os.environ.get("VARVE_LIBRARY") or (str(in_wheel) if in_wheel.exists() else "libvarve.so.0")


library = Library(_path())
version: str = library.version().decode()
if version.rsplit(".", 1)[0] != WHOLE_VERSION:
    raise ImportError(f"{_path()} has version {version}, and this package needs {WHOLE_VERSION}")


# -- texts and errors --


def decode(text: bytes) -> str:
    """Bytes that are not UTF-8 become U+FFFD."""
    return text.decode(errors="replace")


def text_of(text: VarveText) -> str:
    return decode(ctypes.string_at(text.bytes, text.size_bytes))


def encode(text: str | None) -> bytes | None:
    """A C string. Raises ValueError for a text with a zero byte, which C strings cannot hold."""
    if text is None:
        return None
    encoded = text.encode(errors="surrogateescape")
    if b"\0" in encoded:
        raise ValueError("embedded null character")
    return encoded


def encode_path(path: str | os.PathLike[str]) -> bytes:
    encoded = os.fsencode(path)
    if b"\0" in encoded:
        raise ValueError("embedded null byte")
    return encoded


def place_of(value: int) -> int | None:
    """A byte offset or event index; None for VARVE_NOWHERE."""
    return None if value == NOWHERE else value


def error_of(error: VarveError) -> Error:
    return Error(ErrorCode(error.code), decode(error.message), place_of(error.byte_offset), place_of(error.event_index))


def take_bytes(made: VarveBytes) -> bytes:
    """Copies the bytes, and releases those of the library."""
    copy = ctypes.string_at(made.bytes, made.size_bytes) if made.size_bytes > 0 else b""
    library.bytes_release(ctypes.byref(made))
    return copy
