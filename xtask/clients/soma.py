"""Experiments of tiledbsoma: `soma.py make FOLDER` makes them from AnnData, appends, resizes, queries, updates, deletes
and exports them, and prints what each step gives; `soma.py read FOLDER` prints all that is stored in a folder. What is
printed depends on the library below alone: `cargo xtask clients` compares TileDB's with tdb's, and what each reads of the
other's folder."""

import contextlib
import hashlib
import io
import os
import sys
import warnings

warnings.simplefilter("ignore")

import anndata
import numpy as np
import pandas as pd
import pyarrow as pa
import scipy.sparse as sp
import tiledbsoma
import tiledbsoma.io
from tiledbsoma.io.update_uns import update_uns_by_uri

FOLDER = os.path.abspath(sys.argv[2])
# What a writer stamps on its objects, and what a program sees of the machine.
UNSTABLE = ("soma_encoding_version",)


class Plain(str):
    """A text that is printed as it is."""


def stable(text):
    """Leaves out of a text where the folder is."""
    return text.replace("file://" + FOLDER, "FOLDER").replace(FOLDER, "FOLDER")


def plain(value):
    """Returns a value as a text in which equal values, and only those, are equal."""
    if isinstance(value, Plain):
        return stable(value)
    if isinstance(value, np.ndarray):
        return f"{value.dtype}{list(value.shape)} {numbers(value)}"
    if sp.issparse(value):
        sums = value.tocoo()
        sums.sum_duplicates()
        return f"{type(value).__name__} {value.dtype}{list(value.shape)} {numbers(sums.row)} {numbers(sums.col)} {numbers(sums.data)}"
    if isinstance(value, pa.Table):
        return table(value)
    if isinstance(value, (pa.Array, pa.ChunkedArray)):
        return f"{value.type} {value.to_pylist()}"
    if isinstance(value, pa.Tensor):
        return plain(value.to_numpy())
    if isinstance(value, pa.Schema):
        return "\n".join(f"  {field}" for field in value)
    if isinstance(value, pd.DataFrame):
        columns = [f"  {name!r}: {series(value[name])}" for name in value.columns]
        return "\n".join([f"frame of {len(value)}, index {value.index.name}: {list(map(str, value.index))}"] + columns)
    if isinstance(value, anndata.AnnData):
        return annotated(value)
    if isinstance(value, dict) or hasattr(value, "items"):
        return "\n".join(f"  {key}: {plain(item)}" for key, item in sorted(value.items()))
    return stable(repr(value))


def series(values):
    """Returns a column of pandas as a text, categories included."""
    kind = values.dtype
    if isinstance(kind, pd.CategoricalDtype):
        return f"categories {kind.categories.tolist()} {kind.ordered} {values.cat.codes.tolist()}"
    return f"{kind} {values.tolist()}"


def numbers(values):
    """Returns numbers as a text; of many, their number and a hash of their bytes."""
    values = np.ascontiguousarray(values)
    if values.size <= 48 or values.dtype == object:
        return str(values.tolist())
    return f"{values.size} {hashlib.sha256(values.tobytes()).hexdigest()[:16]}"


def table(rows):
    """Returns a table as a text, sorted, since the order of a sparse read is not promised."""
    kinds = ", ".join(f"{field.name}: {field.type}" for field in rows.schema)
    if len(rows) > 60:
        plain_rows = rows.select([n for n in rows.column_names if not pa.types.is_dictionary(rows.schema.field(n).type)])
        keys = [(name, "ascending") for name in plain_rows.column_names]
        columns = plain_rows.sort_by(keys).to_pydict()
        return f"{len(rows)} rows ({kinds}) {hashlib.sha256(repr(columns).encode()).hexdigest()[:16]}"
    lines = sorted(repr(tuple(row.values())) for row in rows.to_pylist())
    return "\n".join([f"{len(rows)} rows ({kinds})"] + [f"  {line}" for line in lines])


