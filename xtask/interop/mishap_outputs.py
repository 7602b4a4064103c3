"""Results that would go into the folder of an array, or among the objects of a group: every verb that writes a file, to random places
in there, by links, detours and relative paths. What would be written in there is refused, and TileDB reads the same as before.
"""

import os

import numpy
import tiledb

# What has a result that goes to a file, by its ending; A is the array, B another, G a group, T where it is to go.
FILES = [
    (["read", "A", "-o", "T"], [".csv", ".arrow", ".parquet", ".jsonl", ".txt", ".feather"]),
    (["read", "A", "--attrs", "v", "--no-dims", "-o", "T"], [".npy"]),
    (["head", "A", "-o", "T"], [".csv", ".parquet"]),
    (["sample", "A", "3", "-o", "T"], [".csv", ".arrow"]),
    (["export", "A", "T"], [".csv", ".arrow", ".parquet", ".jsonl"]),
    (["export", "A", "T", "--max-rows", "2", "--format", "csv"], [""]),
    (["export", "A", "T", "--partition-by", "v"], [""]),
    (["info", "A", "-o", "T"], [".txt", ".json", ""]),
    (["info", "G", "-o", "T"], [".txt", ".json"]),
    (["schema", "A", "-o", "T"], [".json", ""]),
    (["count", "A", "-o", "T"], [".txt", ".json"]),
    (["agg", "A", "sum(v)", "-o", "T"], [".csv", ".json", ".parquet"]),
    (["distinct", "A", "v", "-o", "T"], [".csv", ".jsonl"]),
    (["stats", "A", "-o", "T"], [".csv", ".txt"]),
    (["hist", "A", "v", "-o", "T"], [".txt"]),
    (["hist", "A", "v", "--svg", "T"], [".svg", ""]),
    (["map", "A", "--svg", "T"], [".svg", ""]),
    (["map", "A", "-o", "T"], [".txt"]),
    (["show", "A", "--png", "T"], [".png", ""]),
    (["log", "A", "-o", "T"], [".txt", ".json"]),
    (["log", "G", "-o", "T"], [".txt"]),
    (["fragments", "A", "-o", "T"], [".json"]),
    (["layout", "A", "-o", "T"], [".txt"]),
    (["explain", "A", "-o", "T"], [".json"]),
    (["advise", "A", "-o", "T"], [".txt"]),
    (["verify", "A", "-o", "T"], [".txt"]),
    (["verify", "G", "-o", "T"], [".txt"]),
    (["diff", "A", "--at", "1000000001500", "-o", "T"], [".txt"]),
    (["compare", "A", "B", "-o", "T"], [".json"]),
    (["meta", "ls", "A", "-o", "T"], [".txt", ".json"]),
    (["ls", "F", "-o", "T"], [".txt"]),
    (["tree", "F", "-o", "T"], [".json"]),
    (["filters", "-o", "T"], [".txt"]),
    (["consolidate", "B", "-o", "T"], [".txt"]),
    (["set", "B", "v = 3", "v=4", "--max", "100", "-o", "T"], [".txt"]),
    (["completions", "bash", "-o", "T"], [""]),
    (["man", "T"], [""]),
]
# What makes an array, a group or a copy.
PLACES = [
    ["cp", "B", "T"], ["cp", "A", "T"], ["rewrite", "A", "T"], ["rewrite", "B", "T"], ["import", "C", "T"], ["create", "T", "--schema", "S"],
    ["group", "create", "T"], ["mv", "D", "T"],
]


def run(judge):
    random = judge.random
    paths = {"A": judge.path("a"), "B": judge.path("b"), "G": judge.path("g"), "C": judge.path("cells.csv"), "F": judge.folder,
             "D": judge.path("d"), "S": judge.path("schema.json")}
    paths["M"] = os.path.join(paths["G"], "member")
    tiledb.Group.create(paths["G"])
    sparse = random.random() < 0.5
    for name in ("A", "B", "D", "M"):
        create(random, paths[name], sparse)
    with tiledb.Group(paths["G"], "w") as group:
        group.add("member", name="member", relative=True)
        group.meta["k"] = 1
    with open(paths["C"], "w") as file:
        file.write("x,v\n1,2\n3,4\n")
    with open(paths["S"], "wb") as file:
        file.write(judge.run("schema", paths["A"], "--json").out)
    before = {name: seen(paths[name]) for name in "AGM"}
    listed = {name: listing(paths[name]) for name in "AG"}
    for _ in range(8):
        ask(judge, paths, sparse)
        for name, was in listed.items():
            # Among the members of a group there is room, which is looked at below.
            if listing(paths[name]) != was and (name == "A" or not is_beside_members(listing(paths[name]) - was)):
                judge.fault("there is something new in the array or among the objects of a group: %s" % sorted(listing(paths[name]) ^ was)[:3])
                return
        for name, was in before.items():
            judge.same("what TileDB reads afterwards", seen(paths[name]), was)
        if judge.faults:
            return


