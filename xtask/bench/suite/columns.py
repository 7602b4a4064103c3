"""The cells of the arrays, from a seed."""

import numpy as np

from sizes import EXTENT


def image(rows, columns, seed=1):
    """A smooth picture with noise, of whole numbers."""
    y, x = np.arange(rows)[:, None], np.arange(columns)[None, :]
    noise = np.random.default_rng(seed).integers(0, 16, (rows, columns), dtype=np.int32)
    return np.ascontiguousarray((1000 * np.sin(x / 300) * np.cos(y / 500)).astype(np.int32) + noise)


def decimals(rows, columns):
    return np.round(image(rows, columns) / 10.0, 1)


def numbers(kind, count):
    random = np.random.default_rng(5)
    if kind == "small":
        return random.integers(0, 1000, count)
    if kind == "words":
        return random.integers(0, 50_000, count)
    if kind == "times":
        return 1_600_000_000_000 + np.arange(count) * 1000 + random.integers(-20, 21, count)
    if kind == "walk":
        return np.cumsum(random.integers(-50, 51, count))
    if kind == "rising":
        return np.cumsum(random.integers(0, 200, count))
    if kind == "runs":
        return np.repeat(random.integers(0, 1000, count // 50 + 1), 50)[:count]
    # To be scaled by a hundredth and back.
    return random.integers(-100_000, 100_000, count) * 0.01


def texts(count, vocabulary):
    """Cells of text: their bytes, and where each begins, and the end."""
    random = np.random.default_rng(11)
    lengths = random.integers(0, 24, vocabulary)
    letters = np.frombuffer(b"etaoinshrdlucmfwypvbgk ", dtype=np.uint8)
    book = letters[random.integers(0, len(letters), int(lengths.sum()))]
    begins = np.concatenate([[0], np.cumsum(lengths)[:-1]])
    return picked(book, begins, lengths, random.integers(0, vocabulary, count))


def picked(book, begins, lengths, order):
    """Words of a book one after the other."""
    sizes = lengths[order]
    offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.uint64)
    places = np.arange(int(offsets[-1])) - np.repeat(offsets[:-1].astype(np.int64), sizes) + np.repeat(begins[order], sizes)
    return {"data": book[places], "offsets": offsets}


def points(count, domain, seed, is_sorted):
    """Cells of a square, no two at one place: in global order, or in none."""
    random = np.random.default_rng(seed)
    place = np.unique(random.integers(0, domain * domain, count + count // 8))
    place = random.permutation(place)[:count]
    y, x = place // domain, place % domain
    if is_sorted:
        order = np.argsort(((y // EXTENT * (domain // EXTENT) + x // EXTENT) * EXTENT + y % EXTENT) * EXTENT + x % EXTENT)
        y, x = y[order], x[order]
    return {"y": y, "x": x, "a": np.round(random.normal(0, 100, count), 2)}


def names(count, is_sorted):
    """Cells with a text for coordinate, no two the same."""
    random = np.random.default_rng(13)
    order = np.arange(count) if is_sorted else random.permutation(count)
    book = np.char.add(np.array(["gene", "probe", "sample"])[np.arange(count) * 3 // count], np.char.mod("%07d", np.arange(count))).astype("S")
    lengths = np.char.str_len(book)
    width = book.dtype.itemsize
    return {"k": picked(book.view(np.uint8), np.arange(count) * width, lengths, order), "a": random.integers(0, 1000, count)}
