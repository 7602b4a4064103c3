"""Writes by TileDB beside changes by tdb of the same cells, and programs that are killed while they make an array.

`beside.py OUT ROUNDS PROGRAM` does both. In each round tdb changes all cells by what it reads of them, and TileDB writes one of these cells (or
many, which takes as long as the change) at some moment of that; whichever came first, what TileDB wrote must be there afterwards. Then
`tdb import` is killed at some moment: for TileDB there is no array, or the whole one, and the same command completes what was left.
"""

import os
import random
import shutil
import subprocess
import sys
import time

import numpy
import tiledb

OUT, ROUNDS, PROGRAM = sys.argv[1], int(sys.argv[2]), sys.argv[3]
# Kinds of arrays, and the cells that TileDB writes of so many.
KINDS = {"dense": (64, 1), "sparse": (64, 1), "dense, large": (300_000, 300_000)}
ROWS = 100_000


class Beside:
    """One array, whose attribute `v` TileDB writes and whose attribute `w` tdb changes."""

    def __init__(self, kind):
        self.kind = kind
        self.size, self.cells = KINDS[kind]
        self.is_dense = kind != "sparse"
        self.path = os.path.join(OUT, kind.replace(", ", "-"))
        filters = tiledb.FilterList([tiledb.ZstdFilter(9)])
        dimension = tiledb.Dim("x", domain=(0, self.size - 1), tile=min(self.size, 10_000), dtype=numpy.int64)
        attributes = [tiledb.Attr(name, dtype=numpy.int64, filters=filters) for name in ("v", "w")]
        schema = tiledb.ArraySchema(tiledb.Domain(dimension), attributes, sparse=not self.is_dense)
        tiledb.Array.create(self.path, schema)
        self.numbers = numpy.random.default_rng(1)
        self.write(0, self.size)

    def write(self, number, cells):
        """Cells whose first has this number."""
        values = self.numbers.integers(0, 1000, cells)
        values[0] = number
        data = {"v": values, "w": numpy.zeros(cells, numpy.int64)}
        with tiledb.open(self.path, "w") as array:
            if self.is_dense:
                array[0:cells] = data
            else:
                array[numpy.arange(cells)] = data

    def first(self):
        with tiledb.open(self.path) as array:
            return int((array[0:1] if self.is_dense else array.multi_index[0:0])["v"][0])

    def change(self, number):
        command = [PROGRAM, "set", self.path, "v >= 0", "w=%d" % number, "--max", str(self.size)]
        return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)

    def rounds(self, count):
        """How many writes ended while the change went on, and how many were lost."""
        begun = time.time()
        self.change(0).communicate()
        takes = time.time() - begun
        met = lost = 0
        for number in range(1, count + 1):
            changing = self.change(number)
            time.sleep(random.random() * takes)
            self.write(number, self.cells)
            met += changing.poll() is None
            _, said = changing.communicate()
            if changing.returncode != 0:
                sys.exit("a change failed: " + said)
            lost += self.first() != number
            if number % 20 == 0:
                tiledb.consolidate(self.path)
                tiledb.vacuum(self.path)
        return met, lost


def killed(count):
    """How often a killed import left an array, and how often not."""
    file, array = os.path.join(OUT, "rows.csv"), os.path.join(OUT, "imported")
    with open(file, "w") as out:
        out.write("x,v\n")
        out.writelines("%d,%d.5\n" % (row * 7919 % ROWS, row % 1013) for row in range(ROWS))
    command = [PROGRAM, "import", file, array, "--key", "x", "-q"]

    def started():
        return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)

    begun = time.time()
    if started().wait() != 0:
        sys.exit("an import failed: " + " ".join(command))
    takes = time.time() - begun
    left = {"array": 0, None: 0}
    for _ in range(count):
        shutil.rmtree(array, ignore_errors=True)
        importing = started()
        time.sleep(random.random() * takes * 1.1)
        importing.kill()
        importing.communicate()
        kind = tiledb.object_type(array)
        # For TileDB a folder of schemas is an array already, which it does not open as long as there is none (docs/format/directory.md).
        folder = os.path.join(array, "__schema")
        if kind == "array" and not any(entry.is_file() for entry in os.scandir(folder)):
            kind = None
        left[kind] += 1
        if kind is None:
            # The claim of the killed program is taken for an old one.
            for name in os.listdir(array) if os.path.exists(array) else []:
                if name.startswith("__tdb_claim_"):
                    os.remove(os.path.join(array, name))
            again = started()
            _, said = again.communicate()
            if again.returncode != 0:
                sys.exit("the same import again: " + said)
        with tiledb.open(array) as opened:
            rows = opened.df[:]
        if len(rows) != ROWS or int(rows["v"].sum() * 2) != sum(2 * (row % 1013) + 1 for row in range(ROWS)):
            sys.exit("%d of %d cells after a kill that left %s" % (len(rows), ROWS, kind))
    return left


if __name__ == "__main__":
    shutil.rmtree(OUT, ignore_errors=True)
    os.makedirs(OUT)
    random.seed(os.environ.get("SEED"))
    total = missing = 0
    for kind, (_, cells) in KINDS.items():
        count = ROUNDS if cells == 1 else max(ROUNDS // 5, 1)
        met, lost = Beside(kind).rounds(count)
        print("%-13s %d writes by TileDB beside a change, %d ended while it went on, %d lost" % (kind, count, met, lost))
        total += met
        missing += lost
    left = killed(max(ROUNDS // 2, 1))
    print("%d killed imports, of which %d left no array" % (sum(left.values()), left[None]))
    if missing:
        sys.exit("%d writes of TileDB were lost" % missing)
    if total == 0 or left[None] == 0:
        sys.exit("nothing met: nothing is shown by it")
