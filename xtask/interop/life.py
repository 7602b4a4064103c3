"""Random lives of arrays and groups, lived twice: once by the judge, TileDB 2.30, and once by tdb.

`life.py LIBRARY RECIPES OUT SEED COUNT PROGRAM` makes pairs in OUT. TileDB alone works on `judge`; on `array`
(or `group`) tdb does what it can, and TileDB the rest, taking turns. After every step, and at the end at every
earlier time, TileDB must find the same in both: schema, metadata, members, cells; and so must tdb. What TileDB reads
of `judge` stands in a manifest, for tdb to be compared with. Cells come now and then by way of a file; what files become
arrays, `imports.py` has.
"""

import json
import os
import random
import shutil
import subprocess
import sys

PROGRAM = sys.argv[6]

import random_arrays
from random_arrays import LIBRARY, OUT, SEED, COUNT

import asking
import capi
import data
import describe
import imports
import recipe

METADATA = [
    ("int32", [-7]), ("uint8", [1, 2, 3]), ("float64", [0.5, -2.25]), ("string_utf8", "süß".encode()),
    ("string_ascii", b"plain text"), ("int64", [1 << 40]), ("string_utf8", b""), ("uint64", [(1 << 64) - 1]),
]


class Differs(Exception):
    """The two lives are not the same."""


def tdb(*arguments, file=None):
    """Runs the program; gives what it printed."""
    done = subprocess.run([PROGRAM, *map(str, arguments)], input=file, capture_output=True)
    if done.returncode != 0:
        raise Differs("tdb %s: %s" % (" ".join(map(str, arguments)), done.stderr.decode().strip()))
    return done.stdout.decode()


def same(what, ours, judges):
    if ours != judges:
        ours, judges = json.dumps(ours, default=str), json.dumps(judges, default=str)
        at = next((i for i, (a, b) in enumerate(zip(ours, judges)) if a != b), min(len(ours), len(judges)))
        raise Differs("%s: …%s, TileDB's has …%s" % (what, ours[max(at - 60, 0) : at + 90], judges[max(at - 60, 0) : at + 90]))


