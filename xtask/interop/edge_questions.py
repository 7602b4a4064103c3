"""What the program answers about the cells of edge_arrays."""

import json
import math

from edge_arrays import LABELLED, NAT
from edge_conditions import condition, order_key


def places(judge, array, *arguments):
    """The coordinates of the cells that a read gives, in its order."""
    lines = judge.tdb("read", array, "--attrs", "n", "--format", "jsonl", *arguments).decode().splitlines()
    return [json.loads(line)["x"] for line in lines]


def conditions(random, judge, edges, rows):
    """Reads and counts with conditions."""
    for _ in range(12):
        asked = condition(random, edges.unit)
        wanted = [place for place in sorted(rows) if asked.holds(rows[place], False)]
        judge.same(asked.text(), sorted(places(judge, edges.path, "--where", asked.text())), wanted)
        judge.same("count " + asked.text(), int(judge.tdb("count", edges.path, "--where", asked.text())), len(wanted))


def shown(name, cell):
    """A value as JSON of the program has it."""
    if cell is None:
        return None
    if name in LABELLED:
        return LABELLED[name][cell]
    if name == "s":
        return cell.decode()
    if name == "f":
        return {math.inf: "Infinity", "NaN": "NaN"}.get(cell, cell)
    return cell


def key(name, cell):
    """What groups are told apart by: zeros of either sign are one, and labels without an order go by their text."""
    if cell is None or cell == NAT:
        return None if cell is None else NAT
    if name == "f":
        return "NaN" if math.isnan(cell) else cell + 0.0
    return cell


def place_of(name, cell):
    """Where a group stands among others."""
    if name == "u" and cell is not None:
        return (0, LABELLED[name][cell])
    if cell == "NaN" and name == "f":
        return (1, 0)
    return order_key(cell)


def counts(random, judge, edges, rows):
    """Counts, least and greatest values, groups, statistics."""
    array = edges.path
    for name in ("c", "u", "n"):
        values = [row[name] for row in rows.values()]
        known = [value for value in values if value is not None]
        functions = ["count(%s)" % name, "null_count(%s)" % name]
        wanted = [len(known), len(values) - len(known)]
        if name != "u":
            functions += ["min(%s)" % name, "max(%s)" % name]
            wanted += [shown(name, end(known, default=None)) for end in (min, max)]
        told = judge.json("agg", array, ",".join(functions))[0]
        judge.same("agg of " + name, [told[function] for function in functions], wanted)
        # By itself, what is stored about tiles may tell it.
        for function, value in zip(functions, wanted):
            judge.same(function, judge.json("agg", array, function)[0][function], value)
    for name in ("c", "u", "f", "s"):
        groups = {}
        for row in rows.values():
            group = key(name, row[name])
            groups[group] = groups.get(group, 0) + 1
        ordered = sorted(groups, key=lambda group: place_of(name, group))
        told = judge.json("agg", array, "count(*)", "--by", name)
        judge.same("sizes of groups by " + name, [group["count(*)"] for group in told], [groups[group] for group in ordered])
        if name != "s":
            wanted = [shown(name, group) for group in ordered]
            judge.same("groups by " + name, [group[name] for group in told], wanted)
            told = judge.json("distinct", array, name)
            judge.same("distinct " + name, [group[name] for group in told], wanted)
    fields = ["c", "u", "n"]
    told = {field["name"]: field for field in judge.json("stats", array, "--fields", ",".join(fields))}
    for name in fields:
        known = [row[name] for row in rows.values() if row[name] is not None]
        wanted = [len(known), len(rows) - len(known), len(set(known))]
        judge.same("stats of " + name, [told[name][what] for what in ("count", "null_count", "distinct")], wanted)


def orders(random, judge, edges, rows):
    """Reads in an order by values; equal cells stay in the order of the coordinates."""
    for name in ("c", "u", "d", "f", "s", "n"):
        for descending in (False, True):
            def sort_key(place):
                rank, value = place_of(name, rows[place][name])
                if not descending or rank > 0:
                    return (rank, value)
                return (rank, Reversed(value))
            wanted = sorted(sorted(rows), key=sort_key)
            sign = "-" if descending else ""
            judge.same("sort by %s%s" % (sign, name), places(judge, edges.path, "--order", "row", "--sort=%s%s" % (sign, name)), wanted)


class Reversed:
    """A value that comes before those that are less."""

    def __init__(self, value):
        self.value = value

    def __lt__(self, other):
        return other.value < self.value

    def __eq__(self, other):
        return self.value == other.value
