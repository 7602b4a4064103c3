"""Random arrays by the judge, TileDB 2.30, and what it reads from them.

`random_arrays.py LIBRARY RECIPES OUT SEED COUNT` fills OUT with arrays and
manifests of the same form as the golden fixtures. Array number N of a seed is
the same in every run, up to TileDB's random names.
"""

import json
import os
import random
import shutil
import sys

LIBRARY, RECIPES, OUT, SEED, COUNT = sys.argv[1:6]
sys.path.insert(0, RECIPES)

import asking
import capi
import data
import describe
import judging

# One child process makes so many arrays: a crash of the library costs no more.
PER_CHILD = 4
NUMBERS = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float32", "float64"]
WHOLE = NUMBERS[:8]
DATES = ["datetime_day", "datetime_sec", "datetime_ns", "time_ms", "datetime_year", "time_ns"]
TEXT = ["char", "string_ascii", "string_utf8"]
BYTES = ["blob", "geom_wkb", "geom_wkt", "bool"]
LETTERS = [b"", b"a", b"aa", b"ab", b"b", b"key", b"z", b"zz", b"Zebra", b"0", b"~"]


def pick_filters(random_, datatype, variable=False):
    """A pipeline that TileDB itself reads back rightly; those that it corrupts are left out."""
    real, size = datatype in ("float32", "float64"), capi.size_of(datatype)
    text = variable and datatype in ("string_ascii", "string_utf8")
    whole = datatype in WHOLE or datatype in DATES
    first = [[], [], [], ["byteshuffle"], ["bitshuffle"]]
    if text:
        first = [[], [], ["rle"], ["dictionary"]]
    elif not variable:
        if whole:
            # Positive delta refuses falling values, which random ones are.
            first += [["double_delta"], ["delta"], ["bit_width_reduction"], ["bit_width_reduction", "byteshuffle"]]
        if size in (1, 2, 4, 8):
            first += [["xor"]]
    elif datatype in WHOLE:
        first += [["delta"], ["double_delta"]]
    chosen = list(random_.choice(first))
    # Values at the ends of 64 bits are too far apart for double delta.
    if "double_delta" in chosen and size == 8:
        chosen = ["delta"]
    packed = [[], [("zstd", {"level": random_.choice([-1, 1, 3, 9])})], ["lz4"], [("gzip", {"level": 5})],
              [("bzip2", {"level": 1})]]
    if not chosen and not text and not (real and variable):
        packed.append(["rle"])
    chosen += random_.choice(packed)
    if random_.random() < 0.15:
        chosen.append(random_.choice(["checksum_md5", "checksum_sha256"]))
    return chosen


def pick_attribute(random_, index):
    number = random_.choice([1, 1, 1, 1, 2, 3, "var", "var"])
    datatype = random_.choice(NUMBERS + DATES + TEXT + BYTES)
    if number == "var":
        datatype = random_.choice(TEXT * 3 + WHOLE + ["float64", "blob"])
    made = data.attr("a%d" % index, datatype, number)
    if random_.random() < 0.35:
        made["nullable"] = True
    if random_.random() < 0.8:
        made["filters"] = pick_filters(random_, datatype, number == "var")
    if datatype in ("int32", "float64", "uint8") and number == 1 and random_.random() < 0.3:
        made["fill"] = random_.choice([0, 7, 100])
    return made


def pick_dimension(random_, index, dense, datatype):
    name = "d%d" % index
    if datatype == "string_ascii":
        made = {"name": name, "type": datatype}
        if random_.random() < 0.5:
            made["filters"] = random_.choice([["rle"], ["dictionary"], ["lz4"], ["rle", "lz4"]])
        return made
    if datatype in ("float32", "float64"):
        made = {"name": name, "type": datatype, "domain": [-100.0, 100.0], "extent": random_.choice([10.0, 33.5, 200.0])}
    else:
        low, high = data.INT_BOUNDS.get(datatype, (-(1 << 40), 1 << 40))
        start = random_.choice([0, 1, -5, -50, 10]) if low < 0 else random_.choice([0, 1, 10])
        width = random_.randint(3, 14) if dense else random_.randint(4, 100)
        made = {
            "name": name, "type": datatype, "domain": [start, start + width - 1],
            "extent": random_.randint(1, min(width, 8 if dense else 40)),
        }
    if random_.random() < 0.6:
        made["filters"] = pick_filters(random_, datatype)
    return made


