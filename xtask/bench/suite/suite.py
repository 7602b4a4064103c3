"""TileDB's side of the suite: `suite.py LIBRARY RECIPES FOLDER SCALE VERB ...`.

`list` prints all workloads as JSON; `make NAME...` makes what these need; `new NAME PATH` the array that a write begins with;
`run NAME THREADS` runs one and prints a line of JSON; `check NAME PATH` prints the checksums of what a write has left;
`limits NAME...` prints what each must at least do (`limits.py`).
"""

import json
import os
import shutil
import sys
from ctypes import byref, c_void_p

LIBRARY, RECIPES, FOLDER, SCALE = sys.argv[1:5]
sys.path.append(RECIPES)

import capi
import growth
from answers import Asking
from limits import limits
from making import load_cells, make_array, make_cells, once, settings, whole, write
from sizes import SCALES
from specs import specs
from sums import Sums
from timing import Runs
from workloads import workloads

SIZE = SCALES[SCALE]
SPECS, WORKLOADS = dict(specs(SIZE), **growth.specs()), workloads(SIZE)

def path_of(*names):
    return os.path.join(FOLDER, SCALE, *names)


def library(array, threads):
    there = {"sm.compute_concurrency_level": threads, "sm.io_concurrency_level": threads, "sm.mem.total_budget": 10 << 30}
    return capi.Library(LIBRARY, dict(there, **settings(array)))


def read(name, workload, threads):
    spec, array = SPECS[workload["array"]], path_of(workload["array"])
    lib = library(workload["array"], threads)
    asking = Asking(lib, spec, workload["fields"])
    condition = lib.condition(spec, tuple(workload["where"])) if workload["where"] else None
    runs, sums = Runs(), Sums(workload["ordered"])
    most = total(workload, spec)
    asking.reserve(*most)

    def answers(told):
        for _ in range(workload["times"]):
            opened = lib.open(array, capi.READ)
            for box in workload["boxes"]:
                told(asking.submit(asking.query(opened, workload["layout"], box, condition)))
            lib.close(opened)

    def first(sizes):
        columns = asking.columns(sizes)
        sums.add(asking.fields, columns)

    # This touches just the memory that a result takes, before the clock starts.
    answers(first)
    counts = []

    def again():
        counts.clear()
        answers(lambda sizes: counts.append(asking.counted(sizes)))
        return sum(counts)

    return dict(runs.take(per(workload), again), sums=sums.text())


def total(workload, spec):
    """More cells and bytes of text than any box has; the memory is not touched."""
    cells = 1
    if spec["kind"] == "dense":
        for dim in spec["dims"]:
            cells *= max(values(box.get(dim["name"], [dim["domain"]])) for box in workload["boxes"])
    else:
        cells = 1_000_000 if workload["array"].startswith(("f_1000", "g_frag")) else SIZE["sparse"]
    return cells, cells * 32


def values(ranges):
    """How many values of a dimension lie in ranges."""
    return ranges["count"] if isinstance(ranges, dict) else sum(high - low + 1 for low, high in ranges)


def per(workload):
    """How many times a run does it, where the figure is that of one time."""
    return workload["times"] if workload["each"] else 1


def opens(name, workload, threads):
    array, lib, kind = path_of(workload["array"]).encode(), library(workload["array"], threads), workload["kind"]
    runs = Runs()

    def once():
        cells = 0
        for _ in range(workload["times"]):
            if kind == "schema":
                schema = c_void_p()
                lib.call("tiledb_array_schema_load", array, byref(schema))
                lib.c.tiledb_array_schema_free(byref(schema))
                continue
            opened = lib.open(array.decode(), capi.READ)
            if kind == "metadata":
                cells += metadata(lib, opened)
            lib.close(opened)
        return cells

    once()
    return dict(runs.take(per(workload), once), sums={})


def metadata(lib, opened):
    """Every key and value is asked for; the rest would be Python's."""
    from ctypes import c_int, c_uint32, c_uint64

    key, value, length, number, datatype = c_void_p(), c_void_p(), c_uint32(), c_uint32(), c_int()
    arguments = [byref(one) for one in (key, length, datatype, number, value)]
    get, count = lib.c.tiledb_array_get_metadata_from_index, lib.get("tiledb_array_get_metadata_num", c_uint64, opened)
    for index in range(count):
        assert get(lib.ctx, opened, c_uint64(index), *arguments) == 0
    return count


