"""What is measured: every workload as data, in one place.

A workload says: `family`; `kind` (read, open, schema, metadata, aggregate, write, consolidate); `array`; `fields`; `layout`;
`boxes`, the queries of one run, each {dimension: [[lo, hi], ..]}; `where`, a test [field, operator, value]; `times`, how often
it is done in one run; `each`, whether the figure is that of one time; `latency`, whether it is all latency; `functions` of an
aggregate; `cells` and `order` of a write; `ordered`, whether the cells come in an order that both must keep; `series` and `size` where
cost is seen to grow. Of ranges that are many a box says {"every", "count"}.
"""

import random

import growth
from sizes import FULL
from specs import CODECS

DENSE, CODEC, SPARSE, FRAGMENT, AGGREGATE, OPENING, WRITING, MERGING = (
    "dense", "codecs", "sparse", "fragments", "aggregates", "opening", "writes", "consolidation"
)
GROWING = "growth"


def read(family, array, fields, layout="row", boxes=None, **more):
    made = dict(
        family=family, kind="read", array=array, fields=fields, layout=layout, boxes=boxes or [{}], times=1, each=False,
        latency=False, ordered=layout != "any", where=None,
    )
    return dict(made, **more)


def opening(array, times, kind="open", **more):
    return read(OPENING, array, [], times=times, kind=kind, latency=True, **more)


def writing(array, cells, order):
    return read(WRITING, array, [], kind="write", cells=cells, order=order)


def square(low_y, high_y, low_x, high_x):
    return {"y": [[low_y, high_y]], "x": [[low_x, high_x]]}