def pick_spec(random_):
    dense = random_.random() < 0.5
    count = random_.choice([1, 2, 2, 3])
    if dense:
        datatype = random_.choice(WHOLE + ["int32", "uint64", "datetime_day", "datetime_ms"])
        types = [datatype] * count
    else:
        types = [random_.choice(WHOLE + ["float32", "float64", "string_ascii", "string_ascii", "datetime_sec"])
                 for _ in range(count)]
    spec = {
        "kind": "dense" if dense else "sparse",
        "dims": [pick_dimension(random_, index, dense, datatype) for index, datatype in enumerate(types)],
        "attrs": [pick_attribute(random_, index) for index in range(random_.randint(1, 5))],
        "tile_order": random_.choice(["row", "col"]),
        "cell_order": random_.choice(["row", "row", "col"] + ([] if dense else ["hilbert"])),
        "capacity": random_.choice([1, 3, 8, 50, 10000]),
        "created": 100,
    }
    if not dense and random_.random() < 0.4:
        spec["dups"] = True
    if random_.random() < 0.3:
        spec["offsets"] = random_.choice([["double_delta", "lz4"], ["positive_delta"], [], ["bit_width_reduction", ("zstd", {"level": 1})]])
        spec["coords"] = random_.choice([["lz4"], [("gzip", {"level": 3})], []])
        spec["validity"] = random_.choice([["lz4"], [], ["rle"], ["byteshuffle", ("zstd", {"level": 1})]])
    if random_.random() < 0.25:
        whole = [attr for attr in spec["attrs"] if attr["type"] in WHOLE and attr["n"] == 1 and "fill" not in attr]
        if whole:
            attr = random_.choice(whole)
            attr["enum"] = "labels"
            attr.pop("filters", None)
            spec["enums"] = [{"name": "labels", "type": "string_ascii", "n": "var", "ordered": random_.random() < 0.5,
                              "values": ["red", "green", "blue", "", "a longer label"]}]
    return spec


def pick_subarray(random_, dims):
    found = []
    for dim in dims:
        low, high = dim["domain"]
        a, b = sorted((random_.randint(low, high), random_.randint(low, high)))
        found.append([low, high] if random_.random() < 0.3 else [a, b])
    return found


def pick_coordinate(random_, dim):
    if dim["type"] == "string_ascii":
        return random_.choice(LETTERS) + random_.choice(LETTERS)
    low, high = dim["domain"]
    if isinstance(low, float):
        return random_.randint(int(low) * 4, int(high) * 4) / 4
    return random_.randint(low, high)


def write(random_, lib, uri, spec, seed, at):
    cells, subarray = pick_cells(random_, spec, seed)
    lib.write(uri, spec, at, cells, subarray)


def pick_cells(random_, spec, seed):
    """Columns of cells to write, and the box of a dense array that they fill."""
    if spec["kind"] == "dense":
        subarray = pick_subarray(random_, spec["dims"])
        cells = data.columns(seed, spec["attrs"], data.cells_of(subarray))
        fix_enums(spec, cells)
        return cells, subarray
    wanted = random_.choice([1, 5, 20, 60, 150])
    points = []
    for _ in range(wanted):
        point = tuple(pick_coordinate(random_, dim) for dim in spec["dims"])
        if spec.get("dups") or point not in points:
            points.append(point)
    cells = data.columns(seed, spec["attrs"], len(points))
    fix_enums(spec, cells)
    cells.update(data.by_dimension(spec["dims"], points))
    return cells, None


def fix_enums(spec, cells):
    for attr in spec["attrs"]:
        if "enum" in attr:
            cells[attr["name"]] = [None if v is None else abs(v) % 5 for v in cells[attr["name"]]]


