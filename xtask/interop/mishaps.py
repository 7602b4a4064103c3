"""What goes wrong around arrays: streams that are cut off, results in the wrong place, domains beyond all that was written, damaged
objects, a past that upkeep took away, and writers whose clocks are off.

`mishaps.py PROGRAM OUT SEED COUNT [KINDS [CASE]]` makes COUNT random cases of each kind (KINDS: names with commas between them, or
`all`), with TileDB, and looks whether the program does what is right, or says that it cannot: a wrong answer without a word, a
command that never ends, a panic, or an array that TileDB reads otherwise afterwards is a fault. It prints the counts of each kind.
Any program of tdb can be asked so, an older one too.
"""

import os
import random
import shutil
import sys
import time
import traceback

import mishap_clocks
import mishap_damage
import mishap_domains
import mishap_history
import mishap_outputs
import mishap_streams
from mishap_judge import Judge

# Faults that are shown in full.
MOST = 20
KINDS = {
    "domains": mishap_domains.run,
    "streams": mishap_streams.run,
    "outputs": mishap_outputs.run,
    "damage": mishap_damage.run,
    "history": mishap_history.run,
    "clocks": mishap_clocks.run,
}


def case(kind, program, out, seed, number):
    """Runs a case; gives its judge."""
    folder = os.path.join(out, "%s%04d" % (kind, number))
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    judge = Judge(program, folder, random.Random("mishaps %s %s/%d" % (kind, seed, number)))
    try:
        KINDS[kind](judge)
    except Exception:
        judge.fault(traceback.format_exc()[-1000:])
    if not judge.faults or not os.environ.get("MISHAP_KEEP"):
        shutil.rmtree(folder)
    return judge


def main():
    program, out, seed, count = sys.argv[1:5]
    kinds = sys.argv[5] if sys.argv[5:] else "all"
    only = int(sys.argv[6]) if sys.argv[6:] else None
    program = os.path.abspath(program)
    found = 0
    for kind in KINDS if kinds == "all" else kinds.split(","):
        begun = time.monotonic()
        asked, refused, faults, failed = 0, 0, [], 0
        numbers = range(int(count)) if only is None else [only]
        for number in numbers:
            judge = case(kind, program, out, seed, number)
            asked += judge.asked
            refused += judge.refused
            failed += bool(judge.faults)
            repeat = "\n    repeat: cargo xtask interop-mishaps --seed %s --kind %s --case %d" % (seed, kind, number)
            faults += ["%s, seed %s, case %d: %s%s" % (kind, seed, number, one, repeat) for one in judge.faults]
        for one in faults[:MOST]:
            print("fault: " + one, file=sys.stderr)
        told = "%s: %d cases, %d questions asked, %d of them refused, %d faults in %d cases, %.0f s"
        told %= (kind, len(numbers), asked, refused, len(faults), failed, time.monotonic() - begun)
        # Of a run that failed, only what it says of errors is shown.
        print(told, file=sys.stderr if faults else sys.stdout, flush=True)
        found += len(faults)
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
