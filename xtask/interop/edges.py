"""Cells that stand for no value, through every verb and every file: indexes without a label, NaT, NaN, zeros of either sign, text
shorter than its cell.

`edges.py PROGRAM OUT SEED COUNT [CASE]` makes random arrays with TileDB, asks the program about them, changes them with it, and compares
with what numpy, pandas and Python make of the cells that TileDB reads. Every difference is printed with the command that was run last, and
with how to repeat it. Last, a cell that is remembered otherwise than it was written must be noticed.
"""

import os
import random
import shutil
import sys
import traceback

import edge_changes
import edge_files
import edge_questions
from edge_arrays import Edges
from table_judge import Judge, Refused

# Differences that are shown in full.
MOST = 40
PARTS = [
    edge_questions.conditions,
    edge_questions.counts,
    edge_questions.orders,
    edge_changes.deletes,
    edge_changes.sets,
    edge_changes.upkeep,
    edge_files.codes,
    edge_files.labels,
    edge_files.compared,
    edge_files.categories,
]


def case(program, out, seed, number, forgetful=False):
    """Runs all parts of a case, each for itself; gives the judge."""
    folder = os.path.join(out, "case%04d%s" % (number, "_forgetful" * forgetful))
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    judge = Judge(program, folder, forgetful)
    generator = random.Random("edges %s/%s" % (seed, number))
    edges = Edges(generator, folder)
    rows = edges.rows()
    if forgetful:
        for row in rows.values():
            row["c"] = {None: 0, 0: 1, 1: 2, 2: None}[row["c"]]
    for part in PARTS:
        seen = len(judge.differences)
        try:
            part(generator, judge, edges, rows)
        except Refused as error:
            judge.stopped("%s: what should work" % part.__name__, str(error))
        except Exception:
            judge.stopped("%s: what can be read" % part.__name__, traceback.format_exc())
        judge.differences[seen:] = ["%s: %s" % (part.__name__, one) for one in judge.differences[seen:]]
    if forgetful or not judge.differences:
        shutil.rmtree(folder)
    return judge


def main():
    program, out, seed, count = sys.argv[1:5]
    only = int(sys.argv[5]) if sys.argv[5:] else None
    if only is None:
        shutil.rmtree(out, ignore_errors=True)
    judges, differences, failed = [], [], 0
    for number in range(int(count)) if only is None else [only]:
        judge = case(program, out, seed, number)
        judges.append(judge)
        failed += bool(judge.differences)
        repeat = "\n    repeat: cargo xtask interop-edges --seed %s --case %d" % (seed, number)
        differences += ["seed %s, case %d, %s%s" % (seed, number, one, repeat) for one in judge.differences]
    if only is None and not case(program, out, seed, 0, forgetful=True).differences:
        differences.append("the judge does not notice cells that are others")
    for one in differences[:MOST]:
        print("differs: " + one, file=sys.stderr)
    told = "%d cases, %d comparisons of %d values, %d differences in %d cases"
    told %= len(judges), sum(j.comparisons for j in judges), sum(j.values for j in judges), len(differences), failed
    # Of a run that failed, only what it says of errors is shown.
    print(told, file=sys.stderr if differences else sys.stdout)
    sys.exit(1 if differences else 0)


if __name__ == "__main__":
    main()
