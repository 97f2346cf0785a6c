"""Reads execution traces: Trace Event JSON, Spall, Heph, apitrace captures, Go execution traces, CPU profiles.

    import varve

    with varve.open("trace.json.gz") as trace:
        print(trace.summary.slice_count, trace.warnings)
        slices = trace.table("slice").to_polars()
        print(trace.stats()[:5])
        print(trace.query("SELECT name, max(duration_ns) FROM slice GROUP BY name").to_polars())
        trace.render().save("trace.png")

Everything runs in the C library libvarve. Calls release the interpreter's lock. Errors are `varve.Error`, with the offset of the bad byte.
"""

from varve._errors import Error, ErrorCode
from varve._native import version as __version__
from varve._query import Result
from varve._results import (Bin, Column, CounterRow, Details, DiffRow, DiffSide, FlameNode, Goroutine, InstantRow, Loss, Match, Picture, StatsRow,
                            Summary, Warning)
from varve._trace import Table, Trace, columns, diff, open, query, render, tables

__all__ = ["Bin", "Column", "CounterRow", "Details", "DiffRow", "DiffSide", "Error", "ErrorCode", "FlameNode", "Goroutine", "InstantRow", "Loss", "Match",
           "Picture", "Result", "StatsRow", "Summary", "Table", "Trace", "Warning", "__version__", "columns", "diff", "open", "query", "render", "tables"]
