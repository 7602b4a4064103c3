"""TileDB makes the arrays that are read, and the cells that are written are put into files; each once."""

import os
import shutil
import sys

import numpy as np
from ctypes import byref, c_int, c_uint64, c_void_p

import capi
import growth
from columns import decimals, image, names, numbers, points, texts
from sizes import DELETES, FRAGMENTS, KEYS, MIXED, SECRET
from specs import CODECS, specs

# Raised when the arrays are no longer what they were.
RECIPE = 2


def settings(array):
    if array != "c_aes":
        return {}
    return {"sm.encryption_type": "AES_256_GCM", "sm.encryption_key": SECRET}


def once(path, work):
    """Has `work` make a folder, unless it is there as this recipe makes it; nobody sees half of it."""
    mark = path + ".recipe"
    if os.path.exists(mark) and open(mark).read() == str(RECIPE):
        return
    print("making %s" % os.path.basename(path), file=sys.stderr, flush=True)
    part = path + ".part"
    for old in (path, part):
        shutil.rmtree(old, ignore_errors=True)
    work(part)
    os.rename(part, path)
    with open(mark, "w") as file:
        file.write(str(RECIPE))


def write(lib, uri, spec, columns, layout, subarray=None, at=None):
    """One fragment of numpy columns; a column of several parts is {"data", "offsets", "validity"}."""
    array = lib.open(uri, capi.WRITE, at)
    query = lib.new("tiledb_query_alloc", array, c_int(capi.WRITE))
    lib.call("tiledb_query_set_layout", query, c_int(capi.LAYOUT[layout]))
    if subarray:
        lib.set_subarray(array, query, spec, subarray)
    kept = []
    for name, data in columns.items():
        for kind, part in (data if isinstance(data, dict) else {"data": data}).items():
            # TileDB takes where each cell begins, without the end.
            part = part[:-1] if kind == "offsets" else part
            kept.append((part, c_uint64(part.nbytes)))
            lib.call("tiledb_query_set_%s_buffer" % kind, query, name.encode(), part.ctypes.data_as(c_void_p), byref(kept[-1][1]))
    lib.call("tiledb_query_submit", query)
    lib.call("tiledb_query_finalize", query)
    lib.c.tiledb_query_free(byref(query))
    lib.close(array)


def whole(spec):
    return [list(dim["domain"]) for dim in spec["dims"]]


def make_array(library, name, path, size):
    """The array `name` as TileDB writes it."""
    lib = capi.Library(library, dict({"sm.mem.total_budget": 10 << 30}, **settings(name)))
    spec = dict(specs(size), **growth.specs())[name]
    lib.create(path, spec)
    if name.startswith("g_frag_"):
        return growth.make_fragments(lib, path, spec, int(name[7:]), write)
    if name == "f_1000":
        random = np.random.default_rng(3)
        for at in range(1, FRAGMENTS + 1):
            y = np.unique(random.integers(0, 1_000_000, size["piece"]))
            write(lib, path, spec, {"y": y, "a": y * 3 + at}, "global", at=at)
    elif name == "f_mix":
        for at in range(1, MIXED + 1):
            write(lib, path, spec, points(size["mixed"], size["domain"], at, True), "global", at=at)
    elif name == "d_frag":
        values, band = image(100 * size["band"], size["width"]), size["band"]
        for at in range(1, 101):
            rows = [(at - 1) * band, at * band - 1]
            write(lib, path, spec, {"a": values[rows[0] : rows[1] + 1]}, "row", [rows, [0, size["width"] - 1]], at)
    else:
        columns = cells(name, size)
        is_dense = spec["kind"] == "dense"
        layout = "row" if is_dense else "any" if name == "s_hil" else "global"
        write(lib, path, spec, columns, layout, whole(spec) if is_dense else None, at=1)
    for number in range(DELETES if name == "s_del" else 0):
        lib.delete(path, spec, 2 + number, ("a", "=", number * 97))
    if name.startswith("g_meta_"):
        lib.put_metadata(path, 2, growth.metadata(int(name[7:])))
    if name == "m_1000":
        lib.put_metadata(path, 2, {"key_%04d" % i: ("int64", [i]) if i % 2 else ("string_utf8", b"the value of %d" % i) for i in range(KEYS)})


def cells(name, size):
    """The columns of one write."""
    side, middle = size["side"], size["middle"]
    if name.startswith("g_"):
        return growth.cells(name)
    if name.startswith("c_"):
        kind = CODECS[name[2:]][2]
        return {"a": numbers(kind, size["bzip2" if name == "c_bzip2" else "line"] // 8)}
    if name == "d_raw":
        return {"a": decimals(side, side)}
    if name in ("d_zstd", "d_bslz4"):
        return {"a": image(side, side)}
    if name == "d_byzstd":
        return {"a": decimals(side, side // 2)}
    if name == "d_small":
        return {"a": image(middle, middle)}
    if name == "d_many":
        return {attr: image(middle, middle, seed) for seed, attr in enumerate("abcdefgh")}
    if name.startswith("v_"):
        return {"s": texts(size["strings"], 200 if name == "v_dict" else 5000)}
    if name == "n_f64":
        count, random = size["line"] // 8, np.random.default_rng(2)
        return {"a": {"data": np.round(random.normal(0, 100, count), 1), "validity": (random.random(count) < 0.9).astype(np.uint8)}}
    if name in ("s_str", "names"):
        return names(size["keys"], name == "s_str")
    if name in ("points", "points_sorted"):
        return points(size["written"], size["domain"], 11, name == "points_sorted")
    if name in ("s_hil", "s_del"):
        made = points(size["hilbert"], size["domain"], 7, True)
        if name == "s_del":
            made["a"] = np.random.default_rng(1).integers(0, 1000, size["hilbert"]).astype(np.int32)
        return made
    if name in ("t_one", "m_1000"):
        return {"a": np.arange(100 if name == "t_one" else 10, dtype=np.int32)}
    return points(size["sparse"], size["domain"], 7, True)


def make_cells(name, path, size):
    """The columns of a write as files of raw values, which both engines read before the clock starts."""
    os.makedirs(path)
    for field, parts in cells(name, size).items():
        for kind, part in (parts if isinstance(parts, dict) else {"data": parts}).items():
            np.ascontiguousarray(part).tofile(os.path.join(path, field + ("" if kind == "data" else "." + kind)))


def load_cells(path, spec):
    """Such columns again."""
    found = {}
    for field in spec["dims"] + spec["attrs"]:
        file = os.path.join(path, field["name"])
        if os.path.exists(file):
            parts = found[field["name"]] = {"data": np.fromfile(file, dtype=np.uint8)}
            if os.path.exists(file + ".offsets"):
                parts["offsets"] = np.fromfile(file + ".offsets", dtype=np.uint64)
            if os.path.exists(file + ".validity"):
                parts["validity"] = np.fromfile(file + ".validity", dtype=np.uint8)
    return found
