"""The program, run as people run it, and what others make of the same tables: counts what agrees, and keeps what does not."""

import json
import math
import os
import shlex
import subprocess

import pyarrow

# What is shown of a value, or of a list around the place where it differs.
SHOWN = 200


class Refused(Exception):
    """The program did not do what it should."""


class Judge:
    """One case. A forgetful one remembers a cell otherwise than it was written, and must find a difference: so the judge is judged."""

    def __init__(self, program, out, forgetful=False):
        self.program, self.out, self.forgetful = program, out, forgetful
        self.comparisons = self.values = 0
        self.differences = []
        self.asked = ""

    def path(self, name):
        return os.path.join(self.out, name)

    # ---- the program -------------------------------------------------------------

    def run(self, *arguments, stdin=None):
        command = [self.program, *map(str, arguments)]
        self.asked = " ".join(map(shlex.quote, command))
        return subprocess.run(command, capture_output=True, input=stdin, check=False)

    def tdb(self, *arguments, stdin=None):
        """What the program prints, which must succeed."""
        done = self.run(*arguments, stdin=stdin)
        if done.returncode != 0:
            raise Refused("status %d: %s" % (done.returncode, done.stderr.decode().strip()))
        return done.stdout

    def json(self, *arguments):
        return json.loads(self.tdb(*arguments, "--json"))

    def imported(self, array, table, write, is_dense, in_parts):
        """Makes an array of a table by files that `write` makes; a sparse one in parts has a fragment of each."""
        whole = write(self, table, "whole")
        arguments = ["import", whole, array, *(["--dense"] if is_dense else ["--dim", "key"])]
        if is_dense or not in_parts or table.num_rows < 2:
            self.tdb(*arguments)
            return
        schema = self.path("schema.json")
        with open(schema, "wb") as file:
            file.write(self.tdb(*arguments, "--dry-run"))
        self.tdb("create", array, "--schema", schema)
        for part in (table.slice(0, table.num_rows // 3), table.slice(table.num_rows // 3)):
            if part.num_rows > 0:
                self.tdb("write", array, write(self, part, "part"))

    def refused(self, what, because, *arguments):
        """Compares why the program refuses something: what it says must hold these words."""
        done = self.run(*arguments)
        said = done.stderr.decode()
        self.comparisons += 1
        if done.returncode == 0 or because not in said:
            self.differ(what, "status %d: %s" % (done.returncode, said.strip()), "an error that says %r" % because)

    # ---- comparing ---------------------------------------------------------------

    def differ(self, what, ours, wanted):
        self.differences.append("%s: tdb has %s, wanted is %s\n    %s" % (what, shown(ours), shown(wanted), self.asked))

    def stopped(self, what, why):
        """Nothing more of this case can be compared, which is a difference, but none that a forgetful judge looks for."""
        if not self.forgetful:
            self.differences.append("%s: %s\n    %s" % (what, why.strip(), self.asked))

    def same(self, what, ours, wanted):
        """Values, or lists of them, that must be equal in type and to the bit; any NaN is like any other."""
        self.comparisons += 1
        if not isinstance(wanted, list):
            self.values += 1
            if repr(ours) != repr(wanted):
                self.differ(what, repr(ours), repr(wanted))
            return
        self.values += len(wanted)
        ours, wanted = [repr(value) for value in ours], [repr(value) for value in wanted]
        if ours == wanted:
            return
        if len(ours) != len(wanted):
            return self.differ(what, "%d values" % len(ours), "%d" % len(wanted))
        wrong = [place for place, (a, b) in enumerate(zip(ours, wanted)) if a != b]
        first = wrong[0]
        self.differ("%s: %d of %d values, the first number %d" % (what, len(wrong), len(ours), first), ours[first], wanted[first])

    def close(self, what, ours, wanted, scale=0.0):
        """Numbers that may differ in what adding in another order changes; `scale` is the size of what was added."""
        self.comparisons += 1
        self.values += 1
        if ours is None or wanted is None:
            is_close = ours is wanted
        elif math.isnan(wanted) or math.isinf(wanted):
            is_close = repr(ours) == repr(wanted)
        else:
            is_close = math.isclose(ours, wanted, rel_tol=1e-12, abs_tol=1e-12 * abs(scale))
        if not is_close:
            self.differ(what, repr(ours), repr(wanted))

    def remembered(self, table):
        """The table that was written; a forgetful judge has another number somewhere in a column `count`."""
        if not self.forgetful:
            return table
        place = table.column_names.index("count")
        cells = table.column(place).to_pylist()
        row = next(row for row, cell in enumerate(cells) if cell is not None)
        cells[row] += 1
        return table.set_column(place, table.schema.field(place), pyarrow.array(cells, table.schema.field(place).type))


def shown(text):
    return text if len(text) <= SHOWN else text[:SHOWN] + "…"


def number(value):
    """A number of JSON; what has none there is text."""
    return {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}.get(value, value) if isinstance(value, str) else value
