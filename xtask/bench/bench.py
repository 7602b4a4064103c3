"""Arrays to measure with, and how long TileDB takes to read them.

`bench.py LIBRARY RECIPES FOLDER make` writes the arrays that are not there yet;
`bench.py LIBRARY RECIPES FOLDER read NAME` reads one and prints a line of JSON:
cells, seconds by the clock and of the processor, and bytes of memory over what
the process had before.
"""

import json
import os
import resource
import sys
import time
from ctypes import byref, c_int, c_uint64, c_void_p

import numpy as np

LIBRARY, RECIPES, FOLDER = sys.argv[1:4]
sys.path.insert(0, RECIPES)

import capi
from arrays import FRAGMENTS, SIDE, SPARSE_CELLS, SPECS, STRINGS, image, write

# name: (array, fields, layout, {dimension: [lo, hi]})
WORKLOADS = {
    "dense raw": ("d_raw", ["a"], "row", {}),
    "dense zstd": ("d_zstd", ["a"], "row", {}),
    "dense bitshuffle+lz4": ("d_bslz4", ["a"], "row", {}),
    "dense byteshuffle+zstd": ("d_byzstd", ["a"], "row", {}),
    "dense 1 % box": ("d_zstd", ["a"], "row", {"y": [1000, 1409], "x": [2000, 2409]}),
    "sparse scan": ("s_2d", ["y", "x", "a"], "global", {}),
    "sparse scan, any order": ("s_2d", ["y", "x", "a"], "any", {}),
    "sparse row-major": ("s_2d", ["y", "x", "a"], "row", {"y": [0, 99_999]}),
    "sparse 1 % box": ("s_2d", ["y", "x", "a"], "global", {"y": [200_000, 299_999], "x": [300_000, 399_999]}),
    "strings": ("v_str", ["s"], "row", {}),
    "1000 fragments": ("f_1000", ["y", "a"], "global", {}),
}


def make(lib):
    random = np.random.default_rng(7)
    for name, spec in SPECS.items():
        uri = os.path.join(FOLDER, name)
        if os.path.exists(uri):
            continue
        lib.create(uri, spec)
        if name.startswith("d_"):
            values = image()
            if spec["attrs"][0]["type"] == "float64":
                values = np.round(values / 10.0, 1)
            write(lib, uri, spec, {"a": np.ascontiguousarray(values)}, "row", [[0, SIDE - 1]] * 2)
        elif name == "s_2d":
            y, x = random.integers(0, 1_000_000, SPARSE_CELLS), random.integers(0, 1_000_000, SPARSE_CELLS)
            key = ((y // 10_000 * 100 + x // 10_000) * 10_000 + y % 10_000) * 10_000 + x % 10_000
            key = np.unique(key)
            tile, within = key // 100_000_000, key % 100_000_000
            y, x = tile // 100 * 10_000 + within // 10_000, tile % 100 * 10_000 + within % 10_000
            values = np.round(random.normal(0, 100, len(key)), 2)
            write(lib, uri, spec, {"y": y, "x": x, "a": values}, "global")
        elif name == "v_str":
            words = np.array(["", "alpha", "beta", "a longer text of some words", "Zürich", "x"], dtype=object)
            texts = [words[i].encode() for i in random.integers(0, len(words), STRINGS)]
            lengths = np.array([len(t) for t in texts], dtype=np.uint64)
            offsets = np.concatenate([[0], np.cumsum(lengths)[:-1]]).astype(np.uint64)
            write(lib, uri, spec, {"s": {"data": np.frombuffer(b"".join(texts), dtype=np.uint8), "offsets": offsets}}, "row", [[0, STRINGS - 1]])
        else:
            for _ in range(FRAGMENTS):
                y = np.unique(random.integers(0, 1_000_000, 1000))
                write(lib, uri, spec, {"y": y, "a": y * 3}, "global")


def read(lib, workload):
    name, fields, layout, ranges = WORKLOADS[workload]
    uri, spec = os.path.join(FOLDER, name), SPECS[name]
    size = os.path.getsize
    cells = {"d_": SIDE * SIDE, "s_": SPARSE_CELLS, "v_": STRINGS, "f_": FRAGMENTS * 1000}[name[:2]]
    if ranges and name.startswith("d_"):
        cells = np.prod([high - low + 1 for low, high in ranges.values()])
    elif ranges:
        cells = cells // 9
    types = {f["name"]: f["type"] for f in spec["dims"] + spec["attrs"]}
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    buffers = {}
    for field in fields:
        width = 12 if types[field] == "string_utf8" else capi.size_of(types[field])
        # Touched before the clock starts.
        buffers[field] = [np.ones(int(cells) * width, dtype=np.uint8), None]
        if types[field] == "string_utf8":
            buffers[field][1] = np.ones(int(cells), dtype=np.uint64)
    started, used = time.perf_counter(), resource.getrusage(resource.RUSAGE_SELF)
    array = lib.open(uri, capi.READ)
    query = lib.new("tiledb_query_alloc", array, c_int(capi.READ))
    lib.call("tiledb_query_set_layout", query, c_int(capi.LAYOUT[layout]))
    bounds = {d["name"]: [list(ranges.get(d["name"], d["domain"]))] for d in spec["dims"]}
    if ranges or spec["kind"] == "dense":
        lib.set_ranges(array, query, spec, bounds, {})
    sizes = {}
    for field, (data, offsets) in buffers.items():
        sizes[field] = c_uint64(data.nbytes)
        lib.call("tiledb_query_set_data_buffer", query, field.encode(), data.ctypes.data_as(c_void_p), byref(sizes[field]))
        if offsets is not None:
            sizes[field + " offsets"] = c_uint64(offsets.nbytes)
            lib.call("tiledb_query_set_offsets_buffer", query, field.encode(), offsets.ctypes.data_as(c_void_p), byref(sizes[field + " offsets"]))
    lib.call("tiledb_query_submit", query)
    status = lib.get("tiledb_query_get_status", c_int, query)
    assert status == 1, "the query is not complete: the buffers are too small"
    wall = time.perf_counter() - started
    now = resource.getrusage(resource.RUSAGE_SELF)
    cpu = now.ru_utime + now.ru_stime - used.ru_utime - used.ru_stime
    field = fields[-1]
    if types[field] == "string_utf8":
        count = sizes[field + " offsets"].value // 8
    else:
        count = sizes[field].value // capi.size_of(types[field])
    print(json.dumps({"cells": count, "wall": wall, "cpu": cpu, "peak": (now.ru_maxrss - before) * 1024}), flush=True)
    os._exit(0)


def main():
    settings = {"sm.compute_concurrency_level": 1, "sm.io_concurrency_level": 1, "sm.mem.total_budget": 10 << 30}
    lib = capi.Library(LIBRARY, settings)
    os.makedirs(FOLDER, exist_ok=True)
    if sys.argv[4] == "make":
        make(lib)
    elif sys.argv[4] == "list":
        print(json.dumps({name: {"array": a, "fields": f, "order": o, "ranges": r} for name, (a, f, o, r) in WORKLOADS.items()}))
    else:
        read(lib, sys.argv[5])


main()
