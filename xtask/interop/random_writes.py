"""Random writes, by TileDB 2.30 and by tdb, into arrays that must then be the same to TileDB.

`random_writes.py LIBRARY RECIPES OUT SEED COUNT make` fills OUT with folders: `theirs`, an array that TileDB
wrote; `array`, one with the same schema, in which some of the writes are missing; and `plan.json`, those
writes, for tdb to make. `... check` reads both, and leaves a manifest of the form that golden fixtures
have, of what is in `array`. What differs goes to standard output, and `differences.txt`. `... merged` does so once
tdb has merged the fragments of `array`.

With the format version of an older release as a last argument, LIBRARY is that release's.
"""

import json
import os
import random
import shutil
import struct
import sys
from ctypes import byref, c_int, c_int32, c_uint32, c_uint64

LIBRARY, RECIPES, OUT, SEED, COUNT, PHASE = sys.argv[1:7]
VERSION = int(sys.argv[7]) if sys.argv[7:] else 22
sys.path.insert(0, RECIPES)

import asking
import capi
import data
import describe
import random_arrays as arrays
import releases

# How many of the arrays are of older formats.
OLD = float(os.environ.get("OLD", "0.25"))
KEY = "0123456789abcdef0123456789abcdef"
# What TileDB sums up rightly, whatever the order of the cells.
COUNTED = arrays.WHOLE + arrays.DATES


def settings(spec):
    found = {"sm.compute_concurrency_level": 1, "sm.io_concurrency_level": 1}
    if spec.get("encrypted"):
        found.update({"sm.encryption_type": "AES_256_GCM", "sm.encryption_key": KEY})
    return found