def tiny(side, tile):
    """A thousand small squares, each within a tile."""
    place, made = random.Random(4), []
    for _ in range(1000):
        y, x = ((place.randrange(side // tile) * tile + place.randrange(tile - 16)) for _ in range(2))
        made.append(square(y, y + 15, x, x + 15))
    return made


def workloads(size):
    side, tile, domain = size["side"], size["tile"], size["domain"]
    half, tenth, place = side // 2, domain // 10, random.Random(9)
    all_of = ["y", "x", "a"]
    aligned, misaligned = square(0, half - 1, 0, half - 1), square(100, half + 99, 100, half + 99)
    boxes = []
    for _ in range(100):
        y, x = (place.randrange(domain - domain // 100) for _ in range(2))
        boxes.append(square(y, y + domain // 100 - 1, x, x + domain // 100 - 1))
    rows = sorted(place.sample(range(domain), 100))
    one_percent = square(2 * tenth + 77, 3 * tenth + 76, 3 * tenth + 55, 4 * tenth + 54)
    quarter = square(tenth * 2, tenth * 7 - 1, tenth * 3, tenth * 8 - 1)
    made = {"read_full:%s" % name: read(DENSE, name, ["a"]) for name in ("d_raw", "d_zstd", "d_bslz4", "d_byzstd", "d_small")}
    for name in ("d_raw", "d_zstd"):
        made["read_slice_aligned:" + name] = read(DENSE, name, ["a"], boxes=[aligned])
        made["read_slice_misaligned:" + name] = read(DENSE, name, ["a"], boxes=[misaligned])
    made["read_column:d_raw"] = read(DENSE, "d_raw", ["a"], boxes=[square(0, side - 1, 1000, 1000)])
    made["read_project1of8:d_many"] = read(DENSE, "d_many", ["c"])
    made["read_full_100frag:d_frag"] = read(DENSE, "d_frag", ["a"])
    for name in ("d_raw", "d_zstd", "d_small"):
        tiles = tiny(size["middle"], size["small_tile"]) if name == "d_small" else tiny(side, tile)
        made["read_tiny_1000x16sq:" + name] = read(DENSE, name, ["a"], boxes=tiles, latency=True)
    for name in CODECS:
        made["codec:" + name] = read(CODEC, "c_" + name, ["a"])
    made["read_nullable:n_f64"] = read(DENSE, "n_f64", ["a"])
    for name in ("v_str", "v_raw", "v_dict"):
        made["read_var:" + name] = read(DENSE, name, ["s"])
    made["sparse_scan_global:s_2d"] = read(SPARSE, "s_2d", all_of, "global")
    made["sparse_scan_unordered:s_2d"] = read(SPARSE, "s_2d", all_of, "any")
    made["sparse_scan_unordered:s_2ddup"] = read(SPARSE, "s_2ddup", all_of, "any")
    made["sparse_scan_global:s_2draw"] = read(SPARSE, "s_2draw", all_of, "global")
    made["sparse_scan_rowmajor:s_2d"] = read(SPARSE, "s_2d", all_of, "row", sorts=True)
    made["sparse_scan_attr_only:s_2d"] = read(SPARSE, "s_2d", ["a"], "global")
    made["sparse_box1pct:s_2d"] = read(SPARSE, "s_2d", all_of, "any", [one_percent])
    made["sparse_box1pct:s_2ddup"] = read(SPARSE, "s_2ddup", all_of, "any", [one_percent])
    made["sparse_box25pct:s_2d"] = read(SPARSE, "s_2d", all_of, "any", [quarter])
    made["sparse_100boxes_0.01pct:s_2d"] = read(SPARSE, "s_2d", all_of, "any", boxes)
    made["sparse_multirange_100rows:s_2d"] = read(SPARSE, "s_2d", all_of, "any", [{"y": [[row, row] for row in rows]}])
    made["hilbert_scan:s_hil"] = read(SPARSE, "s_hil", all_of, "global")
    made["hilbert_scan_unordered:s_hil"] = read(SPARSE, "s_hil", all_of, "any")
    made["hilbert_box1pct:s_hil"] = read(SPARSE, "s_hil", all_of, "any", [one_percent])
    made["strdim_scan:s_str"] = read(SPARSE, "s_str", ["k", "a"], "global")
    low = size["keys"] // 3 + size["keys"] // 20
    made["strdim_range5pct:s_str"] = read(
        SPARSE, "s_str", ["k", "a"], "global", [{"k": [["probe%07d" % low, "probe%07d" % (low + size["keys"] // 20 - 1)]]}]
    )
    made["frag1000_open_read:f_1000"] = read(FRAGMENT, "f_1000", ["y", "a"], "any")
    made["frag100_interleaved_read:f_mix"] = read(FRAGMENT, "f_mix", all_of, "global", sorts=True)
    made["frag1000_open_only:f_1000"] = opening("f_1000", 1)
    made["frag1000_open_only:f_1000"]["family"] = FRAGMENT
    made["delete10_scan:s_del"] = read(SPARSE, "s_del", all_of, "global")
    # Of a normal distribution with 100 for deviation, so much is above.
    made["qc1pct_sparse:s_2d"] = read(SPARSE, "s_2d", all_of, "any", where=["a", ">", 232.6])
    made["qc1pct_dense:d_zstd"] = read(DENSE, "d_zstd", ["a"], where=["a", ">", 1000])
    made["qc1pct_dense_other_attr:d_many"] = read(DENSE, "d_many", ["b"], where=["a", ">", 1000])
    everything = ["count", "sum", "min", "max"]
    line, few = size["line"] // 8, dict(kind="aggregate", times=20, each=True, latency=True)
    made["agg_all_dense:c_zstd"] = read(AGGREGATE, "c_zstd", ["a"], functions=everything, **few)
    made["agg_all_dense_misaligned:c_zstd"] = read(AGGREGATE, "c_zstd", ["a"], boxes=[{"i": [[1000, line - 1000]]}], functions=everything, **few)
    made["agg_sum_dense_raw:c_none"] = read(AGGREGATE, "c_none", ["a"], functions=["sum"], **few)
    once = dict(few, times=1)
    made["agg_all_sparse:s_2d"] = read(AGGREGATE, "s_2d", ["a"], "any", functions=everything, **once)
    made["agg_all_sparse_dup:s_2ddup"] = read(AGGREGATE, "s_2ddup", ["a"], "any", functions=everything, **few)
    made["agg_count_sparse:s_2d"] = read(AGGREGATE, "s_2d", ["a"], "any", functions=["count"], **once)
    made["meta_1000keys_open_read_x100:m_1000"] = opening("m_1000", 100, "metadata")
    made["open_close_x500:t_one"] = opening("t_one", 500)
    made["open_read_close_x500:t_one"] = dict(opening("t_one", 500, "read"), fields=["a"], ordered=True)
    made["schema_load_x500:t_one"] = opening("t_one", 500, "schema")
    made["open_close_x100:d_many"] = opening("d_many", 100)
    made["open_close_x100:s_2d"] = opening("s_2d", 100)
    made["write_dense:d_raw"] = writing("d_raw", "d_raw", "row")
    made["write_dense:d_zstd"] = writing("d_zstd", "d_zstd", "row")
    made["write_dense:d_bslz4"] = writing("d_bslz4", "d_zstd", "row")
    made["write_dense:d_byzstd"] = writing("d_byzstd", "d_byzstd", "row")
    made["write_var:v_str"] = writing("v_str", "v_str", "row")
    made["write_sparse_unordered:s_2d"] = writing("s_2d", "points", "any")
    made["write_sparse_unordered:s_2draw"] = writing("s_2draw", "points", "any")
    made["write_sparse_global:s_2d"] = writing("s_2d", "points_sorted", "global")
    made["write_sparse_hilbert:s_hil"] = writing("s_hil", "points", "any")
    made["write_sparse_strdim:s_str"] = writing("s_str", "names", "any")
    made["consolidate100:f_mix"] = read(MERGING, "f_mix", [], kind="consolidate")
    made["consolidate100:d_frag"] = read(MERGING, "d_frag", [], kind="consolidate")
    if size is FULL:
        for name, of, count, array, changes in growth.series():
            row = dict(read(GROWING, array, [], latency=True), series="%s: %s" % (of, name), size=count)
            made["growth:%s:%s:%d" % (of, name, count)] = dict(row, ordered=changes.get("layout") != "any", **changes)
    return made
