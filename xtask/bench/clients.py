"""Workloads over TileDB-Py, the same for either library.

    clients.py FOLDER make     creates the arrays to be read
    clients.py FOLDER answer   runs the workloads that standard input names, a line each, and prints a line of JSON for each

The line has the seconds of the wall clock and of the processor, and a digest of what was read, by which answers compare.
"""

import hashlib
import json
import os
import shutil
import sys
import time

import numpy as np
import pandas as pd
import tiledb

SIDE = 4000
CELLS = 1_000_000
COLORS = np.array(["red", "green", "blue", "cyan", "magenta", "yellow"])
WORKLOADS = {}


def workload(function):
    """Adds a workload: a function of a folder that returns what it read, or None."""
    WORKLOADS[function.__name__.replace("_", " ")] = function
    return function


def zstd():
    return tiledb.FilterList([tiledb.ZstdFilter(level=3)])


# Arrays that are read


def make(folder):
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    random = np.random.default_rng(1)
    make_dense(f"{folder}/dense", random)
    make_sparse(f"{folder}/sparse", random)
    table(random, 200_000).to_csv(f"{folder}/table.csv", index=False)
    with tiledb.open(f"{folder}/dense", "w") as array:
        for number in range(100):
            array.meta[f"key {number:03}"] = "value " * (number % 7)


def make_dense(uri, random):
    dimensions = [
        tiledb.Dim(name, domain=(0, SIDE - 1), tile=500, dtype=np.int32)
        for name in ("y", "x")
    ]
    attributes = [
        tiledb.Attr("height", dtype=np.float32, filters=zstd()),
        tiledb.Attr("class", dtype=np.uint8, filters=zstd()),
    ]
    tiledb.Array.create(
        uri, tiledb.ArraySchema(tiledb.Domain(*dimensions), attributes)
    )
    slope = np.add.outer(np.arange(SIDE), np.arange(SIDE)).astype(np.float32)
    noise = random.integers(0, 16, (SIDE, SIDE)).astype(np.float32)
    with tiledb.open(uri, "w") as array:
        array[:] = {"height": slope + noise, "class": (noise * 3).astype(np.uint8)}


def sparse_schema():
    dimensions = [
        tiledb.Dim(name, domain=(0, 999_999), tile=10_000, dtype=np.int64, filters=zstd())
        for name in ("position", "sample")
    ]
    attributes = [
        tiledb.Attr("depth", dtype=np.int32, filters=zstd()),
        tiledb.Attr("quality", dtype=np.float64, filters=zstd()),
        tiledb.Attr("color", dtype=str, var=True, filters=zstd()),
    ]
    domain = tiledb.Domain(*dimensions)
    return tiledb.ArraySchema(domain, attributes, sparse=True, allows_duplicates=True)


def cells(random, count):
    coordinates = [np.sort(random.integers(0, 1_000_000, count)), random.integers(0, 1_000_000, count)]
    values = {
        "depth": random.integers(0, 100, count).astype(np.int32),
        "quality": np.round(random.normal(30, 5, count), 2),
        "color": COLORS[random.integers(0, len(COLORS), count)].astype(object),
    }
    return coordinates, values


def make_sparse(uri, random):
    tiledb.Array.create(uri, sparse_schema())
    coordinates, values = cells(random, CELLS)
    with tiledb.open(uri, "w") as array:
        array[coordinates[0], coordinates[1]] = values


def table(random, rows):
    return pd.DataFrame(
        {
            "number": np.arange(rows),
            "price": np.round(random.normal(100, 20, rows), 2),
            "color": COLORS[random.integers(0, len(COLORS), rows)],
        }
    )


# Reads


@workload
def open_and_close(folder):
    for _ in range(100):
        tiledb.open(f"{folder}/dense").close()


@workload
def dense_whole(folder):
    with tiledb.open(f"{folder}/dense", attr="height") as array:
        return array[:]


@workload
def dense_whole_two_attributes(folder):
    with tiledb.open(f"{folder}/dense") as array:
        return array[:]


@workload
def dense_boxes(folder):
    random = np.random.default_rng(2)
    with tiledb.open(f"{folder}/dense", attr="height") as array:
        corners = random.integers(0, SIDE - 100, (100, 2))
        return [array[y : y + 100, x : x + 100] for y, x in corners]


@workload
def dense_cells(folder):
    random = np.random.default_rng(3)
    with tiledb.open(f"{folder}/dense", attr="height") as array:
        return [array[y, x] for y, x in random.integers(0, SIDE, (300, 2))]


@workload
def dense_multi_index(folder):
    with tiledb.open(f"{folder}/dense") as array:
        return array.query(attrs=["class"]).multi_index[[slice(0, 99), slice(900, 999)], 500:1499]


@workload
def dense_frame(folder):
    with tiledb.open(f"{folder}/dense") as array:
        return array.query(attrs=["height"]).df[0:499, 0:1999]


@workload
def dense_aggregate(folder):
    with tiledb.open(f"{folder}/dense") as array:
        return array.query().agg({"height": ["min", "max", "mean"]})[:]


@workload
def sparse_whole(folder):
    with tiledb.open(f"{folder}/sparse") as array:
        return array.query(attrs=["depth", "quality"])[:]


@workload
def sparse_frame(folder):
    with tiledb.open(f"{folder}/sparse") as array:
        return array.query(attrs=["depth", "quality"]).df[:]


