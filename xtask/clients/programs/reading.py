"""Steps that read."""

import numpy as np
import tiledb

from programs.values import shown_array, shown_item


class Reads:
    def run_read(self, step):
        with self.opened(step) as array:
            query = step["query"]
            asked = array if query is None else array.query(**query)
            sel = made_selection(array, step)
            how = step["how"]
            if how == "index":
                found = asked[sel]
            elif how == "multi":
                found = asked.multi_index[sel]
            elif how == "df":
                found = asked.df[sel]
            elif how == "label":
                found = asked.label_index(["l0"])[sel]
            else:
                found = array.read_subarray(made_subarray(array, step["sel"]))
            if query and query.get("return_incomplete") and not isinstance(found, dict):
                found = joined([shown_result(part) for part in found])
            else:
                found = shown_result(found)
            return arranged(found, array, query, how)

    def run_aggregate(self, step):
        with self.opened(step) as array:
            asked = array.query(**step["query"]).agg({step["attr"]: step["asked"]} if step["attr"] else step["asked"])
            sel = made_selection(array, step)
            found = asked[sel] if step["how"] == "index" else asked.multi_index[sel]
            found = found if isinstance(found, dict) else {step["asked"][0]: found}
            return {"answers": shown_numbers(found), "as read": is_as_read(array, step, sel, found)}

    def run_domain(self, step):
        with self.opened(step) as array:
            return [shown_pairs(array.nonempty_domain()), repr(array.timestamp_range) if step["at"] is not None else None, array.isopen, array.mode, array.nattr]

    def run_enums(self, step):
        with self.opened(step) as array:
            names = {array.attr(place).enum_label for place in range(array.nattr)} - {None}
            return [[name, array.enum(name).ordered, shown_array(array.enum(name).values())] for name in sorted(names)]

    def run_unique(self, step):
        with self.opened(step) as array:
            found = array.unique_dim_values()
            return {name: shown_array(found[name]) for name in sorted(found)} if isinstance(found, dict) else repr(found)

    def run_estimate(self, step):
        with self.opened(step) as array:
            asked = array.query(return_incomplete=True).multi_index[made_selection(array, {"sel": step["sel"], "how": "multi"})]
            found = asked.estimated_result_sizes()
            return {name: [size.offsets_bytes > 0, size.data_bytes > 0] for name, size in sorted(found.items())}


def is_as_read(array, step, sel, found):
    """Whether aggregates are those of the cells that a read gives; none where a read does not tell."""
    attr = array.attr(step["attr"])
    knows = not attr.isnullable and not attr.isvar and np.dtype(attr.dtype).kind in "iuf"
    if not knows or (not array.schema.sparse and "cond" in step["query"]):
        return None
    asked = array.query(**dict(step["query"], attrs=[step["attr"]]))
    cells = asked[sel] if step["how"] == "index" else asked.multi_index[sel]
    cells = cells[step["attr"]] if hasattr(cells, "keys") else cells
    cells = np.asarray(cells).ravel()
    numbers = cells[~np.isnan(cells)] if cells.dtype.kind == "f" else cells
    with np.errstate(all="ignore"):
        wide = [float(cell) if cells.dtype.kind == "f" else int(cell) for cell in cells]
        made = {
            "count": len(cells),
            "sum": sum(wide),
            "mean": sum(wide) / len(wide) if wide else float("nan"),
            "min": numbers.min() if len(numbers) else float("nan"),
            "max": numbers.max() if len(numbers) else float("nan"),
        }
    found = {name: float("nan") if number is None else number for name, number in found.items()}
    return all(shown_number(found[name]) == shown_number(made[name]) for name in found if name in made)


def shown_number(number):
    return "%.9g" % float(number)


def made_selection(array, step):
    parts = []
    for place, part in enumerate(step["sel"]):
        dim = array.dim(min(place, array.ndim - 1))
        if step["how"] == "label" and "l0" in [name for name in labels_of(array, place)]:
            ends = part["s"] if isinstance(part, dict) else [None, None]
            parts.append(slice(*ends))
        else:
            parts.append(made_part(dim, part))
    return parts[0] if len(parts) == 1 else tuple(parts)


def labels_of(array, place):
    dim = array.dim(place)
    return ["l0"] if array.schema.has_dim_label("l0") and array.schema.dim_label("l0").dim_index == place and dim is not None else []


