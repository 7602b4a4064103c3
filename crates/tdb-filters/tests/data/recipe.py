"""Tiles as TileDB stores them, under random pipelines: the lines of `tiledb_tiles.txt`.

    for seed in 21 22 23 24 25; do python recipe.py $seed 40 40; done > tiledb_tiles.txt

with tiledb==0.36.1, that is TileDB 2.30.0, which now and then crashes of a pipeline and ends a run early.

A line is: datatype, values per cell (or `var`), filters, stored tile, stored offsets tile (var only),
values, offsets (var only), in hexadecimal. Those of images are by `images`. Pipelines that TileDB refuses or cannot read back are left out.
"""
import glob
import os
import random
import shutil
import sys
import tempfile

import numpy as np
import tiledb

seed, count, longest = (int(v) for v in sys.argv[1:4])
rng = random.Random(seed)
TYPES = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float32", "float64",
         "datetime_day"]


def level():
    return rng.choice([-1, 1, 3, 9])


def some_filter(var_text):
    kind = rng.choice(["gzip", "zstd", "lz4", "bzip2", "rle", "double_delta", "bit_width_reduction", "bitshuffle",
                       "byteshuffle", "positive_delta", "checksum_md5", "checksum_sha256", "scale_float", "xor",
                       "delta"] + (["dictionary"] * 3 + ["rle"] * 3 if var_text else []))
    if kind in ("gzip", "zstd", "bzip2", "lz4"):
        n = level()
        return f"{kind}:level={n}", {"gzip": tiledb.GzipFilter, "zstd": tiledb.ZstdFilter, "lz4": tiledb.LZ4Filter,
                                     "bzip2": tiledb.Bzip2Filter}[kind](n)
    if kind in ("bit_width_reduction", "positive_delta"):
        n = rng.choice([8, 64, 256, 1024, 5000])
        cls = tiledb.BitWidthReductionFilter if kind[0] == "b" else tiledb.PositiveDeltaFilter
        return f"{kind}:window={n}", cls(n)
    if kind == "scale_float":
        f, o, w = rng.choice([0.5, 1.0, 2.0, 0.001]), rng.choice([0.0, 1.0, -3.5]), rng.choice([1, 2, 4, 8])
        return f"{kind}:scale={f},offset={o},byte_width={w}", tiledb.FloatScaleFilter(factor=f, offset=o, bytewidth=w)
    plain = {"rle": tiledb.RleFilter, "double_delta": tiledb.DoubleDeltaFilter, "bitshuffle": tiledb.BitShuffleFilter,
             "byteshuffle": tiledb.ByteShuffleFilter, "checksum_md5": tiledb.ChecksumMD5Filter,
             "checksum_sha256": tiledb.ChecksumSHA256Filter, "xor": tiledb.XORFilter, "delta": tiledb.DeltaFilter,
             "dictionary": tiledb.DictionaryFilter}
    return kind, plain[kind]()


def values(name, n):
    if name.startswith("float"):
        return np.array([rng.choice([rng.randint(-60, 60), rng.randint(-200, 200) / 2]) for _ in range(n)], name)
    if name.startswith("datetime"):
        return np.array([rng.randint(0, 20000) for _ in range(n)], "int64").astype("datetime64[D]")
    info = np.iinfo(name)
    style = rng.choice(["runs", "sorted", "small", "any"])
    wide = {"runs": 3, "sorted": 90, "small": 120, "any": min(info.max, 2**62)}[style]
    low = max(info.min, -wide) if style == "any" else max(info.min, 0)
    out = [rng.randint(low, min(wide, info.max)) for _ in range(n)]
    if style == "sorted":
        out.sort()
    if style == "runs":
        out = [v for v in out for _ in range(rng.choice([1, 2, 5]))][:n]
    return np.array(out, name)


def text(value):
    return value.encode() if isinstance(value, str) else bytes(value)


def stored(path, suffix):
    found = glob.glob(f"{path}/__fragments/*/a0{suffix}.tdb")
    return open(found[0], "rb").read() if found else b""


