"""Random lives of arrays and groups, lived twice: once by the judge, TileDB 2.30, and once by tdb.

`life.py LIBRARY RECIPES OUT SEED COUNT PROGRAM [FIRST [ROOT]]` makes pairs in OUT, or below the URI ROOT. TileDB alone works on `judge`; on `array`
(or `group`) tdb does what it can, and TileDB the rest, taking turns. After every step, and at the end at every
earlier time, TileDB must find the same in both: schema, metadata, members, cells; so must tdb; and what they find must
be what `model.py` makes of the steps. What TileDB reads of `judge` stands in a manifest, for tdb to be compared with.
Cells come now and then by way of a file; what files become arrays, `imports.py` has.

Each life has a process of its own. Where the library dies of `judge`, which it made alone, the life is counted apart.
"""

import ctypes
import json
import os
import random
import shutil
import signal
import sys

import random_arrays
from random_arrays import LIBRARY, OUT, SEED

COUNT, PROGRAM = int(sys.argv[5]), sys.argv[6]
FIRST = int(sys.argv[7]) if sys.argv[7:] else 0
ROOT = sys.argv[8] if sys.argv[8:] else None

import asking
import capi
import describe
import imports
from comparing import KEY, Differs, Program, same
from group_life import Groups
from pair import Pair, schema_of


# What a library dies of by itself.
CRASHES = (signal.SIGSEGV, signal.SIGFPE, signal.SIGABRT, signal.SIGBUS, signal.SIGILL)
# In the process of a life: what was told last.
LAST = {}


class ArrayLife(Pair):
    """A life of an array."""

    def live(self):
        for _ in range(self.random.choice([0, 1, 2, 4])):
            self.write()
        for _ in range(self.random.randint(4, 12)):
            step = self.random.choice(
                [self.write] * 5 + [self.delete] * 3 + [self.metadata] * 2 + [self.upkeep] * 6 + [self.grow] * 2
                + [self.write_labels] * 2 + [self.restore] * 2 + [self.remove_after]
                + [self.add_attribute, self.drop_attribute, self.enumeration]
            )
            step()

    def leave(self, out):
        """A manifest of what TileDB reads at every time, for all of it to be read by tdb."""
        answers = []
        for at in [at for at in self.times if self.model.knows(at)] + [None]:
            self.mark(self.judge, "read")
            try:
                answer = asking.run_query(self.lib, self.judge, {"name": "at %s" % at, "at": at})
            except capi.TileDBError:
                continue
            answers.append(dict(answer, unordered=bool(self.spec.get("dups"))))
        about = {"about": "; ".join(self.log), "schema": schema_of(self.lib, self.judge), "queries": answers}
        if "://" in self.ours:
            about["uri"] = self.ours
        with open(os.path.join(out, "manifest.json"), "w") as file:
            json.dump(about, file)


def child(number, out, tell):
    """One life; `tell` is told what is being done, and what came of it."""
    seed = "life %s/%d" % (SEED, number)
    random_ = random.Random(seed)
    kind = Groups if number % 5 == 4 else ArrayLife
    life = None
    root = ROOT and "%s/%s" % (ROOT, os.path.basename(out))
    try:
        life = kind(random_, LIBRARY, PROGRAM, out, seed, root=root, mark=lambda uri, what: tell(doing=[os.path.basename(uri), what]))
        life.live()
        life.check_all()
        life.leave(out)
        tell(doing=["imports", "read"])
        imports.run(random_, capi.Library(LIBRARY), Program(PROGRAM), same, out + "_import")
        tell(ended="lived", steps=len(life.times), answers=life.answers)
    except capi.TileDBError as error:
        # What TileDB refuses of an array that it made alone is no life to compare.
        where = LAST["doing"]
        ended = "refused" if where[0] == "judge" and not getattr(life, "helped", False) else "DIFFERS"
        tell(ended=ended, why="%s of %s: %s" % (where[1], where[0], str(error).splitlines()[0]), log=life and life.log)
    except Differs as error:
        tell(ended="DIFFERS", why=str(error), log=life and life.log)



