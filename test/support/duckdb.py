"""DuckDB itself, through its C API: reads the files that Varve writes."""

import ctypes
import os
from pathlib import Path


def library_path():
    """`varve` looks for the library here, too."""
    chosen = os.environ.get("VARVE_DUCKDB")
    found = sorted((Path(__file__).resolve().parents[2] / "web" / "node_modules" / "@duckdb").glob("*/libduckdb.so"))
    return chosen or (str(found[0]) if found else "libduckdb.so")


def is_there():
    try:
        ctypes.CDLL(library_path())
    except OSError:
        return False
    return True


def read_back(sql):
    """Returns the rows of a query as texts, None for NULL."""
    class Result(ctypes.Structure):
        _fields_ = [("counts", ctypes.c_uint64 * 3), ("columns", ctypes.c_void_p), ("message", ctypes.c_char_p), ("data", ctypes.c_void_p)]
    library = ctypes.CDLL(library_path())
    database, connection, result = ctypes.c_void_p(), ctypes.c_void_p(), Result()
    library.duckdb_value_varchar.restype = ctypes.c_char_p
    library.duckdb_result_error.restype = ctypes.c_char_p
    library.duckdb_row_count.restype = library.duckdb_column_count.restype = ctypes.c_uint64
    assert library.duckdb_open(None, ctypes.byref(database)) == 0
    assert library.duckdb_connect(database, ctypes.byref(connection)) == 0
    state = library.duckdb_query(connection, sql.encode(), ctypes.byref(result))
    assert state == 0, library.duckdb_result_error(ctypes.byref(result))
    cell = library.duckdb_value_varchar
    columns, count = (getattr(library, f"duckdb_{part}_count")(ctypes.byref(result)) for part in ("column", "row"))
    rows = [[cell(ctypes.byref(result), ctypes.c_uint64(c), ctypes.c_uint64(r)) for c in range(columns)] for r in range(count)]
    rows = [tuple(None if text is None else text.decode() for text in row) for row in rows]
    library.duckdb_destroy_result(ctypes.byref(result))
    library.duckdb_disconnect(ctypes.byref(connection))
    library.duckdb_close(ctypes.byref(database))
    return rows
