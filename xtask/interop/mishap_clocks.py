"""Writers whose clocks are off by up to a day: after each upkeep and each change of the program, TileDB reads at any moment, before
now, now and to come, what it would have read without it. What bears a time to come is neither merged nor removed, and nothing is set,
restored or deleted by it; past moments may go with merges that do not keep the times of cells.
"""

import os
import time

import numpy
import tiledb

CELLS = 8
FILL = -1
DAY = 86_400_000
# No clock is so little off: the program waits for what is less than two seconds to come.
LEAST = 60_000
UPKEEP = [
    ("consolidate", "A"), ("consolidate", "A"), ("consolidate", "A", "--purge-deleted"), ("consolidate", "A", "--no-timestamps"),
    ("consolidate", "A", "--mode", "array-meta"), ("consolidate", "A", "--mode", "commits"),
    ("consolidate", "A", "--mode", "fragment-meta"), ("consolidate", "A", "--vacuum"), ("vacuum", "A", "--grace", "0s"),
    ("clean", "A", "--grace", "0s", "--apply"), ("consolidate", "G"), ("consolidate", "G", "--vacuum"), ("vacuum", "G", "--grace", "0s"),
]


def now():
    return int(time.time() * 1000)


class State:
    """What an array and a group hold at a moment."""

    def __init__(self):
        self.cells, self.keys, self.group, self.members = {}, {}, {}, set()


class Lives:
    """An array and a group, and what happened to them, each at its time."""

    def __init__(self, judge):
        self.judge, self.random = judge, judge.random
        self.array, self.group = judge.path("a"), judge.path("g")
        self.sparse = self.random.random() < 0.5
        self.events, self.number = [], 0
        # Moments before these may have gone with a merge, of the array and of the group.
        self.whole_from, self.group_from = 0, 0
        # When what the program did was over: it bears a time shortly before.
        self.ends = set()
        dims = [tiledb.Dim("x", domain=(0, CELLS - 1), tile=3, dtype=numpy.int64)]
        attrs = [tiledb.Attr("v", dtype=numpy.int32, fill=FILL)]
        tiledb.Array.create(self.array, tiledb.ArraySchema(tiledb.Domain(*dims), attrs, sparse=self.sparse))
        tiledb.Group.create(self.group)
        for name in "pq":
            tiledb.Group.create(judge.path(name))
        for _ in range(self.random.randint(3, 9)):
            self.by_tiledb(self.off(self.random.choice([-1, 1])))

    def off(self, sign):
        """A time of a clock that is off."""
        used = {at for at, _ in self.events}
        while True:
            at = now() + sign * self.random.randint(LEAST, DAY)
            if at not in used:
                return at

    def at(self, moment):
        state = State()
        for at, change in sorted(self.events, key=lambda event: event[0]):
            if at <= moment:
                change(state)
        return state

    def moments(self):
        """The times of what happened, and just before; those that are still whole, now, and what is to come."""
        times = {moment for at, _ in self.events for moment in (at - 1, at) if moment + 1 not in self.ends} | {now()}
        return sorted(moment for moment in times if moment >= self.whole_from)

    def value(self):
        self.number += 1
        return self.number

    def box(self):
        first = self.random.randrange(CELLS)
        return first, self.random.randint(first, CELLS - 1)

    def by_tiledb(self, at):
        self.random.choice([self.write] * 4 + [self.delete] + [self.put] * 2 + [self.put_group, self.member])(at)

    def write(self, at):
        (first, last), value = self.box(), self.value()
        with tiledb.open(self.array, "w", timestamp=at) as array:
            values = numpy.full(last - first + 1, value, numpy.int32)
            if self.sparse:
                array[numpy.arange(first, last + 1)] = values
            else:
                array[first : last + 1] = values
        self.events.append((at, lambda state: state.cells.update({x: value for x in range(first, last + 1)})))

    def delete(self, at):
        if not self.sparse:
            return
        most = self.random.randint(0, self.number)
        with tiledb.open(self.array, "d", timestamp=at) as array:
            array.query(cond="v <= %d" % most).submit()
        self.events.append((at, without(most)))

    def put(self, at):
        key, value = self.random.choice("ab"), self.value()
        with tiledb.open(self.array, "w", timestamp=at) as array:
            array.meta[key] = value
        self.events.append((at, lambda state: state.keys.update({key: value})))

    def put_group(self, at):
        key, value = self.random.choice("ab"), self.value()
        with opened_group(self.group, at, "w") as group:
            group.meta[key] = value
        self.events.append((at, lambda state: state.group.update({key: value})))

    def member(self, at):
        name = self.random.choice("pq")
        if any(name in self.at(moment).members for moment in (at, now() + 2 * DAY)):
            return
        with opened_group(self.group, at, "w") as group:
            group.add(self.judge.path(name), name=name)
        self.events.append((at, lambda state: state.members.add(name)))


def without(most):
    def change(state):
        state.cells = {x: value for x, value in state.cells.items() if value > most}

    return change


def opened_group(path, at, mode):
    return tiledb.Group(path, mode, config=tiledb.Config({"sm.group.timestamp_end": str(at)}))


def run(judge):
    lives = Lives(judge)
    compared(lives, "before anything")
    for _ in range(judge.random.randint(3, 7)):
        step = judge.random.choice([kept] * 5 + [set_cells] * 2 + [restored, deleted, replaced, keyed, joined] + [written])
        step(lives)
        if judge.faults:
            return
    # What is to come is merged where that is said; a vacuum leaves what is read until then.
    if judge.random.random() < 0.5:
        last = max(at for at, _ in lives.events)
        judge.ask("consolidate", lives.array, "--at", last, "--quiet")
        judge.ask("vacuum", lives.array, "--grace", "0s", "--quiet")
        if last > now():
            lives.whole_from = last if lives.sparse else 0
            seen(lives, now(), "after a merge of what is to come")


