"""Arrays in an object store, read by TileDB and by the program, and the same bytes fetched by a plain client.

`stores.py LIBRARY RECIPES FOLDER list` says which workloads there are, and what the program is asked; `... make` has TileDB
write the arrays into the bucket; `... ask NAME` has TileDB read; `... run PROGRAM ARGUMENT...` runs the program; `... replay
SERVER FILE` asks a server for what a file of lines `METHOD PATH RANGE` says, one after the other. Each prints a line of JSON
with seconds by the clock and of the processor. Settings come from the environment.
"""

import http.client
import json
import os
import resource
import subprocess
import sys
import time
from ctypes import byref, c_int, c_uint64, c_void_p

import numpy as np

LIBRARY, RECIPES = sys.argv[1:3]
sys.path.insert(0, RECIPES)

import capi
from arrays import SIDE, SPECS, image, write

BUCKET = "s3://bench"
CELLS = 2_000_000
BOX = {"y": [1000, 1409], "x": [2000, 2409]}
# name: (array, fields, {dimension: [lo, hi]}), no fields where the array is only opened
WORKLOADS = {
    "dense: open": ("d_zstd", [], {}),
    "dense: box of 1 %": ("d_zstd", ["a"], BOX),
    "dense: scan": ("d_zstd", ["a"], {}),
    "sparse: scan": ("s_2d", ["y", "x", "a"], {}),
}


def uri(array):
    return "%s/%s" % (BUCKET, array)


def make(lib):
    for name in sorted({array for array, _, _ in WORKLOADS.values()}):
        spec = SPECS[name]
        lib.create(uri(name), spec)
        if spec["kind"] == "dense":
            write(lib, uri(name), spec, {"a": np.ascontiguousarray(image())}, "row", [[0, SIDE - 1]] * 2)
            continue
        random = np.random.default_rng(7)
        place = np.unique(random.integers(0, 10**12, CELLS))
        y, x = place // 10**6, place % 10**6
        write(lib, uri(name), spec, {"y": y, "x": x, "a": np.round(random.normal(0, 100, len(place)), 2)}, "any")


def arguments(name):
    array, fields, ranges = WORKLOADS[name]
    if not fields:
        return ["schema", uri(array)]
    boxes = ["%s=%d..%d" % (dimension, low, high) for dimension, (low, high) in ranges.items()]
    # The condition keeps statistics from answering instead of the cells.
    question = ["agg", uri(array), "count(*), sum(a)", "--json", "--where", "a != 7777777"]
    return question + [word for box in boxes for word in ("--range", box)]


def ask(lib, name):
    array, fields, ranges = WORKLOADS[name]
    spec = SPECS[array]
    types = {field["name"]: field["type"] for field in spec["dims"] + spec["attrs"]}
    cells = SIDE * SIDE if spec["kind"] == "dense" else CELLS
    # Memory is touched before the clock starts.
    kept = {field: np.ones(cells * capi.size_of(types[field]), dtype=np.uint8) for field in fields}
    timed(lambda: read(lib, array, spec, ranges, kept))


def read(lib, array, spec, ranges, kept):
    opened = lib.open(uri(array), capi.READ)
    if not kept:
        return
    query = lib.new("tiledb_query_alloc", opened, c_int(capi.READ))
    lib.call("tiledb_query_set_layout", query, c_int(capi.LAYOUT["row" if spec["kind"] == "dense" else "any"]))
    if spec["kind"] == "dense":
        lib.set_ranges(opened, query, spec, {d["name"]: [ranges.get(d["name"], d["domain"])] for d in spec["dims"]}, {})
    sizes = []
    for field, data in kept.items():
        sizes.append(c_uint64(data.nbytes))
        lib.call("tiledb_query_set_data_buffer", query, field.encode(), data.ctypes.data_as(c_void_p), byref(sizes[-1]))
    lib.call("tiledb_query_submit", query)
    assert lib.get("tiledb_query_get_status", c_int, query) == 1, "the query is not complete: the buffers are too small"


def replay(server, file):
    with open(file) as lines:
        asked = [line.rstrip("\n").split(" ") for line in lines]

    def all_of_them():
        connection, fetched = http.client.HTTPConnection(server), 0
        for method, path, ranges in asked:
            connection.request(method, path, headers={"Range": ranges} if ranges else {})
            fetched += len(connection.getresponse().read())
        return fetched

    timed(all_of_them)


def timed(work):
    before, started = resource.getrusage(resource.RUSAGE_SELF), time.perf_counter()
    fetched = work()
    wall, now = time.perf_counter() - started, resource.getrusage(resource.RUSAGE_SELF)
    say(wall, now.ru_utime + now.ru_stime - before.ru_utime - before.ru_stime, fetched)


def run(command):
    started = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    wall, now = time.perf_counter() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
    say(wall, now.ru_utime + now.ru_stime)


def say(wall, cpu, fetched=None):
    print(json.dumps({"wall": wall, "cpu": cpu, "bytes": fetched}), flush=True)
    os._exit(0)


def main():
    verb = sys.argv[4]
    if verb == "list":
        return print(json.dumps({name: {"arguments": arguments(name)} for name in WORKLOADS}))
    if verb == "run":
        return run(sys.argv[5:])
    if verb == "replay":
        return replay(*sys.argv[5:])
    lib = capi.Library(LIBRARY, {"sm.mem.total_budget": 10 << 30})
    if verb == "make":
        return make(lib)
    return ask(lib, sys.argv[5])


main()
