"""Reads through the C interface itself, into buffers that are small, going on until the query is complete."""

import ctypes

import numpy as np

from programs.reading import arranged

READ, COMPLETED = 0, 1
LAYOUTS = {"C": 0, "F": 1, "G": 2, "U": 3}


def library():
    """The library of this process."""
    with open("/proc/self/maps") as maps:
        paths = {line.split(maxsplit=5)[-1].strip() for line in maps if "libtiledb" in line}
    paths = [path for path in paths if "cpython" not in path]
    return ctypes.CDLL(sorted(paths)[0])


class Failed(Exception):
    pass


class Interface:
    def __init__(self):
        self.library = library()
        self.context = ctypes.c_void_p()
        assert self.library.tiledb_ctx_alloc(None, ctypes.byref(self.context)) == 0

    def call(self, name, *arguments):
        code = getattr(self.library, name)(self.context, *arguments)
        if code != 0:
            raise Failed(name)

    def made(self, name, *arguments):
        handle = ctypes.c_void_p()
        self.call(name, *arguments, ctypes.byref(handle))
        return handle


class Lows:
    def run_low_read(self, step):
        with self.opened(step) as array:
            fields = list(step["attrs"])
            if array.schema.sparse:
                fields += [array.dim(place).name for place in range(array.ndim)]
            c = Interface()
            opened = c.made("tiledb_array_alloc", self.path(step["array"]).encode())
            at = step["at"]
            if at is not None:
                first, last = at if isinstance(at, list) else (0, at)
                c.call("tiledb_array_set_open_timestamp_start", opened, ctypes.c_uint64(first))
                c.call("tiledb_array_set_open_timestamp_end", opened, ctypes.c_uint64(last))
            c.call("tiledb_array_open", opened, READ)
            query = c.made("tiledb_query_alloc", opened, READ)
            c.call("tiledb_query_set_layout", query, LAYOUTS[step["order"]])
            subarray = c.made("tiledb_subarray_alloc", opened)
            for place, part in enumerate(step["sel"]):
                add_ranges(c, subarray, array.dim(place), place, part)
            c.call("tiledb_query_set_subarray_t", query, subarray)
            buffers = {name: Buffers(c, array, name, step["cells"]) for name in fields}
            try:
                read_parts(c, query, buffers)
            finally:
                c.library.tiledb_query_free(ctypes.byref(query))
                c.call("tiledb_array_close", opened)
            columns = {name: buffer.cells for name, buffer in buffers.items()}
            return arranged({"columns": columns}, array, {"order": step["order"]}, "low")


def add_ranges(c, subarray, dim, place, part):
    for each in part["l"] if part != ":" else []:
        low, high = each["s"]
        if low is None or high is None:
            continue
        if dim.isvar:
            low, high = low.encode(), high.encode()
            sizes = ctypes.c_uint64(len(low)), ctypes.c_uint64(len(high))
            c.call("tiledb_subarray_add_range_var", subarray, place, low, sizes[0], high, sizes[1])
            continue
        dtype = np.dtype(dim.dtype)
        ends = np.array([low, high], dtype="int64" if dtype.kind == "M" else dtype)
        begin = ends.ctypes.data
        c.call("tiledb_subarray_add_range", subarray, place, ctypes.c_void_p(begin), ctypes.c_void_p(begin + ends.itemsize), None)


def read_parts(c, query, buffers):
    for buffer in buffers.values():
        buffer.give(query)
    status = ctypes.c_int()
    for _ in range(2000):
        c.call("tiledb_query_submit", query)
        c.call("tiledb_query_get_status", query, ctypes.byref(status))
        counts = [buffer.take() for buffer in buffers.values()]
        assert len(set(counts)) == 1, counts
        if status.value == COMPLETED:
            return
        for buffer in buffers.values():
            if not counts[0]:
                buffer.size(buffer.room * 4)
            buffer.give(query)
    raise Failed("too many parts")


class Buffers:
    """The buffers of a field, and the cells that came so far."""

    def __init__(self, c, array, name, cells):
        self.c = c
        is_attr = array.schema.has_attr(name)
        self.field = array.attr(name) if is_attr else array.dim(name)
        self.name = (self.field._internal_name if is_attr else name).encode()
        self.is_nullable = is_attr and self.field.isnullable
        # The bytes of a cell; of any number of values, those that one is given.
        self.width = width_of(self.field)
        self.cells = []
        self.size(cells)

    def size(self, cells):
        self.room = cells
        self.data = np.full(cells * self.width, 0xA5, dtype=np.uint8)
        self.offsets = np.zeros(cells, dtype=np.uint64) if self.field.isvar else None
        self.validity = np.zeros(cells, dtype=np.uint8) if self.is_nullable else None

    def give(self, query):
        self.sizes = []
        for kind, memory in (("data", self.data), ("offsets", self.offsets), ("validity", self.validity)):
            size = ctypes.c_uint64(memory.nbytes if memory is not None else 0)
            self.sizes.append(size)
            if memory is not None:
                self.c.call("tiledb_query_set_%s_buffer" % kind, query, self.name, ctypes.c_void_p(memory.ctypes.data), ctypes.byref(size))

    def take(self):
        data, offsets, _ = (size.value for size in self.sizes)
        values = self.data[:data].tobytes()
        if self.offsets is None:
            cells = [values[first : first + self.width].hex() for first in range(0, data, self.width)]
        else:
            ends = [int(end) for end in self.offsets[: offsets // 8]] + [data]
            cells = [values[first:last].hex() for first, last in zip(ends, ends[1:])]
        if self.validity is not None:
            cells = [cell if self.validity[place] else None for place, cell in enumerate(cells)]
        self.cells += cells
        return len(cells)


def width_of(field):
    dtype = np.dtype(field.dtype)
    if dtype.kind == "U":
        # UTF-8, of which a value is a byte.
        return 4 if field.isvar else dtype.itemsize // 4
    if field.isvar:
        return max(4, dtype.itemsize)
    return dtype.itemsize or 1