class Pair:
    """An array of TileDB's own making, and its twin."""

    def __init__(self, random_, lib, out, seed):
        self.random, self.lib, self.seed = random_, lib, seed
        self.judge, self.ours = os.path.join(out, "judge"), os.path.join(out, "array")
        self.log, self.times, self.keys, self.at = [], [], set(), 110
        self.spec = random_arrays.pick_spec(random_)
        lib.create(self.judge, self.spec)
        self.schema_file = os.path.join(out, "schema.json")
        with open(self.schema_file, "w") as file:
            file.write(tdb("schema", self.judge, "--json", "--ticks"))
        # TileDB stamps a schema with the clock's time, so the twin's has to be as late.
        tdb("create", self.ours, "--schema", self.schema_file, "--at", created(self.judge))
        self.clock = created(self.judge)
        self.at = self.clock + 10
        self.step("create")

    def step(self, what):
        self.log.append("%s at %d" % (what, self.at))
        self.times.append(self.at)
        self.check(self.at)
        self.at += 10

    # ---- steps -----------------------------------------------------------------

    def write(self):
        by = self.random.choice([None, None, "csv", "jsonl", "arrow", "parquet"])
        state = self.random.getstate()
        seed = "%s/%d" % (self.seed, self.at)
        random_arrays.write(self.random, self.lib, self.judge, self.spec, seed, self.at)
        if by is None or not self.write_file(by):
            after = self.random.getstate()
            self.random.setstate(state)
            random_arrays.write(self.random, self.lib, self.ours, self.spec, seed, self.at)
            self.random.setstate(after)
        self.step("write")

    def write_file(self, by):
        """The cells that were written last, by way of a file; whether that was possible."""
        file = os.path.join(os.path.dirname(self.ours), "cells." + by)
        # Raw numbers and indexes keep what dates and labels could not say.
        raw = ["--ticks", "--enum-codes"]
        asked = raw + ["--since", self.at, "--at", self.at, "-o", file]
        ranges = []
        if self.spec["kind"] == "dense":
            shown = json.loads(tdb("fragments", self.judge, "--json", "--ticks"))
            domain = [f["non_empty_domain"] for f in shown if f["timestamps"] == [self.at, self.at]][-1]
            ranges = ["--range-file", os.path.join(os.path.dirname(self.ours), "ranges.json")]
            with open(ranges[1], "w") as out:
                json.dump({name: [ends] for name, ends in domain.items()}, out)
            asked += ranges
            if self.random.random() < 0.5:
                asked.append("--no-dims")
            else:
                ranges = []
        if by in ("arrow", "parquet"):
            asked.append("--binary-strings")
        try:
            tdb("read", self.judge, *asked)
        except Differs as error:
            if "not UTF-8" in str(error):
                return False
            raise
        little = self.random.choice([[], ["--memory", "1MB"]])
        tdb("write", self.ours, file, "--at", self.at, *raw, *ranges, *little)
        os.remove(file)
        self.log.append("from %s:" % by)
        return True

    def delete(self):
        tree = random_arrays.pick_condition(self.random, self.spec, plain=True)
        if tree is None or self.spec["kind"] == "dense" or asks_nothing(tree):
            return
        try:
            self.lib.delete(self.judge, self.spec, self.at, tree)
        except capi.TileDBError:
            return
        tdb("delete", self.ours, "--where", recipe.where_text(tree, self.spec), "--at", self.at)
        self.step("delete")

    def add_attribute(self):
        added = random_arrays.pick_attribute(self.random, 10 + len(self.log))
        self.lib.evolve(self.judge, self.at, add=[added])
        self.spec["attrs"].append(added)
        self.spec.setdefault("evolved", []).append(added["name"])
        shown = json.loads(tdb("schema", self.judge, "--json", "--ticks"))["attributes"]
        shown = [a for a in shown if a["name"] == added["name"]]
        tdb("evolve", self.ours, "--add-attr", json.dumps(shown), "--at", self.at)
        self.step("add attribute")

    def drop_attribute(self):
        names = [a["name"] for a in self.spec["attrs"]]
        if len(names) < 2:
            return
        name = self.random.choice(names)
        self.lib.evolve(self.judge, self.at, drop=[name])
        self.spec["attrs"] = [a for a in self.spec["attrs"] if a["name"] != name]
        tdb("evolve", self.ours, "--drop-attr", name, "--at", self.at)
        self.step("drop attribute")

    def enumeration(self):
        """Adds one, or extends what is there."""
        name = "grown"
        enums = self.spec.setdefault("enums", [])
        grown = [e for e in enums if e["name"] == name]
        more = ["value %d of %d" % (i, self.at) for i in range(self.random.randint(1, 3))]
        if not grown:
            grown = {"name": name, "type": "string_utf8", "n": "var", "ordered": True, "values": more}
            attribute = data.attr("e%d" % self.at, "uint16", enum=name)
            self.lib.evolve(self.judge, self.at, add=[attribute], add_enums=[grown])
            enums.append(grown)
            self.spec["attrs"].append(attribute)
            self.spec.setdefault("evolved", []).append(attribute["name"])
            tdb(
                "evolve", self.ours, "--at", self.at,
                "--add-enum", json.dumps({"name": name, "datatype": "string_utf8", "ordered": True, "values": more}),
                "--add-attr", json.dumps({"name": attribute["name"], "datatype": "uint16", "enumeration": name}),
            )
            self.step("add enumeration")
            return
        longer = dict(grown[0], values=more)
        self.lib.evolve(self.judge, self.at, extend_enums=[(name, longer)])
        tdb("evolve", self.ours, "--at", self.at, "--extend-enum", json.dumps({"name": name, "values": more}))
        self.step("extend enumeration")

    def metadata(self):
        for _ in range(self.random.randint(1, 2)):
            if self.keys and self.random.random() < 0.3:
                key = self.random.choice(sorted(self.keys))
                self.keys.remove(key)
                self.lib.put_metadata(self.judge, self.at, {}, [key])
                tdb("meta", "rm", self.ours, key, "--at", self.at)
            else:
                key = self.random.choice(["a", "b", "key", "Schlüssel"])
                datatype, value = self.random.choice(METADATA)
                self.lib.put_metadata(self.judge, self.at, {key: (datatype, value)})
                text = value.decode() if isinstance(value, bytes) else json.dumps(value)
                tdb("meta", "set", self.ours, key, text, "--type", datatype, "--at", self.at)
                self.keys.add(key)
            self.step("metadata")

    def upkeep(self):
        """One consolidation, and now and then the vacuum after it, each time by another."""
        mode = self.random.choice(["fragments"] * 3 + ["fragment_meta", "commits", "array_meta"])
        if mode == "fragments":
            self.fragments()
            return
        verbs = ["consolidate"] + (["vacuum"] if self.random.random() < 0.6 else [])
        for verb in verbs:
            try:
                getattr(self.lib, verb)(self.judge, mode)
            except capi.TileDBError:
                # Such as a delete by an attribute that is gone: what TileDB cannot do is not asked of us.
                return
            if self.random.random() < 0.3 or not can(verb, mode):
                getattr(self.lib, verb)(self.ours, mode)
                self.log.append("TileDB's turn:")
            else:
                upkeep(verb, self.ours, mode)
            self.step("%s %s" % (verb, mode))

    def fragments(self):
        """Fragments merged, in one of the ways that both know, and now and then vacuumed."""
        how, settings, arguments = self.random.choice(
            [self.merge_all, self.merge_all, self.merge_some, self.merge_time, self.merge_purged, self.merge_sized]
        )()
        if how is None:
            return
        before = len(fragment_names(self.judge))
        names = arguments(self.ours)
        try:
            if how == "list":
                self.lib.consolidate_fragments(self.judge, settings(self.judge))
            else:
                self.lib.consolidate(self.judge, "fragments", **settings)
        except capi.TileDBError:
            return
        if len(fragment_names(self.judge)) == before:
            # Nothing was allowed, which says no more than that.
            tdb("consolidate", self.ours, "--mode", "fragments", "--dry-run")
            return
        memory = self.random.choice([[], [], ["--memory", "2MB"], ["--memory", "1MB", "--threads", "1"]])
        if self.random.random() < 0.2:
            if how == "list":
                self.lib.consolidate_fragments(self.ours, settings(self.ours))
            else:
                self.lib.consolidate(self.ours, "fragments", **settings)
            self.log.append("TileDB's turn:")
        else:
            tdb("consolidate", self.ours, "--mode", "fragments", *names, *memory)
        # Cells of before the merge are those of the fragments, which are still there.
        self.step("consolidate %s %s" % (how, " ".join(names)))
        if self.random.random() < 0.5:
            for uri in (self.judge, self.ours):
                if self.random.random() < 0.3 or uri == self.judge:
                    self.lib.vacuum(uri, "fragments")
                else:
                    upkeep("vacuum", uri, "fragments")
            self.step("vacuum fragments")

    # TileDB merges all or nothing, where nobody says more.
    ALL = ["--config", "sm.consolidation.step_min_frags=4294967295", "--config", "sm.consolidation.amplification=1.0"]

    def merge_all(self):
        return "all", {}, lambda uri: self.ALL

    def merge_some(self):
        """Neighbours in time, by name."""
        count = len(fragment_names(self.judge))
        if count < 3 or count != len(fragment_names(self.ours)):
            return None, None, None
        first = self.random.randint(0, count - 2)
        last = self.random.randint(first + 2, count)
        names = lambda uri: fragment_names(uri)[first:last]
        return "list", names, lambda uri: ["--fragments", ",".join(names(uri))]

    def merge_time(self):
        since, at = sorted(self.random.choice(self.times) for _ in range(2))
        settings = {"timestamp_start": since, "timestamp_end": at}
        return "time", settings, lambda uri: self.ALL + ["--since", str(since), "--at", str(at)]

    def merge_purged(self):
        return "purged", {"purge_deleted_cells": "true"}, lambda uri: self.ALL + ["--purge-deleted"]

    def merge_sized(self):
        if self.spec["kind"] == "dense":
            return None, None, None
        size = self.random.choice([300, 2000])
        return "sized", {}, lambda uri: self.ALL + ["--config", "sm.consolidation.max_fragment_size=%d" % size]

    # ---- comparing ---------------------------------------------------------------

    def check(self, at):
        try:
            for found in (self.seen_by_judge, seen_by_us):
                same(found.__name__, found(self.ours, at), found(self.judge, at))
        except capi.TileDBError as error:
            raise Differs("at %d: %s" % (at, str(error).splitlines()[0]))

    def seen_by_judge(self, uri, at):
        array = self.lib.open(uri, capi.READ, at)
        schema = describe.schema(self.lib, array)
        dims = schema["dimensions"]
        found = {"schema": schema, "domain": describe.non_empty_domain(self.lib, array, dims)}
        self.lib.close(array)
        found["metadata"] = self.lib.metadata(uri, at)
        query = {"name": "all", "at": at}
        if schema["type"] == "sparse":
            query["order"] = "row"
        try:
            answer = asking.run_query(self.lib, uri, query)
            found["cells"] = sorted_rows(answer) if self.spec.get("dups") else answer
        except capi.TileDBError as error:
            found["cells"] = str(error).replace(uri, "").splitlines()[0]
        return found

    def check_all(self):
        for at in [self.clock - 1] + self.times:
            self.check(at)


