"""Random programs: lists of steps, as JSON. Nothing is run here, so that both libraries get the same steps, and steps
can be left out."""

import random

from programs import conditions, schemas, values
from programs.generating_groups import random_group_step, random_vfs_step
from programs.values import FLOATS, INTEGERS, bounds


class Life:
    """What the program has made so far, as far as the steps that follow need it."""

    def __init__(self, rng):
        self.rng = rng
        self.arrays = {}
        self.clock = 10
        self.groups = []
        self.files = []

    def tick(self):
        self.clock += 10
        return self.clock


def random_program(seed, number):
    rng = random.Random("%s/%s" % (seed, number))
    life = Life(rng)
    steps = [create(life)]
    name = steps[0]["array"]
    for _ in range(rng.randint(1, 3)):
        steps.append(write(life, name))
    for _ in range(rng.randint(6, 22)):
        steps.append(random_step(life))
    steps.append({"op": "schema", "array": name, "at": None})
    steps.append({"op": "read", "array": name, "at": None, "how": "index", "sel": [":"], "query": None, "config": {}})
    return steps


def random_step(life):
    rng = life.rng
    chance = rng.random()
    if chance < 0.04 and len(life.arrays) < 3:
        return create(life)
    if chance < 0.12:
        return random_group_step(life)
    if chance < 0.15:
        return random_vfs_step(life)
    name = rng.choice(list(life.arrays))
    choices = [(read, 40), (aggregate, 9), (write, 16), (delete, 5), (metadata, 6), (evolve, 5), (upkeep, 8), (ask, 7), (low_level_read, 8)]
    step = rng.choices([each for each, _ in choices], [weight for _, weight in choices])[0]
    return step(life, name)


def create(life):
    name = "a%d" % len(life.arrays)
    if life.groups and life.rng.random() < 0.6:
        name = "%s/%s" % (life.rng.choice(life.groups), name)
    schema = schemas.random_schema(life.rng)
    life.arrays[name] = schema
    return {"op": "create", "array": name, "schema": schema}


def random_coordinate(rng, dim, schema):
    if dim["kind"] == "ascii":
        return values.random_value(rng, "ascii")
    low, high = dim["domain"]
    if rng.random() < 0.01:
        high += 1
    if dim["kind"] in FLOATS:
        return rng.choice([float(rng.randint(int(low), int(high))), round(rng.uniform(low, high) * 4) / 4])
    if rng.random() < 0.05:
        return rng.choice([low, high])
    return rng.randint(low, min(high, low + 30))


def write(life, name):
    rng, schema = life.rng, life.arrays[name]
    step = {"op": "write", "array": name, "at": life.tick(), "cells": {}, "nulls": {}}
    if schema["sparse"]:
        count = rng.choice([0, 1, 2, 3, 5, 8, 12, 20])
        cells = [tuple(random_coordinate(rng, dim, schema) for dim in schema["dims"]) for _ in range(count)]
        if not schema["duplicates"] and rng.random() < 0.98:
            cells = list(dict.fromkeys(cells))
        count = len(cells)
        step["coords"] = [[cell[place] for cell in cells] for place in range(len(schema["dims"]))]
        step["order"] = rng.choice(["item"] * 4 + ["unordered"] * 2 + ["global"])
    else:
        step["box"] = random_box(rng, schema)
        count = 1
        for low, high in step["box"]:
            count *= high - low + 1
        if count > 120:
            step["box"] = [[low, low] for low, _ in step["box"]]
            count = 1
        step["order"] = rng.choice(["item"] * 3 + ["row", "col", "row", "col", "global"])
        if step["order"] == "global" and rng.random() < 0.95 and not all(map(is_of_tiles, schema["dims"], step["box"])):
            step["order"] = "row"
        for label in schema["labels"]:
            low, high = step["box"][label["dim"]]
            step.setdefault("labels", {})[label["name"]] = random_labels(rng, label, high - low + 1)
    for attr in schema["attrs"]:
        step["cells"][attr["name"]] = [cell_of(rng, schema, attr) for _ in range(count)]
        if attr["nullable"]:
            step["nulls"][attr["name"]] = [int(rng.random() < 0.8) for _ in range(count)]
    return step