def annotated(data):
    """Returns an AnnData as a text."""
    lines = [f"AnnData {list(data.shape)}", f" X {plain(data.X)}", f" obs {plain(data.obs)}", f" var {plain(data.var)}"]
    for name in ("layers", "obsm", "varm", "obsp", "varp", "uns"):
        for key, value in sorted(getattr(data, name).items()):
            lines.append(f" {name} {key}: {plain(value)}")
    return "\n".join(lines)


def step(name, work):
    """Prints what a step says and gives, or how it fails. Errors of the library below are compared by their kind alone:
    that its texts say what clients look for is for the suites to see."""
    print(f"## {name}", flush=True)
    said = io.StringIO()
    try:
        with contextlib.redirect_stdout(said):
            result = work()
    except Exception as error:  # noqa: BLE001, as what is raised is what is compared.
        causes = f" from {type(error.__cause__).__name__}" if error.__cause__ else ""
        text = "" if isinstance(error, tiledbsoma.SOMAError) else str(error).split("\n")[0]
        result = Plain(f"{type(error).__name__}{causes}: {text}".rstrip(": "))
    print(stable(said.getvalue()), end="")
    if result is not None:
        print(plain(result))


def opened(name, mode="r", **more):
    return tiledbsoma.open(os.path.join(FOLDER, name), mode, **more)


def made(seed, rows, columns, kind):
    """Makes an AnnData with columns of all types and matrices of all kinds."""
    chance = np.random.default_rng(seed)
    at = np.arange(rows)
    obs = pd.DataFrame(index=[f"cell{seed}_{i}" for i in at])
    for name in ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"):
        obs[name] = ((at * 37 + seed) % 101).astype(name)
    obs["float32"] = (at / 7).astype("float32")
    obs["float64"] = np.where(at % 5 == 3, np.nan, at / 3)
    obs["flag"] = at % 3 == 0
    obs["text"] = [f"été {i % 4}" if i % 6 else "" for i in at]
    obs["kind"] = pd.Categorical([f"kind {i % 3}" for i in at])
    obs["level"] = pd.Categorical([("low", "high")[i % 2] for i in at], categories=["low", "high"], ordered=True)
    obs["batch"] = pd.Categorical([(10, 20, 30)[i % 3] for i in at])
    obs["half"] = pd.Categorical([(0.5, 1.5)[i % 2] for i in at])
    obs["maybe_kind"] = pd.Categorical([None if i % 4 == 1 else f"k{i % 2}" for i in at])
    obs["maybe_int"] = pd.array([None if i % 3 == 2 else i for i in at], dtype="Int64")
    obs["maybe_flag"] = pd.array([None if i % 3 == 1 else i % 2 == 0 for i in at], dtype="boolean")
    var = pd.DataFrame(index=[f"gene{i}" for i in range(columns)])
    var["mean"] = np.linspace(0, 1, columns)
    var["chosen"] = np.arange(columns) % 2 == 0
    dense = np.round(chance.random((rows, columns)) * 8).astype("float32") * (chance.random((rows, columns)) < 0.3)
    dense = dense.astype("float32")
    matrix = {"dense": lambda: dense, "csr": lambda: sp.csr_matrix(dense), "csc": lambda: sp.csc_matrix(dense)}[kind]()
    data = anndata.AnnData(X=matrix, obs=obs, var=var)
    data.layers["doubled"] = matrix * 2
    data.layers["counts"] = sp.csr_matrix(dense.astype("int32"))
    data.obsm["place"] = chance.random((rows, 2))
    data.obsm["small"] = chance.random((rows, 3)).astype("float32")
    data.varm["load"] = chance.random((columns, 4))
    data.obsp["near"] = sp.csr_matrix(np.round(chance.random((rows, rows)), 1) * (chance.random((rows, rows)) < 0.2))
    data.varp["joint"] = np.round(chance.random((columns, columns)), 2)
    data.uns["title"] = f"number {seed}"
    data.uns["count"] = 7
    data.uns["ratio"] = 2.5
    data.uns["numbers"] = np.arange(6).reshape(2, 3)
    data.uns["colors"] = np.array(["#ff0000", "#00ff00"])
    data.uns["nested"] = {"deep": {"list": np.array([1.5, 2.5]), "word": "inside"}}
    data.uns["frame"] = pd.DataFrame({"a": [1, 2, 3], "b": ["x", "y", ""]})
    return data