def kept(lives):
    chosen = lives.random.choice(UPKEEP)
    names = {"A": lives.array, "G": lives.group}
    begun = now()
    if lives.judge.ask(*[names.get(one, one) for one in chosen], "--quiet"):
        # By others, past moments go at once or with the next vacuum.
        keeps = {"commits", "fragment-meta", "clean"} & set(chosen) or lives.sparse and chosen[1:] in (("A",), ("A", "--vacuum"))
        if "G" in chosen:
            lives.group_from = begun
        elif not keeps and chosen[0] != "vacuum":
            lives.whole_from = begun
        compared(lives, " ".join(chosen))


def changed(lives, change, *command):
    """A change by the program: its time is that of the command."""
    done = lives.judge.ask(*command)
    if done and done.status == 0:
        time.sleep(0.003)
        end = now()
        lives.events.append((end, change))
        lives.ends.add(end)
    compared(lives, " ".join(map(str, command[:1])))


def set_cells(lives):
    """Sets cells by a value that there is now, or that there will be."""
    values = {value for moment in lives.moments() for value in lives.at(moment).cells.values()}
    old, new = lives.random.choice(sorted(values) or [1]), lives.value()
    found = {x: new for x, value in lives.at(now()).cells.items() if value == old}
    command = ["set", lives.array, "v = %d" % old, "v=%d" % new, "--max", CELLS, "--json"]
    changed(lives, lambda state: state.cells.update(found), *command)


def restored(lives):
    """Takes the array back to a moment that is whole."""
    first = min(at for at, _ in lives.events)
    past = [moment for moment in lives.moments() if first < moment < now() - 1000]
    if not past:
        return
    moment = lives.random.choice(past)
    then = lives.at(moment)

    def change(state):
        state.cells, state.keys = dict(then.cells), dict(then.keys)

    changed(lives, change, "restore", lives.array, "--to", moment)


def deleted(lives):
    if not lives.sparse:
        return
    most = lives.random.randint(0, lives.number)
    changed(lives, without(most), "delete", lives.array, "--where", "v <= %d" % most)


def replaced(lives):
    (first, last), value = lives.box(), lives.value()
    path = lives.judge.path("rows.csv")
    with open(path, "w") as file:
        file.write("x,v\n" + "".join("%d,%d\n" % (x, value) for x in range(first, last + 1)))
    verb = lives.random.choice([("write", lives.array, path, "--replace"), ("import", path, lives.array, "--append", "--key", "x")])
    if verb[0] == "import" and not lives.sparse:
        verb = ("write", lives.array, path, "--replace")
    changed(lives, lambda state: state.cells.update({x: value for x in range(first, last + 1)}), *verb)
    os.remove(path)


def keyed(lives):
    key, value = lives.random.choice("ab"), lives.value()
    if lives.random.random() < 0.5:
        changed(lives, lambda state: state.keys.update({key: value}), "meta", "set", lives.array, key, value)
    else:
        changed(lives, lambda state: state.keys.pop(key, None), "meta", "rm", lives.array, key)


def joined(lives):
    """Takes a member out that there is now, and never where one is to come; or adds one."""
    there = lives.at(now()).members
    later = lives.at(now() + 2 * DAY).members
    name = lives.random.choice("pq")
    if name in there:
        changed(lives, lambda state: state.members.discard(name), "group", "rm", lives.group, name)
    elif name not in later:
        changed(lives, lambda state: state.members.add(name), "group", "add", lives.group, lives.judge.path(name), "--name", name)


def written(lives):
    """A write by TileDB in between, of a clock that is ahead."""
    lives.by_tiledb(lives.off(1))
    compared(lives, "a write")


def compared(lives, after):
    for moment in lives.moments():
        seen(lives, moment, "after " + after)
    done = lives.judge.ask("read", lives.array, "--format", "csv")
    if done:
        rows = [line.split(",") for line in done.out.decode().splitlines()[1:]]
        found = {int(x): int(value) for x, value in rows if int(value) != FILL}
        lives.judge.same("cells that the program reads after " + after, found, dict(sorted(lives.at(now()).cells.items())))


def seen(lives, moment, after):
    """What TileDB reads as of a moment is what happened up to then."""
    state, judge = lives.at(moment), lives.judge
    ahead = "%+d s, %s" % ((moment - now()) // 1000, after)
    with tiledb.open(lives.array, timestamp=moment) as array:
        found = array[:]
        places = found["x"].tolist() if lives.sparse else range(CELLS)
        values = found["v"] if lives.sparse or isinstance(found, dict) else found
        cells = {x: value for x, value in sorted(zip(places, values.tolist())) if value != FILL}
        judge.same("cells, %s" % ahead, cells, dict(sorted(state.cells.items())))
        judge.same("keys, %s" % ahead, dict(sorted(array.meta.items())), dict(sorted(state.keys.items())))
    if moment < lives.group_from:
        return
    with opened_group(lives.group, moment, "r") as group:
        judge.same("keys of the group, %s" % ahead, dict(sorted(group.meta.items())), dict(sorted(state.group.items())))
        judge.same("members, %s" % ahead, {one.name for one in group}, state.members)
