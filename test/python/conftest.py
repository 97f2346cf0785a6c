"""Inputs of the tests of the package."""

import os
from pathlib import Path

import pytest
import varve

ROOT = Path(__file__).resolve().parent.parent.parent

# The nested slices p (10 to 20 us) and q (12 to 14 us), an instant with arguments and a counter.
SMALL = b"""{"run":7,"traceEvents":[
{"ph":"B","pid":1,"tid":2,"ts":10,"name":"p","cat":"c","args":{"size":3}},
{"ph":"X","pid":1,"tid":2,"ts":12,"dur":2,"name":"q"},
{"ph":"i","pid":1,"tid":2,"ts":13,"name":"mark","s":"t","args":{"why":"now"}},
{"ph":"C","pid":1,"ts":13,"name":"heap","args":{"bytes":5}},
{"ph":"E","pid":1,"tid":2,"ts":20}]}"""


@pytest.fixture
def trace():
    with varve.open(SMALL, name="small.json") as opened:
        yield opened


@pytest.fixture
def data():
    return ROOT / "test/data"


@pytest.fixture
def duckdb(trace):
    """Skips a test where DuckDB is absent."""
    try:
        trace.query("SELECT 1").close()
    except varve.Error as fault:
        if fault.code != varve.ErrorCode.UNKNOWN or os.environ.get("VARVE_REQUIRE_DUCKDB"):
            raise
        pytest.skip(fault.message)
