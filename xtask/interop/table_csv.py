"""Data frames that pandas writes as CSV, imported, and read back by pyarrow and pandas: every value, floats to the bit.

pandas leaves an empty text without quotes, like a null, unless it quotes all texts. A text for nulls (`na_rep`) is only known in columns of text
if `--null` names it.
"""

import csv
import math

import numpy
import pandas
import pyarrow.csv
import pyarrow.feather

import random_tables
from times import NANOSECONDS, in_nanoseconds

NAMES = ["a", "b", "c d", "e,f", "g;h", 'i"j', "Zürich", "1", "2024-01-01", " padded ", "日本", "x.y", "NA", "-z", "a=b", "line\nfeed"]
USUAL = ["NA", "N/A", "NaN", "null", "NULL"]


class Column:
    """A column: its values, None for null; how pandas writes it; and the values that are expected."""

    def __init__(self, kind, values, series, wanted=None):
        self.kind, self.values, self.series = kind, values, series
        self.wanted = values if wanted is None else wanted


def nulled(random_, values, may_be_null):
    share = random_.choice([0, 0.3]) if may_be_null else 0
    # The first cell says what the column is.
    return values[:1] + [None if random_.random() < share else value for value in values[1:]]


def whole(random_, rows, nulls):
    low, high = random_.choice([(-9, 9), (-(1 << 63), (1 << 63) - 1), (0, (1 << 64) - 1)])
    values = [random_.randint(low, high) for _ in range(rows)]
    is_wide = high >= 1 << 63
    if is_wide:
        values[0] = high
    values = nulled(random_, values, nulls)
    return Column("whole", values, pandas.array(values, "UInt64" if is_wide else "Int64"))


def real(random_, rows, nulls):
    values = [0.5] + random_tables.real(random_, rows - 1, 64)
    values = nulled(random_, values, nulls)
    # To pandas both are missing.
    values = [None if value is None or math.isnan(value) else value for value in values]
    return Column("real", values, numpy.array([math.nan if value is None else value for value in values]))


def flag(random_, rows, nulls):
    values = nulled(random_, [random_.random() < 0.5 for _ in range(rows)], nulls)
    return Column("flag", values, pandas.array(values, "boolean"))


def text(random_, rows, nulls):
    values = nulled(random_, ["word"] + random_tables.text(random_, rows - 1), nulls)
    series = pandas.Series(values, dtype=object)
    return Column("text", values, series.astype("category") if random_.random() < 0.3 else series)


def moment(random_, rows, nulls):
    unit = random_.choice(sorted(random_tables.UNITS))
    values = nulled(random_, random_tables.ticks(random_, rows, random_tables.UNITS[unit]), nulls)
    ticks = numpy.array([-(1 << 63) if value is None else value for value in values], "int64")
    series = pandas.Series(ticks.view("datetime64[%s]" % unit))
    if random_.random() < 0.3:
        series = series.dt.tz_localize("UTC").dt.tz_convert(random_.choice(["UTC", "Europe/Zurich", "America/St_Johns"]))
    return Column("time", values, series, [value and value * NANOSECONDS[unit] for value in values])


def date(random_, rows, nulls):
    days = nulled(random_, [random_.choice([0, random_tables.LEAP_DAY, random_.randint(-99_000, 99_000)]) for _ in range(rows)], nulls)
    dates = [None if day is None else numpy.datetime64(day, "D").item() for day in days]
    return Column("time", days, pandas.Series(dates, dtype=object), [day and day * NANOSECONDS["D"] for day in days])


def frame_of(random_, rows, may_have_nulls, text_has_nulls):
    columns = {}
    for name in random_.sample(NAMES, 10):
        make = random_.choice([whole, real, flag, text, moment, date])
        columns[name] = make(random_, rows, text_has_nulls if make is text else may_have_nulls)
    counts = [random_.randint(-1_000, 1_000) for _ in range(rows)]
    columns["count"] = Column("whole", counts, counts)
    return columns


def key_of(random_, rows):
    """Values that all differ: their kind, what they are sorted by, how pandas has them, and how they are wanted."""
    keys = random_.sample(range(-5_000, 5_000), rows)
    kind = random_.choice(["whole", "date", "moment", "text"])
    if kind == "whole":
        return "whole", keys, keys, keys
    if kind == "text":
        words = ["k%05d" % (key + 5_000) for key in keys]
        return "text", words, words, words
    times = [key * NANOSECONDS["D"] if kind == "date" else key * 77_777_123_000 for key in keys]
    return "time", times, pandas.to_datetime(times, unit="ns"), times


def check_names(judge, what, table, names):
    judge.same(what + ", names", sorted(table.column_names), sorted(names))


