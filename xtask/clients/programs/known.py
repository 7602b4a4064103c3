"""Differences on purpose, by name, each as narrow as it can be. docs/clients.md has a table of them."""


class Kind:
    """A kind of difference. After some, the arrays are not the same any more: the program ends there."""

    def __init__(self, name, fits, ends=False):
        self.name, self.fits, self.ends = name, fits, ends


#: Messages that clients match: where TileDB's holds one, ours must.
MATCHED = [
    "Dense reads must have a subarray set",
    "Multi-range reads are not supported on a global order query",
    "Cannot apply an inequality operator",
    "can only be expanded",
    "DimensionLabelQuery: Failed to process",
]


def same_message(step, theirs, ours):
    """Whether a message that clients match is there. Of several causes, either may be told: tdb looks at a condition when
    the query gets it, and not when it is carried out."""
    wanted = [matched for matched in MATCHED if matched in theirs]
    told = any(matched in ours for matched in MATCHED)
    has_condition = bool((step.get("query") or {}).get("cond"))
    return not wanted or told or (has_condition and "condition" in ours)


def words(ops, theirs=None, ours=None):
    """Fits steps of some kinds where each side has an error with such words, or finds something where none are given."""

    def fits(steps, place, their_answer, our_answer):
        pairs = ((theirs, their_answer), (ours, our_answer))
        return steps[place]["op"] in ops and all(said(text, answer) for text, answer in pairs)

    return fits


def said(text, answer):
    if text is None:
        return "found" in answer
    return text in answer.get("message", "")


def counts_what_a_read_gives(steps, place, theirs, ours):
    """Aggregates of what a read gives, where those of TileDB are of other cells: cells of dense arrays that were never
    written or fail a condition, and cells of sparse arrays that others replace."""
    if steps[place]["op"] != "aggregate" or "found" not in theirs or "found" not in ours:
        return False
    if ours["found"]["as read"] is None:
        return not is_sparse(steps, place)
    return ours["found"]["as read"] and not theirs["found"]["as read"]


def is_sparse(steps, place):
    name = steps[place]["array"]
    return any(step["op"] == "create" and step["array"] == name and step["schema"]["sparse"] for step in steps)


def is_range_by_range(steps, place, theirs, ours):
    """Rows of several ranges in row- or column-major order: TileDB gives them range by range where the array has one
    dimension and all of them come of one fragment, and where buffers are too small for all; else in the order of
    coordinates. tdb has one order."""
    step = steps[place]
    if step["op"] not in ("read", "low_read") or "found" not in theirs or "found" not in ours:
        return False
    array = [each for each in steps if each["op"] == "create" and each["array"] == step["array"]]
    dims = array[0]["schema"]["dims"] if array else []
    has_several = any(isinstance(part, dict) and len(part.get("l", [])) > 1 for part in step["sel"])
    in_parts = step["op"] == "low_read" or "py.init_buffer_bytes" in step["config"] or (step["query"] or {}).get("return_incomplete")
    return is_sparse(steps, place) and has_several and (len(dims) == 1 or bool(in_parts)) and rows_of(theirs) == rows_of(ours)


def comes_once(steps, place, theirs, ours):
    """Open: cells of ranges that overlap, in row- or column-major order and of several fragments. TileDB gives them for
    each range, and so does tdb where they come of one fragment; else tdb gives them once."""
    step = steps[place]
    if step["op"] not in ("read", "low_read") or "found" not in theirs or "found" not in ours:
        return False
    has_several = any(isinstance(part, dict) and len(part.get("l", [])) > 1 for part in step["sel"])
    (more, names), (once, our_names) = rows_of(theirs), rows_of(ours)
    is_less = len(once) < len(more) and set(map(repr, once)) == set(map(repr, more))
    return is_sparse(steps, place) and has_several and names == our_names and is_less


def rows_of(answer):
    columns = answer["found"]["columns"]
    return sorted(zip(*columns.values()), key=repr), list(columns)


