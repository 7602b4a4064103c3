"""Processes of tdb and TileDB at one array: writers, merges, vacuums without a grace period, and readers.

`stress.py OUT SECONDS PROGRAM` makes two arrays in OUT, one that keeps duplicates, and lets processes work on each. Every
writer writes cell after cell, and notes the last one that was acknowledged. Whoever reads must find each cell once,
without gaps, all that was acknowledged before, and no less than at the last time. What fails in the middle of a read, as
tiles were vacuumed, is counted; so is what TileDB's own reader misses. In the array that keeps duplicates tdb alone
merges: two merges of the same fragments would show cells twice, which TileDB does not prevent.
"""

import collections
import csv
import io
import json
import os
import subprocess
import sys
import time

OUT, SECONDS, PROGRAM = sys.argv[1], float(sys.argv[2]), sys.argv[3]
ARRAYS = ("unique", "duplicates")
ROLES = {
    "unique": ["write-tiledb 0", "write-tiledb 1", "write-tdb 2", "merge", "merge", "merge-tiledb", "commits", "vacuum",
               "read", "read", "read-tiledb"],
    "duplicates": ["write-tiledb 0", "write-tdb 1", "merge", "merge", "commits", "vacuum", "read", "read"],
}


class Wrong(Exception):
    """An answer that cannot be."""


class Role:
    def __init__(self, array, number=None):
        self.array, self.path = array, os.path.join(OUT, array)
        self.number = number and int(number)
        self.end = time.time() + SECONDS
        self.counts = collections.Counter()
        self.seen = {}

    def play(self, step):
        k = 0
        while time.time() < self.end:
            step(k)
            k += 1
        print(json.dumps(self.counts))

    def tdb(self, *arguments):
        """What the program prints; what it says when it fails is counted."""
        done = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True)
        if done.returncode not in (0, 3):
            raise Wrong("%s: exit %d\n%s" % (" ".join(arguments), done.returncode, done.stderr))
        self.counts["runs"] += 1
        if done.returncode == 3:
            self.counts["failures"] += 1
            self.counts["failed: " + kind_of(done.stderr)] += 1
            return None
        return done.stdout

    def acknowledge(self, k):
        path = os.path.join(OUT, "%s-%d" % (self.array, self.number))
        with open(path + ".new", "w") as file:
            file.write(str(k))
        os.replace(path + ".new", path)
        self.counts["cells"] += 1

    def acknowledged(self):
        found = {}
        for number in range(8):
            try:
                with open(os.path.join(OUT, "%s-%d" % (self.array, number))) as file:
                    found[number] = int(file.read())
            except FileNotFoundError:
                pass
        return found

    def write_tiledb(self, k):
        import tiledb

        with tiledb.open(self.path, "w") as array:
            array[[self.number], [k]] = {"v": [k]}
        self.acknowledge(k)
        time.sleep(0.02)

    def write_tdb(self, k):
        done = subprocess.run([PROGRAM, "write", self.path, "-", "--format", "csv"], capture_output=True, text=True,
                              input="w,k,v\n%d,%d,%d\n" % (self.number, k, k))
        if done.returncode != 0:
            raise Wrong("write: %s" % done.stderr)
        self.acknowledge(k)
        time.sleep(0.02)

    def merge(self, _):
        self.tdb("consolidate", self.path)
        time.sleep(0.05)

    def merge_tiledb(self, _):
        import tiledb

        try:
            tiledb.consolidate(self.path, config=tiledb.Config({"sm.consolidation.mode": "fragments"}))
            self.counts["runs"] += 1
        except tiledb.TileDBError:
            self.counts["failures"] += 1
        time.sleep(0.5)

    def commits(self, _):
        self.tdb("consolidate", self.path, "--mode", "commits")
        self.tdb("vacuum", self.path, "--mode", "commits", "--grace", "0s")
        time.sleep(0.05)

    def vacuum(self, _):
        self.tdb("vacuum", self.path, "--grace", "0s")
        time.sleep(0.05)

    def read(self, _):
        before = self.acknowledged()
        said = self.tdb("read", self.path, "--format", "csv")
        if said is not None:
            rows = csv.DictReader(io.StringIO(said))
            self.check(before, [(int(row["w"]), int(row["k"]), int(row["v"])) for row in rows])

    def read_tiledb(self, _):
        import tiledb

        before = self.acknowledged()
        self.counts["runs"] += 1
        try:
            with tiledb.open(self.path) as array:
                cells = array[:]
            self.check(before, list(zip(cells["w"].tolist(), cells["k"].tolist(), cells["v"].tolist())))
        except Wrong as wrong:
            self.counts["wrong: " + str(wrong).split(":")[0]] += 1
        except tiledb.TileDBError:
            self.counts["failures"] += 1

    def check(self, before, cells):
        self.counts["cells read"] += len(cells)
        found = collections.defaultdict(list)
        for writer, k, v in cells:
            if k != v:
                raise Wrong("another value: %d in place of %d" % (v, k))
            found[writer].append(k)
        for writer in set(found) | set(before) | set(self.seen):
            all_of = sorted(found[writer])
            if len(set(all_of)) != len(all_of):
                raise Wrong("twice: cells of writer %d" % writer)
            least = max(before.get(writer, -1), self.seen.get(writer, -1))
            missing = sorted(set(range(least + 1)) - set(all_of))
            if missing:
                raise Wrong("missing: %d cells of writer %d, the first is %d" % (len(missing), writer, missing[0]))
            if all_of and all_of[-1] + 1 != len(all_of):
                raise Wrong("gap: a cell of writer %d, and not the one before" % writer)
            self.seen[writer] = len(all_of) - 1


