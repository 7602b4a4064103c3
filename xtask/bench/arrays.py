"""What the arrays to measure with are, and how TileDB writes one."""

from ctypes import byref, c_int, c_uint64, c_void_p

import numpy as np

import capi

SIDE, TILE = 4096, 512
SPARSE_CELLS = 10_000_000
ZSTD = [("zstd", {"level": 3})]


def dense(filters, datatype="float64"):
    dims = [{"name": n, "type": "int32", "domain": [0, SIDE - 1], "extent": TILE, "filters": []} for n in ("y", "x")]
    return dict(kind="dense", dims=dims, attrs=[{"name": "a", "type": datatype, "n": 1, "filters": filters}])


SPECS = {
    "d_zstd": dense(ZSTD, "int32"),
    "s_2d": dict(
        kind="sparse", capacity=10_000,
        dims=[{"name": n, "type": "int64", "domain": [0, 999_999], "extent": 10_000, "filters": ZSTD} for n in ("y", "x")],
        attrs=[{"name": "a", "type": "float64", "n": 1, "filters": ZSTD}],
    ),
}


def image():
    y, x = np.mgrid[0:SIDE, 0:SIDE]
    noise = np.random.default_rng(1).integers(0, 16, (SIDE, SIDE))
    return (1000 * np.sin(x / 300) * np.cos(y / 500)).astype(np.int32) + noise.astype(np.int32)


def write(lib, uri, spec, columns, layout, subarray=None):
    array = lib.open(uri, capi.WRITE)
    query = lib.new("tiledb_query_alloc", array, c_int(capi.WRITE))
    lib.call("tiledb_query_set_layout", query, c_int(capi.LAYOUT[layout]))
    if subarray:
        lib.set_subarray(array, query, spec, subarray)
    sizes = []
    for name, data in columns.items():
        parts = data if isinstance(data, dict) else {"data": data}
        for kind, part in parts.items():
            if part is not None:
                sizes.append(c_uint64(part.nbytes))
                lib.call("tiledb_query_set_%s_buffer" % kind, query, name.encode(), part.ctypes.data_as(c_void_p), byref(sizes[-1]))
    lib.call("tiledb_query_submit", query)
    lib.call("tiledb_query_finalize", query)
    lib.close(array)
