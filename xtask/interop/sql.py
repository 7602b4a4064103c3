"""The same questions in SQL over files, over S3, on workers and over Parquet, beside what TileDB reads.

`sql.py LIBRARY RECIPES URI FIXTURES PROGRAM FOLDER` makes the bucket that URI names, has tdb copy golden arrays and a large one of many
fragments into it, and compares: all rows that SQL gives with TileDB's cells; what several statements give of the files, of the bucket, on two
workers, and of the array's Parquet export, which DataFusion reads by itself, as a file and as an object that `COPY` made. How TileDB and tdb reach the server, the environment says.
"""

import json
import os
import re
import subprocess
import sys

LIBRARY, RECIPES, ROOT, FIXTURES, PROGRAM, FOLDER = sys.argv[1:7]
sys.path.insert(0, RECIPES)

import asking
import capi
from comparing import Differs, Program, raw_of, rows_of, same

# Of each kind: dense, sparse, strings, duplicates, deletes, evolved, consolidated, enumerations, orders.
ARRAYS = (
    "v3_dense_basics v5_sparse_basics v8_sparse_dups v12_sparse_basics v16_deletes v20_dense_basics v21_sparse_basics v22_tour "
    "v22_dense_basics v22_hilbert_plane v22_merged_sparse v22_evolution_sparse v22_strings v22_sparse_dups"
).split()
# Rows of the large array: worth both workers.
ROWS = 400_000
FRAGMENTS = 4
# Bytes of the buffers that TileDB fills.
ROOM = 1 << 26
# A date that is none.
NOT_A_TIME = (1 << 63).to_bytes(8, "little")


class Worker:
    """A worker on a free port, which ends with this process at the latest."""

    def __init__(self):
        command = [PROGRAM, "worker", "--listen", "127.0.0.1:0", "--threads", "1", "--allow", ROOT, "--allow", FOLDER]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        self.address = self.process.stdout.readline().split()[-1]

    def end(self):
        self.process.kill()
        self.process.wait()


def large(tdb):
    """An array of several fragments that reach into each other, with cells that were deleted and some written again."""
    uri = os.path.join(FOLDER, "large")
    columns = "value as id, 'town ' || (value * 7 %% 13) as town, (value %% 1000) / 8.0 as amount from generate_series(%d, %d, %d)"
    first = columns % (0, ROWS - 1, FRAGMENTS)
    tdb("sql", "copy (select %s) to '%s' stored as tiledb options (key 'id')" % (first, uri), "--quiet")
    for fragment in range(1, FRAGMENTS):
        later = columns % (fragment, ROWS - 1, FRAGMENTS)
        tdb("sql", "insert into '%s' select %s" % (uri, later), "--quiet")
    tdb("sql", "replace into '%s' select id, town, amount + 1 from '%s' where id %% 1000 = 7" % (uri, uri), "--quiet")
    tdb("sql", "delete from '%s' where id between 200000 and 200099" % uri, "--quiet")
    return uri


def judged(lib, uri, schema):
    """TileDB's cells, sorted, with labels in the place of codes."""
    answer = asking.run_query(lib, uri, {"name": "all", "room": ROOM})
    labels = {one["name"]: one["values"] for one in schema["enumerations"]}
    columns = []
    for column, values in zip(answer["columns"], zip(*rows_of(answer))):
        of_field = next((a for a in schema["attributes"] if a["name"] == column["name"]), {})
        if of_field.get("enumeration"):
            known = labels[of_field["enumeration"]]
            codes = (None if value is None else int.from_bytes(value, "little") for value in values)
            values = [None if code is None else str(known[code]).encode() for code in codes]
        columns.append(values)
    rows = zip(*columns)
    return sorted((with_null_dates(row, answer["columns"]) for row in rows), key=repr), answer["columns"]


def with_null_dates(row, columns):
    """A row with null where a date or a time is none, as SQL has it."""
    pairs = zip(row, columns)
    return tuple(None if value == NOT_A_TIME and column["datatype"].startswith(("datetime", "time")) else value for value, column in pairs)


def sizes(column):
    """The values of each cell of a column, or "var"."""
    return "var" if "offsets" in column else column["cell_val_num"]


def in_sql(tdb, uri, columns, *arguments):
    """The rows that SQL gives, as `judged` has them."""
    said = tdb("sql", "select * from '%s'" % uri, "--format", "jsonl", "--ticks", "--quiet", *arguments)
    fields = [{"name": column["name"], "type": column["datatype"], "n": sizes(column)} for column in columns]
    rows = (json.loads(line) for line in said.splitlines())
    rows = (tuple(raw_of(field, row[field["name"]]) for field in fields) for row in rows)
    return sorted((with_null_dates(row, columns) for row in rows), key=repr)


