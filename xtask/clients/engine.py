"""Says which library TileDB-Py has loaded, and what that library says of how it was built. With the path of a library,
loads that one first."""

import ctypes
import os
import sys
import tempfile

if len(sys.argv) > 1:
    ctypes.CDLL(sys.argv[1], mode=ctypes.RTLD_GLOBAL)

import numpy
import tiledb


def loaded():
    """Returns the paths of all libraries of TileDB in this process, but not of TileDB-Py's own module."""
    with open("/proc/self/maps") as maps:
        paths = {line.split(maxsplit=5)[-1].strip() for line in maps if ".so" in line}
    names = {path: os.path.basename(path) for path in paths}
    return sorted(path for path, name in names.items() if name.startswith("libtiledb") and "cpython" not in name)


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
libraries = loaded()
assert len(libraries) == 1, f"libraries of TileDB in one process: {libraries}"
print(libraries[0])
print("TileDB-Py", tiledb.version.version, "with TileDB", ".".join(map(str, tiledb.libtiledb.version())))
print(as_built(libraries[0]))