def aggregate(name, workload, threads):
    spec, array = SPECS[workload["array"]], path_of(workload["array"])
    lib = library(workload["array"], threads)
    asking, said = Asking(lib, spec, workload["fields"]), {}
    runs = Runs()

    def once():
        for _ in range(workload["times"]):
            opened = lib.open(array, capi.READ)
            said.update(asking.aggregates(opened, workload["layout"], workload["boxes"][0], workload["functions"]))
            lib.close(opened)
        return 1

    once()
    return dict(runs.take(per(workload), once), sums=dict(said))


def changes(name, workload, threads):
    """A write or a consolidation; each time in a copy of what there was."""
    spec, lib = SPECS[workload["array"]], library(workload["array"], threads)
    template, target = path_of("templates", safe(name)), path_of("written", safe(name) + ".tiledb")
    columns = load_cells(path_of("cells", workload["cells"]), spec) if workload["kind"] == "write" else {}
    runs = Runs()

    def anew():
        shutil.rmtree(target, ignore_errors=True)
        shutil.copytree(template, target)

    def once():
        if columns:
            write(lib, target, spec, columns, workload["order"], whole(spec) if spec["kind"] == "dense" else None)
        else:
            lib.consolidate(target)
        return 1

    anew()
    once()
    return dict(runs.take(1, once, anew), sums={})


def check(name, target):
    """The checksums of all cells of an array that a workload has left, by TileDB, and how many fragments there are."""
    workload = WORKLOADS[name]
    spec, lib = SPECS[workload["array"]], library(workload["array"], 2)
    fields = [field["name"] for field in (spec["dims"] if spec["kind"] == "sparse" else []) + spec["attrs"]]
    asking, sums = Asking(lib, spec, fields), Sums(True)
    asking.reserve(*total(dict(workload, boxes=[{}]), spec))
    opened = lib.open(target, capi.READ)
    sums.add(asking.fields, asking.columns(asking.submit(asking.query(opened, "row" if spec["kind"] == "dense" else "global", {}, None))))
    return {"cells": sums.rows, "sums": sums.text()}


def safe(name):
    return name.replace(":", "-")


def make(names):
    for name in names:
        workload = WORKLOADS[name]
        array = workload["array"]
        once(path_of(array), lambda part: make_array(LIBRARY, array, part, SIZE))
        if workload["kind"] == "write":
            once(path_of("cells", workload["cells"]), lambda part: make_cells(workload["cells"], part, SIZE))
        if workload["kind"] in ("write", "consolidate"):
            template = path_of("templates", safe(name))
            shutil.rmtree(template, ignore_errors=True)
            if workload["kind"] == "write":
                os.makedirs(path_of("templates"), exist_ok=True)
                library(array, 1).create(template, SPECS[array])
            else:
                shutil.copytree(path_of(array), template)


RUN = {"read": read, "open": opens, "schema": opens, "metadata": opens, "aggregate": aggregate, "write": changes, "consolidate": changes}


def main():
    verb, rest = sys.argv[5], sys.argv[6:]
    os.makedirs(path_of("cells"), exist_ok=True)
    if verb == "list":
        keys = {name: settings(workload["array"]).get("sm.encryption_key") for name, workload in WORKLOADS.items()}
        answer = {name: dict(workload, spec=SPECS[workload["array"]], key=keys[name]) for name, workload in WORKLOADS.items()}
    elif verb == "make":
        return make(rest)
    elif verb == "limits":
        answer = {name: limits(WORKLOADS[name], SPECS, SIZE, path_of, LIBRARY) for name in rest}
    elif verb == "check":
        answer = check(*rest)
    else:
        answer = RUN[WORKLOADS[rest[0]]["kind"]](rest[0], WORKLOADS[rest[0]], int(rest[1]))
    print(json.dumps(answer), flush=True)
    os._exit(0)


main()
