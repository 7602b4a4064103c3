"""Random tables of Arrow: columns of every type that an array has, and their values as numbers, text and bytes."""

import math
import string
import struct

import pyarrow as pa

WORDS = ["", "a", "b", "Zürich", "two words", 'quo"ted', "com,ma", "semi;colon", "line\nfeed", "tab\tbed", "NaN", "null", "1e", "#", " padded ", "日本", "'", "\\"]
LABELS = ["low", "middling", "high", "Zürich", "two words", "com,ma", "none of them"]
UNITS = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
# The largest that a column of so many digits behind the second still counts in 64 bits: years 1700 to 2250.
SECONDS = (-8_520_336_000, 8_835_984_000)
LEAP_DAY = 11_016


def whole(random_, rows, bits, signed):
    least, greatest = (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)
    style = random_.choice(["few", "any", "ends"])
    if style == "few":
        return [random_.randint(max(least, -3), 3) for _ in range(rows)]
    if style == "any":
        return [random_.randint(least, greatest) for _ in range(rows)]
    return [random_.choice([least, greatest, 0, random_.randint(max(least, -100), 100)]) for _ in range(rows)]


def narrow(value):
    """The nearest float of 32 bits."""
    try:
        return struct.unpack("<f", struct.pack("<f", value))[0]
    except OverflowError:
        return math.copysign(math.inf, value)


def real(random_, rows, bits):
    style = random_.choice(["eighths", "tenths", "any", "special"])
    if style == "eighths":
        values = [random_.randint(-40, 40) / 8 for _ in range(rows)]
    elif style == "tenths":
        values = [random_.randint(-40, 40) / 10 for _ in range(rows)]
    else:
        power = random_.randint(-12, 12)
        values = [random_.gauss(0, 1) * 10.0**power for _ in range(rows)]
    if style == "special":
        special = [math.nan, math.inf, -math.inf, 0.0, -0.0, 5e-324 if bits == 64 else 2.0**-149]
        special = random_.sample(special, random_.randint(1, len(special)))
        values = [random_.choice(special) if random_.random() < 0.2 else value for value in values]
    return [narrow(value) for value in values] if bits == 32 else values


def text(random_, rows):
    if random_.random() < 0.6:
        words = random_.sample(WORDS, random_.randint(1, len(WORDS)))
        return [random_.choice(words) for _ in range(rows)]
    letters = string.ascii_letters + string.digits + " ,;\"'\n\r\täß漢😀"
    return ["".join(random_.choices(letters, k=random_.randint(0, 20))) for _ in range(rows)]


def ticks(random_, rows, of_second):
    """Dates and times, in so many parts of a second each."""
    low, high = (end * of_second for end in SECONDS)
    style = random_.choice(["few", "any", "days"])
    if style == "few":
        some = [random_.randint(low, high) for _ in range(4)] + [0, -1]
        return [random_.choice(some) for _ in range(rows)]
    if style == "any":
        return [random_.randint(low, high) for _ in range(rows)]
    days = [random_.choice([LEAP_DAY, random_.randint(-90_000, 90_000)]) for _ in range(rows)]
    return [day * 86_400 * of_second for day in days]


def blob(random_, rows, size=None):
    return [random_.randbytes(random_.randint(0, 6) if size is None else size) for _ in range(rows)]


def lists(random_, rows, values, size=None):
    found = []
    for _ in range(rows):
        found.append(values(random_, random_.randint(0, 4) if size is None else size))
    return found


def labels(random_, rows):
    some = random_.sample(LABELS, random_.randint(1, len(LABELS)))
    return [random_.choice(some) for _ in range(rows)]


def plain(type_, make, *more):
    return lambda random_, rows: (type_, make(random_, rows, *more))