def matrices(experiment, name="RNA"):
    """Returns all matrices of a measurement."""
    measured = experiment.ms[name]
    found = {}
    for group in ("X", "obsm", "varm", "obsp", "varp"):
        if group in measured:
            for key, array in measured[group].items():
                found[f"{group}/{key}"] = array
    return found


def read_matrix(array):
    if isinstance(array, tiledbsoma.SparseNDArray):
        return array.read().tables().concat()
    return array.read()


def show(name):
    """Prints all that is stored under a name."""
    with opened(name) as root:
        walk(root, name)


def walk(item, name):
    kept = {key: value for key, value in item.metadata.items() if key not in UNSTABLE}
    step(f"{name}: {type(item).__name__}", lambda: kept)
    if isinstance(item, tiledbsoma.DataFrame):
        step(f"{name}: schema", lambda: item.schema)
        step(f"{name}: domain", lambda: (item.count, item.domain, item.maxdomain, item.index_column_names))
        step(f"{name}: rows", lambda: item.read().concat())
    elif isinstance(item, (tiledbsoma.SparseNDArray, tiledbsoma.DenseNDArray)):
        step(f"{name}: shape", lambda: (item.shape, item.maxshape, str(item.schema), item.non_empty_domain()))
        if isinstance(item, tiledbsoma.SparseNDArray):
            step(f"{name}: cells", lambda: item.nnz)
        step(f"{name}: values", lambda: read_matrix(item))
    else:
        for key in sorted(item):
            walk(item[key], f"{name}/{key}")


def experiments():
    """Makes experiments of several shapes and kinds, and exports them."""
    for name, seed, rows, columns, kind in (
        ("csr", 1, 12, 7, "csr"),
        ("dense", 2, 9, 5, "dense"),
        ("csc", 3, 33, 20, "csc"),
        ("one", 4, 1, 1, "csr"),
    ):
        data = made(seed, rows, columns, kind)
        step(f"make {name}", lambda: tiledbsoma.io.from_anndata(os.path.join(FOLDER, name), data, measurement_name="RNA"))
        show(name)
        with opened(name) as experiment:
            step(
                f"export {name}",
                lambda: tiledbsoma.io.to_anndata(
                    experiment, "RNA", X_layer_name="data", extra_X_layer_names=["doubled", "counts"]
                ),
            )
    step(
        "make once more",
        lambda: tiledbsoma.io.from_anndata(os.path.join(FOLDER, "one"), made(4, 1, 1, "csr"), measurement_name="RNA"),
    )


CONDITIONS = (
    "int8 > 50",
    "uint64 <= 37 and float32 < 2",
    "int64 != 38",
    "float64 > 1.0",
    "flag == True",
    "flag == False",
    "text == 'été 1'",
    "text != ''",
    "text > 'été 1'",
    "kind == 'kind 1'",
    "kind != 'kind 1'",
    "kind in ['kind 0', 'kind 2', 'no such kind']",
    "kind not in ['kind 0']",
    "kind == 'no such kind'",
    "level == 'low'",
    "level < 'high'",
    "batch == 20",
    "half == 1.5",
    "maybe_kind == 'k1'",
    "maybe_kind != 'k1'",
    "maybe_int > 3",
    "maybe_int != 3",
    "maybe_flag == True",
    "int8 in [1, 38, 75]",
    "text in ['', 'été 2']",
    "(int8 < 20 or kind == 'kind 2') and float32 >= 1",
    "soma_joinid > 3 and soma_joinid <= 8",
    "obs_id == 'cell1_3'",
    "no_such_column == 1",
    "int8 == 'text'",
    "int8 >",
)


