"""Makes the arrays and groups in tests/data, each packed in one file (see pack below): golden ones of old versions,
without the files that hold cells, and what none of those has: consolidations, deletes, evolution, encryption, groups.
Needs TileDB-Py 0.36.1 (TileDB 2.30.0).

    python make_data.py DATA_FOLDER FIXTURES_FOLDER
"""
import pathlib
import shutil
import sys
import tempfile

import numpy as np
import tiledb

data, fixtures = (pathlib.Path(a) for a in sys.argv[1:])
scratch = pathlib.Path(tempfile.mkdtemp())


def pack(folder, name):
    """Key, newline, size as u64, bytes; one file after the other. Files with cells keep only their names."""
    out = bytearray()
    for path in sorted(p for p in folder.rglob("*") if p.is_file()):
        holds_cells = path.suffix == ".tdb" and not path.name.startswith("__")
        content = b"" if holds_cells else path.read_bytes()
        out += str(path.relative_to(folder)).encode() + b"\n"
        out += len(content).to_bytes(8, "little") + content
    (data / f"{name}.pack").write_bytes(out)


def sparse_schema(**more):
    domain = tiledb.Domain(tiledb.Dim("d", domain=(0, 999), tile=100, dtype=np.int32))
    return tiledb.ArraySchema(domain, [tiledb.Attr("a", dtype=np.int32)], sparse=True, **more)


def write(uri, time, coordinates, ctx=None, **columns):
    with tiledb.open(uri, "w", timestamp=time, ctx=ctx) as array:
        columns = {name: np.array(values, dtype=np.int32) for name, values in columns.items()}
        array[coordinates] = columns


def consolidate(uri, mode, vacuum=False, end=None, ctx_config=None):
    config = tiledb.Config({"sm.consolidation.mode": mode, "sm.vacuum.mode": mode, **(ctx_config or {})})
    if end is not None:
        config["sm.consolidation.timestamp_end"] = end
    tiledb.consolidate(uri, config=config)
    if vacuum:
        tiledb.vacuum(uri, config=config)


def delete(uri, time, condition):
    with tiledb.open(uri, "d", timestamp=time) as array:
        array.query(cond=condition).submit()


def evolved():
    """Two writes, an attribute with an enumeration added, a third write, a delete, a consolidation of the first
    two that nobody vacuumed, metadata set, changed and removed."""
    uri = str(scratch / "evolved")
    tiledb.Array.create(uri, sparse_schema())
    # The schema's own time is that of its making, and would come after all that follows.
    (schema,) = (p for p in pathlib.Path(uri, "__schema").iterdir() if p.is_file())
    schema.rename(schema.with_name("__1_1_" + schema.name.split("_")[-1]))
    write(uri, 10, [1, 2, 3], a=[10, 20, 30])
    write(uri, 20, [2, 900], a=[21, 9])
    consolidate(uri, "fragments", end=25)
    evolution = tiledb.ArraySchemaEvolution(tiledb.default_ctx())
    evolution.add_enumeration(tiledb.Enumeration("fruit", False, values=["apple", "pear"]))
    evolution.add_attribute(tiledb.Attr("b", dtype=np.int8, enum_label="fruit"))
    evolution.timestamp(30)
    evolution.array_evolve(uri)
    with tiledb.open(uri, "w", timestamp=40) as array:
        array[[5]] = {"a": np.array([50], np.int32), "b": np.array([1], np.int8)}
    delete(uri, 50, "a == 21")
    for time, values in [(11, {"x": 1, "name": "one"}), (21, {"x": 2}), (41, {"y": 3.5})]:
        with tiledb.open(uri, "w", timestamp=time) as array:
            array.meta.update(values)
    with tiledb.open(uri, "w", timestamp=51) as array:
        del array.meta["name"]
    pack(pathlib.Path(uri), "evolved")


