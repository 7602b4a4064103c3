"""Dates and times of each unit, as attributes and as dimensions: out as Parquet, Arrow, CSV and JSON lines, and back.

What pyarrow finds in the files and what stands in the texts is what numpy makes of the same ticks; what pyarrow writes of what it read
comes back as the ticks that it came from.
"""

import csv
import io
import json

import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet

import random_tables
import times
from imports import arrow_types
from times import NONE

ROWS = 12


def ticks_of(random_, datatype, rows, wide):
    """Ticks: before and after 1970, leap days, and the ends of what the unit and Arrow allow."""
    least, greatest = times.limits(datatype)
    if not wide:
        span = {"Y": 250, "M": 3_000, "W": 13_000, "D": 90_000, "h": 2_000_000, "m": 10**8, "s": 6 * 10**9, "ms": 6 * 10**12, "us": 6 * 10**15}
        span = span.get(times.letters(datatype), 8 * 10**18)
        least, greatest = -span, span
    some = [least, greatest, 0, -1, 1, min(11_016, greatest), min(951_782_400, greatest)]
    return [random_.choice(some + [random_.randint(least, greatest)] * 4) for _ in range(rows)]


def field(name, datatype, **more):
    return {"name": name, "datatype": datatype, "cell_val_num": 1, **more}


def read_arrow(judge, array, format_):
    """What the program gives as Parquet or Arrow, as pyarrow reads it."""
    file = judge.path("times." + format_)
    judge.tdb("read", array, "-o", file)
    return pyarrow.parquet.read_table(file) if format_ == "parquet" else pyarrow.feather.read_table(file, memory_map=False)


def write_arrow(judge, table, format_):
    file = judge.path("again." + format_)
    if format_ == "parquet":
        pyarrow.parquet.write_table(table, file)
    else:
        pyarrow.feather.write_feather(table, file, compression="zstd")
    return file


def numbers(column):
    """The values of a column as they stand in memory."""
    return random_tables.stored(column)


class Times:
    """An array of dates and times: its schema, and its cells as ticks."""

    def __init__(self, judge, name, dimensions, attributes, cells):
        self.judge, self.name, self.cells = judge, name, cells
        self.fields = dimensions + attributes
        self.schema = {"type": "sparse", "dimensions": dimensions, "attributes": attributes}
        self.datatypes = {one["name"]: one["datatype"] for one in self.fields}

    def create(self, name):
        array, schema = self.judge.path(name), self.judge.path(name + ".json")
        with open(schema, "w") as file:
            json.dump(self.schema, file)
        self.judge.tdb("create", array, "--schema", schema)
        return array

    def write(self):
        """The array, written as ticks."""
        array = self.create(self.name)
        rows = [dict(zip(self.cells, row)) for row in zip(*self.cells.values())]
        lines = "".join(json.dumps(row) + "\n" for row in rows)
        self.judge.tdb("write", array, "-", "--format", "jsonl", "--ticks", stdin=lines.encode())
        if self.judge.forgetful:
            name = self.fields[-1]["name"]
            row = next(row for row, tick in enumerate(self.cells[name]) if tick not in (None, NONE))
            self.cells[name][row] += -1 if self.cells[name][row] > 0 else 1
        return array

    def in_order(self, values):
        """Values of each field, by what the first one has: dimensions and keys differ there."""
        order = sorted(range(ROWS), key=self.cells[self.fields[0]["name"]].__getitem__)
        return [values[row] for row in order]

    def compare_ticks(self, what, array):
        """Whether the array holds the same; None of a field that has no nulls is no time."""
        found = [json.loads(line) for line in self.judge.tdb("read", array, "--format", "jsonl", "--ticks").splitlines()]
        for name, cells in self.cells.items():
            self.judge.same("%s, ticks of %s" % (what, name), [row.get(name) for row in found], self.in_order(cells))

    def compare_arrow(self, table, format_):
        types = arrow_types("ms" if format_ == "parquet" else "s")
        for name, cells in self.cells.items():
            datatype = self.datatypes[name]
            column = table.column(name)
            if datatype in types:
                self.judge.same("%s, type of %s" % (format_, name), str(column.type), str(types[datatype]))
                cells = times.in_arrow(datatype, cells, seconds=format_ != "parquet")
            self.judge.same("%s, %s" % (format_, name), numbers(column), self.in_order(cells))

    def compare_text(self, array):
        """CSV and JSON lines: the same texts, by numpy."""
        wanted = {}
        for name, cells in self.cells.items():
            is_time = self.datatypes[name] in times.DATES + times.LENGTHS
            wanted[name] = self.in_order([times.text(self.datatypes[name], tick) for tick in cells] if is_time else cells)
        said = self.judge.tdb("read", array, "--format", "csv").decode()
        rows = list(csv.DictReader(io.StringIO(said)))
        for name, texts in wanted.items():
            self.judge.same("csv, " + name, [row[name] for row in rows], ["" if text is None else str(text) for text in texts])
        lines = self.judge.tdb("read", array, "--format", "jsonl").decode()
        rows = [json.loads(line) for line in lines.splitlines()]
        for name, texts in wanted.items():
            self.judge.same("jsonl, " + name, [row[name] for row in rows], texts)
        for format_, text in (("csv", said), ("jsonl", lines)):
            copy = self.create("%s_%s" % (self.name, format_))
            self.judge.tdb("write", copy, "-", "--format", format_, stdin=text.encode())
            self.compare_ticks("by way of " + format_, copy)