def queries():
    """Asks an experiment: cells by a condition, then what is measured of them."""
    with opened("csr") as experiment:
        for condition in CONDITIONS:
            step(
                f"obs where {condition}",
                lambda: experiment.obs.read(value_filter=condition, column_names=["soma_joinid"]).concat()["soma_joinid"],
            )
        step("obs of columns", lambda: experiment.obs.read(column_names=["kind", "maybe_int"]).concat())
        step("obs by ids", lambda: experiment.obs.read(coords=([0, 3, 5],)).concat())
        step("obs by a slice", lambda: experiment.obs.read(coords=(slice(2, 4),), column_names=["text"]).concat())
        for condition, others in (("kind == 'kind 1'", None), ("flag == True", "chosen == True"), (None, "mean > 0.5")):
            step(f"axis query {condition}, {others}", lambda: axis_query(experiment, condition, others))
        for key, array in matrices(experiment).items():
            if isinstance(array, tiledbsoma.SparseNDArray):
                step(f"{key} by ids", lambda: array.read(coords=([1, 2], slice(0, 3))).tables().concat())
                step(f"{key} by blocks", lambda: blocks(array))
            else:
                step(f"{key} of a box", lambda: array.read(coords=(slice(1, 2), slice(0, 1))))
                step(f"{key} by columns", lambda: array.read(result_order="column-major"))
    with opened("dense") as experiment:
        step("axis query of dense matrices", lambda: axis_query(experiment, "int8 > 20", None))


def axis_query(experiment, condition, others):
    obs = tiledbsoma.AxisQuery(value_filter=condition) if condition else None
    var = tiledbsoma.AxisQuery(value_filter=others) if others else None
    with experiment.axis_query("RNA", obs_query=obs, var_query=var) as query:
        print(query.n_obs, query.n_vars, query.obs_joinids().to_pylist(), query.var_joinids().to_pylist())
        print(plain(query.obs(column_names=["int8", "kind"]).concat()))
        print(plain(query.X("counts").tables().concat()))
        return query.to_anndata("data", X_layers=["doubled"], obsm_layers=["place"], varm_layers=["load"], obsp_layers=["near"])


def blocks(array):
    matrices_of = array.read().blockwise(axis=0, size=4, reindex_disable_on_axis=[1]).tables()
    return [stable(plain(rows)) + repr([numbers(np.asarray(ids)) for ids in joined]) for rows, joined in matrices_of]


def appends():
    """Appends to an experiment, and resizes it."""
    uri = os.path.join(FOLDER, "csr")
    more = made(6, 5, 9, "csr")
    # A label that the experiment does not know.
    more.obs["kind"] = pd.Categorical(["kind 9", "kind 0", "kind 9", "kind 1", "kind 8"])
    for name in ("obsm", "varm", "obsp", "varp"):
        getattr(more, name).clear()
    more.uns.clear()

    def append():
        mapping = tiledbsoma.io.register_anndatas(
            uri, [more], measurement_name="RNA", obs_field_name="obs_id", var_field_name="var_id"
        )
        print(mapping.get_obs_shape(), mapping.get_var_shapes())
        mapping.prepare_experiment(uri)
        return tiledbsoma.io.from_anndata(uri, more, measurement_name="RNA", registration_mapping=mapping)

    step("append", append)
    show("csr")
    step("shapes", lambda: tiledbsoma.io.get_experiment_shapes(uri))
    step("resize, tried", lambda: tiledbsoma.io.resize_experiment(uri, nobs=40, nvars={"RNA": 20}, check_only=True, output_handle=sys.stdout))
    step("resize", lambda: tiledbsoma.io.resize_experiment(uri, nobs=40, nvars={"RNA": 20}))
    step("resize to less", lambda: tiledbsoma.io.resize_experiment(uri, nobs=4, nvars={"RNA": 2}))
    step("shapes", lambda: tiledbsoma.io.get_experiment_shapes(uri))
    with opened("csr") as experiment:
        step("X after all", lambda: experiment.ms["RNA"].X["data"].read().coos().concat().to_scipy())
        step("new labels", lambda: experiment.obs.read(value_filter="kind in ['kind 9', 'kind 8']").concat())
        step("labels", lambda: experiment.obs.get_enumeration_values(["kind", "level", "batch"]))