def line(path):
    var = rng.random() < 0.3
    name = rng.choice(["string_ascii", "string_utf8"]) if var else rng.choice(TYPES)
    n = rng.choice([1, 2, 7, 8, 9, rng.randint(1, longest)])
    made = [some_filter(var) for _ in range(rng.choice([1, 1, 2, 3]))]
    filters = tiledb.FilterList([f for _, f in made])
    domain = tiledb.Domain(tiledb.Dim("d", domain=(0, n - 1), tile=n, dtype="uint64"))
    if var:
        data = np.array([rng.choice(["", "a", "bb", "ccc", "a" * rng.randint(0, 300)]) for _ in range(n)], "O")
        attr = tiledb.Attr("a", dtype="ascii" if name == "string_ascii" else "U", var=True, filters=filters)
    else:
        data = values(name, n)
        attr = tiledb.Attr("a", dtype=data.dtype, filters=filters)
    schema = tiledb.ArraySchema(domain, [attr], sparse=False, offsets_filters=tiledb.FilterList())
    tiledb.Array.create(path, schema)
    with tiledb.open(path, "w") as a:
        a[:] = data
    with tiledb.open(path) as a:
        back = a[:]["a"] if isinstance(a[:], dict) else a[:]
    lossless = not any(m[0].startswith("scale") for m in made)
    same = text if var else lambda value: value
    if lossless and not all(same(x) == same(y) for x, y in zip(back, data)):
        print("lost by TileDB:", name, [m[0] for m in made], file=sys.stderr)
        return None
    spelled = "+".join(m[0] for m in made)
    if var:
        raw = [text(s) for s in back]
        offsets = np.cumsum([0] + [len(s) for s in raw])[:-1].astype("<u8").tobytes()
        return (name, "var", spelled, stored(path, "_var").hex(), stored(path, "").hex(), b"".join(raw).hex(),
                offsets.hex())
    return name, "1", spelled, stored(path, "").hex(), "", back.tobytes().hex(), ""


written = 0
while written < count:
    path = os.path.join(tempfile.mkdtemp(), "a")
    try:
        fields = line(path)
    except tiledb.TileDBError as error:
        fields = None
    finally:
        shutil.rmtree(os.path.dirname(path))
    if fields:
        print(" ".join(f or "-" for f in fields))
        written += 1
if seed != 21:
    sys.exit()


def images():
    """Dense tiles of six rows of five pixels, in every format, with and without loss."""
    kinds = tiledb.WebpFilter.WebpInputFormat
    for kind, name, depth in [(kinds.WEBP_RGB, "rgb", 3), (kinds.WEBP_BGR, "bgr", 3), (kinds.WEBP_RGBA, "rgba", 4),
                              (kinds.WEBP_BGRA, "bgra", 4)]:
        for lossless, quality in [(True, 100.0), (False, 80.0)]:
            path = os.path.join(tempfile.mkdtemp(), "a")
            high, wide = 6, 5 * depth
            domain = tiledb.Domain(*(tiledb.Dim(n, domain=(1, e), tile=e, dtype="uint16")
                                     for n, e in (("y", high), ("x", wide))))
            webp = tiledb.WebpFilter(input_format=kind, quality=quality, lossless=lossless)
            attr = tiledb.Attr("a", dtype="uint8", filters=tiledb.FilterList([webp]))
            tiledb.Array.create(path, tiledb.ArraySchema(domain, [attr], sparse=False))
            data = np.array([[(17 * y + 3 * x * x) % 256 for x in range(wide)] for y in range(high)], "uint8")
            if depth == 4:
                data[:, 3::4] = 255 if name == "rgba" else 200
            with tiledb.open(path, "w") as a:
                a[:] = data
            with tiledb.open(path) as a:
                back = a[:]["a"] if isinstance(a[:], dict) else a[:]
            spelled = (f"webp:quality={quality},format={name},lossless={str(lossless).lower()},"
                       f"y_extent={high},x_extent={wide}")
            print("uint8", 1, spelled, stored(path, "").hex(), "-", back.tobytes().hex(), "-")


images()