def pick_condition(random_, spec, plain):
    """A condition that 2.30 answers by the rules: `plain` leaves out what it gets wrong."""
    usable = []
    for attr in spec["attrs"]:
        if attr["name"] in spec.get("evolved", []):
            continue
        if attr["n"] == 1 and attr["type"] in NUMBERS + DATES and "enum" not in attr:
            usable.append((attr["name"], lambda a=attr: data.one(random_, a["type"], random_.randint(0, 9)), attr))
        elif attr["n"] == "var" and attr["type"] in ("string_ascii", "string_utf8"):
            usable.append((attr["name"], lambda: random_.choice(data.WORDS).encode(), attr))
    if not usable:
        return None

    def leaf():
        name, value, attr = random_.choice(usable)
        kind = random_.random()
        if attr.get("nullable") and not plain and kind < 0.2:
            return (name, random_.choice(["is null", "is not null"]))
        chosen = value()
        if isinstance(chosen, float) and (chosen != chosen or chosen in (float("inf"), float("-inf"))):
            chosen = 0.5
        if attr["type"] == "float32":
            chosen = capi.unpack("float32", capi.pack("float32", chosen))
        if chosen == data.NAT:
            chosen = 0
        if attr["type"] in DATES:
            operator = random_.choice(["<", "<=", ">", ">=", "=", "!="])
            # To TileDB, what stands for no time is the least of all; here it is neither less nor greater than anything.
            test = (name, operator, chosen)
            return ("and", (name, ">=", data.NAT + 1), test) if operator.startswith("<") else test
        if kind < 0.3 and attr["type"] in WHOLE + ["string_ascii", "string_utf8"]:
            members = [chosen] + [value() for _ in range(2)]
            return (name, random_.choice(["in", "not in"]), sorted(set(members)))
        return (name, random_.choice(["<", "<=", ">", ">=", "=", "!="]), chosen)

    def orders_times(tree):
        if tree[0] in ("and", "or"):
            return any(map(orders_times, tree[1:]))
        return tree[1][0] in "<>" and any(attr["name"] == tree[0] and attr["type"] in DATES for attr in spec["attrs"])

    if random_.random() < 0.5:
        return leaf()
    tree = (random_.choice(["and", "or"]), leaf(), leaf())
    # The opposite of a test that is false of no time is true to TileDB alone.
    return ("not", tree) if random_.random() < 0.2 and not orders_times(tree) else tree


def pick_ranges(random_, spec, single):
    ranges = {}
    # 2.30 gives bytes of other memory for var-sized attributes where ranges of a dense array descend or overlap.
    ascending = spec["kind"] == "dense" and any(attr["n"] == "var" for attr in spec["attrs"])
    for dim in spec["dims"]:
        if random_.random() < 0.3:
            continue
        pairs = []
        for _ in range(1 if single else random_.choice([1, 1, 2])):
            a, b = pick_coordinate(random_, dim), pick_coordinate(random_, dim)
            pairs.append([min(a, b), max(a, b)])
        if ascending:
            pairs = [pair for i, pair in enumerate(sorted(pairs)) if i == 0 or pair[0] > sorted(pairs)[i - 1][1]]
        ranges[dim["name"]] = pairs
    return ranges


def pick_queries(random_, spec, last):
    dense = spec["kind"] == "dense"
    orders = ["row", "col"] if dense else ["global", "row", "col", "any"]
    plain = dense and spec.get("plain_reads", False)
    if plain:
        orders = [spec["cell_order"]]
    queries = [{"name": "all"}]
    for index in range(5):
        query = {"name": "query-%d" % index, "order": random_.choice(orders)}
        if random_.random() < 0.7 and not plain:
            # Several ranges of a sparse dimension come in no stated order where they overlap.
            query["ranges"] = pick_ranges(random_, spec, single=not dense)
        if random_.random() < 0.4:
            query["at"] = random_.randint(109, last + 5)
            if not dense and random_.random() < 0.4:
                query["since"] = random_.randint(0, query["at"])
        if random_.random() < 0.4:
            where = pick_condition(random_, spec, plain=dense)
            if where and not spec.get("evolved"):
                query["where"] = where
        if spec.get("dups") or query["order"] == "any":
            query["unordered"] = True
        queries.append(query)
    queries[0]["unordered"] = bool(spec.get("dups"))
    return queries


