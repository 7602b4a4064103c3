"""Runs steps of programs: each is a method that returns what it found as JSON."""

import os

import numpy as np
import tiledb
import tiledb.libtiledb as lt

from programs import schemas, values
from programs.low_reading import Lows
from programs.reading import Reads
from programs.running_objects import Objects
from programs.values import shown_array


class Runner(Reads, Lows, Objects):
    def __init__(self, folder):
        self.folder = folder

    def path(self, name):
        return os.path.join(self.folder, name)

    def run(self, step):
        """Returns what a step finds, or the kind of error and its message."""
        try:
            found = getattr(self, "run_" + step["op"])(step)
        except Exception as error:
            return {"error": type(error).__name__, "message": self.without_folder(str(error))}
        return {"found": found}

    def without_folder(self, text):
        for prefix in ("file://" + self.folder, self.folder):
            text = text.replace(prefix, "")
        return text

    def context(self, step):
        config = step.get("config")
        return tiledb.Ctx(config) if config else tiledb.default_ctx()

    def opened(self, step, mode="r"):
        at = step.get("at")
        at = tuple(at) if isinstance(at, list) else at
        return tiledb.open(self.path(step["array"]), mode, timestamp=at, ctx=self.context(step))

    def run_create(self, step):
        schema = schemas.made_schema(tiledb, step["schema"])
        tiledb.Array.create(self.path(step["array"]), schema)
        return schemas.shown_schema(tiledb, schema)

    def run_schema(self, step):
        with self.opened(step) as array:
            return schemas.shown_schema(tiledb, array.schema)

    def run_write(self, step):
        with self.opened(step, "w") as array:
            kinds = {array.attr(place).name: array.attr(place) for place in range(array.nattr)}
            cells = {}
            for name, column in step["cells"].items():
                if name not in kinds:
                    continue
                cells[name] = column_for(kinds[name], column)
            nulls = {name: np.array(column, dtype=np.uint8) for name, column in step["nulls"].items() if name in kinds}
            if "coords" in step:
                coords = [coords_for(array.dim(place), column) for place, column in enumerate(step["coords"])]
                if step["order"] == "item":
                    array._setitem_impl(tuple(coords), cells, nulls) if hasattr(array, "_setitem_impl") else sparse_item(array, coords, cells, nulls)
                else:
                    cells.update({array.dim(place).name: column for place, column in enumerate(coords)})
                    low_write(array, step["order"], None, cells, nulls)
            else:
                self.write_dense(array, step, cells, nulls)
        return None

    def write_dense(self, array, step, cells, nulls):
        labels = {}
        for name, column in step.get("labels", {}).items():
            dtype = array.schema.dim_label(name).dtype
            labels[name] = np.array(column, dtype="S") if dtype.kind in "SU" else np.array(column).astype(dtype)
        if step["order"] == "item" or labels:
            shape = [high - low + 1 for low, high in step["box"]]
            box = tuple(slice(scalar_of(array.dim(place), low), scalar_of(array.dim(place), high + 1)) for place, (low, high) in enumerate(step["box"]))
            shaped = {name: column.reshape(shape) for name, column in cells.items()}
            shaped.update(labels)
            nulls = {name: column.reshape(shape) for name, column in nulls.items()}
            array._setitem_impl(box, shaped, nulls)
        else:
            low_write(array, step["order"], step["box"], cells, nulls)

    def run_delete(self, step):
        with self.opened(step, "d") as array:
            array.query(cond=step["cond"]).submit()

    def run_metadata(self, step):
        with self.opened(step, "w") as array:
            self.change_meta(array.meta, step["changes"])
        with tiledb.open(self.path(step["array"])) as array:
            return self.shown_meta(array.meta)

    def run_meta(self, step):
        with self.opened(step) as array:
            return self.shown_meta(array.meta)

    def run_evolve(self, step):
        evolution = tiledb.ArraySchemaEvolution(tiledb.default_ctx())
        with tiledb.open(self.path(step["array"])) as array:
            for change in step["changes"]:
                self.add_change(evolution, array, change)
        evolution.timestamp(step["at"])
        evolution.array_evolve(self.path(step["array"]))
        return self.run_schema({"array": step["array"]})

    def add_change(self, evolution, array, change):
        kind = change[0]
        if kind == "add":
            evolution.add_attribute(schemas.made_attribute(tiledb, change[1]))
        elif kind == "drop":
            evolution.drop_attribute(change[1])
        elif kind == "extend":
            _, name, of, more = change
            more = more if of in "US" else np.array(more, dtype=of)
            more = [label.encode() for label in more] if of == "S" else more
            evolution.extend_enumeration(array.enum(name).extend(more))
        elif kind == "enum":
            evolution.add_enumeration(schemas.made_enumeration(tiledb, change[1]))
        elif kind == "drop_enum":
            evolution.drop_enumeration(change[1])
        else:
            evolution.expand_current_domain(schemas.made_current(tiledb, array.schema.domain, change[1], change[2]))

    def run_consolidate(self, step):
        more = {}
        if "times" in step:
            more["timestamp"] = tuple(step["times"])
        if "which" in step:
            names = [os.path.basename(name) for name in sorted(self.fragments(step).uri)]
            more["fragment_uris"] = [names[place] for place in step["which"] if place < len(names)]
        tiledb.consolidate(self.path(step["array"]), config=tiledb.Config(step["config"]), **more)
        return self.run_fragments(step)

    def run_vacuum(self, step):
        tiledb.vacuum(self.path(step["array"]), config=tiledb.Config(step["config"]))
        return self.run_files(step)

    def run_delete_fragments(self, step):
        tiledb.Array.delete_fragments(self.path(step["array"]), *step["times"])
        return self.run_fragments(step)

    def run_upgrade(self, step):
        with tiledb.open(self.path(step["array"])) as array:
            array.upgrade_version()


