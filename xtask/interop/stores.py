"""Golden arrays in an object store: what TileDB and tdb read there, beside what they read of the files.

`stores.py LIBRARY RECIPES URI FIXTURES PROGRAM` makes the bucket or container that URI names, has tdb copy golden arrays
into it, and compares: TileDB's answers there and of the files, tdb's rows there and of the files, cells that TileDB wrote
there, metadata, `tdb doctor`. An http server shows the files already, and TileDB does not read it. How both reach the
server, the environment says.
"""

import os
import sys

LIBRARY, RECIPES, ROOT, FIXTURES, PROGRAM = sys.argv[1:6]
sys.path.insert(0, RECIPES)

import asking
import capi
from comparing import Differs, Program, same

# Of each kind, formats old and new: dense, sparse, strings, deletes, evolved, consolidated, labels, enumerations.
ARRAYS = (
    "v1_ v4_ v7_ v9_ v12_ v16_ v20_ v21_ v22_tour v22_dense_basics v22_sparse_basics v22_deletes v22_evolution v22_merged "
    "v22_labels v22_enumeration v22_hilbert v22_metadata v22_names v22_types_var v22_commits v22_strings v23_"
).split()
REFUSED = [
    ("a bucket that is not there", "s3://no-such-bucket/a", ["not found", "no array", "NoSuchBucket"]),
    ("an array that is not there", ROOT + "/nowhere", ["no array"]),
]


def chosen():
    """Golden arrays whose names begin as wanted, two of each beginning at most."""
    names = sorted(name for name in os.listdir(FIXTURES) if os.path.isdir(os.path.join(FIXTURES, name, "array")))
    found = []
    for wanted in ARRAYS:
        found += [name for name in names if name.startswith(wanted) and name not in found][:2]
    return found


def rows(tdb, uri, *arguments):
    return tdb("read", uri, "--format", "jsonl", "--ticks", "--quiet", *arguments)


def judged(lib, uri):
    """TileDB's answer to a read of all, or what it says instead."""
    try:
        return asking.run_query(lib, uri, {"name": "all"})
    except capi.TileDBError as error:
        return str(error).replace(uri, "").splitlines()[0]


def compare(lib, tdb, name):
    """One golden array; gives the number of comparisons."""
    there = "%s/%s" % (ROOT, name)
    here = os.path.join(FIXTURES, name, "array")
    key = os.path.join(FIXTURES, name, "key")
    if os.path.exists(key):
        return 0
    if lib is None:
        there += "/array"
    else:
        tdb("cp", here, there)
        same("%s: TileDB's answer there" % name, judged(lib, there), judged(lib, here), "the files'")
    same("%s: rows there" % name, rows(tdb, there), rows(tdb, here), "the files'")
    same("%s: metadata there" % name, tdb.json("meta", "ls", there), tdb.json("meta", "ls", here), "the files'")
    same("%s: schema there" % name, tdb.json("schema", there), tdb.json("schema", here), "the files'")
    return 4 if lib else 3


def refusals(tdb):
    """Places where there is nothing end in an error that says so."""
    for what, uri, wanted in REFUSED:
        if uri.startswith("s3:") and not ROOT.startswith("s3:"):
            continue
        try:
            tdb("info", uri)
        except Differs as error:
            if not any(words in str(error) for words in wanted):
                raise Differs("%s: %s" % (what, error))
        else:
            raise Differs("%s: no error" % what)


def doctor(tdb, writes):
    found = tdb.json("doctor", ROOT, *(["--write"] if writes else []))
    outcomes = {check["check"]: check["outcome"] for check in found["checks"]}
    wanted = {"list": "works", "read": "works"}
    wanted.update({"write": "works", "keep": "works", "remove": "works"} if writes else {"write": "not-tried"})
    same("doctor", outcomes, wanted, "it should be")


def main():
    tdb = Program(PROGRAM)
    lib = None
    if not ROOT.startswith("http"):
        lib = capi.Library(LIBRARY)
        lib.create_bucket(ROOT)
    arrays = comparisons = 0
    for name in chosen():
        made = compare(lib, tdb, name)
        arrays, comparisons = arrays + (made > 0), comparisons + made
    doctor(tdb, lib is not None)
    refusals(tdb)
    print("%s: %d arrays in a store, %d answers compared with those of files" % (ROOT, arrays, comparisons), flush=True)
    # Before the library's handles are dropped: some releases do not survive that.
    os._exit(0)


try:
    main()
except (Differs, capi.TileDBError) as error:
    sys.exit("DIFFERS: %s" % error)
