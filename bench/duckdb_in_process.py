"""DuckDB inside this process, by its C functions: what a statement costs where no protocol and no worker stand between."""

import ctypes
import glob
import os
import pathlib
import time


def library():
    cache = os.environ.get("CANDOR_DEPS") or os.path.join(
        os.environ.get("XDG_CACHE_HOME", os.path.expanduser("~/.cache")), "candor")
    roots = [os.environ.get("DUCKDB_ROOT", ""), *sorted(glob.glob(f"{cache}/duckdb-*"))]
    found = [path for root in roots if root for path in pathlib.Path(root).glob("**/libduckdb.so")]
    return ctypes.CDLL(str(found[0]))


class Result(ctypes.Structure):
    _fields_ = [("words", ctypes.c_uint64 * 3), ("pointers", ctypes.c_void_p * 3)]


class DuckDB:
    def __init__(self):
        self.functions = library()
        self.database, self.connection = ctypes.c_void_p(), ctypes.c_void_p()
        self.functions.duckdb_open(None, ctypes.byref(self.database))
        self.functions.duckdb_connect(self.database, ctypes.byref(self.connection))

    def ms(self, sql):
        result, text = Result(), sql.encode()
        began = time.perf_counter()
        failed = self.functions.duckdb_query(self.connection, text, ctypes.byref(result))
        spent = (time.perf_counter() - began) * 1000
        self.functions.duckdb_destroy_result(ctypes.byref(result))
        if failed:
            raise SystemExit(f"DuckDB refuses: {sql}")
        return spent
