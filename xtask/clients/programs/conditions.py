"""Random conditions, in TileDB-Py's language."""

from programs import values
from programs.values import FLOATS, INTEGERS, TIMES

OPERATORS = ["==", "!=", "<", "<=", ">", ">="]


def fields(schema):
    """Fields that a condition may ask about: attributes, and dimensions of sparse arrays."""
    asked = list(schema["attrs"])
    if schema["sparse"]:
        asked += [dict(dim, nullable=False, var=dim["kind"] == "ascii", enum=None) for dim in schema["dims"]]
    return [field for field in asked if field["name"]]


def literal(rng, schema, field):
    kind = field["kind"]
    if field["enum"]:
        enum = next((enum for enum in schema["enums"] if enum["name"] == field["enum"]), None)
        if enum is not None:
            kind = enum["kind"]
            if rng.random() < 0.85:
                return shown(enum["values"][rng.randrange(len(enum["values"]))])
    value = values.random_value(rng, kind)
    if kind in INTEGERS and rng.random() < 0.04:
        value += 0.5
    if value in (values.NAT, float("inf"), float("-inf")):
        value = 3
    return shown(value)


def shown(value):
    return repr(value)


def random_test(rng, schema):
    asked = fields(schema)
    if not asked:
        return "a0 == 1"
    field = rng.choice(asked)
    name = field["name"]
    if rng.random() < 0.1:
        name = "attr(%r)" % name if field in schema["attrs"] else "dim(%r)" % name
    if field["nullable"] and rng.random() < 0.25:
        return "%s %s None" % (name, rng.choice(["==", "!="]))
    chance = rng.random()
    if chance < 0.18:
        options = [literal(rng, schema, field) for _ in range(rng.randint(1, 4))]
        return "%s %s [%s]" % (name, rng.choice(["in", "not in"]), ", ".join(options))
    if chance < 0.23 and field["kind"] in INTEGERS + FLOATS + TIMES:
        return "%s <= %s < %s" % (literal(rng, schema, field), name, literal(rng, schema, field))
    if chance < 0.3:
        return "%s %s %s" % (literal(rng, schema, field), rng.choice(OPERATORS), name)
    return "%s %s %s" % (name, rng.choice(OPERATORS), literal(rng, schema, field))


def random_condition(rng, schema, depth=0):
    chance = rng.random()
    if depth < 3 and chance < 0.35:
        joint = rng.choice([" and ", " or "])
        return "(%s)" % joint.join(random_condition(rng, schema, depth + 1) for _ in range(rng.randint(2, 3)))
    if depth < 3 and chance < 0.45:
        # TileDB-Py has no `not` of several tests.
        return "not (%s)" % random_test(rng, schema)
    return random_test(rng, schema)
