"""Random arrays that TileDB 2.0 to 2.4 wrote, read by TileDB 2.30 and by the program: all cells are the same.

`old_releases.py LIBRARIES RECIPES OUT SEED COUNT PROGRAM` makes COUNT arrays with each of the releases, whose libraries lie in
LIBRARIES by the versions of their wheels: dense and sparse, with all types, orders, filters and duplicates that the release has, from one
to four writes, in global order too, merged or not, vacuumed or not. A release has a process of its own for each array, and so has
TileDB 2.30. What a release refuses or dies of, and what 2.30 cannot read, is counted apart.
"""

import glob
import json
import os
import pickle
import random
import shutil
import sys

import random_arrays as arrays
from random_arrays import COUNT, LIBRARY, OUT, SEED

PROGRAM = sys.argv[6]

import asking
import capi
import data
import describe
import recipe
import releases
from comparing import Differs, Program, cells_by_us, rows_of
from random_writes import cells_in

# The format versions of 2.0 to 2.4.
VERSIONS = [5, 6, 7, 8, 9, 10]
JUDGE = 22
MOST = 20


def library(version):
    wheel = recipe.WHEELS[version][0]
    return glob.glob(os.path.join(LIBRARY, wheel, "tiledb.libs", "libtiledb*"))[0]


def in_child(run):
    """What a function gives in a process of its own; None where that dies, or refuses."""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(reader)
        try:
            with os.fdopen(writer, "wb") as out:
                out.write(pickle.dumps(run()))
        except capi.TileDBError:
            os._exit(1)
        except BaseException as error:
            sys.excepthook(type(error), error, error.__traceback__)
            os._exit(2)
        # Before the library's handles are dropped: some releases do not survive that.
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as told:
        said = told.read()
    _, status = os.waitpid(pid, 0)
    if os.WIFEXITED(status) and os.WEXITSTATUS(status) == 2:
        raise SystemExit("the script failed")
    return pickle.loads(said) if status == 0 else None


def make(version, number, uri):
    """An array of a release; gives what was done."""
    seed = "old %s/%d/%d" % (SEED, version, number)
    random_ = random.Random(seed)
    spec = releases.fit(arrays.pick_spec(random_), version)
    lib = capi.Library(library(version))
    lib.create(uri, spec)
    log, at = ["%s, cells %s, tiles %s" % (spec["kind"], spec["cell_order"], spec["tile_order"])], 110
    for step in range(random_.choice([1, 1, 2, 3, 4])):
        log.append(write(random_, lib, uri, spec, "%s/%d" % (seed, step), at))
        at += 10
    if len(log) > 2 and random_.random() < 0.4:
        lib.consolidate(uri)
        log.append("merged")
        if random_.random() < 0.5:
            lib.vacuum(uri)
            log.append("vacuumed")
    return log


def write(random_, lib, uri, spec, seed, at):
    if spec["kind"] == "dense" and random_.random() < 0.5:
        box = whole_tiles(random_, spec["dims"])
        if box:
            cells = data.columns(seed, spec["attrs"], data.cells_of(box), spec.get("empty", "anywhere"))
            arrays.fix_enums(spec, cells)
            order = cells_in(box, spec["dims"], "global", spec["cell_order"], spec["tile_order"])
            cells = {name: [values[place] for place in order] for name, values in cells.items()}
            lib.write(uri, spec, at, cells, box, "global")
            return "global write of %s" % box
    cells, box = arrays.pick_cells(random_, spec, seed)
    if spec.get("empty"):
        again = data.columns(seed, spec["attrs"], len(next(iter(cells.values()))), spec["empty"])
        arrays.fix_enums(spec, again)
        cells.update(again)
    is_line = len(spec["dims"]) == 1 and spec["cell_order"] != "hilbert"
    if box is None and is_line and random_.random() < 0.5:
        keys = cells[spec["dims"][0]["name"]]
        order = sorted(range(len(keys)), key=keys.__getitem__)
        cells = {name: [values[place] for place in order] for name, values in cells.items()}
        lib.write(uri, spec, at, cells, None, "global")
        return "global write"
    lib.write(uri, spec, at, cells, box)
    return "write of %s" % box


def whole_tiles(random_, dims):
    """A box of whole tiles within the domain, which is what can be written in global order."""
    box = []
    for dim in dims:
        (low, high), extent = dim["domain"], dim["extent"]
        tiles = (high - low + 1) // extent
        if tiles == 0:
            return None
        first = random_.randrange(tiles)
        last = random_.randint(first, tiles - 1)
        box.append([low + first * extent, low + (last + 1) * extent - 1])
    return box


def judged(uri):
    """The fields and the rows that TileDB 2.30 reads."""
    lib = capi.Library(library(JUDGE), {"sm.compute_concurrency_level": 1, "sm.io_concurrency_level": 1})
    array = lib.open(uri, capi.READ)
    schema = describe.schema(lib, array)
    lib.close(array)
    order = "row" if schema["type"] == "dense" else "any"
    answer = asking.run_query(lib, uri, {"name": "", "order": order})
    fields = asking.fields_of(describe.as_spec(schema), None, True)
    return fields, sorted(rows_of(answer), key=repr)


def case(version, number, counts, faults):
    folder = os.path.join(OUT, "v%d_%04d" % (version, number))
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    uri = os.path.join(folder, "array")
    log = in_child(lambda: make(version, number, uri))
    wanted = log and in_child(lambda: judged(uri))
    if wanted is None:
        counts["refused"] += 1
    else:
        fields, rows = wanted
        counts["arrays"] += 1
        counts["rows"] += len(rows)
        try:
            ours = cells_by_us(Program(PROGRAM), uri, "now", fields)
            if ours != rows:
                where = next((place for place, pair in enumerate(zip(ours, rows)) if pair[0] != pair[1]), "the end")
                faults.append("%s: %d rows, TileDB reads %d; others at %s" % (log, len(ours), len(rows), where))
        except (Differs, json.JSONDecodeError) as error:
            faults.append("%s: %s" % (log, str(error)[:500]))
        if faults and faults[-1].startswith(str(log)):
            faults[-1] = "format %d, case %d: %s" % (version, number, faults[-1])
            if os.environ.get("MISHAP_KEEP"):
                return
    shutil.rmtree(folder)


def main():
    os.makedirs(OUT, exist_ok=True)
    found = 0
    for version in VERSIONS:
        counts, faults = {"arrays": 0, "rows": 0, "refused": 0}, []
        for number in range(int(COUNT)):
            case(version, number, counts, faults)
        for one in faults[:MOST]:
            print("differs: " + one, file=sys.stderr)
        told = "TileDB %s: %d old arrays, %d rows compared, %d arrays differ; %d refused by a release" % (
            recipe.WHEELS[version][2], counts["arrays"], counts["rows"], len(faults), counts["refused"])
        print(told, file=sys.stderr if faults else sys.stdout, flush=True)
        found += len(faults)
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
