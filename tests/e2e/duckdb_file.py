"""Database files of DuckDB's, made in the test's own process by the library that the worker loads."""

import ctypes
import pathlib
import re
import subprocess

from cases import Skip
from program import BIN


def duckdb_library():
    """The engine's library, as the worker loads it: for making files that only it can make."""
    said = subprocess.run(["ldd", str(pathlib.Path(BIN).resolve().parent / "candor-worker")], capture_output=True, text=True)
    found = re.search(r"libduckdb\.so => (\S+)", said.stdout)
    if not found:
        raise Skip("the worker's libduckdb.so was not found")
    return found[1]


def with_duckdb(database, *statements):
    """Runs statements in a database file of DuckDB's, in this process."""
    library = ctypes.CDLL(duckdb_library())
    handle, connection = ctypes.c_void_p(), ctypes.c_void_p()
    path = None if database is None else str(database).encode()
    assert library.duckdb_open(path, ctypes.byref(handle)) == 0
    assert library.duckdb_connect(handle, ctypes.byref(connection)) == 0
    for sql in statements:
        assert library.duckdb_query(connection, sql.encode(), None) == 0, sql
    library.duckdb_disconnect(ctypes.byref(connection))
    library.duckdb_close(ctypes.byref(handle))
