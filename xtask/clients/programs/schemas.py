"""Random schemas: as JSON, and as TileDB-Py makes them."""

import numpy as np

from programs import values
from programs.values import FLOATS, INTEGERS, TIMES, bounds, is_text, scalar

#: Filters that fit anywhere, and those that fit at the front only.
PLAIN_FILTERS = ["gzip", "zstd", "lz4", "bzip2", "bitshuffle", "byteshuffle", "md5", "sha256", "noop"]
NUMBERS_FILTERS = ["delta", "double_delta", "bit_width", "rle", "xor"]


def random_filters(rng, kind, is_fitting=True):
    """A list of filters; those that do not fit the type are rare, since both libraries refuse such arrays, tdb sooner."""
    if rng.random() < 0.45:
        return None
    front = []
    if kind in INTEGERS + TIMES:
        front = NUMBERS_FILTERS
    elif kind in FLOATS:
        front = ["rle", "xor"]
    elif kind in ("U", "ascii"):
        front = ["dictionary", "rle"]
    if not is_fitting:
        front = NUMBERS_FILTERS + ["positive_delta", "dictionary"]
    names = rng.sample(PLAIN_FILTERS + (front if not is_fitting else []), rng.randint(0, 2))
    if front and rng.random() < 0.5:
        names.insert(0, rng.choice(front))
    return [[name, rng.choice([-1, 1, 5])] for name in names]