def pick_spec(random_):
    spec = arrays.pick_spec(random_)
    if random_.random() < 0.12:
        spec["encrypted"] = True
    whole = all(dim["type"] not in ("string_ascii", "float32", "float64") for dim in spec["dims"])
    if whole and random_.random() < 0.2:
        current = {}
        for dim in spec["dims"]:
            low, high = dim["domain"]
            current[dim["name"]] = (dim["type"], low + (high - low) // 4, high - (high - low) // 4)
        spec["current"] = current
    return releases.fit(spec, VERSION)


def bounds_of(spec):
    """The dimensions, cut to the current domain."""
    if "current" not in spec:
        return spec["dims"]
    return [dict(dim, domain=list(spec["current"][dim["name"]][1:])) for dim in spec["dims"]]


def as_hex(field, values):
    raw, offsets, validity = capi.column_buffers(field, values)
    found = {"name": field["name"], "data": raw.hex()}
    if field.get("n") == "var":
        found["offsets"] = [*struct.unpack("<%dQ" % len(values), offsets), len(raw)]
    if field.get("nullable"):
        found["validity"] = validity.hex()
    return found


def fields_of(spec, dims):
    return asking.fields_of(spec, None, dims)


def cells_in(subarray, dims, order, cell_order, tile_order):
    """For each cell in this order, its place in row-major order."""
    places = [()]
    for low, high in subarray:
        places = [place + (value,) for place in places for value in range(low, high + 1)]
    keys = {place: index for index, place in enumerate(places)}

    def key(place):
        if order == "col":
            return tuple(reversed(place))
        tile = tuple((value - dim["domain"][0]) // dim["extent"] for value, dim in zip(place, dims))
        turn = lambda order, part: part if order == "row" else tuple(reversed(part))
        return turn(tile_order, tile) + turn(cell_order, place)

    return [keys[place] for place in sorted(places, key=key)] if order != "row" else list(range(len(places)))


def dense_write(random_, spec, seed, at):
    dims = bounds_of(spec)
    subarray = arrays.pick_subarray(random_, dims)
    count = data.cells_of(subarray)
    cells = data.columns(seed, spec["attrs"], count, spec.get("empty", "anywhere"))
    arrays.fix_enums(spec, cells)
    order = random_.choice(["row", "row", "col", "global"])
    picked = cells_in(subarray, spec["dims"], order, spec["cell_order"], spec["tile_order"])
    columns = [as_hex(attr, [cells[attr["name"]][i] for i in picked]) for attr in spec["attrs"]]
    plan = {"time": at, "order": order, "rows": count, "columns": columns, "ranges": {}}
    for dim, bounds in zip(spec["dims"], subarray):
        plan["ranges"][dim["name"]] = [capi.pack(dim["type"], value).hex() for value in bounds]
    return cells, subarray, plan


def sparse_write(random_, spec, seed, at):
    dims = bounds_of(spec)
    points = []
    for _ in range(random_.choice([1, 5, 20, 60, 150])):
        point = tuple(arrays.pick_coordinate(random_, dim) for dim in dims)
        if "empty" in spec:
            point = tuple(value or b"e" if isinstance(value, bytes) else value for value in point)
        if spec.get("dups") or point not in points:
            points.append(point)
    cells = data.columns(seed, spec["attrs"], len(points), spec.get("empty", "anywhere"))
    arrays.fix_enums(spec, cells)
    cells.update(data.by_dimension(spec["dims"], points))
    fields = fields_of(spec, True)
    columns = [as_hex(field, cells[field["name"]]) for field in fields]
    plan = {"time": at, "order": "any", "rows": len(points), "columns": columns}
    return cells, None, plan


def in_global_order(lib, uri, spec, plan):
    """The same cells as TileDB has them in order."""
    answer = asking.run_query(lib, uri, {"name": "", "order": "global", "at": plan["time"], "since": plan["time"]})
    columns = []
    for column in answer["columns"]:
        columns.append({key: column[key] for key in ("name", "data", "offsets", "validity") if key in column})
    return dict(plan, order="global", columns=columns)


# Golden arrays whose writers put whole numbers elsewhere on the Hilbert curve.
OTHER_CURVES = ("v7_hilbert_plane", "v8_hilbert_plane")


def old_array(random_, lib, theirs):
    """A golden array of an older format, to be continued in that."""
    golden = os.path.dirname(RECIPES)
    # Not text with folded offsets: before format 17, 2.30 cannot read what it adds itself.
    kinds = ("sparse_basics", "dense_basics", "sparse_dups", "hilbert_plane")
    names = sorted(name for name in os.listdir(golden) if name.endswith(kinds) and 7 <= int(name[1:].split("_")[0]) < 22)
    name = random_.choice(names)
    shutil.copytree(os.path.join(golden, name, "array"), theirs)
    array = lib.open(theirs, capi.READ)
    schema = describe.schema(lib, array)
    lib.close(array)
    spec = describe.as_spec(schema)
    for dim, found in zip(spec["dims"], schema["dimensions"]):
        dim["extent"] = found["extent"]
    for key in ("cell_order", "tile_order"):
        spec[key] = schema[key].split("-")[0]
    spec["dups"] = bool(schema.get("allows_duplicates"))
    spec["continues"] = name
    return spec


def version_of(spec):
    """The format that is written to an array."""
    return int(spec["continues"][1:].split("_")[0]) if "continues" in spec else VERSION


def make_one(number, out):
    seed = "%s/%d" % (SEED, number)
    random_ = random.Random("writes " + seed)
    spec = pick_spec(random_)
    lib = capi.Library(LIBRARY, settings(spec))
    theirs, ours = os.path.join(out, "theirs"), os.path.join(out, "array")
    plans, at = [], 110
    if random_.random() < OLD and not spec.get("encrypted") and VERSION == 22:
        # Later than all that golden arrays hold.
        spec, at = old_array(random_, lib, theirs), 1000000
    else:
        lib.create(theirs, spec)
    shutil.copytree(theirs, ours)
    for step in range(random_.choice([1, 1, 2, 3, 5])):
        make = dense_write if spec["kind"] == "dense" else sparse_write
        cells, subarray, plan = make(random_, spec, "%s/%d" % (seed, step), at)
        lib.write(theirs, spec, at, cells, subarray)
        if plans and random_.random() < 0.3:
            lib.write(ours, spec, at, cells, subarray)
        else:
            # Older releases cannot read what was written at one time only.
            if spec["kind"] == "sparse" and VERSION > 8 and random_.random() < 0.4:
                plan = in_global_order(lib, theirs, spec, plan)
            plan["batches"] = random_.choice([1, 1, 2, 7])
            # The oldest releases misread dense arrays of several fragments, and would be found to differ from a merge.
            if (VERSION == 22 or spec["kind"] == "sparse") and random_.random() < 0.2:
                size = random_.choice([1, 1000, 20000])
                # Formats before 12 commit one fragment at a time.
                if version_of(spec) >= 12:
                    plan["max_fragment_bytes"] = size
            plans.append(plan)
        at += 10
    with open(os.path.join(out, "spec.json"), "w") as file:
        json.dump(dict(spec, last=at), file)
    with open(os.path.join(out, "plan.json"), "w") as file:
        json.dump({"key": KEY.encode().hex() if spec.get("encrypted") else None, "writes": plans}, file)


def rectangles(lib, uri, dims):
    """The bounding rectangles of each fragment's tiles."""
    handle = lib.new("tiledb_fragment_info_alloc", uri.encode())
    lib.call("tiledb_fragment_info_set_config", handle, lib.config(lib.settings))
    lib.call("tiledb_fragment_info_load", handle)
    found = []
    for index in range(lib.get("tiledb_fragment_info_get_fragment_num", c_uint32, handle)):
        at, mbrs = c_uint32(index), []
        if lib.get("tiledb_fragment_info_get_dense", c_int32, handle, at):
            continue
        for tile in range(lib.get("tiledb_fragment_info_get_mbr_num", c_uint64, handle, at)):
            mbrs.append([
                describe.bounds(lib, "tiledb_fragment_info_get_mbr", handle, (at, c_uint32(tile), c_uint32(d)), dim)
                for d, dim in enumerate(dims)
            ])
        found.append(mbrs)
    return found


def aggregate(lib, uri, spec, attr, what):
    """One aggregate over the whole array, as bytes; tile statistics go into it."""
    array = lib.open(uri, capi.READ)
    query = lib.new("tiledb_query_alloc", array, c_int(capi.READ))
    lib.call("tiledb_query_set_layout", query, c_int(capi.LAYOUT["row" if spec["kind"] == "dense" else "any"]))
    if spec["kind"] == "dense":
        lib.set_subarray(array, query, spec, [dim["domain"] for dim in bounds_of(spec)])
    channel = lib.new("tiledb_query_get_default_channel", query)
    operator = lib.new("tiledb_channel_operator_%s_get" % what)
    operation = lib.new("tiledb_create_unary_aggregate", query, operator, attr["name"].encode())
    lib.call("tiledb_channel_apply_aggregate", channel, b"it", operation)
    nullable = attr.get("nullable") and what != "null_count"
    size = capi.size_of(attr["type"]) if what in ("min", "max") else 8
    kept = lib.set_buffers(query, "it", size, None, 1 if nullable else None)
    lib.call("tiledb_query_submit", query)
    found = {kind: memory.raw[: size.value].hex() for kind, (memory, size) in kept.items()}
    lib.c.tiledb_query_free(byref(query))
    lib.close(array)
    return None if found.get("validity") == "00" else found["data"]


def compare_aggregates(lib, spec, theirs, ours, tell):
    for attr in spec["attrs"]:
        if attr["type"] not in COUNTED or attr.get("n", 1) != 1 or "enum" in attr:
            continue
        for what in ["min", "max", "sum"] + (["null_count"] if attr.get("nullable") else []):
            answers = []
            for uri in (theirs, ours):
                try:
                    answers.append(aggregate(lib, uri, spec, attr, what))
                except capi.TileDBError as error:
                    answers.append("error" if uri == theirs else str(error))
            if answers[0] != answers[1] and answers[0] != "error":
                tell("%s of %s: %s, theirs %s" % (what, attr["name"], answers[1], answers[0]))


def compare_merged_aggregates(lib, spec, theirs, ours, dims, tell):
    """Those of what TileDB makes of its own array: it sums up all versions of a cell."""
    merged = theirs + " merged"
    shutil.rmtree(merged, ignore_errors=True)
    shutil.copytree(theirs, merged)
    try:
        lib.consolidate(merged)
        count = [len(describe.fragments(lib, uri, dims)[0]) for uri in (merged, ours)]
        if count == [1, 1]:
            compare_aggregates(lib, spec, merged, ours, tell)
    except capi.TileDBError:
        pass
    shutil.rmtree(merged)


def rows_of(answer):
    """The rows of an answer, each a list of cells."""
    columns = []
    for column in answer["columns"]:
        raw = bytes.fromhex(column["data"])
        validity = bytes.fromhex(column["validity"]) if "validity" in column else None
        if "offsets" in column:
            ends = zip(column["offsets"], column["offsets"][1:])
            cells = [raw[low:high] for low, high in ends]
        else:
            width = capi.size_of(column["datatype"]) * column["cell_val_num"]
            cells = [raw[i : i + width] for i in range(0, len(raw), width)]
        if validity is not None:
            cells = [cell if valid else None for cell, valid in zip(cells, validity)]
        columns.append(cells)
    return list(zip(*columns))


def compare_answers(theirs, ours, unordered, tell):
    left, right = rows_of(theirs), rows_of(ours)
    if unordered:
        left, right = sorted(left, key=repr), sorted(right, key=repr)
    if left == right:
        return
    for row, (a, b) in enumerate(zip(left, right)):
        if a != b:
            tell("%s: row %d: %r, theirs %r" % (theirs["name"], row, b, a))
            return
    tell("%s: %d rows, theirs %d" % (theirs["name"], len(right), len(left)))


def compare_fragments(lib, spec, theirs, ours, dims, split, tell):
    fragments = [describe.fragments(lib, uri, dims)[0] for uri in (theirs, ours)]
    if split:
        count = [sum(one["cells"] for one in found) for found in fragments]
        if count[0] != count[1]:
            tell("%d cells, theirs %d" % (count[1], count[0]))
        return
    keys = ["version", "dense", "timestamps", "cells", "schema", "non_empty_domain"]
    told = [[{key: one[key] for key in keys} for one in found] for found in fragments]
    if told[0] != told[1]:
        tell("fragments: %r, theirs %r" % (told[1], told[0]))
    if not lib.has("tiledb_fragment_info_get_mbr_num"):
        return
    mbrs = [rectangles(lib, uri, dims) for uri in (theirs, ours)]
    if mbrs[0] != mbrs[1]:
        tell("rectangles: %r, theirs %r" % (mbrs[1], mbrs[0]))


def merge(lib, uri, merged, query):
    """What TileDB reads once it has consolidated a copy."""
    shutil.rmtree(merged, ignore_errors=True)
    shutil.copytree(uri, merged)
    # Before format 19 these lists say where fragments are, and releases of the time take them at their word.
    for folder in (merged, os.path.join(merged, "__commits")):
        for name in os.listdir(folder) if os.path.isdir(folder) else []:
            if name.endswith(".vac"):
                with open(os.path.join(folder, name), "r+") as file:
                    text = file.read().replace(os.path.abspath(uri), os.path.abspath(merged))
                    file.seek(0)
                    file.truncate()
                    file.write(text)
    lib.consolidate(merged)
    lib.vacuum(merged)
    return asking.run_query(lib, merged, query)


def compare_merged(lib, spec, theirs, out, tell):
    """Whether TileDB can go on from there, as it does from its own array."""
    whole = {"name": "merged", "order": "row"}
    merged = os.path.join(out, "merged")

    def after(uri):
        try:
            return merge(lib, uri, merged, whole)
        except capi.TileDBError as error:
            return str(error).splitlines()[0]

    try:
        before = asking.run_query(lib, theirs, whole)
    except capi.TileDBError:
        return
    mine = after(os.path.join(out, "array"))
    found = []
    if isinstance(mine, str):
        found.append("merged: " + mine)
    else:
        compare_answers(before, mine, bool(spec.get("dups")), found.append)
    if found:
        # Some releases lose cells of their own arrays on the way, or cannot go on from them.
        others, own = [], after(theirs)
        if not isinstance(own, str):
            compare_answers(before, own, bool(spec.get("dups")), others.append)
        if not isinstance(own, str) and not others:
            tell(found[0])
    shutil.rmtree(merged)


def check_one(number, out):
    with open(os.path.join(out, "spec.json")) as file:
        spec = json.load(file)
    with open(os.path.join(out, "plan.json")) as file:
        plan = json.load(file)
    lib = capi.Library(LIBRARY, settings(spec))
    theirs, ours = os.path.join(out, "theirs"), os.path.join(out, "array")
    differences = []

    def tell(what):
        differences.append(what)
        print("%s: %s" % (os.path.basename(out), what), flush=True)

    array = lib.open(ours, capi.READ)
    schema = describe.schema(lib, array)
    dims = schema["dimensions"]
    found = {"schema": schema, "non_empty_domain": describe.non_empty_domain(lib, array, dims), "metadata": {}}
    lib.close(array)
    split = any("max_fragment_bytes" in one for one in plan["writes"])
    if lib.has("tiledb_fragment_info_set_config") and PHASE == "check":
        compare_fragments(lib, spec, theirs, ours, dims, split, tell)
        found["fragments"], found["to_vacuum"] = describe.fragments(lib, ours, dims)
    random_ = random.Random("queries %s/%d" % (SEED, number))
    known = dict(spec, dims=bounds_of(spec))
    answers = []
    for query in arrays.pick_queries(random_, known, spec["last"]):
        if VERSION < 22 and spec["kind"] == "dense":
            # Older releases let some cells that fail stand where several fragments lie over each other.
            query.pop("where", None)
        # These releases crash when they read a part of the time of merged fragments, their own as well.
        if PHASE == "merged" and VERSION in (15, 16) and "at" in query:
            continue
        try:
            answer = asking.run_query(lib, theirs, query)
        except (capi.TileDBError, AttributeError):
            continue
        unordered = bool(query.get("unordered")) or query.get("order") == "any"
        try:
            mine = asking.run_query(lib, ours, query)
        except capi.TileDBError as error:
            tell("%s: %s" % (query["name"], str(error).splitlines()[0]))
            continue
        # Along the curve tdb sorts such cells anew, TileDB 2.30 gives them as they are stored (docs/format/orders.md).
        anew = mine["args"].get("order") == "global" and spec.get("continues") in OTHER_CURVES
        compare_answers(answer, mine, unordered or anew and PHASE == "merged", tell)
        if unordered or anew:
            mine["unordered"] = True
        answers.append(mine)
    if lib.has("tiledb_query_get_default_channel"):
        if PHASE == "check":
            compare_aggregates(lib, spec, theirs, ours, tell)
        elif spec["kind"] == "sparse":
            # In merged dense fragments, TileDB sums up what lies beyond the domain, too.
            compare_merged_aggregates(lib, spec, theirs, ours, dims, tell)
    manifest = {
        "name": os.path.basename(out), "about": "written by tdb", "object": "array", "format_version": 22,
        "features": ["random"], "judge": {"library": lib.release()}, **found, "queries": answers, "refused": [],
    }
    if spec.get("encrypted"):
        with open(os.path.join(out, "key"), "w") as file:
            file.write(KEY)
    # 2.30 breaks dense arrays with a current domain when it consolidates them, its own as well.
    if spec["kind"] == "sparse" or "current" not in spec:
        compare_merged(lib, spec, theirs, out, tell)
    with open(os.path.join(out, "differences.txt"), "w") as file:
        file.write("".join(one + "\n" for one in differences))
    with open(os.path.join(out, "manifest.json"), "w") as file:
        json.dump(manifest, file)


def child(numbers):
    for number in numbers:
        out = os.path.join(OUT, "seed%s_%04d" % (SEED, number))
        if PHASE == "make":
            shutil.rmtree(out, ignore_errors=True)
            os.makedirs(out)
        try:
            if PHASE == "make":
                make_one(number, out)
            elif os.path.exists(os.path.join(out, "plan.json")):
                check_one(number, out)
        except (capi.TileDBError, AttributeError) as error:
            # The latter is a function that an older release does not have.
            said = str(error).splitlines()[0]
            print("%s: %s: %s" % (os.path.basename(out), "refused" if PHASE == "make" else "error", said), flush=True)
            if PHASE == "make":
                # What TileDB refuses is no array to compare.
                shutil.rmtree(out)
    sys.stdout.flush()
    os._exit(0)


def in_child(run, argument):
    pid = os.fork()
    if pid == 0:
        run(argument)
    return os.waitpid(pid, 0)[1]


def read_theirs(out):
    """Asks for all that is compared, of what TileDB wrote itself, and merges that."""
    with open(os.path.join(out, "spec.json")) as file:
        spec = json.load(file)
    lib, theirs = capi.Library(LIBRARY, settings(spec)), os.path.join(out, "theirs")
    random_ = random.Random("queries %s/%d" % (SEED, int(out.split("_")[-1])))
    known = dict(spec, dims=bounds_of(spec))
    for query in arrays.pick_queries(random_, known, spec["last"]):
        try:
            asking.run_query(lib, theirs, query)
        except (capi.TileDBError, AttributeError):
            pass
    try:
        merge(lib, theirs, os.path.join(out, "merged"), {"name": "merged", "order": "row"})
    except capi.TileDBError:
        pass
    os._exit(0)


def make_all(count):
    """Makes so many arrays; what TileDB refuses, or crashes on, does not count."""
    number = 0
    while len(os.listdir(OUT)) < count and number < 3 * count:
        status = in_child(child, [number])
        if status != 0:
            print("seed%s_%04d: the library ended with status %d" % (SEED, number, status), flush=True)
            shutil.rmtree(os.path.join(OUT, "seed%s_%04d" % (SEED, number)), ignore_errors=True)
        number += 1
    print("%d arrays" % len(os.listdir(OUT)))


def check_all():
    for name in sorted(os.listdir(OUT)):
        number = int(name.split("_")[1])
        status = in_child(child, [number])
        if status != 0 and 0 in (in_child(child, [number]) for _ in range(3)):
            # Bytes that are wrong make it die again: this is a race of its threads.
            print("TileDB died once, and not again, of %s" % name, flush=True)
        elif status != 0 and in_child(read_theirs, os.path.join(OUT, name)) != 0:
            print("TileDB dies of its own array as well: %s" % name, flush=True)
        elif status != 0:
            print("%s: the library ended with status %d" % (name, status), flush=True)


if __name__ == "__main__":
    os.makedirs(OUT, exist_ok=True)
    make_all(int(COUNT)) if PHASE == "make" else check_all()
