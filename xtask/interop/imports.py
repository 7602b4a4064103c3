"""Files that `tdb import` makes arrays of, and whether TileDB finds in those what stood in the files.

A random table is written as CSV or JSON lines by hand, imported, and read by TileDB; then what `tdb read` gives of the
array as Parquet and as Arrow is imported and read in the same way. Random boxes of numbers do so as `.npy` files.
Dates and times of every unit go by way of pyarrow, which must find the types that `tdb read` promises.
"""

import json
import os
import shutil
import struct

import pyarrow
import pyarrow.dataset
import pyarrow.feather
import pyarrow.parquet

WORDS = ["", "a", "Zürich", "two words", 'quo"ted', "com,ma", "line\nfeed", "NaN", "1e", "#", " padded "]
DAY = 86_400


def civil(days):
    """The date so many days after 1970-01-01."""
    import datetime

    return (datetime.date(1970, 1, 1) + datetime.timedelta(days=days)).isoformat()


def moment(seconds):
    days, rest = divmod(seconds, DAY)
    return "%sT%02d:%02d:%02d" % (civil(days), rest // 3600, rest // 60 % 60, rest % 60)


# Kinds of columns: the datatype that is expected, a value in its stored form, the value as CSV and as JSON.
def whole(random_):
    value = random_.choice([random_.randint(-9, 9), random_.randint(-(1 << 62), 1 << 62)])
    return struct.pack("<q", value), str(value), value


def fraction(random_):
    value = random_.choice([0.5, -1e300, random_.random(), float(random_.randint(-99, 99)), 1e-7])
    return struct.pack("<d", value), repr(value), value


def flag(random_):
    value = random_.random() < 0.5
    return struct.pack("<?", value), json.dumps(value), value


def text(random_):
    value = random_.choice(WORDS)
    return value.encode(), '"%s"' % value.replace('"', '""'), value


def day(random_):
    value = random_.randint(-700_000, 100_000)
    return struct.pack("<q", value), civil(value), civil(value)


def second(random_):
    value = random_.randint(-(10**10), 10**10)
    return struct.pack("<q", value), moment(value), moment(value)


KINDS = {"int64": whole, "float64": fraction, "bool": flag, "string_utf8": text, "datetime_day": day, "datetime_sec": second}


class Table:
    """A random table: its cells in their stored form, and as text."""

    def __init__(self, random_):
        self.rows = random_.randint(1, 400)
        self.key = random_.choice(["int64", "datetime_day", "string_ascii"])
        numbers = random_.sample(range(-1000, 1000), self.rows)
        if self.key == "int64":
            self.keys = [(struct.pack("<q", n), str(n), n) for n in numbers]
        elif self.key == "datetime_day":
            self.keys = [(struct.pack("<q", n), civil(n), civil(n)) for n in numbers]
        else:
            self.keys = [(("k%d" % n).encode(), "k%d" % n, "k%d" % n) for n in numbers]
        self.columns = {}
        for index in range(random_.randint(1, 5)):
            kind = random_.choice(sorted(KINDS))
            nulls = random_.choice([0, 0, 0.3])
            cells = [None if random_.random() < nulls else KINDS[kind](random_) for _ in range(self.rows)]
            # A column needs cells that say what it is.
            while kind == "float64" and all(c is None or float(c[1]).is_integer() for c in cells):
                cells[random_.randrange(self.rows)] = (struct.pack("<d", 0.5), "0.5", 0.5)
            while kind == "string_utf8" and all(c is None or c[2] in ("", "NaN") for c in cells):
                cells[random_.randrange(self.rows)] = ("a".encode(), "a", "a")
            if all(cell is None for cell in cells):
                cells[0] = KINDS[kind](random_)
            if kind == "int64" and all(c is None or c[2] >= 0 for c in cells):
                cells[0] = (struct.pack("<q", -1), "-1", -1)
            self.columns["c%d" % index] = (kind, cells)

    def csv(self, random_):
        end = random_.choice(["\n", "\r\n"])
        lines = ",".join(["key", *self.columns]) + end
        for row in range(self.rows):
            cells = [self.keys[row][1]]
            cells += ["" if cells[row] is None else cells[row][1] for _, cells in self.columns.values()]
            lines += ",".join(cells) + end
        return lines

    def jsonl(self, random_):
        lines = ""
        for row in range(self.rows):
            cells = {name: None if cells[row] is None else cells[row][2] for name, (_, cells) in self.columns.items()}
            if random_.random() < 0.5:
                cells = {name: cell for name, cell in cells.items() if cell is not None}
            lines += json.dumps({"key": self.keys[row][2], **cells}, ensure_ascii=random_.random() < 0.5) + "\n"
        return lines

    def spec(self):
        def field(name, kind, **more):
            return {"name": name, "type": kind, "n": "var" if kind.startswith("string") else 1, **more}

        key = field("key", self.key, dim=True, domain=[-(1 << 62), 1 << 62])
        attrs = [field(name, kind, nullable=any(c is None for c in cells)) for name, (kind, cells) in self.columns.items()]
        return {"kind": "sparse", "dims": [key], "attrs": attrs}

    def wanted(self):
        """Rows of stored forms, by key."""
        columns = [cells for _, cells in self.columns.values()]
        return sorted([self.keys[row][0], *[c[row] and c[row][0] for c in columns]] for row in range(self.rows))


def found(lib, uri, spec):
    """Rows of stored forms, by key, as TileDB reads them."""
    fields = spec["dims"] + spec["attrs"]
    read = lib.read(uri, spec, fields, "row")
    columns = []
    for field in fields:
        column = read[field["name"]]
        if field["n"] == "var":
            starts = [s for (s,) in struct.iter_unpack("<Q", column["offsets"])]
            starts.append(len(column["data"]))
            values = [column["data"][a:b] for a, b in zip(starts, starts[1:])]
        else:
            width = 1 if field["type"] == "bool" else 8
            values = [column["data"][i : i + width] for i in range(0, len(column["data"]), width)]
        if field.get("nullable"):
            values = [value if valid else None for value, valid in zip(values, column["validity"])]
        columns.append(values)
    return sorted(list(row) for row in zip(*columns))


def table(random_, lib, tdb, same, out):
    made = Table(random_)
    spec, wanted = made.spec(), made.wanted()
    by = random_.choice(["csv", "jsonl"])
    file = os.path.join(out, "table." + by)
    with open(file, "w", newline="") as to:
        to.write(getattr(made, by)(random_))
    arrays = []
    for step in (by, "parquet", "arrow"):
        array = os.path.join(out, step)
        little = random_.choice([[], ["--memory", "1MB"]])
        kept = random_.choice([[], ["--duplicates", "error"]])
        tdb("import", file, array, "--dim", "key", *little, *kept)
        same("import of " + step, str(found(lib, array, spec)), str(wanted))
        arrays.append(array)
        file = os.path.join(out, "table." + {by: "parquet", "parquet": "arrow", "arrow": "arrow"}[step])
        tdb("read", array, "-o", file)
    folders(random_, tdb, same, out, made, arrays[0])


def folders(random_, tdb, same, out, made, array):
    """A folder of Parquet files by the values of a column, as pyarrow reads it."""
    kinds = ("int64", "string_utf8", "datetime_day", "bool")
    names = [name for name, (kind, _) in made.columns.items() if kind in kinds]
    if not names:
        return
    name = random_.choice(names)
    folder = os.path.join(out, "folder")
    tdb("export", array, folder, "--partition-by", name, *random_.choice([[], ["--max-rows", "7"]]))
    levels = pyarrow.dataset.partitioning(pyarrow.schema([(name, pyarrow.string())]), flavor="hive")
    read = pyarrow.dataset.dataset(folder, format="parquet", partitioning=levels).to_table(["key", name])
    shown = lambda value: value.isoformat() if hasattr(value, "isoformat") else value
    got = [(shown(key), value) for key, value in zip(read["key"].to_pylist(), read[name].to_pylist())]
    plain = lambda value: json.dumps(value) if isinstance(value, (bool, int)) else value
    cells = made.columns[name][1]
    wanted = [(made.keys[row][2], cells[row] and plain(cells[row][2])) for row in range(made.rows)]
    same("export by " + made.columns[name][0], str(sorted(got, key=str)), str(sorted(wanted, key=str)))


NUMBERS = {"i1": ("int8", "b"), "u2": ("uint16", "H"), "i4": ("int32", "i"), "u8": ("uint64", "Q"), "f4": ("float32", "f"), "f8": ("float64", "d")}


def box(random_, lib, tdb, same, out):
    sides = [random_.randint(1, 9) for _ in range(random_.randint(1, 3))]
    cells = 1
    for side in sides:
        cells *= side
    code = random_.choice(sorted(NUMBERS))
    datatype, letter = NUMBERS[code]
    values = [random_.randint(0, 99) for _ in range(cells)]
    order, columns = random_.choice("<>"), random_.random() < 0.5
    header = "{'descr': '%s%s', 'fortran_order': %s, 'shape': (%s,), }" % (order, code, columns, ", ".join(map(str, sides)))
    # In the file of a box by columns, the first axis changes fastest.
    places = range(cells)
    if columns:
        def place(index):
            at, steps = [], list(reversed(sides))
            for side in steps:
                at.append(index % side)
                index //= side
            number, step = 0, 1
            for side, one in zip(sides, reversed(at)):
                number += one * step
                step *= side
            return number
        places = [place(index) for index in range(cells)]
    stored = [0] * cells
    for index, to in enumerate(places):
        stored[to] = values[index]
    file = os.path.join(out, "box.npy")
    with open(file, "wb") as to:
        to.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header) + 1) + header.encode() + b"\n")
        to.write(struct.pack("%s%d%s" % (order, cells, letter), *stored))
    array = os.path.join(out, "box")
    tdb("import", file, array)
    dims = [{"name": "d%d" % i, "type": "uint64", "domain": [0, side - 1], "dim": True} for i, side in enumerate(sides)]
    attr = {"name": "value", "type": datatype, "n": 1}
    spec = {"kind": "dense", "dims": dims, "attrs": [attr]}
    read = lib.read(array, spec, [attr], "row")["value"]["data"]
    same("import of .npy", read.hex(), struct.pack("<%d%s" % (cells, letter), *values).hex())


