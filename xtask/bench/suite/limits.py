"""What a workload must do at least: its limit is the time that all of these stages take, one after the other on one core.

A stage is [rate, amount], where the rates are those of `tdb-bench rates`: bytes, or times, in a second. Of tiles only the chunks
that meet the question count, of files one opening and reading each, of aggregates only metadata. `decode:FILE` and `encode:FILE` are the
compressor's own rate on the pieces that are stored in the array's first file of that name.
"""

import os
import struct

import capi
from ctypes import byref, c_uint32, c_uint64, create_string_buffer
from making import settings
from sizes import DELETES, KEYS
from specs import USUAL

CHUNK = 64 << 10
COMPRESSORS = ("zstd", "lz4", "gzip", "bzip2")
# What a filter without a compressor is at best: a plain loop, or a copy.
LOOPS = {
    "byteshuffle": ["place"], "bitshuffle": ["place"], "delta": ["add up"], "positive_delta": ["add up"],
    # Its differences of differences are stored in as few bits as they take.
    "double_delta": ["widen", "add up twice"],
    "bit_width_reduction": ["widen"], "xor": ["flip"], "scale_float": ["scale"], "rle": ["fill"],
    "checksum_sha256": ["sha256"], "checksum_md5": ["md5"], "aes": ["aes"],
}