def seen_by_us(uri, at):
    schema = json.loads(tdb("schema", uri, "--json", "--at", at))
    # Schemas keep them in any order.
    schema["enumerations"].sort(key=lambda enumeration: enumeration["name"])
    return {
        "schema": schema,
        "metadata": json.loads(tdb("meta", "ls", uri, "--json", "--at", at)),
    }


def fragment_names(uri):
    """The fragments that count, older ones first."""
    shown = json.loads(tdb("fragments", uri, "--json"))
    return [f["name"] for f in shown if not f["consolidated"]]


def sorted_rows(answer):
    """Cells of equal coordinates come in any order."""
    columns = []
    for column in answer["columns"]:
        raw = bytes.fromhex(column["data"])
        if "offsets" in column:
            ends = column["offsets"]
            values = [raw[a:b] for a, b in zip(ends, ends[1:])]
        else:
            width = capi.size_of(column["datatype"]) * column["cell_val_num"]
            values = [raw[i : i + width] for i in range(0, len(raw), width)]
        validity = bytes.fromhex(column.get("validity", "01" * len(values)))
        columns.append([(v, value.hex() if v else "") for v, value in zip(validity, values)])
    return sorted(map(list, zip(*columns)), key=str)


def asks_nothing(tree):
    """Whether part of a condition asks for null, which no delete can."""
    if tree[0] in ("and", "or", "not"):
        return any(asks_nothing(part) for part in tree[1:])
    if tree[1] in ("is null", "is not null"):
        return True
    values = tree[2] if isinstance(tree[2], list) else [tree[2]]
    return any(value == b"" for value in values)


