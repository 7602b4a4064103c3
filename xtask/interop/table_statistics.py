"""What `stats`, `agg`, `distinct` and `hist` tell of the columns of a random table, and what numpy and pandas make of them.

Counts, sums of whole numbers, least and greatest values are exact; means, deviations and quartiles of numbers may differ
in what adding in another order changes. pandas takes a NaN for a missing value and tdb does not: where there is one, numpy tells.
"""

import fractions
import math

import numpy
import pandas
import pyarrow as pa
import pyarrow.parquet

import random_tables
from table_judge import number

# What `--by` takes beside fields.
PARTS = ("year", "month", "day")


class Field:
    """A field of the array: its values, and what they may be asked."""

    def __init__(self, about, column, values):
        self.name, self.datatype = about["name"], about["datatype"]
        self.values = values
        self.valid = [value for value in values if value is not None]
        self.is_label = pa.types.is_dictionary(column.type)
        self.is_text = pa.types.is_string(column.type)
        self.is_time = pa.types.is_temporal(column.type)
        self.is_float = pa.types.is_floating(column.type)
        self.is_number = not (self.is_label or self.is_text or self.is_time)
        self.bits = column.type.bit_width if self.is_float else None

    def ours(self, value):
        """A value as the program tells it: floats of 32 bits are the nearest to what is said."""
        if self.is_float and value is not None:
            value = float(number(value))
            return random_tables.narrow(value) if self.bits == 32 else value
        return value

    def ordered(self, values):
        """Those values that one may be the least of, zeros without a sign."""
        if self.is_float:
            return [value + 0.0 for value in values if not math.isnan(value)]
        return [value.encode() for value in values] if self.is_text else values

    def ends(self, values):
        values = self.ordered(values)
        if self.is_label or not values:
            return None, None
        low, high = min(values), max(values)
        return (low.decode(), high.decode()) if self.is_text else (low, high)

    def sum_is_told(self, values):
        """Whether the sum fits into 64 bits; sums on the way need not."""
        if self.is_float:
            return True
        total, is_signed = sum(values), self.datatype.startswith("int")
        return -(1 << 63) <= total < (1 << 63) if is_signed else total < (1 << 64)

    def scale(self, values):
        return sum(abs(value) for value in values if math.isfinite(value)) if self.is_number else 0


def mean(field, values):
    if not values:
        return None
    if field.is_float:
        with numpy.errstate(all="ignore"):
            return float(numpy.mean(numpy.array(values, "float64")))
    return float(fractions.Fraction(sum(map(int, values)), len(values)))


