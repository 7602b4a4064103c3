"""Runs random programs over TileDB-Py with two libraries, and compares what each step finds.

    random_programs.py SEED COUNT --original PYTHON --tdb PYTHON [--only NUMBER] [--keep FOLDER]
"""

import argparse
import json
import os
import subprocess
import sys
import time

from programs import known
from programs.generating import random_program

HERE = os.path.dirname(os.path.abspath(__file__))


class Library:
    """A process that runs programs over one library."""

    def __init__(self, python):
        self.python = python
        self.start()

    def start(self):
        worker = os.path.join(HERE, "program_worker.py")
        self.process = subprocess.Popen([self.python, "-B", worker], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def send(self, steps):
        self.process.stdin.write(json.dumps(steps) + "\n")
        self.process.stdin.flush()

    def receive(self):
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit("the process of %s ended" % self.python)
        return json.loads(line)


class Difference:
    def __init__(self, place, step, original, ours, kind):
        self.place, self.step, self.original, self.ours, self.kind = place, step, original, ours, kind


class Pair:
    def __init__(self, original, ours):
        self.original, self.ours = Library(original), Library(ours)

    def run(self, steps):
        self.original.send(steps)
        self.ours.send(steps)
        return self.original.receive(), self.ours.receive()

    def first_difference(self, steps):
        """Returns the first step that differs and has no named kind, all named kinds before it, and the number of steps
        compared."""
        original, ours = self.run(steps)
        kinds = []
        count = 0
        for place, step in enumerate(steps):
            theirs = line_or_end(original, place)
            mine = line_or_end(ours, place)
            if theirs.get("end"):
                # What the original does not survive has no answer to compare. Where both end, the fault is TileDB-Py's:
                # it reads beyond the fill value of a var-sized number, and jumps to a stack in some negations.
                kinds.append("TileDB-Py ends with both" if mine.get("end") else "TileDB's library ends")
                return None, kinds, count
            if same(step, theirs, mine):
                count += 1
                continue
            kind = known.kind_of(steps, place, theirs, mine)
            if kind is None:
                return Difference(place, step, theirs, mine, None), kinds, count
            kinds.append(kind.name)
            if kind.ends:
                return None, kinds, count
        if ours["end"] and not original["end"]:
            return Difference(len(steps), {"op": "end"}, {}, {"end": ours["end"], "stderr": ours["stderr"]}, None), kinds, count
        return None, kinds, count

    def shrunk(self, steps, difference):
        """Leaves out steps while the same kind of step differs."""
        steps = steps[: difference.place + 1]
        place = len(steps) - 2
        while place >= 0:
            fewer = steps[:place] + steps[place + 1 :]
            found, _, _ = self.first_difference(fewer)
            if found is not None and found.place == len(fewer) - 1 and alike(found, difference):
                steps, difference = fewer, found
            place -= 1
            place = min(place, len(steps) - 2)
        return steps, difference


def alike(one, other):
    """Whether two differences are probably of one cause."""
    return one.step["op"] == other.step["op"] and kinds_of(one) == kinds_of(other)


def kinds_of(difference):
    return [sorted(set(answer) - {"message", "stderr"}) + [answer.get("error")] for answer in (difference.original, difference.ours)]


def line_or_end(run, place):
    if place < len(run["lines"]):
        return run["lines"][place]
    return {"end": run["end"] or "ends", "stderr": run["stderr"]}


def same(step, one, other):
    if "error" in one and "error" in other:
        # A message of TileDB that is no text cannot be told by TileDB-Py.
        if one["error"] == "UnicodeDecodeError":
            return True
        return one["error"] == other["error"] and known.same_message(step, one["message"], other["message"])
    return one == other


def shown(answer):
    return json.dumps(answer, ensure_ascii=False)


def tell(seed, number, steps, difference):
    print("== program %d of seed %s differs at %s" % (number, seed, difference.step["op"]))
    for step in steps:
        print("  ", shown(step)[:2500])
    theirs, ours = parts_that_differ(difference.original, difference.ours)
    print("   TileDB:", shown(theirs)[:1500])
    print("   tdb:   ", shown(ours)[:1500], flush=True)


def parts_that_differ(one, other):
    """Goes down into two answers while they differ in one place only."""
    path = []
    while True:
        keys = differing_keys(one, other)
        if keys is None:
            return {"/".join(path): one}, {"/".join(path): other}
        if len(keys) > 1:
            return [{"/".join(path + [str(key)]): answer[key] for key in keys[:6]} for answer in (one, other)]
        path.append(str(keys[0]))
        one, other = one[keys[0]], other[keys[0]]


def differing_keys(one, other):
    if isinstance(one, dict) and isinstance(other, dict) and one.keys() == other.keys():
        return [key for key in one if one[key] != other[key]] or None
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        return [place for place in range(len(one)) if one[place] != other[place]] or None
    return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("seed")
    parser.add_argument("count", type=int)
    parser.add_argument("--original", required=True)
    parser.add_argument("--tdb", required=True)
    parser.add_argument("--only", type=int)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--whole", action="store_true", help="do not leave out steps")
    parser.add_argument("--keep", help="a folder for programs that differ")
    parser.add_argument("--seconds", type=float, help="begin no program after this time")
    asked = parser.parse_args()
    begin = time.monotonic()
    pair = Pair(asked.original, asked.tdb)
    numbers = range(asked.first, asked.first + asked.count) if asked.only is None else [asked.only]
    wrong, run, steps_compared, kinds = 0, 0, 0, {}
    for number in numbers:
        if asked.seconds is not None and time.monotonic() - begin > asked.seconds:
            break
        run += 1
        if run % 10 == 0:
            print("   %d programs" % run, file=sys.stderr, flush=True)
        steps = random_program(asked.seed, number)
        difference, met, count = pair.first_difference(steps)
        steps_compared += count
        for kind in met:
            kinds[kind] = kinds.get(kind, 0) + 1
        if difference is None:
            continue
        wrong += 1
        if not asked.whole:
            steps, difference = pair.shrunk(steps, difference)
        tell(asked.seed, number, steps, difference)
        if asked.keep:
            os.makedirs(asked.keep, exist_ok=True)
            with open(os.path.join(asked.keep, "%s-%d.json" % (asked.seed, number)), "w") as file:
                json.dump(steps, file)
    for kind, count in sorted(kinds.items()):
        print("   known: %s: %d" % (kind, count))
    print("   %d programs, %d steps compared, %d programs differ" % (run, steps_compared, wrong))
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
