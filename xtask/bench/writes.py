"""How long TileDB takes to write cells, to consolidate and to import CSV.

`writes.py LIBRARY RECIPES FOLDER make` makes the cells of all workloads, a
folder of raw files each; `... list` says what there is; `... new NAME PATH`
makes the array that a workload begins with; `... write NAME PATH` writes, and
prints a line of JSON as `bench.py` does; `... run COMMAND ...` runs a program and
prints the same line of it.
"""

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
from arrays import SIDE, SPECS, STRINGS, ZSTD, dense, image, write

SPARSE_CELLS, NULLABLE_CELLS, FRAGMENTS, FRAGMENT_CELLS = 5_000_000, 10_000_000, 100, 50_000
NULLABLE = dict(
    kind="dense",
    dims=[{"name": "i", "type": "int64", "domain": [0, NULLABLE_CELLS - 1], "extent": 100_000, "filters": []}],
    attrs=[{"name": "a", "type": "int32", "n": 1, "nullable": True, "filters": ZSTD}],
)
# name: (what the array is, cells, layout, {dimension: [lo, hi]})
WORKLOADS = {
    "write dense raw": (SPECS["d_raw"], "image_f64", "row", {"y": [0, SIDE - 1], "x": [0, SIDE - 1]}),
    "write dense zstd": (dense(ZSTD, "int32"), "image_i32", "row", {"y": [0, SIDE - 1], "x": [0, SIDE - 1]}),
    "write dense bitshuffle+lz4": (SPECS["d_bslz4"], "image_i32", "row", {"y": [0, SIDE - 1], "x": [0, SIDE - 1]}),
    "write sparse, any order": (SPECS["s_2d"], "points", "any", {}),
    "write strings": (SPECS["v_str"], "texts", "row", {"i": [0, STRINGS - 1]}),
    "write nullable": (NULLABLE, "nullable", "row", {"i": [0, NULLABLE_CELLS - 1]}),
    "consolidate 100 fragments": (SPECS["s_2d"], None, "any", {}),
    "import CSV": (None, "cells.csv", "any", {}),
}
CSV_ROWS = 2_000_000


def csv(path):
    """Rows of a whole number that is a dimension, a smaller one, a float and a word."""
    random = np.random.default_rng(3)
    words = np.array(["alpha", "beta", "gamma", "a longer text", "x"])[random.integers(0, 5, CSV_ROWS)]
    numbers = random.permutation(CSV_ROWS), random.integers(0, 1000, CSV_ROWS), np.round(random.normal(0, 100, CSV_ROWS), 3)
    with open(path, "w") as file:
        file.write("id,count,score,name\n")
        file.writelines("%d,%d,%s,%s\n" % row for row in zip(*(column.tolist() for column in numbers), words))


def cells(name):
    """The columns of a workload: {file: values}."""
    random = np.random.default_rng(11)
    if name == "image_f64":
        return {"a": np.round(image() / 10.0, 1)}
    if name == "image_i32":
        return {"a": image()}
    if name == "points":
        return points(random, SPARSE_CELLS)
    if name == "nullable":
        values = np.cumsum(random.integers(-3, 4, NULLABLE_CELLS)).astype(np.int32)
        return {"a": values, "a.validity": (random.random(NULLABLE_CELLS) < 0.9).astype(np.uint8)}
    words = np.array(["", "alpha", "beta", "a longer text of some words", "Zürich", "x"], dtype=object)
    texts = [words[i].encode() for i in random.integers(0, len(words), STRINGS)]
    ends = np.cumsum([len(text) for text in texts])
    offsets = np.concatenate([[0], ends]).astype(np.uint64)
    return {"s": np.frombuffer(b"".join(texts), dtype=np.uint8), "s.offsets": offsets}