@workload
def sparse_frame_with_text(folder):
    with tiledb.open(f"{folder}/sparse") as array:
        return array.df[:]


@workload
def sparse_frame_arrow_off(folder):
    with tiledb.open(f"{folder}/sparse") as array:
        return array.query(attrs=["depth"], use_arrow=False).df[:]


@workload
def sparse_ranges(folder):
    with tiledb.open(f"{folder}/sparse") as array:
        starts = range(0, 1_000_000, 10_000)
        return array.multi_index[[slice(start, start + 100) for start in starts], :]


@workload
def sparse_small_boxes(folder):
    with tiledb.open(f"{folder}/sparse") as array:
        query = array.query(attrs=["depth"])
        return [query[start : start + 50, :] for start in range(0, 1_000_000, 10_000)]


@workload
def sparse_condition(folder):
    with tiledb.open(f"{folder}/sparse") as array:
        return array.query(cond="depth > 95 and quality < 25").df[:]


@workload
def sparse_condition_on_text(folder):
    with tiledb.open(f"{folder}/sparse") as array:
        return array.query(cond="color == 'cyan'", attrs=["depth"]).df[:]


@workload
def sparse_incomplete(folder):
    config = {"py.init_buffer_bytes": 1 << 20, "py.alloc_max_bytes": 1 << 20}
    with tiledb.open(f"{folder}/sparse", config=config) as array:
        parts = array.query(attrs=["depth"], return_incomplete=True).multi_index[:]
        return [np.asarray(part["depth"]) for part in parts]


@workload
def sparse_aggregate(folder):
    with tiledb.open(f"{folder}/sparse") as array:
        return array.query(cond="quality > 20").agg({"depth": ["sum", "mean"]})[:]


@workload
def metadata(folder):
    found = []
    for _ in range(20):
        with tiledb.open(f"{folder}/dense") as array:
            found.append(dict(array.meta.items()))
    return found


# Writes


def fresh(folder):
    uri = f"{folder}/written"
    shutil.rmtree(uri, ignore_errors=True)
    return uri


@workload
def write_from_numpy(folder):
    values = np.arange(8_000_000, dtype=np.float64).reshape(2000, 4000)
    tiledb.from_numpy(fresh(folder), values).close()


@workload
def write_dense_zstd(folder):
    uri = fresh(folder)
    dimensions = [
        tiledb.Dim(name, domain=(0, 1999), tile=500, dtype=np.int32)
        for name in ("y", "x")
    ]
    attribute = tiledb.Attr("a", dtype=np.int32, filters=zstd())
    tiledb.Array.create(uri, tiledb.ArraySchema(tiledb.Domain(*dimensions), [attribute]))
    values = np.add.outer(np.arange(2000), np.arange(2000)).astype(np.int32)
    with tiledb.open(uri, "w") as array:
        array[:] = values


@workload
def write_sparse(folder):
    uri = fresh(folder)
    tiledb.Array.create(uri, sparse_schema())
    coordinates, values = cells(np.random.default_rng(4), 300_000)
    with tiledb.open(uri, "w") as array:
        array[coordinates[0], coordinates[1]] = values


@workload
def write_from_csv(folder):
    tiledb.from_csv(fresh(folder), f"{folder}/table.csv")


@workload
def write_from_pandas(folder):
    rows = table(np.random.default_rng(5), 300_000)
    tiledb.from_pandas(fresh(folder), rows, sparse=True, index_dims=["number"])


@workload
def write_small_fragments(folder):
    uri = fresh(folder)
    tiledb.Array.create(uri, sparse_schema())
    random = np.random.default_rng(6)
    for _ in range(30):
        coordinates, values = cells(random, 100)
        with tiledb.open(uri, "w") as array:
            array[coordinates[0], coordinates[1]] = values


@workload
def consolidate(folder):
    write_small_fragments(folder)
    tiledb.consolidate(f"{folder}/written")
    tiledb.vacuum(f"{folder}/written")


@workload
def put_metadata(folder):
    uri = fresh(folder)
    tiledb.Array.create(uri, sparse_schema())
    for number in range(20):
        with tiledb.open(uri, "w") as array:
            array.meta["number"] = number


# Answers


def digest(value, into):
    """Adds a value to a digest, so that equal answers have equal ones."""
    if value is None:
        return
    if isinstance(value, pd.DataFrame):
        digest(value.reset_index().to_dict("series"), into)
    elif isinstance(value, dict):
        for key in sorted(value):
            into.update(str(key).encode())
            digest(value[key], into)
    elif isinstance(value, (list, tuple)):
        for one in value:
            digest(one, into)
    else:
        value = np.asarray(value)
        if value.dtype.hasobject:
            into.update("\n".join(map(str, value.ravel())).encode())
        else:
            into.update(np.ascontiguousarray(value).tobytes())


def answer(folder):
    for line in sys.stdin:
        run = WORKLOADS[line.strip()]
        wall, cpu = time.perf_counter(), time.process_time()
        value = run(folder)
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
        into = hashlib.sha256()
        digest(value, into)
        print(json.dumps({"wall": wall, "cpu": cpu, "digest": into.hexdigest()}), flush=True)


if __name__ == "__main__":
    folder, command = sys.argv[1:]
    if command == "list":
        print("\n".join(WORKLOADS))
    elif command == "make":
        make(folder)
    else:
        answer(folder)