def made_part(dim, part):
    if part == ":":
        return slice(None)
    if "v" in part:
        return made_value(dim, part["v"])
    if "s" in part:
        return slice(*(made_value(dim, end) for end in part["s"]))
    return [made_part(dim, each) for each in part["l"]]


def made_value(dim, value):
    dtype = np.dtype(dim.dtype)
    if value is None or dtype.kind in "SU":
        return value
    if dtype.kind == "M":
        return np.datetime64(value, np.datetime_data(dtype)[0])
    return value


def made_subarray(array, sel):
    subarray = tiledb.Subarray(array, array.ctx)
    ranges = []
    for place, part in enumerate(sel):
        dim = array.dim(place)
        if part == ":":
            ends = array.nonempty_domain()[place] if dim.isvar else dim.domain
            ranges.append([tuple(ends)])
            continue
        parts = [each["s"] for each in part["l"]]
        ends = [(made_value(dim, low), made_value(dim, high)) for low, high in parts if low is not None and high is not None]
        ranges.append(ends or [tuple(dim.domain)])
    subarray.add_ranges(ranges)
    return subarray


def shown_result(found):
    if isinstance(found, dict):
        return {"columns": {name: shown_column(column) for name, column in found.items()}, "shapes": shapes(found)}
    if isinstance(found, np.ndarray):
        return {"columns": {"": shown_column(found)}, "shapes": shapes({"": found})}
    if hasattr(found, "to_pydict"):
        columns = {name: [shown_item(item) for item in column] for name, column in found.to_pydict().items()}
        return {"columns": columns, "shapes": [str(found.schema.field(name)) for name in columns]}
    if hasattr(found, "columns"):
        index = [str(name) for name in found.index.names]
        flat = found.reset_index() if index != ["None"] else found
        columns = {str(name): [shown_item(item) for item in flat[name]] for name in flat.columns}
        return {"columns": columns, "shapes": [index, [str(kind) for kind in flat.dtypes]]}
    return {"columns": {}, "shapes": repr(found)}


def shown_column(column):
    column = np.ma.filled(column.astype(object), None) if isinstance(column, np.ma.MaskedArray) else np.asarray(column)
    return [shown_item(item) for item in column.ravel()]


def shapes(columns):
    return {name: [str(column.dtype), list(column.shape)] for name, column in columns.items() if hasattr(column, "dtype")}


def joined(parts):
    """The parts of an incomplete query, as one: where it is cut is free."""
    columns = {}
    for part in parts:
        for name, column in part["columns"].items():
            columns.setdefault(name, []).extend(column)
    return {"columns": columns, "shapes": sorted(columns)}


def arranged(found, array, query, how):
    """Brings rows into an order where the library may choose one: all of them, or those of equal coordinates."""
    if not array.schema.sparse:
        return found
    columns = found["columns"]
    names = list(columns)
    if len({len(column) for column in columns.values()}) != 1:
        return found
    rows = list(zip(*(columns[name] for name in names)))
    order = (query or {}).get("order", "U" if query is None and how in ("multi", "df", "label") else "C")
    dims = [names.index(array.dim(place).name) for place in range(array.ndim) if array.dim(place).name in names]
    if order == "U" or how == "subarray" or len(dims) < array.ndim:
        rows.sort(key=repr)
    elif array.schema.allows_duplicates:
        rows = in_runs(rows, dims)
    found["columns"] = {name: [row[place] for row in rows] for place, name in enumerate(names)}
    return found


def in_runs(rows, dims):
    """Sorts rows of equal coordinates that follow each other."""
    made, run = [], []
    for row in rows:
        if run and any(run[0][place] != row[place] for place in dims):
            made += sorted(run, key=repr)
            run = []
        run.append(row)
    return made + sorted(run, key=repr)


def shown_numbers(found):
    """Aggregates; floats to 11 digits, since the order in which they are added is free."""
    if isinstance(found, dict):
        return {name: shown_numbers(number) for name, number in found.items()}
    if isinstance(found, (float, np.floating)):
        return "%.11g" % found
    if isinstance(found, np.ndarray) and found.dtype.kind == "f":
        return ["%.11g" % number for number in found.ravel()]
    return shown_item(found)


def shown_pairs(pairs):
    return None if pairs is None else [[shown_item(end) for end in pair] for pair in pairs]