class Limit:
    """The stages of one workload, and the files on whose data rates are measured."""

    def __init__(self, workload, spec, path, library):
        self.workload, self.spec, self.path, self.library = workload, spec, path, library
        self.stages, self.jobs = [], {}
        # Tiles that boxes meet, each of which is read from another place.
        self.places = 0
        folder = os.path.join(path, "__fragments")
        self.fragments = [os.path.join(folder, name) for name in sorted(os.listdir(folder))]
        self.fields = [dict(field, stored="d%d" % at) for at, field in enumerate(spec["dims"])]
        self.fields += [dict(field, stored="a%d" % at) for at, field in enumerate(spec["attrs"])]
        self.is_grid = spec["kind"] == "dense" and len(spec["dims"]) == 2

    def add(self, rate, amount):
        if amount:
            self.stages.append([rate, amount])

    def field(self, name):
        return next(field for field in self.fields if field["name"] == name)

    def parts(self, field):
        """[(ending of the file, filters)] of a field."""
        of_schema = lambda kind: self.spec.get(kind, USUAL[kind])
        if field.get("n") == "var" or field["type"] == "string_ascii":
            return [(".tdb", of_schema("offsets")), ("_var.tdb", field["filters"])]
        return [(".tdb", field["filters"])] + ([("_validity.tdb", of_schema("validity"))] if field.get("nullable") else [])

    def files(self, field, ending):
        return [os.path.join(folder, field["stored"] + ending) for folder in self.fragments]

    # ---- stages ------------------------------------------------------------

    def opening(self, times=1):
        """Listing six folders, and reading the schema and the end of each fragment's metadata."""
        self.add("list", 6 * times)
        self.add("list a name", 2 * len(self.fragments) * times)
        self.add("open", (1 + len(self.fragments)) * times)

    def decoding(self, field, share, is_placed, kept=1.0):
        """Reading a share of a field's chunks and undoing their filters. `is_placed`: into places of a result, not where it lies;
        `kept`: the share of what is decoded that belongs there."""
        for ending, filters in self.parts(field):
            files = self.files(field, ending)
            self.add("open", len(files))
            stored = int(sum(map(os.path.getsize, files)) * share)
            plain = int(sum(map(plain_size, files)) * share)
            if not filters and stored < plain:
                raise SystemExit("%s has filters that its description lacks" % files[0])
            filters = names(filters) + (["aes"] if self.workload["array"] == "c_aes" else [])
            if not filters and not is_placed:
                self.add("read into result", stored)
                continue
            self.add("read into cache", stored)
            for filter in reversed(filters):
                self.undo(filter, filters, plain, files[0])
            # A loop writes where it is told; what a compressor leaves in the cache is copied.
            if is_placed or filters[0] in COMPRESSORS + ("aes",):
                self.add("place", int(plain * kept))

    def undo(self, filter, filters, plain, file):
        if filter in COMPRESSORS:
            name = "decode:" + self.job(filter, filters, file)
            self.add(name, plain)
        elif filter == "dictionary":
            # Word by word; where each begins is not stored, and made.
            self.add("text", self.spec["dims"][0]["domain"][1] + 1)
        elif filter != "bit_width_reduction" or len(filters) == 1:
            # Behind another loop it is part of that.
            for loop in LOOPS[filter]:
                self.add(loop, plain)

    def job(self, codec, filters, file):
        """The stored file whose pieces are decoded and encoded to find the rates."""
        name = "%s/%s" % (self.workload["array"], os.path.basename(file))
        if filters[-1] != codec:
            raise SystemExit("%s: a compressor that is not last" % name)
        level = next((level for filter, level in self.levels if filter == codec), -1)
        self.jobs.setdefault(name, {"file": file, "codec": codec, "level": level})
        return name

    @property
    def levels(self):
        for field in self.fields:
            for filter in field["filters"]:
                if isinstance(filter, tuple):
                    yield filter[0], filter[1].get("level", -1)

    def encoding(self, field, scale, is_gathered):
        """Applying the filters to a field of a write and writing it; `scale`: its size beside that of the array."""
        for ending, filters in self.parts(field):
            files = self.files(field, ending)
            stored, plain = (int(sum(map(size, files)) * scale) for size in (os.path.getsize, plain_size))
            filters = names(filters)
            if is_gathered:
                self.add("gather", plain // 8)
            elif self.is_grid:
                self.add("copy", plain)
            # The statistics of the tile.
            self.add("compare in cache", plain)
            for filter in filters:
                if filter in COMPRESSORS:
                    self.add("encode:" + self.job(filter, filters, files[0]), plain)
                else:
                    for loop in LOOPS[filter]:
                        self.add(loop, plain)
            self.add("write", stored)
            self.add("create", 1)

    # ---- workloads ---------------------------------------------------------

    def read(self):
        workload = self.workload
        boxes = workload["boxes"]
        self.opening(workload["times"])
        condition = [self.field(workload["where"][0])] if workload["where"] else []
        fields = [self.field(name) for name in workload["fields"]]
        share = sum(self.share(box) for box in boxes) * workload["times"]
        sorts = workload.get("sorts")
        self.add("seek", self.places * workload["times"] * len(fields))
        kept = sum(self.kept_of(box) for box in boxes) * workload["times"] / share
        for field in fields + [one for one in condition if one not in fields]:
            self.decoding(field, share, self.is_grid, kept if field in fields else 0.0)
        for field in condition:
            self.add("compare", self.plain(field))
        if sorts:
            cells = self.plain(fields[0]) // capi.size_of(fields[0]["type"])
            self.add("sort", cells)
            self.add("gather", cells * len(fields))
        if workload["array"] == "s_del":
            self.add("compare in cache", DELETES * self.plain(self.field("a")))

    def kept_of(self, box):
        """The share of all cells that a box has in its result."""
        share = 0.01 if self.workload["where"] and self.spec["kind"] == "sparse" else 1.0
        for dim in self.spec["dims"]:
            if dim["type"] == "string_ascii":
                share *= self.share(box)
            elif dim["name"] in box:
                share *= sum(high - low + 1 for low, high in box[dim["name"]]) / (dim["domain"][1] - dim["domain"][0] + 1)
        return share

    def plain(self, field):
        return sum(map(plain_size, self.files(field, ".tdb")))

    def share(self, box):
        """The share of an array's bytes in chunks that meet a box."""
        if not box:
            return 1.0
        if self.is_grid:
            return self.share_of_grid(box)
        if self.spec["dims"][0]["type"] == "string_ascii":
            return 0.05
        return self.share_of_tiles(box)

    def share_of_grid(self, box):
        size = capi.size_of(self.spec["attrs"][0]["type"])
        (height, width), total, met = [dim["extent"] for dim in self.spec["dims"]], 1, 0
        for dim in self.spec["dims"]:
            total *= dim["domain"][1] + 1
        (top, bottom), (left, right) = box["y"][0], box["x"][0]
        across = right // width - left // width + 1
        # Without filters bytes are read, else whole chunks.
        grain = CHUNK if self.spec["attrs"][0]["filters"] else 1
        for tile in range(top // height, bottom // height + 1):
            low, high = max(top - tile * height, 0), min(bottom - tile * height, height - 1)
            first, end = low * width * size // grain * grain, -(-(high + 1) * width * size // grain) * grain
            self.places += across
            met += across * min(end - first, height * width * size - first)
        return met / (total * size)

    def share_of_tiles(self, box):
        """By the boxes around the cells of tiles, which TileDB tells."""
        found = [self.meets(box, mbr) for mbr in self.mbrs()]
        self.places += sum(found)
        return sum(found) / len(found)

    def meets(self, box, mbr):
        for dim, (low, high) in zip(self.spec["dims"], mbr):
            if dim["name"] in box and not any(first <= high and low <= last for first, last in box[dim["name"]]):
                return False
        return True

    def mbrs(self):
        if not hasattr(self, "known"):
            lib = capi.Library(self.library, settings(self.workload["array"]))
            info = lib.new("tiledb_fragment_info_alloc", self.path.encode())
            lib.call("tiledb_fragment_info_load", info)
            self.known = []
            for fragment in range(len(self.fragments)):
                for tile in range(lib.get("tiledb_fragment_info_get_mbr_num", c_uint64, info, c_uint32(fragment))):
                    self.known.append([self.interval(lib, info, fragment, tile, at) for at in range(len(self.spec["dims"]))])
        return self.known

    def interval(self, lib, info, fragment, tile, dimension):
        room = create_string_buffer(16)
        lib.call("tiledb_fragment_info_get_mbr_from_index", info, c_uint32(fragment), c_uint32(tile), c_uint32(dimension), room)
        return struct.unpack("<qq", room.raw)

    def write(self, size):
        order = self.workload["order"]
        written = {"points": "written", "points_sorted": "written"}.get(self.workload["cells"])
        read = {"s_hil": "hilbert"}.get(self.workload["array"], "sparse")
        scale = size[written] / size[read] if written else 1.0
        is_gathered = self.spec["kind"] == "sparse" and order == "any"
        fields = self.fields if self.spec["kind"] == "sparse" else self.fields[len(self.spec["dims"]) :]
        if is_gathered:
            cells = size["keys"] if self.workload["cells"] == "names" else size["written"]
            self.add("sort", cells)
        for field in fields:
            self.encoding(field, scale, is_gathered)

    def consolidate(self):
        if self.is_grid:
            # Whole tiles are copied as they are stored.
            self.opening()
            for folder in self.fragments:
                for name in os.listdir(folder):
                    self.add("open", 1)
                    self.add("read into cache", os.path.getsize(os.path.join(folder, name)))
                    self.add("write", os.path.getsize(os.path.join(folder, name)))
            # The same files, once, and what commits them.
            self.add("create", len(os.listdir(self.fragments[0])) + 1)
            return
        self.opening()
        for field in self.fields:
            self.decoding(field, 1.0, False)
        cells = self.plain(self.fields[0]) // capi.size_of(self.fields[0]["type"])
        self.add("sort", cells)
        for field in self.fields:
            self.encoding(field, 1.0, True)

    def aggregate(self):
        self.opening(1 if self.workload["each"] else self.workload["times"])
        for box in self.workload["boxes"]:
            if box:
                # A tile at either end is not covered.
                extent, field = self.spec["dims"][0]["extent"], self.field("a")
                self.decoding(field, 2 * extent * capi.size_of(field["type"]) / self.plain(field), False)

    def memory(self):
        """Bytes that a read may hold besides its result: two tiles of each field, and opened metadata."""
        cells = 1
        for dim in self.spec["dims"]:
            cells *= dim.get("extent", 1)
        cells = cells if self.spec["kind"] == "dense" else self.spec["capacity"]
        fields = [self.field(name) for name in self.workload["fields"]]
        # Of text twelve bytes, and where it begins.
        tile = sum(cells * (20 if len(self.parts(f)) > 1 else capi.size_of(f["type"])) for f in fields)
        metadata = sum(os.path.getsize(os.path.join(folder, "__fragment_metadata.tdb")) for folder in self.fragments)
        return {"tiles": 2 * tile, "metadata": metadata}


def names(filters):
    return [filter[0] if isinstance(filter, tuple) else filter for filter in filters]


def plain_size(path):
    """Bytes of a stored file before its filters, by the headers of its chunks."""
    total, size = 0, os.path.getsize(path)
    with open(path, "rb") as file:
        while file.tell() < size:
            for _ in range(struct.unpack("<Q", file.read(8))[0]):
                plain, data, metadata = struct.unpack("<III", file.read(12))
                total += plain
                file.seek(data + metadata, 1)
    return total


def limits(workload, specs, size, path_of, library):
    """{"stages": [[rate, amount], ..], "jobs": what rates to measure on stored data, "memory": what a read may hold}."""
    if workload["family"] == "growth":
        return {"stages": [], "jobs": [], "memory": {}}
    limit = Limit(workload, specs[workload["array"]], path_of(workload["array"]), library)
    kind = workload["kind"]
    if kind == "read":
        limit.read()
    elif kind == "write":
        limit.write(size)
    elif kind == "consolidate":
        limit.consolidate()
    elif kind == "aggregate":
        limit.aggregate()
    elif kind == "schema":
        limit.add("open", workload["times"])
        limit.add("list", workload["times"])
    else:
        limit.opening(workload["times"])
        if kind == "metadata":
            limit.add("list", workload["times"])
            limit.add("open", workload["times"])
            limit.add("name", KEYS * workload["times"])
    jobs = []
    for name, job in limit.jobs.items():
        told = [rate for rate, _ in limit.stages]
        wanted = {verb: "%s:%s" % (verb, name) for verb in ("decode", "encode") if "%s:%s" % (verb, name) in told}
        if wanted:
            jobs.append(dict(job, **wanted))
    return {"stages": merged(limit.stages), "jobs": jobs, "memory": limit.memory()}


def merged(stages):
    total = {}
    for rate, amount in stages:
        total[rate] = total.get(rate, 0) + amount
    return [[rate, amount] for rate, amount in total.items()]
