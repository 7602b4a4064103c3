"""What the arrays are, in the words of `capi.py`."""

from sizes import CAPACITY, EXTENT

ZSTD, SHUFFLED = [("zstd", {"level": 3})], ["byteshuffle", ("zstd", {"level": 3})]
# The filters of offsets and of validity where a schema says nothing.
USUAL = {"offsets": ["zstd"], "validity": ["rle"]}
# name: (type, filters, which numbers)
CODECS = {
    "none": ("int64", [], "small"),
    "dd": ("int64", ["double_delta"], "times"),
    "delta": ("int64", ["delta"], "walk"),
    "deltazstd": ("int64", ["delta", ("zstd", {"level": 3})], "walk"),
    "posdelta": ("int64", ["positive_delta"], "rising"),
    "posdeltabw": ("int64", ["positive_delta", "bit_width_reduction"], "rising"),
    "rle": ("int64", ["rle"], "runs"),
    "bitwidth": ("int64", ["bit_width_reduction"], "words"),
    "byteshuffle": ("float64", ["byteshuffle"], "decimals"),
    "bitshuffle": ("float64", ["bitshuffle"], "decimals"),
    "xor": ("float64", ["xor"], "decimals"),
    "lz4": ("int64", ["lz4"], "small"),
    "zstd": ("int64", ZSTD, "small"),
    "gzip": ("int64", ["gzip"], "small"),
    "bzip2": ("int64", ["bzip2"], "small"),
    "sha256": ("int64", ["checksum_sha256"], "small"),
    "md5": ("int64", ["checksum_md5"], "small"),
    "aes": ("int64", [], "small"),
    "fscale": ("float64", [("scale_float", {"byte_width": 4, "scale": 0.01, "offset": 0.0})], "decimals"),
}


def dimension(name, datatype, low, high, extent, filters=()):
    return {"name": name, "type": datatype, "domain": [low, high], "extent": extent, "filters": list(filters)}


def attribute(name, datatype, filters, n=1, nullable=False):
    return dict({"name": name, "type": datatype, "n": n, "filters": filters}, **({"nullable": True} if nullable else {}))


def grid(rows, columns, tile, filters, datatype, attributes=("a",)):
    tile = tile if isinstance(tile, tuple) else (tile, tile)
    dims = [dimension("y", "int32", 0, rows - 1, tile[0]), dimension("x", "int32", 0, columns - 1, tile[1])]
    return dict(kind="dense", dims=dims, attrs=[attribute(name, datatype, filters) for name in attributes])


def line(cells, tile, attr, **more):
    return dict(kind="dense", dims=[dimension("i", "int64", 0, cells - 1, tile)], attrs=[attr], **more)


def plane(domain, filters, datatype="float64", **more):
    dims = [dimension(name, "int64", 0, domain - 1, EXTENT, filters) for name in ("y", "x")]
    # Dimensions without filters have those of coordinates, which are some where nobody says otherwise.
    more.setdefault("coords", filters)
    return dict(kind="sparse", capacity=CAPACITY, dims=dims, attrs=[attribute("a", datatype, filters)], **more)


def specs(size):
    side, middle, strings = size["side"], size["middle"], size["strings"]
    made = {
        "d_raw": grid(side, side, size["tile"], [], "float64"),
        "d_zstd": grid(side, side, size["tile"], ZSTD, "int32"),
        "d_bslz4": grid(side, side, size["tile"], ["bitshuffle", "lz4"], "int32"),
        "d_byzstd": grid(side, side // 2, size["tile"], SHUFFLED, "float64"),
        "d_small": grid(middle, middle, size["small_tile"], [], "int32"),
        "d_many": grid(middle, middle, size["tile"], SHUFFLED, "int32", "abcdefgh"),
        "d_frag": grid(100 * size["band"], size["width"], (size["band"], size["across"]), SHUFFLED, "int32"),
        "v_str": line(strings, size["string_tile"], attribute("s", "string_utf8", ZSTD, "var"), offsets=["double_delta"] + ZSTD),
        "v_raw": line(strings, size["string_tile"], attribute("s", "string_utf8", [], "var")),
        "v_dict": line(strings, size["string_tile"], attribute("s", "string_utf8", ["dictionary"], "var")),
        "n_f64": line(size["line"] // 8, 1 << 17, attribute("a", "float64", ZSTD, nullable=True)),
        "s_2d": plane(size["domain"], ZSTD),
        "s_2ddup": plane(size["domain"], ZSTD, dups=True),
        "s_2draw": plane(size["domain"], []),
        "s_hil": plane(size["domain"], ZSTD, cell_order="hilbert"),
        "s_str": dict(
            kind="sparse", capacity=CAPACITY, offsets=["double_delta"] + ZSTD,
            dims=[{"name": "k", "type": "string_ascii", "filters": ZSTD}], attrs=[attribute("a", "int64", ZSTD)],
        ),
        "f_1000": dict(
            kind="sparse", capacity=1000, dims=[dimension("y", "int64", 0, 999_999, 1000, ZSTD)], attrs=[attribute("a", "int64", ZSTD)]
        ),
        "f_mix": plane(size["domain"], ZSTD),
        "s_del": plane(size["domain"], ZSTD, "int32"),
        "m_1000": line(10, 10, attribute("a", "int32", [])),
        "t_one": line(100, 10, attribute("a", "int32", [])),
    }
    for name, (datatype, filters, _) in CODECS.items():
        cells = size["bzip2" if name == "bzip2" else "line"] // 8
        made["c_" + name] = line(cells, 1 << 17, attribute("a", datatype, filters))
    return made
