"""Aggregates of random arrays: what TileDB 2.30 and the program say.

`aggregates.py LIBRARY RECIPES OUT SEED COUNT PROGRAM` makes COUNT arrays, asks both about each attribute over random
ranges and conditions, and prints what differs. What TileDB is known to answer otherwise is left out here, each time
with the reason; docs/differences.md has the rows.
"""

import ctypes
import json
import math
import os
import random
import shutil
import sys

import random_arrays
import asking
import capi
import comparing
import recipe

OUT, SEED, COUNT, PROGRAM = *sys.argv[3:6], sys.argv[6]
REAL = ("float32", "float64")
# One child process asks about so many arrays: a crash of the library costs no more.
PER_CHILD = 4


def functions_of(attr, dense):
    """What both can tell of an attribute. TileDB counts the nulls of nullable ones alone."""
    # What it stores of var-sized cells of dense arrays is of other cells, and it tells that.
    is_told = attr.get("nullable") and not (dense and attr["n"] == "var")
    nulls = ["null_count"] if is_told else []
    if attr["n"] == "var":
        # TileDB takes no other text, and no lists.
        return nulls + (["min", "max"] if attr["type"] == "string_ascii" and not dense else [])
    if attr["n"] != 1 or "enum" in attr:
        return nulls
    if attr["type"] in random_arrays.NUMBERS:
        return ["sum", "min", "max", "mean"] + nulls
    if attr["type"] in random_arrays.DATES:
        return ["min", "max"] + nulls
    return []


def type_of(attr, function):
    """The type of an aggregate."""
    if function == "null_count":
        return "uint64"
    if function == "mean" or (function == "sum" and attr["type"] in REAL):
        return "float64"
    if function == "sum":
        return "uint64" if attr["type"].startswith("u") else "int64"
    return attr["type"]


class Judge:
    """TileDB's aggregates of one query."""

    def __init__(self, lib, array, spec, question):
        self.lib, self.spec, self.asked = lib, spec, []
        self.query = lib.new("tiledb_query_alloc", array, ctypes.c_int(capi.READ))
        # In any order cells that others replaced can count.
        lib.call("tiledb_query_set_layout", self.query, ctypes.c_int(capi.LAYOUT["row"]))
        ranges = question.get("ranges")
        if spec["kind"] == "dense" and not ranges:
            ranges = {dim["name"]: [list(dim["domain"])] for dim in spec["dims"]}
        if ranges:
            lib.set_ranges(array, self.query, spec, ranges, {})
        if question.get("where"):
            lib.call("tiledb_query_set_condition", self.query, lib.condition(spec, question["where"]))
        self.channel = lib.new("tiledb_query_get_default_channel", self.query)

    def apply(self, name, operation, field):
        self.lib.call("tiledb_channel_apply_aggregate", self.channel, name.encode(), operation)
        var = field["n"] == "var"
        room = 1 << 10 if var else capi.size_of(field["type"])
        kept = self.lib.set_buffers(self.query, name, room, 8 if var else None, 1 if field.get("nullable") else None)
        self.asked.append((name, field, kept))

    def ask(self, attr, function):
        operator = ctypes.c_void_p()
        self.lib.call("tiledb_channel_operator_%s_get" % function, ctypes.byref(operator))
        operation = self.lib.new("tiledb_create_unary_aggregate", self.query, operator, attr["name"].encode())
        field = {"type": type_of(attr, function), "n": attr["n"] if function in ("min", "max") else 1}
        field["nullable"] = attr.get("nullable") and function != "null_count"
        self.apply("%s(%s)" % (function, attr["name"]), operation, field)

    def count(self):
        operation = ctypes.c_void_p()
        self.lib.call("tiledb_aggregate_count_get", ctypes.byref(operation))
        self.apply("count(*)", operation, {"type": "uint64", "n": 1})

    def answers(self):
        self.lib.call("tiledb_query_submit", self.query)
        if self.lib.get("tiledb_query_get_status", ctypes.c_int, self.query) != 1:
            raise capi.TileDBError("query is not complete")
        found = {}
        for name, field, kept in self.asked:
            memory, size = kept["data"]
            raw = memory.raw[: size.value]
            if "validity" in kept and kept["validity"][0].raw[0] == 0:
                found[name] = None
            elif field["n"] == "var":
                found[name] = raw.decode("latin-1")
            else:
                found[name] = capi.unpack(field["type"], raw)
        self.lib.c.tiledb_query_free(ctypes.byref(self.query))
        return found


