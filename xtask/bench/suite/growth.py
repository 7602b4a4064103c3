"""How cost grows: the same workload on arrays ten times as large, again and again. Full size only; no limits."""

import os
import uuid

import numpy as np

from columns import image, points
from specs import ZSTD, attribute, dimension, line, plane

CELLS = [10**5, 10**6, 10**7, 10**8]
# Of ten times as many cells, TileDB's query stays incomplete within its memory, and writing them takes five minutes each time.
SPARSE = [10**5, 10**6, 10**7]
FRAGMENTS = [1, 10, 100, 1000, 10**4, 10**5]
RANGES = [1, 10, 100, 1000, 10**4, 10**5, 10**6]
# Cells of the sparse array whose ranges are asked for. It has as many rows, so that no two ranges touch.
WIDE = 10**7
ATTRIBUTES = [1, 10, 100, 1000]
KEYS = [10, 100, 1000, 10**4, 10**5]
# So many fragments are written; more are the same files under other names.
WRITTEN = 1000
DOMAIN = 1_000_000
# Times of fragments are counted from here, so that all have as many digits: TileDB takes the first and the last name in the order of the
# alphabet for the first and the last time where it consolidates commits.
START = 1_000_000


def series():
    """[(name of the series, what grows, size, array, changes to a read)]."""
    made = []
    for count in CELLS:
        made.append(("dense read", "cells", count, "g_line_%d" % count, dict(fields=["a"])))
    for count in SPARSE:
        made.append(("sparse read", "cells", count, "g_plane_%d" % count, dict(fields=["y", "x", "a"], layout="any")))
        made.append(("sparse write", "cells", count, "g_plane_%d" % count, dict(kind="write", cells="g_points_%d" % count, order="any")))
    for count in FRAGMENTS:
        box = {"y": [[0, DOMAIN // 100 - 1]]}
        made.append(("open", "fragments", count, "g_frag_%d" % count, dict(kind="open")))
        made.append(("read of 1 %", "fragments", count, "g_frag_%d" % count, dict(fields=["y", "a"], layout="any", boxes=[box])))
    for count in RANGES:
        made.append(("dense ranges", "ranges", count, "g_line_%d" % CELLS[2], dict(fields=["a"], boxes=[spread("i", CELLS[2], count)])))
        rows = dict(fields=["y", "x", "a"], layout="any", boxes=[spread("y", WIDE, count)])
        made.append(("sparse ranges", "ranges", count, "g_wide_%d" % WIDE, rows))
    for count in ATTRIBUTES:
        made.append(("open", "attributes", count, "g_attrs_%d" % count, dict(kind="open", times=20, each=True)))
        made.append(("read of one", "attributes", count, "g_attrs_%d" % count, dict(fields=["a0"], times=20, each=True)))
    for count in KEYS:
        made.append(("open and read", "metadata keys", count, "g_meta_%d" % count, dict(kind="metadata")))
    return made


def spread(dimension, size, count):
    """Ranges of one value each, evenly over a domain; whoever asks makes them."""
    return {dimension: {"every": size // count, "count": count}}


def specs():
    made = {"g_line_%d" % count: line(count, min(count, 1 << 17), attribute("a", "int32", ZSTD)) for count in CELLS}
    made.update({"g_plane_%d" % count: plane(DOMAIN, ZSTD) for count in SPARSE})
    made["g_wide_%d" % WIDE] = plane(WIDE, ZSTD)
    for count in FRAGMENTS:
        made["g_frag_%d" % count] = dict(
            kind="sparse", capacity=1000, dups=True, dims=[dimension("y", "int64", 0, DOMAIN - 1, 1000, ZSTD)], attrs=[attribute("a", "int64", ZSTD)]
        )
    for count in ATTRIBUTES:
        dims = [dimension("i", "int64", 0, 999, 1000)]
        made["g_attrs_%d" % count] = dict(kind="dense", dims=dims, attrs=[attribute("a%d" % at, "int32", ZSTD) for at in range(count)])
    made.update({"g_meta_%d" % count: line(10, 10, attribute("a", "int32", [])) for count in KEYS})
    return made


def cells(name):
    """The columns of such an array, or of a write."""
    kind, count = name.split("_")[1:]
    count = int(count)
    if kind == "line":
        return {"a": image(count // 1000, 1000).reshape(-1)}
    if kind in ("plane", "points"):
        return points(count, DOMAIN, 17, kind == "plane")
    if kind == "wide":
        return points(count, count, 17, True)
    if kind == "attrs":
        return {"a%d" % at: np.arange(1000, dtype=np.int32) + at for at in range(count)}
    return {"a": np.arange(10, dtype=np.int32)}


def make_fragments(lib, path, spec, count, write):
    """Some fragments by TileDB, and more by linking their files under later names."""
    random = np.random.default_rng(3)
    for number in range(1, min(count, WRITTEN) + 1):
        y = np.unique(random.integers(0, DOMAIN, 10))
        write(lib, path, spec, {"y": y, "a": y * 3 + number}, "global", at=START + number)
    folder, commits = os.path.join(path, "__fragments"), os.path.join(path, "__commits")
    written = sorted(os.listdir(folder), key=lambda name: int(name.split("_")[2]))
    for number in range(WRITTEN + 1, count + 1):
        known, at = written[(number - 1) % WRITTEN], START + number
        name = "__%d_%d_%s_%s" % (at, at, uuid.UUID(int=at).hex, known.rsplit("_", 1)[1])
        os.mkdir(os.path.join(folder, name))
        for file in os.listdir(os.path.join(folder, known)):
            os.link(os.path.join(folder, known, file), os.path.join(folder, name, file))
        os.link(os.path.join(commits, known + ".wrt"), os.path.join(commits, name + ".wrt"))


def metadata(count):
    return {"key_%06d" % at: ("int64", [at]) for at in range(count)}
