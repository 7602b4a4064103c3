"""Dense arrays whose domain is far larger than what was written in it, up to all that its type can tell: every verb that walks over
cells ends in time, and answers of the non-empty domain, which it says, or refuses with a range that helps.

Arrays are of all integers and of dates, of one to three dimensions, with none to three small fragments that lie together or far
apart. What is right is worked out from the cells that were written.
"""

import csv
import io
import itertools
import json
import math
import os
import shlex
import shutil

import numpy
import pyarrow.parquet
import tiledb

WHOLE = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]
DATES = ["datetime64[%s]" % unit for unit in ("D", "h", "ms", "ns")]
FILL = numpy.iinfo(numpy.int32).min
# More cells of a domain than these are not walked over; less than these are few enough for a test.
MANY, FEW = 10**9, 20_000
# What counts are told in.
MOST_COUNTED = 2**64 - 1
BEGIN = 1_000_000_000_000
TOLD = "only the non-empty domain is scanned"


class Huge:
    """A random array, and its cells."""

    def __init__(self, random, path):
        self.random, self.path = random, path
        while True:
            self.type = random.choice(WHOLE + DATES)
            self.domain = self.pick_domain(random.choice([1, 1, 2, 3]))
            self.boxes = self.pick_boxes(random.choice([0, 1, 1, 1, 2, 3]))
            if self.is_clear([self.domain]) and self.is_clear(self.boxes):
                break
        self.names = ["xyz"[number] for number in range(len(self.domain))]
        # Of each time, the cells that were written by then.
        self.states = [{}]
        self.create()
        for number, box in enumerate(self.boxes):
            self.write(path, number, box)

    def bounds(self):
        if self.type in WHOLE:
            info = numpy.iinfo(self.type)
            return int(info.min), int(info.max)
        # The least of all is no date.
        return -(2**63) + 1, 2**63 - 1

    def pick_domain(self, count):
        low, high = self.bounds()
        random, found = self.random, []
        self.extents = []
        for _ in range(count):
            extent = random.choice([1, 2, 7, 10] if high < 300 else [1, 7, 10, 100, 1000][: 5 - count])
            if random.random() < 0.4:
                ends = [low, high - extent]
            else:
                # Ends near those of the type, or anywhere.
                ends = sorted(random.choice([low, 0, high, random.randint(low, high)]) + random.randint(-9, 9) for _ in range(2))
                ends = [max(low, ends[0]), min(high - extent, ends[1])]
            if ends[0] > ends[1]:
                ends = [low, high - extent]
            found.append(tuple(ends))
            self.extents.append(min(extent, ends[1] - ends[0] + 1))
        return found

    def pick_boxes(self, count):
        random = self.random
        is_near = random.random() < 0.6
        base = [random.randint(low, high) for low, high in self.domain]
        found = []
        for _ in range(count):
            box = []
            for (low, high), place in zip(self.domain, base):
                start = place + random.randint(-6, 6) if is_near else random.choice([low, high, random.randint(low, high)])
                start = min(max(start, low), high)
                box.append((start, min(high, start + random.randint(0, 4))))
            found.append(box)
        return found

    @property
    def written(self):
        """The non-empty domain."""
        return around(self.boxes)

    def is_clear(self, boxes):
        """Whether all cells around these boxes are few, or too many to walk over."""
        return not boxes or not FEW < product(around(boxes)) <= MANY

    def create(self):
        as_value = lambda tick: numpy.datetime64(tick, self.type[11:-1]) if self.type in DATES else tick
        dims = []
        for name, (low, high), extent in zip(self.names, self.domain, self.extents):
            tile = numpy.timedelta64(extent, self.type[11:-1]) if self.type in DATES else extent
            dims.append(tiledb.Dim(name, domain=(as_value(low), as_value(high)), tile=tile, dtype=self.type))
        order = self.random.choice(["row-major", "col-major"])
        attr = tiledb.Attr("v", dtype=numpy.int32)
        tiledb.Array.create(self.path, tiledb.ArraySchema(tiledb.Domain(*dims), [attr], cell_order=order, tile_order=order))

    def write(self, path, number, box):
        sides = [high - low + 1 for low, high in box]
        values = numpy.array([self.random.randint(-3, 9) for _ in range(math.prod(sides))], numpy.int32)
        with tiledb.open(path, "w", timestamp=BEGIN + number) as array:
            subarray = tiledb.Subarray(array)
            for place, (low, high) in enumerate(box):
                ends = (numpy.datetime64(low, self.type[11:-1]), numpy.datetime64(high, self.type[11:-1])) if self.type in DATES else (low, high)
                subarray.add_dim_range(place, ends)
            array.write_subarray(subarray, values.reshape(sides))
        self.states.append({**self.states[-1], **dict(zip(places(box), values.tolist()))})

    def cells(self, box, state=-1):
        """The rows of a box, in row-major order, with what was never written."""
        return [(*place, self.states[state].get(place, FILL)) for place in places(box)]


