"""Random questions in SQL over random arrays, put to tdb and, over the cells that TileDB reads, to DuckDB.

`sql_random.py LIBRARY RECIPES FOLDER SEED COUNT PROGRAM` makes arrays by TileDB: sparse with several fragments and deletes, with duplicates, and dense with
cells that were never written. DuckDB has their cells with integers of 128 bits, so that it says what an exact answer is. What tdb refuses since it leaves 64 bits is
counted by itself, what else is refused by its cause, and is an error where it is more than a twentieth. A difference is printed with the
question. A tenth is asked of copies in an object store, too, and as many as a fifth are asked of a larger array on 1 and 8 threads and by two
workers (`sql_ways.py`). Then the arrays are changed by random UPDATE and DELETE, as many as a quarter of the questions (`sql_changes.py`).
"""

import json
import math
import os
import random
import re
import shutil
import subprocess
import sys
from collections import Counter

import duckdb
import numpy as np
import tiledb

LIBRARY, RECIPES, FOLDER, SEED, COUNT, PROGRAM = sys.argv[1:4] + [int(number) for number in sys.argv[4:6]] + sys.argv[6:7]
sys.path.insert(0, RECIPES)

import asking
import capi
import sql_changes
import sql_ways
from comparing import rows_of

# Name, type in NumPy, whether it may be null.
WHOLE = [("i8", "int8", False), ("u8", "uint8", True), ("i16", "int16", True), ("u16", "uint16", False), ("i32", "int32", True),
         ("u32", "uint32", False), ("i64", "int64", False), ("u64", "uint64", True)]
REAL = [("f32", "float32", False), ("f64", "float64", True)]
TIMES = [("day", "datetime64[D]", True), ("hr", "datetime64[h]", False), ("sec", "datetime64[s]", False), ("ms", "datetime64[ms]", True),
         ("us", "datetime64[us]", False), ("ns", "datetime64[ns]", False)]
TEXTS = ["", "a", "A", "abc", "ab%c", "Köln", "zzz", "日本", "it's", "10"]
# What DuckDB's columns are: integers that no sum leaves, times as fine as needed.
IN_DUCKDB = {"day": "DATE", "ns": "TIMESTAMP_NS"}
# Bytes of the buffers that TileDB fills.
ROOM = 1 << 22


