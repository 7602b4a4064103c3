"""Differences on purpose, by name, each as narrow as it can be. docs/clients.md has a table of them."""

import re


class Kind:
    """A kind of difference. After some, the arrays are not the same any more: the program ends there."""

    def __init__(self, name, fits, ends=False):
        self.name, self.fits, self.ends = name, fits, ends


KINDS = []

#: Messages that clients match: where TileDB's holds one, ours must.
MATCHED = [
    "Dense reads must have a subarray set",
    "Multi-range reads are not supported on a global order query",
    "Cannot apply an inequality operator",
    "can only be expanded",
    "DimensionLabelQuery: Failed to process",
]


def same_message(theirs, ours):
    return all(matched in ours for matched in MATCHED if matched in theirs)


def kind_of(steps, place, theirs, ours):
    for kind in KINDS:
        if kind.fits(steps, place, theirs, ours):
            return kind
    return None


__all__ = ["kind_of", "re", "same_message"]
