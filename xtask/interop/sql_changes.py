"""Random statements that change cells, put to tdb and, over the cells that TileDB read before, to DuckDB: afterwards TileDB reads what DuckDB has.

What tdb refuses must be refused for a value that the attribute does not hold, or since coordinates do not tell duplicates apart, and change nothing.
"""

import re

# What an attribute gets, in the words of both.
VALUES = [
    ("u8", "null"), ("i32", "i16 * 2 + x"), ("i64", "-i32"), ("f64", "f64 * 2"), ("f32", "0.5"), ("t", "t || 'q'"), ("s", "'abc'"), ("t", "null"),
    ("t", "s"), ("s", "coalesce(t, 'none')"), ("b", "not b"), ("ms", "timestamp '2000-02-29 23:59:59.5'"), ("day", "date '1969-12-31'"),
    ("day", "null"), ("us", "sec"), ("sec", "timestamp '2020-01-01 12:00:00.5'"), ("u16", "abs(i16)"), ("i16", "i16 + 1"), ("u64", "x"),
    ("i64", "null"), ("u8", "(select max(u8) from TABLE)"),
]
# What a refusal may say.
REFUSALS = ["cannot be stored as", "is null, and the field is not nullable", "does not fit into an integer of 64 bits", "others have the same coordinates"]


def values(choose, questions):
    """What UPDATE sets: some attributes, each once."""
    chosen = dict(choose.choice(VALUES) for _ in range(choose.randint(1, 3)))
    if choose.random() < 0.3:
        chosen["b"] = questions.condition(1)
    if choose.random() < 0.3:
        chosen["i8"] = "case when %s then 1 else i8 end" % questions.condition(1)
    if choose.random() < 0.3:
        chosen["i32"] = questions.number(1)
    return ", ".join("%s = %s" % value for value in chosen.items())


def condition(choose, questions):
    """A condition, also of what no stored condition says."""
    pick = choose.random()
    if pick < 0.25:
        among = "i16 %sin (select i16 from TABLE where %s)" % (choose.choice(["", "not "]), questions.comparison())
        among = "not (%s)" % among if choose.random() < 0.4 else among
        return among if choose.random() < 0.3 else "(%s) %s %s" % (among, choose.choice(["and", "or"]), questions.comparison())
    if pick < 0.35:
        text = choose.choice(["upper(t) like 'A%'", "length(s) > 2", "t || s <> 'aa'", "isnan(f64)"])
        return "%s %s %s" % (text, choose.choice(["and", "or"]), questions.condition(1))
    return questions.condition()


def statement(choose, questions, kind):
    where = condition(choose, questions)
    if kind == "duplicates" or (kind == "sparse" and choose.random() < 0.35):
        return "delete from TABLE where " + where, where
    return "update TABLE set %s where %s" % (values(choose, questions), where), where


def cells(database, table):
    return sorted(database.execute("select columns(*)::varchar from %s" % table).fetchall(), key=repr)


def change(choose, questions, database, table, run):
    """One statement; gives "equal" with the number of cells, "refused" with the cause, or "DIFFERENT" with what was asked."""
    asked, where = statement(choose, questions, table.kind)
    name = table.name
    try:
        found = database.execute("select count(*) from %s where %s" % (name, where.replace("TABLE", name))).fetchone()[0]
    except Exception as error:
        return "not asked", str(error).split("\n")[0]
    status, said = run(asked.replace("TABLE", "'%s'" % table.uri))
    if status:
        if not any(refusal in said for refusal in REFUSALS):
            return "DIFFERENT", "%s\n  refused: %s" % (asked, said)
    else:
        database.execute(asked.replace("TABLE", name))
        told = re.match(r"([0-9,]+) cells? (changed|deleted)", said)
        if not told or int(told.group(1).replace(",", "")) != found:
            return "DIFFERENT", "%s\n  tdb says %r, DuckDB finds %d" % (asked, said, found)
    wanted, left = cells(database, name), []
    if wanted:
        table.name = "after"
        table.hand_over(database)
        left = cells(database, "after")
        database.execute("drop table after")
        table.name = name
    if left != wanted:
        pairs = [pair for pair in zip(left, wanted) if pair[0] != pair[1]][:1]
        return "DIFFERENT", "%s\n  TileDB reads %d cells, DuckDB has %d: %s" % (asked, len(left), len(wanted), pairs)
    return ("refused", said) if status else ("equal", found)