def leaves_memory_unwritten(steps, place, theirs, ours):
    """Cells of dense arrays that TileDB does not write, in no order: the buffer keeps what was in it."""
    if steps[place]["op"] != "low_read" or is_sparse(steps, place) or "found" not in theirs or "found" not in ours:
        return False
    columns = [(theirs["found"]["columns"][name], column) for name, column in ours["found"]["columns"].items()]
    cells = [pair for one, other in columns for pair in zip(one, other)]
    same_length = all(len(one) == len(other) for one, other in columns)
    return same_length and all(one == other or not (one or "").strip("a5") for one, other in cells)


def overlap_as_texts(steps, place, theirs, ours):
    """Ranges of text of which one contains another: TileDB loses the cells behind the end of the contained one."""
    step = steps[place]
    if step["op"] not in ("read", "low_read") or "found" not in theirs or "found" not in ours:
        return False
    array = [each for each in steps if each["op"] == "create" and each["array"] == step["array"]]
    dims = array[0]["schema"]["dims"] if array else []
    has_several = any(
        dim["kind"] == "ascii" and isinstance(part, dict) and len(part.get("l", [])) > 1
        for dim, part in zip(dims, step["sel"])
    )
    (few, names), (all_rows, our_names) = rows_of(theirs), rows_of(ours)
    return has_several and names == our_names and all(row in all_rows for row in few)


GROUPS = ["group_change", "group_show", "group_meta", "group_upkeep"]

KINDS = [
    Kind("several ranges come in the order of coordinates", is_range_by_range),
    Kind("open: cells of ranges that overlap come once where fragments are several", comes_once),
    Kind("cells of dense arrays in no order are all written", leaves_memory_unwritten),
    Kind("ranges of text that overlap select all of their cells", overlap_as_texts),
    Kind("validity buffers are as long as TileDB wants", words(["read"], "Invalid number of validity cells given", "")),
    Kind("a list may hold the empty text alone", words(["read", "aggregate"], "set membership data size must be greater than zero")),
    Kind("a list may hold the empty text alone", words(["delete"], "set membership data size must be greater than zero"), ends=True),
    Kind("an attribute without a name can be dropped", words(["evolve"], "empty string is reserved"), ends=True),
    Kind("arrays with labels evolve", words(["evolve"], "Missing dimension label schema"), ends=True),
    Kind("attributes may refer to any enumeration of the array", words(["evolve"], "the enumeration has not been loaded"), ends=True),
    Kind("aggregates are of the cells that a read gives", words(["aggregate"], "Invalid tiledb dtype for aggregation result")),
    Kind("buffers take as many cells as fit", words(["read", "low_read"], "Unable to copy one tile with current budget/buffers")),
    Kind("conditions and ranges of labels go together", words(["read"], "Using query conditions and dimension labels together")),
    Kind("a condition about no label holds for no cell", words(["delete"], "Invalid negation of rewritten query"), ends=True),
    Kind("dates and times have no sum and no mean", words(["aggregate"], ours="there is none of a field that holds")),
    Kind("sums that do not fit into 64 bits are refused", words(["aggregate"], ours="does not fit into 64 bits")),
    Kind("a delete may not ask about null", words(["delete"], ours="a delete cannot ask whether"), ends=True),
    Kind("validity buffers are as long as TileDB wants", words(["read"], "Invalid number of validity cells given")),
    Kind("aggregates are of sparse arrays in any order", words(["aggregate"], "Reader cannot process aggregates")),
    Kind("aggregates are of the cells that a read gives", counts_what_a_read_gives),
    Kind("a filter that loses values is refused with the schema", words(["create", "evolve"], ours="cannot be used here"), ends=True),
    Kind("dense cells in global order take any box", words(["write"], "must coincide with the tile bounds"), ends=True),
    Kind("members above a group, by a relative path, are refused", words(GROUPS, "", "leads out of where it must stay"), ends=True),
    Kind("members above a group, by a relative path, are refused", words(GROUPS, ours="leads out of where it must stay"), ends=True),
]


def kind_of(steps, place, theirs, ours):
    for kind in KINDS:
        if kind.fits(steps, place, theirs, ours):
            return kind
    return None