def consolidated(name, dense):
    """Four writes; commits consolidated with a delete among them and vacuumed, fragment metadata consolidated,
    one more write, metadata consolidated and not vacuumed."""
    uri = str(scratch / name)
    if dense:
        domain = tiledb.Domain(tiledb.Dim("d", domain=(0, 99), tile=10, dtype=np.int32))
        schema = tiledb.ArraySchema(domain, [tiledb.Attr("a", dtype=np.int32)])
    else:
        schema = sparse_schema()
    tiledb.Array.create(uri, schema)
    for time in [10, 20, 30]:
        if dense:
            with tiledb.open(uri, "w", timestamp=time) as array:
                array[time:time + 5] = np.arange(5, dtype=np.int32)
        else:
            write(uri, time, [time, 7], a=[time, time])
        with tiledb.open(uri, "w", timestamp=time) as array:
            array.meta["time"] = time
    if not dense:
        delete(uri, 25, "a == 20")
    consolidate(uri, "commits", vacuum=True)
    consolidate(uri, "fragment_meta")
    consolidate(uri, "array_meta")
    if not dense:
        delete(uri, 35, "a == 30")
    if dense:
        with tiledb.open(uri, "w", timestamp=40) as array:
            array[0:3] = np.arange(3, dtype=np.int32)
        consolidate(uri, "fragments", end=32)
    else:
        write(uri, 40, [4], a=[40])
        # Takes in the deletes: their times become columns, the fragment remembers the conditions.
        consolidate(uri, "fragments")
    pack(pathlib.Path(uri), name)


def encrypted():
    """A dense array with metadata, under the key 0123456789abcdeF0123456789abcdeF."""
    uri = str(scratch / "encrypted")
    ctx = tiledb.Ctx({"sm.encryption_type": "AES_256_GCM", "sm.encryption_key": "0123456789abcdeF0123456789abcdeF"})
    domain = tiledb.Domain(tiledb.Dim("d", domain=(0, 9), tile=5, dtype=np.int32, ctx=ctx), ctx=ctx)
    schema = tiledb.ArraySchema(domain, [tiledb.Attr("a", dtype=np.int32, ctx=ctx)], ctx=ctx)
    tiledb.Array.create(uri, schema, ctx=ctx)
    with tiledb.open(uri, "w", timestamp=10, ctx=ctx) as array:
        array[:] = np.arange(10, dtype=np.int32)
        array.meta["secret"] = "yes"
    pack(pathlib.Path(uri), "encrypted")


def labelled():
    """A dense array with a dimension label."""
    uri = str(scratch / "labelled")
    ctx = tiledb.default_ctx()
    dim = tiledb.Dim("d", domain=(0, 9), tile=5, dtype=np.int32)
    label = dim.create_label_schema("increasing", np.float64)
    schema = tiledb.ArraySchema(tiledb.Domain(dim), [tiledb.Attr("a", dtype=np.int32)], dim_labels={0: {"x": label}})
    tiledb.Array.create(uri, schema, ctx=ctx)
    pack(pathlib.Path(uri), "labelled")


def groups():
    """A group with an array, a group in it and a member elsewhere; members renamed and removed, metadata."""
    root = scratch / "groups"
    root.mkdir()
    uri = str(root / "top")
    tiledb.Group.create(uri)
    tiledb.Group.create(uri + "/inner")
    for place in ["top/sky", "top/inner/sea", "elsewhere"]:
        tiledb.Array.create(str(root / place), sparse_schema())
    def change(time, act, where=uri):
        config = tiledb.Config({"sm.group.timestamp_end": time})
        group = tiledb.Group(where, "w", config=config)
        act(group)
        group.close()
    change(10, lambda g: (g.add("sky", name="air", relative=True), g.add("inner", relative=True)))
    change(20, lambda g: g.add("file:///elsewhere", name="far"))
    change(30, lambda g: g.remove("air"))
    change(15, lambda g: g.meta.update({"kind": "test"}))
    change(10, lambda g: g.add("sea", relative=True), uri + "/inner")
    pack(root, "groups")


def copy(fixture):
    pack(fixtures / fixture / "array", fixture)


for fixture in ["v3_sparse_basics", "v5_sparse_basics", "v9_sparse_dups", "v11_sparse_dups", "v12_sparse_dups", "v22_tour"]:
    copy(fixture)
evolved()
consolidated("consolidated_sparse", dense=False)
consolidated("consolidated_dense", dense=True)
encrypted()
labelled()
groups()
shutil.rmtree(scratch)
