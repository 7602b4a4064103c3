"""Random steps for groups, objects and files."""

from programs import values


def random_group_step(life):
    rng = life.rng
    if not life.groups or (len(life.groups) < 3 and rng.random() < 0.2):
        name = "g%d" % len(life.groups)
        if life.groups and rng.random() < 0.4:
            name = "%s/%s" % (life.groups[0], name)
        life.groups.append(name)
        return {"op": "group_create", "group": name}
    name = rng.choice(life.groups)
    kind = rng.choice(["group_change"] * 4 + ["group_show"] * 3 + ["group_meta", "walk", "walk", "ls", "move", "remove", "object_of", "group_upkeep"])
    step = {"op": kind, "group": name}
    if kind == "group_change":
        step["at"] = life.tick()
        step["changes"] = [member(life, name) for _ in range(rng.randint(1, 3))]
    elif kind == "group_meta":
        step["at"] = life.tick()
        step["changes"] = [["set", "m%s" % rng.choice("ab"), [rng.choice(["int", "str", "floats"]), rng.randint(-9, 9), values.text(rng, 4)]]]
        if rng.random() < 0.2:
            step["changes"].append(["del", "m%s" % rng.choice("ab")])
    elif kind == "group_show":
        step["at"] = rng.choice([None, None, rng.randint(0, life.clock)])
    elif kind == "walk":
        step["order"] = rng.choice(["preorder", "postorder"])
    elif kind == "move":
        step["from"], step["to"] = rng.choice(everything(life)), "m%d" % rng.randint(0, 3)
    elif kind in ("remove", "object_of"):
        step["object"] = rng.choice(everything(life) + ["nothing"]) if kind == "object_of" or rng.random() < 0.3 else "nothing"
    return step


def everything(life):
    return list(life.arrays) + life.groups


def member(life, group):
    rng = life.rng
    within = [name for name in everything(life) if name.startswith(group + "/")]
    # A group within itself is refused.
    others = [name for name in everything(life) if not (group + "/").startswith(name + "/")]
    target = rng.choice(others + within * 2 + ["nothing"])
    name = rng.choice([None, "n%d" % rng.randint(0, 3)])
    if rng.random() < 0.3:
        return ["remove", name or target]
    is_relative = rng.random() < (0.7 if target in within else 0.02)
    return ["add", target, name, is_relative]


def random_vfs_step(life):
    rng = life.rng
    names = ["f0", "f1", "folder/f2", "folder/deep/f3"]
    kind = rng.choice(["write", "write", "append", "read", "read", "size", "ls", "ls_all", "move", "copy", "remove", "dir", "is", "touch", "remove_dir", "dir_size", "move_dir", "copy_dir", "stream"])
    step = {"op": "vfs", "kind": kind, "file": rng.choice(names), "other": rng.choice(names)}
    step["bytes"] = values.text(rng, 8) * rng.choice([1, 1, 40])
    step["folder"] = rng.choice(["folder", "folder/deep", "empty", "."])
    if kind == "copy_dir" and step["folder"] == ".":
        # TileDB copies a folder into itself without end.
        step["folder"] = "folder"
    step["part"] = [rng.randint(0, 6), rng.randint(0, 12)]
    return step