def questions(schema, table):
    """Statements whose rows come in one order, or are sorted here."""
    named = ['"%s"' % one["name"] for one in schema["dimensions"] + schema["attributes"]]
    dims = ", ".join(named[: len(schema["dimensions"])])
    first, last = named[0], named[-1]
    # A time that is none is null in an array, and a time of its own in a file of Parquet.
    times = {'"%s"' % one["name"] for one in schema["attributes"] if one["datatype"].startswith(("datetime", "time"))}
    counts = ", ".join("count(%s) as c%d" % (name, number) for number, name in enumerate(named) if name not in times)
    asked = [
        "select count(*) as how_many, %s from T" % counts,
        "select min(%s) as least, max(%s) as most from T" % (first, first),
        "select %s, count(*) as how_many from T group by %s order by %s limit 500" % (first, first, first),
        "select %s, count(*) as how_many from T group by %s having count(*) > 1 order by how_many desc, %s limit 200" % (last, last, last),
        "select %s from T where %s > (select min(%s) from T) order by %s limit 300" % (dims, first, first, dims),
        "select count(*) as how_many from T a join (select distinct %s from T order by %s limit 10) b on a.%s = b.%s" % (first, first, first, first),
    ]
    return [statement.replace(" T", " '%s'" % table) for statement in asked]


def answers(tdb, schema, table, *arguments):
    """What the statements print, one after the other; times to the second at least, since Parquet has none that are coarser."""
    said = tdb("sql", "; ".join(questions(schema, table)), "--format", "csv", "--quiet", *arguments)
    return re.sub(r"(?<=T)(\d\d)(:\d\d)?(:\d\d)?(\.\d+)?", in_seconds, said)


def in_seconds(time):
    hour, minute, second, rest = time.groups(default="")
    return hour + (minute or ":00") + (second or ":00") + rest.rstrip("0").rstrip(".")


def compare(lib, tdb, here, name, cluster):
    """One array; gives the number of rows and of answers that were compared."""
    there = "%s/%s" % (ROOT, name)
    tdb("cp", here, there)
    schema = tdb.json("schema", there)
    wanted, columns = judged(lib, there, schema)
    ways = {"files": (here,), "S3": (there,), "workers": (there, "--cluster", cluster)}
    for way, arguments in ways.items():
        same("%s: rows of %s" % (name, way), in_sql(tdb, arguments[0], columns, *arguments[1:]), wanted)
    parquet = os.path.join(FOLDER, name + ".parquet")
    tdb("export", there, parquet, "--quiet")
    ways["Parquet"] = (parquet,)
    ways["Parquet on S3"] = (there + ".parquet",)
    tdb("sql", "copy (select * from '%s') to '%s.parquet'" % (parquet, there), "--quiet")
    told = {way: answers(tdb, schema, *arguments) for way, arguments in ways.items()}
    for way, answer in told.items():
        same("%s: answers of %s" % (name, way), answer, told["files"], "the files'")
    return 3 * len(wanted), len(told) * len(questions(schema, there))


def is_shared(tdb, uri, cluster):
    """Whether workers take part in a question about an array."""
    plan = tdb("sql", "explain select count(distinct amount) from '%s'" % uri, "--cluster", cluster)
    return "DistributedExec" in plan


def main():
    tdb = Program(PROGRAM)
    lib = capi.Library(LIBRARY)
    lib.create_bucket(ROOT)
    workers = [Worker(), Worker()]
    cluster = ",".join(worker.address for worker in workers)
    try:
        arrays = {name: os.path.join(FIXTURES, name, "array") for name in ARRAYS}
        arrays["large"] = large(tdb)
        rows = asked = 0
        for name, here in arrays.items():
            compared, answered = compare(lib, tdb, here, name, cluster)
            rows, asked = rows + compared, asked + answered
        if not is_shared(tdb, ROOT + "/large", cluster):
            raise Differs("the workers have no part in questions about the large array")
        print("%d arrays in SQL, %d rows compared, %d answers agree" % (len(arrays), rows, asked), flush=True)
    finally:
        for worker in workers:
            worker.end()
    # Before the library's handles are dropped: some releases do not survive that.
    os._exit(0)


try:
    main()
except (Differs, capi.TileDBError) as error:
    sys.exit("DIFFERS: %s" % error)
