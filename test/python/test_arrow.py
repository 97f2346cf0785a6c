"""Tables and results for Arrow libraries. The libraries are optional."""

import ctypes
import gc

import pytest
import varve
from varve import _arrow

from conftest import ROOT, SMALL


def test_a_capsule_that_is_not_used_releases_its_stream(trace):
    capsule = trace.table("slice").__arrow_c_stream__()
    is_valid = ctypes.pythonapi.PyCapsule_IsValid
    is_valid.argtypes = [ctypes.py_object, ctypes.c_char_p]
    assert is_valid(capsule, b"arrow_array_stream") == 1 and len(_arrow._streams) == 1
    trace.close()
    del capsule
    gc.collect()
    assert len(_arrow._streams) == 0


def test_a_stream_of_a_closed_trace_is_refused(trace):
    table = trace.table("slice")
    trace.close()
    with pytest.raises(ValueError, match="closed"):
        table.__arrow_c_stream__()


def test_pyarrow(trace):
    pyarrow = pytest.importorskip("pyarrow")
    table = trace.table("slice").to_arrow()
    assert table.column("name").to_pylist() == ["p", "q"] and table.column("duration_ns").to_pylist() == [10000, 2000]
    assert table.column("parent_id").to_pylist() == [None, 0] and table.schema.names == [column.name for column in varve.columns("slice")]
    for name in varve.tables():
        read = trace.table(name).to_arrow()
        read.validate(full=True)
        assert read.num_rows == sum(1 for _ in trace.table(name))
    assert pyarrow.table(trace.table("slice", name="q")).num_rows == 1


def test_a_reader_outlives_its_trace():
    pyarrow = pytest.importorskip("pyarrow")
    trace = varve.open(SMALL)
    readers = [pyarrow.RecordBatchReader.from_stream(trace.table(name)) for name in ("slice", "arg")]
    trace.close()
    del trace
    gc.collect()
    tables = [reader.read_all() for reader in readers]
    del readers
    gc.collect()
    assert tables[0].column("name").to_pylist() == ["p", "q"] and tables[1].num_rows == 2


def test_polars(trace):
    pytest.importorskip("polars")
    frame = trace.table("slice").to_polars()
    assert frame.shape[0] == 2 and frame["name"].cast(str).to_list() == ["p", "q"] and frame["parent_id"].to_list() == [None, 0]


def test_pandas_joins_equal_titles():
    pytest.importorskip("pyarrow")
    pytest.importorskip("pandas")
    with varve.open(ROOT / "examples/page-load.json.gz") as trace:
        frame, rows = trace.table("slice").to_pandas(), list(trace.table("slice"))
        titles = trace.table("track").to_arrow().column("title").to_pylist()
    assert len(set(titles)) < len(titles)
    assert list(frame["track"]) == [row.track for row in rows] and list(frame["name"]) == [row.name for row in rows]


def test_results(trace, duckdb):
    pytest.importorskip("pyarrow")
    result = trace.query("SELECT name, duration_ns, [1, 2] AS list FROM slice ORDER BY name")
    trace.close()
    table = result.to_arrow()
    assert table.column("name").to_pylist() == ["p", "q"] and table.column("list").to_pylist() == ["[1,2]"] * 2
    with pytest.raises(varve.Error, match="taken"):
        result.to_arrow()


def test_an_error_in_a_stream_is_raised(trace, duckdb):
    pyarrow = pytest.importorskip("pyarrow")
    reader = pyarrow.RecordBatchReader.from_stream(trace.query("SELECT CASE WHEN range < 300000 THEN 1 ELSE error('late') END FROM range(400000)"))
    with pytest.raises(Exception, match="late"):
        reader.read_all()


def test_dataclasses_make_data_frames(trace):
    pandas = pytest.importorskip("pandas")
    assert list(pandas.DataFrame(trace.stats())["name"]) == ["p", "q"]