def there_and_back(judge, made):
    array = made.write()
    made.compare_ticks("as written", array)
    for format_ in ("parquet", "arrow"):
        table = read_arrow(judge, array, format_)
        made.compare_arrow(table, format_)
        file = write_arrow(judge, table, format_)
        copy = made.create("%s_by_%s" % (made.name, format_))
        judge.tdb("write", copy, file)
        made.compare_ticks("by way of pyarrow and %s" % format_, copy)
        again = judge.path("%s_imported_%s" % (made.name, format_))
        judge.tdb("import", file, again)
        schema = judge.json("schema", again)
        found = {one["name"]: one["datatype"] for one in schema["dimensions"] + schema["attributes"]}
        judge.same("import of " + format_ + ", datatypes", [found.get(name) for name in made.datatypes], list(made.datatypes.values()))
        judge.same("import of " + format_ + ", dimensions", [one["name"] for one in schema["dimensions"]], [one["name"] for one in made.schema["dimensions"]])
        made.compare_ticks("import of " + format_, again)
    made.compare_text(array)


def attributes(random_, judge):
    wide = random_.random() < 0.5
    cells, fields = {"key": random_.sample(range(100), ROWS)}, []
    for datatype in times.DATES + times.LENGTHS:
        ticks = ticks_of(random_, datatype, ROWS, wide)
        ticks[random_.randrange(ROWS)] = NONE
        fields.append(field(datatype, datatype, nullable=False))
        cells[datatype] = ticks
        ticks = ticks_of(random_, datatype, ROWS, wide)
        fields.append(field(datatype + "_or_null", datatype, nullable=True))
        cells[datatype + "_or_null"] = [None if random_.random() < 0.3 else tick for tick in ticks]
    key = field("key", "int64", domain=[0, 999], extent=1_000)
    there_and_back(judge, Times(judge, "attributes", [key], fields, cells))


def dimensions(random_, judge, datatypes):
    wide = random_.random() < 0.5
    random_.shuffle(datatypes)
    cells, fields = {}, []
    for datatype in datatypes:
        least, greatest = times.limits(datatype)
        if not wide:
            least, greatest = -greatest // 4, greatest // 4
        ticks = [min(max(tick, least), greatest) for tick in ticks_of(random_, datatype, ROWS, wide)]
        if not cells:
            # The first one tells the cells apart.
            ticks = random_.sample(range(-500, 500), ROWS - 2) + [least, greatest]
        fields.append(field(datatype, datatype, domain=[least, greatest], extent=None))
        cells[datatype] = ticks
    cells["count"] = random_.sample(range(100), ROWS)
    made = Times(judge, "dimensions_" + datatypes[0], fields, [field("count", "int64")], cells)
    there_and_back(judge, made)