def created(uri):
    names = [n for n in os.listdir(os.path.join(uri, "__schema")) if n != "__enumerations"]
    return int(min(names).split("_")[2])


def can(verb, mode):
    """Whether tdb does this yet."""
    said = subprocess.run([PROGRAM, verb, "--help"], capture_output=True).stdout.decode()
    return "- %s:" % mode.replace("_", "-") in said


def upkeep(verb, uri, mode):
    grace = ["--grace", "0s"] if verb == "vacuum" else []
    tdb(verb, uri, "--mode", mode.replace("_", "-"), *grace)


def live(random_, lib, out, seed):
    """One array's life; what happened, and the manifest of what is left."""
    pair = Pair(random_, lib, out, seed)
    try:
        for _ in range(random_.randint(5, 14)):
            step = random_.choice(
                [pair.write] * 5 + [pair.delete] * 2 + [pair.metadata] * 2 + [pair.upkeep] * 6
                + [pair.add_attribute, pair.drop_attribute, pair.enumeration]
            )
            step()
        pair.check_all()
    except Differs as error:
        raise Differs("%s\n    after: %s" % (error, "; ".join(pair.log)))
    answers = []
    for at in pair.times + [None]:
        query = {"name": "at %s" % at, "at": at}
        try:
            answer = asking.run_query(lib, pair.judge, query)
        except capi.TileDBError:
            continue
        answers.append(dict(answer, unordered=bool(pair.spec.get("dups"))))
    array = lib.open(pair.judge, capi.READ)
    schema = describe.schema(lib, array)
    lib.close(array)
    with open(os.path.join(out, "manifest.json"), "w") as file:
        json.dump({"about": "; ".join(pair.log), "schema": schema, "queries": answers}, file)
    return len(pair.log)


