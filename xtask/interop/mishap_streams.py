"""What is cut off on its way into an array: streams and files that have an end, each cut at a random byte, or between two of its
batches. What is not whole is refused, and the array is as it was; what is whole is stored.

Lines of CSV that end early cannot be told from fewer lines, and are not asked; nor are JSON lines that are cut at the end of one.
"""

import gzip
import io
import os
import shutil

import numpy
import pyarrow
import pyarrow.ipc
import pyarrow.parquet
import tiledb

TYPES = {"i": numpy.int32, "f": numpy.float64, "s": "U0", "n": numpy.int64, "d": "datetime64[D]", "u": numpy.uint8}
WORDS = ["", "rain", "snow", "a rather long text, such as stands in remarks", "ü"]


class Source:
    """A random array, and its cells as a table."""

    def __init__(self, random, path):
        self.random, self.path = random, path
        self.sparse = random.random() < 0.6
        self.names = random.sample(sorted(TYPES), random.randint(1, 4))
        self.dims = ["x", "y"][: random.choice([1, 1, 2])]
        self.count = random.choice([3, 50, 2000, 12_000])
        self.side = self.count if len(self.dims) == 1 else max(2, int(self.count**0.5))
        self.create(path)
        self.write(path, self.cells())

    def create(self, path):
        dims = [tiledb.Dim(name, domain=(0, self.side - 1), tile=min(self.side, 100), dtype=numpy.int64) for name in self.dims]
        attrs = [tiledb.Attr(name, dtype=TYPES[name], var=name == "s", nullable=name == "n") for name in self.names]
        tiledb.Array.create(path, tiledb.ArraySchema(tiledb.Domain(*dims), attrs, sparse=self.sparse))

    def cells(self):
        random = self.random
        if not self.sparse:
            return list(range(self.side ** len(self.dims)))
        every = range(self.side ** len(self.dims))
        return sorted(random.sample(every, min(len(every), max(1, int(len(every) * random.uniform(0.3, 1))))))

    def write(self, path, cells):
        columns = {name: self.column(name, len(cells)) for name in self.names}
        with tiledb.open(path, "w") as array:
            if self.sparse:
                places = numpy.array(cells, numpy.int64)
                array[tuple(places // self.side ** (len(self.dims) - 1 - axis) % self.side for axis in range(len(self.dims)))] = columns
            else:
                shape = (self.side,) * len(self.dims)
                array[:] = {name: column.reshape(shape) for name, column in columns.items()}

    def column(self, name, count):
        random = self.random
        numbers = [random.randrange(0, 250) for _ in range(count)]
        if name == "s":
            return numpy.array([WORDS[number % len(WORDS)] for number in numbers], dtype="O")
        if name == "f":
            return numpy.array(numbers, numpy.float64) / 4
        if name == "n":
            return numpy.ma.masked_array(numpy.array(numbers, numpy.int64), [number < 40 for number in numbers])
        return numpy.array(numbers).astype(TYPES[name])


def seen(path):
    """The cells that TileDB reads, by their coordinates; None where there is no array."""
    if tiledb.object_type(path) != "array":
        return None
    with tiledb.open(path) as array:
        dims = [array.schema.domain.dim(axis).name for axis in range(array.schema.domain.ndim)]
        names = [array.schema.attr(number).name for number in range(array.schema.nattr)]
        cells = array.query(coords=True)[:]
    columns = [numpy.ma.filled(cells[name].astype(object), None).flatten().tolist() if isinstance(cells[name], numpy.ma.MaskedArray)
               else cells[name].flatten().tolist() for name in dims + names]
    rows = zip(*columns)
    return {row[: len(dims)]: dict(zip(names, row[len(dims) :])) for row in rows}


# ---- what is cut ---------------------------------------------------------------------


def whole_streams(judge, source):
    """Bytes that have an end, how they are called, and the places where they are rather cut."""
    random = judge.random
    kind = random.choice(["read", "read", "batches", "batches", "file", "parquet", "array", "gzip", "zstd", "lines", "npy"])
    if kind in ("read", "batches"):
        return stream(judge, source, kind)
    if kind == "npy":
        array = numpy.array(source.column("i", source.side ** len(source.dims)))
        out = io.BytesIO()
        numpy.save(out, array)
        return out.getvalue(), "npy", "npy", []
    table = table_of(judge, source)
    out = io.BytesIO()
    if kind == "file":
        with pyarrow.ipc.new_file(out, table.schema) as writer:
            writer.write_table(table, max_chunksize=random.choice([10, 500, 1 << 20]))
        return out.getvalue(), "arrow", "arrow", []
    if kind == "parquet":
        pyarrow.parquet.write_table(table, out, row_group_size=random.choice([10, 500, 1 << 20]))
        return out.getvalue(), "parquet", "parquet", []
    text = lines_of(judge, source)
    if kind == "array":
        text = b"[" + b",\n".join(text.splitlines()) + b"]"
        return text, "jsonl", "json", [len(text) - 1]
    if kind == "lines":
        # Not at the end of a line, and the last line is whole without its end.
        return text.rstrip(b"\n"), "jsonl", "jsonl", []
    packed = gzip.compress(text, 6) if kind == "gzip" else pyarrow.compress(text, codec="zstd", asbytes=True)
    return packed, "jsonl", "jsonl.gz" if kind == "gzip" else "jsonl.zst", [len(packed) - 8, len(packed) - 4]


def stream(judge, source, kind):
    if kind == "read":
        asked = ["--memory", "2MB"] if judge.random.random() < 0.5 else []
        bytes_ = judge.run("read", source.path, "--format", "arrow", *asked).out
    else:
        table, out = table_of(judge, source), io.BytesIO()
        with pyarrow.ipc.new_stream(out, table.schema) as writer:
            writer.write_table(table, max_chunksize=judge.random.choice([10, 500, 1 << 20]))
        bytes_ = out.getvalue()
    places, reader = [], pyarrow.BufferReader(bytes_)
    try:
        while True:
            pyarrow.ipc.read_message(reader)
            places.append(reader.tell())
    except EOFError:
        pass
    return bytes_, "arrow", "arrows", places


def table_of(judge, source):
    """The array as a table, as the program gives it."""
    path = judge.path("table.arrow")
    judge.run("read", source.path, "-o", path)
    with pyarrow.ipc.open_file(path) as file:
        table = file.read_all()
    os.remove(path)
    return table


def lines_of(judge, source):
    return judge.run("read", source.path, "--format", "jsonl").out


# ---- where it goes ---------------------------------------------------------------------


def run(judge):
    random = judge.random
    source = Source(random, judge.path("a"))
    whole, kind, ending, places = whole_streams(judge, source)
    for _ in range(4):
        into(judge, source, whole, kind, ending, places)


def into(judge, source, whole, kind, ending, places):
    random = judge.random
    end = len(whole)
    if random.random() > 0.2:
        end = random.choice([random.randrange(len(whole)), *random.sample(places, min(2, len(places)))])
        if ending == "jsonl":
            # What ends with a line is whole.
            end -= whole[end : end + 1] == b"\n"
            end -= whole[end - 1 : end] in (b"\n", b"}")
            if end <= 0:
                return
    part = judge.path("part." + ending)
    with open(part, "wb") as file:
        file.write(whole[:end])
    target = judge.path("b")
    shutil.rmtree(target, ignore_errors=True)
    verb = random.choice(["write", "replace", "append", "import"])
    if kind == "npy":
        verb = "write" if not source.sparse and source.names == ["i"] else "import"
    if not source.sparse and verb in ("replace", "append"):
        verb = "write"
    options = []
    if verb != "import":
        source.create(target)
        if random.random() < 0.7:
            source.write(target, source.cells())
        options = {"write": [], "replace": ["--replace"], "append": ["--append"]}[verb]
    elif kind != "npy":
        options = ["--dim", ",".join(source.dims)]
    before = seen(target)
    from_input = random.random() < 0.6
    named = ["--format", kind]
    file = "-" if from_input else part
    words = ["import", file, target] if verb in ("import", "append") else ["write", target, file]
    done = judge.ask(*words, *named, *options, "--quiet", stdin=part if from_input else None)
    if not done:
        return
    after = seen(target)
    what = "%d of %d bytes of %s" % (end, len(whole), ending)
    if end == len(whole):
        if done.status != 0:
            judge.fault("%s: status %d: %s" % (what, done.status, done.said))
        elif kind != "npy":
            all_of(judge, what, after, seen(source.path))
        return
    if done.status == 0:
        judge.fault("%s: taken for all, exit 0: %d cells" % (what, len(after or ())))
    elif repr(after) != repr(before):
        judge.fault("%s: refused, and the array is another than before: %s" % (what, done.said))


def all_of(judge, what, after, wanted):
    """All cells of the source have come; those of before may be there, too."""
    missing = [place for place, cell in wanted.items() if alike((after or {}).get(place)) != alike(cell)]
    if missing:
        judge.fault("%s: %d of %d cells are missing or others, the first at %s: %s" % (
            what, len(missing), len(wanted), missing[0], (after or {}).get(missing[0])))


def alike(cell):
    """The values of a cell in any of the types that files have for them."""
    return cell and {name: str(value) for name, value in cell.items()}