def points(random, count):
    """Cells of a square, no two at one place, in no order."""
    place = np.unique(random.integers(0, 1_000_000 ** 2, count + count // 10))
    place = random.permutation(place)[:count]
    return {"y": place // 1_000_000, "x": place % 1_000_000, "a": np.round(random.normal(0, 100, count), 2)}


def make():
    for name in {cells for _, cells, _, _ in WORKLOADS.values() if cells}:
        folder = os.path.join(FOLDER, name)
        if name.endswith(".csv"):
            if not os.path.exists(folder):
                os.makedirs(FOLDER, exist_ok=True)
                csv(folder)
        elif not os.path.exists(folder):
            os.makedirs(folder + ".part", exist_ok=True)
            for file, values in cells(name).items():
                np.ascontiguousarray(values).tofile(os.path.join(folder + ".part", file))
            os.rename(folder + ".part", folder)


def new(lib, workload, path):
    spec, cells, layout, _ = WORKLOADS[workload]
    if spec is None:
        return
    lib.create(path, spec)
    random = np.random.default_rng(5)
    for _ in range(0 if cells else FRAGMENTS):
        write(lib, path, spec, points(random, FRAGMENT_CELLS), layout)


def columns(spec, name):
    """The cells as they were made, in memory."""
    folder, found = os.path.join(FOLDER, name), {}
    for field in spec["dims"] + spec["attrs"]:
        path = os.path.join(folder, field["name"])
        if os.path.exists(path):
            parts = found[field["name"]] = {"data": np.fromfile(path, dtype=np.uint8)}
            if field.get("n") == "var":
                # TileDB takes where each cell begins, without the end.
                parts["offsets"] = np.fromfile(path + ".offsets", dtype=np.uint64)[:-1]
            if field.get("nullable"):
                parts["validity"] = np.fromfile(path + ".validity", dtype=np.uint8)
    return found


def timed(lib, workload, path):
    spec, cells, layout, ranges = WORKLOADS[workload]
    if spec is None:
        return import_csv(os.path.join(FOLDER, cells), path)
    found = columns(spec, cells) if cells else {}
    box = [ranges[dim["name"]] for dim in spec["dims"]] if ranges else None
    before = resource.getrusage(resource.RUSAGE_SELF)
    started = time.perf_counter()
    if cells:
        write(lib, path, spec, found, layout, box)
    else:
        lib.consolidate(path)
    wall, now = time.perf_counter() - started, resource.getrusage(resource.RUSAGE_SELF)
    count = 0
    for field in spec["dims"] + spec["attrs"]:
        parts = found.get(field["name"], {"data": np.empty(0)})
        count = len(parts["offsets"]) if "offsets" in parts else parts["data"].nbytes // capi.size_of(field["type"])
    say(count, wall, now, before.ru_utime + before.ru_stime, before.ru_maxrss)


def import_csv(file, path):
    """TileDB has it in Python only; what it imports does not count."""
    import tiledb
    import pandas

    context = tiledb.Ctx({"sm.compute_concurrency_level": 1, "sm.io_concurrency_level": 1})
    before, started = resource.getrusage(resource.RUSAGE_SELF), time.perf_counter()
    tiledb.from_csv(path, file, sparse=True, index_dims=["id"], ctx=context)
    wall, now = time.perf_counter() - started, resource.getrusage(resource.RUSAGE_SELF)
    say(0, wall, now, before.ru_utime + before.ru_stime, before.ru_maxrss)


def run(command):
    started = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    say(0, time.perf_counter() - started, resource.getrusage(resource.RUSAGE_CHILDREN), 0, 0)


def say(count, wall, usage, cpu, peak):
    cpu = usage.ru_utime + usage.ru_stime - cpu
    print(json.dumps({"cells": count, "wall": wall, "cpu": cpu, "peak": (usage.ru_maxrss - peak) * 1024}), flush=True)
    os._exit(0)


def main():
    verb = sys.argv[4]
    if verb == "make":
        return make()
    if verb == "list":
        return print(json.dumps({name: {"cells": c, "order": o, "ranges": r} for name, (_, c, o, r) in WORKLOADS.items()}))
    if verb == "run":
        return run(sys.argv[5:])
    settings = {"sm.compute_concurrency_level": 1, "sm.io_concurrency_level": 1, "sm.mem.total_budget": 10 << 30}
    lib = capi.Library(LIBRARY, settings)
    if verb == "new":
        return new(lib, *sys.argv[5:])
    return timed(lib, *sys.argv[5:])


main()