def make(random_, lib, uri, seed):
    """An array of one to three fragments; dense ones are written whole at first."""
    spec = random_arrays.pick_spec(random_)
    dense = spec["kind"] == "dense"
    if dense:
        for dim in spec["dims"]:
            # Of cells that were never written, and where a tile passes the end of the domain, TileDB sums up some.
            low, high = dim["domain"]
            dim["domain"] = [low, low + (high - low) // dim["extent"] * dim["extent"] + dim["extent"] - 1]
    lib.create(uri, spec)
    for step in range(random_.choice([1, 1, 2, 3])):
        cells, subarray = random_arrays.pick_cells(random_, spec, "%s/%d" % (seed, step))
        if dense and step == 0:
            subarray = [dim["domain"] for dim in spec["dims"]]
            cells = random_arrays.data.columns(seed, spec["attrs"], random_arrays.data.cells_of(subarray))
            random_arrays.fix_enums(spec, cells)
        lib.write(uri, spec, 110 + 10 * step, cells, subarray)
    return spec


def questions_of(random_, spec):
    dense = spec["kind"] == "dense"
    found = [{}]
    for _ in range(4):
        question = {}
        if random_.random() < 0.7:
            question["ranges"] = random_arrays.pick_ranges(random_, spec, single=True)
        if random_.random() < 0.4:
            where = random_arrays.pick_condition(random_, spec, plain=dense)
            if where:
                question["where"] = where
        found.append(question)
    return found


def is_left_out(attr, function, ours, theirs):
    """Whether TileDB is known to answer otherwise."""
    value = lambda name: ours.get("%s(%s)" % (name, attr["name"]))
    if function in ("min", "max") and theirs == -(1 << 63) and attr["type"] in random_arrays.DATES:
        return "the number that stands for no time is the least"
    total = value("sum")
    if attr["type"] in REAL and function != "null_count":
        known = value("min"), value("max"), total
        if any(not isinstance(one, (int, float)) or not math.isfinite(one) for one in known):
            return "a NaN or an infinity is among the values"
    elif function in ("sum", "mean"):
        # Of nulls alone there is neither.
        most = max(abs(value("min") or 0), abs(value("max") or 0)) * ours["count(*)"]
        if most >= 1 << 63:
            return "the sum may stop at the end of the type"
    return None


def is_same(ours, theirs):
    if isinstance(ours, (int, float)) and isinstance(theirs, float):
        return math.isclose(ours, theirs, rel_tol=1e-6, abs_tol=1e-9)
    return ours == theirs


def said_by_program(program, uri, out, spec, wanted, question):
    arguments = ["agg", uri, wanted, "--ticks", "--quiet"]
    if question.get("ranges"):
        file = os.path.join(out, "ranges.json")
        with open(file, "w") as opened:
            json.dump(asking.json_ranges(question["ranges"]), opened)
        arguments += ["--range-file", file]
    if question.get("where"):
        arguments.append("--where=" + recipe.where_text(question["where"], spec))
    return program.json(*arguments)[0]


def ask_both(lib, program, uri, out, spec, question, tally):
    told = {}
    for attr in spec["attrs"]:
        for function in functions_of(attr, spec["kind"] == "dense"):
            array = lib.open(uri, capi.READ)
            judge = Judge(lib, array, spec, question)
            try:
                judge.count()
                judge.ask(attr, function)
                told[attr["name"], function] = judge.answers()
            except capi.TileDBError:
                tally["refused by TileDB"] += 1
            lib.close(array)
    by_name = {attr["name"]: attr for attr in spec["attrs"]}
    ours = said_by_program(program, uri, out, spec, "count(*)", question)
    for name in {name for name, _ in told}:
        functions = [function for known, function in told if known == name]
        wanted = ", ".join("%s(%s)" % (function, name) for function in functions)
        try:
            ours.update(said_by_program(program, uri, out, spec, wanted, question))
        except comparing.Differs as error:
            if "does not fit into 64 bits" not in str(error):
                raise
            wanted = ", ".join("%s(%s)" % (f, name) for f in functions if f not in ("sum", "mean"))
            ours.update(said_by_program(program, uri, out, spec, wanted, question))
    for (name, function), theirs in told.items():
        text = "%s(%s)" % (function, name)
        # Cells of a dense array for which a condition fails keep their places there, and count.
        counts = spec["kind"] == "sparse" or not question.get("where")
        if counts and ours["count(*)"] != theirs["count(*)"]:
            raise comparing.Differs("count(*): %s, TileDB %s" % (ours["count(*)"], theirs["count(*)"]))
        if ours["count(*)"] == 0 or is_left_out(by_name[name], function, ours, theirs[text]):
            tally["left out"] += 1
            continue
        if not is_same(ours.get(text), theirs[text]):
            raise comparing.Differs("%s of %s: %r, TileDB %r" % (text, by_name[name], ours.get(text), theirs[text]))
        tally["compared"] += 1


def child(first, last):
    lib = capi.Library(random_arrays.LIBRARY, {"sm.compute_concurrency_level": 1, "sm.io_concurrency_level": 1})
    program = comparing.Program(PROGRAM)
    tally = {"compared": 0, "left out": 0, "refused by TileDB": 0, "arrays": 0, "differ": 0}
    for number in range(first, last):
        seed = "%s/%d" % (SEED, number)
        random_ = random.Random("aggregates/" + seed)
        out = os.path.join(OUT, "seed%s_%04d" % (SEED, number))
        os.makedirs(out)
        uri = os.path.join(out, "array")
        try:
            spec = make(random_, lib, uri, seed)
        except capi.TileDBError:
            # What TileDB refuses is no array to compare.
            continue
        tally["arrays"] += 1
        for question in questions_of(random_, spec):
            try:
                ask_both(lib, program, uri, out, spec, question, tally)
            except comparing.Differs as error:
                tally["differ"] += 1
                print("differs: %s, %s: %s" % (out, question, error), flush=True)
    with open(os.path.join(OUT, "tally-%d.json" % first), "w") as file:
        json.dump(tally, file)
    # Before the library's handles are dropped: some releases do not survive that.
    sys.stdout.flush()
    os._exit(0)


def main():
    shutil.rmtree(OUT, ignore_errors=True)
    os.makedirs(OUT)
    total = {}
    for first in range(0, int(COUNT), PER_CHILD):
        pid = os.fork()
        if pid == 0:
            child(first, min(first + PER_CHILD, int(COUNT)))
        _, status = os.waitpid(pid, 0)
        if os.WIFEXITED(status) and status != 0:
            sys.exit("the judge of arrays from %d failed" % first)
        if status != 0:
            print("arrays from %d: the library ended with status %d" % (first, status), flush=True)
            continue
        with open(os.path.join(OUT, "tally-%d.json" % first)) as file:
            for key, value in json.load(file).items():
                total[key] = total.get(key, 0) + value
    print("%(arrays)d arrays, %(compared)d aggregates compared, %(left out)d left out, "
          "%(refused by TileDB)d refused by TileDB, %(differ)d questions differ" % total)
    sys.exit(1 if total["differ"] else 0)


if __name__ == "__main__":
    main()