def updates():
    """Updates what is stored, and deletes."""
    uri = os.path.join(FOLDER, "csc")

    def frame(change):
        with opened("csc") as experiment:
            rows = experiment.obs.read().concat().to_pandas()
        # Nulls make pandas read these as others than they are stored.
        rows = rows.astype({"maybe_int": "Int64", "maybe_flag": "boolean"})
        change(rows)
        with opened("csc", "w") as experiment:
            tiledbsoma.io.update_obs(experiment, rows)

    def assign(name, values):
        return lambda rows: rows.__setitem__(name, values(rows))

    step("add a column", lambda: frame(assign("new", lambda rows: rows["int8"].astype("int32") * 2)))
    step("add a column of labels", lambda: frame(assign("side", lambda rows: pd.Categorical(["left", "right", "left"] * 11))))
    step("change a column", lambda: frame(assign("text", lambda rows: [f"changed {i}" for i in range(len(rows))])))
    step("drop a column", lambda: frame(lambda rows: rows.drop(columns="uint16", inplace=True)))
    step("change a type", lambda: frame(assign("int32", lambda rows: rows["int32"].astype("float64"))))

    def matrix():
        with opened("csc", "w") as experiment:
            values = sp.random(33, 20, 0.2, "csr", random_state=1, dtype="float32")
            tiledbsoma.io.update_matrix(experiment.ms["RNA"].X["doubled"], values)
            tiledbsoma.io.add_X_layer(experiment, "RNA", "added", values * 3)
            tiledbsoma.io.add_matrix_to_collection(experiment, "RNA", "obsm", "again", np.arange(66.0).reshape(33, 2))

    step("change a matrix, add others", matrix)

    def notes():
        with opened("csc", "w") as experiment:
            experiment.metadata["title"] = "après"
            experiment.metadata["number"] = 12
            experiment.metadata["ratio"] = -0.5
            experiment.obs.metadata["empty"] = ""
        with opened("csc", "w") as experiment:
            del experiment.metadata["number"]
        update_uns_by_uri(uri, {"count": 8, "title": "changed", "later": np.arange(3)}, "RNA")

    step("metadata and uns", notes)
    show("csc")

    def deletes(condition=None, coords=None):
        with opened("csc", "d") as experiment:
            experiment.obs_axis_delete(coords or (), value_filter=condition)

    step("delete by a condition", lambda: deletes(condition="kind == 'kind 2'"))
    step("delete by ids", lambda: deletes(coords=([1, 3, 4],)))

    def delete_var():
        with opened("csc", "d") as experiment:
            experiment.var_axis_delete("RNA", value_filter="mean > 0.8")

    step("delete of the other axis", delete_var)
    show("csc")
    with opened("csc") as experiment:
        step("query what is left", lambda: axis_query(experiment, "int8 > 20", "chosen == True"))


COLUMNS = [
    (pa.bool_(), [True, False, None, True]),
    (pa.int8(), [-128, 127, None, 0]),
    (pa.uint64(), [2**63 + 5, 0, None, 1]),
    (pa.float32(), [1.5, float("inf"), None, -0.0]),
    (pa.float64(), [float("nan"), 2.5, None, 0.0]),
    (pa.large_string(), ["", "naïve", None, "b"]),
    (pa.string(), ["a", "", "ccc", None]),
    (pa.large_binary(), [b"\x00\xff", b"", None, b"x"]),
    (pa.timestamp("s"), [0, 1, None, -1]),
    (pa.timestamp("ms"), [0, 1, None, -1]),
    (pa.timestamp("us"), [0, 1, None, -1]),
    (pa.timestamp("ns"), [0, 1, None, -1]),
    (pa.dictionary(pa.int8(), pa.large_string()), ["x", "y", None, "x"]),
    (pa.dictionary(pa.int32(), pa.float64()), [0.5, 1.5, None, 0.5]),
    (pa.dictionary(pa.int8(), pa.int64()), [5, 6, None, 5]),
    (pa.dictionary(pa.int8(), pa.bool_()), [True, False, None, True]),
]


