"""Rows in the order of values, and parts of them: `read --sort`, and what pandas sorts.

Equal rows stay as they are read without `--sort`. Text goes by its characters, enumerated columns by their labels; NaN comes behind all
numbers and null behind NaN, in either direction.
"""

import math

import pandas
import pyarrow as pa
import pyarrow.feather

import random_tables

SORTED = ["int8", "int64", "uint64", "float32", "float64", "bool", "text", "date", "moment_ns", "length_s", "labels"]


def sorted_rows(table, keys):
    """The numbers of the rows in order, by pandas; of each key first whether there is a value, then the value."""
    frame, ascending = {}, []
    for place, (name, descending) in enumerate(keys):
        values = random_tables.stored(table.column(name))
        is_nan = [isinstance(value, float) and math.isnan(value) for value in values]
        frame["kind %d" % place] = [2 if value is None else int(nan) for value, nan in zip(values, is_nan)]
        anything = next((value for value, nan in zip(values, is_nan) if value is not None and not nan), 0)
        # Whole numbers of 64 bits stay as they are: no column of pandas holds those of both signs.
        known = [anything if value is None or nan else value for value, nan in zip(values, is_nan)]
        order = {value: number for number, value in enumerate(sorted(set(known)))}
        frame["value %d" % place] = [order[value] for value in known]
        ascending += [True, not descending]
    frame = pandas.DataFrame(frame)
    return frame.sort_values(list(frame.columns), ascending=ascending, kind="stable").index.to_list()


def write(judge, table, name):
    file = judge.path(name + ".arrow")
    pyarrow.feather.write_feather(table, file, compression="uncompressed")
    return file


def run(random_, judge):
    # Of more rows than a batch has, only the first so many are kept.
    is_large = random_.random() < 0.05
    kinds = random_.sample(SORTED, 2 if is_large else 6)
    keys = {"int64": random_tables.KEYS["int64"]} if is_large else random_tables.KEYS
    table = random_tables.table(random_, 100_000 if is_large else random_.choice([2, 30, 300]), kinds, keys)
    array, out = judge.path("sorted"), judge.path("sorted.arrow")
    is_dense = random_.random() < 0.3
    judge.imported(array, table, write, is_dense, random_.random() < 0.5)
    whole = judge.remembered(table if is_dense else random_tables.in_order(table))
    for _ in range(2 if is_large else 5):
        condition, table = random_tables.where(random_, whole) if random_.random() < 0.3 else ([], whole)
        if table.num_rows == 0:
            continue
        # Those of few values first, so that the next key has something to do.
        names = random_.sample(table.column_names, random_.choice([1, 2, 3]))
        keys = [(name, random_.random() < 0.5) for name in names]
        rows = sorted_rows(table, keys)
        arguments = ["--sort", ",".join("-" * descending + name for name, descending in keys)]
        part = random_.choice(["all", "limit", "offset", "tail"])
        if part == "tail":
            tail = random_.randint(1, len(rows) + 2)
            arguments, rows = arguments + ["--tail", tail], rows[-tail:]
        elif part != "all":
            limit, offset = random_.randint(1, len(rows) + 2), random_.randint(0, len(rows)) if part == "offset" else 0
            arguments, rows = arguments + ["--limit", limit, "--offset", offset], rows[offset:][:limit]
        # What cells are sorted by need not be among what is shown.
        shown = random_.sample(table.column_names, random_.randint(2, 4))
        shown += [name for name in ("key", "count") if name not in shown]
        attrs = [name for name in shown if is_dense or name != "key"]
        judge.tdb("read", array, *arguments, *condition, "--attrs", ",".join(attrs), "-o", out)
        found = pyarrow.feather.read_table(out)
        for name in shown:
            wanted = table.column(name).take(pa.array(rows, pa.int64()))
            judge.same("rows by %s, %s" % (names, name), random_tables.stored(found.column(name)), random_tables.stored(wanted))