def is_of_tiles(dim, ends):
    """Whether a range is of whole tiles, which TileDB wants of dense writes in global order."""
    first, tile = dim["domain"][0], dim["tile"]
    return (ends[0] - first) % tile == 0 and (ends[1] - first + 1) % tile == 0


def random_labels(rng, label, count):
    kind = label["kind"]
    if kind == "ascii":
        made = sorted({"%s%d" % (rng.choice("abc"), place) for place in range(count)})
        made = [value for value in made]
    else:
        made = sorted(rng.sample(range(0, 60), count)) if count <= 60 else list(range(count))
    if label["order"] == "decreasing":
        made.reverse()
    return made


def cell_of(rng, schema, attr):
    if attr["enum"]:
        count = next((len(enum["values"]) for enum in schema["enums"] if enum["name"] == attr["enum"]), 1)
        return rng.randrange(count)
    return values.random_cell(rng, attr)


def random_box(rng, schema):
    box = []
    for place, dim in enumerate(schema["dims"]):
        low, high = schema["current"][place] if schema["current"] and rng.random() < 0.9 else dim["domain"]
        if rng.random() < 0.4:
            box.append([low, high])
            continue
        first = rng.randint(low, high)
        box.append([first, rng.randint(first, high)])
    return box


def moment(life):
    """As of which time to read: now, mostly."""
    rng = life.rng
    chance = rng.random()
    if chance < 0.75:
        return None
    first, last = sorted(rng.randint(0, life.clock + 10) for _ in range(2))
    return last if chance < 0.9 else [first, last]


CONFIGS = [
    {"py.init_buffer_bytes": "64"},
    {"py.init_buffer_bytes": "16"},
    {"py.init_buffer_bytes": "200"},
    {"sm.merge_overlapping_ranges_experimental": "false"},
    {"sm.query.sparse_unordered_with_dups.reader": "legacy", "sm.query.sparse_global_order.reader": "legacy"},
    {"sm.mem.total_budget": "5000000"},
    {"sm.var_offsets.extra_element": "true"},
    {"sm.consolidation.buffer_size": "100"},
]


def random_config(rng):
    return rng.choice(CONFIGS) if rng.random() < 0.25 else {}


def read(life, name):
    rng, schema = life.rng, life.arrays[name]
    step = {"op": "read", "array": name, "at": moment(life), "config": random_config(rng)}
    step["how"] = rng.choice(["index", "index", "multi", "multi", "multi", "df", "df"])
    if schema["labels"] and rng.random() < 0.3:
        step["how"] = "label"
    if rng.random() < 0.1:
        step["how"] = "subarray"
    step["sel"] = selection(rng, schema, step["how"])
    step["query"] = random_query(rng, schema, step["how"]) if rng.random() < 0.6 else None
    return step


def selection(rng, schema, how):
    if rng.random() < 0.2 and how != "label":
        return [":"] * rng.choice([1, len(schema["dims"])])
    sel = []
    for dim in schema["dims"]:
        if how == "label" and dim is schema["dims"][schema["labels"][0]["dim"]]:
            sel.append(label_ranges(rng, schema["labels"][0]))
        else:
            sel.append(ranges_of(rng, dim, how))
    return sel if how in ("label", "subarray") or rng.random() < 0.9 else sel[: rng.randint(1, len(sel))]


def label_ranges(rng, label):
    if label["kind"] == "ascii":
        ends = sorted("%s%d" % (rng.choice("abc"), rng.randint(0, 4)) for _ in range(2))
    else:
        ends = sorted(rng.randint(0, 60) for _ in range(2))
    return {"s": ends}


