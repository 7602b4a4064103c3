"""Makes the objects in tests/data: schemas and enumerations of golden arrays.

    python make_data.py DATA_FOLDER FIXTURES_FOLDER
"""
import pathlib
import shutil
import sys

data, fixtures = (pathlib.Path(a) for a in sys.argv[1:])


def copy(fixture):
    """The newest schema, and the enumerations."""
    array = fixtures / fixture / "array"
    schemas = [*array.glob("__array_schema.tdb"), *sorted(array.glob("__schema/__1*"))]
    shutil.copy(schemas[-1], data / f"{fixture}.schema")
    for number, enumeration in enumerate(sorted(array.glob("__schema/__enumerations/__*"))):
        shutil.copy(enumeration, data / f"{fixture}.{number}.enumeration")


for version in range(3, 23):
    copy(f"v{version}_sparse_basics")
for name in ["v1_sparse", "v2_dense", "v23_sparse", "v22_dense_basics", "v22_enumerations_sparse", "v22_labels",
             "v22_current_domain_sparse", "v22_hilbert_mixed", "v22_evolution_dense"]:
    copy(name)
