"""Random lives of groups: members that come and go, metadata, and its upkeep."""

import json
import os

import capi
import data
import describe
from comparing import Differs, Program, metadata_of_judge, metadata_of_tdb, same
from model import Log, Wrong
from pair import METADATA, text_of
from upkeep import grace, spans_in

PATHS = ["x", "y", "deep/z"]


class Groups:
    """A group of TileDB's own making, its twin that tdb and TileDB take turns on, and the model of both."""

    def __init__(self, random_, library, program, out, _seed, mark, root=None):
        self.random, self.lib, self.tdb, self.mark = random_, capi.Library(library), Program(program), mark
        self.judge, self.ours = os.path.join(root or out, "judge"), os.path.join(root or out, "group")
        self.log, self.times, self.at, self.answers = [], [], 1000, 0
        self.members, self.metadata = Log(), Log()
        mark(self.judge, "create")
        self.lib.call("tiledb_group_create", self.judge.encode())
        self.tdb("group", "create", self.ours)
        spec = {
            "kind": "dense", "dims": [{"name": "d", "type": "int32", "domain": [1, 4], "extent": 2}],
            "attrs": [data.attr("a", "int32")],
        }
        for root in (self.judge, self.ours):
            for path in PATHS:
                if "://" not in root:
                    os.makedirs(os.path.dirname(os.path.join(root, path)), exist_ok=True)
                self.lib.create(os.path.join(root, path), spec)

    def live(self):
        for _ in range(self.random.randint(3, 12)):
            step = self.random.choice([self.add] * 4 + [self.remove] * 2 + [self.change] * 3 + [self.upkeep] * 2)
            step()

    def step(self, what):
        self.log.append("%s at %d" % (what, self.at))
        self.times.append(self.at)
        self.check(self.at)
        self.at += 10

    def done(self, ours, **change):
        """One change, by TileDB, and by whom the turn is."""
        def by_tiledb(root):
            self.mark(root, "change group")
            add = [
                (path if relative else os.path.join(root, path), relative, name)
                for path, relative, name in change.get("add", [])
            ]
            self.lib.change_group(root, self.at, **dict(change, add=add))

        by_tiledb(self.judge)
        if self.random.random() < 0.25:
            by_tiledb(self.ours)
            self.log.append("TileDB's turn:")
        else:
            self.tdb(*ours, "--at", self.at)

    # ---- steps -----------------------------------------------------------------

    def add(self):
        path, name = self.random.choice(PATHS), self.random.choice(["one", "two", "three", None])
        relative = self.random.random() < 0.6
        options = [self.random.choice(["--relative", None]) if relative else "--absolute"]
        usual = os.path.basename(path)
        if name is None and self.members.seen(self.at).get(usual, (usual, path)) != (usual, path):
            # What nobody named is not to replace another member.
            name = "three"
        if name:
            options += ["--name", name]
        ours = ["group", "add", self.ours, os.path.join(self.ours, path), *filter(None, options)]
        # What lies in the group has the last part of its path as name, where none is given.
        name = name or usual
        self.done(ours, add=[(path, relative, name)])
        self.members.put(self.at, name, (name, path))
        self.step("add %s" % name)

    def remove(self):
        named = sorted(key for key, (name, _) in self.members.seen(self.at).items() if name)
        if not named:
            return
        key = self.random.choice(named)
        self.done(["group", "rm", self.ours, key], remove=[key])
        self.members.remove(self.at, key)
        self.step("remove %s" % key)

    def change(self):
        keys = sorted(self.metadata.seen(self.at))
        if keys and self.random.random() < 0.4:
            key = self.random.choice(keys)
            self.done(["meta", "rm", self.ours, key], drop=[key])
            self.metadata.remove(self.at, key)
        else:
            key, (datatype, value) = self.random.choice(["k", "key", "Schlüssel"]), self.random.choice(METADATA)
            ours = ["meta", "set", self.ours, key, text_of(value), "--type", datatype]
            self.done(ours, metadata={key: (datatype, value)})
            self.metadata.put(self.at, key, (datatype, capi.pack(datatype, value)))
        self.step("metadata %s" % key)

    def upkeep(self):
        for verb in ["consolidate"] + (["vacuum"] if self.random.random() < 0.5 else []):
            self.by_tiledb(verb, self.judge)
            if self.random.random() < 0.3:
                self.by_tiledb(verb, self.ours)
                self.log.append("TileDB's turn:")
            else:
                self.tdb(verb, self.ours, "--mode", "group-meta", *grace(verb))
            if verb == "vacuum":
                try:
                    self.metadata.forget(spans_in(self.lib, os.path.join(self.judge, "__meta")))
                except Wrong as error:
                    raise Differs("after vacuum at %d: %s" % (self.at, error))
            self.step(verb)

    def by_tiledb(self, verb, root):
        self.mark(root, verb)
        mode = {"consolidate": "sm.consolidation.mode", "vacuum": "sm.vacuum.mode"}[verb]
        config = self.lib.config({mode: "group_meta"})
        self.lib.call("tiledb_group_%s_metadata" % verb, root.encode(), config)

    # ---- comparing ---------------------------------------------------------------

    def check(self, at):
        members = sorted((name or "", path) for name, path in self.members.seen(at).values())
        metadata = self.metadata.seen(at)
        for root in (self.judge, self.ours):
            self.mark(root, "read")
            found = describe.group(self.lib, root, at)
            whose = "%s of %s at %d, by TileDB"
            same(whose % ("members", root, at), self.places(root, found["members"]), members, "the model")
            same(whose % ("metadata", root, at), metadata_of_judge(found["metadata"]), metadata, "the model")
            listed = self.tdb.json("group", "ls", root, "--at", at)
            whose = "%s of %s at %d, by tdb"
            same(whose % ("members", root, at), self.places(root, listed), members, "the model")
            found = metadata_of_tdb(self.tdb.json("meta", "ls", root, "--at", at))
            same(whose % ("metadata", root, at), found, metadata, "the model")
            self.answers += 4

    def places(self, root, members):
        """Members by name, and where they are from the group on."""
        from_root = lambda uri: uri.replace("file://", "").replace(root + "/", "")
        return sorted((member["name"] or "", from_root(member["uri"])) for member in members)

    def check_all(self):
        for at in self.times:
            self.check(at)

    def leave(self, out):
        """Nothing that is still to be compared."""
