"""Sources that are not what they say: no database, locked, gone, half written, ragged, in another encoding, very wide.

What must never come of them: zero rows, or fewer than there are, without a word.
"""

import contextlib
import os
import shutil
import sqlite3
import subprocess
import sys
import time

from cases import run_cases
from duckdb_file import duckdb_library, with_duckdb
from program import Mcp

FILE_EXIT, TRANSIENT_EXITS = 14, (10, 14, 15, 75)


def ask(place, source, sql, *more):
    return place.run("sql", sql, "--source", f"s={source}", *more)


def code_of(reply):
    return (reply.document or {}).get("code")


def rows_of(reply):
    return (reply.document or {}).get("rows")


def must_refuse(reply, codes, exits, mention=""):
    """The reply is an error of one of these codes that names the thing."""
    if reply.code not in exits or code_of(reply) not in codes:
        yield f"exit code {reply.code}, code {code_of(reply)}; must be {exits}, {codes}: {reply.said}"
    elif mention and mention not in str(reply.document):
        yield f"the error does not name {mention}: {reply.document}"
    elif rows_of(reply) is not None:
        yield f"an error with rows: {rows_of(reply)}"


# ---- files that are no database ----

def test_garbage_in_place_of_a_database(place):
    for name in ("x.duckdb", "x.sqlite", "x.db"):
        path = place.write(name, os.urandom(20_000))
        yield from must_refuse(ask(place, path, "SELECT * FROM s.t"), ("file-error", "source-error"), (FILE_EXIT,), name)


def test_an_empty_database_file(place):
    for name in ("x.duckdb", "x.sqlite"):
        path = place.write(name, b"")
        yield from must_refuse(ask(place, path, "SELECT * FROM s.t"), ("file-error", "source-error"), (FILE_EXIT,), name)


def test_a_database_with_a_damaged_inside(place):
    path = place.work / "x.sqlite"
    with contextlib.closing(sqlite3.connect(path)) as database:
        database.execute("CREATE TABLE t(a INTEGER, b TEXT)")
        database.executemany("INSERT INTO t VALUES (?, ?)", [(i, "x" * 200) for i in range(2000)])
        database.commit()
    damaged = bytearray(path.read_bytes())
    damaged[4096 * 20:4096 * 60] = os.urandom(4096 * 40)
    path.write_bytes(damaged)
    reply = ask(place, path, "SELECT count(*), sum(length(b)) FROM t")
    if reply.code == 0:
        yield f"a damaged file gives {rows_of(reply)} as if nothing were"


