"""Dimension labels of dense arrays: written by TileDB through the array, by tdb as the arrays that they are."""

import ctypes
import json
import os

import asking
import capi
import random_arrays
from comparing import cells_by_us, rows_of, same
from model import boxed

TYPES = ["int32", "uint64", "float64", "datetime_day", "string_ascii"]


def pick(random_, spec):
    """One label for some of the dimensions, or two."""
    found = []
    for index in range(len(spec["dims"])):
        for _ in range(random_.choice([0, 1, 1, 2])):
            found.append({
                "dim": index, "name": "label%d" % len(found), "order": random_.choice(["increasing", "decreasing"]),
                "type": random_.choice(TYPES),
            })
    return found


def pick_values(random_, label, count):
    """Labels in their order, all different."""
    if label["type"] == "string_ascii":
        values = sorted(b"%s %04d" % (random_.choice([b"", b"b", b"label"]), n) for n in random_.sample(range(9999), count))
    else:
        values = sorted(random_.sample(range(1000), count))
        if label["type"] == "float64":
            values = [value / 4 for value in values]
    return values if label["order"] == "increasing" else values[::-1]


class Labelled:
    """What a `Pair` does with labels."""

    def write_labels(self):
        """A write of the whole domain, with all labels."""
        if not self.spec.get("labels"):
            return
        whole = [dim["domain"] for dim in self.spec["dims"]]
        count = len(boxed(whole))
        cells = random_arrays.data.columns("%s/%d" % (self.seed, self.at), self.spec["attrs"], count)
        random_arrays.fix_enums(self.spec, cells)
        values = {}
        for label in self.spec["labels"]:
            low, high = whole[label["dim"]]
            values[label["name"]] = pick_values(self.random, label, high - low + 1)
        self.mark(self.judge, "write labels")
        self.labelled_write(self.judge, cells, whole, values)
        if self.random.random() < 0.3:
            self.mark(self.ours, "write labels")
            self.labelled_write(self.ours, cells, whole, values)
            self.log.append("TileDB's turn:")
        else:
            self.by_tiledb(self.ours, "write", self.spec, self.at, cells, whole)
            for index, label in enumerate(self.spec["labels"]):
                self.write_label(index, label, values[label["name"]])
        self.model.write(self.at, self.spec["attrs"], cells, whole)
        for name, column in values.items():
            self.model.labels.put(self.at, name, column)
        self.step("write labels")

    def labelled_write(self, uri, cells, subarray, values):
        array = self.lib.open(uri, capi.WRITE, self.at)
        query = self.lib.new("tiledb_query_alloc", array, ctypes.c_int(capi.WRITE))
        self.lib.call("tiledb_query_set_layout", query, ctypes.c_int(capi.LAYOUT["row"]))
        self.lib.set_subarray(array, query, self.spec, subarray)
        for attr in self.spec["attrs"]:
            self.lib.set_written(query, attr, cells[attr["name"]])
        for label in self.spec["labels"]:
            number = "var" if label["type"] == "string_ascii" else 1
            field = {"name": label["name"], "type": label["type"], "n": number}
            self.lib.set_written(query, field, values[label["name"]])
        self.lib.call("tiledb_query_submit", query)
        self.lib.call("tiledb_query_finalize", query)
        self.lib.close(array)

    def write_label(self, index, label, values):
        """By tdb: one cell for each place, in a file, in any order."""
        dim = self.spec["dims"][label["dim"]]
        file = os.path.join(self.out, "labels.jsonl")
        shown = lambda value: value.decode() if isinstance(value, bytes) else value
        lines = [
            json.dumps({"index": dim["domain"][0] + place, "label": shown(value)}) + "\n"
            for place, value in enumerate(values)
        ]
        self.random.shuffle(lines)
        with open(file, "w") as to:
            to.write("".join(lines))
        self.tdb("write", "%s/__labels/l%d" % (self.ours, index), file, "--at", self.at, "--ticks")

    def check_labels(self, at):
        """An interval of each label, asked of both."""
        for label in self.spec["labels"]:
            known = self.model.labels.seen(at).get(label["name"])
            if known is None:
                continue
            dim = self.spec["dims"][label["dim"]]
            low, high = sorted(self.random.choice(known) for _ in range(2))
            places = self.model.labelled(at, label["name"], dim, low, high)
            box = [one["domain"] for one in self.spec["dims"]]
            points = [point for point in boxed(box) if point[label["dim"]] in places]
            wanted = self.model.cells(at, points)
            query = {"name": "label", "at": at, "labels": {label["name"]: [[low, high]]}}
            for uri in (self.judge, self.ours):
                self.mark(uri, "read by label")
                found = sorted(rows_of(asking.run_query(self.lib, uri, query)), key=repr)
                same("%s at %d, by TileDB" % (label["name"], at), found, wanted, "the model")
            shown = [end.decode() if isinstance(end, bytes) else end for end in (low, high)]
            asked = "%s=%s..%s" % (label["name"], *shown)
            found = cells_by_us(self.tdb, self.ours, at, self.model.fields(at), "--label", asked)
            same("%s at %d, by tdb" % (label["name"], at), found, wanted, "the model")
            self.answers += 3
