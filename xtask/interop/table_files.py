"""Tables of every type by way of Parquet, Arrow and JSON lines, and boxes of numpy: in by pyarrow and numpy, out by tdb, and back.

Types are those of the table in crates/tdb-arrow/README.md: text and lists become large ones, times of the day lengths of time.
"""

import io
import json
import math
import struct

import numpy
import pandas
import pyarrow as pa
import pyarrow.feather
import pyarrow.json
import pyarrow.parquet

import random_tables
import times
from table_judge import number


def write(random_, judge, table, format_):
    """Writes a table in one of the many ways that there are; gives the file, and what pyarrow finds there."""
    file = judge.path("table." + ("parquet" if format_ == "parquet" else "arrow"))
    if format_ == "parquet":
        # What is not told of Arrow's types there, the file does not know.
        tells_types = random_.random() < 0.7
        pyarrow.parquet.write_table(
            table, file, version="2.6", compression=random_.choice(["none", "snappy", "gzip", "zstd", "lz4"]),
            data_page_version=random_.choice(["1.0", "2.0"]), row_group_size=random_.choice([7, 1000]),
            use_dictionary=random_.random() < 0.5, store_schema=tells_types,
            write_statistics=random_.random() < 0.5,
        )
        seen = pyarrow.parquet.read_table(file)
        if tells_types and "date_ms" in seen.column_names:
            # What it is told of, pyarrow does not heed here.
            place = seen.column_names.index("date_ms")
            seen = seen.set_column(place, "date_ms", seen.column(place).cast(pa.date64()))
        return file, seen
    if format_ == "feather":
        pyarrow.feather.write_feather(table, file, compression=random_.choice(["zstd", "lz4", "uncompressed"]), chunksize=random_.choice([7, 1000]))
        return file, table
    new = pa.ipc.new_stream if format_ == "stream" else pa.ipc.new_file
    with new(file, table.schema) as writer:
        writer.write_table(table, max_chunksize=random_.choice([7, 1000]))
    return file, table


def shape(type_):
    """What the type of a column is after tdb."""
    if pa.types.is_dictionary(type_):
        return "labels %s of %s" % (type_.index_type, shape(type_.value_type))
    if pa.types.is_string(type_) or pa.types.is_large_string(type_):
        return "large_string"
    if pa.types.is_binary(type_) or pa.types.is_large_binary(type_):
        return "large_binary"
    if pa.types.is_fixed_size_list(type_):
        return "%d of %s" % (type_.list_size, shape(type_.value_type))
    if pa.types.is_list(type_) or pa.types.is_large_list(type_):
        return "list of " + shape(type_.value_type)
    if pa.types.is_date64(type_):
        return "timestamp[ms]"
    if pa.types.is_float16(type_):
        return "float"
    if pa.types.is_timestamp(type_):
        return "timestamp[%s]" % type_.unit
    if pa.types.is_time(type_):
        return "duration[%s]" % type_.unit
    return str(type_)


def cells_of(column):
    is_time = pa.types.is_temporal(column.type)
    return times.in_nanoseconds(column) if is_time else random_tables.stored(column)


def compare(judge, what, found, wanted, parquet):
    """The columns of a table that tdb wrote, which may be in another order."""
    judge.same(what + ", names", sorted(name for name in found.column_names if name != "row"), sorted(wanted.column_names))
    for name in wanted.column_names:
        ours, theirs = found.column(name), wanted.column(name)
        type_ = shape(theirs.type)
        if parquet and type_ == "timestamp[s]":
            type_ = "timestamp[ms]"
        judge.same("%s, type of %s" % (what, name), shape(ours.type), type_)
        judge.same("%s, %s" % (what, name), cells_of(ours), cells_of(theirs))


def json_of(column):
    """The cells of a column as JSON lines have them."""
    type_, cells = column.type, random_tables.stored(column)
    if pa.types.is_temporal(type_):
        unit = "day" if pa.types.is_date32(type_) else "ms" if pa.types.is_date64(type_) else type_.unit
        kind = "time" if pa.types.is_duration(type_) or pa.types.is_time(type_) else "datetime"
        datatype = "%s_%s" % (kind, {"s": "sec"}.get(unit, unit))
        return [None if cell is None else times.text(datatype, cell) for cell in cells]
    if pa.types.is_binary(type_) or pa.types.is_large_binary(type_) or pa.types.is_fixed_size_binary(type_):
        return [None if cell is None else {"hex": cell.hex()} for cell in cells]
    return cells