def test_a_half_duckdb_file(place):
    path = place.work / "x.duckdb"
    with_duckdb(path, "CREATE TABLE t AS SELECT i, 'text number ' || i AS s FROM range(200000) t(i)", "CHECKPOINT")
    path.write_bytes(path.read_bytes()[:path.stat().st_size // 2])
    reply = ask(place, path, "SELECT count(*), max(s) FROM s.t")
    yield from must_refuse(reply, ("file-error", "source-error", "engine-error"), (10, FILE_EXIT))


def test_a_missing_file_and_a_device(place):
    yield from must_refuse(ask(place, place.work / "nowhere.csv", "SELECT * FROM s.t"),
                           ("file-error", "source-error", "configuration"), (FILE_EXIT, 78), "nowhere.csv")
    reply = ask(place, "/dev/null", "SELECT * FROM s.t")
    if reply.code == 0:
        yield f"/dev/null is a table: {reply.document}"


def test_a_pipe_is_not_waited_for(place):
    """Opening it would wait for somebody to write into it."""
    os.mkfifo(place.work / "pipe.csv")
    place.write("ok.csv", "a\n1\n")
    yield from must_refuse(ask(place, place.work / "pipe.csv", "SELECT * FROM s.pipe"), ("file-error",), (FILE_EXIT,),
                           "pipe.csv")
    reply = ask(place, place.work, "FROM s.ok")
    if rows_of(reply) != [[1]]:
        yield f"beside a pipe: {reply.said}"


def test_an_unknown_table_of_a_source_that_could_not_be_read(place):
    """The way out is to mend the source, not to publish another."""
    reply = ask(place, place.write("bad.duckdb", b"no"), "SELECT * FROM orders")
    if code_of(reply) != "unknown-table" or "bad.duckdb" not in str(reply.document):
        yield f"{reply.document}"


def test_an_unreadable_source_leaves_the_others_usable(place):
    good, bad = place.write("good.csv", "a,b\n1,2\n"), place.write("bad.duckdb", b"no")
    reply = place.run("sql", "SELECT * FROM good", "--source", f"good={good}", "--source", f"bad={bad}")
    if rows_of(reply) != [[1, 2]]:
        yield f"the good source gives {reply.said}"
    schema = place.run("schema", "--source", f"good={good}", "--source", f"bad={bad}")
    if "bad" not in str((schema.document or {}).get("warnings")):
        yield f"the schema says nothing of the bad source: {schema.document}"


# ---- locked, and gone while in use ----

HOLD = """
import ctypes, sys, time
library = ctypes.CDLL(sys.argv[1])
handle = ctypes.c_void_p()
assert library.duckdb_open(sys.argv[2].encode(), ctypes.byref(handle)) == 0
print("open", flush=True)
time.sleep(120)
"""


def test_a_duckdb_file_that_a_writer_holds(place):
    path = place.work / "held.duckdb"
    with_duckdb(path, "CREATE TABLE t AS SELECT 1 AS a")
    holder = subprocess.Popen([sys.executable, "-c", HOLD, duckdb_library(), str(path)], stdout=subprocess.PIPE)
    try:
        holder.stdout.readline()
        yield from must_refuse(ask(place, path, "SELECT * FROM s.t"), ("file-locked",), (FILE_EXIT,), "held.duckdb")
    finally:
        holder.kill()
        holder.wait()
    reply = ask(place, path, "SELECT * FROM s.t")
    if rows_of(reply) != [[1]]:
        yield f"once the writer is gone: {reply.said}"


def test_a_sqlite_file_under_an_exclusive_lock(place):
    path = place.work / "held.sqlite"
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as database:
        database.execute("CREATE TABLE t(a)")
        database.execute("INSERT INTO t VALUES (1)")
        database.execute("BEGIN EXCLUSIVE")
        yield from must_refuse(ask(place, path, "SELECT * FROM t"), ("file-locked", "busy"), TRANSIENT_EXITS)
        database.execute("COMMIT")
    if rows_of(ask(place, path, "SELECT * FROM t")) != [[1]]:
        yield "once the lock is gone the row is not there"


def test_a_file_that_vanishes_while_in_use(place):
    folder = place.work / "data"
    folder.mkdir()
    path = place.write("data/t.csv", "a\n" + "\n".join(map(str, range(100))) + "\n")
    place.write("data/other.csv", "b\n5\n")
    mcp = Mcp(place, "--source", f"s={folder}")
    first = mcp.tool("sql_query", sql="SELECT count(*) FROM t")
    if rows_of(first) != [[100]]:
        yield f"before: {first.said}"
    path.unlink()
    time.sleep(0.5)
    gone = mcp.tool("sql_query", sql="SELECT count(*) FROM t")
    if gone.code == 0 or rows_of(gone) is not None:
        yield f"a table whose file is gone gives {rows_of(gone)}"
    if rows_of(mcp.tool("sql_query", sql="SELECT * FROM other")) != [[5]]:
        yield "the other file of the folder can't be read any more"
    shutil.rmtree(folder)
    time.sleep(0.5)
    gone = mcp.tool("sql_query", sql="SELECT * FROM other")
    if gone.code == 0:
        yield f"a source whose folder is gone gives {rows_of(gone)}"
    if rows_of(mcp.tool("sql_query", sql="SELECT 1")) != [[1]]:
        yield "the session is of no use any more"
    mcp.close()


def test_a_file_that_is_rewritten_while_in_use(place):
    path = place.write("t.csv", "a\n1\n")
    mcp = Mcp(place, "--source", f"s={path}")
    if rows_of(mcp.tool("sql_query", sql="SELECT * FROM t")) != [[1]]:
        yield "before: not the row"
    path.write_text("a\n2\n3\n")
    time.sleep(0.5)
    after = mcp.tool("sql_query", sql="SELECT * FROM t")
    if after.code == 0 and rows_of(after) != [[2], [3]]:
        yield f"the rewritten file still gives {rows_of(after)}"
    if rows_of(mcp.tool("sql_query", sql="SELECT * FROM t")) != [[2], [3]]:
        yield "the second query does not see the new rows"
    mcp.close()


# ---- text and Parquet that is not whole ----

def test_half_a_parquet_file(place):
    whole = place.work / "whole.parquet"
    with_duckdb(None, f"COPY (SELECT i, 'text ' || i AS s FROM range(50000) t(i)) TO '{whole}' (FORMAT parquet)")
    content = whole.read_bytes()
    folder = place.work / "data"
    folder.mkdir()
    place.write("data/half.parquet", content[:len(content) // 2])
    place.write("data/good.parquet", content)
    yield from must_refuse(ask(place, folder, "SELECT count(*) FROM half"),
                           ("file-error", "source-error"), (FILE_EXIT,), "half")
    good = ask(place, folder, "SELECT count(*) FROM good")
    if rows_of(good) != [[50000]]:
        yield f"the whole file beside it gives {good.said}"
    schema = place.run("schema", "half", "--source", f"s={folder}")
    if "failure" not in str(schema.document):
        yield f"the schema does not say that the file can't be read: {schema.said}"


def test_a_csv_with_ragged_rows(place):
    lines = ["id,name,n"] + [f"{i},name {i},{i * 2}" for i in range(1, 201)]
    lines[50] = "50,too,many,fields,by,far"
    lines[120] = "120"
    path = place.write("ragged.csv", "\n".join(lines) + "\n")
    reply = ask(place, path, "SELECT count(*) FROM ragged")
    schema = place.run("schema", "ragged", "--source", f"s={path}")
    origin = (schema.document or {}).get("resources", [{}])[0].get("file", {})
    shown = (rows_of(reply) or [[None]])[0][0]
    if origin.get("failure"):
        return
    if shown is None or shown + origin.get("rows_not_parsed", 0) != 200:
        yield f"{shown} rows and {origin.get('rows_not_parsed')} that did not parse are not the 200 of the file"
    warned = [warning["code"] for warning in (reply.document or {}).get("warnings", [])]
    if origin.get("rows_not_parsed") and "rows-not-parsed" not in warned:
        yield f"the result says nothing of the rows that it lacks: {warned}"


def test_a_csv_in_another_encoding(place):
    path = place.write("latin.csv", "id,town\n1,Malm\xf6\n2,K\xf8ge\n".encode("latin-1"))
    reply = ask(place, path, "SELECT id, town FROM latin ORDER BY id")
    whole = rows_of(reply) == [[1, "Malmö"], [2, "Køge"]]
    warned = (reply.document or {}).get("warnings")
    if reply.code == 0 and not whole and not warned:
        yield f"rows without a word: {rows_of(reply)}"
    place.write("candor.yaml", f"sources:\n  s: {{path: {path}, encoding: latin-1}}\n")
    told = place.run("sql", "SELECT id, town FROM latin ORDER BY id")
    if rows_of(told) != [[1, "Malmö"], [2, "Køge"]]:
        yield f"with the encoding said: {told.said}"


def test_a_byte_order_mark(place):
    path = place.write("marked.csv", b"\xef\xbb\xbfid,name\n1,a\n")
    reply = ask(place, path, "SELECT id, name FROM marked")
    if rows_of(reply) != [[1, "a"]]:
        yield f"{reply.said}"
    utf16 = place.write("wide.csv", "id,name\n1,å\n".encode("utf-16"))
    reply = ask(place, utf16, "SELECT * FROM wide")
    if reply.code == 0 and rows_of(reply) != [[1, "å"]] and not reply.document.get("warnings"):
        yield f"UTF-16 gives rows without a word: {rows_of(reply)}"


def test_leading_zeros_are_kept(place):
    path = place.write("zip.csv", "zip,n\n01001,1\n00501,2\n10001,3\n")
    reply = ask(place, path, "SELECT zip FROM zip ORDER BY n")
    if rows_of(reply) != [["01001"], ["00501"], ["10001"]]:
        yield f"the zeros are gone: {rows_of(reply)}"


def test_ten_thousand_columns(place):
    names = ",".join(f"c{i}" for i in range(10_000))
    values = ",".join(str(i) for i in range(10_000))
    path = place.write("broad.csv", f"{names}\n{values}\n{values}\n")
    reply = place.run("sql", "SELECT count(*), sum(c9999) FROM broad", "--source", f"s={path}", timeout=500)
    if rows_of(reply) not in ([[2, 19998]], [[2, "19998"]]):
        yield f"{reply.said}"
    schema = place.run("schema", "broad", "--source", f"s={path}")
    if len((schema.document or {}).get("resources", [{}])[0].get("columns", [])) != 10_000:
        yield "the schema does not have all the columns"
    whole = ask(place, path, "SELECT * FROM broad")
    if whole.code == 0 and whole.document["row_count"] < 2 and not whole.document["agent_surface"].get("output_truncated"):
        yield "rows are missing without a word"


def test_odd_names_become_tables(place):
    folder = place.work / "data"
    folder.mkdir()
    for name in ("select.csv", "two words.csv", "quote'd.csv", "Ünï.csv", "1st.csv"):
        place.write(f"data/{name}", "a\n1\n")
    schema = place.run("schema", "--source", f"s={folder}")
    resources = (schema.document or {}).get("resources", [])
    if len(resources) != 5:
        yield f"five files are {len(resources)} tables"
    for resource in resources:
        table = resource["resource"].removeprefix("s.")
        reply = place.run("sql", 'SELECT * FROM s."%s"' % table.replace('"', '""'), "--source", f"s={folder}")
        if rows_of(reply) != [[1]]:
            yield f"{table}: {reply.said}"


if __name__ == "__main__":
    sys.exit(run_cases(globals(), __file__, jobs=2))