def is_beside_members(new):
    return all(not path.startswith(("__group", "__meta", "__tiledb", "member")) for path, _ in new)


def create(random, path, sparse):
    attrs = [tiledb.Attr("v", dtype=numpy.int32), tiledb.Attr("w", dtype=numpy.float64)]
    if random.random() < 0.5:
        attrs.append(tiledb.Attr("e", dtype=numpy.int8, enum_label="e"))
    enums = [tiledb.Enumeration("e", False, values=["a", "b"])] if len(attrs) == 3 else None
    dims = [tiledb.Dim(name, domain=(0, 5), tile=3, dtype=numpy.int64) for name in ("x", "y")]
    tiledb.Array.create(path, tiledb.ArraySchema(tiledb.Domain(*dims), attrs, sparse=sparse, enums=enums))
    for number in range(random.choice([1, 2])):
        cells = {"v": numpy.arange(36, dtype=numpy.int32) % 7 + number, "w": numpy.arange(36) / 2, "e": numpy.zeros(36, numpy.int8)}
        cells = {attr.name: cells[attr.name] for attr in attrs}
        with tiledb.open(path, "w", timestamp=1_000_000_001_000 + 1000 * number) as array:
            if sparse:
                places = numpy.arange(36)
                array[places // 6, places % 6] = cells
            else:
                array[:] = {name: column.reshape(6, 6) for name, column in cells.items()}
    with tiledb.open(path, "w", timestamp=1_000_000_004_000) as array:
        array.meta["k"] = "v"
    if random.random() < 0.3:
        tiledb.consolidate(path)


def seen(path):
    """What TileDB reads of an array or a group, or why it does not."""
    try:
        if tiledb.object_type(path) == "group":
            with tiledb.Group(path) as group:
                return dict(group.meta), sorted(member.uri for member in group)
        with tiledb.open(path) as array:
            cells = array.subarray((slice(None), slice(None)))
            return dict(array.meta), {name: column.tobytes() for name, column in cells.items()}
    except Exception as error:
        return "%s: %s" % (type(error).__name__, str(error)[:100])


def listing(path):
    found = set()
    for folder, folders, files in os.walk(path):
        for name in folders + files:
            full = os.path.join(folder, name)
            found.add((os.path.relpath(full, path), os.path.getsize(full) if name in files else None))
    return found


def ask(judge, paths, sparse):
    random = judge.random
    is_array = random.random() < 0.2
    if is_array:
        arguments, ending = random.choice(PLACES), ""
    else:
        arguments, endings = random.choice(FILES)
        ending = random.choice(endings)
    if sparse and arguments[0] == "show":
        return
    home = random.choice(["A", "A", "A", "G", "M"])
    place, cwd, is_free = pick_place(judge, paths, home, ending)
    if is_array and place.startswith("/") and random.random() < 0.3:
        place = "file://" + place
    arguments = [place if one == "T" else paths.get(one, one) for one in arguments]
    done = judge.ask(*arguments, cwd=cwd)
    if not done:
        return
    if done.status == 0 and not is_free:
        judge.fault("exit 0, of a place within %s" % {"A": "an array", "G": "a group's objects", "M": "a member"}[home])


def pick_place(judge, paths, home, ending):
    """A path of a place within an array or a group, the folder that it is seen from, and whether a file may be there."""
    random, root = judge.random, paths[home]
    below = [folder for folder, _, _ in os.walk(root)]
    if home == "G":
        below = [folder for folder in below if not folder.startswith(paths["M"])]
    folder = random.choice(below)
    if random.random() < 0.15:
        folder = os.path.join(folder, "new")
    # A group's own objects lie in two folders; beside those, there is room.
    is_free = home == "G" and os.path.relpath(folder, root).split(os.sep)[0] in (".", "new")
    name = random.choice(["x", "out", "__x", "__1_1_0123456789abcdef0123456789abcdef"]) + ending
    cwd, how = None, random.choice(["plain", "relative", "inside", "dots", "link", "link to the folder", "slash"])
    path = os.path.join(folder, name)
    if how == "relative":
        cwd, path = judge.folder, os.path.relpath(path, judge.folder)
    elif how == "inside" and os.path.isdir(folder):
        cwd, path = folder, random.choice([name, "./" + name])
    elif how == "dots":
        path = os.path.join(root, "..", os.path.basename(root), os.path.relpath(folder, root), ".", name)
    elif how == "link":
        path = os.path.join(link(judge, root), os.path.relpath(folder, root), name)
    elif how == "link to the folder" and os.path.isdir(folder):
        path = os.path.join(link(judge, folder), name)
    elif how == "slash":
        path = path.replace("/" + name, "//" + name)
    return path, cwd, is_free


def link(judge, to):
    path = judge.path("link%d" % len(os.listdir(judge.folder)))
    os.symlink(to, path)
    return path
