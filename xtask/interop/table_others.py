"""Files as others make them, at the edges of types: dictionaries of every type with narrow indexes over several row groups, each compression
of Parquet, structs, keys from one end of their type to the other, the index of pandas that is a range, arrays of JSON, numbers that
no float is, bytes among texts, and lengths of days and weeks. What is read back is compared with what pyarrow, pandas, numpy and
Python's json read.
"""

import decimal
import json

import numpy
import pandas
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet

import random_tables
from table_judge import number

COMPRESSIONS = ["none", "snappy", "gzip", "zstd", "lz4", "brotli"]


def labels_of(random_, type_, many):
    """Values of a type, each once."""
    if pa.types.is_boolean(type_):
        values = [True, False]
    elif pa.types.is_fixed_size_binary(type_):
        values = [b"%04d" % n for n in range(many)]
    elif pa.types.is_decimal(type_):
        values = [decimal.Decimal(n * 25) / 100 for n in range(many)]
    elif pa.types.is_string(type_) or pa.types.is_large_string(type_):
        values = ["label %d" % n for n in range(many)]
    elif pa.types.is_binary(type_):
        values = [b"bytes %d" % n for n in range(many)]
    elif pa.types.is_floating(type_):
        values = [n / 4 for n in range(many)]
    elif pa.types.is_int8(type_):
        values = [n - 128 for n in range(min(many, 256))]
    else:
        values = list(range(many))
    random_.shuffle(values)
    return values


LABELS = [
    pa.bool_(), pa.binary(4), pa.float16(), pa.float32(), pa.float64(), pa.decimal128(9, 2), pa.string(), pa.large_string(), pa.binary(),
    pa.int8(), pa.int32(), pa.int64(), pa.uint16(), pa.date32(), pa.timestamp("us"),
]


def typed(type_, values):
    return random_tables.array_of(type_, values)


def dictionaries(random_, judge):
    """A column of labels, whose row groups have labels of their own: together more than the index counts, at times."""
    type_ = random_.choice(LABELS)
    index = random_.choice([pa.int8(), pa.uint8(), pa.int16(), pa.int32()])
    groups = random_.choice([1, 2, 3])
    many = random_.choice([3, 60, 100])
    values = labels_of(random_, type_, many * groups)
    parts = [values[n::groups] or values[:1] for n in range(groups)]
    rows = [[random_.choice(part) if random_.random() < 0.9 else None for _ in part] for part in parts]
    if random_.random() < 0.3:
        rows = [[random_.choice(part) for _ in part] for part in parts]
    chunks = []
    for cells in rows:
        distinct = sorted({cell for cell in cells if cell is not None}, key=values.index)
        indexes = pa.array([None if cell is None else distinct.index(cell) for cell in cells], index)
        chunks.append(pa.DictionaryArray.from_arrays(indexes, typed(type_, distinct)))
    plain = [cell for cells in rows for cell in cells]
    wanted = pa.table({"key": pa.array(range(len(plain)), pa.int64()), "count": pa.array(range(len(plain)), pa.int64()), "c": typed(type_, plain)})
    file, array, out = judge.path("labels.parquet"), judge.path("labels"), judge.path("labels.feather")
    begins, first = None, 0
    for chunk in chunks:
        part = wanted.slice(first, len(chunk)).set_column(2, "c", chunk)
        begins = begins or pyarrow.parquet.ParquetWriter(file, part.schema, compression=random_.choice(COMPRESSIONS), data_page_version=random_.choice(["1.0", "2.0"]))
        begins.write_table(part)
        first += len(chunk)
    begins.close()
    is_decimal = pa.types.is_decimal(type_)
    judge.tdb("import", file, array, "--dim", "key", *(["--type", "c=float64"] if is_decimal else []))
    again = judge.path("labels again")
    judge.tdb("read", array, "-o", judge.path("own.parquet"))
    judge.tdb("import", judge.path("own.parquet"), again)
    wanted = judge.remembered(wanted)
    for place in (array, again):
        judge.tdb("read", place, "-o", out)
        found = pyarrow.feather.read_table(out)
        cells = [float(cell) if is_decimal and cell is not None else cell for cell in random_tables.stored(wanted.column("c"))]
        judge.same("labels of %s by %s" % (type_, index), random_tables.stored(found.column("c")), cells)
        judge.same("labels of %s, count" % type_, random_tables.stored(found.column("count")), random_tables.stored(wanted.column("count")))