def ranges_of(rng, dim, how):
    if rng.random() < 0.25:
        return ":"
    if how == "index":
        chance = rng.random()
        if chance < 0.3:
            return {"v": a_coordinate(rng, dim)}
        return {"s": ends_of(rng, dim)}
    if how == "subarray":
        return {"l": [{"s": ends_of(rng, dim)} for _ in range(rng.choice([1, 1, 2]))]}
    chance = rng.random()
    if chance < 0.45:
        return {"s": ends_of(rng, dim)}
    if chance < 0.6:
        return {"v": a_coordinate(rng, dim)}
    parts = [{"v": a_coordinate(rng, dim)} if rng.random() < 0.6 else {"s": ends_of(rng, dim)} for _ in range(rng.randint(1, 3))]
    return {"l": parts}


def a_coordinate(rng, dim):
    if dim["kind"] == "ascii":
        return values.text(rng, 3)
    low, high = dim["domain"]
    if rng.random() < 0.02:
        high += 2
    if dim["kind"] in FLOATS:
        return float(rng.randint(int(low), int(high)))
    return rng.randint(low, min(high, low + 30))


def ends_of(rng, dim):
    ends = sorted(a_coordinate(rng, dim) for _ in range(2))
    if rng.random() < 0.08:
        ends[rng.randrange(2)] = None
    if rng.random() < 0.01:
        ends.reverse()
    return ends


def random_query(rng, schema, how):
    query = {}
    names = [attr["name"] for attr in schema["attrs"]]
    if rng.random() < 0.4:
        query["attrs"] = rng.sample(names, rng.randint(1 if rng.random() < 0.9 else 0, len(names)))
    if rng.random() < 0.25:
        dims = [dim["name"] for dim in schema["dims"]]
        query["dims"] = rng.sample(dims, rng.randint(1, len(dims)))
    elif rng.random() < 0.3:
        query["coords"] = rng.random() < 0.7
    if rng.random() < 0.55:
        query["cond"] = conditions.random_condition(rng, schema)
    if rng.random() < 0.5:
        query["order"] = rng.choice("CFGU")
    if how in ("df", "multi"):
        if rng.random() < 0.4:
            query["use_arrow"] = rng.random() < 0.5
        if how == "df" and rng.random() < 0.15:
            query["return_arrow"] = True
        if rng.random() < 0.2:
            query["return_incomplete"] = True
    return query


def aggregate(life, name):
    rng, schema = life.rng, life.arrays[name]
    attr = rng.choice(schema["attrs"])
    asked = rng.sample(["sum", "min", "max", "mean", "count", "null_count"], rng.randint(1, 4))
    how = rng.choice(["index", "multi"])
    step = {"op": "aggregate", "array": name, "at": moment(life), "attr": attr["name"], "asked": asked, "how": how, "sel": selection(rng, schema, how)}
    step["query"] = {}
    if rng.random() < 0.5:
        step["query"]["cond"] = conditions.random_condition(rng, schema)
    if rng.random() < 0.6:
        step["query"]["order"] = rng.choice("CFGU")
    step["config"] = random_config(rng)
    return step


def low_level_read(life, name):
    """A read through the module below TileDB-Py's own, with small buffers and each part of an incomplete one."""
    rng, schema = life.rng, life.arrays[name]
    names = [attr["name"] for attr in schema["attrs"]]
    chosen = rng.sample(names, rng.randint(1, len(names)))
    sel = [ranges_of(rng, dim, "subarray") for dim in schema["dims"]]
    return {"op": "low_read", "array": name, "at": moment(life), "attrs": chosen, "sel": sel, "order": rng.choice("CFGU"), "cells": rng.choice([1, 3, 7, 50, 2000]), "config": {}}


def delete(life, name):
    rng, schema = life.rng, life.arrays[name]
    return {"op": "delete", "array": name, "at": life.tick(), "cond": conditions.random_condition(rng, schema)}