def in_child(run):
    """Runs it in a process of its own; gives all that it told, and the signal that it died of."""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(reader)

        def tell(**what):
            LAST.update(what)
            os.write(writer, json.dumps(what).encode() + b"\n")

        try:
            run(tell)
        except BaseException as error:
            sys.excepthook(type(error), error, error.__traceback__)
            os._exit(1)
        # Before the library's handles are dropped: some releases do not survive that.
        os._exit(0)
    os.close(writer)
    told = {}
    with os.fdopen(reader) as lines:
        for line in lines:
            told.update(json.loads(line))
    _, status = os.waitpid(pid, 0)
    if os.WIFSIGNALED(status) and os.WTERMSIG(status) in CRASHES:
        return told, os.WTERMSIG(status)
    if status != 0:
        raise SystemExit("the script failed")
    return told, None


def survives(uri):
    """Whether the library can read, merge and vacuum what it once died of."""
    def use(_):
        settings = {}
        if os.path.exists(os.path.join(os.path.dirname(uri), "key")):
            settings = {"sm.encryption_type": "AES_256_GCM", "sm.encryption_key": KEY.decode()}
        lib, copy = capi.Library(LIBRARY, settings), uri + "_copy"
        shutil.copytree(uri, copy)
        read = lambda: asking.run_query(lib, copy, {"name": ""})
        for step in (read, lambda: describe.group(lib, copy), lambda: lib.consolidate(copy), lambda: lib.vacuum(copy), read):
            try:
                step()
            except capi.TileDBError:
                pass

    _, died_of = in_child(use)
    shutil.rmtree(uri + "_copy", ignore_errors=True)
    return died_of is None


def told_of_death(told, died_of, out):
    """How a life ended in which the library died: of its own array, or of what tdb wrote."""
    where, what = told.get("doing", ["judge", "load"])
    why = "signal %d, %s of %s" % (died_of, what, where)
    twin, judge = os.path.join(out, where), os.path.join(out, "judge")
    if where == "judge" or os.path.isdir(twin) and (survives(twin) or not survives(judge)):
        return {"ended": "TileDB died", "why": why}
    return {"ended": "DIFFERS", "why": "TileDB dies of what tdb wrote: " + why}


def main():
    os.makedirs(OUT, exist_ok=True)
    # Once for all children.
    ctypes.CDLL(LIBRARY)
    ends, steps, answers = {}, 0, 0
    for number in range(FIRST, COUNT):
        name = "life%s_%04d" % (SEED, number)
        out = os.path.join(OUT, name)
        shutil.rmtree(out, ignore_errors=True)
        os.makedirs(out)
        told, died_of = in_child(lambda tell: child(number, out, tell))
        if died_of is not None:
            told = told_of_death(told, died_of, out)
        ended = told["ended"]
        ends[ended] = ends.get(ended, 0) + 1
        steps, answers = steps + told.get("steps", 0), answers + told.get("answers", 0)
        if ended == "DIFFERS":
            print("%s: DIFFERS: %s\n    after: %s" % (name, told["why"], "; ".join(told.get("log") or [])), file=sys.stderr, flush=True)
            continue
        what = "%d steps" % told["steps"] if ended == "lived" else "%s: %s" % (ended, told["why"])
        print("%s: %s" % (name, what), flush=True)
        # Groups, and what TileDB refused or died of, leave nothing to compare.
        if not os.path.exists(os.path.join(out, "manifest.json")) or ended != "lived":
            shutil.rmtree(out)
    said = ", ".join("%d %s" % (count, ended) for ended, count in sorted(ends.items()))
    print("lives: %s; %d steps, %d answers compared" % (said, steps, answers))
    sys.exit(1 if "DIFFERS" in ends else 0)


if __name__ == "__main__":
    main()