def places(box):
    return list(itertools.product(*(range(low, high + 1) for low, high in box)))


def around(boxes):
    return [(min(low for low, _ in sides), max(high for _, high in sides)) for sides in zip(*boxes)]


def product(box):
    return math.prod(high - low + 1 for low, high in box)


def rows_of(text):
    rows = list(csv.reader(io.StringIO(text.decode())))
    return [tuple(map(int, row)) for row in rows[1:]]


# ---- what the verbs that walk over cells should say of these rows ---------------


def read(judge, out, rows):
    judge.same("rows", rows_of(out), rows)


def sorted_by_value(judge, out, rows):
    judge.same("values", [row[-1] for row in rows_of(out)], sorted((row[-1] for row in rows), reverse=True)[:3])


def last_two(judge, out, rows):
    judge.same("rows", rows_of(out), rows[-2:])


def by_column(judge, out, rows):
    judge.same("rows", rows_of(out), sorted(rows, key=lambda row: row[-2::-1]))


def positive(judge, out, rows):
    judge.same("rows", rows_of(out), [row for row in rows if row[-1] > 2])


def positive_count(judge, out, rows):
    judge.same("count", int(out), sum(row[-1] > 2 for row in rows))


def aggregated(judge, out, rows):
    values = [row[-1] for row in rows]
    wanted = {"count(*)": len(values), "sum(v)": sum(values), "min(v)": min(values), "max(v)": max(values)}
    judge.same("aggregates", json.loads(out), [wanted])


def grouped(judge, out, rows):
    wanted = {}
    for row in rows:
        wanted[row[-1]] = wanted.get(row[-1], 0) + 1
    judge.same("groups", [(row["v"], row["count(*)"]) for row in json.loads(out)], sorted(wanted.items()))


def distinct(judge, out, rows):
    judge.same("values", [row["v"] for row in json.loads(out)], sorted({row[-1] for row in rows}))


def sampled(judge, out, rows):
    found = rows_of(out)
    judge.same("size of the sample", len(set(found)), min(3, len(rows)))
    judge.same("sampled rows that there are not", set(found) - set(rows), set())


def binned(judge, out, rows):
    judge.same("cells of all intervals", sum(one["cells"] for one in json.loads(out)["bins"]), len(rows))


def summarized(judge, out, rows):
    found = {one["name"]: one for one in json.loads(out)}["v"]
    values = [row[-1] for row in rows]
    judge.same("summary", (found["count"], found["min"], found["max"]), (len(values), min(values), max(values)))


def parquet(judge, out, rows):
    table = pyarrow.parquet.read_table(judge.path("cells.parquet"))
    judge.same("rows", sorted(table.column("v").to_pylist()), sorted(row[-1] for row in rows))


def npy(judge, out, rows):
    judge.same("values", numpy.load(judge.path("cells.npy")).flatten().tolist(), [row[-1] for row in rows])


def ends(judge, out, rows):
    pass


WALKS = [
    (["read", "A", "--order", "row", "--ticks"], read),
    (["read", "A", "--order", "col", "--ticks"], by_column),
    (["read", "A", "--order", "row", "--where", "v > 2", "--ticks"], positive),
    (["read", "A", "--sort", "-v", "--limit", "3", "--ticks"], sorted_by_value),
    (["read", "A", "--order", "row", "--tail", "2", "--ticks"], last_two),
    (["count", "A", "--where", "v > 2"], positive_count),
    (["agg", "A", "count(*),sum(v),min(v),max(v)", "--json"], aggregated),
    (["agg", "A", "count(*)", "--by", "v", "--json"], grouped),
    (["distinct", "A", "v", "--json"], distinct),
    (["sample", "A", "3", "--ticks"], sampled),
    (["hist", "A", "v", "--json"], binned),
    (["stats", "A", "--json"], summarized),
    (["export", "A", "F/cells.parquet", "--ticks"], parquet),
    (["export", "A", "F/cells.npy", "--attrs", "v", "--no-dims"], npy),
]