def frames():
    """Makes frames with columns of all Arrow types and several indices."""
    uri = os.path.join(FOLDER, "frame")
    fields = [pa.field("soma_joinid", pa.int64()), pa.field("word", pa.large_string()), pa.field("when", pa.timestamp("ms"))]
    fields += [pa.field(f"c{number}", kind) for number, (kind, _) in enumerate(COLUMNS)]
    schema = pa.schema(fields)

    def create():
        tiledbsoma.DataFrame.create(
            uri,
            schema=schema,
            index_column_names=["soma_joinid", "word", "when"],
            domain=[[0, 99], None, [np.datetime64(0, "ms"), np.datetime64(10**6, "ms")]],
        ).close()

    def rows(first, words):
        columns = [pa.array(range(first, first + 4), pa.int64()), pa.array(words, pa.large_string())]
        columns += [pa.array([5, 6, 7, 8], pa.int64()).cast(pa.timestamp("ms"))]
        for kind, values in COLUMNS:
            if pa.types.is_dictionary(kind):
                columns.append(pa.array(values, kind.value_type).dictionary_encode().cast(kind))
            elif pa.types.is_timestamp(kind):
                columns.append(pa.array(values, pa.int64()).cast(kind))
            else:
                columns.append(pa.array(values, kind))
        return pa.Table.from_arrays(columns, schema=schema)

    def write(first, words):
        with opened("frame", "w") as item:
            item.write(rows(first, words))

    step("create a frame", create)
    step("write to it", lambda: write(0, ["b", "a", "", "c"]))
    step("write more", lambda: write(4, ["a", "a", "z", "zz"]))
    step("write over it", lambda: write(0, ["b", "a", "q", "c"]))
    step("write outside", lambda: write(98, ["b", "a", "", "c"]))

    def slices():
        # Their texts begin further on in the buffers of the whole table.
        whole = rows(20, ["one", "two", "three", "four"])
        with opened("frame", "w") as item:
            item.write(whole[2:])
            item.write(whole[1:2])

    step("write slices of a table", slices)
    show("frame")
    with opened("frame") as item:
        step("by the first index", lambda: item.read(coords=(slice(2, 5),)).concat())
        step("by words", lambda: item.read(coords=(slice(None), ["a", "z"])).concat())
        step("by a slice of words", lambda: item.read(coords=(slice(None), slice("a", "c"))).concat())
        step("by times", lambda: item.read(coords=(None, None, slice(np.datetime64(6, "ms"), np.datetime64(7, "ms")))).concat())
        for order in ("auto", "row-major", "column-major"):
            step(f"words in order {order}", lambda: order != "auto" and item.read(result_order=order).concat()["word"])
        for number in range(len(COLUMNS)):
            for condition in (f"c{number} == 1", f"c{number} != 0", f"c{number} == 'x'", f"c{number} > 0.5"):
                step(condition, lambda: item.read(value_filter=condition, column_names=["soma_joinid"]).concat())

    def domain(new):
        with opened("frame", "w") as item:
            item.change_domain(new)

    step("a larger domain", lambda: domain([[0, 200], None, [np.datetime64(0, "ms"), np.datetime64(10**6, "ms")]]))
    step("a smaller domain", lambda: domain([[0, 50], None, [np.datetime64(0, "ms"), np.datetime64(10**6, "ms")]]))
    step("write where there is space now", lambda: write(98, ["b", "a", "", "c"]))

    def labels(values, deduplicate):
        with opened("frame", "w") as item:
            item.extend_enumeration_values({"c12": pa.array(values, pa.large_string())}, deduplicate=deduplicate)

    step("more labels", lambda: labels(["new", "newer"], False))
    step("labels that are there", lambda: labels(["x", "newest"], False))
    step("labels that are there, left out", lambda: labels(["x", "newest"], True))

    def delete(coords=(), condition=None):
        with opened("frame", "d") as item:
            item.delete_cells(coords, value_filter=condition)

    step("delete by the index", lambda: delete((slice(0, 1),)))
    step("delete by words", lambda: delete((slice(None), ["z"])))
    step("delete by a condition", lambda: delete((slice(None),), "c1 == 127"))
    show("frame")


