"""Random conditions on the cells of edge_arrays, as text and as what they mean: null passes nothing but `is null`, and NaN and NaT
nothing but `!=` and `not in`."""

import datetime
import math

from edge_arrays import DAYS, LABELLED, LABELS, NAT

OPPOSITE = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "=": "!=", "!=": "=", "in": "not in", "not in": "in", "is": "is not", "is not": "is"}
EPOCH = datetime.date(1970, 1, 1)


class Test:
    """A test of a field; `values` are as edge_arrays has them, None for a label that is not there."""

    def __init__(self, name, op, values, texts):
        self.name, self.op, self.values, self.texts = name, op, values, texts

    def text(self):
        if self.op in ("is", "is not"):
            return "%s %s null" % (self.name, self.op)
        values = "(%s)" % ", ".join(self.texts) if self.op.endswith("in") else self.texts[0]
        return "%s %s %s" % (self.name, self.op, values)

    def holds(self, row, negated):
        op, cell = OPPOSITE[self.op] if negated else self.op, row[self.name]
        if op in ("is", "is not"):
            return (cell is None) == (op == "is")
        if cell is None:
            return False
        if op in ("=", "in"):
            return any(same(cell, value) for value in self.values)
        if op in ("!=", "not in"):
            return not any(same(cell, value) for value in self.values)
        value = self.values[0]
        if cell == NAT or value is None:
            return False
        return {"<": cell < value, "<=": cell <= value, ">": cell > value, ">=": cell >= value}[op]

    def fields(self):
        return {self.name}


class Joined:
    """Two conditions joined, or the opposite of one."""

    def __init__(self, joint, parts):
        self.joint, self.parts = joint, parts

    def text(self):
        if self.joint == "not":
            return "not (%s)" % self.parts[0].text()
        return (" %s " % self.joint).join("(%s)" % part.text() for part in self.parts)

    def holds(self, row, negated):
        if self.joint == "not":
            return self.parts[0].holds(row, not negated)
        both = (self.joint == "and") != negated
        return (all if both else any)(part.holds(row, negated) for part in self.parts)

    def fields(self):
        return set().union(*(part.fields() for part in self.parts))


def same(cell, value):
    """Nothing equals NaN, NaT, or a label that is not there."""
    if value is None or cell == NAT:
        return False
    return cell == value


def value(random, name, unit):
    """A value of a field, and how a condition writes it."""
    if name in LABELLED:
        labels = LABELLED[name]
        place = random.randrange(len(labels) + (random.random() < 0.15))
        return (place, "'%s'" % labels[place]) if place < len(labels) else (None, "'none'")
    if name == "d":
        tick = random.randrange(-1, DAYS + 1)
        if unit == "D" and random.random() < 0.5:
            return tick, "date '%s'" % (EPOCH + datetime.timedelta(days=tick))
        return tick, str(tick)
    if name == "f":
        number = random.choice([0.0, -0.0, 1.5, 0.25, -2.0])
        return number, repr(number)
    if name == "s":
        text = random.choice([b"", b"a", b"ab", b"abc", b"b"])
        return text, "'%s'" % text.decode()
    number = random.randrange(-2, 3)
    return number, str(number)


def test(random, unit):
    name = random.choice(["c", "c", "u", "d", "d", "f", "s", "n"])
    orders = [] if name == "u" else ["<", "<=", ">", ">="]
    op = random.choice([*orders, "=", "!=", "in", "not in", "is", "is not"])
    count = random.randint(1, 3) if op.endswith("in") else 1
    pairs = [value(random, name, unit) for _ in range(count)]
    # An order has no place for what is no label.
    if op in ("<", "<=", ">", ">=") and pairs[0][0] is None:
        pairs = [(1, "'%s'" % LABELS[1])]
    return Test(name, op, [pair[0] for pair in pairs], [pair[1] for pair in pairs])


def condition(random, unit, depth=2):
    if depth == 0 or random.random() < 0.4:
        return test(random, unit)
    joint = random.choice(["and", "or", "not"])
    return Joined(joint, [condition(random, unit, depth - 1) for _ in range(1 if joint == "not" else 2)])


def order_key(cell):
    """Values first, then what is no number, null last."""
    if cell is None:
        return (2, 0)
    if cell == NAT or (isinstance(cell, float) and math.isnan(cell)):
        return (1, 0)
    return (0, cell)