def compare_json(judge, text, wanted):
    rows = [json.loads(line) for line in text.splitlines()]
    for name in wanted.column_names:
        column = wanted.column(name)
        found = [row[name] for row in rows]
        if pa.types.is_floating(column.type):
            found = [None if cell is None else float(number(cell)) for cell in found]
            found = [random_tables.narrow(cell) if cell is not None and column.type == pa.float32() else cell for cell in found]
        judge.same("jsonl, " + name, found, json_of(column))


def compare_pyarrow_json(judge, text, wanted):
    """JSON lines as pyarrow reads them, given what is a date: numbers without NaN, text and flags."""
    names = [name for name in ("int8", "int64", "uint64", "bool", "text", "count") if name in wanted.column_names]
    names += [name for name in wanted.column_names if name.startswith("moment")]
    schema = pa.schema([(name, wanted.schema.field(name).type) for name in names])
    options = pyarrow.json.ParseOptions(explicit_schema=schema, unexpected_field_behavior="ignore")
    table = pyarrow.json.read_json(io.BytesIO(text), parse_options=options)
    for name in names:
        judge.same("jsonl to pyarrow, " + name, random_tables.stored(table.column(name)), random_tables.stored(wanted.column(name)))


def tables(random_, judge):
    kinds = random_.sample(sorted({**random_tables.KINDS, **random_tables.FURTHER}), 12)
    table = random_tables.table(random_, random_.choice([1, 2, 30, 200]), kinds)
    format_ = random_.choice(["parquet", "parquet", "arrow", "stream", "feather"])
    file, seen = write(random_, judge, table, format_)
    array = judge.path("files")
    is_dense = random_.random() < 0.3
    judge.tdb("import", file, array, *(["--dense"] if is_dense else ["--dim", "key"]))
    seen = judge.remembered(seen if is_dense else random_tables.in_order(seen))
    for ending in ("parquet", "arrow"):
        out, again, last = (judge.path("%s.%s" % (name, ending)) for name in ("out", "again", "last"))
        judge.tdb("read", array, "-o", out)
        read = pyarrow.parquet.read_table if ending == "parquet" else pyarrow.feather.read_table
        compare(judge, ending, read(out), seen, ending == "parquet")
        judge.tdb("import", out, again)
        judge.tdb("read", again, "-o", last)
        compare(judge, ending + " again", read(last), seen, ending == "parquet")
    stream = judge.tdb("read", array, "--format", "arrow")
    compare(judge, "stream", pa.ipc.open_stream(stream).read_all(), seen, False)
    text = judge.tdb("read", array, "--format", "jsonl")
    compare_json(judge, text, seen)
    compare_pyarrow_json(judge, text, seen)


# ---- JSON lines by others -----------------------------------------------------------


