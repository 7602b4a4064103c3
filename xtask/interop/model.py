"""What an array or a group must hold at any time: a log of what was done to it, replayed cell by cell.

Nothing here knows of fragments, tiles or engines, but for what their upkeep makes unreadable: `forget` is told the times
that stored objects have, and what those no longer tell apart is seen from the last of them on. The model does not know:

- what a dropped attribute held, once its fragments were merged: the merged ones have the schema of then (`merge`);
- what a purge has left at times before it: cells that were deleted or replaced later are gone then, too (`unknown`);
- which bounds TileDB says that an array has: those of both are compared with each other only;
- in which order cells come: likewise.
"""

import math

import capi
import data

NEVER = 1 << 64
OPPOSITE = {"<": ">=", ">=": "<", ">": "<=", "<=": ">", "=": "!=", "!=": "=", "in": "not in", "not in": "in"}


class Wrong(Exception):
    """The model cannot agree with what is stored."""


def stored(field, value):
    """The bytes of a cell; None for null."""
    return None if value is None else capi.pack(field["type"], value)


def fill(attr):
    """The bytes of a cell that was never written."""
    if attr.get("nullable"):
        return None
    datatype, number = attr["type"], attr.get("n", 1)
    if "fill" in attr:
        return capi.pack(attr["type"], attr["fill"])
    if datatype in data.INT_BOUNDS:
        low, high = data.INT_BOUNDS[datatype]
        one = high if datatype.startswith("u") else low
    elif datatype in ("float32", "float64"):
        one = math.nan
    elif datatype.startswith(("datetime", "time")):
        one = data.NAT
    else:
        one = -128 if datatype == "char" else 0
    return capi.pack(datatype, one) * (1 if number == "var" else number)


def holds(tree, row, types, negated=False):
    """Whether a condition holds for a row {name: bytes or None}; nothing compares with null."""
    if tree[0] == "all":
        return not negated
    if tree[0] == "not":
        return holds(tree[1], row, types, not negated)
    if tree[0] in ("and", "or"):
        every = (tree[0] == "and") != negated
        return (all if every else any)(holds(part, row, types, negated) for part in tree[1:])
    name, operator, wanted = tree
    if row[name] is None:
        return False
    operator = OPPOSITE[operator] if negated else operator
    # `Infinity` is text that Python takes for a float.
    real = float if types[name] in ("float32", "float64") else lambda value: value
    number = lambda raw: raw if types[name].startswith("string") else real(capi.unpack(types[name], raw))
    typed = lambda value: number(capi.pack(types[name], value))
    value = number(row[name])
    if operator in ("in", "not in"):
        return (value in map(typed, wanted)) == (operator == "in")
    wanted = typed(wanted)
    return {
        "<": value < wanted, "<=": value <= wanted, ">": value > wanted, ">=": value >= wanted,
        "=": value == wanted, "!=": value != wanted,
    }[operator]


class Log:
    """Values by key, set and removed at times: metadata, or the members of a group."""

    def __init__(self):
        # [time, seen from, key, value or None]
        self.events = []

    def put(self, at, key, value):
        self.events.append([at, at, key, value])

    def remove(self, at, key):
        self.put(at, key, None)

    def seen(self, at):
        found = {}
        for _, seen_from, key, value in self.events:
            if seen_from <= at:
                found[key] = value
        return {key: value for key, value in found.items() if value is not None}

    def forget(self, spans):
        """Objects of these times are left. What none of them holds may only be what leaves no key."""
        before = self.seen(NEVER)
        for event in self.events:
            ends = [last for first, last in spans if first <= event[0] <= last]
            event[1] = max(event[1], min(ends)) if ends else NEVER + 1
        if self.seen(NEVER) != before:
            raise Wrong("of %r, %r is left" % (before, self.seen(NEVER)))