def scalar_of(dim, value):
    dtype = dim.dtype
    if dtype.kind == "M":
        return np.datetime64(value, np.datetime_data(dtype)[0])
    return value


def coords_for(dim, column):
    dtype = np.dtype(dim.dtype)
    if dtype.kind in "SU":
        return np.array([value.encode() for value in column], dtype="S") if column else np.array([], dtype="S1")
    if dtype.kind == "M":
        return np.array(column, dtype="int64").view(dtype)
    return np.array(column).astype(dtype)


def column_for(attr, column):
    """Cells of an attribute as numpy has them, by the type that the array says."""
    dtype = np.dtype(attr.dtype)
    if attr.isvar and dtype.kind in "SU":
        cells = np.empty(len(column), dtype=object)
        for place, value in enumerate(column):
            cells[place] = (value if isinstance(value, str) else "x") if dtype.kind == "U" else str(value).encode("latin-1", "replace")
        return cells
    kind = "%s%d" % (dtype.kind, dtype.itemsize // (4 if dtype.kind == "U" else 1)) if dtype.kind in "SU" else str(dtype)
    if dtype.kind == "V":
        kind = "i4,i4" if len(dtype) == 2 else "f8,f8,f8"
    return values.to_numpy(kind, column, attr.isvar)


def sparse_item(array, coords, cells, nulls):
    from tiledb.sparse_array import _setitem_impl_sparse

    _setitem_impl_sparse(array, tuple(coords), cells, nulls)


LAYOUTS = {
    "row": lt.LayoutType.ROW_MAJOR,
    "col": lt.LayoutType.COL_MAJOR,
    "global": lt.LayoutType.GLOBAL_ORDER,
    "unordered": lt.LayoutType.UNORDERED,
}


def low_write(array, order, box, cells, nulls):
    """A write through the module below TileDB-Py's own, in any order."""
    from tiledb.main import array_to_buffer

    context = lt.Context(array.ctx)
    query = lt.Query(context, array.array, lt.QueryType.WRITE)
    query.layout = LAYOUTS[order]
    if box is not None:
        subarray = tiledb.Subarray(array, array.ctx)
        for place, (low, high) in enumerate(box):
            dim = array.dim(place)
            subarray.add_dim_range(place, (scalar_of(dim, low), scalar_of(dim, high)))
        query.set_subarray(subarray)
    kept = []
    for name, column in cells.items():
        is_attr = array.schema.has_attr(name)
        field = array.attr(name) if is_attr else array.dim(name)
        buffer_name = field._internal_name if is_attr else name
        offsets = None
        if field.isvar:
            column, offsets = array_to_buffer(column, True, False)
            offsets = offsets.astype(np.uint64)
        dtype = np.dtype(field.dtype)
        ncells = 1 if field.isvar else tiledb.datatypes.DataType.from_numpy(column.dtype).ncells
        count = column.nbytes // (dtype.itemsize or 1) * ncells
        kept.append((column, offsets))
        query.set_data_buffer(buffer_name, column, np.uint64(count))
        if offsets is not None:
            query.set_offsets_buffer(buffer_name, offsets, offsets.size)
        if name in nulls:
            kept.append(nulls[name])
            query.set_validity_buffer(buffer_name, nulls[name], nulls[name].size)
    query._submit()
    query.finalize()


__all__ = ["Runner", "shown_array"]
