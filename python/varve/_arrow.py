"""Arrow C streams as PyCapsules: https://arrow.apache.org/docs/format/CDataInterface/PyCapsuleInterface.html"""

from __future__ import annotations

import ctypes
from ctypes import c_char_p, c_void_p, py_object
from typing import TYPE_CHECKING, Any

from varve._native import ArrowArrayStream

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

_NAME = b"arrow_array_stream"  # read by consumers as long as a capsule lives

_new = ctypes.pythonapi.PyCapsule_New
_new.restype, _new.argtypes = py_object, [c_void_p, c_char_p, c_void_p]
_set_context = ctypes.pythonapi.PyCapsule_SetContext
_set_context.restype, _set_context.argtypes = ctypes.c_int, [py_object, c_void_p]
_get_context = ctypes.pythonapi.PyCapsule_GetContext
_get_context.restype, _get_context.argtypes = c_void_p, [c_void_p]

_streams: dict[int, ArrowArrayStream] = {}  # of the capsules that live, by address


def _destroy(capsule: int) -> None:
    """Releases a stream that no consumer has taken. The capsule has no references any more, so it is an address here."""
    stream = _streams.pop(_get_context(capsule), None)
    if stream is not None and stream.release:
        stream.release(ctypes.addressof(stream))


_destructor = ctypes.PYFUNCTYPE(None, c_void_p)(_destroy)


def capsule_of(stream: ArrowArrayStream) -> object:
    """Returns a capsule that owns an open stream."""
    address = ctypes.addressof(stream)
    capsule: object = _new(address, _NAME, ctypes.cast(_destructor, c_void_p))
    _set_context(capsule, address)
    _streams[address] = stream
    return capsule


class ArrowStreamable:
    """Rows that every Arrow library reads: `pyarrow.table(x)`, `polars.DataFrame(x)`, `duckdb.from_arrow(x)`, ..."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        raise NotImplementedError

    def to_arrow(self) -> pyarrow.Table:
        """Returns the rows as a table of pyarrow. Numbers are not copied."""
        import pyarrow

        return pyarrow.table(self)

    def to_polars(self) -> polars.DataFrame:
        """Returns the rows as a data frame of Polars."""
        import polars

        return polars.DataFrame(self)

    def to_pandas(self, **options: Any) -> pandas.DataFrame:
        """Returns the rows as a data frame of pandas; texts are categories. Needs pyarrow: `options` are those of pyarrow.Table.to_pandas."""
        frame: pandas.DataFrame = _with_unique_texts(self.to_arrow()).to_pandas(**options)
        return frame


def _with_unique_texts(table: pyarrow.Table) -> pyarrow.Table:
    """Joins equal texts of a dictionary, such as the titles of two tracks: categories of pandas are unique."""
    import pyarrow
    import pyarrow.compute

    for i, column in enumerate(table.columns):
        if not pyarrow.types.is_dictionary(column.type) or column.num_chunks == 0:
            continue
        texts = column.chunk(0).dictionary  # all batches of a table have one dictionary
        unique = texts.unique()
        if len(unique) < len(texts):
            place = pyarrow.compute.index_in(texts, unique)
            chunks = [pyarrow.DictionaryArray.from_arrays(place.take(chunk.indices), unique) for chunk in column.chunks]
            table = table.set_column(i, table.field(i).name, pyarrow.chunked_array(chunks))
    return table
