"""The same cells in what a user might keep them in instead: `others.py FOLDER SCALE VERB ...`.

`list` prints {workload: [engine, ..]}; `make NAME...` makes the files; `run NAME ENGINE` prints a line of JSON as `suite.py` does.
Zarr is read by zarrs, HDF5 by h5py, Parquet by DuckDB here, and by arrow-rs in `tdb-bench`. One thread each.
"""

import json
import os
import sys

import numpy as np

from columns import decimals, image, points, texts
from sizes import SCALES
from timing import Runs

FOLDER, SCALE = sys.argv[1:3]
SIZE = SCALES[SCALE]
# workload: engines
WORKLOADS = {
    "read_full:d_raw": ["zarrs", "h5py"],
    "read_full:d_zstd": ["zarrs"],
    "read_full:d_byzstd": ["zarrs"],
    "read_full:d_small": ["zarrs", "h5py"],
    "read_slice_misaligned:d_raw": ["zarrs", "h5py"],
    "read_column:d_raw": ["zarrs", "h5py"],
    "read_var:v_str": ["arrow-rs"],
    "sparse_scan_unordered:s_2d": ["arrow-rs", "h5py"],
    "sparse_scan_attr_only:s_2d": ["arrow-rs", "h5py"],
    "sparse_box1pct:s_2d": ["arrow-rs", "duckdb"],
    "qc1pct_sparse:s_2d": ["arrow-rs", "h5py", "duckdb"],
    "agg_all_sparse:s_2d": ["duckdb"],
    "agg_count_sparse:s_2d": ["duckdb"],
}
SUFFIX = {"zarrs": ".zarr", "h5py": ".h5", "duckdb": ".parquet", "arrow-rs": ".parquet"}


def path_of(name, engine):
    return os.path.join(FOLDER, SCALE, "others", name.split(":")[1] + SUFFIX[engine])


def cells(array):
    side, middle = SIZE["side"], SIZE["middle"]
    made = {
        "d_raw": lambda: decimals(side, side), "d_zstd": lambda: image(side, side), "d_byzstd": lambda: decimals(side, side // 2),
        "d_small": lambda: image(middle, middle), "s_2d": lambda: points(SIZE["sparse"], SIZE["domain"], 7, True),
        "v_str": lambda: texts(SIZE["strings"], 5000),
    }
    return made[array]()


def make(name, engine):
    path, array = path_of(name, engine), name.split(":")[1]
    if os.path.exists(path):
        return
    print("making %s" % os.path.basename(path), file=sys.stderr, flush=True)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    part, tile = path + ".part", SIZE["small_tile" if array == "d_small" else "tile"]
    if engine == "zarrs":
        make_zarr(part, array, tile)
    elif engine == "h5py":
        make_hdf5(part, array, tile)
    else:
        make_parquet(part, array)
    os.rename(part, path)


def make_zarr(path, array, tile):
    import zarr
    from zarr.codecs import BloscCodec, BytesCodec, ZstdCodec

    codecs = {"d_zstd": [ZstdCodec(level=3)], "d_byzstd": [BloscCodec(cname="zstd", clevel=3, shuffle="shuffle", typesize=8)]}
    values = cells(array)
    made = zarr.create_array(path, shape=values.shape, chunks=(tile, tile), dtype=values.dtype, compressors=codecs.get(array), serializer=BytesCodec())
    made[:] = values


def make_hdf5(path, array, tile):
    import h5py

    with h5py.File(path, "w") as file:
        values = cells(array)
        if isinstance(values, dict):
            for name, column in values.items():
                file.create_dataset(name, data=column, chunks=(1 << 16,), compression="gzip", compression_opts=1, shuffle=True)
        else:
            file.create_dataset("a", data=values, chunks=(tile, tile))


def make_parquet(path, array):
    import duckdb
    import pandas

    columns = cells(array)
    if array == "v_str":
        text, offsets = columns["data"].tobytes().decode(), columns["offsets"].astype(np.int64)
        columns = {"s": [text[low:high] for low, high in zip(offsets[:-1], offsets[1:])]}
    frame = pandas.DataFrame(columns)
    duckdb.sql("copy frame to '%s' (format parquet, compression zstd)" % path)
    assert len(frame)


def work(name, engine):
    """What is timed: it says how many cells it found."""
    path, kind = path_of(name, engine), name.split(":")[0]
    if engine == "duckdb":
        return ask_duckdb(name, path)
    side = SIZE["side"]
    boxes = {"read_slice_misaligned": (slice(100, side // 2 + 100),) * 2, "read_column": (slice(None), slice(1000, 1001))}
    if engine == "zarrs":
        import zarr
        import zarrs

        assert zarrs
        zarr.config.set({"codec_pipeline.path": "zarrs.ZarrsCodecPipeline", "threading.max_workers": 1})
        return lambda: zarr.open_array(path, mode="r")[boxes.get(kind, slice(None))].size
    import h5py

    def read():
        with h5py.File(path, "r") as file:
            if name.endswith(":s_2d"):
                columns = {field: file[field][:] for field in (["a"] if "attr_only" in kind else ["y", "x", "a"])}
                if kind.startswith("qc1pct"):
                    fits = columns["a"] > 232.6
                    columns = {field: values[fits] for field, values in columns.items()}
                return len(columns["a"])
            return file["a"][boxes.get(kind, slice(None))].size

    return read


def ask_duckdb(name, path):
    import duckdb

    tenth = SIZE["domain"] // 10
    connection = duckdb.connect(config={"threads": 1})
    box = "y between %d and %d and x between %d and %d" % (2 * tenth + 77, 3 * tenth + 76, 3 * tenth + 55, 4 * tenth + 54)
    question = {
        "sparse_box1pct:s_2d": "select y, x, a from '%s' where " + box, "qc1pct_sparse:s_2d": "select y, x, a from '%s' where a > 232.6",
        "agg_all_sparse:s_2d": "select count(*), sum(a), min(a), max(a) from '%s'", "agg_count_sparse:s_2d": "select count(*) from '%s'",
    }[name] % path
    if name.startswith("agg"):
        return lambda: len(connection.execute(question).fetchall())
    return lambda: len(connection.execute(question).fetchnumpy()["a"])


def main():
    verb, rest = sys.argv[3], sys.argv[4:]
    if verb == "list":
        answer = WORKLOADS
    elif verb == "make":
        for name in rest:
            for engine in WORKLOADS.get(name, []):
                make(name, engine)
        answer = {}
    else:
        name, engine = rest
        runs, once = Runs(), work(name, engine)
        once()
        answer = runs.take(1, once)
    print(json.dumps(answer), flush=True)
    os._exit(0)


main()