def random_dimension(rng, name, is_sparse, count):
    kinds = INTEGERS * 2 + TIMES
    if is_sparse:
        kinds = kinds + FLOATS * 3 + ["ascii"] * 6
    kind = rng.choice(kinds)
    dim = {"name": name, "kind": kind, "filters": random_filters(rng, kind) if rng.random() < 0.3 else None}
    if kind == "ascii":
        return dict(dim, domain=None, tile=None)
    least, greatest = bounds(kind) if kind not in FLOATS else (-100, 100)
    low = max(least, rng.choice([0, 0, 1, -4, -10]))
    width = rng.randint(1, 12 if count < 3 else 5)
    high = min(low + width - 1, greatest)
    if is_sparse and rng.random() < 0.4:
        high = min(low + 10 ** rng.randint(2, 4), greatest // 2 or 1)
    tile = rng.randint(1, max(1, min(high - low + 1, greatest // 3 or 1)))
    if kind in FLOATS:
        low, high, tile = float(low), float(max(high, low + 1)), float(tile)
        tile = rng.choice([tile, tile / 2, None])
    return dict(dim, domain=[low, high], tile=tile)


def random_attribute(rng, name, enums):
    kinds = INTEGERS * 3 + FLOATS * 4 + TIMES + values.TEXTS * 5 + values.FIXED_TEXTS + values.PAIRS + ["bool"] * 2 + values.BLOBS
    kind = rng.choice(kinds)
    attr = {"name": name, "kind": kind, "nullable": rng.random() < 0.3, "fill": None, "enum": None}
    attr["var"] = kind in ("U", "S", "ascii", "blob") or (kind in INTEGERS + FLOATS + TIMES and rng.random() < 0.12)
    attr["filters"] = random_filters(rng, kind, rng.random() < 0.985)
    if enums and rng.random() < 0.4:
        attr.update(kind=rng.choice(INTEGERS), var=False, enum=rng.choice(enums)["name"], filters=None)
    elif rng.random() < 0.2 and not attr["var"] and kind not in values.PAIRS:
        attr["fill"] = values.random_value(rng, kind)
    return attr


def random_enumeration(rng, name):
    kind = rng.choice(["U", "U", "S", "int32", "float64", "int64"])
    labels = [values.random_value(rng, kind) for _ in range(8)]
    labels = list(dict.fromkeys(label for label in labels if label == label and label != ""))[: rng.randint(1, 6)]
    return {"name": name, "kind": kind, "ordered": rng.random() < 0.5, "values": labels or [values.random_value(rng, kind)]}


def random_schema(rng):
    is_sparse = rng.random() < 0.6
    count = rng.choice([1, 1, 1, 2, 2, 2, 3])
    dims = [random_dimension(rng, "d%d" % place, is_sparse, count) for place in range(count)]
    if not is_sparse:
        # Dimensions of a dense array have one type.
        kind = dims[0]["kind"]
        dims = [dict(random_dimension(rng, dim["name"], False, count), kind=kind) for dim in dims]
        for dim in dims:
            low = max(bounds(kind)[0], dim["domain"][0])
            dim.update(domain=[low, max(low, dim["domain"][1])], filters=None)
            dim["tile"] = min(dim["tile"], dim["domain"][1] - low + 1)
    enums = [random_enumeration(rng, "e%d" % place) for place in range(rng.choice([0, 0, 0, 1, 2]))]
    attrs = [random_attribute(rng, "a%d" % place, enums) for place in range(rng.randint(1, 4))]
    if len(attrs) == 1 and rng.random() < 0.2:
        attrs[0]["name"] = ""
    schema = {"sparse": is_sparse, "dims": dims, "attrs": attrs, "enums": enums, "labels": [], "current": None}
    schema["cell_order"] = rng.choice(["row-major"] * 4 + ["col-major"] * 2 + ["hilbert"] * is_sparse)
    schema["tile_order"] = rng.choice(["row-major"] * 3 + ["col-major"])
    schema["capacity"] = rng.choice([0, 2, 3, 10, 100]) if is_sparse else 0
    schema["duplicates"] = is_sparse and rng.random() < 0.35
    for name in ("coords_filters", "offsets_filters", "validity_filters"):
        schema[name] = random_filters(rng, "") if rng.random() < 0.15 else None
    if not is_sparse and rng.random() < 0.25:
        schema["labels"] = [random_label(rng, dims)]
    if rng.random() < 0.15 and all(dim["kind"] in INTEGERS for dim in dims) and not schema["labels"]:
        schema["current"] = [random_part(rng, dim) for dim in dims]
    return schema


def random_label(rng, dims):
    kind = rng.choice(["int32", "float64", "ascii", "uint64", "datetime64[D]"])
    return {"name": "l0", "dim": rng.randrange(len(dims)), "kind": kind, "order": rng.choice(["increasing", "decreasing"])}


def random_part(rng, dim):
    low, high = dim["domain"]
    first = rng.randint(low, high)
    return [first, rng.randint(first, high)]


def made_filters(tiledb, names):
    if names is None:
        return None
    plain = {
        "bitshuffle": tiledb.BitShuffleFilter,
        "byteshuffle": tiledb.ByteShuffleFilter,
        "md5": tiledb.ChecksumMD5Filter,
        "sha256": tiledb.ChecksumSHA256Filter,
        "noop": tiledb.NoOpFilter,
        "xor": tiledb.XORFilter,
        "bit_width": tiledb.BitWidthReductionFilter,
        "positive_delta": tiledb.PositiveDeltaFilter,
    }
    levels = {
        "gzip": tiledb.GzipFilter,
        "zstd": tiledb.ZstdFilter,
        "lz4": tiledb.LZ4Filter,
        "bzip2": tiledb.Bzip2Filter,
        "rle": tiledb.RleFilter,
        "delta": tiledb.DeltaFilter,
        "double_delta": tiledb.DoubleDeltaFilter,
        "dictionary": tiledb.DictionaryFilter,
    }
    made = [plain[name]() if name in plain else levels[name](level=level) for name, level in names]
    return tiledb.FilterList(made)


def dtype_of(kind):
    return kind if kind in ("ascii", "blob") else np.dtype(kind)


def made_dimension(tiledb, dim):
    kind = dim["kind"]
    filters = made_filters(tiledb, dim["filters"])
    if kind == "ascii":
        return tiledb.Dim(name=dim["name"], domain=(None, None), tile=None, dtype="ascii", filters=filters)
    low, high = (scalar(kind, value) for value in dim["domain"])
    tile = dim["tile"]
    if kind in TIMES and tile is not None:
        tile = np.timedelta64(tile, kind[11:-1])
    return tiledb.Dim(name=dim["name"], domain=(low, high), tile=tile, dtype=np.dtype(kind), filters=filters)


def made_attribute(tiledb, attr):
    more = {}
    if attr["fill"] is not None:
        fill = attr["fill"]
        more["fill"] = scalar(attr["kind"], fill) if not is_text(attr["kind"]) else fill
    if attr["enum"]:
        more["enum_label"] = attr["enum"]
    if attr["var"] and not is_text(attr["kind"]):
        more["var"] = True
    return tiledb.Attr(
        name=attr["name"],
        dtype=dtype_of(attr["kind"]),
        nullable=attr["nullable"],
        filters=made_filters(tiledb, attr["filters"]),
        **more,
    )


def made_enumeration(tiledb, enum):
    labels = enum["values"]
    if enum["kind"] == "S":
        labels = [label.encode() for label in labels]
    elif enum["kind"] != "U":
        labels = np.array(labels, dtype=enum["kind"])
    return tiledb.Enumeration(enum["name"], enum["ordered"], labels)


def made_schema(tiledb, schema):
    dims = [made_dimension(tiledb, dim) for dim in schema["dims"]]
    labels = {}
    for label in schema["labels"]:
        dim = dims[label["dim"]]
        made = dim.create_label_schema(label["order"], dtype_of(label["kind"]))
        labels.setdefault(label["dim"], {})[label["name"]] = made
    more = {name: made_filters(tiledb, schema[name]) for name in ("coords_filters", "offsets_filters", "validity_filters")}
    domain = tiledb.Domain(*dims)
    made = tiledb.ArraySchema(
        domain=domain,
        attrs=[made_attribute(tiledb, attr) for attr in schema["attrs"]],
        cell_order=schema["cell_order"],
        tile_order=schema["tile_order"],
        capacity=schema["capacity"],
        allows_duplicates=schema["duplicates"],
        sparse=schema["sparse"],
        enums=[made_enumeration(tiledb, enum) for enum in schema["enums"]] or None,
        dim_labels=labels,
        **more,
    )
    if schema["current"]:
        made.set_current_domain(made_current(tiledb, domain, schema["dims"], schema["current"]))
    return made


def made_current(tiledb, domain, dims, box):
    context = tiledb.default_ctx()
    box_made = tiledb.NDRectangle(context, domain)
    for place, ends in enumerate(box):
        kind = dims[place]["kind"]
        box_made.set_range(place, *(scalar(kind, end) for end in ends))
    current = tiledb.CurrentDomain(context)
    current.set_ndrectangle(box_made)
    return current


def shown_filters(filters):
    return [repr(filters[place]) for place in range(len(filters))]


def shown_schema(tiledb, schema):
    """All that a schema says of itself."""
    shown = {
        "sparse": schema.sparse,
        "orders": [schema.cell_order, schema.tile_order],
        "capacity": schema.capacity,
        "duplicates": schema.allows_duplicates if schema.sparse else None,
        "filters": [shown_filters(each) for each in (schema.coords_filters, schema.offsets_filters, schema.validity_filters)],
        "shape": attempt(lambda: schema.shape),
        "dims": [],
        "attrs": [],
    }
    for place in range(schema.domain.ndim):
        dim = schema.domain.dim(place)
        shown["dims"].append([dim.name, str(dim.dtype), repr(dim.domain), attempt(lambda: repr(dim.tile)), dim.isvar, shown_filters(dim.filters), repr(dim)])
    for place in range(schema.nattr):
        attr = schema.attr(place)
        fill = attempt(lambda: values.shown_item(attr.fill))
        shown["attrs"].append([attr.name, str(attr.dtype), attr.isvar, attr.isnullable, attr.isascii, attr.enum_label, fill, shown_filters(attr.filters), repr(attr)])
    current = schema.current_domain
    shown["current"] = None if current.is_empty else [repr(current.ndrectangle.range(place)) for place in range(schema.domain.ndim)]
    return shown


def attempt(ask):
    try:
        return repr(ask())
    except Exception as error:
        return "%s" % type(error).__name__
