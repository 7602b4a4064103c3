"""Lives of arrays with merges, vacuums and purges before every look at the past: what `read --at`, `meta ls --at`, `diff` and
`restore` make of an earlier time is what there was then, or they say that it is gone; a wrong answer without a word is a fault.

What there was is remembered by this script, from what TileDB and the program did.
"""

import json
import shutil

import numpy
import tiledb

CELLS = 8
BEGIN = 1_000_000_000_000
FILL = -1
MERGES = [
    ["consolidate", "A"], ["consolidate", "A"], ["consolidate", "A", "--purge-deleted"], ["consolidate", "A", "--no-timestamps"],
    ["consolidate", "A", "--mode", "array-meta"], ["consolidate", "A", "--mode", "commits"],
]
VACUUMS = [["vacuum", "A", "--grace", "0s"], ["vacuum", "A", "--mode", "fragments", "--grace", "0s"],
           ["vacuum", "A", "--mode", "array-meta", "--grace", "0s"]]


class Life:
    """An array, and what it held at each time."""

    def __init__(self, judge):
        self.judge, self.random = judge, judge.random
        self.path = judge.path("a")
        self.sparse = self.random.random() < 0.6
        self.cells, self.keys, self.time = {}, {}, BEGIN
        # The state from each time on.
        self.past = {}
        dims = [tiledb.Dim("x", domain=(0, CELLS - 1), tile=2, dtype=numpy.int64)]
        attrs = [tiledb.Attr("v", dtype=numpy.int32, fill=FILL)]
        tiledb.Array.create(self.path, tiledb.ArraySchema(tiledb.Domain(*dims), attrs, sparse=self.sparse))

    def live(self):
        self.write()
        for _ in range(self.random.randint(3, 12)):
            self.random.choice([self.write] * 4 + [self.delete] * 2 + [self.put] * 2 + [self.merge] * 4 + [self.vacuum] * 3)()

    def passed(self):
        self.past[self.time] = (dict(self.cells), dict(self.keys))
        self.time += 1000

    def write(self):
        first = self.random.randrange(CELLS)
        last = self.random.randint(first, CELLS - 1)
        value = len(self.past)
        with tiledb.open(self.path, "w", timestamp=self.time) as array:
            values = numpy.full(last - first + 1, value, numpy.int32)
            if self.sparse:
                array[numpy.arange(first, last + 1)] = values
            else:
                array[first : last + 1] = values
        self.cells.update({x: value for x in range(first, last + 1)})
        self.passed()

    def delete(self):
        if not self.sparse:
            return
        most = self.random.randrange(1 + len(self.past))
        with tiledb.open(self.path, "d", timestamp=self.time) as array:
            try:
                array.query(cond="v <= %d" % most).submit()
            except tiledb.TileDBError:
                # Not where cells have lost their times.
                return
        self.cells = {x: value for x, value in self.cells.items() if value > most}
        self.passed()

    def put(self):
        key, value = self.random.choice("abc"), len(self.past)
        with tiledb.open(self.path, "w", timestamp=self.time) as array:
            if key in self.keys and self.random.random() < 0.4:
                del array.meta[key]
                del self.keys[key]
            else:
                array.meta[key] = value
                self.keys[key] = value
        self.passed()

    def merge(self):
        self.judge.run(*[self.path if one == "A" else one for one in self.random.choice(MERGES)], "--quiet")

    def vacuum(self):
        self.judge.run(*[self.path if one == "A" else one for one in self.random.choice(VACUUMS)], "--quiet")


def run(judge):
    life = Life(judge)
    life.live()
    now = (life.cells, life.keys)
    check(judge, "what TileDB reads now", cells_of(life.path), life.cells)
    for time, (cells, keys) in life.past.items():
        looked_at(judge, life, time, cells, keys)
    pairs = judge.random.sample(sorted(life.past), min(3, len(life.past)))
    for time in pairs:
        differing(judge, life, time, life.past[time], now)
        restored(judge, life, time, life.past[time])


def check(judge, what, ours, wanted):
    judge.same(what, ours, dict(sorted(wanted.items())))


def cells_of(path):
    with tiledb.open(path) as array:
        found = array[:]
        places = found["x"].tolist() if array.schema.sparse else range(CELLS)
        values = found["v"] if array.schema.sparse or isinstance(found, dict) else found
        return {x: value for x, value in sorted(zip(places, values.tolist())) if value != FILL}


def keys_of(path):
    with tiledb.open(path) as array:
        return dict(sorted(array.meta.items()))


def looked_at(judge, life, time, cells, keys):
    """An answer without a word is right; one with a warning, or none, is no fault."""
    done = judge.ask("read", life.path, "--at", time, "--format", "jsonl")
    if done and done.status == 0 and not done.said:
        rows = [json.loads(line) for line in done.out.splitlines()]
        check(judge, "cells of %d" % time, {row["x"]: row["v"] for row in sorted(rows, key=lambda row: row["x"]) if row["v"] != FILL}, cells)
    done = judge.ask("meta", "ls", life.path, "--at", time, "--json")
    if done and done.status == 0 and not done.said:
        found = json.loads(done.out)
        found = found if isinstance(found, dict) else {one["key"]: one["value"] for one in found}
        found = {key: value["value"] if isinstance(value, dict) else value for key, value in found.items()}
        check(judge, "keys of %d" % time, dict(sorted((k, v[0] if isinstance(v, list) else v) for k, v in found.items())), keys)


def differing(judge, life, time, then, now):
    """The cells in which a time differs from now, or a refusal."""
    done = judge.ask("diff", life.path, "--at", time, "--json")
    if not done or done.status not in (0, 1) or done.said:
        return
    found = json.loads(done.out)
    places = sorted(cell["coordinates"]["x"] for cell in found["cells"])
    wanted = sorted(x for x in {*then[0], *now[0]} if then[0].get(x) != now[0].get(x))
    judge.same("cells that differ from %d" % time, places, wanted)


def restored(judge, life, time, then):
    """What a copy holds after it was taken back to a time, or as before where that is refused."""
    copy = judge.path("copy")
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(life.path, copy)
    done = judge.ask("restore", copy, "--to", time)
    if not done:
        return
    cells, keys = then if done.status == 0 else (life.cells, life.keys)
    check(judge, "cells restored to %d, exit %d: %s" % (time, done.status, done.said.strip()), cells_of(copy), cells)
    check(judge, "keys restored to %d, exit %d: %s" % (time, done.status, done.said.strip()), keys_of(copy), keys)
