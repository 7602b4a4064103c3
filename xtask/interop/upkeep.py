"""Steps that change how an array is stored, and no answer: consolidation and vacuum, each time by another."""

import os
import re

import capi


def spans_in(lib, folder, ending=""):
    """The times of the objects in a folder of an array or a group."""
    names = lib.names_in(folder)
    found = (re.fullmatch(r"__(\d+)_(\d+)_[0-9a-f]{32}%s" % ending, name) for name in names)
    return [(int(match[1]), int(match[2])) for match in found if match]


class Upkeep:
    """What a `Pair` does for it."""

    # TileDB merges all or nothing, where nobody says more.
    ALL = ["--config", "sm.consolidation.step_min_frags=4294967295", "--config", "sm.consolidation.amplification=1.0"]

    def upkeep(self):
        """One consolidation, and now and then the vacuum after it."""
        mode = self.random.choice(["fragments"] * 3 + ["fragment_meta", "commits", "array_meta"])
        if mode == "fragments":
            self.fragments()
            return
        verbs = ["consolidate"] + (["vacuum"] if self.random.random() < 0.6 else [])
        for verb in verbs:
            # Such as a delete by an attribute that is gone.
            if not self.judge_can(verb, mode):
                return
            if self.random.random() < 0.3:
                self.by_tiledb(self.ours, verb, mode)
                self.log.append("TileDB's turn:")
            else:
                self.tdb(verb, self.ours, "--mode", mode.replace("_", "-"), *grace(verb))
            if (verb, mode) == ("vacuum", "array_meta"):
                self.forget(self.model.metadata, spans_in(self.lib, os.path.join(self.judge, "__meta")))
            self.step("%s %s" % (verb, mode))

    def fragments(self):
        """Fragments merged, in one of the ways that both know, and now and then vacuumed."""
        while len(self.fragment_names(self.ours)) < 2:
            self.write()
        if self.spec["kind"] == "dense" and self.spec.get("current"):
            self.merge_alone()
            return
        how, settings, arguments = self.random.choice(
            [self.merge_all, self.merge_all, self.merge_some, self.merge_time, self.merge_purged, self.merge_sized]
        )()
        if how is None:
            return
        before = self.fragment_names(self.judge)
        names = arguments(self.ours)
        merged = self.merging(how, settings)
        if not self.judge_can(merged[0], *merged[1](self.judge), **merged[2]):
            return
        if len(self.fragment_names(self.judge)) == len(before):
            # Nothing was allowed, which says no more than that.
            self.tdb("consolidate", self.ours, "--mode", "fragments", "--dry-run")
            return
        if self.random.random() < 0.2:
            self.by_tiledb(self.ours, merged[0], *merged[1](self.ours), **merged[2])
            self.log.append("TileDB's turn:")
        else:
            memory = self.random.choice([[], [], ["--memory", "2MB"], ["--memory", "1MB", "--threads", "1"]])
            self.tdb("consolidate", self.ours, "--mode", "fragments", *names, *memory)
        self.merged(self.judge, before, how == "purged")
        # Cells of before the merge are those of the fragments, which are still there.
        self.step("consolidate %s %s" % (how, " ".join(names)))
        if self.random.random() < 0.5:
            self.vacuum_fragments()

    def merging(self, how, settings):
        """The call of the library: its name, its arguments by array, and those by name."""
        if how == "list":
            return "consolidate_fragments", lambda uri: (settings(uri),), {}
        return "consolidate", lambda uri: ("fragments",), settings

    def merged(self, uri, before, purged=False):
        """Tells the model of the fragments that are new."""
        for found in self.tdb.json("fragments", uri):
            if found["name"] not in before:
                first, last = found["timestamps"]
                self.model.merge(first, last, int(found["schema"].split("_")[2]))
                if purged:
                    self.model.purge(first, self.at)

    def merge_alone(self):
        """2.30 breaks dense arrays with a current domain when it merges them: only tdb does, and TileDB reads it."""
        if any(attr not in self.spec["attrs"] for attrs, _ in self.model.changes() for attr in attrs):
            # Merged fragments lack what was dropped, and those of the judge would not.
            return
        memory = self.random.choice([[], ["--memory", "1MB"]])
        self.tdb("consolidate", self.ours, "--mode", "fragments", *self.ALL, *memory)
        self.step("consolidate twin")

    def vacuum_fragments(self):
        for uri in (self.judge, self.ours):
            if self.random.random() < 0.3 or uri == self.judge:
                self.by_tiledb(uri, "vacuum", "fragments")
            else:
                self.tdb("vacuum", uri, "--mode", "fragments", *grace("vacuum"))
        self.forget(self.model, spans_in(self.lib, os.path.join(self.judge, "__fragments"), "_\\d+"))
        self.step("vacuum fragments")

    def merge_all(self):
        return "all", {}, lambda uri: self.ALL

    def merge_some(self):
        """Neighbours in time, by name."""
        count = len(self.fragment_names(self.judge))
        if count < 3 or count != len(self.fragment_names(self.ours)):
            return None, None, None
        first = self.random.randint(0, count - 2)
        last = self.random.randint(first + 2, count)
        names = lambda uri: self.fragment_names(uri)[first:last]
        return "list", names, lambda uri: ["--fragments", ",".join(names(uri))]

    def merge_time(self):
        since, at = sorted(self.random.choice(self.times) for _ in range(2))
        settings = {"timestamp_start": since, "timestamp_end": at}
        return "time", settings, lambda uri: self.ALL + ["--since", str(since), "--at", str(at)]

    def merge_purged(self):
        return "purged", {"purge_deleted_cells": "true"}, lambda uri: self.ALL + ["--purge-deleted"]

    def merge_sized(self):
        size = self.random.choice([300, 2000])
        return "sized", {}, lambda uri: self.ALL + ["--config", "sm.consolidation.max_fragment_size=%d" % size]

    def fragment_names(self, uri):
        """The fragments that count, older ones first."""
        return [found["name"] for found in self.tdb.json("fragments", uri) if not found["consolidated"]]


def grace(verb):
    return ["--grace", "0s"] if verb == "vacuum" else []