# What tells of an array without its cells, or of a few of them.
OTHERS = [
    ["info", "A"], ["log", "A"], ["map", "A"], ["layout", "A"], ["explain", "A"], ["advise", "A"], ["verify", "A"], ["head", "A"],
    ["fragments", "A"], ["read", "A", "--limit", "2"], ["explain", "A", "--where", "v > 2"], ["read", "A", "--offset", "2", "--limit", "2"],
]


def run(judge):
    random = judge.random
    array = Huge(random, judge.path("a"))
    for arguments, check in random.sample(WALKS, 5):
        walk(judge, array, arguments, check)
    for arguments in random.sample(OTHERS, 2):
        done = judge.ask(*placed(judge, arguments))
        if done and done.status != 0:
            judge.fault("status %d: %s" % (done.status, done.said))
    counted(judge, array)
    parts = [aggregated_rows, between_times, beside, rewritten, merged, changed]
    for part in random.sample(parts, 2):
        part(judge, array)


def placed(judge, arguments):
    return [one.replace("F/", judge.folder + "/").replace("A", judge.path("a")) if one in ("A",) or one.startswith("F/") else one for one in arguments]


def walk(judge, array, arguments, check):
    """One verb, of the whole domain, and of a range if it refuses that."""
    arguments = placed(judge, arguments)
    if array.type in DATES and not array.boxes and "--ticks" not in arguments:
        # The range that is tried then is of raw numbers.
        arguments.append("--ticks")
    done = judge.ask(*arguments)
    if not done:
        return
    total = product(array.domain)
    if done.status == 0:
        box = array.domain
        if total > MANY:
            if TOLD not in done.said:
                judge.fault("does not say that it looks at the non-empty domain: %s" % done.said)
            box = array.written
        if product(box) > FEW:
            judge.fault("an answer of more cells than can be walked over: %s" % done.said)
        else:
            check(judge, done.out, array.cells(box))
        return
    if total <= MANY or array.boxes and product(array.written) <= MANY:
        judge.fault("status %d: %s" % (done.status, done.said))
        return
    if "--range" not in done.hint:
        judge.fault("refused without a range that helps: %s" % done.said)
        return
    box, ranges = helped(array, done.hint)
    again = judge.ask(*arguments, *ranges)
    if again and again.status != 0:
        judge.fault("the range that should help: %s" % again.said)
    elif again:
        check(judge, again.out, array.cells(box))


def helped(array, hint):
    """The box that the hint asks for; where nothing was written, one is as good as another."""
    if array.boxes:
        return array.boxes[-1], [one for one in shlex.split(hint) if one == "--range" or "=" in one and ".." in one]
    box = [(low, min(high, low + 1)) for low, high in array.domain]
    return box, ranges_of(array, box)


def ranges_of(array, box):
    return [one for name, ends in zip(array.names, box) for one in ("--range", "%s=%d..%d" % (name, *ends))]


# ---- other verbs -----------------------------------------------------------------


def counted(judge, array):
    """All cells of the domain, and of a part of it: that is known without a walk."""
    name, (low, high) = array.names[0], array.domain[0]
    middle = judge.random.randint(low, high)
    part = [(middle, high)] + array.domain[1:]
    ticks = ["--ticks"] if array.type in DATES else []
    for arguments, box in [([], array.domain), (["--range", "%s=%d.." % (name, middle), *ticks], part)]:
        done = judge.ask("count", array.path, *arguments)
        if not done:
            continue
        total = product(box)
        if total <= MOST_COUNTED:
            judge.same("count", (done.status, done.out.strip()), (0, b"%d" % total))
        elif done.status == 0 or "--range" not in done.hint:
            judge.fault("%d cells are more than 64 bits count: %s" % (total, done.out or done.said))