def compare_arrow(judge, table, columns):
    for name, column in columns.items():
        found = table.column(name)
        values = in_nanoseconds(found) if column.kind == "time" else random_tables.stored(found)
        judge.same("csv to arrow, %s %s" % (column.kind, name), values, column.wanted)


def compare_pandas(judge, file, columns):
    """The CSV of the program, as pandas reads it: it takes an empty text for null."""
    types = {"whole": "object", "text": "object", "flag": "boolean", "real": "float64", "time": "object"}
    missing = {name: [""] + (["NaN"] if column.kind == "real" else []) for name, column in columns.items()}
    chosen = {name: types[column.kind] for name, column in columns.items()}
    frame = pandas.read_csv(file, dtype=chosen, na_values=missing, keep_default_na=False, float_precision="round_trip")
    for name, column in columns.items():
        values = [None if pandas.isna(value) else value for value in frame[name].tolist()]
        wanted = column.wanted
        if column.kind == "whole":
            values = [value and int(value) for value in values]
        elif column.kind == "time":
            times = pandas.to_datetime(frame[name], format="ISO8601").dt.as_unit("ns")
            values = [None if pandas.isna(value) else int(value.value) for value in times]
        elif column.kind == "text":
            wanted = [value or None for value in wanted]
        elif column.kind == "real":
            wanted = [None if value is None or math.isnan(value) else value for value in wanted]
        judge.same("csv to pandas, %s %s" % (column.kind, name), values, wanted)


def compare_texts(judge, file, columns):
    """The same, as pyarrow reads it: nothing is null, and two quotes are a text."""
    names = {name: pyarrow.string() for name, column in columns.items() if column.kind == "text"}
    options = pyarrow.csv.ConvertOptions(
        column_types=names, include_columns=list(names), strings_can_be_null=True, quoted_strings_can_be_null=False, null_values=[""]
    )
    if names:
        table = pyarrow.csv.read_csv(file, parse_options=pyarrow.csv.ParseOptions(newlines_in_values=True), convert_options=options)
        for name in names:
            judge.same("csv to pyarrow, text " + name, table.column(name).to_pylist(), columns[name].wanted)


def run(random_, judge):
    rows = random_.choice([1, 3, 50, 200])
    kind = random_.choice(["nothing", "usual", "named"])
    quoting = csv.QUOTE_MINIMAL if kind == "nothing" else random_.choice([csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC])
    missing = {"nothing": "", "usual": random_.choice(USUAL), "named": "(none)"}[kind]
    columns = frame_of(random_, rows, True, kind != "usual")
    for column in columns.values():
        if column.kind == "text" and quoting == csv.QUOTE_MINIMAL:
            column.wanted = [value or None for value in column.wanted]
        if column.kind == "real" and missing == "NaN":
            # Among floats it is a number of theirs.
            column.wanted = [math.nan if value is None else value for value in column.wanted]
    frame = pandas.DataFrame({name: column.series for name, column in columns.items()})
    kind_of_key, keys, series, wanted = key_of(random_, rows)
    has_index = random_.random() < 0.5
    dimension = random_.choice(["index", "named"]) if has_index else "key"
    if has_index:
        frame.index = pandas.Index(series, name=None if dimension == "index" else dimension)
    else:
        frame.insert(random_.randint(0, len(frame.columns)), "key", series)
    is_packed = random_.random() < 0.3
    file = judge.path("frame.csv" + ".gz" * is_packed)
    frame.to_csv(
        file, sep=random_.choice(",;\t|"), na_rep=missing, quoting=quoting, index=has_index,
        lineterminator=random_.choice(["\n", "\r\n"]), compression="gzip" if is_packed else None,
    )
    array, out = judge.path("frame"), judge.path("out.arrow")
    arguments = (["--null", missing] if kind == "named" else []) + (["--dim", "key"] if not has_index else [])
    judge.tdb("import", file, array, *arguments, *(["--format", "csv"] if is_packed else []))
    order = sorted(range(rows), key=keys.__getitem__)
    if judge.forgetful:
        columns["count"].wanted = [columns["count"].wanted[0] + 1] + columns["count"].wanted[1:]
    for column in columns.values():
        column.wanted = [column.wanted[row] for row in order]
    columns[dimension] = Column(kind_of_key, None, None, sorted(wanted))
    judge.tdb("read", array, "-o", out)
    table = pyarrow.feather.read_table(out)
    check_names(judge, "csv to arrow", table, columns)
    compare_arrow(judge, table, columns)
    again = judge.path("again.csv")
    judge.tdb("export", array, again)
    compare_pandas(judge, again, columns)
    compare_texts(judge, again, columns)