def lines(random_, judge):
    """JSON lines by Python or by pandas, of which tdb finds out the types."""
    rows = random_.choice([2, 20, 100])
    table = random_tables.table(random_, rows, ["int64", "float64", "bool", "text", "date", "moment_us"], {"int64": random_tables.KEYS["int64"]})
    # The first cells say what columns are.
    first = {"int64": -1, "float64": 0.5, "bool": True, "text": "word", "date": 1, "moment_us": 1}
    columns = {}
    for name in table.column_names:
        cells = random_tables.stored(table.column(name))
        columns[name] = [first[name], *cells[1:]] if name in first else cells
    by_pandas = random_.random() < 0.5
    if by_pandas:
        # pandas writes so many digits behind the point, and null for NaN.
        columns["float64"] = [None if cell is None else random_.randint(-99, 99) / 8 for cell in columns["float64"]]
        columns["float64"][0] = 0.5
    wanted = pa.table({name: random_tables.array_of(table.schema.field(name).type, cells) for name, cells in columns.items()})
    file, array, out = judge.path("lines.jsonl"), judge.path("lines"), judge.path("lines.arrow")
    if by_pandas:
        frame = wanted.set_column(wanted.column_names.index("date"), "date", wanted.column("date").cast(pa.timestamp("us"))).to_pandas(integer_object_nulls=True)
        for name in ("bool", "int64"):
            frame[name] = frame[name].astype("boolean" if name == "bool" else "Int64")
        frame.to_json(file, orient="records", lines=True, date_format="iso", date_unit=random_.choice(["us", "ns"]), double_precision=15)
    else:
        plain = lambda cell: repr(cell).replace("nan", "NaN").replace("inf", "Infinity") if isinstance(cell, float) and not math.isfinite(cell) else cell
        texts = {name: [plain(cell) for cell in json_of(wanted.column(name))] for name in wanted.column_names}
        is_ascii, leaves_out = random_.random() < 0.5, random_.random() < 0.5
        with open(file, "w") as to:
            for row in zip(*texts.values()):
                cells = {name: cell for name, cell in zip(texts, row) if cell is not None or not leaves_out}
                to.write(json.dumps(cells, ensure_ascii=is_ascii) + "\n")
    judge.tdb("import", file, array, "--dim", "key")
    wanted = judge.remembered(random_tables.in_order(wanted))
    judge.tdb("read", array, "-o", out)
    found = pyarrow.feather.read_table(out)
    for name in wanted.column_names:
        judge.same("jsonl of %s, %s" % ("pandas" if by_pandas else "Python", name), cells_of(found.column(name)), cells_of(wanted.column(name)))


# ---- boxes -----------------------------------------------------------------------


def codes():
    numbers = [order + code for order in "<>" for code in ("i2", "i4", "i8", "u2", "u4", "u8", "f2", "f4", "f8")]
    dates = ["<M8[%s]" % unit for unit in times.LETTERS.values()] + ["<m8[%s]" % times.letters(datatype) for datatype in times.LENGTHS]
    return numbers + ["|b1", "|i1", "|u1", "|V3"] + dates + ["|S4", "<U3", ">U2", ">M8[ms]"]


def box(random_, judge):
    """A box of numpy, and what numpy reads of the one that comes back."""
    code = random_.choice(codes())
    type_ = numpy.dtype(code)
    sides = [random_.randint(1, 7) for _ in range(random_.randint(1, 4))]
    bytes_ = random_.randbytes(type_.itemsize * math.prod(sides))
    if type_.kind in "SU":
        letters = "abZ" if type_.kind == "S" else "aß漢😀"
        cells = ["".join(random_.choices(letters, k=random_.randint(0, 3))) for _ in range(math.prod(sides))]
        made = numpy.array(cells, type_).reshape(sides)
    elif type_.kind == "b":
        made = numpy.array([random_.random() < 0.5 for _ in range(math.prod(sides))]).reshape(sides)
    else:
        made = numpy.frombuffer(bytes_, type_).reshape(sides)
    if random_.random() < 0.5:
        made = numpy.asfortranarray(made)
    file, array, out = judge.path("box.npy"), judge.path("box"), judge.path("out.npy")
    with open(file, "wb") as to:
        numpy.lib.format.write_array(to, made, version=random_.choice([None, (1, 0), (2, 0)]))
    judge.tdb("import", file, array)
    if type_.kind in "SU":
        text = judge.tdb("read", array, "--format", "jsonl", "--no-dims")
        judge.same("npy %s" % code, [json.loads(line)["value"] for line in text.splitlines()], [word.decode() if isinstance(word, bytes) else word for word in made.ravel("C").tolist()])
    else:
        judge.tdb("read", array, "-o", out)
        found = numpy.load(out)
        wanted = made.astype("<f4") if code[1:] == "f2" else made.astype(type_.newbyteorder("<"))
        judge.same("npy %s, type and sides" % code, [found.dtype.str, *found.shape], [wanted.dtype.str, *wanted.shape])
        judge.same("npy %s, bytes" % code, same_nan(found).tobytes("C").hex(), same_nan(wanted).tobytes("C").hex())
    judge.tdb("rm", array)


def same_nan(values):
    """The same, where all NaN are one."""
    if values.dtype.kind != "f":
        return values
    return numpy.where(numpy.isnan(values), numpy.array(math.nan, values.dtype), values)


def run(random_, judge):
    tables(random_, judge)
    lines(random_, judge)
    for _ in range(3):
        box(random_, judge)