def guessed(random_, judge):
    """A table that pyarrow writes, with a dimension of dates or times; and the cells between two of them."""
    kind, (type_, width) = random_.choice(sorted(DIMENSIONS.items()))
    ticks = random_.sample(range(-20_000, 20_000), ROWS)
    ticks = [tick * width for tick in ticks]
    if pa.types.is_time(type_):
        ticks = list(map(abs, ticks))
        ticks = [tick + place % 2 * width // 2 for place, tick in enumerate(ticks)]
    table = pa.table({"key": random_tables.array_of(type_, ticks), "count": pa.array(range(ROWS), pa.int64())})
    format_, array = random_.choice(["parquet", "arrow"]), judge.path("guessed_" + kind)
    judge.tdb("import", write_arrow(judge, table, format_), array, "--dim", "key", *random_.choice([[], ["--duplicates", "keep"]]))
    wanted = sorted(zip(times.in_nanoseconds(table.column("key")), table.column("count").to_pylist()))
    found = read_arrow(judge, array, random_.choice(["parquet", "arrow"]))
    judge.same("dimension of %s" % type_, list(zip(times.in_nanoseconds(found.column("key")), found.column("count").to_pylist())), wanted)
    shown = judge.tdb("read", array, "--format", "csv", "--attrs", "", "--dims", "key").decode().split()[1:]
    first, last = sorted(random_.sample(range(ROWS), 2))
    cells = judge.tdb("read", array, "--format", "csv", "--no-dims", "--range", "key=%s..%s" % (shown[first], shown[last])).decode().split()[1:]
    judge.same("cells of %s between two" % type_, list(map(int, cells)), [count for _, count in wanted[first : last + 1]])


# Types of pyarrow, and what makes days of their ticks or less.
DIMENSIONS = {
    "date32": (pa.date32(), 1), "date64": (pa.date64(), 86_400_000), "time32": (pa.time32("s"), 1), "time64": (pa.time64("ns"), 10**6),
    **{"moment_" + unit: (pa.timestamp(unit), 40_000 * of) for unit, of in random_tables.UNITS.items()},
    **{"length_" + unit: (pa.duration(unit), 40_000 * of) for unit, of in random_tables.UNITS.items()},
}


def beyond(random_, judge):
    """What Arrow has no place for is an error that names the cell."""
    for format_, datatypes in (("arrow", ["year", "month", "week", "day", "hr", "min"]), ("parquet", ["sec"])):
        datatype = "datetime_" + random_.choice(datatypes)
        least, greatest = times.limits(datatype)
        if format_ == "arrow":
            factor = 1_000 if times.milliseconds(datatype) > 1 else 1
            least, greatest = least * factor - factor, greatest * factor + factor
        else:
            least, greatest = least - 1, greatest + 1
        array = judge.path("beyond_" + format_)
        schema = judge.path("beyond.json")
        key = field("key", "int64", domain=[0, 9], extent=10)
        with open(schema, "w") as file:
            json.dump({"type": "sparse", "dimensions": [key], "attributes": [field("when", datatype)]}, file)
        judge.tdb("create", array, "--schema", schema)
        lines = '{"key":0,"when":0}\n{"key":1,"when":%d}\n' % random_.choice([least, greatest])
        judge.tdb("write", array, "-", "--format", "jsonl", "--ticks", stdin=lines.encode())
        judge.refused("%s beyond %s" % (datatype, format_), "cell 1", "read", array, "-o", judge.path("beyond." + format_))


def run(random_, judge):
    attributes(random_, judge)
    dimensions(random_, judge, list(times.DATES))
    dimensions(random_, judge, list(times.LENGTHS))
    guessed(random_, judge)
    beyond(random_, judge)