def random_meta_value(rng):
    kind = rng.choice(["int", "float", "str", "bytes", "list", "array", "empty", "mixed", "bool", "floats"])
    return [kind, rng.randint(-9, 9), values.text(rng, 4)]


def metadata(life, name):
    rng = life.rng
    changes = []
    for _ in range(rng.randint(1, 4)):
        key = "k%s" % rng.choice("abcdé")
        changes.append(["del", key] if rng.random() < 0.25 else ["set", key, random_meta_value(rng)])
    return {"op": "metadata", "array": name, "at": life.tick(), "changes": changes}


def evolve(life, name):
    rng, schema = life.rng, life.arrays[name]
    step = {"op": "evolve", "array": name, "at": life.tick(), "changes": []}
    chance = rng.random()
    if chance < 0.4:
        attr = schemas.random_attribute(rng, "b%d" % rng.randint(0, 3), schema["enums"])
        step["changes"].append(["add", attr])
        if all(each["name"] != attr["name"] for each in schema["attrs"]):
            schema["attrs"] = schema["attrs"] + [attr]
    elif chance < 0.6:
        attr = rng.choice(schema["attrs"])
        step["changes"].append(["drop", attr["name"]])
        if len(schema["attrs"]) > 1:
            schema["attrs"] = [each for each in schema["attrs"] if each is not attr]
    elif chance < 0.8 and schema["enums"]:
        enum = rng.choice(schema["enums"])
        more = [value for value in (values.random_value(rng, enum["kind"]) for _ in range(3)) if value not in enum["values"]]
        more = list(dict.fromkeys(more))
        step["changes"].append(["extend", enum["name"], enum["kind"], more])
        longer = dict(enum, values=enum["values"] + more)
        schema["enums"] = [longer if each is enum else each for each in schema["enums"]]
    elif chance < 0.9:
        enum = schemas.random_enumeration(rng, "e%d" % rng.randint(0, 3))
        step["changes"].append(["enum", enum])
        if all(each["name"] != enum["name"] for each in schema["enums"]):
            schema["enums"] = schema["enums"] + [enum]
    elif schema["current"]:
        box = []
        for dim, (low, high) in zip(schema["dims"], schema["current"]):
            first, last = dim["domain"]
            box.append([rng.randint(first, low), rng.randint(high, last)] if rng.random() < 0.9 else schemas.random_part(rng, dim))
        step["changes"].append(["current", schema["dims"], box])
        schema["current"] = box
    else:
        step["changes"].append(["drop_enum", "e%d" % rng.randint(0, 2)])
    return step


def upkeep(life, name):
    rng = life.rng
    kind = rng.choice(["consolidate", "consolidate", "consolidate", "vacuum", "delete_fragments", "upgrade"])
    step = {"op": kind, "array": name, "config": {}}
    if kind == "delete_fragments":
        step["times"] = sorted(rng.randint(0, life.clock) for _ in range(2))
    elif kind != "upgrade":
        mode = rng.choice(["fragments"] * 4 + ["fragment_meta", "commits", "array_meta"])
        step["config"]["sm.%s.mode" % ("consolidation" if kind == "consolidate" else "vacuum")] = mode
        if kind == "consolidate" and mode == "fragments":
            if rng.random() < 0.3:
                step["times"] = sorted(rng.randint(0, life.clock) for _ in range(2))
            if rng.random() < 0.2:
                step["config"].update({"sm.consolidation.steps": "1", "sm.consolidation.step_min_frags": "2", "sm.consolidation.step_max_frags": "3"})
            if rng.random() < 0.2:
                step["config"]["sm.consolidation.purge_deleted_cells"] = "true"
            if rng.random() < 0.2:
                step["which"] = sorted(rng.sample(range(4), 2))
    return step


def ask(life, name):
    rng = life.rng
    what = rng.choice(["schema", "fragments", "mbrs", "domain", "enums", "object", "unique", "estimate", "meta", "files", "plan"])
    return {"op": what, "array": name, "at": moment(life), "sel": selection(rng, life.arrays[name], "multi")}
