"""An array of TileDB's own making, its twin that tdb and TileDB take turns on, and the model of both."""

import copy
import json
import os

import capi
import data
import describe
import labels
import random_arrays
import recipe
import upkeep
from comparing import (
    KEY, Differs, Program, cells_by_us, metadata_of_judge, metadata_of_tdb, same, seen_by_judge, seen_by_us,
)
from model import Model, Wrong

CREATED = 100
METADATA = [
    ("int32", [-7]), ("uint8", [1, 2, 3]), ("float64", [0.5, -2.25]), ("string_utf8", "süß".encode()),
    ("string_ascii", b"plain text"), ("int64", [1 << 40]), ("string_utf8", b""), ("uint64", [(1 << 64) - 1]),
]


def pick_spec(random_):
    spec = random_arrays.pick_spec(random_)
    if random_.random() < 0.12:
        spec["encrypted"] = True
    whole = all(dim["type"] not in ("string_ascii", "float32", "float64") for dim in spec["dims"])
    chosen = random_.random()
    if whole and chosen < 0.3:
        # Bounds of a quarter at each end are left to grow into.
        cut = lambda low, high: (low + (high - low) // 4, high - (high - low) // 4)
        spec["current"] = {dim["name"]: (dim["type"], *cut(*dim["domain"])) for dim in spec["dims"]}
    elif spec["kind"] == "dense" and chosen < 0.55:
        spec["labels"] = labels.pick(random_, spec)
    return spec


class Pair(upkeep.Upkeep, labels.Labelled):
    def __init__(self, random_, library, program, out, seed, mark, root=None):
        """Files lie in the folder `out`; so do the arrays, if they have no `root` of their own."""
        self.random, self.seed, self.mark, self.out = random_, seed, mark, out
        self.judge, self.ours = os.path.join(root or out, "judge"), os.path.join(root or out, "array")
        self.spec = pick_spec(random_)
        # Whether tdb has worked on the judge's array.
        self.helped = False
        settings = {"sm.compute_concurrency_level": 1, "sm.io_concurrency_level": 1}
        key_file = None
        if self.spec.get("encrypted"):
            settings.update({"sm.encryption_type": "AES_256_GCM", "sm.encryption_key": KEY.decode()})
            key_file = os.path.join(out, "key")
            with open(key_file, "wb") as file:
                file.write(KEY)
        self.lib, self.tdb = capi.Library(library, settings), Program(program, key_file)
        self.log, self.times, self.keys, self.at, self.answers = [], [], set(), CREATED + 10, 0
        self.model = Model(self.spec, CREATED)
        # What the array was to be, from which time on.
        self.specs = [(CREATED, copy.deepcopy(self.spec))]
        self.by_tiledb(self.judge, "create", self.spec)
        file = os.path.join(out, "schema.json")
        with open(file, "w") as to:
            to.write(self.tdb("schema", self.judge, "--json", "--ticks"))
        self.tdb("create", self.ours, "--schema", file, "--at", CREATED)
        self.step("create")

    def by_tiledb(self, uri, method, *arguments, **named):
        """One call of the library, which is told before: it may be the last."""
        self.mark(uri, method)
        return getattr(self.lib, method)(uri, *arguments, **named)

    def judge_can(self, method, *arguments, **named):
        """What TileDB refuses to do to its own array is not asked of the other."""
        try:
            self.by_tiledb(self.judge, method, *arguments, **named)
        except capi.TileDBError:
            return False
        return True

    def step(self, what):
        self.log.append("%s at %d" % (what, self.at))
        self.times.append(self.at)
        self.check(self.at)
        self.check_cells(self.random.choice(self.times))
        self.at += 10

    # ---- steps -----------------------------------------------------------------

    def dims(self):
        """The dimensions, cut to the current domain."""
        current = self.spec.get("current")
        if not current:
            return self.spec["dims"]
        return [dict(dim, domain=list(current[dim["name"]][1:])) for dim in self.spec["dims"]]

    def write(self):
        spec = dict(self.spec, dims=self.dims())
        cells, subarray = random_arrays.pick_cells(self.random, spec, "%s/%d" % (self.seed, self.at))
        self.by_tiledb(self.judge, "write", spec, self.at, cells, subarray)
        by = self.random.choice([None, None, "csv", "jsonl", "arrow", "parquet"])
        if by is None or not self.write_file(by, subarray):
            self.by_tiledb(self.ours, "write", spec, self.at, cells, subarray)
        self.model.write(self.at, self.spec["attrs"], cells, subarray)
        self.step("write")

    def write_file(self, by, subarray):
        """The cells that were written last, by way of a file; whether that was possible."""
        file = os.path.join(self.out, "cells." + by)
        # Raw numbers and indexes keep what dates and labels could not say.
        raw = ["--ticks", "--enum-codes"]
        asked = raw + ["--since", self.at, "--at", self.at, "-o", file]
        ranges = []
        if subarray is not None:
            ranges = self.range_file(subarray)
            asked += ranges
            if self.random.random() < 0.5:
                asked.append("--no-dims")
            else:
                ranges = []
        if by in ("arrow", "parquet"):
            asked.append("--binary-strings")
        try:
            self.tdb("read", self.judge, *asked)
        except Differs as error:
            if "not UTF-8" in str(error):
                return False
            raise
        little = self.random.choice([[], ["--memory", "1MB"]])
        if "://" in self.ours:
            # What is fetched ahead of a far store is not part of the planning (docs/shortcomings.md).
            little = []
        self.tdb("write", self.ours, file, "--at", self.at, *raw, *ranges, *little)
        os.remove(file)
        self.log.append("from %s:" % by)
        return True

    def range_file(self, box):
        file = os.path.join(self.out, "ranges.json")
        with open(file, "w") as out:
            json.dump({dim["name"]: [list(ends)] for dim, ends in zip(self.spec["dims"], box)}, out)
        return ["--range-file", file]

    def delete(self):
        tree = random_arrays.pick_condition(self.random, self.spec, plain=True)
        if tree is None or self.spec["kind"] == "dense" or asks_nothing(tree):
            return
        if not self.judge_can("delete", self.spec, self.at, tree):
            return
        # As TileDB does it.
        self.tdb("delete", self.ours, "--where", recipe.where_text(tree, self.spec), "--at", self.at, "--with-nulls")
        self.model.delete(self.at, tree)
        self.step("delete where %s" % recipe.where_text(tree, self.spec))

    def restore(self):
        """Both become what they were at an earlier time: TileDB has no such step, so tdb takes it for both."""
        now = self.model.schema(self.at)
        same_schema = lambda at: self.model.knows(at) and self.model.schema(at) == now
        times = [at for at in self.times if same_schema(at)]
        if not times or self.spec.get("labels"):
            return
        to = self.random.choice(times)
        for uri in (self.judge, self.ours):
            self.tdb("restore", uri, "--to", to, "--at", self.at)
        self.helped = True
        self.model.restore(self.at, to)
        before, after = self.model.metadata.seen(to), self.model.metadata.seen(self.at)
        for key in sorted(set(before) | set(after)):
            if key not in before:
                self.model.metadata.remove(self.at, key)
            elif after.get(key) != before[key]:
                self.model.metadata.put(self.at, key, before[key])
        self.keys = set(before)
        self.step("restore to %d" % to)

    def remove_after(self):
        """Both lose what came after an earlier time: TileDB has no such step, so tdb takes it for both."""
        times = [at for at in self.times if self.model.knows(at)]
        if not times or self.spec.get("labels"):
            return
        to = self.random.choice(times)
        arguments = ["--to", to, "--remove"]
        for uri in (self.judge, self.ours):
            try:
                self.tdb("restore", uri, *arguments, "--dry-run")
            except Differs as error:
                # What was merged of both sides of the time; the fragments of the two may differ.
                if "is to be removed" in str(error) or "it was merged" in str(error):
                    return
                raise
        for uri in (self.judge, self.ours):
            self.tdb("restore", uri, *arguments)
        self.helped = True
        self.model.remove_after(to)
        self.specs = [(at, spec) for at, spec in self.specs if at <= to]
        self.spec = copy.deepcopy(self.specs[-1][1])
        self.times = [at for at in self.times if at <= to]
        self.keys = set(self.model.metadata.seen(to))
        self.step("remove what came after %d" % to)

    def evolve(self, changed, **of_judge):
        """One change of the schema, by TileDB and by whom the turn is; `changed`: the options of tdb."""
        if self.spec.get("encrypted"):
            # 2.30 writes the new schema in the clear, and can then not open the array.
            options = changed()
            self.helped = True
            for uri in (self.judge, self.ours):
                self.tdb("evolve", uri, "--at", self.at, *options)
            return True
        if not self.judge_can("evolve", self.at, **of_judge):
            return False
        if self.random.random() < 0.25:
            self.by_tiledb(self.ours, "evolve", self.at, **of_judge)
            self.log.append("TileDB's turn:")
        else:
            self.tdb("evolve", self.ours, "--at", self.at, *changed())
        return True

    def evolved(self, what):
        self.model.evolve(self.at, self.spec)
        self.specs.append((self.at, copy.deepcopy(self.spec)))
        self.step(what)

    def add_attribute(self):
        added = random_arrays.pick_attribute(self.random, 10 + len(self.log))

        changed = lambda: ("--add-attr", json.dumps([self.shown(added)]))
        if self.evolve(changed, add=[added]):
            self.spec["attrs"].append(added)
            self.spec.setdefault("evolved", []).append(added["name"])
            self.evolved("add attribute")

    def shown(self, attr):
        """An attribute as `tdb schema --json` prints it, of an array that TileDB makes for that."""
        spec = {"kind": "sparse", "dims": [{"name": "d", "type": "int32", "domain": [1, 4], "extent": 2}], "attrs": [attr]}
        uri = os.path.join(self.out, "added %s" % attr["name"])
        self.lib.create(uri, spec)
        return self.tdb.json("schema", uri, "--ticks")["attributes"][0]

    def drop_attribute(self):
        names = [attr["name"] for attr in self.spec["attrs"]]
        if len(names) < 2:
            return
        name = self.random.choice(names)
        if self.evolve(lambda: ("--drop-attr", name), drop=[name]):
            self.spec["attrs"] = [attr for attr in self.spec["attrs"] if attr["name"] != name]
            self.evolved("drop attribute %s" % name)

    def enumeration(self):
        """Adds one, or extends what is there."""
        name, at = "grown", self.at
        enums = self.spec.setdefault("enums", [])
        more = ["value %d of %d" % (i, at) for i in range(self.random.randint(1, 3))]
        grown = {"name": name, "type": "string_utf8", "n": "var", "ordered": True, "values": more}
        if any(enum["name"] == name for enum in enums):
            changed = lambda: ("--extend-enum", json.dumps({"name": name, "values": more}))
            if self.evolve(changed, extend_enums=[(name, grown)]):
                self.evolved("extend enumeration")
            return
        attribute = data.attr("e%d" % at, "uint16", enum=name)
        changed = lambda: (
            "--add-enum", json.dumps({"name": name, "datatype": "string_utf8", "ordered": True, "values": more}),
            "--add-attr", json.dumps({"name": attribute["name"], "datatype": "uint16", "enumeration": name}),
        )
        if self.evolve(changed, add=[attribute], add_enums=[grown]):
            enums.append(grown)
            self.spec["attrs"].append(attribute)
            self.spec.setdefault("evolved", []).append(attribute["name"])
            self.evolved("add enumeration")

    def grow(self):
        """The current domain grows, up to the domain."""
        if not self.spec.get("current"):
            return
        grown = {}
        for dim in self.spec["dims"]:
            datatype, low, high = self.spec["current"][dim["name"]]
            least, most = dim["domain"]
            grown[dim["name"]] = (datatype, self.random.randint(least, low), self.random.randint(high, most))
        changed = lambda: ("--current-domain", json.dumps({name: ends[1:] for name, ends in grown.items()}))
        if self.evolve(changed, current=(self.spec["dims"], grown)):
            self.spec["current"] = grown
            self.evolved("grow current domain")

    def metadata(self):
        for _ in range(self.random.randint(1, 2)):
            turn = self.random.random() < 0.3
            if self.keys and self.random.random() < 0.4:
                key = self.random.choice(sorted(self.keys))
                self.keys.remove(key)
                values, drop, verb = {}, [key], ["rm", self.ours, key]
                self.model.metadata.remove(self.at, key)
            else:
                key = self.random.choice(["a", "b", "key", "Schlüssel"])
                datatype, value = self.random.choice(METADATA)
                values, drop = {key: (datatype, value)}, []
                verb = ["set", self.ours, key, text_of(value), "--type", datatype]
                self.model.metadata.put(self.at, key, (datatype, capi.pack(datatype, value)))
                self.keys.add(key)
            self.by_tiledb(self.judge, "put_metadata", self.at, values, drop)
            if turn:
                self.by_tiledb(self.ours, "put_metadata", self.at, values, drop)
                self.log.append("TileDB's turn:")
            else:
                self.tdb("meta", *verb, "--at", self.at)
            self.step("%s metadata %s" % (verb[0], key))

    # ---- comparing ---------------------------------------------------------------

    def check(self, at):
        """Both arrays at a time, read by both, against each other and against the model."""
        self.mark(self.judge, "read")
        judges = seen_by_judge(self.lib, self.judge, at)
        self.mark(self.ours, "read")
        twins = seen_by_judge(self.lib, self.ours, at)
        if isinstance(judges["cells"], str):
            # TileDB cannot read what it wrote, such as filters that it cannot undo, and fails in one way or another; where
            # it can read what tdb wrote, that has to be right.
            judges["cells"] = twins["cells"]
        if not self.model.knows(at):
            # Of what a purge replaced, the two may keep other cells for times before it.
            judges["cells"] = twins["cells"]
        same("TileDB reads at %d" % at, twins, judges)
        ours = seen_by_us(self.tdb, self.ours, at)
        same("tdb reads at %d" % at, ours, seen_by_us(self.tdb, self.judge, at))
        self.answers += 4
        if at < CREATED:
            return
        wanted = self.model.metadata.seen(at)
        same("metadata at %d, by TileDB" % at, metadata_of_judge(judges["metadata"]), wanted, "the model")
        same("metadata at %d, by tdb" % at, metadata_of_tdb(ours["metadata"]), wanted, "the model")
        self.answers += 2
        self.check_judge(at, judges)
        self.check_cells(at)
        if self.spec.get("labels"):
            self.check_labels(at)

    def check_judge(self, at, judges):
        """What TileDB says of its own array against the model."""
        attrs, current = self.model.schema(at)
        names = [attr["name"] for attr in judges["schema"]["attributes"]]
        same("attributes at %d" % at, names, [attr["name"] for attr in attrs], "the model")
        bounds = {name: list(ends[1:]) for name, ends in current.items()} or None
        same("current domain at %d" % at, judges["schema"].get("current_domain"), bounds, "the model")
        # Where TileDB cannot read its array, there is an error.
        if self.model.knows(at) and not isinstance(judges["cells"], str):
            found = sorted(judges["cells"], key=repr)
            same("cells at %d, by TileDB" % at, found, self.model.cells(at), "the model")
            self.answers += 1

    def check_cells(self, at):
        """What tdb reads of the twin against the model."""
        if not self.model.knows(at):
            return
        ranges = []
        _, current = self.model.schema(at)
        if current and not self.model.sparse:
            ranges = self.range_file([current[dim["name"]][1:] for dim in self.spec["dims"]])
        found = cells_by_us(self.tdb, self.ours, at, self.model.fields(at), *ranges)
        same("cells at %d, by tdb" % at, found, self.model.cells(at), "the model")
        self.answers += 1

    def check_all(self):
        for at in [CREATED - 1] + self.times:
            self.check(at)

    def forget(self, log, spans):
        """Tells the model what is left; it may find that this is too little."""
        try:
            log.forget(spans)
        except Wrong as error:
            raise Differs("after %s: %s" % (self.log[-1], error))


def text_of(value):
    """A value of metadata as tdb is given it."""
    return value.decode() if isinstance(value, bytes) else json.dumps(value)


def asks_nothing(tree):
    """Whether part of a condition asks for null, which no delete can."""
    if tree[0] in ("and", "or", "not"):
        return any(asks_nothing(part) for part in tree[1:])
    if tree[1] in ("is null", "is not null"):
        return True
    values = tree[2] if isinstance(tree[2], list) else [tree[2]]
    return any(value == b"" for value in values)


def schema_of(lib, uri):
    array = lib.open(uri, capi.READ)
    found = describe.schema(lib, array)
    lib.close(array)
    return found
