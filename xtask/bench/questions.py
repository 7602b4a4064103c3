"""Questions that are put to the program and to the engine that its users would otherwise ask.

`questions.py LIBRARY RECIPES FOLDER make NAME...` makes what these questions need; `... list` says which there are, the
program's arguments for each and what they make anew; `... ask NAME` asks the other engine, TileDB or DuckDB;
`... run PROGRAM ARGUMENT...` runs the program. Both print a line of JSON: what was said, seconds by the clock and of the
processor.
"""

import json
import os
import resource
import shutil
import subprocess
import sys
import time
from ctypes import byref, c_int, c_uint32, c_uint64, c_void_p

import numpy as np

LIBRARY, RECIPES, FOLDER = sys.argv[1:4]
sys.path.insert(0, RECIPES)

import capi
from arrays import SIDE, SPARSE_CELLS, ZSTD, image, write

SERIES, POINTS, CANVAS, STRIP, CSV_ROWS, SMALL_ROWS = 100_000_000, 1_000_000, 100_000, 2_000, 27_000_000, 2_000_000


def dim(name, datatype, low, high, extent):
    return {"name": name, "type": datatype, "domain": [low, high], "extent": extent, "filters": []}


def attribute(name, datatype):
    return {"name": name, "type": datatype, "n": 1, "filters": ZSTD}