# What makes the type and the values of a column, without nulls.
KINDS = {
    **{"int%d" % bits: plain(getattr(pa, "int%d" % bits)(), whole, bits, True) for bits in (8, 16, 32, 64)},
    **{"uint%d" % bits: plain(getattr(pa, "uint%d" % bits)(), whole, bits, False) for bits in (8, 16, 32, 64)},
    "float32": plain(pa.float32(), real, 32),
    "float64": plain(pa.float64(), real, 64),
    "bool": plain(pa.bool_(), lambda random_, rows: [random_.random() < 0.5 for _ in range(rows)]),
    "text": plain(pa.string(), text),
    "date": plain(pa.date32(), lambda random_, rows: [random_.choice([0, -1, LEAP_DAY, random_.randint(-99_000, 99_000)]) for _ in range(rows)]),
    **{"moment_" + unit: plain(pa.timestamp(unit), ticks, of) for unit, of in UNITS.items()},
    **{"length_" + unit: plain(pa.duration(unit), ticks, of) for unit, of in UNITS.items()},
    "labels": lambda random_, rows: (pa.dictionary(random_.choice([pa.int8(), pa.int16(), pa.int32()]), pa.string()), labels(random_, rows)),
}
# Of these nothing is worked out, but files have them.
FURTHER = {
    "large_text": plain(pa.large_string(), text),
    "bytes": plain(pa.binary(), blob),
    "four_bytes": plain(pa.binary(4), blob, 4),
    "three_numbers": plain(pa.list_(pa.int16(), 3), lists, lambda r, n: whole(r, n, 16, True), 3),
    "numbers": plain(pa.large_list(pa.float64()), lists, lambda r, n: [r.randint(-9, 9) / 4 for _ in range(n)]),
    "list": plain(pa.list_(pa.int32()), lists, lambda r, n: whole(r, n, 32, True)),
    "date_ms": plain(pa.date64(), lambda random_, rows: [86_400_000 * random_.randint(-99_000, 99_000) for _ in range(rows)]),
    "clock_s": plain(pa.time32("s"), lambda random_, rows: [random_.randrange(86_400) for _ in range(rows)]),
    "clock_us": plain(pa.time64("us"), lambda random_, rows: [random_.randrange(86_400 * 10**6) for _ in range(rows)]),
    "half": plain(pa.float16(), lambda random_, rows: [random_.choice([random_.randint(-99, 99) / 8, -0.0, math.inf, math.nan]) for _ in range(rows)]),
    "zoned": plain(pa.timestamp("us", "Europe/Zurich"), ticks, 10**6),
}

# What columns of unique values there can be, for dimensions.
KEYS = {
    "int64": (pa.int64(), lambda n: n),
    "int16": (pa.int16(), lambda n: n),
    "float64": (pa.float64(), lambda n: n / 4),
    "text": (pa.string(), lambda n: "k%05d" % (n + 10_000)),
    "date": (pa.date32(), lambda n: n),
    "moment_ms": (pa.timestamp("ms"), lambda n: n * 1_234_567),
}


def array_of(type_, values):
    """Values as numbers, text and bytes, as an array of this type."""
    if pa.types.is_dictionary(type_):
        found = pa.array(values, pa.string()).dictionary_encode()
        return found.cast(type_)
    if pa.types.is_date32(type_) or pa.types.is_time32(type_):
        return pa.array(values, pa.int32()).view(type_)
    if pa.types.is_temporal(type_):
        return pa.array(values, pa.int64()).view(type_)
    if pa.types.is_float16(type_):
        return pa.array(values, pa.float32()).cast(type_)
    return pa.array(values, type_)


def table(random_, rows, kinds, keys=KEYS):
    """A table: `key`, all of whose cells differ, whole numbers `count`, and a column of each of these kinds, some with nulls."""
    key_type, key = keys[random_.choice(sorted(keys))]
    numbers = random_.sample(range(-2_000, max(rows, 2_000)), rows)
    columns = {"key": array_of(key_type, [key(n) for n in numbers])}
    columns["count"] = pa.array([random_.randint(-1_000, 1_000) for _ in range(rows)], pa.int64())
    for kind in kinds:
        type_, values = {**KINDS, **FURTHER}[kind](random_, rows)
        nulls = random_.choice([0, 0, 0.2, 0.9])
        if nulls:
            values = [None if random_.random() < nulls else value for value in values]
        columns[kind] = array_of(type_, values)
    return pa.table(columns)


def stored(column):
    """The values of a column: dates and times as their ticks, labels as text."""
    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    if pa.types.is_date32(column.type) or pa.types.is_time32(column.type):
        column = column.view(pa.int32())
    elif pa.types.is_temporal(column.type):
        column = column.view(pa.int64())
    elif pa.types.is_float16(column.type):
        column = column.cast(pa.float32())
    return column.to_pylist()


def where(random_, table):
    """A condition that some rows meet, as arguments; and those rows."""
    least = random_.randint(-1_200, 1_000)
    rows = [row for row, count in enumerate(table.column("count").to_pylist()) if count > least]
    return ["--where", "count > %d" % least], table.take(pa.array(rows, pa.int64()))


def in_order(table):
    """The rows as a sparse array of one dimension has them."""
    cells = stored(table.column("key"))
    return table.take(sorted(range(table.num_rows), key=cells.__getitem__))