def structs(random_, judge):
    """A struct, in one at times, whose members become columns."""
    rows = random_.choice([1, 5, 40])
    some = lambda make: [None if random_.random() < 0.2 else make() for _ in range(rows)]
    inner = pa.StructArray.from_arrays([pa.array(some(lambda: random_.randint(-9, 9)), pa.int32()), pa.array(some(lambda: random_.choice("abc")))], ["n", "t"], mask=pa.array([random_.random() < 0.2 for _ in range(rows)]))
    outer = pa.StructArray.from_arrays([inner, pa.array(some(random_.random), pa.float64())], ["in", "f"], mask=pa.array([random_.random() < 0.2 for _ in range(rows)]))
    table = pa.table({"key": list(range(rows)), "count": list(range(rows)), "s": outer})
    is_parquet = random_.random() < 0.5
    file = judge.path("structs." + ("parquet" if is_parquet else "arrow"))
    if is_parquet:
        pyarrow.parquet.write_table(table, file, compression=random_.choice(COMPRESSIONS), row_group_size=random_.choice([3, 100]))
    else:
        pyarrow.feather.write_feather(table, file)
    array, out = judge.path("structs"), judge.path("structs.out.arrow")
    judge.refused("structs", "--flatten", "import", file, array, "--dim", "key")
    judge.tdb("import", file, array, "--dim", "key", "--flatten")
    judge.tdb("read", array, "-o", out)
    found = pyarrow.feather.read_table(out)
    wanted = judge.remembered(table.flatten().flatten())
    for name in wanted.column_names:
        judge.same("structs, " + name, random_tables.stored(found.column(name)), random_tables.stored(wanted.column(name)))