SPECS = {
    "q_image": dict(kind="dense", dims=[dim(n, "int32", 0, SIDE - 1, 512) for n in ("y", "x")], attrs=[attribute("a", "int32")]),
    "q_cells": dict(
        kind="sparse", capacity=10_000, dims=[dim(n, "int64", 0, 999_999, 10_000) for n in ("y", "x")],
        attrs=[attribute("a", "int64"), attribute("b", "float64"), attribute("when", "int64")],
    ),
    "q_series": dict(
        kind="dense", dims=[dim("i", "int64", 0, SERIES - 1, 100_000)], attrs=[attribute("a", "int32"), attribute("when", "int64")]
    ),
    "q_canvas": dict(kind="dense", dims=[dim(n, "int32", 0, CANVAS - 1, 2_000) for n in ("y", "x")], attrs=[attribute("a", "uint8")]),
}
EVERYTHING = ["count", "sum", "min", "max"]
# name: (who else is asked, array or file, what)
QUESTIONS = {
    "count, sum, min, max: dense, statistics": ("TileDB", "q_image", {"aggregates": EVERYTHING, "of": "a"}),
    "count, sum, min, max: sparse, statistics": ("TileDB", "q_cells", {"aggregates": EVERYTHING, "of": "a"}),
    "count, sum, min, max: dense, data": ("TileDB", "q_image", {"aggregates": EVERYTHING, "of": "a", "where": ("a", "!=", 7)}),
    "count, sum, min, max: sparse, data": ("TileDB", "q_cells", {"aggregates": EVERYTHING, "of": "a", "where": ("b", "!=", 7.5)}),
    "condition, 1 % of cells: dense": ("TileDB", "q_series", {"fields": ["a"], "where": ("a", ">=", 990_000)}),
    "condition, 1 % of cells: sparse": ("TileDB", "q_cells", {"fields": ["y", "x", "a"], "where": ("a", ">=", 990_000)}),
    "condition, 99 % by statistics: dense": ("TileDB", "q_series", {"fields": ["when"], "where": ("when", "<", SERIES * 10 // 100)}),
    "condition, 99 % by statistics: sparse": ("TileDB", "q_cells", {"fields": ["y", "x", "a"], "where": ("when", "<", 10_000)}),
    "a million points of a hundred million cells": ("TileDB", "q_series", {"fields": ["a"], "points": "points.npy"}),
    "import of 1 GB of CSV": ("DuckDB", "rows.csv", {}),
    "import of 2 million rows of CSV": ("TileDB-Py", "cells.csv", {}),
    "import of its Parquet": ("DuckDB", "rows.parquet", {}),
    "show 100,000 x 100,000 in the terminal": (None, "q_canvas", {"show": []}),
    "show 100,000 x 100,000 as a PNG of 2,000": (None, "q_canvas", {"show": ["--png", "canvas.png", "--size", "2000"]}),
}


def here(name):
    return os.path.join(FOLDER, name)


def make(lib, names):
    """Everything that the questions of these names need and that is not there yet."""
    needed = set()
    for name in names:
        _, source, what = QUESTIONS[name]
        needed |= {source, what.get("points", source)}
    for name in sorted(needed):
        if name in SPECS and not os.path.exists(here(name)):
            lib.create(here(name) + ".part", SPECS[name])
            fill(lib, name, here(name) + ".part", SPECS[name])
            os.rename(here(name) + ".part", here(name))
    if "points.npy" in needed and not os.path.exists(here("points.npy")):
        places = np.random.default_rng(2).integers(0, SERIES, POINTS)
        np.save(here("points.npy"), places)
    if needed & {"rows.csv", "rows.parquet"} and not os.path.exists(here("rows.parquet")):
        rows()
    if "cells.csv" in needed and not os.path.exists(here("cells.csv")):
        small_rows(here("cells.csv"))


def fill(lib, name, uri, spec):
    random = np.random.default_rng(7)
    if name == "q_image":
        write(lib, uri, spec, {"a": np.ascontiguousarray(image())}, "row", [[0, SIDE - 1]] * 2)
    elif name == "q_series":
        columns = {"a": random.integers(0, 1_000_000, SERIES).astype(np.int32), "when": np.arange(SERIES, dtype=np.int64) * 10}
        write(lib, uri, spec, columns, "row", [[0, SERIES - 1]])
    elif name == "q_cells":
        place = random.integers(0, 10**12, SPARSE_CELLS)
        place = np.unique(place)
        tile, within = place // 10**8, place % 10**8
        y, x = tile // 100 * 10_000 + within // 10_000, tile % 100 * 10_000 + within % 10_000
        count = len(y)
        columns = {
            "y": y, "x": x, "a": random.integers(0, 1_000_000, count), "b": np.round(random.normal(0, 100, count), 2), "when": y + x // 10_000
        }
        write(lib, uri, spec, columns, "global")
    else:
        across = np.arange(CANVAS)
        for top in range(0, CANVAS, STRIP):
            down = np.arange(top, top + STRIP)
            strip = (100 + 60 * np.sin(down / 9_000))[:, None] + (60 * np.cos(across / 7_000))[None, :]
            write(lib, uri, spec, {"a": strip.astype(np.uint8)}, "row", [[top, top + STRIP - 1], [0, CANVAS - 1]])


def rows():
    """A CSV of about a gigabyte and the same as Parquet: numbers, a date, a word."""
    import duckdb

    query = (
        "select i as id, (hash(i) % 1000)::int as count, round((hash(i + 7) % 2000000) / 1000.0 - 1000, 3) as score, "
        "date '2020-01-01' + (hash(i + 9) % 1500)::int as day, ['alpha','beta','gamma','a longer text'][1 + (hash(i + 3) % 4)::int] as name "
        "from range({}) t(i)"
    ).format(CSV_ROWS)
    duckdb.sql("copy (%s) to '%s' (format csv, header)" % (query, here("rows.csv")))
    duckdb.sql("copy (%s) to '%s' (format parquet, compression zstd)" % (query, here("rows.parquet")))


def small_rows(path):
    """Rows of a whole number that is a dimension, a smaller one, a float and a word."""
    random = np.random.default_rng(3)
    words = np.array(["alpha", "beta", "gamma", "a longer text", "x"])[random.integers(0, 5, SMALL_ROWS)]
    numbers = random.permutation(SMALL_ROWS), random.integers(0, 1000, SMALL_ROWS), np.round(random.normal(0, 100, SMALL_ROWS), 3)
    with open(path, "w") as file:
        file.write("id,count,score,name\n")
        file.writelines("%d,%d,%s,%s\n" % row for row in zip(*(column.tolist() for column in numbers), words))


def arguments(name):
    """What the program is asked, as one types it."""
    _, source, what = QUESTIONS[name]
    if "show" in what:
        return ["show", here(source)] + [here(a) if a.endswith(".png") else a for a in what["show"]]
    where = ["--where", "%s %s %s" % what["where"]] if "where" in what else []
    if "aggregates" in what:
        of = ", ".join("count(*)" if f == "count" else "%s(%s)" % (f, what["of"]) for f in what["aggregates"])
        return ["agg", here(source), of, "--json"] + where
    if "fields" in what:
        points = ["--points", here(what["points"])] if "points" in what else []
        attrs = [field for field in what["fields"] if field not in ("y", "x", "i")]
        return ["read", here(source), "--attrs", ",".join(attrs), "--format", "arrow", "-o", here("answer.arrow")] + where + points
    return ["import", here(source), here("imported"), "--dim", "id", "--quiet"]


def ask(lib, name):
    """The other engine's answer."""
    who, source, what = QUESTIONS[name]
    if who == "DuckDB":
        import duckdb

        # Once before the clock starts, so that its extensions are loaded.
        reader = "read_csv('%s')" if source.endswith(".csv") else "read_parquet('%s')"
        return timed(lambda: duckdb.sql("copy (from %s) to '%s' (format parquet, compression zstd)" % (reader % here(source), here("copy.parquet"))))
    if who == "TileDB-Py":
        import pandas
        import tiledb

        assert pandas
        shutil.rmtree(here("imported_by_tiledb"), ignore_errors=True)
        return timed(lambda: tiledb.from_csv(here("imported_by_tiledb"), here(source), sparse=True, index_dims=["id"]))
    spec = SPECS[source]
    kept = {} if "aggregates" in what else buffers(spec, what)
    return timed(lambda: query(lib, here(source), spec, what, kept))


def buffers(spec, what):
    """Memory for the answer, touched before the clock starts."""
    types = {field["name"]: field["type"] for field in spec["dims"] + spec["attrs"]}
    cells = POINTS if "points" in what else SERIES if spec is SPECS["q_series"] else SPARSE_CELLS // 20
    return {field: np.ones(cells * capi.size_of(types[field]), dtype=np.uint8) for field in what["fields"]}


def query(lib, uri, spec, what, kept):
    array = lib.open(uri, capi.READ)
    query = lib.new("tiledb_query_alloc", array, c_int(capi.READ))
    lib.call("tiledb_query_set_layout", query, c_int(capi.LAYOUT["row" if spec["kind"] == "dense" else "any"]))
    if "points" in what:
        places = np.ascontiguousarray(np.sort(np.load(here(what["points"]))))
        subarray = lib.new("tiledb_subarray_alloc", array)
        lib.call("tiledb_subarray_add_point_ranges", subarray, c_uint32(0), places.ctypes.data_as(c_void_p), c_uint64(len(places)))
        lib.call("tiledb_query_set_subarray_t", query, subarray)
    elif spec["kind"] == "dense":
        lib.set_ranges(array, query, spec, {d["name"]: [d["domain"]] for d in spec["dims"]}, {})
    if "where" in what:
        lib.call("tiledb_query_set_condition", query, lib.condition(spec, what["where"]))
    sizes = {}
    channel = lib.new("tiledb_query_get_default_channel", query) if "aggregates" in what else None
    for function in what.get("aggregates", []):
        operator = c_void_p()
        if function == "count":
            lib.call("tiledb_aggregate_count_get", byref(operator))
            operation = operator
        else:
            lib.call("tiledb_channel_operator_%s_get" % function, byref(operator))
            operation = lib.new("tiledb_create_unary_aggregate", query, operator, what["of"].encode())
        lib.call("tiledb_channel_apply_aggregate", channel, function.encode(), operation)
        wide = 8 if function in ("count", "sum") else capi.size_of(next(a["type"] for a in spec["attrs"] if a["name"] == what["of"]))
        kept[function] = np.zeros(wide, dtype=np.uint8)
    for field, data in kept.items():
        sizes[field] = c_uint64(data.nbytes)
        lib.call("tiledb_query_set_data_buffer", query, field.encode(), data.ctypes.data_as(c_void_p), byref(sizes[field]))
    lib.call("tiledb_query_submit", query)
    assert lib.get("tiledb_query_get_status", c_int, query) == 1, "the query is not complete: the buffers are too small"


def timed(work):
    before, started = resource.getrusage(resource.RUSAGE_SELF), time.perf_counter()
    work()
    wall, now = time.perf_counter() - started, resource.getrusage(resource.RUSAGE_SELF)
    say(wall, now.ru_utime + now.ru_stime - before.ru_utime - before.ru_stime)


def run(command):
    started = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    wall, now = time.perf_counter() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
    say(wall, now.ru_utime + now.ru_stime)


def say(wall, cpu):
    print(json.dumps({"wall": wall, "cpu": cpu}), flush=True)
    os._exit(0)


def main():
    verb = sys.argv[4]
    if verb == "list":
        return print(json.dumps({name: {"who": who, "arguments": arguments(name), "target": "imported" if who in ("DuckDB", "TileDB-Py") else ""} for name, (who, _, _) in QUESTIONS.items()}))
    if verb == "run":
        return run(sys.argv[5:])
    os.makedirs(FOLDER, exist_ok=True)
    lib = capi.Library(LIBRARY, {"sm.mem.total_budget": 10 << 30})
    if verb == "make":
        return make(lib, sys.argv[5:])
    return ask(lib, sys.argv[5])


main()