def compare_stats(judge, field, told):
    name, values = field.name, field.valid
    what = "stats, %s of " + name
    judge.same(what % "count", told["count"], len(values))
    judge.same(what % "null_count", told["null_count"], len(field.values) - len(values))
    judge.same(what % "distinct", told["distinct"], len(set(map(repr, values))))
    judge.same(what % "what is exact", [told["distinct_is_exact"], told["quartiles_are_exact"]], [True, True])
    judge.same(what % "min and max", [field.ours(told["min"]), field.ours(told["max"])], list(field.ends(values)))
    spread = [number(told[key]) for key in ("mean", "std", "q25", "q50", "q75")]
    if field.is_label or field.is_text or not values:
        judge.same(what % "mean and further", spread, [None] * 5)
    elif field.is_time:
        judge.same(what % "mean", spread[0], sum(values) // len(values))
        judge.same(what % "std", spread[1], None)
        judge.same(what % "quartiles", spread[2:], [quartile_of_times(values, part) for part in (1, 2, 3)])
    else:
        compare_spread(judge, field, values, spread)


def quartile_of_times(values, quarters):
    """In whole ticks, as those of the mean are."""
    values = sorted(values)
    steps, part = divmod((len(values) - 1) * quarters, 4)
    low, high = values[steps], values[min(steps + 1, len(values) - 1)]
    return low + (high - low) * part // 4


def compare_spread(judge, field, values, spread):
    what = "stats, %s of " + field.name
    judge.close(what % "mean", spread[0], mean(field, values), field.scale(values) / len(values))
    largest = max([abs(value) for value in values if math.isfinite(value)], default=0)
    known = numpy.array([value for value in values if not (field.is_float and math.isnan(value))], "float64")
    if len(values) < 2:
        judge.same(what % "std", spread[1], None)
    elif len(known) < len(values) or not numpy.isfinite(known).all():
        judge.same(what % "std", spread[1], math.nan)
    else:
        # What pandas says of the same numbers.
        told = pandas.Series(known).describe()
        judge.close(what % "std", spread[1], float(told["std"]), largest)
        for mine, theirs in zip(spread[2:], ("25%", "50%", "75%")):
            judge.close(what % theirs, mine, float(told[theirs]), largest)
        return
    for quarters, mine in zip((25, 50, 75), spread[2:]):
        with numpy.errstate(all="ignore"):
            low, high = (numpy.percentile(known, quarters, method=method) if len(known) else None for method in ("lower", "higher"))
            # Between an infinity and a number there is no proportion.
            if len(known) and low != high and not (math.isfinite(low) and math.isfinite(high)):
                continue
            wanted = float(low if low == high else numpy.percentile(known, quarters)) if len(known) else None
        judge.close(what % ("%d %%" % quarters), mine, wanted, largest)


# ---- groups ----------------------------------------------------------------------


def keys_of(fields, random_):
    """What cells are grouped by: names as `--by` takes them, and the key of each cell."""
    chosen = random_.sample([field for field in fields if not field.is_float], random_.choice([0, 1, 1, 2, 3]))
    names, keys = [], []
    for field in chosen:
        dates = field.datatype.startswith("datetime") and random_.random() < 0.7
        if not dates:
            names.append(field.name)
            keys.append(field.values)
            continue
        part = random_.choice(PARTS)
        names.append("%s(%s)" % (part, field.name))
        keys.append(parts_of(field, part))
    return names, keys


def parts_of(field, part):
    """Years, months or days of the month of dates, as numpy has them; those of pandas' range also as pandas has them."""
    unit = {"day": "D", "sec": "s"}.get(field.datatype[9:], field.datatype[9:])
    dates = numpy.array([0 if value is None else value for value in field.values], "int64").view("datetime64[%s]" % unit)
    years, months, days = (dates.astype("datetime64[%s]" % to) for to in "YMD")
    found = {
        "year": years.astype("int64") + 1970,
        "month": (months - years).astype("int64") + 1,
        "day": (days - months.astype("datetime64[D]")).astype("int64") + 1,
    }[part]
    return [None if value is None else int(one) for value, one in zip(field.values, found)]


def rows_by(keys, rows):
    """The rows of each group, by pandas; all are one where there are no keys."""
    if not keys:
        return [list(range(rows))]
    frame = pandas.DataFrame({"k%d" % place: pandas.Series(key, dtype=object) for place, key in enumerate(keys)})
    found = {}
    for row, group in enumerate(frame.groupby(list(frame.columns), dropna=False, sort=False).ngroup()):
        found.setdefault(group, []).append(row)
    return list(found.values())


def compare_groups(judge, random_, array, fields, arguments):
    names, keys = keys_of(fields, random_)
    rows = rows_by(keys, len(fields[0].values))
    asked = random_.sample(fields, min(len(fields), 5))
    wanted = ["count(*)"]
    for field in asked:
        functions = ["count", "null_count"] + ([] if field.is_label else ["min", "max"])
        groups = [[field.values[row] for row in group if field.values[row] is not None] for group in rows]
        if field.is_number:
            functions += ["mean"] + (["sum"] if all(map(field.sum_is_told, groups)) else [])
        wanted += ["%s(%s)" % (function, field.name) for function in functions]
    by = ["--by", ",".join(names)] if names else []
    told = judge.json("agg", array, ", ".join(wanted), *by, *arguments, "--ticks")
    found = {repr([one[name] for name in names]): one for one in told}
    judge.same("groups by %s" % names, len(told), len(rows))
    for group in rows:
        key = [key[group[0]] for key in keys]
        one = found.get(repr(key))
        if one is None:
            judge.differ("groups by %s" % names, "no group %r" % key, "one of %d cells" % len(group))
            continue
        what = "%%s of the group %r by %s" % (key, names)
        judge.same(what % "count(*)", one["count(*)"], len(group))
        for field in asked:
            compare_group(judge, field, what, one, [field.values[row] for row in group])


def compare_group(judge, field, what, told, cells):
    values = [value for value in cells if value is not None]
    of = lambda function: "%s(%s)" % (function, field.name)
    judge.same(what % of("count"), [told[of("count")], told[of("null_count")]], [len(values), len(cells) - len(values)])
    if not field.is_label:
        judge.same(what % of("min and max"), [field.ours(told[of("min")]), field.ours(told[of("max")])], list(field.ends(values)))
    if not field.is_number:
        return
    judge.close(what % of("mean"), number(told[of("mean")]), mean(field, values), field.scale(values) / max(len(values), 1))
    if of("sum") not in told:
        return
    if field.is_float:
        with numpy.errstate(all="ignore"):
            total = float(numpy.sum(numpy.array(values, "float64"))) if values else None
        judge.close(what % of("sum"), number(told[of("sum")]), total, field.scale(values))
    else:
        judge.same(what % of("sum"), told[of("sum")], sum(map(int, values)) if values else None)


# ---- values ----------------------------------------------------------------------


def compare_distinct(judge, array, field, arguments):
    if field.is_float:
        # Of those, zeros of either sign and NaNs of all bits are values of their own.
        return
    told = judge.json("distinct", array, field.name, "--counts", *arguments, "--ticks")
    counts = pandas.Series(field.values, dtype=object).value_counts(dropna=False)
    wanted = sorted([repr(None if pandas.isna(value) else value), int(count)] for value, count in counts.items())
    judge.same("distinct " + field.name, sorted([repr(one[field.name]), one["count(*)"]] for one in told), wanted)


def compare_histogram(judge, random_, array, field, arguments):
    bins = random_.choice([1, 2, 3, 7, 10, 100, 999])
    values = [value for value in field.valid if not (field.is_float and math.isnan(value))]
    what = "hist %s in %d" % (field.name, bins)
    if any(field.is_float and math.isinf(value) for value in values):
        return judge.refused(what, "infinite", "hist", array, field.name, "--bins", bins, *arguments)
    told = judge.json("hist", array, field.name, "--bins", bins, *arguments, "--ticks")
    judge.same(what + ", nulls", told["nulls"], len(field.values) - len(field.valid))
    judge.same(what + ", none", told["none"], len(field.valid) - len(values))
    cells = [one["cells"] for one in told["bins"]]
    ends = [(number(one["from"]), number(one["to"])) for one in told["bins"]]
    judge.same(what + ", all cells", sum(cells), len(values))
    if not values:
        return
    if field.is_float:
        edges = [low for low, _ in ends] + [ends[-1][1]]
        judge.same(what + ", bins", len(cells), bins if min(values) < max(values) else 1)
        if min(values) < max(values):
            judge.same(what + ", cells", cells, numpy.histogram(values, bins=edges)[0].tolist())
            for mine, theirs in zip(edges, numpy.linspace(min(values), max(values), bins + 1).tolist()):
                judge.close(what + ", an end", mine, theirs, max(map(abs, edges)))
        return
    inside = lambda low, high: sum(low <= value <= high for value in values)
    judge.same(what + ", cells", cells, [inside(low, high) for low, high in ends])
    judge.same(what + ", ends", [ends[0][0], ends[-1][1], len(ends) <= bins], [min(values), max(values), True])
    widths = {high - low + 1 for low, high in ends[:-1]}
    judge.same(what + ", gaps", [len(widths) <= 1, *(low - 1 for low, _ in ends[1:])], [True, *(high for _, high in ends[:-1])])


def writer(random_):
    compression, rows = random_.choice(["none", "snappy", "gzip", "zstd", "lz4"]), random_.choice([7, 1000])

    def write(judge, table, name):
        file = judge.path(name + ".parquet")
        pyarrow.parquet.write_table(table, file, compression=compression, row_group_size=rows)
        return file

    return write


def run(random_, judge):
    kinds = random_.sample(sorted(random_tables.KINDS), 10)
    table = random_tables.table(random_, random_.choice([1, 2, 5, 40, 150]), kinds)
    array = judge.path("statistics")
    judge.imported(array, table, writer(random_), random_.random() < 0.3, random_.random() < 0.5)
    table, arguments = judge.remembered(table), []
    if random_.random() < 0.3:
        arguments, table = random_tables.where(random_, table)
        if table.num_rows == 0:
            return
    told = judge.json("stats", array, *arguments, "--ticks")
    told = {one["name"]: one for one in told if one["name"] != "row"}
    judge.same("fields of stats", sorted(told), sorted(table.column_names))
    fields = []
    for name in table.column_names:
        column = table.column(name)
        fields.append(Field(told[name], column, values_in(column, told[name]["datatype"])))
    for field in fields:
        compare_stats(judge, field, told[field.name])
    for _ in range(3):
        compare_groups(judge, random_, array, fields, arguments)
    for field in random_.sample(fields, 3):
        compare_distinct(judge, array, field, arguments)
    for field in random_.sample([field for field in fields if field.is_time or field.is_number and field.datatype != "bool"], 3):
        compare_histogram(judge, random_, array, field, arguments)


def values_in(column, datatype):
    """The values of a column in the unit of the array's field: Parquet has no seconds."""
    values = random_tables.stored(column)
    if pa.types.is_timestamp(column.type) and column.type.unit == "s" and datatype == "datetime_ms":
        return [None if value is None else value * 1000 for value in values]
    return values