def value_of(choose, kind, has_edges):
    """A value of a column as NumPy has it: often one at the edge of the type, of 64 bits only if that is said."""
    if kind == "bool":
        return choose.random() < 0.5
    if kind == "text":
        return choose.choice(TEXTS)
    if kind.startswith("float"):
        return choose.choice([float("nan"), float("inf"), float("-inf"), 0.5, 1.0, -3.25, 100.0, choose.randint(-40, 40) / 4])
    if kind.startswith("datetime64"):
        unit = kind[11:-1]
        seconds = choose.choice([0, -1, 1, 951782400, -86400, 1577836800, choose.randint(-10**9, 2 * 10**9)])
        ticks = {"D": seconds // 86400, "h": seconds // 3600, "s": seconds, "ms": seconds * 1000 + choose.choice([0, 1, 500]),
                 "us": seconds * 10**6 + choose.choice([0, 1, 500000]), "ns": seconds * 10**9 + choose.choice([0, 1000, 500000000])}[unit]
        return np.datetime64(ticks, unit)
    info = np.iinfo(kind)
    edge = choose.choice([info.min, info.max, info.max // 2, 0, 1])
    has_edges = has_edges or info.bits < 64
    return edge if has_edges and choose.random() < 0.2 else choose.randint(max(info.min, -50), min(info.max, 50))


def fields():
    return WHOLE + REAL + [("b", "bool", True), ("t", "text", True), ("s", "text", False)] + TIMES


class Table:
    """An array, and its cells in DuckDB under the same name."""

    def __init__(self, choose, number, database):
        self.name, self.kind = "a%d" % number, choose.choice(["sparse", "duplicates", "dense"])
        self.uri = os.path.join(FOLDER, self.name)
        # Where integers of 64 bits are at their ends, most of what is made of them does not fit.
        self.has_edges = number == 0
        self.make(choose)
        self.hand_over(database)

    def make(self, choose):
        names = fields()
        attributes = [tiledb.Attr(n, dtype="U" if k == "text" else k, nullable=null, var=k == "text" or None) for n, k, null in names]
        dimension = tiledb.Dim("x", domain=(0, 199), tile=20, dtype=np.int64)
        sparse = self.kind != "dense"
        schema = tiledb.ArraySchema(domain=tiledb.Domain(dimension), attrs=attributes, sparse=sparse,
                                    **({"allows_duplicates": self.kind == "duplicates", "capacity": 16} if sparse else {}))
        tiledb.Array.create(self.uri, schema)
        for fragment in range(choose.randint(1, 3)):
            if sparse:
                cells = choose.sample(range(200), 60)
                if self.kind == "duplicates":
                    cells = [choose.randint(0, 199) for _ in cells]
            else:
                first = choose.randint(0, 120)
                cells = list(range(first, first + choose.randint(10, 60)))
            self.write(choose, sorted(cells), names, sparse, fragment + 1)
        if sparse and choose.random() < 0.5:
            with tiledb.open(self.uri, "d", timestamp=9) as array:
                array.query(cond="i16 > 40").submit()

    def write(self, choose, cells, names, sparse, time):
        columns, validity = {}, {}
        for name, kind, null in names:
            values = [value_of(choose, kind, self.has_edges) for _ in cells]
            columns[name] = np.array(values, dtype=object if kind == "text" else kind)
            if null:
                validity[name] = np.array([choose.random() < 0.8 for _ in cells], dtype=np.uint8)
        with tiledb.open(self.uri, "w", timestamp=time) as array:
            if sparse:
                from tiledb.sparse_array import _setitem_impl_sparse

                _setitem_impl_sparse(array, np.array(cells), columns, validity)
            else:
                array._setitem_impl(slice(cells[0], cells[-1] + 1), columns, validity)

    def hand_over(self, database):
        """The cells that TileDB reads, as a table."""
        answer = asking.run_query(capi.Library(LIBRARY), self.uri, {"name": "all", "room": ROOM})
        kinds = {"x": "int64", **{name: kind for name, kind, _ in fields()}}
        names = [column["name"] for column in answer["columns"]]
        columns = zip(names, zip(*rows_of(answer)))
        columns = {name: [in_python(value, kinds[name]) for value in values] for name, values in columns}
        types = {"x": "HUGEINT", "b": "BOOLEAN", "t": "VARCHAR", "s": "VARCHAR", "f32": "FLOAT", "f64": "DOUBLE"}
        types.update({name: "HUGEINT" for name, _, _ in WHOLE})
        types.update({name: IN_DUCKDB.get(name, "TIMESTAMP") for name, _, _ in TIMES})
        declared = ", ".join("%s %s" % (name, types[name]) for name in columns)
        database.execute("create table %s (%s)" % (self.name, declared))
        places = ", ".join("?::%s" % types[name] for name in columns)
        database.executemany("insert into %s values (%s)" % (self.name, places), list(zip(*columns.values())))


def in_python(raw, kind):
    """A value as DuckDB takes it."""
    if raw is None:
        return None
    if kind == "text":
        return raw.decode()
    value = np.frombuffer(raw, dtype=kind)[0]
    if kind.startswith("datetime64"):
        return None if np.isnat(value) else str(value) + (":00" if kind.endswith("[h]") else "")
    return value.item()


class Questions:
    """Random statements, each in the words of both: they differ in how integers are divided."""

    def __init__(self, choose):
        self.choose = choose

    def number(self, depth=2):
        """An expression of integers."""
        pick = self.choose.random()
        if depth == 0 or pick < 0.4:
            # Columns of 64 bits less often: most of what is made of them does not fit.
            if pick < 0.3:
                return self.choose.choice([name for name, _, _ in WHOLE[:6]])
            return self.choose.choice([name for name, _, _ in WHOLE] + ["x", str(self.choose.randint(-5, 70000))])
        if pick < 0.5:
            return "(- %s)" % self.number(depth - 1)
        if pick < 0.58:
            return "abs(%s)" % self.number(depth - 1)
        operator = self.choose.choice(["+", "-", "*", "+", "-"])
        return "(%s %s %s)" % (self.number(depth - 1), operator, self.number(depth - 1))

    def time_text(self):
        date = self.choose.choice(["1970-01-01", "2000-02-29", "2020-01-01", "1969-12-31", "1999-07-05"])
        return "%s %s" % (date, self.choose.choice(["00:00:00", "00:00:00.5", "23:59:59.5", "12:00:00", "00:00:00.0005"]))

    def time(self):
        kind = self.choose.random()
        if kind < 0.2:
            return "date '%s'" % self.time_text()[:10]
        return "timestamp '%s'" % self.time_text()

    def comparison(self):
        operator = self.choose.choice(["=", "<>", "<", "<=", ">", ">=", "is distinct from", "is not distinct from"])
        pick = self.choose.random()
        if pick < 0.3:
            return "%s %s %s" % (self.number(), operator, self.number(1))
        if pick < 0.55:
            name = self.choose.choice(TIMES)[0]
            kind = self.choose.random()
            if kind < 0.2:
                return "%s %sin (%s, %s)" % (name, self.choose.choice(["", "not "]), self.time(), self.time())
            if kind < 0.35:
                return "%s between %s and %s" % (name, self.time(), self.time())
            if kind < 0.5:
                year = self.choose.choice([1600, 1677, 1970, 2000, 2262, 2263, 2300])
                return "extract(year from %s) %s %d" % (name, operator, year)
            return "%s %s %s" % (name, operator, self.time())
        if pick < 0.65:
            value = self.choose.choice(["'nan'::double", "'inf'::double", "0.5", "-3.25", "100"])
            return "%s %s %s" % (self.choose.choice(["f32", "f64"]), operator, value)
        if pick < 0.75:
            name = self.choose.choice(["t", "s"])
            text = self.choose.choice(TEXTS).replace("'", "''")
            if self.choose.random() < 0.3:
                return "%s like '%s%%'" % (name, self.choose.choice(["a", "ab", "K", "z"]))
            return "%s %s '%s'" % (name, operator, text)
        if pick < 0.85:
            return "%s is %snull" % (self.choose.choice(fields())[0], self.choose.choice(["", "not "]))
        if pick < 0.92:
            members = ", ".join(str(self.choose.randint(-5, 60)) for _ in range(3))
            return "%s %sin (%s)" % (self.choose.choice(WHOLE)[0], self.choose.choice(["", "not "]), members)
        return "b is distinct from %s" % self.choose.choice(["true", "false", "null"])

    def condition(self, depth=2):
        pick = self.choose.random()
        if depth == 0 or pick < 0.45:
            return self.comparison()
        if pick < 0.55:
            return "not %s" % self.comparison()
        joined = " %s " % self.choose.choice(["and", "or"])
        both = self.condition(depth - 1) + joined + self.condition(depth - 1)
        return "(%s)" % both if self.choose.random() < 0.4 else both

    def aggregate(self):
        pick = self.choose.random()
        filtered = " filter (where %s)" % self.condition(1) if self.choose.random() < 0.2 else ""
        if pick < 0.2:
            return "count(*)" + filtered
        if pick < 0.4:
            return "count(%s)%s" % (self.choose.choice(fields())[0], filtered)
        if pick < 0.55:
            return "sum(%s)%s" % (self.choose.choice([name for name, _, _ in WHOLE]), filtered)
        if pick < 0.6:
            return "sum(%s)%s" % (self.number(1), filtered)
        name = self.choose.choice(fields())[0] if self.choose.random() < 0.7 else self.number(1)
        name = "f64" if name == "b" else name
        return "%s(%s)%s" % (self.choose.choice(["min", "max"]), name, filtered)

    def question(self, table, has_all_rows=True):
        where = " where " + self.condition() if self.choose.random() < 0.75 else ""
        source = " from %s%s" % (table.name, where)
        pick = self.choose.random()
        if pick < 0.12 and table.kind != "duplicates":
            # Cells have coordinates of their own, so that there is one answer.
            direction = self.choose.choice(["", " desc"])
            source += " order by x%s limit %d" % (direction, self.choose.choice([1, 3, 20, 1000]))
            columns = ["x", self.choose.choice(fields())[0]]
        elif pick < 0.3 and has_all_rows:
            columns = [self.choose.choice([self.number(), self.choose.choice(fields())[0]]) for _ in range(self.choose.randint(1, 3))]
        elif pick < 0.7:
            columns = [self.aggregate() for _ in range(self.choose.randint(1, 3))]
        else:
            key = self.choose.choice(["b", "t", "u8 % 3", "day", "extract(year from sec)", "date_trunc('month', ms)", "i8 > 0", "f64"])
            columns = [key] + [self.aggregate() for _ in range(self.choose.randint(1, 2))]
            source += " group by " + key
        named = ", ".join("%s as c%d" % (column, number) for number, column in enumerate(columns))
        return "select %s%s" % (named, source)


def one_way(value):
    """A value as both can be compared: decimals are texts in JSON, and times have as many digits as they need."""
    if value is None or isinstance(value, (bool, int)):
        return value
    if isinstance(value, str):
        if re.fullmatch(r"-?[0-9]+", value):
            return int(value)
        if re.match(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", value):
            date, _, time = value.replace("T", " ").partition(" ")
            time = time + ":00" * (2 - time.count(":")) if time else "00:00:00"
            return date + " " + (time.rstrip("0").rstrip(".") if "." in time else time)
        return {"NaN": "nan", "Infinity": "inf", "-Infinity": "-inf"}.get(value, value)
    if not math.isfinite(value):
        return str(value)
    return float("%.6g" % value) + 0.0


def same_rows(rows):
    return sorted(([one_way(value) for value in row] for row in rows), key=repr)


def of_tdb(text):
    rows = (json.loads(line) for line in text.splitlines())
    return same_rows(list(row.values()) for row in rows)


def of_duckdb(database, question):
    cursor = database.execute(question)
    kinds = [str(column[1]) for column in cursor.description]
    shown = ", ".join("c%d::varchar" % n if kind.startswith(("TIMESTAMP", "DATE")) or "DATETIME" in kind.upper() else "c%d" % n
                      for n, kind in enumerate(kinds))
    return same_rows(database.execute("select %s from (%s)" % (shown, question)).fetchall())


def changing(choose):
    """Runs a statement that changes cells; gives how it ended, and what it said."""
    def run(statement):
        command = [PROGRAM, "sql", statement, "--threads", choose.choice(["1", "2", "8"])]
        done = subprocess.run(command, capture_output=True, text=True)
        return done.returncode, done.stderr.strip()
    return run


class Comparison:
    """Asks in all ways, and counts what came of it."""

    def __init__(self, database, ways):
        self.database, self.ways = database, ways
        self.told, self.refused = Counter(), Counter()

    def compare(self, question, table, ways, case):
        try:
            wanted = of_duckdb(self.database, question)
        except duckdb.Error as error:
            self.told["not asked: DuckDB refuses"] += 1
            self.refused["DuckDB: " + str(error).split("\n")[0][:60]] += 1
            return
        for way in ways:
            self.told["asked, " + ("alone" if way.isdigit() else way)] += 1
            self.told[self.outcome(question, table, way, (wanted, case))] += 1

    def outcome(self, question, table, way, wanted_and_case):
        wanted, case = wanted_and_case
        status, out, err = self.ways.ask(question, table, way)
        if status:
            if "does not fit into an integer of 64 bits" in err:
                return "refused: beyond 64 bits"
            self.refused[err.split("\n")[0][:100] + ": " + question] += 1
            return "refused"
        got = of_tdb(out)
        if got == wanted:
            return "equal"
        print("%s of seed %d, %s %s, asked by %s:\n  %s\n  tdb    %s\n  DuckDB %s"
              % (case, SEED, table.kind, table.name, way, question, str(got)[:300], str(wanted)[:300]))
        return "DIFFERENT"


def main():
    shutil.rmtree(FOLDER, ignore_errors=True)
    os.makedirs(FOLDER)
    choose = random.Random(SEED)
    database = duckdb.connect()
    tables = [Table(choose, number, database) for number in range(6)]
    questions = Questions(choose)
    ways = sql_ways.Ways(PROGRAM, FOLDER)
    try:
        comparison = Comparison(database, ways)
        for table in tables:
            table.stored = ways.store(table)
        for number in range(COUNT):
            table = choose.choice(tables)
            of_store = ["store"] if number % 10 == 0 else []
            asked = [choose.choice(["1", "2", "8"])] + of_store
            comparison.compare(questions.question(table), table, asked, "case %d" % number)
        large = sql_ways.Large(choose, FOLDER, database, value_of, fields())
        for number in range(COUNT // 5):
            asked = ["1", "8", "workers"]
            comparison.compare(questions.question(large, has_all_rows=False), large, asked, "case %d of the large array" % number)
    finally:
        ways.close()
    told, refused = comparison.told, comparison.refused
    print("%d questions in SQL, %d answers equal, %d refused beyond 64 bits, %d refused, %d that DuckDB refuses" % (
        COUNT + COUNT // 5, told["equal"], told["refused: beyond 64 bits"], told["refused"], told["not asked: DuckDB refuses"]))
    print("  asked %d times alone, %d of a store, %d of workers" % (told["asked, alone"], told["asked, store"], told["asked, workers"]))
    for cause, times in refused.most_common(12):
        print("  %d times: %s" % (times, cause))
    different = told["DIFFERENT"] + changes(choose, questions, database, tables)
    asked = told["asked, alone"] + told["asked, store"] + told["asked, workers"]
    sys.exit(1 if different or told["refused"] * 20 > asked else 0)


def changes(choose, questions, database, tables):
    """Changes arrays as DuckDB does; gives the number of differences."""
    changed, table = Counter(), tables[-1]
    for number in range(COUNT // 4):
        # Those of few cells have little to tell.
        table = Table(choose, len(tables) + number, database) if number % 6 == 0 else table
        if not database.execute("select count(*) from " + table.name).fetchone()[0]:
            continue
        outcome, detail = sql_changes.change(choose, questions, database, table, changing(choose))
        changed[outcome] += 1
        changed["cells"] += detail if outcome == "equal" else 0
        if outcome == "DIFFERENT":
            print("change %d of seed %d, %s %s: %s" % (number, SEED, table.kind, table.name, detail))
    print("%d statements changed %d cells as DuckDB does, %d refused, %d that DuckDB refuses" % (
        changed["equal"], changed["cells"], changed["refused"], changed["not asked"]))
    return changed["DIFFERENT"]


main()
