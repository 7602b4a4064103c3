"""Statements of SQL that are put to the program, over an array and over the Parquet file of the same cells, and to DuckDB.

`sql.py LIBRARY RECIPES FOLDER list` says which statements there are; `... make PROGRAM NAME...` has TileDB write the arrays
that these need, and the program export them as Parquet; `... ask NAME` asks DuckDB; `... run PROGRAM ARGUMENT...` runs the
program. The last two print a line of JSON: what was answered, seconds by the clock and of the processor.
"""

import csv
import io
import json
import os
import resource
import subprocess
import sys
import time

import numpy as np

LIBRARY, RECIPES, FOLDER = sys.argv[1:4]
sys.path.insert(0, RECIPES)

import capi
from arrays import ZSTD, write

CELLS, ROWS = 10_000_000, 20_000_000


def dim(name, low, high, extent):
    return {"name": name, "type": "int64", "domain": [low, high], "extent": extent, "filters": ZSTD}


def attribute(name, datatype):
    return {"name": name, "type": datatype, "n": 1, "filters": ZSTD}


SPECS = {
    "sql_cells": dict(
        kind="sparse", capacity=100_000, dims=[dim(n, 0, 999_999, 10_000) for n in ("y", "x")],
        attrs=[attribute("a", "int64"), attribute("b", "float64"), attribute("when", "int64")],
    ),
    "sql_series": dict(
        kind="dense", dims=[dim("i", 0, ROWS - 1, 100_000)], attrs=[attribute("a", "int32"), attribute("g", "int16"), attribute("when", "int64")]
    ),
}
# name: (array, statement over the table T)
STATEMENTS = {
    "sparse: sums of all cells": ("sql_cells", "select count(b), sum(a), round(sum(b), 3), max(b) from T"),
    "sparse: groups": ("sql_cells", "select a % 100 as g, count(*), round(sum(b), 3) from T group by g order by g"),
    "sparse: filter, 1 % of cells anywhere": ("sql_cells", "select count(*), sum(x), sum(y) from T where a >= 990000"),
    "sparse: the ten greatest": ("sql_cells", "select y, x, a, b from T order by a desc, y, x limit 10"),
    "sparse: box of 1 %": ("sql_cells", "select count(*), sum(a) from T where y between 300000 and 399999 and x between 200000 and 299999"),
    "sparse: filter ruled out by statistics": ("sql_cells", "select count(*), sum(a) from T where \"when\" < 10000"),
    "sparse: count(*), min, max of all": ("sql_cells", "select count(*), min(a), max(a) from T"),
    "dense: sums of all cells": ("sql_series", "select count(a), sum(a), avg(g) from T"),
    "dense: groups": ("sql_series", "select g, count(*), sum(a) from T group by g order by g"),
    "dense: filter, 1 % of cells anywhere": ("sql_series", "select count(*), sum(i), sum(\"when\") from T where a >= 990000"),
    "dense: range of 1 %": ("sql_series", "select count(*), sum(a) from T where i between 9000001 and 9200000"),
    "dense: filter ruled out by statistics": ("sql_series", "select count(*), sum(a) from T where \"when\" between 5000000 and 6000000"),
    "dense: count(*), min, max of all": ("sql_series", "select count(*), min(a), max(a) from T"),
}


def here(name):
    return os.path.join(FOLDER, name)


def make(lib, program, names):
    for name in sorted({STATEMENTS[statement][0] for statement in names}):
        if not os.path.exists(here(name)):
            lib.create(here(name) + ".part", SPECS[name])
            fill(lib, name, here(name) + ".part", SPECS[name])
            os.rename(here(name) + ".part", here(name))
        if not os.path.exists(here(name) + ".parquet"):
            subprocess.run([program, "export", here(name), here(name) + ".part.parquet", "--quiet"], check=True)
            os.rename(here(name) + ".part.parquet", here(name) + ".parquet")


def fill(lib, name, uri, spec):
    random = np.random.default_rng(7)
    if name == "sql_series":
        columns = {
            "a": random.integers(0, 1_000_000, ROWS).astype(np.int32), "g": random.integers(0, 200, ROWS).astype(np.int16),
            "when": np.arange(ROWS, dtype=np.int64) * 10,
        }
        return write(lib, uri, spec, columns, "row", [[0, ROWS - 1]])
    place = np.unique(random.integers(0, 10**12, CELLS))
    tile, within = place // 10**8, place % 10**8
    y, x = tile // 100 * 10_000 + within // 10_000, tile % 100 * 10_000 + within % 10_000
    count = len(y)
    columns = {
        "y": y, "x": x, "a": random.integers(0, 1_000_000, count), "b": np.round(random.normal(0, 100, count), 2), "when": y + x // 10_000
    }
    return write(lib, uri, spec, columns, "global")


def statement(name, table):
    return STATEMENTS[name][1].replace("from T", "from '%s'" % table)


def listed():
    both = lambda name: [statement(name, here(STATEMENTS[name][0]) + ending) for ending in ("", ".parquet")]
    return {name: dict(zip(("array", "parquet"), both(name))) for name in STATEMENTS}


def ask(name):
    import duckdb

    asked = statement(name, here(STATEMENTS[name][0]) + ".parquet")
    # Once before the clock starts, so that its extensions are loaded.
    duckdb.sql("select 1 from '%s' limit 1" % (here(STATEMENTS[name][0]) + ".parquet")).fetchall()
    before, started = resource.getrusage(resource.RUSAGE_SELF), time.perf_counter()
    rows = duckdb.sql(asked).fetchall()
    say(rows, started, before, resource.RUSAGE_SELF)


def run(command):
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    answer = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    rows = list(csv.reader(io.StringIO(answer)))[1:]
    say(rows, started, before, resource.RUSAGE_CHILDREN)


def say(rows, started, before, whose):
    """The answer's numbers to nine digits, as sums in another order come to."""
    wall, now = time.perf_counter() - started, resource.getrusage(whose)
    cpu = now.ru_utime + now.ru_stime - before.ru_utime - before.ru_stime
    answer = [["%.9g" % float(value) for value in row] for row in rows]
    print(json.dumps({"answer": answer, "wall": wall, "cpu": cpu}), flush=True)
    os._exit(0)


def main():
    verb = sys.argv[4]
    if verb == "list":
        return print(json.dumps(listed()))
    if verb == "run":
        return run(sys.argv[5:])
    if verb == "ask":
        return ask(sys.argv[5])
    os.makedirs(FOLDER, exist_ok=True)
    lib = capi.Library(LIBRARY, {"sm.mem.total_budget": 10 << 30})
    return make(lib, sys.argv[5], sys.argv[6:])


main()
