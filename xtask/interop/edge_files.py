"""The cells of edge_arrays in files and back."""

import json
import shutil

import pandas
import pyarrow
import pyarrow.parquet
import tiledb

from edge_arrays import LABELLED, LABELS


def codes(random, judge, edges, rows):
    """With the codes of labels, every file gives the same bytes."""
    before = repr(sorted(edges.stored().items()))
    for form in ("csv", "jsonl", "arrow", "parquet"):
        file, array = judge.path("codes." + form), judge.path("of_" + form)
        shutil.rmtree(array, ignore_errors=True)
        judge.tdb("read", edges.path, "--enum-codes", "--ticks", "-o", file)
        schema = judge.path("schema.json")
        with open(schema, "wb") as out:
            out.write(judge.tdb("schema", edges.path, "--json"))
        judge.tdb("create", array, "--schema", schema)
        judge.tdb("write", array, file, "--enum-codes", "--ticks", "-q")
        judge.same("codes through " + form, [repr(sorted(edges.stored(array).items()))], [before])


def labels(random, judge, edges, rows):
    """With labels, Parquet and Arrow give the same values, and enumerations with their order and all labels."""
    for form in ("parquet", "arrow"):
        file, array = judge.path("labels." + form), judge.path("labels_of_" + form)
        shutil.rmtree(array, ignore_errors=True)
        judge.tdb("export", edges.path, file)
        judge.tdb("import", file, array, "-q")
        told = {one["name"]: [one["ordered"], one["values"]] for one in judge.json("schema", array)["enumerations"]}
        wanted = {"levels": [True, LABELLED["c"]], "names": [False, LABELLED["u"]]}
        judge.same("enumerations through " + form, [told.get("levels"), told.get("names")], [wanted["levels"], wanted["names"]])
        below = judge.tdb("count", array, "--where", "c < 'high'")
        judge.same("ordered labels through " + form, int(below), sum(row["c"] in (0, 1) for row in rows.values()))
        lines = judge.tdb("read", array, "--order", "row", "--format", "jsonl").decode().splitlines()
        found = [json.loads(line) for line in lines]
        wanted = []
        for place in sorted(rows):
            texts = [None if rows[place][name] is None else LABELLED[name][rows[place][name]] for name in ("c", "u")]
            wanted.append([place, *texts, rows[place]["s"].decode() if fits(rows[place]["s"]) else None])
        ours = [[row["x"], row["c"], row["u"], row["s"] if isinstance(row["s"], str) else None] for row in found]
        judge.same("labels through " + form, ours, wanted)
        if form == "parquet":
            column = pyarrow.parquet.read_table(file).column("c")
            dictionary = column.chunk(0).dictionary.to_pylist() if column.num_chunks else []
            is_right = not column.type.ordered or dictionary == LABELS
            judge.same("the order that pyarrow sees", is_right, True)


def fits(text):
    """Whether bytes are text."""
    try:
        text.decode()
        return True
    except UnicodeDecodeError:
        return False


def compared(random, judge, edges, rows):
    """Fields of other types are compared by value."""
    if not edges.sparse:
        return
    other = judge.path("other")
    shutil.rmtree(other, ignore_errors=True)
    dimension = tiledb.Dim("x", domain=(0, edges.size - 1), tile=4, dtype="int64")
    kinds = {"c": "ascii", "s": "ascii", "n": random.choice(["int64", "float64", "int16"]), "f": "float32"}
    nullable = {"c", "n"}
    attributes = [tiledb.Attr(name, dtype=kind, var=kind == "ascii", nullable=name in nullable) for name, kind in kinds.items()]
    tiledb.Array.create(other, tiledb.ArraySchema(tiledb.Domain(dimension), attributes, sparse=True))
    lines = []
    wrong = random.choice(sorted(rows))
    for place, row in sorted(rows.items()):
        number = row["n"]
        if place == wrong:
            number = 77 if number is None else number + 50
        label = None if row["c"] is None else LABELS[row["c"]]
        infinite = {float("inf"): "Infinity"}
        value = "NaN" if row["f"] != row["f"] else infinite.get(row["f"], row["f"])
        lines.append(json.dumps({"x": place, "c": label, "s": row["s"].decode(), "n": number, "f": value}))
    file = judge.path("other.jsonl")
    with open(file, "w", encoding="utf-8") as out:
        out.write("\n".join(lines) + "\n")
    judge.tdb("write", other, file, "-q")
    done = judge.run("compare", edges.path, other, "--attrs", "c,s,n,f", "--json")
    told = json.loads(done.stdout)
    judge.same("compare", [told["changed"], told["added"], told["removed"]], [1, 0, 0])
    judge.same("compared as the same", told["compared_same"], len(rows) - 1)


def categories(random, judge, edges, rows):
    """Categories of pandas in an order, in several groups of rows."""
    cells = [None if row["c"] is None else LABELS[row["c"]] for _, row in sorted(rows.items())]
    frame = pandas.DataFrame({"k": range(len(cells)), "c": pandas.Categorical(cells, categories=LABELS, ordered=True)})
    file, array = judge.path("categories.parquet"), judge.path("categories")
    shutil.rmtree(array, ignore_errors=True)
    table = pyarrow.Table.from_pandas(frame, preserve_index=False)
    pyarrow.parquet.write_table(table, file, row_group_size=random.choice([2, 3, 100]))
    judge.tdb("import", file, array, "-q")
    below = int((frame["c"] < "high").sum())
    judge.same("categories of pandas", int(judge.tdb("count", array, "--where", "c < 'high'")), below)
    ordered = [cell for cell in frame.sort_values("c", kind="stable")["c"].tolist() if isinstance(cell, str)]
    lines = judge.tdb("read", array, "--no-dims", "--sort=c", "--format", "csv").decode().splitlines()[1:]
    judge.same("categories in their order", [line for line in lines if line], ordered)
