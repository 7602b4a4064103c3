"""Queries of TileDB through its C interface, into memory that is there before."""

from ctypes import byref, c_int, c_uint32, c_uint64, c_void_p

import numpy as np

import capi

EIGHT = ("count", "sum")


class Asking:
    """One opened array, and the memory for results."""

    def __init__(self, lib, spec, fields):
        self.lib, self.spec, self.memory = lib, spec, {}
        every = {field["name"]: field for field in spec["dims"] + spec["attrs"]}
        self.fields = [every[name] for name in fields]

    def reserve(self, cells, text, make=np.empty):
        """Memory for so many cells of each field, and so many bytes of text."""
        for field in self.fields:
            is_text = self.is_text(field)
            parts = {"data": make(text if is_text else cells * capi.size_of(field["type"]), dtype=np.uint8)}
            if is_text:
                parts["offsets"] = make(cells, dtype=np.uint64)
            if field.get("nullable"):
                parts["validity"] = make(cells, dtype=np.uint8)
            self.memory[field["name"]] = {kind: (part, part.ctypes.data_as(c_void_p)) for kind, part in parts.items()}

    def is_text(self, field):
        return field.get("n") == "var" or field["type"] == "string_ascii"

    def query(self, array, layout, box, condition):
        lib = self.lib
        query = lib.new("tiledb_query_alloc", array, c_int(capi.READ))
        lib.call("tiledb_query_set_layout", query, c_int(capi.LAYOUT[layout]))
        if box or self.spec["kind"] == "dense":
            self.narrow(array, query, box)
        if condition:
            lib.call("tiledb_query_set_condition", query, condition)
        return query

    def narrow(self, array, query, box):
        lib = self.lib
        subarray = lib.new("tiledb_subarray_alloc", array)
        for index, dim in enumerate(self.spec["dims"]):
            if isinstance(box.get(dim["name"]), dict):
                self.narrow_to_points(subarray, index, dim, box[dim["name"]])
                continue
            for low, high in box.get(dim["name"], [dim["domain"]] if self.spec["kind"] == "dense" else []):
                low, high = capi.pack(dim["type"], low), capi.pack(dim["type"], high)
                if dim["type"] == "string_ascii":
                    lib.call("tiledb_subarray_add_range_var", subarray, c_uint32(index), low, c_uint64(len(low)), high, c_uint64(len(high)))
                else:
                    lib.call("tiledb_subarray_add_range", subarray, c_uint32(index), low, high, None)
        lib.call("tiledb_query_set_subarray_t", query, subarray)
        lib.c.tiledb_subarray_free(byref(subarray))

    def narrow_to_points(self, subarray, index, dim, spread):
        """Many values, of which TileDB takes all at once."""
        points = dim["domain"][0] + np.arange(spread["count"], dtype=np.int64) * spread["every"]
        place = points.ctypes.data_as(c_void_p)
        self.lib.call("tiledb_subarray_add_point_ranges", subarray, c_uint32(index), place, c_uint64(len(points)))

    def submit(self, query):
        """Has it answered at once, or fails."""
        lib, sizes = self.lib, {}
        for name, parts in self.memory.items():
            for kind, (part, place) in parts.items():
                size = sizes[name, kind] = c_uint64(part.nbytes)
                lib.call("tiledb_query_set_%s_buffer" % kind, query, name.encode(), place, byref(size))
        lib.call("tiledb_query_submit", query)
        if lib.get("tiledb_query_get_status", c_int, query) != 1:
            raise SystemExit("TileDB's query is not complete: the buffers are too small")
        lib.c.tiledb_query_free(byref(query))
        return {key: size.value for key, size in sizes.items()}

    def columns(self, sizes):
        """What came, by fields and parts."""
        return {
            name: {kind: part.view(np.uint8)[: sizes[name, kind]].view(part.dtype) for kind, (part, _) in parts.items()}
            for name, parts in self.memory.items()
        }

    def counted(self, sizes):
        """How many cells came."""
        field = self.fields[0]
        if self.is_text(field):
            return sizes[field["name"], "offsets"] // 8
        return sizes[field["name"], "data"] // capi.size_of(field["type"])

    def aggregates(self, array, layout, box, functions):
        """The answers by function."""
        lib, field = self.lib, self.fields[0]
        query, channel = self.query(array, layout, box, None), c_void_p()
        lib.call("tiledb_query_get_default_channel", query, byref(channel))
        kept = {}
        for function in functions:
            operation = c_void_p()
            if function == "count":
                lib.call("tiledb_aggregate_count_get", byref(operation))
            else:
                operator = c_void_p()
                lib.call("tiledb_channel_operator_%s_get" % function, byref(operator))
                operation = lib.new("tiledb_create_unary_aggregate", query, operator, field["name"].encode())
            lib.call("tiledb_channel_apply_aggregate", channel, function.encode(), operation)
            wide = 8 if function in EIGHT else capi.size_of(field["type"])
            data = np.zeros(wide, dtype=np.uint8)
            size = c_uint64(wide)
            lib.call("tiledb_query_set_data_buffer", query, function.encode(), data.ctypes.data_as(c_void_p), byref(size))
            kept[function] = (data, size, operation)
        lib.call("tiledb_query_submit", query)
        if lib.get("tiledb_query_get_status", c_int, query) != 1:
            raise SystemExit("TileDB's aggregates are not complete")
        for function, (_, _, operation) in kept.items():
            # Counting is the library's own.
            if function != "count":
                lib.c.tiledb_aggregate_free(lib.ctx, byref(operation))
        lib.c.tiledb_query_channel_free(lib.ctx, byref(channel))
        lib.c.tiledb_query_free(byref(query))
        return {name: self.told(name, field, data) for name, (data, _, _) in kept.items()}

    def told(self, function, field, data):
        """The bits of an answer; a sum of floats depends on the order of its parts, and is told as it is."""
        if function == "sum" and field["type"].startswith("float"):
            return float(data.view(np.float64)[0])
        return bytes(data[::-1]).hex().rjust(16, "0")
