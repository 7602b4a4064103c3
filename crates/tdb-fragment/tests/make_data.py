"""Makes the objects in tests/data: copies schemas and fragment metadata of golden arrays, and makes what
none of those has: deletes, consolidated metadata and a fragment that keeps deletion times.
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


def copy(fixture, name, at=110):
    """The schema and the metadata of the fragment that was written then."""
    array = fixtures / fixture / "array"
    schemas = [*array.glob("__array_schema.tdb"), *array.glob("__schema/__1*")]
    shutil.copy(schemas[0], data / f"{name}.schema")
    metadata = array.glob(f"**/__{at}_*/__fragment_metadata.tdb")
    shutil.copy(min(metadata), data / f"{name}.metadata")


for version in range(3, 23):
    kind = "sparse_colmajor" if version < 5 else "sparse_dups"
    copy(f"v{version}_{kind}", f"v{version}_sparse")
for version in [3, 5, 7, 9, 10, 22]:
    copy(f"v{version}_dense_basics", f"v{version}_dense")
copy("v9_sparse_basics", "v9_strings")
copy("v11_continued_sparse", "v11_continued", at=130)

array = str(pathlib.Path(tempfile.mkdtemp()) / "array")

schema = tiledb.ArraySchema(
    domain=tiledb.Domain(
        tiledb.Dim("d", domain=(0, 999), tile=100, dtype=np.int32),
        tiledb.Dim("s", domain=(None, None), dtype="ascii"),
    ),
    attrs=[
        tiledb.Attr("x", dtype=np.int32),
        tiledb.Attr("z", dtype=np.float64),
        tiledb.Attr("t", dtype="ascii", var=True),
    ],
    capacity=4,
    sparse=True,
    allows_duplicates=False,
)
tiledb.Array.create(array, schema)


def write(at, first, n):
    with tiledb.open(array, "w", timestamp=at) as a:
        a[np.arange(first, first + n), [f"s{i % 3}" for i in range(n)]] = {
            "x": np.arange(n, dtype=np.int32),
            "z": np.arange(n) / 2,
            "t": np.array(["a" * (i % 3) + "b" for i in range(n)]),
        }


def delete(at, condition):
    with tiledb.open(array, "d", timestamp=at) as a:
        a.query(cond=condition).submit()


write(100, 0, 10)
write(110, 5, 7)
delete(120, "x > 400")
delete(130, "(z >= 4.0 or t == 'ab') and d < 3")
delete(140, "x in [91, 92]")
delete(150, "t not in ['b', 'ab', 'aab', 'bb']")
delete(160, "s == 'q'")

deletes = sorted(pathlib.Path(array, "__commits").glob("*.del"))
for path, name in zip(deletes, ["comparison", "expression", "members", "strings", "dimension"]):
    shutil.copy(path, data / f"v22_{name}.del")

config = tiledb.Config({"sm.consolidation.mode": "fragment_meta"})
tiledb.consolidate(array, config=config)
(meta,) = pathlib.Path(array, "__fragment_meta").iterdir()
shutil.copy(meta, data / "v22.meta")

tiledb.consolidate(array)
(merged,) = pathlib.Path(array, "__fragments").glob("__100_110_*")
shutil.copy(merged / "__fragment_metadata.tdb", data / "v22_deletes.metadata")
(schema_file,) = (p for p in pathlib.Path(array, "__schema").iterdir() if p.is_file())
shutil.copy(schema_file, data / "v22_deletes.schema")