def ends(random_, judge):
    """Keys from one end of their type to the other, or at an end alone."""
    code = random_.choice(["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "M8[ns]", "M8[us]"])
    type_ = numpy.dtype(code)
    is_date = type_.kind == "M"
    limits = numpy.iinfo("i8" if is_date else type_)
    low, high = int(limits.min) + is_date, int(limits.max)
    between = [random_.randint(low, high) for _ in range(random_.randint(0, 4))]
    keys = random_.choice([[low, high], [high], [low], [low + 1, high], [low, high - 1]]) + between
    keys = sorted(set(keys))
    # No domain holds all of the widest types.
    is_full = type_.itemsize == 8 and not is_date and keys[0] == low and keys[-1] == high
    values = numpy.array(keys, "i8" if is_date else type_).view(type_)
    table = pa.table({"count": pa.array(range(len(keys)), pa.int64()), "key": pa.array(values)})
    file, array, out = judge.path("ends.parquet"), judge.path("ends"), judge.path("ends.arrow")
    pyarrow.parquet.write_table(table, file)
    if is_full:
        judge.refused("ends of " + code, "no domain can cover", "import", file, array, "--dim", "key")
        return
    judge.tdb("import", file, array, "--dim", "key")
    judge.tdb("read", array, "-o", out)
    found, wanted = pyarrow.feather.read_table(out), judge.remembered(table)
    judge.same("ends of " + code, random_tables.stored(found.column("key")), random_tables.stored(wanted.column("key")))
    judge.same("ends of %s, count" % code, random_tables.stored(found.column("count")), random_tables.stored(wanted.column("count")))
    judge.tdb("verify", array)


def ranges(random_, judge):
    """A table of pandas whose index is a range, which is no column of its file."""
    rows, start, step = random_.randint(1, 30), random_.randint(-50, 50), random_.choice([1, 2, 10])
    name = random_.choice(["id", "time", None])
    if name is None and (start, step) == (0, 1):
        start = 7
    frame = pandas.DataFrame({"count": range(rows), "f": [random_.randint(-9, 9) / 4 for _ in range(rows)]}, index=pandas.RangeIndex(start, start + rows * step, step, name=name))
    is_parquet = random_.random() < 0.7
    file = judge.path("range." + ("parquet" if is_parquet else "feather"))
    if is_parquet:
        frame.to_parquet(file, row_group_size=random_.choice([4, 100]))
    else:
        pyarrow.feather.write_feather(pa.Table.from_pandas(frame), file)
    array, out = judge.path("range"), judge.path("range.arrow")
    judge.tdb("import", file, array)
    judge.tdb("read", array, "-o", out)
    found = pyarrow.feather.read_table(out)
    wanted = judge.remembered(pa.table({"key": list(frame.index), "count": list(range(rows)), "f": list(frame["f"])}))
    judge.same("index of pandas", random_tables.stored(found.column(name or "index")), random_tables.stored(wanted.column("key")))
    judge.same("index of pandas, count", random_tables.stored(found.column("count")), random_tables.stored(wanted.column("count")))


NUMBERS = ["0.1", "-7", "12345678901234567", "1e400", "12E12", "10E400", "-1e-400", "9007199254740993", "1.5e3", "18446744073709551616", "0", "2.50"]


def numbers(random_, judge):
    """Columns of numbers, as CSV, JSON lines and an array of JSON: floats where no digit is lost by it, else text."""
    rows = random_.choice([1, 2, 12])
    cells = [random_.choice(NUMBERS) for _ in range(rows)]
    kinds = {"n.csv": "key,count,n\n" + "".join("%d,%d,%s\n" % (row, row, cell) for row, cell in enumerate(cells))}
    objects = ['{"key":%d,"count":%d,"n":%s}' % (row, row, cell) for row, cell in enumerate(cells)]
    kinds["n.jsonl"] = "\n".join(objects) + "\n"
    kinds["n.json"] = random_.choice(["[%s]", " [\n %s\n]\n"]) % random_.choice([",", ",\n", " , "]).join(objects)
    seen = {}
    for name, text in kinds.items():
        file, array = judge.path(name), judge.path(name + " array")
        with open(file, "w") as to:
            to.write(text)
        judge.tdb("import", file, array, "--dim", "key")
        rows_back = [json.loads(line) for line in judge.tdb("read", array, "--format", "jsonl").splitlines()]
        counts = judge.remembered(pa.table({"count": [row["count"] for row in rows_back]})).column("count").to_pylist()
        judge.same("%s, count" % name, counts, list(range(len(cells))))
        seen[name] = [row["n"] for row in rows_back]
    is_text = all(isinstance(cell, str) for cell in seen["n.csv"])
    wanted = cells if is_text else [float(cell) for cell in cells]
    for name, found in seen.items():
        judge.same("numbers of " + name, found if is_text else [float(number(cell)) for cell in found], wanted)
    if not is_text:
        judge.same("digits that are kept", [float(cell) for cell in cells], [float(decimal.Decimal(cell)) for cell in cells])


def bytes_among_texts(random_, judge):
    """A column of characters, some of them no text, on its way through JSON lines."""
    rows = random_.choice([2, 10])
    some = [random_.choice([b"text", b"\xff\x00", "zwölf".encode(), b"", b"2024-01-31", b"\x80"]) for _ in range(rows)]
    some[:2] = [b"text", b"\xff"] if random_.random() < 0.5 else [b"\xff", b"text"]
    lines = []
    for row, cell in enumerate(some):
        try:
            shown = cell.decode()
        except UnicodeDecodeError:
            shown = {"hex": cell.hex()}
        lines.append(json.dumps({"key": row, "count": row, "c": shown}))
    file, array = judge.path("bytes.jsonl"), judge.path("bytes")
    with open(file, "w") as to:
        to.write("\n".join(lines))
    judge.tdb("import", file, array, "--dim", "key")
    found = [json.loads(line) for line in judge.tdb("read", array, "--format", "jsonl").splitlines()]
    judge.same("bytes among texts", [row["c"] for row in found], [json.loads(line)["c"] for line in lines])
    wanted = judge.remembered(pa.table({"count": list(range(rows))})).column("count").to_pylist()
    judge.same("bytes among texts, count", [row["count"] for row in found], wanted)


def lengths(random_, judge):
    """Days and weeks of numpy, which become hours."""
    unit, hours = random_.choice([("D", 24), ("W", 168)])
    ticks = [random_.randint(-10_000, 10_000) for _ in range(random_.randint(1, 9))]
    made = numpy.array(ticks, "m8[%s]" % unit)
    if random_.random() < 0.3:
        made[0] = numpy.timedelta64("NaT")
    file, array, out = judge.path("lengths.npy"), judge.path("lengths"), judge.path("lengths.out.npy")
    numpy.save(file, made.astype(random_.choice("<>") + "m8[%s]" % unit))
    judge.tdb("import", file, array)
    judge.tdb("read", array, "-o", out)
    found = numpy.load(out)
    judge.same("lengths", [found.dtype.str, *found.view("i8").tolist()], ["<m8[h]", *made.astype("m8[h]").view("i8").tolist()])


PARTS = [dictionaries, dictionaries, structs, ends, ends, ranges, numbers, bytes_among_texts, lengths]


def run(random_, judge):
    # A forgetful judge has to come by a part that remembers.
    part = random_.choice([structs, ranges, bytes_among_texts] if judge.forgetful else PARTS)
    part(random_, judge)