def make_one(lib, number, out):
    seed = "%s/%d" % (SEED, number)
    random_ = random.Random(seed)
    spec = pick_spec(random_)
    uri = os.path.join(out, "array")
    lib.create(uri, spec)
    dense, at = spec["kind"] == "dense", 110
    log = []
    for step in range(random_.choice([1, 2, 3, 4, 6])):
        write(random_, lib, uri, spec, "%s/%d" % (seed, step), at)
        log.append("write at %d" % at)
        at += 10
        event = random_.random()
        if event < 0.15 and not dense:
            tree = pick_condition(random_, spec, plain=True)
            if tree and not spec.get("evolved"):
                lib.delete(uri, spec, at, tree)
                log.append("delete at %d" % at)
        elif event < 0.22:
            added = pick_attribute(random_, 10 + step)
            lib.evolve(uri, at, add=[added])
            spec["attrs"].append(added)
            spec.setdefault("evolved", []).append(added["name"])
            log.append("add %s at %d" % (added["name"], at))
        elif event < 0.32 and step:
            lib.consolidate(uri)
            log.append("consolidate")
            if random_.random() < 0.5:
                lib.vacuum(uri)
                log.append("vacuum")
        elif event < 0.38 and step:
            mode = random_.choice(["commits", "fragment_meta"])
            lib.consolidate(uri, mode)
            log.append("consolidate " + mode)
            if random_.random() < 0.5:
                lib.vacuum(uri, mode)
                log.append("vacuum " + mode)
        elif event < 0.45:
            lib.put_metadata(uri, at, {"key-%d" % step: ("int32", [step, 7]), "text": ("string_utf8", b"step")})
            log.append("metadata at %d" % at)
        at += 10

    array = lib.open(uri, capi.READ)
    schema = describe.schema(lib, array)
    dims = schema["dimensions"]
    found = {
        "schema": schema,
        "non_empty_domain": describe.non_empty_domain(lib, array, dims),
        "metadata": lib.metadata(uri),
    }
    lib.close(array)
    found["fragments"], found["to_vacuum"] = describe.fragments(lib, uri, dims)
    answers, refused = [], []
    for query in pick_queries(random_, spec, at):
        try:
            answer = asking.run_query(lib, uri, query)
        except capi.TileDBError as error:
            refused.append({"name": query["name"], "error": str(error).splitlines()[0]})
            continue
        if query.get("unordered") or query.get("order") == "any":
            answer["unordered"] = True
        if query.get("ranges") and not dense:
            # 2.30 loses cells of some arrays with duplicates where the last dimension is of strings.
            whole = {key: query[key] for key in ("at", "since", "where") if key in query}
            whole = judging.rows_of(asking.run_query(lib, uri, dict(whole, name="", order="global")))
            expected = sum(judging.in_ranges(row, asking.json_ranges(query["ranges"])) for row in whole)
            if expected != answer["rows"]:
                why = "%d rows, the full read has %d in these ranges" % (answer["rows"], expected)
                refused.append({"name": query["name"], "error": why})
                continue
        answers.append(answer)
    manifest = {
        "name": os.path.basename(out), "about": "; ".join(log), "object": "array", "format_version": 22,
        "features": ["random"], "judge": {"library": lib.release()}, **found, "queries": answers,
        "refused": refused,
    }
    # Seen whole or not at all, should the library crash on the way out.
    with open(os.path.join(out, "manifest.part"), "w") as file:
        json.dump(manifest, file)
    os.replace(file.name, os.path.join(out, "manifest.json"))


def child(first, last):
    lib = capi.Library(LIBRARY, {"sm.compute_concurrency_level": 1, "sm.io_concurrency_level": 1})
    for number in range(first, last):
        out = os.path.join(OUT, "seed%s_%04d" % (SEED, number))
        shutil.rmtree(out, ignore_errors=True)
        os.makedirs(out)
        try:
            make_one(lib, number, out)
        except capi.TileDBError as error:
            # What TileDB refuses is no array to compare.
            print("%s: refused: %s" % (os.path.basename(out), str(error).splitlines()[0]), flush=True)
            shutil.rmtree(out)
    # Before the library's handles are dropped: some releases do not survive that.
    sys.stdout.flush()
    os._exit(0)


def main():
    count, first = int(COUNT), 0
    os.makedirs(OUT, exist_ok=True)
    made = lambda: len(os.listdir(OUT))
    # TileDB crashes on some of what it is asked to write: the numbers go on until there are enough arrays.
    while made() < count and first < 3 * count:
        last = first + min(PER_CHILD, count - made())
        pid = os.fork()
        if pid == 0:
            child(first, last)
        _, status = os.waitpid(pid, 0)
        if status != 0:
            print("arrays from %d: the library ended with status %d" % (first, status), flush=True)
            for name in os.listdir(OUT):
                if not os.path.exists(os.path.join(OUT, name, "manifest.json")):
                    shutil.rmtree(os.path.join(OUT, name))
        first = last
    print("%d arrays" % len(os.listdir(OUT)))


if __name__ == "__main__":
    main()
