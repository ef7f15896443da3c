"""Databases for tests, one engine like the other: made by a script of SQL, copied, and read behind Candor's back.

    for engine in ENGINES:          # [Sqlite(), Duckdb(), Postgres()]; close_all() ends what they started
        source = engine.make(place, script)
        rows = engine.rows(source, "SELECT …")     # tuples of texts and None
"""

import ctypes
import itertools
import shutil
import sqlite3
import threading
import time

from duckdb_file import duckdb_library
from postgres_server import Server


class Files:
    """An engine whose database is a file."""

    def __init__(self):
        self.numbers = itertools.count()

    def path(self, place):
        return place.work / f"app_{next(self.numbers)}.{self.name}"

    def make(self, place, script):
        path = self.path(place)
        self.run(path, script)
        return path

    def copy(self, source, place):
        path = self.path(place)
        shutil.copyfile(source, path)
        return path

    def drop(self, source):
        source.unlink()

    def close(self):
        pass


class Sqlite(Files):
    name = "sqlite"

    def run(self, path, script):
        database = sqlite3.connect(path)
        database.executescript(script)
        database.close()

    def rows(self, path, sql):
        database = sqlite3.connect(path, timeout=60)
        try:
            return [tuple(value if value is None else str(value) for value in row) for row in database.execute(sql)]
        finally:
            database.close()


class Duckdb(Files):
    name = "duckdb"

    class Result(ctypes.Structure):
        _fields_ = [(name, ctypes.c_uint64) for name in ("columns", "rows", "changed", "data", "error", "internal")]

    @property
    def library(self):
        library = ctypes.CDLL(duckdb_library())
        library.duckdb_value_varchar.restype = ctypes.c_void_p
        return library

    def run(self, path, sql):
        library = self.library
        database, connection, result = ctypes.c_void_p(), ctypes.c_void_p(), self.Result()
        # Another process holds the file for as long as it uses it.
        until = time.monotonic() + 30
        while library.duckdb_open(str(path).encode(), ctypes.byref(database)) != 0:
            assert time.monotonic() < until, path
            time.sleep(0.05)
        assert library.duckdb_connect(database, ctypes.byref(connection)) == 0
        try:
            assert library.duckdb_query(connection, sql.encode(), ctypes.byref(result)) == 0, sql[:200]
            return [tuple(self.text(library, result, column, row)
                          for column in range(library.duckdb_column_count(ctypes.byref(result))))
                    for row in range(library.duckdb_row_count(ctypes.byref(result)))]
        finally:
            library.duckdb_destroy_result(ctypes.byref(result))
            library.duckdb_disconnect(ctypes.byref(connection))
            library.duckdb_close(ctypes.byref(database))

    @staticmethod
    def text(library, result, column, row):
        text = library.duckdb_value_varchar(ctypes.byref(result), ctypes.c_uint64(column), ctypes.c_uint64(row))
        if not text:
            return None
        value = ctypes.string_at(text).decode("utf-8", "replace")
        library.duckdb_free(ctypes.c_void_p(text))
        return value

    rows = run


class Postgres:
    """A server of the script's own, started when first needed; its databases belong to the role writer."""

    name = "postgres"

    def __init__(self):
        self.server, self.numbers, self.lock = None, itertools.count(), threading.Lock()

    def create(self, more=""):
        with self.lock:  # nobody may be connected to a template while it is copied
            if self.server is None:
                self.server = Server()
                self.server.__enter__()
            name = f"app_{next(self.numbers)}"
            self.server.run(f"CREATE DATABASE {name} OWNER writer {more}", "postgres")
        return self.server.url("writer", database=name)

    def run(self, url, sql):
        return self.server.call("psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-F", "\x1f", "-R", "\x1e",
                                "-P", "null=\x1d", "-d", url, "-c", sql)

    def make(self, _, script):
        url = self.create()
        self.run(url, script)
        return url

    def copy(self, url, _):
        return self.create("TEMPLATE " + url.rpartition("/")[2])

    def rows(self, url, sql):
        return [tuple(None if value == "\x1d" else value for value in row.split("\x1f"))
                for row in self.run(url, sql).split("\x1e") if row]

    def drop(self, url):
        with self.lock:
            self.server.run(f"DROP DATABASE {url.rpartition('/')[2]} WITH (FORCE)", "postgres")

    def close(self):
        if self.server is not None:
            self.server.__exit__()


ENGINES = [Sqlite(), Duckdb(), Postgres()]


def close_all():
    for engine in ENGINES:
        engine.close()