def arrow_types(coarsest):
    """What pyarrow must find, by datatype; `coarsest` is the unit of what counts seconds or more."""
    types = {"datetime_" + unit: pyarrow.date32() for unit in ("day", "week", "month", "year")}
    types.update({"datetime_" + unit: pyarrow.timestamp(coarsest) for unit in ("hr", "min", "sec")})
    types["time_sec"] = pyarrow.duration("s")
    for unit in ("ms", "us", "ns"):
        types.update({"datetime_" + unit: pyarrow.timestamp(unit), "time_" + unit: pyarrow.duration(unit)})
    for unit in ("ps", "fs", "as"):
        types.update({"datetime_" + unit: pyarrow.int64(), "time_" + unit: pyarrow.int64()})
    types.update(time_hr=pyarrow.int64(), time_min=pyarrow.int64())
    return types


# Ticks of a unit, as pyarrow counts them; months and years are looked at in the tests of tdb-arrow.
TIMES = {"datetime_week": 7, "datetime_hr": 3600, "datetime_min": 60, "datetime_sec": 1}
NAT = -(1 << 63)


def units(random_, lib, tdb, same, out):
    attrs, cells, rows = [], {"key": list(range(20))}, 20
    for kind in arrow_types("s"):
        for name, nullable in ((kind, False), (kind + "_or_null", True)):
            attrs.append({"name": name, "type": kind, "n": 1, "nullable": nullable})
            cells[name] = [random_.choice([0, -1, random_.randint(-(10**6), 10**6)]) for _ in range(rows)]
            cells[name][random_.randrange(rows)] = None if nullable else NAT
    key = {"name": "key", "type": "int64", "n": 1, "dim": True, "domain": [0, 99], "tile": 100}
    spec = {"kind": "sparse", "dims": [key], "attrs": attrs}
    array = os.path.join(out, "units")
    lib.create(array, spec)
    lib.write(array, spec, 1, cells)
    for ending, coarsest in (("parquet", "ms"), ("arrow", "s")):
        file, again = os.path.join(out, "units." + ending), os.path.join(out, "again." + ending)
        tdb("read", array, "-o", file)
        table = pyarrow.parquet.read_table(file) if ending == "parquet" else pyarrow.feather.read_table(file)
        types = arrow_types(coarsest)
        for attr in attrs:
            name, kind = attr["name"], attr["type"]
            column = table.column(name)
            same("%s of %s" % (ending, kind), str(column.type), str(types[kind]))
            if kind in ("datetime_month", "datetime_year"):
                continue
            times = TIMES.get(kind, 1) * (1000 if str(column.type) == "timestamp[ms]" and kind in TIMES else 1)
            numbers = column.cast(pyarrow.int32()) if column.type == pyarrow.date32() else column.cast(pyarrow.int64())
            nat = None if column.type == pyarrow.date32() else NAT
            wanted = [nat if cell == NAT else cell and cell * times for cell in cells[name]]
            same("%s of %s" % (ending, kind), numbers.to_pylist(), wanted)
        if ending == "parquet":
            pyarrow.parquet.write_table(table, again)
        else:
            pyarrow.feather.write_feather(table, again, compression="uncompressed")
        copy = os.path.join(out, "units_" + ending)
        lib.create(copy, spec)
        tdb("write", copy, again)
        same("dates by way of " + ending, str(found(lib, copy, spec)), str(found(lib, array, spec)))


def run(random_, lib, tdb, same, out):
    """One table, one box, and dates of every unit."""
    shutil.rmtree(out, ignore_errors=True)
    os.makedirs(out)
    table(random_, lib, tdb, same, out)
    box(random_, lib, tdb, same, out)
    units(random_, lib, tdb, same, out)
    shutil.rmtree(out)
