"""Reads execution traces: Trace Event JSON, Spall, Heph, apitrace captures, Go execution traces, CPU profiles,
files of speedscope.

    import varve

    with varve.open("trace.json.gz") as trace:
        print(trace.summary.slice_count, trace.warnings)
        slices = trace.table("slice").to_polars()
        print(trace.stats()[:5])
        print(trace.query("SELECT name, max(duration_ns) FROM slice GROUP BY name").to_polars())
        trace.render().save("trace.png")

Everything runs in the C library libvarve. Calls release the interpreter's lock. Errors are `varve.Error`, with the offset of the bad byte.
"""

from varve._capture import capture_diff, capture_frames, capture_repack, capture_trim
from varve._errors import Error, ErrorCode
from varve._native import version as __version__
from varve._query import Result
from varve._results import (Bin, CallDiff, Column, CounterRow, Details, DiffRow, DiffSide, FlameNode, Format, Frame, Goroutine, InstantRow, Loss, Match,
                            OutputFormat, Picture, StatsRow, Summary, Warning)
from varve._trace import Table, Trace, columns, diff, formats, open, output_formats, query, render, tables

__all__ = ["Bin", "CallDiff", "Column", "CounterRow", "Details", "DiffRow", "DiffSide", "Error", "ErrorCode", "FlameNode", "Format", "Frame", "Goroutine",
           "InstantRow", "Loss", "Match", "OutputFormat", "Picture", "Result", "StatsRow", "Summary", "Table", "Trace", "Warning", "__version__",
           "capture_diff", "capture_frames", "capture_repack", "capture_trim", "columns", "diff", "formats", "open", "output_formats", "query", "render",
           "tables"]
