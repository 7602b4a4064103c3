"""Arrays with one damage each: a byte flipped, an object cut off, emptied, overwritten, removed, renamed, or one more with an odd name.
What `read`, `count`, `schema` or `meta ls` refuses, now or as of an earlier time, `verify` finds; and nothing panics.
"""

import os
import shutil

import numpy
import tiledb

BEGIN = 1_000_000_000_000
WORDS = ["", "rain", "snow", "a rather long text, such as stands in remarks", "ü"]
FILTERS = [None, ["zstd"], ["zstd"], ["gzip"], ["byteshuffle", "lz4"], ["md5"], ["zstd", "sha256"], ["rle"], ["bit_width"]]


def run(judge):
    random = judge.random
    array = judge.path("array")
    times = make(random, array)
    copy = judge.path("copy")
    for _ in range(3):
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(array, copy)
        what = damage(random, copy)
        looked_at(judge, array, copy, times, what)


def questions(random, uri, times):
    at = random.choice([None, None, *times])
    then = [] if at is None else ["--at", at]
    return [["read", uri, "--format", "jsonl", *then], ["count", uri, *then], ["meta", "ls", uri, *then], ["schema", uri, *then]]


def looked_at(judge, array, copy, times, what):
    """Asks of the damaged copy; `verify` has to find what is refused and is not refused of the sound array."""
    refused = []
    for arguments in questions(judge.random, copy, times):
        done = judge.ask(*arguments, "--quiet")
        if done and done.status != 0:
            sound = judge.run(*[array if one == copy else one for one in arguments], "--quiet")
            if sound.status == 0:
                refused.append((arguments[0], done.said.strip()))
    done = judge.ask("verify", copy, "--quiet")
    if done and done.status == 0 and refused:
        judge.fault("%s: verify finds nothing, %s refuses: %s" % (what, *refused[0]))


# ---- what is damaged -------------------------------------------------------------------


def make(random, path):
    """A random array with a past; gives its times."""
    sparse = random.random() < 0.6
    pipeline = random.choice(FILTERS)
    filters = pipeline and tiledb.FilterList([filter_of(name) for name in pipeline])
    attrs = [tiledb.Attr("v", dtype=numpy.int32, filters=filters), tiledb.Attr("s", dtype="U0", var=True),
             tiledb.Attr("n", dtype=numpy.int64, nullable=True)]
    enums = []
    if random.random() < 0.6:
        attrs.append(tiledb.Attr("e", dtype=numpy.int8, enum_label="labels"))
        enums.append(tiledb.Enumeration("labels", False, values=["low", "high"]))
    dims = [tiledb.Dim("x", domain=(0, 199), tile=20, dtype=numpy.int64)]
    options = {"capacity": 10, "allows_duplicates": random.random() < 0.3} if sparse else {}
    schema = tiledb.ArraySchema(tiledb.Domain(*dims), attrs, sparse=sparse, enums=enums, **options)
    tiledb.Array.create(path, schema)
    times = [BEGIN + 1000 * number for number in range(random.choice([1, 2, 3, 4]))]
    for time in times:
        first = random.randrange(0, 150)
        count = random.randint(1, 50)
        cells = {
            "v": numpy.array([random.randrange(50) for _ in range(count)], numpy.int32),
            "s": numpy.array([random.choice(WORDS) for _ in range(count)], "O"),
            "n": numpy.ma.masked_array(numpy.arange(count), [random.random() < 0.2 for _ in range(count)]),
            "e": numpy.array([random.randrange(2) for _ in range(count)], numpy.int8),
        }
        with tiledb.open(path, "w", timestamp=time) as array:
            cells = {attr.name: cells[attr.name] for attr in attrs}
            if sparse:
                array[numpy.arange(first, first + count)] = cells
            else:
                array[first : first + count] = cells
            array.meta["key%d" % (time % 3)] = random.choice([1, "text", 2.5])
        if sparse and random.random() < 0.3:
            with tiledb.open(path, "d", timestamp=time + 500) as array:
                array.query(cond="v < %d" % random.randrange(3)).submit()
    for mode in random.sample(["fragments", "commits", "fragment_meta", "array_meta"], random.choice([0, 1, 1, 2])):
        config = tiledb.Config({"sm.consolidation.mode": mode, "sm.vacuum.mode": mode})
        tiledb.consolidate(path, config=config)
        if random.random() < 0.4:
            tiledb.vacuum(path, config=config)
    return times


def filter_of(name):
    kinds = {"zstd": tiledb.ZstdFilter, "gzip": tiledb.GzipFilter, "lz4": tiledb.LZ4Filter, "byteshuffle": tiledb.ByteShuffleFilter,
             "md5": tiledb.ChecksumMD5Filter, "sha256": tiledb.ChecksumSHA256Filter, "rle": tiledb.RleFilter, "bit_width": tiledb.BitWidthReductionFilter}
    return kinds[name]()


def kind_of(path):
    """The kind of an object: each is damaged as often as any other."""
    if path.startswith("__fragments") and path.endswith("__fragment_metadata.tdb"):
        return "metadata of a fragment"
    if "__enumerations" in path:
        return "enumeration"
    return path.split(os.sep)[0]


def damage(random, root):
    """Damages one object, and says how."""
    kinds = {}
    for folder, folders, names in sorted(os.walk(root)):
        folders.sort()
        for name in sorted(names):
            path = os.path.relpath(os.path.join(folder, name), root)
            kinds.setdefault(kind_of(path), []).append(path)
    path = random.choice(kinds[random.choice(sorted(kinds))])
    full = os.path.join(root, path)
    with open(full, "rb") as file:
        stored = bytearray(file.read())
    place = random.randrange(max(1, len(stored)))
    how = random.choice(["gone", "renamed", "stray", "cut", "empty", "garbage", "flip", "flip", "flip"])
    name = os.path.basename(path)
    if how == "gone":
        os.remove(full)
    elif how == "renamed":
        os.rename(full, os.path.join(os.path.dirname(full), spoilt(random, name)))
    elif how == "stray":
        shutil.copy(full, os.path.join(os.path.dirname(full), spoilt(random, name)))
    elif how == "cut":
        del stored[place:]
    elif how == "empty":
        stored.clear()
    elif how == "garbage":
        stored[place : place + 64] = random.randbytes(len(stored[place : place + 64]))
    elif stored:
        stored[place] ^= 1 << random.randrange(8)
    if how in ("cut", "empty", "garbage", "flip"):
        with open(full, "wb") as file:
            file.write(stored)
    return "%s of %d bytes: %s at %d" % (path, len(stored), how, place)


def spoilt(random, name):
    """A name with a letter more, less, or another one."""
    place, letter = random.randrange(len(name)), random.choice("_0x .-~")
    new = random.choice([name[:place] + letter + name[place:], name[:place] + name[place + 1 :], name[:place] + letter + name[place + 1 :]])
    return new if new not in ("", ".", "..", name) else name + "x"