class Model:
    """An array."""

    def __init__(self, spec, created):
        self.sparse, self.duplicates = spec["kind"] == "sparse", bool(spec.get("dups"))
        self.dims = spec["dims"]
        self.schemas, self.writes, self.deletes, self.unknown = [], [], [], []
        self.metadata, self.labels = Log(), Log()
        self.evolve(created, spec)

    # ---- what is done ------------------------------------------------------------

    def evolve(self, at, spec):
        """From now on, attributes and current domain are these."""
        self.schemas.append((at, list(spec["attrs"]), dict(spec.get("current") or {})))

    def write(self, at, attrs, cells, subarray=None):
        """Columns of cells; in dense arrays, those of a box in row-major order."""
        if subarray is None:
            points = list(zip(*(cells[dim["name"]] for dim in self.dims)))
        else:
            points = boxed(subarray)
        columns = {attr["name"]: [stored(attr, value) for value in cells[attr["name"]]] for attr in attrs}
        rows = [dict(zip(columns, row)) for row in zip(*columns.values())]
        self.writes.append({"at": at, "seen": at, "lost": [], "cells": list(zip(points, rows))})

    def delete(self, at, tree):
        """Cells that were written before and do not fail the condition: neither do nulls that it compares."""
        self.deletes.append((at, tree, {attr["name"]: attr["type"] for attr in self.schemas[-1][1]}))

    def restore(self, at, to):
        """All cells are what they were, by a delete of all and a write."""
        if self.cells(at) == self.cells(to):
            return
        if self.sparse:
            rows = self.sparse_cells(to)
            self.deletes.append((at - 1, ("all",), {}))
        else:
            _, current = self.schema(to)
            written = self.dense_cells(to)
            rows = [(point, written.get(point, {})) for point in boxed(self.box(current))]
        if rows:
            self.writes.append({"at": at, "seen": at, "lost": [], "cells": rows})

    def remove_after(self, to):
        """What came later was never done."""
        kept = lambda done: [each for each in done if each[0] <= to]
        self.schemas, self.deletes = kept(self.schemas), kept(self.deletes)
        self.metadata.events = kept(self.metadata.events)
        self.writes = [write for write in self.writes if write["at"] <= to]

    def merge(self, first, last, schema):
        """A fragment was made of what these times hold, in the schema of a time: attributes that it lacks are lost."""
        kept = {attr["name"] for attr in self.schema(schema)[0]}
        for write in self.writes:
            if first <= write["at"] <= last:
                # Before its end, a merged dense fragment is not looked at, and those that it replaces are.
                write["lost"].append((0 if self.sparse else last, kept))

    def purge(self, first, at):
        """What was written from a time on has lost the cells that were replaced or deleted until now."""
        self.unknown.append((first, at))

    def forget(self, spans):
        """Fragments of these times are left. Merged dense ones hold what their last time saw, and nothing of before."""
        for write in self.writes:
            ends = [last for first, last in spans if first <= write["at"] <= last]
            if not ends:
                raise Wrong("no fragment holds what was written at %d" % write["at"])
            if not self.sparse:
                write["seen"] = max(write["seen"], min(ends))

    # ---- what is seen ------------------------------------------------------------

    def schema(self, at):
        """Attributes and current domain."""
        return [change for (since, *_), change in zip(self.schemas, self.changes()) if since <= at][-1]

    def changes(self):
        """All schemas that there were."""
        return [(attrs, current) for _, attrs, current in self.schemas]

    def knows(self, at):
        return not any(first <= at < last for first, last in self.unknown)

    def fields(self, at):
        """Columns of `cells`."""
        text = lambda dim: "var" if dim["type"] == "string_ascii" else 1
        dims = [{"name": dim["name"], "type": dim["type"], "n": text(dim)} for dim in self.dims]
        return dims + self.schema(at)[0]

    def cells(self, at, points=None):
        """All rows, sorted: tuples of bytes, None for null. Of dense arrays those of `points`, if they are given."""
        attrs, current = self.schema(at)
        if self.sparse:
            found = self.sparse_cells(at)
        else:
            written, box = self.dense_cells(at), self.box(current)
            found = [(point, written.get(point, {})) for point in (boxed(box) if points is None else points)]
        rows = []
        for point, row in found:
            coordinates = [stored(dim, value) for dim, value in zip(self.dims, point)]
            rows.append((*coordinates, *(row.get(attr["name"], fill(attr)) for attr in attrs)))
        return sorted(rows, key=repr)

    def box(self, current):
        """The part of the domain in use."""
        return [current[dim["name"]][1:] if current else dim["domain"] for dim in self.dims]

    def dense_cells(self, at):
        written = {}
        for write in self.writes:
            if write["seen"] <= at:
                written.update((point, without(write["lost"], at, row)) for point, row in write["cells"])
        return written

    def sparse_cells(self, at):
        newest = {}
        for number, write in enumerate(self.writes):
            if write["seen"] > at:
                continue
            for place, (point, row) in enumerate(write["cells"]):
                key = (point, number, place) if self.duplicates else point
                newest[key] = (write["at"], point, row, write["lost"])
        deletes = [delete for delete in self.deletes if delete[0] <= at]
        kept = lambda since, row: all(
            when <= since or holds(tree, row, types, negated=True) for when, tree, types in deletes
        )
        # A delete asks about what the cell held when it was made, whatever is left of that.
        return [(point, without(lost, at, row)) for since, point, row, lost in newest.values() if kept(since, row)]

    def labelled(self, at, name, dim, low, high):
        """Where along a dimension the labels lie within bounds."""
        labels = self.labels.seen(at)[name]
        return [dim["domain"][0] + place for place, label in enumerate(labels) if low <= label <= high]


def without(lost, at, row):
    """What is left of a row at a time."""
    for since, kept in lost:
        if since <= at:
            row = {name: value for name, value in row.items() if name in kept}
    return row


def boxed(subarray):
    """The points of a box, in row-major order."""
    points = [()]
    for low, high in subarray:
        points = [point + (value,) for point in points for value in range(low, high + 1)]
    return points
