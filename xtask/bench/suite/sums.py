"""Checksums of results, as `bench/src/sums.rs` makes them: sums of bits, also weighted by place where the order counts."""

import numpy as np

import capi

WORD, STEP = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}, 1 << 22
# What the columns of a row are multiplied with before they are added up, so that exchanged cells show.
FACTORS = [np.uint64(factor) for factor in (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0xD6E8FEB86659FD93)]


class Sums:
    """Grows with each result of a workload."""

    def __init__(self, ordered):
        self.ordered, self.rows, self.found, self.ends = ordered, 0, {}, {}

    def add(self, fields, columns):
        """One result: {field: {"data", "offsets", "validity"}} of as many cells each."""
        rows = 0
        words = []
        for field in fields:
            parts, name = columns[field["name"]], field["name"]
            if "offsets" in parts:
                rows = len(parts["offsets"])
                ends = np.append(parts["offsets"][1:], np.uint64(len(parts["data"])))
                begins = self.ends.get(name, 0)
                self.column(name + ".ends", ends + np.uint64(begins), self.rows)
                self.column(name, parts["data"], begins)
                self.ends[name] = begins + len(parts["data"])
                continue
            data = parts["data"].view(WORD[capi.size_of(field["type"])])
            rows = len(data)
            if "validity" in parts:
                self.column(name + ".validity", parts["validity"], self.rows)
                data = np.where(parts["validity"] == 1, data, data.dtype.type(0))
            self.column(name, data, self.rows)
            words.append(data)
        if len(words) == len(fields) and words:
            self.add_rows(words)
        self.rows += rows

    def column(self, name, values, begins):
        for start in range(0, len(values), STEP):
            part = values[start : start + STEP].astype(np.uint64)
            self.note(name, part.sum(dtype=np.uint64))
            if self.ordered:
                places = np.arange(begins + start + 1, begins + start + 1 + len(part), dtype=np.uint64)
                self.note(name + ".placed", (part * places).sum(dtype=np.uint64))

    def add_rows(self, words):
        for start in range(0, len(words[0]), STEP):
            mixed = np.zeros(len(words[0][start : start + STEP]), dtype=np.uint64)
            for factor, word in zip(FACTORS, words):
                mixed += word[start : start + STEP].astype(np.uint64) * factor
            mixed ^= mixed >> np.uint64(32)
            self.note("rows", (mixed * mixed).sum(dtype=np.uint64))

    def note(self, name, value):
        self.found[name] = (self.found.get(name, 0) + int(value)) % (1 << 64)

    def text(self):
        """As JSON keeps it exactly."""
        return {name: "%016x" % value for name, value in sorted(self.found.items())}
