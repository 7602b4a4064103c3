"""Values of all datatypes: as JSON holds them, as numpy does, and as text that is the same on every run."""

import math

import numpy as np

INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
FLOATS = ["float32", "float64"]
TIMES = ["datetime64[%s]" % unit for unit in ("Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns")]
#: Texts of any length, and those of a fixed one.
TEXTS = ["U", "S", "ascii"]
FIXED_TEXTS = ["S1", "S3", "U1", "U3"]
#: Cells of several numbers.
PAIRS = ["complex64", "complex128", "i4,i4", "f8,f8,f8"]
BLOBS = ["blob"]

LETTERS = "abcz"
NAT = -(2**63)


def is_text(kind):
    return kind in TEXTS or kind in FIXED_TEXTS or kind in BLOBS


def is_number(kind):
    return kind in INTEGERS or kind in FLOATS


def bounds(kind):
    """The least and greatest value of a type of integers or times."""
    if kind in INTEGERS:
        return int(np.iinfo(kind).min), int(np.iinfo(kind).max)
    return NAT + 1, 2**63 - 1


def text(rng, most):
    return "".join(rng.choice(LETTERS) for _ in range(rng.randint(0, most)))


def random_value(rng, kind):
    """A value as JSON holds it. Small numbers are frequent, so that conditions and coordinates meet."""
    if kind == "bool":
        return rng.random() < 0.5
    if kind in INTEGERS:
        least, greatest = bounds(kind)
        if rng.random() < 0.04:
            return rng.choice([least, greatest, greatest - 1, 0])
        return max(least, rng.randint(-5, 20))
    if kind in FLOATS:
        if rng.random() < 0.06:
            return rng.choice([math.inf, -math.inf, -0.0, 0.0])
        return float(np.float32(rng.choice([rng.randint(-5, 20), rng.randint(-40, 40) / 8])))
    if kind in TIMES:
        return NAT if rng.random() < 0.03 else rng.randint(-5, 20)
    if kind in PAIRS:
        part = "int32" if kind.startswith("i4") else "float32"
        count = len(kind.split(",")) if "," in kind else 2
        return [random_value(rng, part) for _ in range(count)]
    if kind == "U":
        return text(rng, 4) + rng.choice(["", "", "", "é", "λ"])
    if kind in FIXED_TEXTS:
        width = int(kind[1:])
        return "".join(rng.choice(LETTERS) for _ in range(width))
    if kind == "blob":
        return "".join(rng.choice("\0\1a\xff") for _ in range(rng.randint(0, 4)))
    return text(rng, 4)


def random_cell(rng, attr):
    """A cell of an attribute, which has one value or any number of them."""
    kind = attr["kind"]
    if attr["var"] and not is_text(kind):
        return [random_value(rng, kind) for _ in range(rng.randint(1, 3))]
    return random_value(rng, kind)


def to_numpy(kind, values, is_var=False):
    """Returns cells as an array of numpy."""
    if is_var and not is_text(kind):
        cells = np.empty(len(values), dtype=object)
        for place, cell in enumerate(values):
            cells[place] = to_numpy(kind, cell)
        return cells
    if kind in TIMES:
        return np.array(values, dtype="int64").view(kind)
    if kind.startswith("complex"):
        return np.array([complex(*pair) for pair in values], dtype=kind)
    if kind in PAIRS:
        return np.array([tuple(pair) for pair in values], dtype=kind)
    if kind in FIXED_TEXTS:
        cells = [value.encode() if kind.startswith("S") else value for value in values]
        return np.array(cells, dtype=kind)
    if is_text(kind):
        cells = np.empty(len(values), dtype=object)
        for place, value in enumerate(values):
            cells[place] = value if kind == "U" else value.encode("latin-1")
        return cells
    return np.array(values, dtype=kind)


def scalar(kind, value):
    """Returns a value as a client passes it."""
    if kind in TIMES:
        return np.datetime64(value, kind[11:-1])
    if is_text(kind):
        return value
    return np.dtype(kind).type(value)


def shown_item(item):
    if isinstance(item, np.ndarray):
        return shown_array(item)
    if isinstance(item, (float, np.floating)):
        return "nan" if math.isnan(item) else repr(float(item))
    if isinstance(item, (np.datetime64, np.timedelta64)):
        return str(item)
    if isinstance(item, np.void):
        return repr(item.tolist())
    if isinstance(item, np.generic):
        return repr(item.item())
    if isinstance(item, memoryview):
        return repr(bytes(item))
    return repr(item)


def shown_array(array):
    """An array as JSON: its type, shape and values."""
    array = np.asarray(array)
    return [str(array.dtype), list(array.shape), [shown_item(item) for item in array.ravel()]]
