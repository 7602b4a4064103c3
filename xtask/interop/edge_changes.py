"""Changes of arrays with the cells of edge_arrays."""

import shutil

import tiledb
from edge_arrays import LABELLED, NAT
from edge_conditions import condition

KEY = "0123456789abcdefghijklmnopqrstuv"


def copied(judge, edges, name):
    path = judge.path(name)
    shutil.rmtree(path, ignore_errors=True)
    shutil.copytree(edges.path, path)
    return path


def deletes(random, judge, edges, rows):
    """A delete takes just the cells that fit, or is refused and takes none."""
    if not edges.sparse:
        return
    for _ in range(4):
        asked = condition(random, edges.unit, depth=1)
        left = sorted(place for place in rows if not asked.holds(rows[place], False))
        array = copied(judge, edges, "deleted")
        done = judge.run("delete", array, "--where", asked.text())
        said = done.stderr.decode()
        is_refused = done.returncode == 2 and ("would take" in said or "a delete cannot ask" in said)
        found = sorted(edges.rows(array)) if "s" not in asked.fields() else None
        ours = read(judge, array)
        if is_refused:
            judge.same("a refused delete of " + asked.text(), ours, sorted(rows))
            if judge.run("delete", array, "--where", asked.text(), "--by-coordinates").returncode != 0:
                judge.stopped("delete by coordinates", asked.text())
                continue
            judge.same("by coordinates " + asked.text(), read(judge, array), left)
        elif done.returncode != 0:
            judge.stopped("delete", said)
        else:
            judge.same("delete of " + asked.text(), ours, left)
            # Of text of several characters, TileDB compares the first alone.
            if found is not None:
                judge.same("TileDB after the delete of " + asked.text(), found, left)


def read(judge, array):
    lines = judge.tdb("read", array, "--attrs", "n", "--format", "csv").decode().splitlines()[1:]
    return sorted(int(line.split(",")[0]) for line in lines)


def sets(random, judge, edges, rows):
    """Values of one cell in place; all others stay as they are."""
    array = copied(judge, edges, "set")
    before = edges.stored(array)
    place = random.choice(sorted(rows))
    label, text = random.randrange(3), random.choice([b"", b"z", b"zz", b"zzz"])
    values = ["c=%s" % LABELLED["c"][label], "s=%s" % text.decode(), "f=-0.0"]
    judge.tdb("set", array, "x = %d" % place, *values, "-q")
    after = edges.rows(array)[place]
    judge.same("set", [after["c"], after["s"], repr(after["f"])], [label, text, "-0.0"])
    others = edges.stored(array)
    del before[place], others[place]
    judge.same("cells beside the one that is set", [repr(others)], [repr(before)])


def upkeep(random, judge, edges, rows):
    """Copies and merges keep every cell bit for bit."""
    before = repr(sorted(edges.stored().items()))
    rewritten = judge.path("rewritten")
    shutil.rmtree(rewritten, ignore_errors=True)
    judge.tdb("rewrite", edges.path, rewritten, "-q")
    judge.same("rewrite", [repr(sorted(edges.stored(rewritten).items()))], [before])
    locked = judge.path("locked")
    shutil.rmtree(locked, ignore_errors=True)
    key_file = judge.path("key")
    with open(key_file, "wb") as file:
        file.write(KEY.encode())
    judge.tdb("rewrite", edges.path, locked, "--new-key-file", key_file, "-q")
    settings = {"sm.encryption_type": "AES_256_GCM", "sm.encryption_key": KEY}
    judge.same("rewrite under a key", [repr(sorted(edges.stored(locked, tiledb.Ctx(settings)).items()))], [before])
    merged = copied(judge, edges, "merged")
    judge.tdb("consolidate", merged, "-q")
    judge.tdb("vacuum", merged, "--grace", "0s", "-q")
    judge.same("consolidate", [repr(sorted(edges.stored(merged).items()))], [before])
    nats = [place for place, row in rows.items() if row["d"] == NAT]
    judge.same("d != d", int(judge.tdb("count", merged, "--where", "d != d")), len(nats))