def group_life(random_, lib, out, seed):
    """One group's life."""
    judge, ours = os.path.join(out, "judge"), os.path.join(out, "group")
    lib.call("tiledb_group_create", judge.encode())
    tdb("group", "create", ours)
    spec = {"kind": "dense", "dims": [{"name": "d", "type": "int32", "domain": [1, 4], "extent": 2}],
            "attrs": [data.attr("a", "int32")]}
    for root in (judge, ours):
        for name in ("x", "y", "deep/z"):
            os.makedirs(os.path.dirname(os.path.join(root, name)), exist_ok=True)
            lib.create(os.path.join(root, name), spec)
    members, keys, log, at, times = {}, set(), [], 1000, []

    def seen(root, time):
        found = describe.group(lib, root, time)
        ours_too = {"members": tdb("group", "ls", root, "--json", "--at", time), "metadata": tdb("meta", "ls", root, "--json", "--at", time)}
        text = json.dumps([found, ours_too]).replace("file://" + root, "<group>").replace(root, "<group>")
        found = json.loads(text)
        for part in found:
            if isinstance(part, dict) and isinstance(part.get("members"), list):
                part["members"].sort(key=str)
        return found

    try:
        for _ in range(random_.randint(3, 9)):
            times.append(at)
            what = random_.random()
            turn = random_.random() < 0.25
            if what < 0.5 or not members:
                path = random_.choice(["x", "y", "deep/z"])
                name = random_.choice(["one", "two", "three", None])
                relative = random_.random() < 0.6
                key = name or (path if relative else "absolute " + path)
                lib.change_group(judge, at, add=[(path if relative else os.path.join(judge, path), relative, name)])
                if turn:
                    lib.change_group(ours, at, add=[(path if relative else os.path.join(ours, path), relative, name)])
                else:
                    tdb("group", "add", ours, os.path.join(ours, path), "--at", at, *(["--relative"] if relative else []),
                        *(["--name", name] if name else []))
                members[key] = (path, relative, name)
                log.append("add %s" % key)
            elif what < 0.7:
                named = [key for key, (_, _, name) in members.items() if name]
                if not named:
                    continue
                key = random_.choice(sorted(named))
                del members[key]
                lib.change_group(judge, at, remove=[key])
                if turn:
                    lib.change_group(ours, at, remove=[key])
                else:
                    tdb("group", "rm", ours, key, "--at", at)
                log.append("remove %s" % key)
            elif what < 0.9 or not can("consolidate", "group_meta"):
                datatype, value = random_.choice(METADATA)
                lib.change_group(judge, at, metadata={"k": (datatype, value)})
                text = value.decode() if isinstance(value, bytes) else json.dumps(value)
                tdb("meta", "set", ours, "k", text, "--type", datatype, "--at", at)
                log.append("metadata")
            else:
                tdb("consolidate", ours, "--mode", "group-meta")
                if random_.random() < 0.3:
                    tdb("vacuum", ours, "--mode", "group-meta", "--grace", "0s")
                    times.clear()
                log.append("consolidate")
            same("group", seen(ours, at), seen(judge, at))
            at += 10
        for time in times:
            same("group at %d" % time, seen(ours, time), seen(judge, time))
    except (Differs, capi.TileDBError) as error:
        raise Differs("%s\n    after: %s" % (error, "; ".join(log)))
    shutil.rmtree(out)
    return len(log)


def child(first, last):
    lib = capi.Library(LIBRARY, {"sm.compute_concurrency_level": 1, "sm.io_concurrency_level": 1})
    failed = 0
    for number in range(first, last):
        seed = "life %s/%d" % (SEED, number)
        random_ = random.Random(seed)
        out = os.path.join(OUT, "life%s_%04d" % (SEED, number))
        shutil.rmtree(out, ignore_errors=True)
        os.makedirs(out)
        lived = group_life if number % 5 == 4 else live
        try:
            steps = lived(random_, lib, out, seed)
            imports.run(random_, lib, tdb, same, out + "_import")
            print("%s: %d steps" % (os.path.basename(out), steps), flush=True)
        except capi.TileDBError as error:
            # What TileDB refuses is no life to compare.
            print("%s: refused: %s" % (os.path.basename(out), str(error).splitlines()[0]), flush=True)
            shutil.rmtree(out)
        except Differs as error:
            print("%s: DIFFERS: %s" % (os.path.basename(out), error), file=sys.stderr, flush=True)
            failed = 1
    sys.stdout.flush()
    # Before the library's handles are dropped: some releases do not survive that.
    os._exit(failed)


def main():
    os.makedirs(OUT, exist_ok=True)
    failed = False
    for first in range(0, int(COUNT), random_arrays.PER_CHILD):
        pid = os.fork()
        if pid == 0:
            child(first, min(first + random_arrays.PER_CHILD, int(COUNT)))
        _, status = os.waitpid(pid, 0)
        if os.WIFSIGNALED(status):
            print("lives from %d: the library died of signal %d" % (first, os.WTERMSIG(status)), file=sys.stderr)
        failed = failed or status != 0
    # Where only TileDB's own steps were refused, there is nothing to compare.
    for name in os.listdir(OUT):
        if not os.path.exists(os.path.join(OUT, name, "manifest.json")) and not failed:
            shutil.rmtree(os.path.join(OUT, name))
    sys.exit(1 if failed else 0)


main()