def arrays():
    """Makes arrays of one to three dimensions, writes, resizes, reads as of a time, and deletes."""
    kinds = (pa.int8(), pa.uint16(), pa.int64(), pa.float32(), pa.float64(), pa.bool_())
    chance = np.random.default_rng(9)
    for kind in kinds:
        for shape in ((7,), (5, 4), (3, 4, 2)):
            name = f"dense_{kind}_{len(shape)}"
            values = (chance.random(shape) * 9).astype(kind.to_pandas_dtype())

            def dense():
                with tiledbsoma.DenseNDArray.create(os.path.join(FOLDER, name), type=kind, shape=shape) as item:
                    item.write((slice(None),) * len(shape), pa.Tensor.from_numpy(values))
                with opened(name, "w") as item:
                    item.write((slice(1, 1),) * len(shape), pa.Tensor.from_numpy(np.ones((1,) * len(shape), values.dtype)))

            step(f"make {name}", dense)
            show(name)
    for kind in kinds:
        name = f"sparse_{kind}"

        def sparse(stamp, ids, value):
            columns = {f"soma_dim_{d}": np.array(ids) + d for d in range(2)}
            columns["soma_data"] = np.full(len(ids), value).astype(kind.to_pandas_dtype())
            with opened(name, "w", tiledb_timestamp=stamp) as item:
                item.write(pa.table(columns))

        def create():
            tiledbsoma.SparseNDArray.create(os.path.join(FOLDER, name), type=kind, shape=(50, 60), tiledb_timestamp=1).close()

        def change(stamp, work, mode="w"):
            with opened(name, mode, tiledb_timestamp=stamp) as item:
                work(item)

        step(f"make {name}", create)
        step("write", lambda: sparse(10, [1, 2, 3, 40], 1))
        step("write over it", lambda: sparse(20, [2, 3, 7], 0))
        step("write outside", lambda: sparse(21, [55], 1))
        step("resize", lambda: change(30, lambda item: item.resize((60, 70))))
        step("resize to less", lambda: change(31, lambda item: item.resize((10, 10))))
        step("write where there is space now", lambda: sparse(32, [55], 1))
        step("delete", lambda: change(40, lambda item: item.delete_cells((slice(2, 3),)), "d"))
        step("delete in a box", lambda: change(41, lambda item: item.delete_cells((slice(0, 50), [8])), "d"))
        show(name)
        for stamp in (1, 10, 20, 35, 40):
            with opened(name, tiledb_timestamp=stamp) as item:
                step(f"{name} as of {stamp}", lambda: (item.shape, plain(item.read().tables().concat())))


def collections():
    """Makes collections, changes them, and opens what is not there."""
    uri = os.path.join(FOLDER, "collection")
    schema = pa.schema([("soma_joinid", pa.int64()), ("a", pa.int32())])

    def create():
        with tiledbsoma.Collection.create(uri) as item:
            item.add_new_collection("inner").add_new_collection("été")
            item.add_new_dense_ndarray("dense", type=pa.int32(), shape=(2, 2))
            item.add_new_sparse_ndarray("sparse", type=pa.int32(), shape=(2, 2))
            item.add_new_dataframe("frame", schema=schema, domain=[[0, 9]])
            item.metadata["about"] = "a collection"

    def remove():
        with opened("collection", "w") as item:
            del item["sparse"]

    step("create", create)
    show("collection")
    step("remove", remove)
    show("collection")
    step("create again", create)
    step("open what is not there", lambda: opened("nowhere"))
    step("a key that is not there", lambda: opened("collection")["nothing"])
    step("write what is open for reading", lambda: opened("collection").metadata.__setitem__("a", 1))
    step("exists", lambda: [kind.exists(uri) for kind in (tiledbsoma.Collection, tiledbsoma.DataFrame, tiledbsoma.Experiment)])


def main():
    if sys.argv[1] == "read":
        for name in sorted(os.listdir(FOLDER)):
            show(name)
        return
    for part in (experiments, queries, appends, updates, frames, arrays, collections):
        print(f"# {part.__name__}")
        part()


main()