def aggregated_rows(judge, array):
    """The number of cells alone, as `agg` tells it."""
    done = judge.ask("agg", array.path, "count(*)", "--json")
    if not done:
        return
    if done.status != 0:
        if product(array.domain) <= MANY or "--range" not in done.hint:
            judge.fault("status %d: %s" % (done.status, done.said))
        return
    wanted = array.written if TOLD in done.said else array.domain
    judge.same("count(*)", json.loads(done.out), [{"count(*)": product(wanted)}])


def between_times(judge, array):
    """What changed since the first write."""
    if len(array.boxes) < 2:
        return
    done = judge.ask("diff", array.path, "--at", BEGIN, "--json")
    differing(judge, done, array, array.states[1], array.states[-1])


def beside(judge, array):
    """A copy of the array, in which a box more is written."""
    other = judge.path("other")
    shutil.copytree(array.path, other)
    before = array.states[-1]
    # What lies between is walked over, which takes its time.
    added = next(box for box in iter(lambda: array.pick_boxes(1)[0], None) if array.is_clear([*array.boxes, box]))
    array.write(other, len(array.boxes), added)
    done = judge.ask("compare", array.path, other, "--json")
    differing(judge, done, array, before, array.states.pop())


def differing(judge, done, array, before, after):
    if not done:
        return
    if done.status not in (0, 1):
        if product(array.domain) <= MANY or "--range" not in done.hint:
            judge.fault("status %d: %s" % (done.status, done.said))
        return
    wanted = sum(before.get(place, FILL) != after.get(place, FILL) for place in {*before, *after})
    judge.same("differing cells", (done.status, json.loads(done.out)["changed"]), (min(wanted, 1), wanted))


def rewritten(judge, array):
    new = judge.path("new")
    done = judge.ask("rewrite", array.path, new)
    if not done:
        return
    if done.status != 0:
        if product(array.domain) <= MANY or array.boxes and product(array.written) <= MANY:
            judge.fault("status %d: %s" % (done.status, done.said))
        return
    holds(judge, array, new)


def holds(judge, array, uri):
    """TileDB reads in all boxes what was written there."""
    with tiledb.open(uri) as found:
        for box in array.boxes:
            wanted = [row[-1] for row in array.cells(box)]
            ours = found.multi_index[tuple(slice(*ends_of(array, ends)) for ends in box)]["v"]
            judge.same("what TileDB reads in %s" % box, ours.flatten().tolist(), wanted)


def ends_of(array, ends):
    return [numpy.datetime64(end, array.type[11:-1]) for end in ends] if array.type in DATES else ends


def merged(judge, array):
    """Merging, which may be refused, and what is there then."""
    copy = judge.path("merged")
    shutil.copytree(array.path, copy)
    for arguments in (["consolidate", copy], ["vacuum", copy, "--grace", "0s"]):
        done = judge.ask(*arguments)
        if done and done.status != 0 and "--" not in done.hint:
            judge.fault("status %d: %s" % (done.status, done.said))
    holds(judge, array, copy)


def changed(judge, array):
    """Cells set by a condition, and taken back."""
    copy = judge.path("changed")
    shutil.copytree(array.path, copy)
    done = judge.ask("set", copy, "v = 3", "v=4", "--max", "1000")
    box = None
    if done and done.status != 0:
        if product(array.domain) <= MANY or array.boxes and product(array.written) <= MANY:
            judge.fault("status %d: %s" % (done.status, done.said))
        if not array.boxes:
            return
        box = places(array.boxes[-1])
        done = judge.ask("set", copy, "%s and v = 3" % done.hint.partition("`")[2].partition("`")[0], "v=4", "--max", "1000")
        if done and done.status != 0:
            judge.fault("the condition that should help: %s" % done.said)
    if not done or done.status != 0:
        return
    is_set = lambda place, value: value == 3 and (box is None or place in box)
    state = {place: 4 if is_set(place, value) else value for place, value in array.states[-1].items()}
    array.states.append(state)
    holds(judge, array, copy)
    array.states.pop()
    if array.boxes and box is None:
        done = judge.ask("restore", copy, "--to", BEGIN + len(array.boxes) - 1)
        if done and done.status != 0:
            judge.fault("status %d: %s" % (done.status, done.said))
        elif done:
            holds(judge, array, copy)
