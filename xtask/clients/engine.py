"""Says which libraries of TileDB a process with TileDB-Py, and with the other clients that are installed, has loaded, and
what those say of how they were built. With the path of a library, loads that one first."""

import ctypes
import importlib
import os
import sys
import tempfile

if len(sys.argv) > 1:
    ctypes.CDLL(sys.argv[1], mode=ctypes.RTLD_GLOBAL)

import numpy
import tiledb

# Clients whose wheels bring a library of their own.
OTHERS = ("tiledbsoma", "tiledb.vector_search")


def loaded():
    """Returns the paths of all libraries of TileDB in this process, but not of the clients' own modules."""
    with open("/proc/self/maps") as maps:
        paths = {line.split(maxsplit=5)[-1].strip() for line in maps if ".so" in line}
    names = {path: os.path.basename(path) for path in paths}
    return sorted(path for path, name in names.items() if is_engine(name))


def is_engine(name):
    return name.startswith("libtiledb") and not name.startswith("libtiledbsoma") and "cpython" not in name


def as_built(path):
    library = ctypes.CDLL(path)
    text, data, length = ctypes.c_void_p(), ctypes.c_char_p(), ctypes.c_size_t()
    assert library.tiledb_as_built_dump(ctypes.byref(text)) == 0
    assert library.tiledb_string_view(text, ctypes.byref(data), ctypes.byref(length)) == 0
    return " ".join(ctypes.string_at(data, length.value).decode().split())


with tempfile.TemporaryDirectory() as folder:
    tiledb.from_numpy(folder + "/array", numpy.arange(10))
    with tiledb.open(folder + "/array") as array:
        assert array[2:5].tolist() == [2, 3, 4]
print("TileDB-Py", tiledb.version.version, "with TileDB", ".".join(map(str, tiledb.libtiledb.version())))
for client in OTHERS:
    if importlib.util.find_spec(client):
        importlib.import_module(client)
for library in loaded():
    print(f"{library}: {as_built(library)}")
