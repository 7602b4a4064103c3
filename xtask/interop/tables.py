"""Random tables, on their way through arrays: what the program tells of them, against pandas, pyarrow and numpy.

`tables.py PROGRAM OUT SEED COUNT [CASE]` makes cases of each part, the more the greater COUNT, or that one of each alone. Every difference
is printed with the command that was run last, and with how to repeat it. What a case with differences made stays in OUT. Last, each part must notice a cell that is remembered otherwise than it was written.
"""

import os
import random
import shutil
import sys
import time
import traceback

import table_csv
import table_files
import table_order
import table_others
import table_statistics
import table_times
from table_judge import Judge, Refused

# Each part, and how often it is run for each case that is asked for: they take a second or less, and times several.
PARTS = {
    "statistics": (table_statistics.run, 4),
    "order": (table_order.run, 4),
    "csv": (table_csv.run, 4),
    "files": (table_files.run, 2),
    "others": (table_others.run, 12),
    "times": (table_times.run, 1),
}
# Differences that are shown in full.
MOST = 40


def case(program, out, seed, number, part, forgetful=False):
    """Runs one part; gives the judge."""
    folder = os.path.join(out, "case%04d_%s%s" % (number, part, "_forgetful" * forgetful))
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    judge = Judge(program, folder, forgetful)
    run, _ = PARTS[part]
    try:
        run(random.Random("tables %s/%s/%s" % (seed, number, part)), judge)
    except Refused as error:
        judge.stopped("what should work", str(error))
    except Exception:
        # A file that pyarrow does not take, a column that is not there.
        judge.stopped("what can be read", traceback.format_exc())
    if forgetful or not judge.differences:
        shutil.rmtree(folder)
    return judge


def notices(program, out, seed, part):
    """Whether another cell is noticed. What is asked for may leave that cell out, but not time and again."""
    return any(case(program, out, seed, number, part, forgetful=True).differences for number in range(5))


def main():
    program, out, seed, count = sys.argv[1:5]
    only = int(sys.argv[5]) if sys.argv[5:] else None
    if only is None:
        shutil.rmtree(out, ignore_errors=True)
    judges, differences, seconds = [], [], []
    for part, (_, times) in PARTS.items():
        begun = time.monotonic()
        for number in range(int(count) * times) if only is None else [only]:
            judge = case(program, out, seed, number, part)
            judges.append(judge)
            repeat = "\n    repeat: cargo xtask interop-tables --seed %s --case %d" % (seed, number)
            differences += ["seed %s, case %d, %s%s" % (seed, number, one, repeat) for one in judge.differences]
        if only is None and not notices(program, out, seed, part):
            differences.append("the judge does not notice a cell that is another, in %s" % part)
        seconds.append("%s %.1f" % (part, time.monotonic() - begun))
    for one in differences[:MOST]:
        print("differs: " + one, file=sys.stderr)
    told = "%d cases, %d comparisons of %d values, %d differences; seconds: %s"
    told %= len(judges), sum(j.comparisons for j in judges), sum(j.values for j in judges), len(differences), ", ".join(seconds)
    # Of a run that failed, only what it says of errors is shown.
    print(told, file=sys.stderr if differences else sys.stdout)
    sys.exit(1 if differences else 0)


if __name__ == "__main__":
    main()
