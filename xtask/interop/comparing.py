"""What TileDB, tdb and the model say of one array, in forms that can be compared."""

import json
import subprocess

import asking
import capi
import describe

KEY = b"0123456789abcdef0123456789abcdef"


class Differs(Exception):
    """Those who should agree do not."""


class Program:
    """tdb, and the key that it is given."""

    def __init__(self, path, key_file=None):
        self.path, self.key = path, ["--key-file", key_file] if key_file else []

    def __call__(self, *arguments):
        """Runs it; gives what it printed."""
        done = subprocess.run([self.path, *map(str, [*arguments, *self.key])], capture_output=True)
        if done.returncode != 0:
            said = done.stderr.decode().strip() or "ended with status %d" % done.returncode
            raise Differs("tdb %s: %s" % (" ".join(map(str, arguments)), said))
        return done.stdout.decode()

    def json(self, *arguments):
        return json.loads(self(*arguments, "--json"))


def same(what, ours, theirs, whose="TileDB's"):
    if ours != theirs:
        ours, theirs = (json.dumps(one, default=lambda raw: raw.hex()) for one in (ours, theirs))
        at = next((i for i, (a, b) in enumerate(zip(ours, theirs)) if a != b), min(len(ours), len(theirs)))
        near = slice(max(at - 60, 0), at + 90)
        raise Differs("%s: …%s, %s has …%s" % (what, ours[near], whose, theirs[near]))


# ---- TileDB ----------------------------------------------------------------------


def seen_by_judge(lib, uri, at):
    """Schema, bounds, metadata and cells at a time; an error in the place of cells that TileDB cannot read."""
    array = lib.open(uri, capi.READ, at)
    schema = describe.schema(lib, array)
    found = {"schema": schema, "domain": describe.non_empty_domain(lib, array, schema["dimensions"])}
    lib.close(array)
    found["metadata"] = lib.metadata(uri, at)
    query = {"name": "all", "at": at}
    if schema["type"] == "sparse":
        query["order"] = "row"
    try:
        answer = asking.run_query(lib, uri, query)
        found["cells"] = rows_of(answer)
        if schema.get("allows_duplicates"):
            # Cells of equal coordinates come in any order.
            found["cells"].sort(key=repr)
    except capi.TileDBError as error:
        found["cells"] = str(error).replace(uri, "").splitlines()[0]
    return found


def rows_of(answer):
    """The rows of an answer: tuples of bytes, None for null."""
    columns = []
    for column in answer["columns"]:
        raw = bytes.fromhex(column["data"])
        if "offsets" in column:
            ends = column["offsets"]
            values = [raw[a:b] for a, b in zip(ends, ends[1:])]
        else:
            width = capi.size_of(column["datatype"]) * column["cell_val_num"]
            values = [raw[i : i + width] for i in range(0, len(raw), width)]
        if "validity" in column:
            values = [value if valid else None for value, valid in zip(values, bytes.fromhex(column["validity"]))]
        columns.append(values)
    return list(zip(*columns))


# ---- tdb -------------------------------------------------------------------------


def seen_by_us(tdb, uri, at):
    schema = tdb.json("schema", uri, "--at", at)
    # Schemas keep them in any order.
    schema["enumerations"].sort(key=lambda enumeration: enumeration["name"])
    return {"schema": schema, "metadata": tdb.json("meta", "ls", uri, "--at", at)}


def cells_by_us(tdb, uri, at, fields, *arguments):
    """The rows of these fields, sorted, as `rows_of` has them."""
    said = tdb("read", uri, "--format", "jsonl", "--ticks", "--enum-codes", "--at", at, *arguments)
    rows = [json.loads(line) for line in said.splitlines()]
    names = {field["name"] for field in fields}
    if any(set(row) != names for row in rows):
        raise Differs("tdb read: columns %r, wanted %r" % (sorted(rows[0]), sorted(names)))
    return sorted((tuple(raw_of(field, row[field["name"]]) for field in fields) for row in rows), key=repr)


def raw_of(field, shown):
    """The bytes of a cell that JSON lines show."""
    if shown is None:
        return None
    if isinstance(shown, dict):
        return bytes.fromhex(shown["hex"])
    if isinstance(shown, list):
        return b"".join(raw_of(field, value) for value in shown)
    if isinstance(shown, str) and field["type"] not in ("float32", "float64"):
        # NUL bytes fill up text of fixed size, and are not shown.
        size = field.get("n", 1)
        return shown.encode() if size == "var" else shown.encode().ljust(size, b"\0")
    # `NaN` and `Infinity` are text that Python takes for floats.
    return capi.pack(field["type"], float(shown) if isinstance(shown, str) else shown)


# ---- metadata, as the model has it ---------------------------------------------------


def metadata_of_judge(found):
    """{key: (datatype, bytes)} of what TileDB says."""
    return {key: (value["datatype"], bytes.fromhex(value["data"])) for key, value in found.items()}


def metadata_of_tdb(found):
    """The same of `tdb meta ls --json`."""
    known = {}
    for key, value in found.items():
        text = value["datatype"].startswith("string")
        shown = value["value"] if text or isinstance(value["value"], list) else [value["value"]]
        known[key] = (value["datatype"], shown.encode() if text else capi.pack(value["datatype"], shown))
    return known