def kind_of(error):
    """What an error is about, without names."""
    words = [word for word in error.split() if "__" not in word and OUT not in word]
    words = [word for word in words if not any(letter.isdigit() for letter in word) and '"' not in word]
    return " ".join(words)[:100] or "nothing was said"


def create(path, duplicates):
    import numpy
    import tiledb

    domain = tiledb.Domain(
        tiledb.Dim("w", domain=(0, 7), tile=8, dtype=numpy.int64),
        tiledb.Dim("k", domain=(0, 1 << 40), tile=1 << 20, dtype=numpy.int64),
    )
    schema = tiledb.ArraySchema(domain=domain, attrs=[tiledb.Attr("v", dtype=numpy.int64)], sparse=True,
                                allows_duplicates=duplicates, capacity=1000)
    tiledb.Array.create(path, schema)


def drive():
    running = []
    for array in ARRAYS:
        create(os.path.join(OUT, array), array == "duplicates")
        for role in ROLES[array]:
            command = [sys.executable, "-B", __file__, OUT, str(SECONDS), PROGRAM, array, *role.split()]
            running.append((array, role, subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)))
    failed = 0
    totals = collections.Counter()
    for array, role, process in running:
        out, err = process.communicate()
        counts = json.loads(out) if process.returncode == 0 else {}
        print("%-10s %-15s %s" % (array, role, ", ".join("%s %d" % pair for pair in counts.items()) or err.strip()))
        failed += process.returncode != 0
        if role.startswith("write"):
            totals["written"] += counts.get("cells", 0)
        if role == "read":
            totals["reads"] += counts.get("runs", 0)
            totals["cut short"] += counts.get("failures", 0)
    print("%(written)d cells written, %(reads)d reads by tdb, %(cut short)d of them cut short" % totals)
    least = min(SECONDS, 10)
    if totals["written"] < least or totals["reads"] < least:
        sys.exit("too little was done: nothing is shown by it")
    sys.exit("%d processes found what cannot be" % failed if failed else 0)


if __name__ == "__main__":
    if sys.argv[4:]:
        role = Role(sys.argv[4], *sys.argv[6:])
        role.play(getattr(role, sys.argv[5].replace("-", "_")))
    else:
        drive()
