"""Random arrays whose cells hold what stands for no value, and what TileDB reads of them as a table of Python's values.

A cell of the table is None where it is null or the index of no label, NaT where a date is none (NAT), and else a value: the place
of a label, ticks, a float, a number, or the bytes of a text without the NUL bytes behind it.
"""

import os

import numpy
import tiledb

LABELS = ["low", "mid", "high"]
FREE = ["b", "c", "a"]
NAT = "NaT"
DAYS = 6

# The attributes, and those that have labels.
NAMES = ["c", "u", "d", "f", "s", "n"]
LABELLED = {"c": LABELS, "u": FREE}


class Edges:
    """An array, and its rows by the coordinate."""

    def __init__(self, random, folder):
        self.random = random
        self.path = os.path.join(folder, "array")
        self.sparse = random.random() < 0.6
        self.size = random.choice([6, 13, 40])
        self.codes = {"c": random.choice(["int8", "uint8", "int16"]), "u": random.choice(["int8", "uint8", "int32"])}
        self.nullable = {name for name in ("c", "n") if random.random() < 0.5}
        self.unit = random.choice(["D", "ms"])
        self.create()
        for _ in range(random.choice([1, 1, 2])):
            self.write()

    def create(self):
        dimension = tiledb.Dim("x", domain=(0, self.size - 1), tile=min(4, self.size), dtype=numpy.int64)
        nullable = lambda name: name in self.nullable
        attributes = [
            tiledb.Attr("c", dtype=self.codes["c"], enum_label="levels", nullable=nullable("c")),
            tiledb.Attr("u", dtype=self.codes["u"], enum_label="names"),
            tiledb.Attr("d", dtype="datetime64[%s]" % self.unit),
            tiledb.Attr("f", dtype=numpy.float64),
            tiledb.Attr("s", dtype="S3"),
            tiledb.Attr("n", dtype=numpy.int32, nullable=nullable("n")),
        ]
        enumerations = [tiledb.Enumeration("levels", True, values=LABELS), tiledb.Enumeration("names", False, values=FREE)]
        options = {"capacity": 4} if self.sparse else {}
        schema = tiledb.ArraySchema(tiledb.Domain(dimension), attributes, sparse=self.sparse, enums=enumerations, **options)
        tiledb.Array.create(self.path, schema)

    def write(self):
        """Some cells, of a dense array those of a range: others are never written."""
        random = self.random
        if self.sparse:
            places = sorted(random.sample(range(self.size), random.randint(1, self.size)))
        else:
            first = random.randrange(self.size)
            places = list(range(first, random.randint(first, self.size - 1) + 1))
        cells = {name: self.column(name, len(places)) for name in NAMES}
        with tiledb.open(self.path, "w") as array:
            if self.sparse:
                array[numpy.array(places, numpy.int64)] = cells
            else:
                array[places[0] : places[-1] + 1] = cells

    def column(self, name, count):
        random = self.random
        if name in LABELLED:
            kind = numpy.dtype(self.codes[name])
            odd = [-1, numpy.iinfo(kind).min] if kind.kind == "i" else [numpy.iinfo(kind).max]
            values = numpy.array([random.choice([0, 0, 1, 2, 2, 3, *odd]) for _ in range(count)], kind)
        elif name == "d":
            ticks = [random.choice([None, *range(DAYS)]) for _ in range(count)]
            return numpy.array(["NaT" if tick is None else tick for tick in ticks], "datetime64[%s]" % self.unit)
        elif name == "f":
            return numpy.array([random.choice([numpy.nan, 0.0, -0.0, 1.5, -2.0, numpy.inf]) for _ in range(count)])
        elif name == "s":
            return numpy.array([random.choice([b"", b"a", b"ab", b"abc", b"b"]) for _ in range(count)], "S3")
        else:
            values = numpy.array([random.randrange(-2, 3) for _ in range(count)], numpy.int32)
        if name not in self.nullable:
            return values
        return numpy.ma.masked_array(values, [random.random() < 0.3 for _ in range(count)])

    def stored(self, path=None, context=None):
        """What TileDB reads, by the coordinate: the bytes of each cell, and whether it is null."""
        with tiledb.open(path or self.path, ctx=context) as array:
            # What `array[:]` gives are labels, and an error where there is none.
            cells = array.subarray(slice(None))
            places = cells["x"] if self.sparse else numpy.arange(self.size)
        found = {}
        for row, place in enumerate(places.tolist()):
            found[place] = {name: cell(cells[name], row) for name in NAMES}
        return found

    def rows(self, path=None):
        """The cells that TileDB reads, as values."""
        return {place: {name: self.value(name, *cell) for name, cell in row.items()} for place, row in self.stored(path).items()}

    def value(self, name, stored, is_valid):
        if not is_valid:
            return None
        if name in LABELLED:
            code = int(numpy.frombuffer(stored, self.codes[name])[0])
            return code if 0 <= code < len(LABELLED[name]) else None
        if name == "d":
            ticks = int(numpy.frombuffer(stored, numpy.int64)[0])
            return NAT if ticks == numpy.iinfo(numpy.int64).min else ticks
        if name == "s":
            return stored.rstrip(b"\0")
        return numpy.frombuffer(stored, numpy.float64 if name == "f" else numpy.int32)[0].item()


def cell(column, row):
    """The bytes of a cell, and whether it is not null; those of a null cell do not count."""
    mask = numpy.ma.getmaskarray(column) if isinstance(column, numpy.ma.MaskedArray) else None
    data = numpy.ma.getdata(column)
    if mask is not None and mask[row]:
        return b"", False
    if data.dtype.kind in "SO":
        text = data[row]
        return (text if isinstance(text, bytes) else str(text).encode()).ljust(3, b"\0"), True
    return data[row : row + 1].tobytes(), True
